// Scenes of the campaign.
#include "campaign.h"

#include "scene/read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- models ------------------------------------------------------------------------------------

static const char *const meshes[SHAPE_COUNT] = {
  "\"mesh\":{\"generate\":\"bar\",\"size\":[0.2,0.2,0.2],\"cells\":[3,3,3]}",
  "\"mesh\":{\"generate\":\"sphere\",\"size\":[0.2,0.2,0.2],\"cells\":[4,4,4],\"segments\":12}",
  "\"mesh\":{\"generate\":\"bar\",\"size\":[0.6,0.05,0.05],\"cells\":[10,1,1]}",
  "\"mesh\":{\"generate\":\"bar\",\"size\":[0.4,0.4,0.03],\"cells\":[6,6,1]}",
  "\"mesh\":{\"generate\":\"torus\",\"size\":[0.3,0.3,0.06],\"cells\":[16,3,3],\"segments\":16}",
};
static const double thicknesses[SHAPE_COUNT] = { 0.2, 0.2, 0.05, 0.03, 0.06 };
static const lbVec3 middles[SHAPE_COUNT] = { { 0.1, 0.1, 0.1 },
                                             { 0.1, 0.1, 0.1 },
                                             { 0.3, 0.025, 0.025 },
                                             { 0.2, 0.2, 0.015 },
                                             { 0.15, 0.15, 0.03 } };
static const char *const methods[METHOD_COUNT] = {
  "\"method\":\"modal\",\"reduce\":{\"modes\":16}",
  "\"method\":\"subspace\",\"reduce\":{\"modes\":10,\"dimension\":18}",
  ("\"method\":\"subspace\",\"reduce\":{\"modes\":10,\"dimension\":18,\"forces\":\"cubature\","
   "\"elements\":20,\"poses\":60}"),
  "\"method\":\"warp\"",
  "\"method\":\"frames\",\"frames\":{\"count\":5,\"samples\":120}",
};
static const double youngs[] = { 1e4, 1e5, 1e6 };
enum { YOUNGS = sizeof youngs / sizeof *youngs, RIGID_DENSITY = 2000 };

static lbModel *cache[SHAPE_COUNT][METHOD_COUNT + 1][YOUNGS];

static int young_of(const campaignBody *body) {
  int young = 0;
  while (cache[body->shape][body->method][young] != body->model) young++;
  return young;
}

// The keys of a soft body that tell its model.
static int print_keys(char *text, size_t size, campaignShape shape, campaignMethod method,
                      int young) {
  const char *law = method == METHOD_CUBATURE ? "stable_neohookean" : "stvk";
  return snprintf(text, size,
                  "%s,\"material\":{\"model\":\"%s\",\"young\":%g,\"poisson\":0.4,"
                  "\"density\":1000},\"damping\":{\"mass\":0.1,\"stiffness\":0.004},%s",
                  meshes[shape], law, youngs[young], methods[method]);
}

static lbColliderDef rigid_def(campaignShape shape) {
  lbColliderDef def = lb_collider_def();
  def.shape = shape == SHAPE_BALL ? LB_COLLIDER_SPHERE : LB_COLLIDER_BOX;
  def.radius = 0.1;
  for (int k = 0; k < 3; k++) def.size[k] = 2 * (&middles[shape].x)[k];
  return def;
}

static lbStatus make_soft(campaignShape shape, campaignMethod method, int young, lbModel **out,
                          lbError *err) {
  char text[1200];
  lbScene *scene = NULL;
  int used = snprintf(text, sizeof text, "{\"limber\":1,\"bodies\":[{\"name\":\"a\",");
  used += print_keys(text + used, sizeof text - (size_t)used, shape, method, young);
  snprintf(text + used, sizeof text - (size_t)used, "}]}");
  lbStatus status = lb_scene_read("campaign.json", text, strlen(text), &scene, err);
  if (!status) status = lb_scene_model(&scene->bodies[0], out, err);
  lb_scene_destroy(scene);
  return status;
}

static lbStatus take_model(campaignBody *body, int young, lbError *err) {
  lbModel **at = &cache[body->shape][body->method][body->method == METHOD_RIGID ? 0 : young];
  lbStatus status = LB_OK;
  lbColliderDef shape = rigid_def(body->shape);
  if (!*at && body->method == METHOD_RIGID) status = lb_rigid_model(&shape, RIGID_DENSITY, at, err);
  if (!*at && !status) status = make_soft(body->shape, body->method, young, at, err);
  body->model = *at;
  body->young = body->method == METHOD_RIGID ? 0 : youngs[young];
  return status;
}

void campaign_release_models(void) {
  lbModel **all = &cache[0][0][0];
  for (size_t i = 0; i < sizeof cache / sizeof *all; i++) lb_model_destroy(all[i]);
  memset(cache, 0, sizeof cache);
}

// ---- random numbers ----------------------------------------------------------------------------

static uint64_t random_state;

static double uniform(void) { // [0, 1)
  random_state += UINT64_C(0x9e3779b97f4a7c15);
  uint64_t x = random_state;
  x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
  return (double)((x ^ (x >> 31)) >> 11) / 9007199254740992.0;
}
static double between(double low, double high) { return low + (high - low) * uniform(); }
static int below(int count) { return (int)(count * uniform()); }
static lbVec3 within(double most) {
  double x = between(-most, most), y = between(-most, most);
  return lb_vec3(x, y, between(-most, most));
}
static lbQuat any_turn(void) {
  return lb_quat_from_axis_angle(lb_vec3(uniform() - 0.5, uniform() - 0.5, uniform() - 0.4),
                                 between(0, 3));
}

// ---- what scenes are made of -------------------------------------------------------------------

static campaignBody *add_body(campaignScene *s, campaignShape shape, campaignMethod method,
                              lbVec3 centre, lbQuat turn, lbError *err) {
  campaignBody *body = &s->bodies[s->body_count];
  *body = (campaignBody){ .shape = shape, .method = method, .rotation = turn };
  body->thickness = thicknesses[shape];
  lbVec3 middle = method == METHOD_RIGID ? lb_vec3(0, 0, 0) : middles[shape];
  body->position = lb_sub(centre, lb_quat_rotate(turn, middle));
  int young = shape == SHAPE_SLAB ? 2 : 1 + below(2);
  if (take_model(body, young, err)) return NULL;
  s->body_count++;
  return body;
}

static campaignMethod soft_method(void) { return (campaignMethod)below(METHOD_COUNT); }
static campaignShape solid_shape(void) { return (campaignShape)below(SHAPE_SLAB); }

static void add_key(campaignPath *way, double time, lbVec3 at) {
  way->times[way->key_count] = time;
  lb_vec3_store(way->positions + 3 * way->key_count++, at);
}

static void add_joint(campaignScene *s, int a, int b, lbVec3 place) {
  campaignJoint *joint = &s->joints[s->joint_count++];
  lbJointDef def = lb_joint_def();
  def.kind = (lbJointKind)below(LB_JOINT_KIND_COUNT);
  def.places[0] = def.places[1] = place;
  if (def.kind == LB_JOINT_DISTANCE) def.places[0].x -= 0.05, def.places[1].x += 0.05;
  def.axis = below(2) ? lb_vec3(0, 1, 0) : lb_vec3(0, 0, 1);
  bool moves = def.kind == LB_JOINT_HINGE || def.kind == LB_JOINT_SLIDER;
  if (moves && below(2)) def.limited = true, def.limits[0] = -0.3, def.limits[1] = 0.3;
  if (moves && below(2)) def.motor_speed = between(-2, 2), def.motor_force = between(1, 20);
  *joint = (campaignJoint){ def, { a, b } };
}

// A hand takes a vertex, draws it up and aside, and holds it there.
static void add_grab(campaignScene *s, int body) {
  campaignGrab *grab = &s->grabs[s->grab_count++];
  *grab = (campaignGrab){ .body = body };
  grab->vertex = below(s->bodies[body].model->size.vertex_count);
  add_key(&grab->way, 0, lb_vec3(0, 0, 0));
  add_key(&grab->way, 0.4, lb_vec3(between(-0.3, 0.3), between(-0.3, 0.3), between(-0.1, 0.4)));
  add_key(&grab->way, 0.8, lb_vec3(between(-0.4, 0.4), between(-0.4, 0.4), between(0, 0.4)));
}

static void add_plate(campaignScene *s, double from, double to, double seconds) {
  campaignPlate *plate = &s->plates[s->plate_count++];
  *plate = (campaignPlate){ .size = { 1, 1, 0.1 } };
  add_key(&plate->way, 0, lb_vec3(0, 0, from + 0.05));
  add_key(&plate->way, seconds, lb_vec3(0, 0, to + 0.05));
  add_key(&plate->way, 1.5 * seconds, lb_vec3(0, 0, to + 0.05));
  add_key(&plate->way, 2 * seconds, lb_vec3(0, 0, from + 0.05));
}

// ---- kinds -------------------------------------------------------------------------------------

// Falls onto the ground.
static bool make_drop(campaignScene *s, lbError *err) {
  lbVec3 at = lb_vec3(0, 0, between(0.4, 0.8));
  campaignBody *body =
      add_body(s, (campaignShape)below(SHAPE_COUNT), soft_method(), at, any_turn(), err);
  if (body) body->spin = within(3);
  return body != NULL;
}

// Falls upright, one on the other.
static bool make_stack(campaignScene *s, lbError *err) {
  bool made = true;
  for (int i = 0, count = 2 + below(3); i < count && made; i++) {
    campaignMethod method = below(5) ? soft_method() : METHOD_RIGID;
    lbVec3 at = lb_vec3(between(-0.02, 0.02), between(-0.02, 0.02), 0.11 + 0.215 * i);
    made = add_body(s, SHAPE_BLOCK, method, at, lb_quat_identity(), err);
  }
  return made;
}

static bool make_heap(campaignScene *s, lbError *err) {
  bool made = true;
  for (int i = 0, count = 5 + below(MOST_BODIES - 5); i < count && made; i++) {
    campaignMethod method = below(4) ? soft_method() : METHOD_RIGID;
    lbVec3 at =
        lb_vec3(0.4 * (i % 2) + between(-0.05, 0.05), 0.4 * (i / 2 % 2), 0.4 + 0.4 * (i / 4));
    made = add_body(s, solid_shape(), method, at, any_turn(), err);
  }
  return made;
}

// A row of blocks, each joined to the next, some to the world.
static bool make_joints(campaignScene *s, lbError *err) {
  bool made = true;
  double height = between(0.15, 0.8);
  int count = 2 + below(5);
  for (int i = 0; i < count && made; i++) {
    campaignMethod method = below(5) ? soft_method() : METHOD_RIGID;
    made = add_body(s, SHAPE_BLOCK, method, lb_vec3(0.26 * i, 0, height), lb_quat_identity(), err);
  }
  for (int i = 0; i + 1 < count && made; i++)
    add_joint(s, i, i + 1, lb_vec3(0.26 * i + 0.13, 0, height));
  if (made && below(2)) add_joint(s, 0, -1, lb_vec3(-0.13, 0, height));
  return made;
}

static bool make_grab(campaignScene *s, lbError *err) {
  campaignShape shape = (campaignShape)below(SHAPE_COUNT);
  bool made =
      add_body(s, shape, soft_method(), lb_vec3(0, 0, between(0.15, 0.4)), lb_quat_identity(), err);
  if (made) add_grab(s, 0);
  if (made && below(2)) {
    lbVec3 beside = lb_vec3(0, 0.5, 0.12);
    made = add_body(s, SHAPE_BLOCK, soft_method(), beside, lb_quat_identity(), err);
  }
  return made;
}

// Between the ground and a plate that comes down to a share of its height.
static bool make_press(campaignScene *s, lbError *err) {
  static const campaignShape shapes[] = { SHAPE_BLOCK, SHAPE_BALL, SHAPE_RING };
  campaignShape shape = shapes[below(3)];
  double height = 2 * middles[shape].z;
  bool made = add_body(s, shape, soft_method(), lb_vec3(0, 0, 0.5 * height + 0.001),
                       lb_quat_identity(), err);
  if (made) add_plate(s, height + 0.02, between(0.5, 0.95) * height, between(0.3, 1));
  return made;
}

// One that flies at a thin one.
static bool make_fast(campaignScene *s, lbError *err) {
  campaignShape shape = below(2) ? SHAPE_BALL : SHAPE_BLOCK;
  campaignMethod method = below(3) ? soft_method() : METHOD_RIGID;
  campaignBody *body = add_body(s, shape, method, lb_vec3(-0.35, 0, 0), any_turn(), err);
  if (!body) return false;
  body->velocity = lb_vec3(between(5, 40), between(-0.2, 0.2), between(-0.2, 0.2));
  s->gravity = lb_vec3(0, 0, 0), s->ground = false, s->thrown = true, s->seconds = 0.3;
  lbQuat upright = lb_quat_from_axis_angle(lb_vec3(0, 1, 0), 0.5 * LB_PI);
  return add_body(s, SHAPE_SLAB, soft_method(), lb_vec3(0, 0, 0), upright, err) != NULL;
}

// A ring that falls around a rod, whose ends lie on blocks.
static bool make_ring(campaignScene *s, lbError *err) {
  lbQuat along = lb_quat_from_axis_angle(lb_vec3(0, 1, 0), 0.5 * LB_PI);
  s->ringed = true;
  bool made = add_body(s, SHAPE_RING, soft_method(), lb_vec3(0, 0, 0.55), along, err) &&
              add_body(s, SHAPE_ROD, soft_method(), lb_vec3(0, 0, 0.6), lb_quat_identity(), err);
  for (int end = 0; end < 2 && made; end++) {
    campaignJoint *joint = &s->joints[s->joint_count++];
    *joint = (campaignJoint){ lb_joint_def(), { 1, -1 } };
    joint->def.places[0] = joint->def.places[1] = lb_vec3(end ? 0.3 : -0.3, 0, 0.6);
  }
  if (made) s->bodies[0].velocity = lb_vec3(between(-0.3, 0.3), 0, 0);
  return made;
}

// Bodies that are joined, one of them in a hand, under a plate.
static bool make_mixed(campaignScene *s, lbError *err) {
  if (!make_joints(s, err)) return false;
  add_grab(s, s->body_count - 1);
  if (below(2)) add_plate(s, 1.2, between(0.1, 0.3), 1);
  lbVec3 above = lb_vec3(0.2, 0, 1);
  return add_body(s, SHAPE_ROD, soft_method(), above, any_turn(), err) != NULL;
}

static const struct {
  const char *name;
  bool (*make)(campaignScene *s, lbError *err);
} kinds[] = {
  { "drop", make_drop },     { "stack", make_stack }, { "heap", make_heap },
  { "joints", make_joints }, { "grab", make_grab },   { "press", make_press },
  { "fast", make_fast },     { "ring", make_ring },   { "mixed", make_mixed },
};

int campaign_kind_count(void) { return sizeof kinds / sizeof *kinds; }
const char *campaign_kind(int kind) { return kinds[kind].name; }

// Rigid bodies come last, as in the output of scenes.
static void sort_bodies(campaignScene *s) {
  campaignBody sorted[MOST_BODIES];
  int32_t places[MOST_BODIES], count = 0;
  for (int rigid = 0; rigid < 2; rigid++)
    for (int32_t i = 0; i < s->body_count; i++)
      if ((s->bodies[i].method == METHOD_RIGID) == rigid)
        places[i] = count, sorted[count++] = s->bodies[i];
  memcpy(s->bodies, sorted, (size_t)count * sizeof *sorted);
  for (int32_t i = 0; i < s->joint_count; i++)
    for (int k = 0; k < 2; k++)
      if (s->joints[i].bodies[k] >= 0) s->joints[i].bodies[k] = places[s->joints[i].bodies[k]];
  for (int32_t i = 0; i < s->grab_count; i++) s->grabs[i].body = places[s->grabs[i].body];
}

lbStatus campaign_make(int kind, uint64_t seed, campaignScene *s, lbError *err) {
  static const double lengths[] = { 1.0 / 30, 1.0 / 60, 1.0 / 120 };
  random_state = seed * UINT64_C(0x2545f4914f6cdd1d) + (uint64_t)kind;
  *s = (campaignScene){ .kind = kinds[kind].name, .seed = seed, .seconds = 1.5, .ground = true };
  s->gravity = lb_vec3(0, 0, -9.81);
  s->h = lengths[below(3)];
  if (!kinds[kind].make(s, err)) return LB_ERR_ARGUMENT;
  if (!s->thrown && !s->ringed) sort_bodies(s);
  return LB_OK;
}

// ---- worlds ------------------------------------------------------------------------------------

static lbStatus make_path(campaignPath *way, lbError *err) {
  lbPathDef def = lb_path_def();
  def.key_count = way->key_count;
  def.times = way->times, def.positions = way->positions;
  return lb_path_create(&def, &way->path, err);
}

static lbStatus add_colliders(campaignScene *s, lbWorld *world, lbError *err) {
  lbColliderDef def = lb_collider_def();
  lbColliderId id;
  lbStatus status = s->ground ? lb_world_add_collider(world, &def, &id, err) : LB_OK;
  for (int32_t i = 0; i < s->plate_count && !status; i++) {
    campaignPlate *plate = &s->plates[i];
    def.shape = LB_COLLIDER_BOX;
    memcpy(def.size, plate->size, sizeof def.size);
    status = make_path(&plate->way, err);
    if (!status) status = lb_world_add_collider(world, &def, &id, err);
    if (!status) status = lb_world_drive_collider(world, id, plate->way.path, err);
  }
  return status;
}

static lbStatus add_bodies(campaignScene *s, lbWorld *world, lbError *err) {
  lbStatus status = LB_OK;
  for (int32_t i = 0; i < s->body_count && !status; i++) {
    campaignBody *body = &s->bodies[i];
    lbBodyDef def = lb_body_def();
    def.position = body->position, def.rotation = body->rotation;
    status = lb_world_add(world, body->model, &def, &body->id, err);
    if (!status)
      status = lb_body_set_velocity(lb_world_body(world, body->id), body->velocity, body->spin);
  }
  return status;
}

static lbStatus add_holds(campaignScene *s, lbWorld *world, lbError *err) {
  lbStatus status = LB_OK;
  for (int32_t i = 0; i < s->joint_count && !status; i++) {
    lbJointDef def = s->joints[i].def;
    lbJointId id;
    for (int k = 0; k < 2; k++)
      def.bodies[k] = s->joints[i].bodies[k] < 0 ? 0 : s->bodies[s->joints[i].bodies[k]].id;
    status = lb_world_add_joint(world, &def, &id, err);
  }
  for (int32_t i = 0; i < s->grab_count && !status; i++) {
    lbAttachment def = lb_attachment();
    lbAttachmentId id;
    status = make_path(&s->grabs[i].way, err);
    def.body = s->bodies[s->grabs[i].body].id;
    def.point = lb_point_vertex(s->grabs[i].vertex);
    def.path = s->grabs[i].way.path;
    if (!status) status = lb_world_attach(world, &def, &id, err);
  }
  return status;
}

lbStatus campaign_build(campaignScene *s, lbWorld **world, lbError *err) {
  lbWorldSettings settings = lb_world_settings();
  settings.gravity = s->gravity;
  settings.contact = true;
  settings.contacts_most = LB_SCENE_CONTACTS_MOST;
  lbStatus status = lb_world_create(&settings, world, err);
  if (!status) status = add_bodies(s, *world, err);
  if (!status) status = add_colliders(s, *world, err);
  if (!status) status = add_holds(s, *world, err);
  return status;
}

void campaign_release(campaignScene *s) {
  for (int32_t i = 0; i < s->plate_count; i++) lb_path_destroy(s->plates[i].way.path);
  for (int32_t i = 0; i < s->grab_count; i++) lb_path_destroy(s->grabs[i].way.path);
}

// ---- files -------------------------------------------------------------------------------------

static void print_vector(FILE *file, const char *key, lbVec3 v) {
  fprintf(file, "\"%s\":[%.17g,%.17g,%.17g]", key, v.x, v.y, v.z);
}

static void print_placement(FILE *file, const campaignBody *body) {
  print_vector(file, "position", body->position);
  fprintf(file, ",\"rotation\":[%.17g,%.17g,%.17g,%.17g],\"velocity\":{", body->rotation.x,
          body->rotation.y, body->rotation.z, body->rotation.w);
  print_vector(file, "linear", body->velocity);
  fprintf(file, ",");
  print_vector(file, "angular", body->spin);
  fprintf(file, "}}");
}

static void print_way(FILE *file, const campaignPath *way) {
  fprintf(file, "\"motion\":{\"times\":[");
  for (int32_t k = 0; k < way->key_count; k++)
    fprintf(file, "%s%.17g", k ? "," : "", way->times[k]);
  fprintf(file, "],\"positions\":[");
  for (int32_t k = 0; k < way->key_count; k++)
    fprintf(file, "%s[%.17g,%.17g,%.17g]", k ? "," : "", way->positions[3 * k],
            way->positions[3 * k + 1], way->positions[3 * k + 2]);
  fprintf(file, "]}");
}

static void print_soft(FILE *file, const campaignScene *s) {
  char keys[1000];
  const char *comma = "";
  fprintf(file, "\"bodies\":[");
  for (int32_t i = 0; i < s->body_count; i++) {
    const campaignBody *body = &s->bodies[i];
    if (body->method == METHOD_RIGID) continue;
    print_keys(keys, sizeof keys, body->shape, body->method, young_of(body));
    fprintf(file, "%s\n {\"name\":\"b%d\",%s,", comma, (int)i, keys);
    print_placement(file, body);
    comma = ",";
  }
  fprintf(file, "],\n");
}

static void print_colliders(FILE *file, const campaignScene *s) {
  const char *comma = "";
  fprintf(file, "\"colliders\":[");
  for (int32_t i = 0; i < s->plate_count; i++, comma = ",") {
    const double *size = s->plates[i].size;
    fprintf(file, "%s\n {\"name\":\"p%d\",\"shape\":\"box\",\"size\":[%g,%g,%g],", comma, (int)i,
            size[0], size[1], size[2]);
    print_way(file, &s->plates[i].way);
    fprintf(file, "}");
  }
  for (int32_t i = 0; i < s->body_count; i++) {
    const campaignBody *body = &s->bodies[i];
    if (body->method != METHOD_RIGID) continue;
    lbColliderDef def = rigid_def(body->shape);
    fprintf(file, "%s\n {\"name\":\"b%d\",\"density\":%d,", comma, (int)i, RIGID_DENSITY);
    if (def.shape == LB_COLLIDER_SPHERE)
      fprintf(file, "\"shape\":\"sphere\",\"radius\":%g,", def.radius);
    else
      fprintf(file, "\"shape\":\"box\",\"size\":[%g,%g,%g],", def.size[0], def.size[1],
              def.size[2]);
    print_placement(file, body);
    comma = ",";
  }
  fprintf(file, "],\n");
}

static void print_joints(FILE *file, const campaignScene *s) {
  static const char *const names[] = { "point", "hinge", "slider", "weld", "distance" };
  fprintf(file, "\"joints\":[");
  for (int32_t i = 0; i < s->joint_count; i++) {
    const campaignJoint *joint = &s->joints[i];
    const lbJointDef *def = &joint->def;
    const lbVec3 *at = def->places;
    fprintf(file, "%s\n {\"kind\":\"%s\",\"bodies\":[\"b%d\",", i ? "," : "", names[def->kind],
            (int)joint->bodies[0]);
    if (joint->bodies[1] >= 0)
      fprintf(file, "\"b%d\"]", (int)joint->bodies[1]);
    else
      fprintf(file, "null]");
    fprintf(file, ",\"points\":[[%.17g,%.17g,%.17g],[%.17g,%.17g,%.17g]]", at[0].x, at[0].y,
            at[0].z, at[1].x, at[1].y, at[1].z);
    if (def->kind == LB_JOINT_HINGE || def->kind == LB_JOINT_SLIDER)
      fprintf(file, ","), print_vector(file, "axis", def->axis);
    if (def->limited) fprintf(file, ",\"limits\":[%g,%g]", def->limits[0], def->limits[1]);
    if (def->motor_force > 0)
      fprintf(file, ",\"motor\":{\"speed\":%.17g,\"force\":%.17g}", def->motor_speed,
              def->motor_force);
    fprintf(file, "}");
  }
  fprintf(file, "],\n");
}

bool campaign_write(const campaignScene *s, const char *path) {
  FILE *file = fopen(path, "w");
  if (!file) return false;
  fprintf(file, "{\"limber\":1,");
  print_vector(file, "gravity", s->gravity);
  fprintf(file, ",%s\n", s->ground ? "\"ground\":{}," : "\"contact\":{},");
  print_soft(file, s);
  if (s->plate_count > 0 || s->bodies[s->body_count - 1].method == METHOD_RIGID ||
      s->bodies[0].method == METHOD_RIGID)
    print_colliders(file, s);
  if (s->joint_count > 0) print_joints(file, s);
  if (s->grab_count > 0) {
    fprintf(file, "\"attach\":[{\"body\":\"b%d\",\"vertex\":%d,", (int)s->grabs[0].body,
            (int)s->grabs[0].vertex);
    print_way(file, &s->grabs[0].way);
    fprintf(file, "}],\n");
  }
  fprintf(file, "\"time\":{\"step\":%.17g,\"count\":%d}}\n", s->h, (int)lround(s->seconds / s->h));
  return fclose(file) == 0;
}
