// A beam twisted by 270 degrees in a subspace of five vectors (Barbič & James 2005, their Fig. 7):
// the vectors are unreduced solutions at five angles, the body is led by springs at the turned end.
#include "check.h"

#include "limber/build.h"
#include "arrayio/npz.h"

enum { SHAPES = 5, SUBSTEPS = 4 }; // 54 degrees between shapes, solved in quarters

typedef struct Beam {
  lbMesh *mesh;
  lbFem *held, *free_end; // both ends held, or the left one alone
  const lbGroup *left, *right;
} Beam;

static lbFem *make_fem(const lbMesh *mesh, const lbGroup *a, const lbGroup *b) {
  lbError err;
  lbFem *fem = NULL;
  lbMaterial material = lb_material();
  material.young = 1e6, material.poisson = 0.3;
  bool *fixed = calloc((size_t)mesh->vertex_count, sizeof *fixed);
  for (int32_t i = 0; i < a->count; i++) fixed[a->ids[i]] = true;
  for (int32_t i = 0; b && i < b->count; i++) fixed[b->ids[i]] = true;
  lbFemDef def = lb_fem_def();
  def.materials = &material;
  def.material_count = 1;
  def.fixed = fixed;
  check_ok(lb_fem_create(mesh, &def, &fem, &err), err);
  free(fixed);
  return fem;
}

static Beam make_beam(void) {
  lbError err;
  Beam beam = { 0 };
  lbShapeDef shape = lb_shape_def("bar");
  shape.element = LB_ELEMENT_BRICK8;
  check_ok(lb_shape_volume(&shape, &beam.mesh, &err), err);
  beam.left = lb_mesh_group_by_name(beam.mesh, LB_GROUP_VERTICES, "left");
  beam.right = lb_mesh_group_by_name(beam.mesh, LB_GROUP_VERTICES, "right");
  beam.held = make_fem(beam.mesh, beam.left, beam.right);
  beam.free_end = make_fem(beam.mesh, beam.left, NULL);
  return beam;
}

// Where a vertex of the right end goes when it turns about the beam's axis.
static lbVec3 turned(const Beam *beam, int32_t vertex, double angle) {
  lbVec3 x = lb_vec3_load(beam->mesh->positions + 3 * (size_t)vertex);
  double y = x.y - 0.05, z = x.z - 0.05;
  return lb_vec3(x.x, 0.05 + cos(angle) * y - sin(angle) * z,
                 0.05 + sin(angle) * y + cos(angle) * z);
}

// From one angle to the next with the unreduced static solver.
static void twist_full(const Beam *beam, double angle, double *u) {
  lbError err;
  lbStaticDef def = lb_static_def();
  lbStaticResult result;
  double *load = calloc(3 * (size_t)beam->mesh->vertex_count, sizeof *load);
  for (int32_t i = 0; i < beam->right->count; i++) {
    size_t v = (size_t)beam->right->ids[i];
    lb_vec3_store(u + 3 * v, lb_sub(turned(beam, (int32_t)v, angle),
                                    lb_vec3_load(beam->mesh->positions + 3 * v)));
  }
  check_ok(lb_fem_static(beam->held, load, &def, u, &result, &err), err);
  free(load);
}

static lbModel *make_model(const Beam *beam, const double *shapes) {
  lbError err;
  lbModel *model = NULL;
  lbNpzWriter writer;
  const char *path = output_path("twist.npz");
  lbNpzArray array = { .name = "shapes",
                       .type = LB_SCALAR_FLOAT64,
                       .dimension_count = 3,
                       .shape = { SHAPES, beam->mesh->vertex_count, 3 },
                       .data = shapes };
  check_ok(lb_npz_begin(&writer, path, &err), err);
  check_ok(lb_npz_add(&writer, &array, &err), err);
  check_ok(lb_npz_commit(&writer, &err), err);
  lbReduceDef def = lb_reduce_def();
  lbSubspaceDef subspace = lb_subspace_def();
  def.damping_mass = 20;
  subspace.basis.kind = LB_BASIS_FILE;
  subspace.basis.file = path;
  check_ok(lb_reduce_subspace(beam->mesh, beam->free_end, &def, &subspace, &model, &err), err);
  return model;
}

// The corners of the right end, led by stiff springs from where they are to `angle`, then held.
static void twist_reduced(const Beam *beam, lbBody *body, double from, double to) {
  lbPoint points[9];
  double targets[27];
  int32_t id, count = beam->right->count;
  lbConstraintDef def = lb_constraint_def();
  assert_int_equal(count, 9);
  for (int32_t i = 0; i < count; i++) points[i] = lb_point_node(beam->right->ids[i]);
  def.point_count = count, def.points = points, def.stiffness = 1e5;
  assert_int_equal(lb_body_add_constraint(body, &def, &id), LB_OK);
  for (int step = 1; step <= 600; step++) {
    double angle = from + (to - from) * fmin(1, step / 300.0);
    for (int32_t i = 0; i < count; i++)
      lb_vec3_store(targets + 3 * i, turned(beam, beam->right->ids[i], angle));
    assert_int_equal(lb_body_set_target(body, id, targets), LB_OK);
    int32_t flags = lb_body_step(body, 0.005);
    assert_false(flags & (LB_STEP_NONFINITE | LB_STEP_REFUSED));
  }
  assert_int_equal(lb_body_remove_constraint(body, id), LB_OK);
}

// The largest distance between the two bodies' nodes, as a fraction of the largest displacement.
static double difference(const Beam *beam, const lbBody *body, const double *u) {
  size_t count = 3 * (size_t)beam->mesh->vertex_count;
  double *w = calloc(count, sizeof *w), worst = 0, largest = 0;
  lb_body_node_displacements(body, w);
  for (size_t i = 0; i < count; i += 3) {
    worst = fmax(worst, lb_length(lb_sub(lb_vec3_load(u + i), lb_vec3_load(w + i))));
    largest = fmax(largest, lb_length(lb_vec3_load(u + i)));
  }
  free(w);
  return worst / largest;
}

static void a_beam_twists_by_270_degrees_with_five_vectors(void **state) {
  (void)state;
  Beam beam = make_beam();
  size_t count = 3 * (size_t)beam.mesh->vertex_count;
  double *shapes = calloc(SHAPES * count, sizeof *shapes), *u = calloc(count, sizeof *u);
  double *between = calloc(count, sizeof *between); // at 189 degrees, which no vector was made from
  const double quarter = 1.5 * LB_PI / SHAPES / SUBSTEPS;
  for (int i = 1; i <= SHAPES * SUBSTEPS; i++) {
    twist_full(&beam, i * quarter, u);
    if (i == 14) memcpy(between, u, count * sizeof *u);
    if (i % SUBSTEPS == 0)
      memcpy(shapes + (size_t)(i / SUBSTEPS - 1) * count, u, count * sizeof *u);
  }
  lbModel *model = make_model(&beam, shapes);
  assert_int_equal(model->size.subspace_dimension, SHAPES);
  lbError err;
  lbBody *body = NULL;
  lbBodyDef def = lb_body_def();
  def.newton_iterations = 20;
  check_ok(lb_body_create(model, &def, &body, &err), err);
  twist_reduced(&beam, body, 0, 14 * quarter);
  print_message("  189 degrees: %.2e of the largest displacement\n",
                difference(&beam, body, between));
  check_small(difference(&beam, body, between), 0.05);
  twist_reduced(&beam, body, 14 * quarter, 1.5 * LB_PI);
  print_message("  270 degrees: %.2e of the largest displacement\n", difference(&beam, body, u));
  check_small(difference(&beam, body, u), 0.02);
  lb_body_destroy(body);
  lb_model_destroy(model);
  lb_fem_destroy(beam.held);
  lb_fem_destroy(beam.free_end);
  lb_mesh_destroy(beam.mesh);
  free(shapes), free(u), free(between);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_beam_twists_by_270_degrees_with_five_vectors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
