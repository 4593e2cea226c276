// The object of the reduced benchmarks: a mesh file or a built-in shape, supported and made of
// StVK.
#include "bench/bench.h"

#include "limber/file.h"
#include "meshio/formats.h"

#include <math.h>
#include <string.h>

static const double SHELL_THICKNESS = 0.005; // of the diagonal of the box

static lbStatus fix_listed(const lbMesh *mesh, const char *path, bool *fixed, lbError *err) {
  char *content = NULL;
  size_t bytes = 0;
  int32_t *ids = NULL, count = 0;
  lbStatus status = lb_file_read(path, &content, &bytes, err);
  if (!status) status = lb_read_bou(path, content, bytes, &ids, &count, err);
  for (int32_t i = 0; i < count && !status; i++) {
    if (ids[i] >= mesh->vertex_count)
      status = lb_fail(err, LB_ERR_FORMAT, "%s: vertex %d, the mesh has %d", path, (int)ids[i] + 1,
                       (int)mesh->vertex_count);
    else
      fixed[ids[i]] = true;
  }
  lb_free(ids);
  lb_free(content);
  return status;
}

// As `limber build` would fix them.
static void fix_lowest(const lbMesh *mesh, int up, bool *fixed) {
  double low = INFINITY, high = -INFINITY;
  for (int32_t v = 0; v < mesh->vertex_count; v++) {
    low = fmin(low, mesh->positions[3 * (size_t)v + (size_t)up]);
    high = fmax(high, mesh->positions[3 * (size_t)v + (size_t)up]);
  }
  for (int32_t v = 0; v < mesh->vertex_count; v++)
    fixed[v] = mesh->positions[3 * (size_t)v + (size_t)up] <= low + 0.05 * (high - low);
}

static double box_diagonal(const lbMesh *mesh) {
  double square = 0;
  for (int k = 0; k < 3; k++) {
    double low = INFINITY, high = -INFINITY;
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
      low = fmin(low, mesh->positions[3 * (size_t)v + (size_t)k]);
      high = fmax(high, mesh->positions[3 * (size_t)v + (size_t)k]);
    }
    square += (high - low) * (high - low);
  }
  return sqrt(square);
}

lbStatus bench_object_make(const char *mesh_path, const char *fixed_path, const lbShapeDef *shape,
                           benchObject *object, lbError *err) {
  lbStatus status = mesh_path ? lb_mesh_load(mesh_path, &object->mesh, err)
                              : lb_shape_volume(shape, &object->mesh, err);
  if (status) return status;
  object->name = mesh_path ? lb_path_name(mesh_path) : lb_shape_name(shape->shape);
  object->is_bridge = strcmp(object->name, "simpleBridge_tet.veg") == 0;
  object->up = object->is_bridge ? 1 : 2;
  bool *fixed = lb_alloc((size_t)object->mesh->vertex_count, sizeof(bool));
  if (!fixed) return lb_fail_memory(err);
  if (fixed_path)
    status = fix_listed(object->mesh, fixed_path, fixed, err);
  else
    fix_lowest(object->mesh, object->up, fixed);
  lbMaterial material = lb_material();
  object->is_shell = lb_mesh_element_count(object->mesh) == 0;
  material.model = object->is_shell ? LB_MATERIAL_SHELL : LB_MATERIAL_STVK;
  if (object->is_shell) material.thickness = SHELL_THICKNESS * box_diagonal(object->mesh);
  lbFemDef def = lb_fem_def();
  def.materials = &material;
  def.material_count = 1;
  def.fixed = fixed;
  if (!status) status = lb_fem_create(object->mesh, &def, &object->fem, err);
  lb_free(fixed);
  return status;
}

void bench_object_release(benchObject *object) {
  lb_fem_destroy(object->fem);
  lb_mesh_destroy(object->mesh);
}
