// Making a subject.
#include "bench/subject.h"

#include <math.h>

lbStatus bench_subject_make(const lbShapeDef *shape, lbMaterial material, lbMassKind mass, int axis,
                            benchSubject *s, lbError *err) {
  lbStatus status = lb_shape_volume(shape, &s->mesh, err);
  if (status) return status;
  bool *fixed = lb_alloc((size_t)s->mesh->vertex_count, sizeof *fixed);
  if (!fixed) return lb_fail_memory(err);
  double low = INFINITY;
  for (int32_t v = 0; v < s->mesh->vertex_count && axis >= 0; v++)
    low = fmin(low, s->mesh->positions[3 * v + axis]);
  for (int32_t v = 0; v < s->mesh->vertex_count && axis >= 0; v++)
    fixed[v] = s->mesh->positions[3 * v + axis] < low + 1e-9;
  lbFemDef def = lb_fem_def();
  def.materials = &material;
  def.material_count = 1;
  def.fixed = fixed;
  def.mass = mass;
  status = lb_fem_create(s->mesh, &def, &s->fem, err);
  lb_free(fixed);
  return status;
}

void bench_subject_release(benchSubject *s) {
  lb_fem_destroy(s->fem);
  lb_mesh_destroy(s->mesh);
}
