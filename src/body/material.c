// What a subspace body is made of: its polynomials as tiles, combined from parts where the model
// has two for each material (lambda and mu), its reduced mass, and their changes at run time.
#include "body/subspace_step.h"

#include "elastic/element.h"

#include <string.h>

#define POWER_ITERATIONS 100

// ---- memory ------------------------------------------------------------------------------------

static void place_tiles(lbCubicArrays *tiles, int32_t r, lbCarver *carver) {
  tiles->linear = lb_carve(carver, lb_cubic_linear_size(r), sizeof(double));
  tiles->quadratic = lb_carve(carver, lb_cubic_quadratic_size(r), sizeof(double));
  tiles->cubic = lb_carve(carver, lb_cubic_cubic_size(r), sizeof(double));
}

void lb_material_place(lbBodyCommon *common, lbCarver *carver) {
  const lbModelSizes *size = &common->model->size;
  lbSubspace *s = &common->subspace;
  int32_t r = common->dimension;
  s->stride = lb_cubic_padded(r);
  s->part_count = size->subspace_part_count;
  size_t n = (size_t)s->stride, parts = (size_t)s->part_count;
  place_tiles(&s->tiles, r, carver);
  s->materials = lb_carve(carver, 3 * (size_t)size->material_count, sizeof(double));
  s->gathered = lb_carve(carver, 2 * n, sizeof(double));
  if (s->part_count == 1) return;
  s->parts = lb_carve(carver, parts, sizeof *s->parts);
  s->part_tiles = lb_carve(carver, parts, sizeof *s->part_tiles);
  s->weights = lb_carve(carver, parts, sizeof(double));
  s->mass = lb_carve(carver, n * n, sizeof(double));
  s->mass_ldlt = lb_carve(carver, n * n, sizeof(double));
  s->gravity = lb_carve(carver, 3 * (size_t)r, sizeof(double));
  s->node_masses = lb_carve(carver, (size_t)size->node_count, sizeof(double));
  for (size_t p = 0; p < parts && !carver->overflow; p++) {
    lbCubicArrays unused;
    place_tiles(carver->block ? &s->part_tiles[p] : &unused, r, carver);
  }
}

static lbCubic cubic_of(int32_t r, const lbCubicArrays *tiles) {
  return (lbCubic){
    .count = r, .linear = tiles->linear, .quadratic = tiles->quadratic, .cubic = tiles->cubic
  };
}

// ---- tiles -------------------------------------------------------------------------------------

static void sort(int32_t count, int32_t *values) {
  for (int32_t i = 1; i < count; i++)
    for (int32_t j = i; j > 0 && values[j - 1] > values[j]; j--) {
      int32_t larger = values[j - 1];
      values[j - 1] = values[j], values[j] = larger;
    }
}

static size_t kept3(const int32_t *kept, int32_t i, int32_t j, int32_t k) {
  int32_t t[3] = { kept[i], kept[j], kept[k] };
  sort(3, t);
  return lb_packed3(t[0], t[1], t[2]);
}

static size_t kept4(const int32_t *kept, int32_t i, int32_t j, int32_t k, int32_t l) {
  int32_t t[4] = { kept[i], kept[j], kept[k], kept[l] };
  sort(4, t);
  return lb_packed4(t[0], t[1], t[2], t[3]);
}

static size_t kept2(const int32_t *kept, int32_t i, int32_t j) {
  return kept[i] < kept[j] ? lb_packed2(kept[i], kept[j]) : lb_packed2(kept[j], kept[i]);
}

// Packed coefficients of the vectors kept: P, Q, S one after another.
static void gather_kept(const lbBodyCommon *common, const double *const from[3], double *to) {
  const int32_t *kept = common->kept;
  for (int32_t j = 0; j < common->dimension; j++)
    for (int32_t i = 0; i <= j; i++) *to++ = from[0][kept2(kept, i, j)];
  for (int32_t k = 0; k < common->dimension; k++)
    for (int32_t j = 0; j <= k; j++)
      for (int32_t i = 0; i <= j; i++) *to++ = from[1][kept3(kept, i, j, k)];
  for (int32_t l = 0; l < common->dimension; l++)
    for (int32_t k = 0; k <= l; k++)
      for (int32_t j = 0; j <= k; j++)
        for (int32_t i = 0; i <= j; i++) *to++ = from[2][kept4(kept, i, j, k, l)];
}

// Tiles of a part of the model.
static lbStatus pack(const lbBodyCommon *common, int32_t part, const lbCubicArrays *out,
                     lbError *err) {
  const lbModel *model = common->model;
  const lbModelSizes *size = &model->size;
  int32_t r = common->dimension;
  size_t p = (size_t)part;
  const double *const from[3] = { model->subspace_linear + p * (size_t)size->packed2_count,
                                  model->subspace_quadratic + p * (size_t)size->packed3_count,
                                  model->subspace_cubic + p * (size_t)size->packed4_count };
  if (!common->kept) {
    lb_cubic_pack(r, from[0], from[1], from[2], out);
    return LB_OK;
  }
  size_t count2 = lb_packed2_count(r), count3 = lb_packed3_count(r), count4 = lb_packed4_count(r);
  double *gathered = lb_alloc(count2 + count3 + count4, sizeof(double));
  if (!gathered) return lb_fail_memory(err);
  gather_kept(common, from, gathered);
  lb_cubic_pack(r, gathered, gathered + count2, gathered + count2 + count3, out);
  lb_free(gathered);
  return LB_OK;
}

static void combine(lbSubspace *s, int32_t material_count) {
  for (int32_t g = 0; g < material_count; g++) {
    double young = s->materials[3 * g], poisson = s->materials[3 * g + 1];
    s->weights[2 * g] = poisson * young / ((1 + poisson) * (1 - 2 * poisson));
    s->weights[2 * g + 1] = young / (2 * (1 + poisson));
  }
  lb_cubic_combine(s->part_count, s->parts, s->weights, &s->tiles);
}

// ---- mass --------------------------------------------------------------------------------------

// Density of a material relative to the model's.
static double density_ratio(const lbBodyCommon *common, int32_t material) {
  double of_model = common->model->material_values[6 * (size_t)material + 2];
  double now = common->subspace.materials[3 * (size_t)material + 2];
  return now == of_model ? 1 : now / of_model;
}

static int32_t model_vector(const lbBodyCommon *common, int32_t i) {
  return common->kept ? common->kept[i] : i;
}

static double mass_entry(const lbBodyCommon *common, int32_t i, int32_t j) {
  const lbModel *model = common->model;
  int32_t a = model_vector(common, i), b = model_vector(common, j);
  size_t at = a < b ? lb_packed2(a, b) : lb_packed2(b, a);
  double sum = i == j; // the model's own, which is the identity
  for (int32_t g = 0; g < model->size.material_count; g++)
    sum += (density_ratio(common, g) - 1) *
           model->subspace_mass[(size_t)g * (size_t)model->size.packed2_count + at];
  return sum;
}

static bool form_mass(lbBodyCommon *common) {
  lbSubspace *s = &common->subspace;
  size_t n = (size_t)s->stride;
  for (int32_t j = 0; j < s->stride; j++)
    for (int32_t i = 0; i < s->stride; i++)
      s->mass[(size_t)j * n + (size_t)i] =
          i < common->dimension && j < common->dimension ? mass_entry(common, i, j) : 0;
  memcpy(s->mass_ldlt, s->mass, n * n * sizeof(double));
  return s->ldlt->factor(common->dimension, s->mass_ldlt) &&
         lb_ldlt_negative_count(common->dimension, s->mass_ldlt) == 0;
}

static void form_gravity(lbBodyCommon *common) {
  const lbModel *model = common->model;
  lbSubspace *s = &common->subspace;
  for (int32_t i = 0; i < common->dimension; i++)
    for (int c = 0; c < 3; c++) {
      size_t at = 3 * (size_t)model_vector(common, i) + (size_t)c;
      double sum = model->subspace_gravity[at];
      for (int32_t g = 0; g < model->size.material_count; g++)
        sum += (density_ratio(common, g) - 1) *
               model->subspace_pull[3 * (size_t)model->size.subspace_dimension * (size_t)g + at];
      s->gravity[3 * i + c] = sum;
    }
  common->gravity = s->gravity;
}

// What an element's other density adds to the masses of its nodes: the integral of N.
static double add_element(lbBodyCommon *common, lbElementKind kind, const int32_t *nodes,
                          double density) {
  const double *positions = common->model->node_positions;
  double corners[3 * LB_ELEMENT_NODES_MAX], rest[LB_ELEMENT_POINTS_MAX * LB_POINT_REST], sum = 0;
  int32_t node_count = lb_element_nodes(kind), point_count = lb_element_points(kind);
  for (int32_t a = 0; a < node_count; a++)
    memcpy(corners + 3 * a, positions + 3 * (size_t)nodes[a], 3 * sizeof(double));
  if (!lb_element_rest(kind, corners, rest, 1)) return 0;
  for (int32_t p = 0; p < point_count; p++) {
    double gradients[3 * LB_ELEMENT_NODES_MAX], values[LB_ELEMENT_NODES_MAX], weight;
    lb_element_shape(kind, p, gradients, values, &weight);
    double mass = density * rest[p * LB_POINT_REST + 9];
    for (int32_t a = 0; a < node_count; a++)
      common->subspace.node_masses[nodes[a]] += mass * values[a];
    sum += mass;
  }
  return sum;
}

static void form_node_masses(lbBodyCommon *common) {
  const lbModel *model = common->model;
  lbSubspace *s = &common->subspace;
  memcpy(s->node_masses, model->node_masses, (size_t)model->size.node_count * sizeof(double));
  common->node_masses = s->node_masses;
  common->total_mass = model->rigid_mass[0];
  common->centre = lb_vec3_load(model->rigid_centre);
  if (s->unit_mass) return;
  for (int32_t e = 0; e < model->size.element_count; e++) {
    size_t material = (size_t)model->element_materials[e];
    double change = s->materials[3 * material + 2] - model->material_values[6 * material + 2];
    bool tet = e < model->size.tet_count;
    if (change == 0) continue;
    const int32_t *nodes =
        tet ? model->tets + 4 * (size_t)e : model->bricks + 8 * (size_t)(e - model->size.tet_count);
    common->total_mass +=
        add_element(common, tet ? LB_ELEMENT_TET4 : LB_ELEMENT_BRICK8, nodes, change);
  }
  lbVec3 moment = lb_vec3(0, 0, 0);
  for (int32_t i = 0; i < model->size.node_count; i++)
    moment = lb_add_scaled(moment, s->node_masses[i],
                           lb_vec3_load(model->node_positions + 3 * (size_t)i));
  common->centre = lb_scale(1 / common->total_mass, moment);
}

static bool densities_are_the_models(const lbBodyCommon *common) {
  for (int32_t g = 0; g < common->model->size.material_count; g++)
    if (density_ratio(common, g) != 1) return false;
  return true;
}

// Mass and gravity of the present densities; false when they make no positive mass.
static bool weigh(lbBodyCommon *common) {
  lbSubspace *s = &common->subspace;
  s->unit_mass = densities_are_the_models(common);
  if (!s->unit_mass && !form_mass(common)) return false;
  if (common->model->subspace_pull && s->gravity) {
    form_gravity(common);
    form_node_masses(common);
  }
  return true;
}

// ---- the stiffest motion -----------------------------------------------------------------------

// By power iteration on M^-1 P, rounded up.
static double find_stiffest(const lbBodyCommon *common) {
  const lbSubspace *s = &common->subspace;
  double *x = s->gathered, *y = s->gathered + s->stride, value = 0;
  int32_t r = common->dimension;
  memset(s->gathered, 0, 2 * (size_t)s->stride * sizeof *x);
  for (int32_t i = 0; i < r; i++) x[i] = 1 + 0.3 * (i % 7);
  for (int pass = 0; pass < POWER_ITERATIONS; pass++) {
    double size = sqrt(lb_subspace_dot(r, x, x));
    if (!(size > 0)) return value;
    for (int32_t i = 0; i < r; i++) x[i] /= size;
    lb_subspace_multiply(s, s->cubic.linear, x, y);
    lb_subspace_mobilise(s, y);
    value = sqrt(lb_subspace_dot(r, y, y));
    memcpy(x, y, (size_t)r * sizeof *x);
  }
  return 1.01 * value;
}

// ---- creation and changes ----------------------------------------------------------------------

lbStatus lb_material_build(lbBodyCommon *common, lbError *err) {
  const lbModel *model = common->model;
  lbSubspace *s = &common->subspace;
  lbStatus status = LB_OK;
  for (int32_t g = 0; g < model->size.material_count; g++)
    memcpy(s->materials + 3 * (size_t)g, model->material_values + 6 * (size_t)g,
           3 * sizeof(double));
  s->cubic = cubic_of(common->dimension, &s->tiles);
  s->unit_mass = true;
  s->edition = 1;
  if (s->part_count == 1) {
    status = pack(common, 0, &s->tiles, err);
  } else {
    for (int32_t p = 0; p < s->part_count && !status; p++) {
      s->parts[p] = cubic_of(common->dimension, &s->part_tiles[p]);
      status = pack(common, p, &s->part_tiles[p], err);
    }
    if (!status) combine(s, model->size.material_count);
  }
  if (!status) s->stiffest = find_stiffest(common);
  return status;
}

static lbStatus check_change(const lbBody *body, int32_t material, double young, double poisson,
                             double density) {
  const lbModel *model = body->common->model;
  lbError *err = body->message;
  if (body->common->method != &lb_subspace_method)
    return lb_fail(err, LB_ERR_UNSUPPORTED,
                   "material: a body of the method \"%s\" cannot change it; use \"%s\"",
                   lb_method_name(body->common->method->method),
                   lb_method_name(LB_METHOD_SUBSPACE));
  if (body->common->subspace.part_count == 1)
    return lb_fail(err, LB_ERR_UNSUPPORTED,
                   "material: model \"%s\" cannot change it; build it with --editable",
                   model->name);
  if (material < 0 || material >= model->size.material_count)
    return lb_fail(err, LB_ERR_ARGUMENT, "material: number %d is not among the model's %d",
                   (int)material, (int)model->size.material_count);
  if (!(young > 0 && young <= LB_BODY_MOST && poisson > -1 && poisson < 0.5 && density > 0 &&
        density <= LB_BODY_MOST))
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "material: young %g, poisson %g, density %g; they must be above 0, between -1 "
                   "and 0.5, above 0",
                   young, poisson, density);
  if (!(model->material_values[6 * (size_t)material + 2] > 0))
    return lb_fail(err, LB_ERR_UNSUPPORTED, "material %d has no density in the model",
                   (int)material);
  return LB_OK;
}

// All bodies begin anew with their accelerations, and gravity pulls with the new masses.
static void tell_bodies(lbBodyCommon *common) {
  for (int32_t b = 0; b < common->block_count; b++)
    for (int32_t i = 0; i < common->blocks[b].count; i++) {
      lbBody *body = common->blocks[b].bodies[i];
      lb_body_set_steady(body, body->gravity, body->turn);
      lb_body_disturb(body);
    }
}

lbStatus lb_body_set_material(lbBody *body, int32_t material, double young, double poisson,
                              double density) {
  lbBodyCommon *common = body->common;
  lbSubspace *s = &common->subspace;
  if (common->method->is_recording) return lb_body_refuse_recording(body, "material");
  lbStatus status = check_change(body, material, young, poisson, density);
  if (status) return status;
  double *values = s->materials + 3 * (size_t)material;
  const double before[3] = { values[0], values[1], values[2] };
  bool heavier = density != values[2];
  values[0] = young, values[1] = poisson, values[2] = density;
  if (heavier && !weigh(common)) {
    memcpy(values, before, sizeof before);
    weigh(common);
    return lb_fail(body->message, LB_ERR_NUMERIC,
                   "material: a density of %g next to the others leaves no positive mass", density);
  }
  if (young != before[0] || poisson != before[1]) combine(s, common->model->size.material_count);
  s->edition = s->edition == INT32_MAX ? 2 : s->edition + 1;
  s->stiffest = find_stiffest(common);
  tell_bodies(common);
  return LB_OK;
}
