// Modal models: orthonormality, gravity and rigid velocities against the mass matrix, the rules
// that drop modes, what is taken over from the object.
#include "../fem/fem_problems.h"
#include "limber/build.h"

#include "fem/fem.h"

typedef struct Object {
  lbMesh *mesh;
  lbFem *fem;
  lbReduceDef def;
  lbModalDef modal;
} Object;

static Object bar(lbElementKind kind, bool held, lbMassKind mass) {
  lbMaterial material = test_material(LB_MATERIAL_STVK);
  Object o = { .mesh = box_mesh(kind, 6, 2, 2, 1, 0.2, 0.3) };
  bool *fixed = held ? side(o.mesh, 0, 0) : NULL;
  o.fem = fem_of_mesh(o.mesh, &material, fixed, mass);
  free(fixed);
  o.def = lb_reduce_def();
  o.modal = lb_modal_def();
  o.modal.mode_count = 12;
  return o;
}

static void release(Object *o) {
  lb_fem_destroy(o->fem);
  lb_mesh_destroy(o->mesh);
}

static lbModel *reduce(const Object *o) {
  lbModel *model = NULL;
  lbError err;
  check_ok(lb_reduce_modal(o->mesh, o->fem, &o->def, &o->modal, &model, &err), err);
  return model;
}

static const double *shape(const lbModel *model, int32_t mode) {
  return model->modal_basis + 3 * (size_t)model->size.node_count * (size_t)mode;
}

// wᵀ M_ff x of two full vectors.
static double mass_product(const lbFem *fem, const double *w, const double *x) {
  size_t size = 3 * (size_t)fem->node_count;
  double *a = calloc(3 * size, sizeof(double)), sum = 0;
  lb_fem_compress(fem, w, a);
  lb_fem_compress(fem, x, a + size);
  lb_sparse_multiply(fem->mass, a + size, a + 2 * size);
  for (size_t i = 0; i < size; i++) sum += a[i] * a[2 * size + i];
  free(a);
  return sum;
}

// Rigid velocity of every vertex: along x, y, z, about them through the centre.
static double *rigid(const lbModel *model, int motion) {
  double *v = calloc(3 * (size_t)model->size.node_count, sizeof(double)), axis[3] = { 0 };
  axis[motion % 3] = 1;
  for (int32_t a = 0; a < model->size.node_count; a++) {
    const double *x = model->node_positions + 3 * (size_t)a, *c = model->rigid_centre;
    for (int i = 0; i < 3; i++) {
      int j = (i + 1) % 3, k = (i + 2) % 3;
      v[3 * (size_t)a + i] =
          motion < 3 ? axis[i] : axis[j] * (x[k] - c[k]) - axis[k] * (x[j] - c[j]);
    }
  }
  return v;
}

static void the_basis_is_mass_orthonormal_and_zero_where_fixed(void **state) {
  (void)state;
  for_each_element(kind) for (int held = 0; held < 2; held++) {
    for (int mass = LB_MASS_CONSISTENT; mass <= LB_MASS_LUMPED; mass++) {
      Object o = bar(kind, held, (lbMassKind)mass);
      lbModel *model = reduce(&o);
      double worst = 0;
      for (int32_t i = 0; i < 12; i++)
        for (int32_t j = 0; j < 12; j++)
          worst =
              fmax(worst, fabs(mass_product(o.fem, shape(model, i), shape(model, j)) - (i == j)));
      check_small(worst, 1e-10);
      for (size_t k = 0; k < 3 * (size_t)model->size.node_count * 12; k++)
        if (model->node_fixed[k / 3 % (size_t)model->size.node_count])
          assert_true(model->modal_basis[k] == 0);
      assert_int_equal(lb_model_is_free(model), !held);
      assert_true(lb_model_has(model, LB_METHOD_MODAL));
      lb_model_destroy(model);
      release(&o);
    }
  }
}

static void eigenvalues_and_shapes_are_those_of_the_modes(void **state) {
  (void)state;
  Object o = bar(LB_ELEMENT_TET4, true, LB_MASS_CONSISTENT);
  lbModel *model = reduce(&o);
  lbModes *modes;
  lbError err;
  check_ok(lb_fem_modes(o.fem, 12, &modes, &err), err);
  for (int32_t i = 0; i < 12; i++) {
    double omega = 2 * LB_PI * modes->frequencies[i];
    size_t rows = 3 * (size_t)model->size.node_count;
    check_small(model->modal_eigenvalues[i] / (omega * omega) - 1, 1e-14);
    assert_true(model->modal_eigenvalues[i] == modes->eigenvalues[i]);
    assert_true(model->modal_residuals[i] == modes->residuals[i]);
    assert_memory_equal(shape(model, i), modes->shapes + rows * (size_t)i, rows * sizeof(double));
  }
  lb_modes_destroy(modes);
  lb_model_destroy(model);
  release(&o);
}

// K w = λ M w through the body's own tangent at rest.
static void modes_solve_the_eigenproblem_of_the_tangent(void **state) {
  (void)state;
  Object o = bar(LB_ELEMENT_BRICK8, true, LB_MASS_CONSISTENT);
  lbModel *model = reduce(&o);
  double *rest = zeros(o.fem), *Kw = zeros(o.fem);
  for (int32_t i = 0; i < 12; i++) {
    double lambda = 0;
    evaluate(o.fem, rest, NULL, shape(model, i), Kw);
    for (size_t k = 0; k < 3 * (size_t)model->size.node_count; k++)
      lambda += Kw[k] * shape(model, i)[k];
    check_small(lambda / model->modal_eigenvalues[i] - 1, 1e-9);
  }
  free(rest);
  free(Kw);
  lb_model_destroy(model);
  release(&o);
}

// Gravity: M of the same body without supports has the fixed vertices in it.
static void gravity_and_rigid_velocities_are_products_with_the_mass_matrix(void **state) {
  (void)state;
  for_each_element(kind) for (int held = 0; held < 2; held++) {
    Object o = bar(kind, held, LB_MASS_CONSISTENT), loose = bar(kind, false, LB_MASS_CONSISTENT);
    lbModel *model = reduce(&o);
    for (int motion = 0; motion < 6; motion++) {
      double *z = rigid(model, motion);
      for (int32_t i = 0; i < model->size.mode_count; i++) {
        double rigid = mass_product(o.fem, shape(model, i), z);
        check_near(model->modal_rigid[6 * i + motion], rigid, 1e-10);
        if (motion < 3)
          check_near(model->modal_gravity[3 * i + motion],
                     mass_product(loose.fem, shape(model, i), z), 1e-10);
        if (!held) check_small(rigid, 1e-9);
      }
      free(z);
    }
    lb_model_destroy(model);
    release(&o);
    release(&loose);
  }
}

// A box a x b x c of density ρ: I_xx = m (b² + c²) / 12, exactly, by the consistent mass.
static void the_rigid_body_of_a_box_is_exact(void **state) {
  (void)state;
  for_each_element(kind) {
    Object o = bar(kind, true, LB_MASS_CONSISTENT);
    lbModel *model = reduce(&o);
    const double size[3] = { 1, 0.2, 0.3 };
    check_near(model->rigid_mass[0], 60, 1e-10);
    for (int i = 0; i < 3; i++) {
      double b = size[(i + 1) % 3], c = size[(i + 2) % 3];
      check_near(model->rigid_centre[i], size[i] / 2, 1e-13);
      check_near(model->rigid_inertia[4 * i], 60 * (b * b + c * c) / 12, 1e-11);
      check_small(model->rigid_inertia[3 * i + (i + 1) % 3], 1e-12);
    }
    lb_model_destroy(model);
    release(&o);
  }
}

static void lumped_inertia_is_that_of_the_point_masses(void **state) {
  (void)state;
  Object o = bar(LB_ELEMENT_TET4, false, LB_MASS_LUMPED);
  lbModel *model = reduce(&o);
  for (int motion = 3; motion < 6; motion++) {
    double *z = rigid(model, motion); // zᵀ M z is the moment about the axis
    check_near(model->rigid_inertia[4 * (motion - 3)], mass_product(o.fem, z, z), 1e-11);
    free(z);
  }
  lb_model_destroy(model);
  release(&o);
}

// ---- rules -------------------------------------------------------------------------------------

// One tet held at three corners: node 3 alone moves, with consistent mass ρV/10, so that every
// mode is orthonormal with |w| = 1 / sqrt(ρV/10) at that node: amplitude² = 10 / (ρV) by either
// measure.
static Object one_tet(void) {
  static double positions[12] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1 };
  static int32_t tet[4] = { 0, 1, 2, 3 };
  lbMaterial material = test_material(LB_MATERIAL_LINEAR);
  const bool fixed[4] = { true, true, true, false };
  Object o = { .mesh = lb_alloc(1, sizeof(lbMesh)) };
  o.mesh->vertex_count = 4;
  o.mesh->tet_count = 1;
  o.mesh->positions = lb_duplicate(positions, 12, sizeof(double));
  o.mesh->tets = lb_duplicate(tet, 4, sizeof(int32_t));
  o.fem = fem_of_mesh(o.mesh, &material, fixed, LB_MASS_CONSISTENT);
  o.def = lb_reduce_def();
  o.modal = lb_modal_def();
  o.modal.mode_count = 3;
  return o;
}

static void the_modes_of_one_tet_are_those_found_by_hand(void **state) {
  (void)state;
  Object o = one_tet();
  lbModel *model = reduce(&o);
  // Only u of node 3 is free, with gradient u ⊗ e_z: energy V (μ (u_x² + u_y²)/2 + (λ+2μ)/2 u_z²).
  double E = 1e5, nu = 0.3, mu = E / (2 * (1 + nu)), la = E * nu / ((1 + nu) * (1 - 2 * nu));
  double m = 1000.0 / 6 / 10, V = 1.0 / 6;
  check_small(model->modal_eigenvalues[0] / (V * mu / m) - 1, 1e-12);
  check_small(model->modal_eigenvalues[1] / (V * mu / m) - 1, 1e-12);
  check_small(model->modal_eigenvalues[2] / (V * (la + 2 * mu) / m) - 1, 1e-12);
  for (int i = 0; i < 3; i++) check_near(model->candidate_amplitudes[i], sqrt(1 / m), 1e-12);
  lb_model_destroy(model);
  release(&o);
}

static void check_fates(Object *o, int32_t first, int32_t third, int32_t kept) {
  lbModel *model = reduce(o);
  assert_int_equal(model->size.candidate_count, 3);
  assert_int_equal(model->candidate_fates[0], first);
  assert_int_equal(model->candidate_fates[1], first);
  assert_int_equal(model->candidate_fates[2], third);
  assert_int_equal(model->size.mode_count, kept);
  for (int32_t i = 0; i < kept; i++)
    assert_true(model->modal_eigenvalues[i] == model->candidate_eigenvalues[i]);
  lb_model_destroy(model);
}

// By hand, with V/m = 0.01: λ₁ = λ₂ = 384.6, λ₃ = 1346 1/s², amplitude² =
// 0.06, so amplitude²/λ is 1.56e-4 and 4.46e-5 m/N; frequencies 3.12, 3.12 and 5.84 Hz.
static void modes_that_are_too_weak_or_too_fast_are_dropped(void **state) {
  (void)state;
  for (int norm = 0; norm < 2; norm++) {
    Object o = one_tet();
    o.modal.discard = (lbDiscard){ true, 1, 1e-5, 100, norm };
    check_fates(&o, LB_MODE_KEPT, LB_MODE_KEPT, 3);
    o.modal.discard.min_resolution = 4.4e-5;
    check_fates(&o, LB_MODE_KEPT, LB_MODE_KEPT, 3);
    o.modal.discard.min_resolution = 4.5e-5;
    check_fates(&o, LB_MODE_KEPT, LB_MODE_TOO_WEAK, 2);
    o.modal.discard.max_force = 2;
    check_fates(&o, LB_MODE_KEPT, LB_MODE_KEPT, 3);
    o.modal.discard.frame_rate = 11.7;
    check_fates(&o, LB_MODE_KEPT, LB_MODE_KEPT, 3);
    o.modal.discard.frame_rate = 11.6;
    check_fates(&o, LB_MODE_KEPT, LB_MODE_TOO_FAST, 2);
    o.modal.discard.frame_rate = 6.2;
    lbModel *model = NULL;
    lbError err;
    check_fails(lb_reduce_modal(o.mesh, o.fem, &o.def, &o.modal, &model, &err), LB_ERR_ARGUMENT,
                err, "no mode is left");
    assert_null(model);
    release(&o);
  }
}

// The norm grows with the number of nodes, the largest displacement does not.
static void the_two_amplitudes_differ_as_defined(void **state) {
  (void)state;
  Object o = bar(LB_ELEMENT_TET4, true, LB_MASS_CONSISTENT);
  lbModel *largest = reduce(&o);
  o.modal.discard.norm = true;
  lbModel *norm = reduce(&o);
  for (int32_t i = 0; i < 12; i++) {
    double sum = 0, top = 0;
    for (int32_t a = 0; a < norm->size.node_count; a++) {
      const double *w = shape(norm, i) + 3 * (size_t)a;
      double length = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
      sum += length * length;
      top = fmax(top, length);
    }
    check_near(norm->candidate_amplitudes[i], sqrt(sum), 1e-12);
    check_near(largest->candidate_amplitudes[i], top, 1e-14);
    assert_true(norm->candidate_amplitudes[i] > largest->candidate_amplitudes[i]);
    assert_int_equal(norm->candidate_fates[i], LB_MODE_KEPT); // discarding is off
  }
  lb_model_destroy(norm);
  lb_model_destroy(largest);
  release(&o);
}

// A mode between the two amplitudes is dropped by one measure and kept by the other.
static void the_amplitude_decides(void **state) {
  (void)state;
  Object o = bar(LB_ELEMENT_TET4, true, LB_MASS_CONSISTENT);
  lbModel *model = reduce(&o);
  double weakest = model->candidate_amplitudes[11] * model->candidate_amplitudes[11] /
                   model->candidate_eigenvalues[11];
  o.modal.discard = (lbDiscard){ true, 1, 1.01 * weakest, 1e9, false };
  lbModel *by_largest = reduce(&o);
  o.modal.discard.norm = true;
  lbModel *by_norm = reduce(&o);
  assert_int_equal(by_largest->candidate_fates[11], LB_MODE_TOO_WEAK);
  assert_int_equal(by_norm->candidate_fates[11], LB_MODE_KEPT);
  lb_model_destroy(by_norm);
  lb_model_destroy(by_largest);
  lb_model_destroy(model);
  release(&o);
}

// ---- what is taken over ------------------------------------------------------------------------

static void two_materials_are_taken_over(void **state) {
  (void)state;
  Object o = bar(LB_ELEMENT_TET4, true, LB_MASS_CONSISTENT);
  lbMaterial materials[2] = { test_material(LB_MATERIAL_STVK),
                              test_material(LB_MATERIAL_MOONEYRIVLIN) };
  materials[1].density = 2000;
  int32_t *which = calloc((size_t)o.mesh->tet_count, sizeof *which);
  for (int32_t e = 0; e < o.mesh->tet_count; e++) which[e] = e % 3 == 0;
  lbFemDef def = lb_fem_def();
  def.materials = materials;
  def.material_count = 2;
  def.element_materials = which;
  lbError err;
  lb_fem_destroy(o.fem);
  check_ok(lb_fem_create(o.mesh, &def, &o.fem, &err), err);
  lbModel *model = reduce(&o);
  assert_int_equal(model->size.material_count, 2);
  assert_int_equal(model->material_laws[1], LB_MATERIAL_MOONEYRIVLIN);
  const double expected[6] = { 1e5, 0.3, 2000, 1.5e4, 4e3, 5e4 };
  assert_memory_equal(model->material_values + 6, expected, sizeof expected);
  assert_memory_equal(model->element_materials, which, (size_t)o.mesh->tet_count * sizeof *which);
  double sum = 0;
  for (int32_t a = 0; a < model->size.node_count; a++) sum += model->node_masses[a];
  check_near(sum, model->rigid_mass[0], 1e-10);
  check_near(sum, 80, 1e-9); // a third of 60 kg is twice as heavy
  lb_model_destroy(model);
  release(&o);
  free(which);
}

static void without_a_surface_the_boundary_is_carried_by_its_own_nodes(void **state) {
  (void)state;
  Object o = bar(LB_ELEMENT_BRICK8, false, LB_MASS_CONSISTENT);
  lbModel *model = reduce(&o);
  assert_int_equal(model->size.vertex_count, 7 * 3 * 3 - 5);
  assert_int_equal(model->size.carrier_count, model->size.vertex_count);
  assert_int_equal(model->size.triangle_count, 2 * (2 * 4 + 4 * 12));
  for (int32_t v = 0; v < model->size.vertex_count; v++) {
    int32_t node = model->vertex_sources[v];
    assert_int_equal(model->carrier_nodes[v], node);
    assert_true(model->carrier_weights[v] == 1);
    assert_memory_equal(model->vertex_positions + 3 * (size_t)v,
                        o.mesh->positions + 3 * (size_t)node, 3 * sizeof(double));
  }
  lb_model_destroy(model);
  release(&o);
}

static char *owned(const char *text) { return lb_duplicate_text(text); }

// A surface with UVs, a look whose name is not UTF-8, a picture, and one that is missing.
static lbMesh *dressed_surface(void) {
  lbShapeDef def = lb_shape_def("bar");
  lbMesh *surface = NULL;
  lbError err;
  def.size[1] = 0.2, def.size[2] = 0.3;
  check_ok(lb_shape_surface(&def, &surface, &err), err);
  surface->appearance_count = 2;
  surface->appearances = lb_alloc(2, sizeof(lbAppearance));
  surface->appearances[0] = (lbAppearance){ owned("Fl\xe4"
                                                  "che\n"),
                                            { 1, 0.5f, 0, 1 },
                                            0,
                                            0.8f,
                                            1 };
  surface->appearances[1] = (lbAppearance){ owned("Fl\xc3\xa4"
                                                  "che"),
                                            { 0, 0, 1, 1 },
                                            1,
                                            0.1f,
                                            -1 };
  surface->texture_count = 2;
  surface->textures = lb_alloc(2, sizeof(lbTexture));
  surface->textures[0] = (lbTexture){ owned("gone.png"), owned("image/png"), NULL, 0 };
  surface->textures[1] =
      (lbTexture){ owned("x.png"), owned("image/png"), lb_duplicate("PICTURE", 7, 1), 7 };
  surface->triangle_appearances = lb_alloc((size_t)surface->triangle_count, sizeof(int32_t));
  for (int32_t t = 0; t < surface->triangle_count; t++)
    surface->triangle_appearances[t] = t % 3 - 1;
  return surface;
}

static void a_surface_keeps_its_uvs_looks_and_pictures(void **state) {
  (void)state;
  Object o = bar(LB_ELEMENT_TET4, true, LB_MASS_CONSISTENT);
  lbMesh *surface = dressed_surface();
  lbEmbedding *embedding;
  lbError err;
  check_ok(lb_mesh_embed(o.mesh, surface->positions, surface->vertex_count, &embedding, &err), err);
  o.def.surface = surface;
  o.def.up = 'y';
  o.def.name = "bar";
  lbModel *model = NULL;
  check_fails(lb_reduce_modal(o.mesh, o.fem, &o.def, &o.modal, &model, &err), LB_ERR_ARGUMENT, err,
              "embedding");
  o.def.embedding = embedding;
  model = reduce(&o);
  size_t triangles = (size_t)surface->triangle_count;
  assert_int_equal(model->up[0], 1);
  assert_string_equal(model->name, "bar");
  assert_int_equal(model->size.triangle_count, surface->triangle_count);
  assert_memory_equal(model->corner_uvs, surface->corner_uvs, triangles * 6 * sizeof(float));
  assert_memory_equal(model->triangle_appearances, surface->triangle_appearances, triangles * 4);
  assert_string_equal(lb_model_text(model->appearance_names, 0), "Fl?che?");
  assert_string_equal(lb_model_text(model->appearance_names, 1), "Fl\xc3\xa4"
                                                                 "che");
  assert_true(model->appearance_colors[1] == 0.5f && model->appearance_metal_roughness[2] == 1);
  assert_int_equal(model->appearance_textures[0], 1);
  assert_int_equal(model->appearance_textures[1], -1);
  assert_int_equal(model->texture_ranges[1], 0);
  assert_int_equal(model->texture_ranges[3], 7);
  assert_memory_equal(model->pictures + model->texture_ranges[2], "PICTURE", 7);
  assert_string_equal(lb_model_text(model->texture_names, 1), "x.png");
  for (int32_t v = 0; v < model->size.vertex_count; v++) {
    double x[3] = { 0 };
    for (int32_t k = model->carrier_begin[v]; k < model->carrier_begin[v + 1]; k++)
      for (int i = 0; i < 3; i++)
        x[i] += model->carrier_weights[k] *
                model->node_positions[3 * (size_t)model->carrier_nodes[k] + i];
    for (int i = 0; i < 3; i++) check_near(x[i], surface->positions[3 * (size_t)v + i], 1e-12);
    assert_int_equal(model->vertex_sources[v], v);
  }
  lb_model_destroy(model);
  lb_embedding_destroy(embedding);
  lb_mesh_destroy(surface);
  release(&o);
}

static void provenance_has_the_callers_lines_and_the_method(void **state) {
  (void)state;
  Object o = bar(LB_ELEMENT_TET4, true, LB_MASS_CONSISTENT);
  o.def.provenance = "input: bar";
  o.def.damping_mass = 0.5;
  o.def.damping_stiffness = 0.25;
  lbModel *model = reduce(&o);
  assert_string_equal(model->provenance, "input: bar\nlimber: " LB_VERSION
                                         "\nmethod: modal\nmodes: 12 of 12\ndiscard: off\n");
  assert_true(model->modal_damping[0] == 0.5 && model->modal_damping[1] == 0.25);
  lb_model_destroy(model);
  release(&o);
}

// ---- refusals, threads, memory -----------------------------------------------------------------

static void check_refused(const Object *o, const char *part) {
  lbModel *model = NULL;
  lbError err;
  check_fails(lb_reduce_modal(o->mesh, o->fem, &o->def, &o->modal, &model, &err), LB_ERR_ARGUMENT,
              err, part);
  assert_null(model);
}

static void wrong_definitions_are_refused_by_name(void **state) {
  (void)state;
  Object o = bar(LB_ELEMENT_TET4, false, LB_MASS_CONSISTENT), good = o;
  o.modal.mode_count = 0;
  check_refused(&o, "mode_count is 0");
  o.modal.mode_count = 3 * 63;
  check_refused(&o, "at most 183");
  o = good;
  o.def.up = 'x';
  check_refused(&o, "up is 'x'");
  o = good;
  o.def.damping_stiffness = -1;
  check_refused(&o, "damping_stiffness is -1");
  o.def.damping_stiffness = NAN;
  check_refused(&o, "damping_stiffness");
  o = good;
  o.modal.discard.on = true;
  o.modal.discard.max_force = 0;
  check_refused(&o, "discard.max_force is 0");
  o = good;
  lbMesh *other = box_mesh(LB_ELEMENT_TET4, 1, 1, 1, 1, 1, 1);
  o.mesh = other;
  check_refused(&o, "not the one");
  lb_mesh_destroy(other);
  release(&good);
}

static uint64_t hash_of(const Object *o) {
  lbModel *model = reduce(o);
  uint64_t hash = 0;
  for (int32_t i = 0; i < lb_model_array_count(); i++) {
    lbArrayView view = lb_model_array(model, i);
    size_t items = 1;
    for (int32_t k = 0; k < view.rank; k++) items *= (size_t)view.shape[k];
    if (view.data) hash = check_hash(hash, view.data, items * lb_array_item_bytes(view.type));
  }
  lb_model_destroy(model);
  return hash;
}

static void models_have_the_same_bytes_for_any_number_of_threads(void **state) {
  (void)state;
  for_each_element(kind) {
    Object o = bar(kind, true, LB_MASS_CONSISTENT);
    lbError err;
    uint64_t alone = hash_of(&o);
    assert_true(alone == hash_of(&o));
    check_ok(lb_build_start(3, &err), err);
    uint64_t three = hash_of(&o);
    lb_build_stop();
    assert_true(alone == three);
    release(&o);
  }
}

static void every_failing_allocation_is_reported(void **state) {
  (void)state;
  Object o = one_tet();
  lbMesh *surface = dressed_surface();
  lbEmbedding *embedding;
  lbError err;
  check_ok(lb_mesh_embed(o.mesh, surface->positions, surface->vertex_count, &embedding, &err), err);
  lbReduceDef plain = o.def;
  for (int dressed = 0; dressed < 2; dressed++) {
    CheckedHeap heap = { .fail_at = -1 };
    lbAllocator allocator = checked_allocator(&heap);
    o.def = plain;
    if (dressed) o.def.surface = surface, o.def.embedding = embedding;
    lbStatus status = LB_ERR_MEMORY;
    int64_t n = 0;
    for (; status == LB_ERR_MEMORY && n < 10000; n++) {
      lbModel *model = NULL;
      heap = (CheckedHeap){ .fail_at = n };
      lb_set_allocator(&allocator);
      status = lb_reduce_modal(o.mesh, o.fem, &o.def, &o.modal, &model, &err);
      assert_true((model != NULL) == (status == LB_OK));
      lb_model_destroy(model);
      lb_set_allocator(NULL);
      assert_int_equal(heap.live, 0);
    }
    check_ok(status, err);
    assert_true(n > 10);
  }
  lb_embedding_destroy(embedding);
  lb_mesh_destroy(surface);
  release(&o);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_basis_is_mass_orthonormal_and_zero_where_fixed),
    cmocka_unit_test(eigenvalues_and_shapes_are_those_of_the_modes),
    cmocka_unit_test(modes_solve_the_eigenproblem_of_the_tangent),
    cmocka_unit_test(gravity_and_rigid_velocities_are_products_with_the_mass_matrix),
    cmocka_unit_test(the_rigid_body_of_a_box_is_exact),
    cmocka_unit_test(lumped_inertia_is_that_of_the_point_masses),
    cmocka_unit_test(the_modes_of_one_tet_are_those_found_by_hand),
    cmocka_unit_test(modes_that_are_too_weak_or_too_fast_are_dropped),
    cmocka_unit_test(the_two_amplitudes_differ_as_defined),
    cmocka_unit_test(the_amplitude_decides),
    cmocka_unit_test(two_materials_are_taken_over),
    cmocka_unit_test(without_a_surface_the_boundary_is_carried_by_its_own_nodes),
    cmocka_unit_test(a_surface_keeps_its_uvs_looks_and_pictures),
    cmocka_unit_test(provenance_has_the_callers_lines_and_the_method),
    cmocka_unit_test(wrong_definitions_are_refused_by_name),
    cmocka_unit_test(models_have_the_same_bytes_for_any_number_of_threads),
    cmocka_unit_test(every_failing_allocation_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
