// Forces and tangents of a whole mesh: patch test, rigid motion, balance, derivatives.
#include "fem_problems.h"

#include "fem/assembler.h"
#include "limber/math.h"

static const double size[3] = { 1.0, 1.2, 0.9 };

// Irregular inside; the boundary is that of a box.
static lbMesh *irregular_mesh(lbElementKind kind) {
  lbMesh *mesh = box_mesh(kind, 3, 3, 3, size[0], size[1], size[2]);
  bool *boundary = whole_boundary(mesh, size[0], size[1], size[2]);
  shake_vertices(mesh, boundary, 0.06);
  free(boundary);
  return mesh;
}

static void affine(const lbMesh *mesh, const double A[9], double *u) {
  for (int32_t v = 0; v < mesh->vertex_count; v++)
    for (int i = 0; i < 3; i++) {
      const double *x = mesh->positions + 3 * (size_t)v;
      u[3 * (size_t)v + i] = 0.3 + A[3 * i] * x[0] + A[3 * i + 1] * x[1] + A[3 * i + 2] * x[2];
    }
}

static const double shear_and_stretch[9] = {
  0.10, 0.05, -0.04, 0.02, -0.08, 0.06, 0.03, 0.01, 0.07
};

static void patch_test_affine_displacement_leaves_no_force_inside(void **state) {
  (void)state;
  for_each_law(kind, model) {
    lbMaterial material = test_material(model);
    lbMesh *mesh = irregular_mesh(kind);
    bool *boundary = whole_boundary(mesh, size[0], size[1], size[2]);
    lbFem *fem = fem_of_mesh(mesh, &material, NULL, LB_MASS_CONSISTENT);
    double *u = zeros(fem), *f = zeros(fem), inside = 0;
    affine(mesh, shear_and_stretch, u);
    evaluate(fem, u, f, NULL, NULL);
    for (int32_t v = 0; v < mesh->vertex_count; v++)
      for (int i = 0; i < 3 && !boundary[v]; i++) inside = fmax(inside, fabs(f[3 * (size_t)v + i]));
    double tolerance = 1e-12;
    print_case(kind, model, inside / largest(fem, f), tolerance);
    check_small(inside / largest(fem, f), tolerance);
    free(u), free(f), free(boundary);
    lb_fem_destroy(fem);
    lb_mesh_destroy(mesh);
  }
}

static void patch_test_statics_find_the_affine_displacement(void **state) {
  (void)state;
  for_each_law(kind, model) {
    lbMaterial material = test_material(model);
    lbMesh *mesh = irregular_mesh(kind);
    bool *boundary = whole_boundary(mesh, size[0], size[1], size[2]);
    lbFem *fem = fem_of_mesh(mesh, &material, boundary, LB_MASS_CONSISTENT);
    double *u = zeros(fem), *exact = zeros(fem), *load = zeros(fem);
    uint64_t seed = 3;
    affine(mesh, shear_and_stretch, exact);
    for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; i++)
      u[i] = exact[i] + (boundary[i / 3] ? 0 : 0.01 * check_random(&seed));
    lbStaticDef def = lb_static_def();
    lbStaticResult result;
    lbError err;
    check_ok(lb_fem_static(fem, load, &def, u, &result, &err), err);
    double error = largest_difference(fem, u, exact) / largest(fem, exact), tolerance = 1e-11;
    print_case(kind, model, error, tolerance);
    check_small(error, tolerance);
    free(u), free(exact), free(load), free(boundary);
    lb_fem_destroy(fem);
    lb_mesh_destroy(mesh);
  }
}

static void rigid_motion_gives_no_force_and_no_energy(void **state) {
  (void)state;
  lbQuat q = { 0.3, -0.5, 0.4, 0.6 };
  double length = sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  q = (lbQuat){ q.x / length, q.y / length, q.z / length, q.w / length };
  for_each_law(kind, model) {
    lbMaterial material = test_material(model);
    lbMesh *mesh = irregular_mesh(kind);
    lbFem *fem = fem_of_mesh(mesh, &material, NULL, LB_MASS_CONSISTENT);
    double *u = zeros(fem), *f = zeros(fem);
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
      lbVec3 x = lb_vec3_load(mesh->positions + 3 * (size_t)v);
      lbVec3 turned = model == LB_MATERIAL_LINEAR ? x : lb_quat_rotate(q, x);
      lb_vec3_store(u + 3 * (size_t)v, lb_add(lb_sub(turned, x), lb_vec3(0.7, -0.2, 0.5)));
    }
    lbEvaluation e = evaluate(fem, u, f, NULL, NULL);
    double error = largest(fem, f) / (material.young * size[0] * size[0]), tolerance = 1e-14;
    print_case(kind, model, error, tolerance);
    check_small(error, tolerance);
    check_small(e.energy / material.young, 1e-14);
    check_small(e.von_mises / material.young, 1e-13);
    free(u), free(f);
    lb_fem_destroy(fem);
    lb_mesh_destroy(mesh);
  }
}

static void net_force_and_moment_are_zero(void **state) {
  (void)state;
  for_each_law(kind, model) {
    lbMaterial material = test_material(model);
    lbMesh *mesh = irregular_mesh(kind);
    lbFem *fem = fem_of_mesh(mesh, &material, NULL, LB_MASS_CONSISTENT);
    double *u = random_vector(fem, 0.03, 11), *f = zeros(fem);
    lbVec3 force = { 0, 0, 0 }, moment = { 0, 0, 0 };
    assert_int_equal(evaluate(fem, u, f, NULL, NULL).invalid_element, -1);
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
      lbVec3 x = lb_vec3_load(mesh->positions + 3 * (size_t)v),
             fv = lb_vec3_load(f + 3 * (size_t)v);
      // The linear law knows only the rest shape.
      if (model != LB_MATERIAL_LINEAR) x = lb_add(x, lb_vec3_load(u + 3 * (size_t)v));
      force = lb_add(force, fv);
      moment = lb_add(moment, lb_cross(x, fv));
    }
    double scale = largest(fem, f), tolerance = 1e-12;
    print_case(kind, model, fmax(lb_length(force), lb_length(moment) / 1.2) / scale, tolerance);
    check_small(lb_length(force) / scale, tolerance);
    check_small(lb_length(moment) / (scale * size[1]), tolerance);
    free(u), free(f);
    lb_fem_destroy(fem);
    lb_mesh_destroy(mesh);
  }
}

static void tangent_is_the_derivative_of_the_forces(void **state) {
  (void)state;
  const double step = 1e-5, tolerance = 1e-7;
  for_each_law(kind, model) {
    lbMaterial material = test_material(model);
    lbFem *fem = box_fem(kind, 2, 2, 1, 1, 1.1, 0.6, &material, true);
    size_t count = 3 * (size_t)lb_fem_vertex_count(fem);
    double *u = random_vector(fem, 0.02, 5), *d = random_vector(fem, 1, 6);
    double *moved = zeros(fem), *plus = zeros(fem), *minus = zeros(fem), *Kd = zeros(fem);
    double before, after;
    for (size_t i = 0; i < count; i++) moved[i] = u[i] + step * d[i];
    after = evaluate(fem, moved, plus, NULL, NULL).energy;
    for (size_t i = 0; i < count; i++) moved[i] = u[i] - step * d[i];
    before = evaluate(fem, moved, minus, NULL, NULL).energy;
    evaluate(fem, u, moved, d, Kd); // moved: the forces now
    double work = 0, error = 0;
    for (size_t i = 0; i < count; i++) {
      work += moved[i] * d[i];
      error = fmax(error, fabs((plus[i] - minus[i]) / (2 * step) - Kd[i]));
    }
    print_case(kind, model, error / largest(fem, Kd), tolerance);
    check_small(error / largest(fem, Kd), tolerance);
    check_small(((after - before) / (2 * step) - work) / (largest(fem, moved) * (double)count),
                1e-8);
    free(u), free(d), free(moved), free(plus), free(minus), free(Kd);
    lb_fem_destroy(fem);
  }
}

static void tangent_product_is_symmetric_and_that_of_the_assembled_matrix(void **state) {
  (void)state;
  for_each_law(kind, model) {
    lbMaterial material = test_material(model);
    lbFem *fem = box_fem(kind, 2, 2, 1, 1, 1.1, 0.6, &material, true);
    size_t size_system = 3 * (size_t)lb_fem_node_count(fem);
    double *u = random_vector(fem, 0.02, 5), *a = random_vector(fem, 1, 6);
    double *b = random_vector(fem, 1, 8), *Ka = zeros(fem), *Kb = zeros(fem);
    evaluate(fem, u, NULL, a, Ka);
    evaluate(fem, u, NULL, b, Kb);
    double aKb = 0, bKa = 0, scale = 0;
    for (size_t i = 0; i < 3 * (size_t)lb_fem_vertex_count(fem); i++) {
      aKb += a[i] * Kb[i], bKa += b[i] * Ka[i];
      scale += fabs(a[i] * Kb[i]);
    }
    check_small((aKb - bKa) / scale, 1e-14);
    // The assembled matrix holds the free vertices only.
    double *system = calloc(size_system, sizeof(double)), *product = calloc(size_system, 8);
    lbAssembler *assembler = NULL;
    lbSparse *K = NULL;
    lbError err;
    lb_fem_compress(fem, a, system);
    lb_fem_expand(fem, system, a);
    evaluate(fem, u, NULL, a, Ka);
    check_ok(lb_assembler_create(fem, &assembler, &err), err);
    check_ok(lb_sparse_copy_pattern(fem->pattern, &K, &err), err);
    lb_assemble(assembler, u, NULL, K);
    lb_sparse_multiply(K, system, product);
    lb_fem_compress(fem, Ka, system);
    double error = 0;
    for (size_t i = 0; i < size_system; i++) error = fmax(error, fabs(system[i] - product[i]));
    print_case(kind, model, error / largest(fem, Ka), 1e-14);
    check_small(error / largest(fem, Ka), 1e-14);
    free(u), free(a), free(b), free(Ka), free(Kb), free(system), free(product);
    lb_assembler_destroy(assembler);
    lb_sparse_destroy(K);
    lb_fem_destroy(fem);
  }
}

static void an_element_that_leaves_its_law_is_named(void **state) {
  (void)state;
  const lbMaterialModel models[] = { LB_MATERIAL_NEOHOOKEAN, LB_MATERIAL_MOONEYRIVLIN };
  for_each_element(kind) for (int m = 0; m < 2; m++) {
    lbMaterial material = test_material(models[m]);
    lbFem *fem = box_fem(kind, 3, 1, 1, 3, 1, 1, &material, false);
    double *u = zeros(fem);
    const double *x = lb_fem_rest_positions(fem);
    for (int32_t v = 0; v < lb_fem_vertex_count(fem); v++) // the last cell is turned inside out
      if (x[3 * (size_t)v] > 2.5) u[3 * (size_t)v] = -2;
    lbEvaluation e = evaluate(fem, u, NULL, NULL, NULL);
    assert_true(isinf(e.energy));
    assert_int_equal(e.invalid_element, kind == LB_ELEMENT_TET4 ? 12 : 2);
    free(u);
    lb_fem_destroy(fem);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(patch_test_affine_displacement_leaves_no_force_inside),
    cmocka_unit_test(patch_test_statics_find_the_affine_displacement),
    cmocka_unit_test(rigid_motion_gives_no_force_and_no_energy),
    cmocka_unit_test(net_force_and_moment_are_zero),
    cmocka_unit_test(tangent_is_the_derivative_of_the_forces),
    cmocka_unit_test(tangent_product_is_symmetric_and_that_of_the_assembled_matrix),
    cmocka_unit_test(an_element_that_leaves_its_law_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
