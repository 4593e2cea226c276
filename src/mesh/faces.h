// The faces of volume elements: local numbering, and which faces are the same.
#ifndef LB_MESH_FACES_H
#define LB_MESH_FACES_H

#include "limber/mesh.h"

// The vertices of an element (tets first, then bricks) and how many there are: 4 or 8.
int32_t lb_element_vertices(const lbMesh *mesh, int32_t element, const int32_t **vertices);

// A tet has faces 0..3 (face i is opposite vertex i), a brick 0..5 (bottom, top, four sides).
int32_t lb_element_face_count(const lbMesh *mesh, int32_t element);
// The vertices of a face, counter-clockwise seen from outside the element; returns 3 or 4.
int32_t lb_element_face(const lbMesh *mesh, int32_t element, int32_t face, int32_t vertices[4]);
// Cuts a quad along the diagonal from its smallest vertex id into two triangles of its winding.
void lb_cut_quad(const int32_t quad[4], int32_t triangles[6]);

// Puts a few vertices in ascending order, in place: a face's key, whatever its winding.
static inline void lb_sort_vertices(int32_t *vertices, int32_t count) {
  for (int32_t i = 1; i < count; i++)
    for (int32_t k = i; k > 0 && vertices[k] < vertices[k - 1]; k--) {
      int32_t kept = vertices[k];
      vertices[k] = vertices[k - 1];
      vertices[k - 1] = kept;
    }
}

typedef struct lbFaceList {
  int32_t face_count; // distinct faces
  int32_t *uses;      // (face_count), elements that have the face
  size_t entry_count; // 4 a tet, 6 a brick
  int32_t *face_of;   // (entry_count), by element and local face, in element order
} lbFaceList;

lbStatus lb_face_list(const lbMesh *mesh, lbFaceList *list, lbError *err);
void lb_face_list_release(lbFaceList *list);

#endif
