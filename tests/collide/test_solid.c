// Solids: creation, distances, bounds, masses, rays, surfaces and hulls.
#include "collide/solid_parts.h"
#include "mesh/winding.h"
#include "solids.h"

enum { CASES = CHECK_SANITIZED ? 200 : 600 };

static double unit(lbVec3 a) { return lb_length(a) - 1; }

// ---- creation ----------------------------------------------------------------------------------

static void wrong_solids_are_refused(void **state) {
  (void)state;
  lbSolid *solid = NULL;
  lbError err;
  lbSolidDef def = lb_solid_def(LB_SOLID_SPHERE);
  const double wrong[] = { 0, -1, NAN, INFINITY, 1e-30, 1e30 };
  for (int i = 0; i < 6; i++) {
    def = lb_solid_def(LB_SOLID_SPHERE);
    def.radius = wrong[i];
    check_fails(lb_solid_create(&def, &solid, &err), LB_ERR_ARGUMENT, err, "sphere: radius");
    def = lb_solid_def(LB_SOLID_BOX);
    def.size[1] = wrong[i];
    check_fails(lb_solid_create(&def, &solid, &err), LB_ERR_ARGUMENT, err, "box: size[1]");
    if (i == 0) continue; // a capsule may be a sphere
    def = lb_solid_def(LB_SOLID_CAPSULE);
    def.size[2] = wrong[i];
    check_fails(lb_solid_create(&def, &solid, &err), LB_ERR_ARGUMENT, err, "capsule: size[2]");
  }
  double points[12] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0 };
  int32_t triangles[3] = { 0, 1, 4 };
  def = lb_solid_def(LB_SOLID_HULL);
  check_fails(lb_solid_create(&def, &solid, &err), LB_ERR_ARGUMENT, err, "no vertices");
  def.vertex_count = 4, def.vertices = points;
  check_fails(lb_solid_create(&def, &solid, &err), LB_ERR_MESH, err, "in one plane");
  def.vertex_count = 2;
  check_fails(lb_solid_create(&def, &solid, &err), LB_ERR_MESH, err, "on one line");
  def.vertex_count = 1;
  check_fails(lb_solid_create(&def, &solid, &err), LB_ERR_MESH, err, "at one place");
  def = lb_solid_def(LB_SOLID_MESH);
  def.vertex_count = 4, def.vertices = points;
  check_fails(lb_solid_create(&def, &solid, &err), LB_ERR_ARGUMENT, err, "no triangles");
  def.triangle_count = 1, def.triangles = triangles;
  check_fails(lb_solid_create(&def, &solid, &err), LB_ERR_ARGUMENT, err, "uses vertex 4");
  triangles[2] = 1;
  check_fails(lb_solid_create(&def, &solid, &err), LB_ERR_MESH, err, "at one place");
  points[4] = NAN;
  check_fails(lb_solid_create(&def, &solid, &err), LB_ERR_ARGUMENT, err, "vertex 1");
  def.kind = (lbSolidKind)17;
  check_fails(lb_solid_create(&def, &solid, &err), LB_ERR_ARGUMENT, err, "unknown kind");
  check_fails(lb_solid_create(NULL, &solid, &err), LB_ERR_ARGUMENT, err, "NULL");
  assert_null(solid);
}

static void creation_survives_every_failed_allocation(void **state) {
  (void)state;
  double points[30];
  uint64_t seed = 3;
  for (int i = 0; i < 30; i++) points[i] = check_random(&seed);
  int32_t triangles[6] = { 0, 1, 2, 0, 2, 3 };
  lbSolidDef def = lb_solid_def(LB_SOLID_HULL);
  def.vertex_count = 10, def.vertices = points;
  def.triangle_count = 2, def.triangles = triangles;
  for (int kind = LB_SOLID_BOX; kind <= LB_SOLID_MESH; kind++) {
    def.kind = (lbSolidKind)kind;
    for (int64_t fail_at = 0;; fail_at++) {
      CheckedHeap heap = { fail_at, 0, 0 };
      lbAllocator allocator = checked_allocator(&heap);
      lbSolid *solid = NULL;
      lbError err;
      lb_set_allocator(&allocator);
      lbStatus status = lb_solid_create(&def, &solid, &err);
      lb_solid_destroy(solid);
      lb_set_allocator(NULL);
      assert_int_equal(heap.live, 0);
      if (status == LB_OK) break;
      assert_int_equal(status, LB_ERR_MEMORY);
      assert_true(fail_at < 100);
    }
  }
}

// ---- distances ---------------------------------------------------------------------------------

// The gradient of the distance is the normal, and the closest point is on the surface.
static void check_distance_is_consistent(const lbSolid *solid, lbVec3 p, double tolerance) {
  lbVec3 normal, other;
  double distance = lb_solid_distance(solid, p, &normal);
  check_small(unit(normal), 1e-12);
  lbVec3 foot = lb_solid_closest_point(solid, p);
  check_small(lb_length(lb_sub(foot, p)) - fabs(distance), tolerance);
  check_small(lb_solid_distance(solid, foot, &other), tolerance);
  // 1-Lipschitz: nothing of the surface is nearer.
  lbVec3 step = lb_add_scaled(p, -0.5 * distance, normal);
  check_small(lb_solid_distance(solid, step, NULL) - 0.5 * distance, tolerance);
}

static void distances_are_those_of_sampled_surfaces(void **state) {
  (void)state;
  uint64_t seed = 1;
  for (int kind = 0; kind < 3; kind++) {
    lbSolid *solid = kind == 0   ? make_sphere(0.7)
                     : kind == 1 ? make_capsule(0.4, 1.1)
                                 : make_box(0.8, 1.4, 0.5);
    lbSolid *mesh = make_copy(solid, 14, LB_SOLID_MESH);
    double facets = kind == 2 ? 1e-12 : 3e-3; // what facets of a circle lack
    for (int i = 0; i < CASES; i++) {
      lbVec3 p = random_vector(&seed, 1.5);
      double distance = lb_solid_distance(solid, p, NULL);
      check_near(lb_solid_distance(mesh, p, NULL), distance, facets);
      if (fabs(distance) > 1e-6) check_distance_is_consistent(solid, p, 1e-12);
    }
    lb_solid_destroy(solid);
    lb_solid_destroy(mesh);
  }
}

static void a_box_is_the_hull_and_the_mesh_of_its_corners(void **state) {
  (void)state;
  uint64_t seed = 2;
  for (int i = 0; i < CASES / 10; i++) {
    double size = pow(10, 6 * check_random(&seed)); // from a micrometre to a thousand kilometres
    lbSolid *box = make_box(size * 2, size * (1.1 + check_random(&seed)), size * 0.3);
    lbSolid *hull = make_copy(box, 1, LB_SOLID_HULL), *mesh = make_copy(box, 1, LB_SOLID_MESH);
    assert_int_equal(hull->polyhedron->face_count, 6);
    for (int k = 0; k < 20; k++) {
      lbVec3 p = random_vector(&seed, 2 * size), n[3];
      double distance = lb_solid_distance(box, p, &n[0]);
      check_near(lb_solid_distance(hull, p, &n[1]), distance, 1e-13 * size);
      check_near(lb_solid_distance(mesh, p, &n[2]), distance, 1e-13 * size);
      if (distance > 0) check_small(lb_length(lb_sub(n[0], n[1])), 1e-9);
      if (distance > 0) check_small(lb_length(lb_sub(n[0], n[2])), 1e-9);
    }
    lb_solid_destroy(box);
    lb_solid_destroy(hull);
    lb_solid_destroy(mesh);
  }
}

static void the_sign_of_a_mesh_is_that_of_its_winding_number(void **state) {
  (void)state;
  uint64_t seed = 4;
  lbSolid *torus = make_torus(1, 0.35, 24, 12);
  const lbPolyhedron *p = torus->polyhedron;
  lbWinding *winding = NULL;
  lbError err;
  check_ok(lb_winding_create(p->tree, &p->surface, NULL, &winding, &err), err);
  assert_true(p->closed);
  for (int i = 0; i < CASES; i++) {
    lbVec3 at = random_vector(&seed, 1.5);
    double distance = lb_solid_distance(torus, at, NULL);
    if (fabs(distance) < 1e-3) continue;
    assert_true((distance < 0) == (lb_winding_number(winding, at) > 0.5));
    check_distance_is_consistent(torus, at, 1e-12);
  }
  lb_winding_destroy(winding);
  lb_solid_destroy(torus);
}

// Whether something is within a limit is found another way than how far it is.
static void what_is_within_a_limit_is_nearer_than_it(void **state) {
  (void)state;
  uint64_t seed = 5;
  lbSolid *solids[] = { make_torus(1, 0.35, 24, 12), make_box(1, 2, 0.5), make_sphere(0.8) };
  int32_t within = 0, inside = 0;
  for (int i = 0; i < 3 * CASES; i++) {
    const lbSolid *solid = solids[i % 3];
    lbVec3 at = random_vector(&seed, 1.5);
    double distance = lb_solid_distance(solid, at, NULL), limit = 0.5 * check_random(&seed);
    if (fabs(distance - limit) < 1e-9) continue;
    assert_true(lb_solid_is_within(solid, at, limit) == (distance < limit));
    within += distance < limit, inside += distance < -fabs(limit);
  }
  assert_true(within > CASES / 4 && inside > CASES / 20);
  for (int i = 0; i < 3; i++) lb_solid_destroy(solids[i]);
}

static void an_inside_out_mesh_is_turned_round(void **state) {
  (void)state;
  double vertices[12] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1 };
  int32_t triangles[12] = { 0, 1, 2, 0, 3, 1, 0, 2, 3, 1, 3, 2 };
  lbSolid *solid = make_mesh(4, vertices, 4, triangles);
  assert_true(lb_solid_is_closed(solid));
  check_near(lb_solid_distance(solid, lb_vec3(0.1, 0.2, 0.2), NULL), -0.1, 1e-15);
  lb_solid_destroy(solid);
}

// One vertex a corner of each triangle, as files without shared vertices have it.
static void vertices_at_one_place_are_one(void **state) {
  (void)state;
  lbSolid *box = make_box(1, 1, 1);
  double vertices[108];
  int32_t triangles[36];
  for (int i = 0; i < 36; i++) {
    lb_vec3_store(vertices + 3 * i, lb_triangle_corner(&box->polyhedron->surface, i / 3, i % 3));
    triangles[i] = i;
  }
  lbSolid *soup = make_mesh(36, vertices, 12, triangles);
  assert_true(lb_solid_is_closed(soup));
  check_near(lb_solid_distance(soup, lb_vec3(0.45, 0.1, 0.1), NULL), -0.05, 1e-15);
  lb_solid_destroy(box);
  lb_solid_destroy(soup);
}

static void open_meshes_have_a_front_and_a_thickness(void **state) {
  (void)state;
  lbVec3 normal;
  lbSolid *ground = make_floor(4, 1, false), *sheet = make_floor(4, 1, true);
  assert_false(lb_solid_is_closed(ground));
  check_near(lb_solid_distance(ground, lb_vec3(0.1, 0.2, 0.3), &normal), 0.3, 1e-15);
  check_near(normal.z, 1, 1e-15);
  check_near(lb_solid_distance(ground, lb_vec3(0.1, 0.2, -0.05), &normal), -0.05, 1e-15);
  check_near(normal.z, 1, 1e-15);
  check_near(lb_solid_distance(ground, lb_vec3(0.1, 0.2, -0.9), &normal), 0.9, 1e-15); // far below
  check_near(normal.z, -1, 1e-15);
  check_near(lb_solid_distance(ground, lb_vec3(1.3, 0.2, -0.4), &normal), 0.5, 1e-15); // beside
  check_near(normal.x, 0.6, 1e-12);
  check_near(lb_solid_distance(sheet, lb_vec3(0.1, 0.2, -0.05), &normal), 0.05, 1e-15);
  check_near(normal.z, -1, 1e-15);
  lb_solid_destroy(ground);
  lb_solid_destroy(sheet);
}

// Centres, corners, surfaces, huge and no numbers at all: a unit normal, whatever the distance.
static void normals_are_unit_vectors_everywhere(void **state) {
  (void)state;
  lbSolidDef plane = lb_solid_def(LB_SOLID_PLANE);
  lbSolid *box = make_box(1, 2, 3);
  lbSolid *solids[] = { make_solid(&plane),
                        make_sphere(1),
                        make_capsule(0.5, 1),
                        box,
                        make_copy(box, 1, LB_SOLID_HULL),
                        make_torus(1, 0.4, 12, 8),
                        make_floor(2, 1, false),
                        make_floor(2, 1, true) };
  const double special[] = {
    0, -0.0, 0.5, 1, 1.5, -0.5, 1e-320, 1e-200, 1e30, 1e200, INFINITY, NAN
  };
  int count = (int)(sizeof special / sizeof *special);
  for (int s = 0; s < 8; s++) {
    for (int i = 0; i < count * count * count; i++) {
      lbVec3 p =
          lb_vec3(special[i % count], special[i / count % count], special[i / count / count]);
      lbVec3 normal = { 7, 7, 7 };
      double distance = lb_solid_distance(solids[s], p, &normal);
      check_small(unit(normal), 1e-12);
      if (fabs(p.x) + fabs(p.y) + fabs(p.z) < 1e20) assert_true(isfinite(distance));
      lbSolidTouch touch;
      if (isnan(p.x) || isnan(p.y) || isnan(p.z))
        assert_false(lb_solid_touch_point(solids[s], p, 1, &touch));
    }
    lb_solid_destroy(solids[s]);
  }
}

// ---- bounds ------------------------------------------------------------------------------------

static void bounds_hold_the_surface_and_no_more(void **state) {
  (void)state;
  uint64_t seed = 5;
  for (int i = 0; i < CASES / 4; i++) {
    lbSolid *solid = i % 3 == 0   ? make_sphere(0.4)
                     : i % 3 == 1 ? make_capsule(0.3, 0.9)
                                  : random_hull(&seed, 12, 1);
    lbSolidFrame frame = random_frame(&seed, 2);
    lbBox box = lb_solid_world_box(solid, &frame), own = lb_solid_box(solid);
    lbVec3 centre;
    double reach = lb_solid_sphere(solid, &centre);
    double vertices[3 * 800];
    int32_t triangles[3 * 1600], vertex_count, triangle_count;
    lb_solid_surface_size(solid, 6, &vertex_count, &triangle_count);
    lb_solid_surface(solid, 6, 1, vertices, triangles);
    lbBox seen = lb_box_empty();
    for (int32_t k = 0; k < vertex_count; k++) {
      lbVec3 p = lb_vec3_load(vertices + 3 * k);
      double world[3];
      lb_vec3_store(world, lb_solid_to_world(&frame, p));
      lb_box_add_point(&seen, world);
      assert_true(lb_length(lb_sub(p, centre)) <= reach * (1 + 1e-12));
      assert_true(lb_box_distance2(&own, vertices + 3 * k) < 1e-24);
    }
    for (int k = 0; k < 3; k++) {
      assert_true(seen.low[k] >= box.low[k] - 1e-12 && seen.high[k] <= box.high[k] + 1e-12);
      if (i % 3 < 2) check_near(seen.high[k], box.high[k], 0.02);
    }
    lb_solid_destroy(solid);
  }
  lbSolidDef def = lb_solid_def(LB_SOLID_PLANE);
  lbSolid *plane = make_solid(&def);
  lbSolidFrame level = lb_solid_frame(lb_quat_identity(), lb_vec3(1, 2, 3));
  lbBox box = lb_solid_world_box(plane, &level);
  assert_true(box.high[2] == 3 && box.low[2] == -INFINITY && box.high[0] == INFINITY);
  lb_solid_destroy(plane);
}

// ---- mass --------------------------------------------------------------------------------------

static void check_same_mass(const lbSolid *solid, const lbSolid *other, double tolerance) {
  double mass[2];
  lbVec3 centre[2];
  lbMat3 inertia[2];
  lbError err;
  check_ok(lb_solid_mass(solid, 100, &mass[0], &centre[0], &inertia[0], &err), err);
  check_ok(lb_solid_mass(other, 100, &mass[1], &centre[1], &inertia[1], &err), err);
  check_near(mass[1] / mass[0], 1, tolerance);
  check_small(lb_length(lb_sub(centre[0], centre[1])), tolerance);
  check_small(lb_mat3_norm(lb_mat3_sub(inertia[0], inertia[1])) / lb_mat3_norm(inertia[0]),
              tolerance);
}

static void masses_are_those_of_fine_surfaces(void **state) {
  (void)state;
  lbSolid *solids[3] = { make_sphere(0.6), make_capsule(0.3, 0.8), make_box(0.5, 0.7, 1.1) };
  for (int i = 0; i < 3; i++) {
    lbSolid *mesh = make_copy(solids[i], 15, LB_SOLID_MESH);
    check_same_mass(solids[i], mesh, i == 2 ? 1e-14 : 0.01);
    lb_solid_destroy(mesh);
    lb_solid_destroy(solids[i]);
  }
  // A capsule without length is a sphere.
  lbSolid *sphere = make_sphere(0.6), *capsule = make_capsule(0.6, 0);
  check_same_mass(sphere, capsule, 1e-15);
  double mass;
  lbVec3 centre;
  lbMat3 inertia;
  lbError err;
  check_ok(lb_solid_mass(sphere, 1000, &mass, &centre, &inertia, &err), err);
  check_near(mass, 4000.0 / 3 * LB_PI * 0.216, 1e-10);
  check_near(inertia.m[0], 0.4 * mass * 0.36, 1e-10);
  lb_solid_destroy(sphere);
  lb_solid_destroy(capsule);
}

static void the_mass_of_a_shifted_box_is_about_its_centre(void **state) {
  (void)state;
  double points[24];
  for (int i = 0; i < 24; i++) points[i] = (i / 3 >> i % 3 & 1 ? 0.5 : -0.5) + 10 * (i % 3 + 1);
  lbSolid *hull = make_hull(8, points), *box = make_box(1, 1, 1);
  double mass;
  lbVec3 centre;
  lbMat3 inertia;
  lbError err;
  check_ok(lb_solid_mass(hull, 6, &mass, &centre, &inertia, &err), err);
  check_near(mass, 6, 1e-12);
  check_small(lb_length(lb_sub(centre, lb_vec3(10, 20, 30))), 1e-12);
  check_small(lb_mat3_norm(lb_mat3_sub(inertia, lb_mat3_identity())), 1e-12);
  lb_solid_destroy(hull);
  lb_solid_destroy(box);
}

static void what_has_no_volume_has_no_mass(void **state) {
  (void)state;
  lbSolidDef def = lb_solid_def(LB_SOLID_PLANE);
  lbSolid *plane = make_solid(&def), *ground = make_floor(2, 1, false), *box = make_box(1, 1, 1);
  double mass;
  lbVec3 centre;
  lbMat3 inertia;
  lbError err;
  check_fails(lb_solid_mass(plane, 1, &mass, &centre, &inertia, &err), LB_ERR_ARGUMENT, err,
              "plane");
  check_fails(lb_solid_mass(ground, 1, &mass, &centre, &inertia, &err), LB_ERR_ARGUMENT, err,
              "open mesh");
  check_fails(lb_solid_mass(box, 0, &mass, &centre, &inertia, &err), LB_ERR_ARGUMENT, err,
              "density");
  check_fails(lb_solid_mass(box, NAN, &mass, &centre, &inertia, &err), LB_ERR_ARGUMENT, err,
              "density");
  lb_solid_destroy(plane);
  lb_solid_destroy(ground);
  lb_solid_destroy(box);
}

// ---- rays --------------------------------------------------------------------------------------

// A hit is on the surface, and nothing of the solid is before it.
static void rays_hit_what_marching_hits(void **state) {
  (void)state;
  uint64_t seed = 6;
  lbSolidDef def = lb_solid_def(LB_SOLID_PLANE);
  lbSolid *solids[] = { make_solid(&def),
                        make_sphere(0.5),
                        make_capsule(0.3, 0.8),
                        make_box(0.5, 1, 0.7),
                        random_hull(&seed, 20, 0.7),
                        make_torus(0.7, 0.2, 16, 8) };
  for (int s = 0; s < 6; s++) {
    int hits = 0;
    for (int i = 0; i < CASES / 2; i++) {
      lbVec3 origin = random_vector(&seed, 1.5), direction = random_vector(&seed, 2), normal;
      double speed = lb_length(direction), t = 0, hit_t;
      bool inside = lb_solid_distance(solids[s], origin, NULL) < 0;
      while (!inside && t < 3) { // sphere tracing
        double distance = lb_solid_distance(solids[s], lb_add_scaled(origin, t, direction), NULL);
        if (distance < 1e-9) break;
        t += distance / speed;
      }
      bool hit = lb_solid_ray_cast(solids[s], origin, direction, 3, &hit_t, &normal);
      if (!hit && t < 3) { // grazing: nearly
        assert_true(t > 2.999999 ||
                    fabs(lb_solid_distance(solids[s], lb_add_scaled(origin, t, direction), NULL)) <
                        1e-8);
        continue;
      }
      if (hit && t >= 3) fail_msg("hit at %g that marching did not find", hit_t);
      if (!hit) continue;
      hits++;
      check_small(unit(normal), 1e-12);
      check_near(hit_t, t, 1e-5);
      if (!inside)
        check_small(lb_solid_distance(solids[s], lb_add_scaled(origin, hit_t, direction), NULL),
                    1e-12);
      assert_true(lb_dot(normal, direction) <= 1e-12);
    }
    assert_true(hits > 0);
    lb_solid_destroy(solids[s]);
  }
}

// ---- surfaces and hulls ------------------------------------------------------------------------

static void surfaces_are_closed_and_outward(void **state) {
  (void)state;
  lbSolid *solids[] = { make_sphere(0.5), make_capsule(0.5, 1), make_capsule(0.5, 0),
                        make_box(1, 2, 3) };
  for (int s = 0; s < 4; s++) {
    for (int32_t detail = 1; detail < 6; detail++) {
      double vertices[3 * 600], volume = 0;
      int32_t triangles[3 * 1200], vertex_count, triangle_count;
      lb_solid_surface_size(solids[s], detail, &vertex_count, &triangle_count);
      lb_solid_surface(solids[s], detail, 1, vertices, triangles);
      lbSolid *mesh = make_mesh(vertex_count, vertices, triangle_count, triangles);
      assert_true(lb_solid_is_closed(mesh));
      for (int32_t i = 0; i < triangle_count; i++) {
        lbVec3 c[3];
        for (int k = 0; k < 3; k++) {
          c[k] = lb_vec3_load(vertices + 3 * triangles[3 * i + k]);
          check_small(lb_solid_distance(solids[s], c[k], NULL), 1e-15);
        }
        volume += lb_dot(c[0], lb_cross(c[1], c[2]));
        assert_true(lb_dot(c[0], lb_cross(c[1], c[2])) > 0);
      }
      assert_true(volume > 0);
      lb_solid_destroy(mesh);
    }
    lb_solid_destroy(solids[s]);
  }
}

static void hulls_hold_all_points_and_only_those(void **state) {
  (void)state;
  uint64_t seed = 7;
  for (int i = 0; i < CASES / 3; i++) {
    double points[3 * 300];
    int32_t count = 4 + i % 60;
    for (int32_t k = 0; k < 3 * count; k++) {
      points[k] = check_random(&seed);
      if (i % 4 == 1) points[k] = floor(3 * points[k]) / 3; // many in one plane, many equal
      if (i % 4 == 2 && k % 3 == 2) points[k] *= 1e-5;      // a thin plate
      if (i % 4 == 3) points[k] = 1e4 + points[k];          // far away
    }
    lbSolidDef def = lb_solid_def(LB_SOLID_HULL);
    def.vertex_count = count, def.vertices = points;
    lbSolid *hull = NULL;
    lbError err;
    if (lb_solid_create(&def, &hull, &err) != LB_OK) {
      if (i % 4 != 1 || count > 20) fail_msg("case %d: %s", i, err.text); // else flat by chance
      continue;
    }
    const lbPolyhedron *p = hull->polyhedron;
    assert_true(p->closed);
    assert_int_equal(p->vertex_count - p->edge_count + p->triangle_count, 2);
    for (int32_t k = 0; k < count; k++)
      assert_true(lb_solid_distance(hull, lb_vec3_load(points + 3 * k), NULL) < 1e-7);
    for (int32_t f = 0; f < p->face_count; f++)
      assert_true(p->face_begin[f + 1] - p->face_begin[f] >= 3);
    for (int32_t v = 0; v < p->vertex_count; v++) {
      bool found = false;
      for (int32_t k = 0; k < count && !found; k++)
        found = memcmp(points + 3 * k, p->vertices + 3 * v, sizeof(double[3])) == 0;
      assert_true(found);
    }
    lb_solid_destroy(hull);
  }
}

static void a_hull_of_too_many_points_keeps_those_that_reach_farthest(void **state) {
  (void)state;
  lbSolid *sphere = make_sphere(1), *hull = make_copy(sphere, 15, LB_SOLID_HULL);
  assert_int_equal(hull->polyhedron->vertex_count, LB_HULL_MAX_VERTICES);
  double mass;
  lbVec3 centre;
  lbMat3 inertia;
  lbError err;
  check_ok(lb_solid_mass(hull, 1, &mass, &centre, &inertia, &err), err);
  check_near(mass, 4.0 / 3 * LB_PI, 0.15);
  lb_solid_destroy(sphere);
  lb_solid_destroy(hull);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(wrong_solids_are_refused),
    cmocka_unit_test(creation_survives_every_failed_allocation),
    cmocka_unit_test(distances_are_those_of_sampled_surfaces),
    cmocka_unit_test(a_box_is_the_hull_and_the_mesh_of_its_corners),
    cmocka_unit_test(the_sign_of_a_mesh_is_that_of_its_winding_number),
    cmocka_unit_test(what_is_within_a_limit_is_nearer_than_it),
    cmocka_unit_test(an_inside_out_mesh_is_turned_round),
    cmocka_unit_test(vertices_at_one_place_are_one),
    cmocka_unit_test(open_meshes_have_a_front_and_a_thickness),
    cmocka_unit_test(normals_are_unit_vectors_everywhere),
    cmocka_unit_test(bounds_hold_the_surface_and_no_more),
    cmocka_unit_test(masses_are_those_of_fine_surfaces),
    cmocka_unit_test(the_mass_of_a_shifted_box_is_about_its_centre),
    cmocka_unit_test(what_has_no_volume_has_no_mass),
    cmocka_unit_test(rays_hit_what_marching_hits),
    cmocka_unit_test(surfaces_are_closed_and_outward),
    cmocka_unit_test(hulls_hold_all_points_and_only_those),
    cmocka_unit_test(a_hull_of_too_many_points_keeps_those_that_reach_farthest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
