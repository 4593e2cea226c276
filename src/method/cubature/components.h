// What the numbers in cubature.elements stand for: the components of a model that forces are summed
// over. The one place that turns a number into a kind of element, its nodes, rest data and
// parameters.
#ifndef LB_METHOD_CUBATURE_COMPONENTS_H
#define LB_METHOD_CUBATURE_COMPONENTS_H

#include "elastic/shell.h"
#include "limber/model.h"

typedef struct lbComponents {
  const lbModel *model;
  lbFlap *flaps; // of a shell; NULL: a solid
  int32_t flap_count;
} lbComponents;

typedef struct lbComponent {
  lbElementKind kind;
  lbMaterialModel law;
  int32_t number;
  int32_t material;                    // of a flap that of its first triangle
  int32_t nodes[LB_ELEMENT_NODES_MAX]; // (lb_element_nodes) of the model
} lbComponent;

// Refuses shells with bad triangles, and numbers in cubature.elements beyond their edges.
lbStatus lb_components_open(const lbModel *model, lbComponents *out, lbError *err);
void lb_components_close(lbComponents *components);

int32_t lb_component_count(const lbComponents *components);
// The number must be one that the model was checked for.
lbComponent lb_component(const lbComponents *components, int32_t number);
// As lb_element_rest; false: flat or inverted.
bool lb_component_rest(const lbComponents *components, const lbComponent *component, double *rest,
                       int32_t stride);
// As lb_material_parameters, with other Young's moduli and Poisson ratios than the model's:
// materials (materials x 3), young, poisson, density.
void lb_component_parameters(const lbComponents *components, const lbComponent *component,
                             const double *materials, double *parameters, int32_t stride);

#endif
