// A bar of 1.2 x 0.3 x 0.2 m, held at x = 0, with a modal model that is its own surface: 7 kg, its
// first mode at about 3 Hz.
#ifndef LB_TESTS_FELT_BAR_H
#define LB_TESTS_FELT_BAR_H

#include "fem/fem_problems.h"
#include "limber/haptics.h"
#include "limber/reduce.h"

typedef struct FeltBar {
  lbModel *model;
  lbBody *body;
} FeltBar;

static inline FeltBar felt_bar_make(lbMethod method, double damping_mass, bool held) {
  FeltBar bar = { 0 };
  lbError err;
  bool bends = method == LB_METHOD_SUBSPACE;
  lbMaterial material = test_material(bends ? LB_MATERIAL_STVK : LB_MATERIAL_LINEAR);
  material.young = 2e6, material.density = 100;
  lbMesh *mesh = box_mesh(LB_ELEMENT_TET4, 8, 3, 2, 1.2, 0.3, 0.2);
  bool *fixed = held ? side(mesh, 0, 0) : NULL;
  lbFem *fem = fem_of_mesh(mesh, &material, fixed, LB_MASS_LUMPED);
  lbReduceDef def = lb_reduce_def();
  lbModalDef modal = lb_modal_def();
  lbSubspaceDef subspace = lb_subspace_def();
  modal.mode_count = 30;
  subspace.basis.mode_count = 10, subspace.basis.dimension = 20;
  if (bends)
    check_ok(lb_reduce_subspace(mesh, fem, &def, &subspace, &bar.model, &err), err);
  else
    check_ok(lb_reduce_modal(mesh, fem, &def, &modal, &bar.model, &err), err);
  lbBodyDef body = lb_body_def();
  body.method = method;
  body.damping_mass = damping_mass;
  check_ok(lb_body_create(bar.model, &body, &bar.body, &err), err);
  lb_fem_destroy(fem);
  lb_mesh_destroy(mesh);
  free(fixed);
  return bar;
}

static inline FeltBar felt_bar_by(lbMethod method, double damping_mass) {
  return felt_bar_make(method, damping_mass, true);
}

static inline FeltBar felt_bar(double damping_mass) {
  return felt_bar_by(LB_METHOD_MODAL, damping_mass);
}

static inline void felt_bar_destroy(FeltBar *bar) {
  lb_body_destroy(bar->body);
  lb_model_destroy(bar->model);
}

// Over its top, in a triangle.
static inline lbVec3 above(double height) { return lb_vec3(1.03, 0.163, 0.2 + height); }

#endif
