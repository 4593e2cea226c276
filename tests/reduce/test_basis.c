// Bases of modes and derivatives: properties, published results, refusals, determinism.
#include "basis_problems.h"

#include "limber/file.h"
#include "meshio/formats.h"
#include "threads/threads.h"

static lbBasisDef basis_def(lbBasisKind kind, int32_t modes, int32_t dimension) {
  lbBasisDef def = lb_basis_def();
  def.kind = kind;
  def.mode_count = modes;
  def.dimension = dimension;
  return def;
}

static void fixed_rows_are_zero_and_vectors_orthonormal(void **state) {
  (void)state;
  for_each_element(kind) for (int held = 0; held < 2; held++) for (int spectral = 0; spectral < 2;
                                                                   spectral++) {
    lbFem *fem = small_bar(kind, held);
    lbBasisDef def = basis_def(LB_BASIS_DERIVATIVES, 6, 14);
    def.spectral_deflation = spectral;
    lbBasis *basis = make_basis(fem, &def);
    size_t rows = 3 * (size_t)fem->vertex_count;
    assert_int_equal(basis->dimension, 14);
    assert_int_equal(basis->rigid_count, held ? 0 : 6);
    check_small(orthonormality(fem, fem->mass, basis->dimension, basis->vectors), 1e-10);
    for (int32_t v = 0; v < fem->vertex_count; v++)
      for (size_t i = 0; i < 3 * (size_t)basis->dimension; i++)
        if (fem->node_of_vertex[v] < 0)
          assert_true(basis->vectors[i / 3 * rows + 3 * (size_t)v + i % 3] == 0);
    for (int32_t i = 0; i + 1 < basis->dimension; i++)
      assert_true(basis->values[i] >= basis->values[i + 1]);
    lb_basis_destroy(basis);
    lb_fem_destroy(fem);
  }
}

static void a_free_basis_has_no_momentum(void **state) {
  (void)state;
  lbFem *fem = small_bar(LB_ELEMENT_TET4, false);
  lbBasisDef def = basis_def(LB_BASIS_DERIVATIVES, 6, 14);
  lbBasis *basis = make_basis(fem, &def);
  size_t n = 3 * (size_t)fem->node_count;
  double *Mu = malloc(n * sizeof(double)), worst = 0;
  for (int32_t b = 0; b < basis->dimension; b++) {
    double p[3] = { 0 }, L[3] = { 0 };
    lb_sparse_multiply(fem->mass, basis->vectors + n * (size_t)b, Mu); // no vertex is fixed
    for (size_t v = 0; v < n / 3; v++) {
      const double *m = Mu + 3 * v, *x = fem->positions + 3 * v;
      for (int i = 0; i < 3; i++) {
        p[i] += m[i];
        L[i] += x[(i + 1) % 3] * m[(i + 2) % 3] - x[(i + 2) % 3] * m[(i + 1) % 3];
      }
    }
    for (int i = 0; i < 3; i++) worst = fmax(worst, fmax(fabs(p[i]), fabs(L[i])));
  }
  check_small(worst / sqrt(fem->total_mass), 1e-10);
  free(Mu);
  lb_basis_destroy(basis);
  lb_fem_destroy(fem);
}

static lbFem *scaled_bar(double young, double density) {
  lbMaterial material = test_material(LB_MATERIAL_STVK);
  material.young *= young;
  material.density *= density;
  lbMesh *mesh = box_mesh(LB_ELEMENT_TET4, 5, 2, 2, 1, 0.3, 0.2);
  bool *fixed = side(mesh, 0, 0);
  shake_vertices(mesh, fixed, 0.01);
  lbFem *fem = fem_of_mesh(mesh, &material, fixed, LB_MASS_CONSISTENT);
  free(fixed);
  lb_mesh_destroy(mesh);
  return fem;
}

static void the_basis_does_not_depend_on_stiffness_or_density(void **state) {
  (void)state;
  const double scales[2][2] = { { 37, 1 }, { 1, 0.043 } };
  lbFem *fem = scaled_bar(1, 1);
  lbBasisDef def = basis_def(LB_BASIS_DERIVATIVES, 6, 12);
  for (int metric = 0; metric < 2; metric++) {
    def.metric = metric ? LB_MASS_LUMPED : LB_MASS_CONSISTENT;
    lbBasis *basis = make_basis(fem, &def);
    for (int s = 0; s < 2; s++) {
      lbFem *other = scaled_bar(scales[s][0], scales[s][1]);
      lbBasis *same = make_basis(other, &def);
      double worst = 0, largest_value = 0, length = sqrt(scales[s][1]);
      for (size_t i = 0; i < 36 * (size_t)fem->vertex_count; i++) {
        largest_value = fmax(largest_value, fabs(basis->vectors[i]));
        worst = fmax(worst, fabs(basis->vectors[i] - length * same->vectors[i]));
      }
      check_small(worst / largest_value, 1e-8);
      lb_basis_destroy(same);
      lb_fem_destroy(other);
    }
    lb_basis_destroy(basis);
  }
  lb_fem_destroy(fem);
}

static lbFem *bar_of_mass(lbMassKind mass) {
  lbMaterial material = test_material(LB_MATERIAL_STVK);
  lbMesh *mesh = box_mesh(LB_ELEMENT_TET4, 5, 2, 2, 1, 0.3, 0.2);
  bool *fixed = side(mesh, 0, 0);
  lbFem *fem = fem_of_mesh(mesh, &material, fixed, mass);
  free(fixed);
  lb_mesh_destroy(mesh);
  return fem;
}

static void the_metric_is_the_bodys_own_unless_kept(void **state) {
  (void)state;
  for (int own = 0; own < 2; own++)
    for (int metric = 0; metric < 2; metric++)
      for (int keep = 0; keep < 2; keep++) {
        lbFem *fem = bar_of_mass((lbMassKind)own);
        lbSparse *M = NULL;
        lbError err;
        lbBasisDef def = basis_def(LB_BASIS_DERIVATIVES, 5, 10);
        def.metric = (lbMassKind)metric;
        def.keep_metric = keep;
        lbBasis *basis = make_basis(fem, &def);
        check_ok(lb_fem_mass_matrix(fem, keep ? def.metric : (lbMassKind)own, &M, &err), err);
        check_small(orthonormality(fem, M, basis->dimension, basis->vectors), 1e-10);
        lb_sparse_destroy(M);
        lb_basis_destroy(basis);
        lb_fem_destroy(fem);
      }
}

static void all_candidates_together_hold_modes_and_derivatives(void **state) {
  (void)state;
  lbFem *fem = scaled_bar(1, 1);
  lbBasisDef def = basis_def(LB_BASIS_DERIVATIVES, 3, 9);
  lbBasis *basis = make_basis(fem, &def);
  def = basis_def(LB_BASIS_LINEAR, 3, 0);
  lbBasis *linear = make_basis(fem, &def);
  assert_int_equal(linear->dimension, 3);
  for (int32_t i = 0; i < 3; i++)
    check_small(outside_span(fem, basis, linear->vectors + 3 * (size_t)(i * fem->vertex_count)),
                1e-9);
  lb_basis_destroy(linear);
  lb_basis_destroy(basis);
  lb_fem_destroy(fem);
}

static void counts_that_cannot_be_are_refused(void **state) {
  (void)state;
  lbFem *fem = small_bar(LB_ELEMENT_TET4, true);
  lbBasis *basis = NULL;
  lbError err;
  lbBasisDef def = basis_def(LB_BASIS_DERIVATIVES, 0, 4);
  check_fails(lb_basis_make(fem, &def, &basis, &err), LB_ERR_ARGUMENT, err, "mode_count");
  def = basis_def(LB_BASIS_DERIVATIVES, -3, 4);
  check_fails(lb_basis_make(fem, &def, &basis, &err), LB_ERR_ARGUMENT, err, "mode_count");
  def = basis_def(LB_BASIS_DERIVATIVES, 1001, 4);
  check_fails(lb_basis_make(fem, &def, &basis, &err), LB_ERR_ARGUMENT, err, "1 to 1000");
  def = basis_def(LB_BASIS_DERIVATIVES, 3, 10);
  check_fails(lb_basis_make(fem, &def, &basis, &err), LB_ERR_ARGUMENT, err,
              "dimension of the basis is 10, but 3 modes have only 9 candidates");
  def = basis_def(LB_BASIS_DERIVATIVES, 3, 0);
  check_fails(lb_basis_make(fem, &def, &basis, &err), LB_ERR_ARGUMENT, err, "dimension");
  def = basis_def(LB_BASIS_DERIVATIVES, 20, 100000);
  check_fails(lb_basis_make(fem, &def, &basis, &err), LB_ERR_ARGUMENT, err, "unknowns");
  def = basis_def(LB_BASIS_LINEAR, 500, 1);
  check_fails(lb_basis_make(fem, &def, &basis, &err), LB_ERR_ARGUMENT, err, "ask for");
  def = basis_def(LB_BASIS_KIND_COUNT, 5, 5);
  check_fails(lb_basis_make(fem, &def, &basis, &err), LB_ERR_ARGUMENT, err, "kind of basis");
  def = basis_def(LB_BASIS_LINEAR, 5, 5);
  def.metric = (lbMassKind)7;
  check_fails(lb_basis_make(fem, &def, &basis, &err), LB_ERR_ARGUMENT, err, "metric 7");
  assert_null(basis);
  lb_fem_destroy(fem);
}

static void too_few_independent_vectors_are_counted(void **state) {
  (void)state;
  lbMaterial material = test_material(LB_MATERIAL_STVK);
  lbFem *fem = box_fem(LB_ELEMENT_BRICK8, 1, 1, 1, 1, 1, 1, &material, false); // 24 unknowns
  lbBasisDef def = basis_def(LB_BASIS_DERIVATIVES, 6, 24);
  lbBasis *basis = NULL;
  lbError err;
  check_fails(lb_basis_make(fem, &def, &basis, &err), LB_ERR_ARGUMENT, err, "are independent");
  assert_null(basis);
  lb_fem_destroy(fem);
}

// Of one brick without lateral contraction some derivatives vanish by symmetry. What rounding
// leaves of them must not become a direction.
static void derivatives_that_vanish_are_no_candidates(void **state) {
  (void)state;
  lbMaterial material = test_material(LB_MATERIAL_STVK);
  material.poisson = 0;
  lbFem *fem = box_fem(LB_ELEMENT_BRICK8, 1, 1, 1, 1, 0.9, 1.1, &material, false);
  lbBasisDef def = basis_def(LB_BASIS_DERIVATIVES, 6, 1);
  lbBasis *basis = make_basis(fem, &def);
  assert_int_equal(basis->candidate_count, 25); // of 27
  lb_basis_destroy(basis);
  lb_fem_destroy(fem);
}

// Held along an edge the body swings; two boxes that do not touch move apart.
static void every_number_of_rigid_motions_is_dealt_with(void **state) {
  (void)state;
  lbMaterial material = test_material(LB_MATERIAL_STVK);
  for (int loose = 0; loose < 2; loose++) {
    lbMesh *mesh = box_mesh(LB_ELEMENT_BRICK8, 5, 2, 2, 1, 0.3, 0.2);
    bool *fixed = calloc((size_t)mesh->vertex_count, sizeof(bool));
    if (loose) {
      int32_t kept = 0; // without the bricks of the middle
      for (int32_t b = 0; b < mesh->brick_count; b++)
        if (b % 5 != 2)
          memmove(mesh->bricks + 8 * kept++, mesh->bricks + 8 * b, 8 * sizeof(int32_t));
      mesh->brick_count = kept;
    } else {
      for (int32_t v = 0; v < mesh->vertex_count; v++)
        fixed[v] = mesh->positions[3 * v] < 1e-9 && mesh->positions[3 * v + 1] < 1e-9;
    }
    lbFem *fem = fem_of_mesh(mesh, &material, fixed, LB_MASS_CONSISTENT);
    for (int spectral = 0; spectral < 2; spectral++) {
      lbBasisDef def = basis_def(LB_BASIS_DERIVATIVES, 6, 10);
      def.spectral_deflation = spectral;
      lbBasis *basis = make_basis(fem, &def);
      assert_int_equal(basis->rigid_count, loose ? 12 : 1);
      check_small(orthonormality(fem, fem->mass, 10, basis->vectors), 1e-10);
      lb_basis_destroy(basis);
    }
    free(fixed);
    lb_fem_destroy(fem);
    lb_mesh_destroy(mesh);
  }
}

static void kinds_have_names(void **state) {
  (void)state;
  for (int i = 0; i < LB_BASIS_KIND_COUNT; i++) {
    lbBasisKind kind = LB_BASIS_KIND_COUNT;
    assert_true(lb_basis_kind_parse(lb_basis_kind_name((lbBasisKind)i), &kind));
    assert_int_equal(kind, i);
  }
  lbBasisKind kind;
  assert_false(lb_basis_kind_parse("derivative", &kind));
  assert_string_equal(lb_basis_kind_name(LB_BASIS_KIND_COUNT), "unknown");
  lb_basis_destroy(NULL);
}

static void any_number_of_threads_gives_the_same_bits(void **state) {
  (void)state;
  lbFem *fem = small_bar(LB_ELEMENT_BRICK8, false);
  for (int spectral = 0; spectral < 2; spectral++) {
    uint64_t hashes[2];
    for (int run = 0; run < 2; run++) {
      lbBasisDef def = basis_def(LB_BASIS_DERIVATIVES, 8, 15);
      def.spectral_deflation = spectral;
      lbError err;
      if (run) check_ok(lb_threads_start(3, &err), err);
      lbBasis *basis = make_basis(fem, &def);
      lb_threads_stop();
      hashes[run] = check_hash(0, basis->vectors, 45 * (size_t)fem->vertex_count * sizeof(double));
      lb_basis_destroy(basis);
    }
    assert_true(hashes[0] == hashes[1]);
  }
  lb_fem_destroy(fem);
}

static void failing_allocations_leave_nothing_behind(void **state) {
  (void)state;
  lbMaterial material = test_material(LB_MATERIAL_STVK);
  lbFem *fem = box_fem(LB_ELEMENT_BRICK8, 2, 1, 1, 1, 1, 1, &material, false);
  for (int kind = 0; kind < 4; kind++)
    for (int64_t n = 0;; n++) {
      lbBasisDef def = basis_def(LB_BASIS_DERIVATIVES, 2, 3);
      if (kind == 3) def.kind = LB_BASIS_EXTENDED;
      def.spectral_deflation = kind == 1;
      def.metric = kind == 2 ? LB_MASS_LUMPED : LB_MASS_CONSISTENT;
      CheckedHeap heap = { .fail_at = n };
      lbAllocator allocator = checked_allocator(&heap);
      lbBasis *basis = NULL;
      lbError err;
      lb_set_allocator(&allocator);
      lbStatus status = lb_basis_make(fem, &def, &basis, &err);
      lb_basis_destroy(basis);
      lb_set_allocator(NULL);
      assert_int_equal(heap.live, 0);
      if (status == LB_OK) break;
      assert_int_equal(status, LB_ERR_MEMORY);
      assert_true(n < 5000);
    }
  lb_fem_destroy(fem);
}

static bool stop_at_derivatives(const char *stage, double fraction, void *context) {
  (void)fraction, (void)context;
  return strcmp(stage, "modal derivatives") != 0;
}

static void a_user_can_stop_it(void **state) {
  (void)state;
  lbFem *fem = small_bar(LB_ELEMENT_TET4, true);
  lbBasisDef def = basis_def(LB_BASIS_DERIVATIVES, 3, 4);
  lbBasis *basis = NULL;
  lbError err;
  lb_set_progress(stop_at_derivatives, NULL);
  lbStatus status = lb_basis_make(fem, &def, &basis, &err);
  lb_set_progress(NULL, NULL);
  assert_int_equal(status, LB_ERR_INTERRUPTED);
  assert_null(basis);
  lb_fem_destroy(fem);
}

// ---- published results -------------------------------------------------------------------------

static char *read_shared(const char *path, size_t *bytes) {
  char *content = NULL;
  lbError err;
  check_ok(lb_file_read(path, &content, bytes, &err), err);
  return content;
}

// The bridge with its fixed vertices.
static lbFem *bridge(const char *folder) {
  char path[256];
  lbMesh *mesh = NULL;
  lbError err;
  size_t bytes;
  int32_t *ids = NULL, count = 0;
  snprintf(path, sizeof path, "%s/simpleBridge.bou", folder);
  check_ok(lb_mesh_load("../shared/meshes/tet/simpleBridge_tet.veg", &mesh, &err), err);
  char *text = read_shared(path, &bytes);
  check_ok(lb_read_bou(path, text, bytes, &ids, &count, &err), err);
  bool *fixed = calloc((size_t)mesh->vertex_count, sizeof(bool));
  for (int32_t i = 0; i < count; i++) fixed[ids[i]] = true;
  lbFem *fem = fem_of_mesh(mesh, &mesh->materials[0].material, fixed, LB_MASS_CONSISTENT);
  lb_free(text);
  lb_free(ids);
  free(fixed);
  lb_mesh_destroy(mesh);
  return fem;
}

// render (3 points x columns) = vectors interpolated by "point vertex weight x 4" lines.
static double *interpolate(const char *path, int32_t points, const lbBasis *basis) {
  FILE *file = fopen(path, "r");
  size_t rows = 3 * (size_t)basis->vertex_count, columns = (size_t)basis->dimension;
  double *render = calloc(3 * (size_t)points * columns, sizeof(double));
  assert_non_null(file);
  for (int32_t p = 0; p < points; p++) {
    int id, vertex;
    double weight;
    assert_int_equal(fscanf(file, "%d", &id), 1);
    for (int k = 0; k < 4; k++) {
      assert_int_equal(fscanf(file, "%d %lf", &vertex, &weight), 2);
      for (size_t c = 0; c < columns; c++)
        for (size_t i = 0; i < 3; i++)
          render[(c * (size_t)points + (size_t)id) * 3 + i] +=
              weight * basis->vectors[c * rows + 3 * (size_t)vertex + i];
    }
  }
  fclose(file);
  return render;
}

static void the_published_bridge_has_the_same_modes(void **state) {
  (void)state;
  const char *folder = "../shared/refs/published_simpleBridge";
  char path[256];
  snprintf(path, sizeof path, "%s/simpleBridge.URendering.float", folder);
  if (!check_shared(path)) skip();
  size_t bytes;
  char *content = read_shared(path, &bytes);
  int32_t sizes[2];
  memcpy(sizes, content, sizeof sizes);
  assert_int_equal(sizes[1], 20);
  lbFem *fem = bridge(folder);
  lbBasisDef def = basis_def(LB_BASIS_DERIVATIVES, 10, 20);
  def.metric = LB_MASS_LUMPED;
  def.keep_metric = true;
  lbBasis *basis = make_basis(fem, &def);
  assert_int_equal(basis->candidate_count, 65);
  snprintf(path, sizeof path, "%s/simpleBridge.interp", folder);
  double *render = interpolate(path, sizes[0] / 3, basis), worst = 0;
  for (int32_t c = 0; c < sizes[1]; c++) {
    double xx = 0, yy = 0, xy = 0;
    for (size_t i = 0; i < (size_t)sizes[0]; i++) {
      float value;
      memcpy(&value, content + 8 + 4 * ((size_t)c * (size_t)sizes[0] + i), sizeof value);
      double x = render[(size_t)c * (size_t)sizes[0] + i];
      xx += x * x, yy += (double)value * value, xy += x * value;
    }
    worst = fmax(worst, 1 - fabs(xy) / sqrt(xx * yy));
  }
  print_message("  1 - |cos|: %.2e, tolerance 1e-06\n", worst);
  check_small(worst, 1e-6);
  free(render);
  lb_free(content);
  lb_basis_destroy(basis);
  lb_fem_destroy(fem);
}

static void the_reference_beam_has_its_twenty_frequencies(void **state) {
  (void)state;
  const char *path = "../shared/refs/reduced_beam3_tet/mesh.msh";
  if (!check_shared(path)) skip();
  static const int fixed_ids[] = { 51, 52, 103, 104, 155, 156, 207, 208 };
  static const double frequencies[20] = {
    1.5828528431365885, 2.416986684531462,  9.559751049237635,  13.858553501641772,
    18.633135763240656, 25.213076770340226, 25.74161832046227,  34.89952982884104,
    46.94846079273425,  55.680013632781325, 60.76260554986104,  72.24370848575731,
    76.86002798576538,  89.53484941128164,  92.43379248274908,  101.04093285763578,
    120.20707695768502, 126.74301837877896, 129.45632868799518, 132.38856836164913,
  };
  lbMesh *mesh = NULL;
  lbError err;
  check_ok(lb_mesh_load(path, &mesh, &err), err);
  bool *fixed = calloc((size_t)mesh->vertex_count, sizeof(bool));
  for (size_t i = 0; i < sizeof fixed_ids / sizeof *fixed_ids; i++) fixed[fixed_ids[i] - 1] = true;
  lbMaterial material = lb_material();
  material.young = 1e7;
  lbFem *fem = fem_of_mesh(mesh, &material, fixed, LB_MASS_CONSISTENT);
  lbBasisDef def = basis_def(LB_BASIS_LINEAR, 20, 0);
  lbBasis *basis = make_basis(fem, &def);
  for (int i = 0; i < 20; i++)
    check_near(sqrt(basis->values[i]) / (2 * LB_PI) / frequencies[i], 1, 1e-9);
  free(fixed);
  lb_basis_destroy(basis);
  lb_fem_destroy(fem);
  lb_mesh_destroy(mesh);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(fixed_rows_are_zero_and_vectors_orthonormal),
    cmocka_unit_test(a_free_basis_has_no_momentum),
    cmocka_unit_test(the_basis_does_not_depend_on_stiffness_or_density),
    cmocka_unit_test(the_metric_is_the_bodys_own_unless_kept),
    cmocka_unit_test(all_candidates_together_hold_modes_and_derivatives),
    cmocka_unit_test(counts_that_cannot_be_are_refused),
    cmocka_unit_test(too_few_independent_vectors_are_counted),
    cmocka_unit_test(derivatives_that_vanish_are_no_candidates),
    cmocka_unit_test(every_number_of_rigid_motions_is_dealt_with),
    cmocka_unit_test(kinds_have_names),
    cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
    cmocka_unit_test(failing_allocations_leave_nothing_behind),
    cmocka_unit_test(a_user_can_stop_it),
    cmocka_unit_test(the_published_bridge_has_the_same_modes),
    cmocka_unit_test(the_reference_beam_has_its_twenty_frequencies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
