// Filling closed surfaces with tets through tetgen and gmsh, where they are installed.
#include "mesh/test_surfaces.h"

#include "limber/math.h"
#include "limber/voxelise.h"
#include "limber/process.h"
#include "meshio/program.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

// Scratch folders of these tests go to a folder of their own, which must be empty afterwards.
static char scratch[256];

static int make_scratch(void **state) {
  (void)state;
  const char *output = getenv("LIMBER_TEST_OUTPUT");
  snprintf(scratch, sizeof scratch, "%s/fill-XXXXXX", output ? output : "/tmp");
  return mkdtemp(scratch) && setenv("TMPDIR", scratch, 1) == 0 ? 0 : -1;
}

static int remove_scratch(void **state) {
  (void)state;
  return rmdir(scratch); // fails when something was left behind
}

static bool nothing_left(void) {
  int count = 0;
  DIR *directory = opendir(scratch);
  while (directory && readdir(directory)) count++;
  if (directory) closedir(directory);
  return count == 2; // . and ..
}

static bool installed(const char *name) {
  char path[LB_PROGRAM_PATH];
  bool found = lb_program_find(name, false, path);
  if (!found) print_message("skipped: %s is not installed\n", name);
  return found;
}

static double tets_volume(const lbMesh *mesh) {
  double sum = 0;
  for (int32_t t = 0; t < mesh->tet_count; t++) {
    lbVec3 x[4];
    for (int a = 0; a < 4; a++) x[a] = lb_vec3_load(mesh->positions + 3 * mesh->tets[4 * t + a]);
    sum += lb_dot(lb_sub(x[1], x[0]), lb_cross(lb_sub(x[2], x[0]), lb_sub(x[3], x[0]))) / 6;
  }
  return sum;
}

static void check_fill(lbMesher mesher, const char *name) {
  if (!installed(name)) skip();
  lbMesh *surface = box_surface(1, 0.5, 0.25), *coarse = NULL, *fine = NULL;
  lbFillDef def = lb_fill_def();
  lbError err;
  def.mesher = mesher;
  check_ok(lb_mesh_fill(surface, &def, &coarse, &err), err);
  check_near(tets_volume(coarse), 0.125, 1e-9);
  assert_memory_equal(coarse->positions, surface->positions, 8 * 3 * sizeof(double));
  def.max_volume = 0.0005;
  check_ok(lb_mesh_fill(surface, &def, &fine, &err), err);
  check_near(tets_volume(fine), 0.125, 1e-9);
  if (mesher == LB_MESHER_TETGEN) assert_true(fine->tet_count > 250);
  lb_mesh_destroy(coarse);
  lb_mesh_destroy(fine);
  lb_mesh_destroy(surface);
  assert_true(nothing_left());
}

static void tetgen_fills_a_box(void **state) {
  (void)state;
  check_fill(LB_MESHER_TETGEN, "tetgen");
}

static void gmsh_fills_a_box(void **state) {
  (void)state;
  check_fill(LB_MESHER_GMSH, "gmsh");
}

// The sphere's poles are many vertices at one place: they are welded on the way.
static void coinciding_vertices_are_welded(void **state) {
  (void)state;
  if (!installed("tetgen")) skip();
  lbMesh *surface = sphere_surface(1, 10), *mesh = NULL;
  lbFillDef def = lb_fill_def();
  lbError err;
  def.mesher = LB_MESHER_TETGEN;
  check_ok(lb_mesh_fill(surface, &def, &mesh, &err), err);
  check_near(tets_volume(mesh), 4 * LB_PI / 3, 0.3);
  lb_mesh_destroy(mesh);
  lb_mesh_destroy(surface);
  assert_true(nothing_left());
}

static void check_crossing(lbMesher mesher, const char *name) {
  if (!installed(name)) skip();
  lbMeshBuilder builder;
  lbMesh *mesh = NULL;
  lbFillDef def = lb_fill_def();
  lbError err;
  lb_mesh_builder_begin(&builder);
  add_box(&builder, (double[3]){ 0, 0, 0 }, (double[3]){ 1, 1, 1 });
  add_box(&builder, (double[3]){ 0.4, 0.3, 0.5 }, (double[3]){ 1.4, 1.3, 1.2 });
  lbMesh *surface = finish(&builder);
  def.mesher = mesher;
  check_fails(lb_mesh_fill(surface, &def, &mesh, &err), LB_ERR_MESH, err, "--voxelise");
  assert_null(mesh);
  lb_mesh_destroy(surface);
  assert_true(nothing_left());
}

static void tetgen_refuses_a_surface_that_crosses_itself(void **state) {
  (void)state;
  check_crossing(LB_MESHER_TETGEN, "tetgen");
}

static void gmsh_refuses_a_surface_that_crosses_itself(void **state) {
  (void)state;
  check_crossing(LB_MESHER_GMSH, "gmsh");
}

static void an_open_surface_is_refused_with_the_edge(void **state) {
  (void)state;
  lbMesh *surface = box_surface(1, 1, 1), *mesh = NULL;
  lbFillDef def = lb_fill_def();
  lbError err;
  surface->triangle_count--;
  check_fails(lb_mesh_fill(surface, &def, &mesh, &err), LB_ERR_MESH, err, "3 edges");
  surface->triangle_count = 0;
  check_fails(lb_mesh_fill(surface, &def, &mesh, &err), LB_ERR_MESH, err, "no triangles");
  lb_mesh_destroy(surface);
}

static void without_a_mesher_it_says_what_to_install(void **state) {
  (void)state;
  lbMesh *surface = box_surface(1, 1, 1), *mesh = NULL;
  lbFillDef def = lb_fill_def();
  lbError err;
  char *kept = strdup(getenv("PATH"));
  setenv("PATH", scratch, 1);
  lbStatus status = lb_mesh_fill(surface, &def, &mesh, &err);
  setenv("PATH", kept, 1);
  free(kept);
  check_fails(status, LB_ERR_UNSUPPORTED, err, "install tetgen or gmsh, or use --voxelise");
  lb_mesh_destroy(surface);
}

// A stand-in on PATH that only sleeps.
static void a_mesher_that_hangs_is_stopped(void **state) {
  (void)state;
  lbMesh *surface = box_surface(1, 1, 1), *mesh = NULL;
  lbFillDef def = lb_fill_def();
  lbError err;
  char path[300];
  char *kept = strdup(getenv("PATH"));
  snprintf(path, sizeof path, "%s/tetgen", scratch);
  FILE *script = fopen(path, "w");
  assert_non_null(script);
  fprintf(script, "#!/bin/sh\nexec /bin/sleep 100\n");
  fclose(script);
  chmod(path, 0700);
  setenv("PATH", scratch, 1);
  def.time_limit = 0.2;
  lbStatus status = lb_mesh_fill(surface, &def, &mesh, &err);
  setenv("PATH", kept, 1);
  free(kept);
  unlink(path);
  check_fails(status, LB_ERR_MESH, err, "was stopped");
  assert_true(nothing_left());
  lb_mesh_destroy(surface);
}

static void wrong_definitions_are_refused_by_field(void **state) {
  (void)state;
  lbMesh *surface = box_surface(1, 1, 1), *mesh = NULL;
  lbError err;
  lbFillDef volume = lb_fill_def(), ratio = volume, time = volume;
  volume.max_volume = -1;
  check_fails(lb_mesh_fill(surface, &volume, &mesh, &err), LB_ERR_ARGUMENT, err, "max_volume");
  ratio.radius_edge = NAN;
  check_fails(lb_mesh_fill(surface, &ratio, &mesh, &err), LB_ERR_ARGUMENT, err, "radius_edge");
  time.time_limit = 0;
  check_fails(lb_mesh_fill(surface, &time, &mesh, &err), LB_ERR_ARGUMENT, err, "time_limit");
  lb_mesh_destroy(surface);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(tetgen_fills_a_box),
    cmocka_unit_test(gmsh_fills_a_box),
    cmocka_unit_test(coinciding_vertices_are_welded),
    cmocka_unit_test(tetgen_refuses_a_surface_that_crosses_itself),
    cmocka_unit_test(gmsh_refuses_a_surface_that_crosses_itself),
    cmocka_unit_test(an_open_surface_is_refused_with_the_edge),
    cmocka_unit_test(without_a_mesher_it_says_what_to_install),
    cmocka_unit_test(a_mesher_that_hangs_is_stopped),
    cmocka_unit_test(wrong_definitions_are_refused_by_field),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
