// Frames of bodies of the method "frames": which are there, which one is chosen, and the tool that
// puts frames into bodies. A grab chooses the frame nearest to it.
#include "stage/stage_parts.h"

#include "limber/frames.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define REACH 14.0 // pixels around a frame in which a press means it
#define LEAST 1e-5 // weight: below zero, by the rounding of a picture, is the colour of no value

static lbBody *find_driven_frame_body(const vwStage *stage, int32_t actor, int32_t body) {
  if (actor < 0 || actor >= stage->cast.count) return NULL;
  const vwActor *own = stage->cast.roles[actor].actor;
  return own->bodies && body >= 0 && body < own->count ? own->bodies[body] : NULL;
}

int32_t vw_stage_frame_count(const vwStage *stage, int32_t actor, int32_t body) {
  return lb_body_frames_count(find_driven_frame_body(stage, actor, body));
}

vwFrameView vw_stage_frame(const vwStage *stage, int32_t actor, int32_t body, int32_t frame) {
  vwFrameView view = { .rotation = lb_quat_identity() };
  const vwChosenFrame *chosen = &stage->chosen;
  (void)lb_body_frames_pose(find_driven_frame_body(stage, actor, body), frame, &view.position,
                            &view.rotation);
  view.chosen = chosen->number == frame && chosen->member == body &&
                chosen->group == stage->cast.roles[actor].group;
  return view;
}

// ---- choosing ----------------------------------------------------------------------------------

static void choose_driven_frame(vwStage *stage, int32_t actor, int32_t body, int32_t frame) {
  stage->chosen = (vwChosenFrame){ stage->cast.roles[actor].group, body, frame };
}

void vw_frames_choose_near(vwStage *stage, int32_t actor, int32_t body, lbVec3 place) {
  double nearest = INFINITY;
  for (int32_t i = 0; i < vw_stage_frame_count(stage, actor, body); i++) {
    double away = lb_length(lb_sub(vw_stage_frame(stage, actor, body, i).position, place));
    if (away >= nearest) continue;
    nearest = away;
    choose_driven_frame(stage, actor, body, i);
  }
}

static bool choose_under(vwStage *stage, const vwView *view, double x, double y) {
  double best = REACH;
  for (int32_t a = 0; a < stage->cast.count; a++)
    for (int32_t b = 0; b < stage->cast.roles[a].actor->count; b++)
      for (int32_t i = 0; i < vw_stage_frame_count(stage, a, b); i++) {
        double px, py;
        if (!vw_view_project(view, vw_stage_frame(stage, a, b, i).position, &px, &py)) continue;
        double away = hypot(px - x, py - y);
        if (away > best) continue;
        best = away;
        choose_driven_frame(stage, a, b, i);
      }
  return best < REACH;
}

// ---- the tool ----------------------------------------------------------------------------------

static void report_refusal(vwStage *stage, const lbBody *body) {
  char text[sizeof stage->message];
  snprintf(text, sizeof text, "No frame was inserted: %s", lb_body_message(body));
  vw_stage_say(stage, text);
}

bool vw_frames_press(vwStage *stage, const vwView *view, double x, double y) {
  lbVec3 origin, direction;
  int32_t actor, number, frame = 0;
  lbPick pick;
  if (choose_under(stage, view, x, y)) return true;
  vw_view_ray(view, x, y, &origin, &direction);
  if (!vw_stage_pick(stage, origin, direction, &actor, &number, &pick)) {
    vw_stage_say(stage, "There is no body here: a frame is put where one is pressed");
    return false;
  }
  lbBody *body = find_driven_frame_body(stage, actor, number);
  if (lb_body_frames_count(body) == 0) {
    vw_stage_say(stage, "Only bodies of the method \"frames\" can have more frames");
    return true;
  }
  if (lb_body_frames_insert(body, pick.position, 0, &frame)) {
    report_refusal(stage, body);
    return true;
  }
  stage->cast.changed = true; // its beginning is of other frames
  choose_driven_frame(stage, actor, number, frame);
  return true;
}

bool vw_stage_frame_remove(vwStage *stage) {
  const vwChosenFrame *chosen = &stage->chosen;
  for (int32_t a = 0; a < stage->cast.count; a++) {
    lbBody *body = find_driven_frame_body(stage, a, chosen->member);
    if (stage->cast.roles[a].group != chosen->group || lb_body_frames_count(body) == 0) continue;
    if (lb_body_frames_remove(body, chosen->number)) {
      vw_stage_say(stage, lb_body_message(body));
      return false;
    }
    stage->cast.changed = true;
    choose_driven_frame(stage, a, chosen->member, 0);
    return true;
  }
  return false;
}

// ---- colours -----------------------------------------------------------------------------------

void vw_frames_weights(const vwStage *stage, int32_t actor, int32_t number, double *values) {
  const lbModel *m = stage->cast.roles[actor].actor->model;
  const vwChosenFrame *chosen = &stage->chosen;
  lbBody *body = find_driven_frame_body(stage, actor, number);
  bool own = chosen->group == stage->cast.roles[actor].group && chosen->member == number;
  int32_t frame = own && chosen->number < lb_body_frames_count(body) ? chosen->number : 0;
  memset(values, 0, (size_t)m->size.vertex_count * sizeof *values);
  if (lb_body_frames_count(body) == 0) return;
  if (lb_body_frames_weights(body, frame, stage->nodes[0])) return;
  lb_model_embed(m, 1, stage->nodes[0], values);
  for (int32_t v = 0; v < m->size.vertex_count; v++) values[v] = vw_clamp(values[v], LEAST, 1);
}
