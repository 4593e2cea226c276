// What the simulation asks of a scene: finite-element bodies, models, forces, velocities, vertices.
#include "limber/scene.h"
#include "limber/world.h"

#include "reduce/object.h"
#include "scene/body.h"
#include "scene/read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- bodies ------------------------------------------------------------------------------------

static lbStatus refuse_model(const lbSceneBody *body, lbError *err) {
  return lb_fail(err, LB_ERR_UNSUPPORTED,
                 "body \"%s\" comes from a model file, which has no unreduced body; name its "
                 "\"mesh\" instead",
                 body->name);
}

// The body at `positions` (of its mesh's vertices).
static lbStatus create_physics_fem(const lbSceneBody *body, double *positions, lbFem **out,
                                   lbError *err) {
  lbFemDef def = lb_fem_def();
  char name[220];
  snprintf(name, sizeof name, "body \"%s\"", body->name);
  def.name = name;
  def.materials = body->materials;
  def.material_count = body->material_count;
  def.element_materials = body->element_materials;
  def.fixed = body->fixed;
  def.mass = body->mass;
  lbMesh mesh = *body->mesh;
  mesh.positions = positions;
  return lb_fem_create(&mesh, &def, out, err);
}

lbStatus lb_scene_own_fem(const lbSceneBody *body, lbFem **out, lbError *err) {
  return body->mesh ? create_physics_fem(body, body->mesh->positions, out, err)
                    : refuse_model(body, err);
}

lbStatus lb_scene_fem(const lbSceneBody *body, lbFem **out, lbError *err) {
  if (!body->mesh) return refuse_model(body, err);
  size_t count = (size_t)body->mesh->vertex_count;
  double *placed = lb_alloc(count, 3 * sizeof(double));
  if (!placed) return lb_fail_memory(err);
  for (size_t v = 0; v < count; v++)
    lb_scene_place(body, body->mesh->positions + 3 * v, placed + 3 * v);
  lbStatus status = create_physics_fem(body, placed, out, err);
  lb_free(placed);
  return status;
}

lbStatus lb_scene_number_surface(const lbSceneBody *body, lbModel **model, lbError *err) {
  if (!body->surface || body->surface_ids) return LB_OK;
  size_t count = (size_t)(*model)->size.vertex_count;
  int32_t *sources = lb_alloc(count, sizeof *sources);
  if (!sources) return lb_fail_memory(err);
  for (size_t v = 0; v < count; v++) sources[v] = -1;
  lbModel draft = **model, *changed;
  draft.vertex_sources = sources;
  lbStatus status = lb_model_create(&draft, &changed, err);
  lb_free(sources);
  if (status) return status;
  lb_model_destroy(*model);
  *model = changed;
  return LB_OK;
}

static lbStatus reduce_modal(const lbSceneBody *body, const lbFem *fem, const lbReduceDef *def,
                             lbModel **out, lbError *err) {
  lbModalDef modal = body->modal;
  if (modal.mode_count == 0)
    modal.mode_count = lb_scene_default_modes(body, fem, lb_modal_def().mode_count);
  return lb_reduce_modal(body->mesh, fem, def, &modal, out, err);
}

static lbStatus reduce_subspace(const lbSceneBody *body, const lbFem *fem, const lbReduceDef *def,
                                lbModel **out, lbError *err) {
  lbSubspaceDef subspace;
  lbSketch *sketch = NULL;
  lbStatus status = lb_scene_subspace(body, fem, &subspace, &sketch, err);
  if (!status) status = lb_reduce_subspace(body->mesh, fem, def, &subspace, out, err);
  lb_sketch_destroy(sketch);
  return status;
}

// The object alone.
static lbStatus copy_full(const lbSceneBody *body, const lbFem *fem, const lbReduceDef *def,
                          lbModel **out, lbError *err) {
  lbArena arena = { 0 };
  lbModel draft;
  const double damping[2] = { body->damping_mass, body->damping_stiffness };
  const int32_t lumped = 1;
  lbStatus status = lb_object_draft(body->mesh, fem, def, &arena, &draft, err);
  if (!status) {
    draft.provenance = lb_object_provenance(def, "method: full\n", &arena);
    draft.full_damping = damping;
    draft.full_mass = body->mass == LB_MASS_LUMPED ? &lumped : NULL;
    status = draft.provenance ? lb_model_create(&draft, out, err) : lb_fail_memory(err);
  }
  lb_arena_release(&arena);
  return status;
}

static lbStatus make_physics_model(const lbSceneBody *body, lbMethod method, lbModel **out,
                                   lbError *err) {
  lbFem *fem = NULL;
  lbModel *model = NULL;
  lbReduceDef def = lb_reduce_def();
  def.name = body->name;
  def.up = body->up;
  def.surface = body->surface;
  def.embedding = body->embedding;
  def.damping_mass = body->damping_mass;
  def.damping_stiffness = body->damping_stiffness;
  lbStatus status = lb_scene_own_fem(body, &fem, err);
  if (!status)
    status = method == LB_METHOD_FULL       ? copy_full(body, fem, &def, &model, err)
             : method == LB_METHOD_SUBSPACE ? reduce_subspace(body, fem, &def, &model, err)
             : method == LB_METHOD_WARP
                 ? lb_reduce_warp(body->mesh, fem, &def, &body->warp, &model, err)
             : method == LB_METHOD_FRAMES
                 ? lb_reduce_frames(body->mesh, fem, &def, &body->frames, &model, err)
                 : reduce_modal(body, fem, &def, &model, err);
  if (!status) status = lb_scene_number_surface(body, &model, err);
  lb_fem_destroy(fem);
  if (status)
    lb_model_destroy(model);
  else
    *out = model;
  return status;
}

lbStatus lb_scene_model(const lbSceneBody *body, lbModel **out, lbError *err) {
  if (body->model) return lb_model_create(body->model, out, err);
  if (body->method == LB_METHOD_FULL)
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "body \"%s\": the method \"full\" has no model, use a reduced one such as "
                   "\"modal\"",
                   body->name);
  if (body->method != LB_METHOD_MODAL && body->method != LB_METHOD_SUBSPACE &&
      body->method != LB_METHOD_WARP && body->method != LB_METHOD_FRAMES)
    return lb_fail(err, LB_ERR_UNSUPPORTED,
                   "body \"%s\": method \"%s\" is not supported in this version, use \"subspace\", "
                   "\"modal\", \"warp\", \"frames\" or \"full\"",
                   body->name, lb_method_name(body->method));
  return make_physics_model(body, body->method, out, err);
}

lbStatus lb_scene_full_model(const lbSceneBody *body, lbModel **out, lbError *err) {
  return body->model ? lb_model_create(body->model, out, err)
                     : make_physics_model(body, LB_METHOD_FULL, out, err);
}

// ---- forces and velocities ---------------------------------------------------------------------

static void add_physics_load(const lbSceneBody *body, const lbSceneLoad *load, double *forces) {
  const lbEmbedding *e = body->embedding;
  if (!body->surface_ids) {
    for (int i = 0; i < 3; i++) forces[3 * (size_t)load->vertex + i] += load->force[i];
    return;
  }
  for (int32_t k = e->begin[load->vertex]; k < e->begin[load->vertex + 1]; k++)
    for (int i = 0; i < 3; i++)
      forces[3 * (size_t)e->nodes[k] + i] += e->weights[k] * load->force[i];
}

bool lb_scene_load_acts(const lbScene *scene, const lbSceneLoad *load, double t) {
  return lb_load_acts(load->from, load->to, t, scene->time_step);
}

void lb_scene_forces(const lbScene *scene, int32_t body, const lbFem *fem, double t,
                     double *forces) {
  const double *masses = lb_fem_vertex_masses(fem);
  for (int32_t v = 0; v < lb_fem_vertex_count(fem); v++)
    for (int i = 0; i < 3; i++) forces[3 * (size_t)v + i] = masses[v] * scene->gravity[i];
  for (int32_t i = 0; i < scene->load_count; i++) {
    const lbSceneLoad *load = &scene->loads[i];
    if (load->body == body && lb_scene_load_acts(scene, load, t))
      add_physics_load(&scene->bodies[body], load, forces);
  }
}

// The frame's own velocity, and nothing else where a vertex is fixed in it.
static void add_frame_velocity(const lbSceneBody *body, const lbFem *fem, double *velocity) {
  const double *x = lb_fem_rest_positions(fem);
  lbPathState frame;
  lb_path_at(body->motion, 0, &frame);
  for (size_t v = 0; v < (size_t)lb_fem_vertex_count(fem); v++) {
    double carried[3], unused[3];
    lb_path_point_rates(&frame, x + 3 * v, carried, unused);
    for (size_t i = 0; i < 3; i++)
      velocity[3 * v + i] = carried[i] + (lb_fem_fixed(fem)[v] ? 0 : velocity[3 * v + i]);
  }
}

void lb_scene_velocity(const lbSceneBody *body, const lbFem *fem, double *velocity) {
  const double *masses = lb_fem_vertex_masses(fem), *x = lb_fem_rest_positions(fem);
  const double *w = body->angular_velocity;
  double centre[3] = { 0 };
  for (int32_t v = 0; v < lb_fem_vertex_count(fem); v++)
    for (int i = 0; i < 3; i++)
      centre[i] += masses[v] / lb_fem_total_mass(fem) * x[3 * (size_t)v + i];
  for (int32_t v = 0; v < lb_fem_vertex_count(fem); v++)
    for (int i = 0; i < 3; i++) {
      int j = (i + 1) % 3, k = (i + 2) % 3;
      velocity[3 * (size_t)v + i] = body->linear_velocity[i] +
                                    w[j] * (x[3 * (size_t)v + k] - centre[k]) -
                                    w[k] * (x[3 * (size_t)v + j] - centre[j]);
    }
  if (body->motion) add_frame_velocity(body, fem, velocity);
}

// ---- vertices ----------------------------------------------------------------------------------

static int32_t model_vertex_count(const lbSceneBody *body) {
  const lbModel *model = body->model;
  int32_t most = -1;
  if (!body->surface_ids) return model->size.node_count;
  for (int32_t v = 0; v < model->size.vertex_count; v++)
    if (model->vertex_sources[v] > most) most = model->vertex_sources[v];
  return most < INT32_MAX ? most + 1 : INT32_MAX;
}

int32_t lb_scene_vertex_count(const lbSceneBody *body) {
  if (body->model) return model_vertex_count(body);
  return body->surface_ids ? body->surface->vertex_count : body->mesh->vertex_count;
}

bool lb_scene_point(const lbSceneBody *body, const lbModel *model, int32_t vertex,
                    lbPointKind *kind, int32_t *index) {
  *kind = body->surface_ids ? LB_POINT_VERTEX : LB_POINT_NODE;
  *index = vertex;
  if (!body->surface_ids) return vertex >= 0 && vertex < model->size.node_count;
  for (int32_t v = 0; v < model->size.vertex_count; v++)
    if (model->vertex_sources[v] == vertex) {
      *index = v;
      return true;
    }
  return false;
}

// The nodes that carry a vertex: x = sum weight x_node. Without a list it is that node itself.
typedef struct Carriers {
  const double *rest; // own axes
  const int32_t *nodes;
  const double *weights;
  int32_t count, node;
} Carriers;

static Carriers find_carriers(const lbSceneBody *body, int32_t vertex) {
  const lbModel *m = body->model;
  const lbEmbedding *e = body->embedding;
  Carriers c = { .count = 0, .node = vertex };
  lbPointKind kind;
  int32_t index;
  if (m && lb_scene_point(body, m, vertex, &kind, &index) && kind == LB_POINT_VERTEX) {
    int32_t begin = m->carrier_begin[index];
    c = (Carriers){ m->vertex_positions + 3 * (size_t)index, m->carrier_nodes + begin,
                    m->carrier_weights + begin, m->carrier_begin[index + 1] - begin, -1 };
  } else if (m) {
    c.rest = m->node_positions + 3 * (size_t)vertex;
  } else if (body->surface_ids) {
    int32_t begin = e->begin[vertex];
    c = (Carriers){ body->surface->positions + 3 * (size_t)vertex, e->nodes + begin,
                    e->weights + begin, e->begin[vertex + 1] - begin, -1 };
  } else {
    c.rest = body->mesh->positions + 3 * (size_t)vertex;
  }
  return c;
}

void lb_scene_vertex(const lbSceneBody *body, int32_t vertex, const double *displacement,
                     double rest[3], double moved[3]) {
  Carriers c = find_carriers(body, vertex);
  lb_scene_place(body, c.rest, rest);
  for (int i = 0; i < 3; i++) moved[i] = 0;
  if (!displacement) return;
  if (c.node >= 0) memcpy(moved, displacement + 3 * (size_t)c.node, 3 * sizeof(double));
  for (int32_t k = 0; k < c.count; k++)
    for (int i = 0; i < 3; i++) moved[i] += c.weights[k] * displacement[3 * (size_t)c.nodes[k] + i];
}
