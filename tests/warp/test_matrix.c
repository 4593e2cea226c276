// The matrix of warped stiffness against differences of its forces, and bodies whose nodes and
// elements are numbered in another way.
#include "check.h"

#include "warp/warp.h"

enum { CELLS = 2, SIDE = CELLS + 1, NODES = SIDE * SIDE * SIDE, TETS = 6 * CELLS * CELLS * CELLS };

static uint64_t seed = 7;
static double uniform(void) { return check_random(&seed); }
static int below(int count) { return (int)((uniform() + 1) / 2 * count) % count; }

typedef struct Mesh {
  double positions[3 * NODES], masses[NODES];
  uint8_t held[NODES];
  int32_t tets[4 * TETS], materials[TETS];
} Mesh;

// Six tets along the diagonal of each cell.
static void fill_mesh(Mesh *mesh) {
  static const int axes[6][3] = { { 0, 1, 2 }, { 1, 2, 0 }, { 2, 0, 1 },
                                  { 0, 2, 1 }, { 2, 1, 0 }, { 1, 0, 2 } };
  static const int step[3] = { 1, SIDE, SIDE * SIDE };
  int32_t *tet = mesh->tets;
  *mesh = (Mesh){ 0 };
  for (int n = 0; n < NODES; n++) {
    const int at[3] = { n % SIDE, n / SIDE % SIDE, n / SIDE / SIDE };
    for (int k = 0; k < 3; k++) mesh->positions[3 * n + k] = 0.1 * at[k] + 0.01 * uniform();
    mesh->masses[n] = 0.1 + 0.01 * n;
    for (int way = 0; way < 6; way++) {
      if (at[0] == CELLS || at[1] == CELLS || at[2] == CELLS) continue;
      int32_t corners[4] = { n };
      for (int k = 0; k < 3; k++) corners[k + 1] = corners[k] + step[axes[way][k]];
      bool odd = way >= 3;
      memcpy(tet, corners, sizeof corners);
      if (odd) tet[2] = corners[3], tet[3] = corners[2];
      tet += 4;
    }
  }
}

// Nodes and tets of `from` in a random order; *numbers: what each node is now.
static void shuffle(const Mesh *from, Mesh *to, int32_t numbers[NODES]) {
  int32_t order[TETS];
  for (int i = 0; i < NODES; i++) numbers[i] = i;
  for (int i = 0; i < TETS; i++) order[i] = i;
  for (int i = NODES - 1; i > 0; i--) {
    int j = below(i + 1);
    int32_t kept = numbers[i];
    numbers[i] = numbers[j], numbers[j] = kept;
  }
  for (int i = TETS - 1; i > 0; i--) {
    int j = below(i + 1);
    int32_t kept = order[i];
    order[i] = order[j], order[j] = kept;
  }
  for (int n = 0; n < NODES; n++) {
    memcpy(to->positions + 3 * numbers[n], from->positions + 3 * n, 3 * sizeof(double));
    to->masses[numbers[n]] = from->masses[n], to->held[numbers[n]] = from->held[n];
  }
  for (int e = 0; e < TETS; e++) {
    for (int a = 0; a < 4; a++) to->tets[4 * e + a] = numbers[from->tets[4 * order[e] + a]];
    to->materials[e] = from->materials[order[e]];
  }
}

static const double material[3] = { 1e4, 0.3, 1000 };

typedef struct Body {
  lbWarp *warp;
  double *room, *x, *f, *d, *y;
  lbWarpWork work;
} Body;

static void open_body(const Mesh *mesh, lbWarpStrain strain, lbWarpRotation rotation, Body *body) {
  lbError err;
  lbWarpDef def = { .node_count = NODES,
                    .positions = mesh->positions,
                    .held = mesh->held,
                    .masses = mesh->masses,
                    .tet_count = TETS,
                    .tets = mesh->tets,
                    .element_materials = mesh->materials,
                    .materials = material,
                    .rotation = rotation,
                    .strain = strain };
  check_ok(lb_warp_create(&def, lb_simd_best(), &body->warp, &err), err);
  size_t length = body->warp->length;
  body->room = calloc(lb_warp_work_doubles(body->warp) + 8, sizeof(double));
  body->x = calloc(4 * length, sizeof(double));
  body->f = body->x + length, body->d = body->f + length, body->y = body->d + length;
  lb_warp_work_place(body->warp, body->room, &body->work);
}

static void close_body(Body *body) {
  lb_warp_destroy(body->warp);
  free(body->room), free(body->x);
}

// force (nodes x 3) at places.
static void force_at(Body *body, const double *places, double *force) {
  lb_warp_to_lanes(body->warp, places, body->x);
  lb_warp_linearise(body->warp, &body->work, body->x, false, body->f);
  lb_warp_from_lanes(body->warp, body->f, force);
}

// Turned far, stretched and bent.
static void deform(const double *positions, double *places) {
  const double c = cos(1.2), s = sin(1.2);
  for (int n = 0; n < NODES; n++) {
    const double *X = positions + 3 * n;
    double x = 1.2 * X[0] + 0.5 * X[1] * X[2], y = 0.9 * X[1] + 0.02 * uniform(), z = X[2];
    places[3 * n] = c * x - s * y + 3;
    places[3 * n + 1] = s * x + c * y;
    places[3 * n + 2] = z + 0.3 * x * y;
  }
}

static double greatest(const double *v, int count) {
  double most = 0;
  for (int i = 0; i < count; i++) most = fmax(most, fabs(v[i]));
  return most;
}

static void the_matrix_is_the_derivative_of_the_forces(void **state) {
  (void)state;
  static const lbWarpStrain strains[] = { LB_WARP_WARPED, LB_WARP_GREEN, LB_WARP_LINEAR };
  // What is added for flat elements changes the stiffness of stress by a thousandth.
  static const double tolerances[] = { 3e-4, 1e-6, 1e-6 };
  Mesh mesh;
  fill_mesh(&mesh);
  for (size_t k = 0; k < sizeof strains / sizeof *strains; k++) {
    double places[3 * NODES], way[3 * NODES], moved[3 * NODES], f[2][3 * NODES], product[3 * NODES];
    const double h = 1e-6;
    Body body;
    open_body(&mesh, strains[k], LB_WARP_ELEMENT, &body);
    deform(mesh.positions, places);
    for (int i = 0; i < 3 * NODES; i++) way[i] = uniform();
    for (int side = 0; side < 2; side++) {
      for (int i = 0; i < 3 * NODES; i++) moved[i] = places[i] + (side ? -h : h) * way[i];
      force_at(&body, moved, f[side]);
    }
    force_at(&body, places, moved);
    lb_warp_ready(body.warp, &body.work, body.x, 0, 1);
    lb_warp_to_lanes(body.warp, way, body.d);
    lb_warp_multiply(body.warp, &body.work, body.d, body.y);
    lb_warp_from_lanes(body.warp, body.y, product);
    double size = greatest(product, 3 * NODES);
    for (int i = 0; i < 3 * NODES; i++)
      check_small(((f[0][i] - f[1][i]) / (2 * h) - product[i]) / size, tolerances[k]);
    for (int n = 0; n < NODES; n++) { // row by row
      lbVec3 row = lb_warp_row(body.warp, &body.work, body.warp->ranks[n], body.d);
      check_small(lb_length(lb_sub(row, lb_vec3_load(product + 3 * n))) / size, 1e-12);
    }
    close_body(&body);
  }
}

static void numbers_of_nodes_and_elements_change_nothing(void **state) {
  (void)state;
  static const lbWarpRotation rotations[] = { LB_WARP_ELEMENT, LB_WARP_FIT };
  Mesh meshes[2];
  int32_t numbers[NODES];
  fill_mesh(&meshes[0]);
  meshes[0].held[3] = meshes[0].held[11] = 1;
  shuffle(&meshes[0], &meshes[1], numbers);
  for (size_t k = 0; k < 2; k++) { // three edges are chosen in the order of nodes
    double places[2][3 * NODES], right[2][3 * NODES], forces[2][3 * NODES], v[2][3 * NODES];
    deform(meshes[0].positions, places[0]);
    for (int i = 0; i < 3 * NODES; i++) right[0][i] = uniform();
    for (int i = 0; i < 3 * NODES; i++) {
      int to = 3 * numbers[i / 3] + i % 3;
      places[1][to] = places[0][i], right[1][to] = right[0][i];
    }
    for (int side = 0; side < 2; side++) {
      Body body;
      open_body(&meshes[side], LB_WARP_WARPED, rotations[k], &body);
      force_at(&body, places[side], forces[side]);
      lb_warp_ready(body.warp, &body.work, body.x, 1, 1e-5);
      lb_warp_to_lanes(body.warp, right[side], body.d);
      lb_warp_solve(body.warp, &body.work, body.d, body.y, 500, 1e-12);
      lb_warp_from_lanes(body.warp, body.y, v[side]);
      close_body(&body);
    }
    double size = greatest(forces[0], 3 * NODES), fast = greatest(v[0], 3 * NODES);
    for (int i = 0; i < 3 * NODES; i++) {
      int to = 3 * numbers[i / 3] + i % 3;
      check_small((forces[1][to] - forces[0][i]) / size, 1e-11);
      check_small((v[1][to] - v[0][i]) / fast, 1e-7);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_matrix_is_the_derivative_of_the_forces),
    cmocka_unit_test(numbers_of_nodes_and_elements_change_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
