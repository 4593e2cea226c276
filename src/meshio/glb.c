// glTF 2.0, binary: the triangles of all meshes of the default scene, placed by their nodes.
// Vertices come in the order of nodes, primitives and accessors; primitives of one mesh that share
// an accessor share its vertices. A mesh's name becomes a group of triangles, COLOR_0 the colours
// of its vertices, and skins a rig where one is wanted. Morph targets, cameras and animations are
// skipped.
#include "meshio/formats.h"

#include "meshio/face.h"
#include "meshio/glb.h"
#include "meshio/glb_skin.h"
#include "arrayio/budget.h"

#include <math.h>
#include <string.h>

// A small file can place a mesh any number of times: this is about what a vertex or corner takes.
#define ITEM_BYTES 48

typedef struct Place { // a node and what brings its points to the scene, column-major
  int32_t node;
  double matrix[16];
} Place;

typedef struct Reader {
  lbGlbFile glb;
  lbMeshBuilder builder;
  Place *stack;
  int32_t stack_count;
  size_t stack_capacity;
  uint8_t *visited;      // per node
  int32_t *shared_begin; // per accessor: first vertex it gave to the current node's mesh
  int32_t *shared_node;  // per accessor: for which node (plus one)
  int64_t item_count;
  lbGlbSkins *skins; // NULL: not wanted
  lbError *err;
} Reader;

// ---- nodes -------------------------------------------------------------------------------------

static double determinant(const double *m) {
  return m[0] * (m[5] * m[10] - m[6] * m[9]) - m[4] * (m[1] * m[10] - m[2] * m[9]) +
         m[8] * (m[1] * m[6] - m[2] * m[5]);
}

static lbStatus push_glb_node(Reader *reader, int64_t node, const double *parent) {
  const json_t *item = lb_glb_item(&reader->glb, "nodes", node);
  double local[16];
  if (!item)
    return lb_glb_fail(&reader->glb, reader->err, "nodes[%lld] is used, there are %d",
                       (long long)node, (int)lb_glb_count(&reader->glb, "nodes"));
  if (reader->visited[node])
    return lb_glb_fail(&reader->glb, reader->err,
                       "nodes[%lld] has two parents or is its own, the nodes must form trees",
                       (long long)node);
  reader->visited[node] = 1;
  if (!lb_grow((void **)&reader->stack, &reader->stack_capacity, (size_t)reader->stack_count + 1,
               sizeof(Place)))
    return lb_fail_memory(reader->err);
  Place *place = &reader->stack[reader->stack_count++];
  place->node = (int32_t)node;
  lb_glb_local_matrix(item, local);
  lb_glb_multiply(parent, local, place->matrix);
  return LB_OK;
}

// Last first, so that they leave the stack in the file's order.
static lbStatus push_list(Reader *reader, const json_t *list, const double *parent) {
  lbStatus status = LB_OK;
  for (size_t i = json_array_size(list); i-- > 0 && !status;) {
    const json_t *item = json_array_get(list, i);
    status = push_glb_node(reader, json_is_integer(item) ? json_integer_value(item) : -1, parent);
  }
  return status;
}

// ---- primitives --------------------------------------------------------------------------------

static lbStatus count_items(Reader *reader, int64_t count) {
  reader->item_count += count;
  size_t bytes = reader->glb.file_bytes;
  for (int32_t i = 0; i < reader->glb.buffer_count; i++)
    if (reader->glb.buffers[i].owned) bytes += reader->glb.buffers[i].bytes;
  int64_t most = (int64_t)(lb_budget(bytes, LB_BUDGET_EXPAND) / ITEM_BYTES);
  if (reader->item_count <= most) return LB_OK;
  return lb_glb_fail(
      &reader->glb, reader->err,
      "the scene has more than %lld vertices and corners, too many for a file of its "
      "size; place its meshes less often",
      (long long)most);
}

// The first vertex of a POSITION accessor, added unless another primitive of this mesh did.
static lbStatus add_glb_vertices(Reader *reader, const Place *place, const json_t *attributes,
                                 int32_t *begin, int32_t *count) {
  int64_t accessor = lb_json_integer(attributes, "POSITION", -1);
  const double *m = place->matrix;
  double *points = NULL;
  lbStatus status = lb_glb_accessor(&reader->glb, accessor, 3, &points, count, reader->err);
  if (!status) status = count_items(reader, *count);
  if (status) goto done;
  if (reader->shared_node[accessor] == place->node + 1) {
    *begin = reader->shared_begin[accessor];
    goto done;
  }
  *begin = reader->builder.mesh->vertex_count;
  for (int32_t i = 0; i < *count; i++) {
    const double *p = points + 3 * (size_t)i;
    lb_mesh_add_vertex(&reader->builder, m[0] * p[0] + m[4] * p[1] + m[8] * p[2] + m[12],
                       m[1] * p[0] + m[5] * p[1] + m[9] * p[2] + m[13],
                       m[2] * p[0] + m[6] * p[1] + m[10] * p[2] + m[14]);
  }
  reader->shared_node[accessor] = place->node + 1;
  reader->shared_begin[accessor] = *begin;
  if (reader->skins) {
    status = count_items(reader, *count);
    if (!status)
      status = lb_glb_skin_vertices(reader->skins, place->node, attributes, *count, reader->err);
  }
done:
  lb_free(points);
  return status;
}

typedef struct Primitive {
  int64_t mode;    // 4 triangles, 5 strip, 6 fan
  double *indices; // NULL: 0, 1, 2, ...
  int32_t corner_count;
  double *uvs; // (vertex_count x 2) or NULL
  int32_t vertex_begin, vertex_count;
  int32_t appearance, group;
  bool mirrored;
} Primitive;

static void list_glb_corners(const Primitive *primitive, int32_t triangle, int32_t corners[3]) {
  int32_t t = triangle, odd = triangle % 2;
  if (primitive->mode == 4)
    corners[0] = 3 * t, corners[1] = 3 * t + 1, corners[2] = 3 * t + 2;
  else if (primitive->mode == 5)
    corners[0] = t, corners[1] = t + 1 + odd, corners[2] = t + 2 - odd;
  else
    corners[0] = t + 1, corners[1] = t + 2, corners[2] = 0;
  if (!primitive->mirrored) return;
  int32_t kept = corners[1];
  corners[1] = corners[2];
  corners[2] = kept;
}

static lbStatus add_glb_triangle(Reader *reader, const Primitive *primitive, int32_t triangle) {
  int32_t corners[3], ids[3], vertices[3];
  float uvs[6] = { 0 };
  list_glb_corners(primitive, triangle, corners);
  for (int k = 0; k < 3; k++) {
    double id = primitive->indices ? primitive->indices[corners[k]] : corners[k];
    if (!(id >= 0 && id < primitive->vertex_count))
      return lb_glb_fail(&reader->glb, reader->err,
                         "a primitive uses vertex %.15g, it has %d (counted from 0)", id,
                         (int)primitive->vertex_count);
    ids[k] = (int32_t)id;
    vertices[k] = primitive->vertex_begin + ids[k];
    for (int i = 0; i < 2 && primitive->uvs; i++) {
      double value = primitive->uvs[2 * (size_t)ids[k] + (size_t)i];
      if (!isfinite(value))
        return lb_glb_fail(&reader->glb, reader->err,
                           "texture coordinate %d of a primitive is not finite", (int)ids[k]);
      uvs[2 * k + i] = (float)value;
    }
  }
  // Strips repeat vertices to turn corners; such triangles are no part of the surface.
  if (primitive->mode == 5 && (ids[0] == ids[1] || ids[1] == ids[2] || ids[2] == ids[0]))
    return LB_OK;
  int32_t id = lb_mesh_add_triangle(&reader->builder, vertices);
  if (primitive->uvs) lb_mesh_set_triangle_uvs(&reader->builder, uvs);
  if (primitive->appearance >= 0)
    lb_mesh_set_triangle_appearance(&reader->builder, primitive->appearance);
  lb_mesh_add_to_group(&reader->builder, primitive->group, id);
  return LB_OK;
}

static lbStatus add_glb_triangles(Reader *reader, const Primitive *primitive) {
  int32_t corner_count = primitive->corner_count;
  int32_t count = primitive->mode == 4 ? corner_count / 3 : corner_count - 2;
  lbStatus status = count_items(reader, 3 * (int64_t)count);
  for (int32_t t = 0; t < count && !status && !reader->builder.out_of_memory; t++)
    status = add_glb_triangle(reader, primitive, t);
  if (!status && reader->builder.out_of_memory) status = lb_fail_memory(reader->err);
  return status;
}

static lbStatus read_uvs(Reader *reader, const json_t *attributes, int64_t material,
                         Primitive *primitive) {
  char name[40];
  int32_t count = 0;
  snprintf(name, sizeof name, "TEXCOORD_%lld",
           (long long)lb_glb_texture_set(&reader->glb, material));
  int64_t accessor = lb_json_integer(attributes, name, -1);
  if (accessor < 0) return LB_OK;
  lbStatus status =
      lb_glb_accessor(&reader->glb, accessor, 2, &primitive->uvs, &count, reader->err);
  if (!status) status = count_items(reader, count);
  if (!status && count < primitive->vertex_count)
    status = lb_glb_fail(&reader->glb, reader->err, "accessors[%lld] has %d rows for %d vertices",
                         (long long)accessor, (int)count, (int)primitive->vertex_count);
  return status;
}

// COLOR_0, of three or four components.
static lbStatus read_colors(Reader *reader, const json_t *attributes, const Primitive *primitive) {
  int64_t accessor = lb_json_integer(attributes, "COLOR_0", -1);
  if (accessor < 0) return LB_OK;
  const json_t *item = lb_glb_item(&reader->glb, "accessors", accessor);
  size_t width = strcmp(lb_json_text(item, "type", ""), "VEC3") == 0 ? 3 : 4;
  double *values = NULL;
  int32_t count = 0;
  lbStatus status =
      lb_glb_accessor(&reader->glb, accessor, (int32_t)width, &values, &count, reader->err);
  if (!status) status = count_items(reader, count);
  if (!status && count != primitive->vertex_count)
    status =
        lb_glb_fail(&reader->glb, reader->err, "accessors[%lld] has %d colours for %d vertices",
                    (long long)accessor, (int)count, (int)primitive->vertex_count);
  for (int32_t i = 0; i < count && !status; i++) {
    double rgba[4] = { 0, 0, 0, 1 };
    for (size_t k = 0; k < width && !status; k++) {
      rgba[k] = values[width * (size_t)i + k];
      if (!isfinite(rgba[k]))
        status = lb_glb_fail(&reader->glb, reader->err, "accessors[%lld]: colour %d is not finite",
                             (long long)accessor, (int)i);
    }
    lb_mesh_set_vertex_color(&reader->builder, primitive->vertex_begin + i, rgba);
  }
  lb_free(values);
  return status;
}

static lbStatus read_glb_material(Reader *reader, int64_t material, Primitive *primitive) {
  int32_t count = lb_glb_count(&reader->glb, "materials");
  primitive->appearance = (int32_t)material;
  if (material >= -1 && material < count) return LB_OK;
  return lb_glb_fail(&reader->glb, reader->err, "materials[%lld] is used, there are %d",
                     (long long)material, (int)count);
}

static lbStatus read_primitive(Reader *reader, const Place *place, const json_t *item,
                               Primitive *primitive) {
  const json_t *attributes = json_object_get(item, "attributes");
  int64_t accessor = lb_json_integer(attributes, "POSITION", -1);
  int64_t indices = lb_json_integer(item, "indices", -1);
  int64_t material = lb_json_integer(item, "material", -1);
  if (json_object_get(json_object_get(item, "extensions"), "KHR_draco_mesh_compression") &&
      !json_object_get(lb_glb_item(&reader->glb, "accessors", accessor), "bufferView"))
    return lb_fail(reader->err, LB_ERR_UNSUPPORTED,
                   "%s: needs the extension KHR_draco_mesh_compression, which is not supported; "
                   "save the file without it",
                   reader->glb.path);
  lbStatus status = add_glb_vertices(reader, place, attributes, &primitive->vertex_begin,
                                     &primitive->vertex_count);
  primitive->corner_count = primitive->vertex_count;
  if (!status && indices >= 0)
    status = lb_glb_accessor(&reader->glb, indices, 1, &primitive->indices,
                             &primitive->corner_count, reader->err);
  if (!status) status = read_glb_material(reader, material, primitive);
  if (!status) status = read_uvs(reader, attributes, material, primitive);
  if (!status && !reader->builder.out_of_memory)
    status = read_colors(reader, attributes, primitive);
  return status;
}

static lbStatus add_primitive(Reader *reader, const Place *place, const json_t *item,
                              int32_t group) {
  Primitive primitive = { .mode = lb_json_integer(item, "mode", 4), .group = group };
  primitive.mirrored = determinant(place->matrix) < 0;
  if (primitive.mode < 4 || primitive.mode > 6) {
    lb_log(LB_LOG_WARNING, "%s: points and lines are skipped", reader->glb.path);
    return LB_OK;
  }
  lbStatus status = read_primitive(reader, place, item, &primitive);
  if (!status && !reader->builder.out_of_memory) status = add_glb_triangles(reader, &primitive);
  lb_free(primitive.indices);
  lb_free(primitive.uvs);
  return status;
}

static lbStatus add_glb_mesh(Reader *reader, const Place *place, const json_t *node, int64_t mesh) {
  const json_t *item = lb_glb_item(&reader->glb, "meshes", mesh);
  if (!item)
    return lb_glb_fail(&reader->glb, reader->err, "nodes[%d] uses meshes[%lld], there are %d",
                       (int)place->node, (long long)mesh,
                       (int)lb_glb_count(&reader->glb, "meshes"));
  Place placed = *place;
  if (json_object_get(node, "skin")) { // the format says: its joints place it, not its node
    if (!reader->skins)
      lb_log(LB_LOG_WARNING, "%s: nodes[%d] has a skin, its rest pose is taken", reader->glb.path,
             (int)place->node);
    memset(placed.matrix, 0, sizeof placed.matrix);
    for (int i = 0; i < 4; i++) placed.matrix[5 * i] = 1;
  }
  const char *name = lb_json_text(item, "name", lb_json_text(node, "name", ""));
  int32_t group = -1;
  if (name[0]) group = lb_mesh_add_group(&reader->builder, LB_GROUP_TRIANGLES, 0, name);
  const json_t *primitives = json_object_get(item, "primitives");
  lbStatus status = LB_OK;
  for (size_t i = 0; i < json_array_size(primitives) && !status; i++)
    status = add_primitive(reader, &placed, json_array_get(primitives, i), group);
  return status;
}

// ---- scene -------------------------------------------------------------------------------------

// The roots of the default scene; of a file without scenes, every node that is not a child.
static lbStatus push_roots(Reader *reader) {
  double identity[16] = { 0 };
  for (int i = 0; i < 4; i++) identity[5 * i] = 1;
  int32_t node_count = lb_glb_count(&reader->glb, "nodes");
  if (lb_glb_count(&reader->glb, "scenes") > 0) {
    int64_t scene = lb_json_integer(reader->glb.document, "scene", 0);
    const json_t *item = lb_glb_item(&reader->glb, "scenes", scene);
    if (!item)
      return lb_glb_fail(&reader->glb, reader->err, "scenes[%lld] is used, there are %d",
                         (long long)scene, (int)lb_glb_count(&reader->glb, "scenes"));
    return push_list(reader, json_object_get(item, "nodes"), identity);
  }
  uint8_t *is_child = lb_alloc((size_t)node_count, 1);
  if (!is_child) return lb_fail_memory(reader->err);
  for (int32_t i = 0; i < node_count; i++) {
    const json_t *children = json_object_get(lb_glb_item(&reader->glb, "nodes", i), "children");
    for (size_t k = 0; k < json_array_size(children); k++) {
      int64_t child = json_integer_value(json_array_get(children, k));
      if (child >= 0 && child < node_count) is_child[child] = 1;
    }
  }
  lbStatus status = LB_OK;
  for (int32_t i = node_count; i-- > 0 && !status;)
    if (!is_child[i]) status = push_glb_node(reader, i, identity);
  lb_free(is_child);
  return status;
}

static lbStatus read_glb_scene(Reader *reader) {
  lbStatus status = push_roots(reader);
  while (!status && reader->stack_count > 0) {
    Place place = reader->stack[--reader->stack_count];
    const json_t *node = lb_glb_item(&reader->glb, "nodes", place.node);
    int64_t mesh = lb_json_integer(node, "mesh", -1);
    if (mesh >= 0) status = add_glb_mesh(reader, &place, node, mesh);
    if (!status) status = push_list(reader, json_object_get(node, "children"), place.matrix);
    if (!status && reader->builder.out_of_memory) status = lb_fail_memory(reader->err);
  }
  return status;
}

static lbStatus prepare_glb_reader(Reader *reader) {
  size_t accessor_count = (size_t)lb_glb_count(&reader->glb, "accessors");
  reader->visited = lb_alloc((size_t)lb_glb_count(&reader->glb, "nodes"), 1);
  reader->shared_begin = lb_alloc(accessor_count, sizeof(int32_t));
  reader->shared_node = lb_alloc(accessor_count, sizeof(int32_t));
  if (!reader->visited || !reader->shared_begin || !reader->shared_node ||
      reader->builder.out_of_memory)
    return lb_fail_memory(reader->err);
  return LB_OK;
}

// skins, rig: NULL, or what the skins of the file are read into; with rig NULL a file without any
// will do.
static lbStatus read_glb_file(const char *path, const char *content, size_t bytes,
                              lbGlbSkins *skins, lbMesh **out, lbRig **rig, lbError *err) {
  Reader reader = { .err = err, .skins = skins };
  lb_mesh_builder_begin(&reader.builder);
  lbStatus status = lb_glb_open(&reader.glb, path, content, bytes, err);
  if (!status && !rig && lb_glb_count(&reader.glb, "skins") == 0) reader.skins = NULL;
  if (!status && reader.skins) status = lb_glb_skins_begin(skins, &reader.glb, err);
  if (!status) status = prepare_glb_reader(&reader);
  if (!status) status = lb_glb_materials(&reader.glb, &reader.builder, err);
  if (!status) status = read_glb_scene(&reader);
  if (!status && reader.builder.mesh->triangle_count == 0)
    status = lb_glb_fail(&reader.glb, err, "the default scene holds no triangles");
  if (!status) lb_warn_of_colors(&reader.builder, path);
  lbMesh *made = NULL;
  if (!status) status = lb_mesh_builder_finish(&reader.builder, path, &made, err);
  if (status) lb_mesh_builder_abort(&reader.builder);
  if (!status && reader.skins) status = lb_glb_skins_finish(skins, path, made, rig, err);
  if (status)
    lb_mesh_destroy(made);
  else
    *out = made;
  lb_glb_close(&reader.glb);
  lb_free(reader.stack);
  lb_free(reader.visited);
  lb_free(reader.shared_begin);
  lb_free(reader.shared_node);
  return status;
}

lbStatus lb_read_glb(const char *path, const char *content, size_t bytes, lbMesh **out,
                     lbError *err) {
  lbGlbSkins skins = { 0 };
  lbStatus status = read_glb_file(path, content, bytes, &skins, out, NULL, err);
  bool skinned = skins.parents != NULL;
  lb_glb_skins_release(&skins);
  if (status != LB_ERR_FORMAT || !skinned) return status;
  // A skin that is no good, or something else: without it the reason will show.
  lbError why = { 0 };
  if (err) why = *err;
  status = read_glb_file(path, content, bytes, NULL, out, NULL, err);
  if (!status) lb_log(LB_LOG_WARNING, "%s; its bind pose is taken", why.text);
  return status;
}

lbStatus lb_rig_read(const char *path, const char *content, size_t bytes, lbMesh **mesh,
                     lbRig **rig, lbError *err) {
  lbGlbSkins skins = { 0 };
  lbStatus status = read_glb_file(path, content, bytes, &skins, mesh, rig, err);
  lb_glb_skins_release(&skins);
  return status;
}
