// The stress kernels at every SIMD level against the element kernels, rigid motion, and elements
// that are none.
#include "check.h"

#include "elastic/element.h"
#include "elastic/stress.h"

typedef struct Case {
  lbElementKind kind;
  lbMaterialModel model;
  int nodes, points;
  double positions[24 * LB_BATCH], u[24 * LB_BATCH];
  double rest[LB_ELEMENT_POINTS_MAX * LB_POINT_REST * LB_BATCH];
  double parameters[LB_MATERIAL_PARAMETERS * LB_BATCH];
  double stresses[8 * LB_BATCH], volumes[8 * LB_BATCH];
} Case;

static const double corners[2][8][3] = { { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } },
                                         { { 0, 0, 0 },
                                           { 1, 0, 0 },
                                           { 1, 1, 0 },
                                           { 0, 1, 0 },
                                           { 0, 0, 1 },
                                           { 1, 0, 1 },
                                           { 1, 1, 1 },
                                           { 0, 1, 1 } } };

static void make_case(Case *c, lbElementKind kind, lbMaterialModel model, double amplitude) {
  uint64_t seed = 3 + (uint64_t)kind;
  *c = (Case){
    .kind = kind, .model = model, .nodes = lb_element_nodes(kind), .points = lb_element_points(kind)
  };
  for (int lane = 0; lane < LB_BATCH; lane++) {
    double positions[24];
    lbMaterial material = { .model = model,
                            .young = 1000 + 300 * check_random(&seed),
                            .poisson = 0.3 + 0.1 * check_random(&seed),
                            .c10 = 200,
                            .c01 = 50,
                            .v1 = 500 };
    for (int a = 0; a < c->nodes; a++)
      for (int i = 0; i < 3; i++) {
        int at = (3 * a + i) * LB_BATCH + lane;
        positions[3 * a + i] = corners[kind][a][i] + 0.1 * check_random(&seed);
        c->positions[at] = positions[3 * a + i];
        c->u[at] = amplitude * check_random(&seed);
      }
    assert_true(lb_element_rest(kind, positions, c->rest + lane, LB_BATCH));
    lb_material_parameters(&material, c->parameters + lane, LB_BATCH);
  }
}

static void run(Case *c, lbSimdLevel level) {
  lb_stress_kernels(level)->of[c->kind][c->model](
      &(lbStressBatch){ c->positions, c->u, c->parameters, c->stresses, c->volumes });
}

// The formula, from P and F of the element kernels.
static double expected(const double *P, const double *F, bool small) {
  double s[9], J = F[0] * (F[4] * F[8] - F[5] * F[7]) - F[1] * (F[3] * F[8] - F[5] * F[6]) +
                   F[2] * (F[3] * F[7] - F[4] * F[6]);
  for (int i = 0; i < 9; i++) {
    s[i] = 0;
    for (int k = 0; k < 3; k++) s[i] += P[3 * (i / 3) + k] * F[3 * (i % 3) + k] / fabs(J);
    if (small) s[i] = P[i];
  }
  double mean = (s[0] + s[4] + s[8]) / 3, sum = 0;
  for (int i = 0; i < 9; i++) sum += pow(s[i] - (i % 4 ? 0 : mean), 2);
  return sqrt(1.5 * sum);
}

static void stresses_are_those_of_the_element_kernels(void **state) {
  (void)state;
  for (int kind = 0; kind < LB_ELEMENT_VOLUME_KIND_COUNT; kind++)
    for (int model = LB_MATERIAL_LINEAR; model < LB_MATERIAL_SOLID_MODEL_COUNT; model++) {
      static Case c;
      double energies[LB_BATCH], P[72 * LB_BATCH], F[72 * LB_BATCH];
      make_case(&c, (lbElementKind)kind, (lbMaterialModel)model, 0.2);
      lb_element_kernel(c.kind, c.model,
                        LB_SIMD_PORTABLE)(&(lbElementBatch){ .rest = c.rest,
                                                             .parameters = c.parameters,
                                                             .displacements = c.u,
                                                             .energies = energies,
                                                             .stresses = P,
                                                             .gradients = F });
      for (int level = 0; level < LB_SIMD_LEVEL_COUNT; level++) {
        if (!lb_simd_has((lbSimdLevel)level)) continue;
        run(&c, (lbSimdLevel)level);
        for (int i = 0; i < c.points * LB_BATCH; i++) {
          int point = i / LB_BATCH, lane = i % LB_BATCH;
          double p[9], f[9];
          for (int k = 0; k < 9; k++) {
            p[k] = P[(9 * point + k) * LB_BATCH + lane];
            f[k] = F[(9 * point + k) * LB_BATCH + lane];
          }
          double value = expected(p, f, c.model == LB_MATERIAL_LINEAR);
          assert_true(value > 1);
          check_near(c.stresses[i] / value, 1, 1e-11);
          check_near(c.volumes[i] / c.rest[(point * LB_POINT_REST + 9) * LB_BATCH + lane], 1,
                     1e-12);
        }
      }
    }
}

static void a_turned_element_has_no_stress(void **state) {
  (void)state;
  const double turn[9] = { 0.36, 0.48, -0.8, -0.8, 0.6, 0, 0.48, 0.64, 0.6 };
  for (int kind = 0; kind < LB_ELEMENT_VOLUME_KIND_COUNT; kind++) {
    static Case c;
    make_case(&c, (lbElementKind)kind, LB_MATERIAL_STVK, 0);
    for (int i = 0; i < c.nodes * 3 * LB_BATCH; i++) {
      int lane = i % LB_BATCH, axis = i / LB_BATCH % 3, a = i / LB_BATCH / 3;
      c.u[i] = -c.positions[i];
      for (int k = 0; k < 3; k++)
        c.u[i] += turn[3 * axis + k] * c.positions[(3 * a + k) * LB_BATCH + lane];
    }
    run(&c, lb_simd_best());
    for (int i = 0; i < c.points * LB_BATCH; i++) check_small(c.stresses[i], 1e-11);
  }
}

static void flat_and_inverted_elements_have_no_volume(void **state) {
  (void)state;
  for (int kind = 0; kind < LB_ELEMENT_VOLUME_KIND_COUNT; kind++) {
    static Case c;
    make_case(&c, (lbElementKind)kind, LB_MATERIAL_STVK, 0.1);
    for (int a = 0; a < c.nodes; a++) {
      c.positions[(3 * a + 2) * LB_BATCH] = 0.5;     // lane 0 is flat
      c.positions[(3 * a + 2) * LB_BATCH + 1] *= -1; // lane 1 is inverted
      c.positions[(3 * a + 2) * LB_BATCH + 2] = NAN; // lane 2 is none
      c.positions[(3 * a + 2) * LB_BATCH + 3] *= 1e300;
    }
    for (int level = 0; level < LB_SIMD_LEVEL_COUNT; level++) {
      if (!lb_simd_has((lbSimdLevel)level)) continue;
      run(&c, (lbSimdLevel)level);
      for (int p = 0; p < c.points; p++)
        for (int lane = 0; lane < LB_BATCH; lane++)
          assert_true(lane < 4 ? c.volumes[p * LB_BATCH + lane] == 0
                               : c.volumes[p * LB_BATCH + lane] > 0.01);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(stresses_are_those_of_the_element_kernels),
    cmocka_unit_test(a_turned_element_has_no_stress),
    cmocka_unit_test(flat_and_inverted_elements_have_no_volume),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
