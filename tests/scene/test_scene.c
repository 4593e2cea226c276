// Scenes that are taken: every field of the format, its default and its meaning.
#include "scene_text.h"

#include "limber/run.h"

static void a_scene_that_says_little_gets_the_defaults(void **state) {
  (void)state;
  lbScene *scene = scene_of("{'limber':1,'bodies':[{" BAR ",'material':{}}]}");
  const lbSceneBody *body = scene->bodies;
  assert_int_equal(scene->body_count, 1);
  assert_string_equal(body->name, "body");
  for (int i = 0; i < 3; i++) {
    check_small(scene->gravity[i], 0);
    check_small(body->linear_velocity[i], 0);
    check_small(body->angular_velocity[i], 0);
  }
  assert_int_equal(body->mass, LB_MASS_CONSISTENT);
  assert_int_equal(body->method, LB_METHOD_FULL);
  check_small(body->damping_mass, 0);
  check_small(body->damping_stiffness, 0);
  assert_null(body->fixed);
  assert_false(body->surface_ids);
  assert_int_equal(body->material_count, 1);
  assert_int_equal(body->materials[0].model, LB_MATERIAL_STVK);
  check_near(body->materials[0].young, 1e6, 0);
  check_near(body->materials[0].poisson, 0.45, 0);
  check_near(body->materials[0].density, 1000, 0);
  assert_int_equal(scene->load_count, 0);
  assert_int_equal(scene->probe_count, 0);
  assert_int_equal(scene->step_count, 0);
  check_near(scene->time_step, 1e-3, 0);
  assert_int_equal(scene->integrator, LB_INTEGRATOR_NEWMARK);
  assert_int_equal(scene->newton_iterations, 20);
  check_near(scene->newton_tolerance, 1e-10, 0);
  check_near(scene->factor_reuse, -1, 0); // chosen by size
  assert_int_equal(body->mesh->tet_count, 12);
  lb_scene_destroy(scene);
}

static void every_field_is_taken_over(void **state) {
  (void)state;
  lbScene *scene = scene_of(
      "{'limber':1,'gravity':[1,2,-9.81],'bodies':[{'name':'b','mesh':{'generate':'bar','size':"
      "[2,1,1],'cells':[4,1,1],'element':'brick8'},'material':{'model':'mooneyrivlin','c10':3,"
      "'c01':4,'v1':5,'density':6},'damping':{'mass':0.5,'stiffness':0.25},'mass':'lumped',"
      "'fixed':{'vertices':[0,5]},'method':'subspace','reduce':{'basis':'derivatives','modes':20,"
      "'dimension':30,'forces':'polynomial'},'velocity':{'linear':[1,2,3],'angular':[4,5,6]}}],"
      "'loads':[{'body':'b','vertex':7,'force':[7,8,9],'from':0.5,'to':0.75},"
      "{'vertex':1,'force':[0,0,1]}],'probes':[{'body':'b','vertex':3},{'vertex':2}],"
      "'time':{'step':0.25,'count':12,'integrator':'euler','newton_iterations':7,"
      "'newton_tolerance':1e-6,'factor_reuse':0.25}}");
  const lbSceneBody *body = scene->bodies;
  assert_string_equal(body->name, "b");
  check_near(scene->gravity[2], -9.81, 0);
  assert_int_equal(body->mesh->brick_count, 4);
  assert_int_equal(body->materials[0].model, LB_MATERIAL_MOONEYRIVLIN);
  check_near(body->materials[0].c10 + 10 * body->materials[0].c01 + 100 * body->materials[0].v1,
             543, 0);
  check_near(body->materials[0].density, 6, 0);
  check_near(body->damping_mass + body->damping_stiffness, 0.75, 0);
  assert_int_equal(body->mass, LB_MASS_LUMPED);
  assert_int_equal(body->method, LB_METHOD_SUBSPACE);
  assert_int_equal(count_fixed(body), 2);
  assert_true(body->fixed[0] && body->fixed[5]);
  check_near(body->linear_velocity[1] + 10 * body->angular_velocity[2], 62, 0);
  assert_int_equal(scene->load_count, 2);
  assert_int_equal(scene->loads[0].vertex, 7);
  check_near(scene->loads[0].force[2], 9, 0);
  check_near(scene->loads[0].from + scene->loads[0].to, 1.25, 0);
  assert_true(isinf(scene->loads[1].from) && isinf(scene->loads[1].to));
  assert_int_equal(scene->probe_count, 2);
  assert_int_equal(scene->probes[0].vertex, 3);
  check_near(scene->time_step, 0.25, 0);
  assert_int_equal(scene->step_count, 12);
  assert_int_equal(scene->integrator, LB_INTEGRATOR_EULER);
  assert_int_equal(scene->newton_iterations, 7);
  check_near(scene->factor_reuse, 0.25, 0);
  check_near(scene->newton_tolerance, 1e-6, 0);
  lb_scene_destroy(scene);
}

static void every_shape_and_law_can_be_named(void **state) {
  (void)state;
  static const char *const shapes[] = { "bar",   "plate", "tube",   "cylinder", "sphere",
                                        "torus", "tee",   "sponge", "spoon",    "bridge",
                                        "tower", "bowl",  "cactus", "turtle",   "figure" };
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    char text[256];
    snprintf(text, sizeof text,
             "{'limber':1,'bodies':[{'mesh':{'generate':'%s','cells':[4,3,3],'level':1,"
             "'segments':16},'material':{}}]}",
             shapes[i]);
    if (strcmp(shapes[i], "sponge") == 0) memcpy(strstr(text, "4,3,3"), "1,1,1", 5);
    lbScene *scene = scene_of(text);
    assert_true(lb_mesh_element_count(scene->bodies[0].mesh) > 0);
    assert_int_equal(scene->bodies[0].embedding->point_count,
                     scene->bodies[0].surface->vertex_count);
    lb_scene_destroy(scene);
  }
  for (int m = 0; m < LB_MATERIAL_SOLID_MODEL_COUNT; m++) {
    char text[256];
    bool mooney = m == LB_MATERIAL_MOONEYRIVLIN;
    snprintf(text, sizeof text, "{'limber':1,'bodies':[{" BAR ",'material':{'model':'%s',%s}}]}",
             lb_material_model_name((lbMaterialModel)m),
             mooney ? "'c10':1,'v1':2" : "'young':7,'poisson':0.2");
    lbScene *scene = scene_of(text);
    assert_int_equal(scene->bodies[0].materials[0].model, m);
    lb_scene_destroy(scene);
  }
}

static void vertices_are_fixed_by_number_box_group_file_and_list(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int32_t count;
  } cases[] = {
    { BODY_WITH("'fixed':{'vertices':[]}"), 0 },
    { BODY_WITH("'fixed':{'vertices':[11,0,0]}"), 2 },
    { BODY_WITH("'fixed':{'box':[[-9,-9,-9],[9,9,9]]}"), 12 },
    { BODY_WITH("'fixed':{'box':[[5,5,5],[9,9,9]]}"), 0 },
    { BODY_WITH("'fixed':{'group':'left'}"), 4 },
    { BODY_WITH("'fixed':{'group':'bottom'}"), 6 },
    { BODY_WITH("'fixed':{'file':'fixed.bou'}"), 3 },
    { BODY_WITH("'fixed':[{'group':'left'},{'group':'right'},{'vertices':[0,1]}]"), 9 },
    { BODY_WITH("'fixed':[]"), 0 },
  };
  write_text("fixed.bou", "1,2,\n12\n");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    lbScene *scene = scene_of(cases[i].text);
    assert_int_equal(count_fixed(scene->bodies), cases[i].count);
    if (i == 6) assert_true(scene->bodies[0].fixed[0] && scene->bodies[0].fixed[11]); // 1-based
    lb_scene_destroy(scene);
  }
  write_text("fixed.bou", "1,13\n");
  check_refused(BODY_WITH("'fixed':{'file':'fixed.bou'}"), "vertex 12 does not exist");
}

static const char vega[] =
    "*VERTICES\n5 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n"
    "*ELEMENTS\nTETS\n2 4 0\n1 1 2 3 4\n2 2 3 4 5\n"
    "*MATERIAL soft\nENU, 500, 1E4, 0.3\n*MATERIAL hard\nENU, 900, 1E7, 0.4\n"
    "*SET first\n1\n*SET second\n2\n*REGION\nfirst, soft\n*REGION\nsecond, hard\n";

static void materials_go_by_group_name_and_number_or_come_with_the_mesh(void **state) {
  (void)state;
  write_text("two.veg", vega);
  lbScene *scene = scene_of("{'limber':1,'bodies':[{'mesh':'two.veg'}]}");
  const lbSceneBody *body = scene->bodies;
  check_near(body->materials[body->element_materials[0]].young, 1e4, 0);
  check_near(body->materials[body->element_materials[1]].young, 1e7, 0);
  check_near(body->materials[body->element_materials[1]].density, 900, 0);
  lb_scene_destroy(scene);
  static const char *const texts[] = {
    "{'limber':1,'bodies':[{'mesh':'two.veg','material':[{'group':'first','young':11},"
    "{'group':'second','young':22}]}]}",
    "{'limber':1,'bodies':[{'mesh':'two.veg','material':[{'group':1,'young':11},"
    "{'group':2,'young':22}]}]}",
    "{'limber':1,'bodies':[{'mesh':'two.veg','material':[{'young':11},"
    "{'group':'second','young':22}]}]}",
  };
  for (size_t i = 0; i < 3; i++) {
    scene = scene_of(texts[i]);
    body = scene->bodies;
    check_near(body->materials[body->element_materials[0]].young, 11, 0);
    check_near(body->materials[body->element_materials[1]].young, 22, 0);
    lb_scene_destroy(scene);
  }
  check_refused("{'limber':1,'bodies':[{'mesh':'two.veg','material':[{'group':1}]}]}",
                "element 1 is in none of the regions");
  check_refused("{'limber':1,'bodies':[{'mesh':'two.veg','material':[{},{'group':3}]}]}",
                "there are: first (1)");
  scene = scene_of("{'limber':1,'bodies':[{'mesh':'two.veg','fixed':{'group':'first'}}]}");
  assert_int_equal(count_fixed(scene->bodies), 4); // the vertices of its elements
  lb_scene_destroy(scene);
}

static void a_mesh_file_alone_is_a_scene_of_one_free_body(void **state) {
  (void)state;
  write_text("two.veg", vega);
  lbScene *scene = NULL;
  lbError err;
  check_ok(lb_scene_load(output_path("two.veg"), NULL, &scene, &err), err);
  assert_string_equal(scene->bodies[0].name, "two.veg");
  assert_int_equal(scene->bodies[0].material_count, 2);
  lb_scene_destroy(scene);
  lbSceneDefaults defaults = { .material = lb_material(), .has_material = true };
  defaults.material.young = 77;
  check_ok(lb_scene_load(output_path("two.veg"), &defaults, &scene, &err), err);
  assert_int_equal(scene->bodies[0].material_count, 1);
  check_near(scene->bodies[0].materials[0].young, 77, 0);
  lb_scene_destroy(scene);
}

// Meshes stay in the body's own axes, scaled; the unreduced body and the vertices are in the world.
static void a_body_is_scaled_then_turned_then_moved(void **state) {
  (void)state;
  lbScene *plain = scene_of(SCENE_WITH("'loads':[]"));
  lbScene *placed = scene_of(BODY_WITH(
      "'position':[1,2,3],'rotation':[0,0,2,2],'scale':[2,3,4],'fixed':{'group':'left'}"));
  const lbSceneBody *body = placed->bodies;
  const lbMesh *meshes[2][2] = { { plain->bodies[0].mesh, body->mesh },
                                 { plain->bodies[0].surface, body->surface } };
  for (int m = 0; m < 2; m++)
    for (int32_t v = 0; v < meshes[m][0]->vertex_count; v++) {
      const double *x = meshes[m][0]->positions + 3 * v, *y = meshes[m][1]->positions + 3 * v;
      for (int i = 0; i < 3; i++) check_near(y[i], (2 + i) * x[i], 1e-14);
      double world[3];
      lb_scene_place(body, y, world);
      check_near(world[0], 1 - 3 * x[1], 1e-14); // a quarter turn about z
      check_near(world[1], 2 + 2 * x[0], 1e-14);
      check_near(world[2], 3 + 4 * x[2], 1e-14);
    }
  lbFem *fem = NULL;
  lbError err;
  check_ok(lb_scene_fem(body, &fem, &err), err);
  for (int32_t v = 0; v < body->mesh->vertex_count; v++) {
    double rest[3], moved[3], u[36] = { 0 };
    u[3 * v + 1] = 0.5;
    lb_scene_vertex(body, v, u, rest, moved);
    for (int i = 0; i < 3; i++) {
      check_near(rest[i], lb_fem_rest_positions(fem)[3 * v + i], 0);
      check_near(moved[i], i == 1 ? 0.5 : 0, 0);
    }
  }
  assert_int_equal(count_fixed(placed->bodies), 4);
  lb_fem_destroy(fem);
  lb_scene_destroy(plain);
  lb_scene_destroy(placed);
}

static void instances_have_names_and_places_of_their_own(void **state) {
  (void)state;
  lbScene *scene = scene_of("{'limber':1,'bodies':[{'name':'bar'," BAR
                            ",'material':{},'instances':3,'position':[[0,0,0],[5,0,0],[9,0,1]],"
                            "'scale':2,'velocity':{'linear':[[1,0,0],[2,0,0],[3,0,0]]}}],"
                            "'probes':[{'body':'bar.1','vertex':4}]}");
  assert_int_equal(scene->body_count, 3);
  assert_string_equal(scene->bodies[2].name, "bar.2");
  assert_int_equal(scene->probes[0].body, 1);
  for (int i = 0; i < 3; i++) {
    const lbSceneBody *body = &scene->bodies[i];
    const double *x = body->mesh->positions;
    check_near(body->position[0], i == 0 ? 0 : i == 1 ? 5 : 9, 0);
    check_near(body->position[2], i == 2 ? 1 : 0, 0);
    check_near(x[3] - x[0], 1, 1e-15); // a cell of 0.5 m, twice as large
    check_near(body->linear_velocity[0], i + 1, 0);
    assert_int_equal(body->twin, i == 0 ? -1 : 0);
    assert_ptr_equal(body->mesh, scene->bodies[0].mesh);
    assert_ptr_equal(body->materials, scene->bodies[0].materials);
  }
  lb_scene_destroy(scene);
  check_refused(BODY_WITH("'instances':3,'position':[[0,0,0],[5,0,0]]"), "position");
}

static void instances_of_one_size_share_a_mesh_and_others_have_their_own(void **state) {
  (void)state;
  lbScene *scene = scene_of(BODY_WITH(
      "'instances':5,'scale':[[1,1,1],[2,1,1],[1,1,1],[3,1,1],[2,1,1]],'fixed':{'group':'left'}"));
  static const int32_t twins[] = { -1, -1, 0, -1, 1 };
  static const double lengths[] = { 1, 2, 1, 3, 2 };
  for (int i = 0; i < 5; i++) {
    const lbSceneBody *body = &scene->bodies[i];
    assert_int_equal(body->twin, twins[i]);
    if (twins[i] >= 0) assert_ptr_equal(body->mesh, scene->bodies[twins[i]].mesh);
    check_near(body->mesh->positions[6] - body->mesh->positions[0], lengths[i], 1e-15);
    assert_int_equal(count_fixed(body), 4);
  }
  lb_scene_destroy(scene);
  scene = scene_of(BODY_WITH("'instances':10000"));
  assert_int_equal(scene->body_count, 10000);
  assert_int_equal(scene->bodies[9999].twin, 0);
  lb_scene_destroy(scene);
}

// A load acts in steps whose end time t has from < t ≤ to, sums of steps taken as what they mean.
static void loads_act_in_their_window(void **state) {
  (void)state;
  lbScene *scene = scene_of(SCENE_WITH("'gravity':[0,0,-10],'time':{'step':0.1,'count':6},"
                                       "'loads':[{'vertex':2,'force':[1,0,0],'from':0.1,'to':0.3},"
                                       "{'vertex':2,'force':[0,5,0]},"
                                       "{'vertex':3,'force':[7,0,0],'from':0}]"));
  lbFem *fem = NULL;
  lbError err;
  check_ok(lb_scene_fem(scene->bodies, &fem, &err), err);
  const bool acts[7] = { false, false, true, true, false, false, false };
  for (int step = 0; step <= 6; step++) {
    double forces[36];
    lb_scene_forces(scene, 0, fem, step * scene->time_step, forces);
    check_near(forces[6], acts[step] ? 1 : 0, 0);
    check_near(forces[7], 5, 0);                 // always, at t = 0 too
    check_near(forces[9], step == 0 ? 0 : 7, 0); // from 0 on is not at t = 0
    double weight = 0;
    for (int v = 0; v < 12; v++) weight += forces[3 * v + 2];
    check_near(weight, -10 * 1000 * 0.01, 1e-12);
  }
  lb_fem_destroy(fem);
  lb_scene_destroy(scene);
}

static void velocities_turn_about_the_centre_of_mass(void **state) {
  (void)state;
  lbScene *scene = scene_of(BODY_WITH(
      "'position':[3,4,5],'velocity':{'linear':[1,0,0],'angular':[0,0,2]},'mass':'lumped'"));
  lbFem *fem = NULL;
  lbError err;
  double velocity[36], centre[3] = { 0 };
  check_ok(lb_scene_fem(scene->bodies, &fem, &err), err);
  lb_scene_velocity(scene->bodies, fem, velocity);
  const double *x = lb_fem_rest_positions(fem);
  for (int i = 0; i < 36; i++)
    centre[i % 3] += x[i] * lb_fem_vertex_masses(fem)[i / 3] / lb_fem_total_mass(fem);
  for (int v = 0; v < 12; v++) {
    check_near(velocity[3 * v], 1 - 2 * (x[3 * v + 1] - centre[1]), 1e-13);
    check_near(velocity[3 * v + 1], 2 * (x[3 * v] - centre[0]), 1e-13);
    check_small(velocity[3 * v + 2], 1e-13);
  }
  lb_fem_destroy(fem);
  lb_scene_destroy(scene);
}

static const char octahedron[] = "v 1 0 0\nv -1 0 0\nv 0 1 0\nv 0 -1 0\nv 0 0 1\nv 0 0 -1\n"
                                 "f 1 3 5\nf 3 2 5\nf 2 4 5\nf 4 1 5\n"
                                 "f 3 1 6\nf 2 3 6\nf 4 2 6\nf 1 4 6\n";

// Ids of a voxelised body are the surface's: loads and probes go through the embedding.
static void ids_of_a_voxelised_body_count_the_surface(void **state) {
  (void)state;
  write_text("octahedron.obj", octahedron);
  lbScene *scene = scene_of(
      "{'limber':1,'bodies':[{'mesh':{'surface':'octahedron.obj','voxelise':4},'material':{},"
      "'fixed':{'vertices':[5]}}],'loads':[{'vertex':4,'force':[1,2,3]}],"
      "'probes':[{'vertex':0}]}");
  const lbSceneBody *body = scene->bodies;
  assert_true(body->surface_ids);
  assert_int_equal(lb_scene_vertex_count(body), 6);
  assert_true(body->mesh->vertex_count > 6);
  assert_true(count_fixed(body) >= 4); // the nodes that carry the vertex
  lbFem *fem = NULL;
  lbError err;
  check_ok(lb_scene_fem(body, &fem, &err), err);
  size_t count = (size_t)body->mesh->vertex_count;
  double *forces = calloc(3 * count, sizeof(double)), *u = calloc(3 * count, sizeof(double));
  double sum[3] = { 0 }, moment[3] = { 0 }, rest[3], moved[3];
  lb_scene_forces(scene, 0, fem, 1, forces);
  for (size_t v = 0; v < count; v++)
    for (int i = 0; i < 3; i++) {
      const double *x = body->mesh->positions + 3 * v, *f = forces + 3 * v;
      int j = (i + 1) % 3, k = (i + 2) % 3;
      sum[i] += f[i];
      moment[i] += x[j] * f[k] - x[k] * f[j];
    }
  const double moment_there[3] = { -2, 1, 0 }; // (0, 0, 1) x (1, 2, 3)
  for (int i = 0; i < 3; i++) {
    check_near(sum[i], i + 1, 1e-12);
    check_near(moment[i], moment_there[i], 1e-12);
  }
  for (size_t i = 0; i < 3 * count; i++) u[i] = 2 * body->mesh->positions[i]; // affine
  lb_scene_vertex(body, 0, u, rest, moved);
  for (int i = 0; i < 3; i++) {
    check_near(rest[i], i == 0 ? 1 : 0, 1e-15);
    check_near(moved[i], 2 * rest[i], 1e-12);
  }
  free(forces), free(u);
  lb_fem_destroy(fem);
  lb_scene_destroy(scene);
  check_refused("{'limber':1,'bodies':[{'mesh':{'surface':'octahedron.obj','voxelise':4},"
                "'material':{}}],'probes':[{'vertex':6}]}",
                "has 6 vertices");
  check_refused("{'limber':1,'bodies':[{'mesh':{'surface':'octahedron.obj','voxelise':4},"
                "'material':{},'surface':'octahedron.obj'}]}",
                "has a surface already");
}

static void a_surface_of_its_own_is_embedded_but_ids_stay_the_meshs(void **state) {
  (void)state;
  write_text("octahedron.obj", octahedron);
  lbScene *scene = scene_of(BODY_WITH("'surface':'octahedron.obj'"));
  assert_int_equal(scene->bodies[0].surface->vertex_count, 6);
  assert_int_equal(scene->bodies[0].embedding->point_count, 6);
  assert_int_equal(lb_scene_vertex_count(scene->bodies), 12);
  lb_scene_destroy(scene);
}

static int warning_count;
static void count_warnings(lbLogLevel level, const char *text, void *context) {
  (void)context;
  if (level == LB_LOG_WARNING && strstr(text, "is the unit metres")) warning_count++;
}

static void objects_of_unlikely_size_are_warned_of(void **state) {
  (void)state;
  static const char *const texts[] = { BODY_WITH("'scale':1"), BODY_WITH("'scale':101"),
                                       BODY_WITH("'scale':0.0009") };
  lb_set_log(count_warnings, NULL);
  for (int i = 0; i < 3; i++) {
    warning_count = 0;
    lb_scene_destroy(scene_of(texts[i]));
    assert_int_equal(warning_count, i > 0);
  }
  lb_set_log(NULL, NULL);
}

static void every_failed_allocation_is_reported_and_nothing_leaks(void **state) {
  (void)state;
  write_text("two.veg", vega);
  write_text("fixed.bou", "1,2\n");
  write_text("all.json",
             "{\"limber\":1,\"bodies\":[{\"name\":\"a\",\"mesh\":{\"generate\":\"bar\",\"cells\":"
             "[1,1,1]},\"material\":{},\"fixed\":{\"file\":\"fixed.bou\"},\"instances\":2},"
             "{\"name\":\"b\",\"mesh\":\"two.veg\",\"material\":[{},{\"group\":1}]},"
             "{\"mesh\":\"two.veg\"}],\"loads\":[{\"body\":\"b\",\"vertex\":1,\"force\":[0,0,1]}],"
             "\"probes\":[{\"body\":\"b\",\"vertex\":1}]}");
  lbStatus status = LB_ERR_MEMORY;
  int64_t n = 0;
  for (; status; n++) {
    CheckedHeap heap = { .fail_at = n };
    lbAllocator allocator = checked_allocator(&heap);
    lbScene *scene = NULL;
    lbError err;
    lb_set_allocator(&allocator);
    status = lb_scene_load(output_path("all.json"), NULL, &scene, &err);
    if (status) assert_null(scene);
    lb_scene_destroy(scene);
    lb_set_allocator(NULL);
    assert_int_equal(heap.live, 0);
    if (status && status != LB_ERR_MEMORY) fail_msg("allocation %d: %s", (int)n, err.text);
  }
  print_message("  %d allocations\n", (int)n - 1);
  assert_true(n > 50);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_scene_that_says_little_gets_the_defaults),
    cmocka_unit_test(every_field_is_taken_over),
    cmocka_unit_test(every_shape_and_law_can_be_named),
    cmocka_unit_test(vertices_are_fixed_by_number_box_group_file_and_list),
    cmocka_unit_test(materials_go_by_group_name_and_number_or_come_with_the_mesh),
    cmocka_unit_test(a_mesh_file_alone_is_a_scene_of_one_free_body),
    cmocka_unit_test(a_body_is_scaled_then_turned_then_moved),
    cmocka_unit_test(instances_have_names_and_places_of_their_own),
    cmocka_unit_test(instances_of_one_size_share_a_mesh_and_others_have_their_own),
    cmocka_unit_test(loads_act_in_their_window),
    cmocka_unit_test(velocities_turn_about_the_centre_of_mass),
    cmocka_unit_test(ids_of_a_voxelised_body_count_the_surface),
    cmocka_unit_test(a_surface_of_its_own_is_embedded_but_ids_stay_the_meshs),
    cmocka_unit_test(objects_of_unlikely_size_are_warned_of),
    cmocka_unit_test(every_failed_allocation_is_reported_and_nothing_leaks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
