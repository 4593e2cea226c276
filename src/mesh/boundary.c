// The faces of volume elements and the outer surface: the faces that only one element has. Two
// faces are the same when they have the same vertices in any order.
#include "mesh/faces.h"
#include "mesh/hash_table.h"

// clang-format off
static const int8_t tet_faces[4][3] = { { 1, 2, 3 }, { 0, 3, 2 }, { 0, 1, 3 }, { 0, 2, 1 } };
static const int8_t brick_faces[6][4] = { { 0, 3, 2, 1 }, { 4, 5, 6, 7 }, { 0, 1, 5, 4 },
                                          { 1, 2, 6, 5 }, { 2, 3, 7, 6 }, { 3, 0, 4, 7 } };
// clang-format on

int32_t lb_element_vertices(const lbMesh *mesh, int32_t element, const int32_t **vertices) {
  bool is_tet = element < mesh->tet_count;
  *vertices = is_tet ? mesh->tets + 4 * (size_t)element
                     : mesh->bricks + 8 * (size_t)(element - mesh->tet_count);
  return is_tet ? 4 : 8;
}

int32_t lb_element_face_count(const lbMesh *mesh, int32_t element) {
  return element < mesh->tet_count ? 4 : 6;
}

int32_t lb_element_face(const lbMesh *mesh, int32_t element, int32_t face, int32_t vertices[4]) {
  const int32_t *ids = NULL;
  if (lb_element_vertices(mesh, element, &ids) == 4) {
    for (int i = 0; i < 3; i++) vertices[i] = ids[tet_faces[face][i]];
    return 3;
  }
  for (int i = 0; i < 4; i++) vertices[i] = ids[brick_faces[face][i]];
  return 4;
}

void lb_cut_quad(const int32_t quad[4], int32_t triangles[6]) {
  int first = 0;
  for (int i = 1; i < 4; i++)
    if (quad[i] < quad[first]) first = i;
  static const int8_t corners[6] = { 0, 1, 2, 0, 2, 3 };
  for (int i = 0; i < 6; i++) triangles[i] = quad[(first + corners[i]) & 3];
}

lbStatus lb_face_list(const lbMesh *mesh, lbFaceList *list, lbError *err) {
  *list =
      (lbFaceList){ .entry_count = 4 * (size_t)mesh->tet_count + 6 * (size_t)mesh->brick_count };
  lbHashTable table = lb_hash_table(4 * sizeof(int32_t));
  lbStatus status = LB_OK;
  list->face_of = lb_alloc(list->entry_count, sizeof(int32_t));
  if (!list->face_of) goto memory;
  int32_t element_count = lb_mesh_element_count(mesh);
  size_t entry = 0;
  for (int32_t e = 0; e < element_count; e++)
    for (int32_t f = 0; f < lb_element_face_count(mesh, e); f++) {
      int32_t key[4] = { 0, 0, 0, -1 }; // -1 keeps triangles apart from quads
      lb_sort_vertices(key, lb_element_face(mesh, e, f, key));
      int32_t face = lb_hash_table_add(&table, key);
      if (face < 0) goto memory;
      list->face_of[entry++] = face;
    }
  list->face_count = table.count;
  list->uses = lb_alloc((size_t)table.count, sizeof(int32_t));
  if (!list->uses) goto memory;
  for (size_t i = 0; i < entry; i++) list->uses[list->face_of[i]]++;
  goto done;
memory:
  status = lb_fail_memory(err);
  lb_face_list_release(list);
done:
  lb_hash_table_release(&table);
  return status;
}

void lb_face_list_release(lbFaceList *list) {
  lb_free(list->uses);
  lb_free(list->face_of);
  *list = (lbFaceList){ 0 };
}

// Writes the outer triangles (when `triangles` is not NULL) and counts them.
static size_t outer_triangles(const lbMesh *mesh, const lbFaceList *list, int32_t *triangles) {
  int32_t element_count = lb_mesh_element_count(mesh);
  size_t entry = 0, count = 0;
  for (int32_t e = 0; e < element_count; e++)
    for (int32_t f = 0; f < lb_element_face_count(mesh, e); f++) {
      if (list->uses[list->face_of[entry++]] != 1) continue;
      int32_t face[4], cut[6];
      int32_t cut_count = 1;
      if (lb_element_face(mesh, e, f, face) == 4) {
        lb_cut_quad(face, cut);
        cut_count = 2;
      } else {
        for (int i = 0; i < 3; i++) cut[i] = face[i];
      }
      if (triangles)
        for (int32_t i = 0; i < 3 * cut_count; i++) triangles[3 * count + (size_t)i] = cut[i];
      count += (size_t)cut_count;
    }
  return count;
}

lbStatus lb_mesh_boundary(const lbMesh *mesh, int32_t **triangles, int32_t *triangle_count,
                          lbError *err) {
  lbFaceList list;
  lbStatus status = lb_face_list(mesh, &list, err);
  if (status) return status;
  size_t count = outer_triangles(mesh, &list, NULL);
  int32_t *rows = count <= INT32_MAX ? lb_alloc(3 * count, sizeof(int32_t)) : NULL;
  if (rows) {
    outer_triangles(mesh, &list, rows);
    *triangles = rows;
    *triangle_count = (int32_t)count;
  } else {
    status = lb_fail_memory(err);
  }
  lb_face_list_release(&list);
  return status;
}
