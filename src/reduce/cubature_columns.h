// The training matrix A of cubature, which as a rule is never made as a whole: column e holds the
// reduced force U_eᵀ f_e(U_e q_t) of component e at every pose t, divided by the length of the
// body's reduced force there. Columns, products and sums of components that are listed are worked
// out from the element kernels, in blocks of poses.
#ifndef LB_REDUCE_CUBATURE_COLUMNS_H
#define LB_REDUCE_CUBATURE_COLUMNS_H

#include "fem/fem.h"

// One term of the elastic force: an element, in the body's own sets.
typedef struct lbComponent {
  int32_t number; // as the model counts
  int32_t set, slot;
} lbComponent;

// All components of a body, by number. Free with lb_free.
lbStatus lb_components_list(const lbFem *fem, int32_t *count, lbComponent **out, lbError *err);

// Components over poses. The caller owns the arrays.
typedef struct lbColumns {
  const lbFem *fem;
  int32_t dimension;
  const double *basis; // (dimension x 3 vertices)
  int32_t component_count;
  const lbComponent *components;
  int32_t pose_count;
  const double *poses;  // (pose_count x dimension)
  const double *scales; // (pose_count): rows of a pose are multiplied by it
  // Where this is given, A is there, and of the above only counts and dimension are read.
  const double *matrix; // (rows x component_count), columns `stride` apart; NULL: none
  size_t stride;
} lbColumns;

static inline size_t lb_columns_rows(const lbColumns *columns) {
  return (size_t)columns->pose_count * (size_t)columns->dimension;
}

typedef enum lbColumnsTask {
  LB_COLUMNS_MAKE,
  LB_COLUMNS_PRODUCTS,
  LB_COLUMNS_SUM
} lbColumnsTask; // what follows, for engines

// A_list (rows x count), column-major; `list` has indices into the components.
lbStatus lb_columns_make(const lbColumns *columns, int32_t count, const int32_t *list, double *A,
                         lbError *err);
// A_listᵀ r; r (rows), products (count).
lbStatus lb_columns_products(const lbColumns *columns, int32_t count, const int32_t *list,
                             const double *r, double *products, lbError *err);
// A_list w; w (count), sum (rows).
lbStatus lb_columns_sum(const lbColumns *columns, int32_t count, const int32_t *list,
                        const double *w, double *sum, lbError *err);

#endif
