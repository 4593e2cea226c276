// Voxelising real and broken surfaces of others; skipped where they are not at hand.
#include "check.h"

#include "limber/voxelise.h"

#define SURFACES "../shared/meshes/surface/"
#define BAD "../shared/meshes/bad/"

// The log says how many bricks there are of each kind.
typedef struct Counts {
  int touched, inside, joining;
} Counts;

static void read_counts(lbLogLevel level, const char *text, void *context) {
  Counts *counts = context;
  const char *numbers = strstr(text, " m, ");
  if (level == LB_LOG_INFO && numbers)
    sscanf(numbers, " m, %d where the surface passes, %d inside, %d", &counts->touched,
           &counts->inside, &counts->joining);
}

// The surface comes back from the nodes at rest.
static void check_positions(const lbMesh *surface, const lbMesh *volume,
                            const lbEmbedding *embedding) {
  double *x = malloc(3 * (size_t)surface->vertex_count * sizeof *x), worst = 0, scale = 0;
  assert_non_null(x);
  lb_embedding_apply(embedding, volume->positions, x);
  for (size_t i = 0; i < 3 * (size_t)surface->vertex_count; i++) {
    worst = fmax(worst, fabs(x[i] - surface->positions[i]));
    scale = fmax(scale, fabs(surface->positions[i]));
  }
  free(x);
  check_small(worst, 1e-12 * scale);
}

static Counts count_bricks(const char *path) {
  lbVoxeliseDef def = lb_voxelise_def();
  lbMesh *surface = NULL, *volume = NULL;
  lbEmbedding *embedding = NULL;
  lbError err;
  Counts counts = { -1, -1, -1 };
  check_ok(lb_mesh_load(path, &surface, &err), err);
  lb_set_log(read_counts, &counts);
  check_ok(lb_mesh_voxelise(surface, &def, &volume, &embedding, &err), err);
  lb_set_log(NULL, NULL);
  assert_int_equal(volume->brick_count, counts.touched + counts.inside + counts.joining);
  check_positions(surface, volume, embedding);
  lb_mesh_destroy(surface);
  lb_mesh_destroy(volume);
  lb_embedding_destroy(embedding);
  return counts;
}

// Bricks inside, at least this part of all of them at 24 cells: lost interiors show.
static const struct {
  const char *path;
  double inside;
} solids[] = {
  { SURFACES "armadillo.obj", 0.2 },
  { SURFACES "blub_low.obj", 0.25 },
  { SURFACES "bunny_npm.obj", 0.45 },
  { SURFACES "cow.obj", 0.25 },
  { SURFACES "fertility.off", 0.13 },
  { SURFACES "goathead.obj", 0.38 },
  { SURFACES "horse.ply", 0.2 },
  { SURFACES "penguin.obj", 0.3 },
  { SURFACES "spot.obj", 0.4 },
  { SURFACES "spot_low.obj", 0.38 },
  { SURFACES "stanford-bunny_full.obj", 0.45 },
  { SURFACES "suzanne.obj", 0.35 },
  { SURFACES "teapot_npm.obj", 0.4 },
  { BAD "elephant-with-holes.off", 0.17 },
  { BAD "selfint_doubleLoop.obj", 0.17 },
};

static void real_surfaces_are_filled(void **state) {
  (void)state;
  int done = 0;
  for (size_t i = 0; i < sizeof solids / sizeof *solids; i++) {
    if (!check_shared(solids[i].path)) continue;
    Counts counts = count_bricks(solids[i].path);
    double inside = (double)counts.inside / (counts.touched + counts.inside);
    if (!(inside > solids[i].inside))
      fail_msg("%s: %.3f of the bricks are inside, expected more than %.3f", solids[i].path, inside,
               solids[i].inside);
    done++;
  }
  if (!done) skip();
}

static void a_cloth_has_no_inside(void **state) {
  (void)state;
  if (!check_shared(SURFACES "cloth100.obj")) skip();
  Counts counts = count_bricks(SURFACES "cloth100.obj");
  assert_int_equal(counts.inside, 0);
  assert_int_equal(counts.touched, 24 * 24);
}

// A clear message from the reader or the voxeliser, or bricks; never a crash.
static void broken_surfaces_give_bricks_or_a_message(void **state) {
  (void)state;
  static const char *const names[] = {
    BAD "OutOfMemory.off",
    BAD "all_degen.off",
    BAD "degenerated-sd.off",
    BAD "empty.obj",
    BAD "empty.off",
    BAD "empty.ply",
    BAD "incompatible_orientation.off",
    BAD "invalid_cut.obj",
    BAD "invalid_cut.ply",
    BAD "invalid_cut.stl",
    BAD "invalid_header.off",
    BAD "malformed.obj",
    BAD "nm_vertex_and_edge.off",
    BAD "notenoughindices.obj",
    BAD "soup.stl",
  };
  int done = 0;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (!check_shared(names[i])) continue;
    lbVoxeliseDef def = lb_voxelise_def();
    lbMesh *surface = NULL, *volume = NULL;
    lbEmbedding *embedding = NULL;
    lbError err = { LB_OK, "" };
    lbStatus status = lb_mesh_load(names[i], &surface, &err);
    if (!status) status = lb_mesh_voxelise(surface, &def, &volume, &embedding, &err);
    if (status)
      assert_true(err.text[0] && !volume && !embedding);
    else
      assert_true(volume->brick_count > 0 && embedding->point_count == surface->vertex_count);
    lb_mesh_destroy(surface);
    lb_mesh_destroy(volume);
    lb_embedding_destroy(embedding);
    done++;
  }
  if (!done) skip();
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(real_surfaces_are_filled),
    cmocka_unit_test(a_cloth_has_no_inside),
    cmocka_unit_test(broken_surfaces_give_bricks_or_a_message),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
