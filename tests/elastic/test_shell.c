// Flaps of a shell: energies from their definition, forces and tangents by finite differences over
// hundreds of deformations, rigid motion, lanes and levels, collapsed triangles, edges of a mesh.
#include "check.h"

#include "elastic/shell.h"
#include "limber/math.h"

typedef struct Case {
  lbSimdLevel level;
  double positions[LB_BATCH][12]; // at rest
  double rest[2 * LB_POINT_REST * LB_BATCH], parameters[LB_MATERIAL_PARAMETERS * LB_BATCH];
  bool inner[LB_BATCH];
  lbMaterial materials[LB_BATCH];
  double u[12 * LB_BATCH];
  double energies[LB_BATCH], forces[12 * LB_BATCH], tangents[90 * LB_BATCH];
} Case;

static lbMaterial sheet(uint64_t *seed) {
  lbMaterial m = lb_material();
  m.model = LB_MATERIAL_SHELL;
  m.thickness = 0.3 + 0.1 * check_random(seed);
  m.stretch = 3 + check_random(seed);
  m.area = 7 + check_random(seed);
  m.bend = 2 + check_random(seed);
  return m;
}

// An edge along x with a triangle on each side, all nodes moved at random; every third lane is a
// boundary edge. The second triangle is turned about the edge by up to `fold`.
static void place_flap(double positions[12], double fold, uint64_t *seed) {
  double turn = fold * check_random(seed);
  const double plain[12] = {
    0, 0, 0, 1, 0, 0, 0.4, 0.9, 0, 0.6, -0.9 * cos(turn), 0.9 * sin(turn)
  };
  for (int i = 0; i < 12; i++) positions[i] = plain[i] + 0.1 * check_random(seed);
}

static void fill(const lbFlap *flap, const double *positions, const lbMaterial *first,
                 const lbMaterial *second, double *rest, double *parameters, int32_t stride) {
  const lbFlapMaterials materials = { { first, second } };
  lb_flap_rest(flap, positions, &materials, rest, stride);
  lb_flap_parameters(flap, positions, &materials, parameters, stride);
}

static void make_case(Case *c, lbSimdLevel level, double fold, uint64_t *seed) {
  *c = (Case){ .level = level };
  for (int lane = 0; lane < LB_BATCH; lane++) {
    lbFlap flap = { { 0, 1, 2, 3 }, { 0, 1 } };
    double now[12];
    c->inner[lane] = lane % 3 != 2;
    if (!c->inner[lane]) flap = (lbFlap){ { 0, 1, 2, 2 }, { 0, -1 } };
    place_flap(c->positions[lane], 0.5, seed);
    place_flap(now, fold, seed);
    c->materials[lane] = sheet(seed);
    fill(&flap, c->positions[lane], &c->materials[lane], &c->materials[lane], c->rest + lane,
         c->parameters + lane, LB_BATCH);
    for (int i = 0; i < 12; i++) {
      int from = i >= 9 && !c->inner[lane] ? i - 3 : i;
      c->u[i * LB_BATCH + lane] = now[from] - c->positions[lane][from];
    }
  }
}

static void run(Case *c) {
  lb_element_kernel(LB_ELEMENT_FLAP, LB_MATERIAL_SHELL, c->level)(&(lbElementBatch){
      .rest = c->rest,
      .parameters = c->parameters,
      .displacements = c->u,
      .energies = c->energies,
      .forces = c->forces,
      .tangents = c->tangents,
  });
}

static double tangent_entry(const Case *c, int row, int column, int lane) {
  int a = row / 3, b = column / 3, i = row % 3, j = column % 3;
  int pair = a <= b ? lb_element_pair(a, b) : lb_element_pair(b, a);
  return c->tangents[9 * (lane * 10 + pair) + (a <= b ? 3 * i + j : 3 * j + i)];
}

#define FOR_EVERY_LEVEL                                                                            \
  for (int level = 0; level < LB_SIMD_LEVEL_COUNT; level++)                                        \
    if (lb_simd_has((lbSimdLevel)level))

enum { CASES = CHECK_SANITIZED ? 5 : 60 }; // of eight flaps each

// ---- the energy from its definition ------------------------------------------------------------

typedef struct Measures {
  double length, areas[2], angle;
} Measures;

static Measures measure(const double x[12], bool inner) {
  lbVec3 a = lb_vec3_load(x), e = lb_sub(lb_vec3_load(x + 3), a);
  lbVec3 first = lb_cross(e, lb_sub(lb_vec3_load(x + 6), a));
  lbVec3 second = lb_cross(lb_sub(lb_vec3_load(x + 9), a), e);
  Measures m = { lb_length(e), { lb_length(first) / 2, 0 }, 0 };
  if (!inner) return m;
  m.areas[1] = lb_length(second) / 2;
  m.angle = atan2(lb_dot(lb_cross(first, second), e) / m.length, lb_dot(first, second));
  return m;
}

static double energy_of(const lbMaterial *m, const double rest[12], const double now[12],
                        bool inner) {
  Measures R = measure(rest, inner), r = measure(now, inner);
  double sum = m->stretch * pow(r.length - R.length, 2) / R.length;
  for (int i = 0; i < 1 + inner; i++)
    sum += m->area / 3 * pow(r.areas[i] - R.areas[i], 2) / R.areas[i];
  double bent = r.angle - R.angle, all = R.areas[0] + R.areas[1];
  return sum + (inner ? m->bend * bent * bent * 3 * R.length * R.length / all : 0);
}

static void energy_is_stretch_area_and_bend(void **state) {
  (void)state;
  uint64_t seed = 1;
  Case c;
  FOR_EVERY_LEVEL {
    for (int k = 0; k < CASES; k++) {
      make_case(&c, level, 3, &seed);
      run(&c);
      for (int lane = 0; lane < LB_BATCH; lane++) {
        double now[12];
        for (int i = 0; i < 12; i++) now[i] = c.positions[lane][i] + c.u[i * LB_BATCH + lane];
        double expected = energy_of(&c.materials[lane], c.positions[lane], now, c.inner[lane]);
        check_near(c.energies[lane], expected, 1e-12 * (1 + expected));
      }
    }
  }
}

// ---- derivatives -------------------------------------------------------------------------------

static const double weights[4] = { 1. / 12, -8. / 12, 8. / 12, -1. / 12 }; // at -2 -1 1 2

static void move(const Case *c, Case *moved, int k, double h, int p) {
  memcpy(moved->u, c->u, sizeof c->u);
  for (int lane = 0; lane < LB_BATCH; lane++)
    if (c->inner[lane] || k < 9) moved->u[k * LB_BATCH + lane] += h * (p < 2 ? p - 2 : p - 1);
}

// Where θ is 0.05 or more from ±π, beyond which the angle jumps.
static bool is_smooth(const Case *c, int lane) {
  double now[12];
  for (int i = 0; i < 12; i++) now[i] = c->positions[lane][i] + c->u[i * LB_BATCH + lane];
  return fabs(measure(now, c->inner[lane]).angle) < LB_PI - 0.05;
}

static void forces_and_tangents_are_derivatives(void **state) {
  (void)state;
  uint64_t seed = 2;
  const double h = 2e-4;
  double worst_force = 0, worst_tangent = 0;
  int angles = 0;
  FOR_EVERY_LEVEL {
    for (int n = 0; n < CASES; n++) {
      Case c, moved;
      make_case(&c, level, LB_PI, &seed);
      run(&c);
      moved = c;
      for (int k = 0; k < 12; k++) {
        double slope[LB_BATCH] = { 0 }, column[12 * LB_BATCH] = { 0 };
        for (int p = 0; p < 4; p++) {
          move(&c, &moved, k, h, p);
          run(&moved);
          for (int lane = 0; lane < LB_BATCH; lane++)
            slope[lane] += weights[p] * moved.energies[lane] / h;
          for (int i = 0; i < 12 * LB_BATCH; i++) column[i] += weights[p] * moved.forces[i] / h;
        }
        for (int lane = 0; lane < LB_BATCH; lane++) {
          if (!is_smooth(&c, lane)) continue;
          angles++;
          worst_force = fmax(worst_force, fabs(c.forces[12 * lane + k] - slope[lane]));
          for (int row = 0; row < 12; row++)
            worst_tangent = fmax(worst_tangent,
                                 fabs(tangent_entry(&c, row, k, lane) - column[12 * lane + row]));
        }
      }
    }
  }
  assert_true(angles > 0);
  check_small(worst_force, 2e-7);
  check_small(worst_tangent, 2e-6);
}

// A boundary edge leaves its fourth node alone, and tangents are symmetric.
static void tangents_are_symmetric_and_mind_the_boundary(void **state) {
  (void)state;
  uint64_t seed = 3;
  Case c;
  FOR_EVERY_LEVEL {
    make_case(&c, level, 2, &seed);
    run(&c);
    for (int lane = 0; lane < LB_BATCH; lane++)
      for (int i = 0; i < 12; i++) {
        double sum = 0; // over the nodes: nothing resists a translation
        for (int a = 0; a < 4; a++) sum += tangent_entry(&c, i, 3 * a + i % 3, lane);
        check_small(sum, 1e-10);
        for (int j = 0; j < 3; j++) // within a diagonal block
          check_near(tangent_entry(&c, i, i / 3 * 3 + j, lane),
                     tangent_entry(&c, i / 3 * 3 + j, i, lane), 1e-10);
        if (c.inner[lane]) continue;
        for (int j = 9; j < 12; j++) assert_true(tangent_entry(&c, i, j, lane) == 0);
        assert_true(i < 9 || c.forces[12 * lane + i] == 0);
      }
  }
}

static void rigid_motion_does_nothing(void **state) {
  (void)state;
  uint64_t seed = 4;
  Case c;
  lbQuat turn = lb_quat_from_axis_angle(lb_vec3(0.7, -1.1, 0.4), 1.4);
  FOR_EVERY_LEVEL {
    make_case(&c, level, 1, &seed);
    for (int lane = 0; lane < LB_BATCH; lane++)
      for (int a = 0; a < 4; a++) {
        lbVec3 x = lb_vec3_load(c.positions[lane] + 3 * (a == 3 && !c.inner[lane] ? 2 : a));
        lbVec3 moved = lb_add(lb_quat_rotate(turn, x), lb_vec3(3, -2, 1));
        double u[3];
        lb_vec3_store(u, lb_sub(moved, x));
        for (int i = 0; i < 3; i++) c.u[(3 * a + i) * LB_BATCH + lane] = u[i];
      }
    run(&c);
    for (int lane = 0; lane < LB_BATCH; lane++) check_small(c.energies[lane], 1e-26);
    for (int i = 0; i < 12 * LB_BATCH; i++) check_small(c.forces[i], 1e-12);
  }
}

// Strains far below the rounding of lengths: 1e-9 of a size of 1, forces to ten digits.
static void tiny_displacements_keep_their_digits(void **state) {
  (void)state;
  uint64_t seed = 5;
  Case c;
  make_case(&c, lb_simd_best(), 0, &seed);
  for (int i = 0; i < 12 * LB_BATCH; i++) c.u[i] *= 1e-9;
  run(&c);
  for (int lane = 0; lane < LB_BATCH; lane++)
    for (int i = 0; i < 12; i++) {
      double product = 0, size = 0;
      for (int k = 0; k < 12; k++) {
        double part = tangent_entry(&c, i, k, lane) * c.u[k * LB_BATCH + lane];
        product += part;
        size += fabs(part);
      }
      check_near(c.forces[12 * lane + i], product, 1e-6 * size);
    }
}

static void levels_without_fused_arithmetic_have_the_same_bits(void **state) {
  (void)state;
  if (!lb_simd_has(LB_SIMD_BASE)) return;
  uint64_t seed = 6, again = 6;
  for (int k = 0; k < CASES; k++) {
    Case plain, base;
    make_case(&plain, LB_SIMD_PORTABLE, 3, &seed);
    make_case(&base, LB_SIMD_BASE, 3, &again);
    run(&plain);
    run(&base);
    assert_memory_equal(plain.energies, base.energies, sizeof plain.energies);
    assert_memory_equal(plain.forces, base.forces, sizeof plain.forces);
    assert_memory_equal(plain.tangents, base.tangents, sizeof plain.tangents);
  }
}

// Triangles without area, edges without length, everything in a point, folds of ±π.
static void collapsed_flaps_stay_finite(void **state) {
  (void)state;
  static const double shapes[][12] = {
    { 0 },
    { 0, 0, 0, 1, 0, 0, 0.4, 0, 0, 0.6, 0, 0 },
    { 0, 0, 0, 0, 0, 0, 0.4, 1, 0, 0.6, 0, 1 },
    { 0, 0, 0, 1, 0, 0, 0.4, 1, 0, 0.4, 1, 0 },
    { 0, 0, 0, 1, 0, 0, 0.4, 1, 0, 0.6, 1, 1e-16 },
    { 0, 0, 0, 1, 0, 0, 0.4, 1, 0, 0.6, 1, -1e-16 },
    { 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0 },
    { 0, 0, 0, 1e-200, 0, 0, 0, 1e-200, 0, 0, 0, 1e-200 },
  };
  uint64_t seed = 7;
  FOR_EVERY_LEVEL {
    for (size_t n = 0; n < sizeof shapes / sizeof *shapes; n++) {
      Case c;
      make_case(&c, level, 1, &seed);
      for (int i = 0; i < 12 * LB_BATCH; i++)
        c.u[i] = shapes[n][i / LB_BATCH] - c.positions[i % LB_BATCH][i / LB_BATCH];
      run(&c);
      for (int lane = 0; lane < LB_BATCH; lane++) assert_true(isfinite(c.energies[lane]));
      for (int i = 0; i < 12 * LB_BATCH; i++) assert_true(isfinite(c.forces[i]));
      for (int i = 0; i < 90 * LB_BATCH; i++) assert_true(isfinite(c.tangents[i]));
    }
  }
}

// ---- materials ---------------------------------------------------------------------------------

// Young's modulus as documented, and the mean by area where two materials meet.
static void stiffnesses_follow_the_formulas(void **state) {
  (void)state;
  const double x[12] = { 0, 0, 0, 2, 0, 0, 1, 1, 0, 1, -3, 0 }; // areas 1 and 3
  const lbFlap flap = { { 0, 1, 2, 3 }, { 0, 1 } };
  double rest[20], p[4], E = 5, nu = 0.4, t = 0.1;
  lbMaterial young = lb_material(), mixed[2];
  uint64_t seed = 8;
  young.model = LB_MATERIAL_SHELL, young.young = E, young.poisson = nu, young.thickness = t;
  fill(&flap, x, &young, &young, rest, p, 1);
  double volume = t * 4 / 3, stretch = 2 * E * t * (4. / 3) / ((1 + nu) * 2);
  double bend = E * t * t * t / (72 * (1 - nu * nu)),
         area = E * t * (3 * nu - 1) / (4 * (1 - nu * nu));
  check_near(rest[9] + rest[19], volume, 1e-15);
  check_near(volume * p[0], stretch * 2, 1e-14);          // (l/L − 1)² stretch L
  check_near(volume * p[1], bend * 3 * 2 * 2 / 4, 1e-16); // (θ − θ₀)² bend 3L²/ΣA
  check_near(rest[9] * p[2], area * 1 / 3, 1e-15);        // a third of area A
  check_near(rest[19] * p[3], area * 3 / 3, 1e-15);
  young.poisson = 0.3; // below 1/3 there is no area energy
  fill(&flap, x, &young, &young, rest, p, 1);
  assert_true(p[2] == 0 && p[3] == 0);
  mixed[0] = sheet(&seed), mixed[1] = sheet(&seed);
  fill(&flap, x, &mixed[0], &mixed[1], rest, p, 1);
  volume = rest[9] + rest[19];
  check_near(volume * p[0], 2 * (mixed[0].stretch / 4 + mixed[1].stretch * 3 / 4), 1e-13);
  check_near(volume * p[1], 3 * (mixed[0].bend / 4 + mixed[1].bend * 3 / 4), 1e-13);
  check_near(rest[19] * p[3], mixed[1].area, 1e-13);
}

static void wrong_materials_are_refused(void **state) {
  (void)state;
  uint64_t seed = 9;
  lbError err = { 0 };
  lbMaterial m = sheet(&seed);
  check_ok(lb_material_check(&m, "m", &err), err);
  m.thickness = 0;
  check_fails(lb_material_check(&m, "m", &err), LB_ERR_ARGUMENT, err, "thickness is 0");
  m = sheet(&seed), m.bend = -1;
  check_fails(lb_material_check(&m, "m", &err), LB_ERR_ARGUMENT, err, "bend is -1");
  m = sheet(&seed), m.stretch = 0;
  check_fails(lb_material_check(&m, "m", &err), LB_ERR_ARGUMENT, err, "stretch is 0");
  m = sheet(&seed), m.area = NAN;
  check_fails(lb_material_check(&m, "m", &err), LB_ERR_ARGUMENT, err, "area is nan");
  m = sheet(&seed), m.stretch = m.area = m.bend = 0, m.young = 0;
  check_fails(lb_material_check(&m, "m", &err), LB_ERR_ARGUMENT, err, "young is 0");
}

// ---- edges -------------------------------------------------------------------------------------

static const double square[15] = { 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0.5, 0.5, 1 };

static void edges_are_sorted_by_their_nodes(void **state) {
  (void)state;
  // Two triangles; the second is turned the other way in the second mesh.
  const int32_t meshes[2][6] = { { 0, 1, 2, 0, 2, 3 }, { 0, 1, 2, 2, 0, 3 } };
  const int32_t pairs[5][2] = { { 0, 1 }, { 0, 2 }, { 0, 3 }, { 1, 2 }, { 2, 3 } };
  for (int n = 0; n < 2; n++) {
    lbFlap *flaps = NULL;
    int32_t count = 0;
    lbError err = { 0 };
    check_ok(lb_shell_flaps(5, square, 2, meshes[n], "mesh", &flaps, &count, &err), err);
    assert_int_equal(count, 5);
    for (int i = 0; i < 5; i++) {
      assert_int_equal(flaps[i].nodes[0], pairs[i][0]);
      assert_int_equal(flaps[i].nodes[1], pairs[i][1]);
      assert_int_equal(flaps[i].triangles[1] >= 0, i == 1);
      if (i != 1) assert_int_equal(flaps[i].nodes[2], flaps[i].nodes[3]);
    }
    assert_int_equal(flaps[1].nodes[2] + flaps[1].nodes[3], 4);
    lb_free(flaps);
  }
}

static void bad_triangles_are_named(void **state) {
  (void)state;
  lbFlap *flaps = NULL;
  int32_t count = 0;
  lbError err = { 0 };
  const int32_t flat[] = { 0, 1, 2, 1, 3, 3 }, outside[] = { 0, 1, 5 };
  const int32_t twice[] = { 0, 1, 2, 0, 2, 3, 2, 1, 0 }, fan[] = { 0, 2, 1, 0, 2, 3, 2, 0, 4 };
  check_fails(lb_shell_flaps(5, square, 2, flat, "mesh", &flaps, &count, &err), LB_ERR_MESH, err,
              "triangle 1 (vertices 1 3 3) has no area");
  check_fails(lb_shell_flaps(5, square, 1, outside, "mesh", &flaps, &count, &err), LB_ERR_MESH, err,
              "triangle 0 uses vertex 5");
  check_fails(lb_shell_flaps(5, square, 3, twice, "mesh", &flaps, &count, &err), LB_ERR_MESH, err,
              "triangles 0 and 2 have the same vertices");
  check_fails(lb_shell_flaps(5, square, 3, fan, "mesh", &flaps, &count, &err), LB_ERR_MESH, err,
              "the edge between vertices 0 and 2 has more than two triangles (0, 1, 2");
  assert_null(flaps);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(energy_is_stretch_area_and_bend),
    cmocka_unit_test(forces_and_tangents_are_derivatives),
    cmocka_unit_test(tangents_are_symmetric_and_mind_the_boundary),
    cmocka_unit_test(rigid_motion_does_nothing),
    cmocka_unit_test(tiny_displacements_keep_their_digits),
    cmocka_unit_test(levels_without_fused_arithmetic_have_the_same_bits),
    cmocka_unit_test(collapsed_flaps_stay_finite),
    cmocka_unit_test(stiffnesses_follow_the_formulas),
    cmocka_unit_test(wrong_materials_are_refused),
    cmocka_unit_test(edges_are_sorted_by_their_nodes),
    cmocka_unit_test(bad_triangles_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
