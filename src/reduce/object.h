// What every reduced model takes over from its object, whatever the method.
#ifndef LB_REDUCE_OBJECT_H
#define LB_REDUCE_OBJECT_H

#include "limber/reduce.h"

// Fills the object, volume, material, rigid, surface, embedding, appearance and texture arrays of a
// draft. They live in the arena, or are borrowed from mesh, fem and def. The inertia is the one of
// the body's own mass matrix.
lbStatus lb_object_draft(const lbMesh *mesh, const lbFem *fem, const lbReduceDef *def,
                         lbArena *arena, lbModel *draft, lbError *err);
// The lines of def->provenance with `more` behind them, in the arena; NULL: no memory.
const char *lb_object_provenance(const lbReduceDef *def, const char *more, lbArena *arena);

// The name of an appearance, a texture or an object as plain UTF-8: other bytes become '?'.
const char *lb_object_text(const char *text, lbArena *arena); // NULL: no memory

#endif
