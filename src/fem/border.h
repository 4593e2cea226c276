// The mass of fixed vertices, which the system's matrix leaves out: the blocks of
//   [ M_ff  M_fc ]   f: free nodes (the system), c: fixed vertices
//   [ M_cf  M_cc ]
// beside M_ff, kept as the mass matrices of the elements that have a fixed vertex.
#ifndef LB_FEM_BORDER_H
#define LB_FEM_BORDER_H

#include "fem/fem.h"

typedef struct lbBorder {
  const lbFem *fem;
  int32_t element_count;
  int32_t *vertex_begin; // (element_count + 1)
  int32_t *vertices;     // of each element
  size_t *mass_begin;    // (element_count)
  double *masses;        // m_ab (nodes x nodes) of each element; NULL: lumped, nothing is coupled
} lbBorder;

lbStatus lb_border_create(const lbFem *fem, lbBorder **out, lbError *err);
void lb_border_destroy(lbBorder *border); // NULL is legal

// product += [0 M_fc; M_cf M_cc] w, full vectors. Unused vertices weigh nothing.
void lb_border_multiply(const lbBorder *border, const double *w, double *product);

#endif
