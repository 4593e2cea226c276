// What a subspace body is made of: its forces, its reduced mass, and the same for other materials
// than the model's.
#include "body/constraints.h"
#include "method/limits.h"
#include "method/subspace/subspace.h"

#include "elastic/element.h"

#include <string.h>

// times the body's size: a displacement that no step may end with. Doubled, bodies fly twice as
// far.
#define ABSURD_SIZES 1e6

// ---- mass --------------------------------------------------------------------------------------

// Density of a material relative to the model's.
static double density_ratio(const lbPrepared *p, int32_t material) {
  double of_model = p->model->material_values[6 * (size_t)material + 2];
  double now = lb_subspace_of(p)->materials[3 * (size_t)material + 2];
  return now == of_model ? 1 : now / of_model;
}

static int32_t model_vector(const lbPrepared *p, int32_t i) { return p->kept ? p->kept[i] : i; }

static double mass_entry(const lbPrepared *p, int32_t i, int32_t j) {
  const lbModel *model = p->model;
  int32_t a = model_vector(p, i), b = model_vector(p, j);
  size_t at = a < b ? lb_packed2(a, b) : lb_packed2(b, a);
  double sum = i == j; // the model's own, which is the identity
  for (int32_t g = 0; g < model->size.material_count; g++)
    sum += (density_ratio(p, g) - 1) *
           model->subspace_mass[(size_t)g * (size_t)model->size.packed2_count + at];
  return sum;
}

static bool form_mass(lbPrepared *p) {
  lbSubspace *s = p->own;
  size_t n = (size_t)s->stride;
  for (int32_t j = 0; j < s->stride; j++)
    for (int32_t i = 0; i < s->stride; i++)
      s->mass[(size_t)j * n + (size_t)i] =
          i < p->dimension && j < p->dimension ? mass_entry(p, i, j) : 0;
  memcpy(s->mass_ldlt, s->mass, n * n * sizeof(double));
  return s->ldlt->factor(p->dimension, s->mass_ldlt) &&
         lb_ldlt_negative_count(p->dimension, s->mass_ldlt) == 0;
}

static void form_gravity(lbPrepared *p) {
  const lbModel *model = p->model;
  lbSubspace *s = p->own;
  for (int32_t i = 0; i < p->dimension; i++)
    for (int c = 0; c < 3; c++) {
      size_t at = 3 * (size_t)model_vector(p, i) + (size_t)c;
      double sum = model->subspace_gravity[at];
      for (int32_t g = 0; g < model->size.material_count; g++)
        sum += (density_ratio(p, g) - 1) *
               model->subspace_pull[3 * (size_t)model->size.subspace_dimension * (size_t)g + at];
      s->gravity[3 * i + c] = sum;
    }
  p->gravity = s->gravity;
}

double lb_element_add_mass(const lbModel *model, lbElementKind kind, const int32_t *nodes,
                           double density, double *node_masses) {
  const double *positions = model->node_positions;
  double corners[3 * LB_ELEMENT_NODES_MAX], rest[LB_ELEMENT_POINTS_MAX * LB_POINT_REST], sum = 0;
  int32_t node_count = lb_element_nodes(kind), point_count = lb_element_points(kind);
  for (int32_t a = 0; a < node_count; a++)
    memcpy(corners + 3 * a, positions + 3 * (size_t)nodes[a], 3 * sizeof(double));
  if (!lb_element_rest(kind, corners, rest, 1)) return 0;
  for (int32_t k = 0; k < point_count; k++) {
    double gradients[3 * LB_ELEMENT_NODES_MAX], values[LB_ELEMENT_NODES_MAX], weight;
    lb_element_shape(kind, k, gradients, values, &weight);
    double mass = density * rest[k * LB_POINT_REST + 9];
    for (int32_t a = 0; a < node_count; a++) node_masses[nodes[a]] += mass * values[a];
    sum += mass;
  }
  return sum;
}

// A third of a triangle's mass at each of its nodes.
static double add_triangle_subspace_material(const lbModel *model, const int32_t *nodes,
                                             double surface_density, double *node_masses) {
  lbVec3 x[3];
  for (int i = 0; i < 3; i++) x[i] = lb_vec3_load(model->node_positions + 3 * (size_t)nodes[i]);
  double area = lb_length(lb_cross(lb_sub(x[1], x[0]), lb_sub(x[2], x[0]))) / 2;
  for (int i = 0; i < 3; i++) node_masses[nodes[i]] += surface_density * area / 3;
  return surface_density * area;
}

// What another density of element e adds to the masses.
static double add_change(const lbModel *model, int32_t e, double change, double *node_masses) {
  int32_t tets = model->size.tet_count, solids = tets + model->size.brick_count;
  if (e < tets)
    return lb_element_add_mass(model, LB_ELEMENT_TET4, model->tets + 4 * (size_t)e, change,
                               node_masses);
  if (e < solids)
    return lb_element_add_mass(model, LB_ELEMENT_BRICK8, model->bricks + 8 * (size_t)(e - tets),
                               change, node_masses);
  double thickness = lb_model_material(model, model->element_materials[e]).thickness;
  return add_triangle_subspace_material(model, model->shells + 3 * (size_t)(e - solids),
                                        thickness * change, node_masses);
}

static void form_node_masses(lbPrepared *p) {
  const lbModel *model = p->model;
  lbSubspace *s = p->own;
  memcpy(s->node_masses, model->node_masses, (size_t)model->size.node_count * sizeof(double));
  p->node_masses = s->node_masses;
  p->mass = model->rigid_mass[0];
  for (int32_t e = 0; e < model->size.element_count; e++) {
    size_t material = (size_t)model->element_materials[e];
    double change = s->materials[3 * material + 2] - model->material_values[6 * material + 2];
    if (change != 0) p->mass += add_change(model, e, change, s->node_masses);
  }
  lbVec3 moment = lb_vec3(0, 0, 0);
  for (int32_t i = 0; i < model->size.node_count; i++)
    moment = lb_add_scaled(moment, s->node_masses[i],
                           lb_vec3_load(model->node_positions + 3 * (size_t)i));
  p->centre = lb_scale(1 / p->mass, moment);
}

static bool densities_are_the_models(const lbPrepared *p) {
  for (int32_t g = 0; g < p->model->size.material_count; g++)
    if (density_ratio(p, g) != 1) return false;
  return true;
}

// The constants of moving frames scale with the density of a single material; of several ones the
// model does not say what each contributes.
static void scale_inertia(lbPrepared *p, double ratio) {
  if (p->model->size.material_count > 1) {
    p->inertia.count = 0;
    return;
  }
  lb_inertia_scale(&p->inertia, ratio, lb_subspace_of(p)->inertia);
}

// Mass and gravity of the present densities; false when they make no positive mass.
static bool weigh_subspace_material(lbPrepared *p) {
  lbSubspace *s = p->own;
  if (densities_are_the_models(p)) {
    s->mass = NULL;
    return true;
  }
  if (!form_mass(p)) return false;
  form_gravity(p);
  form_node_masses(p);
  if (p->inertia.count) scale_inertia(p, density_ratio(p, 0));
  return true;
}

// ---- the stiffest motion -----------------------------------------------------------------------

// By power iteration on M^-1 K, rounded up.
static lbStatus find_stiffest(const lbPrepared *p, lbSubspace *s, lbError *err) {
  int32_t r = p->dimension;
  double *x = lb_alloc(2 * (size_t)s->stride, sizeof *x), value = 0;
  if (!x) return lb_fail_memory(err);
  double *y = x + s->stride;
  for (int32_t i = 0; i < r; i++) x[i] = 1 + 0.3 * (i % 7);
  for (int pass = 0; pass < LB_POWERS_MAX; pass++) {
    double size = sqrt(lb_row_dot(r, x, x));
    if (!(size > 0)) break;
    for (int32_t i = 0; i < r; i++) x[i] /= size;
    lb_subspace_multiply(s, s->rest_stiffness, x, y);
    lb_subspace_mobilise(s, y);
    value = sqrt(lb_row_dot(r, y, y));
    memcpy(x, y, (size_t)r * sizeof *x);
  }
  s->stiffest = 1.01 * value;
  lb_free(x);
  return LB_OK;
}

// A coordinate that moves some point by ABSURD_SIZES sizes of the body.
static double absurd_coordinate(const lbPrepared *p) {
  const lbModel *model = p->model;
  size_t rows = 3 * (size_t)model->size.node_count;
  double low = INFINITY, high = -INFINITY, reach = 0;
  for (size_t i = 0; i < rows; i++) {
    low = fmin(low, model->node_positions[i]);
    high = fmax(high, model->node_positions[i]);
  }
  for (size_t i = 0; i < rows * (size_t)p->dimension; i++) reach = fmax(reach, fabs(p->basis[i]));
  double most = ABSURD_SIZES * (high - low) / reach;
  return most <= LB_BODY_MOST ? most : LB_BODY_MOST;
}

// By the diagonal of the stiffness at rest, which the lowest eigenvalue is no larger than; nearly
// that where vectors are modes.
static double slowest_of(const lbPrepared *p, const lbSubspace *s) {
  double least = INFINITY;
  for (int32_t i = 0; i < p->dimension; i++)
    least = fmin(least, s->rest_stiffness[(size_t)i * (size_t)(s->stride + 1)]);
  return least > 0 ? sqrt(least) : 0;
}

// ---- creation ----------------------------------------------------------------------------------

static lbSubspace *lay_out_subspace_material(const lbPrepared *p, lbSubspace *s, lbCarver *carver) {
  const lbModelSizes *size = &p->model->size;
  size_t n = (size_t)s->stride;
  lbSubspace *at = lb_carve(carver, 1, sizeof *s);
  s->materials = lb_carve(carver, 3 * (size_t)size->material_count, sizeof(double));
  s->factors = lb_carve(carver, n * n, sizeof(double));
  if (!p->base) return at; // the model's own materials
  s->mass = lb_carve(carver, n * n, sizeof(double));
  s->mass_ldlt = lb_carve(carver, n * n, sizeof(double));
  s->gravity = lb_carve(carver, 3 * (size_t)p->dimension, sizeof(double));
  s->node_masses = lb_carve(carver, (size_t)size->node_count, sizeof(double));
  s->inertia = lb_carve(carver, lb_inertia_bytes(p->dimension, p->padded), 1);
  return at;
}

lbStatus lb_subspace_rebuild(lbPrepared *p, const double *materials, lbError *err) {
  lbSubspace draft = { .count = p->dimension,
                       .stride = lb_cubic_padded(p->dimension),
                       .newton = lb_newton_kernels(p->level),
                       .ldlt = lb_ldlt_kernels(p->level),
                       .ldlt_crowd = lb_ldlt_crowd_kernels(p->level),
                       .forces = p->model->size.subspace_part_count ? &lb_polynomial_forces
                                                                    : &lb_cubature_forces };
  lbCarver carver = { 0 };
  lay_out_subspace_material(p, &draft, &carver);
  carver.block = carver.overflow ? NULL : lb_alloc(carver.used, 1);
  if (!carver.block) return lb_fail_memory(err);
  carver.used = 0;
  lbSubspace *s = lay_out_subspace_material(p, &draft, &carver);
  *s = draft;
  p->own = s;
  memcpy(s->materials, materials, 3 * (size_t)p->model->size.material_count * sizeof(double));
  lbStatus status = s->forces->create(p, materials, &s->force_data, err);
  if (status) return status;
  s->rest_stiffness = s->forces->rest_stiffness(s->force_data);
  if (s->forces->energy_noise) p->energy_noise = s->forces->energy_noise(s->force_data);
  if (s->forces->force_noise) s->force_noise = s->forces->force_noise(s->force_data);
  memcpy(s->factors, s->rest_stiffness, (size_t)s->stride * (size_t)s->stride * sizeof(double));
  s->stiff = s->ldlt->factor(p->dimension, s->factors) &&
             lb_ldlt_negative_count(p->dimension, s->factors) == 0;
  s->most = absurd_coordinate(p);
  p->slowest = slowest_of(p, s);
  if (p->base && !weigh_subspace_material(p))
    return lb_fail(err, LB_ERR_NUMERIC,
                   "material: these densities next to each other leave no positive mass");
  return find_stiffest(p, s, err);
}

lbStatus lb_subspace_build(lbPrepared *p, lbError *err) {
  const lbModel *model = p->model;
  int32_t count = model->size.material_count;
  double *materials = lb_alloc((size_t)count, 3 * sizeof(double));
  if (!materials) return lb_fail_memory(err);
  for (int32_t g = 0; g < count; g++)
    memcpy(materials + 3 * (size_t)g, model->material_values + 6 * (size_t)g, 3 * sizeof(double));
  lbStatus status = lb_subspace_rebuild(p, materials, err);
  lb_free(materials);
  return status;
}

void lb_subspace_release(lbPrepared *p) {
  lbSubspace *s = p->own;
  if (!s) return;
  s->forces->destroy(s->force_data);
  lb_free(s);
}

// ---- changes -----------------------------------------------------------------------------------

static lbStatus check_change(const lbBody *body, int32_t material, const double *values,
                             lbError *err) {
  const lbModel *model = body->prepared->model;
  double young = values[0], poisson = values[1], density = values[2];
  const lbBodyMethod *method = body->prepared->method;
  if (method->is_recording) return lb_body_refuse_recording(body, "material");
  if (!method->rebuild)
    return lb_fail(err, LB_ERR_UNSUPPORTED,
                   "material: a body of the method \"%s\" cannot change it; use \"%s\"",
                   lb_method_name(method->method), lb_method_name(LB_METHOD_SUBSPACE));
  if (method->method == LB_METHOD_SUBSPACE && model->size.subspace_part_count == 1)
    return lb_fail(err, LB_ERR_UNSUPPORTED,
                   "material: model \"%s\" cannot change it; build it with --editable",
                   model->name);
  if (material < 0 || material >= model->size.material_count)
    return lb_fail(err, LB_ERR_ARGUMENT, "material: number %d is not among the model's %d",
                   (int)material, (int)model->size.material_count);
  const double *before = method->materials(body->prepared) + 3 * (size_t)material;
  bool rubber = model->material_laws[material] == LB_MATERIAL_MOONEYRIVLIN;
  if (rubber && (young != before[0] || poisson != before[1]))
    return lb_fail(err, LB_ERR_UNSUPPORTED,
                   "material: number %d is Mooney-Rivlin's, which is given by c10, c01 and v1; its "
                   "density alone can change: young %g and poisson %g must stay",
                   (int)material, before[0], before[1]);
  bool sheet = lb_model_material(model, material).stretch > 0;
  if (sheet && (young != before[0] || poisson != before[1]))
    return lb_fail(err, LB_ERR_UNSUPPORTED,
                   "material: number %d is a shell's that is given by stretch, area and bend; its "
                   "density alone can change: young %g and poisson %g must stay",
                   (int)material, before[0], before[1]);
  bool elastic = young > 0 && young <= LB_BODY_MOST && poisson > -1 && poisson < 0.5;
  if (!((rubber || sheet || elastic) && density > 0 && density <= LB_BODY_MOST))
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "material: young %g, poisson %g, density %g; they must be above 0, between -1 "
                   "and 0.5, above 0",
                   young, poisson, density);
  if (!(model->material_values[6 * (size_t)material + 2] > 0))
    return lb_fail(err, LB_ERR_UNSUPPORTED, "material %d has no density in the model",
                   (int)material);
  if (density != before[2] && lb_frame_is_felt(body) && model->size.material_count > 1)
    return lb_fail(err, LB_ERR_UNSUPPORTED,
                   "material: the density of one of several materials cannot change while the "
                   "body's frame moves");
  return LB_OK;
}

// What the bodies have in common, with another material.
static lbStatus derive(const lbBody *body, int32_t material, const double *values, lbPrepared **out,
                       lbError *err) {
  const lbPrepared *now = body->prepared;
  size_t count = (size_t)now->model->size.material_count;
  double *materials = lb_duplicate(now->method->materials(now), 3 * count, sizeof(double));
  lbPrepared *made = NULL;
  if (!materials) return lb_fail_memory(err);
  memcpy(materials + 3 * (size_t)material, values, 3 * sizeof(double));
  lbStatus status = lb_prepared_derive(now, &made, err);
  if (!status) status = now->method->rebuild(made, materials, err);
  if (!status) made->hash = lb_hash(made->hash, materials, 3 * count * sizeof(double));
  lb_free(materials);
  if (status)
    lb_prepared_release(made);
  else
    *out = made;
  return status;
}

// A body goes on with another prepared part: gravity pulls with its masses, momenta stay.
static void swap_subspace_material(lbBody *body, const lbPrepared *to, lbScratch *scratch) {
  const lbPrepared *from = body->prepared;
  if (from->method->forget) from->method->forget(body);
  body->prepared = lb_prepared_retain(to);
  lb_prepared_release(from);
  lb_frame_weigh(body, body->gravity, body->frame.turn, scratch);
  lb_body_disturb(body);
  if (body->constraints) body->constraints->constant = false;
}

// For `count` bodies that lie together.
static lbStatus set_material(lbBody *first, int32_t count, int32_t material, const double *values,
                             lbError *err) {
  lbPrepared *made = NULL;
  lbStatus status = check_change(first, material, values, err);
  if (!status) status = derive(first, material, values, &made, err);
  lbScratch *scratch = status ? NULL : lb_scratch_borrow(made);
  if (!status && !scratch) status = lb_fail_memory(err);
  for (int32_t i = 0; i < count && !status; i++) swap_subspace_material(&first[i], made, scratch);
  lb_scratch_return(first->prepared, scratch); // of the base that both share
  lb_prepared_release(made);
  return status;
}

lbStatus lb_body_set_material(lbBody *body, int32_t material, double young, double poisson,
                              double density) {
  if (!body) return LB_ERR_ARGUMENT;
  const double values[3] = { young, poisson, density };
  return set_material(body, 1, material, values, body->message);
}

lbStatus lb_batch_set_material(lbBatch *batch, int32_t material, double young, double poisson,
                               double density, lbError *err) {
  if (!batch) return lb_refuse_null(err, "batch");
  const double values[3] = { young, poisson, density };
  lbBody *first = lb_batch_body(batch, 0);
  return set_material(first, first->group->count, material, values, err);
}
