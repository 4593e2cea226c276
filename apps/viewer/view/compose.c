// From the stage to a picture: crowds, lines and marks.
#include "view/viewer_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- drawn: how the stage's actors are drawn ---------------------------------------------------

static void release_drawn(vwDrawn *drawn) {
  vw_skin_destroy(drawn->skin);
  lb_free(drawn->placements);
  lb_free(drawn->coordinates);
  lb_free(drawn->rates);
  lb_free(drawn->positions);
  lb_free(drawn->normals);
  lb_free(drawn->values);
  lb_free(drawn->surface);
  lb_free(drawn->edges);
}

void vw_viewer_undress(vwViewer *viewer) {
  for (int32_t i = 0; i < viewer->drawn_count; i++) release_drawn(&viewer->drawn[i]);
  lb_free(viewer->drawn);
  lb_free(viewer->colliders);
  lb_free(viewer->crowds);
  viewer->drawn = NULL;
  viewer->colliders = NULL;
  viewer->collider_count = 0;
  viewer->crowds = NULL;
  viewer->drawn_count = 0;
  viewer->generation = -1;
  if (viewer->renderer) vw_renderer_clear(viewer->renderer);
}

static lbStatus make_drawn(vwViewer *viewer, int32_t actor, vwDrawn *drawn, lbError *err) {
  vwActorView view = vw_stage_actor(viewer->stage, actor);
  vwSkinDef def = vw_skin_def();
  lbStatus status = vw_skin_create(view.model, view.method, &def, &drawn->skin, err);
  if (!status)
    status =
        vw_renderer_add_skin(viewer->renderer, drawn->skin, &drawn->number, &drawn->on_gpu, err);
  if (status) return status;
  size_t bodies = (size_t)view.body_count, dimension = (size_t)view.dimension;
  drawn->placements = lb_alloc(bodies, 7 * sizeof(float));
  drawn->coordinates = lb_alloc(bodies * dimension, sizeof(float));
  drawn->rates = lb_alloc(bodies * dimension, sizeof(float));
  drawn->surface = lb_alloc((size_t)view.model->size.vertex_count, 3 * sizeof(double));
  bool fits = drawn->placements && drawn->coordinates && drawn->rates && drawn->surface;
  return fits ? LB_OK : lb_fail_memory(err);
}

lbStatus vw_viewer_dress(vwViewer *viewer, lbError *err) {
  int32_t generation = vw_stage_generation(viewer->stage);
  if (viewer->generation == generation) return LB_OK;
  vw_viewer_undress(viewer);
  viewer->generation = generation; // also when it fails: the message comes once
  int32_t count = vw_stage_actor_count(viewer->stage);
  viewer->drawn = lb_alloc((size_t)count, sizeof(vwDrawn));
  size_t colliders = (size_t)vw_stage_collider_count(viewer->stage);
  viewer->crowds = lb_alloc((size_t)count + colliders, sizeof(vwCrowd));
  if (!viewer->drawn || !viewer->crowds) return lb_fail_memory(err);
  viewer->drawn_count = count;
  lbStatus status = LB_OK;
  for (int32_t i = 0; i < count && !status; i++)
    status = make_drawn(viewer, i, &viewer->drawn[i], err);
  if (!status) status = vw_viewer_dress_colliders(viewer, err);
  if (status) {
    vw_viewer_undress(viewer);
    viewer->generation = generation;
  }
  return status;
}

// ---- crowds ------------------------------------------------------------------------------------

// Room for one value set a skin vertex and body, allocated at the first use.
static float *room(float **block, const vwDrawn *drawn, int32_t bodies, size_t width) {
  if (!*block)
    *block = lb_alloc((size_t)bodies * (size_t)drawn->skin->vertex_count, width * sizeof(float));
  return *block;
}

static bool fill_positions(vwViewer *viewer, int32_t actor, vwDrawn *drawn, int32_t bodies) {
  if (!room(&drawn->positions, drawn, bodies, 3) || !room(&drawn->normals, drawn, bodies, 3))
    return false;
  size_t stride = 3 * (size_t)drawn->skin->vertex_count;
  for (int32_t body = 0; body < bodies; body++) {
    vw_stage_surface(viewer->stage, actor, body, drawn->surface);
    vw_skin_from_surface(drawn->skin, drawn->surface, drawn->positions + stride * (size_t)body,
                         drawn->normals + stride * (size_t)body);
  }
  return true;
}

// Largest finite value of the mapped quantity on some bodies; fills `values` where it is not NULL.
static double map_values(vwViewer *viewer, int32_t actor, vwDrawn *drawn, int32_t bodies, vwMap map,
                         float *values) {
  double largest = 0;
  int32_t vertices = drawn->skin->vertex_count;
  for (int32_t body = 0; body < bodies; body++) {
    vw_stage_values(viewer->stage, actor, body, (int32_t)map, drawn->surface);
    for (int32_t i = 0; i < vertices; i++) {
      double value = drawn->surface[drawn->skin->sources[i]];
      if (value > largest && isfinite(value)) largest = value;
      if (values) values[(size_t)body * (size_t)vertices + (size_t)i] = (float)value;
    }
  }
  return largest;
}

static vwCrowd compose_crowd(vwViewer *viewer, int32_t actor, double *map_high) {
  vwDrawn *drawn = &viewer->drawn[actor];
  vwActorView view = vw_stage_actor(viewer->stage, actor);
  vwMap map = (vwMap)viewer->settings.map;
  vwCrowd crowd = { .skin = drawn->number, .body_count = view.body_count, .opacity = 1 };
  vw_stage_state(viewer->stage, actor, drawn->placements, drawn->coordinates, drawn->rates);
  crowd.placements = drawn->placements;
  bool by_basis = view.dimension > 0 && drawn->on_gpu && viewer->settings.on_gpu != 0;
  if (by_basis) {
    crowd.dimension = view.dimension;
    crowd.coordinates = drawn->coordinates;
    crowd.rates = drawn->rates;
  } else if (fill_positions(viewer, actor, drawn, view.body_count)) {
    crowd.positions = drawn->positions;
    crowd.normals = drawn->normals;
  } else {
    crowd.body_count = 0;
  }
  if (map != VW_MAP_NONE) {
    bool needed = !by_basis || map >= VW_MAP_STRESS || (map == VW_MAP_SPEED && view.moving);
    float *values = needed ? room(&drawn->values, drawn, view.body_count, 1) : NULL;
    int32_t looked_at = needed || view.body_count < 4 ? view.body_count : 4;
    *map_high = fmax(*map_high, map_values(viewer, actor, drawn, looked_at, map, values));
    crowd.values = values;
  }
  static const float steel[4] = { 0.52f, 0.55f, 0.60f, 1 };
  if (view.method == LB_METHOD_RIGID) memcpy(crowd.tint, steel, sizeof steel);
  if (view.ghost) crowd.opacity = 0.35f;
  return crowd;
}

// The scale's end jumps up with the values and comes down slowly, so that colours do not flicker.
static void follow_map(vwViewer *viewer, double high) {
  vwMap map = (vwMap)viewer->settings.map;
  double kept = viewer->map_of == map ? viewer->map_high * 0.995 : 0;
  viewer->map_of = map;
  viewer->map_high = map == VW_MAP_WEIGHT ? 1 : fmax(fmax(high, kept), 1e-12);
}

// ---- the edges of the volume's elements --------------------------------------------------------

typedef struct EdgeList {
  int32_t *pairs;
  size_t capacity, count;
} EdgeList;

static bool add_composer_pairs(EdgeList *list, const int32_t *element, const int8_t (*pairs)[2],
                               int count) {
  if (!lb_grow((void **)&list->pairs, &list->capacity, list->count + (size_t)count,
               2 * sizeof(int32_t)))
    return false;
  for (int i = 0; i < count; i++) {
    int32_t a = element[pairs[i][0]], b = element[pairs[i][1]];
    list->pairs[2 * list->count] = a < b ? a : b;
    list->pairs[2 * list->count + 1] = a < b ? b : a;
    list->count++;
  }
  return true;
}

static int compare_pairs(const void *a, const void *b) {
  const int32_t *p = a, *q = b;
  if (p[0] != q[0]) return p[0] < q[0] ? -1 : 1;
  return (p[1] > q[1]) - (p[1] < q[1]);
}

static bool gather_pairs(EdgeList *list, const lbModel *model) {
  static const int8_t of_tet[6][2] = { { 0, 1 }, { 0, 2 }, { 0, 3 }, { 1, 2 }, { 1, 3 }, { 2, 3 } };
  static const int8_t of_triangle[3][2] = { { 0, 1 }, { 1, 2 }, { 2, 0 } };
  static const int8_t of_brick[12][2] = { { 0, 1 }, { 1, 2 }, { 2, 3 }, { 3, 0 },
                                          { 4, 5 }, { 5, 6 }, { 6, 7 }, { 7, 4 },
                                          { 0, 4 }, { 1, 5 }, { 2, 6 }, { 3, 7 } };
  for (int32_t i = 0; i < model->size.tet_count; i++)
    if (!add_composer_pairs(list, model->tets + 4 * (size_t)i, of_tet, 6)) return false;
  for (int32_t i = 0; i < model->size.brick_count; i++)
    if (!add_composer_pairs(list, model->bricks + 8 * (size_t)i, of_brick, 12)) return false;
  for (int32_t i = 0; i < model->size.shell_count; i++)
    if (!add_composer_pairs(list, model->shells + 3 * (size_t)i, of_triangle, 3)) return false;
  return true;
}

static bool find_composer_edges(vwDrawn *drawn) {
  if (drawn->edges) return true;
  EdgeList list = { 0 };
  if (!gather_pairs(&list, drawn->skin->model)) {
    lb_free(list.pairs);
    return false;
  }
  qsort(list.pairs, list.count, 2 * sizeof(int32_t), compare_pairs);
  size_t kept = 0;
  for (size_t i = 0; i < list.count; i++)
    if (!kept || compare_pairs(list.pairs + 2 * i, list.pairs + 2 * (kept - 1)))
      memmove(list.pairs + 2 * kept++, list.pairs + 2 * i, 2 * sizeof(int32_t));
  drawn->edges = list.pairs;
  drawn->edge_count = (int32_t)kept;
  return true;
}

// ---- lines and marks ---------------------------------------------------------------------------

static void store_floats(float to[3], lbVec3 from) {
  to[0] = (float)from.x, to[1] = (float)from.y, to[2] = (float)from.z;
}

void vw_viewer_add_segment(vwViewer *viewer, vwPicture *picture, lbVec3 a, lbVec3 b,
                           const float color[4], float width, bool above) {
  size_t count = (size_t)picture->segment_count;
  if (!lb_grow((void **)&viewer->segments, &viewer->segment_capacity, count + 1, sizeof(vwSegment)))
    return;
  vwSegment *segment = &viewer->segments[count];
  store_floats(segment->a, a);
  store_floats(segment->b, b);
  memcpy(segment->color, color, sizeof segment->color);
  segment->width = width;
  segment->above = above;
  picture->segment_count++;
}

void vw_viewer_add_disc(vwViewer *viewer, vwPicture *picture, lbVec3 at, const float color[4],
                        float radius, bool above) {
  size_t count = (size_t)picture->disc_count;
  if (!lb_grow((void **)&viewer->discs, &viewer->disc_capacity, count + 1, sizeof(vwDisc))) return;
  vwDisc *disc = &viewer->discs[count];
  store_floats(disc->at, at);
  memcpy(disc->color, color, sizeof disc->color);
  disc->radius = radius;
  disc->above = above;
  picture->disc_count++;
}

static void add_holds(vwViewer *viewer, vwPicture *picture) {
  static const float hand[4] = { 1.0f, 0.75f, 0.15f, 1 }, pin[4] = { 0.85f, 0.16f, 0.14f, 1 },
                     rubber[4] = { 0.30f, 0.36f, 0.45f, 1 };
  int32_t count = vw_stage_hold_count(viewer->stage);
  for (int32_t i = 0; i < count; i++) {
    vwHold hold = vw_stage_hold(viewer->stage, i);
    if (hold.kind == VW_HOLD_BALL) {
      if (picture->ball_count == VW_BALLS_MAX) continue;
      vwBall *ball = &viewer->balls[picture->ball_count++];
      store_floats(ball->centre, hold.target);
      ball->radius = (float)hold.radius;
      memcpy(ball->color, rubber, sizeof rubber);
      continue;
    }
    const float *color = hold.kind == VW_HOLD_PIN ? pin : hand;
    vw_viewer_add_segment(viewer, picture, hold.point, hold.target, color, 3, true);
    vw_viewer_add_disc(viewer, picture, hold.point, color, 5, true);
    if (hold.kind == VW_HOLD_GRAB) vw_viewer_add_disc(viewer, picture, hold.target, color, 7, true);
  }
}

static void add_nodes(vwViewer *viewer, vwPicture *picture, int32_t actor, const double *nodes) {
  static const float color[4] = { 0.80f, 0.12f, 0.10f, 1 };
  const lbModel *model = vw_stage_actor(viewer->stage, actor).model;
  for (int32_t i = 0; i < model->size.node_count; i++)
    if (model->node_fixed[i])
      vw_viewer_add_disc(viewer, picture, lb_vec3_load(nodes + 3 * (size_t)i), color, 3, false);
}

static void add_composer_edges(vwViewer *viewer, vwPicture *picture, vwDrawn *drawn,
                               const double *nodes) {
  static const float color[4] = { 0.10f, 0.14f, 0.20f, 0.55f };
  if (!find_composer_edges(drawn)) return;
  for (int32_t i = 0; i < drawn->edge_count; i++)
    vw_viewer_add_segment(viewer, picture, lb_vec3_load(nodes + 3 * (size_t)drawn->edges[2 * i]),
                          lb_vec3_load(nodes + 3 * (size_t)drawn->edges[2 * i + 1]), color, 1,
                          true);
}

// The simulation mesh and the fixed nodes, of at most this many bodies of a crowd.
enum { MESHES_MAX = 8 };

static void add_meshes(vwViewer *viewer, vwPicture *picture) {
  bool edges = viewer->settings.simulation_mesh != 0, fixed = viewer->settings.fixed_nodes != 0;
  if (!edges && !fixed) return;
  for (int32_t actor = 0; actor < viewer->drawn_count; actor++) {
    vwActorView view = vw_stage_actor(viewer->stage, actor);
    double *nodes = lb_alloc((size_t)view.model->size.node_count, 3 * sizeof(double));
    for (int32_t body = 0; nodes && body < view.body_count && body < MESHES_MAX; body++) {
      vw_stage_nodes(viewer->stage, actor, body, nodes);
      if (edges) add_composer_edges(viewer, picture, &viewer->drawn[actor], nodes);
      if (fixed) add_nodes(viewer, picture, actor, nodes);
    }
    lb_free(nodes);
  }
}

// ---- the picture -------------------------------------------------------------------------------

vwPicture vw_viewer_compose(vwViewer *viewer) {
  vwPicture picture = vw_picture();
  if (!viewer->stage) {
    picture.view = vw_viewer_view(viewer);
    picture.ground = false;
    return picture;
  }
  double map_high = 0;
  for (int32_t i = 0; i < viewer->drawn_count; i++)
    viewer->crowds[i] = compose_crowd(viewer, i, &map_high);
  follow_map(viewer, map_high);
  add_meshes(viewer, &picture);
  add_holds(viewer, &picture);
  if (viewer->settings.contacts != 0) vw_viewer_add_contacts(viewer, &picture);
  if (viewer->settings.frames != 0 || viewer->settings.tool == VW_TOOL_FRAME)
    vw_viewer_add_frames(viewer, &picture);
  vw_viewer_add_pose(viewer, &picture);
  bool ground_shown;
  picture.ground_height = (float)vw_stage_ground(viewer->stage, &ground_shown);
  picture.view = vw_viewer_view(viewer);
  picture.bounds = vw_stage_box(viewer->stage);
  picture.crowd_count = viewer->drawn_count;
  picture.crowds = viewer->crowds;
  vw_viewer_add_colliders(viewer, &picture);
  picture.segments = viewer->segments;
  picture.discs = viewer->discs;
  picture.balls = viewer->balls;
  picture.map = (vwMap)viewer->settings.map;
  picture.map_high = (float)viewer->map_high;
  picture.wireframe = viewer->settings.wireframe != 0;
  picture.ground = ground_shown && viewer->settings.ground != 0;
  picture.shadows = viewer->settings.shadows != 0;
  picture.sky = viewer->settings.sky != 0;
  return picture;
}

vwLegend vw_viewer_legend(const vwViewer *viewer) {
  static const char *const titles[] = {
    "", "displacement", "speed", "von Mises stress", "contact pressure", "weight of a frame"
  };
  static const char *const units[] = { "", "m", "m/s", "Pa", "Pa", "" };
  vwMap map = viewer->stage ? (vwMap)viewer->settings.map : VW_MAP_NONE;
  if (map < 0 || map >= VW_MAP_COUNT || viewer->settings.legend == 0) map = VW_MAP_NONE;
  return (vwLegend){ map, 0, viewer->map_high, units[map], titles[map] };
}
