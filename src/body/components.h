// What the numbers in cubature.elements stand for: the components of a model that forces are summed
// over. The one place that turns a number into a kind of element, its nodes, rest data and
// parameters.
#ifndef LB_BODY_COMPONENTS_H
#define LB_BODY_COMPONENTS_H

#include "elastic/element.h"
#include "limber/model.h"

typedef struct lbComponents {
  const lbModel *model;
} lbComponents;

typedef struct lbComponent {
  lbElementKind kind;
  lbMaterialModel law;
  int32_t material;
  int32_t nodes[LB_ELEMENT_NODES_MAX]; // (lb_element_nodes) of the model
} lbComponent;

lbStatus lb_components_open(const lbModel *model, lbComponents *out, lbError *err);
void lb_components_close(lbComponents *components);

// The number must be one that the model was checked for.
lbComponent lb_component(const lbComponents *components, int32_t number);
// As lb_element_rest; false: flat or inverted.
bool lb_component_rest(const lbComponents *components, const lbComponent *component, double *rest,
                       int32_t stride);
// As lb_material_parameters, with another Young's modulus and Poisson ratio (young, poisson) than
// the model's.
void lb_component_parameters(const lbComponents *components, const lbComponent *component,
                             const double *elastic, double *parameters, int32_t stride);

#endif
