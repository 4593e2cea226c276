// Joints of a scene as arrays of a world.
#include "study/cook_contact.h"

#include "study/joint_def.h"

#include <math.h>
#include <string.h>

typedef struct Arrays {
  int32_t *kinds, *bodies, *vertices, *begin, *regions;
  double *places, *axes, *numbers;
  uint8_t *collide;
  size_t region_room;
} Arrays;

static bool allocate_joint_arrays(lbArena *arena, size_t count, Arrays *a) {
  a->kinds = lb_arena_alloc(arena, count, sizeof *a->kinds);
  a->bodies = lb_arena_alloc(arena, count, 2 * sizeof *a->bodies);
  a->vertices = lb_arena_alloc(arena, count, 2 * sizeof *a->vertices);
  a->begin = lb_arena_alloc(arena, count + 1, sizeof *a->begin);
  a->places = lb_arena_alloc(arena, count, 6 * sizeof *a->places);
  a->axes = lb_arena_alloc(arena, count, 3 * sizeof *a->axes);
  a->numbers = lb_arena_alloc(arena, count, 5 * sizeof *a->numbers);
  a->collide = lb_arena_alloc(arena, count, sizeof *a->collide);
  return a->kinds && a->bodies && a->vertices && a->begin && a->places && a->axes && a->numbers &&
         a->collide;
}

static void store_joint(const lbSceneJoint *joint, const lbJointDef *def, size_t i, Arrays *a) {
  const double numbers[5] = { def->limited ? def->limits[0] : -INFINITY,
                              def->limited ? def->limits[1] : INFINITY, def->motor_speed,
                              def->motor_force, def->break_force };
  a->kinds[i] = (int32_t)def->kind;
  memcpy(a->bodies + 2 * i, joint->bodies, sizeof joint->bodies);
  memcpy(a->vertices + 2 * i, def->vertices, sizeof def->vertices);
  for (size_t k = 0; k < 2; k++) lb_vec3_store(a->places + 6 * i + 3 * k, def->places[k]);
  lb_vec3_store(a->axes + 3 * i, def->axis);
  memcpy(a->numbers + 5 * i, numbers, sizeof numbers);
  a->collide[i] = def->collide;
}

// Regions of all joints one after another, on the heap until they are complete.
static lbStatus store_all(const lbScene *scene, const lbModel *const *models, Arrays *a,
                          lbError *err) {
  lbStatus status = LB_OK;
  for (int32_t i = 0; i < scene->joint_count && !status; i++) {
    const int32_t *bodies = scene->joints[i].bodies;
    const lbModel *const two[2] = { models[bodies[0]], bodies[1] >= 0 ? models[bodies[1]] : NULL };
    lbJointDef def;
    int32_t *region = NULL;
    status = lb_study_joint(scene, i, two, &def, &region, err);
    if (status) return status;
    store_joint(&scene->joints[i], &def, (size_t)i, a);
    size_t begin = (size_t)a->begin[i], count = (size_t)def.region_count;
    if (!lb_grow((void **)&a->regions, &a->region_room, begin + count, sizeof *a->regions))
      status = lb_fail_memory(err);
    else if (count > 0)
      memcpy(a->regions + begin, region, count * sizeof *region);
    a->begin[i + 1] = (int32_t)(begin + count);
    lb_free(region);
  }
  return status;
}

lbStatus lb_cook_joints(const lbScene *scene, const lbModel *const *models, lbArena *arena,
                        lbWorldDef *world, lbError *err) {
  size_t count = (size_t)scene->joint_count, bytes = 0;
  Arrays a = { 0 };
  if (count == 0) return LB_OK;
  if (!allocate_joint_arrays(arena, count, &a)) return lb_fail_memory(err);
  lbStatus status = store_all(scene, models, &a, err);
  for (size_t i = 0; i < count; i++) bytes += strlen(scene->joints[i].name) + 1;
  char *names = lb_arena_alloc(arena, bytes, 1), *next = names;
  size_t all = (size_t)a.begin[count];
  int32_t *regions = lb_arena_alloc(arena, all, sizeof *regions);
  if (!status && (!names || !regions)) status = lb_fail_memory(err);
  if (!status && all > 0) memcpy(regions, a.regions, all * sizeof *regions);
  lb_free(a.regions);
  if (status) return status;
  for (size_t i = 0; i < count; i++, next += strlen(next) + 1) strcpy(next, scene->joints[i].name);
  world->size.joint_count = scene->joint_count;
  world->size.joint_region_count = (int32_t)all;
  world->joint_names = names;
  world->joint_kinds = a.kinds;
  world->joint_bodies = a.bodies;
  world->joint_vertices = a.vertices;
  world->joint_places = a.places;
  world->joint_axes = a.axes;
  world->joint_numbers = a.numbers;
  world->joint_collide = a.collide;
  if (all > 0) world->joint_region_begin = a.begin, world->joint_regions = regions;
  return LB_OK;
}
