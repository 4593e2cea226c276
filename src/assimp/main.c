// limber-assimp: reads one file with assimp and writes plain triangles to standard output, for
// lb_mesh_load. A process of its own, so that a reader that crashes, loops or eats memory costs
// nothing but itself; nothing of it reaches the terminal. What it is told and what it sends stands
// in meshio/assimp_reply.h.
#include "limber/file.h"
#include "meshio/assimp_reply.h"

#include <assimp/cimport.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define MOST_DEPTH 256 // of nested nodes

typedef struct Output {
  size_t used;
  char buffer[1 << 16];
} Output;

static void set_limit(int what, rlim_t value) {
  struct rlimit limit;
  if (getrlimit(what, &limit) != 0) return;
  if (limit.rlim_max == RLIM_INFINITY || value < limit.rlim_max) limit.rlim_cur = value;
  setrlimit(what, &limit);
}

// Bytes of address space in use; 0 when the system does not say.
static size_t used_bytes(void) {
  unsigned long long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file) return 0;
  if (fscanf(file, "%llu", &pages) != 1) pages = 0;
  fclose(file);
  return (size_t)pages * (size_t)sysconf(_SC_PAGESIZE);
}

static void confine(double seconds, size_t memory_bytes) {
  size_t used = used_bytes();
  set_limit(RLIMIT_CORE, 0);
  set_limit(RLIMIT_CPU, (rlim_t)ceil(seconds));
  if (used) set_limit(RLIMIT_AS, (rlim_t)(used + memory_bytes));
}

static _Noreturn void end_process(int status) { _exit(status); }

static void flush(Output *output) {
  for (size_t sent = 0; sent < output->used;) {
    ssize_t wrote = write(STDOUT_FILENO, output->buffer + sent, output->used - sent);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) end_process(1); // nobody listens any more
    sent += (size_t)wrote;
  }
  output->used = 0;
}

static void write_answer(Output *output, const void *data, size_t bytes) {
  if (output->used + bytes > sizeof output->buffer) flush(output);
  memcpy(output->buffer + output->used, data, bytes);
  output->used += bytes;
}

static void put_assimp_mesh(Output *output, const struct aiMesh *mesh,
                            const struct aiMatrix4x4 *m) {
  bool mirrored = aiMatrix4Determinant(m) < 0;
  for (unsigned f = 0; f < mesh->mNumFaces; f++) {
    const struct aiFace *face = &mesh->mFaces[f];
    if (face->mNumIndices != 3) continue; // points and lines
    for (int k = 0; k < 3; k++) {
      unsigned vertex = face->mIndices[mirrored ? 2 - k : k];
      if (vertex >= mesh->mNumVertices) end_process(4);
      const struct aiVector3D *p = &mesh->mVertices[vertex];
      double x[3] = { (double)m->a1 * (double)p->x + (double)m->a2 * (double)p->y +
                          (double)m->a3 * (double)p->z + (double)m->a4,
                      (double)m->b1 * (double)p->x + (double)m->b2 * (double)p->y +
                          (double)m->b3 * (double)p->z + (double)m->b4,
                      (double)m->c1 * (double)p->x + (double)m->c2 * (double)p->y +
                          (double)m->c3 * (double)p->z + (double)m->c4 };
      write_answer(output, x, sizeof x);
    }
  }
}

static void put_assimp_node(Output *output, const struct aiScene *scene, const struct aiNode *node,
                            const struct aiMatrix4x4 *parent, int depth) {
  struct aiMatrix4x4 matrix = *parent;
  if (depth > MOST_DEPTH) end_process(4);
  aiMultiplyMatrix4(&matrix, &node->mTransformation);
  for (unsigned i = 0; i < node->mNumMeshes; i++)
    if (node->mMeshes[i] < scene->mNumMeshes)
      put_assimp_mesh(output, scene->mMeshes[node->mMeshes[i]], &matrix);
  for (unsigned i = 0; i < node->mNumChildren; i++)
    put_assimp_node(output, scene, node->mChildren[i], &matrix, depth + 1);
}

static void put_failure(Output *output) {
  const char *why = aiGetErrorString();
  if (strstr(why, "bad_alloc") || strstr(why, "memory")) end_process(LB_ASSIMP_NO_MEMORY);
  write_answer(output, "M", 1);
  for (; *why && output->used < 300; why++) write_answer(output, *why == '\n' ? " " : why, 1);
}

int main(int count, char **words) {
  static Output output;
  struct aiMatrix4x4 identity;
  if (count != 4) {
    fprintf(stderr, "limber-assimp: limber starts this program to read other formats of meshes\n");
    return LB_ASSIMP_BAD_CALL;
  }
  const char *path = words[1];
  confine(strtod(words[2], NULL), (size_t)strtoull(words[3], NULL, 10));
  aiIdentityMatrix4(&identity);
  const char *extension = lb_path_extension(path);
  if (!extension[0] || !aiIsExtensionSupported(extension)) {
    write_answer(&output, "U", 1);
    flush(&output);
    end_process(0);
  }
  const struct aiScene *scene = aiImportFile(path, aiProcess_Triangulate);
  if (scene && scene->mRootNode) {
    write_answer(&output, "T", 1);
    put_assimp_node(&output, scene, scene->mRootNode, &identity, 0);
    write_answer(&output, "E", 1);
  } else {
    put_failure(&output);
  }
  flush(&output);
  end_process(0);
}
