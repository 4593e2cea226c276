// A ball that pushes the surface out of itself, over one step of length h.
//
// Of the triangles near the ball (body/tree.h) the places nearest to its centre are taken, deepest
// first and some way apart. With n the direction from the centre, L = Uᵀ n, and y = B^-1 L about
// what a unit force there moves (lbBodyMethod.answer), forces λ >= 0 move the body by m = Σ λ y, so
// that at the step's end each place has the gap
//   g_j = |x - c| - R + L_j (q_end - q) + Σ S_jk λ_k >= - 2 λ_j / k,   S_jk = L_j y_k,
// with q_end where the body comes to by itself; one of λ and what is left is zero. Velocities
// Σ μ y / h then make the places where λ > 0 end as fast as the ball, w, or faster:
//   L_j (v_end + Σ μ_k y_k / h) >= n_j w,   0 <= μ <= 2 λ:
// an impulse that moves by λ is μ = λ, a force held over the step μ = 2 λ, and no more is needed.
// A body that rests on the ball then stands still, one that hits it does not bounce, one that was
// deep in it is not thrown, and all is implicit: a stiff ball is as stable as a soft one. Both
// systems are solved by projected Gauss-Seidel; lbBodyMethod.deliver makes the step end like that.
#include "body/push.h"

#include <string.h>

#define NODE_LIMIT 4096
#define TRIANGLE_LIMIT 1024
#define MARGIN 0.5    // of the radius: what lies that much farther may come near in a step
#define APART 0.25    // of the radius: between places
#define MOST_OUT 0.25 // of the radius: how far a step pushes a place out
#define STIFFEST 10   // times mass / h²: a place that can hardly move must not move all the rest
#define SLACK 1e-4    // of the system: places that ask for the same share what they get
#define SWEEPS 60

// ---- creation ----------------------------------------------------------------------------------

static void lay_out(lbPush *push, const lbBodyCommon *common, lbCarver *carver) {
  size_t padded = (size_t)common->padded, stride = (size_t)common->subspace.stride;
  lb_carve(carver, 1, sizeof *push);
  lb_tree_place(&push->tree, carver);
  push->lines = lb_carve(carver, LB_PUSH_PLACES * padded, sizeof(double));
  push->answers = lb_carve(carver, LB_PUSH_PLACES * padded, sizeof(double));
  push->ahead = lb_carve(carver, padded, sizeof(double));
  push->rates = lb_carve(carver, padded, sizeof(double));
  push->moved = lb_carve(carver, padded, sizeof(double));
  push->quickened = lb_carve(carver, padded, sizeof(double));
  push->factors = lb_carve(carver, stride * stride, sizeof(double));
}

static lbStatus make_push(const lbBody *body) {
  lbBodyCommon *common = body->common;
  const lbModel *model = common->model;
  if (common->push) return LB_OK;
  lbPush draft = { .tree = { .model = model,
                             .dimension = common->dimension,
                             .node_limit = NODE_LIMIT,
                             .triangle_limit = TRIANGLE_LIMIT } };
  lbTriangles surface = { model->size.triangle_count, model->triangles, model->vertex_positions };
  lbStatus status = lb_aabb_tree_build_triangles(&surface, &draft.shape, body->message);
  if (status) return status;
  draft.tree.shape = draft.shape;
  lbCarver carver = { 0 };
  lay_out(&draft, common, &carver);
  carver.block = carver.overflow ? NULL : lb_alloc(carver.used, 1);
  if (!carver.block) {
    lb_aabb_tree_destroy(draft.shape);
    return lb_fail_memory(body->message);
  }
  carver.used = 0;
  lay_out(&draft, common, &carver);
  common->push = (lbPush *)(void *)carver.block;
  *common->push = draft;
  lb_tree_build(&common->push->tree, common);
  return LB_OK;
}

void lb_push_destroy(lbPush *push) {
  if (!push) return;
  lb_aabb_tree_destroy(push->shape);
  lb_free(push);
}

// ---- places ------------------------------------------------------------------------------------

typedef struct Place {
  int32_t triangle;
  double weights[3];
  lbVec3 normal; // unit, from the ball's centre to the place, own axes
  double gap;    // m, at the step's end without forces
} Place;

static lbVec3 place_of(const lbNearTriangle *near) {
  lbVec3 place = lb_vec3(0, 0, 0);
  for (int k = 0; k < 3; k++) place = lb_add_scaled(place, near->weights[k], near->corners[k]);
  return place;
}

static Place make_place(const lbNearTriangle *near, lbVec3 centre, double radius) {
  const lbVec3 *c = near->corners;
  Place place = { .triangle = near->triangle, .gap = near->distance - radius };
  memcpy(place.weights, near->weights, sizeof place.weights);
  place.normal = lb_normalise(lb_sub(place_of(near), centre));
  if (near->distance < 1e-9 * radius) // on the surface: inwards
    place.normal = lb_normalise(lb_cross(lb_sub(c[2], c[0]), lb_sub(c[1], c[0])));
  return place;
}

// The deepest ones, some way apart. Uses up the distances of what the search found.
static int32_t choose_places(lbTree *tree, lbVec3 centre, double radius, Place *places) {
  int32_t count = 0;
  while (count < LB_PUSH_PLACES) {
    int32_t best = -1;
    for (int32_t i = 0; i < tree->near_count; i++)
      if (isfinite(tree->near[i].distance) &&
          (best < 0 || tree->near[i].distance < tree->near[best].distance))
        best = i;
    if (best < 0) break;
    lbVec3 at = place_of(&tree->near[best]);
    places[count++] = make_place(&tree->near[best], centre, radius);
    for (int32_t i = 0; i < tree->near_count; i++)
      if (isfinite(tree->near[i].distance) &&
          lb_length(lb_sub(place_of(&tree->near[i]), at)) < APART * radius)
        tree->near[i].distance = INFINITY;
  }
  return count;
}

// ---- forces ------------------------------------------------------------------------------------

static double dot(int32_t count, const double *a, const double *b) {
  double sum = 0;
  for (int32_t i = 0; i < count; i++) sum += a[i] * b[i];
  return sum;
}

// Lines, answers and gaps at the step's end.
static void prepare(const lbBody *body, double h, const double *q, int32_t count, Place *places) {
  lbPush *push = body->common->push;
  size_t padded = (size_t)body->common->padded;
  int32_t r = body->common->dimension;
  for (int32_t j = 0; j < count; j++) {
    double *line = push->lines + padded * (size_t)j, *answer = push->answers + padded * (size_t)j;
    lb_tree_line(&push->tree, places[j].triangle, places[j].weights, places[j].normal, line);
    memcpy(answer, line, (size_t)r * sizeof *line);
    body->common->method->answer(body, h, answer);
    places[j].gap += dot(r, line, push->ahead) - dot(r, line, q);
  }
}

typedef double System[LB_PUSH_PLACES][LB_PUSH_PLACES];

static void form_system(const lbBody *body, int32_t count, System S) {
  const lbPush *push = body->common->push;
  size_t padded = (size_t)body->common->padded;
  for (int32_t j = 0; j < count; j++)
    for (int32_t k = 0; k < count; k++)
      S[j][k] = dot(body->common->dimension, push->lines + padded * (size_t)j,
                    push->answers + padded * (size_t)k);
}

// (S + softness) x = right within 0 <= x <= most; beyond a bound, x at it.
static void solve(int32_t count, System S, double softness, const double *right, const double *most,
                  double *x) {
  memset(x, 0, (size_t)count * sizeof *x);
  for (int sweep = 0; sweep < SWEEPS; sweep++)
    for (int32_t j = 0; j < count; j++) {
      double left = right[j] - softness * x[j], diagonal = S[j][j] + softness;
      for (int32_t k = 0; k < count; k++) left -= S[j][k] * x[k];
      if (diagonal > 0) x[j] = fmin(most[j], fmax(0, x[j] + left / diagonal));
    }
}

// to <- factor Σ amounts y
static void sum_answers(const lbBody *body, int32_t count, const double *amounts, double factor,
                        double *to) {
  const lbBodyCommon *common = body->common;
  memset(to, 0, (size_t)common->padded * sizeof *to);
  for (int32_t j = 0; j < count; j++)
    for (int32_t i = 0; i < common->dimension; i++)
      to[i] += factor * amounts[j] * common->push->answers[(size_t)(j * common->padded + i)];
}

// forces <- of the places, N; false when none acts.
static bool find_forces(const lbBody *body, const lbBall *ball, double h, int32_t count,
                        const Place *places, double *forces) {
  const lbBodyCommon *common = body->common;
  lbPush *push = common->push;
  double right[LB_PUSH_PLACES] = { 0 }, most[LB_PUSH_PLACES] = { 0 };
  double lambda[LB_PUSH_PLACES], largest = 0;
  bool any = false;
  System S;
  form_system(body, count, S);
  for (int32_t j = 0; j < count; j++) {
    right[j] = fmin(-places[j].gap, MOST_OUT * ball->radius), most[j] = INFINITY;
    largest = fmax(largest, S[j][j]);
  }
  solve(count, S, 2 / ball->stiffness + h * h / (STIFFEST * common->total_mass), right, most,
        lambda);
  for (int32_t j = 0; j < count; j++) {
    const double *line = push->lines + (size_t)j * (size_t)common->padded;
    right[j] =
        h * (lb_dot(places[j].normal, ball->velocity) - dot(common->dimension, line, push->rates));
    most[j] = 2 * lambda[j];
    any |= lambda[j] > 0;
  }
  solve(count, S, SLACK * largest, right, most, forces);
  sum_answers(body, count, lambda, 1, push->moved);
  sum_answers(body, count, forces, 1 / h, push->quickened);
  return any;
}

static lbStatus check(const lbBody *body, const lbBall *ball, double dt) {
  lbVec3 c = ball->centre, v = ball->velocity;
  if (!lb_vec3_is_bounded(c) || !lb_vec3_is_bounded(v))
    return lb_fail(body->message, LB_ERR_ARGUMENT,
                   "ball: centre (%g, %g, %g), velocity (%g, %g, %g): not a number or beyond %g",
                   c.x, c.y, c.z, v.x, v.y, v.z, LB_BODY_MOST);
  if (!(ball->radius > 0 && ball->radius <= LB_BODY_MOST) || !(ball->stiffness > 0))
    return lb_fail(body->message, LB_ERR_ARGUMENT,
                   "ball: radius %g, stiffness %g; both must be above 0", ball->radius,
                   ball->stiffness);
  if (!lb_time_step_is_legal(dt))
    return lb_fail(body->message, LB_ERR_ARGUMENT,
                   "ball: the time step is %g s; it must be above 0, at most %g", dt,
                   LB_TIME_STEP_MOST);
  return LB_OK;
}

// The ball is in own axes. forces <- of the places; the body gets them. Returns how many there are.
static int32_t push_out(lbBody *body, const lbBall *ball, double h, Place *places, double *forces) {
  const lbBodyCommon *common = body->common;
  lbPush *push = common->push;
  const double *q = lb_body_coordinates(body);
  lb_tree_search(&push->tree, q, ball->centre, (1 + MARGIN) * ball->radius);
  int32_t count = choose_places(&push->tree, ball->centre, ball->radius, places);
  if (count == 0) return 0;
  common->method->foresee(body, h, push->ahead, push->rates);
  prepare(body, h, lb_body_coordinates(body), count, places);
  if (!find_forces(body, ball, h, count, places, forces)) return 0;
  return common->method->deliver(body, h, push->moved, push->quickened) ? count : 0;
}

lbStatus lb_body_push_ball(lbBody *body, const lbBall *ball, double dt, lbVec3 *force) {
  Place places[LB_PUSH_PLACES];
  double forces[LB_PUSH_PLACES];
  lbVec3 sum = lb_vec3(0, 0, 0);
  lbStatus status = check(body, ball, dt);
  if (!status && body->common->model->size.triangle_count > 0) {
    status = make_push(body);
    if (status) return status;
    lbBall own = *ball;
    own.centre = lb_mat3_apply_transpose(body->turn, lb_sub(ball->centre, body->position));
    own.velocity = lb_mat3_apply_transpose(body->turn, ball->velocity);
    int32_t count = push_out(body, &own, dt, places, forces);
    for (int32_t j = 0; j < count; j++) sum = lb_add_scaled(sum, -forces[j], places[j].normal);
  }
  if (!status && force) *force = lb_mat3_apply(body->turn, sum);
  return status;
}
