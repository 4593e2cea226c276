// Bodies of methods without a basis (warp, full) on the ground: they rest with their weight,
// however many of their vertices touch, and few linear systems are solved for that.
#include "contact_worlds.h"

#include "full/full.h"
#include "threads/threads.h"

enum { LONG = 300, SHORT = 120 }; // steps of 1/120 s
#define H (1.0 / 120)
#define DEEPEST 1e-3 // m: how far a resting body may be in the ground
#define CALM "'damping':{'mass':0.5,'stiffness':0.01}"
#define DAMPING 0.5 // 1/s

typedef struct Body {
  const char *mesh, *method;
  double young, tilt, fall; // Pa, rad, m
} Body;

typedef struct Rest {
  double lowest, deepest;  // m: of the vertices at the end; below the ground on the way
  double force, weight;    // N: the mean of the last 30 steps
  int32_t pushing, solves; // contacts at the end; the most that a step took
  double systems;          // of a step in which it pushes, the mean
  int32_t dropped;         // steps that dropped contacts
} Rest;

static double lowest_of(const lbBody *body, const lbModel *model, double *positions) {
  double lowest = INFINITY;
  lb_body_surface(body, positions);
  for (int32_t v = 0; v < model->size.vertex_count; v++)
    lowest = fmin(lowest, positions[3 * v + 2]);
  return lowest;
}

static lbModel *model_of(const Body *b) {
  char keys[600], text[900];
  snprintf(keys, sizeof keys,
           "'mesh':{'generate':'bar',%s},'material':{'model':'corotated','young':%g,'poisson':0.3,"
           "'density':1000},'method':'%s'," CALM,
           b->mesh, b->young, b->method);
  if (strcmp(b->method, "full")) return body_model(keys);
  lbModel *model = NULL;
  lbError err;
  snprintf(text, sizeof text, "{'limber':1,'bodies':[{'name':'body',%s}]}", keys);
  lbScene *scene = scene_of(text);
  check_ok(lb_scene_full_model(&scene->bodies[0], &model, &err), err);
  lb_scene_destroy(scene);
  return model;
}

// Falls onto the ground, from where its lowest vertex is at `fall`.
static lbBodyId add_falling(lbWorld *world, const lbModel *model, const Body *b) {
  lbBodyDef def = lb_body_def();
  lbBodyId id = 0;
  lbError err;
  double lowest = INFINITY;
  if (!strcmp(b->method, "full")) def.method = LB_METHOD_FULL;
  def.rotation = lb_quat_from_axis_angle(lb_normalise(lb_vec3(1, 0.8, 0)), b->tilt);
  for (int32_t v = 0; v < model->size.vertex_count; v++) {
    lbVec3 at = lb_vec3_load(model->vertex_positions + 3 * v);
    lowest = fmin(lowest, lb_quat_rotate(def.rotation, at).z);
  }
  def.position.z = b->fall - lowest;
  check_ok(lb_world_add(world, model, &def, &id, &err), err);
  return id;
}

static Rest rest_of(const Body *b, int steps) {
  lbModel *model = model_of(b);
  double *positions = malloc(3 * (size_t)model->size.vertex_count * sizeof(double));
  lbWorld *world = world_with(lb_vec3(0, 0, -9.81), 0.5);
  add_plane(world, lb_vec3(0, 0, 1));
  lbBodyId id = add_falling(world, model, b);
  const lbBody *body = lb_world_body(world, id);
  int awake = 0;
  Rest rest = { .weight = 9.81 * lb_body_report(body).mass };
  for (int i = 0; i < steps; i++) {
    rest.dropped += (lb_world_step(world, H) & LB_STEP_CONTACTS_DROPPED) != 0;
    lbContactStats stats = lb_world_contact_stats(world);
    rest.lowest = lowest_of(body, model, positions);
    rest.deepest = fmax(rest.deepest, -rest.lowest);
    rest.pushing = lb_world_contact_count(world); // of a body that sleeps, too
    if (stats.solves > rest.solves) rest.solves = stats.solves;
    if (stats.pushing > 0) rest.systems += stats.solves, awake++;
    if (i < steps - 30) continue;
    rest.force += lb_world_contact_force(world, id).z / 30;
  }
  if (awake > 0) rest.systems /= awake;
  print_message(
      "%s, %s, %g Pa, tilted by %g: %.3f mm (%.3f on the way), force %.5f of %g N, %d push, "
      "%.2g systems a step, at most %d\n",
      b->method, b->mesh, b->young, b->tilt, 1e3 * rest.lowest, -1e3 * rest.deepest,
      rest.force / rest.weight, rest.weight, rest.pushing, rest.systems, rest.solves);
  lb_world_destroy(world);
  lb_model_destroy(model);
  free(positions);
  return rest;
}

// Rests: what is left of its motion is 0.3 % of its weight in a mean over a quarter of a second.
static Rest check_rests(const Body *b, int steps) {
  Rest rest = rest_of(b, steps);
  check_small(rest.lowest, DEEPEST);
  check_near(rest.force / rest.weight, 1, 3e-3);
  assert_int_equal(rest.dropped, 0);
  return rest;
}

#define LONG_BAR(cells) "'size':[0.6,0.15,0.15],'cells':" cells ",'element':'brick8'"
#define TETS(size, cells) "'size':" size ",'cells':" cells ",'element':'tet4'"

static void bars_rest_with_their_weight_at_every_resolution(void **state) {
  (void)state;
  static const char *const meshes[] = { LONG_BAR("[4,1,1]"), LONG_BAR("[7,1,1]"),
                                        LONG_BAR("[8,2,2]"), LONG_BAR("[12,3,3]"),
                                        LONG_BAR("[16,4,4]") };
  static const int32_t vertices[] = { 10, 16, 27, 52, 85 }; // of the lower side
  for (int m = 0; m < (CHECK_SANITIZED ? 3 : 5); m++)
    for (int tilted = 0; tilted < 2; tilted++) {
      Body bar = { meshes[m], "warp", 2e5, 0.4 * tilted, 0.1 };
      Rest rest = check_rests(&bar, LONG);
      assert_int_equal(rest.pushing, vertices[m]);
      check_small(rest.deepest, 3e-3); // 1.4 m/s, 12 mm a step
    }
}

static void a_bar_by_full_rests_with_its_weight(void **state) {
  (void)state;
  for (int tilted = 0; tilted < 2; tilted++) {
    Body bar = { TETS("[0.6,0.15,0.15]", "[8,2,2]"), "full", 2e5, 0.4 * tilted, 0.1 };
    check_rests(&bar, LONG);
  }
}

// 3 072 tets that land on a corner, and stay above the ground.
static void a_tilted_cube_does_not_fall_through(void **state) {
  (void)state;
  Body cube = { TETS("[0.2,0.2,0.2]", "[8,8,8]"), "warp", 2e5, 0.5, 0.1 };
  Rest rest = rest_of(&cube, CHECK_SANITIZED ? SHORT / 4 : SHORT);
  check_small(rest.deepest, 0.02 * 0.2); // 2 % of its size
  assert_true(rest.solves > 0);
  Body full = { TETS("[0.2,0.2,0.2]", "[4,4,4]"), "full", 2e5, 0.5, 0.1 };
  rest = rest_of(&full, SHORT / 2);
  check_small(rest.deepest, 0.02 * 0.2);
}

static void a_thin_slab_rests_on_the_ground(void **state) {
  (void)state;
  for (int tilted = 0; tilted < 2; tilted++) {
    Body slab = { "'size':[0.4,0.4,0.03],'cells':[10,10,1],'element':'brick8'", "warp", 1e5,
                  0.3 * tilted, 0.3 };
    Rest rest = check_rests(&slab, LONG);
    check_small(rest.deepest, 0.1 * 0.03); // a tenth of its thickness
  }
}

// One column for each direction of each contact would be 255 systems a step.
static void systems_do_not_follow_the_number_of_contacts(void **state) {
  (void)state;
  static const char *const meshes[] = { LONG_BAR("[8,2,2]"), LONG_BAR("[16,4,4]") };
  for (int m = 0; m < (CHECK_SANITIZED ? 1 : 2); m++) {
    Body bar = { meshes[m], "warp", 2e5, 0, 0.01 };
    Rest rest = check_rests(&bar, LONG);
    assert_in_range(rest.solves, 1, 16); // a fall: bounded
    assert_true(rest.systems <= 4);      // most steps begin with forces that are nearly right
  }
}

// On an incline below and above the angle of friction, tan 24° = 0.445 and tan 30° = 0.577.
static void friction_holds_a_bar_on_an_incline_and_lets_it_slide(void **state) {
  (void)state;
  static const double angles[] = { 24, 30 };
  Body bar = { LONG_BAR("[8,2,2]"), "warp", 2e6, 0, 0.0005 };
  for (int a = 0; a < 2; a++) {
    double angle = angles[a] * 3.14159265358979 / 180, mu = 0.5;
    lbModel *model = model_of(&bar);
    // Gravity leans, the ground does not.
    lbWorld *world = world_with(lb_vec3(9.81 * sin(angle), 0, -9.81 * cos(angle)), mu);
    add_plane(world, lb_vec3(0, 0, 1));
    lbBodyId id = add_falling(world, model, &bar);
    lbVec3 middle = { 0 };
    for (int i = 0; i < 240; i++) {
      lb_world_step(world, H);
      if (i == 119) middle = lb_body_report(lb_world_body(world, id)).centre;
    }
    lbBodyReport report = lb_body_report(lb_world_body(world, id));
    // v' = g (sin - mu cos) - alpha v
    double expected = 9.81 * (sin(angle) - mu * cos(angle)) * (1 - exp(-DAMPING * 2)) / DAMPING;
    double speed = report.linear_momentum.x / report.mass;
    print_message("%g degrees: %.4g m in the second half, %.4g m/s of %.4g\n", angles[a],
                  report.centre.x - middle.x, speed, expected);
    if (a == 0)
      check_small(report.centre.x - middle.x, 1e-3);
    else
      check_near(speed / expected, 1, 0.02);
    lb_world_destroy(world);
    lb_model_destroy(model);
  }
}

// Two bodies on each other, and a rigid one on top: the ground carries all of them.
static void a_stack_of_unreduced_bodies_stands(void **state) {
  (void)state;
  Body lower = { LONG_BAR("[8,2,2]"), "warp", 2e5, 0, 0 },
       upper = { LONG_BAR("[6,3,2]"), "warp", 2e5, 0, 0 };
  lbModel *models[2] = { model_of(&lower), model_of(&upper) };
  double *positions = malloc(3 * 1000 * sizeof(double));
  lbWorld *world = world_with(lb_vec3(0, 0, -9.81), 0.5);
  add_plane(world, lb_vec3(0, 0, 1));
  upper.fall = 0.155;
  lbBodyId ids[2] = { add_falling(world, models[0], &lower),
                      add_falling(world, models[1], &upper) };
  double ground = 0, weight = 0, between = 0;
  for (int b = 0; b < 2; b++) weight += 9.81 * lb_body_report(lb_world_body(world, ids[b])).mass;
  for (int i = 0; i < LONG; i++) {
    lb_world_step(world, H);
    if (i < LONG - 30) continue;
    double top = lb_world_contact_force(world, ids[1]).z;
    between += top / 30;
    ground += (lb_world_contact_force(world, ids[0]).z + top) / 30;
  }
  double low = lowest_of(lb_world_body(world, ids[0]), models[0], positions);
  double high = lowest_of(lb_world_body(world, ids[1]), models[1], positions);
  print_message("stack: %.3f mm, %.1f mm, %.4f of its weight on the ground, %.4f between\n",
                1e3 * low, 1e3 * high, ground / weight, 2 * between / weight);
  check_small(low, DEEPEST);
  assert_true(high > 0.14);
  check_near(ground / weight, 1, 0.01);
  check_near(2 * between / weight, 1, 0.02);
  lb_world_destroy(world);
  for (int b = 0; b < 2; b++) lb_model_destroy(models[b]);
  free(positions);
}

// Of 441 vertices that touch several share a contact.
static void a_fine_slab_rests_on_patches(void **state) {
  (void)state;
  Body slab = { "'size':[0.4,0.4,0.05],'cells':[20,20,2],'element':'brick8'", "warp", 2e5, 0,
                0.02 };
  Rest rest = check_rests(&slab, LONG);
  assert_in_range(rest.pushing, 441 / 3, 256);
}

// The same bits for any number of threads.
static void threads_change_no_bit(void **state) {
  (void)state;
  Body bar = { LONG_BAR("[8,2,2]"), "warp", 2e5, 0.3, 0.01 };
  lbModel *model = model_of(&bar);
  double ends[2][3 * 3];
  for (int threads = 0; threads < 2; threads++) {
    lbError err;
    lbWorld *world = world_with(lb_vec3(0, 0, -9.81), 0.5);
    lbBodyId ids[3];
    if (threads) check_ok(lb_threads_start(3, &err), err);
    add_plane(world, lb_vec3(0, 0, 1));
    for (int b = 0; b < 3; b++) {
      ids[b] = add_falling(world, model, &bar);
      lbFrame frame = lb_body_frame(lb_world_body(world, ids[b]));
      lb_body_set_velocity(lb_world_body(world, ids[b]), lb_vec3(0.3 * b, b == 1, 0),
                           lb_vec3(0, 0, frame.position.z * b));
      bar.fall += 0.25;
    }
    bar.fall = 0.01;
    for (int i = 0; i < SHORT; i++) lb_world_step(world, H);
    for (int b = 0; b < 3; b++)
      lb_vec3_store(ends[threads] + 3 * b, lb_body_report(lb_world_body(world, ids[b])).centre);
    lb_world_destroy(world);
    if (threads) lb_threads_stop();
  }
  assert_memory_equal(ends[0], ends[1], sizeof ends[0]);
  lb_model_destroy(model);
}

// A body that no joint holds, in a world that has some: a block hangs in a hinge beside it.
static void joints_of_others_change_nothing(void **state) {
  (void)state;
  Body bar = { LONG_BAR("[8,2,2]"), "warp", 2e5, 0.2, 0.02 };
  lbModel *model = model_of(&bar), *block = body_model(BLOCK "," MODAL);
  lbWorld *world = world_with(lb_vec3(0, 0, -9.81), 0.5);
  lbJointDef def = lb_joint_def();
  lbJointId joint;
  lbError err;
  add_plane(world, lb_vec3(0, 0, 1));
  lbBodyId id = add_falling(world, model, &bar);
  def.kind = LB_JOINT_HINGE;
  def.bodies[0] = add_block(world, block, lb_vec3(2, 0, 1));
  def.places[0] = def.places[1] = lb_vec3(2.1, 0.1, 1.2);
  def.axis = lb_vec3(1, 0, 0);
  check_ok(lb_world_add_joint(world, &def, &joint, &err), err);
  double force = 0, *positions = malloc(3 * (size_t)model->size.vertex_count * sizeof(double));
  for (int i = 0; i < LONG; i++) {
    lb_world_step(world, H);
    if (i >= LONG - 30) force += lb_world_contact_force(world, id).z / 30;
  }
  const lbBody *body = lb_world_body(world, id);
  double low = lowest_of(body, model, positions), weight = 9.81 * lb_body_report(body).mass;
  print_message("beside a hinge: %.3f mm, %.4f of its weight\n", 1e3 * low, force / weight);
  check_small(low, DEEPEST);
  check_near(force / weight, 1, 3e-3);
  lb_world_destroy(world);
  lb_model_destroy(model), lb_model_destroy(block);
  free(positions);
}

static void a_saved_world_goes_on_to_the_bit(void **state) {
  (void)state;
  Body bar = { LONG_BAR("[8,2,2]"), "warp", 2e5, 0.3, 0.02 };
  lbModel *model = model_of(&bar);
  lbWorld *world = world_with(lb_vec3(0, 0, -9.81), 0.5);
  add_plane(world, lb_vec3(0, 0, 1));
  add_falling(world, model, &bar);
  for (int i = 0; i < 20; i++) lb_world_step(world, 1.0 / 60);
  assert_true(lb_world_contact_count(world) > 0);
  check_goes_on_to_the_bit(world);
  lb_world_destroy(world);
  lb_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(bars_rest_with_their_weight_at_every_resolution),
    cmocka_unit_test(a_bar_by_full_rests_with_its_weight),
    cmocka_unit_test(a_tilted_cube_does_not_fall_through),
    cmocka_unit_test(a_thin_slab_rests_on_the_ground),
    cmocka_unit_test(a_fine_slab_rests_on_patches),
    cmocka_unit_test(systems_do_not_follow_the_number_of_contacts),
    cmocka_unit_test(friction_holds_a_bar_on_an_incline_and_lets_it_slide),
    cmocka_unit_test(a_stack_of_unreduced_bodies_stands),
    cmocka_unit_test(joints_of_others_change_nothing),
    cmocka_unit_test(threads_change_no_bit),
    cmocka_unit_test(a_saved_world_goes_on_to_the_bit),
  };
  lb_full_register();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
