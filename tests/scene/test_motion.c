// The "motion" of bodies: key frames in scenes, animations of glTF nodes, what is refused, cooked
// worlds, and the recordings of bodies that moved.
#include "gltf_clip.h"
#include "scene_text.h"

#include "limber/cook.h"
#include "limber/math.h"
#include "limber/run.h"
#include "scene/gltf_motion.h"

static lbPathState at(const lbPath *path, double t) {
  lbPathState s;
  lb_path_at(path, t, &s);
  return s;
}

static double turn_between(const double *a, const double *b) {
  return 1 - fabs(lb_quat_dot(lb_quat(a[0], a[1], a[2], a[3]), lb_quat(b[0], b[1], b[2], b[3])));
}

// ---- in the scene ------------------------------------------------------------------------------

static void key_frames_are_read(void **state) {
  (void)state;
  lbScene *scene = scene_of(BODY_WITH("'motion':{'times':[-1,1,2],'positions':[[0,0,0],[2,0,0],"
                                      "[2,4,0]],'rotations':[[0,0,0,1],[0,0,1,1],[0,0,3,0]],"
                                      "'interpolation':'cubic','cycle':true}"));
  const lbSceneBody *body = &scene->bodies[0];
  assert_int_equal(scene->path_count, 1);
  assert_ptr_equal(body->motion, scene->paths[0]);
  const lbPathDef *keys = lb_path_keys(body->motion);
  assert_int_equal(keys->key_count, 3);
  assert_int_equal(keys->interpolation, LB_PATH_CUBIC);
  assert_true(keys->cycle);
  check_near(keys->rotations[7], sqrt(0.5), 1e-15);
  // It stands where the motion is at t = 0.
  lbPathState now = at(body->motion, 0);
  for (int i = 0; i < 3; i++) check_near(body->position[i], now.position[i], 0);
  check_small(turn_between(body->rotation, now.rotation), 1e-15);
  lb_scene_destroy(scene);
}

static void rotations_or_positions_alone_are_enough(void **state) {
  (void)state;
  lbScene *scene = scene_of(BODY_WITH("'motion':{'times':[0],'rotations':[[0,0,1,0]]}"));
  check_near(scene->bodies[0].rotation[2], 1, 0);
  lb_scene_destroy(scene);
  scene = scene_of(BODY_WITH("'motion':{'times':[0,1],'positions':[[0,1,0],[0,2,0]]}"));
  check_near(scene->bodies[0].position[1], 1, 0);
  assert_int_equal(lb_path_keys(scene->paths[0])->interpolation, LB_PATH_LINEAR);
  lb_scene_destroy(scene);
}

static void instances_share_a_motion_or_have_their_own(void **state) {
  (void)state;
  lbScene *scene =
      scene_of(BODY_WITH("'instances':3,'motion':{'times':[0,1],'positions':[[0,1,0],[0,2,0]]}"));
  assert_int_equal(scene->path_count, 1);
  for (int i = 0; i < 3; i++) {
    assert_ptr_equal(scene->bodies[i].motion, scene->paths[0]);
    check_near(scene->bodies[i].position[1], 1, 0);
  }
  lb_scene_destroy(scene);
  scene = scene_of(BODY_WITH("'instances':2,'motion':[{'times':[0],'positions':[[0,1,0]]},"
                             "{'times':[0],'positions':[[0,5,0]]}]"));
  assert_int_equal(scene->path_count, 2);
  check_near(scene->bodies[1].position[1], 5, 0);
  lb_scene_destroy(scene);
}

static void a_body_starts_with_its_frame(void **state) {
  (void)state;
  lbScene *scene = scene_of(BODY_WITH("'fixed':{'group':'left'},'velocity':{'linear':[0,0,1]},"
                                      "'motion':{'times':[0,1],'positions':[[0,0,0],[3,0,0]]}"));
  lbFem *fem = NULL;
  lbError err = { 0 };
  check_ok(lb_scene_fem(&scene->bodies[0], &fem, &err), err);
  double *v = lb_alloc(3 * (size_t)lb_fem_vertex_count(fem), sizeof(double));
  lb_scene_velocity(&scene->bodies[0], fem, v);
  for (int32_t i = 0; i < lb_fem_vertex_count(fem); i++) {
    check_near(v[3 * i], 3, 1e-15);
    check_near(v[3 * i + 2], lb_fem_fixed(fem)[i] ? 0 : 1, 1e-15);
  }
  lb_free(v);
  lb_fem_destroy(fem);
  lb_scene_destroy(scene);
}

#define MOTION(text) BODY_WITH("'motion':" text)

static void wrong_motions_are_refused_by_name(void **state) {
  (void)state;
  check_refused(MOTION("{'times':[0,0.2,0.5,0.5],'positions':[[0,0,0],[0,0,0],[0,0,0],[0,0,0]]}"),
                "scene.json: bodies[0].motion.times[3]: 0.5 does not rise above 0.5 before it");
  check_refused(MOTION("{'times':[0,-1],'positions':[[0,0,0],[0,0,0]]}"),
                "bodies[0].motion.times[1]: -1 does not rise above 0");
  check_refused(MOTION("{'times':[0,1],'positions':[[0,0,0]]}"),
                "bodies[0].motion.positions: has 1 entries for 2 times");
  check_refused(MOTION("{'times':[0,1],'positions':[[0,0,0],[0,0]]}"),
                "bodies[0].motion.positions[1]: is [0,0], it must be a list of 3 numbers");
  check_refused(MOTION("{'times':[0,'x'],'positions':[[0,0,0],[0,0,0]]}"),
                "bodies[0].motion.times[1]: is \"x\", it must be a number");
  check_refused(MOTION("{'times':[0,1e400],'positions':[[0,0,0],[0,0,0]]}"), "scene.json:");
  check_refused(MOTION("{'times':[0,1],'rotations':[[0,0,0,1],[0,0,0,0]]}"),
                "bodies[0].motion.rotations[1]: has the length 0");
  check_refused(MOTION("{'times':[],'positions':[]}"), "bodies[0].motion.times: must be a list");
  check_refused(MOTION("{'times':3,'positions':[]}"), "bodies[0].motion.times: must be a list");
  check_refused(MOTION("{'times':[0]}"), "needs \"positions\", \"rotations\" or both");
  check_refused(MOTION("{'positions':[[0,0,0]]}"), "needs either \"times\" or a \"file\"");
  check_refused(MOTION("{'times':[0],'file':'x.glb'}"), "needs either \"times\" or a \"file\"");
  check_refused(MOTION("{'times':[0],'position':[[0,0,0]]}"),
                "bodies[0].motion: unknown key \"position\", did you mean \"positions\"?");
  check_refused(MOTION("{'times':[0],'positions':[[0,0,0]],'interpolation':'cubc'}"),
                "bodies[0].motion.interpolation: unknown \"cubc\", did you mean \"cubic\"?");
  check_refused(MOTION("{'times':[0],'positions':[[0,0,0]],'cycle':1}"),
                "bodies[0].motion.cycle: must be true or false");
  check_refused(MOTION("{'times':[0],'positions':[[0,0,0]],'node':'x'}"), "unknown key \"node\"");
  check_refused(MOTION("{'file':'x.glb'}"), "bodies[0].motion: has no \"node\"");
  check_refused(MOTION("3"), "bodies[0].motion: must be an object");
  check_refused(MOTION("[{'times':[0],'positions':[[0,0,0]]},3]"),
                "bodies[0].motion: has 2 entries for 1 instances");
  check_refused(BODY_WITH("'position':[0,0,0],'motion':{'times':[0],'positions':[[0,0,0]]}"),
                "bodies[0].position: a body with \"motion\" is where its motion says");
  check_refused(BODY_WITH("'rotation':[0,0,0,1],'motion':{'times':[0],'positions':[[0,0,0]]}"),
                "bodies[0].rotation: a body with \"motion\"");
  check_refused(BODY_WITH("'moton':{}"), "did you mean \"motion\"?");
  lbScene *scene;
  lbError err;
  check_fails(read_scene_text(MOTION("{'file':'none.glb','node':'x'}"), &scene, &err), LB_ERR_FILE,
              err, "none.glb");
}

// ---- glTF --------------------------------------------------------------------------------------

static lbPath *motion_of(const char *text, const char *node) {
  lbPath *path = NULL;
  lbError err = { 0 };
  check_ok(lb_gltf_motion("walk.gltf", text, strlen(text), node, NULL, false, &path, &err), err);
  return path;
}

#define CHANNEL(sampler, node, path)                                                               \
  "{'sampler':" #sampler ",'target':{'node':" #node ",'path':'" path "'}}"

static const double times[3] = { 0, 0.5, 2 };
static const double moves[9] = { 0, 0, 0, 1, 2, 0, 0, 0, -4 };
static const double turns[12] = { 0, 0, 0, 1, 0, 0.6, 0, 0.8, 0, -1, 0, 0 };

static void keys_of_a_node_are_taken_as_they_are(void **state) {
  (void)state;
  Clip clip = { 0 };
  clip_add(&clip, times, 3, 1), clip_add(&clip, moves, 3, 3), clip_add(&clip, turns, 3, 4);
  char *text =
      clip_text(&clip, "{'name':'root','children':[1]},{'name':'hips'}",
                "{'samplers':[{'input':0,'output':1},{'input':0,'output':2}],'channels':[" CHANNEL(
                    0, 1, "translation") "," CHANNEL(1, 1, "rotation") "]}");
  lbPath *path = motion_of(text, "hips");
  const lbPathDef *keys = lb_path_keys(path);
  assert_int_equal(keys->key_count, 3);
  assert_int_equal(keys->interpolation, LB_PATH_LINEAR);
  for (int i = 0; i < 9; i++) check_near(keys->positions[i], moves[i], 1e-15);
  for (int i = 0; i < 3; i++)
    check_small(turn_between(keys->rotations + 4 * i, turns + 4 * i), 1e-7); // 0.6 as a float
  lb_path_destroy(path);
  lbError err = { 0 };
  check_fails(lb_gltf_motion("walk.gltf", text, strlen(text), "hip", NULL, false, &path, &err),
              LB_ERR_FORMAT, err, "walk.gltf: there is no node \"hip\", did you mean \"hips\"?");
  check_fails(lb_gltf_motion("walk.gltf", text, strlen(text), "root", NULL, false, &path, &err),
              LB_ERR_FORMAT, err, "walk.gltf: no animation moves the node \"root\"");
  check_fails(lb_gltf_motion("walk.gltf", text, strlen(text), "hips", "run", false, &path, &err),
              LB_ERR_FORMAT, err, "walk.gltf: there is no animation \"run\"");
  free(text);
}

// A parent that turns by 90° about x, doubles and shifts: x -> (2x, -2z, 2y) + (1, 0, 0).
static void ancestors_place_the_motion(void **state) {
  (void)state;
  const double tangents[27] = { 0, 0, 0, 0, 0, 0, 1, 0, 0, 0,  2, 0, 1, 2,
                                0, 0, 0, 3, 0, 0, 1, 0, 0, -4, 0, 0, 0 };
  const char *const parents[] = {
    "{'children':[1],'translation':[1,0,0],'rotation':[0.70710678118654752,0,0,"
    "0.70710678118654752],'scale':[2,2,2]},{'name':'hips','rotation':[0,1,0,0]}",
    "{'children':[1],'matrix':[2,0,0,0, 0,0,2,0, 0,-2,0,0, 1,0,0,1]},"
    "{'name':'hips','rotation':[0,1,0,0]}",
  };
  for (int k = 0; k < 2; k++) {
    Clip clip = { 0 };
    clip_add(&clip, times, 3, 1), clip_add(&clip, tangents, 9, 3);
    char *text = clip_text(&clip, parents[k],
                           "{'samplers':[{'input':0,'output':1,'interpolation':'CUBICSPLINE'}],"
                           "'channels':[" CHANNEL(0, 1, "translation") "]}");
    lbPath *path = motion_of(text, "hips");
    const lbPathDef *keys = lb_path_keys(path);
    assert_int_equal(keys->interpolation, LB_PATH_CUBIC);
    lbPathState s = at(path, 0.5); // (1, 2, 0), leaving with (0, 0, 3)
    const double x[3] = { 3, 0, 4 }, v[3] = { 0, -6, 0 };
    for (int i = 0; i < 3; i++) {
      check_near(s.position[i], x[i], 1e-14);
      check_near(s.linear_velocity[i], v[i], 1e-13);
    }
    lbQuat q = lb_quat_multiply(lb_quat(sqrt(0.5), 0, 0, sqrt(0.5)), lb_quat(0, 1, 0, 0));
    const double expected[4] = { q.x, q.y, q.z, q.w };
    check_small(turn_between(s.rotation, expected), 1e-14);
    free(text);
    lb_path_destroy(path);
  }
}

static int warning_count;
static char last_warning[600];
static void count_warnings(lbLogLevel level, const char *text, void *context) {
  (void)context;
  if (level != LB_LOG_WARNING) return;
  warning_count++;
  snprintf(last_warning, sizeof last_warning, "%s", text);
}

// Translation and rotation with times of their own: linear ones stay exact.
static void channels_of_different_times_are_joined(void **state) {
  (void)state;
  const double others[2] = { 0.25, 1 };
  Clip clip = { 0 };
  clip_add(&clip, times, 3, 1), clip_add(&clip, moves, 3, 3);
  clip_add(&clip, others, 2, 1), clip_add(&clip, turns, 2, 4);
  char *text =
      clip_text(&clip, "{'name':'hips'}",
                "{'samplers':[{'input':0,'output':1},{'input':2,'output':3}],'channels':[" CHANNEL(
                    0, 0, "translation") "," CHANNEL(1, 0, "rotation") "]}");
  warning_count = 0;
  lb_set_log(count_warnings, NULL);
  lbPath *path = motion_of(text, "hips");
  lb_set_log(NULL, NULL);
  assert_int_equal(warning_count, 0);
  assert_int_equal(lb_path_keys(path)->key_count, 5);
  for (double t = -0.1; t < 2.2; t += 0.07) {
    lbPathState s = at(path, t);
    double a = fmin(fmax(t, 0), 2), w = fmin(fmax((t - 0.25) / 0.75, 0), 1);
    double x = a < 0.5 ? 2 * a : 1 - (a - 0.5) / 1.5;
    check_near(s.position[0], x, 1e-14);
    lbQuat q = lb_quat_slerp(lb_quat_identity(), lb_quat(0, (float)0.6, 0, (float)0.8), w);
    const double expected[4] = { q.x, q.y, q.z, q.w };
    check_small(turn_between(s.rotation, expected), 1e-13);
  }
  lb_path_destroy(path);
  free(text);
}

static void animated_ancestors_are_sampled_and_told(void **state) {
  (void)state;
  Clip clip = { 0 };
  clip_add(&clip, times, 3, 1), clip_add(&clip, moves, 3, 3), clip_add(&clip, turns, 3, 4);
  char *text = clip_text(
      &clip,
      "{'name':'root','children':[1]},{'name':'mid','children':[2],'translation':[0,0,1]},"
      "{'name':'hips'}",
      "{'name':'walk','samplers':[{'input':0,'output':1},{'input':0,'output':2}],'channels':"
      "[" CHANNEL(0, 2, "translation") "," CHANNEL(1, 0, "rotation") "]}");
  warning_count = 0;
  lb_set_log(count_warnings, NULL);
  lbPath *path = motion_of(text, "hips");
  lb_set_log(NULL, NULL);
  assert_int_equal(warning_count, 1);
  assert_non_null(strstr(last_warning, "walk.gltf: animations[0]: ancestors of the node are"));
  for (int k = 0; k < 3; k++) {
    lbPathState s = at(path, times[k]);
    lbQuat q = lb_quat_normalise(
        lb_quat(turns[4 * k], turns[4 * k + 1], turns[4 * k + 2], turns[4 * k + 3]));
    lbVec3 x = lb_quat_rotate(q, lb_add(lb_vec3(0, 0, 1), lb_vec3_load(moves + 3 * k)));
    check_small(lb_length(lb_sub(x, lb_vec3_load(s.position))), 1e-6);
    check_small(turn_between(s.rotation, turns + 4 * k), 1e-7);
  }
  lb_path_destroy(path);
  lbError err = { 0 };
  check_ok(lb_gltf_motion("walk.gltf", text, strlen(text), "hips", "walk", true, &path, &err), err);
  assert_true(lb_path_keys(path)->cycle);
  lb_path_destroy(path);
  free(text);
}

static void a_scene_takes_its_motion_from_a_file(void **state) {
  (void)state;
  Clip clip = { 0 };
  clip_add(&clip, times, 3, 1), clip_add(&clip, moves, 3, 3);
  char *text =
      clip_text(&clip, "{'name':'hips','translation':[9,9,9]}",
                "{'samplers':[{'input':0,'output':1,'interpolation':'STEP'}],'channels':[" CHANNEL(
                    0, 0, "translation") "]}");
  write_text("walk.gltf", text);
  lbScene *scene = scene_of(BODY_WITH("'motion':{'file':'walk.gltf','node':'hips','cycle':true}"));
  const lbPathDef *keys = lb_path_keys(scene->bodies[0].motion);
  assert_int_equal(keys->interpolation, LB_PATH_STEP);
  assert_true(keys->cycle);
  check_near(keys->positions[4], 2, 0);
  lb_scene_destroy(scene);
  free(text);
}

static void check_broken(const char *nodes, const char *animations, const char *part) {
  const double bad_times[3] = { 0, 1, 1 };
  Clip clip = { 0 };
  clip_add(&clip, times, 3, 1), clip_add(&clip, moves, 3, 3), clip_add(&clip, turns, 3, 4);
  clip_add(&clip, bad_times, 3, 1), clip_add(&clip, times, 2, 1);
  char *text = clip_text(&clip, nodes, animations);
  lbPath *path = NULL;
  lbError err = { 0 };
  check_fails(lb_gltf_motion("walk.gltf", text, strlen(text), "a", NULL, false, &path, &err),
              LB_ERR_FORMAT, err, part);
  if (strncmp(err.text, "walk.gltf: ", 11) != 0) fail_msg("no file is named: %s", err.text);
  assert_null(path);
  free(text);
}

#define SAMPLED(sampler, path) "{'samplers':[" sampler "],'channels':[" CHANNEL(0, 0, path) "]}"

static void broken_animations_are_refused(void **state) {
  (void)state;
  const char *node = "{'name':'a'}";
  check_broken(node, SAMPLED("{'input':3,'output':1}", "translation"),
               "animations[0].channels[0].times[2]: 1 does not rise above 1 before it");
  check_broken(node, SAMPLED("{'input':4,'output':1}", "translation"),
               "has 2 times and 3 values, 2 are needed");
  check_broken(node, SAMPLED("{'input':0,'output':1,'interpolation':'CUBICSPLINE'}", "translation"),
               "has 3 times and 3 values, 9 are needed");
  check_broken(node, SAMPLED("{'input':0,'output':1,'interpolation':'BEZIER'}", "translation"),
               "unknown interpolation \"BEZIER\"");
  check_broken(node, SAMPLED("{'input':0,'output':2}", "translation"), "is of type \"VEC4\"");
  check_broken(node, SAMPLED("{'input':1,'output':1}", "translation"), "is of type \"VEC3\"");
  check_broken(node, SAMPLED("{'input':0,'output':77}", "rotation"), "accessors[77] is used");
  check_broken(node, SAMPLED("{'output':1}", "translation"), "accessors[-1] is used");
  check_broken(node, "{'samplers':[],'channels':[" CHANNEL(0, 0, "rotation") "]}",
               "uses samplers[0], which is not there");
  check_broken(node,
               "{'samplers':[{'input':0,'output':1}],'channels':[" CHANNEL(
                   0, 0, "translation") "," CHANNEL(0, 0, "translation") "]}",
               "which has such a channel already");
  check_broken("{'name':'a','matrix':[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]}",
               SAMPLED("{'input':0,'output':1}", "translation"), "which has a matrix already");
  check_broken("{'name':'a'},{'name':'a'}", SAMPLED("{'input':0,'output':1}", "translation"),
               "are both called \"a\"");
  check_broken("{'name':'a','children':[0]}", SAMPLED("{'input':0,'output':1}", "translation"),
               "is its own ancestor");
  check_broken("{'name':'a','children':[7]}", SAMPLED("{'input':0,'output':1}", "translation"),
               "has the child 7");
  check_broken("{'name':'a'},{'children':[0]},{'children':[0]}",
               SAMPLED("{'input':0,'output':1}", "translation"), "has two parents");
  check_broken(node,
               "{'samplers':[{'input':0,'output':1,'interpolation':'STEP'},{'input':4,'output':2}],"
               "'channels':[" CHANNEL(0, 0, "translation") "," CHANNEL(1, 0, "rotation") "]}",
               "has 2 times and 3 values");
  check_broken(node,
               "{'samplers':[{'input':0,'output':1,'interpolation':'STEP'},{'input':0,'output':2}],"
               "'channels':[" CHANNEL(0, 0, "translation") "," CHANNEL(1, 0, "rotation") "]}",
               "mixes STEP with other interpolations");
  check_broken(node, SAMPLED("{'input':0,'output':1}", "weights"), "no animation moves");
}

// ---- runs and cooked worlds --------------------------------------------------------------------

#define DRIVEN(more)                                                                               \
  "{'limber':1,'gravity':[0,0,-5],'bodies':[{'name':'bar'," BAR                                    \
  ",'material':{'young':1e6},'damping':{'mass':1,'stiffness':0.002},'fixed':{'group':'left'},"     \
  "'motion':{'times':[0,0.05,0.1],'positions':[[0,0,0],[0.1,0,0],[0.1,0.1,0]],"                    \
  "'rotations':[[0,0,0,1],[0,0,0.2,1],[0,0,-0.1,1]]" more "}}],"                                   \
  "'probes':[{'vertex':0},{'vertex':2}],'time':{'step':0.002,'count':80}}"

static lbRun *run_of(const lbScene *scene) {
  lbRunDef def = lb_run_def();
  lbRun *run = NULL;
  lbError err = { 0 };
  check_ok(lb_run(scene, &def, &run, &err), err);
  assert_int_equal(run->bodies[0].not_converged_count, 0);
  return run;
}

// What is fixed is where the frame is, in every step, for every way to interpolate.
static void the_fixed_part_moves_with_the_frame(void **state) {
  (void)state;
  const char *const texts[] = { DRIVEN(""), DRIVEN(",'interpolation':'cubic'"),
                                DRIVEN(",'interpolation':'step'"), DRIVEN(",'cycle':true") };
  for (int k = 0; k < 4; k++) {
    lbScene *scene = scene_of(texts[k]);
    lbRun *run = run_of(scene);
    double worst = 0, rest[3], unused[3], x[3];
    const double *own = scene->bodies[0].mesh->positions;
    assert_true(scene->bodies[0].fixed[0]);
    lb_scene_vertex(&scene->bodies[0], 0, NULL, rest, unused);
    for (int32_t n = 0; n <= run->step_count; n++) {
      lbPathState frame = at(scene->bodies[0].motion, n * scene->time_step);
      lb_path_point(&frame, own, x);
      for (int i = 0; i < 3; i++)
        worst = fmax(worst, fabs(rest[i] + run->probes[6 * n + i] - x[i]));
    }
    print_message("  residual %.2e, tolerance 1e-13\n", worst);
    check_small(worst, 1e-13);
    lb_run_destroy(run);
    lb_scene_destroy(scene);
  }
}

// A body that stands on a frame which cuts to other places does not notice.
static void cuts_are_not_felt(void **state) {
  (void)state;
  lbScene *scene = scene_of(
      "{'limber':1,'bodies':[{'name':'bar'," BAR ",'material':{'young':1e6},"
      "'fixed':{'group':'left'},'motion':{'times':[0,0.01,0.02],'interpolation':'step','cycle':"
      "true,"
      "'positions':[[0,0,0],[7,0,0],[0,3,0]],'rotations':[[0,0,0,1],[0,0,1,1],[1,0,0,1]]}}],"
      "'time':{'step':0.002,'count':80}}");
  lbRun *run = run_of(scene);
  lbSimulatorState s = run->bodies[0].state;
  print_message("  energies %.2e and %.2e J, tolerance 1e-15\n", s.kinetic, s.elastic);
  check_small(s.kinetic, 1e-15);
  check_small(s.elastic, 1e-15);
  lb_run_destroy(run);
  lb_scene_destroy(scene);
}

static void a_full_body_must_be_held_by_its_frame(void **state) {
  (void)state;
  lbScene *scene = scene_of(MOTION("{'times':[0],'positions':[[0,0,0]]}"));
  lbRunDef def = lb_run_def();
  lbRun *run = NULL;
  lbError err = { 0 };
  check_fails(lb_run(scene, &def, &run, &err), LB_ERR_ARGUMENT, err,
              "body \"bar\": the method \"full\" follows its \"motion\" by what is fixed, and "
              "nothing is");
  lb_scene_destroy(scene);
}

static void cooked_worlds_keep_motions(void **state) {
  (void)state;
  lbScene *scene = scene_of(
              "{'limber':1,'bodies':[{'name':'a'," BAR ",'material':{},'fixed':{'group':'left'},"
              "'method':'modal','reduce':{'modes':3},'motion':{'times':[0,1],'positions':[[0,1,0],["
              "0,2,0]],"
              "'cycle':true}},{'name':'b'," BAR ",'material':{},'fixed':{'group':'left'},"
              "'method':'modal','reduce':{'modes':3}},{'name':'c'," BAR ",'material':{},'fixed':"
              "{'group':'left'},'method':'modal','reduce':{'modes':3},'motion':{'times':[0,1,3],"
              "'interpolation':'cubic','rotations':[[0,0,0,1],[0,0,1,1],[1,0,0,1]]}}]}"),
          *cooked = NULL;
  lbError err = { 0 };
  check_ok(lb_scene_cook(scene, output_path("moving.glb"), NULL, &err), err);
  check_ok(lb_scene_load(output_path("moving.glb"), NULL, &cooked, &err), err);
  assert_int_equal(cooked->path_count, 2);
  assert_null(cooked->bodies[1].motion);
  for (int b = 0; b < 3; b += 2)
    for (double t = -1; t < 5; t += 0.1) {
      lbPathState x = at(scene->bodies[b].motion, t), y = at(cooked->bodies[b].motion, t);
      assert_memory_equal(&x, &y, sizeof x);
    }
  lb_scene_destroy(cooked);
  lb_scene_destroy(scene);
  remove(output_path("moving.glb"));
}

static void recorded(const lbModel *m, int32_t frame, int32_t node, double u[3]) {
  for (int i = 0; i < 3; i++) {
    u[i] = 0;
    for (int32_t k = 0; k < m->size.recording_dimension; k++)
      u[i] += m->recording_basis[3 * (m->size.node_count * k + node) + i] *
              m->recording_coordinates[m->size.recording_dimension * frame + k];
  }
}

// The recording of a body holds its shape in its frame: put on the frame, it is the motion.
static void recordings_are_relative_to_the_frame(void **state) {
  (void)state;
  lbScene *scene = scene_of(DRIVEN("")), *cooked = NULL;
  lbRun *run = run_of(scene);
  lbError err = { 0 };
  check_ok(lb_scene_cook(scene, output_path("driven.glb"), NULL, &err), err);
  check_ok(lb_scene_load(output_path("driven.glb"), NULL, &cooked, &err), err);
  const lbModel *m = cooked->bodies[0].model;
  double worst = 0, fixed = 0, u[3], x[3], rest[3], unused[3];
  int32_t stride = (int32_t)round(1 / (m->recording_rate[0] * scene->time_step));
  for (int32_t f = 0; f * stride <= run->step_count; f++)
    for (int32_t p = 0; p < 2; p++) {
      int32_t vertex = scene->probes[p].vertex;
      lbPathState frame = at(cooked->bodies[0].motion, f * stride * scene->time_step);
      recorded(m, f, vertex, u);
      for (int i = 0; i < 3 && p == 0; i++) fixed = fmax(fixed, fabs(u[i]));
      for (int i = 0; i < 3; i++) u[i] += m->node_positions[3 * vertex + i];
      lb_path_point(&frame, u, x);
      lb_scene_vertex(&scene->bodies[0], vertex, NULL, rest, unused);
      const double *probe = run->probes + 6 * f * stride + 3 * p;
      for (int i = 0; i < 3; i++) worst = fmax(worst, fabs(rest[i] + probe[i] - x[i]));
    }
  print_message("  residual %.2e m, tolerance 1e-3; fixed nodes %.1e\n", worst, fixed);
  check_small(worst, 1e-3);
  check_small(fixed, 1e-12);
  lb_run_destroy(run);
  lb_scene_destroy(cooked);
  lb_scene_destroy(scene);
  remove(output_path("driven.glb"));
}

static void running_out_of_memory_is_told(void **state) {
  (void)state;
  Clip clip = { 0 };
  clip_add(&clip, times, 3, 1), clip_add(&clip, moves, 3, 3), clip_add(&clip, turns, 3, 4);
  char *text =
      clip_text(&clip, "{'name':'root','children':[1]},{'name':'hips'}",
                "{'samplers':[{'input':0,'output':1},{'input':0,'output':2}],'channels':[" CHANNEL(
                    0, 1, "translation") "," CHANNEL(1, 0, "rotation") "]}");
  for (int64_t n = 0;; n++) {
    CheckedHeap heap = { n, 0, 0 };
    lbAllocator allocator = checked_allocator(&heap);
    lbPath *path = NULL;
    lb_set_allocator(&allocator);
    lbStatus status = lb_gltf_motion("x", text, strlen(text), "hips", NULL, false, &path, NULL);
    lb_path_destroy(path);
    lb_set_allocator(NULL);
    assert_int_equal(heap.live, 0);
    if (status == LB_OK) break;
    assert_int_equal(status, LB_ERR_MEMORY);
  }
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(key_frames_are_read),
    cmocka_unit_test(rotations_or_positions_alone_are_enough),
    cmocka_unit_test(instances_share_a_motion_or_have_their_own),
    cmocka_unit_test(a_body_starts_with_its_frame),
    cmocka_unit_test(wrong_motions_are_refused_by_name),
    cmocka_unit_test(keys_of_a_node_are_taken_as_they_are),
    cmocka_unit_test(ancestors_place_the_motion),
    cmocka_unit_test(channels_of_different_times_are_joined),
    cmocka_unit_test(animated_ancestors_are_sampled_and_told),
    cmocka_unit_test(a_scene_takes_its_motion_from_a_file),
    cmocka_unit_test(broken_animations_are_refused),
    cmocka_unit_test(the_fixed_part_moves_with_the_frame),
    cmocka_unit_test(cuts_are_not_felt),
    cmocka_unit_test(a_full_body_must_be_held_by_its_frame),
    cmocka_unit_test(cooked_worlds_keep_motions),
    cmocka_unit_test(recordings_are_relative_to_the_frame),
    cmocka_unit_test(running_out_of_memory_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
