// Vertex colours as looks: a surface that has colours, and neither looks nor texture coordinates,
// is shown in them. A triangle gets the mean of its corners (taken as sRGB), rounded so that a
// surface has few looks.
#include "scene/body.h"

#include <math.h>
#include <stdio.h>

enum { LEVELS = 8, COLORS = LEVELS * LEVELS * LEVELS }; // a channel; in all

// The rounded colour of a triangle, 0 to COLORS - 1; -1: a corner has none.
static int32_t color_of(const lbMesh *mesh, size_t triangle) {
  int32_t color = 0;
  for (size_t i = 0; i < 3; i++) {
    double mean = 0;
    for (size_t k = 0; k < 3; k++) {
      const float *corner = mesh->vertex_colors + 4 * (size_t)mesh->triangles[3 * triangle + k];
      if (corner[0] < 0) return -1;
      mean += (double)corner[i] / 3;
    }
    color = LEVELS * color + (int32_t)lround(fmin(mean, 1) * (LEVELS - 1));
  }
  return color;
}

static lbStatus fill_look(int32_t color, lbAppearance *look, lbError *err) {
  double srgb[3] = { color / LEVELS / LEVELS, color / LEVELS % LEVELS, color % LEVELS };
  char name[16];
  *look = (lbAppearance){ .base_color = { 1, 1, 1, 1 }, .roughness = 0.8f, .texture = -1 };
  for (int i = 0; i < 3; i++) {
    srgb[i] /= LEVELS - 1;
    look->base_color[i] = (float)lb_linear_of_srgb(srgb[i]);
  }
  snprintf(name, sizeof name, "#%02x%02x%02x", (unsigned)lround(255 * srgb[0]),
           (unsigned)lround(255 * srgb[1]), (unsigned)lround(255 * srgb[2]));
  look->name = lb_duplicate_text(name);
  return look->name ? LB_OK : lb_fail_memory(err);
}

lbStatus lb_scene_show_colors(lbSceneBody *body, lbError *err) {
  lbMesh *mesh = lb_scene_seen(body);
  if (!mesh || !mesh->vertex_colors || mesh->appearance_count || mesh->corner_uvs) return LB_OK;
  int32_t looks[COLORS], count = 0;
  for (int32_t i = 0; i < COLORS; i++) looks[i] = -1;
  mesh->triangle_appearances = lb_alloc((size_t)mesh->triangle_count, sizeof(int32_t));
  if (!mesh->triangle_appearances) return lb_fail_memory(err);
  for (size_t t = 0; t < (size_t)mesh->triangle_count; t++) {
    int32_t color = color_of(mesh, t);
    if (color >= 0 && looks[color] < 0) looks[color] = count++;
    mesh->triangle_appearances[t] = color < 0 ? -1 : looks[color];
  }
  mesh->appearances = lb_alloc((size_t)count, sizeof(lbAppearance));
  if (!mesh->appearances) return lb_fail_memory(err);
  lbStatus status = LB_OK;
  mesh->appearance_count = count;
  for (int32_t i = 0; i < COLORS && !status; i++)
    if (looks[i] >= 0) status = fill_look(i, &mesh->appearances[looks[i]], err);
  return status;
}
