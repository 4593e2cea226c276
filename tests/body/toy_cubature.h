// Small models with forces by cubature: the bars of toy_subspace.h, of any law, with all elements
// and unit weights, or every so many of them.
#ifndef LB_TESTS_TOY_CUBATURE_H
#define LB_TESTS_TOY_CUBATURE_H

#include "toy_subspace.h"

#include "method/subspace/subspace.h"

typedef struct CubToy {
  SubToy sub;     // with polynomials of St. Venant-Kirchhoff
  lbFem *fem;     // of the law
  lbModel *model; // by cubature
} CubToy;

enum { CUB_POSES = 4 };

static inline lbFem *cub_fem(const SubToy *sub, const SubDef *def, lbMaterialModel law) {
  lbMaterial materials[2];
  lbFemDef fem_def = lb_fem_def();
  lbFem *fem = NULL;
  lbError err;
  int32_t *element_materials = sub_materials(sub->toy.mesh, 0.1 * def->cells[0]);
  bool *fixed = side(sub->toy.mesh, 0, 0);
  for (int i = 0; i < 2; i++) {
    materials[i] = test_material(law);
    materials[i].young = def->young[i], materials[i].poisson = def->poisson[i];
    materials[i].density = def->density[i];
  }
  fem_def.materials = materials, fem_def.material_count = 2;
  fem_def.element_materials = element_materials, fem_def.fixed = fixed;
  fem_def.mass = LB_MASS_LUMPED;
  check_ok(lb_fem_create(sub->toy.mesh, &fem_def, &fem, &err), err);
  free(element_materials), free(fixed);
  return fem;
}

// Every `stride`-th element, with weights that make up for the others.
static inline lbModel *cub_model(const lbModel *from, lbMaterialModel law, int32_t stride) {
  int32_t count = (from->size.element_count + stride - 1) / stride, laws[2] = { law, law };
  int32_t *elements = calloc((size_t)count, sizeof *elements), r = from->size.subspace_dimension;
  double *weights = calloc((size_t)count, sizeof *weights), values[12];
  double *poses = calloc((size_t)(CUB_POSES * r), sizeof *poses), errors[2] = { 0, -1 };
  lbMaterial rubber = test_material(LB_MATERIAL_MOONEYRIVLIN);
  lbModel draft = *from, *model = NULL;
  lbError err;
  uint64_t seed = 3;
  for (int32_t i = 0; i < count; i++) elements[i] = stride * i, weights[i] = stride;
  for (int32_t i = 0; i < CUB_POSES * r; i++) poses[i] = 0.1 * check_random(&seed);
  memcpy(values, from->material_values, 6 * (size_t)from->size.material_count * sizeof *values);
  for (int g = 0; g < 2 && law == LB_MATERIAL_MOONEYRIVLIN; g++)
    values[6 * g + 3] = rubber.c10, values[6 * g + 4] = rubber.c01, values[6 * g + 5] = rubber.v1;
  draft.size.subspace_part_count = draft.size.packed3_count = draft.size.packed4_count = 0;
  draft.subspace_linear = draft.subspace_quadratic = draft.subspace_cubic = NULL;
  draft.material_laws = laws, draft.material_values = values;
  draft.size.cubature_count = count, draft.size.pose_count = CUB_POSES;
  draft.cubature_elements = elements, draft.cubature_weights = weights;
  draft.cubature_poses = poses, draft.cubature_errors = errors;
  draft.owner_ = NULL, draft.shared_ = NULL;
  check_ok(lb_model_create(&draft, &model, &err), err);
  free(elements), free(weights), free(poses);
  return model;
}

static inline CubToy cub_make(SubDef def, lbMaterialModel law) {
  def.editable = true;
  CubToy toy = { .sub = sub_make(def) };
  toy.fem = cub_fem(&toy.sub, &def, law);
  toy.model = cub_model(toy.sub.model, law, 1);
  return toy;
}

static inline void cub_destroy(CubToy *toy) {
  lb_model_destroy(toy->model);
  lb_fem_destroy(toy->fem);
  sub_destroy(&toy->sub);
}

static inline lbBody *cub_body_of(const lbModel *model, const lbBodyDef *def) {
  lbBodyDef plain = sub_body_def();
  lbBody *body = NULL;
  lbError err;
  check_ok(lb_body_create(model, def ? def : &plain, &body, &err), err);
  return body;
}

static inline lbBody *cub_body(const CubToy *toy, const lbBodyDef *def) {
  return cub_body_of(toy->model, def);
}

#endif
