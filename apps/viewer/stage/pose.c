// Posing by handles: painting them, choosing one, dragging its gizmo, undo (stage/pose.h).
#include "stage/pose.h"

#include "stage/stage_parts.h"

#include <stdio.h>
#include <string.h>

#define ARROW_SHARE 0.13 // length of an arrow, of the picture's height
#define RING 0.72        // radius of a ring, of an arrow's length
#define ARROW_BEGIN 0.22 // where an arrow begins
#define SEEN 1e-6        // of the scene's size: less is not seen
#define REACH_PIXELS 9.0 // of a pointer
#define MIDDLE_PIXELS 13.0
enum { RING_PIECES = 48, BRUSH_MOST = 200000 };

typedef enum Part { PART_NONE, PART_PAINT, PART_MIDDLE, PART_ARROW, PART_RING } Part;

typedef struct vwPose {
  lbEditor *editor;
  int32_t role, body;
  const lbModel *model;
  int32_t chosen;  // handle; -1: none
  uint8_t *owner;  // (vertices): handle + 1; PAINTED: being painted
  lbPoint *points; // (vertices): working memory
  int32_t painted; // vertices
  int32_t made;    // handles, for their names
  lbEditResult result;
  bool settled;

  // What a pointer drags.
  Part part;
  int32_t pointer, axis;
  lbVec3 centre;        // of the gizmo when it began
  lbHandleMotion start; // of the handle
  double begin;         // along the arrow, m, or about the ring, rad
  lbVec3 begin_place;   // of the middle
} vwPose;

enum { PAINTED = 255 };

static const lbVec3 axes[3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };

bool vw_stage_posing(const vwStage *stage) { return stage->pose != NULL; }

// ---- the gizmo ---------------------------------------------------------------------------------

static double arrow_length(const vwView *view, lbVec3 at) {
  double depth = lb_dot(lb_sub(at, view->eye), view->forward);
  return fmax(depth, 1e-9) * 2 * view->tan_half_fov * ARROW_SHARE;
}

static lbVec3 ring_point(lbVec3 centre, int axis, double radius, double angle) {
  lbVec3 a = axes[(axis + 1) % 3], b = axes[(axis + 2) % 3];
  return lb_add_scaled(lb_add_scaled(centre, radius * cos(angle), a), radius * sin(angle), b);
}

// Pixels from the pointer to the line between two points.
static double pixels_to_line(const vwView *view, lbVec3 a, lbVec3 b, double x, double y) {
  double ax, ay, bx, by;
  if (!vw_view_project(view, a, &ax, &ay) || !vw_view_project(view, b, &bx, &by)) return INFINITY;
  double dx = bx - ax, dy = by - ay, length = dx * dx + dy * dy;
  double t = length > 0 ? vw_clamp(((x - ax) * dx + (y - ay) * dy) / length, 0, 1) : 0;
  return hypot(ax + t * dx - x, ay + t * dy - y);
}

static double pixels_to_ring(const vwView *view, lbVec3 centre, int axis, double radius, double x,
                             double y) {
  double best = INFINITY;
  for (int i = 0; i < RING_PIECES; i++) {
    double turn = 2 * LB_PI / RING_PIECES;
    lbVec3 a = ring_point(centre, axis, radius, i * turn);
    lbVec3 b = ring_point(centre, axis, radius, (i + 1) * turn);
    best = fmin(best, pixels_to_line(view, a, b, x, y));
  }
  return best;
}

static Part find_part(const vwPose *pose, const vwView *view, double x, double y, int32_t *axis) {
  if (pose->chosen < 0) return PART_NONE;
  lbVec3 centre = lb_editor_handle_target(pose->editor, pose->chosen);
  double length = arrow_length(view, centre), px, py, best = REACH_PIXELS;
  if (!vw_view_project(view, centre, &px, &py)) return PART_NONE;
  if (hypot(px - x, py - y) < MIDDLE_PIXELS) return PART_MIDDLE;
  Part part = PART_NONE;
  for (int k = 0; k < 3; k++) {
    double arrow = pixels_to_line(view, lb_add_scaled(centre, ARROW_BEGIN * length, axes[k]),
                                  lb_add_scaled(centre, length, axes[k]), x, y);
    double ring = pixels_to_ring(view, centre, k, RING * length, x, y);
    if (arrow < best) best = arrow, part = PART_ARROW, *axis = k;
    if (ring < best) best = ring, part = PART_RING, *axis = k;
  }
  return part;
}

// Where along the arrow's line a ray comes nearest.
static double along_arrow(const vwPose *pose, lbVec3 origin, lbVec3 direction) {
  lbVec3 axis = axes[pose->axis], from = lb_sub(origin, pose->centre);
  double across = lb_dot(axis, direction), square = 1 - across * across;
  if (square < 1e-4) return pose->begin; // seen from its end
  return (lb_dot(axis, from) - across * lb_dot(direction, from)) / square;
}

// The angle at which a ray hits the ring's plane; of a ring seen from its edge, by the pixels.
static double about_ring(const vwPose *pose, const vwView *view, lbVec3 origin, lbVec3 direction,
                         double x, double y) {
  lbVec3 axis = axes[pose->axis];
  double toward = lb_dot(axis, direction), px, py;
  if (fabs(toward) < 0.12 && vw_view_project(view, pose->centre, &px, &py)) {
    // The near side of the ring goes across the view, along axis x forward.
    lbVec3 way = lb_normalise(lb_cross(view->forward, axis));
    double right = lb_dot(way, view->right), upward = lb_dot(way, view->upward);
    return ((x - px) * right - (y - py) * upward) / (RING * ARROW_SHARE * view->height);
  }
  double distance = lb_dot(axis, lb_sub(pose->centre, origin)) / toward;
  lbVec3 arm = lb_sub(lb_add_scaled(origin, distance, direction), pose->centre);
  return atan2(lb_dot(arm, axes[(pose->axis + 2) % 3]), lb_dot(arm, axes[(pose->axis + 1) % 3]));
}

static lbVec3 in_view_plane(const vwPose *pose, const vwView *view, lbVec3 origin,
                            lbVec3 direction) {
  double toward = lb_dot(direction, view->forward);
  double distance = lb_dot(lb_sub(pose->centre, origin), view->forward) / toward;
  return lb_add_scaled(origin, distance, direction);
}

static void begin_drag(vwPose *pose, Part part, int32_t axis, int32_t pointer, const vwView *view,
                       double x, double y) {
  lbVec3 origin, direction;
  vw_view_ray(view, x, y, &origin, &direction);
  pose->part = part;
  pose->axis = axis;
  pose->pointer = pointer;
  pose->centre = lb_editor_handle_target(pose->editor, pose->chosen);
  pose->start = lb_editor_handle_motion(pose->editor, pose->chosen);
  if (part == PART_ARROW) pose->begin = along_arrow(pose, origin, direction);
  if (part == PART_RING) pose->begin = about_ring(pose, view, origin, direction, x, y);
  if (part == PART_MIDDLE) pose->begin_place = in_view_plane(pose, view, origin, direction);
}

static bool drag(vwStage *stage, vwPose *pose, const vwView *view, double x, double y) {
  lbVec3 origin, direction, shift = lb_vec3(0, 0, 0);
  lbHandleMotion motion = pose->start;
  vw_view_ray(view, x, y, &origin, &direction);
  if (pose->part == PART_ARROW)
    shift = lb_scale(along_arrow(pose, origin, direction) - pose->begin, axes[pose->axis]);
  if (pose->part == PART_MIDDLE)
    shift = lb_sub(in_view_plane(pose, view, origin, direction), pose->begin_place);
  if (pose->part == PART_RING) {
    double angle = about_ring(pose, view, origin, direction, x, y) - pose->begin;
    lbQuat turn = lb_quat_exp(lb_scale(angle, axes[pose->axis]));
    motion.rotation = lb_quat_log(lb_quat_multiply(turn, lb_quat_exp(motion.rotation)));
  }
  double most = 10 * stage->size, length = lb_length(shift);
  if (!(length <= most)) return false;
  motion.translate = lb_add(motion.translate, shift);
  if (lb_editor_move_handle(pose->editor, pose->chosen, &motion, NULL)) return false;
  pose->settled = false;
  return true;
}

// ---- painting ----------------------------------------------------------------------------------

static lbVec3 rest_of_pick(const lbModel *model, const lbPick *pick) {
  const int32_t *corners = model->triangles + 3 * (size_t)pick->point.index;
  lbVec3 x = lb_vec3(0, 0, 0);
  for (int k = 0; k < 3; k++)
    x = lb_add_scaled(x, pick->point.weights[k],
                      lb_vec3_load(model->vertex_positions + 3 * (size_t)corners[k]));
  return x;
}

static int32_t nearest_corner(const lbModel *model, const lbPick *pick) {
  const double *w = pick->point.weights;
  int k = w[1] > w[0] ? 1 : 0;
  if (w[2] > w[k]) k = 2;
  return model->triangles[3 * (size_t)pick->point.index + (size_t)k];
}

// Vertices around the place that are free become part of the handle to be.
static void paint_free_vertices(vwStage *stage, vwPose *pose, const lbPick *pick) {
  lbVec3 at = rest_of_pick(pose->model, pick);
  double radius = stage->settings.brush * stage->size;
  int32_t nearest = nearest_corner(pose->model, pick);
  for (int32_t v = 0; v < pose->model->size.vertex_count && pose->painted < BRUSH_MOST; v++) {
    lbVec3 x = lb_vec3_load(pose->model->vertex_positions + 3 * (size_t)v);
    bool near = lb_length(lb_sub(x, at)) <= radius || v == nearest;
    if (!near || pose->owner[v]) continue;
    pose->owner[v] = PAINTED;
    pose->painted++;
  }
}

static void number_owners(vwPose *pose) {
  memset(pose->owner, 0, (size_t)pose->model->size.vertex_count);
  for (int32_t i = 0; i < lb_editor_handle_count(pose->editor); i++) {
    int32_t handle = lb_editor_handle_at(pose->editor, i), count;
    const lbPoint *points = lb_editor_handle_points(pose->editor, handle, &count);
    for (int32_t k = 0; k < count; k++) pose->owner[points[k].index] = (uint8_t)(handle + 1);
  }
  if (!lb_editor_handle_name(pose->editor, pose->chosen)) pose->chosen = -1;
}

static void make_handle(vwStage *stage, vwPose *pose) {
  char name[32];
  lbHandleDef def = lb_handle_def();
  lbError err;
  int32_t handle;
  for (int32_t v = 0; v < pose->model->size.vertex_count; v++)
    if (pose->owner[v] == PAINTED) pose->points[def.point_count++] = lb_point_vertex(v);
  pose->painted = 0;
  if (def.point_count == 0) return;
  snprintf(name, sizeof name, "handle %d", (int)++pose->made);
  def.name = name;
  def.points = pose->points;
  def.in_place = true;
  if (lb_editor_add_handle(pose->editor, &def, &handle, &err)) {
    vw_stage_say(stage, err.text);
  } else {
    pose->chosen = handle;
    (void)lb_editor_remember(pose->editor, NULL);
  }
  number_owners(pose);
  pose->settled = false;
}

// ---- pointers ----------------------------------------------------------------------------------

static void release_pose(vwPose *pose) {
  if (!pose) return;
  lb_editor_destroy(pose->editor);
  lb_free(pose->owner);
  lb_free(pose->points);
  lb_free(pose);
}

void vw_pose_end(vwStage *stage) {
  release_pose(stage->pose);
  stage->pose = NULL;
}

static bool begin_pose(vwStage *stage, int32_t role, int32_t body) {
  const vwActor *actor = stage->cast.roles[role].actor;
  size_t vertices = (size_t)actor->model->size.vertex_count;
  lbEditorDef def = lb_editor_def();
  lbError err;
  if (actor->idle) return false;
  if (actor->method != LB_METHOD_SUBSPACE) {
    vw_stage_say(stage, "Handles pose bodies of the method \"subspace\": choose that method, or "
                        "build the model with it");
    return false;
  }
  vw_stage_release_all(stage);
  vwPose *pose = lb_alloc(1, sizeof *pose);
  if (!pose) return false;
  pose->role = role, pose->body = body, pose->model = actor->model;
  pose->chosen = -1, pose->pointer = -1;
  pose->owner = lb_alloc(vertices, 1);
  pose->points = lb_alloc(vertices, sizeof(lbPoint));
  lbStatus status = pose->owner && pose->points
                        ? lb_editor_create(actor->bodies[body], &def, &pose->editor, &err)
                        : lb_fail_memory(&err);
  if (status) {
    vw_stage_say(stage, err.text);
    release_pose(pose);
    return false;
  }
  stage->pose = pose;
  vw_stage_say(stage, "Posing: drag the arrows, rings or the disc; press elsewhere on the object "
                      "for more handles; \"Let go\" starts the motion from the pose");
  return true;
}

bool vw_pose_press(vwStage *stage, int32_t pointer, const vwView *view, double x, double y) {
  lbVec3 origin, direction;
  int32_t role, body, axis = 0;
  lbPick pick;
  vwPose *pose = stage->pose;
  if (pose && pose->part != PART_NONE) return false; // another finger
  Part part = pose ? find_part(pose, view, x, y, &axis) : PART_NONE;
  if (part != PART_NONE) {
    begin_drag(pose, part, axis, pointer, view, x, y);
    return true;
  }
  vw_view_ray(view, x, y, &origin, &direction);
  if (!vw_stage_pick(stage, origin, direction, &role, &body, &pick)) return false;
  if (pose && (pose->role != role || pose->body != body)) return false;
  if (!pose && !begin_pose(stage, role, body)) return false;
  pose = stage->pose;
  uint8_t owner = pose->owner[nearest_corner(pose->model, &pick)];
  if (owner) {
    pose->chosen = owner - 1;
    return true;
  }
  pose->part = PART_PAINT;
  pose->pointer = pointer;
  paint_free_vertices(stage, pose, &pick);
  return true;
}

bool vw_pose_move(vwStage *stage, int32_t pointer, const vwView *view, double x, double y) {
  vwPose *pose = stage->pose;
  if (!pose || pose->part == PART_NONE || pose->pointer != pointer) return false;
  if (pose->part != PART_PAINT) return drag(stage, pose, view, x, y);
  lbVec3 origin, direction;
  int32_t role, body;
  lbPick pick;
  vw_view_ray(view, x, y, &origin, &direction);
  if (!vw_stage_pick(stage, origin, direction, &role, &body, &pick)) return false;
  if (role != pose->role || body != pose->body) return false;
  paint_free_vertices(stage, pose, &pick);
  return true;
}

static void tell_flags(vwStage *stage, const vwPose *pose) {
  if (pose->result.flags & LB_EDIT_BEYOND_SUBSPACE)
    vw_stage_say(stage, "The model's basis cannot represent this pose: this is the nearest shape");
}

bool vw_pose_release(vwStage *stage, int32_t pointer) {
  vwPose *pose = stage->pose;
  if (!pose || pose->part == PART_NONE || pose->pointer != pointer) return false;
  if (pose->part == PART_PAINT) {
    make_handle(stage, pose);
  } else {
    (void)lb_editor_follow(pose->editor, &pose->result, NULL);
    (void)lb_editor_remember(pose->editor, NULL);
    tell_flags(stage, pose);
  }
  pose->part = PART_NONE;
  pose->pointer = -1;
  return true;
}

void vw_pose_follow(vwStage *stage) {
  vwPose *pose = stage->pose;
  if (!pose || pose->settled) return;
  if (lb_editor_follow(pose->editor, &pose->result, NULL)) return;
  bool there = pose->result.left < SEEN * stage->size;
  pose->settled = there || !(pose->result.flags & LB_EDIT_NOT_CONVERGED);
}

// ---- commands ----------------------------------------------------------------------------------

bool vw_stage_pose_undo(vwStage *stage, bool forth) {
  vwPose *pose = stage->pose;
  if (!pose || pose->part != PART_NONE) return false;
  bool done = forth ? lb_editor_redo(pose->editor) : lb_editor_undo(pose->editor);
  number_owners(pose);
  pose->settled = true; // it is as it was
  return done;
}

bool vw_stage_pose_remove(vwStage *stage) {
  vwPose *pose = stage->pose;
  if (!pose || pose->part != PART_NONE || pose->chosen < 0) return false;
  if (lb_editor_remove_handle(pose->editor, pose->chosen, NULL)) return false;
  number_owners(pose);
  (void)lb_editor_follow(pose->editor, &pose->result, NULL);
  (void)lb_editor_remember(pose->editor, NULL);
  pose->settled = false;
  return true;
}

// ---- what is to be seen ------------------------------------------------------------------------

vwPoseView vw_stage_pose(const vwStage *stage, const vwView *view) {
  const vwPose *pose = stage->pose;
  vwPoseView seen = { .chosen = -1 };
  if (!pose) return seen;
  seen.on = true;
  seen.actor = pose->role, seen.body = pose->body;
  seen.handle_count = lb_editor_handle_count(pose->editor) + (pose->painted > 0);
  seen.energy = pose->result.energy;
  seen.error = pose->result.handle_error;
  seen.flags = pose->result.flags;
  seen.undo_count = lb_editor_undo_count(pose->editor);
  seen.redo_count = lb_editor_redo_count(pose->editor);
  seen.dragged = pose->part == PART_ARROW    ? pose->axis
                 : pose->part == PART_RING   ? 3 + pose->axis
                 : pose->part == PART_MIDDLE ? 6
                                             : -1;
  if (pose->chosen < 0) return seen;
  for (int32_t i = 0; i < lb_editor_handle_count(pose->editor); i++)
    if (lb_editor_handle_at(pose->editor, i) == pose->chosen) seen.chosen = i;
  seen.centre = lb_editor_handle_target(pose->editor, pose->chosen);
  seen.length = arrow_length(view, seen.centre);
  seen.ring = RING;
  seen.begin = ARROW_BEGIN;
  return seen;
}

int32_t vw_stage_pose_points(const vwStage *stage, int32_t index, int32_t most, lbVec3 *places) {
  const vwPose *pose = stage->pose;
  int32_t handle = pose ? lb_editor_handle_at(pose->editor, index) : -1, total = 0, count = 0;
  if (!pose || most < 1) return 0;
  uint8_t owner = handle >= 0 ? (uint8_t)(handle + 1) : PAINTED; // what is being painted comes last
  for (int32_t v = 0; v < pose->model->size.vertex_count; v++) total += pose->owner[v] == owner;
  int32_t every = total / most + 1, at = 0;
  const vwActor *actor = stage->cast.roles[pose->role].actor;
  for (int32_t v = 0; v < pose->model->size.vertex_count && count < most; v++) {
    if (pose->owner[v] != owner || at++ % every) continue;
    places[count++] = vw_actor_point(actor, pose->body, lb_point_vertex(v));
  }
  return count;
}

// ---- as a file ---------------------------------------------------------------------------------

typedef struct Text {
  char *bytes;
  size_t count, capacity;
  bool failed;
} Text;

static void append_words(Text *text, const char *words) {
  size_t length = strlen(words);
  if (!lb_grow((void **)&text->bytes, &text->capacity, text->count + length + 1, 1))
    text->failed = true;
  if (text->failed) return;
  memcpy(text->bytes + text->count, words, length + 1);
  text->count += length;
}

lbStatus vw_stage_pose_obj(const vwStage *stage, char **obj, lbError *err) {
  const vwPose *pose = stage->pose;
  int32_t role = pose ? pose->role : 0, body = pose ? pose->body : 0;
  const vwActor *actor = stage->cast.roles[role].actor;
  const lbModel *model = actor->model;
  Text text = { 0 };
  char line[160], number[LB_NUMBER_TEXT];
  lbQuat back = lb_quat_conjugate(actor->rotations[body]);
  double *positions = lb_alloc((size_t)model->size.vertex_count, 3 * sizeof(double));
  if (!positions) return lb_fail_memory(err);
  vw_actor_surface(actor, body, positions);
  append_words(&text, "# the posed surface, in the model's own axes\n");
  for (int32_t v = 0; v < model->size.vertex_count; v++) {
    lbVec3 x = lb_sub(lb_vec3_load(positions + 3 * (size_t)v), actor->positions[body]);
    double own[3];
    lb_vec3_store(own, lb_quat_rotate(back, x));
    append_words(&text, "v");
    for (int k = 0; k < 3; k++) {
      append_words(&text, " ");
      append_words(&text, lb_json_number_text(number, own[k], 17));
    }
    append_words(&text, "\n");
  }
  for (int32_t t = 0; t < model->size.triangle_count; t++) {
    const int32_t *c = model->triangles + 3 * (size_t)t;
    snprintf(line, sizeof line, "f %d %d %d\n", (int)c[0] + 1, (int)c[1] + 1, (int)c[2] + 1);
    append_words(&text, line);
  }
  lb_free(positions);
  if (text.failed) {
    lb_free(text.bytes);
    return lb_fail_memory(err);
  }
  *obj = text.bytes;
  return LB_OK;
}
