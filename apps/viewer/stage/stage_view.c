// What viewers read of a stage: title, camera, boxes, and the surfaces and states of its bodies.
#include "stage/pose.h"
#include "stage/stage_parts.h"

#include "render/renderer.h"

#include <string.h>

#define BOX_REACH 20.0 // sizes of the scene at rest: farther bodies are out of the picture
enum {
  BOX_BODIES = 12,   // of an actor, whose vertices are looked up for the box
  BOX_VERTICES = 48, // of each of these bodies
  BOX_FEW = 6,       // where the actor has more than four bodies
};

const lbBundle *vw_stage_bundle(const vwStage *stage) { return stage->bundle; }
char vw_stage_up(const vwStage *stage) { return stage->up; }
double vw_stage_size(const vwStage *stage) { return stage->size; }
int32_t vw_stage_generation(const vwStage *stage) { return stage->generation; }
int32_t vw_stage_actor_count(const vwStage *stage) { return stage->cast.count; }

const char *vw_stage_title(const vwStage *stage) {
  const lbWorldDef *world = stage->bundle->world;
  const char *name = stage->groups[0].model->name;
  if (world && world->title && *world->title) return world->title;
  return name && *name ? name : "limber";
}

const char *vw_stage_hint(const vwStage *stage) {
  const lbWorldDef *world = stage->bundle->world;
  return world && world->hint ? world->hint : "";
}

vwBox vw_stage_rest_box(const vwStage *stage) {
  vwBox box = vw_box_empty();
  for (int32_t i = 0; i < stage->cast.count; i++) {
    lbVec3 shift = stage->cast.roles[i].shift;
    vw_box_add(&box, lb_add(stage->box.low, shift));
    vw_box_add(&box, lb_add(stage->box.high, shift));
  }
  return vw_colliders_around(stage, box);
}

// The world's own view, unless methods are compared side by side.
vwCamera vw_stage_camera(const vwStage *stage, double width, double height) {
  const lbWorldDef *world = stage->bundle->world;
  vwBox box = vw_stage_rest_box(stage);
  if (world && world->view_from && world->view_at && stage->settings.compare == 0) {
    double fov = world->view_fov ? world->view_fov[0] : LB_VIEW_FOV;
    vwCamera camera =
        vw_camera_of_place(lb_vec3_load(world->view_from), lb_vec3_load(world->view_at),
                           fov * LB_PI / 180, box, stage->up);
    // Views are made for wide pictures: a narrow one shows as much from side to side as 4 : 3 does.
    if (3 * width < 4 * height && width > 0) vw_camera_zoom(&camera, 4 * height / (3 * width));
    return camera;
  }
  double *low = stage->up == 'y' ? &box.low.y : &box.low.z;
  *low = vw_ground_sag(stage, *low); // what will hang down is to be seen
  vwCamera camera = vw_camera_of_box(box, stage->up);
  vw_camera_frame(&camera, box, width, height);
  return camera;
}

void vw_stage_face(vwStage *stage, const vwView *view) {
  lbVec3 up = stage->up == 'y' ? lb_vec3(0, 1, 0) : lb_vec3(0, 0, 1);
  lbVec3 across = lb_normalise(lb_cross(view->forward, up));
  if (stage->settings.compare == 0 && lb_length(across) > 0.5) stage->across = across;
}

vwActorView vw_stage_actor(const vwStage *stage, int32_t number) {
  const vwRole *role = &stage->cast.roles[number];
  const vwActor *actor = role->actor;
  return (vwActorView){ .model = actor->model,
                        .method = actor->method,
                        .label = role->label,
                        .body_count = actor->count,
                        .moving = actor->moving,
                        .dimension = actor->idle ? 0 : actor->dimension };
}

static void store_stage_placement(const vwActor *actor, int32_t body, float *to) {
  lbFrame frame = vw_actor_frame(actor, body);
  lbVec3 x = frame.position;
  lbQuat q = frame.rotation;
  const double values[7] = { x.x, x.y, x.z, q.x, q.y, q.z, q.w };
  for (int i = 0; i < 7; i++) to[i] = (float)values[i];
}

void vw_stage_state(const vwStage *stage, int32_t number, float *placements, float *coordinates,
                    float *rates) {
  const vwActor *actor = stage->cast.roles[number].actor;
  size_t r = actor->idle ? 0 : (size_t)actor->dimension;
  for (size_t b = 0; b < (size_t)actor->count; b++) {
    if (placements) store_stage_placement(actor, (int32_t)b, placements + 7 * b);
    if (r == 0 || (!coordinates && !rates)) continue;
    lb_body_get_state(actor->bodies[b], stage->coordinates, stage->rates);
    for (size_t i = 0; i < r && coordinates; i++)
      coordinates[r * b + i] = (float)stage->coordinates[i];
    for (size_t i = 0; i < r && rates; i++) rates[r * b + i] = (float)stage->rates[i];
  }
}

void vw_stage_surface(const vwStage *stage, int32_t number, int32_t body, double *positions) {
  const vwActor *actor = stage->cast.roles[number].actor;
  vw_actor_surface(actor, body, positions);
}

void vw_stage_values(const vwStage *stage, int32_t number, int32_t body, int32_t map,
                     double *values) {
  const vwActor *actor = stage->cast.roles[number].actor;
  const lbModel *m = actor->model;
  size_t vertices = (size_t)m->size.vertex_count;
  double *nodes = stage->nodes[0], *moved = stage->nodes[1];
  if (map == VW_MAP_STRESS) {
    vw_actor_stress(actor, body, nodes, values);
    return;
  }
  if (map == VW_MAP_PRESSURE) {
    vw_stage_pressure(stage, number, body, values);
    return;
  }
  if (map == VW_MAP_WEIGHT) {
    vw_frames_weights(stage, number, body, values);
    return;
  }
  bool speed = map == VW_MAP_SPEED;
  if (map != VW_MAP_DISPLACEMENT && !speed) {
    memset(values, 0, vertices * sizeof(double));
    return;
  }
  if (speed) {
    vw_actor_velocities(actor, body, nodes, moved);
  } else {
    vw_actor_motion(actor, body, nodes, NULL);
    lb_model_embed(m, 3, nodes, moved);
  }
  for (size_t v = 0; v < vertices; v++) values[v] = lb_length(lb_vec3_load(moved + 3 * v));
}

void vw_stage_nodes(const vwStage *stage, int32_t number, int32_t body, double *positions) {
  const vwActor *actor = stage->cast.roles[number].actor;
  const double *rest = actor->model->node_positions;
  vw_actor_motion(actor, body, positions, NULL);
  for (size_t n = 0; n < (size_t)actor->model->size.node_count; n++) {
    lbVec3 x = lb_add(lb_vec3_load(rest + 3 * n), lb_vec3_load(positions + 3 * n));
    lb_vec3_store(positions + 3 * n, vw_actor_place(actor, body, x));
  }
}

static bool is_near(vwBox box, lbVec3 x, double reach) {
  return x.x > box.low.x - reach && x.x < box.high.x + reach && x.y > box.low.y - reach &&
         x.y < box.high.y + reach && x.z > box.low.z - reach && x.z < box.high.z + reach;
}

// Ignores vertices that have flown far away, so that light and depth fit the others.
static void add_moved(const vwStage *stage, const vwActor *actor, int32_t body, vwBox *box) {
  int32_t vertices[BOX_VERTICES] = { 0 }, count = 0, total = actor->model->size.vertex_count;
  int32_t most = actor->count > 4 ? BOX_FEW : BOX_VERTICES;
  double positions[3 * BOX_VERTICES] = { 0 };
  for (int32_t v = 0; v < total && count < most; v += total / most + 1) vertices[count++] = v;
  vw_actor_vertices(actor, body, count, vertices, positions);
  for (int32_t i = 0; i < count; i++) {
    lbVec3 x = lb_vec3_load(positions + 3 * (size_t)i);
    if (is_near(stage->box, x, BOX_REACH * stage->size)) vw_box_add(box, x);
  }
}

// The rest box and where some vertices of some bodies are now.
vwBox vw_stage_box(const vwStage *stage) {
  vwBox box = vw_stage_rest_box(stage);
  for (int32_t i = 0; i < stage->cast.count; i++) {
    const vwActor *actor = stage->cast.roles[i].actor;
    for (int32_t b = 0; b < actor->count; b += actor->count / BOX_BODIES + 1)
      add_moved(stage, actor, b, &box);
  }
  return box;
}
