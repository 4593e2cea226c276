// Points of bodies that follow paths, by every method, in scenes, worlds and cooked files.
#include "../scene/scene_text.h"

#include "limber/cook.h"
#include "limber/run.h"
#include "limber/world.h"

#define LENGTH 40 // steps
#define PATH                                                                                       \
  "'motion':{'times':[0,0.1,0.2,0.4],'positions':[[0,0,0],[0.02,0,0.05],[0,0.04,0],[0,0,0.03]],"   \
  "'rotations':[[0,0,0,1],[0,0.02,0,1],[0.02,0,0.03,1],[0,0,0,1]],'interpolation':'cubic'}"
#define SOFT "'material':{'model':'stvk','young':2e5,'poisson':0.3}"
#define LEFT "'fixed':{'box':[[-9,-9,-9],[1e-9,9,9]]}"
#define WHOLE(body, attach)                                                                        \
  "{'limber':1,'gravity':[0,0,-9.81],'bodies':[{'name':'bar'," BAR "," SOFT "," body               \
  "}],'attach':[" attach                                                                           \
  "],'probes':[{'vertex':11},{'vertex':8}],'time':{'step':0.01,'count':40}}"

static const char *const methods[] = {
  LEFT ",'method':'full'",
  LEFT ",'method':'modal','reduce':{'modes':20}",
  LEFT ",'method':'subspace','reduce':{'modes':10,'dimension':20}",
  LEFT ",'method':'warp','warp':{'iterations':100}",
  "'method':'warp','warp':{'iterations':100,'rigid':[{'box':[[0.51,-1,-1],[2,1,1]]}]}",
  "'method':'subspace','reduce':{'modes':10,'dimension':20}",
};
enum { METHODS = sizeof methods / sizeof *methods, FREE = METHODS - 1 };

static lbRun *run_of(const lbScene *scene) {
  lbRunDef def = lb_run_def();
  lbRun *run = NULL;
  lbError err;
  check_ok(lb_run(scene, &def, &run, &err), err);
  return run;
}

// Where the path takes a vertex from its rest, at t.
static lbVec3 target_of(const lbScene *scene, int32_t probe, double t, lbVec3 *rest) {
  double own[3], moved[3], at[3];
  lbPathState frame;
  lb_scene_vertex(&scene->bodies[0], scene->probes[probe].vertex, NULL, own, moved);
  lb_path_at(scene->attachments[0].path, t, &frame);
  lb_path_point(&frame, own, at);
  *rest = lb_vec3_load(own);
  return lb_vec3_load(at);
}

static double worst_lag(const lbScene *scene, const lbRun *run) {
  double worst = 0;
  for (int i = 1; i <= LENGTH; i++) {
    lbVec3 rest, target = target_of(scene, 0, 0.01 * i, &rest);
    lbVec3 at = lb_add(rest, lb_vec3_load(run->probes + 6 * (size_t)i));
    worst = fmax(worst, lb_length(lb_sub(at, target)));
  }
  return worst;
}

static void an_attached_vertex_is_where_its_path_says_by_every_method(void **state) {
  (void)state;
  for (int m = 0; m < METHODS; m++) {
    char text[2000];
    snprintf(text, sizeof text, WHOLE("%s", "{'vertex':11," PATH "}"), methods[m]);
    lbScene *scene = scene_of(text);
    lbRun *run = run_of(scene);
    double lag = worst_lag(scene, run);
    printf("  %s: %.1e m\n", methods[m], lag);
    assert_int_equal(run->bodies[0].nonfinite_count, 0);
    check_small(lag, m == FREE ? 1e-4 : 1e-6); // a free frame's turn is not linear in its forces
    lb_run_destroy(run), lb_scene_destroy(scene);
  }
}

static void springs_lag_and_attachments_end(void **state) {
  (void)state;
  lbScene *stiff = scene_of(WHOLE(LEFT ",'method':'modal','reduce':{'modes':20}",
                                  "{'vertex':11,'stiffness':1e6,'damping':10," PATH "}"));
  lbScene *soft = scene_of(WHOLE(LEFT ",'method':'modal','reduce':{'modes':20}",
                                 "{'vertex':11,'stiffness':10," PATH "}"));
  lbScene *ends =
      scene_of(WHOLE("'method':'warp'", "{'vertex':11,'to':0.2," PATH "},{'vertex':8,'to':0.2}"));
  lbRun *one = run_of(stiff), *other = run_of(soft), *last = run_of(ends);
  double near = worst_lag(stiff, one), far = worst_lag(soft, other);
  printf("  springs: %.1e and %.1e m off\n", near, far);
  check_small(near, 1e-3);
  assert_true(far > 20 * near);
  // Let go at 0.2 s it falls: the two ends' mean drop in the last steps.
  double before = 0, after = 0;
  for (int k = 0; k < 2; k++) {
    before += 0.5 * last->probes[6 * 20 + 3 * k + 2];
    after += 0.5 * last->probes[6 * 40 + 3 * k + 2];
  }
  printf("  let go: from %.3f m to %.3f m\n", before, after);
  assert_true(after < before - 0.05);
  lb_run_destroy(one), lb_run_destroy(other), lb_run_destroy(last);
  lb_scene_destroy(stiff), lb_scene_destroy(soft), lb_scene_destroy(ends);
}

static void a_cooked_file_runs_to_the_bits_of_its_scene(void **state) {
  (void)state;
  for (int m = 1; m < METHODS; m++) {
    char text[2000];
    snprintf(text, sizeof text,
             WHOLE("%s", "{'vertex':11,'from':0.02,'to':0.3," PATH "},{'vertex':8,'stiffness':50}"),
             methods[m]);
    lbScene *scene = scene_of(text), *cooked = NULL;
    lbCookReport report;
    lbError err;
    check_ok(lb_scene_cook(scene, output_path("attached.glb"), &report, &err), err);
    check_ok(lb_scene_load(output_path("attached.glb"), NULL, &cooked, &err), err);
    assert_int_equal(cooked->attachment_count, 2);
    lbRun *a = run_of(scene), *b = run_of(cooked);
    assert_memory_equal(a->probes, b->probes, 6 * (LENGTH + 1) * sizeof(double));
    // The same opened as a world.
    lbWorld *world = NULL;
    lbVec3 at;
    check_ok(lb_world_open(cooked->bundle, NULL, &world, &err), err);
    for (int i = 0; i < LENGTH; i++) lb_world_step(world, 0.01);
    check_ok(lb_world_probe(world, 0, NULL, &at, &err), err);
    assert_memory_equal(&at, a->probes + 6 * LENGTH, sizeof at);
    lb_world_destroy(world);
    lb_run_destroy(a), lb_run_destroy(b);
    lb_scene_destroy(scene), lb_scene_destroy(cooked);
  }
}

static lbWorld *world_of(const char *method, lbBundle **bundle) {
  char text[2000];
  lbWorld *world = NULL;
  lbError err;
  snprintf(text, sizeof text, WHOLE("%s", "{'vertex':11,'to':0.15," PATH "},{'vertex':8}"), method);
  lbScene *scene = scene_of(text);
  check_ok(lb_scene_bundle(scene, bundle, &err), err);
  check_ok(lb_world_open(*bundle, NULL, &world, &err), err);
  lb_scene_destroy(scene);
  return world;
}

static void states_go_on_to_the_bit_and_steps_take_no_memory(void **state) {
  (void)state;
  for (int m = 1; m < METHODS; m++) {
    lbBundle *bundle = NULL;
    lbWorld *world = world_of(methods[m], &bundle);
    lbError err;
    lbVec3 first, second;
    size_t bytes = lb_world_state_bytes(world);
    void *saved = malloc(bytes);
    for (int i = 0; i < 10; i++) lb_world_step(world, 0.01);
    check_ok(lb_world_save_state(world, saved, bytes, &err), err);
    CheckedHeap heap = { .fail_at = -1 };
    lbAllocator counting = checked_allocator(&heap);
    lb_set_allocator(&counting);
    for (int i = 0; i < 15; i++) lb_world_step(world, 0.01);
    lb_set_allocator(NULL);
    assert_int_equal(heap.count, 0);
    check_ok(lb_world_probe(world, 0, NULL, &first, &err), err);
    assert_int_equal(lb_world_state_bytes(world), bytes);
    check_ok(lb_world_restore_state(world, saved, bytes, &err), err);
    for (int i = 0; i < 15; i++) lb_world_step(world, 0.01);
    check_ok(lb_world_probe(world, 0, NULL, &second, &err), err);
    assert_memory_equal(&first, &second, sizeof first);
    free(saved);
    lb_world_destroy(world), lb_bundle_destroy(bundle);
  }
}

static void attachments_come_and_go(void **state) {
  (void)state;
  lbBundle *bundle = NULL;
  lbWorld *world = world_of(methods[3], &bundle);
  lbError err;
  lbAttachment at = lb_attachment();
  lbAttachmentId id = 0;
  at.body = lb_world_body_at(world, 0);
  at.point = lb_point_node(2);
  check_ok(lb_world_attach(world, &at, &id, &err), err);
  for (int i = 0; i < 30; i++) lb_world_step(world, 0.01);
  lbVec3 place, rest = lb_vec3_load(bundle->models[0]->node_positions + 6);
  assert_int_equal(lb_body_point(lb_world_body(world, at.body), at.point, &place, NULL), LB_OK);
  check_small(lb_length(lb_sub(place, rest)), 1e-6);
  check_ok(lb_world_detach(world, id, &err), err);
  check_fails(lb_world_detach(world, id, &err), LB_ERR_ARGUMENT, err, "no attachment");
  for (int i = 0; i < 10; i++) lb_world_step(world, 0.01);
  assert_int_equal(lb_body_point(lb_world_body(world, at.body), at.point, &place, NULL), LB_OK);
  assert_true(lb_length(lb_sub(place, rest)) > 1e-4);
  at.point = lb_point_node(999);
  assert_int_equal(lb_world_attach(world, &at, &id, &err), LB_ERR_ARGUMENT);
  at.point = lb_point_node(1), at.stiffness = NAN;
  assert_int_equal(lb_world_attach(world, &at, &id, &err), LB_ERR_ARGUMENT);
  at.stiffness = 1, at.from = NAN;
  assert_int_equal(lb_world_attach(world, &at, &id, &err), LB_ERR_ARGUMENT);
  check_ok(lb_world_remove(world, at.body, &err), err);
  assert_int_equal(lb_world_step(world, 0.01), 0);
  lb_world_destroy(world), lb_bundle_destroy(bundle);
}

#define BAD(attach) WHOLE(LEFT, attach)

static void attachments_that_mean_nothing_are_refused(void **state) {
  (void)state;
  check_refused(BAD("{'vertex':99999}"), "attach[0].vertex");
  check_refused(BAD("{'body':'leg','vertex':1}"), "there is no body \"leg\"");
  check_refused(BAD("{}"), "must name its \"vertex\"");
  check_refused(BAD("{'vertex':1,'stiffness':-1}"), "attach[0].stiffness");
  check_refused(BAD("{'vertex':1,'damping':1}"), "give it a \"stiffness\"");
  check_refused(BAD("{'vertex':1,'motion':{}}"), "attach[0].motion");
  check_refused(BAD("{'vertex':1,'motion':{'times':[0],'positions':[[0,0,1e999]]}}"), "");
  check_refused(BAD("{'vertex':1,'speed':1}"), "speed");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(an_attached_vertex_is_where_its_path_says_by_every_method),
    cmocka_unit_test(springs_lag_and_attachments_end),
    cmocka_unit_test(a_cooked_file_runs_to_the_bits_of_its_scene),
    cmocka_unit_test(states_go_on_to_the_bit_and_steps_take_no_memory),
    cmocka_unit_test(attachments_come_and_go),
    cmocka_unit_test(attachments_that_mean_nothing_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
