// A step of unreduced bodies: loads, springs of grabs and pins, springs on the vertices that are in
// a ball, and what is done when Newton's method fails.
#include "desktop/full_parts.h"

#include <string.h>

enum { SMALL = 150, FAILURES = 4 };
#define SLOWEST 60.0  // steps a second of bodies with more nodes
#define STRONGEST 0.6 // sizes of the body: no pull is stronger than what bends it by so much

void vw_full_load(const vwActor *actor, int32_t body, double share) {
  const vwFull *f = actor->own;
  const double *masses = lb_fem_vertex_masses(f->fem);
  lbVec3 gravity = vw_full_turn(actor, body, f->gravity);
  for (size_t n = 0; n < (size_t)actor->model->size.node_count; n++) {
    lbVec3 weight = lb_scale(masses[n], gravity);
    if (f->bodies[body].forced)
      weight = lb_add_scaled(weight, share, lb_vec3_load(f->bodies[body].forces + 3 * n));
    lb_vec3_store(f->load + 3 * n, weight);
  }
}

// A yank must not turn elements inside out: the target comes no farther than the strongest pull
// needs.
static void soften(const vwActor *actor, const vwFullBody *body, lbSpring *spring) {
  const double *u = lb_simulator_displacement(body->simulator);
  const double *rest = actor->model->node_positions;
  double compliance = actor->compliance;
  double most = STRONGEST * 2 * actor->radius / (compliance * spring->stiffness);
  lbVec3 x = lb_vec3(0, 0, 0);
  for (int32_t a = 0; a < spring->count; a++) {
    size_t k = 3 * (size_t)spring->vertices[a];
    x = lb_add_scaled(x, spring->weights[a], lb_add(lb_vec3_load(rest + k), lb_vec3_load(u + k)));
  }
  lbVec3 way = lb_sub(lb_vec3_load(spring->target), x);
  double length = lb_length(way);
  if (compliance > 0 && length > most)
    lb_vec3_store(spring->target, lb_add_scaled(x, most / length, way));
}

static int32_t pull_springs(const vwActor *actor, vwFullBody *body) {
  vwFull *f = actor->own;
  int32_t count = 0;
  for (int32_t i = 0; i < VW_FULL_PULLS; i++) {
    if (!body->pulls[i].used) continue;
    body->pulls[i].spring = count;
    f->springs[count] = body->pulls[i].shape;
    soften(actor, body, &f->springs[count++]);
  }
  return count;
}

void vw_full_surface(const vwActor *actor, int32_t body, double *positions) {
  const vwFull *f = actor->own;
  const lbModel *m = actor->model;
  lb_model_embed(m, 3, lb_simulator_displacement(f->bodies[body].simulator), positions);
  for (size_t i = 0; i < 3 * (size_t)m->size.vertex_count; i++)
    positions[i] += m->vertex_positions[i];
}

bool vw_full_spring(const lbModel *m, const lbPoint *point, lbSpring *spring) {
  int32_t nodes[VW_POINT_NODES];
  double weights[VW_POINT_NODES];
  int32_t count = vw_point_nodes(m, point, nodes, weights);
  if (count < 1 || count > LB_SPRING_VERTICES) return false;
  spring->count = count;
  memcpy(spring->vertices, nodes, (size_t)count * sizeof *nodes);
  memcpy(spring->weights, weights, (size_t)count * sizeof *weights);
  return true;
}

// Springs that bring vertices inside of a ball to its surface along the lines from its centre.
static int32_t contact_springs(const vwActor *actor, int32_t body, const lbBall *ball,
                               int32_t count) {
  vwFull *f = actor->own;
  lbVec3 centre = vw_full_place(actor, body, ball->centre);
  for (int32_t v = 0;
       v < actor->model->size.vertex_count && count < VW_FULL_PULLS + VW_FULL_CONTACTS; v++) {
    lbVec3 away = lb_sub(lb_vec3_load(f->work + 3 * (size_t)v), centre);
    double distance = lb_length(away);
    lbPoint point = lb_point_vertex(v);
    lbSpring *spring = &f->springs[count];
    if (!(distance < ball->radius) || !(distance > 0)) continue;
    if (!vw_full_spring(actor->model, &point, spring)) continue;
    spring->stiffness = 0.25 * ball->stiffness;
    spring->damping = 0;
    lb_vec3_store(spring->target, lb_add_scaled(centre, ball->radius / distance, away));
    count++;
  }
  return count;
}

static void find_ball_force(const vwActor *actor, int32_t body, int32_t begin, int32_t end) {
  const vwFull *f = actor->own;
  lbVec3 sum = lb_vec3(0, 0, 0);
  for (int32_t i = begin; i < end; i++) {
    double force[3];
    lb_simulator_spring_force(f->bodies[body].simulator, i, force);
    sum = lb_add(sum, lb_vec3_load(force));
  }
  f->bodies[body].ball_force = lb_quat_rotate(actor->rotations[body], sum);
}

// Steps that do not converge one after another would make energy: the body goes on from the last
// good shape, at rest.
static void watch(vwActor *actor, vwFullBody *body, int32_t flags) {
  const vwFull *f = actor->own;
  size_t bytes = 3 * (size_t)actor->model->size.node_count * sizeof(double);
  if (!(flags & (LB_STEP_NONFINITE | LB_STEP_NOT_CONVERGED))) {
    memcpy(body->good, lb_simulator_displacement(body->simulator), bytes);
    body->failures = 0;
  } else if (++body->failures >= FAILURES) {
    body->failures = 0;
    (void)lb_simulator_set_springs(body->simulator, NULL, 0, NULL);
    if (lb_simulator_set_motion(body->simulator, body->good, NULL, f->load, NULL))
      (void)lb_simulator_set_motion(body->simulator, NULL, NULL, NULL, NULL);
    for (int32_t i = 0; i < VW_FULL_PULLS; i++) body->pulls[i].spring = -1;
  }
}

static int32_t step_body(vwActor *actor, int32_t number, double dt, int32_t steps) {
  vwFull *f = actor->own;
  vwFullBody *body = &f->bodies[number];
  int32_t pulls = pull_springs(actor, body), count = pulls;
  if (body->ball_count > 0) vw_full_surface(actor, number, f->work);
  for (int32_t i = 0; i < body->ball_count; i++)
    count = contact_springs(actor, number, &body->balls[i], count);
  vw_full_load(actor, number, 1.0 / steps);
  (void)lb_simulator_set_step(body->simulator, dt, NULL);
  (void)lb_simulator_set_springs(body->simulator, f->springs, count, NULL);
  int32_t flags = lb_simulator_step(body->simulator, f->load);
  find_ball_force(actor, number, pulls, count);
  watch(actor, body, flags);
  if (body->forced)
    memset(body->forces, 0, 3 * (size_t)actor->model->size.node_count * sizeof(double));
  body->forced = false;
  body->ball_count = 0;
  return flags & LB_STEP_NONFINITE; // a loose tolerance is no news
}

int32_t vw_full_step(vwActor *actor, double dt) {
  vwFull *f = actor->own;
  f->dt = dt;
  bool small = actor->model->size.node_count <= SMALL;
  f->every = small ? 1 : (int32_t)fmax(floor(1 / (SLOWEST * dt) + 1e-6), 1);
  if (++f->waited < f->every) return 0;
  int32_t flags = 0, steps = f->waited;
  f->waited = 0;
  for (int32_t i = 0; i < actor->count; i++) flags |= step_body(actor, i, steps * dt, steps);
  return flags;
}
