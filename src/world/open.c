// The world of a cooked file.
#include "world/world.h"

#include "limber/contact.h"

#include <string.h>

typedef struct Opening {
  const lbBundle *bundle;
  const lbWorldDef *def;
  lbWorld *world;
  int32_t *slots;    // work: the bodies of one batch
  lbVec3 *positions; // theirs
  lbQuat *rotations;
  bool *placed; // (bodies): is in a batch
} Opening;

static int32_t path_of(const lbWorldDef *def, int32_t body) {
  return def->body_paths ? def->body_paths[body] : -1;
}

static const char *name_of(const lbWorldDef *def, int32_t body) {
  const char *name = def->body_names;
  while (body-- > 0) name += strlen(name) + 1;
  return name;
}

static lbQuat quat_at(const double *q) { return lb_quat(q[0], q[1], q[2], q[3]); }

static bool belong_together(const lbWorldDef *def, int32_t a, int32_t b) {
  return def->body_models[a] == def->body_models[b] &&
         def->body_methods[a] == def->body_methods[b] &&
         (path_of(def, a) >= 0) == (path_of(def, b) >= 0);
}

// ---- bodies ------------------------------------------------------------------------------------

lbBodyDef lb_world_body_def(const lbWorldDef *def, int32_t body) {
  lbBodyDef own = lb_batch_def().body;
  own.method = lb_world_method(def, body);
  own.frame = path_of(def, body) >= 0 ? LB_FRAME_DRIVEN : LB_FRAME_DEFAULT;
  own.integrator = def->integrator ? (lbIntegrator)*def->integrator : LB_INTEGRATOR_NEWMARK;
  own.newton_iterations = def->newton_iterations ? *def->newton_iterations : 20;
  if (own.newton_iterations > 100) own.newton_iterations = 100;
  own.newton_tolerance = def->newton_tolerance ? *def->newton_tolerance : 1e-10;
  if (own.newton_tolerance > 1) own.newton_tolerance = 1;
  return own;
}

static lbStatus add_bodies(Opening *o, int32_t first, lbError *err) {
  const lbWorldDef *def = o->def;
  lbBatchDef batch = lb_batch_def();
  for (int32_t i = first; i < def->size.body_count; i++) {
    if (o->placed[i] || !belong_together(def, first, i)) continue;
    o->placed[i] = true;
    o->slots[batch.count] = i;
    o->positions[batch.count] = lb_vec3_load(def->body_positions + 3 * (size_t)i);
    o->rotations[batch.count++] = quat_at(def->body_rotations + 4 * (size_t)i);
  }
  batch.body = lb_world_body_def(def, first);
  batch.positions = o->positions;
  batch.rotations = o->rotations;
  lbError cause = { 0 };
  lbStatus status = lb_world_add_group(o->world, o->bundle->models[def->body_models[first]], &batch,
                                       o->slots, &cause);
  return status ? lb_fail(err, status, "body \"%s\": %.400s", name_of(def, first), cause.text)
                : LB_OK;
}

static lbStatus set_contact(Opening *o, int32_t body, lbError *err) {
  const lbWorldDef *def = o->def;
  lbBodyId id = lb_world_body_at(o->world, body);
  lbContactMaterial material = lb_world_contact_material(def, body);
  lbContactFilter filter = lb_world_filter(def->body_filters, body);
  bool touches = !def->body_untouchable || !def->body_untouchable[body];
  lbStatus status = lb_world_set_touch(o->world, id, touches, material.friction, err);
  if (!status) status = lb_world_set_contact_material(o->world, id, &material, err);
  if (status || !def->body_filters) return status;
  return lb_world_set_filter(o->world, id, &filter, err);
}

static lbStatus start_body(Opening *o, int32_t body, lbError *err) {
  const lbWorldDef *def = o->def;
  lbBodyId id = lb_world_body_at(o->world, body);
  lbBody *moving = lb_world_body(o->world, id);
  int32_t path = path_of(def, body);
  const double *shape = lb_bundle_shape(o->bundle, body);
  lbStatus status = path >= 0 ? lb_world_drive(o->world, id, o->world->paths[path], err) : LB_OK;
  if (!status && def->contact_friction) status = set_contact(o, body, err);
  const double *frames = def->body_contact_frames;
  if (!status && frames && frames[2 * (size_t)body] > 0 && lb_body_can_refine(moving))
    status = lb_world_set_contact_frames(o->world, id, (int32_t)frames[2 * (size_t)body],
                                         frames[2 * (size_t)body + 1], err);
  if (!status && shape && lb_body_set_shape(moving, shape))
    status = lb_fail(err, LB_ERR_ARGUMENT, "body \"%s\": its shape: %s", name_of(def, body),
                     lb_body_message(moving));
  lbVec3 linear = lb_vec3_load(def->body_linear_velocities + 3 * (size_t)body);
  lbVec3 angular = lb_vec3_load(def->body_angular_velocities + 3 * (size_t)body);
  bool moves = lb_length(linear) > 0 || lb_length(angular) > 0;
  if (!status && moves && lb_body_set_velocity(moving, linear, angular))
    status = lb_fail(err, LB_ERR_ARGUMENT, "body \"%s\": %s", name_of(def, body),
                     lb_body_message(moving));
  return status;
}

static lbStatus place_bodies(Opening *o, lbError *err) {
  size_t count = (size_t)o->def->size.body_count;
  int32_t first = 0;
  o->slots = lb_alloc(count, sizeof *o->slots);
  o->positions = lb_alloc(count, sizeof *o->positions);
  o->rotations = lb_alloc(count, sizeof *o->rotations);
  o->placed = lb_alloc(count, sizeof *o->placed);
  lbStatus status = o->slots && o->positions && o->rotations && o->placed
                        ? lb_world_make_slots(o->world, o->def->size.body_count, &first, err)
                        : lb_fail_memory(err);
  for (int32_t i = 0; i < o->def->size.body_count && !status; i++)
    if (!o->placed[i]) status = add_bodies(o, i, err);
  for (int32_t i = 0; i < o->def->size.body_count && !status; i++) status = start_body(o, i, err);
  return status;
}

// ---- the rest ----------------------------------------------------------------------------------

static lbStatus make_paths(Opening *o, lbError *err) {
  lbStatus status = LB_OK;
  o->world->paths = lb_alloc((size_t)o->def->size.path_count, sizeof *o->world->paths);
  if (!o->world->paths) return lb_fail_memory(err);
  for (int32_t i = 0; i < o->def->size.path_count && !status; i++) {
    status = lb_world_path(o->def, i, &o->world->paths[i], err);
    if (!status) o->world->path_count++;
  }
  return status;
}

static lbPoint point_at(int32_t kind, int32_t index) {
  return kind == LB_POINT_VERTEX ? lb_point_vertex(index) : lb_point_node(index);
}

lbAttachment lb_world_attachment(const lbWorldDef *def, int32_t index, lbPath *const *paths) {
  lbAttachment at = lb_attachment();
  size_t i = (size_t)index;
  at.point = point_at(def->attachment_kinds[i], def->attachment_points[i]);
  at.path = def->attachment_paths[i] >= 0 ? paths[def->attachment_paths[i]] : NULL;
  at.stiffness = def->attachment_springs[2 * i];
  at.damping = def->attachment_springs[2 * i + 1];
  at.from = def->attachment_times[2 * i];
  at.to = def->attachment_times[2 * i + 1];
  return at;
}

static lbStatus add_loads(Opening *o, lbError *err) {
  const lbWorldDef *def = o->def;
  lbStatus status = LB_OK;
  for (int32_t i = 0; i < def->size.load_count && !status; i++) {
    lbLoadId unused;
    lbLoad load = lb_load();
    load.body = lb_world_body_at(o->world, def->load_bodies[i]);
    load.point = point_at(def->load_kinds[i], def->load_points[i]);
    load.force = lb_vec3_load(def->load_forces + 3 * (size_t)i);
    load.from = def->load_times[2 * (size_t)i];
    load.to = def->load_times[2 * (size_t)i + 1];
    status = lb_world_add_load(o->world, &load, &unused, err);
  }
  return status;
}

static lbStatus attach(Opening *o, lbError *err) {
  const lbWorldDef *def = o->def;
  lbStatus status = LB_OK;
  for (int32_t i = 0; i < def->size.attachment_count && !status; i++) {
    lbAttachmentId unused;
    lbAttachment at = lb_world_attachment(def, i, o->world->paths);
    at.body = lb_world_body_at(o->world, def->attachment_bodies[i]);
    status = lb_world_attach(o->world, &at, &unused, err);
  }
  return status;
}

static lbStatus lead(Opening *o, lbError *err) {
  const lbWorldDef *def = o->def;
  lbStatus status = LB_OK;
  for (int32_t i = 0; i < def->size.lead_count && !status; i++)
    status = lb_world_drive_joint(o->world, lb_world_body_at(o->world, def->lead_bodies[i]),
                                  def->lead_frames[i], o->world->paths[def->lead_paths[i]],
                                  lb_vec3_load(def->lead_arms + 3 * (size_t)i), err);
  return status;
}

static lbStatus add_probes(Opening *o, lbError *err) {
  const lbWorldDef *def = o->def;
  lbStatus status = LB_OK;
  for (int32_t i = 0; i < def->size.probe_count && !status; i++) {
    int32_t unused;
    status = lb_world_add_probe(o->world, lb_world_body_at(o->world, def->probe_bodies[i]),
                                point_at(def->probe_kinds[i], def->probe_points[i]), &unused, err);
  }
  return status;
}

lbColliderDef lb_world_collider_def(const lbWorldDef *def, int32_t index) {
  lbColliderDef own = lb_collider_def();
  size_t i = (size_t)index;
  own.shape = (lbColliderShape)def->collider_shapes[i];
  own.radius = def->collider_sizes[4 * i];
  memcpy(own.size, def->collider_sizes + 4 * i + 1, sizeof own.size);
  own.position = lb_vec3_load(def->collider_positions + 3 * i);
  own.rotation = quat_at(def->collider_rotations + 4 * i);
  lbContactMaterial material = lb_world_collider_material(def, index);
  own.friction = material.friction;
  own.compliance = material.compliance;
  own.restitution = material.restitution;
  own.rolling_friction = material.rolling_friction;
  own.sensor = def->collider_sensors && def->collider_sensors[i];
  if (!def->collider_vertex_begin) return own;
  own.vertex_count = def->collider_vertex_begin[i + 1] - def->collider_vertex_begin[i];
  own.vertices = def->collider_vertices + 3 * (size_t)def->collider_vertex_begin[i];
  own.triangle_count = def->collider_triangle_begin[i + 1] - def->collider_triangle_begin[i];
  own.triangles = def->collider_triangles + 3 * (size_t)def->collider_triangle_begin[i];
  return own;
}

static lbStatus add_colliders(Opening *o, lbError *err) {
  const lbWorldDef *def = o->def;
  const char *name = def->collider_names;
  lbStatus status = LB_OK;
  for (int32_t i = 0; i < def->size.collider_count && !status; i++, name += strlen(name) + 1) {
    lbColliderDef own = lb_world_collider_def(def, i);
    lbColliderId id = 0;
    lbError cause = { 0 };
    int32_t path = def->collider_paths[i];
    status = lb_world_add_collider(o->world, &own, &id, &cause);
    lbContactFilter filter = lb_world_filter(def->collider_filters, i);
    if (!status && def->collider_filters)
      status = lb_world_set_collider_filter(o->world, id, &filter, &cause);
    if (!status && path >= 0)
      status = lb_world_drive_collider(o->world, id, o->world->paths[path], &cause);
    if (status) lb_fail(err, status, "collider \"%s\": %.400s", name, cause.text);
  }
  return status;
}

lbJointDef lb_world_joint_def(const lbWorldDef *def, int32_t index) {
  lbJointDef own = lb_joint_def();
  size_t i = (size_t)index;
  const double *numbers = def->joint_numbers + 5 * i;
  own.kind = (lbJointKind)def->joint_kinds[i];
  for (size_t k = 0; k < 2; k++) own.places[k] = lb_vec3_load(def->joint_places + 6 * i + 3 * k);
  memcpy(own.vertices, def->joint_vertices + 2 * i, sizeof own.vertices);
  own.axis = lb_vec3_load(def->joint_axes + 3 * i);
  own.limited = isfinite(numbers[0]) || isfinite(numbers[1]);
  own.limits[0] = numbers[0], own.limits[1] = numbers[1];
  own.motor_speed = numbers[2], own.motor_force = numbers[3], own.break_force = numbers[4];
  own.collide = def->joint_collide[i] != 0;
  if (!def->joint_region_begin) return own;
  own.region_count = def->joint_region_begin[i + 1] - def->joint_region_begin[i];
  if (own.region_count > 0) own.region = def->joint_regions + def->joint_region_begin[i];
  return own;
}

static lbStatus add_joints(Opening *o, lbError *err) {
  const lbWorldDef *def = o->def;
  const char *name = def->joint_names;
  lbStatus status = LB_OK;
  for (int32_t i = 0; i < def->size.joint_count && !status; i++, name += strlen(name) + 1) {
    lbJointDef own = lb_world_joint_def(def, i);
    lbJointId unused;
    lbError cause = { 0 };
    for (size_t k = 0; k < 2; k++) {
      int32_t body = def->joint_bodies[2 * (size_t)i + k];
      own.bodies[k] = body >= 0 ? lb_world_body_at(o->world, body) : 0;
    }
    status = lb_world_add_joint(o->world, &own, &unused, &cause);
    if (status) lb_fail(err, status, "joint \"%s\": %.400s", name, cause.text);
  }
  return status;
}

static void set_defaults(lbContactMaterial material, lbWorldSettings *settings) {
  settings->friction = material.friction;
  settings->compliance = material.compliance;
  settings->restitution = material.restitution;
  settings->rolling_friction = material.rolling_friction;
}

// What bodies touch, and how steps are taken, as the file says.
static void settle(const lbWorldDef *def, lbWorldSettings *settings) {
  settings->gravity = lb_vec3_load(def->gravity);
  settings->contact = def->contact_friction != NULL;
  settings->contacts_most = LB_SCENE_CONTACTS_MOST;
  if (settings->contact) set_defaults(lb_world_contact_material(def, -1), settings);
  if (def->contact_self) settings->self = def->contact_self[0] != 0;
  if (def->contact_substeps && settings->substeps <= INT32_MAX / def->contact_substeps[0])
    settings->substeps *= def->contact_substeps[0];
  if (def->substeps_max) settings->substeps_max = def->substeps_max[0];
}

lbStatus lb_world_open_at(const lbBundle *bundle, const lbWorldSettings *settings,
                          lbSimdLevel level, lbWorld **out, lbError *err) {
  if (!bundle) return lb_refuse_null(err, "bundle");
  if (!out) return lb_refuse_null(err, "out");
  lbWorldSettings own = settings ? *settings : lb_world_settings();
  Opening o = { .bundle = bundle, .def = bundle->world };
  if (!bundle->world)
    return lb_fail(err, LB_ERR_ARGUMENT, "the file has models and no world; see limber cook");
  settle(bundle->world, &own);
  lbStatus status = lb_world_create(&own, &o.world, err);
  if (!status) o.world->level = level;
  if (!status) status = make_paths(&o, err);
  if (!status) status = place_bodies(&o, err);
  if (!status) status = add_colliders(&o, err);
  if (!status) status = add_joints(&o, err);
  if (!status) status = add_loads(&o, err);
  if (!status) status = attach(&o, err);
  if (!status) status = lead(&o, err);
  if (!status) status = add_probes(&o, err);
  lb_free(o.slots);
  lb_free(o.positions);
  lb_free(o.rotations);
  lb_free(o.placed);
  if (status)
    lb_world_destroy(o.world);
  else
    *out = o.world;
  return status;
}

lbStatus lb_world_open(const lbBundle *bundle, const lbWorldSettings *settings, lbWorld **out,
                       lbError *err) {
  return lb_world_open_at(bundle, settings, lb_simd_best(), out, err);
}
