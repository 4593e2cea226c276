// Tags for groups that have none.
#include "meshio/group_tags.h"

int32_t *lb_group_tags(const lbMesh *mesh) {
  int32_t *tags = lb_alloc((size_t)mesh->group_count, sizeof *tags);
  int32_t largest[3] = { 0 };
  if (!tags) return NULL;
  for (int32_t i = 0; i < mesh->group_count; i++) {
    const lbGroup *group = &mesh->groups[i];
    if (group->tag > largest[group->kind]) largest[group->kind] = group->tag;
  }
  for (int32_t i = 0; i < mesh->group_count; i++) {
    const lbGroup *group = &mesh->groups[i];
    bool room = largest[group->kind] < INT32_MAX;
    tags[i] = group->tag || !room ? group->tag : ++largest[group->kind];
  }
  return tags;
}
