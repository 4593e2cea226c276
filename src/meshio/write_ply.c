// Binary little-endian PLY: positions as doubles, so nothing is lost; texture coordinates per
// corner as the faces' list "texcoord"; vertex colours as bytes, white where a vertex has none.
#include "meshio/formats.h"

#include "limber/file.h"
#include "arrayio/scalar.h"
#include "meshio/surface.h"

#include <math.h>

static void write_header(FILE *stream, int32_t vertex_count, int32_t face_count, bool has_colors,
                         bool has_uvs) {
  fprintf(stream,
          "ply\nformat binary_little_endian 1.0\ncomment written by limber " LB_VERSION "\n"
          "element vertex %d\nproperty double x\nproperty double y\nproperty double z\n%s"
          "element face %d\nproperty list uchar int vertex_indices\n%send_header\n",
          (int)vertex_count,
          has_colors ? "property uchar red\nproperty uchar green\nproperty uchar blue\n"
                       "property uchar alpha\n"
                     : "",
          (int)face_count, has_uvs ? "property list uchar float texcoord\n" : "");
}

static void write_face(FILE *stream, const int32_t *corners, const float *uvs) {
  uint8_t row[13 + 25] = { 3 };
  for (int k = 0; k < 3; k++) lb_put_u32(row + 1 + 4 * k, (uint32_t)corners[k]);
  row[13] = 6;
  for (int k = 0; k < 6 && uvs; k++)
    lb_put_f32(row + 14 + 4 * k, k % 2 ? 1 - uvs[k] : uvs[k]); // v up
  fwrite(row, uvs ? sizeof row : 13, 1, stream);
}

lbStatus lb_write_ply(const lbMesh *mesh, const char *path, lbError *err) {
  lbWrittenSurface surface;
  lbFileWriter file = { 0 };
  lbStatus status = lb_surface_begin(&surface, mesh, path, err);
  if (!status) status = lb_file_begin(&file, path, err);
  if (status) goto done;
  const float *uvs = surface.owned ? NULL : mesh->corner_uvs;
  write_header(file.stream, mesh->vertex_count, surface.triangle_count, mesh->vertex_colors != NULL,
               uvs != NULL);
  for (size_t i = 0; i < (size_t)mesh->vertex_count; i++) {
    uint8_t row[28];
    for (size_t k = 0; k < 3; k++) lb_put_f64(row + 8 * k, mesh->positions[3 * i + k]);
    const float *color = mesh->vertex_colors ? mesh->vertex_colors + 4 * i : NULL;
    for (size_t k = 0; k < 4 && color; k++)
      row[24 + k] = color[0] < 0 ? 255 : (uint8_t)lrintf(255 * color[k]);
    fwrite(row, color ? 28 : 24, 1, file.stream);
  }
  for (size_t t = 0; t < (size_t)surface.triangle_count; t++)
    write_face(file.stream, surface.triangles + 3 * t, uvs ? uvs + 6 * t : NULL);
  status = lb_file_commit(&file, err);
done:
  lb_surface_end(&surface);
  return status;
}
