// Embedding: weights sum to one, reproduce linear fields, and the transpose is the adjoint.
#include "mesh/test_surfaces.h"

#include "limber/math.h"
#include "limber/voxelise.h"

enum { N = 3, SIDE = N + 1, POINTS = 400 };

// N³ bricks, bent by up to `bend`; the map y -> y + 0.3 x keeps them from being axis-aligned.
static lbMesh *brick_block(double bend, double shear) {
  uint64_t seed = 12;
  lbMeshBuilder builder;
  lb_mesh_builder_begin(&builder);
  for (int i = 0; i < SIDE * SIDE * SIDE; i++) {
    double x = i % SIDE, y = i / SIDE % SIDE, z = i / SIDE / SIDE;
    double dx = bend * check_random(&seed), dy = bend * check_random(&seed);
    lb_mesh_add_vertex(&builder, x + dx, y + shear * x + dy, z + bend * check_random(&seed));
  }
  for (int b = 0; b < N * N * N; b++) {
    int a = b % N + SIDE * (b / N % N) + SIDE * SIDE * (b / N / N), top = a + SIDE * SIDE;
    lb_mesh_add_brick(&builder, (int32_t[8]){ a, a + 1, a + 1 + SIDE, a + SIDE, top, top + 1,
                                              top + 1 + SIDE, top + SIDE });
  }
  return finish(&builder);
}

// value = A x + b, some fixed A and b.
static void linear_field(const double *x, double *value) {
  value[0] = 0.3 + 1.1 * x[0] - 0.4 * x[1] + 0.2 * x[2];
  value[1] = -0.7 + 0.5 * x[0] + 0.9 * x[1] - 0.6 * x[2];
  value[2] = 0.2 - 0.3 * x[0] + 0.8 * x[1] + 1.3 * x[2];
}

static void check_embedding(const lbMesh *mesh, double low, double high) {
  static double points[3 * POINTS], at_points[3 * POINTS], nodes[3 * 600], expected[3];
  uint64_t seed = 21;
  lbEmbedding *embedding = NULL;
  lbError err;
  for (int i = 0; i < 3 * POINTS; i++)
    points[i] = low + (high - low) * (check_random(&seed) + 1) / 2;
  check_ok(lb_mesh_embed(mesh, points, POINTS, &embedding, &err), err);
  for (int p = 0; p < POINTS; p++) {
    double sum = 0;
    for (int32_t k = embedding->begin[p]; k < embedding->begin[p + 1]; k++)
      sum += embedding->weights[k];
    check_near(sum, 1, 1e-13);
  }
  assert_true(mesh->vertex_count <= 600);
  for (int32_t v = 0; v < mesh->vertex_count; v++)
    linear_field(mesh->positions + 3 * v, nodes + 3 * v);
  lb_embedding_apply(embedding, nodes, at_points);
  for (int p = 0; p < POINTS; p++) {
    linear_field(points + 3 * p, expected);
    for (int i = 0; i < 3; i++) check_near(at_points[3 * p + i], expected[i], 1e-12);
  }
  lb_embedding_destroy(embedding);
}

static void aligned_bricks_reproduce_linear_fields(void **state) {
  (void)state;
  lbMesh *mesh = brick_block(0, 0);
  check_embedding(mesh, 0, N);
  check_embedding(mesh, -1, N + 1); // outside too
  lb_mesh_destroy(mesh);
}

static void bent_bricks_reproduce_linear_fields(void **state) {
  (void)state;
  lbMesh *mesh = brick_block(0.15, 0.3);
  check_embedding(mesh, 0, N);
  check_embedding(mesh, -1, N + 1);
  lb_mesh_destroy(mesh);
}

static void tets_reproduce_linear_fields(void **state) {
  (void)state;
  lbError err;
  lbMesh *mesh = brick_block(0.1, 0.3), *tets = NULL;
  check_ok(lb_mesh_split_bricks(mesh, &tets, &err), err);
  check_embedding(tets, 0, N);
  check_embedding(tets, -1, N + 1);
  lb_mesh_destroy(tets);
  lb_mesh_destroy(mesh);
}

// Inside a brick the weights are the trilinear ones: a field that is trilinear in an aligned brick.
static void aligned_bricks_interpolate_trilinearly(void **state) {
  (void)state;
  lbMesh *mesh = brick_block(0, 0);
  double point[3] = { 0.25, 1.5, 2.75 }, values[3 * SIDE * SIDE * SIDE], got[3];
  lbEmbedding *embedding = NULL;
  lbError err;
  for (int32_t v = 0; v < mesh->vertex_count; v++) {
    const double *x = mesh->positions + 3 * v;
    values[3 * v] = x[0] * x[1] * x[2];
    values[3 * v + 1] = x[0] * x[1], values[3 * v + 2] = x[2];
  }
  check_ok(lb_mesh_embed(mesh, point, 1, &embedding, &err), err);
  lb_embedding_apply(embedding, values, got);
  check_near(got[0], 0.25 * 1.5 * 2.75, 1e-14);
  check_near(got[1], 0.25 * 1.5, 1e-14);
  assert_int_equal(embedding->elements[0], 0 + N * 1 + N * N * 2);
  assert_int_equal(embedding->outside_count, 0);
  lb_embedding_destroy(embedding);
  lb_mesh_destroy(mesh);
}

static void points_outside_are_counted_and_measured(void **state) {
  (void)state;
  lbMesh *mesh = brick_block(0, 0);
  double points[] = { 1, 1, 1, -2, 1.5, 1.5, 1.5, 1.5, N + 0.5, N, N, N };
  lbEmbedding *embedding = NULL;
  lbError err;
  check_ok(lb_mesh_embed(mesh, points, 4, &embedding, &err), err);
  assert_int_equal(embedding->outside_count, 2);
  check_near(embedding->outside_distance, 2, 1e-12);
  assert_int_equal(embedding->elements[1], N + N * N); // the brick beside the point
  lb_embedding_destroy(embedding);
  lb_mesh_destroy(mesh);
}

// Against looking at every element: the element found is as near as any.
static void the_nearest_tet_is_found(void **state) {
  (void)state;
  lbError err;
  uint64_t seed = 33;
  lbMesh *mesh = brick_block(0.1, 0.2), *tets = NULL, *single = NULL;
  check_ok(lb_mesh_split_bricks(mesh, &tets, &err), err);
  for (int p = 0; p < 10; p++) {
    double point[3], best = INFINITY;
    for (int i = 0; i < 3; i++) point[i] = 1.5 + 3 * check_random(&seed);
    for (int32_t t = 0; t < tets->tet_count; t++) {
      lbMeshBuilder builder;
      lbEmbedding *one = NULL;
      lb_mesh_builder_begin(&builder);
      for (int a = 0; a < 4; a++) {
        const double *x = tets->positions + 3 * tets->tets[4 * t + a];
        lb_mesh_add_vertex(&builder, x[0], x[1], x[2]);
      }
      lb_mesh_add_tet(&builder, (int32_t[4]){ 0, 1, 2, 3 });
      single = finish(&builder);
      check_ok(lb_mesh_embed(single, point, 1, &one, &err), err);
      best = fmin(best, one->outside_distance);
      lb_embedding_destroy(one);
      lb_mesh_destroy(single);
    }
    lbEmbedding *all = NULL;
    check_ok(lb_mesh_embed(tets, point, 1, &all, &err), err);
    check_near(all->outside_distance, best, 1e-9);
    lb_embedding_destroy(all);
  }
  lb_mesh_destroy(tets);
  lb_mesh_destroy(mesh);
}

static void the_transpose_is_the_adjoint(void **state) {
  (void)state;
  static double points[3 * POINTS], forces[3 * POINTS], at_points[3 * POINTS];
  double nodes[3 * SIDE * SIDE * SIDE], at_nodes[3 * SIDE * SIDE * SIDE];
  uint64_t seed = 44;
  lbMesh *mesh = brick_block(0.1, 0.2);
  lbEmbedding *embedding = NULL;
  lbError err;
  for (int i = 0; i < 3 * POINTS; i++) {
    points[i] = 1.5 + 2 * check_random(&seed);
    forces[i] = check_random(&seed);
  }
  for (int i = 0; i < 3 * mesh->vertex_count; i++) nodes[i] = check_random(&seed);
  check_ok(lb_mesh_embed(mesh, points, POINTS, &embedding, &err), err);
  lb_embedding_apply(embedding, nodes, at_points);
  lb_embedding_apply_transpose(embedding, forces, at_nodes);
  double left = 0, right = 0, force_sum = 0, node_sum = 0;
  for (int i = 0; i < 3 * POINTS; i++) left += forces[i] * at_points[i], force_sum += forces[i];
  for (int i = 0; i < 3 * mesh->vertex_count; i++)
    right += nodes[i] * at_nodes[i], node_sum += at_nodes[i];
  check_near(left, right, 1e-11);
  check_near(force_sum, node_sum, 1e-11); // no force is lost
  lb_embedding_destroy(embedding);
  lb_mesh_destroy(mesh);
}

static void flat_and_missing_elements_are_refused(void **state) {
  (void)state;
  double point[3] = { 0, 0, 0 }, bad[3] = { 0, NAN, 0 };
  lbMeshBuilder builder;
  lbEmbedding *embedding = NULL;
  lbError err;
  lbMesh *surface = box_surface(1, 1, 1);
  check_fails(lb_mesh_embed(surface, point, 1, &embedding, &err), LB_ERR_MESH, err,
              "no volume elements");
  lb_mesh_builder_begin(&builder);
  for (int i = 0; i < 4; i++) lb_mesh_add_vertex(&builder, i, i * i, 0);
  lb_mesh_add_tet(&builder, (int32_t[4]){ 0, 1, 2, 3 });
  lbMesh *flat = finish(&builder);
  check_fails(lb_mesh_embed(flat, point, 1, &embedding, &err), LB_ERR_MESH, err, "flat");
  check_fails(lb_mesh_embed(flat, bad, 1, &embedding, &err), LB_ERR_ARGUMENT, err, "point 0");
  assert_null(embedding);
  lb_mesh_destroy(flat);
  lb_mesh_destroy(surface);
}

static void embedding_survives_every_failing_allocation(void **state) {
  (void)state;
  lbMesh *mesh = brick_block(0.1, 0.2);
  double points[6] = { 1, 1, 1, 5, 5, 5 };
  for (int64_t n = 0;; n++) {
    CheckedHeap heap = { n, 0, 0 };
    lbAllocator allocator = checked_allocator(&heap);
    lb_set_allocator(&allocator);
    lbEmbedding *embedding = NULL;
    lbStatus status = lb_mesh_embed(mesh, points, 2, &embedding, NULL);
    lb_embedding_destroy(embedding);
    lb_set_allocator(NULL);
    assert_int_equal(heap.live, 0);
    if (status == LB_OK) break;
    assert_int_equal(status, LB_ERR_MEMORY);
    assert_true(n < 100);
  }
  lb_mesh_destroy(mesh);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(aligned_bricks_reproduce_linear_fields),
    cmocka_unit_test(bent_bricks_reproduce_linear_fields),
    cmocka_unit_test(tets_reproduce_linear_fields),
    cmocka_unit_test(aligned_bricks_interpolate_trilinearly),
    cmocka_unit_test(points_outside_are_counted_and_measured),
    cmocka_unit_test(the_nearest_tet_is_found),
    cmocka_unit_test(the_transpose_is_the_adjoint),
    cmocka_unit_test(flat_and_missing_elements_are_refused),
    cmocka_unit_test(embedding_survives_every_failing_allocation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
