// Frames that come to bodies of the method "frames" where they are pressed, and go again.
//
// Before a step, by the contacts of the last one, places as they are in the rest shape: where
// forces that act within `spacing` of each other press harder than PRESSED times the modulus on the
// square of it, for LASTING seconds, and no frame is within `spacing`, a frame is inserted in their
// midst. One that no contact has been near for LEAVING seconds goes. At most one frame of a body
// comes or goes in a step. All of this follows from the state of the world alone.
#include "world/touch.h"

#include "body/frames.h"
#include "body/point.h"

#define PRESSED 1e-3
#define LASTING 0.05
#define LEAVING 0.25
#define SPACING 0.5        // of the smallest distance between frames of the model
#define SPACING_ALONE 0.25 // of a body's size, with one frame
#define SPACING_LEAST 2.0  // voxels: samples must feel what a frame does
#define REACH 2.0          // times the spacing, and
#define REACH_LEAST 4.0    // voxels

// Where a contact presses a body.
typedef struct Press {
  lbVec3 rest;  // m
  double force; // N
} Press;

typedef struct Presses {
  int32_t count;
  Press all[LB_BODY_CONTACTS];
} Presses;

static void find_presses(const lbWorld *world, lbBodyId id, const lbBody *body, Presses *to) {
  const lbWorldTouch *touch = world->touch;
  to->count = 0;
  for (int32_t c = 0; c < touch->remembered_count; c++)
    for (int side = 0; side < 2; side++) {
      const lbContact *contact = &touch->reports[c];
      double force = lb_length(contact->force);
      if (contact->bodies[side] != id || !(force > 0) || to->count == LB_BODY_CONTACTS) continue;
      to->all[to->count++] =
          (Press){ lb_point_rest(lb_body_model(body), &contact->points[side]), force };
    }
}

static double apart(lbVec3 a, lbVec3 b) { return lb_length(lb_sub(a, b)); }

static bool has_frame_near(const lbFramesShared *shared, lbVec3 rest, double spacing) {
  for (int32_t i = 0; i < shared->count; i++)
    if (apart(shared->rest[i].position, rest) <= spacing) return true;
  return false;
}

// Force within the spacing of a place, and its middle.
static double press_around(const Presses *presses, lbVec3 place, double spacing, lbVec3 *middle) {
  double force = 0;
  lbVec3 sum = lb_vec3(0, 0, 0);
  for (int32_t k = 0; k < presses->count; k++) {
    const Press *press = &presses->all[k];
    if (apart(press->rest, place) > spacing) continue;
    force += press->force;
    sum = lb_add_scaled(sum, press->force, press->rest);
  }
  *middle = lb_scale(1 / force, sum);
  return force;
}

// The hardest press where there is no frame; false: there is none that is hard enough.
static bool find_pressed(const lbBody *body, const Presses *presses, double spacing,
                         lbVec3 *place) {
  const lbFramesShared *shared = lb_frames_shared(body->prepared);
  double most = PRESSED * lb_frames_modulus(body) * spacing * spacing;
  bool found = false;
  for (int32_t k = 0; k < presses->count; k++) {
    lbVec3 middle;
    if (has_frame_near(shared, presses->all[k].rest, spacing)) continue;
    double force = press_around(presses, presses->all[k].rest, spacing, &middle);
    if (!(force > most) || has_frame_near(shared, middle, 0.5 * spacing)) continue;
    most = force;
    *place = middle;
    found = true;
  }
  return found;
}

// One that has not been needed for long; -1: none. Times of all go on.
static int32_t find_unused(lbBody *body, const Presses *presses, double spacing, double dt) {
  lbFramesState *state = lb_frames_state(body);
  int32_t unused = -1;
  for (int32_t k = 0; k < state->inserted_count; k++) {
    lbInsertedFrame *frame = &state->inserted[k];
    bool near = false;
    if (frame->unused < 0) continue;
    for (int32_t c = 0; c < presses->count; c++)
      near |= apart(presses->all[c].rest, frame->rest) <= 1.5 * spacing;
    frame->unused = near ? 0 : frame->unused + dt;
    if (frame->unused >= LEAVING && unused < 0) unused = k;
  }
  return unused;
}

static int32_t count_at_contacts(const lbFramesState *state) {
  int32_t count = 0;
  for (int32_t k = 0; k < state->inserted_count; k++) count += state->inserted[k].unused >= 0;
  return count;
}

// How long it has been pressed there; another place begins anew.
static bool lasts(lbFramesState *state, lbVec3 place, double spacing, double dt) {
  bool same = state->pressed > 0 && apart(state->pressed_at, place) <= spacing;
  state->pressed = same ? state->pressed + dt : dt;
  state->pressed_at = place;
  return state->pressed >= LASTING;
}

static double cell_of(const lbBody *body) { return lb_body_model(body)->voxel_grid[3]; }

static double reach_of(const lbBody *body, double spacing) {
  return fmax(REACH * spacing, REACH_LEAST * cell_of(body));
}

static void update(const lbWorld *world, lbBodyId id, const lbWorldSlot *slot, double dt) {
  lbBody *body = slot->body;
  lbFramesState *state = lb_frames_state(body);
  double spacing = slot->contact_spacing;
  Presses presses;
  lbVec3 place;
  if (state->altered) return;
  find_presses(world, id, body, &presses);
  int32_t unused = find_unused(body, &presses, spacing, dt);
  if (unused >= 0) {
    (void)lb_body_frames_remove(body, lb_body_model(body)->size.frame_count + unused);
    return;
  }
  if (!find_pressed(body, &presses, spacing, &place)) {
    state->pressed = 0;
    return;
  }
  if (!lasts(state, place, spacing, dt) || count_at_contacts(state) >= slot->contact_frames) return;
  state->pressed = 0; // where none can be, it is not tried again at once
  if (lb_frames_insert_near(body, place, reach_of(body, spacing)) == LB_OK)
    state->inserted[state->inserted_count - 1].unused = 0;
}

void lb_contact_frames_update(lbWorld *world, double dt) {
  for (int32_t i = 0; i < world->slot_count && world->touch; i++) {
    const lbWorldSlot *slot = &world->slots[i];
    if (!slot->body || slot->contact_frames == 0 || slot->asleep) continue;
    update(world, lb_world_id(i, slot->generation), slot, dt);
  }
}

// ---- settings ----------------------------------------------------------------------------------

static double default_spacing(const lbBody *body) {
  const lbModel *m = lb_body_model(body);
  double least = INFINITY;
  for (int32_t i = 0; i < m->size.frame_count; i++)
    for (int32_t j = 0; j < i; j++)
      least = fmin(least, apart(lb_vec3_load(m->frame_poses + 7 * (size_t)i),
                                lb_vec3_load(m->frame_poses + 7 * (size_t)j)));
  return isfinite(least) ? SPACING * least : SPACING_ALONE * body->prepared->size;
}

lbStatus lb_world_set_contact_frames(lbWorld *world, lbBodyId id, int32_t most, double spacing,
                                     lbError *err) {
  if (!world) return lb_refuse_null(err, "world");
  lbWorldSlot *slot = lb_world_slot(world, id);
  if (!slot) return lb_world_refuse_id(id, err);
  if (lb_body_method(slot->body) != LB_METHOD_FRAMES)
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "frames at contacts: the body's method is \"%s\", it must be \"frames\"",
                   lb_method_name(lb_body_method(slot->body)));
  if (most < 0 || most > LB_FRAMES_ROOM || !(spacing >= 0 && spacing <= LB_BODY_MOST))
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "frames at contacts: %d with a spacing of %g m; there can be 0 to %d, and the "
                   "spacing must be finite",
                   (int)most, spacing, LB_FRAMES_ROOM);
  slot->contact_frames = most;
  double own = spacing > 0 ? spacing : default_spacing(slot->body);
  slot->contact_spacing = fmax(own, SPACING_LEAST * cell_of(slot->body));
  return LB_OK;
}
