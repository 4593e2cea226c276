// Built-in shapes: numbering, volumes, quality of cells, conformity, closed surfaces, limits.
#include "check.h"

#include "limber/math.h"
#include "limber/report.h"
#include "limber/shape.h"
#include "mesh/faces.h"
#include "mesh/hash_table.h"

// ---- measures ----------------------------------------------------------------------------------

static lbVec3 at(const lbMesh *mesh, int32_t vertex) {
  return lb_vec3_load(mesh->positions + 3 * (size_t)vertex);
}

static double triple(lbVec3 o, lbVec3 a, lbVec3 b, lbVec3 c) {
  return lb_dot(lb_sub(a, o), lb_cross(lb_sub(b, o), lb_sub(c, o)));
}

static double surface_volume(const lbMesh *mesh, const int32_t *triangles, int32_t count) {
  double sum = 0;
  for (int32_t t = 0; t < count; t++)
    sum += triple(lb_vec3(0, 0, 0), at(mesh, triangles[3 * t]), at(mesh, triangles[3 * t + 1]),
                  at(mesh, triangles[3 * t + 2]));
  return sum / 6;
}

static double outer_volume(const lbMesh *mesh, int32_t *triangle_count) {
  int32_t *triangles = NULL;
  lbError err;
  check_ok(lb_mesh_boundary(mesh, &triangles, triangle_count, &err), err);
  double volume = surface_volume(mesh, triangles, *triangle_count);
  lb_free(triangles);
  return volume;
}

static double tet_volume(const lbMesh *mesh, int32_t tet) {
  const int32_t *v = mesh->tets + 4 * (size_t)tet;
  return triple(at(mesh, v[0]), at(mesh, v[1]), at(mesh, v[2]), at(mesh, v[3])) / 6;
}

// The smallest det(e1, e2, e3) / |e1||e2||e3| of the edges at the corners of any brick.
static double least_scaled_jacobian(const lbMesh *mesh) {
  static const int8_t next[8][3] = { { 1, 3, 4 }, { 2, 0, 5 }, { 3, 1, 6 }, { 0, 2, 7 },
                                     { 7, 5, 0 }, { 4, 6, 1 }, { 5, 7, 2 }, { 6, 4, 3 } };
  double least = 1;
  for (int32_t b = 0; b < mesh->brick_count; b++)
    for (int i = 0; i < 8; i++) {
      const int32_t *v = mesh->bricks + 8 * (size_t)b;
      lbVec3 o = at(mesh, v[i]), e[3];
      for (int k = 0; k < 3; k++) e[k] = lb_sub(at(mesh, v[next[i][k]]), o);
      least = fmin(least, lb_dot(e[0], lb_cross(e[1], e[2])) /
                              (lb_length(e[0]) * lb_length(e[1]) * lb_length(e[2])));
    }
  return least;
}

// The smallest 12 (3V)^(2/3) / (sum of squared edges) of any tet; 1 for the regular one.
static double least_tet_quality(const lbMesh *mesh) {
  double least = 1;
  for (int32_t t = 0; t < mesh->tet_count; t++) {
    double sum = 0, volume = tet_volume(mesh, t);
    for (int i = 0; i < 4; i++)
      for (int k = 0; k < i; k++) {
        lbVec3 e = lb_sub(at(mesh, mesh->tets[4 * t + i]), at(mesh, mesh->tets[4 * t + k]));
        sum += lb_dot(e, e);
      }
    least = fmin(least, volume > 0 ? 12 * cbrt(9 * volume * volume) / sum : 0);
  }
  return least;
}

// Vertices - edges + triangles; fails unless every edge has two triangles of opposite direction.
static int32_t euler_of_closed_surface(const int32_t *triangles, int32_t count) {
  lbHashTable edges = lb_hash_table(2 * sizeof(int32_t)), vertices = lb_hash_table(sizeof(int32_t));
  int32_t *balance = calloc(3 * (size_t)count, sizeof(int32_t));
  int32_t *uses = calloc(3 * (size_t)count, sizeof(int32_t));
  for (int32_t t = 0; t < count; t++)
    for (int i = 0; i < 3; i++) {
      int32_t a = triangles[3 * t + i], b = triangles[3 * t + (i + 1) % 3];
      int32_t key[2] = { a < b ? a : b, a < b ? b : a };
      int32_t edge = lb_hash_table_add(&edges, key);
      lb_hash_table_add(&vertices, &a);
      balance[edge] += a < b ? 1 : -1;
      uses[edge]++;
    }
  for (int32_t e = 0; e < edges.count; e++) {
    assert_int_equal(uses[e], 2);
    assert_int_equal(balance[e], 0);
  }
  int32_t euler = vertices.count - edges.count + count;
  lb_hash_table_release(&edges);
  lb_hash_table_release(&vertices);
  free(balance);
  free(uses);
  return euler;
}

static lbMesh *volume_of(lbShapeDef def, lbElementKind element) {
  lbMesh *mesh = NULL;
  lbError err = { 0 };
  def.element = element;
  check_ok(lb_shape_volume(&def, &mesh, &err), err);
  return mesh;
}

static lbMesh *surface_of(lbShapeDef def) {
  lbMesh *mesh = NULL;
  lbError err = { 0 };
  check_ok(lb_shape_surface(&def, &mesh, &err), err);
  return mesh;
}

// ---- the bar -----------------------------------------------------------------------------------

static void the_bar_is_numbered_x_fastest(void **state) {
  (void)state;
  lbShapeDef def = lb_shape_def("bar");
  lbMesh *mesh = volume_of(def, LB_ELEMENT_BRICK8);
  assert_int_equal(mesh->vertex_count, 21 * 3 * 3);
  assert_int_equal(mesh->brick_count, 80);
  for (int32_t id = 0; id < mesh->vertex_count; id++) {
    check_near(at(mesh, id).x, (id % 21) / 20.0, 1e-15);
    check_near(at(mesh, id).y, (id / 21 % 3) / 20.0, 1e-15);
    check_near(at(mesh, id).z, (id / 63) / 20.0, 1e-15);
  }
  const int32_t second_row[8] = { 21, 22, 43, 42, 84, 85, 106, 105 }; // i, j, k = 0, 1, 0
  assert_memory_equal(mesh->bricks + 8 * 20, second_row, sizeof second_row);
  const lbGroup *left = lb_mesh_group_by_name(mesh, LB_GROUP_VERTICES, "left");
  const int32_t left_ids[9] = { 0, 21, 42, 63, 84, 105, 126, 147, 168 };
  assert_int_equal(left->count, 9);
  assert_memory_equal(left->ids, left_ids, sizeof left_ids);
  assert_int_equal(lb_mesh_group_by_name(mesh, LB_GROUP_VERTICES, "top")->count, 63);
  lb_mesh_destroy(mesh);
}

static int compare_tets(const void *a, const void *b) {
  const int32_t *x = a, *y = b;
  for (int i = 0; i < 4; i++)
    if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
  return 0;
}

static void sort_tets(int32_t *tets, int32_t count) {
  for (int32_t t = 0; t < count; t++) lb_sort_vertices(tets + 4 * (size_t)t, 4);
  qsort(tets, (size_t)count, 4 * sizeof(int32_t), compare_tets);
}

// Just enough of Gmsh 2.2 text, so that this test needs no reader.
static int32_t *read_reference(const char *path, double **positions, int32_t *vertex_count,
                               int32_t *tet_count) {
  FILE *file = fopen(path, "r");
  char line[256];
  int32_t *tets = NULL, n = 0;
  while (fgets(line, sizeof line, file)) {
    if (!strncmp(line, "$Nodes", 6) && fgets(line, sizeof line, file)) {
      *vertex_count = atoi(line);
      *positions = calloc(3 * (size_t)*vertex_count, sizeof(double));
      for (double *p = *positions; p < *positions + 3 * *vertex_count; p += 3)
        if (fscanf(file, "%*d %lf %lf %lf", p, p + 1, p + 2) != 3) fail_msg("%s", path);
    } else if (!strncmp(line, "$Elements", 9) && fgets(line, sizeof line, file)) {
      n = atoi(line);
      tets = calloc(4 * (size_t)n, sizeof(int32_t));
      for (int32_t *t = tets; t < tets + 4 * n; t += 4) {
        if (fscanf(file, "%*d %*d %*d %*d %*d %d %d %d %d", t, t + 1, t + 2, t + 3) != 4)
          fail_msg("%s", path);
        for (int i = 0; i < 4; i++) t[i]--;
      }
    }
  }
  fclose(file);
  *tet_count = n;
  return tets;
}

static void check_against_reference(const char *path, lbShapeDef def) {
  double *positions = NULL;
  int32_t vertex_count = 0, tet_count = 0;
  int32_t *tets = read_reference(path, &positions, &vertex_count, &tet_count);
  lbMesh *mesh = volume_of(def, LB_ELEMENT_TET4);
  assert_int_equal(mesh->vertex_count, vertex_count);
  assert_int_equal(mesh->tet_count, tet_count);
  for (int32_t i = 0; i < 3 * vertex_count; i++)
    check_near(mesh->positions[i], positions[i], 1e-15);
  sort_tets(tets, tet_count);
  sort_tets(mesh->tets, tet_count);
  assert_memory_equal(mesh->tets, tets, 16 * (size_t)tet_count);
  lb_mesh_destroy(mesh);
  free(tets);
  free(positions);
}

static void the_bar_of_tets_is_the_reference_mesh_up_to_element_order(void **state) {
  (void)state;
  static const struct {
    const char *path;
    lbShapeDef def;
  } cases[] = {
    { "tests/data/refs/modal_bar_tet_1/mesh.msh",
      { .size = { 1, 0.1, 0.1 }, .cells = { 10, 1, 1 } } },
    { "tests/data/refs/modal_bar_tet_2/mesh.msh",
      { .size = { 1, 0.1, 0.1 }, .cells = { 20, 2, 2 } } },
    { "tests/data/refs/static_bar_tet/mesh.msh",
      { .size = { 0.5, 0.1, 0.1 }, .cells = { 20, 3, 3 } } },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    check_against_reference(cases[i].path, cases[i].def);
}

static void tets_of_a_bar_cell_go_around_its_diagonal(void **state) {
  (void)state;
  lbShapeDef def = lb_shape_def("bar");
  def.cells[0] = def.cells[1] = def.cells[2] = 1;
  lbMesh *mesh = volume_of(def, LB_ELEMENT_TET4);
  const int32_t expected[24] = { 0, 1, 3, 7, 0, 1, 5, 7, 0, 2, 3, 7,
                                 0, 2, 6, 7, 0, 4, 5, 7, 0, 4, 6, 7 };
  sort_tets(mesh->tets, mesh->tet_count);
  assert_int_equal(mesh->tet_count, 6);
  assert_memory_equal(mesh->tets, expected, sizeof expected);
  lb_mesh_destroy(mesh);
}

// ---- every shape -------------------------------------------------------------------------------

// Deck, four rails, posts, feet.
static double bridge_volume(const double *s, double t, int32_t bays) {
  double left = s[2] - 4 * t, foot = t + (bays + 8) / 16 * ((s[0] - t) / bays);
  return 2 * t * s[0] * s[1] + 4 * t * t * s[0] + 2 * (bays + 1) * t * t * 0.6 * left +
         2 * foot * s[1] * 0.4 * left;
}

static double exact_volume(const lbShapeDef *def) {
  const double *s = def->size, t = def->thickness;
  const double spoon_area = 0.863471265358979; // handle 0.28095, swelling 0.268362, ellipse pi / 10
  switch (def->shape) {
  case LB_SHAPE_TUBE: return LB_PI * s[2] / 4 * (s[0] * s[1] - (s[0] - 2 * t) * (s[1] - 2 * t));
  case LB_SHAPE_CYLINDER: return LB_PI / 4 * s[0] * s[1] * s[2];
  case LB_SHAPE_SPHERE: return LB_PI / 6 * s[0] * s[1] * s[2];
  case LB_SHAPE_TORUS: return LB_PI * LB_PI / 4 * (s[0] - s[2]) * s[2] * s[2]; // s[0] = s[1]
  case LB_SHAPE_TEE: return s[1] * (s[0] * t + (s[2] - t) * t);
  case LB_SHAPE_SPONGE: return s[0] * s[1] * s[2] * pow(20.0 / 27, def->level);
  case LB_SHAPE_SPOON: return spoon_area * s[0] * s[1] / 2 * t;
  case LB_SHAPE_BRIDGE: return bridge_volume(s, t, def->cells[0]);
  default: return s[0] * s[1] * s[2];
  }
}

// The shapes from the tower on have no closed form; test_toys.c has more of them.
static bool has_closed_form(lbShape shape) { return shape < LB_SHAPE_TOWER; }

static void volumes_are_exact_or_converge_to_closed_forms(void **state) {
  (void)state;
  for (int shape = 0; shape < LB_SHAPE_SOLID_COUNT; shape++) {
    lbShapeDef def = lb_shape_def(lb_shape_name((lbShape)shape));
    if (!has_closed_form(def.shape)) continue;
    bool round = strstr(lb_shape_info(def.shape)->parameters, "segments") != NULL;
    double error[3];
    if (def.shape == LB_SHAPE_SPHERE) def.cells[0] = def.cells[1] = def.cells[2] = 6;
    if (def.shape == LB_SHAPE_SPOON) continue; // has its own test: not inscribed at the neck
    for (int i = 0; i < (round ? 3 : 1); i++) {
      lbMesh *mesh = volume_of(def, LB_ELEMENT_TET4);
      int32_t count = 0;
      double volume = outer_volume(mesh, &count), sum = 0;
      for (int32_t t = 0; t < mesh->tet_count; t++) sum += tet_volume(mesh, t);
      check_small(sum / volume - 1, 1e-12); // the tets fill the surface without overlap
      error[i] = 1 - volume / exact_volume(&def);
      lb_mesh_destroy(mesh);
      def.cells[0] *= 2;
      if (def.shape != LB_SHAPE_TUBE) def.cells[1] *= 2;
      if (def.shape == LB_SHAPE_SPHERE || def.shape == LB_SHAPE_TORUS) def.cells[2] *= 2;
    }
    if (!round) {
      check_small(error[0], 1e-12);
      continue;
    }
    print_message("%s: volume errors %.2e %.2e %.2e\n", lb_shape_name(def.shape), error[0],
                  error[1], error[2]);
    check_small(error[2], 0.01);
    assert_true(error[0] > 0 && error[1] > 0 && error[2] > 0); // inscribed
    check_near(error[1] / error[2], 4, 0.2);                   // second order
  }
}

static void check_quality(lbShapeDef def, double least_jacobian, double least_quality) {
  lbMesh *bricks = volume_of(def, LB_ELEMENT_BRICK8), *tets = volume_of(def, LB_ELEMENT_TET4);
  double jacobian = least_scaled_jacobian(bricks), quality = least_tet_quality(tets);
  assert_int_equal(bricks->mended_count, 0);
  assert_int_equal(tets->mended_count, 0);
  if (!(jacobian >= least_jacobian && quality >= least_quality))
    fail_msg("%s %dx%dx%d: scaled Jacobian %.3f (at least %.3f), tet quality %.3f (%.3f)",
             lb_shape_name(def.shape), (int)def.cells[0], (int)def.cells[1], (int)def.cells[2],
             jacobian, least_jacobian, quality, least_quality);
  print_message("%s %dx%dx%d: scaled Jacobian %.3f, tet quality %.3f\n", lb_shape_name(def.shape),
                (int)def.cells[0], (int)def.cells[1], (int)def.cells[2], jacobian, quality);
  lb_mesh_destroy(bricks);
  lb_mesh_destroy(tets);
}

static void cells_are_good_at_every_resolution(void **state) {
  (void)state;
  for (int shape = 0; shape < LB_SHAPE_SOLID_COUNT; shape++) {
    lbShapeDef def = lb_shape_def(lb_shape_name((lbShape)shape));
    bool round = strstr(lb_shape_info(def.shape)->parameters, "segments") != NULL;
    if (!has_closed_form(def.shape)) continue;
    check_quality(def, round ? 0.55 : 1 - 1e-9, def.shape == LB_SHAPE_SPOON ? 0.15 : 0.3);
    if (!round || def.shape == LB_SHAPE_SPOON) continue; // the spoon has its own test
    bool across[3] = { true, def.shape != LB_SHAPE_TUBE,
                       def.shape == LB_SHAPE_SPHERE || def.shape == LB_SHAPE_TORUS };
    for (int32_t n = 3; n <= 24; n = n < 7 ? n + 1 : 2 * n) {
      for (int a = 0; a < 3; a++)
        if (across[a]) {
          bool around = a == 0 && (def.shape == LB_SHAPE_TORUS || def.shape == LB_SHAPE_TUBE);
          def.cells[a] = around ? 4 * n : n;
        }
      check_quality(def, 0.55, 0.3);
    }
    if (across[1]) {
      def.cells[1] = 5;
      check_quality(def, 0.55, 0.2); // uneven cells across
    }
  }
}

// Two, less two for each tunnel. The tower: see test_toys.c.
static const int32_t euler[LB_SHAPE_SOLID_COUNT] = { 2, 2,    0,    2, 2, 0, 2, -160,
                                                     2, -390, -248, 2, 2, 2, 2 };

static void tets_conform_and_have_the_outer_faces_of_the_bricks(void **state) {
  (void)state;
  for (int shape = 0; shape < LB_SHAPE_SOLID_COUNT; shape++) {
    lbShapeDef def = lb_shape_def(lb_shape_name((lbShape)shape));
    int32_t tet_face_count = 0;
    for (int element = 0; element < LB_ELEMENT_VOLUME_KIND_COUNT; element++) {
      lbMesh *mesh = volume_of(def, (lbElementKind)element);
      lbFaceList faces;
      lbError err;
      check_ok(lb_face_list(mesh, &faces, &err), err);
      for (int32_t f = 0; f < faces.face_count; f++) assert_in_range(faces.uses[f], 1, 2);
      lb_face_list_release(&faces);
      int32_t *triangles = NULL, count = 0;
      check_ok(lb_mesh_boundary(mesh, &triangles, &count, &err), err);
      int32_t got = euler_of_closed_surface(triangles, count);
      assert_int_equal(got, euler[shape]);
      if (element == 0) tet_face_count = count;
      assert_int_equal(count, tet_face_count); // same faces, same cuts
      lb_free(triangles);
      lb_mesh_destroy(mesh);
    }
  }
}

static void surfaces_are_closed_and_fill_the_box(void **state) {
  (void)state;
  for (int shape = 0; shape < LB_SHAPE_SOLID_COUNT; shape++) {
    lbShapeDef def = lb_shape_def(lb_shape_name((lbShape)shape));
    lbMesh *mesh = surface_of(def);
    int32_t got = euler_of_closed_surface(mesh->triangles, mesh->triangle_count);
    assert_int_equal(got, euler[shape]);
    double volume = surface_volume(mesh, mesh->triangles, mesh->triangle_count);
    if (has_closed_form(def.shape)) check_small(volume / exact_volume(&def) - 1, 0.005);
    for (int a = 0; a < 3; a++) {
      double low = INFINITY, high = -INFINITY;
      for (int32_t i = 0; i < mesh->vertex_count; i++) {
        low = fmin(low, mesh->positions[3 * i + a]);
        high = fmax(high, mesh->positions[3 * i + a]);
      }
      check_near(low, 0, 2e-3 * def.size[a]);
      check_near(high, def.size[a], 2e-3 * def.size[a]);
    }
    lb_mesh_destroy(mesh);
  }
}

// A sponge of level 1 is a cube with six tunnels to the middle: genus 5. The genus g of level n
// follows from Euler's number 2 - 2g; level 2: 81.
static void the_sponge_has_its_tunnels(void **state) {
  (void)state;
  static const int32_t genus[4] = { 0, 5, 81, 1409 };
  for (int32_t level = 0; level <= 3; level++) {
    lbShapeDef def = lb_shape_def("sponge");
    def.level = level;
    lbMesh *surface = surface_of(def), *volume = volume_of(def, LB_ELEMENT_BRICK8);
    assert_int_equal(volume->brick_count, (int)pow(20, level));
    int32_t got = euler_of_closed_surface(surface->triangles, surface->triangle_count);
    print_message("sponge level %d: Euler number %d\n", (int)level, (int)got);
    assert_int_equal(got, 2 - 2 * genus[level]);
    lb_mesh_destroy(surface);
    lb_mesh_destroy(volume);
  }
}

// ---- spoon and bridge --------------------------------------------------------------------------

static void the_spoon_converges_to_its_outline_times_thickness(void **state) {
  (void)state;
  lbShapeDef def = lb_shape_def("spoon");
  double error[3];
  for (int i = 0; i < 3; i++, def.segments *= 2) {
    lbMesh *mesh = surface_of(def);
    double volume = surface_volume(mesh, mesh->triangles, mesh->triangle_count);
    error[i] = 1 - volume / exact_volume(&def);
    lb_mesh_destroy(mesh);
  }
  print_message("spoon: volume errors %.2e %.2e %.2e\n", error[0], error[1], error[2]);
  check_near(error[0] / error[1], 4, 0.1);
  check_near(error[1] / error[2], 4, 0.1);
  check_small(error[2], 1e-4);
  lbMesh *mesh = volume_of(def, LB_ELEMENT_BRICK8);
  int32_t count = 0;
  check_small(outer_volume(mesh, &count) / exact_volume(&def) - 1, 0.01);
  lb_mesh_destroy(mesh);
}

// Bounds far below what sensible cells have: stretched spoons are thin slanted cells.
static void no_cell_of_a_spoon_turns_over_whatever_the_parameters(void **state) {
  (void)state;
  static const double sizes[5][3] = {
    { 1, 0.22, 0.12 }, { 1, 3, 0.5 }, { 0.1, 0.1, 2 }, { 20, 0.1, 0.1 }, { 1e-6, 1e-6, 1e-6 }
  };
  static const int32_t cells[8][3] = { { 3, 3, 1 },  { 3, 20, 2 }, { 30, 3, 1 },  { 7, 5, 4 },
                                       { 13, 4, 1 }, { 48, 8, 2 }, { 80, 14, 3 }, { 11, 11, 1 } };
  for (int i = 0; i < 5 * 8 * 2; i++) {
    lbShapeDef def = lb_shape_def("spoon");
    memcpy(def.size, sizes[i / 16], sizeof def.size);
    memcpy(def.cells, cells[i / 2 % 8], sizeof def.cells);
    def.thickness = def.size[2] * (i % 2 ? 0.99 : 0.01);
    check_quality(def, 1e-6, 1e-6);
  }
}

static void cells_of_a_spoon_are_good_when_they_are_not_too_long(void **state) {
  (void)state;
  static const int32_t cells[5][3] = {
    { 24, 4, 1 }, { 32, 6, 1 }, { 48, 8, 2 }, { 60, 10, 2 }, { 96, 16, 3 }
  };
  for (int i = 0; i < 5; i++) {
    lbShapeDef def = lb_shape_def("spoon");
    memcpy(def.cells, cells[i], sizeof def.cells);
    check_quality(def, 0.5, 0.12);
  }
}

static void the_bowl_of_a_spoon_is_hollow_from_above(void **state) {
  (void)state;
  lbShapeDef def = lb_shape_def("spoon");
  lbMesh *mesh = surface_of(def);
  double rim_low = INFINITY, rim_high = 0, middle = INFINITY;
  for (int32_t i = 0; i < mesh->vertex_count; i++) {
    double x = at(mesh, i).x - 0.8, y = at(mesh, i).y / 0.11 - 1, z = at(mesh, i).z;
    if (x < 0) continue;
    double r = x * x / 0.04 + y * y; // the tip's half of the bowl is an ellipse
    if (r > 1 - 1e-9) rim_low = fmin(rim_low, z), rim_high = fmax(rim_high, z);
    if (r < 0.01 && z > def.thickness / 2) middle = fmin(middle, z);
  }
  check_near(rim_high - rim_low, def.thickness, 1e-12);            // level, cut straight
  check_near(rim_low, 0.4 * (def.size[2] - def.thickness), 1e-12); // underside of the rim
  check_near(middle, def.thickness, 0.01 * def.size[2]);           // upper side of the bottom
  lb_mesh_destroy(mesh);
}

// Two openings a bay on each side are the only tunnels; the span below is open.
static void a_bridge_of_any_size_is_one_solid_with_its_openings(void **state) {
  (void)state;
  static const int32_t cells[5][3] = {
    { 1, 1, 1 }, { 2, 1, 3 }, { 7, 4, 1 }, { 8, 2, 2 }, { 30, 3, 2 }
  };
  for (int i = 0; i < 10; i++) {
    lbShapeDef def = lb_shape_def("bridge");
    memcpy(def.cells, cells[i / 2], sizeof def.cells);
    if (i % 2) def.size[0] = 0.7, def.size[1] = 0.05, def.size[2] = 1;
    lbMesh *volume = volume_of(def, LB_ELEMENT_BRICK8), *surface = surface_of(def);
    lbMeshReport *report = NULL;
    lbError err = { 0 };
    check_ok(lb_mesh_report(volume, &report, &err), err);
    assert_int_equal(report->component_count, 1);
    assert_int_equal(report->problem_count, 0);
    lb_mesh_report_destroy(report);
    int32_t got = euler_of_closed_surface(surface->triangles, surface->triangle_count), count = 0;
    assert_int_equal(got, 2 - 2 * 4 * def.cells[0]);
    check_small(outer_volume(volume, &count) / exact_volume(&def) - 1, 1e-12);
    lb_mesh_destroy(volume);
    lb_mesh_destroy(surface);
  }
}

// ---- surfaces ----------------------------------------------------------------------------------

static void sphere_vertices_of_the_render_surface_lie_on_the_sphere(void **state) {
  (void)state;
  lbShapeDef def = lb_shape_def("sphere");
  lbMesh *mesh = surface_of(def);
  for (int32_t i = 0; i < mesh->vertex_count; i++)
    check_near(lb_length(lb_sub(at(mesh, i), lb_vec3(0.5, 0.5, 0.5))), 0.5, 1e-15);
  lb_mesh_destroy(mesh);
}

static void uvs_are_within_the_picture_and_not_mirrored(void **state) {
  (void)state;
  for (int shape = 0; shape < LB_SHAPE_SOLID_COUNT; shape++) {
    lbMesh *mesh = surface_of(lb_shape_def(lb_shape_name((lbShape)shape)));
    assert_non_null(mesh->corner_uvs);
    for (int32_t t = 0; t < mesh->triangle_count; t++) {
      const float *uv = mesh->corner_uvs + 6 * (size_t)t;
      for (int i = 0; i < 6; i++) assert_true(uv[i] >= 0 && uv[i] <= 1);
      double area = (uv[2] - uv[0]) * (uv[1] - uv[5]) - (uv[4] - uv[0]) * (uv[1] - uv[3]);
      if (!(area > 0)) fail_msg("%s: triangle %d", lb_shape_name((lbShape)shape), (int)t);
    }
    lb_mesh_destroy(mesh);
  }
}

static void ends_are_named_on_every_shape(void **state) {
  (void)state;
  static const char *const names[6] = { "left", "right", "front", "back", "bottom", "top" };
  for (int shape = 0; shape < LB_SHAPE_SOLID_COUNT; shape++) {
    lbMesh *mesh = volume_of(lb_shape_def(lb_shape_name((lbShape)shape)), LB_ELEMENT_TET4);
    for (int i = 0; i < 6; i++) {
      const lbGroup *group = lb_mesh_group_by_name(mesh, LB_GROUP_VERTICES, names[i]);
      assert_non_null(group);
      assert_in_range(group->count, 1, mesh->vertex_count / 2);
    }
    lb_mesh_destroy(mesh);
  }
}

static void the_same_parameters_give_the_same_bits(void **state) {
  (void)state;
  for (int shape = 0; shape < LB_SHAPE_SOLID_COUNT; shape++) {
    lbShapeDef def = lb_shape_def(lb_shape_name((lbShape)shape));
    lbMesh *a = volume_of(def, LB_ELEMENT_TET4), *b = volume_of(def, LB_ELEMENT_TET4);
    assert_int_equal(a->vertex_count, b->vertex_count);
    assert_int_equal(a->tet_count, b->tet_count);
    assert_memory_equal(a->positions, b->positions, 24 * (size_t)a->vertex_count);
    assert_memory_equal(a->tets, b->tets, 16 * (size_t)a->tet_count);
    lb_mesh_destroy(a);
    lb_mesh_destroy(b);
  }
}

// ---- limits ------------------------------------------------------------------------------------

static void check_refused(lbShapeDef def, const char *part) {
  lbMesh *mesh = NULL;
  lbError err = { 0 };
  check_fails(lb_shape_volume(&def, &mesh, &err), LB_ERR_ARGUMENT, err, part);
  check_fails(lb_shape_surface(&def, &mesh, &err), LB_ERR_ARGUMENT, err, part);
  assert_null(mesh);
}

static void bad_parameters_are_refused_by_name(void **state) {
  (void)state;
  assert_int_equal(lb_shape_def("brr").shape, LB_SHAPE_COUNT);
  check_refused(lb_shape_def("brr"), "shape");
  const double bad_sizes[5] = { 0, -1, NAN, INFINITY, 1e300 };
  for (int i = 0; i < 5; i++) {
    lbShapeDef def = lb_shape_def("bar");
    def.size[1] = bad_sizes[i];
    check_refused(def, "bar: size[1]");
    def = lb_shape_def("tube");
    def.thickness = bad_sizes[i];
    check_refused(def, "tube: thickness");
  }
  lbShapeDef def = lb_shape_def("tube");
  def.thickness = 0.15;
  check_refused(def, "the radius");
  def = lb_shape_def("tee"), def.thickness = 1;
  check_refused(def, "tee: thickness");
  def = lb_shape_def("spoon"), def.thickness = 0.12;
  check_refused(def, "spoon: thickness");
  def = lb_shape_def("spoon"), def.cells[1] = 2;
  check_refused(def, "spoon: cells[1] must be at least 3");
  def = lb_shape_def("spoon"), def.segments = 7;
  check_refused(def, "spoon: segments");
  def = lb_shape_def("bridge"), def.cells[0] = 199;
  check_refused(def, "bridge: thickness must be more than 0 and less than 0.02");
  def = lb_shape_def("bridge"), def.thickness = 0;
  check_refused(def, "bridge: thickness");
  def = lb_shape_def("bridge"), def.size[1] = 0.04;
  check_refused(def, "bridge: thickness");
  def = lb_shape_def("bridge"), def.size[2] = 0.08;
  check_refused(def, "bridge: thickness");
  def = lb_shape_def("bridge"), def.cells[1] = def.cells[2] = INT32_MAX;
  check_refused(def, "bridge: cells");
  def = lb_shape_def("plate"), def.cells[2] = 0;
  check_refused(def, "plate: cells[2] must be at least 1");
  def = lb_shape_def("sphere"), def.cells[0] = 2;
  check_refused(def, "sphere: cells[0] must be at least 3");
  def = lb_shape_def("bar"), def.cells[0] = def.cells[1] = def.cells[2] = INT32_MAX;
  check_refused(def, "bar: cells");
  def = lb_shape_def("sponge"), def.cells[0] = INT32_MAX;
  check_refused(def, "sponge: cells");
  def = lb_shape_def("sponge"), def.level = 6;
  check_refused(def, "sponge: level");
  def = lb_shape_def("sponge"), def.level = -1;
  check_refused(def, "sponge: level");
  def = lb_shape_def("torus"), def.size[2] = 0.5;
  check_refused(def, "torus: size[2]");
  def = lb_shape_def("torus"), def.segments = 4;
  check_refused(def, "torus: segments");
  def = lb_shape_def("bar"), def.element = LB_ELEMENT_VOLUME_KIND_COUNT;
  check_refused(def, "bar: element");
}

static void one_cell_and_the_coarsest_round_shapes_work(void **state) {
  (void)state;
  for (int shape = 0; shape < LB_SHAPE_SOLID_COUNT; shape++) {
    lbShapeDef def = lb_shape_def(lb_shape_name((lbShape)shape));
    bool round = strstr(lb_shape_info(def.shape)->parameters, "segments") != NULL;
    for (int a = 0; a < 3; a++) def.cells[a] = round ? 3 : 1;
    def.segments = 8;
    for (int element = 0; element < LB_ELEMENT_VOLUME_KIND_COUNT; element++) {
      lbMesh *mesh = volume_of(def, (lbElementKind)element);
      int32_t count = 0;
      assert_true(outer_volume(mesh, &count) > 0);
      assert_int_equal(mesh->mended_count, 0);
      lb_mesh_destroy(mesh);
    }
    lbMesh *mesh = surface_of(def);
    euler_of_closed_surface(mesh->triangles, mesh->triangle_count);
    lb_mesh_destroy(mesh);
  }
}

static void every_failing_allocation_is_reported_and_nothing_leaks(void **state) {
  (void)state;
  for (int shape = 0; shape < 2 * LB_SHAPE_SOLID_COUNT; shape++) {
    lbShapeDef def = lb_shape_def(lb_shape_name((lbShape)(shape / 2)));
    def.segments = 16;
    def.level = 1;
    if (!has_closed_form(def.shape)) continue; // in test_toys.c
    lbStatus status = LB_ERR_MEMORY;
    for (int64_t n = 0; status; n++) {
      CheckedHeap heap = { .fail_at = n };
      lbAllocator allocator = checked_allocator(&heap);
      lb_set_allocator(&allocator);
      lbMesh *mesh = NULL;
      lbError err;
      status = (shape % 2 ? lb_shape_surface : lb_shape_volume)(&def, &mesh, &err);
      assert_true(status == LB_OK || (status == LB_ERR_MEMORY && mesh == NULL));
      lb_mesh_destroy(mesh);
      lb_set_allocator(NULL);
      assert_int_equal(heap.live, 0);
      assert_true(n < 500);
    }
  }
}

static void names_and_elements_read_back(void **state) {
  (void)state;
  for (int shape = 0; shape < LB_SHAPE_COUNT; shape++) {
    const lbShapeInfo *info = lb_shape_info((lbShape)shape);
    assert_int_equal(lb_shape_def(info->name).shape, shape);
    assert_true(strlen(info->description) > 10);
  }
  assert_null(lb_shape_info(LB_SHAPE_COUNT));
  assert_string_equal(lb_shape_name(LB_SHAPE_COUNT), "");
  lbElementKind kind = LB_ELEMENT_VOLUME_KIND_COUNT;
  assert_true(lb_element_kind_parse("brick8", &kind));
  assert_int_equal(kind, LB_ELEMENT_BRICK8);
  assert_false(lb_element_kind_parse("hex", &kind));
  assert_string_equal(lb_element_kind_name(LB_ELEMENT_TET4), "tet4");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_bar_is_numbered_x_fastest),
    cmocka_unit_test(the_bar_of_tets_is_the_reference_mesh_up_to_element_order),
    cmocka_unit_test(tets_of_a_bar_cell_go_around_its_diagonal),
    cmocka_unit_test(volumes_are_exact_or_converge_to_closed_forms),
    cmocka_unit_test(cells_are_good_at_every_resolution),
    cmocka_unit_test(tets_conform_and_have_the_outer_faces_of_the_bricks),
    cmocka_unit_test(surfaces_are_closed_and_fill_the_box),
    cmocka_unit_test(the_sponge_has_its_tunnels),
    cmocka_unit_test(the_spoon_converges_to_its_outline_times_thickness),
    cmocka_unit_test(no_cell_of_a_spoon_turns_over_whatever_the_parameters),
    cmocka_unit_test(cells_of_a_spoon_are_good_when_they_are_not_too_long),
    cmocka_unit_test(the_bowl_of_a_spoon_is_hollow_from_above),
    cmocka_unit_test(a_bridge_of_any_size_is_one_solid_with_its_openings),
    cmocka_unit_test(sphere_vertices_of_the_render_surface_lie_on_the_sphere),
    cmocka_unit_test(uvs_are_within_the_picture_and_not_mirrored),
    cmocka_unit_test(ends_are_named_on_every_shape),
    cmocka_unit_test(the_same_parameters_give_the_same_bits),
    cmocka_unit_test(bad_parameters_are_refused_by_name),
    cmocka_unit_test(one_cell_and_the_coarsest_round_shapes_work),
    cmocka_unit_test(every_failing_allocation_is_reported_and_nothing_leaks),
    cmocka_unit_test(names_and_elements_read_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
