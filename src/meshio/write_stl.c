// Binary STL: positions become floats, normals follow from the winding.
#include "meshio/formats.h"

#include "limber/file.h"
#include "limber/math.h"
#include "arrayio/scalar.h"
#include "meshio/surface.h"

#include <float.h>

static lbStatus check_stl_range(const lbMesh *mesh, const char *path, lbError *err) {
  for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; i++)
    if (!(fabs(mesh->positions[i]) <= (double)FLT_MAX))
      return lb_fail(err, LB_ERR_MESH,
                     "%s: vertex %zu has a coordinate (%g) that does not fit STL's single "
                     "precision, write .ply instead",
                     path, i / 3, mesh->positions[i]);
  return LB_OK;
}

static void write_triangle(const lbMesh *mesh, const int32_t *corners, FILE *stream) {
  uint8_t record[50] = { 0 };
  lbVec3 x[3];
  for (int k = 0; k < 3; k++) {
    x[k] = lb_vec3_load(mesh->positions + 3 * (size_t)corners[k]);
    lb_put_f32(record + 12 + 12 * k, (float)x[k].x);
    lb_put_f32(record + 16 + 12 * k, (float)x[k].y);
    lb_put_f32(record + 20 + 12 * k, (float)x[k].z);
  }
  lbVec3 normal = lb_cross(lb_sub(x[1], x[0]), lb_sub(x[2], x[0]));
  double length = lb_length(normal);
  if (length > 0 && isfinite(length)) {
    lb_put_f32(record, (float)(normal.x / length));
    lb_put_f32(record + 4, (float)(normal.y / length));
    lb_put_f32(record + 8, (float)(normal.z / length));
  }
  fwrite(record, sizeof record, 1, stream);
}

lbStatus lb_write_stl(const lbMesh *mesh, const char *path, lbError *err) {
  lbWrittenSurface surface;
  lbFileWriter file = { 0 };
  uint8_t header[84] = "binary STL written by limber " LB_VERSION; // must not begin with "solid"
  lbStatus status = check_stl_range(mesh, path, err);
  if (status) return status;
  status = lb_surface_begin(&surface, mesh, path, err);
  if (!status) status = lb_file_begin(&file, path, err);
  if (status) goto done;
  lb_put_u32(header + 80, (uint32_t)surface.triangle_count);
  fwrite(header, sizeof header, 1, file.stream);
  for (int32_t t = 0; t < surface.triangle_count; t++)
    write_triangle(mesh, surface.triangles + 3 * (size_t)t, file.stream);
  status = lb_file_commit(&file, err);
done:
  lb_surface_end(&surface);
  return status;
}
