// Sequences: which files appear, what they hold, and that they appear together or not at all.
#include "check.h"
#include "subjects.h"

#include "limber/export.h"
#include "limber/file.h"
#include "limber/shape.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#define FRAMES 3

static const double times[FRAMES] = { 0, 0.25, 0.5 };

static lbSequenceDef test_def(void) {
  lbSequenceDef def = lb_sequence_def();
  def.frame_count = FRAMES;
  def.times = times;
  return def;
}

// Vertex i of frame f stands f + i / 100 higher. Free with free.
static float *lift(const lbMesh *mesh) {
  size_t n = 3 * (size_t)mesh->vertex_count;
  float *frames = malloc(FRAMES * n * sizeof *frames);
  assert_non_null(frames);
  for (size_t i = 0; i < FRAMES * n; i++)
    frames[i] = (float)(mesh->positions[i % n] +
                        (i % 3 == 2 ? (double)(i / n) + (double)(i % n / 3) / 100 : 0));
  return frames;
}

// ---- a folder ----------------------------------------------------------------------------------

static const char *folder(void) { return output_path("test-sequence"); }

static const char *inside(const char *name) {
  static char paths[4][600];
  static int next;
  char *path = paths[next++ % 4];
  snprintf(path, sizeof paths[0], "%s/%s", folder(), name);
  return path;
}

static int count_files(void) {
  int count = 0;
  DIR *dir = opendir(folder());
  assert_non_null(dir);
  while (readdir(dir)) count++;
  closedir(dir);
  return count - 2;
}

static int empty_folder(void **state) {
  (void)state;
  mkdir(folder(), 0777);
  DIR *dir = opendir(folder());
  if (!dir) return -1;
  for (struct dirent *entry; (entry = readdir(dir));)
    if (entry->d_name[0] != '.') remove(inside(entry->d_name));
  closedir(dir);
  return 0;
}

static void expect_files(const char *const *names, int count) {
  for (int i = 0; i < count; i++)
    if (!lb_file_exists(inside(names[i]))) fail_msg("%s is not there", names[i]);
  assert_int_equal(count_files(), count);
}
#define EXPECT_FILES(...)                                                                          \
  expect_files((const char *const[]){ __VA_ARGS__ },                                               \
               sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))

static void write_ok(const char *name, const lbSequenceBody *bodies, int32_t count) {
  lbSequenceDef def = test_def();
  lbError err;
  check_ok(lb_sequence_write(inside(name), bodies, count, &def, &err), err);
}

static char *read_all(const char *name, size_t *bytes) {
  char *content = NULL;
  lbError err;
  check_ok(lb_file_read(inside(name), &content, bytes, &err), err);
  return content;
}

// ---- tests -------------------------------------------------------------------------------------

static void check_frame(const char *name, const lbMesh *mesh, const float *frame) {
  lbMesh *back = NULL;
  lbError err;
  check_ok(lb_mesh_load(inside(name), &back, &err), err);
  assert_int_equal(back->vertex_count, mesh->vertex_count);
  assert_int_equal(back->triangle_count, mesh->triangle_count);
  assert_memory_equal(back->triangles, mesh->triangles,
                      3 * (size_t)mesh->triangle_count * sizeof(int32_t));
  for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; i++)
    check_near(back->positions[i], (double)frame[i], 0);
  lb_mesh_destroy(back);
}

static void every_frame_is_a_mesh_with_every_bit(void **state) {
  (void)state;
  static const char *const extensions[] = { "obj", "ply" };
  lbMesh *mesh = sheet();
  float *frames = lift(mesh);
  lbSequenceBody body = { .name = "sheet", .surface = mesh, .frames = frames };
  for (int e = 0; e < 2; e++) {
    char name[64];
    empty_folder(NULL);
    snprintf(name, sizeof name, "out.%s", extensions[e]);
    write_ok(name, &body, 1);
    for (int f = 0; f < FRAMES; f++) {
      snprintf(name, sizeof name, "out_%05d.%s", f, extensions[e]);
      check_frame(name, mesh, frames + 3 * f * mesh->vertex_count);
    }
    assert_int_equal(count_files(), FRAMES);
  }
  free(frames);
  lb_mesh_destroy(mesh);
}

static void frames_share_a_material_library(void **state) {
  (void)state;
  lbMesh *mesh = painted_sheet();
  float *frames = lift(mesh);
  lbSequenceBody body = { .name = "cloth", .surface = mesh, .frames = frames };
  size_t bytes;
  write_ok("out.obj", &body, 1);
  EXPECT_FILES("out_00000.obj", "out_00001.obj", "out_00002.obj", "out.mtl", "paint.png",
               "moving.gif");
  char *content = read_all("out_00002.obj", &bytes);
  assert_non_null(strstr(content, "mtllib out.mtl\n"));
  lb_free(content);
  free(frames);
  lb_mesh_destroy(mesh);
}

static void several_bodies_have_safe_names_of_their_own(void **state) {
  (void)state;
  lbMesh *mesh = painted_sheet(), *small = tetrahedron();
  float *frames = lift(mesh), *small_frames = lift(small);
  lbSequenceBody bodies[] = { { .name = "a/b", .surface = mesh, .frames = frames },
                              { .name = "A b", .surface = mesh, .frames = frames },
                              { .surface = small, .frames = small_frames } };
  write_ok("out.pc2", bodies, 3);
  EXPECT_FILES("out_a_b.pc2", "out_a_b.obj", "out_a_b.mtl", "out_a_b_texture0.png",
               "out_a_b_texture1.gif", "out_A_b_2.pc2", "out_A_b_2.obj", "out_A_b_2.mtl",
               "out_A_b_2_texture0.png", "out_A_b_2_texture1.gif", "out_body_2.pc2",
               "out_body_2.obj");
  free(frames);
  free(small_frames);
  lb_mesh_destroy(mesh);
  lb_mesh_destroy(small);
}

static void a_point_cache_comes_with_its_rest_shape(void **state) {
  (void)state;
  lbMesh *mesh = sheet();
  float *frames = lift(mesh);
  size_t n = 3 * (size_t)mesh->vertex_count, bytes;
  lbSequenceBody body = { .surface = mesh, .frames = frames };
  float *rest = malloc(n * sizeof *rest);
  for (size_t i = 0; i < n; i++) rest[i] = (float)mesh->positions[i];
  write_ok("out.pc2", &body, 1);
  EXPECT_FILES("out.pc2", "out.obj");
  char *content = read_all("out.pc2", &bytes);
  assert_int_equal(bytes, 32 + FRAMES * n * sizeof(float));
  assert_memory_equal(content + 32, frames, FRAMES * n * sizeof(float));
  lbMesh *back = NULL;
  lbError err;
  check_ok(lb_mesh_load(inside("out.obj"), &back, &err), err);
  for (size_t i = 0; i < n; i++) check_near(back->positions[i], mesh->positions[i], 0);
  lb_mesh_destroy(back);
  lb_free(content);
  free(rest);
  free(frames);
  lb_mesh_destroy(mesh);
}

static void volumes_and_surfaces_share_a_list(void **state) {
  (void)state;
  lbMesh *surface = tetrahedron(), *volume = NULL;
  lbShapeDef shape = lb_shape_def("bar");
  lbError err;
  check_ok(lb_shape_volume(&shape, &volume, &err), err);
  size_t n = 3 * (size_t)volume->vertex_count, bytes;
  double *displacements = malloc(FRAMES * n * sizeof *displacements);
  for (size_t i = 0; i < FRAMES * n; i++) displacements[i] = (double)i / 7;
  float *frames = lift(surface);
  lbSequenceBody bodies[] = { { .name = "bar", .volume = volume, .displacements = displacements },
                              { .name = "tip", .surface = surface, .frames = frames } };
  write_ok("out.pvd", bodies, 2);
  EXPECT_FILES("out.pvd", "out_bar_00000.vtu", "out_bar_00001.vtu", "out_bar_00002.vtu",
               "out_tip_00000.vtu", "out_tip_00001.vtu", "out_tip_00002.vtu");
  char *list = read_all("out.pvd", &bytes);
  assert_non_null(
      strstr(list, "timestep=\"0.25\" group=\"\" part=\"1\" file=\"out_tip_00001.vtu\""));
  lb_free(list);
  char *first = read_all("out_tip_00001.vtu", &bytes);
  assert_non_null(strstr(first, "Name=\"displacement\" NumberOfComponents=\"3\""));
  lb_free(first);
  lbMesh *back = NULL;
  check_ok(lb_mesh_load(inside("out_bar_00002.vtu"), &back, &err), err);
  assert_int_equal(back->tet_count + back->brick_count, lb_mesh_element_count(volume));
  for (size_t i = 0; i < n; i++) check_near(back->positions[i], volume->positions[i], 0);
  lb_mesh_destroy(back);
  empty_folder(NULL);
  write_ok("out.vtu", bodies, 1);
  EXPECT_FILES("out_00000.vtu", "out_00001.vtu", "out_00002.vtu");
  free(frames);
  free(displacements);
  lb_mesh_destroy(surface);
  lb_mesh_destroy(volume);
}

static void an_animation_is_one_of_the_formats(void **state) {
  (void)state;
  lbMesh *mesh = sheet();
  float *frames = lift(mesh);
  lbSequenceBody body = { .surface = mesh, .frames = frames };
  write_ok("out.GLB", &body, 1);
  EXPECT_FILES("out.GLB");
  free(frames);
  lb_mesh_destroy(mesh);
}

static void wrong_sequences_are_named_and_write_nothing(void **state) {
  (void)state;
  lbMesh *mesh = sheet();
  float *frames = lift(mesh);
  lbSequenceBody good = { .name = "cloth", .surface = mesh, .frames = frames }, body = good;
  lbSequenceDef def = test_def();
  lbError err;
#define REFUSED(name, status, part)                                                                \
  check_fails(lb_sequence_write(inside(name), &body, 1, &def, &err), status, err, part)
  REFUSED("out.fbx", LB_ERR_ARGUMENT, "choose one of .glb .obj .ply .pc2 .pvd .vtu");
  def.frame_count = 0;
  REFUSED("out.obj", LB_ERR_ARGUMENT, "frame_count is 0");
  def = test_def();
  def.times = NULL;
  REFUSED("out.pvd", LB_ERR_ARGUMENT, "and times");
  def.times = (const double[]){ 0, 1, 1 };
  REFUSED("out.pvd", LB_ERR_ARGUMENT, "times[2]");
  def = test_def();
  body.frames = NULL;
  REFUSED("out.obj", LB_ERR_ARGUMENT, "body \"cloth\": it has no frames");
  body.surface = NULL;
  body.volume = mesh;
  REFUSED("out.obj", LB_ERR_ARGUMENT, "body \"cloth\": it has no surface");
  REFUSED("out.pvd", LB_ERR_ARGUMENT, "body \"cloth\": its volume has no displacements");
  body = good;
  REFUSED("nowhere/out.obj", LB_ERR_FILE, "make its folder first");
  frames[3 * SIDE * SIDE + 3 * 5 + 2] = NAN;
  REFUSED("out.ply", LB_ERR_ARGUMENT, "body \"cloth\": frame 1, vertex 5: z is nan");
  mesh->triangle_count = 0;
  REFUSED("out.ply", LB_ERR_MESH, "no triangles");
#undef REFUSED
  assert_int_equal(count_files(), 0);
  free(frames);
  lb_mesh_destroy(mesh);
}

static void a_folder_in_the_way_is_left_alone(void **state) {
  (void)state;
  lbMesh *mesh = sheet();
  float *frames = lift(mesh);
  lbSequenceBody body = { .surface = mesh, .frames = frames };
  lbSequenceDef def = test_def();
  lbError err;
  mkdir(inside("out_00001.obj"), 0777);
  check_fails(lb_sequence_write(inside("out.obj"), &body, 1, &def, &err), LB_ERR_FILE, err,
              "out_00001.obj would replace a folder");
  EXPECT_FILES("out_00001.obj");
  free(frames);
  lb_mesh_destroy(mesh);
}

static int calls_left;
static bool stop_later(const char *stage, double fraction, void *context) {
  (void)stage, (void)context;
  check_small(fraction, 1);
  return calls_left-- > 0;
}

static void a_stopped_sequence_leaves_what_was_there(void **state) {
  (void)state;
  static const char *const names[] = { "out.obj", "out.ply", "out.pc2",
                                       "out.pvd", "out.mdd", "out.usda" };
  lbMesh *mesh = sheet();
  float *frames = lift(mesh);
  lbSequenceBody body = { .surface = mesh, .frames = frames };
  lbSequenceDef def = test_def();
  lbError err;
  FILE *old = fopen(inside("out_00000.obj"), "w");
  fputs("old\n", old);
  fclose(old);
  for (int i = 0; i < 4; i++) {
    calls_left = 1;
    lb_set_progress(stop_later, NULL);
    lbStatus status = lb_sequence_write(inside(names[i]), &body, 1, &def, &err);
    lb_set_progress(NULL, NULL);
    assert_int_equal(status, LB_ERR_INTERRUPTED);
    EXPECT_FILES("out_00000.obj");
  }
  size_t bytes;
  char *content = read_all("out_00000.obj", &bytes);
  assert_string_equal(content, "old\n");
  lb_free(content);
  free(frames);
  lb_mesh_destroy(mesh);
}

static void every_failing_allocation_leaves_no_file_and_no_leak(void **state) {
  (void)state;
  static const char *const names[] = { "out.obj", "out.ply", "out.pc2",
                                       "out.pvd", "out.mdd", "out.usda" };
  lbMesh *mesh = painted_sheet();
  float *frames = lift(mesh);
  lbSequenceBody bodies[] = { { .name = "a", .surface = mesh, .frames = frames },
                              { .name = "a", .surface = mesh, .frames = frames } };
  lbSequenceDef def = test_def();
  for (int i = 0; i < 6; i++) {
    lbStatus status = LB_ERR_MEMORY;
    empty_folder(NULL);
    for (int64_t n = 0; status; n++) {
      CheckedHeap heap = { .fail_at = n };
      lbAllocator allocator = checked_allocator(&heap);
      lbError err = { 0 };
      assert_int_equal(count_files(), 0);
      lb_set_allocator(&allocator);
      status = lb_sequence_write(inside(names[i]), bodies, 2, &def, &err);
      lb_set_allocator(NULL);
      if (status) assert_int_equal(status, LB_ERR_MEMORY);
      assert_int_equal(heap.live, 0);
    }
    assert_true(count_files() >= (i < 5 ? 4 : 1));
  }
  free(frames);
  lb_mesh_destroy(mesh);
}

#define TEST(name) cmocka_unit_test_setup(name, empty_folder)

int main(void) {
  const struct CMUnitTest tests[] = {
    TEST(every_frame_is_a_mesh_with_every_bit),
    TEST(frames_share_a_material_library),
    TEST(several_bodies_have_safe_names_of_their_own),
    TEST(a_point_cache_comes_with_its_rest_shape),
    TEST(volumes_and_surfaces_share_a_list),
    TEST(an_animation_is_one_of_the_formats),
    TEST(wrong_sequences_are_named_and_write_nothing),
    TEST(a_folder_in_the_way_is_left_alone),
    TEST(a_stopped_sequence_leaves_what_was_there),
    TEST(every_failing_allocation_leaves_no_file_and_no_leak),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
