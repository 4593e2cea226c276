// limber/matrix.h: the matrices of a body for other programs, as Matrix Market (.mtx) or NumPy
// (.npz) files that SciPy reads.
//
// Rows are 3 vertex + axis for all vertices of the volume mesh, in file order, fixed and unused
// ones too; in the body's own axes (a scene's `position` and `rotation` do not count), at rest.
// With `held`, fixed and unused vertices are left out: row 3 k + axis is the k-th of the others. N,
// m, kg, s throughout.
//
//   K Φ = M Φ Λ,  Φᵀ M Φ = 1,  Uᵀ M U = 1
//
// hold without the rows of fixed vertices (of a free body: with all rows); M is the consistent mass
// unless the body has lumped masses.
#ifndef LIMBER_MATRIX_H
#define LIMBER_MATRIX_H

#include "limber/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum lbMatrixKind {
  LB_MATRIX_STIFFNESS,   // K = ∂²W/∂u² at rest, N/m; sparse
  LB_MATRIX_MASS,        // consistent mass, kg; sparse
  LB_MATRIX_LUMPED,      // its row sums on a diagonal, kg; sparse
  LB_MATRIX_MODES,       // Φ, the lowest elastic modes, kg^-1/2; dense, with their eigenvalues
  LB_MATRIX_BASIS,       // U of the subspace method, kg^-1/2; dense
  LB_MATRIX_DERIVATIVES, // modal derivatives Φ_ij for i ≤ j, K Φ_ij = −(H:Φ_i)Φ_j; dense
  LB_MATRIX_KIND_COUNT
} lbMatrixKind;

const char *lb_matrix_kind_name(lbMatrixKind kind); // "stiffness", "mass", "lumped", "modes", ...
bool lb_matrix_kind_parse(const char *name, lbMatrixKind *kind);

typedef struct lbMatrixDef {
  lbMatrixKind kind;  // default LB_MATRIX_STIFFNESS
  bool held;          // default false
  int32_t mode_count; // of modes and derivatives, >= 1; default 20, or as many as there are
} lbMatrixDef;

lbMatrixDef lb_matrix_def(void);

typedef struct lbMatrixInfo {
  int32_t rows, columns;
  int64_t entries; // stored: of a sparse .mtx those of the lower triangle, of an .npz all
} lbMatrixInfo;

// By the extension of `path`. Sparse .mtx: symmetric, lower triangle, counted from 1; dense .mtx:
// array. Sparse .npz: CSR of the whole matrix, as scipy.sparse.load_npz reads it: "data",
// "indices", "indptr", "shape", "format". Dense .npz: an array named after the kind, of modes and
// derivatives also "eigenvalues" (1/s²), of derivatives "modes" and "pairs" (i, j from 0). With
// `held`, an .npz has "vertices" too: the vertex of each three rows. The file is written aside and
// renamed. `info` may be NULL.
lbStatus lb_body_write_matrix(const lbSceneBody *body, const lbMatrixDef *def, const char *path,
                              lbMatrixInfo *info, lbError *err);

#ifdef __cplusplus
}
#endif
#endif
