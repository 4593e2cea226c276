// Nothing passes through anything at the speeds that limber/contact.h states: balls and plates,
// soft and rigid, however thin.
#include "contact_worlds.h"

#define FIRM "'material':{'model':'stvk','young':1e7,'poisson':0.3,'density':1000}"
static lbModel *ball, *plate;

static int set_up(void **state) {
  (void)state;
  ball = body_model(
      "'mesh':{'generate':'sphere','size':[0.2,0.2,0.2],'cells':[6,6,6],'segments':24}," FIRM
      "," MODAL);
  plate = body_model(
      "'mesh':{'generate':'bar','size':[0.5,0.5,0.01],'cells':[6,6,1],'element':"
      "'brick8'},'material':{'model':'stvk','young':1e9,'poisson':0.3,'density':1000}," MODAL);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  lb_model_destroy(ball);
  lb_model_destroy(plate);
  return 0;
}

// The height of a ball that was shot down at a plate of 5 mm, or of less: below 0 it went through.
static double shoot_at_box(double speed, double rate, double thickness, double aside) {
  lbWorld *world = world_with(lb_vec3(0, 0, 0), 0.5);
  lbColliderDef def = lb_collider_def();
  lbColliderId id;
  lbError err;
  def.shape = LB_COLLIDER_BOX;
  def.size[0] = def.size[1] = 2, def.size[2] = thickness;
  check_ok(lb_world_add_collider(world, &def, &id, &err), err);
  lbBodyId body = add_block(world, ball, lb_vec3(aside, aside, 1.3));
  lb_body_set_velocity(lb_world_body(world, body), lb_vec3(0, 0, -speed), lb_vec3(1, 2, 3));
  for (int i = 0; i < 4 + (int)(2 * rate / speed); i++) lb_world_step(world, 1 / rate);
  double height = lb_body_report(lb_world_body(world, body)).centre.z;
  lb_world_destroy(world);
  return height;
}

static void fast_balls_do_not_pass_a_thin_plate(void **state) {
  (void)state;
  static const double speeds[] = { 1, 5, 20, 50, 100, 200 }, rates[] = { 30, 60, 240 };
  for (int s = 0; s < 6; s++)
    for (int r = 0; r < 3; r++)
      for (int a = 0; a < 3; a++) {
        double height = shoot_at_box(speeds[s], rates[r], a == 1 ? 0.0005 : 0.005, 0.13 * a);
        if (!(height > 0))
          print_message("%g m/s, 1/%g s, aside %g: %.3g m\n", speeds[s], rates[r], 0.13 * a,
                        height);
        assert_true(height > 0);
      }
}

// Two bodies: a ball on a plate that flies towards it.
static void fast_balls_do_not_pass_a_soft_plate(void **state) {
  (void)state;
  static const double speeds[] = { 1, 5, 20, 50 }, rates[] = { 60, 240 };
  for (int s = 0; s < 4; s++)
    for (int r = 0; r < 2; r++) {
      lbWorld *world = world_with(lb_vec3(0, 0, 0), 0.5);
      lbError err;
      lbBodyId under = add_block(world, plate, lb_vec3(-0.25, -0.25, 0));
      lbBodyId over = add_block(world, ball, lb_vec3(-0.08, -0.09, 0.3));
      lb_body_set_velocity(lb_world_body(world, over), lb_vec3(0, 0, -speeds[s]), lb_vec3(0, 0, 0));
      int steps = 4 + (int)(0.6 * rates[r] / speeds[s]);
      for (int i = 0; i < steps; i++) lb_world_step(world, 1 / rates[r]);
      lbBodyReport a = lb_body_report(lb_world_body(world, over));
      lbBodyReport b = lb_body_report(lb_world_body(world, under));
      double pushed = b.linear_momentum.z / b.mass;
      bool above = false;
      lbPick pick;
      check_ok(lb_body_pick(lb_world_body(world, under), a.centre, lb_vec3(0, 0, 1), &pick, &above),
               err);
      print_message("%g m/s, 1/%g s: ball %.3g m above the plate's centre, which has %.3g m/s%s\n",
                    speeds[s], rates[r], a.centre.z - b.centre.z, pushed,
                    above ? "; it is under the plate" : "");
      assert_false(above);
      assert_true(pushed < -0.1 * speeds[s]);
      lb_world_destroy(world);
    }
}

// A collider that is moved by the caller sweeps a plate away.
static void a_fast_collider_does_not_pass_a_body(void **state) {
  (void)state;
  static const double speeds[] = { 1, 10, 50 };
  for (int s = 0; s < 3; s++) {
    lbWorld *world = world_with(lb_vec3(0, 0, 0), 0.5);
    lbColliderDef def = lb_collider_def();
    lbColliderId id;
    lbError err;
    def.shape = LB_COLLIDER_SPHERE, def.radius = 0.1, def.position = lb_vec3(0.02, 0, 0.5);
    check_ok(lb_world_add_collider(world, &def, &id, &err), err);
    lbBodyId body = add_block(world, plate, lb_vec3(-0.25, -0.25, 0));
    double z = 0.5, h = 1.0 / 60;
    for (int i = 0; i < 4 + (int)(1 / (h * speeds[s])); i++) {
      z -= h * speeds[s];
      check_ok(lb_world_move_collider(world, id, lb_vec3(0.02, 0, z), lb_quat_identity(), &err),
               err);
      lb_world_step(world, h);
    }
    double height = lb_body_report(lb_world_body(world, body)).centre.z;
    print_message("%g m/s: collider at %.3g m, plate at %.3g m\n", speeds[s], z, height);
    assert_true(height < z);
    lb_world_destroy(world);
  }
}

// ---- soft plates that wrap around what hits them
// -------------------------------------------------

#define SUBSPACE_ONLY "'method':'subspace','reduce':{'modes':10,'dimension':18}"
#define MODAL_ONLY "'method':'modal','reduce':{'modes':16}"

// Whether a point is nearest to the lower face of a slab that was hit from above, away from its
// rim.
static bool is_below(const lbBody *slab, lbVec3 point) {
  const lbModel *model = lb_body_model(slab);
  int32_t count = model->size.vertex_count, nearest = 0;
  double *at = malloc(3 * (size_t)count * sizeof *at), least = INFINITY;
  lb_body_surface(slab, at);
  for (int32_t v = 0; v < count; v++) {
    double distance = lb_length(lb_sub(lb_vec3_load(at + 3 * (size_t)v), point));
    if (distance < least) least = distance, nearest = v;
  }
  free(at);
  const double *rest = model->vertex_positions + 3 * (size_t)nearest;
  bool rim = fabs(rest[0] - 0.2) > 0.15 || fabs(rest[1] - 0.2) > 0.15;
  return !rim && rest[2] < 0.01 && least > 0.05; // nearer: the ball itself is flat
}

typedef struct Shot {
  const char *ball, *slab; // keys of their bodies
  double speed, rate;
} Shot;

static void check_shot(const Shot *shot) {
  lbWorld *world = world_with(lb_vec3(0, 0, 0), 0.5);
  lbModel *flying = body_model(shot->ball), *slab = body_model(shot->slab);
  lbBodyId under = add_block(world, slab, lb_vec3(-0.2, -0.2, -0.015));
  lbBodyId over = add_block(world, flying, lb_vec3(-0.1, -0.1, 0.25));
  lb_body_set_velocity(lb_world_body(world, over), lb_vec3(0.1, -0.1, -shot->speed),
                       lb_vec3(0, 0, 0));
  enum { PASSED = 4 }; // steps in a row: vertices of a slab that is stretched are far apart
  int below = 0;
  for (int i = 0; i < (int)(0.3 * shot->rate); i++) {
    lb_world_step(world, 1 / shot->rate);
    lbVec3 centre = lb_body_report(lb_world_body(world, over)).centre;
    below = is_below(lb_world_body(world, under), centre) ? below + 1 : 0;
    if (below == PASSED)
      print_message("%s at %s, %g m/s, 1/%g s: below it after step %d\n", shot->ball, shot->slab,
                    shot->speed, shot->rate, i);
    assert_true(below < PASSED);
  }
  lb_world_destroy(world);
  lb_model_destroy(flying);
  lb_model_destroy(slab);
}

// A slab whose step fails after it was hit must not stay behind, at its speed, for the ball to
// pass; one that is crumpled must not count as around the ball.
static void soft_slabs_hold_what_hits_them(void **state) {
  (void)state;
#define BALL "'mesh':{'generate':'sphere','size':[0.2,0.2,0.2],'cells':[4,4,4],'segments':12},"
#define STVK(young) "'material':{'model':'stvk','young':" young ",'poisson':0.4,'density':1000},"
#define DAMPED "'damping':{'mass':0.1,'stiffness':0.004},"
#define THIN(cells) "'mesh':{'generate':'bar','size':[0.4,0.4,0.03],'cells':" cells "},"
  static const Shot shots[] = {
    { BALL STVK("1e6") DAMPED SUBSPACE_ONLY, THIN("[6,6,1]") STVK("1e6") DAMPED "'method':'warp'",
      35, 30 },
    { BALL STVK("1e6") DAMPED SUBSPACE_ONLY, THIN("[6,6,1]") STVK("1e6") DAMPED SUBSPACE_ONLY, 30,
      30 },
    { BALL STVK("1e5") DAMPED MODAL_ONLY, THIN("[6,6,1]") STVK("1e6") DAMPED SUBSPACE_ONLY, 35,
      30 },
    { BALL STVK("1e6") DAMPED SUBSPACE_ONLY, THIN("[10,10,1]") STVK("1e5") DAMPED "'method':'warp'",
      50, 30 },
    { BALL STVK("1e6") DAMPED SUBSPACE_ONLY, THIN("[10,10,1]") STVK("1e5") DAMPED "'method':'warp'",
      60, 120 },
  };
  for (size_t i = 0; i < sizeof shots / sizeof *shots; i++) check_shot(&shots[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(soft_slabs_hold_what_hits_them),
    cmocka_unit_test(fast_balls_do_not_pass_a_thin_plate),
    cmocka_unit_test(fast_balls_do_not_pass_a_soft_plate),
    cmocka_unit_test(a_fast_collider_does_not_pass_a_body),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
