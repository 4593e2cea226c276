// The unreduced pose: the same handles and springs as edit/ has, over all nodes of the body, by
// Newton's method; handles move to their targets in parts, which are halved when one fails.
#include "study/pose.h"

#include "edit/editor.h"
#include "fem/spring_statics.h"

#include <string.h>

#define PART (1.0 / 8)  // of the way, at first
#define PART_LEAST 1e-4 // below this the solver gives up
#define PART_ITERATIONS 30

typedef struct Springs {
  lbSpring *list;
  int32_t count;
} Springs;

// N/m: what a handle of weight 1 pulls with.
static lbStatus find_follow(const lbFem *fem, double *follow, lbError *err) {
  lbModes *modes = NULL;
  lbStatus status = lb_fem_modes(fem, 1, &modes, err);
  if (status) return status;
  double most = 0;
  for (int32_t n = 0; n < modes->vertex_count; n++)
    most = fmax(most, lb_length(lb_vec3_load(modes->shapes + 3 * (size_t)n)));
  *follow = LB_HANDLE_FOLLOW * modes->eigenvalues[0] / (most * most);
  lb_modes_destroy(modes);
  return LB_OK;
}

static int32_t sample_count(const lbPoseDef *def, const lbEditHandle *handle) {
  int32_t most = def->editor.samples > 0 ? def->editor.samples : LB_HANDLE_SAMPLES;
  return handle->point_count < most ? handle->point_count : most;
}

static void fill_spring(const lbModel *model, const lbPoint *point, double stiffness,
                        lbSpring *spring) {
  *spring = (lbSpring){ .stiffness = stiffness };
  for (lbPointWalk walk = lb_point_walk(model, point);
       spring->count < LB_SPRING_VERTICES && lb_point_next(&walk); spring->count++) {
    spring->vertices[spring->count] = walk.node;
    spring->weights[spring->count] = walk.weight;
  }
}

static lbStatus make_springs(const lbPose *pose, const lbPoseDef *def, double follow, Springs *out,
                             lbError *err) {
  int32_t most = 0;
  for (int32_t j = 0; j < pose->script->handle_count; j++) {
    int32_t count = sample_count(def, &pose->script->handles[j]);
    out->count += count;
    most = count > most ? count : most;
  }
  int32_t *chosen = lb_alloc((size_t)most, sizeof *chosen);
  out->list = lb_alloc((size_t)out->count, sizeof(lbSpring));
  lbSpring *spring = out->list;
  for (int32_t j = 0; chosen && spring && j < pose->script->handle_count; j++) {
    const lbEditHandle *handle = &pose->script->handles[j];
    int32_t count = sample_count(def, handle);
    lb_handle_choose(def->editor.seed, handle->point_count, count, chosen);
    for (int32_t i = 0; i < count; i++)
      fill_spring(pose->model, &handle->points[chosen[i]], handle->weight * follow / count,
                  spring++);
  }
  bool room = chosen && out->list;
  lb_free(chosen);
  return room ? LB_OK : lb_fail_memory(err);
}

// Targets after a given part of the motion of the handles.
static void aim_springs(const lbPose *pose, const lbPoseDef *def, const double *rest, double part,
                        Springs *springs) {
  lbSpring *spring = springs->list;
  for (int32_t j = 0; j < pose->script->handle_count; j++) {
    const lbEditHandle *handle = &pose->script->handles[j];
    lbHandleMotion motion = handle->motion;
    motion.translate = lb_scale(part, motion.translate);
    motion.rotation = lb_scale(part, motion.rotation);
    for (int32_t i = 0; i < sample_count(def, handle); i++, spring++) {
      lbVec3 x = lb_vec3(0, 0, 0);
      for (int32_t a = 0; a < spring->count; a++)
        x = lb_add_scaled(x, spring->weights[a],
                          lb_vec3_load(rest + 3 * (size_t)spring->vertices[a]));
      lb_vec3_store(spring->target, lb_motion_apply(&motion, x));
    }
  }
}

static lbStatus lead_to_targets(lbSpringSolver *solver, const lbFem *fem, const lbPoseDef *def,
                                Springs *springs, lbPose *pose, lbError *err) {
  size_t numbers = 3 * (size_t)lb_fem_vertex_count(fem);
  double *u = lb_alloc(numbers, sizeof *u), done = 0, part = PART;
  lbSpringResult result = { 0 };
  lbStatus status = u ? LB_OK : lb_fail_memory(err);
  while (!status && done < 1) {
    double to = fmin(1, done + part);
    if (!lb_progress("unreduced pose", done)) status = lb_fail_interrupted(err, "unreduced pose");
    aim_springs(pose, def, lb_fem_rest_positions(fem), to, springs);
    memcpy(u, pose->displacements, numbers * sizeof *u);
    if (!status)
      status =
          lb_spring_solve(solver, springs->list, springs->count,
                          to < 1 ? PART_ITERATIONS : 4 * PART_ITERATIONS, 1e-9, u, &result, err);
    pose->iterations += result.iterations;
    bool far = !result.converged && part > PART_LEAST;
    if (!status && !far) {
      memcpy(pose->displacements, u, numbers * sizeof *u);
      done = to;
      part *= 1.5;
    } else {
      part /= 4;
    }
  }
  pose->energy = result.energy;
  pose->evaluations = pose->iterations;
  if (!result.converged) pose->flags |= LB_EDIT_NOT_CONVERGED;
  lb_free(u);
  return status;
}

lbStatus lb_pose_full(const lbSceneBody *body, const lbPoseDef *def, lbPose *pose, lbError *err) {
  lbFem *fem = NULL;
  lbSpringSolver *solver = NULL;
  Springs springs = { 0 };
  double follow = 0;
  lbStatus status = lb_scene_own_fem(body, &fem, err);
  if (!status) status = find_follow(fem, &follow, err);
  if (!status) status = make_springs(pose, def, follow, &springs, err);
  if (!status) status = lb_spring_solver_create(fem, &solver, err);
  if (!status) {
    pose->dimension = 3 * lb_fem_node_count(fem);
    status = lead_to_targets(solver, fem, def, &springs, pose, err);
  }
  lb_spring_solver_destroy(solver);
  lb_free(springs.list);
  lb_fem_destroy(fem);
  return status;
}
