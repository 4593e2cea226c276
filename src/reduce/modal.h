// Inside the build side: the modal model of modes that have been computed already.
#ifndef LB_REDUCE_MODAL_H
#define LB_REDUCE_MODAL_H

#include "limber/reduce.h"

// All modes of `modes` are candidates; modal->mode_count is ignored.
lbStatus lb_reduce_modes(const lbMesh *mesh, const lbFem *fem, const lbModes *modes,
                         const lbReduceDef *def, const lbModalDef *modal, lbModel **out,
                         lbError *err);
// The arrays of the modal method, added to the draft of an object. They live in the arena, or are
// borrowed from `modes`.
lbStatus lb_modal_draft(const lbFem *fem, const lbModes *modes, const lbReduceDef *def,
                        const lbDiscard *discard, lbArena *arena, lbModel *draft, lbError *err);

#endif
