// From a finite-element body to the part of a model that does not depend on the method: the volume
// mesh with masses, supports and materials, the rigid body it would be, and the surface that is
// seen, with the nodes that carry it:
//   x_vertex = Σ weight x_node,  I = Σ m_ab ((x_a·x_b) 1 − x_a x_bᵀ) about the centre of mass.
#include "reduce/object.h"

#include "model/arrays.h"

#include <math.h>
#include <string.h>

lbReduceDef lb_reduce_def(void) {
  return (lbReduceDef){ .name = "body", .up = 'z', .provenance = "" };
}

// ---- texts -------------------------------------------------------------------------------------

// Bytes of the character at `text` if it is plain UTF-8, otherwise 0.
static size_t character_bytes(const char *text) {
  size_t left = strlen(text);
  for (size_t bytes = 1; bytes <= 4 && bytes <= left; bytes++) {
    char alone[5] = { 0 };
    memcpy(alone, text, bytes);
    if (lb_arrays_are_texts(alone, bytes + 1, 1) && alone[0] != '\n') return bytes;
  }
  return 0;
}

const char *lb_object_text(const char *text, lbArena *arena) {
  char *copy = lb_arena_alloc(arena, strlen(text) + 1, 1);
  if (!copy) return NULL;
  for (size_t i = 0; text[i];) {
    size_t bytes = character_bytes(text + i);
    if (bytes == 0)
      copy[i] = '?';
    else
      memcpy(copy + i, text + i, bytes);
    i += bytes ? bytes : 1;
  }
  return copy;
}

// Texts one after another, as models keep them; `get` gives the i-th.
static const char *join_texts(int32_t count, const char *(*get)(const lbMesh *, int32_t),
                              const lbMesh *mesh, lbArena *arena) {
  size_t bytes = 0, at = 0;
  for (int32_t i = 0; i < count; i++) bytes += strlen(get(mesh, i)) + 1;
  char *all = lb_arena_alloc(arena, bytes, 1);
  for (int32_t i = 0; i < count && all; i++) {
    const char *plain = lb_object_text(get(mesh, i), arena);
    if (!plain) return NULL;
    memcpy(all + at, plain, strlen(plain) + 1);
    at += strlen(plain) + 1;
  }
  return all;
}

const char *lb_object_provenance(const lbReduceDef *def, const char *more, lbArena *arena) {
  const char *given = def->provenance ? def->provenance : "";
  size_t bytes = strlen(given);
  bool ended = bytes == 0 || given[bytes - 1] == '\n';
  char *all = lb_arena_alloc(arena, bytes + strlen(more) + 2, 1);
  if (!all) return NULL;
  strcpy(all, given);
  if (!ended) strcat(all, "\n");
  return strcat(all, more);
}

// ---- the volume --------------------------------------------------------------------------------

static lbStatus copy_object_materials(const lbFem *fem, lbArena *arena, lbModel *draft,
                                      lbError *err) {
  size_t count = (size_t)lb_fem_material_count(fem);
  int32_t *laws = lb_arena_alloc(arena, count, sizeof *laws);
  double *values = lb_arena_alloc(arena, count, 6 * sizeof *values);
  double *shells = lb_arena_alloc(arena, count, 4 * sizeof *shells);
  if (!laws || !values || !shells) return lb_fail_memory(err);
  bool any = false;
  for (size_t i = 0; i < count; i++) {
    const lbMaterial *m = &lb_fem_materials(fem)[i];
    laws[i] = m->model;
    const double row[6] = { m->young, m->poisson, m->density, m->c10, m->c01, m->v1 };
    memcpy(values + 6 * i, row, sizeof row);
    if (m->model != LB_MATERIAL_SHELL) continue;
    const double sheet[4] = { m->thickness, m->stretch, m->area, m->bend };
    memcpy(shells + 4 * i, sheet, sizeof sheet);
    any = true;
  }
  draft->size.material_count = (int32_t)count;
  draft->material_laws = laws;
  draft->material_values = values;
  draft->material_shells = any ? shells : NULL;
  draft->element_materials = lb_fem_element_materials(fem);
  return LB_OK;
}

static lbStatus copy_rigid(const lbFem *fem, lbArena *arena, lbModel *draft, lbError *err) {
  double *mass = lb_arena_alloc(arena, 1, sizeof *mass);
  double *centre = lb_arena_alloc(arena, 3, sizeof *centre);
  double *inertia = lb_arena_alloc(arena, 9, sizeof *inertia), S[3][3];
  if (!mass || !centre || !inertia) return lb_fail_memory(err);
  const double *masses = lb_fem_vertex_masses(fem), *x = lb_fem_rest_positions(fem);
  *mass = lb_fem_total_mass(fem);
  for (size_t i = 0; i < 3 * (size_t)lb_fem_vertex_count(fem); i++)
    centre[i % 3] += masses[i / 3] / *mass * x[i];
  lb_fem_second_moments(fem, centre, S);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double second = (S[i][j] + S[j][i]) / 2; // symmetric to the last bit
      inertia[3 * i + j] = (i == j ? S[0][0] + S[1][1] + S[2][2] : 0) - second;
    }
  draft->rigid_mass = mass;
  draft->rigid_centre = centre;
  draft->rigid_inertia = inertia;
  return LB_OK;
}

static bool is_shell(const lbMesh *mesh) { return lb_mesh_element_count(mesh) == 0; }

static lbStatus copy_volume(const lbMesh *mesh, const lbFem *fem, lbArena *arena, lbModel *draft,
                            lbError *err) {
  uint8_t *fixed = lb_arena_alloc(arena, (size_t)mesh->vertex_count, 1);
  if (!fixed) return lb_fail_memory(err);
  for (int32_t v = 0; v < mesh->vertex_count; v++) fixed[v] = lb_fem_fixed(fem)[v];
  draft->size.node_count = mesh->vertex_count;
  draft->size.tet_count = mesh->tet_count;
  draft->size.brick_count = mesh->brick_count;
  draft->size.element_count = lb_mesh_body_elements(mesh);
  if (is_shell(mesh)) {
    draft->size.shell_count = mesh->triangle_count;
    draft->shells = mesh->triangles;
  }
  draft->node_positions = lb_fem_rest_positions(fem);
  draft->node_masses = lb_fem_vertex_masses(fem);
  draft->node_fixed = fixed;
  draft->tets = mesh->tet_count ? mesh->tets : NULL;
  draft->bricks = mesh->brick_count ? mesh->bricks : NULL;
  lbStatus status = copy_object_materials(fem, arena, draft, err);
  return status ? status : copy_rigid(fem, arena, draft, err);
}

// ---- the surface -------------------------------------------------------------------------------

static const char *appearance_name(const lbMesh *mesh, int32_t i) {
  return mesh->appearances[i].name;
}
static const char *texture_name(const lbMesh *mesh, int32_t i) { return mesh->textures[i].name; }
static const char *texture_mime(const lbMesh *mesh, int32_t i) { return mesh->textures[i].mime; }

static lbStatus copy_object_appearances(const lbMesh *surface, lbArena *arena, lbModel *draft,
                                        lbError *err) {
  size_t count = (size_t)surface->appearance_count;
  if (count == 0) return LB_OK;
  float *colors = lb_arena_alloc(arena, count, 4 * sizeof *colors);
  float *metal = lb_arena_alloc(arena, count, 2 * sizeof *metal);
  int32_t *textures = lb_arena_alloc(arena, count, sizeof *textures);
  draft->appearance_names = join_texts((int32_t)count, appearance_name, surface, arena);
  if (!colors || !metal || !textures || !draft->appearance_names) return lb_fail_memory(err);
  for (size_t i = 0; i < count; i++) {
    const lbAppearance *from = &surface->appearances[i];
    memcpy(colors + 4 * i, from->base_color, sizeof from->base_color);
    metal[2 * i] = from->metallic, metal[2 * i + 1] = from->roughness;
    textures[i] = from->texture;
  }
  draft->size.appearance_count = (int32_t)count;
  draft->appearance_colors = colors;
  draft->appearance_metal_roughness = metal;
  draft->appearance_textures = textures;
  draft->triangle_appearances = surface->triangle_appearances;
  return LB_OK;
}

static lbStatus copy_object_textures(const lbMesh *surface, lbArena *arena, lbModel *draft,
                                     lbError *err) {
  size_t count = (size_t)surface->texture_count, bytes = 0;
  if (count == 0) return LB_OK;
  for (size_t i = 0; i < count; i++)
    if (surface->textures[i].data) bytes += surface->textures[i].bytes;
  int64_t *ranges = lb_arena_alloc(arena, count, 2 * sizeof *ranges);
  uint8_t *pictures = lb_arena_alloc(arena, bytes, 1);
  draft->texture_names = join_texts((int32_t)count, texture_name, surface, arena);
  draft->texture_mimes = join_texts((int32_t)count, texture_mime, surface, arena);
  if (!ranges || !pictures || !draft->texture_names || !draft->texture_mimes)
    return lb_fail_memory(err);
  size_t begin = 0;
  for (size_t i = 0; i < count; i++) {
    const lbTexture *texture = &surface->textures[i];
    if (!texture->data || texture->bytes == 0) continue;
    memcpy(pictures + begin, texture->data, texture->bytes);
    ranges[2 * i] = (int64_t)begin;
    ranges[2 * i + 1] = (int64_t)texture->bytes;
    begin += texture->bytes;
  }
  draft->size.texture_count = (int32_t)count;
  draft->texture_ranges = ranges;
  draft->pictures = pictures;
  draft->pictures_bytes = bytes;
  return LB_OK;
}

static lbStatus check_object_embedding(const lbMesh *mesh, const lbReduceDef *def, lbError *err) {
  const lbEmbedding *e = def->embedding;
  if (!e)
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "model \"%s\": surface without embedding, make one with lb_mesh_embed",
                   def->name);
  if (e->point_count != def->surface->vertex_count || e->node_count != mesh->vertex_count)
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "model \"%s\": embedding of %d points in %d nodes, the surface has %d vertices "
                   "and the volume mesh %d",
                   def->name, (int)e->point_count, (int)e->node_count,
                   (int)def->surface->vertex_count, (int)mesh->vertex_count);
  return LB_OK;
}

static lbStatus copy_given_surface(const lbMesh *mesh, const lbReduceDef *def, lbArena *arena,
                                   lbModel *draft, lbError *err) {
  const lbMesh *surface = def->surface;
  const lbEmbedding *e = def->embedding;
  lbStatus status = check_object_embedding(mesh, def, err);
  if (status) return status;
  int32_t *sources = lb_arena_alloc(arena, (size_t)surface->vertex_count, sizeof *sources);
  if (!sources) return lb_fail_memory(err);
  for (int32_t v = 0; v < surface->vertex_count; v++) sources[v] = v;
  draft->size.vertex_count = surface->vertex_count;
  draft->size.triangle_count = surface->triangle_count;
  draft->size.carrier_count = e->begin[e->point_count];
  draft->vertex_positions = surface->positions;
  draft->vertex_sources = sources;
  draft->triangles = surface->triangles;
  draft->corner_uvs = surface->corner_uvs;
  draft->carrier_begin = e->begin;
  draft->carrier_nodes = e->nodes;
  draft->carrier_weights = e->weights;
  status = copy_object_appearances(surface, arena, draft, err);
  return status ? status : copy_object_textures(surface, arena, draft, err);
}

static void *arena_copy(lbArena *arena, const void *source, size_t count, size_t item_bytes) {
  void *copy = lb_arena_alloc(arena, count, item_bytes);
  if (copy && count) memcpy(copy, source, count * item_bytes);
  return copy;
}

// The boundary of the volume mesh, or a shell itself: each vertex is carried by the node it is.
static lbStatus copy_boundary(const lbMesh *mesh, lbArena *arena, lbModel *draft, lbError *err) {
  lbMesh *surface = NULL;
  int32_t *nodes = NULL;
  lbStatus status = lb_mesh_surface(mesh, &surface, &nodes, err);
  if (status) return status;
  size_t vertices = (size_t)surface->vertex_count, triangles = (size_t)surface->triangle_count;
  int32_t *begin = lb_arena_alloc(arena, vertices + 1, sizeof *begin);
  double *weights = lb_arena_alloc(arena, vertices, sizeof *weights);
  draft->vertex_positions = arena_copy(arena, surface->positions, vertices, 3 * sizeof(double));
  draft->triangles = arena_copy(arena, surface->triangles, triangles, 3 * sizeof(int32_t));
  draft->vertex_sources = draft->carrier_nodes =
      arena_copy(arena, nodes, vertices, sizeof(int32_t));
  if (!begin || !weights || !draft->vertex_positions || !draft->triangles || !draft->carrier_nodes)
    status = lb_fail_memory(err);
  for (size_t v = 0; v < vertices && !status; v++) {
    begin[v + 1] = (int32_t)v + 1;
    weights[v] = 1;
  }
  draft->size.vertex_count = draft->size.carrier_count = surface->vertex_count;
  draft->size.triangle_count = surface->triangle_count;
  draft->carrier_begin = begin;
  draft->carrier_weights = weights;
  lb_mesh_destroy(surface);
  lb_free(nodes);
  if (status || !is_shell(mesh)) return status;
  draft->corner_uvs = mesh->corner_uvs;
  status = copy_object_appearances(mesh, arena, draft, err);
  return status ? status : copy_object_textures(mesh, arena, draft, err);
}

// ---- the object --------------------------------------------------------------------------------

static lbStatus check_object_def(const lbMesh *mesh, const lbFem *fem, const lbReduceDef *def,
                                 lbError *err) {
  if (mesh->vertex_count != lb_fem_vertex_count(fem) ||
      lb_mesh_body_elements(mesh) != lb_fem_element_count(fem))
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "model \"%s\": the mesh is not the one the body was made of", def->name);
  if (def->up != 'y' && def->up != 'z')
    return lb_fail(err, LB_ERR_ARGUMENT, "model \"%s\": up is '%c', it must be 'y' or 'z'",
                   def->name, def->up);
  const struct {
    const char *name;
    double value;
  } fields[] = { { "damping_mass", def->damping_mass },
                 { "damping_stiffness", def->damping_stiffness } };
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
    if (!(fields[i].value >= 0 && isfinite(fields[i].value)))
      return lb_fail(err, LB_ERR_ARGUMENT, "model \"%s\": %s is %g, it must be 0 or more",
                     def->name, fields[i].name, fields[i].value);
  return LB_OK;
}

lbStatus lb_object_draft(const lbMesh *mesh, const lbFem *fem, const lbReduceDef *def,
                         lbArena *arena, lbModel *draft, lbError *err) {
  lbStatus status = check_object_def(mesh, fem, def, err);
  if (status) return status;
  int32_t *up = lb_arena_alloc(arena, 1, sizeof *up);
  *draft = (lbModel){ .name = lb_object_text(def->name, arena), .up = up };
  if (!up || !draft->name) return lb_fail_memory(err);
  *up = def->up == 'y' ? 1 : 2;
  status = copy_volume(mesh, fem, arena, draft, err);
  if (status) return status;
  return def->surface ? copy_given_surface(mesh, def, arena, draft, err)
                      : copy_boundary(mesh, arena, draft, err);
}
