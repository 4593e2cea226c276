// Any bytes as a scene. Generated meshes are real, so memory is bounded; file names lead nowhere:
// the scene's folder does not exist, and inputs that could spell an absolute name are left out.
#include "fuzz.h"

#include "scene/read.h"

static size_t allocated; // bytes since the input began

static void *allocate_bounded(size_t bytes, void *context) {
  (void)context;
  if (bytes > (32u << 20) - allocated) return NULL;
  allocated += bytes;
  return aligned_alloc(LB_ALIGNMENT, (bytes + LB_ALIGNMENT - 1) / LB_ALIGNMENT * LB_ALIGNMENT);
}

static void release(void *block, void *context) {
  (void)context;
  free(block);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const lbAllocator bounded = { allocate_bounded, release, NULL };
  lbScene *scene = NULL;
  lbFem *fem = NULL;
  lbError err;
  char *copy = malloc(size + 1);
  if (!copy) return 0;
  if (size) memcpy(copy, data, size);
  copy[size] = '\0';
  lb_set_allocator(&bounded);
  allocated = 0;
  bool absolute = memchr(copy, '\\', size) || strstr(copy, "\"/");
  if (!absolute && lb_scene_read("no-such-folder/scene.json", copy, size, &scene, &err) == LB_OK) {
    if (lb_scene_fem(&scene->bodies[0], &fem, &err) == LB_OK) lb_fem_destroy(fem);
    lb_scene_destroy(scene);
  }
  free(copy);
  return 0;
}
