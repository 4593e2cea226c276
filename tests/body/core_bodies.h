// What tests of rigid cores share: bodies with cores, and how rigid these are.
#ifndef TESTS_BODY_CORE_BODIES_H
#define TESTS_BODY_CORE_BODIES_H

#include "warp_bodies.h"

#define MESH(cells)                                                                                \
  "'mesh':{'generate':'bar','size':[1,0.2,0.2],'cells':" cells ",'element':'tet4'}"
#define CORED(mesh, young, more)                                                                   \
  "{'limber':1,'bodies':[{'name':'bar','method':'warp'," mesh ",'material':{'young':" young        \
  ",'poisson':0.3,'density':1000}" more "}]}"
#define MIDDLE "'box':[[0.41,-1,-1],[0.59,1,1]]"
#define LEFT "'box':[[-1,-1,-1],[0.19,1,1]]"
#define MOST "'box':[[-1,-1,-1],[0.79,1,1]]"
#define SHAKE                                                                                      \
  "'motion':{'times':[0,0.1,0.2,0.3],'positions':[[0,0,0],[0.02,0,0.05],[0,0.04,0],[0,0,0.03]],"   \
  "'rotations':[[0,0,0,1],[0,0.1,0,1],[0.1,0,0.2,1],[0,0,0,1]],'interpolation':'cubic'}"

static inline lbBodyDef def_of(lbIntegrator integrator) {
  lbBodyDef def = lb_body_def();
  def.integrator = integrator;
  return def;
}

static inline const char *name_of(lbIntegrator integrator) {
  return integrator == LB_INTEGRATOR_EULER ? "euler" : "newmark";
}

static inline lbVec3 rest(const lbModel *model, int32_t node) {
  return lb_vec3_load(model->node_positions + 3 * (size_t)node);
}

// How far the distances of a core's nodes from its first one are from those at rest, and how far
// velocities are from keeping them.
static inline double looseness(const lbBody *body) {
  const lbModel *m = lb_body_model(body);
  int32_t firsts[LB_CORES_MOST];
  double worst = 0;
  for (int32_t c = 0; c < m->size.core_count; c++) firsts[c] = -1;
  for (int32_t n = 0; n < m->size.node_count; n++) {
    int32_t core = m->warp_cores[n];
    if (core < 0) continue;
    if (firsts[core] < 0) firsts[core] = n;
    lbVec3 x, v, x0, v0;
    body_ok(body, lb_body_point(body, lb_point_node(n), &x, &v));
    body_ok(body, lb_body_point(body, lb_point_node(firsts[core]), &x0, &v0));
    double length = distance(rest(m, n), rest(m, firsts[core]));
    worst = fmax(worst, fabs(distance(x, x0) - length));
    worst = fmax(worst, fabs(lb_dot(lb_sub(v, v0), lb_sub(x, x0))) / (1 + lb_length(v)));
  }
  return worst;
}

#endif
