// Rigid bodies (rigid.h): the operations of a method without coordinates.
#include "method/rigid/rigid.h"
#include "method/table.h"

// Numbered as in models (lbModel.rigid_shape).
static const lbSolidKind kinds[] = { LB_SOLID_PLANE, LB_SOLID_SPHERE, LB_SOLID_BOX,
                                     LB_SOLID_CAPSULE, LB_SOLID_HULL };

// ---- the shape ---------------------------------------------------------------------------------

lbStatus lb_rigid_make_solid(const lbModel *model, lbSolid **out, lbError *err) {
  lbSolidDef def = lb_solid_def(kinds[model->rigid_shape[0]]);
  def.radius = model->rigid_size[0];
  for (int i = 0; i < 3; i++) def.size[i] = model->rigid_size[1 + i];
  def.vertex_count = model->size.vertex_count;
  def.vertices = model->vertex_positions;
  return lb_solid_create(&def, out, err);
}

static const lbSolid *solid_of(const lbBody *body) { return body->prepared->own; }

static lbStatus build_rigid(lbPrepared *p, lbError *err) {
  lbSolid *solid = NULL;
  lbStatus status = lb_rigid_make_solid(p->model, &solid, err);
  p->own = solid;
  return status;
}

static void release_rigid(lbPrepared *p) { lb_solid_destroy(p->own); }

static void place_group_rigid(const lbPrepared *p, lbBodyGroup *group, lbCarver *carver) {
  (void)p, (void)group, (void)carver; // frames are all there is
}

// ---- state: rows of no numbers -----------------------------------------------------------------

static void get_rigid(const lbBody *body, double *q, double *v, double *force) {
  (void)body, (void)q, (void)v, (void)force;
}

static void put_rigid(lbBody *body, const double *q, const double *v, const double *force) {
  (void)body, (void)q, (void)v, (void)force;
}

static void set_weight_rigid(lbBody *body, const double *weight) { (void)body, (void)weight; }

// ---- steps -------------------------------------------------------------------------------------

static int32_t begin_rigid(lbBody *body, lbStep *step, lbScratch *s) {
  (void)body, (void)step, (void)s;
  return 0;
}

static void respond_rigid(const lbBody *body, const lbStep *step, lbScratch *s, const double *force,
                          double *moved) {
  (void)body, (void)step, (void)s, (void)force, (void)moved;
}

static int32_t end_rigid(lbBody *body, const lbStep *step, lbScratch *s) {
  const lbFrameStep *to = &step->frame;
  (void)body, (void)s;
  bool sane = lb_vec3_is_bounded(to->position) && lb_vec3_is_bounded(to->velocity) &&
              lb_vec3_is_bounded(to->force) && lb_vec3_is_bounded(to->torque);
  return sane ? 0 : LB_STEP_NONFINITE;
}

static int32_t commit_rigid(lbBody *body, const lbStep *step, lbScratch *s) {
  (void)body, (void)step, (void)s;
  return 0;
}

// ---- questions ---------------------------------------------------------------------------------

static double none(const lbBody *body, const double *x, lbScratch *scratch) {
  (void)body, (void)x, (void)scratch;
  return 0;
}

static void comply_rigid(const lbPrepared *p, double *x, lbScratch *scratch) {
  (void)p, (void)x, (void)scratch;
}

static void report_rigid(const lbBody *body, lbBodyReport *to, lbScratch *s) {
  const lbPrepared *p = body->prepared;
  const lbFrameState *f = &body->frame;
  (void)s;
  lbMat3 own = lb_mat3_zero();
  for (int k = 0; k < 9; k++) own.m[k] = p->model->rigid_inertia[k];
  lbVec3 spin = lb_mat3_apply_transpose(f->turn, f->spin), v = f->velocity;
  lbVec3 spun = lb_mat3_apply(own, spin);
  bool free = f->kind == LB_FRAME_FREE;
  to->kinetic = 0.5 * p->mass * lb_dot(v, v) + 0.5 * lb_dot(spin, spun);
  to->centre = lb_frame_centre(body);
  to->linear_momentum = free ? f->momentum : lb_scale(p->mass, v);
  lbVec3 about_centre = free ? f->angular : lb_mat3_apply(f->turn, spun);
  to->angular_momentum = lb_add(lb_cross(to->centre, to->linear_momentum), about_centre);
}

static void von_mises_rigid(const lbBody *body, double *stresses, lbScratch *s) {
  (void)s;
  for (int32_t i = 0; i < body->prepared->model->size.node_count; i++) stresses[i] = 0;
}

static uint64_t identify_rigid(const lbPrepared *p, uint64_t hash) {
  const lbModel *m = p->model;
  hash = lb_hash(hash, m->rigid_shape, sizeof *m->rigid_shape);
  hash = lb_hash(hash, m->rigid_size, 4 * sizeof(double));
  hash = lb_hash(hash, m->rigid_mass, sizeof(double));
  return lb_hash(hash, m->rigid_inertia, 9 * sizeof(double));
}

const lbBodyMethod lb_rigid_method = { .method = LB_METHOD_RIGID,
                                       .responds_alike = true,
                                       .is_linear = true,
                                       .stress_law = LB_MATERIAL_LINEAR,
                                       .build = build_rigid,
                                       .release = release_rigid,
                                       .place_group = place_group_rigid,
                                       .get = get_rigid,
                                       .put = put_rigid,
                                       .set_weight = set_weight_rigid,
                                       .begin = begin_rigid,
                                       .respond = respond_rigid,
                                       .end = end_rigid,
                                       .commit = commit_rigid,
                                       .solid = solid_of,
                                       .many = 16,
                                       .report = report_rigid,
                                       .von_mises = von_mises_rigid,
                                       .kinetic = none,
                                       .elastic = none,
                                       .comply = comply_rigid,
                                       .identify = identify_rigid };
