// Unreduced bodies for the tests of the method: a bar, its model and its finite elements.
#ifndef LB_TESTS_FULL_RIG_H
#define LB_TESTS_FULL_RIG_H

#include "../scene/scene_text.h"

#include "full/full.h"
#include "limber/run.h"

#define LONG "'mesh':{'generate':'bar','size':[1,0.2,0.1],'cells':[6,2,1],'element':'brick8'}"
#define HELD ",'fixed':{'box':[[-9,-9,-9],[1e-9,9,9]]}"
#define DAMPED ",'damping':{'mass':2,'stiffness':0.005}"
#define SCENE(law, more)                                                                           \
  "{'limber':1,'gravity':[0,0,-9.81],'bodies':[{'name':'bar','method':'full'," LONG                \
  ",'material':{'model':'" law "','young':2e5,'poisson':0.3}" more "}]}"
#define TIP 41 // a corner at the free end

typedef struct Rig {
  lbScene *scene;
  lbModel *model;
  lbFem *fem; // in own axes
} Rig;

static inline Rig rig_of(const char *text) {
  Rig rig = { .scene = scene_of(text) };
  lbError err;
  lb_full_register();
  check_ok(lb_scene_full_model(&rig.scene->bodies[0], &rig.model, &err), err);
  check_ok(lb_model_fem(rig.model, NULL, &rig.fem, &err), err);
  return rig;
}

static inline void rig_release(Rig *rig) {
  lb_fem_destroy(rig->fem);
  lb_model_destroy(rig->model);
  lb_scene_destroy(rig->scene);
}

static inline lbBodyDef full_def(void) {
  lbBodyDef def = lb_body_def();
  def.method = LB_METHOD_FULL;
  def.gravity = lb_vec3(0, 0, -9.81);
  return def;
}

static inline lbBody *body_of(const Rig *rig, const lbBodyDef *def) {
  lbBody *body = NULL;
  lbError err;
  check_ok(lb_body_create(rig->model, def, &body, &err), err);
  return body;
}

static inline void body_ok(lbBody *body, lbStatus status) {
  if (status) fail_msg("%s", lb_body_message(body));
}

static inline double *nodes_of(const Rig *rig) {
  return lb_alloc((size_t)rig->model->size.node_count, 3 * sizeof(double));
}

static inline lbVec3 where(lbBody *body, int32_t node) {
  lbVec3 at;
  body_ok(body, lb_body_point(body, lb_point_node(node), &at, NULL));
  return at;
}

static inline int32_t constrain(lbBody *body, int32_t node, const double target[3],
                                double stiffness, double damping) {
  lbConstraintDef def = lb_constraint_def();
  lbPoint point = lb_point_node(node);
  int32_t id = -1;
  def.point_count = 1;
  def.points = &point;
  def.targets = target;
  def.stiffness = stiffness;
  def.damping = damping;
  body_ok(body, lb_body_add_constraint(body, &def, &id));
  return id;
}

// Weight, and a force at the tip.
static inline void fill_load(const Rig *rig, lbVec3 force, double *load) {
  for (size_t v = 0; v < (size_t)rig->model->size.node_count; v++) {
    load[3 * v] = load[3 * v + 1] = 0;
    load[3 * v + 2] = lb_fem_vertex_masses(rig->fem)[v] * -9.81;
  }
  lb_vec3_store(load + 3 * TIP, lb_add(lb_vec3_load(load + 3 * TIP), force));
}

// Columns of K and M of all nodes (fixed ones too), densely.
static inline void dense_of(const Rig *rig, double *K, double *M) {
  size_t rows = 3 * (size_t)rig->model->size.node_count;
  double *zero = nodes_of(rig), *unit = nodes_of(rig);
  lbEvaluation unused;
  lbError err;
  for (size_t j = 0; j < rows; j++) {
    unit[j] = 1;
    check_ok(lb_fem_evaluate(rig->fem, zero, NULL, unit, K + rows * j, &unused, &err), err);
    check_ok(lb_fem_mass_product(rig->fem, unit, M + rows * j, &err), err);
    unit[j] = 0;
  }
  lb_free(zero), lb_free(unit);
}

// x <- A⁻¹ x by elimination; rows and columns of nodes that cannot move are left out.
static inline void dense_solve(const Rig *rig, const double *A, double *x) {
  size_t n = 3 * (size_t)rig->model->size.node_count;
  double *m = lb_duplicate(A, n * n, sizeof(double));
  for (size_t i = 0; i < n; i++) {
    if (!lb_fem_fixed(rig->fem)[i / 3]) continue;
    for (size_t j = 0; j < n; j++) m[n * j + i] = m[n * i + j] = 0;
    m[n * i + i] = 1, x[i] = 0;
  }
  for (size_t k = 0; k < n; k++)
    for (size_t i = k + 1; i < n; i++) {
      double factor = m[n * k + i] / m[n * k + k];
      if (factor == 0) continue;
      for (size_t j = k; j < n; j++) m[n * j + i] -= factor * m[n * j + k];
      x[i] -= factor * x[k];
    }
  for (size_t k = n; k-- > 0;) {
    x[k] /= m[n * k + k];
    for (size_t i = 0; i < k; i++) x[i] -= m[n * k + i] * x[k];
  }
  lb_free(m);
}

#endif
