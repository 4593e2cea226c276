// Rigs as bodies of frames: joints become frames that the file's animation leads.
#include "../scene/scene_text.h"

#include "limber/math.h"
#include "limber/path.h"
#include "limber/rig.h"
#include "limber/run.h"

#define FIGURE(frames)                                                                             \
  "{'limber':1,'gravity':[0,-9.81,0],'time':{'step':0.02,'count':6},"                              \
  "'bodies':[{'name':'figure','mesh':{'surface':'figure.glb','voxelise':32},"                      \
  "'material':{'young':2e5,'poisson':0.4},'damping':{'stiffness':0.01},"                           \
  "'method':'frames','frames':{" frames "}}]}"

static int write_figure(void **state) {
  (void)state;
  lbShapeDef def = lb_shape_def("figure");
  lbError err;
  def.segments = 32;
  check_ok(lb_rig_save(&def, output_path("figure.glb"), NULL, &err), err);
  return 0;
}

static void joints_become_frames(void **state) {
  (void)state;
  lbScene *scene = scene_of(FIGURE("'skeleton':true,'count':3,'samples':1500"));
  const lbSceneBody *body = &scene->bodies[0];
  assert_int_equal(body->frames.joint_count, 15);
  assert_int_equal(body->frames.count, 18);
  assert_int_equal(body->frames.fixed_count, 15);
  assert_int_equal(body->joint_path_count, 15);
  // The path of a joint is a motion of space: it takes the rest pose to where the joint is. At the
  // start of the walk the hips are where they rest.
  lbPathState at;
  lb_path_at(body->joint_paths[0], 0, &at);
  for (int k = 0; k < 3; k++) check_near(at.position[k], 0, 1e-6);
  check_near(fabs(at.rotation[3]), 1, 1e-9);
  lb_scene_destroy(scene);
}

static void named_joints_are_led_alone(void **state) {
  (void)state;
  lbScene *scene =
      scene_of(FIGURE("'skeleton':true,'count':0,'driven':['hips','head'],'samples':800"));
  const lbSceneBody *body = &scene->bodies[0];
  assert_int_equal(body->frames.count, 15);
  assert_int_equal(body->frames.fixed_count, 2);
  assert_int_equal(body->joint_path_count, 2);
  lb_scene_destroy(scene);
}

static int32_t nearest_vertex(const lbMesh *mesh, lbVec3 at) {
  int32_t best = 0;
  double least = INFINITY;
  for (int32_t v = 0; v < mesh->vertex_count; v++) {
    double d = lb_length(lb_sub(lb_vec3_load(mesh->positions + 3 * v), at));
    if (d < least) least = d, best = v;
  }
  return best;
}

// Hands and feet go where the animation leads them, whatever the flesh does.
static void the_body_walks(void **state) {
  (void)state;
  lbScene *scene = scene_of(FIGURE("'skeleton':true,'count':2,'samples':1200"));
  const lbSceneBody *body = &scene->bodies[0];
  lbRunDef def = lb_run_def();
  lbRun *run = NULL;
  lbError err;
  def.frame_rate = 50;
  check_ok(lb_run(scene, &def, &run, &err), err);
  const lbRunBody *ran = &run->bodies[0];
  assert_int_equal(ran->nonfinite_count, 0);
  float *frame = malloc(3 * (size_t)ran->surface->vertex_count * sizeof *frame);
  double farthest = 0, moved = 0;
  for (int32_t f = 0; f < run->frame_count; f++) {
    lb_run_frame(run, 0, f, frame);
    for (int32_t k = 0; k < body->joint_path_count; k++) {
      lbPathState at;
      int32_t joint = body->joint_numbers[k];
      if (joint != 5 && joint != 8 && joint != 11 && joint != 14) continue; // hands and feet
      int32_t v = nearest_vertex(ran->surface, lb_vec3_load(body->frame_positions + 3 * joint));
      lbVec3 X = lb_vec3_load(ran->surface->positions + 3 * v);
      lb_path_at(body->joint_paths[k], run->frame_times[f], &at);
      lbQuat q = lb_quat(at.rotation[0], at.rotation[1], at.rotation[2], at.rotation[3]);
      lbVec3 led = lb_add(lb_vec3_load(at.position), lb_quat_rotate(q, X));
      lbVec3 is = lb_vec3((double)frame[3 * v], (double)frame[3 * v + 1], (double)frame[3 * v + 2]);
      farthest = fmax(farthest, lb_length(lb_sub(is, led)));
      moved = fmax(moved, lb_length(lb_sub(led, X)));
    }
  }
  print_message("joints move by up to %.3f m, the skin over them is off by up to %.4f m\n", moved,
                farthest);
  assert_true(moved > 0.15);
  check_small(farthest, 0.045); // ankles blend with shins
  free(frame);
  lb_run_destroy(run);
  lb_scene_destroy(scene);
}

static void bad_rigs_are_refused(void **state) {
  (void)state;
  check_refused(FIGURE("'skeleton':true,'count':195"), "are more than the 200");
  check_refused(FIGURE("'skeleton':true,'driven':['hip']"), "there is no joint \"hip\"");
  check_refused(FIGURE("'skeleton':true,'animation':'run'"), "no animation \"run\"");
  check_refused(FIGURE("'skeleton':true,'positions':[[0,0,0]]"), "remove one of them");
  check_refused(FIGURE("'skeleton':true,'fixed':[0]"), "\"driven\"");
  check_refused(FIGURE("'skeleton':1"), "true or false");
  check_refused("{'limber':1,'bodies':[{'name':'bar'," BAR
                ",'material':{},'method':'frames','frames':{'skeleton':true}}]}",
                "rigged .glb");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(joints_become_frames),
    cmocka_unit_test(named_joints_are_led_alone),
    cmocka_unit_test(the_body_walks),
    cmocka_unit_test(bad_rigs_are_refused),
  };
  return cmocka_run_group_tests(tests, write_figure, NULL);
}
