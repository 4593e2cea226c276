// The constants of a body in a moving frame against sums over the mass matrix of the same body
// without supports, which has every vertex in it.
#include "../fem/fem_problems.h"
#include "limber/build.h"

#include "fem/fem.h"

enum { VECTORS = 8 };

typedef struct Object {
  lbMesh *mesh;
  lbFem *fem, *loose; // loose: nothing is fixed, so that its system vectors are full ones
  lbModel *model;
  lbModelMethod method;
} Object;

static Object make(lbElementKind kind, bool held, lbMassKind mass, lbMethod method) {
  lbMaterial material = test_material(LB_MATERIAL_STVK);
  Object o = { .mesh = box_mesh(kind, 6, 2, 2, 1, 0.2, 0.3) };
  bool *fixed = held ? side(o.mesh, 0, 0) : NULL;
  lbReduceDef def = lb_reduce_def();
  lbModalDef modal = lb_modal_def();
  lbSubspaceDef subspace = lb_subspace_def();
  lbError err;
  modal.mode_count = VECTORS;
  subspace.basis.mode_count = 5;
  subspace.basis.dimension = VECTORS;
  o.fem = fem_of_mesh(o.mesh, &material, fixed, mass);
  o.loose = fem_of_mesh(o.mesh, &material, NULL, mass);
  assert_int_equal(o.loose->node_count, o.mesh->vertex_count);
  lbStatus status = method == LB_METHOD_MODAL
                        ? lb_reduce_modal(o.mesh, o.fem, &def, &modal, &o.model, &err)
                        : lb_reduce_subspace(o.mesh, o.fem, &def, &subspace, &o.model, &err);
  check_ok(status, err);
  assert_true(lb_model_method(o.model, method, &o.method));
  assert_int_equal(o.method.dimension, VECTORS);
  free(fixed);
  return o;
}

static void release(Object *o) {
  lb_model_destroy(o->model);
  lb_fem_destroy(o->fem);
  lb_fem_destroy(o->loose);
  lb_mesh_destroy(o->mesh);
}

#define for_each_object(o)                                                                         \
  for_each_element(                                                                                \
      kind) for (int held_ = 0; held_ < 2;                                                         \
                 held_++) for (int mass_ = 0; mass_ < 2;                                           \
                               mass_++) for (int method_ = LB_METHOD_MODAL;                        \
                                             method_ <= LB_METHOD_SUBSPACE;                        \
                                             method_++) for (Object o = make(kind, held_,          \
                                                                             (lbMassKind)mass_,    \
                                                                             (lbMethod)method_);   \
                                                             o.mesh; release(&o), o.mesh = NULL)

static double random_value(uint32_t *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (double)(*seed >> 8) / (1 << 23) - 1;
}

// U q of all vertices.
static double *displace(const Object *o, const double *q) {
  size_t rows = 3 * (size_t)o->mesh->vertex_count;
  double *u = calloc(rows, sizeof(double));
  for (size_t i = 0; i < VECTORS; i++)
    for (size_t k = 0; k < rows; k++) u[k] += q[i] * o->method.basis[rows * i + k];
  return u;
}

// Σ_a f_a (M g)_aᵀ over all vertices.
static void moments(const Object *o, const double *f, const double *g, double out[9]) {
  size_t count = (size_t)o->mesh->vertex_count;
  double *Mg = calloc(3 * count, sizeof(double));
  lb_sparse_multiply(o->loose->mass, g, Mg);
  memset(out, 0, 9 * sizeof(double));
  for (size_t a = 0; a < count; a++)
    for (int i = 0; i < 9; i++) out[i] += f[3 * a + (size_t)(i / 3)] * Mg[3 * a + (size_t)(i % 3)];
  free(Mg);
}

static void axis_of(const double B[9], double out[3]) {
  out[0] = B[7] - B[5], out[1] = B[2] - B[6], out[2] = B[3] - B[1];
}

// How far two lists are apart, relative to the larger of the first and `scale`.
static double difference(int count, const double *a, const double *b, double scale) {
  double worst = 0;
  for (int i = 0; i < count; i++) scale = fmax(scale, fabs(a[i]));
  for (int i = 0; i < count; i++) worst = fmax(worst, fabs(a[i] - b[i]));
  return worst / scale;
}

// x − centre where every vertex is at q.
static double *positions(const Object *o, const double *q) {
  double *x = displace(o, q);
  for (size_t k = 0; k < 3 * (size_t)o->mesh->vertex_count; k++)
    x[k] += o->model->node_positions[k] - o->model->rigid_centre[k % 3];
  return x;
}

// A_i = A1_i + Σ_j q_j A2_ij
static void at_state(const Object *o, const double *q, int i, double A[9]) {
  for (int k = 0; k < 9; k++) {
    A[k] = o->method.inertia_first[9 * i + k];
    for (int j = 0; j < VECTORS; j++)
      A[k] += q[j] * o->method.inertia_second[9 * (VECTORS * i + j) + k];
  }
}

// ∫ρ x×Uq̇ = Σ q̇_i ax(A_i), and ∫ρ Uq̇ = Σ q̇_i S_i with S the gravity.
static void momenta_are_those_of_the_mass_matrix(void **state) {
  (void)state;
  uint32_t seed = 1;
  double worst = 0, worst_linear = 0;
  for_each_object(o) {
    double q[VECTORS], v[VECTORS], L[3], found[3] = { 0 }, P[3] = { 0 }, sum[9], ones[3] = { 0 };
    for (int i = 0; i < VECTORS; i++) q[i] = random_value(&seed), v[i] = random_value(&seed);
    double *x = positions(&o, q), *velocity = displace(&o, v);
    moments(&o, velocity, x, sum); // ∫ρ v xᵀ
    axis_of(sum, L);
    for (int i = 0; i < VECTORS; i++) {
      double A[9], E[3];
      at_state(&o, q, i, A);
      axis_of(A, E);
      for (int k = 0; k < 3; k++) found[k] += v[i] * E[k];
      for (int k = 0; k < 3; k++) P[k] += v[i] * o.method.gravity[3 * i + k];
    }
    double scale = 0;
    for (int i = 0; i < 9; i++) scale = fmax(scale, fabs(sum[i]));
    worst = fmax(worst, difference(3, L, found, scale));
    for (size_t k = 0; k < 3 * (size_t)o.mesh->vertex_count; k++)
      ones[k % 3] += o.model->node_masses[k / 3] * velocity[k];
    worst_linear = fmax(worst_linear, difference(3, ones, P, sqrt(o.model->rigid_mass[0])));
    free(x), free(velocity);
  }
  print_message("  angular %.2g, linear %.2g\n", worst, worst_linear);
  check_small(worst, 1e-12);
  check_small(worst_linear, 1e-12);
}

// ∫ρ x xᵀ = X0 + Σ q_i (A1_i + A1_iᵀ) + Σ q_i q_j A2_ij with X0 = ½ tr(I) 1 − I of rigid.inertia:
// all of them use the same mass matrix.
static void second_moments_are_those_of_the_mass_matrix(void **state) {
  (void)state;
  uint32_t seed = 2;
  double worst = 0;
  for_each_object(o) {
    double q[VECTORS], direct[9], X[9];
    const double *I = o.model->rigid_inertia;
    for (int i = 0; i < VECTORS; i++) q[i] = random_value(&seed);
    double *x = positions(&o, q);
    moments(&o, x, x, direct);
    for (int k = 0; k < 9; k++) X[k] = (k % 4 == 0 ? (I[0] + I[4] + I[8]) / 2 : 0) - I[k];
    for (int i = 0; i < VECTORS; i++) {
      double A[9];
      at_state(&o, q, i, A);
      for (int k = 0; k < 9; k++)
        X[k] += q[i] * (A[k] + o.method.inertia_first[9 * i + 3 * (k % 3) + k / 3]);
    }
    worst = fmax(worst, difference(9, direct, X, 0));
    free(x);
  }
  print_message("  %.2g\n", worst);
  check_small(worst, 1e-12);
}

static void the_trace_of_pairs_is_the_identity_and_they_are_symmetric(void **state) {
  (void)state;
  double worst = 0;
  for_each_object(o) {
    for (int i = 0; i < VECTORS; i++)
      for (int j = 0; j < VECTORS; j++) {
        const double *A = o.method.inertia_second + 9 * (VECTORS * i + j);
        const double *turned = o.method.inertia_second + 9 * (VECTORS * j + i);
        worst = fmax(worst, fabs(A[0] + A[4] + A[8] - (i == j)));
        for (int k = 0; k < 9; k++) assert_true(A[k] == turned[3 * (k % 3) + k / 3]);
      }
  }
  print_message("  %.2g\n", worst);
  check_small(worst, 1e-10);
}

// Vectors that are orthogonal to rigid motion: S = 0 and ax(A1) = 0.
static void vectors_of_a_free_body_carry_no_momentum_at_rest(void **state) {
  (void)state;
  double worst = 0, held = 0;
  for_each_object(o) {
    double root = sqrt(o.model->rigid_mass[0]), *most = held_ ? &held : &worst; // kg^1/2, 1 m long
    for (int i = 0; i < VECTORS; i++) {
      double E[3];
      axis_of(o.method.inertia_first + 9 * i, E);
      for (int k = 0; k < 3; k++) {
        *most = fmax(*most, fabs(E[k]) / root);
        *most = fmax(*most, fabs(o.method.gravity[3 * i + k]) / root);
      }
    }
  }
  print_message("  free %.2g, held %.2g\n", worst, held);
  check_small(worst, 1e-8);
  assert_true(held > 0.1); // held bodies do
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(momenta_are_those_of_the_mass_matrix),
    cmocka_unit_test(second_moments_are_those_of_the_mass_matrix),
    cmocka_unit_test(the_trace_of_pairs_is_the_identity_and_they_are_symmetric),
    cmocka_unit_test(vectors_of_a_free_body_carry_no_momentum_at_rest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
