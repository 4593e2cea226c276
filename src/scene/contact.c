// What bodies of a scene touch: "ground", "colliders" and "contact" of its top level, and what a
// body says of it.
#include "scene/body.h"

#include "limber/file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Of each: "friction", "compliance", "restitution", "rolling_friction".
static const char *const ground_keys[] = { "height",      "friction",         "compliance",
                                           "restitution", "rolling_friction", "filter",
                                           NULL };
static const char *const filter_keys[] = { "category", "mask", "group", NULL };
static const char *const contact_keys[] = { "friction",         "compliance", "restitution",
                                            "rolling_friction", "self",       "substeps",
                                            "hit_speed",        "response",   NULL };
static const char *const collider_keys[] = {
  "name",   "shape",      "radius",      "size",
  "file",   "position",   "rotation",    "velocity",
  "motion", "density",    "friction",    "contact",
  "filter", "compliance", "restitution", "rolling_friction",
  "sensor", NULL
};

void lb_scene_release_colliders(lbScene *scene) {
  for (int32_t i = 0; i < scene->collider_count; i++) {
    lb_free(scene->colliders[i].name);
    lb_mesh_destroy(scene->colliders[i].mesh);
  }
  lb_free(scene->colliders);
}

static lbStatus read_range(const lbField *json, const char *key, double most, const char *range,
                           double *value, lbError *err) {
  lbField member = lb_field_member(json, key);
  lbStatus status = lb_field_number(&member, value, err);
  if (!status && lb_field_here(&member) && !(*value >= 0 && *value <= most))
    status = lb_field_fail(&member, err, "is %g, it must be %s", *value, range);
  return status;
}

static lbStatus read_material(const lbField *json, lbContactMaterial *m, lbError *err) {
  lbStatus status = read_range(json, "friction", INFINITY, "0 or more", &m->friction, err);
  if (!status)
    status = read_range(json, "compliance", INFINITY, "0 m/N or more", &m->compliance, err);
  if (!status) status = read_range(json, "restitution", 1, "from 0 to 1", &m->restitution, err);
  if (!status)
    status =
        read_range(json, "rolling_friction", INFINITY, "0 m or more", &m->rolling_friction, err);
  return status;
}

static lbStatus read_bool(const lbField *json, const char *key, bool *value, lbError *err) {
  lbField member = lb_field_member(json, key);
  if (!lb_field_here(&member)) return LB_OK;
  if (!json_is_boolean(member.value)) return lb_field_fail(&member, err, "must be true or false");
  *value = json_is_true(member.value);
  return LB_OK;
}

static lbStatus read_bits(const lbField *json, const char *key, uint16_t *bits, lbError *err) {
  lbField member = lb_field_member(json, key);
  int32_t value = *bits;
  lbStatus status = lb_field_integer(&member, 0, UINT16_MAX, &value, err);
  *bits = (uint16_t)value;
  return status;
}

static lbStatus read_filter(const lbField *json, lbContactFilter *filter, lbError *err) {
  lbField member = lb_field_member(json, "filter");
  if (!lb_field_here(&member)) return LB_OK;
  lbField group = lb_field_member(&member, "group");
  lbStatus status = lb_field_keys(&member, filter_keys, err);
  if (!status) status = read_bits(&member, "category", &filter->category, err);
  if (!status) status = read_bits(&member, "mask", &filter->mask, err);
  return status ? status : lb_field_integer(&group, -INT32_MAX, INT32_MAX, &filter->group, err);
}

static lbStatus add_scene_collider(lbScene *scene, size_t *room, const char *name,
                                   lbSceneCollider **out, lbError *err) {
  char *copy = lb_duplicate_text(name);
  if (!copy || !lb_grow((void **)&scene->colliders, room, (size_t)scene->collider_count + 1,
                        sizeof *scene->colliders)) {
    lb_free(copy);
    return lb_fail_memory(err);
  }
  *out = &scene->colliders[scene->collider_count++];
  **out = (lbSceneCollider){ .name = copy,
                             .radius = 0.5,
                             .size = { 1, 1, 1 },
                             .rotation = { 0, 0, 0, 1 },
                             .contact_material = lb_contact_material(),
                             .filter = lb_contact_filter() };
  return LB_OK;
}

// ---- ground ------------------------------------------------------------------------------------

// From z to the up axis.
static void turn_up(char up, double rotation[4]) {
  const double y_up[4] = { -sqrt(0.5), 0, 0, sqrt(0.5) }, z_up[4] = { 0, 0, 0, 1 };
  memcpy(rotation, up == 'y' ? y_up : z_up, 4 * sizeof(double));
}

static lbStatus read_contact_ground(const lbField *json, lbScene *scene, size_t *room,
                                    lbError *err) {
  lbSceneCollider *ground = NULL;
  if (!lb_field_here(json)) return LB_OK;
  lbStatus status = lb_field_keys(json, ground_keys, err);
  if (!status) status = add_scene_collider(scene, room, "ground", &ground, err);
  if (status) return status;
  lbField height = lb_field_member(json, "height");
  ground->shape = LB_COLLIDER_PLANE;
  turn_up(scene->up, ground->rotation);
  status = lb_field_number(&height, &ground->position[scene->up == 'y' ? 1 : 2], err);
  if (!status) status = read_material(json, &ground->contact_material, err);
  if (!status) status = read_filter(json, &ground->filter, err);
  if (!status && scene->view.ground == LB_GROUND_CHOSEN) {
    scene->view.ground = LB_GROUND_HEIGHT;
    scene->view.ground_height = ground->position[scene->up == 'y' ? 1 : 2];
  }
  return status;
}

// ---- colliders ---------------------------------------------------------------------------------

static lbStatus refuse_key(const lbField *json, const char *key, const char *why, lbError *err) {
  lbField member = lb_field_member(json, key);
  return lb_field_here(&member) ? lb_field_fail(&member, err, "%s", why) : LB_OK;
}

static lbStatus read_contact_size(const lbField *json, lbSceneCollider *collider, lbError *err) {
  lbField radius = lb_field_member(json, "radius"), size = lb_field_member(json, "size");
  lbStatus status = lb_field_positive(&radius, &collider->radius, err);
  if (status || !lb_field_here(&size)) return status;
  if (collider->shape == LB_COLLIDER_CAPSULE)
    return lb_field_number(&size, &collider->size[2], err);
  status = lb_field_vector(&size, 3, collider->size, err);
  for (int i = 0; i < 3 && !status; i++)
    if (!(collider->size[i] > 0))
      status = lb_field_fail(&size, err, "has %g, extents must be positive", collider->size[i]);
  return status;
}

static lbStatus read_mesh(const lbField *json, lbSceneCollider *collider, lbError *err) {
  lbField file = lb_field_member(json, "file");
  char *path = NULL;
  lbMesh *mesh = NULL;
  int32_t *vertices = NULL;
  if (collider->shape != LB_COLLIDER_MESH && collider->shape != LB_COLLIDER_HULL)
    return refuse_key(json, "file", "is only for the shapes \"mesh\" and \"hull\"", err);
  lbStatus status = lb_field_file(&file, &path, err);
  if (!status) status = lb_mesh_load(path, &mesh, err);
  if (!status) status = lb_mesh_surface(mesh, &collider->mesh, &vertices, err);
  lb_free(vertices);
  lb_mesh_destroy(mesh);
  lb_free(path);
  return status;
}

static lbStatus read_place(const lbField *json, lbScene *scene, lbSceneCollider *collider,
                           lbError *err) {
  lbField position = lb_field_member(json, "position"),
          rotation = lb_field_member(json, "rotation");
  lbField motion = lb_field_member(json, "motion");
  double norm = 0, turn[4] = { 0, 0, 0, 1 }, up[4];
  lbStatus status = lb_field_vector(&position, 3, collider->position, err);
  if (!status) status = lb_field_vector(&rotation, 4, turn, err);
  for (int i = 0; i < 4; i++) norm += turn[i] * turn[i];
  if (!status && !(norm > 1e-20 && norm < 1e20))
    return lb_field_fail(&rotation, err, "has zero or non-finite length");
  if (status) return status;
  for (int i = 0; i < 4; i++) turn[i] /= sqrt(norm);
  turn_up(collider->shape == LB_COLLIDER_PLANE ? scene->up : 'z', up);
  lbQuat q = lb_quat_multiply(lb_quat(turn[0], turn[1], turn[2], turn[3]),
                              lb_quat(up[0], up[1], up[2], up[3]));
  const double whole[4] = { q.x, q.y, q.z, q.w };
  memcpy(collider->rotation, whole, sizeof whole);
  if (!lb_field_here(&motion)) return LB_OK;
  if (lb_field_here(&position) || lb_field_here(&rotation))
    return lb_field_fail(&motion, err, "says where it is, remove \"position\" and \"rotation\"");
  return lb_scene_read_kept_path(&motion, scene, &collider->motion, err);
}

static lbStatus read_whether(const lbField *json, bool *untouchable, lbError *err) {
  bool touches = !*untouchable;
  lbStatus status = read_bool(json, "contact", &touches, err);
  *untouchable = !touches;
  return status;
}

static lbStatus read_sensor(const lbField *json, bool moves, bool *sensor, lbError *err) {
  lbField member = lb_field_member(json, "sensor");
  lbStatus status = read_bool(json, "sensor", sensor, err);
  if (!status && *sensor && moves)
    status = lb_field_fail(&member, err, "is only for colliders without \"density\"");
  return status;
}

static lbStatus read_collider(const lbField *json, lbScene *scene, size_t *room, size_t *body_room,
                              lbError *err) {
  static const char *const shapes[] = { "plane", "sphere", "box", "capsule", "hull", "mesh", NULL };
  _Static_assert(sizeof shapes / sizeof *shapes == LB_COLLIDER_SHAPE_COUNT + 1, "a name each");
  lbField shape = lb_field_member(json, "shape"), name = lb_field_member(json, "name");
  char usual[40];
  int number = -1;
  lbSceneCollider *collider = NULL;
  lbStatus status = lb_field_keys(json, collider_keys, err);
  if (!status && !lb_field_here(&shape)) status = lb_field_fail(json, err, "has no \"shape\"");
  if (!status) status = lb_field_choice(&shape, shapes, &number, err);
  const char *text = status ? NULL : lb_field_text(&name, &status, err);
  int32_t rigid = 0;
  for (int32_t i = 0; i < scene->body_count; i++)
    rigid += scene->bodies[i].method == LB_METHOD_RIGID;
  snprintf(usual, sizeof usual, "collider %d", (int)(scene->collider_count + rigid));
  if (!status) status = add_scene_collider(scene, room, text ? text : usual, &collider, err);
  if (status) return status;
  collider->shape = (lbColliderShape)number;
  lbField density = lb_field_member(json, "density");
  bool moves = lb_field_here(&density);
  status = moves ? LB_OK
                 : refuse_key(json, "velocity",
                              "a collider without density moves only by its \"motion\"", err);
  if (!status) status = read_contact_size(json, collider, err);
  if (!status) status = read_mesh(json, collider, err);
  if (!status) status = read_place(json, scene, collider, err);
  if (!status) status = read_material(json, &collider->contact_material, err);
  if (!status) status = read_whether(json, &collider->untouchable, err);
  if (!status) status = read_sensor(json, moves, &collider->sensor, err);
  if (!status) status = read_filter(json, &collider->filter, err);
  if (status || !moves) return status;
  status = lb_scene_read_rigid(json, scene, body_room, collider, err);
  lb_free(collider->name);
  lb_mesh_destroy(collider->mesh);
  scene->collider_count--;
  return status;
}

static lbStatus read_colliders(const lbField *json, lbScene *scene, size_t *room, lbError *err) {
  lbStatus status = LB_OK;
  size_t body_room = (size_t)scene->body_count;
  if (!lb_field_here(json)) return LB_OK;
  if (!json_is_array(json->value)) return lb_field_fail(json, err, "must be a list");
  for (size_t i = 0; i < json_array_size(json->value) && !status; i++) {
    lbField item = lb_field_item(json, i);
    status = read_collider(&item, scene, room, &body_room, err);
  }
  for (int32_t i = 0; i < scene->collider_count && !status; i++)
    for (int32_t j = 0; j < i && !status; j++)
      if (strcmp(scene->colliders[i].name, scene->colliders[j].name) == 0)
        status =
            lb_field_fail(json, err, "two colliders are called \"%s\"", scene->colliders[i].name);
  return status;
}

// ---- how they touch ----------------------------------------------------------------------------

static lbStatus read_contact(const lbField *json, lbScene *scene, lbError *err) {
  lbField response = lb_field_member(json, "response");
  lbField substeps = lb_field_member(json, "substeps");
  if (!lb_field_here(json)) return LB_OK;
  lbStatus status = lb_field_keys(json, contact_keys, err);
  if (!status && lb_field_here(&response))
    lb_log(LB_LOG_WARNING,
           "%s: %s is no longer used: contacts are rigid with optional \"compliance\" (m/N); "
           "\"penalty\" corresponds to a compliance, \"lcp\" needs nothing",
           response.file, response.path);
  if (!status) status = read_bool(json, "self", &scene->self, err);
  if (!status) status = lb_field_integer(&substeps, 1, 1000, &scene->substeps, err);
  if (!status)
    status = read_range(json, "hit_speed", INFINITY, "0 or more", &scene->hit_speed, err);
  return status ? status : read_material(json, &scene->contact_material, err);
}

lbStatus lb_scene_read_contact(const lbField *json, lbScene *scene, lbError *err) {
  static const char *const ups[] = { "y", "z", NULL };
  lbField up = lb_field_member(json, "up"), ground = lb_field_member(json, "ground");
  lbField colliders = lb_field_member(json, "colliders"),
          contact = lb_field_member(json, "contact");
  size_t room = 0;
  int axis = 1;
  lbStatus status = lb_field_choice(&up, ups, &axis, err);
  scene->up = axis == 0 ? 'y' : 'z';
  if (!status) status = read_contact(&contact, scene, err);
  if (!status) status = read_contact_ground(&ground, scene, &room, err);
  if (!status) status = read_colliders(&colliders, scene, &room, err);
  scene->contact = lb_field_here(&ground) || lb_field_here(&colliders) || lb_field_here(&contact);
  return status;
}

lbStatus lb_scene_read_touch(const lbField *json, lbSceneBody *body, lbError *err) {
  lbStatus status = read_whether(json, &body->untouchable, err);
  if (!status) status = read_filter(json, &body->filter, err);
  return status ? status : read_material(json, &body->contact_material, err);
}
