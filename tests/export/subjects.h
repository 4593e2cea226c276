// Small surfaces for the exporters' tests.
#ifndef LB_TESTS_SUBJECTS_H
#define LB_TESTS_SUBJECTS_H

#include "check.h"

#include "mesh/builder.h"

#define SIDE 7 // vertices along the sheet's side

static inline lbMesh *finish(lbMeshBuilder *builder) {
  lbMesh *mesh = NULL;
  lbError err;
  check_ok(lb_mesh_builder_finish(builder, "test", &mesh, &err), err);
  return mesh;
}

// A square sheet of 1 m, SIDE x SIDE vertices, in the plane z = 0.
static inline lbMesh *sheet(void) {
  lbMeshBuilder builder;
  lb_mesh_builder_begin(&builder);
  for (int32_t i = 0; i < SIDE * SIDE; i++)
    lb_mesh_add_vertex(&builder, (double)(i % SIDE) / (SIDE - 1), (double)(i / SIDE) / (SIDE - 1),
                       0);
  for (int32_t y = 0; y + 1 < SIDE; y++)
    for (int32_t x = 0; x + 1 < SIDE; x++) {
      int32_t a = y * SIDE + x, b = a + 1, c = a + SIDE, d = c + 1;
      lb_mesh_add_triangle(&builder, (int32_t[3]){ a, b, d });
      lb_mesh_add_triangle(&builder, (int32_t[3]){ a, d, c });
    }
  return finish(&builder);
}

static inline lbMesh *tetrahedron(void) {
  static const int32_t faces[4][3] = { { 0, 2, 1 }, { 0, 1, 3 }, { 1, 2, 3 }, { 0, 3, 2 } };
  lbMeshBuilder builder;
  lb_mesh_builder_begin(&builder);
  for (int i = 0; i < 4; i++) lb_mesh_add_vertex(&builder, i == 1, i == 2, i == 3);
  for (int i = 0; i < 4; i++) lb_mesh_add_triangle(&builder, faces[i]);
  return finish(&builder);
}

// One orange pixel.
static const uint8_t png[] = { 0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00,
                               0x00, 0x0d, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00, 0x00, 0x01,
                               0x00, 0x00, 0x00, 0x01, 0x08, 0x02, 0x00, 0x00, 0x00, 0x90,
                               0x77, 0x53, 0xde, 0x00, 0x00, 0x00, 0x0c, 0x49, 0x44, 0x41,
                               0x54, 0x78, 0xda, 0x63, 0xf8, 0xdf, 0xc0, 0x00, 0x00, 0x04,
                               0x01, 0x01, 0x80, 0xfb, 0xd7, 0xcb, 0xf1, 0x00, 0x00, 0x00,
                               0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82 };
static const uint8_t gif[] = { 'G', 'I', 'F', '8', '9', 'a', 0, 0, 0, 0, 0, 0, 0, 0 };

// The sheet with a texture seam down the middle, a textured half, a red one, and one triangle
// plain.
static inline lbMesh *painted_sheet(void) {
  lbMesh *plain = sheet();
  lbMeshBuilder builder;
  lb_mesh_builder_begin(&builder);
  for (int32_t i = 0; i < plain->vertex_count; i++) {
    const double *p = plain->positions + 3 * (size_t)i;
    lb_mesh_add_vertex(&builder, p[0], p[1], p[2]);
  }
  lb_mesh_add_texture(&builder, "paint.png", "image/png", png, sizeof png);
  lb_mesh_add_texture(&builder, "moving.gif", "image/gif", gif, sizeof gif);
  int32_t painted = lb_mesh_add_appearance(&builder, "painted");
  int32_t red = lb_mesh_add_appearance(&builder, "red");
  for (int32_t i = 0; i < plain->triangle_count; i++) {
    const int32_t *corners = plain->triangles + 3 * (size_t)i;
    bool left = i / 2 % (SIDE - 1) < (SIDE - 1) / 2;
    float uvs[6];
    for (int k = 0; k < 3; k++) {
      const double *p = plain->positions + 3 * (size_t)corners[k];
      uvs[2 * k] = (float)p[0] + (left ? 0 : 2);
      uvs[2 * k + 1] = (float)p[1];
    }
    lb_mesh_add_triangle(&builder, corners);
    lb_mesh_set_triangle_uvs(&builder, uvs);
    lb_mesh_set_triangle_appearance(&builder, i == 5 ? -1 : left ? painted : red);
  }
  lbMesh *mesh = finish(&builder);
  mesh->appearances[painted].texture = 0;
  mesh->appearances[red].texture = 1;
  mesh->appearances[red].base_color[1] = 0;
  lb_mesh_destroy(plain);
  return mesh;
}

#endif
