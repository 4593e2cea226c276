// Where the ground is, unless the world says it: below the whole motion. What stands on supports
// keeps its ground; a place that is away from all of them may swing down by as much as that, and
// one that hangs below them may stretch. What falls has no ground.
#include "stage/stage_parts.h"

#include <math.h>

#define SUPPORTED 0.1 // sizes of the body around a support that it carries
#define STRETCH 0.25  // of its length: what hangs may become longer by so much
enum { WORK = 1 << 22, PATH_SAMPLES = 64 };

typedef struct Samples { // of a model's nodes or vertices
  int32_t count, step;
} Samples;

static Samples sample_ground_lines(int32_t total, int32_t most) {
  Samples samples = { .count = total, .step = 1 + total / (most > 1 ? most : 1) };
  return samples;
}

static double height_of(const vwStage *stage, lbVec3 x) { return stage->up == 'y' ? x.y : x.z; }

static double level_distance(const vwStage *stage, lbVec3 a, lbVec3 b) {
  return hypot(a.x - b.x, stage->up == 'y' ? a.z - b.z : a.y - b.y);
}

static lbVec3 placed(const vwGroup *group, int32_t body, const double *own) {
  return lb_add(group->positions[body], lb_quat_rotate(group->rotations[body], lb_vec3_load(own)));
}

// How low a place can come that is held by the supports of its body.
static double lowest_of(const vwStage *stage, const vwGroup *group, int32_t body, lbVec3 x,
                        Samples nodes, double carried) {
  const lbModel *m = group->model;
  double best = INFINITY, above = 0;
  for (int32_t n = 0; n < nodes.count; n += nodes.step) {
    if (!m->node_fixed[n]) continue;
    lbVec3 support = placed(group, body, m->node_positions + 3 * (size_t)n);
    double away = level_distance(stage, x, support);
    if (away >= best) continue;
    best = away;
    above = height_of(stage, support) - height_of(stage, x);
  }
  if (best == INFINITY) return height_of(stage, x);
  return height_of(stage, x) - fmax(best - carried, 0) - STRETCH * fmax(above - carried, 0);
}

static double rest_size(const lbModel *m) {
  vwBox box = vw_box_empty();
  for (int32_t v = 0; v < m->size.vertex_count; v++)
    vw_box_add(&box, lb_vec3_load(m->vertex_positions + 3 * (size_t)v));
  return m->size.vertex_count ? lb_length(lb_sub(box.high, box.low)) : 0;
}

static double floor_of_group(const vwStage *stage, const vwGroup *group) {
  const lbModel *m = group->model;
  int32_t most = (int32_t)sqrt((double)WORK / group->count);
  Samples nodes = sample_ground_lines(m->size.node_count, most),
          vertices = sample_ground_lines(m->size.vertex_count, most);
  double lowest = INFINITY, carried = SUPPORTED * rest_size(m);
  for (int32_t b = 0; b < group->count; b++)
    for (int32_t v = 0; v < vertices.count; v += vertices.step) {
      lbVec3 x = placed(group, b, m->vertex_positions + 3 * (size_t)v);
      lowest = fmin(lowest, lowest_of(stage, group, b, x, nodes, carried));
    }
  return lowest;
}

// Where the rest shape comes to on its path.
static double floor_of_path(const vwStage *stage, const lbModel *m, const lbPath *path) {
  const lbPathDef *keys = lb_path_keys(path);
  double begin = keys->times[0], end = keys->times[keys->key_count - 1], lowest = INFINITY;
  Samples vertices = sample_ground_lines(m->size.vertex_count, 512);
  for (int32_t i = 0; i <= PATH_SAMPLES; i++) {
    lbPathState at;
    lb_path_at(path, begin + (end - begin) * i / PATH_SAMPLES, &at);
    for (int32_t v = 0; v < vertices.count; v += vertices.step) {
      double x[3];
      lb_path_point(&at, m->vertex_positions + 3 * (size_t)v, x);
      lowest = fmin(lowest, height_of(stage, lb_vec3_load(x)));
    }
  }
  return lowest;
}

void vw_ground_find(vwStage *stage) {
  stage->ground = stage->up == 'y' ? stage->box.low.y : stage->box.low.z;
  for (int32_t g = 0; g < stage->group_count; g++) {
    const vwGroup *group = &stage->groups[g];
    if (group->model->size.vertex_count == 0) continue;
    stage->ground = fmin(stage->ground, floor_of_group(stage, group));
    for (int32_t b = 0; b < group->count && group->driven; b++)
      stage->ground = fmin(stage->ground, floor_of_path(stage, group->model, group->paths[b]));
  }
}

// A beam's end sinks by 3/8 of what its weight would pull it down by at the end, and swings through
// by as much.
double vw_ground_sag(const vwStage *stage, double low) {
  lbVec3 gravity = vw_stage_gravity(stage, &stage->settings);
  double pull = -height_of(stage, gravity), sag = 0;
  for (int32_t i = 0; i < stage->cast.count; i++) {
    const vwActor *actor = stage->cast.roles[i].actor;
    if (lb_model_is_free_by(actor->model, actor->method)) continue;
    sag = fmax(sag, 0.75 * actor->compliance * actor->model->rigid_mass[0] * pull);
  }
  return fmin(low, fmax(low - sag, stage->ground));
}

// Without a support and a path, under gravity.
static bool falls(const vwStage *stage) {
  lbVec3 gravity = vw_stage_gravity(stage, &stage->settings);
  for (int32_t i = 0; i < stage->cast.count && lb_dot(gravity, gravity) > 0; i++) {
    const vwActor *actor = stage->cast.roles[i].actor;
    bool held = stage->groups[stage->cast.roles[i].group].driven;
    if (!actor->idle && !held && lb_model_is_free_by(actor->model, actor->method)) return true;
  }
  return false;
}

double vw_stage_ground(const vwStage *stage, bool *shown) {
  const lbWorldDef *world = stage->bundle->world;
  double height = stage->ground;
  lbGround ground = world ? lb_world_ground(world, &height) : LB_GROUND_CHOSEN;
  *shown =
      stage->dropped || ground == LB_GROUND_HEIGHT || (ground == LB_GROUND_CHOSEN && !falls(stage));
  return height;
}
