// limber/embedding.h: points carried by the nodes of a volume mesh: a fine surface follows a coarse
// volume, and forces on the surface go to the volume.
//   x_point = Σ weight_a x_node(a),  f_node = Σ weight f_point
#ifndef LIMBER_EMBEDDING_H
#define LIMBER_EMBEDDING_H

#include "limber/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lbEmbedding {
  int32_t point_count;
  int32_t node_count; // of the volume mesh
  // Point p has its element's nodes (4 of a tet, 8 of a brick) in
  // nodes[begin[p]] .. nodes[begin[p + 1] - 1], weights alike.
  int32_t *begin;    // (point_count + 1), begin[0] = 0
  int32_t *nodes;    // (begin[point_count]), 0 .. node_count - 1
  double *weights;   // (begin[point_count]), sum 1 for each point; inside its element all >= 0
  int32_t *elements; // (point_count), the element that holds each point, in the mesh's numbering

  // Points outside are embedded in the nearest element, whose map is continued linearly.
  int32_t outside_count;
  double outside_distance; // m, greatest distance of a point from its element, 0: none outside
} lbEmbedding;

void lb_embedding_destroy(lbEmbedding *embedding); // NULL is legal

// point_values (point_count x 3) = W node_values (node_count x 3). Positions, displacements,
// velocities.
void lb_embedding_apply(const lbEmbedding *embedding, const double *node_values,
                        double *point_values);
// node_values (node_count x 3) = Wᵀ point_values (point_count x 3). Forces: the power of a force on
// a point is that of its share on the nodes.
void lb_embedding_apply_transpose(const lbEmbedding *embedding, const double *point_values,
                                  double *node_values);

#ifdef __cplusplus
}
#endif
#endif
