// Bodies with forces by cubature as bodies: their steps, states, batches, frames, materials, and
// what solves their steps.
#include "toy_cubature.h"

#include "method/subspace/newton_step.h"
#include "limber/reduce.h"

// ---- force models that count -------------------------------------------------------------------

static const lbForceModel *inner;
static int tangents, products;

static double counted_evaluate(const void *data, const double *q, double *R, double *K,
                               double *work) {
  tangents++;
  return inner->evaluate(data, q, R, K, work);
}

static double counted_rough_tangent(const void *data, const double *q, double *K, double *work) {
  tangents++;
  return inner->rough_tangent(data, q, K, work);
}

static double counted_along(const void *data, const double *q, const double *v, double *R,
                            double *Kv, double *work) {
  products++;
  return inner->along(data, q, v, R, Kv, work);
}

// Counts what a body's steps evaluate; without `along` they are Newton's. For all bodies that share
// what is prepared.
static void count_forces(lbBody *body, bool broyden, lbForceModel *table) {
  lbSubspace *s = body->prepared->own;
  if (s->forces != table) inner = s->forces;
  *table = lb_cubature_forces;
  table->evaluate = counted_evaluate;
  table->rough_tangent = counted_rough_tangent;
  table->along = broyden ? counted_along : NULL;
  s->forces = table;
  tangents = products = 0;
}

static void stop_counting(lbBody *body) {
  ((lbSubspace *)body->prepared->own)->forces = &lb_cubature_forces;
}

// A bar whose tip is pulled for a while; where it ends (nodes x 3).
static double *pull_bar(const CubToy *toy, bool broyden, int32_t iterations, double force, double h,
                        int32_t *flags) {
  lbForceModel table;
  lbBodyDef def = sub_body_def();
  def.newton_iterations = iterations, def.newton_tolerance = 1e-11;
  lbBody *body = cub_body(toy, &def);
  count_forces(body, broyden, &table);
  *flags = 0;
  for (int step = 0; step < 100; step++) {
    if (step < 50)
      body_ok(body, lb_body_apply_force(body, lb_point_node(sub_tip(&toy->sub)),
                                        lb_vec3(0.2 * force, 0.4 * force, -force)));
    *flags |= lb_body_step(body, h);
  }
  double *u = zeros(toy->fem);
  lb_body_node_displacements(body, u);
  stop_counting(body);
  lb_body_destroy(body);
  return u;
}

static void broyden_ends_where_newton_does_with_fewer_tangents(void **state) {
  (void)state;
  const lbMaterialModel laws[] = { LB_MATERIAL_STVK, LB_MATERIAL_NEOHOOKEAN,
                                   LB_MATERIAL_STABLE_NEOHOOKEAN, LB_MATERIAL_COROTATED };
  for (size_t law = 0; law < sizeof laws / sizeof *laws; law++) {
    CubToy toy = cub_make(sub_bar(), laws[law]);
    int32_t flags[2];
    double *newton = pull_bar(&toy, false, 20, 15, 2e-3, &flags[0]);
    int by_newton = tangents;
    double *broyden = pull_bar(&toy, true, 20, 15, 2e-3, &flags[1]);
    double difference = largest_difference(toy.fem, newton, broyden) / largest(toy.fem, newton);
    print_message("%s: %d tangents by Newton, %d (and %d forces) by Broyden, difference %.2e\n",
                  lb_material_model_name(laws[law]), by_newton, tangents, products, difference);
    assert_int_equal(flags[0] | flags[1], 0);
    check_small(difference, 1e-8);
    assert_true(10 * tangents < by_newton);
    free(newton), free(broyden);
    cub_destroy(&toy);
  }
}

// Forces of the steps of a bar that swings; with `forget` each step knows nothing of those before.
static int work_of_swing(const CubToy *toy, bool forget) {
  lbForceModel table;
  lbBody *body = cub_body(toy, NULL);
  count_forces(body, true, &table);
  body_ok(body, lb_body_set_gravity(body, lb_vec3(0, 3, -9)));
  for (int step = 0; step < 200; step++) {
    if (forget) lb_past_forget(body);
    assert_int_equal(lb_body_step(body, 2e-3), 0);
  }
  stop_counting(body);
  lb_body_destroy(body);
  return products + 10 * tangents;
}

static void smooth_motions_need_fewer_forces(void **state) {
  (void)state;
  CubToy toy = cub_make(sub_bar(), LB_MATERIAL_STABLE_NEOHOOKEAN);
  int with = work_of_swing(&toy, false), without = work_of_swing(&toy, true);
  print_message("work of %d forces, %d without the steps before\n", with, without);
  assert_true(4 * with < 3 * without);
  cub_destroy(&toy);
}

// Far and in long steps, where a matrix of another place says little.
static void iterations_that_stall_are_taken_over(void **state) {
  (void)state;
  CubToy toy = cub_make(sub_bar(), LB_MATERIAL_STABLE_NEOHOOKEAN);
  int32_t flags[2];
  double *newton = pull_bar(&toy, false, 30, 60, 1.0 / 60, &flags[0]);
  double *broyden = pull_bar(&toy, true, 30, 60, 1.0 / 60, &flags[1]);
  double difference = largest_difference(toy.fem, newton, broyden) / largest(toy.fem, newton);
  print_message("flags %x and %x, %d tangents, difference %.2e\n", (unsigned)flags[0],
                (unsigned)flags[1], tangents, difference);
  assert_true(tangents > 1);
  assert_int_equal((flags[0] | flags[1]) & LB_STEP_NONFINITE, 0);
  if (flags[0] == 0 && flags[1] == 0) check_small(difference, 1e-6);
  free(newton), free(broyden);
  cub_destroy(&toy);
}

// ---- against the full simulator ----------------------------------------------------------------

static double worst_against_full(lbMaterialModel law, double h) {
  SubDef sub_def = sub_whole();
  sub_def.damping_mass = 1, sub_def.damping_stiffness = 2e-3;
  CubToy toy = cub_make(sub_def, law);
  lbBodyDef def = sub_body_def();
  def.newton_iterations = 20;
  lbBody *body = cub_body(&toy, &def);
  lbSimulatorDef simulator_def = lb_simulator_def();
  lbSimulator *simulator = NULL;
  lbError err;
  lbVec3 f = lb_vec3(8, 12, -40);
  double *load = tip_load(&toy.sub, f), *u = zeros(toy.fem), worst = 0, most = 0;
  simulator_def.step = h;
  simulator_def.damping_mass = 1, simulator_def.damping_stiffness = 2e-3;
  simulator_def.newton_tolerance = 1e-12;
  check_ok(lb_simulator_create(toy.fem, &simulator_def, NULL, NULL, load, &simulator, &err), err);
  for (int step = 0; step < 100; step++) {
    body_ok(body, lb_body_apply_force(body, lb_point_node(sub_tip(&toy.sub)), f));
    assert_int_equal(lb_simulator_step(simulator, load) & ~LB_STEP_NOT_CONVERGED, 0);
    assert_int_equal(lb_body_step(body, h), 0);
    lb_body_node_displacements(body, u);
    worst = fmax(worst, largest_difference(toy.fem, u, lb_simulator_displacement(simulator)));
    most = fmax(most, largest(toy.fem, u));
  }
  print_message("%s: displacement %.3g m of 0.4 m, difference %.2e\n", lb_material_model_name(law),
                most, worst / most);
  lb_simulator_destroy(simulator);
  free(load), free(u);
  lb_body_destroy(body);
  cub_destroy(&toy);
  return worst / most;
}

static void a_full_basis_moves_as_the_full_simulator_does(void **state) {
  (void)state;
  const lbMaterialModel laws[] = { LB_MATERIAL_COROTATED, LB_MATERIAL_NEOHOOKEAN,
                                   LB_MATERIAL_STABLE_NEOHOOKEAN, LB_MATERIAL_MOONEYRIVLIN };
  for (size_t law = 0; law < sizeof laws / sizeof *laws; law++)
    check_small(worst_against_full(laws[law], 2e-3), 1e-7);
}

// Where a bar that was let go is after a while, by steps of h.
static void swing(const CubToy *toy, double h, double *u) {
  lbBodyDef def = sub_body_def();
  def.newton_iterations = 20;
  lbBody *body = cub_body(toy, &def);
  body_ok(body, lb_body_set_velocity(body, lb_vec3(0, 0.5, 1.5), lb_vec3(0, 0, 0)));
  for (int step = 0; step < (int)(0.1 / h + 0.5); step++) lb_body_step(body, h);
  lb_body_node_displacements(body, u);
  lb_body_destroy(body);
}

static void newmarks_rule_converges_with_the_square_of_the_step(void **state) {
  (void)state;
  CubToy toy = cub_make(sub_bar(), LB_MATERIAL_NEOHOOKEAN);
  double *u[3], errors[2];
  for (int i = 0; i < 3; i++) {
    u[i] = zeros(toy.fem);
    swing(&toy, i == 2 ? 1e-5 : 4e-4 / (1 << i), u[i]);
  }
  for (int i = 0; i < 2; i++) errors[i] = largest_difference(toy.fem, u[i], u[2]);
  print_message("errors %.3e, %.3e of %.3e m\n", errors[0], errors[1], largest(toy.fem, u[2]));
  assert_true(errors[1] < 0.35 * errors[0]);
  for (int i = 0; i < 3; i++) free(u[i]);
  cub_destroy(&toy);
}

// ---- states, batches, memory -------------------------------------------------------------------

static void push_about(lbBody *body, int32_t node, int step) {
  if (step % 20 < 6)
    body_ok(body, lb_body_apply_force(body, lb_point_node(node),
                                      lb_vec3(5, 20.0 * ((step / 20) % 3 - 1), -30)));
  lb_body_step(body, 4e-3);
}

static void a_restored_body_goes_on_to_the_last_bit(void **state) {
  (void)state;
  CubToy toy = cub_make(sub_bar(), LB_MATERIAL_STABLE_NEOHOOKEAN);
  for (int damped = 0; damped < 2; damped++)
    for (int held = 0; held < 2; held++) {
      lbBodyDef def = sub_body_def();
      def.damping_stiffness = damped ? 1e-3 : 0;
      lbBody *first = cub_body(&toy, &def), *second = cub_body(&toy, &def);
      lbPoint point = lb_point_vertex(5);
      int32_t tip = sub_tip(&toy.sub), r = lb_body_dimension(first);
      size_t bytes;
      double q[2][32], v[2][32];
      if (held) constrain(first, LB_CONSTRAIN_POSITION, 1, &point, NULL);
      if (held) constrain(second, LB_CONSTRAIN_POSITION, 1, &point, NULL);
      for (int step = 0; step < 60; step++) push_about(first, tip, step);
      bytes = lb_body_state_bytes(first);
      void *saved = malloc(bytes);
      body_ok(first, lb_body_save_state(first, saved, bytes));
      for (int step = 0; step < 7; step++)
        push_about(second, tip, step); // has other things in mind
      body_ok(second, lb_body_restore_state(second, saved, bytes));
      for (int step = 60; step < 160; step++) {
        push_about(first, tip, step);
        push_about(second, tip, step);
        lb_body_get_state(first, q[0], v[0]);
        lb_body_get_state(second, q[1], v[1]);
        assert_memory_equal(q[0], q[1], (size_t)r * sizeof(double));
        assert_memory_equal(v[0], v[1], (size_t)r * sizeof(double));
      }
      free(saved);
      lb_body_destroy(first), lb_body_destroy(second);
    }
  cub_destroy(&toy);
}

static void bodies_of_a_batch_move_as_they_do_alone(void **state) {
  (void)state;
  enum { COUNT = 5 };
  CubToy toy = cub_make(sub_bar(), LB_MATERIAL_NEOHOOKEAN);
  lbBatchDef def = lb_batch_def();
  lbBatch *batch = NULL;
  lbError err;
  int32_t tip = sub_tip(&toy.sub), r = toy.model->size.subspace_dimension;
  lbBody *alone[COUNT];
  def.count = COUNT, def.body = sub_body_def();
  check_ok(lb_batch_create(toy.model, &def, &batch, &err), err);
  for (int i = 0; i < COUNT; i++) alone[i] = cub_body(&toy, NULL);
  for (int step = 0; step < 40; step++) {
    for (int i = 0; i < COUNT; i++) {
      lbVec3 f = lb_vec3(i, 2 * i, step < 10 ? -15 : 0);
      body_ok(alone[i], lb_body_apply_force(alone[i], lb_point_node(tip), f));
      body_ok(alone[i], lb_body_apply_force(lb_batch_body(batch, i), lb_point_node(tip), f));
      lb_body_step(alone[i], 5e-3);
    }
    lb_batch_step(batch, 5e-3);
  }
  for (int i = 0; i < COUNT; i++) {
    double q[2][32], v[2][32];
    lb_body_get_state(alone[i], q[0], v[0]);
    lb_body_get_state(lb_batch_body(batch, i), q[1], v[1]);
    assert_memory_equal(q[0], q[1], (size_t)r * sizeof(double));
    assert_memory_equal(v[0], v[1], (size_t)r * sizeof(double));
    lb_body_destroy(alone[i]);
  }
  lb_batch_destroy(batch);
  cub_destroy(&toy);
}

static void no_step_allocates_and_creation_survives_failing_allocations(void **state) {
  (void)state;
  CubToy toy = cub_make(sub_bar(), LB_MATERIAL_STABLE_NEOHOOKEAN);
  CheckedHeap heap = { .fail_at = 0 };
  lbAllocator allocator = checked_allocator(&heap);
  lbBodyDef def = sub_body_def();
  lbBody *body = NULL;
  lb_set_allocator(&allocator);
  for (int n = 0; !body; n++) {
    lbError err;
    heap.count = 0, heap.fail_at = n;
    lbStatus status = lb_body_create(toy.model, &def, &body, &err);
    assert_true(status == LB_OK || (status == LB_ERR_MEMORY && heap.live == 0));
  }
  heap.fail_at = -1;
  lbPoint tip = lb_point_node(sub_tip(&toy.sub));
  constrain(body, LB_CONSTRAIN_POSITION, 1, &tip, NULL);
  body_ok(body, lb_body_set_material(body, 1, 2e5, 0.4, 500));
  int64_t before = heap.count;
  for (int i = 0; i < 10; i++) lb_body_step(body, 0.01);
  lb_body_report(body);
  lb_body_unfollowed_force(body);
  assert_int_equal(heap.count, before);
  lb_body_destroy(body);
  assert_int_equal(heap.live, 0);
  lb_set_allocator(NULL);
  cub_destroy(&toy);
}

// ---- materials and stress ----------------------------------------------------------------------

static void materials_change_as_those_of_polynomials_do(void **state) {
  (void)state;
  CubToy toy = cub_make(sub_bar(), LB_MATERIAL_STVK);
  lbBodyDef def = sub_body_def();
  def.newton_iterations = 20;
  lbBody *cubature = cub_body(&toy, &def), *polynomial = sub_body(&toy.sub, &def);
  lbBody *bodies[2] = { cubature, polynomial };
  int32_t tip = sub_tip(&toy.sub), nodes = toy.model->size.node_count;
  double worst = 0, *stress[2];
  for (int step = 0; step < 120; step++) {
    for (int i = 0; i < 2; i++) {
      if (step == 30) body_ok(bodies[i], lb_body_set_material(bodies[i], 0, 3e5, 0.2, 700));
      if (step == 60) body_ok(bodies[i], lb_body_set_material(bodies[i], 1, 1e5, 0.4, 1500));
      body_ok(bodies[i], lb_body_apply_force(bodies[i], lb_point_node(tip), lb_vec3(0, 4, -8)));
      assert_int_equal(lb_body_step(bodies[i], 5e-3), 0);
    }
    worst = fmax(worst, sub_difference(cubature, polynomial));
  }
  for (int i = 0; i < 2; i++) {
    stress[i] = calloc((size_t)nodes, sizeof(double));
    lb_body_von_mises(bodies[i], stress[i]);
  }
  print_message("greatest difference %.2e\n", worst);
  check_small(worst, 1e-8);
  for (int32_t n = 0; n < nodes; n++) check_near(stress[0][n], stress[1][n], 1e-6 * stress[1][n]);
  free(stress[0]), free(stress[1]);
  lb_body_destroy(cubature), lb_body_destroy(polynomial);
  cub_destroy(&toy);
}

static void mooney_rivlin_changes_its_density_alone(void **state) {
  (void)state;
  CubToy toy = cub_make(sub_bar(), LB_MATERIAL_MOONEYRIVLIN);
  lbBody *body = cub_body(&toy, NULL);
  const double *values = toy.model->material_values;
  assert_int_equal(lb_body_set_material(body, 0, 5e5, values[1], values[2]), LB_ERR_UNSUPPORTED);
  assert_non_null(strstr(lb_body_message(body), "c10, c01 and v1"));
  body_ok(body, lb_body_set_material(body, 0, values[0], values[1], 2 * values[2]));
  double before = lb_body_report(body).mass;
  body_ok(body, lb_body_set_material(body, 0, values[0], values[1], values[2]));
  assert_true(before > 1.2 * lb_body_report(body).mass);
  lb_body_destroy(body);
  cub_destroy(&toy);
}

// Under the linear law stress is the same at every amplitude; under others it is not.
static void stress_is_that_of_the_law(void **state) {
  (void)state;
  double most[2];
  for (int law = 0; law < 2; law++) {
    CubToy toy = cub_make(sub_bar(), law ? LB_MATERIAL_NEOHOOKEAN : LB_MATERIAL_LINEAR);
    lbBody *body = cub_body(&toy, NULL);
    int32_t nodes = toy.model->size.node_count;
    double q[32] = { 0.05 }, v[32] = { 0 }, *stress = calloc((size_t)nodes, sizeof(double)),
           *twice = calloc((size_t)nodes, sizeof(double)), differ = 0;
    body_ok(body, lb_body_set_state(body, q, v));
    lb_body_von_mises(body, stress);
    q[0] *= 2;
    body_ok(body, lb_body_set_state(body, q, v));
    lb_body_von_mises(body, twice);
    for (int32_t n = 0; n < nodes; n++)
      differ = fmax(differ, fabs(twice[n] - 2 * stress[n]) / twice[n]);
    most[law] = differ;
    free(stress), free(twice);
    lb_body_destroy(body);
    cub_destroy(&toy);
  }
  check_small(most[0], 1e-12);
  assert_true(most[1] > 1e-3);
}

// ---- trained poses -----------------------------------------------------------------------------

static void the_distance_from_the_poses_tells_where_training_ends(void **state) {
  (void)state;
  CubToy toy = cub_make(sub_bar(), LB_MATERIAL_STABLE_NEOHOOKEAN);
  lbBody *body = cub_body(&toy, NULL), *exact = sub_body(&toy.sub, NULL);
  int32_t r = lb_body_dimension(body);
  double q[32] = { 0 }, v[32] = { 0 }, most = 0;
  assert_true(lb_body_pose_distance(body) == 0);
  for (int pose = 0; pose < CUB_POSES; pose++) {
    memcpy(q, toy.model->cubature_poses + pose * r, (size_t)r * sizeof *q);
    body_ok(body, lb_body_set_state(body, q, v));
    double distance = lb_body_pose_distance(body);
    check_near(distance, fmin(distance, 1), 1e-12);
    most = fmax(most, distance);
  }
  check_near(most, 1, 1e-12);
  double before = lb_body_pose_distance(body);
  for (int32_t i = 0; i < r; i++) q[i] *= 3;
  body_ok(body, lb_body_set_state(body, q, v));
  check_near(lb_body_pose_distance(body), 3 * before, 1e-9);
  body_ok(exact, lb_body_set_state(exact, q, v));
  assert_true(lb_body_pose_distance(exact) == 0);
  lb_body_destroy(body), lb_body_destroy(exact);
  cub_destroy(&toy);
}

// ---- frames and haptics ------------------------------------------------------------------------

typedef struct Loose {
  lbMesh *mesh;
  lbFem *fem;
  lbModel *polynomial, *cubature;
} Loose;

static Loose make_loose(bool held) {
  Loose o = { .mesh = box_mesh(LB_ELEMENT_TET4, 5, 2, 2, 0.5, 0.1, 0.1) };
  lbMaterial material = test_material(LB_MATERIAL_STVK);
  bool *fixed = held ? side(o.mesh, 0, 0) : NULL;
  lbReduceDef def = lb_reduce_def();
  lbSubspaceDef subspace = lb_subspace_def();
  lbError err;
  o.fem = fem_of_mesh(o.mesh, &material, fixed, LB_MASS_CONSISTENT);
  def.damping_mass = 0.2, def.damping_stiffness = 1e-3;
  subspace.basis.mode_count = 6, subspace.basis.dimension = 12;
  subspace.editable = true;
  check_ok(lb_reduce_subspace(o.mesh, o.fem, &def, &subspace, &o.polynomial, &err), err);
  o.cubature = cub_model(o.polynomial, LB_MATERIAL_STVK, 1);
  free(fixed);
  return o;
}

static void destroy_loose(Loose *o) {
  lb_model_destroy(o->polynomial), lb_model_destroy(o->cubature);
  lb_fem_destroy(o->fem);
  lb_mesh_destroy(o->mesh);
}

static void free_and_driven_bodies_move_as_those_of_polynomials_do(void **state) {
  (void)state;
  for (int driven = 0; driven < 2; driven++) {
    Loose o = make_loose(driven);
    lbBodyDef def = sub_body_def();
    def.newton_iterations = 20;
    def.frame = driven ? LB_FRAME_DRIVEN : LB_FRAME_FREE;
    lbBody *bodies[2] = { cub_body_of(o.cubature, &def), cub_body_of(o.polynomial, &def) };
    double worst = 0, most = 0;
    for (int step = 0; step < 150; step++) {
      lbVec3 x[2];
      for (int i = 0; i < 2; i++) {
        double t = 4e-3 * (step + 1);
        if (driven)
          body_ok(bodies[i],
                  lb_body_drive_to(bodies[i], lb_vec3(0.05 * sin(20 * t), 0, 0),
                                   lb_quat_from_axis_angle(lb_vec3(0, 0, 1), 0.6 * sin(15 * t))));
        else if (step < 20)
          body_ok(bodies[i], lb_body_apply_force(bodies[i], lb_point_node(3), lb_vec3(1, 3, -6)));
        assert_int_equal(lb_body_step(bodies[i], 4e-3) & LB_STEP_NONFINITE, 0);
        body_ok(bodies[i],
                lb_body_point(bodies[i], lb_point_node(o.mesh->vertex_count - 1), &x[i], NULL));
      }
      worst = fmax(worst, lb_length(lb_sub(x[0], x[1])));
      most = fmax(most, lb_length(lb_sub(x[1], lb_vec3(0.5, 0.1, 0.1))));
    }
    print_message("%s: moved by %.3g m, difference %.2e\n", driven ? "driven" : "free", most,
                  worst / most);
    check_small(worst / most, 1e-5); // the frame is felt once more in each iteration
    lb_body_destroy(bodies[0]), lb_body_destroy(bodies[1]);
    destroy_loose(&o);
  }
}

static void a_body_goes_on_with_the_motion_of_another_force_model(void **state) {
  (void)state;
  Loose o = make_loose(true);
  lbBody *polynomial = cub_body_of(o.polynomial, NULL), *cubature = cub_body_of(o.cubature, NULL);
  for (int step = 0; step < 30; step++) {
    lb_body_apply_force(polynomial, lb_point_node(o.mesh->vertex_count - 1), lb_vec3(0, 1, -4));
    lb_body_step(polynomial, 4e-3);
  }
  body_ok(cubature, lb_body_adopt_motion(cubature, polynomial, lb_vec3(0, 0, 0)));
  check_small(sub_difference(cubature, polynomial), 1e-10);
  for (int step = 0; step < 30; step++)
    lb_body_step(cubature, 4e-3), lb_body_step(polynomial, 4e-3);
  check_small(sub_difference(cubature, polynomial), 5e-2); // by one iteration a step
  lb_body_destroy(polynomial), lb_body_destroy(cubature);
  destroy_loose(&o);
}

static void a_ball_is_felt(void **state) {
  (void)state;
  Loose o = make_loose(true);
  double felt[2];
  for (int i = 0; i < 2; i++) {
    lbBody *body = cub_body_of(i ? o.polynomial : o.cubature, NULL);
    lbVec3 force = lb_vec3(0, 0, 0);
    for (int step = 0; step < 200; step++) {
      lbBall ball = { .centre = lb_vec3(0.45, 0.05, 0.15 - 2e-4 * step),
                      .radius = 0.05,
                      .stiffness = 2e3 };
      body_ok(body, lb_body_push_ball(body, &ball, 2e-3, &force));
      assert_int_equal(lb_body_step(body, 2e-3) & LB_STEP_NONFINITE, 0);
    }
    felt[i] = force.z;
    lb_body_destroy(body);
  }
  print_message("force on the ball %.4f and %.4f N\n", felt[0], felt[1]);
  assert_true(felt[1] > 0.01);
  check_near(felt[0], felt[1], 0.03 * felt[1]);
  destroy_loose(&o);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(broyden_ends_where_newton_does_with_fewer_tangents),
    cmocka_unit_test(smooth_motions_need_fewer_forces),
    cmocka_unit_test(iterations_that_stall_are_taken_over),
    cmocka_unit_test(a_full_basis_moves_as_the_full_simulator_does),
    cmocka_unit_test(newmarks_rule_converges_with_the_square_of_the_step),
    cmocka_unit_test(a_restored_body_goes_on_to_the_last_bit),
    cmocka_unit_test(bodies_of_a_batch_move_as_they_do_alone),
    cmocka_unit_test(no_step_allocates_and_creation_survives_failing_allocations),
    cmocka_unit_test(materials_change_as_those_of_polynomials_do),
    cmocka_unit_test(mooney_rivlin_changes_its_density_alone),
    cmocka_unit_test(stress_is_that_of_the_law),
    cmocka_unit_test(the_distance_from_the_poses_tells_where_training_ends),
    cmocka_unit_test(free_and_driven_bodies_move_as_those_of_polynomials_do),
    cmocka_unit_test(a_body_goes_on_with_the_motion_of_another_force_model),
    cmocka_unit_test(a_ball_is_felt),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
