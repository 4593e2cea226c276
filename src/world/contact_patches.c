// Patches: one contact for several vertices, where more vertices touch than contacts are allowed.
//
// Vertices without a contact are held by the stiffness of the elements around them only, and sink
// in. So the corners of a triangle become one contact: they share its force, and its gap is the
// mean of theirs. Triangles with three touching corners come first, then those with two that are
// left, in ascending order, so that the same vertices form the same patches in each step.
#include "world/touch.h"

// The vertex that a candidate is at; -1: it is on an edge or a face.
static int32_t vertex_of_candidate(const lbModel *model, const lbTouchCandidate *c) {
  for (int k = 0; k < 3; k++)
    if (c->weights[0][k] == 1) return model->triangles[3 * (size_t)c->triangles[0] + (size_t)k];
  return -1;
}

// at (vertices) <- the candidate at each; -1: none
static void find_touching_vertices(const lbModel *model, const lbTouchWork *work, int32_t *at) {
  for (int32_t v = 0; v < model->size.vertex_count; v++) at[v] = -1;
  for (int32_t i = 0; i < work->candidate_count; i++) {
    int32_t vertex = vertex_of_candidate(model, &work->candidates[i]);
    if (vertex >= 0 && at[vertex] < 0) at[vertex] = i;
  }
}

// The first of the candidates at these corners <- all of them.
static void join_patch(lbTouchWork *work, int32_t triangle, const int32_t of[3], int count) {
  lbTouchCandidate sum = { .triangles = { triangle, -1 }, .feature = LB_PATCH_FEATURE };
  int32_t first = -1;
  for (int k = 0; k < 3; k++) {
    if (of[k] < 0) continue;
    const lbTouchCandidate *c = &work->candidates[of[k]];
    sum.weights[0][k] = 1.0 / count;
    sum.point = lb_add_scaled(sum.point, 1.0 / count, c->point);
    sum.normal = lb_add(sum.normal, c->normal);
    sum.gap += c->gap / count;
    work->places[of[k]].gap = 0; // a mark: it is part of another
    if (first < 0) first = of[k];
  }
  sum.normal = lb_normalise(sum.normal);
  sum.known = -1;
  work->candidates[first] = sum;
  work->places[first].gap = 1;
}

static bool is_flat_patch(const lbTouchWork *work, const int32_t of[3]) {
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < i; k++)
      if (of[i] >= 0 && of[k] >= 0 &&
          lb_dot(work->candidates[of[i]].normal, work->candidates[of[k]].normal) < LB_FLAT_COSINE)
        return false;
  return true;
}

void lb_touch_make_patches(const lbWorld *world, lbTouchWork *work, const lbNear *near) {
  const lbModel *model = world->slots[near->slots[0]].body->prepared->model;
  int32_t *at = work->found, kept = 0;
  if (near->slots[1] >= 0 || !lb_compliance_is_estimated(world, near->slots[0])) return;
  if (work->candidate_count <= lb_touch_pair_most(world, near)) return;
  if (model->size.vertex_count > world->touch->found_room) return;
  find_touching_vertices(model, work, at);
  for (int32_t i = 0; i < work->candidate_count; i++) work->places[i].gap = 1;
  for (int corners = 3; corners >= 2; corners--)
    for (int32_t t = 0; t < model->size.triangle_count; t++) {
      const int32_t *vertices = model->triangles + 3 * (size_t)t;
      const int32_t of[3] = { at[vertices[0]], at[vertices[1]], at[vertices[2]] };
      if ((of[0] >= 0) + (of[1] >= 0) + (of[2] >= 0) != corners || !is_flat_patch(work, of))
        continue;
      join_patch(work, t, of, corners);
      for (int k = 0; k < 3; k++) at[vertices[k]] = -1;
    }
  for (int32_t i = 0; i < work->candidate_count; i++)
    if (work->places[i].gap != 0) work->candidates[kept++] = work->candidates[i];
  work->candidate_count = kept;
}
