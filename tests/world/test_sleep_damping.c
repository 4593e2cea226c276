// Bodies with the damping that `limber build` gives (2 % of the first mode, stiffness alone), laid
// on the ground or dropped: what is at rest sleeps within 2 s, what moves does not.
#include "rigid_bodies.h"

#include "geometry/box.h"
#include "limber/build_model.h"

enum { METHODS = 5, SHAPES = 3, YOUNGS = 2, BALL = 1, WARP = 3 };
static const char *const methods[METHODS] = {
  "'method':'subspace','reduce':{'modes':10,'dimension':18}",
  "'method':'modal','reduce':{'modes':16}",
  ("'method':'subspace','reduce':{'modes':10,'dimension':18,'forces':'cubature','elements':20,"
   "'poses':60}"),
  "'method':'warp'",
  "'method':'frames','frames':{'count':5,'samples':120}",
};
static const char *const shapes[SHAPES] = {
  "'mesh':{'generate':'bar','size':[0.2,0.2,0.2],'cells':[3,3,3]}",
  "'mesh':{'generate':'sphere','size':[0.2,0.2,0.2],'cells':[4,4,4],'segments':12}",
  "'mesh':{'generate':'torus','size':[0.3,0.3,0.06],'cells':[16,3,3],'segments':16}",
};
static const char *const method_names[METHODS] = { "subspace", "modal", "cubature", "warp",
                                                   "frames" };
static const char *const names[SHAPES] = { "box", "ball", "torus" };
static const double h = 1.0 / 60;

static lbModel *model_with(int shape, const char *method, double young, double stiffness) {
  char keys[800];
  snprintf(keys, sizeof keys,
           "%s,'material':{'model':'stvk','young':%g,'poisson':0.4,'density':1000},%s,"
           "'damping':{'stiffness':%.17g}",
           shapes[shape], young, method, stiffness);
  return body_model(keys);
}

// ξ = β ω / 2 of the first mode that is not rigid.
static lbModel *model_as_built(int shape, const char *method, double young) {
  lbModel *modal = model_with(shape, "'method':'modal','reduce':{'modes':1}", young, 0);
  double stiffness = 2 * LB_BUILD_DAMPING / sqrt(modal->modal_eigenvalues[0]);
  lb_model_destroy(modal);
  return model_with(shape, method, young, stiffness);
}

// An observer that looks at all vertices: since when has the surface stayed within a box around
// each vertex that is so many radii across? Windows of half a second that overlap by half.
enum { WINDOW = 15 }; // steps
typedef struct Observer {
  int32_t count; // numbers
  double *low[2], *high[2], *now;
  double motion; // m, greatest extent of a vertex's motion along an axis over the last two windows
} Observer;

static Observer observer_of(const lbModel *model) {
  Observer o = { .count = 3 * model->size.vertex_count };
  o.now = malloc((size_t)o.count * sizeof(double));
  for (int k = 0; k < 2; k++) {
    o.low[k] = malloc((size_t)o.count * sizeof(double));
    o.high[k] = malloc((size_t)o.count * sizeof(double));
    for (int32_t i = 0; i < o.count; i++) o.low[k][i] = -INFINITY, o.high[k][i] = INFINITY;
  }
  return o;
}

static void destroy_observer(Observer *o) {
  for (int k = 0; k < 2; k++) free(o->low[k]), free(o->high[k]);
  free(o->now);
}

// The extents of the last full window and of the one under way, taken together.
static void observe(Observer *o, const lbBody *body, int step) {
  lb_body_surface(body, o->now);
  o->motion = 0;
  for (int32_t i = 0; i < o->count; i++) {
    if (step % WINDOW == 0) {
      o->low[1][i] = o->low[0][i], o->high[1][i] = o->high[0][i];
      o->low[0][i] = o->high[0][i] = o->now[i];
    }
    o->low[0][i] = fmin(o->low[0][i], o->now[i]), o->high[0][i] = fmax(o->high[0][i], o->now[i]);
    double extent = fmax(o->high[0][i], o->high[1][i]) - fmin(o->low[0][i], o->low[1][i]);
    o->motion = fmax(o->motion, extent);
  }
}

typedef struct Nap {
  double asleep; // s, when it fell asleep; INFINITY: not within 10 s
  double still;  // s, since when no vertex has moved by more than 1 % of the radius
  double motion; // m, in the half second before it fell asleep
  double energy; // kinetic, when it did, as a share of mass times gravity times radius
} Nap;

// m, half the diagonal of the rest shape.
static double radius_of(const lbModel *model) {
  lbBox box = lb_box_empty();
  for (int32_t v = 0; v < model->size.vertex_count; v++)
    lb_box_add_point(&box, model->vertex_positions + 3 * (size_t)v);
  return 0.5 * lb_length(lb_sub(lb_vec3_load(box.high), lb_vec3_load(box.low)));
}

static Nap nap_of(lbWorld *world, const lbModel *model, lbBodyId id) {
  Observer o = observer_of(model);
  Nap nap = { .asleep = INFINITY };
  double radius = radius_of(model);
  for (int step = 0; step < 600 && !isfinite(nap.asleep); step++) {
    lb_world_step(world, h);
    if (lb_world_body_sleeping(world, id)) {
      nap.asleep = lb_world_time(world);
      lbBodyReport r = lb_body_report(lb_world_body(world, id));
      nap.energy = r.kinetic / (9.81 * r.mass * radius);
      break;
    }
    observe(&o, lb_world_body(world, id), step);
    nap.motion = o.motion;
    if (o.motion > 0.01 * radius) nap.still = lb_world_time(world);
  }
  destroy_observer(&o);
  return nap;
}

static lbWorld *ground_world(void) {
  lbWorld *world = world_with(lb_vec3(0, 0, -9.81), 0.5);
  add_plane(world, lb_vec3(0, 0, 1));
  return world;
}

// Nothing falls asleep that can be seen to move; what is still sleeps after a window that it begins
// with and one that it fills.
static void check_nap(lbWorld *world, const lbModel *model, lbBodyId id, const char *what,
                      bool must) {
  Nap nap = nap_of(world, model, id);
  print_message("%-24s asleep after %5.3g s, still since %5.3g s, moved by %.2g mm before\n", what,
                nap.asleep, nap.still, 1e3 * nap.motion);
  if (isfinite(nap.asleep)) check_small(nap.motion, 2.5e-3), check_small(nap.energy, 1e-3);
  if (must) check_small(nap.asleep - nap.still, 3.3);
}

// Balls of unreduced nodes roll and sway for more than 10 s: there is no rolling friction.
static bool rests_soon(int shape, int method) { return shape != BALL || method != WARP; }

static void what_is_laid_on_the_ground_sleeps(void **state) {
  (void)state;
  for (int shape = 0; shape < SHAPES; shape++)
    for (int k = 0; k < (CHECK_SANITIZED ? 2 : METHODS); k++)
      for (int y = 0; y < (CHECK_SANITIZED ? 1 : YOUNGS); y++) {
        char what[80];
        lbModel *model = model_as_built(shape, methods[k], y ? 1e6 : 1e5);
        lbWorld *world = ground_world();
        snprintf(what, sizeof what, "laid: %s %s %g", names[shape], method_names[k], y ? 1e6 : 1e5);
        check_nap(world, model, add_block(world, model, lb_vec3(0, 0, 0)), what,
                  rests_soon(shape, k));
        lb_world_destroy(world);
        lb_model_destroy(model);
      }
}

static void what_falls_sleeps_when_it_has_come_to_rest(void **state) {
  (void)state;
  for (int shape = 0; shape < SHAPES; shape++)
    for (int k = 0; k < (CHECK_SANITIZED ? 2 : METHODS); k++) {
      char what[80];
      lbModel *model = model_as_built(shape, methods[k], 1e5);
      lbWorld *world = ground_world();
      snprintf(what, sizeof what, "dropped: %s %s", names[shape], method_names[k]);
      check_nap(world, model, add_block(world, model, lb_vec3(0, 0, 0.2)), what,
                rests_soon(shape, k));
      lb_world_destroy(world);
      lb_model_destroy(model);
    }
}

static void stacks_sleep(void **state) {
  (void)state;
  for (int k = 0; k < (CHECK_SANITIZED ? 2 : METHODS); k++) {
    char what[80];
    lbModel *model = model_as_built(0, methods[k], 1e6);
    lbWorld *world = ground_world();
    lbBodyId id = 0;
    for (int i = 0; i < 3; i++) id = add_block(world, model, lb_vec3(0, 0, 0.2 * i));
    snprintf(what, sizeof what, "stack of three: %s", method_names[k]);
    check_nap(world, model, id, what, k != WARP);
    lb_world_destroy(world);
    lb_model_destroy(model);
  }
}

// ---- motion that is slow ------------------------------------------------------------------------

// Without friction it glides at its speed for ever; threshold 0.002 radii a second.
static void a_slow_slide_stays_awake(void **state) {
  (void)state;
  for (int k = -1; k < (CHECK_SANITIZED ? 1 : METHODS); k++) {
    lbModel *model = k < 0 ? rigid_box(0.2, 0.2, 0.2, 1000) : model_as_built(0, methods[k], 1e6);
    lbWorld *world = world_with(lb_vec3(0, 0, -9.81), 0);
    add_plane(world, lb_vec3(0, 0, 1));
    lbBodyId id = add_block(world, model, lb_vec3(0, 0, k < 0 ? 0.1 : 0));
    lb_body_set_velocity(lb_world_body(world, id), lb_vec3(5e-4, 0, 0), lb_vec3(0, 0, 0));
    for (int i = 0; i < 600; i++) {
      lb_world_step(world, h);
      assert_false(lb_world_body_sleeping(world, id));
    }
    lb_world_destroy(world);
    lb_model_destroy(model);
  }
}

// On an incline, with just the friction that keeps its speed.
static void a_slow_slide_on_an_incline_stays_awake(void **state) {
  (void)state;
  const double angle = 0.3;
  lbModel *model = rigid_box(0.2, 0.2, 0.2, 1000);
  lbWorld *world =
      world_with(lb_vec3(9.81 * sin(angle), 0, -9.81 * cos(angle)), tan(angle) * (1 - 1e-6));
  add_plane(world, lb_vec3(0, 0, 1));
  lbBodyId id = add_block(world, model, lb_vec3(0, 0, 0.1));
  lb_body_set_velocity(lb_world_body(world, id), lb_vec3(5e-4, 0, 0), lb_vec3(0, 0, 0));
  for (int i = 0; i < 300; i++) lb_world_step(world, h);
  double speed = lb_length(lb_body_report(lb_world_body(world, id)).linear_momentum) / 8;
  print_message("slides at %.3g mm/s after 5 s\n", 1e3 * speed);
  assert_true(!lb_world_body_sleeping(world, id) || speed < 1e-4);
  lb_world_destroy(world);
  lb_model_destroy(model);
}

static lbJointId join(lbWorld *world, lbJointKind kind, lbBodyId id, lbVec3 place, double speed,
                      const double limits[2]) {
  lbJointDef def = lb_joint_def();
  lbJointId joint = 0;
  lbError err;
  def.kind = kind;
  def.bodies[0] = id;
  def.places[0] = def.places[1] = place;
  def.axis = lb_vec3(0, 1, 0);
  def.motor_speed = speed, def.motor_force = speed != 0 ? 100 : 0;
  if (limits) def.limited = true, def.limits[0] = limits[0], def.limits[1] = limits[1];
  check_ok(lb_world_add_joint(world, &def, &joint, &err), err);
  return joint;
}

// 3 m long, so a swing takes 3.5 s: it stands nearly still for half a second where it turns.
static void a_slow_pendulum_stays_awake(void **state) {
  (void)state;
  lbModel *model = rigid_box(0.2, 0.2, 0.2, 1000);
  lbWorld *world = rigid_world(lb_vec3(0, 0, -9.81), false, 0.5);
  lbBodyId id = add_block(world, model, lb_vec3(0, 0, -3));
  join(world, LB_JOINT_HINGE, id, lb_vec3(0, 0, 0), 0, NULL);
  lb_body_set_velocity(lb_world_body(world, id), lb_vec3(0.01, 0, 0), lb_vec3(0, -0.01 / 3, 0));
  for (int i = 0; i < 900; i++) {
    lb_world_step(world, h);
    assert_false(lb_world_body_sleeping(world, id));
  }
  lb_world_destroy(world);
  lb_model_destroy(model);
}

// The minute hand of a clock does not stop; a motor that is blocked by a limit does not keep its
// body awake.
static void motors_that_run_stay_awake(void **state) {
  (void)state;
  const double limits[2] = { -0.1, 0.1 };
  for (int blocked = 0; blocked < 2; blocked++) {
    lbModel *model = rigid_box(0.2, 0.2, 0.2, 1000);
    lbWorld *world = rigid_world(lb_vec3(0, 0, -9.81), false, 0.5);
    lbBodyId id = add_block(world, model, lb_vec3(0, 0, -0.1));
    join(world, LB_JOINT_HINGE, id, lb_vec3(0, 0, -0.1), blocked ? 1 : 2 * LB_PI / 3600,
         blocked ? limits : NULL);
    for (int i = 0; i < 300; i++) lb_world_step(world, h);
    assert_int_equal(lb_world_body_sleeping(world, id), blocked);
    lb_world_destroy(world);
    lb_model_destroy(model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_is_laid_on_the_ground_sleeps),
    cmocka_unit_test(what_falls_sleeps_when_it_has_come_to_rest),
    cmocka_unit_test(stacks_sleep),
    cmocka_unit_test(a_slow_slide_stays_awake),
    cmocka_unit_test(a_slow_slide_on_an_incline_stays_awake),
    cmocka_unit_test(a_slow_pendulum_stays_awake),
    cmocka_unit_test(motors_that_run_stay_awake),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
