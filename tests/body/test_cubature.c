// Forces by cubature: with all elements they are the exact reduced ones.
#include "toy_cubature.h"

static const lbMaterialModel laws[] = { LB_MATERIAL_LINEAR,
                                        LB_MATERIAL_STVK,
                                        LB_MATERIAL_COROTATED,
                                        LB_MATERIAL_NEOHOOKEAN,
                                        LB_MATERIAL_STABLE_NEOHOOKEAN,
                                        LB_MATERIAL_MOONEYRIVLIN };
enum { LAWS = sizeof laws / sizeof *laws, MOST = 24 };

static SubDef bars(int kind) {
  SubDef def = sub_bar();
  def.cells[0] = 4;
  if (kind == LB_ELEMENT_BRICK8) def.kind = LB_ELEMENT_BRICK8, def.cells[0] = 3;
  return def;
}

// u = U q
static void displace(const CubToy *toy, const double *q, double *u) {
  const lbBasis *basis = toy->sub.basis;
  size_t rows = 3 * (size_t)basis->vertex_count;
  memset(u, 0, rows * sizeof *u);
  for (int32_t k = 0; k < basis->dimension; k++)
    for (size_t i = 0; i < rows; i++) u[i] += q[k] * basis->vectors[rows * (size_t)k + i];
}

// U^T f of one vector
static double reduce(const CubToy *toy, int32_t k, const double *f) {
  size_t rows = 3 * (size_t)toy->sub.basis->vertex_count;
  double sum = 0;
  for (size_t i = 0; i < rows; i++) sum += toy->sub.basis->vectors[rows * (size_t)k + i] * f[i];
  return sum;
}

typedef struct Sample {
  double energy, R[MOST], K[MOST * MOST], Kv[MOST], along_R[MOST], along_energy;
  double force_energy, force_R[MOST], rough_energy, rough_K[MOST * MOST];
} Sample;

static void sample(lbBody *body, const double *q, const double *v, Sample *out) {
  const lbSubspace *s = lb_subspace_of(body->prepared);
  lbScratch *scratch = lb_scratch_borrow(body->prepared);
  double *work = ((lbSubspaceWork *)scratch->own)->forces;
  memset(out, 0, sizeof *out);
  assert_true(s->stride <= MOST);
  out->energy = s->forces->evaluate(s->force_data, q, out->R, out->K, work);
  out->along_energy = s->forces->along(s->force_data, q, v, out->along_R, out->Kv, work);
  out->force_energy = s->forces->force(s->force_data, q, out->force_R, work);
  out->rough_energy = s->forces->rough_tangent(s->force_data, q, out->rough_K, work);
  lb_scratch_return(body->prepared, scratch);
}

static double relative(int32_t count, const double *a, const double *b) {
  double worst = 0, most = 0;
  for (int32_t i = 0; i < count; i++) {
    if (!(fabs(a[i] - b[i]) <= worst)) worst = fabs(a[i] - b[i]);
    most = fmax(most, fabs(b[i]));
  }
  return worst / most;
}

static void all_elements_give_the_exact_reduced_force(void **state) {
  (void)state;
  for (int kind = 0; kind < 2; kind++)
    for (int law = 0; law < LAWS; law++) {
      CubToy toy = cub_make(bars(kind), laws[law]);
      lbBody *body = cub_body(&toy, NULL);
      int32_t r = lb_body_dimension(body), n = lb_cubic_padded(r);
      double q[MOST] = { 0 }, v[MOST] = { 0 }, *u = zeros(toy.fem), *f = zeros(toy.fem),
             *du = zeros(toy.fem), *Kdu = zeros(toy.fem), R[MOST] = { 0 }, Kv[MOST] = { 0 },
             product[MOST] = { 0 };
      uint64_t seed = 9;
      Sample got;
      lbEvaluation exact;
      lbError err;
      for (int32_t i = 0; i < r; i++) q[i] = 0.03 * check_random(&seed), v[i] = check_random(&seed);
      displace(&toy, q, u);
      displace(&toy, v, du);
      check_ok(lb_fem_evaluate(toy.fem, u, f, du, Kdu, &exact, &err), err);
      for (int32_t i = 0; i < r; i++) R[i] = reduce(&toy, i, f), Kv[i] = reduce(&toy, i, Kdu);
      sample(body, q, v, &got);
      lb_subspace_multiply(lb_subspace_of(body->prepared), got.K, v, product);
      double worst = fabs(got.energy / exact.energy - 1);
      worst = fmax(worst, relative(r, got.R, R));
      worst = fmax(worst, relative(r, product, Kv));
      worst = fmax(worst, relative(r, got.Kv, Kv));
      print_message("%s, %s: strain energy %.3g J, greatest difference %.2e\n",
                    lb_element_kind_name((lbElementKind)kind), lb_material_model_name(laws[law]),
                    exact.energy, worst);
      check_small(worst, 1e-12);
      check_small(relative(r, got.along_R, got.R), 1e-14);
      check_small(relative(r, got.force_R, got.R), 1e-14);
      assert_true(got.force_energy == got.energy ||
                  fabs(got.force_energy / got.energy - 1) < 1e-14);
      check_small(got.along_energy / got.energy - 1, 1e-14);
      check_small(got.rough_energy / got.energy - 1, 1e-14);
      check_small(relative(n * n, got.rough_K, got.K), 1e-5);
      for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < n; j++) {
          assert_true(got.K[i * n + j] == got.K[j * n + i]);
          assert_true(got.rough_K[i * n + j] == got.rough_K[j * n + i]);
          if (i >= r || j >= r) assert_true(got.K[i * n + j] == 0);
        }
      free(u), free(f), free(du), free(Kdu);
      lb_body_destroy(body);
      cub_destroy(&toy);
    }
}

static void forces_and_tangents_are_derivatives(void **state) {
  (void)state;
  for (int law = 0; law < LAWS; law++) {
    CubToy toy = cub_make(bars(law % 2), laws[law]);
    lbModel *few = cub_model(toy.sub.model, laws[law], 3);
    lbBody *body = cub_body_of(few, NULL);
    const lbSubspace *s = lb_subspace_of(body->prepared);
    lbScratch *scratch = lb_scratch_borrow(body->prepared);
    int32_t r = lb_body_dimension(body), n = s->stride;
    double q[MOST] = { 0 }, v[MOST] = { 0 }, rate[MOST * MOST], difference[MOST * MOST];
    double Rv = 0, step = 1e-5, dR[MOST];
    uint64_t seed = 19;
    Sample at, ends[2];
    for (int32_t i = 0; i < r; i++)
      q[i] = 0.03 * check_random(&seed), v[i] = 0.1 * check_random(&seed);
    sample(body, q, v, &at);
    for (int end = 0; end < 2; end++) {
      double moved[MOST] = { 0 };
      for (int32_t i = 0; i < r; i++) moved[i] = q[i] + (end ? step : -step) * v[i];
      sample(body, moved, v, &ends[end]);
    }
    for (int32_t i = 0; i < r; i++) {
      Rv += at.R[i] * v[i];
      dR[i] = (ends[1].R[i] - ends[0].R[i]) / (2 * step);
    }
    for (int32_t i = 0; i < n * n; i++) difference[i] = (ends[1].K[i] - ends[0].K[i]) / (2 * step);
    s->forces->tangent_rate(s->force_data, q, v, rate, ((lbSubspaceWork *)scratch->own)->forces);
    check_small((ends[1].energy - ends[0].energy) / (2 * step) / Rv - 1, 1e-6);
    check_small(relative(r, dR, at.Kv), 1e-7);
    if (laws[law] != LB_MATERIAL_LINEAR) check_small(relative(n * n, rate, difference), 1e-5);
    lb_scratch_return(body->prepared, scratch);
    lb_body_destroy(body);
    lb_model_destroy(few);
    cub_destroy(&toy);
  }
}

// ---- against polynomials -----------------------------------------------------------------------

static void stvk_moves_as_its_polynomials_do(void **state) {
  (void)state;
  CubToy toy = cub_make(sub_bar(), LB_MATERIAL_STVK);
  lbBodyDef def = sub_body_def();
  def.newton_iterations = 20;
  def.newton_tolerance = 1e-12;
  lbBody *cubature = cub_body(&toy, &def), *polynomial = sub_body(&toy.sub, &def);
  int32_t tip = sub_tip(&toy.sub);
  double worst = 0;
  for (int step = 0; step < 200; step++) {
    if (step < 60) {
      body_ok(cubature, lb_body_apply_force(cubature, lb_point_node(tip), lb_vec3(4, 8, -20)));
      body_ok(polynomial, lb_body_apply_force(polynomial, lb_point_node(tip), lb_vec3(4, 8, -20)));
    }
    assert_int_equal(lb_body_step(cubature, 5e-3), 0);
    assert_int_equal(lb_body_step(polynomial, 5e-3), 0);
    worst = fmax(worst, sub_difference(cubature, polynomial));
  }
  print_message("greatest difference over a motion %.2e\n", worst);
  check_small(worst, 1e-8);
  lb_body_destroy(cubature), lb_body_destroy(polynomial);
  cub_destroy(&toy);
}

// ---- levels ------------------------------------------------------------------------------------

static void levels_without_fused_operations_give_equal_bits(void **state) {
  (void)state;
  CubToy toy = cub_make(bars(LB_ELEMENT_TET4), LB_MATERIAL_STABLE_NEOHOOKEAN);
  double q[MOST] = { 0 }, v[MOST] = { 0 };
  uint64_t seed = 11;
  Sample portable, other;
  lbBodyDef def = sub_body_def();
  lbError err;
  for (int i = 0; i < 14; i++) q[i] = 0.03 * check_random(&seed), v[i] = check_random(&seed);
  for (int level = 0; level < LB_SIMD_LEVEL_COUNT; level++) {
    lbBody *body = NULL;
    if (!lb_simd_has((lbSimdLevel)level)) continue;
    check_ok(lb_body_create_at(toy.model, &def, (lbSimdLevel)level, &body, &err), err);
    sample(body, q, v, level == 0 ? &portable : &other);
    if (level == LB_SIMD_BASE) assert_memory_equal(&portable, &other, sizeof other);
    if (level > 0) check_small(relative(MOST * MOST, other.K, portable.K), 1e-13);
    if (level > 0) check_small(relative(14, other.R, portable.R), 1e-12);
    lb_body_destroy(body);
  }
  cub_destroy(&toy);
}

// ---- 32-bit numbers ----------------------------------------------------------------------------

static lbBody *body_at(const lbModel *model, bool single, lbSimdLevel level) {
  lbBodyDef def = sub_body_def();
  lbBody *body = NULL;
  lbError err;
  def.single_precision = single;
  check_ok(lb_body_create_at(model, &def, level, &body, &err), err);
  return body;
}

// Of a basis that is rounded: near those of the exact one, and derivatives of one energy.
static void single_precision_has_forces_of_a_basis_nearby(void **state) {
  (void)state;
  for (int kind = 0; kind < 2; kind++) {
    CubToy toy = cub_make(bars(kind), LB_MATERIAL_STABLE_NEOHOOKEAN);
    lbBody *exact = body_at(toy.model, false, lb_simd_best());
    int32_t r = lb_body_dimension(exact), n = lb_cubic_padded(r);
    double q[MOST] = { 0 }, v[MOST] = { 0 }, product[MOST] = { 0 }, step = 1e-5;
    uint64_t seed = 29;
    Sample want, portable, got;
    for (int32_t i = 0; i < r; i++) q[i] = 0.03 * check_random(&seed), v[i] = check_random(&seed);
    sample(exact, q, v, &want);
    for (int level = 0; level < LB_SIMD_LEVEL_COUNT; level++) {
      if (!lb_simd_has((lbSimdLevel)level)) continue;
      lbBody *body = body_at(toy.model, true, (lbSimdLevel)level);
      sample(body, q, v, &got);
      if (level == LB_SIMD_PORTABLE) portable = got;
      if (level == LB_SIMD_BASE) assert_memory_equal(&got, &portable, sizeof got);
      double off = relative(r, got.R, want.R), K_off = relative(n * n, got.K, want.K);
      print_message("%s, %s: forces are off by %.1e, tangents by %.1e\n",
                    lb_element_kind_name((lbElementKind)kind), lb_simd_name((lbSimdLevel)level),
                    off, K_off);
      assert_true(off > 1e-12); // they are rounded
      check_small(off, 1e-5);
      check_small(K_off, 1e-6);
      check_small(relative(n * n, got.rough_K, got.K), 1e-5);
      lb_subspace_multiply(lb_subspace_of(body->prepared), got.K, v, product);
      check_small(relative(r, got.Kv, product), 1e-12);
      double energies[2], Rv = 0;
      for (int end = 0; end < 2; end++) {
        double moved[MOST] = { 0 };
        Sample at;
        for (int32_t i = 0; i < r; i++) moved[i] = q[i] + (end ? step : -step) * v[i];
        sample(body, moved, v, &at);
        energies[end] = at.energy;
      }
      for (int32_t i = 0; i < r; i++) Rv += got.R[i] * v[i];
      check_small((energies[1] - energies[0]) / (2 * step) / Rv - 1, 1e-6);
      lb_body_destroy(body);
    }
    lb_body_destroy(exact);
    cub_destroy(&toy);
  }
}

// ---- kept vectors ------------------------------------------------------------------------------

static void kept_vectors_have_the_forces_of_the_others_at_rest(void **state) {
  (void)state;
  CubToy toy = cub_make(bars(LB_ELEMENT_TET4), LB_MATERIAL_NEOHOOKEAN);
  const int32_t kept[] = { 5, 0, 9 };
  lbBodyDef def = sub_body_def();
  lbBody *whole = cub_body(&toy, NULL);
  def.kept_count = 3, def.kept = kept;
  lbBody *part = cub_body(&toy, &def);
  double q[MOST] = { 0 }, p[MOST] = { 0 };
  Sample all, some;
  for (int i = 0; i < 3; i++) q[kept[i]] = p[i] = 0.02 * (i + 1);
  sample(whole, q, q, &all);
  sample(part, p, p, &some);
  check_small(some.energy / all.energy - 1, 1e-13);
  for (int i = 0; i < 3; i++) {
    check_small(some.R[i] / all.R[kept[i]] - 1, 1e-11);
    for (int j = 0; j < 3; j++)
      check_small(some.K[4 * i + j] / all.K[16 * kept[i] + kept[j]] - 1, 1e-10);
  }
  lb_body_destroy(whole), lb_body_destroy(part);
  cub_destroy(&toy);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(all_elements_give_the_exact_reduced_force),
    cmocka_unit_test(forces_and_tangents_are_derivatives),
    cmocka_unit_test(stvk_moves_as_its_polynomials_do),
    cmocka_unit_test(levels_without_fused_operations_give_equal_bits),
    cmocka_unit_test(single_precision_has_forces_of_a_basis_nearby),
    cmocka_unit_test(kept_vectors_have_the_forces_of_the_others_at_rest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
