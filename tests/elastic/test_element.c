// Every element kind × material × SIMD level: energy → force → tangent by finite differences, rigid
// motion, patch, the laws from their definitions, equal bits of portable and base.
#include "check.h"

#include "elastic/element.h"
#include "limber/math.h"

typedef struct Case {
  lbElementKind kind;
  lbMaterialModel model;
  lbSimdLevel level;
  int nodes, points, pairs;
  double positions[24 * LB_BATCH]; // (nodes x 3 x LB_BATCH)
  double rest[LB_ELEMENT_POINTS_MAX * LB_POINT_REST * LB_BATCH];
  double parameters[LB_MATERIAL_PARAMETERS * LB_BATCH];
  lbMaterial materials[LB_BATCH];
  double u[24 * LB_BATCH];
  double energies[LB_BATCH], forces[24 * LB_BATCH], tangents[36 * 9 * LB_BATCH];
} Case;

static lbMaterial material_of(lbMaterialModel model, uint64_t *seed) {
  lbMaterial m = lb_material();
  m.model = model;
  m.young = 1000 + 300 * check_random(seed);
  m.poisson = 0.3 + 0.1 * check_random(seed);
  m.c10 = 200 + 50 * check_random(seed);
  m.c01 = 100 + 50 * check_random(seed);
  m.v1 = 900;
  return m;
}

static const double corners[8][3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 1, 1, 0 }, { 0, 1, 0 },
                                      { 0, 0, 1 }, { 1, 0, 1 }, { 1, 1, 1 }, { 0, 1, 1 } };
static const double tet_corners[4][3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };

static void make_case(Case *c, lbElementKind kind, lbMaterialModel model, lbSimdLevel level,
                      double amplitude) {
  uint64_t seed = 7 + (uint64_t)kind;
  *c = (Case){ .kind = kind, .model = model, .level = level };
  c->nodes = lb_element_nodes(kind);
  c->points = lb_element_points(kind);
  c->pairs = lb_element_pairs(kind);
  for (int lane = 0; lane < LB_BATCH; lane++) {
    double positions[24];
    for (int a = 0; a < c->nodes; a++)
      for (int i = 0; i < 3; i++) {
        double corner = kind == LB_ELEMENT_TET4 ? tet_corners[a][i] : corners[a][i];
        positions[3 * a + i] = corner + 0.1 * check_random(&seed);
        c->positions[(3 * a + i) * LB_BATCH + lane] = positions[3 * a + i];
        c->u[(3 * a + i) * LB_BATCH + lane] = amplitude * check_random(&seed);
      }
    assert_true(lb_element_rest(kind, positions, c->rest + lane, LB_BATCH));
    c->materials[lane] = material_of(model, &seed);
    lb_material_parameters(&c->materials[lane], c->parameters + lane, LB_BATCH);
  }
}

static void run(Case *c) {
  lb_element_kernel(c->kind, c->model, c->level)(&(lbElementBatch){
      .rest = c->rest,
      .parameters = c->parameters,
      .displacements = c->u,
      .energies = c->energies,
      .forces = c->forces,
      .tangents = c->tangents,
  });
}

// Forces come element by element; component k of a lane's.
static double force_of(const Case *c, int k, int lane) {
  return c->forces[3 * c->nodes * lane + k];
}

static double tangent_entry(const Case *c, int row, int column, int lane) {
  int a = row / 3, b = column / 3, i = row % 3, j = column % 3;
  int pair = a <= b ? lb_element_pair(a, b) : lb_element_pair(b, a);
  int entry = a <= b ? 3 * i + j : 3 * j + i;
  return c->tangents[9 * (lane * c->pairs + pair) + entry];
}

// Calls body for every kind, model and level this machine has.
#define FOR_EVERY_KERNEL                                                                           \
  for (int level = 0; level < LB_SIMD_LEVEL_COUNT; level++)                                        \
    for (int kind = 0; kind < LB_ELEMENT_VOLUME_KIND_COUNT; kind++)                                \
      for (int model = 0; model < LB_MATERIAL_SOLID_MODEL_COUNT; model++)                          \
        if (lb_simd_has((lbSimdLevel)level))

static void force_is_the_energys_derivative(void **state) {
  (void)state;
  Case c;
  FOR_EVERY_KERNEL {
    make_case(&c, kind, model, level, 0.1);
    run(&c);
    Case moved = c;
    const double h = 1e-5;
    for (int k = 0; k < 3 * c.nodes; k++) {
      double slope[LB_BATCH] = { 0 };
      static const double weights[4] = { 1. / 12, -8. / 12, 8. / 12, -1. / 12 };
      for (int p = 0; p < 4; p++) {
        memcpy(moved.u, c.u, sizeof c.u);
        for (int lane = 0; lane < LB_BATCH; lane++)
          moved.u[k * LB_BATCH + lane] += h * (p < 2 ? p - 2 : p - 1);
        run(&moved);
        for (int lane = 0; lane < LB_BATCH; lane++)
          slope[lane] += weights[p] * moved.energies[lane] / h;
      }
      for (int lane = 0; lane < LB_BATCH; lane++)
        check_near(force_of(&c, k, lane), slope[lane], 1e-6);
    }
  }
}

static void tangent_is_the_forces_derivative(void **state) {
  (void)state;
  Case c;
  FOR_EVERY_KERNEL {
    make_case(&c, kind, model, level, 0.1);
    run(&c);
    Case moved = c;
    const double h = 1e-4;
    for (int k = 0; k < 3 * c.nodes; k++) {
      double slope[24 * LB_BATCH] = { 0 };
      static const double weights[4] = { 1. / 12, -8. / 12, 8. / 12, -1. / 12 };
      for (int p = 0; p < 4; p++) {
        memcpy(moved.u, c.u, sizeof c.u);
        for (int lane = 0; lane < LB_BATCH; lane++)
          moved.u[k * LB_BATCH + lane] += h * (p < 2 ? p - 2 : p - 1);
        run(&moved);
        for (int i = 0; i < 3 * c.nodes * LB_BATCH; i++)
          slope[i] += weights[p] * moved.forces[i] / h;
      }
      for (int row = 0; row < 3 * c.nodes; row++)
        for (int lane = 0; lane < LB_BATCH; lane++)
          check_near(tangent_entry(&c, row, k, lane), slope[3 * c.nodes * lane + row], 1e-5);
    }
  }
}

// W(F) from its definition, in plain scalar code.
static double energy_density(const lbMaterial *m, const double F[9]) {
  double lambda = m->young * m->poisson / ((1 + m->poisson) * (1 - 2 * m->poisson));
  double mu = m->young / (2 * (1 + m->poisson));
  double C[9], J, I1 = 0, C2 = 0, E2 = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      C[3 * i + j] = F[i] * F[j] + F[3 + i] * F[3 + j] + F[6 + i] * F[6 + j];
  J = F[0] * (F[4] * F[8] - F[5] * F[7]) - F[1] * (F[3] * F[8] - F[5] * F[6]) +
      F[2] * (F[3] * F[7] - F[4] * F[6]);
  I1 = C[0] + C[4] + C[8];
  for (int i = 0; i < 9; i++) {
    double E = (C[i] - (i % 4 == 0)) / 2;
    C2 += C[i] * C[i];
    E2 += E * E;
  }
  double I2 = (I1 * I1 - C2) / 2, tr = (I1 - 3) / 2;
  switch (m->model) {
  case LB_MATERIAL_LINEAR: {
    double strain2 = 0, t = F[0] + F[4] + F[8] - 3;
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        double strain = (F[3 * i + j] + F[3 * j + i]) / 2 - (i == j);
        strain2 += strain * strain;
      }
    return mu * strain2 + lambda / 2 * t * t;
  }
  case LB_MATERIAL_STVK: return mu * E2 + lambda / 2 * tr * tr;
  case LB_MATERIAL_COROTATED: {
    // Through singular values: μ Σ(σ−1)² + λ/2 (Σσ − 3)².
    lbMat3 A;
    memcpy(A.m, F, sizeof A.m);
    lbSvd3 svd = lb_svd3(A);
    double *s = svd.s, sum = s[0] + s[1] + s[2] - 3, squares = 0;
    for (int i = 0; i < 3; i++) squares += (s[i] - 1) * (s[i] - 1);
    return mu * squares + lambda / 2 * sum * sum;
  }
  case LB_MATERIAL_NEOHOOKEAN:
    return mu / 2 * (I1 - 3) - mu * log(J) + lambda / 2 * log(J) * log(J);
  case LB_MATERIAL_STABLE_NEOHOOKEAN:
    return mu / 2 * (I1 - 3) - mu * (J - 1) + (lambda + mu) / 2 * (J - 1) * (J - 1);
  default:
    return m->c10 * (pow(J, -2. / 3) * I1 - 3) + m->c01 * (pow(J, -4. / 3) * I2 - 3) +
           m->v1 * (J - 1) * (J - 1);
  }
}

// An affine displacement u = (F − I) X gives W(F) times the volume, and forces that balance.
static void affine_motion_has_the_laws_energy(void **state) {
  (void)state;
  Case c;
  FOR_EVERY_KERNEL {
    uint64_t seed = 99;
    double F[9];
    make_case(&c, kind, model, level, 0);
    for (int i = 0; i < 9; i++) F[i] = (i % 4 == 0) + 0.25 * check_random(&seed);
    for (int lane = 0; lane < LB_BATCH; lane++)
      for (int a = 0; a < c.nodes; a++)
        for (int i = 0; i < 3; i++) {
          double sum = 0;
          for (int j = 0; j < 3; j++)
            sum += (F[3 * i + j] - (i == j)) * c.positions[(3 * a + j) * LB_BATCH + lane];
          c.u[(3 * a + i) * LB_BATCH + lane] = sum;
        }
    run(&c);
    for (int lane = 0; lane < LB_BATCH; lane++) {
      double volume = 0, expected;
      for (int p = 0; p < c.points; p++)
        volume += c.rest[(p * LB_POINT_REST + 9) * LB_BATCH + lane];
      expected = volume * energy_density(&c.materials[lane], F);
      check_near(c.energies[lane] / expected, 1, 1e-12);
      for (int i = 0; i < 3; i++) {
        double sum = 0;
        for (int a = 0; a < c.nodes; a++) sum += force_of(&c, 3 * a + i, lane);
        check_small(sum, 1e-11);
      }
    }
  }
}

static void nonlinear_forces_vanish_under_rigid_motion(void **state) {
  (void)state;
  Case c;
  FOR_EVERY_KERNEL {
    make_case(&c, kind, model, level, 0);
    lbMat3 R = lb_quat_to_mat3(lb_quat_from_axis_angle(lb_vec3(0.6, 0, 0.8), 2.5));
    lbMat3 I = lb_mat3_identity();
    bool linear = model == LB_MATERIAL_LINEAR;
    if (linear) R = I; // the linear law knows translations only
    for (int lane = 0; lane < LB_BATCH; lane++)
      for (int a = 0; a < c.nodes; a++) {
        double *u = c.u + 3 * a * LB_BATCH + lane;
        const double *x = c.positions + 3 * a * LB_BATCH + lane;
        for (int i = 0; i < 3; i++) {
          u[i * LB_BATCH] = 3 + i;
          for (int j = 0; j < 3; j++)
            u[i * LB_BATCH] += (R.m[3 * i + j] - I.m[3 * i + j]) * x[j * LB_BATCH];
        }
      }
    run(&c);
    for (int lane = 0; lane < LB_BATCH; lane++) check_small(c.energies[lane], 1e-11);
    for (int i = 0; i < 3 * c.nodes * LB_BATCH; i++) check_small(c.forces[i], 2e-11);
  }
}

static void objective_forces_have_no_net_moment(void **state) {
  (void)state;
  Case c;
  FOR_EVERY_KERNEL {
    if (model == LB_MATERIAL_LINEAR) continue;
    make_case(&c, kind, model, level, 0.1);
    run(&c);
    for (int lane = 0; lane < LB_BATCH; lane++) {
      lbVec3 force = { 0 }, moment = { 0 };
      for (int a = 0; a < c.nodes; a++) {
        int at = 3 * a * LB_BATCH + lane;
        lbVec3 f = lb_vec3_load(c.forces + 3 * (c.nodes * lane + a));
        lbVec3 x = { c.positions[at] + c.u[at], c.positions[at + LB_BATCH] + c.u[at + LB_BATCH],
                     c.positions[at + 2 * LB_BATCH] + c.u[at + 2 * LB_BATCH] };
        force = lb_add(force, f);
        moment = lb_add(moment, lb_cross(x, f));
      }
      check_small(lb_length(force), 1e-11);
      check_small(lb_length(moment), 1e-11);
    }
  }
}

static void every_level_agrees_with_the_portable_one(void **state) {
  (void)state;
  Case c, portable;
  FOR_EVERY_KERNEL {
    make_case(&portable, kind, model, LB_SIMD_PORTABLE, 0.15);
    run(&portable);
    make_case(&c, kind, model, level, 0.15);
    run(&c);
    if (level == LB_SIMD_BASE) {
      assert_memory_equal(c.energies, portable.energies, sizeof c.energies);
      assert_memory_equal(c.forces, portable.forces, sizeof c.forces);
      assert_memory_equal(c.tangents, portable.tangents, sizeof c.tangents);
    }
    for (int i = 0; i < c.pairs * 9 * LB_BATCH; i++)
      check_near(c.tangents[i], portable.tangents[i], 1e-9);
  }
}

// The portable level promises the same bits under every compiler: these are pinned.
static void portable_bits_are_pinned(void **state) {
  (void)state;
  uint64_t hash = 0;
  for (int kind = 0; kind < LB_ELEMENT_VOLUME_KIND_COUNT; kind++)
    for (int model = 0; model < LB_MATERIAL_SOLID_MODEL_COUNT; model++) {
      Case c;
      make_case(&c, kind, model, LB_SIMD_PORTABLE, 0.15);
      run(&c);
      hash = check_hash(hash, c.energies, sizeof c.energies);
      hash = check_hash(hash, c.forces, sizeof c.forces);
      hash = check_hash(hash, c.tangents, sizeof c.tangents);
    }
  print_message("hash of portable results: %016llx\n", (unsigned long long)hash);
  assert_true(hash == UINT64_C(0x526e266e6ad80471));
}

// Corotated and stable neo-Hookean stay right through inversion; barrier laws say +inf, never NaN.
static void inverted_elements_give_finite_forces_or_infinite_energy(void **state) {
  (void)state;
  Case c;
  FOR_EVERY_KERNEL {
    for (int flat = 0; flat < 2; flat++) {
      make_case(&c, kind, model, level, 0.01);
      for (int a = 0; a < c.nodes; a++) // mirror or squash along x
        for (int lane = 0; lane < LB_BATCH; lane++) {
          int at = 3 * a * LB_BATCH + lane;
          c.u[at] = (flat ? -1 : -2) * c.positions[at];
        }
      run(&c);
      bool barrier = model == LB_MATERIAL_NEOHOOKEAN || model == LB_MATERIAL_MOONEYRIVLIN;
      for (int lane = 0; lane < LB_BATCH; lane++) {
        if (barrier && !flat) assert_true(isinf(c.energies[lane]) && c.energies[lane] > 0);
        assert_false(isnan(c.energies[lane]));
      }
      for (int i = 0; i < 3 * c.nodes * LB_BATCH; i++) assert_true(isfinite(c.forces[i]));
      for (int i = 0; i < 9 * c.pairs * LB_BATCH; i++) assert_true(isfinite(c.tangents[i]));
    }
  }
}

static void unused_lanes_do_nothing(void **state) {
  (void)state;
  Case c;
  FOR_EVERY_KERNEL {
    for (int used = 0; used <= LB_BATCH; used++) {
      Case whole;
      make_case(&whole, kind, model, level, 0.1);
      run(&whole);
      make_case(&c, kind, model, level, 0.1);
      for (int lane = used; lane < LB_BATCH; lane++) {
        for (int p = 0; p < c.points; p++) c.rest[(p * LB_POINT_REST + 9) * LB_BATCH + lane] = 0;
        for (int k = 0; k < 3 * c.nodes; k++) c.u[k * LB_BATCH + lane] = 0;
      }
      run(&c);
      for (int lane = 0; lane < LB_BATCH; lane++) {
        assert_true(lane < used ? c.energies[lane] == whole.energies[lane] : c.energies[lane] == 0);
        for (int k = 0; k < 3 * c.nodes; k++) {
          double f = force_of(&c, k, lane);
          assert_true(lane < used ? f == force_of(&whole, k, lane) : f == 0);
        }
      }
    }
  }
}

static void flat_and_inverted_elements_are_refused_at_rest(void **state) {
  (void)state;
  double rest[80], tet[12] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0 };
  assert_false(lb_element_rest(LB_ELEMENT_TET4, tet, rest, 1));
  tet[11] = -1;
  assert_false(lb_element_rest(LB_ELEMENT_TET4, tet, rest, 1));
  tet[11] = NAN;
  assert_false(lb_element_rest(LB_ELEMENT_TET4, tet, rest, 1));
  double brick[24];
  memcpy(brick, corners, sizeof brick);
  assert_true(lb_element_rest(LB_ELEMENT_BRICK8, brick, rest, 1));
  brick[3 * 6 + 0] = -1; // one corner pushed through the opposite faces
  assert_false(lb_element_rest(LB_ELEMENT_BRICK8, brick, rest, 1));
}

static void impossible_materials_are_refused_by_field(void **state) {
  (void)state;
  lbError err;
  lbMaterial m = lb_material();
  assert_int_equal(lb_material_check(&m, "it", &err), LB_OK);
  m.poisson = 0.5;
  check_fails(lb_material_check(&m, "it", &err), LB_ERR_ARGUMENT, err, "poisson");
  m = lb_material(), m.young = -1;
  check_fails(lb_material_check(&m, "it", &err), LB_ERR_ARGUMENT, err, "young");
  m = lb_material(), m.density = 0;
  check_fails(lb_material_check(&m, "it", &err), LB_ERR_ARGUMENT, err, "density");
  m = lb_material(), m.density = NAN;
  check_fails(lb_material_check(&m, "it", &err), LB_ERR_ARGUMENT, err, "density");
  m = lb_material(), m.model = LB_MATERIAL_MOONEYRIVLIN;
  check_fails(lb_material_check(&m, "it", &err), LB_ERR_ARGUMENT, err, "c10");
  m.c10 = 1;
  check_fails(lb_material_check(&m, "it", &err), LB_ERR_ARGUMENT, err, "v1");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(force_is_the_energys_derivative),
    cmocka_unit_test(tangent_is_the_forces_derivative),
    cmocka_unit_test(affine_motion_has_the_laws_energy),
    cmocka_unit_test(nonlinear_forces_vanish_under_rigid_motion),
    cmocka_unit_test(objective_forces_have_no_net_moment),
    cmocka_unit_test(every_level_agrees_with_the_portable_one),
    cmocka_unit_test(portable_bits_are_pinned),
    cmocka_unit_test(inverted_elements_give_finite_forces_or_infinite_energy),
    cmocka_unit_test(unused_lanes_do_nothing),
    cmocka_unit_test(flat_and_inverted_elements_are_refused_at_rest),
    cmocka_unit_test(impossible_materials_are_refused_by_field),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
