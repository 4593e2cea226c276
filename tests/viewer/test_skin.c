// Skins: what the vertex stage makes of a model and its coordinates, against exact normals of
// affine motions, against the deformed surface of real models, and where vertices are split.
#include "check.h"

#include "body/toy_model.h"
#include "render/gradient.h"
#include "limber/build_model.h"
#include "model/small_model.h"
#include "render/skin.h"

static const double degree = LB_PI / 180;

static vwSkin *skin_of(const lbModel *model, lbMethod method) {
  vwSkinDef def = vw_skin_def();
  vwSkin *skin = NULL;
  lbError err;
  check_ok(vw_skin_create(model, method, &def, &skin, &err), err);
  return skin;
}

static lbVec3 load(const float *p) { return lb_vec3(p[0], p[1], p[2]); }

static double angle_between(const float *a, const float *b) {
  return atan2(lb_length(lb_cross(load(a), load(b))), lb_dot(load(a), load(b)));
}

// What must hold of every skin.
static void check_skin(const vwSkin *skin) {
  const lbModel *model = skin->model;
  int32_t triangles = 0;
  assert_true(skin->part_count >= 1);
  for (int32_t p = 0; p < skin->part_count; p++) {
    assert_int_equal(skin->parts[p].triangle_begin, triangles);
    triangles += skin->parts[p].triangle_count;
  }
  assert_int_equal(triangles, skin->triangle_count);
  bool *used = calloc((size_t)skin->vertex_count + 1, sizeof *used);
  for (int32_t i = 0; i < 3 * skin->triangle_count; i++) {
    assert_true(skin->triangles[i] < (uint32_t)skin->vertex_count);
    used[skin->triangles[i]] = true;
  }
  assert_int_equal(skin->smooth_begin[0], 0);
  for (int32_t v = 0; v < skin->vertex_count; v++) {
    assert_true(used[v]);
    assert_true(skin->sources[v] >= 0 && skin->sources[v] < model->size.vertex_count);
    assert_true(skin->smooth_begin[v + 1] > skin->smooth_begin[v]);
    const float *t = skin->tangents + 6 * v;
    check_near(lb_length(load(t)), 1, 1e-6);
    check_near(lb_length(load(t + 3)), 1, 1e-6);
    check_small(lb_length(lb_sub(lb_cross(load(t), load(t + 3)), load(skin->normals + 3 * v))),
                1e-6);
    lbVec3 away = lb_sub(load(skin->positions + 3 * v), load(skin->centre));
    assert_true(lb_length(away) <= skin->radius * (1 + 1e-6));
  }
  free(used);
}

// ---- affine motions ----------------------------------------------------------------------------

enum { AFFINE = 12 }; // u = A X + b: nine A and three b with one entry each

static lbModel *affine_model(const Toy *toy) {
  size_t nodes = (size_t)toy->model->size.node_count;
  double *basis = calloc(AFFINE * 3 * nodes, sizeof *basis), eigenvalues[AFFINE];
  double gravity[3 * AFFINE] = { 0 }, launch[6 * AFFINE] = { 0 }, residuals[AFFINE] = { 0 };
  for (int i = 0; i < AFFINE; i++) {
    eigenvalues[i] = 1 + i;
    for (size_t n = 0; n < nodes; n++)
      basis[3 * (nodes * (size_t)i + n) + (size_t)(i % 3)] =
          i < 9 ? toy->model->node_positions[3 * n + (size_t)(i / 3)] : 1;
  }
  lbModel draft = *toy->model, *model = NULL;
  lbError err;
  draft.size.mode_count = AFFINE;
  draft.modal_basis = basis, draft.modal_eigenvalues = eigenvalues;
  draft.modal_gravity = gravity, draft.modal_rigid = launch, draft.modal_residuals = residuals;
  check_ok(lb_model_create(&draft, &model, &err), err);
  free(basis);
  return model;
}

static void check_affine(lbElementKind kind) {
  Toy toy = toy_make((ToyDef){ kind, { 3, 2, 2 }, true, 4, 0, 0 });
  lbModel *model = affine_model(&toy);
  vwSkin *skin = skin_of(model, LB_METHOD_MODAL);
  check_skin(skin);
  assert_int_equal(skin->dimension, AFFINE);
  size_t bytes = 3 * (size_t)skin->vertex_count * sizeof(float);
  float *positions = malloc(bytes), *normals = malloc(bytes), q[AFFINE];
  uint64_t seed = 11;
  double worst = 0, worst_normal = 0;
  for (int i = 0; i < AFFINE; i++) q[i] = (float)(0.5 * check_random(&seed));
  lbMat3 f = lb_mat3_identity();
  for (int i = 0; i < 9; i++) f.m[3 * (i % 3) + i / 3] += q[i];
  vw_skin_from_coordinates(skin, q, AFFINE, positions, normals);
  for (int32_t v = 0; v < skin->vertex_count; v++) {
    lbVec3 x = load(skin->positions + 3 * v), n = load(skin->normals + 3 * v);
    lbVec3 moved = lb_add(lb_mat3_apply(f, x), lb_vec3(q[9], q[10], q[11]));
    lbVec3 turned = lb_normalise(lb_mat3_apply(lb_mat3_cofactor(f), n));
    worst = fmax(worst, lb_length(lb_sub(moved, load(positions + 3 * v))));
    worst_normal = fmax(worst_normal, lb_length(lb_sub(turned, load(normals + 3 * v))));
  }
  print_message("positions %.1e m, normals %.1e\n", worst, worst_normal);
  check_small(worst, 1e-6);
  check_small(worst_normal, 4e-6);
  free(positions), free(normals);
  vw_skin_destroy(skin);
  lb_model_destroy(model);
  toy_destroy(&toy);
}

static void affine_motions_of_tets_are_exact(void **state) {
  (void)state;
  check_affine(LB_ELEMENT_TET4);
}

static void affine_motions_of_bricks_are_exact(void **state) {
  (void)state;
  check_affine(LB_ELEMENT_BRICK8);
}

// In a shell: the differences along the edges of its triangle, nothing along the normal.
static void gradients_of_shells_are_those_of_their_triangles(void **state) {
  (void)state;
  SmallModel *small = malloc(sizeof *small);
  small_model_fill(small);
  small->draft.size.tet_count = small->draft.size.brick_count = 0;
  const int32_t *nodes = small->shells[0];
  uint8_t wanted[SMALL_NODES] = { 0 };
  double field[3 * SMALL_NODES], g[9];
  uint64_t seed = 6;
  for (int i = 0; i < 3 * SMALL_NODES; i++) field[i] = check_random(&seed);
  wanted[nodes[0]] = 1;
  vwGradient gradient;
  lbError err;
  check_ok(vw_gradient_create(&small->draft, wanted, &gradient, &err), err);
  assert_int_equal(gradient.row_count, 1);
  vw_gradient_apply(&gradient, field, g);
  lbVec3 x = lb_vec3_load(small->node_positions[nodes[0]]), edges[3];
  for (int k = 0; k < 2; k++)
    edges[k] = lb_sub(lb_vec3_load(small->node_positions[nodes[k + 1]]), x);
  edges[2] = lb_cross(edges[0], edges[1]);
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 3; i++) {
      double along = g[3 * i] * edges[k].x + g[3 * i + 1] * edges[k].y + g[3 * i + 2] * edges[k].z;
      double expected = k < 2 ? field[3 * nodes[k + 1] + i] - field[3 * nodes[0] + i] : 0;
      check_near(along, expected, 1e-13);
    }
  vw_gradient_free(&gradient);
  free(small);
}

static void gradients_of_skewed_bricks_are_those_of_the_trilinear_map(void **state) {
  (void)state;
  SmallModel *small = malloc(sizeof *small);
  small_model_fill(small);
  uint64_t seed = 5;
  for (int i = 0; i < 8; i++)
    for (int c = 0; c < 3; c++) small->node_positions[i][c] += 0.1 * check_random(&seed);
  small->draft.size.tet_count = 0; // the brick alone; node 8 has no element
  uint8_t wanted[SMALL_NODES] = { 1, 0, 1, 0, 0, 0, 0, 1, 1 };
  double field[3 * SMALL_NODES], gradients[4 * 9];
  for (int i = 0; i < 3 * SMALL_NODES; i++) field[i] = check_random(&seed);
  vwGradient gradient;
  lbError err;
  check_ok(vw_gradient_create(&small->draft, wanted, &gradient, &err), err);
  assert_int_equal(gradient.row_count, 4);
  vw_gradient_apply(&gradient, field, gradients);
  // At corner 2 the edges lead to 3, 1 and 6.
  static const int to[3] = { 3, 1, 6 };
  const double *g = gradients + 9;
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 3; i++) {
      double along = 0;
      for (int j = 0; j < 3; j++)
        along += g[3 * i + j] * (small->node_positions[to[k]][j] - small->node_positions[2][j]);
      check_near(along, field[3 * to[k] + i] - field[6 + i], 1e-13);
    }
  for (int i = 0; i < 9; i++) check_small(gradients[27 + i], 0);
  vw_gradient_free(&gradient);
  free(small);
}

// ---- real models -------------------------------------------------------------------------------

static lbModel *built(const char *path, int32_t modes) {
  lbBuildDef def = lb_build_def();
  lbModel *model = NULL;
  lbError err;
  def.method = LB_METHOD_MODAL;
  def.mode_count = modes;
  def.accuracy = LB_ACCURACY_NONE;
  check_ok(lb_build_model(path, &def, &model, NULL, &err), err);
  return model;
}

typedef struct Difference {
  double moved, position; // m: how far it is bent, and how far the two are apart
  double mean, worst;     // degrees
} Difference;

// A bent body: its surface by the library with normals of the triangles, and by the vertex stage.
static Difference difference(const lbModel *model, const vwSkin *skin, double amount) {
  lbBodyDef def = lb_body_def();
  lbBody *body = NULL;
  lbError err;
  def.method = LB_METHOD_MODAL;
  check_ok(lb_body_create(model, &def, &body, &err), err);
  int32_t r = lb_body_dimension(body);
  double q[64], rates[64] = { 0 };
  float small_q[64];
  uint64_t seed = 2;
  for (int32_t i = 0; i < r; i++) {
    small_q[i] = (float)(amount * check_random(&seed) / (1 + i));
    q[i] = small_q[i];
  }
  assert_int_equal(lb_body_set_state(body, q, rates), LB_OK);
  size_t floats = 3 * (size_t)skin->vertex_count;
  double *surface = calloc(3 * (size_t)model->size.vertex_count, sizeof *surface);
  float *x = calloc(4 * floats, sizeof *x), *n = x + floats, *y = n + floats, *m = y + floats;
  lb_body_surface(body, surface);
  vw_skin_from_surface(skin, surface, x, n);
  vw_skin_from_coordinates(skin, small_q, r, y, m);
  Difference out = { 0 };
  for (int32_t v = 0; v < skin->vertex_count; v++) {
    double angle = angle_between(n + 3 * v, m + 3 * v) / degree;
    out.position = fmax(out.position, lb_length(lb_sub(load(x + 3 * v), load(y + 3 * v))));
    out.moved = fmax(out.moved, lb_length(lb_sub(load(x + 3 * v), load(skin->positions + 3 * v))));
    out.worst = fmax(out.worst, angle);
    out.mean += angle / skin->vertex_count;
  }
  free(surface), free(x);
  lb_body_destroy(body);
  return out;
}

static void check_real(const char *path, double amount, double mean, double worst) {
  lbModel *model = built(path, 8);
  vwSkin *skin = skin_of(model, LB_METHOD_MODAL);
  check_skin(skin);
  Difference rest = difference(model, skin, 0), bent = difference(model, skin, amount);
  print_message("%s, bent by %.2f m: normals differ by %.2f degrees in the mean, %.1f at most\n",
                path, bent.moved, bent.mean, bent.worst);
  assert_true(bent.moved > 0.25 * skin->radius);
  check_small(rest.worst, 0.05);
  check_small(rest.position, 1e-6);
  check_small(bent.position, 1e-5);
  check_small(bent.mean, mean);
  check_small(bent.worst, worst);
  vw_skin_destroy(skin);
  lb_model_destroy(model);
}

static void a_bent_bar_looks_as_its_surface_says(void **state) {
  (void)state;
  check_real("scenes/bar.json", 0.3, 1, 5);
}

static void a_bent_spoon_looks_as_its_surface_says(void **state) {
  (void)state;
  check_real("scenes/spoon.json", 0.14, 1, 5);
}

static void an_embedded_sphere_looks_as_its_surface_says(void **state) {
  (void)state;
  check_real("scenes/voxel-sphere.json", 1.5, 2, 10);
}

// ---- splitting ---------------------------------------------------------------------------------

static void the_sides_of_a_bar_stay_flat(void **state) {
  (void)state;
  lbModel *model = built("scenes/bar.json", 2);
  lbModel plain = *model;
  plain.corner_uvs = NULL; // its texture is cut at the same edges
  vwSkin *skin = skin_of(&plain, LB_METHOD_FULL);
  check_skin(skin);
  assert_int_equal(skin->dimension, 0);
  assert_null(skin->basis);
  for (int32_t v = 0; v < skin->vertex_count; v++) {
    const float *n = skin->normals + 3 * v;
    check_near(fmax(fabs(n[0]), fmax(fabs(n[1]), fabs(n[2]))), 1, 1e-6);
  }
  // Each corner of the box is in three sides, each place on an edge in two.
  int32_t extra = skin->vertex_count - model->size.vertex_count, corners = 8, edges = 0;
  double low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY };
  for (int32_t i = 0; i < 3 * model->size.vertex_count; i++) {
    low[i % 3] = fmin(low[i % 3], model->vertex_positions[i]);
    high[i % 3] = fmax(high[i % 3], model->vertex_positions[i]);
  }
  for (int32_t v = 0; v < model->size.vertex_count; v++) {
    int ends = 0;
    for (int c = 0; c < 3; c++) {
      double x = model->vertex_positions[3 * v + c];
      ends += x < low[c] + 1e-9 || x > high[c] - 1e-9;
    }
    edges += ends == 2;
  }
  assert_int_equal(extra, 2 * corners + edges);
  vw_skin_destroy(skin);
  lb_model_destroy(model);
}

static void a_wide_crease_splits_nothing_and_an_absurd_one_is_refused(void **state) {
  (void)state;
  lbModel *model = built("scenes/bar.json", 2);
  vwSkinDef def = vw_skin_def();
  vwSkin *skin = NULL;
  lbError err;
  lbModel plain = *model;
  plain.corner_uvs = NULL;
  def.crease = 100 * degree;
  check_ok(vw_skin_create(&plain, LB_METHOD_FULL, &def, &skin, &err), err);
  assert_int_equal(skin->vertex_count, model->size.vertex_count);
  vw_skin_destroy(skin);
  skin = NULL;
  def.crease = NAN;
  check_fails(vw_skin_create(model, LB_METHOD_FULL, &def, &skin, &err), LB_ERR_ARGUMENT, err,
              "crease");
  def = vw_skin_def();
  check_fails(vw_skin_create(model, LB_METHOD_SUBSPACE, &def, &skin, &err), LB_ERR_ARGUMENT, err,
              "subspace");
  assert_null(skin);
  lb_model_destroy(model);
}

// A fan of six triangles around vertex 0, flat or folded, as the surface of a small model.
enum { FAN = 6 };
typedef struct Fan {
  SmallModel small;
  double positions[FAN + 2][3], weights[FAN + 2];
  int32_t triangles[FAN + 2][3], looks[FAN + 2], begin[FAN + 3], nodes[FAN + 2];
  int32_t sources[FAN + 2];
  float uvs[FAN + 2][3][2];
} Fan;

static Fan *fan_make(double fold) {
  Fan *fan = calloc(1, sizeof *fan);
  small_model_fill(&fan->small);
  lbModel *draft = &fan->small.draft;
  for (int i = 0; i < FAN; i++) {
    double turn = LB_PI / 3 * i;
    fan->positions[i + 1][0] = cos(turn);
    fan->positions[i + 1][1] = sin(turn);
    fan->positions[i + 1][2] = -fold * fabs(sin(turn)); // a roof along x
    fan->triangles[i][1] = 1 + i, fan->triangles[i][2] = 1 + (i + 1) % FAN;
    for (int k = 0; k < 3; k++) fan->uvs[i][k][0] = (float)fan->triangles[i][k];
    fan->looks[i] = -1;
  }
  for (int v = 0; v < FAN + 2; v++) fan->begin[v + 1] = v + 1, fan->weights[v] = 1;
  draft->size.vertex_count = FAN + 2; // the last is used by nobody
  draft->size.triangle_count = FAN;
  draft->size.carrier_count = FAN + 2;
  draft->vertex_positions = fan->positions[0];
  draft->vertex_sources = fan->sources;
  draft->triangles = fan->triangles[0];
  draft->triangle_appearances = fan->looks;
  draft->corner_uvs = fan->uvs[0][0];
  draft->carrier_begin = fan->begin;
  draft->carrier_nodes = fan->nodes;
  draft->carrier_weights = fan->weights;
  return fan;
}

static int32_t copies_of(const vwSkin *skin, int32_t source) {
  int32_t count = 0;
  for (int32_t v = 0; v < skin->vertex_count; v++) count += skin->sources[v] == source;
  return count;
}

static void unused_vertices_are_dropped(void **state) {
  (void)state;
  Fan *fan = fan_make(0);
  vwSkin *skin = skin_of(&fan->small.draft, LB_METHOD_SUBSPACE);
  check_skin(skin);
  assert_int_equal(skin->vertex_count, FAN + 1);
  assert_int_equal(skin->triangle_count, FAN);
  assert_int_equal(copies_of(skin, FAN + 1), 0);
  vw_skin_destroy(skin);
  free(fan);
}

static void a_roof_is_split_along_its_ridge_alone(void **state) {
  (void)state;
  Fan *fan = fan_make(1.5);
  vwSkin *skin = skin_of(&fan->small.draft, LB_METHOD_MODAL);
  check_skin(skin);
  assert_int_equal(copies_of(skin, 0), 2);
  assert_int_equal(copies_of(skin, 1), 2);
  assert_int_equal(copies_of(skin, 4), 2);
  assert_int_equal(skin->vertex_count, FAN + 1 + 3);
  for (int32_t v = 0; v < skin->vertex_count; v++) {
    lbVec3 n = load(skin->normals + 3 * v);
    check_near(fabs(n.y) / n.z, 1.5, 1e-5); // each side's own normal, not their mean
  }
  vw_skin_destroy(skin);
  fan->positions[1][2] = fan->positions[4][2] = 0;
  for (int i = 0; i < FAN; i++) fan->positions[i + 1][2] *= 0.1;
  skin = skin_of(&fan->small.draft, LB_METHOD_MODAL);
  assert_int_equal(skin->vertex_count, FAN + 1);
  vw_skin_destroy(skin);
  free(fan);
}

static void texture_seams_split_vertices_but_not_normals(void **state) {
  (void)state;
  Fan *fan = fan_make(0.2);
  for (int k = 0; k < 3; k++) fan->uvs[0][k][0] += 10; // triangle 0 is a piece of its own
  vwSkin *skin = skin_of(&fan->small.draft, LB_METHOD_MODAL);
  check_skin(skin);
  assert_int_equal(skin->vertex_count, FAN + 1 + 3);
  float normals[2][3];
  int found = 0;
  for (int32_t v = 0; v < skin->vertex_count; v++)
    if (skin->sources[v] == 0) {
      assert_true(found < 2);
      memcpy(normals[found++], skin->normals + 3 * v, sizeof normals[0]);
      assert_int_equal(skin->smooth_begin[v + 1] - skin->smooth_begin[v], FAN);
    }
  assert_int_equal(found, 2);
  assert_memory_equal(normals[0], normals[1], sizeof normals[0]);
  for (int32_t i = 0; i < 3 * FAN; i++) { // uvs stay with their corners
    const float *uv = skin->uvs + 2 * skin->triangles[i];
    assert_memory_equal(uv, fan->uvs[i / 3][i % 3], sizeof fan->uvs[0][0]);
  }
  vw_skin_destroy(skin);
  free(fan);
}

static void looks_become_parts_in_order_and_empty_ones_none(void **state) {
  (void)state;
  Fan *fan = fan_make(0);
  static const int32_t looks[FAN] = { 1, -1, 1, -1, 1, 1 }; // look 0 has no triangle
  memcpy(fan->looks, looks, sizeof looks);
  vwSkin *skin = skin_of(&fan->small.draft, LB_METHOD_MODAL);
  check_skin(skin);
  assert_int_equal(skin->part_count, 2);
  assert_int_equal(skin->parts[0].triangle_count, 2);
  assert_int_equal(skin->parts[0].texture, -1);
  assert_int_equal(skin->parts[1].triangle_count, 4);
  assert_int_equal(skin->parts[1].texture, 0);
  check_near(skin->parts[1].color[2], 0.75, 0);
  check_near(skin->parts[1].metal, 0.75, 0);
  check_near(skin->parts[1].roughness, 0.375, 0);
  // No vertex is in both parts; the normal is that of all of them.
  for (int32_t i = 0; i < 6; i++)
    for (int32_t j = 6; j < 3 * FAN; j++) assert_true(skin->triangles[i] != skin->triangles[j]);
  assert_int_equal(copies_of(skin, 0), 2);
  vw_skin_destroy(skin);
  free(fan);
}

static void a_model_without_looks_or_texture_coordinates_has_one_part(void **state) {
  (void)state;
  SmallModel *small = malloc(sizeof *small);
  small_model_fill(small);
  small_model_strip(small);
  vwSkin *skin = skin_of(&small->draft, LB_METHOD_FULL);
  check_skin(skin);
  assert_int_equal(skin->part_count, 1);
  assert_int_equal(skin->triangle_count, SMALL_TRIANGLES);
  assert_int_equal(skin->parts[0].texture, -1);
  for (int32_t i = 0; i < 2 * skin->vertex_count; i++) check_small(skin->uvs[i], 0);
  vw_skin_destroy(skin);
  small->draft.size.triangle_count = 0;
  skin = skin_of(&small->draft, LB_METHOD_FULL);
  assert_int_equal(skin->vertex_count, 0);
  assert_int_equal(skin->part_count, 1);
  vw_skin_destroy(skin);
  free(small);
}

// A sliver lies along the ridge of the roof: it must not make it smooth.
static void triangles_without_area_neither_join_nor_part_others(void **state) {
  (void)state;
  Fan *fan = fan_make(1.5);
  lbModel *draft = &fan->small.draft;
  draft->size.triangle_count = FAN + 2;
  memcpy(fan->triangles[FAN], (int32_t[]){ 1, 0, 4 }, sizeof fan->triangles[0]);     // flat
  memcpy(fan->triangles[FAN + 1], (int32_t[]){ 2, 2, 3 }, sizeof fan->triangles[0]); // an edge
  fan->looks[FAN] = fan->looks[FAN + 1] = -1;
  draft->corner_uvs = NULL;
  vwSkin *skin = skin_of(draft, LB_METHOD_MODAL);
  check_skin(skin);
  assert_int_equal(skin->triangle_count, FAN + 1);
  assert_int_equal(copies_of(skin, 0), 2);
  assert_int_equal(copies_of(skin, 2), 1);
  for (int32_t v = 0; v < skin->vertex_count; v++) {
    lbVec3 n = load(skin->normals + 3 * v);
    check_near(fabs(n.y) / n.z, 1.5, 1e-5);
  }
  vw_skin_destroy(skin);
  for (int v = 0; v < FAN + 2; v++) memset(fan->positions[v], 0, sizeof fan->positions[v]);
  skin = skin_of(draft, LB_METHOD_MODAL); // all of it in one point
  check_skin(skin);
  vw_skin_destroy(skin);
  free(fan);
}

static void coordinates_that_are_absurd_give_normals_all_the_same(void **state) {
  (void)state;
  Fan *fan = fan_make(0);
  vwSkin *skin = skin_of(&fan->small.draft, LB_METHOD_MODAL);
  float q[9] = { NAN, INFINITY, 1 }, positions[3 * 16], normals[3 * 16];
  vw_skin_from_coordinates(skin, q, 9, positions, normals); // more than there are
  for (int32_t v = 0; v < skin->vertex_count; v++)
    check_near(lb_length(load(normals + 3 * v)), 1, 1e-6);
  vw_skin_destroy(skin);
  free(fan);
}

static void every_failed_allocation_is_reported_and_leaks_nothing(void **state) {
  (void)state;
  Fan *fan = fan_make(1.5);
  vwSkinDef def = vw_skin_def();
  bool done = false;
  int64_t failures = 0;
  for (int64_t n = 0; !done; n++) {
    CheckedHeap heap = { .fail_at = n };
    lbAllocator allocator = checked_allocator(&heap);
    vwSkin *skin = NULL;
    lbError err;
    lb_set_allocator(&allocator);
    lbStatus status = vw_skin_create(&fan->small.draft, LB_METHOD_MODAL, &def, &skin, &err);
    done = status == LB_OK;
    if (!done) assert_int_equal(status, LB_ERR_MEMORY);
    if (!done) assert_null(skin);
    failures += !done;
    vw_skin_destroy(skin);
    lb_set_allocator(NULL);
    assert_int_equal(heap.live, 0);
  }
  assert_true(failures > 15);
  free(fan);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(affine_motions_of_tets_are_exact),
    cmocka_unit_test(affine_motions_of_bricks_are_exact),
    cmocka_unit_test(gradients_of_shells_are_those_of_their_triangles),
    cmocka_unit_test(gradients_of_skewed_bricks_are_those_of_the_trilinear_map),
    cmocka_unit_test(a_bent_bar_looks_as_its_surface_says),
    cmocka_unit_test(a_bent_spoon_looks_as_its_surface_says),
    cmocka_unit_test(an_embedded_sphere_looks_as_its_surface_says),
    cmocka_unit_test(the_sides_of_a_bar_stay_flat),
    cmocka_unit_test(a_wide_crease_splits_nothing_and_an_absurd_one_is_refused),
    cmocka_unit_test(unused_vertices_are_dropped),
    cmocka_unit_test(a_roof_is_split_along_its_ridge_alone),
    cmocka_unit_test(texture_seams_split_vertices_but_not_normals),
    cmocka_unit_test(looks_become_parts_in_order_and_empty_ones_none),
    cmocka_unit_test(a_model_without_looks_or_texture_coordinates_has_one_part),
    cmocka_unit_test(triangles_without_area_neither_join_nor_part_others),
    cmocka_unit_test(coordinates_that_are_absurd_give_normals_all_the_same),
    cmocka_unit_test(every_failed_allocation_is_reported_and_leaks_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
