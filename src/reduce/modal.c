// The modal model after Hauser, Shen & O'Brien 2003: K w = λ M w, u = U z with UᵀMU = 1, and
//   z̈ + (α + β λ) ż + λ z = Uᵀ f.
// Rigid modes are not in U: the frame carries them. A mode may be dropped by two rules:
//   amplitude² / λ < min_resolution / max_force   the largest force moves it less than can be seen
//   frequency > frame_rate / 2                    no frame shows it
// where the amplitude is the largest displacement of a node, or the norm.
#include "reduce/modal.h"

#include "fem/fem.h"
#include "reduce/inertia.h"
#include "reduce/object.h"
#include "reduce/projection.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

lbDiscard lb_discard(void) {
  return (lbDiscard){ .max_force = 60e3, .min_resolution = 1e-4, .frame_rate = 60 };
}

lbModalDef lb_modal_def(void) { return (lbModalDef){ .mode_count = 20, .discard = lb_discard() }; }

// ---- which modes -------------------------------------------------------------------------------

static lbStatus check_modal(const lbReduceDef *def, const lbModalDef *modal, lbError *err) {
  const lbDiscard *d = &modal->discard;
  if (modal->mode_count < 1)
    return lb_fail(err, LB_ERR_ARGUMENT, "model \"%s\": mode_count is %d, it must be at least 1",
                   def->name, (int)modal->mode_count);
  const struct {
    const char *name;
    double value;
  } fields[] = { { "max_force", d->max_force },
                 { "min_resolution", d->min_resolution },
                 { "frame_rate", d->frame_rate } };
  for (size_t i = 0; i < sizeof fields / sizeof *fields && d->on; i++)
    if (!(fields[i].value > 0 && isfinite(fields[i].value)))
      return lb_fail(err, LB_ERR_ARGUMENT, "model \"%s\": discard.%s is %g, it must be positive",
                     def->name, fields[i].name, fields[i].value);
  return LB_OK;
}

static double amplitude(const double *shape, int32_t node_count, bool norm) {
  double largest = 0, sum = 0;
  for (int32_t a = 0; a < node_count; a++) {
    const double *w = shape + 3 * (size_t)a;
    double square = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
    largest = fmax(largest, square);
    sum += square;
  }
  return sqrt(norm ? sum : largest);
}

// The rule "too weak" is asked first.
static lbModeFate fate_of(const lbDiscard *d, double eigenvalue, double size) {
  if (!d->on) return LB_MODE_KEPT;
  if (size * size / eigenvalue < d->min_resolution / d->max_force) return LB_MODE_TOO_WEAK;
  if (sqrt(eigenvalue) / (2 * LB_PI) > d->frame_rate / 2) return LB_MODE_TOO_FAST;
  return LB_MODE_KEPT;
}

static lbStatus choose_modal_modes(const lbModes *modes, const lbReduceDef *def,
                                   const lbDiscard *discard, lbArena *arena, lbModel *draft,
                                   lbError *err) {
  size_t count = (size_t)modes->count;
  double *amplitudes = lb_arena_alloc(arena, count, sizeof *amplitudes);
  int32_t *fates = lb_arena_alloc(arena, count, sizeof *fates);
  if (!amplitudes || !fates) return lb_fail_memory(err);
  int32_t counts[LB_MODE_FATE_COUNT] = { 0 };
  for (size_t i = 0; i < count; i++) {
    const double *shape = modes->shapes + 3 * (size_t)modes->vertex_count * i;
    amplitudes[i] = amplitude(shape, modes->vertex_count, discard->norm);
    fates[i] = fate_of(discard, modes->eigenvalues[i], amplitudes[i]);
    counts[fates[i]]++;
  }
  if (counts[LB_MODE_KEPT] == 0)
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "model \"%s\": no mode is left: of %d, %d are too weak and %d above half the "
                   "frame rate of %g Hz; the lowest has %.4g Hz. Use a softer material, a larger "
                   "max_force or frame_rate, or no discarding",
                   def->name, (int)count, (int)counts[LB_MODE_TOO_WEAK],
                   (int)counts[LB_MODE_TOO_FAST], discard->frame_rate, modes->frequencies[0]);
  draft->size.candidate_count = (int32_t)count;
  draft->size.mode_count = counts[LB_MODE_KEPT];
  draft->candidate_eigenvalues = modes->eigenvalues;
  draft->candidate_amplitudes = amplitudes;
  draft->candidate_fates = fates;
  return LB_OK;
}

// ---- the arrays --------------------------------------------------------------------------------

// The kept ones of the modes; all of them are borrowed, a basis may be large.
static lbStatus keep_modes(const lbModes *modes, lbArena *arena, lbModel *draft, lbError *err) {
  size_t kept = (size_t)draft->size.mode_count, rows = 3 * (size_t)modes->vertex_count, at = 0;
  draft->modal_basis = modes->shapes;
  draft->modal_eigenvalues = modes->eigenvalues;
  draft->modal_residuals = modes->residuals;
  if (kept == (size_t)modes->count) return LB_OK;
  double *basis = lb_arena_alloc(arena, kept * rows, sizeof *basis);
  double *eigenvalues = lb_arena_alloc(arena, kept, sizeof *eigenvalues);
  double *residuals = lb_arena_alloc(arena, kept, sizeof *residuals);
  if (!basis || !eigenvalues || !residuals) return lb_fail_memory(err);
  for (int32_t i = 0; i < modes->count; i++) {
    if (draft->candidate_fates[i] != LB_MODE_KEPT) continue;
    memcpy(basis + rows * at, modes->shapes + rows * (size_t)i, rows * sizeof *basis);
    eigenvalues[at] = modes->eigenvalues[i];
    residuals[at++] = modes->residuals[i];
  }
  draft->modal_basis = basis;
  draft->modal_eigenvalues = eigenvalues;
  draft->modal_residuals = residuals;
  return LB_OK;
}

static lbStatus write_modal_provenance(const lbReduceDef *def, const lbDiscard *d, lbArena *arena,
                                       lbModel *draft, lbError *err) {
  char more[400], rules[200] = "off";
  if (d->on)
    snprintf(rules, sizeof rules,
             "max_force %.17g N, min_resolution %.17g m, frame_rate %.17g Hz, amplitude %s",
             d->max_force, d->min_resolution, d->frame_rate, d->norm ? "norm" : "max");
  snprintf(more, sizeof more,
           "limber: " LB_VERSION "\nmethod: modal\nmodes: %d of %d\ndiscard: %s\n",
           (int)draft->size.mode_count, (int)draft->size.candidate_count, rules);
  draft->provenance = lb_object_provenance(def, more, arena);
  return draft->provenance ? LB_OK : lb_fail_memory(err);
}

// Motions that neither the modes nor the frame of a free body carry.
static void warn_of_loose_parts(const lbModes *modes, const lbReduceDef *def,
                                const lbModel *draft) {
  int32_t carried = lb_model_is_free(draft) ? 6 : 0;
  if (modes->rigid_count > carried)
    lb_log(LB_LOG_WARNING,
           "model \"%s\": %d rigid motions of loose or badly held parts are left out, those parts "
           "stay where they are",
           def->name, (int)(modes->rigid_count - carried));
}

lbStatus lb_modal_draft(const lbFem *fem, const lbModes *modes, const lbReduceDef *def,
                        const lbDiscard *discard, lbArena *arena, lbModel *draft, lbError *err) {
  double *gravity = NULL, *rigid = NULL, *damping = NULL;
  double *first = NULL, *second = NULL;
  lbStatus status = choose_modal_modes(modes, def, discard, arena, draft, err);
  if (!status) status = keep_modes(modes, arena, draft, err);
  if (!status) status = lb_keep_damping(def, arena, &damping, err);
  int32_t count = draft->size.mode_count;
  if (!status) status = lb_project_gravity(draft, count, draft->modal_basis, arena, &gravity, err);
  if (!status) status = lb_project_rigid(fem, draft, count, draft->modal_basis, arena, &rigid, err);
  if (!status)
    status = lb_project_inertia(fem, draft, count, draft->modal_basis, arena, &first, &second, err);
  draft->modal_damping = damping;
  draft->modal_gravity = gravity;
  draft->modal_rigid = rigid;
  draft->modal_inertia_first = first;
  draft->modal_inertia_second = second;
  if (!status) warn_of_loose_parts(modes, def, draft);
  return status;
}

lbStatus lb_reduce_modes(const lbMesh *mesh, const lbFem *fem, const lbModes *modes,
                         const lbReduceDef *def, const lbModalDef *modal, lbModel **out,
                         lbError *err) {
  lbArena arena = { 0 };
  lbModel draft;
  lbStatus status = check_modal(def, modal, err);
  if (!status) status = lb_object_draft(mesh, fem, def, &arena, &draft, err);
  if (!status) status = lb_modal_draft(fem, modes, def, &modal->discard, &arena, &draft, err);
  if (!status) status = write_modal_provenance(def, &modal->discard, &arena, &draft, err);
  if (!status) status = lb_model_create(&draft, out, err);
  lb_arena_release(&arena);
  return status;
}

lbStatus lb_reduce_modal(const lbMesh *mesh, const lbFem *fem, const lbReduceDef *def,
                         const lbModalDef *modal, lbModel **out, lbError *err) {
  lbModes *modes = NULL;
  lbError why = { 0 };
  lbStatus status = check_modal(def, modal, err);
  if (status) return status;
  status = lb_fem_modes(fem, modal->mode_count, &modes, &why);
  if (status == LB_ERR_ARGUMENT || status == LB_ERR_NUMERIC)
    return lb_fail(err, status, "model \"%s\": %s", def->name, why.text);
  if (status) return lb_fail(err, status, "%s", why.text);
  status = lb_reduce_modes(mesh, fem, modes, def, modal, out, err);
  lb_modes_destroy(modes);
  return status;
}
