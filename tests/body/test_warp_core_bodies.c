// Rigid cores of warped bodies under constraints, in states, batches and files, at random; surfaces
// around them, and bad input.
#include "core_bodies.h"

#include "limber/path.h"

// ---- constraints -------------------------------------------------------------------------------

static int32_t core_node(const lbModel *m, int32_t core, int which) {
  for (int32_t n = 0; n < m->size.node_count; n++)
    if (m->warp_cores[n] == core && which-- == 0) return n;
  fail_msg("core %d has no such node", (int)core);
  return -1;
}

// A corner of a core that is dragged is where it is told, and the core stays rigid.
static void check_dragged(const char *motion, bool springs, lbIntegrator integrator) {
  char text[700];
  snprintf(text, sizeof text,
           CORED(BEAM, "1e5", ",'warp':{'iterations':100,'rigid':[{" MIDDLE "%s}]}"), motion);
  lbModel *model = model_of(text);
  lbBodyDef def = def_of(integrator);
  def.gravity = lb_vec3(0, 0, -9.81);
  lbBody *body = body_of(model, &def);
  int32_t node = core_node(model, 0, 2), id;
  lbPoint point = lb_point_node(node);
  lbConstraintDef pin = lb_constraint_def();
  pin.point_count = 1;
  pin.points = &point;
  if (springs) pin.stiffness = motion[0] ? 2e3 : 1e5, pin.damping = 100;
  body_ok(body, lb_body_add_constraint(body, &pin, &id));
  double worst = 0, loose = 0, h = 0.01;
  lbVec3 start = where(body, node);
  for (int i = 1; i <= 100; i++) {
    double t = i * h, target[3];
    lb_vec3_store(target,
                  lb_add(start, lb_vec3(0.3 * sin(5 * t), 0.2 * (1 - cos(7 * t)), 0.1 * t)));
    body_ok(body, lb_body_set_target(body, id, target));
    int32_t flags = lb_body_step(body, h);
    assert_false(flags & (LB_STEP_NONFINITE | LB_STEP_REFUSED));
    worst = fmax(worst, distance(where(body, node), lb_vec3_load(target)));
    loose = fmax(loose, looseness(body));
  }
  printf("  %s%s, %s: %.1e m from the target\n", motion[0] ? "hinged" : "free",
         springs ? ", by a spring" : "", name_of(integrator), worst);
  if (!motion[0]) check_small(worst, springs ? 0.05 : 2e-6);
  check_small(loose, 1e-11);
  body_ok(body, lb_body_remove_constraint(body, id));
  for (int i = 0; i < 100; i++) assert_int_equal(lb_body_step(body, h), 0);
  assert_true(isfinite(lb_body_report(body).kinetic) && lb_body_report(body).kinetic < 5e4);
  lb_body_destroy(body), lb_model_destroy(model);
}

static void a_core_is_dragged_by_a_corner(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    lbIntegrator integrator = k ? LB_INTEGRATOR_EULER : LB_INTEGRATOR_NEWMARK;
    check_dragged("", false, integrator);
    check_dragged("", true, integrator);
    check_dragged(",'hinge':{'point':[0.5,0.1,0.1],'axis':[0,1,0]}", true, integrator);
  }
}

// Held still by one corner a core swings about it and loses energy only to the flesh.
static void pins_of_a_core_add_no_energy(void **state) {
  (void)state;
  lbModel *model =
      model_of(CORED(BEAM, "2e4", ",'warp':{'iterations':100,'rigid':[{" MIDDLE "}]}"));
  for (int k = 0; k < 2; k++) {
    lbBodyDef def = def_of(k ? LB_INTEGRATOR_EULER : LB_INTEGRATOR_NEWMARK);
    lbBody *body = body_of(model, &def);
    int32_t ids[2];
    for (int i = 0; i < 2; i++) {
      lbPoint point = lb_point_node(i ? 0 : core_node(model, 0, 0));
      lbConstraintDef pin = lb_constraint_def();
      pin.point_count = 1, pin.points = &point;
      if (i) pin.stiffness = 300;
      body_ok(body, lb_body_add_constraint(body, &pin, &ids[i]));
    }
    body_ok(body, lb_body_apply_impulse(body, lb_point_node(5), lb_vec3(3, 10, 6)));
    double first = lb_body_report(body).kinetic, most = 0;
    for (int i = 0; i < 600; i++) {
      lb_body_step(body, 0.005);
      lbBodyReport now = lb_body_report(body);
      lbVec3 off = lb_sub(where(body, 0), rest(model, 0));
      most = fmax(most, now.kinetic + now.elastic + 150 * lb_dot(off, off));
    }
    printf("  %s: at most %.3f of the first energy\n", name_of(def.integrator), most / first);
    assert_true(most < 1.05 * first);
    lb_body_destroy(body);
  }
  lb_model_destroy(model);
}

// ---- states, batches, files --------------------------------------------------------------------

#define THREE                                                                                      \
  ",'warp':{'rigid':[{" LEFT "," SHAKE "},{" MIDDLE "},{'box':[[0.81,-1,-1],[2,1,1]],"             \
  "'hinge':{'point':[1,0.1,0.1],'axis':[0,1,1]}}]}"

static uint64_t hash_of(const lbBody *body) {
  const lbModel *m = lb_body_model(body);
  uint64_t hash = 0;
  for (int32_t n = 0; n < m->size.node_count; n++) {
    lbVec3 x, v;
    lb_body_point(body, lb_point_node(n), &x, &v);
    hash = check_hash(check_hash(hash, &x, sizeof x), &v, sizeof v);
  }
  return hash;
}

static void a_restored_body_one_of_a_batch_and_one_from_a_file_go_on_to_the_bit(void **state) {
  (void)state;
  lbModel *model = model_of(CORED(MESH("[10,1,1]"), "1e5", THREE)), *loaded = NULL;
  lbError err;
  check_ok(lb_model_save(model, output_path("cores.glb"), &err), err);
  check_ok(lb_model_load(output_path("cores.glb"), &loaded, &err), err);
  assert_int_equal(loaded->size.core_count, 3);
  lbBodyDef def = def_of(LB_INTEGRATOR_NEWMARK);
  def.gravity = lb_vec3(1, 0, -9.81);
  lbBody *one = body_of(model, &def), *other = body_of(loaded, &def);
  lbBatchDef many = lb_batch_def();
  lbBatch *batch = NULL;
  many.count = 3, many.body = def;
  check_ok(lb_batch_create(model, &many, &batch, &err), err);
  size_t bytes = lb_body_state_bytes(one);
  void *saved = malloc(bytes);
  for (int i = 0; i < 30; i++) {
    if (i == 10) body_ok(one, lb_body_save_state(one, saved, bytes));
    assert_int_equal(lb_body_step(one, 0.01), 0);
    assert_int_equal(lb_body_step(other, 0.01), 0);
    assert_int_equal(lb_batch_step(batch, 0.01), 0);
    check_small(looseness(one), 1e-12);
  }
  uint64_t hash = hash_of(one);
  assert_true(hash == hash_of(other));
  assert_true(hash == hash_of(lb_batch_body(batch, 2)));
  body_ok(one, lb_body_restore_state(one, saved, bytes));
  for (int i = 10; i < 30; i++) lb_body_step(one, 0.01);
  assert_true(hash == hash_of(one));
  free(saved);
  lb_batch_destroy(batch);
  lb_body_destroy(one), lb_body_destroy(other);
  lb_model_destroy(model), lb_model_destroy(loaded);
}

static void a_step_takes_no_memory(void **state) {
  (void)state;
  lbModel *model = model_of(CORED(MESH("[10,1,1]"), "1e5", THREE));
  lbBodyDef def = def_of(LB_INTEGRATOR_EULER);
  lbBody *body = body_of(model, &def);
  lb_body_step(body, 0.01);
  CheckedHeap heap = { .fail_at = -1 };
  lbAllocator allocator = checked_allocator(&heap);
  lb_set_allocator(&allocator);
  for (int i = 0; i < 10; i++) lb_body_step(body, 0.01);
  lb_set_allocator(NULL);
  assert_int_equal(heap.count, 0);
  lb_body_destroy(body), lb_model_destroy(model);
}

static void every_level_moves_alike(void **state) {
  (void)state;
  lbModel *model = model_of(CORED(MESH("[10,1,1]"), "1e5", THREE));
  lbBodyDef def = def_of(LB_INTEGRATOR_EULER);
  def.gravity = lb_vec3(0, 3, -9.81);
  lbBody *plain = NULL;
  for (int level = 0; level < LB_SIMD_LEVEL_COUNT; level++) {
    if (!lb_simd_has((lbSimdLevel)level)) continue;
    lbBody *body = body_at(model, &def, (lbSimdLevel)level);
    steps(body, 30, 0.01);
    for (int32_t n = 0; plain && n < model->size.node_count; n++)
      check_small(distance(where(body, n), where(plain, n)), 1e-6);
    if (plain)
      lb_body_destroy(body);
    else
      plain = body;
  }
  lb_body_destroy(plain), lb_model_destroy(model);
}

static void failed_allocations_leave_nothing_behind(void **state) {
  (void)state;
  lbModel *model = model_of(CORED(MESH("[10,1,1]"), "1e5", THREE));
  lbBodyDef def = def_of(LB_INTEGRATOR_EULER);
  bool made = false;
  for (int64_t n = 0; !made && n < 300; n++) {
    CheckedHeap heap = { .fail_at = n };
    lbAllocator failing = checked_allocator(&heap);
    lbBody *body = NULL;
    lbError err;
    lb_set_allocator(&failing);
    lbStatus status = lb_body_create(model, &def, &body, &err);
    made = status == LB_OK;
    if (!made) assert_int_equal(status, LB_ERR_MEMORY);
    lb_body_destroy(body);
    lb_set_allocator(NULL);
    assert_int_equal(heap.live, 0);
  }
  assert_true(made);
  lb_model_destroy(model);
}

// ---- random sets -------------------------------------------------------------------------------

static double between(uint64_t *seed, double low, double high) {
  return low + (high - low) * 0.5 * (check_random(seed) + 1);
}

// One or two boxes of a block of bricks or tets, of any kind, by any form; struck and dragged.
static void random_cores_stay_rigid_and_bounded(void **state) {
  (void)state;
  static const char *const kinds[] = { "", ",'hinge':{'point':[%g,%g,%g],'axis':[%g,%g,%g]}",
                                       "," SHAKE };
  static const char *const forms[] = { "'rotation':'element'", "'rotation':'element'",
                                       "'rotation':'fit'", "'stiffness':'springs'",
                                       "'strain':'green'" };
  int count = CHECK_SANITIZED ? 20 : 300, frees = 0;
  uint64_t seed = 11;
  double loose = 0, drift = 0, most = 0;
  for (int i = 0; i < count; i++) {
    char text[2000], cores[1200] = "", one[600], motion[400];
    double cut = between(&seed, 0.15, 0.5);
    int pieces = 1 + (i % 3 == 0), held = 0;
    for (int k = 0; k < pieces; k++) {
      double low = k ? cut + 0.34 : -1, high = k ? 2 : cut;
      int kind = (int)between(&seed, 0, 2.999);
      held |= kind > 0;
      snprintf(motion, sizeof motion, kinds[kind], between(&seed, 0, 1), between(&seed, 0, 1),
               between(&seed, 0, 1), between(&seed, -1, 1), between(&seed, -1, 1), 0.3);
      snprintf(one, sizeof one, "%s{'box':[[%g,-1,-1],[%g,1,%g]]%s}", k ? "," : "", low, high,
               between(&seed, 0.25, 1), motion);
      strcat(cores, one);
    }
    snprintf(text, sizeof text,
             "{'limber':1,'bodies':[{'name':'block','method':'warp','mesh':{'generate':'bar',"
             "'size':[1,0.5,0.5],'cells':[6,2,2],'element':'%s'},'material':{'young':%g},"
             "'warp':{%s,'rigid':[%s]}}]}",
             i % 2 ? "tet4" : "brick8", pow(10, between(&seed, 4, 7)), forms[i % 5], cores);
    lbModel *model = model_of(text);
    lbBodyDef def = def_of(i % 4 == 1 && i % 5 < 2 ? LB_INTEGRATOR_NEWMARK : LB_INTEGRATOR_EULER);
    lbBody *body = body_of(model, &def);
    int32_t last = model->size.node_count - 1;
    lbVec3 hit = lb_vec3(between(&seed, -9, 9), between(&seed, -9, 9), between(&seed, -9, 9));
    body_ok(body, lb_body_apply_impulse(body, lb_point_node(0), hit));
    body_ok(body, lb_body_apply_impulse(body, lb_point_node(last), lb_scale(-0.5, hit)));
    lbBodyReport start = lb_body_report(body);
    for (int j = 0; j < 10; j++) {
      int32_t flags = lb_body_step(body, 0.005);
      assert_false(flags & LB_STEP_NONFINITE);
      loose = fmax(loose, looseness(body));
    }
    lbBodyReport end = lb_body_report(body);
    if (!held) {
      frees++;
      drift = fmax(drift, distance(end.linear_momentum, start.linear_momentum));
      drift = fmax(drift, distance(end.angular_momentum, start.angular_momentum));
    }
    if (!held) most = fmax(most, (end.kinetic + end.elastic) / start.kinetic);
    assert_true(isfinite(end.kinetic));
    lb_body_destroy(body), lb_model_destroy(model);
  }
  printf("  %d bodies, %d of them free: loose %.1e, momenta %.1e, energy at most %.3f\n", count,
         frees, loose, drift, most);
  check_small(loose, 1e-11);
  check_small(drift, 1e-10);
  assert_true(most < 1.1);
}

// ---- surfaces and pieces -----------------------------------------------------------------------

static const char ball[] =
    "v 1 0 0\nv -1 0 0\nv 0 1 0\nv 0 -1 0\nv 0 0 1\nv 0 0 -1\n"
    "f 1 3 5\nf 3 2 5\nf 2 4 5\nf 4 1 5\nf 3 1 6\nf 2 3 6\nf 4 2 6\nf 1 4 6\n";

// A ball of 24 x 12 faces.
static void write_ball(const char *name) {
  enum { AROUND = 24, RINGS = 12 };
  char *text = malloc(60000), *to = text;
  for (int j = 0; j <= RINGS; j++)
    for (int i = 0; i < AROUND; i++) {
      double a = 2 * LB_PI * i / AROUND, b = LB_PI * (j + 0.5) / (RINGS + 1);
      to += sprintf(to, "v %.6f %.6f %.6f\n", sin(b) * cos(a), sin(b) * sin(a), cos(b));
    }
  int top = AROUND * (RINGS + 1) + 1;
  to += sprintf(to, "v 0 0 1\nv 0 0 -1\n");
  for (int i = 0; i < AROUND; i++) {
    int next = (i + 1) % AROUND, last = AROUND * RINGS;
    to += sprintf(to, "f %d %d %d\nf %d %d %d\n", top, i + 1, next + 1, top + 1, last + next + 1,
                  last + i + 1);
    for (int j = 0; j < RINGS; j++) {
      int a = AROUND * j + i + 1, b = AROUND * j + next + 1;
      to += sprintf(to, "f %d %d %d %d\n", a, a + AROUND, b + AROUND, b);
    }
  }
  write_text(name, text);
  free(text);
}

// A fine surface in voxels, around a core that shakes: vertices that only nodes of the core carry
// move rigidly with it, all others are where the nodes around them say.
static void a_surface_follows_flesh_and_core(void **state) {
  (void)state;
  write_ball("core-ball.obj");
  lbModel *model =
      model_of("{'limber':1,'bodies':[{'mesh':{'surface':'core-ball.obj','voxelise':6},"
               "'material':{'young':1e4},'method':'warp','warp':{'rigid':[{'box':"
               "[[-2,-2,-2],[2,2,-0.3]]," SHAKE "}]}}]}");
  lbBodyDef def = def_of(LB_INTEGRATOR_EULER);
  def.gravity = lb_vec3(0, 0, -9.81);
  lbBody *body = body_of(model, &def);
  steps(body, 8, 0.01);
  const lbModelSizes *size = &model->size;
  double *surface = lb_alloc((size_t)size->vertex_count, 24);
  double *nodes = lb_alloc((size_t)size->node_count, 24), embedded = 0, rigid = 0, bent = 0;
  lbPath *path = NULL;
  lbPathState at;
  lbError err;
  int32_t carried = 0;
  check_ok(lb_model_core_path(model, 0, &path, &err), err);
  lb_path_at(path, lb_body_time(body), &at);
  lb_body_surface(body, surface);
  lb_body_node_displacements(body, nodes);
  for (int32_t v = 0; v < size->vertex_count; v++) {
    lbVec3 x = lb_vec3_load(model->vertex_positions + 3 * v), u = lb_vec3(0, 0, 0);
    bool of_core = true;
    for (int32_t k = model->carrier_begin[v]; k < model->carrier_begin[v + 1]; k++) {
      int32_t n = model->carrier_nodes[k];
      u = lb_add_scaled(u, model->carrier_weights[k], lb_vec3_load(nodes + 3 * n));
      of_core &= model->warp_cores[n] == 0 || model->carrier_weights[k] == 0;
    }
    lbVec3 shown = lb_vec3_load(surface + 3 * v);
    embedded = fmax(embedded, distance(shown, lb_add(x, u)));
    double own[3], led[3];
    lb_vec3_store(own, x);
    lb_path_point(&at, own, led);
    double off = distance(shown, lb_vec3_load(led));
    carried += of_core;
    rigid = of_core ? fmax(rigid, off) : rigid;
    bent = of_core ? bent : fmax(bent, off);
  }
  printf(
      "  %d vertices: %.1e m from their nodes; %d of the core %.1e m from its path, flesh %.2f m\n",
      (int)size->vertex_count, embedded, (int)carried, rigid, bent);
  assert_true(carried > 0 && carried < size->vertex_count);
  check_small(embedded, 1e-14);
  check_small(rigid, 1e-12);
  assert_true(bent > 1e-3);
  lb_path_destroy(path);
  lb_free(surface), lb_free(nodes);
  lb_body_destroy(body), lb_model_destroy(model);
}

static int pieces_warned;

static void count_pieces(lbLogLevel level, const char *text, void *context) {
  (void)context;
  if (level == LB_LOG_WARNING && strstr(text, "pieces are attached to nothing")) {
    printf("  %s\n", text);
    pieces_warned++;
  }
}

// Two balls side by side, bricks in each: one core holds one of them, or both.
static void pieces_that_nothing_holds_are_reported(void **state) {
  (void)state;
  static const char *const cores[] = {
    "{'box':[[-2,-2,-2],[2,2,0]],'hinge':{'point':[0,0,0],'axis':"
    "[0,0,1]}}",
    "{'box':[[-2,-2,-2],[6,2,0]],'hinge':{'point':[0,0,0],'axis':"
    "[0,0,1]}}"
  };
  char text[1200] = "", line[40];
  int v[3];
  strcat(text, ball);
  for (const char *p = ball; p && *p; p = strchr(p, '\n') ? strchr(p, '\n') + 1 : NULL)
    if (sscanf(p, "v %d %d %d", v, v + 1, v + 2) == 3) {
      snprintf(line, sizeof line, "v %d %d %d\n", v[0] + 4, v[1], v[2]);
      strcat(text, line);
    }
  for (const char *p = ball; p && *p; p = strchr(p, '\n') ? strchr(p, '\n') + 1 : NULL)
    if (sscanf(p, "f %d %d %d", v, v + 1, v + 2) == 3) {
      snprintf(line, sizeof line, "f %d %d %d\n", v[0] + 6, v[1] + 6, v[2] + 6);
      strcat(text, line);
    }
  write_text("core-balls.obj", text);
  for (int k = 0; k < 2; k++) {
    char scene[600];
    snprintf(scene, sizeof scene,
             "{'limber':1,'bodies':[{'mesh':{'surface':'core-balls.obj','voxelise':12},'material':"
             "{'young':1e4},'method':'warp','warp':{'rigid':[%s]}}]}",
             cores[k]);
    pieces_warned = 0;
    lb_set_log(count_pieces, NULL);
    lb_model_destroy(model_of(scene));
    lb_set_log(NULL, NULL);
    assert_int_equal(pieces_warned, k == 0);
  }
}

// ---- bad input ---------------------------------------------------------------------------------

#define RIGID(core) CORED(BEAM, "1e5", ",'warp':{'rigid':[" core "]}")

static void cores_that_cannot_be_are_refused_by_name(void **state) {
  (void)state;
  check_refused(RIGID("{'box':[[-9,-9,-9],[9,9,9]]}"), "leave nothing deformable");
  check_refused(RIGID("{'box':[[5,5,5],[9,9,9]]}"), "bodies[0].warp.rigid[0].box");
  check_refused(RIGID("{'group':'bone'}"), "bodies[0].warp.rigid[0].group");
  check_refused(RIGID("{'elements':[]}"), "must be a list of element numbers");
  check_refused(RIGID("{'elements':[99999]}"), "is 99999, the mesh has");
  check_refused(RIGID("{}"), "needs its elements");
  check_refused(RIGID("{" MIDDLE ",'elements':[0]}"), "needs its elements");
  check_refused(RIGID("{" LEFT "},{'box':[[-1,-1,-1],[0.3,1,1]]}"), "rigid[0] and rigid[1] share");
  check_refused(RIGID("{" LEFT ",'hinge':{'point':[0,0,0],'axis':[0,0,0]}}"), "has zero length");
  check_refused(RIGID("{" LEFT ",'hinge':{'axis':[0,0,1]}}"), "has no \"point\"");
  check_refused(RIGID("{" LEFT ",'hinge':{'point':[0,0,0]}}"), "has no \"axis\"");
  check_refused(RIGID("{" LEFT ",'hinge':{'point':[0,0,0],'axis':[0,0,1]}," SHAKE "}"),
                "follows it");
  check_refused(RIGID("{" LEFT ",'motion':{'times':[0,1],'positions':[[0,0,0],[0,0,1]],"
                      "'interpolation':'step'}}"),
                "has cuts");
  check_refused(RIGID("{" LEFT
                      ",'motion':{'times':[0,1],'positions':[[0,0,0],[0,0,1]],'cycle':true}"
                      "}"),
                "has cuts");
  check_refused(RIGID("{" LEFT ",'motion':{'times':[0,1e999],'positions':[[0,0,0],[0,0,1]]}}"), "");
  check_refused(RIGID("{" LEFT ",'motion':{'times':[0,0],'positions':[[0,0,0],[0,0,1]]}}"),
                "does not rise");
  check_refused(RIGID("{" LEFT ",'bend':1}"), "bend");
  check_refused(CORED(BEAM, "1e5", ",'fixed':{'vertices':[0]},'warp':{'rigid':[{" LEFT "}]}"),
                "vertex 0, which is fixed");
  check_refused(CORED(BEAM, "1e5", ",'warp':{'rigid':{" LEFT "}}"), "must be a list of cores");
}

// A path with a NaN never becomes one, and a model with damaged arrays is refused.
static void damaged_arrays_are_refused(void **state) {
  (void)state;
  lbModel *model = model_of(CORED(MESH("[10,1,1]"), "1e5", THREE)), *bad = NULL;
  lbError err;
  lbModel draft = *model;
  double hinges[18], times[4];
  int32_t cores[64], kinds[3] = { 0, 1, 2 };
  memcpy(hinges, model->warp_core_hinges, sizeof hinges);
  memcpy(times, model->warp_core_times, sizeof times);
  memcpy(cores, model->warp_cores, (size_t)model->size.node_count * sizeof(int32_t));
  hinges[15] = NAN;
  draft.warp_core_hinges = hinges;
  assert_true(lb_model_create(&draft, &bad, &err) != LB_OK);
  hinges[15] = 7;
  check_fails(lb_model_create(&draft, &bad, &err), LB_ERR_FORMAT, err, "the axis of core 2");
  draft = *model, draft.warp_core_kinds = kinds;
  check_fails(lb_model_create(&draft, &bad, &err), LB_ERR_FORMAT, err, "keys");
  draft = *model, draft.warp_cores = NULL;
  check_fails(lb_model_create(&draft, &bad, &err), LB_ERR_FORMAT, err, "warp.cores");
  draft = *model, draft.warp_cores = cores;
  for (int32_t n = 0; n < model->size.node_count; n++) cores[n] = n % 3;
  check_fails(lb_model_create(&draft, &bad, &err), LB_ERR_FORMAT, err, "leave nothing deformable");
  draft = *model, draft.warp_core_times = times;
  times[1] = NAN;
  assert_true(lb_model_create(&draft, &bad, &err) != LB_OK);
  times[1] = -5; // rises not: found when a body is made
  check_ok(lb_model_create(&draft, &bad, &err), err);
  lbBodyDef def = lb_body_def();
  lbBody *body = NULL;
  check_fails(lb_body_create(bad, &def, &body, &err), LB_ERR_ARGUMENT, err, "does not rise");
  lb_model_destroy(bad), lb_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_core_is_dragged_by_a_corner),
    cmocka_unit_test(pins_of_a_core_add_no_energy),
    cmocka_unit_test(a_restored_body_one_of_a_batch_and_one_from_a_file_go_on_to_the_bit),
    cmocka_unit_test(a_step_takes_no_memory),
    cmocka_unit_test(every_level_moves_alike),
    cmocka_unit_test(failed_allocations_leave_nothing_behind),
    cmocka_unit_test(random_cores_stay_rigid_and_bounded),
    cmocka_unit_test(a_surface_follows_flesh_and_core),
    cmocka_unit_test(pieces_that_nothing_holds_are_reported),
    cmocka_unit_test(cores_that_cannot_be_are_refused_by_name),
    cmocka_unit_test(damaged_arrays_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
