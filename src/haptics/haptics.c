// Making the loop's memory, and one tick: device -> feel -> step -> publish.
#include "haptics/haptics.h"

#include <string.h>

#define TICK_LEAST 1e-6
#define TICK_MOST 0.1

lbHapticsDef lb_haptics_def(void) {
  return (lbHapticsDef){ .tool = LB_HAPTICS_BALL,
                         .rate = 1000,
                         .stiffness = 500,
                         .damping = 1,
                         .force_limit = 10,
                         .node_limit = 512,
                         .triangle_limit = 256,
                         .contact_limit = 12 };
}

// ---- creation ----------------------------------------------------------------------------------

static lbStatus check_number(double value, double least, double most, const char *name,
                             lbError *err) {
  if (value >= least && value <= most) return LB_OK;
  return lb_fail(err, LB_ERR_ARGUMENT, "haptics: %s is %g; it must be from %g to %g", name, value,
                 least, most);
}

static lbStatus check_def(const lbBody *body, const lbHapticsDef *def, lbError *err) {
  const struct {
    double value, least, most;
    const char *name;
  } numbers[] = { { def->rate, 10, 10000, "rate" },
                  { def->radius, 0, 1e6, "radius" },
                  { def->reach, 0, 1e6, "reach" },
                  { def->stiffness, 1e-9, 1e12, "stiffness" },
                  { def->damping, 0, 1e12, "damping" },
                  { def->force_limit, 1e-9, 1e12, "force_limit" },
                  { def->node_limit, 16, 65536, "node_limit" },
                  { def->triangle_limit, 8, 4096, "triangle_limit" },
                  { def->contact_limit, 1, 64, "contact_limit" } };
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    lbStatus status =
        check_number(numbers[i].value, numbers[i].least, numbers[i].most, numbers[i].name, err);
    if (status) return status;
  }
  if (def->tool != LB_HAPTICS_BALL && def->tool != LB_HAPTICS_GRAB)
    return lb_fail(err, LB_ERR_ARGUMENT, "haptics: tool is %d", (int)def->tool);
  if (body->in_batch) return lb_fail(err, LB_ERR_ARGUMENT, "haptics: the body is one of a batch");
  if (lb_body_model(body)->size.triangle_count == 0)
    return lb_fail(err, LB_ERR_ARGUMENT, "haptics: model \"%s\" has no surface to touch",
                   lb_body_model(body)->name);
  return def->grip ? lb_point_check(lb_body_model(body), def->grip, "haptics: grip", err) : LB_OK;
}

static double longest_side(const lbModel *model) {
  double longest = 0;
  for (int axis = 0; axis < 3; axis++) {
    double low = INFINITY, high = -INFINITY;
    for (int32_t v = 0; v < model->size.vertex_count; v++) {
      low = fmin(low, model->vertex_positions[3 * (size_t)v + (size_t)axis]);
      high = fmax(high, model->vertex_positions[3 * (size_t)v + (size_t)axis]);
    }
    longest = fmax(longest, high - low);
  }
  return longest;
}

static lbHapticsDef fill_in(const lbModel *model, const lbHapticsDef *def) {
  lbHapticsDef full = *def;
  if (full.radius == 0) full.radius = fmax(longest_side(model) / 20, 1e-9);
  if (full.reach == 0) full.reach = 2 * full.radius;
  return full;
}

static void lay_out(lbHaptics *h, lbCarver *carver) {
  size_t r = (size_t)lb_body_dimension(h->body), contacts = (size_t)h->def.contact_limit;
  lb_carve(carver, 1, sizeof *h);
  h->q = lb_carve(carver, (size_t)lb_body_row_length(h->body), sizeof(double));
  h->places = lb_carve(carver, contacts, sizeof(lbPlace));
  h->depths = lb_carve(carver, contacts, sizeof(double));
  h->grip_rows = lb_carve(carver, 3 * (size_t)lb_body_row_length(h->body), sizeof(double));
  for (int i = 0; i < 3; i++) {
    h->state_blocks[i].coordinates = lb_carve(carver, r, sizeof(double));
    h->state_blocks[i].rates = lb_carve(carver, r, sizeof(double));
  }
}

static void publish(lbHaptics *h, int64_t tick, const lbDevice *device, const lbFeeling *feeling) {
  lbPublished *block = lb_exchange_block(&h->states);
  block->state = (lbHapticsState){ .tick = tick,
                                   .time = lb_body_time(h->body),
                                   .device = device->position,
                                   .tool = feeling->tool,
                                   .force = feeling->force,
                                   .contact_count = feeling->contact_count,
                                   .held = h->held };
  lb_body_get_state(h->body, block->coordinates, block->rates);
  lb_exchange_publish(&h->states);
  *(lbVec3 *)lb_exchange_block(&h->forces) = feeling->force;
  lb_exchange_publish(&h->forces);
}

// Everything that points into the block itself, or must be there before the first tick.
static void open_exchanges(lbHaptics *h) {
  lbDevice *d = h->device_blocks;
  lbVec3 *f = h->force_blocks;
  lbPublished *s = h->state_blocks;
  lb_exchange_open(&h->devices, &d[0], &d[1], &d[2]);
  lb_exchange_open(&h->forces, &f[0], &f[1], &f[2]);
  lb_exchange_open(&h->states, &s[0], &s[1], &s[2]);
  lb_timing_clear(&h->loop.timing);
  publish(h, 0, &d[0], &(lbFeeling){ 0 });
}

lbStatus lb_haptics_create(lbBody *body, const lbHapticsDef *def, lbHaptics **out, lbError *err) {
  if (!body) return lb_refuse_null(err, "body");
  if (!def) return lb_refuse_null(err, "def");
  if (!out) return lb_refuse_null(err, "out");
  const lbModel *model = lb_body_model(body);
  lbStatus status = check_def(body, def, err);
  if (status) return status;
  lbHaptics draft;
  memset(&draft, 0, sizeof draft);
  draft.body = body;
  draft.def = fill_in(model, def);
  if (def->grip) draft.grip = *def->grip;
  status = lb_prepared_tree(body->prepared, &draft.tree, err);
  if (!status && lb_contacts_make(body)) status = lb_fail_memory(err);
  if (!status)
    status = lb_search_create(draft.tree, def->node_limit, def->triangle_limit, &draft.search, err);
  if (status) return status;
  lbCarver carver = { 0 };
  lay_out(&draft, &carver);
  carver.block = carver.overflow ? NULL : lb_alloc(carver.used, 1);
  if (!carver.block) {
    lb_search_destroy(draft.search);
    return lb_fail_memory(err);
  }
  carver.used = 0;
  lay_out(&draft, &carver);
  lbHaptics *h = (lbHaptics *)(void *)carver.block;
  memcpy(h, &draft, sizeof draft);
  open_exchanges(h);
  *out = h;
  return LB_OK;
}

void lb_haptics_destroy(lbHaptics *h) {
  if (!h) return;
  lb_haptics_stop(h);
  lb_search_destroy(h->search);
  lb_free(h);
}

// ---- one tick ----------------------------------------------------------------------------------

// A spring whose force is held over dt pushes out with the force of half a step ago, as if it were
// damped by -k dt / 2; twice that makes it lose energy for certain. The body feels it inside its
// step, so this is for the device's sake.
static double coupling_damping(const lbHaptics *h, double dt) {
  return fmax(h->def.damping, h->def.stiffness * dt);
}

lbHand lb_coupling(const lbHaptics *h, double dt) {
  double firmness = h->def.stiffness + coupling_damping(h, dt) / dt;
  return (lbHand){ .compliance = 1 / firmness, .most_out = INFINITY, .most = h->def.force_limit };
}

lbVec3 lb_coupling_hook(const lbHaptics *h, const lbStep *step, lbVec3 target, lbVec3 x0) {
  double k = h->def.stiffness, b = coupling_damping(h, step->h);
  // The device's velocity neither pulls nor adds an impulse by itself: it is no more than the
  // spring.
  double speed = lb_length(h->velocity), most = k / b * lb_length(lb_sub(target, x0));
  double part = speed > most ? most / speed : 1;
  lbVec3 carried = lb_add_scaled(x0, step->h * part, h->velocity);
  lbVec3 hook = lb_add_scaled(target, b / step->h / (k + b / step->h), lb_sub(carried, target));
  return lb_mat3_apply_transpose(step->frame.turn, lb_sub(hook, step->frame.position));
}

// The body's step, with what touches it.
static int32_t step_body(lbHaptics *h, double dt) {
  lbBody *body = h->body;
  if (h->place_count == 0 && !h->held) return lb_body_step(body, dt);
  lbTouch *touch = h->def.tool == LB_HAPTICS_BALL ? lb_ball_touch : lb_grip_touch;
  return lb_body_step_touched(body, dt, touch, h);
}

static int32_t run_tick(lbHaptics *h, double dt) {
  double start = lb_seconds();
  lb_timing_begin_tick(&h->loop.timing);
  if (h->def.before_step) h->def.before_step(h->body, lb_body_time(h->body), h->def.context);
  const lbDevice *device = lb_exchange_read(&h->devices);
  h->feeling = (lbFeeling){ 0 };
  h->velocity = device->velocity;
  h->body->prepared->method->get(h->body, h->q, NULL, NULL);
  if (device->known) (h->def.tool == LB_HAPTICS_BALL ? lb_ball_feel : lb_grip_feel)(h, device);
  int32_t flags = step_body(h, dt);
  lb_timing_add_flags(&h->loop.timing, flags);
  publish(h, ++h->tick, device, &h->feeling);
  lb_timing_add_step(&h->loop.timing, lb_seconds() - start, dt);
  return flags;
}

int32_t lb_haptics_tick(lbHaptics *h, double dt) {
  if (!h) return LB_STEP_REFUSED;
  if (lb_haptics_running(h) || !(dt >= TICK_LEAST && dt <= TICK_MOST)) return LB_STEP_REFUSED;
  return run_tick(h, dt);
}

// ---- the loop ----------------------------------------------------------------------------------

static void tick_in_loop(void *haptics, double dt) { (void)run_tick(haptics, dt); }

lbStatus lb_haptics_start(lbHaptics *h, lbError *err) {
  if (!h) return lb_refuse_null(err, "haptics");
  return lb_loop_start(&h->loop, tick_in_loop, h, 1 / h->def.rate, h->def.urgent, err);
}

void lb_haptics_stop(lbHaptics *h) {
  if (!h || !lb_loop_stop(&h->loop)) return;
  // A device that is left with the last force would drive away with it.
  *(lbVec3 *)lb_exchange_block(&h->forces) = lb_vec3(0, 0, 0);
  lb_exchange_publish(&h->forces);
}

bool lb_haptics_running(const lbHaptics *h) { return h && lb_loop_running(&h->loop); }

// ---- other threads -----------------------------------------------------------------------------

lbStatus lb_haptics_set_device(lbHaptics *h, lbVec3 position, lbVec3 velocity, bool button) {
  if (!h) return LB_ERR_ARGUMENT;
  if (!lb_vec3_is_bounded(position) || !lb_vec3_is_bounded(velocity)) return LB_ERR_ARGUMENT;
  *(lbDevice *)lb_exchange_block(&h->devices) = (lbDevice){ position, velocity, button, true };
  lb_exchange_publish(&h->devices);
  return LB_OK;
}

lbVec3 lb_haptics_force(lbHaptics *h) {
  if (!h) return lb_vec3(0, 0, 0);
  return *(const lbVec3 *)lb_exchange_read(&h->forces);
}

lbHapticsState lb_haptics_state(lbHaptics *h, double *coordinates, double *rates) {
  if (!h) return (lbHapticsState){ 0 };
  const lbPublished *block = lb_exchange_read(&h->states);
  size_t bytes = (size_t)lb_body_dimension(h->body) * sizeof(double);
  if (coordinates) memcpy(coordinates, block->coordinates, bytes);
  if (rates) memcpy(rates, block->rates, bytes);
  return block->state;
}

void lb_haptics_reset_report(lbHaptics *h) {
  if (h) lb_loop_reset(&h->loop);
}

void lb_haptics_report(const lbHaptics *h, lbHapticsReport *report) {
  if (!h || !report) return;
  lb_timing_read(&h->loop.timing, report);
}
