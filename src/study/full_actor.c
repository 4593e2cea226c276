// An unreduced body in a run: the finite-element simulator.
#include "fem/fem.h"
#include "study/actor.h"
#include "study/driven.h"

#include <string.h>

typedef struct Full {
  lbFem *fem;
  lbSimulator *simulator;
  lbDriven *driven;          // its supports' motion; NULL: they stand still
  double *forces;            // full
  int32_t *surface_vertices; // mesh vertex of each surface vertex; NULL: by the embedding
  double *surface_moved;     // (surface vertices x 3)
} Full;

static void release(lbActor *actor) {
  Full *full = actor->own;
  if (!full) return;
  lb_simulator_destroy(full->simulator);
  lb_driven_destroy(full->driven);
  lb_fem_destroy(full->fem);
  lb_free(full->forces);
  lb_free(full->surface_vertices);
  lb_free(full->surface_moved);
  lb_free(full);
}

static void step(lbActor *actor, int32_t number) {
  Full *full = actor->own;
  const lbScene *scene = actor->run->scene;
  lbRunBody *body = &actor->run->bodies[actor->bodies[0]];
  double end = (number + 1) * scene->time_step;
  lb_scene_forces(scene, actor->bodies[0], full->fem, end, full->forces);
  double start = lb_seconds();
  int32_t flags = LB_STEP_NONFINITE;
  if (!full->driven || lb_driven_step(full->driven, full->simulator, end, NULL) == LB_OK)
    flags = lb_simulator_step(full->simulator, full->forces);
  actor->times[number] = lb_seconds() - start;
  lb_run_count_flags(body, flags);
}

static void probe(const lbActor *actor, double *row) {
  const Full *full = actor->own;
  const lbScene *scene = actor->run->scene;
  const double *u = lb_simulator_displacement(full->simulator);
  double rest[3];
  for (int32_t i = 0; i < scene->probe_count; i++)
    if (scene->probes[i].body == actor->bodies[0])
      lb_scene_vertex(&scene->bodies[actor->bodies[0]], scene->probes[i].vertex, u, rest,
                      row + 3 * (size_t)i);
}

static lbStatus begin_frames(lbActor *actor, bool volume, lbError *err) {
  Full *full = actor->own;
  const lbRun *run = actor->run;
  const lbSceneBody *source = &run->scene->bodies[actor->bodies[0]];
  lbRunBody *body = &run->bodies[actor->bodies[0]];
  if (!source->surface) {
    lbStatus status =
        lb_mesh_surface(source->mesh, &actor->owned->surface, &full->surface_vertices, err);
    if (status) return status;
  }
  body->surface = source->surface ? source->surface : actor->owned->surface;
  size_t values = 3 * (size_t)body->surface->vertex_count, frames = (size_t)run->frame_count;
  body->frames = lb_alloc(frames, values * sizeof(float));
  full->surface_moved = lb_alloc(values, sizeof(double));
  if (volume) {
    body->volume = source->mesh;
    body->displacements = lb_alloc(frames, 3 * (size_t)source->mesh->vertex_count * sizeof(double));
    if (!body->displacements) return lb_fail_memory(err);
  }
  return body->frames && full->surface_moved ? LB_OK : lb_fail_memory(err);
}

static void record(lbActor *actor, int32_t frame) {
  const Full *full = actor->own;
  const lbSceneBody *source = &actor->run->scene->bodies[actor->bodies[0]];
  lbRunBody *body = &actor->run->bodies[actor->bodies[0]];
  size_t count = (size_t)body->surface->vertex_count;
  const double *u = lb_simulator_displacement(full->simulator);
  double *moved = full->surface_moved;
  if (!full->surface_vertices) lb_embedding_apply(source->embedding, u, moved);
  for (size_t v = 0; v < count && full->surface_vertices; v++)
    memcpy(moved + 3 * v, u + 3 * (size_t)full->surface_vertices[v], 3 * sizeof(double));
  float *to = body->frames + (size_t)frame * 3 * count;
  for (size_t v = 0; v < count; v++) {
    double rest[3];
    lb_scene_place(source, body->surface->positions + 3 * v, rest);
    for (int i = 0; i < 3; i++) to[3 * v + i] = (float)(rest[i] + moved[3 * v + i]);
  }
  size_t nodes = (size_t)source->mesh->vertex_count;
  if (body->displacements)
    memcpy(body->displacements + 3 * nodes * (size_t)frame, u, 3 * nodes * sizeof(double));
}

// ---- its frame at the end ----------------------------------------------------------------------

static lbVec3 mass_centre(const lbFem *fem, const double *x, const double *u) {
  const double *masses = lb_fem_vertex_masses(fem);
  lbVec3 sum = lb_vec3(0, 0, 0);
  for (size_t v = 0; v < (size_t)lb_fem_vertex_count(fem); v++) {
    lbVec3 at = lb_vec3_load(x + 3 * v);
    if (u) at = lb_add(at, lb_vec3_load(u + 3 * v));
    sum = lb_add_scaled(sum, masses[v] / lb_fem_total_mass(fem), at);
  }
  return sum;
}

static void store_frame(lbRunBody *body, lbVec3 position, lbQuat q, lbVec3 velocity, lbVec3 spin) {
  const double rotation[4] = { q.x, q.y, q.z, q.w };
  lb_vec3_store(body->position, position);
  memcpy(body->rotation, rotation, sizeof rotation);
  lb_vec3_store(body->linear_velocity, velocity);
  lb_vec3_store(body->angular_velocity, spin);
}

// The inertia about a centre, by the angular momenta of three unit spins; `work` is a full vector.
static lbMat3 inertia_about(const lbFem *fem, lbVec3 c, const double *u, double *work) {
  const double *rest = lb_fem_rest_positions(fem);
  lbMat3 J;
  for (int k = 0; k < 3; k++) {
    double linear[3], angular[3];
    lbVec3 spin = lb_vec3(k == 0, k == 1, k == 2);
    for (size_t v = 0; v < (size_t)lb_fem_vertex_count(fem); v++) {
      lbVec3 r = lb_sub(lb_add(lb_vec3_load(rest + 3 * v), lb_vec3_load(u + 3 * v)), c);
      lb_vec3_store(work + 3 * v, lb_cross(spin, r));
    }
    lb_fem_momentum(fem, u, work, linear, angular);
    lbVec3 L = lb_sub(lb_vec3_load(angular), lb_cross(c, lb_vec3_load(linear)));
    J.m[k] = L.x, J.m[3 + k] = L.y, J.m[6 + k] = L.z;
  }
  return J;
}

// The rigid motion of a free body: the rotation R of the polar decomposition of Σ m (x − c)(X −
// C)ᵀ, v = P/m, ω = J⁻¹ L about the centre.
static void fit_frame(const Full *full, const double *own, lbRunBody *body) {
  const lbFem *fem = full->fem;
  const double *rest = lb_fem_rest_positions(fem), *masses = lb_fem_vertex_masses(fem);
  const double *u = lb_simulator_displacement(full->simulator);
  lbVec3 c = mass_centre(fem, rest, u), C = mass_centre(fem, own, NULL);
  lbMat3 A = { { 0 } }, R;
  for (size_t v = 0; v < (size_t)lb_fem_vertex_count(fem); v++) {
    lbVec3 r = lb_sub(lb_add(lb_vec3_load(rest + 3 * v), lb_vec3_load(u + 3 * v)), c);
    lbVec3 X = lb_sub(lb_vec3_load(own + 3 * v), C);
    A = lb_mat3_add(A, lb_mat3_scale(masses[v], lb_mat3_outer(r, X)));
  }
  lb_polar3(A, &R, NULL);
  lbVec3 P = lb_vec3_load(body->state.linear_momentum);
  lbVec3 L = lb_sub(lb_vec3_load(body->state.angular_momentum), lb_cross(c, P));
  lbMat3 J = inertia_about(fem, c, u, full->forces); // which the last step is done with
  store_frame(body, lb_sub(c, lb_mat3_apply(R, C)), lb_quat_from_mat3(R),
              lb_scale(1 / lb_fem_total_mass(fem), P), lb_mat3_apply(lb_mat3_inverse(J), L));
}

static bool is_free(const lbFem *fem) {
  for (int32_t v = 0; v < lb_fem_vertex_count(fem); v++)
    if (lb_fem_fixed(fem)[v]) return false;
  return true;
}

static void report_frame(const Full *full, const lbSceneBody *source, lbRunBody *body) {
  lbVec3 none = lb_vec3(0, 0, 0);
  if (full->driven) {
    const lbPathState *f = &full->driven->now;
    const double *q = f->rotation;
    lbQuat rotation = lb_quat(q[0], q[1], q[2], q[3]);
    lbVec3 spin = lb_vec3_load(f->angular_velocity);
    lbVec3 arm = lb_quat_rotate(rotation, mass_centre(full->fem, source->mesh->positions, NULL));
    store_frame(body, lb_vec3_load(f->position), rotation,
                lb_add(lb_vec3_load(f->linear_velocity), lb_cross(spin, arm)), spin);
  } else if (is_free(full->fem)) {
    fit_frame(full, source->mesh->positions, body);
  } else {
    const double *q = source->rotation;
    store_frame(body, lb_vec3_load(source->position), lb_quat(q[0], q[1], q[2], q[3]), none, none);
  }
}

static void report(const lbActor *actor) {
  const Full *full = actor->own;
  lbRunBody *body = &actor->run->bodies[actor->bodies[0]];
  body->vertices = lb_fem_vertex_count(full->fem);
  body->elements = lb_fem_element_count(full->fem);
  body->dimension = 3 * lb_fem_node_count(full->fem);
  body->mass = lb_fem_total_mass(full->fem);
  body->state = lb_simulator_state(full->simulator);
  report_frame(full, &actor->run->scene->bodies[actor->bodies[0]], body);
}

static const lbActorKind full_kind = { release, step, probe, begin_frames, record, report };

// Where the scene does not say: with so many unknowns a factorisation costs several assemblies, and
// a kept one serves. Below that keeping it gains nothing.
static double choose_reuse(const lbScene *scene, const lbFem *fem) {
  enum { LARGE = 10000 };
  if (scene->factor_reuse >= 0) return scene->factor_reuse;
  return 3 * (int64_t)lb_fem_node_count(fem) >= LARGE ? 0.3 : 0;
}

static lbSimulatorDef simulator_def(const lbScene *scene, const lbSceneBody *body,
                                    const lbFem *fem) {
  lbSimulatorDef def = lb_simulator_def();
  def.integrator = scene->integrator;
  def.step = scene->time_step;
  def.newton_iterations = scene->newton_iterations;
  def.newton_tolerance = scene->newton_tolerance;
  def.factor_reuse = choose_reuse(scene, fem);
  def.damping_mass = body->damping_mass;
  def.damping_stiffness = body->damping_stiffness;
  return def;
}

lbStatus lb_actor_create_full(lbActor *actor, lbError *err) {
  const lbScene *scene = actor->run->scene;
  const lbSceneBody *body = &scene->bodies[actor->bodies[0]];
  Full *full = lb_alloc(1, sizeof *full);
  if (!full) return lb_fail_memory(err);
  actor->kind = &full_kind;
  actor->own = full;
  lbStatus status = lb_scene_fem(body, &full->fem, err);
  if (status) return status;
  size_t values = 3 * (size_t)lb_fem_vertex_count(full->fem);
  double *velocity = lb_alloc(values, sizeof(double));
  full->forces = lb_alloc(values, sizeof(double));
  if (!velocity || !full->forces) {
    lb_free(velocity);
    return lb_fail_memory(err);
  }
  lbSimulatorDef def = simulator_def(scene, body, full->fem);
  lb_scene_velocity(body, full->fem, velocity);
  lb_scene_forces(scene, actor->bodies[0], full->fem, 0, full->forces);
  if (body->motion)
    status = lb_driven_create(body, full->fem, scene->integrator, &full->driven, err);
  if (!status)
    status =
        lb_simulator_create(full->fem, &def, NULL, velocity, full->forces, &full->simulator, err);
  if (!status && full->driven)
    status = lb_driven_start(full->driven, full->simulator, full->forces, err);
  lb_free(velocity);
  return status;
}
