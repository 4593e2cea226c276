// The force that a body's few shapes cannot follow, at sampled nodes of the full mesh.
#include "toy_cubature.h"

#include "method/cubature/balance_sample.h"

static const lbMaterialModel laws[] = { LB_MATERIAL_STVK, LB_MATERIAL_STABLE_NEOHOOKEAN };
enum { LAWS = sizeof laws / sizeof *laws };

// ---- the figure --------------------------------------------------------------------------------

static CubToy make_modes(int32_t modes, lbMaterialModel law) {
  SubDef def = sub_whole();
  def.mode_count = modes;
  def.damping_mass = 1, def.damping_stiffness = 2e-3;
  return cub_make(def, law);
}

static void it_is_rounding_with_a_complete_basis(void **state) {
  (void)state;
  for (size_t law = 0; law < LAWS; law++) {
    CubToy toy = make_modes(24, laws[law]);
    lbBodyDef def = sub_body_def();
    def.gravity = lb_vec3(1, -2, -9.81), def.newton_iterations = 20;
    lbBody *body = cub_body(&toy, &def);
    double q[24], v[24], worst = 0;
    uint64_t seed = 5;
    for (int i = 0; i < 24; i++) q[i] = 0.02 * check_random(&seed), v[i] = check_random(&seed);
    body_ok(body, lb_body_set_state(body, q, v));
    for (int step = 0; step < 20; step++) {
      worst = fmax(worst, lb_body_unfollowed_force(body));
      lb_body_step(body, 2e-3);
    }
    check_small(worst, 1e-8);
    lb_body_destroy(body);
    cub_destroy(&toy);
  }
}

// A bar in so many shapes out of modes and derivatives, bent by its weight, at rest.
static double bend(int32_t modes, int32_t dimension, lbMaterialModel law, double weight) {
  SubDef sub_def = sub_bar();
  sub_def.mode_count = modes, sub_def.dimension = dimension;
  CubToy toy = cub_make(sub_def, law);
  lbBodyDef def = sub_body_def();
  def.gravity = lb_vec3(0, 0, -weight), def.newton_iterations = 20;
  lbBody *body = cub_body(&toy, &def);
  double *u = zeros(toy.fem);
  lb_body_set_damping(body, 20, 0);
  for (int step = 0; step < 200; step++) lb_body_step(body, 1e-2);
  lb_body_node_displacements(body, u);
  double left = lb_body_unfollowed_force(body);
  print_message("%s, %d shapes of %d modes, weight %g: bent by %.3f m, %.3e left\n",
                lb_material_model_name(law), (int)dimension, (int)modes, weight,
                largest(toy.fem, u), left);
  free(u);
  lb_body_destroy(body);
  cub_destroy(&toy);
  return left;
}

// Much larger and much smaller bases: a step's balance is that of the shapes, not of the nodes, so
// that a few more shapes may leave a little more at some of them.
static void it_falls_as_the_basis_grows_and_rises_with_the_bend(void **state) {
  (void)state;
  const int32_t sizes[][2] = { { 3, 6 }, { 6, 14 }, { 8, 30 } };
  const double weights[] = { 1, 5, 10 };
  for (size_t law = 0; law < LAWS; law++) {
    double left[3][3];
    for (int k = 0; k < 3; k++)
      for (int i = 0; i < 3; i++)
        left[k][i] = bend(sizes[i][0], sizes[i][1], laws[law], weights[k]);
    for (int k = 0; k < 3; k++) {
      assert_true(left[k][1] < 0.8 * left[k][0] && left[k][2] < left[k][1]);
      assert_true(k == 0 || (left[k][0] > 1.3 * left[k - 1][0] && left[k][2] > left[k - 1][2]));
    }
    assert_true(left[2][0] > 0.2 && left[2][0] <= 1);
  }
}

static void it_is_nothing_at_rest_and_of_other_bodies(void **state) {
  (void)state;
  for (size_t law = 0; law < LAWS; law++) {
    CubToy toy = cub_make(sub_bar(), laws[law]);
    lbBody *body = cub_body(&toy, NULL), *polynomial = sub_body(&toy.sub, NULL);
    double q[14] = { 0.05 }, v[14] = { 0 };
    check_small(lb_body_unfollowed_force(body), 1e-7);
    body_ok(body, lb_body_set_state(body, q, v));
    body_ok(polynomial, lb_body_set_state(polynomial, q, v));
    assert_true(lb_body_unfollowed_force(body) > 1e-3);
    assert_true(lb_body_unfollowed_force(body) == lb_body_unfollowed_force(body));
    assert_true(lb_body_unfollowed_force(polynomial) == 0);
    assert_true(lb_body_unfollowed_force(NULL) == 0);
    // Stiffer by a factor, with the inertia that belongs to it.
    double before = lb_body_unfollowed_force(body);
    for (int32_t g = 0; g < 2; g++) {
      lbMaterial material = lb_model_material(toy.model, g);
      body_ok(body, lb_body_set_material(body, g, 4 * material.young, material.poisson,
                                         material.density));
    }
    check_near(lb_body_unfollowed_force(body), before, 1e-9);
    lb_body_destroy(body), lb_body_destroy(polynomial);
    cub_destroy(&toy);
  }
}

// ---- the sample --------------------------------------------------------------------------------

static bool has_node(const lbComponent *c, int32_t node) {
  for (int32_t a = 0; a < lb_element_nodes(c->kind); a++)
    if (c->nodes[a] == node) return true;
  return false;
}

static bool has(int32_t count, const int32_t *numbers, int32_t number) {
  for (int32_t i = 0; i < count; i++)
    if (numbers[i] == number) return true;
  return false;
}

static int32_t check_sample(int cells) {
  SubDef def = sub_bar();
  def.cells[0] = cells, def.basis = LB_BASIS_LINEAR, def.mode_count = 2, def.dimension = 0;
  CubToy toy = cub_make(def, LB_MATERIAL_STVK);
  lbComponents components;
  lbSample sample;
  lbError err;
  check_ok(lb_components_open(toy.model, &components, &err), err);
  check_ok(lb_sample_choose(&components, &sample, &err), err);
  assert_int_equal(sample.node_count, LB_SAMPLE_NODES);
  for (int32_t i = 0; i < sample.node_count; i++) {
    assert_false(toy.model->node_fixed[sample.nodes[i]]);
    assert_true(i == 0 || sample.nodes[i] > sample.nodes[i - 1]);
    for (int32_t e = 0; e < toy.model->size.element_count; e++) {
      const lbComponent c = lb_component(&components, e);
      if (has_node(&c, sample.nodes[i])) assert_true(has(sample.element_count, sample.elements, e));
    }
  }
  int32_t count = sample.element_count;
  print_message("%d cells: %d of %d elements\n", cells, (int)count,
                (int)toy.model->size.element_count);
  lb_sample_release(&sample);
  lb_components_close(&components);
  cub_destroy(&toy);
  return count;
}

static void the_sample_does_not_grow_with_the_mesh(void **state) {
  (void)state;
  check_sample(6);
  int32_t small = check_sample(24), large = check_sample(72);
  assert_true(large < 2 * small);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(it_is_rounding_with_a_complete_basis),
    cmocka_unit_test(it_falls_as_the_basis_grows_and_rises_with_the_bend),
    cmocka_unit_test(it_is_nothing_at_rest_and_of_other_bodies),
    cmocka_unit_test(the_sample_does_not_grow_with_the_mesh),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
