// Bases from sketches: recording, thinning, static solves, the cache of shapes, loads that fail.
#include "basis_problems.h"

#include "limber/file.h"
#include "reduce/shape_cache.h"

#include <dirent.h>
#include <unistd.h>

static lbFem *sketch_bar(void) {
  lbMaterial material = test_material(LB_MATERIAL_STVK);
  return box_fem(LB_ELEMENT_TET4, 4, 1, 1, 1, 0.3, 0.3, &material, true);
}

static lbSketch *empty_sketch(void) {
  lbSketch *sketch = NULL;
  lbError err;
  check_ok(lb_sketch_create(&sketch, &err), err);
  return sketch;
}

static void add_load(lbSketch *sketch, const char *name, int32_t vertex, double x, double y,
                     double z) {
  lbSketchForce force = { vertex, { x, y, z } };
  lbError err;
  check_ok(lb_sketch_append(sketch, name, 1, &force, &err), err);
}

// Six different loads at the bar's end, with repetitions that thinning has to find.
static lbSketch *tip_sketch(const lbFem *fem) {
  lbSketch *sketch = empty_sketch();
  int32_t tip = fem->vertex_count - 1;
  for (int repeat = 0; repeat < 2; repeat++) {
    add_load(sketch, "pull", tip, 400, 0, 0);
    add_load(sketch, "side", tip, 0, 60, 0);
    add_load(sketch, "up", tip, 0, 0, 60);
    add_load(sketch, "down", tip, 0, 0, -120);
    add_load(sketch, "down a little more", tip, 0, 0, -120.01);
    add_load(sketch, "twist", tip, 0, 60, -60);
  }
  add_load(sketch, "nothing", tip, 0, 0, 0);
  add_load(sketch, "fixed", 0, 0, 0, 1e3); // vertex 0 cannot move
  return sketch;
}

static lbBasisDef sketch_def(const lbSketch *sketch, int32_t dimension) {
  lbBasisDef def = lb_basis_def();
  def.kind = LB_BASIS_SKETCH;
  def.sketch = sketch;
  def.dimension = dimension;
  return def;
}

static void the_basis_holds_the_static_shapes(void **state) {
  (void)state;
  lbFem *fem = sketch_bar();
  lbSketch *sketch = tip_sketch(fem);
  lbBasisDef def = sketch_def(sketch, 5);
  lbBasis *basis = make_basis(fem, &def);
  assert_int_equal(basis->candidate_count, 5); // pull, side, up, down, twist
  check_small(orthonormality(fem, fem->mass, 5, basis->vectors), 1e-10);
  const int32_t kept[5] = { 0, 1, 2, 3, 5 };
  for (int i = 0; i < 5; i++) {
    const lbSketchForce *force = &sketch->forces[sketch->loads[kept[i]].force_begin];
    double *load = zeros(fem), *shape = zeros(fem);
    lbStaticDef statics = lb_static_def();
    lbStaticResult result;
    lbError err;
    memcpy(load + 3 * (size_t)force->vertex, force->force, sizeof force->force);
    check_ok(lb_fem_static(fem, load, &statics, shape, &result, &err), err);
    check_small(outside_span(fem, basis, shape), 1e-9);
    free(load);
    free(shape);
  }
  lb_basis_destroy(basis);
  lb_sketch_destroy(sketch);
  lb_fem_destroy(fem);
}

static void separations_thin_loads_and_shapes(void **state) {
  (void)state;
  lbFem *fem = sketch_bar();
  lbSketch *sketch = tip_sketch(fem);
  lbBasisDef def = sketch_def(sketch, 1);
  def.load_separation = def.shape_separation = 0;
  lbBasis *basis = make_basis(fem, &def);
  int32_t all = basis->candidate_count; // repeats are gone even so, the near one is not
  lb_basis_destroy(basis);
  def.shape_separation = 0.01;
  basis = make_basis(fem, &def);
  int32_t shapes = basis->candidate_count;
  lb_basis_destroy(basis);
  def.load_separation = 0.9;
  basis = make_basis(fem, &def);
  int32_t far = basis->candidate_count;
  lb_basis_destroy(basis);
  assert_int_equal(all, 6);
  assert_int_equal(shapes, 5);
  assert_in_range(far, 1, 3);
  lb_sketch_destroy(sketch);
  lb_fem_destroy(fem);
}

typedef struct Watch {
  int solves, stop_after; // static solves begun; 0: never stop
  int warnings;
  char last[256];
} Watch;

static bool watch_progress(const char *stage, double fraction, void *context) {
  Watch *watch = context;
  if (strcmp(stage, "static solve") == 0 && fraction == 0) watch->solves++;
  return !(strcmp(stage, "sketch") == 0 && watch->stop_after && watch->solves >= watch->stop_after);
}

static void watch_log(lbLogLevel level, const char *text, void *context) {
  Watch *watch = context;
  watch->warnings += level == LB_LOG_WARNING;
  snprintf(watch->last, sizeof watch->last, "%s", text);
}

static lbStatus watched_make(const lbFem *fem, const lbBasisDef *def, Watch *watch, lbBasis **basis,
                             lbError *err) {
  *basis = NULL;
  lb_set_progress(watch_progress, watch);
  lb_set_log(watch_log, watch);
  lbStatus status = lb_basis_make(fem, def, basis, err);
  lb_set_progress(NULL, NULL);
  lb_set_log(NULL, NULL);
  return status;
}

static void empty_folder(const char *folder) {
  DIR *list = opendir(folder);
  char path[1024];
  for (struct dirent *entry; list && (entry = readdir(list));) {
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    if (entry->d_name[0] != '.') remove(path);
  }
  if (list) closedir(list);
}

// Cuts one file of the folder short.
static void break_one_file(const char *folder) {
  DIR *list = opendir(folder);
  char path[1024] = "";
  for (struct dirent *entry; list && (entry = readdir(list));)
    if (entry->d_name[0] != '.') snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
  if (list) closedir(list);
  assert_int_equal(truncate(path, 200), 0);
}

static void solved_shapes_are_used_again(void **state) {
  (void)state;
  lbFem *fem = sketch_bar();
  lbSketch *sketch = tip_sketch(fem);
  lbBasisDef def = sketch_def(sketch, 5);
  lbBasis *basis, *again;
  lbError err;
  char folder[600];
  snprintf(folder, sizeof folder, "%s", output_path("sketch-cache"));
  empty_folder(folder);
  def.cache = folder;

  Watch watch = { .stop_after = 2 }; // interrupted after two loads
  assert_int_equal(watched_make(fem, &def, &watch, &basis, &err), LB_ERR_INTERRUPTED);
  assert_null(basis);
  watch = (Watch){ 0 };
  check_ok(watched_make(fem, &def, &watch, &basis, &err), err);
  assert_int_equal(watch.solves, 3);
  watch = (Watch){ 0 };
  check_ok(watched_make(fem, &def, &watch, &again, &err), err);
  assert_int_equal(watch.solves, 0);
  size_t bytes = 15 * (size_t)fem->vertex_count * sizeof(double);
  assert_memory_equal(basis->vectors, again->vectors, bytes);
  lb_basis_destroy(again);

  break_one_file(folder);
  watch = (Watch){ 0 };
  check_ok(watched_make(fem, &def, &watch, &again, &err), err);
  assert_int_equal(watch.solves, 1);
  assert_int_equal(watch.warnings, 1);
  assert_memory_equal(basis->vectors, again->vectors, bytes);
  lb_basis_destroy(again);
  lb_basis_destroy(basis);
  lb_sketch_destroy(sketch);
  lb_fem_destroy(fem);
}

static void another_body_has_other_keys(void **state) {
  (void)state;
  lbMaterial soft = test_material(LB_MATERIAL_STVK), stiff = soft;
  stiff.young *= 2;
  lbFem *a = box_fem(LB_ELEMENT_TET4, 2, 1, 1, 1, 1, 1, &soft, true);
  lbFem *b = box_fem(LB_ELEMENT_TET4, 2, 1, 1, 1, 1, 1, &stiff, true);
  lbFem *c = box_fem(LB_ELEMENT_TET4, 2, 1, 1, 1, 1, 1, &soft, false);
  lbFem *d = box_fem(LB_ELEMENT_TET4, 2, 1, 1, 1, 1, 1.0000001, &soft, true);
  lbStaticDef def = lb_static_def();
  const lbFem *bodies[4] = { a, b, c, d };
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) {
      lbShapeKey x = lb_shape_key_body(bodies[i], &def), y = lb_shape_key_body(bodies[j], &def);
      assert_int_equal(x.a == y.a && x.b == y.b, i == j);
    }
  for (int i = 0; i < 4; i++) lb_fem_destroy((lbFem *)bodies[i]);
}

static void a_load_without_equilibrium_is_left_out_and_told(void **state) {
  (void)state;
  lbMaterial material = test_material(LB_MATERIAL_NEOHOOKEAN);
  lbFem *fem = box_fem(LB_ELEMENT_TET4, 1, 1, 1, 1, 1, 1, &material, true);
  lbSketch *sketch = empty_sketch();
  int32_t tip = fem->vertex_count - 1;
  add_load(sketch, "gentle", tip, 0, 0, 100);
  add_load(sketch, "crush", tip, -1e20, 0, 0);
  add_load(sketch, "side", tip, 0, 100, 0);
  lbBasisDef def = sketch_def(sketch, 2);
  def.load_separation = def.shape_separation = 0;
  char folder[600];
  snprintf(folder, sizeof folder, "%s", output_path("crush-cache"));
  empty_folder(folder);
  def.cache = folder;
  for (int again = 0; again < 2; again++) {
    lbBasis *basis;
    lbError err;
    Watch watch = { 0 };
    check_ok(watched_make(fem, &def, &watch, &basis, &err), err);
    assert_int_equal(watch.solves > 0, !again);
    assert_int_equal(basis->candidate_count, 2);
    assert_int_equal(watch.warnings, 1);
    assert_non_null(strstr(watch.last, "load 1 of the sketch (\"crush\") is left out"));
    lb_basis_destroy(basis);
  }
  lb_sketch_destroy(sketch);
  lb_fem_destroy(fem);
}

static void a_load_beyond_all_numbers_is_left_out_and_told(void **state) {
  (void)state;
  lbFem *fem = sketch_bar();
  lbSketch *sketch = tip_sketch(fem);
  add_load(sketch, "beyond", fem->vertex_count - 1, 0, 1e300, 0);
  lbBasisDef def = sketch_def(sketch, 5);
  lbBasis *basis;
  lbError err;
  Watch watch = { 0 };
  check_ok(watched_make(fem, &def, &watch, &basis, &err), err);
  assert_int_equal(watch.warnings, 1);
  assert_non_null(strstr(watch.last, "load 14 of the sketch (\"beyond\") is left out"));
  assert_int_equal(basis->candidate_count, 5);
  lb_basis_destroy(basis);
  lb_sketch_destroy(sketch);
  lb_fem_destroy(fem);
}

static void bad_sketches_are_refused(void **state) {
  (void)state;
  lbFem *fem = sketch_bar();
  lbSketch *sketch = empty_sketch();
  lbBasisDef def = sketch_def(NULL, 1);
  lbBasis *basis = NULL;
  lbError err;
  check_fails(lb_basis_make(fem, &def, &basis, &err), LB_ERR_ARGUMENT, err, "has no loads");
  def.sketch = sketch;
  check_fails(lb_basis_make(fem, &def, &basis, &err), LB_ERR_ARGUMENT, err, "has no loads");
  add_load(sketch, "a", fem->vertex_count - 1, 1, 0, 0);
  def.dimension = 2;
  check_fails(lb_basis_make(fem, &def, &basis, &err), LB_ERR_ARGUMENT, err,
              "1 loads of the sketch give only 1 different shapes");
  def.load_separation = -1;
  check_fails(lb_basis_make(fem, &def, &basis, &err), LB_ERR_ARGUMENT, err, "separations");
  def = sketch_def(sketch, 1);
  add_load(sketch, "far out", 1000000, 1, 0, 0);
  check_fails(lb_basis_make(fem, &def, &basis, &err), LB_ERR_ARGUMENT, err,
              "(\"far out\") acts on vertex 1000000");
  lbFem *loose = small_bar(LB_ELEMENT_TET4, false);
  sketch->load_count = 1;
  check_fails(lb_basis_make(loose, &def, &basis, &err), LB_ERR_ARGUMENT, err, "do not hold");
  sketch->load_count = 2;
  assert_null(basis);
  lb_sketch_destroy(sketch);
  lb_sketch_destroy(NULL);
  lb_fem_destroy(loose);
  lb_fem_destroy(fem);
}

static void bad_loads_are_not_recorded(void **state) {
  (void)state;
  lbSketch *sketch = empty_sketch();
  lbError err;
  lbSketchForce forces[2] = { { 3, { 0, 1, 2 } }, { -1, { 0, 0, 0 } } };
  check_fails(lb_sketch_append(sketch, "a", 0, forces, &err), LB_ERR_ARGUMENT, err, "no forces");
  check_fails(lb_sketch_append(sketch, "a", 2, forces, &err), LB_ERR_ARGUMENT, err, "vertex -1");
  forces[1] = (lbSketchForce){ 4, { 0, NAN, 0 } };
  check_fails(lb_sketch_append(sketch, "a", 2, forces, &err), LB_ERR_ARGUMENT, err, "is nan");
  assert_int_equal(sketch->load_count, 0);
  for (int64_t n = 0;; n++) {
    CheckedHeap heap = { .fail_at = n };
    lbAllocator allocator = checked_allocator(&heap);
    lb_set_allocator(&allocator);
    lbSketch *other = NULL;
    lbStatus status = lb_sketch_create(&other, &err);
    if (!status) status = lb_sketch_append(other, "a", 1, forces, &err);
    lb_sketch_destroy(other);
    lb_set_allocator(NULL);
    assert_int_equal(heap.live, 0);
    if (!status) break;
    assert_int_equal(status, LB_ERR_MEMORY);
  }
  lb_sketch_destroy(sketch);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_basis_holds_the_static_shapes),
    cmocka_unit_test(separations_thin_loads_and_shapes),
    cmocka_unit_test(solved_shapes_are_used_again),
    cmocka_unit_test(another_body_has_other_keys),
    cmocka_unit_test(a_load_without_equilibrium_is_left_out_and_told),
    cmocka_unit_test(a_load_beyond_all_numbers_is_left_out_and_told),
    cmocka_unit_test(bad_sketches_are_refused),
    cmocka_unit_test(bad_loads_are_not_recorded),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
