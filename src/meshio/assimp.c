// Other surface formats through assimp, which renumbers, aborts on some bad files and eats the
// memory on others. So it runs in a program of its own, limber-assimp, with limits on memory and
// time, which sends plain triangles through a pipe; here they are checked like any other file's
// content. Corners that are exactly equal become one vertex.
#include "meshio/assimp.h"

#include "limber/file.h"
#include "limber/process.h"
#include "mesh/builder.h"
#include "mesh/points.h"
#include "meshio/assimp_reply.h"
#include "meshio/formats.h"
#include "arrayio/budget.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define OWN_FORMATS ".msh .ele .node .mesh .veg .vtk .vtu .obj .stl .ply .off .glb"
#define CORNER_BYTES (3 * sizeof(double))

lbAssimpLimits lb_assimp_limits(size_t file_bytes) {
  double megabytes = (double)file_bytes / (1 << 20);
  size_t room = file_bytes < SIZE_MAX / 64 ? 16 * file_bytes : SIZE_MAX / 4;
  return (lbAssimpLimits){ 60 + megabytes, ((size_t)2 << 30) + room,
                           lb_budget(file_bytes, LB_BUDGET_EXPAND) };
}

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

static lbStatus start_assimp_program(const char *path, lbAssimpLimits limits, int *child,
                                     int *pipe_end, lbError *err) {
  char program[LB_PROGRAM_PATH], seconds[32], bytes[32];
  int ends[2];
  if (!lb_program_find(LB_ASSIMP_PROGRAM, true, program))
    return lb_fail(err, LB_ERR_UNSUPPORTED,
                   "%s: this format is unknown; limber reads " OWN_FORMATS
                   " (more with its program " LB_ASSIMP_PROGRAM ", which is not installed)",
                   path);
  if (pipe2(ends, O_CLOEXEC) != 0)
    return lb_fail(err, LB_ERR_FILE, "%s: cannot make a pipe: %s", path, strerror(errno));
  snprintf(seconds, sizeof seconds, "%lld", (long long)ceil(fmin(limits.seconds, 1e9)));
  snprintf(bytes, sizeof bytes, "%zu", limits.memory_bytes);
  const char *const words[] = { program, path, seconds, bytes, NULL };
  lbProcessDef def = lb_process_def();
  def.words = words;
  def.output = ends[1];
  lbStatus status = lb_process_start(&def, child, err);
  close(ends[1]);
  if (status) close(ends[0]);
  *pipe_end = ends[0];
  return status;
}

static lbStatus run_child(const char *path, lbAssimpLimits limits, Answer *answer, lbError *err) {
  int child = 0, pipe_end = -1;
  double deadline = lb_seconds() + limits.seconds;
  lbStatus status = start_assimp_program(path, limits, &child, &pipe_end, err);
  if (status) return status;
  status = listen_to(pipe_end, deadline, limits.reply_bytes, answer, err);
  close(pipe_end);
  // It has said all it has to say (or all it is allowed to).
  bool too_long = answer->bytes > limits.reply_bytes;
  if (status || answer->timed_out || too_long) kill(child, SIGKILL);
  pid_t ended;
  do ended = waitpid(child, &answer->exit_status, 0);
  while (ended < 0 && errno == EINTR);
  if (ended < 0) answer->exit_status = -1; // the program ignores SIGCHLD
  if (!status && too_long)
    status = lb_fail(err, LB_ERR_FORMAT,
                     "%s: stands for more than %zu MiB of triangles, too much for a file of its "
                     "size; convert it to .obj or .ply",
                     path, limits.reply_bytes >> 20);
  return status;
}

static lbStatus explain_assimp_failure(const char *path, lbAssimpLimits limits,
                                       const Answer *answer, lbError *err) {
  int status = answer->exit_status;
  bool signalled = status != -1 && WIFSIGNALED(status);
  if (answer->timed_out || (signalled && WTERMSIG(status) == SIGXCPU))
    return lb_fail(err, LB_ERR_FORMAT,
                   "%s: assimp was stopped after %g s, convert the file to .obj or .ply", path,
                   limits.seconds);
  if (status != -1 && WIFEXITED(status) && WEXITSTATUS(status) == LB_ASSIMP_NO_MEMORY)
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

static lbStatus build_assimp_mesh(const char *path, const char *corners, size_t triangle_count,
                                  lbMesh **out, lbError *err) {
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
    status = explain_assimp_failure(path, limits, &answer, err);
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
    status = build_assimp_mesh(path, answer.data + 1, payload / triangle_bytes, out, err);
done:
  lb_free(answer.data);
  return status;
}

lbStatus lb_read_assimp(const char *path, const char *content, size_t bytes, lbMesh **out,
                        lbError *err) {
  (void)content;
  return lb_read_assimp_within(path, lb_assimp_limits(bytes), out, err);
}
