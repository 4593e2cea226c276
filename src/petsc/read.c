// Bodies whose mesh no rank has as a whole.
#include "petsc/memory.h"
#include "petsc/msh.h"
#include "petsc/parts.h"

#include "limber/file.h"

#include <stdio.h>

lbStatus lb_parts_read(const char *path, const lbMaterial *material, const lbPetscDef *def,
                       lbParts **out, lbError *err) {
  char name[4096] = "", label[300];
  lbMaterial law = { 0 };
  const char *reason = NULL;
  if (path) snprintf(name, sizeof name, "%s", path);
  if (material) law = *material;
  lb_ranks_broadcast(name, sizeof name);
  lb_ranks_broadcast(&law, sizeof law);
  snprintf(label, sizeof label, "body \"%.250s\"", lb_path_name(name));
  lbSlab slab = {
    .material_count = 1, .materials = &law, .mass = lb_fem_def().mass, .name = label
  };
  lbStatus status = LB_OK;
  if (!lb_msh_read_slab(name, &slab, &reason))
    status =
        lb_fail(err, LB_ERR_UNSUPPORTED, "%s: rank 0 reads all of it, because %s", name, reason);
  lbMemoryBody need = { .name = label,
                        .node_count = slab.vertex_total,
                        .tet_count = slab.tet_total,
                        .brick_count = slab.brick_total };
  if (!status) status = lb_memory_check(path ? &need : NULL, def, err);
  if (!status) status = lb_parts_of_slab(&slab, NULL, false, out, err);
  lb_slab_release(&slab);
  if (!status) (*out)->memory = def->memory;
  return status;
}
