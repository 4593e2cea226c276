// target_i = s_i U_i with s_i = LB_VIEWABLE_MOVE size / max |U_i|, the size being the diagonal of
// the rest shape's bounding box; the targets' normals are the first-order change of the normals.
#include "export/viewable.h"

#include "export/check.h"
#include "export/morph.h"
#include "export/nodes.h"
#include "export/normals.h"
#include "limber/math.h"

#include <stdio.h>
#include <string.h>

typedef struct Targets {
  int32_t count;
  float *positions, *normals; // (count x source_count x 3)
  float *weights;             // (count), zero
} Targets;

typedef struct Making {
  lbGlb glb;
  lbLooks looks;
  json_t *children; // of the root node
  int32_t *meshes;  // (body_count)
  int64_t *ranges;  // texture_ranges
  size_t texture_count;
} Making;

// ---- targets -----------------------------------------------------------------------------------

static double shape_scale(const lbSurface *surface, const double *shape) {
  double farthest = 0;
  for (int32_t i = 0; i < surface->source_count; i++)
    farthest = fmax(farthest, lb_length(lb_vec3_load(shape + 3 * (size_t)surface->sources[i])));
  return farthest > 0 ? LB_VIEWABLE_MOVE * surface->size / farthest : 0;
}

static bool make_target(const lbViewableBody *body, const lbSurface *surface, size_t id,
                        Targets *targets) {
  const lbMesh *mesh = body->surface;
  const double *shape = body->shapes + 3 * (size_t)mesh->vertex_count * id;
  size_t n = 3 * (size_t)surface->source_count;
  double scale = shape_scale(surface, shape);
  for (size_t r = 0; r < n; r++)
    targets->positions[n * id + r] =
        (float)(scale * shape[3 * (size_t)surface->sources[r / 3] + r % 3]);
  float *normals = lb_normals_change(surface, mesh->positions, shape, scale);
  if (normals) memcpy(targets->normals + n * id, normals, n * sizeof *normals);
  lb_free(normals);
  return normals != NULL;
}

static lbStatus make_targets(const lbViewableBody *body, const lbSurface *surface, Targets *targets,
                             lbError *err) {
  int32_t count = body->shape_count < LB_VIEWABLE_SHAPES ? body->shape_count : LB_VIEWABLE_SHAPES;
  size_t entries = 3 * (size_t)surface->source_count * (size_t)count;
  *targets = (Targets){ .count = count };
  targets->positions = lb_alloc(entries, sizeof(float));
  targets->normals = lb_alloc(entries, sizeof(float));
  targets->weights = lb_alloc((size_t)count, sizeof(float));
  if (!targets->positions || !targets->normals || !targets->weights) return lb_fail_memory(err);
  for (int32_t i = 0; i < count; i++)
    if (!make_target(body, surface, (size_t)i, targets)) return lb_fail_memory(err);
  return LB_OK;
}

static void release_targets(Targets *targets) {
  lb_free(targets->positions);
  lb_free(targets->normals);
  lb_free(targets->weights);
}

static json_t *mesh_extras(lbGlb *glb, const lbViewableBody *body, int32_t count) {
  json_t *extras = json_object();
  if (!count) return extras;
  json_t *names = json_array();
  for (int32_t i = 0; i < count; i++) {
    char plain[32];
    snprintf(plain, sizeof plain, "shape %d", (int)i + 1);
    const char *name = body->shape_names ? body->shape_names[i] : NULL;
    lb_glb_append(glb, names, lb_glb_text(name ? name : plain));
  }
  lb_glb_set(glb, extras, "targetNames", names);
  return extras;
}

// ---- bodies ------------------------------------------------------------------------------------

static lbStatus add_mesh(Making *m, const lbViewableBody *body, const char *name,
                         const lbSurface *surface, int32_t *mesh_id, lbError *err) {
  Targets targets = { 0 };
  const lbMesh *mesh = body->surface;
  size_t n = 3 * (size_t)surface->source_count;
  float *normals = lb_normals_of_shape(surface, mesh->positions);
  float *base = lb_alloc(n, sizeof *base);
  lbStatus status = normals && base ? LB_OK : lb_fail_memory(err);
  if (!status) status = make_targets(body, surface, &targets, err);
  if (!status) {
    for (size_t r = 0; r < n; r++)
      base[r] = (float)mesh->positions[3 * (size_t)surface->sources[r / 3] + r % 3];
    lbMorph morph = { .name = name,
                      .mesh = mesh,
                      .surface = surface,
                      .base = base,
                      .normals = normals,
                      .target_count = targets.count,
                      .targets = targets.positions,
                      .target_normals = targets.normals,
                      .weights = targets.weights,
                      .extras = mesh_extras(&m->glb, body, targets.count) };
    *mesh_id = lb_morph_add(&m->looks, &morph);
    status = lb_glb_check(&m->glb, err);
  }
  release_targets(&targets);
  lb_free(base);
  lb_free(normals);
  return status;
}

// All of the mesh's pictures, also those that no triangle shows: the model keeps them.
static void add_pictures(Making *m, const lbMesh *mesh) {
  for (int32_t i = 0; i < mesh->texture_count; i++) {
    int64_t *range = m->ranges + 2 * m->texture_count++;
    lbPicture picture = lb_looks_picture(&m->looks, &mesh->textures[i]);
    if (picture.view < 0) continue;
    range[0] = (int64_t)m->glb.pieces[picture.view].begin;
    range[1] = (int64_t)m->glb.pieces[picture.view].bytes;
  }
}

static lbStatus add_body(Making *m, const lbViewableBody *body, int32_t number, lbError *err) {
  char plain[32];
  const char *name = lb_nodes_name(body->name, number, plain);
  const lbMesh *mesh = body->surface;
  if (!mesh || body->shape_count < 0 || (body->shape_count && !body->shapes))
    return lb_fail(err, LB_ERR_ARGUMENT, "body \"%s\": it needs a surface, and its %d shapes", name,
                   (int)body->shape_count);
  lbSurface surface;
  lbStatus status = lb_surface_prepare(mesh, name, &surface, err);
  if (status) return status;
  status = lb_check_doubles(name, "rest", 1, mesh->vertex_count, mesh->positions, err);
  if (!status && body->shape_count)
    status =
        lb_check_doubles(name, "shape", body->shape_count, mesh->vertex_count, body->shapes, err);
  if (!status) add_pictures(m, mesh);
  if (!status) status = add_mesh(m, body, name, &surface, &m->meshes[number], err);
  lb_surface_release(&surface);
  return status;
}

// ---- nodes -------------------------------------------------------------------------------------

static lbStatus add_node(Making *m, const lbViewableBody *bodies, int32_t body_count,
                         const lbViewableNode *node, int32_t number, lbError *err) {
  if (node->body < 0 || node->body >= body_count)
    return lb_fail(err, LB_ERR_ARGUMENT, "node %d places body %d, there are %d", (int)number,
                   (int)node->body, (int)body_count);
  char plain[32];
  const char *name = lb_nodes_name(bodies[node->body].name, node->body, plain);
  if (node->name && *node->name) name = node->name;
  lbStatus status = lb_check_numbers(name, "position", 1, 3, node->position, err);
  if (!status) status = lb_check_rotations(name, 1, node->rotation, err);
  if (status) return status;
  const double *r = node->rotation;
  lbQuat q = lb_quat_normalise(lb_quat(r[0], r[1], r[2], r[3]));
  const float rotation[4] = { (float)q.x, (float)q.y, (float)q.z, (float)q.w };
  float translation[3];
  for (int k = 0; k < 3; k++) translation[k] = (float)node->position[k];
  lb_nodes_add(&m->glb, m->children, name, m->meshes[node->body], translation, rotation);
  return LB_OK;
}

// ---- all of it ---------------------------------------------------------------------------------

static lbStatus begin(Making *m, const lbViewableBody *bodies, int32_t body_count, char up,
                      lbError *err) {
  size_t texture_count = 0;
  for (int32_t i = 0; i < body_count; i++)
    texture_count += bodies[i].surface ? (size_t)bodies[i].surface->texture_count : 0;
  m->children = json_array();
  lb_glb_begin(&m->glb);
  m->looks.glb = &m->glb;
  m->meshes = lb_alloc((size_t)body_count, sizeof *m->meshes);
  m->ranges = lb_alloc(texture_count, 2 * sizeof *m->ranges);
  if (!m->meshes || !m->ranges) return lb_fail_memory(err);
  lb_nodes_begin(&m->glb, up, m->children);
  return LB_OK;
}

static void release(Making *m) {
  json_decref(m->children);
  lb_looks_release(&m->looks);
  lb_glb_release(&m->glb);
  lb_free(m->meshes);
  lb_free(m->ranges);
}

lbStatus lb_viewable_make(const lbViewableBody *bodies, int32_t body_count,
                          const lbViewableNode *nodes, int32_t node_count, char up, lbViewable *out,
                          lbError *err) {
  if (!bodies || body_count < 1 || !nodes || node_count < 1)
    return lb_fail(err, LB_ERR_ARGUMENT, "a model to look at needs a body and a node");
  lbStatus status = lb_nodes_check_up(up, err);
  if (status) return status;
  Making m = { 0 };
  lbViewable made = { 0 };
  status = begin(&m, bodies, body_count, up, err);
  for (int32_t i = 0; i < body_count && !status; i++) status = add_body(&m, &bodies[i], i, err);
  for (int32_t i = 0; i < node_count && !status; i++)
    status = add_node(&m, bodies, body_count, &nodes[i], i, err);
  if (!status)
    status = lb_glb_take(&m.glb, LB_VIEWABLE_ALIGNMENT, &made.json, &made.json_bytes, &made.bin,
                         &made.bin_bytes, err);
  if (!status) {
    made.texture_ranges = m.ranges;
    m.ranges = NULL;
    *out = made;
  }
  release(&m);
  return status;
}

void lb_viewable_release(lbViewable *viewable) {
  lb_free(viewable->json);
  lb_free(viewable->bin);
  lb_free(viewable->texture_ranges);
  *viewable = (lbViewable){ 0 };
}
