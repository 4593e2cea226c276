// Sleep of a body: how far its surface has moved, and whether somebody has changed it.
#include "body/sleep.h"

#include "body/constraints.h"
#include "body/hand_rows.h"
#include "body/point.h"
#include "body/tree.h"

#include <string.h>

// A body is at rest in two cases. Either no point has moved by more than STILL for
// LB_TIME_TO_SLEEP. Or it rings, rocks or sways by no more than SWAY through a window of
// SWAY_PERIODS * LB_TIME_TO_SLEEP, and its mean place in the second half of the window is that in
// the first half to STILL: it does not creep.

// Of the radius of the surface. A steady motion of 0.002 radii a second is seen, 0.35 mm/s of a box
// of 0.2 m. Doubled, creep of twice the speed is stopped.
#define STILL 1e-3
// Of the radius: a pixel of a body that is 100 pixels across. Doubled, what rings sleeps earlier by
// the time in which its motion halves.
#define SWAY 2e-2
enum { SWAY_PERIODS = 3 }; // of LB_TIME_TO_SLEEP: the window

bool lb_sleep_is_possible(const lbBody *body) {
  return body->frame.kind != LB_FRAME_DRIVEN && body->led == 0 &&
         !body->prepared->method->is_recording && body->prepared->model->size.vertex_count > 0;
}

// ---- motion of the surface ---------------------------------------------------------------------

static lbVec3 rest_vertex(const lbModel *model, int32_t vertex) {
  return lb_vec3_load(model->vertex_positions + 3 * (size_t)vertex);
}

// The next point is the vertex that is farthest from all points so far.
static int32_t farthest_vertex(const lbModel *model, const lbRestPoints *points, int32_t stride) {
  int32_t farthest = 0;
  double greatest = -1;
  for (int32_t v = 0; v < model->size.vertex_count; v += stride) {
    double nearest = INFINITY;
    for (int32_t i = 0; i < points->count; i++) {
      lbVec3 apart = lb_sub(rest_vertex(model, points->vertices[i]), rest_vertex(model, v));
      nearest = fmin(nearest, lb_dot(apart, apart));
    }
    if (nearest > greatest) greatest = nearest, farthest = v;
  }
  return farthest;
}

void lb_sleep_choose_points(const lbBody *body, lbRestPoints *points) {
  enum { LOOKED_AT = 1024 }; // vertices, of a large surface
  const lbModel *model = body->prepared->model;
  int32_t stride = model->size.vertex_count / LOOKED_AT + 1;
  for (points->count = 0; points->count < LB_REST_POINTS; points->count++)
    points->vertices[points->count] = farthest_vertex(model, points, stride);
}

// m: the greatest distance of a place from the mean of all.
static double radius_of_places(const double *places) {
  lbVec3 mean = lb_vec3(0, 0, 0);
  double radius = 0;
  for (int32_t i = 0; i < LB_REST_POINTS; i++)
    mean = lb_add_scaled(mean, 1.0 / LB_REST_POINTS, lb_vec3_load(places + 3 * i));
  for (int32_t i = 0; i < LB_REST_POINTS; i++)
    radius = fmax(radius, lb_length(lb_sub(lb_vec3_load(places + 3 * i), mean)));
  return radius;
}

// Written to `places`. Rows of the search tree are shorter than those of an embedding.
static void find_places(const lbBody *body, const lbRestPoints *points, lbScratch *s,
                        double *places) {
  const lbPrepared *p = body->prepared;
  const lbTree *tree = NULL;
  bool has_tree = lb_prepared_tree(p, &tree, NULL) == LB_OK && tree->rows;
  p->method->get(body, s->c, NULL, NULL);
  for (int32_t i = 0; i < LB_REST_POINTS; i++) {
    lbPoint point = lb_point_vertex(points->vertices[i]);
    lbVec3 motion = has_tree ? lb_tree_motion(tree, points->vertices[i], s->c)
                             : lb_point_apply(p, &point, s->c);
    lbVec3 own = lb_add(lb_point_rest(p->model, &point), motion);
    lb_vec3_store(places + 3 * i, lb_body_place(body, own));
  }
}

static bool all_within(const double *a, const double *b, double distance) {
  bool within = true;
  for (int32_t i = 0; i < LB_REST_NUMBERS && within; i += 3)
    within = lb_length(lb_sub(lb_vec3_load(a + i), lb_vec3_load(b + i))) <= distance;
  return within;
}

static void begin_window(lbRestPoints *points, const double *places) {
  points->window_time = 0;
  memcpy(points->window_places, places, sizeof points->window_places);
  memset(points->drift, 0, sizeof points->drift);
}

static void restart_rest(lbRestPoints *points, const double *places) {
  points->is_steady = false;
  points->still_time = 0;
  memcpy(points->still_places, places, sizeof points->still_places);
  begin_window(points, places);
}

// `still`: m, the drift that is none.
static void add_to_window(lbRestPoints *points, const double *places, double h, double still) {
  static const double nowhere[LB_REST_NUMBERS] = { 0 };
  points->window_time += h;
  double weight = points->window_time > 0.5 * SWAY_PERIODS * LB_TIME_TO_SLEEP ? h : -h;
  for (int32_t i = 0; i < LB_REST_NUMBERS; i++)
    points->drift[i] += weight * (places[i] - points->window_places[i]);
  if (points->window_time < SWAY_PERIODS * LB_TIME_TO_SLEEP) return;
  points->is_steady =
      all_within(points->drift, nowhere, still * 0.5 * SWAY_PERIODS * LB_TIME_TO_SLEEP);
  begin_window(points, places);
}

double lb_sleep_rest_time(const lbBody *body, double h, double rest, lbRestPoints *points,
                          lbScratch *scratch) {
  double places[LB_REST_NUMBERS];
  if (points->count == 0) lb_sleep_choose_points(body, points);
  find_places(body, points, scratch, places);
  double radius = radius_of_places(places), still = STILL * radius;
  if (rest == 0) restart_rest(points, places);
  if (!all_within(places, points->window_places, SWAY * radius)) return 0;
  bool is_still = all_within(places, points->still_places, still);
  points->still_time = is_still ? points->still_time + h : 0;
  if (!is_still) memcpy(points->still_places, places, sizeof places);
  add_to_window(points, places, h, still);
  return fmax(points->still_time, points->is_steady ? LB_TIME_TO_SLEEP : h);
}

// ---- changes while it sleeps -------------------------------------------------------------------

static uint64_t mix_word(uint64_t hash, const double *number) {
  uint64_t bits;
  memcpy(&bits, number, sizeof bits);
  hash = (hash ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
  return hash ^ hash >> 29;
}

// Four words at a time: a hash of single bytes would take as long as a step.
static uint64_t mix_words(uint64_t hash, int32_t count, const double *numbers) {
  uint64_t lanes[4] = { hash, hash + 1, hash + 2, hash + 3 };
  int32_t i = 0;
  for (; i + 4 <= count; i += 4)
    for (int k = 0; k < 4; k++) lanes[k] = mix_word(lanes[k], &numbers[i + k]);
  for (; i < count; i++) lanes[0] = mix_word(lanes[0], &numbers[i]);
  for (int k = 1; k < 4; k++)
    lanes[0] = (lanes[0] ^ lanes[k]) * UINT64_C(0x9e3779b97f4a7c15), lanes[0] ^= lanes[0] >> 29;
  return lanes[0];
}

uint64_t lb_sleep_hash(const lbBody *body, lbScratch *s) {
  const lbPrepared *p = body->prepared;
  const lbFrameState *f = &body->frame;
  const double others[6] = { f->rotation.x, f->rotation.y,      f->rotation.z,
                             f->rotation.w, body->damping_mass, body->damping_stiffness };
  uint64_t hash = p->hash;
  p->method->get(body, s->q0, s->v0, NULL);
  hash = mix_words(hash, p->dimension, s->q0);
  hash = mix_words(hash, p->dimension, s->v0);
  hash = mix_words(hash, 6, others);
  const lbVec3 vectors[] = { f->position, f->velocity, f->spin,
                             f->momentum, f->angular,  body->gravity };
  double numbers[3 * sizeof vectors / sizeof *vectors];
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    lb_vec3_store(numbers + 3 * i, vectors[i]);
  hash = mix_words(hash, (int32_t)(sizeof numbers / sizeof *numbers), numbers);
  if (lb_body_is_constrained(body))
    hash = mix_words(hash + (uint64_t)body->constraints->point_count,
                     3 * body->constraints->point_count, body->constraints->targets);
  return hash;
}

double lb_sleep_load(const lbBody *body, lbScratch *s) {
  const lbPrepared *p = body->prepared;
  double sum = lb_length(body->frame.force) + lb_length(body->frame.torque);
  if (lb_body_is_touched(body)) return INFINITY;
  p->method->get(body, NULL, NULL, s->a);
  for (int32_t i = 0; i < p->dimension; i++) sum += fabs(s->a[i]);
  return sum;
}
