// Draws contacts: colliders as crowds of one; contacts as discs, their forces as
// lines.
#include "view/viewer_parts.h"

#include <math.h>
#include <string.h>

#define FORCE_LENGTH 0.6 // sizes of the scene that a line has for the weight of the heaviest body

lbStatus vw_viewer_dress_colliders(vwViewer *viewer, lbError *err) {
  int32_t count = vw_stage_collider_count(viewer->stage);
  lbStatus status = LB_OK;
  viewer->colliders = lb_alloc((size_t)count, sizeof *viewer->colliders);
  if (!viewer->colliders) return lb_fail_memory(err);
  for (int32_t i = 0; i < count && !status; i++) {
    vwSkinDef def = vw_skin_def();
    vwSkin *skin = NULL;
    int32_t vertex_count = 0, triangle_count = 0, *triangles = NULL;
    double *vertices = NULL;
    bool on_gpu;
    status = vw_stage_collider_surface(viewer->stage, i, &vertex_count, &vertices, &triangle_count,
                                       &triangles, err);
    if (!status)
      status =
          vw_skin_create_rigid(vertex_count, vertices, triangle_count, triangles, &def, &skin, err);
    if (!status)
      status =
          vw_renderer_add_skin(viewer->renderer, skin, &viewer->colliders[i].skin, &on_gpu, err);
    if (!status) viewer->collider_count++;
    vw_skin_destroy(skin);
    lb_free(vertices);
    lb_free(triangles);
  }
  return status;
}

void vw_viewer_add_colliders(vwViewer *viewer, vwPicture *picture) {
  static const float stands[4] = { 0.60f, 0.56f, 0.50f, 1 }, moves[4] = { 0.42f, 0.51f, 0.63f, 1 };
  for (int32_t i = 0; i < viewer->collider_count; i++) {
    vwDrawnCollider *drawn = &viewer->colliders[i];
    vwCrowd *crowd = &viewer->crowds[picture->crowd_count++];
    bool driven = vw_stage_collider_placement(viewer->stage, i, drawn->placement);
    *crowd = (vwCrowd){ .skin = drawn->skin,
                        .body_count = 1,
                        .placements = drawn->placement,
                        .opacity = 1,
                        .unmapped = true };
    memcpy(crowd->tint, driven ? moves : stands, sizeof crowd->tint);
  }
}

void vw_viewer_add_contacts(vwViewer *viewer, vwPicture *picture) {
  static const float sticks[4] = { 0.10f, 0.55f, 0.90f, 1 }, slides[4] = { 0.95f, 0.45f, 0.10f, 1 };
  int32_t count = 0;
  const lbContact *contacts = vw_stage_contacts(viewer->stage, &count);
  double size = vw_stage_size(viewer->stage), weight = vw_stage_weight(viewer->stage);
  for (int32_t i = 0; i < count; i++) {
    const float *color = contacts[i].sliding ? slides : sticks;
    double force = lb_length(contacts[i].force);
    if (!(force > 0)) continue;
    double length = size * fmin(FORCE_LENGTH * force / weight, 1);
    double scale = length / force;
    lbVec3 at = contacts[i].point, end = lb_add_scaled(at, scale, contacts[i].force);
    lbVec3 other = lb_add_scaled(at, -scale, contacts[i].force); // on the second body
    vw_viewer_add_segment(viewer, picture, contacts[i].collider ? at : other, end, color, 2.5f,
                          true);
    vw_viewer_add_disc(viewer, picture, contacts[i].point, color, 4, true);
  }
}
