// Von Mises stress of bodies: closed forms, the full evaluation, edits, batches, absurd states.
#include "toy_subspace.h"

#define NODES_MOST 256

// Stretched along x by `strain`, and by -shrink times that across.
static void stretch(const lbModel *model, double strain, double shrink, double *u) {
  for (int32_t n = 0; n < model->size.node_count; n++)
    for (int c = 0; c < 3; c++)
      u[3 * n + c] = (c == 0 ? strain : -shrink * strain) *
                     (model->node_positions[3 * n + c] - (shrink > 0 ? model->rigid_centre[c] : 0));
}

// ε along a bar that is free: σ = E ε everywhere.
static void a_stretched_modal_bar_has_stress_young_times_strain(void **state) {
  (void)state;
  for (int kind = 0; kind < 2; kind++) {
    Toy toy = toy_make((ToyDef){ (lbElementKind)kind, { 2, 1, 1 }, false, 30, 0, 0 });
    lbBodyDef def = toy_turned();
    lbBody *body = toy_body(&toy, &def);
    double u[3 * NODES_MOST], got[3 * NODES_MOST], stresses[NODES_MOST];
    stretch(toy.model, 0.01, 0.3, u);
    body_ok(body, lb_body_set_displacements(body, u, NULL));
    lb_body_node_displacements(body, got);
    for (int32_t i = 0; kind == LB_ELEMENT_BRICK8 && i < 3 * toy.model->size.node_count; i++)
      check_near(got[i], u[i], 1e-12); // of tets, but for a turn, which the modes leave out
    lb_body_von_mises(body, stresses);
    for (int32_t n = 0; n < toy.model->size.node_count; n++)
      check_near(stresses[n] / (1e5 * 0.01), 1, 1e-9);
    lb_body_destroy(body);
    toy_destroy(&toy);
  }
}

static SubDef uniform(lbElementKind kind) {
  SubDef def = sub_whole();
  def.kind = kind;
  def.young[1] = def.young[0], def.poisson[1] = def.poisson[0];
  return def;
}

// Uniaxial strain: S = (λ + 2μ) E and λ E, E = ε + ε²/2, σ = F S F / F.
static void a_stretched_subspace_bar_has_the_cauchy_stress(void **state) {
  (void)state;
  for (int kind = 0; kind < 2; kind++)
    for (double strain = -0.4; strain < 0.5; strain += 0.2) {
      SubToy sub = sub_make(uniform((lbElementKind)kind));
      lbBody *body = sub_body(&sub, NULL);
      double u[3 * NODES_MOST], stresses[NODES_MOST];
      double lambda = 0.3 * 1e5 / (1.3 * 0.4), mu = 1e5 / 2.6, F = 1 + strain;
      double E = strain + 0.5 * strain * strain;
      double expected = fabs(F * (lambda + 2 * mu) * E - lambda * E / F);
      stretch(sub.model, strain, 0, u);
      body_ok(body, lb_body_set_displacements(body, u, NULL));
      lb_body_von_mises(body, stresses);
      for (int32_t n = 0; n < sub.model->size.node_count; n++)
        check_near(stresses[n], expected, 1e-9 * (expected + 1e3));
      lb_body_destroy(body);
      sub_destroy(&sub);
    }
}

static double highest(const double *values, int32_t count) {
  double most = 0;
  for (int32_t i = 0; i < count; i++) most = fmax(most, values[i]);
  return most;
}

// Of one brick, each node has a Gauss point of its own: the largest is that of the evaluation. Of
// more elements, nodes have means, and no more than it.
static void stress_is_that_of_the_full_evaluation(void **state) {
  (void)state;
  for (int i = 0; i < 3; i++) {
    SubDef def = uniform(i < 2 ? LB_ELEMENT_BRICK8 : LB_ELEMENT_TET4);
    if (i == 0) def.cells[0] = 1, def.mode_count = 12;
    SubToy sub = sub_make(def);
    lbBody *body = sub_body(&sub, NULL);
    int32_t count = sub.model->size.node_count;
    double u[3 * NODES_MOST], stresses[NODES_MOST];
    lbEvaluation evaluation;
    lbError err;
    toy_shake(body, 0.3, 5);
    lb_body_node_displacements(body, u);
    check_ok(lb_fem_evaluate(sub.fem, u, NULL, NULL, NULL, &evaluation, &err), err);
    lb_body_von_mises(body, stresses);
    double ratio = highest(stresses, count) / evaluation.von_mises;
    if (i == 0) check_near(ratio, 1, 1e-9);
    if (ratio > 1 + 1e-9 || ratio < 0.3) fail_msg("ratio %g of the evaluation's largest", ratio);
    lb_body_destroy(body);
    sub_destroy(&sub);
  }
}

static void edited_materials_count(void **state) {
  (void)state;
  SubDef def = sub_whole();
  def.editable = true;
  SubToy sub = sub_make(def);
  lbBody *body = sub_body(&sub, NULL);
  double before[NODES_MOST], after[NODES_MOST];
  toy_shake(body, 0.2, 9);
  lb_body_von_mises(body, before);
  body_ok(body, lb_body_set_material(body, 0, 2e5, 0.3, 1000));
  body_ok(body, lb_body_set_material(body, 1, 8e5, 0.2, 700));
  lb_body_von_mises(body, after);
  for (int32_t n = 0; n < sub.model->size.node_count; n++)
    check_near(after[n] / before[n], 2, 1e-9);
  lb_body_destroy(body);
  sub_destroy(&sub);
}

static void a_body_of_a_batch_has_the_stress_of_one_alone(void **state) {
  (void)state;
  SubToy sub = sub_make(sub_bar());
  for (int kind = 0; kind < 2; kind++) {
    lbBatchDef def = lb_batch_def();
    lbBatch *batch = NULL;
    lbError err;
    def.count = 67;
    def.body.method = kind ? LB_METHOD_MODAL : LB_METHOD_SUBSPACE;
    check_ok(lb_batch_create(sub.model, &def, &batch, &err), err);
    lbBody *alone = sub_body(&sub, &def.body), *member = lb_batch_body(batch, 66);
    double a[NODES_MOST], b[NODES_MOST];
    toy_shake(alone, 0.2, 1), toy_shake(member, 0.2, 1);
    toy_shake(lb_batch_body(batch, 65), 0.3, 2);
    lb_body_von_mises(alone, a);
    lb_body_von_mises(member, b);
    assert_true(highest(a, sub.model->size.node_count) > 1);
    assert_memory_equal(a, b, (size_t)sub.model->size.node_count * sizeof *a);
    lb_body_destroy(alone);
    lb_batch_destroy(batch);
  }
  sub_destroy(&sub);
}

static void no_state_gives_a_stress_that_is_no_number(void **state) {
  (void)state;
  SubToy sub = sub_make(uniform(LB_ELEMENT_BRICK8));
  for (int kind = 0; kind < 2; kind++) {
    lbBodyDef def = lb_body_def();
    def.method = kind ? LB_METHOD_MODAL : LB_METHOD_SUBSPACE;
    lbBody *body = sub_body(&sub, &def);
    double u[3 * NODES_MOST], stresses[NODES_MOST];
    const double strains[] = { -1, -2, -1 + 1e-200, 1e40, 1e90 }; // flat, inverted, absurd
    for (size_t i = 0; i < sizeof strains / sizeof *strains; i++) {
      stretch(sub.model, strains[i], 0, u);
      body_ok(body, lb_body_set_displacements(body, u, NULL));
      lb_body_von_mises(body, stresses);
      for (int32_t n = 0; n < sub.model->size.node_count; n++)
        assert_true(stresses[n] >= 0 && stresses[n] <= 1.0000001e30);
    }
    lb_body_destroy(body);
  }
  sub_destroy(&sub);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_stretched_modal_bar_has_stress_young_times_strain),
    cmocka_unit_test(a_stretched_subspace_bar_has_the_cauchy_stress),
    cmocka_unit_test(stress_is_that_of_the_full_evaluation),
    cmocka_unit_test(edited_materials_count),
    cmocka_unit_test(a_body_of_a_batch_has_the_stress_of_one_alone),
    cmocka_unit_test(no_state_gives_a_stress_that_is_no_number),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
