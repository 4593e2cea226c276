// Handles: regions of the surface, the vertices of them that pull, and where these are wanted.
#include "edit/editor.h"

#include <string.h>

#define MOST_SIZES 1e6 // a handle that is moved by so many sizes of the body is absurd

lbHandleDef lb_handle_def(void) { return (lbHandleDef){ .weight = 1 }; }

// ---- motions -----------------------------------------------------------------------------------

lbVec3 lb_motion_apply(const lbHandleMotion *motion, lbVec3 rest) {
  lbVec3 arm = lb_sub(rest, motion->centre);
  bool turned = motion->rotation.x != 0 || motion->rotation.y != 0 || motion->rotation.z != 0;
  if (!turned) return lb_add(rest, motion->translate);
  arm = lb_quat_rotate(lb_quat_exp(motion->rotation), arm);
  return lb_add(lb_add(motion->centre, arm), motion->translate);
}

lbVec3 lb_editor_rest_place(const lbEditor *e, const lbPoint *point) {
  lbVec3 own = lb_point_rest(e->body->prepared->model, point);
  return lb_add(e->base_position, lb_mat3_apply(e->base_turn, own));
}

void lb_handle_aim(lbEditor *e, lbHandle *h, const lbHandleMotion *motion) {
  for (int32_t i = 0; i < h->sample_count; i++) {
    lbVec3 rest = lb_add(e->base_position, lb_mat3_apply(e->base_turn, h->samples[i].rest));
    h->samples[i].target = lb_motion_apply(motion, rest);
  }
}

lbHandleMotion lb_editor_rest_motion(const lbEditor *e, int32_t handle) {
  lbHandleMotion motion = { lb_vec3(0, 0, 0), lb_vec3(0, 0, 0), lb_vec3(0, 0, 0) };
  if (e && lb_handle_acts(e, handle)) motion.centre = e->handles[handle].mean;
  return motion;
}

lbHandleMotion lb_editor_handle_motion(const lbEditor *e, int32_t handle) {
  if (!e || !lb_handle_acts(e, handle)) return lb_editor_rest_motion(NULL, 0);
  return e->handles[handle].motion;
}

lbVec3 lb_editor_handle_target(const lbEditor *e, int32_t handle) {
  if (!e || !lb_handle_acts(e, handle)) return lb_vec3(0, 0, 0);
  return lb_motion_apply(&e->handles[handle].motion, e->handles[handle].mean);
}

static lbStatus refuse_handle(const lbEditor *e, int32_t handle, lbError *err) {
  if (!e) return lb_refuse_null(err, "editor");
  return lb_fail(err, LB_ERR_ARGUMENT, "there is no handle %d", (int)handle);
}

lbStatus lb_editor_move_handle(lbEditor *e, int32_t handle, const lbHandleMotion *motion,
                               lbError *err) {
  if (!e || !lb_handle_acts(e, handle)) return refuse_handle(e, handle, err);
  if (!motion) return lb_refuse_null(err, "motion");
  double most = MOST_SIZES * e->size, turned = lb_length(motion->rotation);
  double moved = lb_length(motion->translate);
  double away = lb_length(lb_sub(motion->centre, e->handles[handle].mean));
  if (!(moved <= most && away <= most && turned <= MOST_SIZES))
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "handle \"%s\": shift %g m, turn %g rad, centre %g m from its vertices: these "
                   "must be numbers, and no length may exceed %g m",
                   e->handles[handle].name, moved, turned, away, most);
  e->handles[handle].motion = *motion;
  return LB_OK;
}

// ---- the choice of vertices --------------------------------------------------------------------

static uint64_t next_random(uint64_t *state) { // splitmix64
  uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

void lb_handle_choose(uint64_t seed, int32_t point_count, int32_t sample_count, int32_t *chosen) {
  int32_t taken = 0;
  for (int32_t i = 0; i < point_count && taken < sample_count; i++) {
    uint64_t left = (uint64_t)(point_count - i), wanted = (uint64_t)(sample_count - taken);
    if (next_random(&seed) % left < wanted) chosen[taken++] = i;
  }
}

// Rows of points have room for `padded` numbers, those of samples for `stride` <= padded.
static void find_sample(const lbEditor *e, const lbPoint *point, lbHandleSample *sample) {
  double *rows = sample->rows;
  size_t padded = (size_t)e->body->prepared->padded, n = (size_t)e->stride;
  sample->rest = lb_point_rest(e->body->prepared->model, point);
  lb_point_rows(e->body->prepared, point, rows);
  for (size_t c = 1; c < 3 && n < padded; c++)
    memmove(rows + c * n, rows + c * padded, n * sizeof(double));
}

static void choose_handle_samples(const lbEditor *e, lbHandle *h) {
  lb_handle_choose(e->def.seed, h->point_count, h->sample_count, h->chosen);
  for (int32_t i = 0; i < h->sample_count; i++)
    find_sample(e, &h->points[h->chosen[i]], &h->samples[i]);
}

// ---- adding ------------------------------------------------------------------------------------

// A vertex that one node alone carries is that node.
static int32_t place_number(const lbModel *model, const lbPoint *point) {
  int32_t nodes = model->size.node_count;
  if (point->kind == LB_POINT_NODE) return point->index;
  int32_t begin = model->carrier_begin[point->index];
  bool alone = model->carrier_begin[point->index + 1] == begin + 1;
  return alone ? model->carrier_nodes[begin] : nodes + point->index;
}

// Each point once, and none of another handle's.
static lbStatus check_handle_points(const lbEditor *e, const lbHandleDef *def, lbError *err) {
  const lbModel *model = e->body->prepared->model;
  size_t places = (size_t)model->size.node_count + (size_t)model->size.vertex_count;
  uint8_t *owner = lb_alloc(places, 1); // handle + 1; 255: the new one
  lbStatus status = owner ? LB_OK : lb_fail_memory(err);
  for (int32_t j = 0; j < LB_HANDLES_MAX && !status; j++)
    for (int32_t i = 0; lb_handle_acts(e, j) && i < e->handles[j].point_count; i++)
      owner[place_number(model, &e->handles[j].points[i])] = (uint8_t)(j + 1);
  for (int32_t i = 0; i < def->point_count && !status; i++) {
    const lbPoint *point = &def->points[i];
    lbError why = { 0 };
    if (point->kind != LB_POINT_VERTEX && point->kind != LB_POINT_NODE)
      status = lb_fail(err, LB_ERR_ARGUMENT,
                       "handle \"%s\": point %d is neither a vertex nor a node", def->name, (int)i);
    else if (lb_point_check(model, point, "point", &why))
      status = lb_fail(err, LB_ERR_ARGUMENT, "handle \"%s\": %s", def->name, why.text);
    if (status) break;
    uint8_t *holder = &owner[place_number(model, point)];
    const char *kind = point->kind == LB_POINT_VERTEX ? "vertex" : "node";
    if (*holder == 255)
      status = lb_fail(err, LB_ERR_ARGUMENT, "handle \"%s\": %s %d is in it twice", def->name, kind,
                       (int)point->index);
    else if (*holder)
      status =
          lb_fail(err, LB_ERR_ARGUMENT, "handle \"%s\" overlaps handle \"%s\": both have %s %d",
                  def->name, e->handles[*holder - 1].name, kind, (int)point->index);
    *holder = 255;
  }
  lb_free(owner);
  return status;
}

static lbStatus check_handle(const lbEditor *e, const lbHandleDef *def, lbError *err) {
  if (!def->name || !def->name[0])
    return lb_fail(err, LB_ERR_ARGUMENT, "a handle must have a name");
  if (def->point_count < 1 || !def->points)
    return lb_fail(err, LB_ERR_ARGUMENT, "handle \"%s\" has no vertices", def->name);
  if (!(def->weight > 0 && def->weight <= 1e12))
    return lb_fail(err, LB_ERR_ARGUMENT, "handle \"%s\": weight is %g, it must be above 0",
                   def->name, def->weight);
  if (lb_editor_find_handle(e, def->name) >= 0)
    return lb_fail(err, LB_ERR_ARGUMENT, "two handles are called \"%s\"", def->name);
  return check_handle_points(e, def, err);
}

static int32_t sample_count(const lbEditor *e, int32_t points) {
  return points < e->def.samples ? points : e->def.samples;
}

static void lay_out_handle(const lbEditor *e, const lbHandleDef *def, lbHandle *h,
                           lbCarver *carver) {
  size_t room = 3 * (size_t)e->body->prepared->padded, samples = (size_t)h->sample_count;
  h->name = lb_carve(carver, strlen(def->name) + 1, 1);
  h->points = lb_carve(carver, (size_t)h->point_count, sizeof(lbPoint));
  h->samples = lb_carve(carver, samples, sizeof(lbHandleSample));
  h->chosen = lb_carve(carver, samples, sizeof(int32_t));
  double *rows = lb_carve(carver, samples * room, sizeof(double));
  for (size_t i = 0; rows && i < samples; i++) h->samples[i].rows = rows + i * room;
}

static lbStatus fill_handle(const lbEditor *e, const lbHandleDef *def, lbHandle *h, lbError *err) {
  h->point_count = def->point_count;
  h->sample_count = sample_count(e, def->point_count);
  lbCarver carver = { 0 };
  lay_out_handle(e, def, h, &carver);
  carver.block = carver.overflow ? NULL : lb_alloc(carver.used, 1);
  if (!carver.block) return lb_fail_memory(err);
  carver.used = 0;
  lay_out_handle(e, def, h, &carver);
  h->block = carver.block;
  memcpy(h->name, def->name, strlen(def->name) + 1);
  memcpy(h->points, def->points, (size_t)def->point_count * sizeof(lbPoint));
  h->weight = def->weight;
  h->stiffness = def->weight * e->follow / h->sample_count;
  choose_handle_samples(e, h);
  h->mean = lb_vec3(0, 0, 0);
  for (int32_t i = 0; i < h->point_count; i++)
    h->mean = lb_add(h->mean, lb_editor_rest_place(e, &h->points[i]));
  h->mean = lb_scale(1.0 / h->point_count, h->mean);
  h->motion = (lbHandleMotion){ .centre = h->mean };
  return LB_OK;
}

// The rigid motion that fits the displacements of the samples best.
static void find_handle_motion(const lbEditor *e, lbHandle *h) {
  const double *q = e->bfgs.x;
  size_t n = (size_t)e->stride;
  lbVec3 from = lb_vec3(0, 0, 0), to = from;
  lbMat3 A = lb_mat3_zero();
  for (int pass = 0; pass < 2; pass++) {
    for (int32_t i = 0; i < h->sample_count; i++) {
      const lbHandleSample *s = &h->samples[i];
      lbVec3 moved = lb_vec3(lb_row_dot(e->count, s->rows, q), lb_row_dot(e->count, s->rows + n, q),
                             lb_row_dot(e->count, s->rows + 2 * n, q));
      lbVec3 rest = lb_add(e->base_position, lb_mat3_apply(e->base_turn, s->rest));
      lbVec3 now = lb_add(e->position, lb_mat3_apply(e->turn, lb_add(s->rest, moved)));
      if (pass == 0)
        from = lb_add(from, rest), to = lb_add(to, now);
      else
        A = lb_mat3_add(A, lb_mat3_outer(lb_sub(now, to), lb_sub(rest, from)));
    }
    if (pass > 0) continue;
    from = lb_scale(1.0 / h->sample_count, from);
    to = lb_scale(1.0 / h->sample_count, to);
  }
  double small = 1e-9 * e->size * e->size; // one vertex, or some in line: no turn that is not seen
  lbMat3 turn;
  lb_polar3(lb_mat3_add(A, lb_mat3_diagonal(small, small, small)), &turn, NULL);
  h->motion.rotation = lb_quat_log(lb_quat_from_mat3(turn));
  // The mean of all points goes where that of the samples says.
  lbVec3 arm = lb_sub(h->mean, from);
  h->motion.translate = lb_sub(lb_add(to, lb_mat3_apply(turn, arm)), h->mean);
}

// A slot that no state needs; -1: none.
static int32_t free_slot(const lbEditor *e) {
  uint32_t used = e->active | lb_history_used(e);
  for (int32_t j = 0; j < LB_HANDLES_MAX; j++)
    if (!(used >> j & 1)) return j;
  return -1;
}

static lbStatus make_handle_room(lbEditor *e, int32_t samples, lbError *err) {
  for (int32_t j = 0; j < LB_HANDLES_MAX; j++)
    if (e->handles[j].block) samples += e->handles[j].sample_count;
  if (samples <= e->sample_room) return LB_OK;
  lbVec3 *places = lb_alloc((size_t)samples, sizeof *places);
  if (!places) return lb_fail_memory(err);
  lb_free(e->places);
  e->places = places;
  e->sample_room = samples;
  return LB_OK;
}

void lb_handle_release(lbHandle *h) {
  lb_free(h->block);
  *h = (lbHandle){ 0 };
}

lbStatus lb_editor_add_handle(lbEditor *e, const lbHandleDef *def, int32_t *handle, lbError *err) {
  if (!e) return lb_refuse_null(err, "editor");
  if (!def || !handle) return lb_refuse_null(err, def ? "handle" : "def");
  lbStatus status = check_handle(e, def, err);
  if (status) return status;
  int32_t slot = free_slot(e);
  if (slot < 0)
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "handle \"%s\": there are %d handles already, including those of undo states",
                   def->name, LB_HANDLES_MAX);
  lbHandle made = { 0 };
  status = make_handle_room(e, sample_count(e, def->point_count), err);
  if (!status) status = fill_handle(e, def, &made, err);
  if (status) return status;
  if (def->in_place) find_handle_motion(e, &made);
  made.solved = made.motion;
  lb_handle_release(&e->handles[slot]);
  e->handles[slot] = made;
  e->active |= UINT32_C(1) << slot;
  lb_handle_aim(e, &e->handles[slot], &made.motion);
  lb_editor_factor(e);
  *handle = slot;
  return LB_OK;
}

lbStatus lb_editor_remove_handle(lbEditor *e, int32_t handle, lbError *err) {
  if (!e || !lb_handle_acts(e, handle)) return refuse_handle(e, handle, err);
  e->active &= ~(UINT32_C(1) << handle);
  lb_editor_factor(e);
  return LB_OK;
}

// ---- questions ---------------------------------------------------------------------------------

int32_t lb_editor_handle_count(const lbEditor *e) {
  int32_t count = 0;
  for (int32_t j = 0; e && j < LB_HANDLES_MAX; j++) count += lb_handle_acts(e, j);
  return count;
}

int32_t lb_editor_handle_at(const lbEditor *e, int32_t index) {
  for (int32_t j = 0; e && j < LB_HANDLES_MAX; j++)
    if (lb_handle_acts(e, j) && index-- == 0) return j;
  return -1;
}

int32_t lb_editor_find_handle(const lbEditor *e, const char *name) {
  for (int32_t j = 0; e && name && j < LB_HANDLES_MAX; j++)
    if (lb_handle_acts(e, j) && strcmp(e->handles[j].name, name) == 0) return j;
  return -1;
}

const char *lb_editor_handle_name(const lbEditor *e, int32_t handle) {
  return e && lb_handle_acts(e, handle) ? e->handles[handle].name : NULL;
}

const lbPoint *lb_editor_handle_points(const lbEditor *e, int32_t handle, int32_t *count) {
  bool acts = e && lb_handle_acts(e, handle);
  if (count) *count = acts ? e->handles[handle].point_count : 0;
  return acts ? e->handles[handle].points : NULL;
}

double lb_editor_handle_error(const lbEditor *e, int32_t handle) {
  if (!e) return 0;
  const lbPrepared *p = e->body->prepared;
  lbScratch *s = lb_scratch_borrow(p);
  double worst = 0;
  if (!s) return 0;
  lb_body_nodes(e->body, e->bfgs.x, NULL, 0, p->model->size.node_count, s->call->nodes, NULL);
  for (int32_t j = 0; j < LB_HANDLES_MAX; j++) {
    const lbHandle *h = &e->handles[j];
    if (!lb_handle_acts(e, j) || (handle >= 0 && j != handle)) continue;
    for (int32_t i = 0; i < h->point_count; i++) {
      lbVec3 own = lb_point_rest(p->model, &h->points[i]);
      for (lbPointWalk walk = lb_point_walk(p->model, &h->points[i]); lb_point_next(&walk);)
        own = lb_add_scaled(own, walk.weight, lb_vec3_load(s->call->nodes + 3 * (size_t)walk.node));
      lbVec3 now = lb_add(e->position, lb_mat3_apply(e->turn, own));
      lbVec3 wanted = lb_motion_apply(&h->motion, lb_editor_rest_place(e, &h->points[i]));
      worst = fmax(worst, lb_length(lb_sub(now, wanted)));
    }
  }
  lb_scratch_return(p, s);
  return worst;
}
