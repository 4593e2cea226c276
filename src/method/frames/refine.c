// Control frames that are inserted where a body is pressed, and removed again when no longer used.
//
// Contacts that act within `spacing` of each other press on a place of the rest shape. A frame is
// inserted in their middle where they press harder than PRESSED times the modulus times spacing²,
// for LASTING seconds, and no frame is within `spacing`. A frame that no contact has been near for
// LEAVING seconds is removed. At most one frame of a body is inserted or removed in a step.
#include "method/frames/frames.h"

#define PRESSED                                                                                    \
  1e-3 // times modulus and spacing²; doubled, frames come where contacts press twice as hard
#define LASTING 0.05 // s; doubled, they come twice as late
#define LEAVING 0.25 // s; doubled, they stay twice as long
// of a frame's reach, the distance to the next frame; the model's frames reach as far as the
// nearest two are apart. Doubled, an eighth as many fit in, and each reaches half as far for its
// distance.
#define SPACING 0.5
#define SPACING_LEAST 2.0 // 1: voxels; at half of it samples do not feel what a frame does

static double apart(lbVec3 a, lbVec3 b) { return lb_length(lb_sub(a, b)); }

static bool has_frame_near(const lbFramesShared *shared, lbVec3 rest, double spacing) {
  for (int32_t i = 0; i < shared->count; i++)
    if (apart(shared->rest[i].position, rest) <= spacing) return true;
  return false;
}

// Force within the spacing of a place, and its middle.
static double press_around(const lbPresses *presses, lbVec3 place, double spacing, lbVec3 *middle) {
  double force = 0;
  lbVec3 sum = lb_vec3(0, 0, 0);
  for (int32_t k = 0; k < presses->count; k++) {
    const lbPress *press = &presses->all[k];
    if (apart(press->rest, place) > spacing) continue;
    force += press->force;
    sum = lb_add_scaled(sum, press->force, press->rest);
  }
  *middle = lb_scale(1 / force, sum);
  return force;
}

// The hardest press where there is no frame; false: there is none that is hard enough.
static bool find_pressed(const lbBody *body, const lbPresses *presses, double spacing,
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
static int32_t find_unused(lbBody *body, const lbPresses *presses, double spacing, double dt) {
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

static double reach_of_refinement(const lbBody *body, double spacing) {
  return fmax(spacing, SPACING_LEAST * cell_of(body)) / SPACING;
}

void lb_frames_refine(lbBody *body, const lbPresses *presses, int32_t most, double spacing,
                      double dt) {
  lbFramesState *state = lb_frames_state(body);
  lbVec3 place;
  if (state->altered) return;
  int32_t unused = find_unused(body, presses, spacing, dt);
  if (unused >= 0) {
    (void)lb_body_frames_remove(body, lb_body_model(body)->size.frame_count + unused);
    return;
  }
  if (!find_pressed(body, presses, spacing, &place)) {
    state->pressed = 0;
    return;
  }
  if (!lasts(state, place, spacing, dt) || count_at_contacts(state) >= most) return;
  state->pressed = 0; // where none can be, it is not tried again at once
  if (lb_frames_insert_near(body, place, reach_of_refinement(body, spacing)) == LB_OK)
    state->inserted[state->inserted_count - 1].unused = 0;
}

static double default_spacing(const lbBody *body) {
  const lbModel *m = lb_body_model(body);
  double least = INFINITY;
  for (int32_t i = 0; i < m->size.frame_count; i++)
    for (int32_t j = 0; j < i; j++)
      least = fmin(least, apart(lb_vec3_load(m->frame_poses + 7 * (size_t)i),
                                lb_vec3_load(m->frame_poses + 7 * (size_t)j)));
  return isfinite(least) ? SPACING * least : 0.5 * SPACING * body->prepared->size;
}

double lb_frames_refinement_spacing(const lbBody *body, double spacing) {
  return fmax(spacing > 0 ? spacing : default_spacing(body), SPACING_LEAST * cell_of(body));
}
