// Reduced StVK polynomials from sums over edges and vertices; see polynomial.h.
#include "reduce/polynomial.h"

#include "reduce/engine.h"
#include "reduce/strain_sums.h"

#include <math.h>

static bool in_group(const lbPolynomialDef *def, int32_t group, int32_t element) {
  return group < 0 || (def->element_groups ? def->element_groups[element] : 0) == group;
}

// The elements of a group (-1: all).
typedef struct Elements {
  int32_t *slots; // set after set
  int32_t set_begin[LB_ELEMENT_SETS_MAX + 1];
} Elements;

static void list_slots(const lbFem *fem, const lbPolynomialDef *def, int32_t group,
                       Elements *elements) {
  int32_t used = 0;
  for (int32_t s = 0; s < fem->set_count; s++) {
    const lbElementSet *set = &fem->sets[s];
    for (int32_t slot = 0; slot < set->element_count; slot++)
      if (in_group(def, group, set->elements[slot])) elements->slots[used++] = slot;
    elements->set_begin[s + 1] = used;
  }
}

// Sums over all elements of the list.
static lbStatus sum_elements(lbStrainSums *sums, const Elements *elements, lbStrainWeight weight,
                             lbError *err) {
  static const char stage[] = "reduced polynomials";
  const lbFem *fem = sums->fem;
  const int32_t *set_begin = elements->set_begin;
  lbStatus status = LB_OK;
  lb_strain_sums_clear(sums, weight);
  for (int32_t s = 0; s < fem->set_count; s++)
    for (int32_t done = set_begin[s], taken = 0; done < set_begin[s + 1] && !status;
         done += taken) {
      if (!lb_progress(stage, (double)done / set_begin[fem->set_count]))
        return lb_fail_interrupted(err, stage);
      status = lb_strain_sums_add(sums, &fem->sets[s], elements->slots + done,
                                  set_begin[s + 1] - done, &taken, err);
    }
  return status;
}

// ---- public ------------------------------------------------------------------------------------

static lbStatus check_law(const lbFem *fem, lbError *err) {
  for (int32_t s = 0; s < fem->set_count; s++)
    if (fem->sets[s].model != LB_MATERIAL_STVK)
      return lb_fail(err, LB_ERR_UNSUPPORTED,
                     "%s: element %d has the law \"%s\"; reduced polynomials need \"%s\"",
                     fem->name, (int)fem->sets[s].elements[0],
                     lb_material_model_name(fem->sets[s].model),
                     lb_material_model_name(LB_MATERIAL_STVK));
  return LB_OK;
}

static lbStatus check_polynomial_def(const lbFem *fem, const lbPolynomialDef *def, lbError *err) {
  size_t rows = 3 * (size_t)fem->vertex_count;
  if (def->count < 1 || def->count > LB_POLYNOMIAL_MODES_MAX || !def->basis)
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: a basis of %d modes; give 1 to %d", fem->name,
                   (int)def->count, LB_POLYNOMIAL_MODES_MAX);
  for (size_t i = 0; i < rows * (size_t)def->count; i++)
    if (!isfinite(def->basis[i]))
      return lb_fail(err, LB_ERR_NUMERIC, "%s: mode %d of the basis is not finite at vertex %d",
                     fem->name, (int)(i / rows), (int)(i % rows / 3));
  for (int32_t e = 0; def->group_count > 0 && def->element_groups && e < fem->element_count; e++)
    if (def->element_groups[e] < 0 || def->element_groups[e] >= def->group_count)
      return lb_fail(err, LB_ERR_ARGUMENT, "%s: element %d is in group %d, there are %d", fem->name,
                     (int)e, (int)def->element_groups[e], (int)def->group_count);
  return check_law(fem, err);
}

// The whole, or parts: of each group by λ and by μ.
static lbStatus build_polynomials(const lbFem *fem, const lbPolynomialDef *def, bool whole,
                                  int32_t count, lbPolynomial **parts, lbError *err) {
  lbStrainSums sums = { 0 };
  Elements elements = { 0 };
  int32_t made = 0;
  lbStatus status = check_polynomial_def(fem, def, err);
  if (status) return status;
  if (fem->engine) return lb_reduce_engine(fem)->polynomials(fem, def, whole, count, parts, err);
  elements.slots = lb_alloc((size_t)fem->slot_count, sizeof *elements.slots);
  status = elements.slots ? LB_OK : lb_fail_memory(err);
  if (!status)
    status = lb_strain_sums_open(&sums, fem, def->count, def->basis, (size_t)fem->slot_count, err);
  while (!status && made < count) {
    lbStrainWeight weight = whole           ? LB_STRAIN_WHOLE
                            : made % 2 == 0 ? LB_STRAIN_LAMBDA
                                            : LB_STRAIN_MU;
    status = lb_polynomial_create(def->count, &parts[made], err);
    if (status) break;
    list_slots(fem, def, whole ? -1 : made / 2, &elements);
    status = sum_elements(&sums, &elements, weight, err);
    if (!status) lb_strain_sums_store(&sums, parts[made]);
    made++;
  }
  while (status && made > 0) {
    lb_polynomial_destroy(parts[--made]);
    parts[made] = NULL;
  }
  lb_strain_sums_release(&sums);
  lb_free(elements.slots);
  return status;
}

lbStatus lb_polynomial_build(const lbFem *fem, const lbPolynomialDef *def, lbPolynomial **out,
                             lbError *err) {
  lbPolynomial *polynomial = NULL;
  lbStatus status = build_polynomials(fem, def, true, 1, &polynomial, err);
  if (!status) *out = polynomial;
  return status;
}

lbStatus lb_polynomial_build_parts(const lbFem *fem, const lbPolynomialDef *def,
                                   lbPolynomial **parts, lbError *err) {
  return build_polynomials(fem, def, false, 2 * def->group_count, parts, err);
}
