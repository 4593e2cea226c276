// Finished stages of a build as files (restart.h): modes, bases, polynomials. Rank 0.
#ifndef LB_PETSC_STAGES_H
#define LB_PETSC_STAGES_H

#include "linalg/eigen.h"
#include "petsc/basis.h"
#include "petsc/restart.h"
#include "reduce/polynomial.h"

// Each is of a folder, which may be NULL: nothing is loaded or saved. Loading returns false when
// there is no file.
bool lb_stage_load_modes(const char *folder, const lbFem *fem, int32_t count, lbEigen **out);
lbStatus lb_stage_save_modes(const char *folder, const lbFem *fem, int32_t count,
                             const lbEigen *eigen, lbError *err);
// By mode_count and size as they were given.
bool lb_stage_load_basis(const char *folder, const lbFem *fem, lbFoundBasis *found);
lbStatus lb_stage_save_basis(const char *folder, const lbFem *fem, const lbFoundBasis *given,
                             const lbFoundBasis *found, lbError *err);
bool lb_stage_load_polynomials(const char *folder, const lbFem *fem, const lbPolynomialDef *def,
                               int32_t count, lbPolynomial **parts);
lbStatus lb_stage_save_polynomials(const char *folder, const lbFem *fem, const lbPolynomialDef *def,
                                   int32_t count, lbPolynomial *const *parts, lbError *err);

#endif
