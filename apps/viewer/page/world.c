// Worlds without a viewer, for pages that draw by themselves: what web/src/world.mjs calls. Numbers
// go over in `numbers`; bodies and colliders are named by their indices in lists. A call that fails
// returns -1, NULL or an lbStatus, and page_error says why.
#include "page/text.h"

#include "limber/contact.h"
#include "limber/render_mesh.h"

#include <math.h>
#include <string.h>

#define GRAB_STIFFNESS 30.0 // times the body's own at the place: it lags by a thirtieth
#define HANDS 4             // that hold a body of a scene at a time
#define ROOM 64             // numbers
#define CONTACT_NUMBERS 14  // of a contact; see page_world_contacts

typedef struct Body {
  lbBodyId id;        // 0: removed
  lbRenderMesh *mesh; // of its model; bodies of the same model share it
  bool owns_mesh;
} Body;

typedef struct World {
  lbWorld *world;
  lbBundle **bundles; // the models of its bodies
  size_t bundle_count, bundle_room;
  Body *bodies;
  size_t body_count, body_room;
  lbColliderId *colliders; // 0: removed
  size_t collider_count, collider_room;
  float *vertices; // of the body queried last
  size_t vertex_room;
  double *contacts; // (contacts x CONTACT_NUMBERS) of the last step
  size_t contact_room;
} World;

static double numbers[ROOM];

EXPORT double *page_numbers(void) { return numbers; }

static lbVec3 vector_at(int i) { return lb_vec3_load(numbers + i); }
static lbQuat rotation_at(int i) {
  return lb_quat(numbers[i], numbers[i + 1], numbers[i + 2], numbers[i + 3]);
}
static void store_numbers(int i, lbVec3 v) {
  numbers[i] = v.x, numbers[i + 1] = v.y, numbers[i + 2] = v.z;
}

static lbBody *find_page_body(const World *w, int body) {
  return lb_world_body(w->world, w->bodies[body].id);
}

static int failed(lbStatus status) { return status ? -1 : 0; }

// The status of a call whose message the body has.
static lbStatus checked(const lbBody *body, lbStatus status) {
  return status ? lb_fail(&page_error, status, "%s", lb_body_message(body)) : LB_OK;
}

// ---- life --------------------------------------------------------------------------------------

EXPORT void page_world_destroy(World *w) {
  if (!w) return;
  lb_world_destroy(w->world);
  for (size_t i = 0; i < w->body_count; i++)
    if (w->bodies[i].owns_mesh) lb_render_mesh_destroy(w->bodies[i].mesh);
  for (size_t i = 0; i < w->bundle_count; i++) lb_bundle_destroy(w->bundles[i]);
  lb_free(w->bundles);
  lb_free(w->bodies);
  lb_free(w->colliders);
  lb_free(w->vertices);
  lb_free(w->contacts);
  lb_free(w);
}

static lbStatus list_body(World *w, lbBodyId id) {
  const lbModel *model = lb_body_model(lb_world_body(w->world, id));
  if (!lb_grow((void **)&w->bodies, &w->body_room, w->body_count + 1, sizeof *w->bodies))
    return lb_fail_memory(&page_error);
  Body *body = &w->bodies[w->body_count];
  *body = (Body){ .id = id };
  for (size_t i = 0; i < w->body_count && !body->mesh; i++)
    if (w->bodies[i].mesh->model == model) body->mesh = w->bodies[i].mesh;
  if (!body->mesh) {
    lbStatus status = lb_render_mesh_create(model, &body->mesh, &page_error);
    if (status) return status;
    body->owns_mesh = true;
  }
  w->body_count++;
  return LB_OK;
}

static double number_or(int i, double missing) { return isnan(numbers[i]) ? missing : numbers[i]; }

// numbers: gravity (3), contact, substeps, friction, compliance, restitution, rolling friction
// (NaN: the default).
static lbWorldSettings settings_of(void) {
  lbWorldSettings settings = lb_world_settings();
  settings.gravity = vector_at(0);
  settings.contact = numbers[3] != 0;
  settings.substeps = (int32_t)numbers[4];
  settings.friction = number_or(5, settings.friction);
  settings.compliance = number_or(6, settings.compliance);
  settings.restitution = number_or(7, settings.restitution);
  settings.rolling_friction = number_or(8, settings.rolling_friction);
  return settings;
}

EXPORT World *page_world_create(void) {
  World *w = lb_alloc(1, sizeof *w);
  lbWorldSettings settings = settings_of();
  if (!w) lb_fail_memory(&page_error);
  if (w && !lb_world_create(&settings, &w->world, &page_error)) return w;
  page_world_destroy(w);
  return NULL;
}

// Takes over a file's models; NULL on failure.
static const lbBundle *read_bundle(World *w, const char *name, const void *bytes, size_t count) {
  if (!lb_grow((void **)&w->bundles, &w->bundle_room, w->bundle_count + 1, sizeof *w->bundles)) {
    lb_fail_memory(&page_error);
    return NULL;
  }
  lbBundle **place = &w->bundles[w->bundle_count];
  if (lb_bundle_read(name, bytes, count, place, &page_error)) return NULL;
  w->bundle_count++;
  return *place;
}

// A model of its own, with a body; gravity: NaN: down where the model's up is.
static lbStatus open_model(World *w, const lbModel *model) {
  lbWorldSettings settings = settings_of();
  lbBodyDef def = lb_body_def();
  lbBodyId id = 0;
  if (isnan(numbers[0]))
    settings.gravity = model->up[0] == 1 ? lb_vec3(0, -9.81, 0) : lb_vec3(0, 0, -9.81);
  lbStatus status = lb_world_create(&settings, &w->world, &page_error);
  if (!status) status = lb_world_add(w->world, model, &def, &id, &page_error);
  return status ? status : list_body(w, id);
}

// Bodies of scenes have no room for hands: an attachment makes some, and leaves it behind. Rigid
// and recorded bodies have no use for it.
static void make_room_for_hands(World *w, lbBodyId id) {
  for (int i = 0; i < HANDS; i++) {
    lbAttachment attachment = lb_attachment();
    lbAttachmentId made = 0;
    attachment.body = id;
    attachment.point = lb_point_node(0);
    if (lb_world_attach(w->world, &attachment, &made, NULL)) return;
    lb_world_detach(w->world, made, NULL);
  }
}

static lbStatus open_page_scene(World *w, const lbBundle *bundle) {
  lbWorldSettings settings = settings_of();
  bool own_gravity = !isnan(numbers[0]);
  lbVec3 gravity = settings.gravity;
  lbStatus status = lb_world_open(bundle, &settings, &w->world, &page_error);
  if (!status && own_gravity) status = lb_world_set_gravity(w->world, gravity, &page_error);
  int32_t count = status ? 0 : lb_world_body_count(w->world);
  for (int32_t i = 0; i < count && !status; i++) {
    make_room_for_hands(w, lb_world_body_at(w->world, i));
    status = list_body(w, lb_world_body_at(w->world, i));
  }
  return status;
}

// A model file or a cooked scene.
EXPORT World *page_world_open(const char *name, const void *bytes, size_t count) {
  World *w = lb_alloc(1, sizeof *w);
  if (!w) {
    lb_fail_memory(&page_error);
    return NULL;
  }
  const lbBundle *bundle = read_bundle(w, name, bytes, count);
  lbStatus status = !bundle         ? LB_ERR_FORMAT
                    : bundle->world ? open_page_scene(w, bundle)
                                    : open_model(w, bundle->models[0]);
  if (!status) return w;
  page_world_destroy(w);
  return NULL;
}

// numbers: position (3), rotation (4), velocity (3), angular velocity (3), friction, compliance,
// restitution, rolling friction (NaN: the world's). The body's number.
EXPORT int page_world_add(World *w, const char *name, const void *bytes, size_t count,
                          const char *method) {
  lbBodyDef def = lb_body_def();
  lbBodyId id = 0;
  lbVec3 velocity = vector_at(7), spin = vector_at(10);
  lbContactMaterial material = { numbers[13], numbers[14], numbers[15], numbers[16] };
  def.position = vector_at(0);
  def.rotation = rotation_at(3);
  if (*method && !lb_method_from_name(method, &def.method))
    return failed(lb_fail(&page_error, LB_ERR_ARGUMENT, "there is no method \"%s\"", method));
  const lbBundle *bundle = read_bundle(w, name, bytes, count);
  if (!bundle) return -1;
  if (bundle->world)
    return failed(lb_fail(&page_error, LB_ERR_ARGUMENT, "%s is a scene: open it as a world", name));
  lbStatus status = lb_world_add(w->world, bundle->models[0], &def, &id, &page_error);
  if (!status) {
    lbBody *body = lb_world_body(w->world, id);
    if (lb_dot(velocity, velocity) > 0 || lb_dot(spin, spin) > 0)
      status = checked(body, lb_body_set_velocity(body, velocity, spin));
    if (!status) status = lb_world_set_contact_material(w->world, id, &material, &page_error);
    if (!status) status = list_body(w, id);
    if (status) lb_world_remove(w->world, id, NULL);
  }
  return status ? -1 : (int)w->body_count - 1;
}

EXPORT int page_world_remove(World *w, int body) {
  lbStatus status = lb_world_remove(w->world, w->bodies[body].id, &page_error);
  if (!status) w->bodies[body].id = 0;
  return (int)status;
}

EXPORT int page_world_body_count(const World *w) { return (int)w->body_count; }

// ---- what bodies are ---------------------------------------------------------------------------

static const char *name_at(const char *names, int32_t index) {
  for (; names && index > 0; index--) names += strlen(names) + 1;
  return names ? names : "";
}

static void write_part(const lbModel *model, const lbRenderPart *part) {
  int32_t a = part->appearance;
  static const float white[] = { 0.8f, 0.8f, 0.8f, 1 }, plain[] = { 0, 0.6f };
  const float *color =
      a >= 0 && model->appearance_colors ? model->appearance_colors + 4 * (size_t)a : white;
  const float *metal = a >= 0 && model->appearance_metal_roughness
                           ? model->appearance_metal_roughness + 2 * (size_t)a
                           : plain;
  int32_t texture = a >= 0 && model->appearance_textures ? model->appearance_textures[a] : -1;
  page_write("{\"start\":%d,\"count\":%d,\"name\":", (int)part->index_begin,
             (int)part->index_count);
  page_write_string(a >= 0 ? name_at(model->appearance_names, a) : "");
  page_write(",\"color\":[%.6g,%.6g,%.6g,%.6g],\"metalness\":%.6g,\"roughness\":%.6g,", color[0],
             color[1], color[2], color[3], metal[0], metal[1]);
  page_write("\"picture\":%d,\"pictureType\":", (int)texture);
  page_write_string(texture >= 0 ? name_at(model->texture_mimes, texture) : "");
  page_write("}");
}

EXPORT const char *page_body_info(const World *w, int body) {
  const lbRenderMesh *mesh = w->bodies[body].mesh;
  const lbBody *b = find_page_body(w, body);
  page_begin("{\"name\":");
  page_write_string(mesh->model->name);
  page_write(",\"method\":\"%s\",\"dimension\":%d,\"free\":%s,\"up\":\"%c\",",
             lb_method_name(lb_body_method(b)), (int)lb_body_dimension(b),
             lb_body_frame_kind(b) == LB_FRAME_FREE ? "true" : "false",
             mesh->model->up[0] == 1 ? 'y' : 'z');
  page_write_number("mass", mesh->model->rigid_mass[0]);
  page_write(",\"vertexCount\":%d,\"indexCount\":%d,\"parts\":[", (int)mesh->vertex_count,
             (int)mesh->index_count);
  for (int32_t i = 0; i < mesh->part_count; i++) {
    page_write(i ? "," : "");
    write_part(mesh->model, &mesh->parts[i]);
  }
  page_write("]}");
  return page_text();
}

EXPORT const uint32_t *page_body_indices(const World *w, int body) {
  return w->bodies[body].mesh->indices;
}
EXPORT const float *page_body_uvs(const World *w, int body) { return w->bodies[body].mesh->uvs; }

// A picture of the model's, as it was in the file; *count bytes.
EXPORT const uint8_t *page_body_picture(const World *w, int body, int picture, uint32_t *count) {
  const lbModel *model = w->bodies[body].mesh->model;
  const int64_t *range = model->texture_ranges + 2 * (size_t)picture;
  *count = (uint32_t)range[1];
  return (const uint8_t *)model->pictures + range[0];
}

// ---- surfaces ----------------------------------------------------------------------------------

// (vertexCount x 3) floats, until the next call; normals: 0 positions, 1 normals.
EXPORT const float *page_body_vertices(World *w, int body, int normals) {
  const lbRenderMesh *mesh = w->bodies[body].mesh;
  lbVertexLayout layout = lb_vertex_layout();
  size_t count = (size_t)mesh->vertex_count, bytes = 3 * count * sizeof(float);
  layout.stride = 3 * sizeof(float);
  *(normals ? &layout.normal : &layout.position) = 0;
  if (!lb_grow((void **)&w->vertices, &w->vertex_room, 3 * count, sizeof(float))) {
    lb_fail_memory(&page_error);
    return NULL;
  }
  return lb_body_write_render_vertices(find_page_body(w, body), mesh, &layout, 0,
                                       mesh->vertex_count, w->vertices, bytes, &page_error)
             ? NULL
             : w->vertices;
}

// numbers: position (3), rotation (4), velocity (3), angular velocity (3), kinetic and elastic
// energy, distance from trained poses.
EXPORT void page_body_state(const World *w, int body) {
  const lbBody *b = find_page_body(w, body);
  lbFrame frame = lb_body_frame(b);
  lbBodyReport report = lb_body_report(b);
  store_numbers(0, frame.position);
  numbers[3] = frame.rotation.x, numbers[4] = frame.rotation.y;
  numbers[5] = frame.rotation.z, numbers[6] = frame.rotation.w;
  store_numbers(7, frame.linear_velocity);
  store_numbers(10, frame.angular_velocity);
  numbers[13] = report.kinetic, numbers[14] = report.elastic;
  numbers[15] = lb_body_pose_distance(b);
}

// ---- hands -------------------------------------------------------------------------------------

// numbers: origin (3), direction (3) in; position (3), distance, triangle, weights (3) out. The
// body's number, -1: none is hit, -2: refused.
EXPORT int page_world_pick(const World *w) {
  lbBodyId id;
  lbPick pick;
  if (lb_world_pick(w->world, vector_at(0), vector_at(3), &id, &pick, &page_error)) return -2;
  if (!id) return -1;
  store_numbers(0, pick.position);
  numbers[3] = pick.distance, numbers[4] = pick.point.index;
  memcpy(numbers + 5, pick.point.weights, 3 * sizeof(double));
  for (size_t i = 0; i < w->body_count; i++)
    if (w->bodies[i].id == id) return (int)i;
  return -1;
}

static lbPoint point_of(int triangle) {
  return lb_point_triangle(triangle, numbers[0], numbers[1], numbers[2]);
}

// numbers: weights (3), stiffness (NaN: by how the place gives way), damping (NaN: critical). Its
// number.
EXPORT int page_body_grab(const World *w, int body, int triangle) {
  lbBody *b = find_page_body(w, body);
  lbPoint point = point_of(triangle);
  lbConstraintDef def = lb_constraint_def();
  double compliance = 0, mobility = 0,
         mass = fmax(w->bodies[body].mesh->model->rigid_mass[0], 1e-9);
  lbStatus status = lb_body_softness(b, point, &compliance, &mobility);
  if (status || !(compliance > 0) || !(mobility > 0)) // a spring that moves it in a tenth of 1 s
    compliance = 1 / (100 * mass), mobility = 1 / mass;
  def.point_count = 1;
  def.points = &point;
  def.stiffness = isnan(numbers[3]) ? GRAB_STIFFNESS / compliance : numbers[3];
  def.damping = isnan(numbers[4]) ? sqrt(def.stiffness / mobility) : numbers[4];
  int32_t id = -1;
  return checked(b, lb_body_add_constraint(b, &def, &id)) ? -1 : (int)id;
}

EXPORT int page_body_move(const World *w, int body, int hand) { // numbers: where to (3)
  lbBody *b = find_page_body(w, body);
  return (int)checked(b, lb_body_set_target(b, hand, numbers));
}

EXPORT int page_body_release(const World *w, int body, int hand) {
  lbBody *b = find_page_body(w, body);
  return (int)checked(b, lb_body_remove_constraint(b, hand));
}

EXPORT int page_body_hand_force(const World *w, int body, int hand) { // numbers: force (3)
  lbStatus status = lb_body_constraint_force(find_page_body(w, body), hand, numbers);
  return status ? (int)lb_fail(&page_error, status, "nothing holds the body there") : 0;
}

// numbers: weights (3), force or impulse (3).
EXPORT int page_body_push(const World *w, int body, int triangle, int impulse) {
  lbBody *b = find_page_body(w, body);
  lbVec3 push = vector_at(3);
  return (int)checked(b, impulse ? lb_body_apply_impulse(b, point_of(triangle), push)
                                 : lb_body_apply_force(b, point_of(triangle), push));
}

// numbers: Young's modulus, Poisson's ratio, density.
EXPORT int page_body_set_material(World *w, int body, int material) {
  return (int)lb_world_set_material(w->world, w->bodies[body].id, material, numbers[0], numbers[1],
                                    numbers[2], &page_error);
}

// ---- colliders ---------------------------------------------------------------------------------

// numbers: radius, size (3), position (3), rotation (4), friction, compliance, restitution, rolling
// friction (NaN: the world's), sensor. Its number.
EXPORT int page_world_add_collider(World *w, int shape) {
  lbColliderDef def = lb_collider_def();
  def.shape = (lbColliderShape)shape;
  def.radius = numbers[0];
  memcpy(def.size, numbers + 1, sizeof def.size);
  def.position = vector_at(4);
  def.rotation = rotation_at(7);
  def.friction = numbers[11];
  def.compliance = numbers[12];
  def.restitution = numbers[13];
  def.rolling_friction = numbers[14];
  def.sensor = numbers[15] != 0;
  if (!lb_grow((void **)&w->colliders, &w->collider_room, w->collider_count + 1,
               sizeof *w->colliders))
    return failed(lb_fail_memory(&page_error));
  if (lb_world_add_collider(w->world, &def, &w->colliders[w->collider_count], &page_error))
    return -1;
  return (int)w->collider_count++;
}

EXPORT int page_world_move_collider(World *w, int collider) { // numbers: position, rotation
  return (int)lb_world_move_collider(w->world, w->colliders[collider], vector_at(0), rotation_at(3),
                                     &page_error);
}

EXPORT int page_world_remove_collider(World *w, int collider) {
  lbStatus status = lb_world_remove_collider(w->world, w->colliders[collider], &page_error);
  if (!status) w->colliders[collider] = 0;
  return (int)status;
}

// ---- steps -------------------------------------------------------------------------------------

EXPORT int page_world_step(World *w, double dt) { return lb_world_step(w->world, dt); }
EXPORT double page_world_time(const World *w) { return lb_world_time(w->world); }
EXPORT void page_world_gravity(const World *w) { store_numbers(0, lb_world_gravity(w->world)); }
EXPORT int page_world_set_gravity(World *w) {
  return (int)lb_world_set_gravity(w->world, vector_at(0), &page_error);
}

static double body_number(const World *w, lbBodyId id) {
  for (size_t i = 0; i < w->body_count && id; i++)
    if (w->bodies[i].id == id) return (double)i;
  return -1;
}

// A collider of a cooked scene was not added here: all of those are -2.
static double collider_number(const World *w, lbColliderId id) {
  if (!id) return -1;
  for (size_t i = 0; i < w->collider_count; i++)
    if (w->colliders[i] == id) return (double)i;
  return -2;
}

static bool make_contact_room(World *w, size_t count) {
  if (lb_grow((void **)&w->contacts, &w->contact_room, count + 1, sizeof(double))) return true;
  lb_fail_memory(&page_error);
  return false;
}

// Numbers of the bodies that overlap a collider. numbers[0]: how many; NULL: an error.
EXPORT const double *page_world_overlaps(World *w, int collider) {
  size_t room = w->body_count;
  lbBodyId *bodies = lb_alloc(room, sizeof *bodies);
  int32_t count = 0;
  lbStatus status = bodies && make_contact_room(w, room) ? LB_OK : lb_fail_memory(&page_error);
  if (!status)
    status = lb_world_overlap_collider(w->world, w->colliders[collider], (int32_t)room, bodies,
                                       &count, &page_error);
  for (int32_t i = 0; i < count && !status; i++) w->contacts[i] = body_number(w, bodies[i]);
  numbers[0] = count;
  lb_free(bodies);
  return status ? NULL : w->contacts;
}

// Those of the last step: two bodies (the second -1: none), collider (-1: none), point (3), normal
// (3), force (3), gap, sliding. numbers[0]: how many; NULL: no memory.
EXPORT const double *page_world_contacts(World *w) {
  int32_t count = lb_world_contact_count(w->world);
  const lbContact *contacts = lb_world_contacts(w->world);
  if (!make_contact_room(w, CONTACT_NUMBERS * (size_t)count)) return NULL;
  numbers[0] = count;
  for (int32_t i = 0; i < count; i++) {
    const lbContact *c = &contacts[i];
    const double row[CONTACT_NUMBERS] = { body_number(w, c->bodies[0]),
                                          body_number(w, c->bodies[1]),
                                          collider_number(w, c->collider),
                                          c->point.x,
                                          c->point.y,
                                          c->point.z,
                                          c->normal.x,
                                          c->normal.y,
                                          c->normal.z,
                                          c->force.x,
                                          c->force.y,
                                          c->force.z,
                                          c->gap,
                                          c->sliding };
    memcpy(w->contacts + CONTACT_NUMBERS * (size_t)i, row, sizeof row);
  }
  return w->contacts;
}

// ---- states ------------------------------------------------------------------------------------

// To be freed with page_free; NULL with an error.
EXPORT uint8_t *page_world_save(const World *w, uint32_t *count) {
  size_t bytes = lb_world_state_bytes(w->world);
  uint8_t *state = lb_alloc(bytes, 1);
  *count = (uint32_t)bytes;
  if (!state) lb_fail_memory(&page_error);
  if (state && !lb_world_save_state(w->world, state, bytes, &page_error)) return state;
  lb_free(state);
  return NULL;
}

EXPORT int page_world_restore(World *w, const void *bytes, size_t count) {
  return (int)lb_world_restore_state(w->world, bytes, count, &page_error);
}
