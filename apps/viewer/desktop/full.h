// The unreduced simulator as an actor, made from the model alone. For programs that have the build
// side (vwStageDef.full).
#ifndef LIMBER_VIEWER_FULL_H
#define LIMBER_VIEWER_FULL_H

#include "stage/actor.h"

extern const vwActorKind vw_full_kind;

// full_stress.c: von Mises stress at the nodes (nodes) of a displaced volume, Pa, with materials
// (materials x 3: young, poisson, density): of the strain that is left when the rotation is taken
// out (of the linear law: of small strain), which is near to every law's own for moderate strain. A
// node gets the mean over its elements by volume, of bricks at the Gauss point next to it. Uses
// `weights` (nodes).
void vw_full_stress(const lbModel *model, const double *materials, const double *displacement,
                    double *weights, double *nodes);

#endif
