// The list of loads that a user has recorded.
#include "limber/basis.h"

#include <math.h>
#include <string.h>

lbStatus lb_sketch_create(lbSketch **out, lbError *err) {
  lbSketch *sketch = lb_alloc(1, sizeof *sketch);
  if (!sketch) return lb_fail_memory(err);
  *out = sketch;
  return LB_OK;
}

void lb_sketch_destroy(lbSketch *sketch) {
  if (!sketch) return;
  for (int32_t i = 0; i < sketch->load_count; i++) lb_free(sketch->loads[i].name);
  lb_free(sketch->loads);
  lb_free(sketch->forces);
  lb_free(sketch);
}

static lbStatus check_load(const lbSketch *sketch, int32_t count, const lbSketchForce *forces,
                           lbError *err) {
  int number = (int)sketch->load_count;
  if (count < 1)
    return lb_fail(err, LB_ERR_ARGUMENT, "sketch: load %d has no forces, give it one", number);
  if (count > INT32_MAX - sketch->force_count || sketch->load_count == INT32_MAX)
    return lb_fail(err, LB_ERR_ARGUMENT, "sketch: load %d: too many forces in all", number);
  for (int32_t i = 0; i < count; i++) {
    if (forces[i].vertex < 0)
      return lb_fail(err, LB_ERR_ARGUMENT, "sketch: load %d: vertex %d does not exist", number,
                     (int)forces[i].vertex);
    for (int k = 0; k < 3; k++)
      if (!isfinite(forces[i].force[k]))
        return lb_fail(err, LB_ERR_ARGUMENT,
                       "sketch: load %d: a force on vertex %d is %g, it must be a finite number",
                       number, (int)forces[i].vertex, forces[i].force[k]);
  }
  return LB_OK;
}

lbStatus lb_sketch_append(lbSketch *sketch, const char *name, int32_t force_count,
                          const lbSketchForce *forces, lbError *err) {
  lbStatus status = check_load(sketch, force_count, forces, err);
  if (status) return status;
  size_t loads = (size_t)sketch->load_count, all = (size_t)sketch->force_count;
  char *copy = lb_duplicate_text(name ? name : "");
  if (!copy ||
      !lb_grow((void **)&sketch->loads, &sketch->load_capacity, loads + 1, sizeof(lbSketchLoad)) ||
      !lb_grow((void **)&sketch->forces, &sketch->force_capacity, all + (size_t)force_count,
               sizeof(lbSketchForce))) {
    lb_free(copy);
    return lb_fail_memory(err);
  }
  sketch->loads[loads] = (lbSketchLoad){ copy, sketch->force_count, force_count };
  memcpy(sketch->forces + all, forces, (size_t)force_count * sizeof *forces);
  sketch->force_count += force_count;
  sketch->load_count++;
  return LB_OK;
}
