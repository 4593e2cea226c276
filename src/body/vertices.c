// Floats of a body in the caller's vertex buffer. A range of vertices needs the places of their
// neighbours (for normals) and u = U q of the nodes that carry those: the nodes are marked, and
// stretches of marked ones are worked out together. The sums are those of the whole surface, in the
// same order.
#include "body/vertices.h"

#include <string.h>

enum {
  WHOLE = 12, // a range of that part of all vertices or more: the whole surface costs less
  STRETCH = 8 // so many unmarked nodes are rather worked out than skipped
};

typedef struct Writer {
  const lbBody *body;
  const lbRenderMesh *mesh; // NULL: surface vertices
  const lbVertexLayout *layout;
  int32_t first, count;
  lbScratch *scratch;
  struct lbVertexWork *work;
} Writer;

lbVertexLayout lb_vertex_layout(void) {
  return (lbVertexLayout){ .position = -1, .normal = -1, .tangent = -1, .uv = -1 };
}

// ---- checks ------------------------------------------------------------------------------------

typedef struct Field {
  const char *name;
  int32_t offset, bytes;
} Field;

static lbStatus check_fields(const lbVertexLayout *layout, size_t *end, lbError *err) {
  const Field fields[4] = { { "position", layout->position, 12 },
                            { "normal", layout->normal, 12 },
                            { "tangent", layout->tangent, 16 },
                            { "uv", layout->uv, 8 } };
  *end = 0;
  for (int i = 0; i < 4; i++) {
    const Field *f = fields + i;
    if (f->offset == -1) continue;
    if (f->offset < -1)
      return lb_fail(err, LB_ERR_ARGUMENT, "layout: %s is at %d; -1 leaves it out", f->name,
                     (int)f->offset);
    size_t last = (size_t)f->offset + (size_t)f->bytes;
    if (last > layout->stride)
      return lb_fail(err, LB_ERR_ARGUMENT,
                     "layout: %s ends at byte %llu of a vertex, the stride is %llu", f->name,
                     (unsigned long long)last, (unsigned long long)layout->stride);
    for (int k = 0; k < i; k++)
      if (fields[k].offset >= 0 && fields[k].offset < f->offset + f->bytes &&
          f->offset < fields[k].offset + fields[k].bytes)
        return lb_fail(err, LB_ERR_ARGUMENT, "layout: %s and %s overlap", fields[k].name, f->name);
    *end = last > *end ? last : *end;
  }
  return *end ? LB_OK : lb_fail(err, LB_ERR_ARGUMENT, "layout: every field is left out");
}

static lbStatus check_range(const Writer *w, int32_t vertex_count, const void *buffer,
                            size_t byte_count, lbError *err) {
  size_t end, stride = w->layout->stride;
  lbStatus status = check_fields(w->layout, &end, err);
  if (status) return status;
  if (w->first < 0 || w->count < 0 || w->first > vertex_count - w->count)
    return lb_fail(err, LB_ERR_ARGUMENT, "vertices %d to %lld are not among the %d there are",
                   (int)w->first, (long long)w->first + w->count - 1, (int)vertex_count);
  if (w->count == 0) return LB_OK;
  size_t steps = (size_t)w->count - 1;
  if (steps && stride > (SIZE_MAX - end) / steps)
    return lb_fail(err, LB_ERR_ARGUMENT, "layout: the stride is %llu", (unsigned long long)stride);
  if (!buffer || byte_count < steps * stride + end)
    return lb_fail(err, LB_ERR_ARGUMENT, "the buffer has %llu bytes; %d vertices need %llu",
                   (unsigned long long)(buffer ? byte_count : 0), (int)w->count,
                   (unsigned long long)(steps * stride + end));
  return LB_OK;
}

// ---- scratch -----------------------------------------------------------------------------------

void lb_vertex_work_destroy(struct lbVertexWork *work) { lb_free(work); }

static struct lbVertexWork *place_work(const lbModelSizes *size, struct lbVertexWork *work,
                                       lbCarver *carver) {
  struct lbVertexWork *at = lb_carve(carver, 1, sizeof *work);
  work->vertices = lb_carve(carver, (size_t)size->vertex_count, sizeof *work->vertices);
  work->nodes = lb_carve(carver, (size_t)size->node_count, sizeof *work->nodes);
  work->normals = lb_carve(carver, (size_t)size->vertex_count, 3 * sizeof *work->normals);
  return at;
}

static struct lbVertexWork *make_work(const lbModelSizes *size) {
  struct lbVertexWork draft = { 0 };
  lbCarver carver = { 0 };
  place_work(size, &draft, &carver);
  carver.block = carver.overflow ? NULL : lb_alloc(carver.used, 1);
  if (!carver.block) return NULL;
  carver.used = 0;
  struct lbVertexWork *work = place_work(size, &draft, &carver);
  *work = draft;
  return work;
}

static void next_stamp(struct lbVertexWork *work, const lbModelSizes *size) {
  if (work->stamp > UINT32_MAX - 4) {
    memset(work->vertices, 0, (size_t)size->vertex_count * sizeof *work->vertices);
    memset(work->nodes, 0, (size_t)size->node_count * sizeof *work->nodes);
    work->stamp = 0;
  }
  work->stamp += 2;
}

// ---- places and normals of what is asked for ---------------------------------------------------

static int32_t source_of(const Writer *w, int32_t index) {
  return w->mesh ? w->mesh->sources[index] : index;
}

static bool needs_normals(const Writer *w) {
  return w->layout->normal >= 0 || w->layout->tangent >= 0;
}

typedef struct Nodes { // marked ones lie in [begin, end)
  int32_t begin, end;
} Nodes;

static void mark_vertex(const Writer *w, int32_t vertex, Nodes *nodes) {
  const lbModel *model = w->body->prepared->model;
  if (w->work->vertices[vertex] == w->work->stamp) return;
  w->work->vertices[vertex] = w->work->stamp;
  for (int32_t k = model->carrier_begin[vertex]; k < model->carrier_begin[vertex + 1]; k++) {
    int32_t node = model->carrier_nodes[k];
    w->work->nodes[node] = w->work->stamp;
    if (node < nodes->begin) nodes->begin = node;
    if (node >= nodes->end) nodes->end = node + 1;
  }
}

static void place_vertex(const Writer *w, int32_t vertex) {
  if (w->work->vertices[vertex] > w->work->stamp) return;
  w->work->vertices[vertex] = w->work->stamp + 1;
  lb_vec3_store(w->scratch->call->positions + 3 * (size_t)vertex,
                lb_surface_vertex(w->body, w->scratch->call->nodes, vertex));
}

// A vertex and, where normals are asked for, its neighbours: marked, or then placed.
static void visit_around(const Writer *w, int32_t vertex, Nodes *nodes) {
  const lbPrepared *p = w->body->prepared;
  if (nodes)
    mark_vertex(w, vertex, nodes);
  else
    place_vertex(w, vertex);
  if (!needs_normals(w)) return;
  for (int32_t i = p->around_begin[vertex]; i < p->around_begin[vertex + 1]; i++)
    for (size_t k = 0; k < 3; k++) {
      int32_t corner = p->model->triangles[3 * (size_t)p->around[i] + k];
      if (nodes)
        mark_vertex(w, corner, nodes);
      else
        place_vertex(w, corner);
    }
}

static void work_out_nodes(const Writer *w, Nodes nodes) {
  const uint32_t *stamps = w->work->nodes;
  for (int32_t n = nodes.begin; n < nodes.end;) {
    int32_t end = n + 1;
    for (int32_t k = end; k < nodes.end && k - end <= STRETCH; k++)
      if (stamps[k] == w->work->stamp) end = k + 1;
    lb_body_nodes(w->body, w->scratch->a, w->scratch->b, n, end, w->scratch->call->nodes, NULL);
    for (n = end; n < nodes.end && stamps[n] != w->work->stamp;) n++;
  }
}

static void work_out_normal(const Writer *w, int32_t vertex) {
  const lbPrepared *p = w->body->prepared;
  lbTriangles surface = { p->model->size.triangle_count, p->model->triangles,
                          w->scratch->call->positions };
  lbVec3 sum = lb_vec3(0, 0, 0);
  for (int32_t i = p->around_begin[vertex]; i < p->around_begin[vertex + 1]; i++) {
    lbVec3 x = lb_triangle_corner(&surface, p->around[i], 0);
    sum = lb_add(sum, lb_cross(lb_sub(lb_triangle_corner(&surface, p->around[i], 1), x),
                               lb_sub(lb_triangle_corner(&surface, p->around[i], 2), x)));
  }
  lb_vec3_store(w->work->normals + 3 * (size_t)vertex, lb_normalise(sum));
}

static void work_out_range(const Writer *w) {
  const lbPrepared *p = w->body->prepared;
  Nodes nodes = { p->model->size.node_count, 0 };
  next_stamp(w->work, &p->model->size);
  p->method->get(w->body, w->scratch->a, w->scratch->b, NULL);
  for (int32_t i = w->first; i < w->first + w->count; i++) visit_around(w, source_of(w, i), &nodes);
  work_out_nodes(w, nodes);
  for (int32_t i = w->first; i < w->first + w->count; i++) visit_around(w, source_of(w, i), NULL);
  for (int32_t i = w->first; i < w->first + w->count && needs_normals(w); i++)
    if (i == w->first || source_of(w, i) != source_of(w, i - 1))
      work_out_normal(w, source_of(w, i));
}

static void work_out_all(const Writer *w) {
  lb_surface_positions(w->body, w->scratch->call->positions, w->scratch);
  if (needs_normals(w))
    lb_body_surface_normals(w->body, w->scratch->call->positions, w->work->normals);
}

// ---- into the buffer ---------------------------------------------------------------------------

static void write_floats(char *vertex, int32_t offset, lbVec3 a) {
  const float values[3] = { (float)a.x, (float)a.y, (float)a.z };
  memcpy(vertex + offset, values, sizeof values);
}

// Any direction across n: n times the axis that is farthest from it.
static lbVec3 across(lbVec3 n) {
  double x = fabs(n.x), y = fabs(n.y), z = fabs(n.z);
  lbVec3 axis = x <= y && x <= z ? lb_vec3(1, 0, 0) : y <= z ? lb_vec3(0, 1, 0) : lb_vec3(0, 0, 1);
  lbVec3 out = lb_normalise(lb_cross(axis, n));
  return lb_dot(out, out) > 0.5 ? out : lb_vec3(1, 0, 0);
}

static void write_tangent(const Writer *w, int32_t index, lbVec3 normal, char *vertex) {
  const struct lbRenderTangents *t = w->mesh->tangents_;
  lbTriangles surface = { w->mesh->model->size.triangle_count, w->mesh->model->triangles,
                          w->scratch->call->positions };
  lbVec3 sum = lb_vec3(0, 0, 0);
  for (int32_t k = t->begin[index]; k < t->begin[index + 1]; k++) {
    lbVec3 x = lb_triangle_corner(&surface, t->around[k], 0);
    const double *factors = t->factors + 2 * (size_t)t->around[k];
    sum = lb_add_scaled(sum, factors[0], lb_sub(lb_triangle_corner(&surface, t->around[k], 1), x));
    sum = lb_add_scaled(sum, factors[1], lb_sub(lb_triangle_corner(&surface, t->around[k], 2), x));
  }
  lbVec3 flat = lb_sub(sum, lb_scale(lb_dot(sum, normal), normal));
  bool known = lb_length(flat) > 1e-12 * lb_length(sum);
  float mirror = known ? (float)t->mirrors[index] : 1;
  write_floats(vertex, w->layout->tangent, known ? lb_normalise(flat) : across(normal));
  memcpy(vertex + w->layout->tangent + 12, &mirror, sizeof mirror);
}

static void write_all(const Writer *w, char *buffer) {
  const lbVertexLayout *at = w->layout;
  for (int32_t i = w->first; i < w->first + w->count; i++, buffer += at->stride) {
    size_t source = 3 * (size_t)source_of(w, i);
    lbVec3 normal = needs_normals(w) ? lb_vec3_load(w->work->normals + source) : lb_vec3(0, 0, 0);
    if (at->position >= 0)
      write_floats(buffer, at->position, lb_vec3_load(w->scratch->call->positions + source));
    if (at->normal >= 0) write_floats(buffer, at->normal, normal);
    if (at->tangent >= 0) write_tangent(w, i, normal, buffer);
    if (at->uv >= 0) {
      const float none[2] = { 0, 0 };
      memcpy(buffer + at->uv, w->mesh->uvs ? w->mesh->uvs + 2 * (size_t)i : none, sizeof none);
    }
  }
}

static lbStatus write_vertices(Writer *w, int32_t vertex_count, void *buffer, size_t byte_count,
                               lbError *err) {
  const lbPrepared *p = w->body->prepared;
  lbStatus status = check_range(w, vertex_count, buffer, byte_count, err);
  if (status || w->count == 0) return status;
  w->scratch = lb_scratch_borrow(p);
  if (!w->scratch) return lb_fail_memory(err);
  if (!w->scratch->call->vertex_work) w->scratch->call->vertex_work = make_work(&p->model->size);
  w->work = w->scratch->call->vertex_work;
  if (!w->work)
    status = lb_fail_memory(err);
  else {
    if (w->count >= vertex_count / WHOLE)
      work_out_all(w);
    else
      work_out_range(w);
    write_all(w, buffer);
  }
  lb_scratch_return(p, w->scratch);
  return status;
}

lbStatus lb_body_write_vertices(const lbBody *body, const lbVertexLayout *layout, int32_t first,
                                int32_t count, void *buffer, size_t byte_count, lbError *err) {
  if (!body) return lb_refuse_null(err, "body");
  if (!layout) return lb_refuse_null(err, "layout");
  if (!buffer && count > 0) return lb_refuse_null(err, "buffer");
  Writer w = { .body = body, .layout = layout, .first = first, .count = count };
  if (layout->tangent >= 0 || layout->uv >= 0)
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "layout: %s is for render vertices: surface vertices have no texture coordinate "
                   "of their own",
                   layout->tangent >= 0 ? "tangent" : "uv");
  return write_vertices(&w, body->prepared->model->size.vertex_count, buffer, byte_count, err);
}

lbStatus lb_body_write_render_vertices(const lbBody *body, const lbRenderMesh *mesh,
                                       const lbVertexLayout *layout, int32_t first, int32_t count,
                                       void *buffer, size_t byte_count, lbError *err) {
  if (!body) return lb_refuse_null(err, "body");
  if (!mesh) return lb_refuse_null(err, "mesh");
  if (!layout) return lb_refuse_null(err, "layout");
  if (!buffer && count > 0) return lb_refuse_null(err, "buffer");
  Writer w = { .body = body, .mesh = mesh, .layout = layout, .first = first, .count = count };
  if (mesh->model != body->prepared->model)
    return lb_fail(err, LB_ERR_ARGUMENT, "the render mesh is of another model than the body");
  return write_vertices(&w, mesh->vertex_count, buffer, byte_count, err);
}
