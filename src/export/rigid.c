// Rigid parts of frames. With X the rest shape about its centroid and x_f a frame about its own,
// R_f is the rotation of the polar decomposition of sum x_f X^T.
#include "export/rigid.h"

#include "limber/math.h"

#include <string.h>

#define TURN_LEAST 0.5 // rad: bodies that turn less need not be turned

void lb_rigid_release(lbRigidPart *part) {
  lb_free(part->positions);
  lb_free(part->rotations);
  lb_free(part->frames);
  *part = (lbRigidPart){ 0 };
}

static lbVec3 rest_at(const lbSurface *surface, const lbMesh *mesh, int32_t i) {
  return lb_vec3_load(mesh->positions + 3 * (size_t)surface->sources[i]);
}

static lbVec3 moved_at(const float *frame, size_t vertex) {
  const float *x = frame + 3 * vertex;
  return lb_vec3((double)x[0], (double)x[1], (double)x[2]);
}

static lbVec3 rest_centre(const lbSurface *surface, const lbMesh *mesh) {
  lbVec3 sum = lb_vec3(0, 0, 0);
  for (int32_t i = 0; i < surface->source_count; i++) sum = lb_add(sum, rest_at(surface, mesh, i));
  return lb_scale(1.0 / surface->source_count, sum);
}

// x = position + rotation X, on the side of the rotation before.
static void fit_rigid_motion(const lbSurface *surface, const lbMesh *mesh, lbVec3 centre,
                             const float *frame, lbQuat before, lbVec3 *position,
                             lbQuat *rotation) {
  lbVec3 middle = lb_vec3(0, 0, 0);
  lbMat3 A = { { 0 } }, R;
  for (int32_t i = 0; i < surface->source_count; i++)
    middle = lb_add(middle, moved_at(frame, (size_t)surface->sources[i]));
  middle = lb_scale(1.0 / surface->source_count, middle);
  for (int32_t i = 0; i < surface->source_count; i++) {
    lbVec3 x = lb_sub(moved_at(frame, (size_t)surface->sources[i]), middle);
    A = lb_mat3_add(A, lb_mat3_outer(x, lb_sub(rest_at(surface, mesh, i), centre)));
  }
  bool sane = isfinite(lb_mat3_norm(A));
  if (sane) lb_polar3(A, &R, NULL);
  lbQuat q = sane ? lb_quat_from_mat3(R) : lb_quat_identity();
  *rotation = lb_quat_dot(q, before) < 0 ? lb_quat_scale(-1, q) : q;
  *position = lb_sub(middle, lb_quat_rotate(*rotation, centre));
}

static void take_rigid_motion_out(lbVec3 position, lbQuat rotation, size_t vertex_count,
                                  const float *from, float *to) {
  lbQuat back = lb_quat_conjugate(rotation);
  for (size_t v = 0; v < vertex_count; v++) {
    lbVec3 own = lb_quat_rotate(back, lb_sub(moved_at(from, v), position));
    to[3 * v] = (float)own.x, to[3 * v + 1] = (float)own.y, to[3 * v + 2] = (float)own.z;
  }
}

// Fits all frames; the largest turn, in rad.
static double fit_frames(const lbSurface *surface, const lbMesh *mesh, int32_t frame_count,
                         const float *frames, lbRigidPart *out) {
  lbVec3 centre = rest_centre(surface, mesh), position;
  lbQuat rotation = lb_quat_identity();
  double most = 0;
  for (size_t f = 0; f < (size_t)frame_count; f++) {
    fit_rigid_motion(surface, mesh, centre, frames + 3 * (size_t)mesh->vertex_count * f, rotation,
                     &position, &rotation);
    double *q = out->rotations + 4 * f;
    lb_vec3_store(out->positions + 3 * f, position);
    q[0] = rotation.x, q[1] = rotation.y, q[2] = rotation.z, q[3] = rotation.w;
    most = fmax(most, 2 * acos(fmin(fabs(rotation.w), 1)));
  }
  return most;
}

lbStatus lb_rigid_take_out(const lbSurface *surface, const lbMesh *mesh, int32_t frame_count,
                           const float *frames, lbRigidPart *out, lbError *err) {
  size_t count = (size_t)frame_count, values = 3 * (size_t)mesh->vertex_count;
  *out = (lbRigidPart){ .positions = lb_alloc(count, 3 * sizeof(double)),
                        .rotations = lb_alloc(count, 4 * sizeof(double)) };
  bool complete = out->positions && out->rotations;
  bool turns = complete && fit_frames(surface, mesh, frame_count, frames, out) >= TURN_LEAST;
  if (turns) {
    out->frames = lb_alloc(count * values, sizeof(float));
    complete = out->frames != NULL;
  }
  for (size_t f = 0; f < count && turns && complete; f++) {
    const double *q = out->rotations + 4 * f;
    take_rigid_motion_out(lb_vec3_load(out->positions + 3 * f), lb_quat(q[0], q[1], q[2], q[3]),
                          (size_t)mesh->vertex_count, frames + values * f,
                          out->frames + values * f);
  }
  if (!turns || !complete) lb_rigid_release(out);
  return complete ? LB_OK : lb_fail_memory(err);
}
