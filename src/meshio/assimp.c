// Other surface formats through assimp, which renumbers, aborts on some bad files and eats the
// memory on others. So it runs in a child process with limits on memory and time, which sends plain
// triangles through a pipe; here they are checked like any other file's content.
//
// What the child sends: 'M' and a message; or 'U': it does not know the type of file; or 'T', 3 x 3
// doubles a triangle, and 'E' for the end. Corners that are exactly equal become one vertex.
#include "meshio/assimp.h"

#include "meshio/formats.h"

#define OWN_FORMATS ".msh .ele .node .mesh .veg .vtk .vtu .obj .stl .ply .off .glb"

lbAssimpLimits lb_assimp_limits(void) { return (lbAssimpLimits){ 60, (size_t)2 << 30 }; }

lbStatus lb_read_assimp(const char *path, const char *content, size_t bytes, lbMesh **out,
                        lbError *err) {
  (void)content;
  (void)bytes;
  return lb_read_assimp_within(path, lb_assimp_limits(), out, err);
}

#if !defined(LB_HAVE_ASSIMP) || defined(_WIN32)

lbStatus lb_read_assimp_within(const char *path, lbAssimpLimits limits, lbMesh **out,
                               lbError *err) {
  (void)limits;
  (void)out;
  return lb_fail(err, LB_ERR_UNSUPPORTED,
                 "%s: this format is unknown; limber reads " OWN_FORMATS
                 " (more when built with assimp)",
                 path);
}

#else

#include "limber/file.h"
#include "mesh/builder.h"
#include "meshio/assimp_child.h"
#include "mesh/points.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <fcntl.h>

#define CORNER_BYTES (3 * sizeof(double))

typedef struct Answer {
  char *data; // what the child wrote
  size_t bytes, capacity;
  bool timed_out;
  int exit_status; // as from waitpid; -1: unknown
} Answer;

// Reads until the child closes its end or the time is up.
static lbStatus listen_to(int pipe_end, double deadline, size_t most_bytes, Answer *answer,
                          lbError *err) {
  while (answer->bytes <= most_bytes) {
    double left = deadline - lb_seconds();
    struct pollfd watched = { pipe_end, POLLIN, 0 };
    int ready = left > 0 ? poll(&watched, 1, (int)ceil(fmin(left, 1e6) * 1000)) : 0;
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) answer->timed_out = lb_seconds() >= deadline;
    if (answer->timed_out) return LB_OK;
    if (!lb_grow((void **)&answer->data, &answer->capacity, answer->bytes + 65537, 1))
      return lb_fail_memory(err);
    ssize_t got = read(pipe_end, answer->data + answer->bytes, 65536);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    answer->bytes += (size_t)got;
  }
  if (answer->data) answer->data[answer->bytes] = '\0';
  return LB_OK;
}

static lbStatus run_child(const char *path, lbAssimpLimits limits, Answer *answer, lbError *err) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return lb_fail(err, LB_ERR_FILE, "%s: cannot make a pipe: %s", path, strerror(errno));
  double deadline = lb_seconds() + limits.seconds;
  pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    lb_assimp_child(path, limits, ends[1]); // does not return
  }
  close(ends[1]);
  if (child < 0) {
    close(ends[0]);
    return lb_fail(err, LB_ERR_FILE, "%s: cannot start a process: %s", path, strerror(errno));
  }
  lbStatus status = listen_to(ends[0], deadline, 4 * limits.memory_bytes, answer, err);
  close(ends[0]);
  // It has said all it has to say (or all it is allowed to).
  bool too_long = answer->bytes > 4 * limits.memory_bytes;
  if (status || answer->timed_out || too_long) kill(child, SIGKILL);
  pid_t ended;
  do ended = waitpid(child, &answer->exit_status, 0);
  while (ended < 0 && errno == EINTR);
  if (ended < 0) answer->exit_status = -1; // the program ignores SIGCHLD
  if (!status && too_long)
    status = lb_fail(err, LB_ERR_MEMORY, "%s: assimp produced more than %zu MiB of triangles", path,
                     4 * (limits.memory_bytes >> 20));
  return status;
}

static lbStatus explain(const char *path, lbAssimpLimits limits, const Answer *answer,
                        lbError *err) {
  int status = answer->exit_status;
  bool signalled = status != -1 && WIFSIGNALED(status);
  if (answer->timed_out || (signalled && WTERMSIG(status) == SIGXCPU))
    return lb_fail(err, LB_ERR_FORMAT,
                   "%s: assimp was stopped after %g s, convert the file to .obj or .ply", path,
                   limits.seconds);
  if (status != -1 && WIFEXITED(status) && WEXITSTATUS(status) == LB_CHILD_NO_MEMORY)
    return lb_fail(err, LB_ERR_MEMORY,
                   "%s: assimp asked for more than %zu MiB, convert the file to .obj or .ply", path,
                   limits.memory_bytes >> 20);
  if (signalled)
    return lb_fail(err, LB_ERR_FORMAT,
                   "%s: assimp crashed on this file (%s), convert it to .obj or .ply", path,
                   strsignal(WTERMSIG(status)));
  return lb_fail(err, LB_ERR_FORMAT, "%s: assimp ended without output (exit status %d)", path,
                 status != -1 && WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

static lbStatus build(const char *path, const char *corners, size_t triangle_count, lbMesh **out,
                      lbError *err) {
  lbMeshBuilder builder;
  lbHashTable points = lb_point_table();
  lb_mesh_builder_begin(&builder);
  for (size_t t = 0; t < triangle_count && !builder.out_of_memory; t++) {
    int32_t vertices[3];
    for (size_t k = 0; k < 3; k++) {
      double x[3];
      memcpy(x, corners + (3 * t + k) * CORNER_BYTES, CORNER_BYTES);
      vertices[k] = lb_point_table_add(&points, x[0], x[1], x[2]);
      if (vertices[k] < 0)
        builder.out_of_memory = true;
      else if (vertices[k] == builder.mesh->vertex_count)
        lb_mesh_add_vertex(&builder, x[0] + 0.0, x[1] + 0.0, x[2] + 0.0);
    }
    lb_mesh_add_triangle(&builder, vertices);
  }
  lbStatus status = lb_mesh_builder_finish(&builder, path, out, err);
  lb_hash_table_release(&points);
  return status;
}

lbStatus lb_read_assimp_within(const char *path, lbAssimpLimits limits, lbMesh **out,
                               lbError *err) {
  Answer answer = { .exit_status = -1 };
  lbStatus status = run_child(path, limits, &answer, err);
  if (status) goto done;
  bool clean = answer.exit_status == -1 ||
               (WIFEXITED(answer.exit_status) && WEXITSTATUS(answer.exit_status) == 0);
  size_t triangle_bytes = 3 * CORNER_BYTES, payload = answer.bytes > 2 ? answer.bytes - 2 : 0;
  if (answer.timed_out || !clean || answer.bytes == 0)
    status = explain(path, limits, &answer, err);
  else if (answer.data[0] == 'U')
    status =
        lb_fail(err, LB_ERR_UNSUPPORTED,
                "%s: this format (\"%s\") is unknown, also to assimp; limber reads " OWN_FORMATS,
                path, lb_path_extension(path));
  else if (answer.data[0] == 'M')
    status = lb_fail(err, LB_ERR_FORMAT, "%s: assimp cannot read it: %s", path, answer.data + 1);
  else if (answer.data[0] != 'T' || answer.data[answer.bytes - 1] != 'E' ||
           payload % triangle_bytes)
    status = lb_fail(err, LB_ERR_FORMAT, "%s: assimp's output is truncated", path);
  else if (payload == 0)
    status = lb_fail(err, LB_ERR_FORMAT, "%s: holds no triangles", path);
  else
    status = build(path, answer.data + 1, payload / triangle_bytes, out, err);
done:
  lb_free(answer.data);
  return status;
}

#endif
