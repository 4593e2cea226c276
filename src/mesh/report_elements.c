// Checks of volume elements: flat, inverted, badly shaped, repeated, too many at a face.
#include "mesh/report_parts.h"

#include "mesh/faces.h"
#include "mesh/quality.h"

static bool has_repeat(const int32_t *vertices, int32_t count) {
  for (int32_t i = 0; i < count; i++)
    for (int32_t k = 0; k < i; k++)
      if (vertices[i] == vertices[k]) return true;
  return false;
}

static void report_element(lbReportBuilder *builder, int32_t element, bool mended) {
  const lbMesh *mesh = builder->mesh;
  const int32_t *v = NULL;
  int32_t count = lb_element_vertices(mesh, element, &v);
  double least = 0, longest = lb_longest_distance(mesh, v, count);
  double volume = count == 4 ? lb_tet_volume(mesh, v) : lb_brick_volume(mesh, v, &least);
  double flat = LB_FLAT_LIMIT * longest * longest * longest;
  builder->report->volume += volume;
  bool inverted = mended || volume < -flat;
  if (inverted) lb_report_item(builder, LB_INVERTED_ELEMENTS, element);
  if (has_repeat(v, count) || (volume <= flat && volume >= -flat)) {
    lb_report_item(builder, LB_DEGENERATE_ELEMENTS, element);
    return;
  }
  if (count == 8 && least <= 0) {
    lb_report_item(builder, LB_INVERTED_BRICKS, element);
    return;
  }
  double quality = count == 4 ? lb_tet_quality(mesh, v) : lb_brick_quality(mesh, v);
  if (volume > 0 && quality < LB_SLIVER_LIMIT) lb_report_item(builder, LB_SLIVERS, element);
}

// Every element with a face that more than two have.
static void report_faces(lbReportBuilder *builder) {
  const lbMesh *mesh = builder->mesh;
  lbFaceList list;
  if (lb_face_list(mesh, &list, NULL)) {
    builder->out_of_memory = true;
    return;
  }
  size_t entry = 0;
  for (int32_t e = 0; e < lb_mesh_element_count(mesh); e++) {
    bool crowded = false;
    for (int32_t f = 0; f < lb_element_face_count(mesh, e); f++)
      crowded |= list.uses[list.face_of[entry++]] > 2;
    if (crowded) lb_report_item(builder, LB_NON_MANIFOLD_FACES, e);
  }
  lb_face_list_release(&list);
}

void lb_report_elements(lbReportBuilder *builder) {
  const lbMesh *mesh = builder->mesh;
  int32_t next_mended = 0;
  for (int32_t e = 0; e < lb_mesh_element_count(mesh); e++) {
    bool mended = next_mended < mesh->mended_count && mesh->mended[next_mended] == e;
    next_mended += mended;
    report_element(builder, e, mended);
  }
  lb_report_repeats(builder, LB_DUPLICATE_ELEMENTS, mesh->tets, mesh->tet_count, 4, 0);
  lb_report_repeats(builder, LB_DUPLICATE_ELEMENTS, mesh->bricks, mesh->brick_count, 8,
                    mesh->tet_count);
  report_faces(builder);
}
