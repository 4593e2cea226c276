// Fuzz target: the motion of a glTF node. The nodes asked for are those of the seeds.
#include "fuzz.h"

#include "limber/path.h"
#include "scene/gltf_motion.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const names[] = { "a", "hips", "" };
  char *copy = malloc(size + 1);
  if (!copy) return 0;
  if (size) memcpy(copy, data, size);
  copy[size] = '\0';
  for (int i = 0; i < 3; i++) {
    lbPath *path = NULL;
    lbPathState state;
    lbError err;
    bool cycle = i == 1;
    if (lb_gltf_motion("fuzz", copy, size, names[i], NULL, cycle, &path, &err) != LB_OK) continue;
    for (double t = -1; t < 3; t += 0.25) {
      lb_path_at(path, t, &state);
      lb_path_carry(path, t, t + 1, &state);
    }
    lb_path_destroy(path);
  }
  free(copy);
  return 0;
}
