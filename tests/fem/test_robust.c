// Absurd states, bits under threads, memory: no allocation in a step, every allocation failing.
#include "fem_problems.h"

#include "fem/assembler.h"
#include "limber/build.h"

static lbSimulator *simulator(const lbFem *fem, double step, const double *v) {
  lbSimulatorDef def = lb_simulator_def();
  lbSimulator *s = NULL;
  lbError err;
  def.step = step;
  check_ok(lb_simulator_create(fem, &def, NULL, v, NULL, &s, &err), err);
  return s;
}

// A few steps under `abuse`, then steps of gravity: the state stays finite all through, and the
// simulator can still step.
static int32_t abuse_and_rest(const lbFem *fem, lbSimulator *s, const double *abuse) {
  double *gravity = gravity_load(fem, 0, 0, -9.81);
  int32_t flags = 0;
  for (int n = 0; n < 8; n++) {
    flags |= lb_simulator_step(s, n < 3 ? abuse : gravity);
    assert_true(all_finite(fem, lb_simulator_displacement(s)));
    assert_true(all_finite(fem, lb_simulator_velocity(s)));
    assert_true(isfinite(lb_simulator_state(s).elastic));
  }
  free(gravity);
  return flags;
}

static void huge_loads_never_leave_numbers(void **state) {
  (void)state;
  const double sizes[] = { 1e6, 1e15, 1e160, 1e300, INFINITY, NAN };
  for_each_law(kind, model) for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    lbMaterial material = test_material(model);
    lbFem *fem = box_fem(kind, 1, 1, 1, 0.1, 0.1, 0.1, &material, true);
    double *abuse = zeros(fem);
    for (size_t k = 0; k < 3 * (size_t)lb_fem_vertex_count(fem); k += 5) abuse[k] = sizes[i];
    lbSimulator *s = simulator(fem, 1e-2, NULL);
    int32_t flags = abuse_and_rest(fem, s, abuse);
    if (!(sizes[i] < 1e155)) assert_true(flags & LB_STEP_NOT_CONVERGED);
    free(abuse);
    lb_simulator_destroy(s);
    lb_fem_destroy(fem);
  }
}

static void a_refused_step_keeps_the_last_state(void **state) {
  (void)state;
  lbMaterial material = test_material(LB_MATERIAL_NEOHOOKEAN);
  lbFem *fem = box_fem(LB_ELEMENT_TET4, 2, 1, 1, 0.2, 0.1, 0.1, &material, true);
  double *gravity = gravity_load(fem, 0, 0, -9.81), *abuse = zeros(fem);
  lbSimulator *s = simulator(fem, 1e-2, NULL);
  for (int n = 0; n < 5; n++) lb_simulator_step(s, gravity);
  double before = largest(fem, lb_simulator_displacement(s));
  for (size_t k = 0; k < 3 * (size_t)lb_fem_vertex_count(fem); k++) abuse[k] = 1e25;
  int32_t flags = lb_simulator_step(s, abuse);
  double after = largest(fem, lb_simulator_displacement(s));
  print_message("  moved %.3g m before, %.3g m after, flags %d\n", before, after, flags);
  assert_true(flags & LB_STEP_NOT_CONVERGED);
  assert_true(after > 0.5 * before && after < 0.1); // not what rounding leaves of 1e18 m
  free(gravity), free(abuse);
  lb_simulator_destroy(s);
  lb_fem_destroy(fem);
}

static void absurd_velocities_never_leave_numbers(void **state) {
  (void)state;
  for_each_law(kind, model) {
    lbMaterial material = test_material(model);
    lbFem *fem = box_fem(kind, 1, 1, 1, 0.1, 0.1, 0.1, &material, false);
    double *v = random_vector(fem, 1e6, 21), *none = zeros(fem);
    lbSimulator *s = simulator(fem, 1e-2, v);
    abuse_and_rest(fem, s, none);
    free(v), free(none);
    lb_simulator_destroy(s);
    lb_fem_destroy(fem);
  }
}

static void bad_starts_are_refused_by_name(void **state) {
  (void)state;
  lbMaterial material = test_material(LB_MATERIAL_NEOHOOKEAN);
  lbFem *fem = box_fem(LB_ELEMENT_BRICK8, 3, 1, 1, 3, 1, 1, &material, true);
  double *u = zeros(fem);
  const double *x = lb_fem_rest_positions(fem);
  lbSimulatorDef def = lb_simulator_def();
  lbSimulator *s = NULL;
  lbError err;
  for (int32_t v = 0; v < lb_fem_vertex_count(fem); v++)
    if (x[3 * (size_t)v] > 2.5) u[3 * (size_t)v] = -2;
  check_fails(lb_simulator_create(fem, &def, u, NULL, NULL, &s, &err), LB_ERR_MESH, err,
              "element 2 is inverted");
  u[7] = NAN;
  check_fails(lb_simulator_create(fem, &def, u, NULL, NULL, &s, &err), LB_ERR_ARGUMENT, err,
              "displacement of vertex 2");
  check_fails(lb_simulator_create(fem, &def, NULL, u, NULL, &s, &err), LB_ERR_ARGUMENT, err,
              "velocity of vertex 2");
  const struct {
    double step, mass, stiffness, tolerance;
    int32_t iterations;
    const char *part;
  } wrong[] = { { 0, 0, 0, 1e-9, 5, "time step" }, { NAN, 0, 0, 1e-9, 5, "time step" },
                { 1, -1, 0, 1e-9, 5, "damping" },  { 1, 0, NAN, 1e-9, 5, "damping" },
                { 1, 0, 0, 0, 5, "tolerance" },    { 1, 0, 0, 1, 5, "tolerance" },
                { 1, 0, 0, 1e-9, 0, "iterations" } };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    def.step = wrong[i].step, def.damping_mass = wrong[i].mass;
    def.damping_stiffness = wrong[i].stiffness, def.newton_tolerance = wrong[i].tolerance;
    def.newton_iterations = wrong[i].iterations;
    check_fails(lb_simulator_create(fem, &def, NULL, NULL, NULL, &s, &err), LB_ERR_ARGUMENT, err,
                wrong[i].part);
  }
  assert_null(s);
  free(u);
  lb_fem_destroy(fem);
}

// The bits of 20 steps, of a tangent matrix and of a static solve.
static uint64_t result_bits(lbElementKind kind) {
  lbMaterial material = test_material(LB_MATERIAL_STVK);
  bool tets = kind == LB_ELEMENT_TET4; // more than one range of batches for the threads
  lbFem *fem =
      box_fem(kind, tets ? 6 : 9, tets ? 4 : 6, tets ? 4 : 5, 1, 0.6, 0.6, &material, true);
  size_t bytes = 3 * (size_t)lb_fem_vertex_count(fem) * sizeof(double);
  double *load = gravity_load(fem, 1, 2, -9.81), *u = zeros(fem);
  lbSimulator *s = simulator(fem, 1e-2, NULL);
  for (int n = 0; n < 20; n++) lb_simulator_step(s, load);
  uint64_t hash = check_hash(0, lb_simulator_displacement(s), bytes);
  lbAssembler *assembler = NULL;
  lbSparse *K = NULL;
  lbStaticDef def = lb_static_def();
  lbStaticResult result;
  lbError err;
  check_ok(lb_assembler_create(fem, &assembler, &err), err);
  check_ok(lb_sparse_copy_pattern(fem->pattern, &K, &err), err);
  lb_assemble(assembler, lb_simulator_displacement(s), NULL, K);
  hash = check_hash(hash, K->values, (size_t)lb_sparse_nonzero_count(K) * sizeof(double));
  hash = check_hash(hash, fem->mass->values,
                    (size_t)lb_sparse_nonzero_count(fem->mass) * sizeof(double));
  check_ok(lb_fem_static(fem, load, &def, u, &result, &err), err);
  hash = check_hash(hash, u, bytes);
  free(load), free(u);
  lb_assembler_destroy(assembler);
  lb_sparse_destroy(K);
  lb_simulator_destroy(s);
  lb_fem_destroy(fem);
  return hash;
}

static void results_have_the_same_bits_for_any_number_of_threads(void **state) {
  (void)state;
  for_each_element(kind) {
    uint64_t first = 0;
    for (int32_t threads = 1; threads <= 4; threads++) {
      lbError err;
      check_ok(lb_build_start(threads < 4 ? threads : 1, &err), err);
      uint64_t bits = result_bits(kind);
      lb_build_stop();
      if (threads == 1) first = bits;
      assert_true(bits == first);
    }
  }
}

static void a_step_allocates_nothing_after_the_first(void **state) {
  (void)state;
  for_each_law(kind, model) for (int damped = 0; damped < 2; damped++) {
    CheckedHeap heap = { .fail_at = -1 };
    lbAllocator allocator = checked_allocator(&heap);
    lb_set_allocator(&allocator);
    lbMaterial material = test_material(model);
    lbFem *fem = box_fem(kind, 3, 1, 1, 0.3, 0.1, 0.1, &material, true);
    double *load = gravity_load(fem, 0, 0, -9.81);
    lbSimulatorDef def = lb_simulator_def();
    lbSimulator *s = NULL;
    lbError err;
    def.damping_stiffness = damped ? 1e-3 : 0;
    check_ok(lb_simulator_create(fem, &def, NULL, NULL, load, &s, &err), err);
    lb_simulator_step(s, load);
    int64_t before = heap.count;
    for (int n = 0; n < 10; n++) lb_simulator_step(s, load);
    lb_simulator_state(s);
    assert_int_equal(heap.count, before);
    lb_simulator_destroy(s);
    lb_fem_destroy(fem);
    lb_set_allocator(NULL);
    assert_int_equal(heap.live, 0);
    free(load);
  }
}

typedef struct Job {
  const lbMesh *mesh;
  const lbFemDef *def;
  const lbFem *fem;
  double *load, *u;
} Job;

static lbStatus create_job(Job *job, lbError *err) {
  lbFem *fem = NULL;
  lbStatus status = lb_fem_create(job->mesh, job->def, &fem, err);
  if (status) assert_null(fem);
  lb_fem_destroy(fem);
  return status;
}

static lbStatus static_job(Job *job, lbError *err) {
  lbStaticDef def = lb_static_def();
  lbStaticResult result;
  memset(job->u, 0, 3 * (size_t)lb_fem_vertex_count(job->fem) * sizeof(double));
  lbStatus status = lb_fem_static(job->fem, job->load, &def, job->u, &result, err);
  if (status) check_small(largest(job->fem, job->u), 0);
  return status;
}

static lbStatus simulator_job(Job *job, lbError *err) {
  lbSimulatorDef def = lb_simulator_def();
  lbSimulator *s = NULL;
  lbStatus status = lb_simulator_create(job->fem, &def, NULL, NULL, job->load, &s, err);
  if (status) assert_null(s);
  lb_simulator_destroy(s);
  return status;
}

static lbStatus evaluate_job(Job *job, lbError *err) {
  lbEvaluation out;
  return lb_fem_evaluate(job->fem, job->load, job->u, job->load, job->u, &out, err);
}

static lbStatus modes_job(Job *job, lbError *err) {
  lbModes *modes = NULL;
  lbStatus status = lb_fem_modes(job->fem, 2, &modes, err);
  lb_modes_destroy(modes);
  return status;
}

static void every_failed_allocation_is_reported_and_nothing_leaks(void **state) {
  (void)state;
  lbStatus (*const jobs[])(Job *, lbError *) = { create_job, static_job, simulator_job,
                                                 evaluate_job, modes_job };
  for_each_element(kind) {
    lbMaterial material = test_material(LB_MATERIAL_STVK);
    lbMesh *mesh = box_mesh(kind, 2, 1, 1, 0.2, 0.1, 0.1);
    bool *fixed = side(mesh, 0, 0);
    lbFemDef def = lb_fem_def();
    def.materials = &material, def.material_count = 1, def.fixed = fixed;
    lbFem *fem = fem_of_mesh(mesh, &material, fixed, LB_MASS_CONSISTENT);
    Job job = { mesh, &def, fem, gravity_load(fem, 0, 0, -9.81), zeros(fem) };
    for (size_t j = 0; j < sizeof jobs / sizeof *jobs; j++) {
      int64_t n = 0;
      for (lbStatus status = LB_ERR_MEMORY; status; n++) {
        CheckedHeap heap = { .fail_at = n };
        lbAllocator allocator = checked_allocator(&heap);
        lbError err;
        lb_set_allocator(&allocator);
        status = jobs[j](&job, &err);
        lb_set_allocator(NULL);
        if (heap.live) print_message("job %zu, allocation %d leaks\n", j, (int)n);
        assert_int_equal(heap.live, 0);
        if (status && status != LB_ERR_MEMORY)
          print_message("job %zu, %d: %s\n", j, (int)n, err.text);
        assert_true(status == LB_OK || status == LB_ERR_MEMORY);
        if (status == LB_OK) assert_true(heap.count <= n || j == 4);
      }
      assert_true(n > 2);
      print_message("  %s job %zu: %d allocations\n", lb_element_kind_name(kind), j, (int)n - 1);
    }
    free(job.load), free(job.u), free(fixed);
    lb_fem_destroy(fem);
    lb_mesh_destroy(mesh);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(huge_loads_never_leave_numbers),
    cmocka_unit_test(a_refused_step_keeps_the_last_state),
    cmocka_unit_test(absurd_velocities_never_leave_numbers),
    cmocka_unit_test(bad_starts_are_refused_by_name),
    cmocka_unit_test(results_have_the_same_bits_for_any_number_of_threads),
    cmocka_unit_test(a_step_allocates_nothing_after_the_first),
    cmocka_unit_test(every_failed_allocation_is_reported_and_nothing_leaks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
