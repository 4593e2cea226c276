// Voxelising: volumes, holes, hollows, sheets, wrong windings, joints, errors.
#include "mesh/test_surfaces.h"

#include "limber/math.h"
#include "limber/voxelise.h"

typedef struct Voxels {
  lbMesh *volume;
  lbEmbedding *embedding;
} Voxels;

static Voxels voxelise_with(const lbMesh *surface, const lbVoxeliseDef *def) {
  Voxels made = { NULL, NULL };
  lbError err;
  check_ok(lb_mesh_voxelise(surface, def, &made.volume, &made.embedding, &err), err);
  return made;
}

static Voxels voxelise(const lbMesh *surface, int32_t cells) {
  lbVoxeliseDef def = lb_voxelise_def();
  def.cells = cells;
  return voxelise_with(surface, &def);
}

static void release(Voxels made) {
  lb_mesh_destroy(made.volume);
  lb_embedding_destroy(made.embedding);
}

static double cell_of(const lbMesh *volume) {
  return volume->positions[3 * volume->bricks[6]] - volume->positions[3 * volume->bricks[0]];
}

static double volume_of(const lbMesh *volume) {
  return volume->brick_count * pow(cell_of(volume), 3);
}

// The surface comes back from the nodes at rest, and every vertex is inside.
static void check_positions(const lbMesh *surface, Voxels made, double tolerance) {
  double *x = malloc(3 * (size_t)surface->vertex_count * sizeof *x), worst = 0;
  assert_non_null(x);
  lb_embedding_apply(made.embedding, made.volume->positions, x);
  for (int i = 0; i < 3 * surface->vertex_count; i++)
    worst = fmax(worst, fabs(x[i] - surface->positions[i]));
  check_small(worst, tolerance);
  free(x);
}

static bool has_cell_at(const lbMesh *volume, double x, double y, double z) {
  for (int32_t b = 0; b < volume->brick_count; b++) {
    const double *low = volume->positions + 3 * (size_t)volume->bricks[8 * (size_t)b];
    const double *high = volume->positions + 3 * (size_t)volume->bricks[8 * (size_t)b + 6];
    if (low[0] <= x && x <= high[0] && low[1] <= y && y <= high[1] && low[2] <= z && z <= high[2])
      return true;
  }
  return false;
}

static lbMesh *sphere_with(double radius, int rows, bool turned, int skipped) {
  lbMeshBuilder builder;
  lb_mesh_builder_begin(&builder);
  add_sphere(&builder, 0, 0, 0, radius, rows, turned, skipped);
  return finish(&builder);
}

// ---- volumes -----------------------------------------------------------------------------------

static void a_box_is_filled_exactly(void **state) {
  (void)state;
  lbMesh *surface = box_surface(1, 0.5, 0.25);
  Voxels made = voxelise(surface, 16);
  assert_int_equal(made.volume->brick_count, 16 * 8 * 4);
  assert_int_equal(made.volume->vertex_count, 17 * 9 * 5);
  check_near(volume_of(made.volume), 0.125, 4e-6);
  check_positions(surface, made, 1e-14);
  release(made);
  lb_mesh_destroy(surface);
}

static void a_sphere_converges_to_its_volume(void **state) {
  (void)state;
  lbMesh *surface = sphere_surface(1, 40);
  double exact = 4 * LB_PI / 3, before = INFINITY;
  for (int32_t cells = 8; cells <= 32; cells *= 2) {
    Voxels made = voxelise(surface, cells);
    double excess = volume_of(made.volume) - exact;
    assert_true(excess > 0); // all of the surface is inside
    assert_true(excess < 0.65 * before);
    before = excess;
    check_positions(surface, made, 1e-12);
    assert_int_equal(made.embedding->outside_count, 0);
    release(made);
  }
  check_small(before, 0.16 * exact);
  lb_mesh_destroy(surface);
}

static void every_vertex_lies_in_its_brick(void **state) {
  (void)state;
  lbMesh *surface = sphere_surface(1, 20);
  Voxels made = voxelise(surface, 13);
  for (int32_t k = 0; k < made.embedding->begin[surface->vertex_count]; k++)
    assert_true(made.embedding->weights[k] >= -1e-15 && made.embedding->weights[k] <= 1 + 1e-15);
  release(made);
  lb_mesh_destroy(surface);
}

static void the_same_surface_gives_the_same_bricks(void **state) {
  (void)state;
  lbMesh *surface = sphere_with(1, 20, false, 3);
  Voxels a = voxelise(surface, 20), b = voxelise(surface, 20);
  assert_int_equal(a.volume->brick_count, b.volume->brick_count);
  assert_memory_equal(a.volume->bricks, b.volume->bricks,
                      8 * (size_t)a.volume->brick_count * sizeof(int32_t));
  assert_memory_equal(a.volume->positions, b.volume->positions,
                      3 * (size_t)a.volume->vertex_count * sizeof(double));
  release(a);
  release(b);
  lb_mesh_destroy(surface);
}

static void one_cell_is_enough(void **state) {
  (void)state;
  lbMesh *surface = sphere_surface(1, 8);
  Voxels made = voxelise(surface, 1);
  assert_int_equal(made.volume->brick_count, 1);
  check_positions(surface, made, 1e-14);
  release(made);
  lb_mesh_destroy(surface);
}

static void cell_size_takes_precedence(void **state) {
  (void)state;
  lbMesh *surface = box_surface(1, 0.5, 0.25);
  lbVoxeliseDef def = lb_voxelise_def();
  def.cell_size = 0.125;
  Voxels made = voxelise_with(surface, &def);
  assert_int_equal(made.volume->brick_count, 8 * 4 * 2);
  release(made);
  lb_mesh_destroy(surface);
}

static void without_filling_only_the_skin_is_made(void **state) {
  (void)state;
  lbMesh *surface = sphere_with(1, 20, false, 0);
  lbVoxeliseDef def = lb_voxelise_def();
  def.fill_inside = false;
  Voxels made = voxelise_with(surface, &def);
  assert_false(has_cell_at(made.volume, 0, 0, 0));
  assert_true(has_cell_at(made.volume, 0, 0, 0.999));
  release(made);
  lb_mesh_destroy(surface);
}

// ---- inside ------------------------------------------------------------------------------------

static void an_inside_out_sphere_is_filled(void **state) {
  (void)state;
  lbMesh *right = sphere_with(1, 20, false, 0), *wrong = sphere_with(1, 20, true, 0);
  Voxels a = voxelise(right, 24), b = voxelise(wrong, 24);
  assert_true(has_cell_at(b.volume, 0, 0, 0));
  assert_int_equal(a.volume->brick_count, b.volume->brick_count);
  release(a);
  release(b);
  lb_mesh_destroy(right);
  lb_mesh_destroy(wrong);
}

// A cap of three rows of 20 is missing: a hole about 10 cells wide.
static void a_sphere_with_a_hole_is_filled(void **state) {
  (void)state;
  for (int turned = 0; turned < 2; turned++) {
    lbMesh *whole = sphere_with(1, 20, false, 0), *holed = sphere_with(1, 20, turned, 3);
    Voxels a = voxelise(whole, 24), b = voxelise(holed, 24);
    assert_true(has_cell_at(b.volume, 0, 0, 0));
    assert_true(has_cell_at(b.volume, 0, 0, -0.7));
    assert_false(has_cell_at(b.volume, 0, 0, -1.2));
    check_near((double)b.volume->brick_count / a.volume->brick_count, 1, 0.04);
    release(a);
    release(b);
    lb_mesh_destroy(whole);
    lb_mesh_destroy(holed);
  }
}

// Every third triangle turned, as polygon soup from modellers has it.
static void wrong_windings_do_not_matter(void **state) {
  (void)state;
  for (int skipped = 0; skipped <= 2; skipped += 2) {
    lbMesh *right = sphere_with(1, 20, false, skipped), *mixed = sphere_with(1, 20, false, skipped);
    for (int32_t t = 0; t < mixed->triangle_count; t += 3) {
      int32_t *ids = mixed->triangles + 3 * t, kept = ids[1];
      ids[1] = ids[2], ids[2] = kept;
    }
    Voxels a = voxelise(right, 24), b = voxelise(mixed, 24);
    assert_int_equal(a.volume->brick_count, b.volume->brick_count);
    release(a);
    release(b);
    lb_mesh_destroy(right);
    lb_mesh_destroy(mixed);
  }
}

// No triangle shares a vertex, and each is shrunk: every edge is open, gaps are below a cell.
static void triangles_that_do_not_meet_still_enclose(void **state) {
  (void)state;
  lbMesh *whole = sphere_with(1, 20, false, 0);
  lbMeshBuilder builder;
  lb_mesh_builder_begin(&builder);
  for (int32_t t = 0; t < whole->triangle_count; t++) {
    lbVec3 x[3], middle = { 0, 0, 0 };
    for (int k = 0; k < 3; k++) {
      x[k] = lb_vec3_load(whole->positions + 3 * whole->triangles[3 * t + k]);
      middle = lb_add_scaled(middle, 1.0 / 3, x[k]);
    }
    for (int k = 0; k < 3; k++) {
      lbVec3 shrunk = lb_add_scaled(lb_scale(0.95, x[k]), 0.05, middle);
      lb_mesh_add_vertex(&builder, shrunk.x, shrunk.y, shrunk.z);
    }
    lb_mesh_add_triangle(&builder, (int32_t[3]){ 3 * t, 3 * t + 1, 3 * t + 2 });
  }
  lbMesh *soup = finish(&builder);
  Voxels made = voxelise(soup, 24);
  assert_true(has_cell_at(made.volume, 0, 0, 0));
  check_small(volume_of(made.volume) / (4 * LB_PI / 3) - 1, 0.3);
  release(made);
  lb_mesh_destroy(soup);
  lb_mesh_destroy(whole);
}

static void a_hollow_stays_empty_and_nested_shells_do_not(void **state) {
  (void)state;
  for (int turned = 0; turned < 2; turned++) {
    lbMeshBuilder builder;
    lb_mesh_builder_begin(&builder);
    add_sphere(&builder, 0, 0, 0, 1, 20, false, 0);
    add_sphere(&builder, 0, 0, 0, 0.5, 20, turned, 0);
    lbMesh *surface = finish(&builder);
    Voxels made = voxelise(surface, 24);
    assert_true(has_cell_at(made.volume, 0, 0, 0.75));
    assert_int_equal(has_cell_at(made.volume, 0, 0, 0), !turned);
    release(made);
    lb_mesh_destroy(surface);
  }
}

static void sheets_have_no_inside(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    lbMeshBuilder builder;
    lb_mesh_builder_begin(&builder);
    add_sheet(&builder, 24, k * 0.1);
    lbMesh *sheet = finish(&builder);
    lbVoxeliseDef skin = lb_voxelise_def();
    skin.fill_inside = false;
    Voxels made = voxelise(sheet, 24), thin = voxelise_with(sheet, &skin);
    assert_int_equal(made.volume->brick_count, thin.volume->brick_count);
    if (k == 0) assert_int_equal(made.volume->brick_count, 24 * 24);
    check_positions(sheet, made, 1e-14);
    release(made);
    release(thin);
    lb_mesh_destroy(sheet);
  }
}

static void crossing_and_separate_parts_are_filled(void **state) {
  (void)state;
  lbMeshBuilder builder;
  lb_mesh_builder_begin(&builder);
  add_sphere(&builder, 0, 0, 0, 1, 16, false, 0);
  add_sphere(&builder, 1, 0, 0, 1, 16, false, 0);
  add_sphere(&builder, 6, 0, 0, 1, 16, false, 0);
  lbMesh *surface = finish(&builder);
  Voxels made = voxelise(surface, 48);
  assert_true(has_cell_at(made.volume, 0, 0, 0) && has_cell_at(made.volume, 0.5, 0, 0));
  assert_true(has_cell_at(made.volume, 6, 0, 0));
  assert_false(has_cell_at(made.volume, 3.5, 0, 0));
  check_positions(surface, made, 1e-12);
  release(made);
  lb_mesh_destroy(surface);
}

// ---- joints ------------------------------------------------------------------------------------

static char last_warning[256];

static void keep_warning(lbLogLevel level, const char *text, void *context) {
  (void)context;
  if (level == LB_LOG_WARNING) snprintf(last_warning, sizeof last_warning, "%s", text);
}

// Two boxes that meet in one point (or, two apart, not at all).
static lbMesh *two_boxes(double gap) {
  lbMeshBuilder builder;
  double far = 1.01 + gap; // a box of 0.99 fills cells 0 .. 3 of 8, this one the next
  lb_mesh_builder_begin(&builder);
  add_box(&builder, (double[3]){ 0, 0, 0 }, (double[3]){ 0.99, 0.99, 0.99 });
  add_box(&builder, (double[3]){ far, far, far }, (double[3]){ 2 + gap, 2 + gap, 2 + gap });
  return finish(&builder);
}

static void cells_that_touch_by_a_corner_are_joined(void **state) {
  (void)state;
  lbVoxeliseDef def = lb_voxelise_def();
  def.cells = 8;
  lb_set_log(keep_warning, NULL);
  lbMesh *surface = two_boxes(0);
  Voxels joined = voxelise_with(surface, &def);
  assert_string_equal(last_warning, "");
  def.connect = false;
  Voxels apart = voxelise_with(surface, &def);
  assert_int_equal(apart.volume->brick_count, 2 * 64);
  assert_non_null(strstr(last_warning, "2 separate pieces"));
  assert_true(joined.volume->brick_count > 2 * 64);
  assert_true(joined.volume->brick_count <= 2 * 64 + 4);
  release(joined);
  release(apart);
  lb_mesh_destroy(surface);
  lb_set_log(NULL, NULL);
}

static int compare_edges(const void *a, const void *b) { return memcmp(a, b, 2 * sizeof(int32_t)); }

// Outer faces of the bricks: every edge has exactly two.
static void the_outside_of_joined_soup_is_a_manifold(void **state) {
  (void)state;
  static const int8_t faces[6][4] = { { 0, 3, 2, 1 }, { 4, 5, 6, 7 }, { 0, 1, 5, 4 },
                                      { 1, 2, 6, 5 }, { 2, 3, 7, 6 }, { 3, 0, 4, 7 } };
  uint64_t seed = 77;
  lbMeshBuilder builder;
  lb_mesh_builder_begin(&builder);
  for (int t = 0; t < 60; t++) {
    double x = check_random(&seed), y = check_random(&seed), z = check_random(&seed);
    for (int k = 0; k < 3; k++)
      lb_mesh_add_vertex(&builder, x + 0.08 * check_random(&seed), y + 0.08 * check_random(&seed),
                         z + 0.08 * check_random(&seed));
    lb_mesh_add_triangle(&builder, (int32_t[3]){ 3 * t, 3 * t + 1, 3 * t + 2 });
  }
  lbMesh *soup = finish(&builder);
  Voxels made = voxelise(soup, 12);
  const lbMesh *volume = made.volume;
  int32_t(*quads)[4] = malloc(6 * (size_t)volume->brick_count * sizeof *quads);
  int32_t(*edges)[2] = malloc(24 * (size_t)volume->brick_count * sizeof *edges);
  assert_true(quads && edges);
  size_t edge_count = 0;
  // A face is outer if no other brick has its two opposite corners: quadratic, but small.
  for (int32_t b = 0; b < volume->brick_count; b++)
    for (int f = 0; f < 6; f++) {
      int32_t *q = quads[6 * b + f];
      for (int k = 0; k < 4; k++) q[k] = volume->bricks[8 * b + faces[f][k]];
    }
  for (int32_t i = 0; i < 6 * volume->brick_count; i++) {
    bool outer = true;
    for (int32_t j = 0; j < 6 * volume->brick_count && outer; j++) {
      int common = 0;
      for (int k = 0; k < 4 && j != i; k++)
        for (int l = 0; l < 4; l++) common += quads[i][k] == quads[j][l];
      outer = common < 4;
    }
    for (int k = 0; k < 4 && outer; k++) {
      int32_t a = quads[i][k], c = quads[i][(k + 1) % 4];
      edges[edge_count][0] = a < c ? a : c;
      edges[edge_count++][1] = a < c ? c : a;
    }
  }
  qsort(edges, edge_count, sizeof *edges, compare_edges);
  for (size_t begin = 0, end; begin < edge_count; begin = end) {
    for (end = begin + 1; end < edge_count && !compare_edges(edges[begin], edges[end]);) end++;
    assert_int_equal(end - begin, 2);
  }
  free(quads);
  free(edges);
  release(made);
  lb_mesh_destroy(soup);
}

// ---- awkward input -----------------------------------------------------------------------------

static void degenerate_triangles_and_unused_vertices_are_taken(void **state) {
  (void)state;
  lbMeshBuilder builder;
  lb_mesh_builder_begin(&builder);
  add_box(&builder, (double[3]){ 0, 0, 0 }, (double[3]){ 1, 1, 1 });
  lb_mesh_add_triangle(&builder, (int32_t[3]){ 0, 0, 7 });
  lb_mesh_add_triangle(&builder, (int32_t[3]){ 3, 3, 3 });
  lb_mesh_add_vertex(&builder, 3, 0.5, 0.5); // used by nothing, far away
  lbMesh *surface = finish(&builder);
  Voxels made = voxelise(surface, 8);
  assert_int_equal(made.volume->brick_count, 512);
  assert_int_equal(made.embedding->outside_count, 1);
  check_near(made.embedding->outside_distance, 2, 1e-5);
  check_positions(surface, made, 1e-12);
  release(made);
  lb_mesh_destroy(surface);
}

static void a_single_segment_becomes_a_row_of_bricks(void **state) {
  (void)state;
  lbMeshBuilder builder;
  lb_mesh_builder_begin(&builder);
  lb_mesh_add_vertex(&builder, 0, 0, 0);
  lb_mesh_add_vertex(&builder, 1, 0, 0);
  lb_mesh_add_triangle(&builder, (int32_t[3]){ 0, 1, 0 });
  lbMesh *surface = finish(&builder);
  Voxels made = voxelise(surface, 5);
  assert_int_equal(made.volume->brick_count, 5);
  release(made);
  lb_mesh_destroy(surface);
}

static void far_from_the_origin_it_works_or_says_why(void **state) {
  (void)state;
  lbMesh *surface = sphere_surface(1, 12), *volume = NULL;
  lbVoxeliseDef def = lb_voxelise_def();
  lbError err;
  for (int32_t v = 0; v < surface->vertex_count; v++) surface->positions[3 * v] += 1e6;
  Voxels made = voxelise(surface, 16);
  check_positions(surface, made, 1e-9);
  release(made);
  for (int32_t v = 0; v < surface->vertex_count; v++) surface->positions[3 * v] += 1e14;
  check_fails(lb_mesh_voxelise(surface, &def, &volume, NULL, &err), LB_ERR_MESH, err, "origin");
  lb_mesh_destroy(surface);
}

static void wrong_definitions_are_refused_by_field(void **state) {
  (void)state;
  lbMesh *surface = sphere_surface(1, 6), *volume = NULL;
  lbError err;
  struct {
    int32_t cells;
    double cell_size;
    const char *part;
  } cases[] = { { 0, 0, "cells is 0" },           { -3, 0, "cells is -3" },
                { 100000, 0, "use fewer cells" }, { INT32_MAX, 0, "use fewer cells" },
                { 24, -1, "cell_size is -1" },    { 24, NAN, "cell_size is" },
                { 24, INFINITY, "cell_size is" }, { 24, 1e-5, "use fewer cells" } };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    lbVoxeliseDef def = lb_voxelise_def();
    def.cells = cases[i].cells;
    def.cell_size = cases[i].cell_size;
    check_fails(lb_mesh_voxelise(surface, &def, &volume, NULL, &err), LB_ERR_ARGUMENT, err,
                cases[i].part);
  }
  assert_null(volume);
  lb_mesh_destroy(surface);
}

static void unfit_surfaces_are_refused(void **state) {
  (void)state;
  lbVoxeliseDef def = lb_voxelise_def();
  lbMesh empty = { 0 }, *volume = NULL, *surface = sphere_surface(1, 6);
  lbError err;
  check_fails(lb_mesh_voxelise(&empty, &def, &volume, NULL, &err), LB_ERR_MESH, err,
              "no triangles");
  double kept = surface->positions[4];
  surface->positions[4] = NAN;
  check_fails(lb_mesh_voxelise(surface, &def, &volume, NULL, &err), LB_ERR_MESH, err, "vertex 1");
  surface->positions[4] = 1e300;
  check_fails(lb_mesh_voxelise(surface, &def, &volume, NULL, &err), LB_ERR_MESH, err, "vertex 1");
  surface->positions[4] = kept;
  int32_t kept_id = surface->triangles[5];
  surface->triangles[5] = 99999;
  check_fails(lb_mesh_voxelise(surface, &def, &volume, NULL, &err), LB_ERR_MESH, err,
              "triangle 1 uses vertex 99999");
  surface->triangles[5] = kept_id;
  for (int i = 0; i < 3 * surface->vertex_count; i++) surface->positions[i] = 0.5;
  check_fails(lb_mesh_voxelise(surface, &def, &volume, NULL, &err), LB_ERR_MESH, err, "no size");
  assert_null(volume);
  lb_mesh_destroy(surface);
}

static bool stop_late(const char *stage, double fraction, void *context) {
  (void)stage;
  return fraction < *(double *)context;
}

static void it_stops_when_asked(void **state) {
  (void)state;
  lbMesh *surface = sphere_surface(1, 6), *volume = NULL;
  lbVoxeliseDef def = lb_voxelise_def();
  lbError err;
  double limit = 0.5;
  lb_set_progress(stop_late, &limit);
  check_fails(lb_mesh_voxelise(surface, &def, &volume, NULL, &err), LB_ERR_INTERRUPTED, err, "");
  lb_set_progress(NULL, NULL);
  assert_null(volume);
  lb_mesh_destroy(surface);
}

static void voxelising_survives_every_failing_allocation(void **state) {
  (void)state;
  lbMesh *surface = sphere_with(1, 6, false, 1);
  lbVoxeliseDef def = lb_voxelise_def();
  def.cells = 5;
  for (int64_t n = 0;; n++) {
    CheckedHeap heap = { n, 0, 0 };
    lbAllocator allocator = checked_allocator(&heap);
    lb_set_allocator(&allocator);
    lbMesh *volume = NULL;
    lbEmbedding *embedding = NULL;
    lbStatus status = lb_mesh_voxelise(surface, &def, &volume, &embedding, NULL);
    lb_mesh_destroy(volume);
    lb_embedding_destroy(embedding);
    lb_set_allocator(NULL);
    assert_int_equal(heap.live, 0);
    if (status == LB_OK) break;
    assert_int_equal(status, LB_ERR_MEMORY);
    assert_null(volume);
    assert_true(n < 1000);
  }
  lb_mesh_destroy(surface);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_box_is_filled_exactly),
    cmocka_unit_test(a_sphere_converges_to_its_volume),
    cmocka_unit_test(every_vertex_lies_in_its_brick),
    cmocka_unit_test(the_same_surface_gives_the_same_bricks),
    cmocka_unit_test(one_cell_is_enough),
    cmocka_unit_test(cell_size_takes_precedence),
    cmocka_unit_test(without_filling_only_the_skin_is_made),
    cmocka_unit_test(an_inside_out_sphere_is_filled),
    cmocka_unit_test(a_sphere_with_a_hole_is_filled),
    cmocka_unit_test(wrong_windings_do_not_matter),
    cmocka_unit_test(triangles_that_do_not_meet_still_enclose),
    cmocka_unit_test(a_hollow_stays_empty_and_nested_shells_do_not),
    cmocka_unit_test(sheets_have_no_inside),
    cmocka_unit_test(crossing_and_separate_parts_are_filled),
    cmocka_unit_test(cells_that_touch_by_a_corner_are_joined),
    cmocka_unit_test(the_outside_of_joined_soup_is_a_manifold),
    cmocka_unit_test(degenerate_triangles_and_unused_vertices_are_taken),
    cmocka_unit_test(a_single_segment_becomes_a_row_of_bricks),
    cmocka_unit_test(far_from_the_origin_it_works_or_says_why),
    cmocka_unit_test(wrong_definitions_are_refused_by_field),
    cmocka_unit_test(unfit_surfaces_are_refused),
    cmocka_unit_test(it_stops_when_asked),
    cmocka_unit_test(voxelising_survives_every_failing_allocation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
