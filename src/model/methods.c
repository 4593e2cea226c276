// The table of methods: names, numbers in files, the data of a model for each, and the default
// method. The one place that lists methods; another one is a value of lbMethod and a row.
#include "model/model.h"

#include <string.h>

// ---- what a model has --------------------------------------------------------------------------

static bool view_modal(const lbModel *m, lbModelMethod *out) {
  *out = (lbModelMethod){ .method = LB_METHOD_MODAL,
                          .dimension = m->size.mode_count,
                          .basis = m->modal_basis,
                          .gravity = m->modal_gravity,
                          .rigid = m->modal_rigid,
                          .damping = m->modal_damping,
                          .eigenvalues = m->modal_eigenvalues,
                          .inertia_first = m->modal_inertia_first,
                          .inertia_second = m->modal_inertia_second };
  return out->dimension > 0;
}

static bool view_subspace(const lbModel *m, lbModelMethod *out) {
  *out = (lbModelMethod){ .method = LB_METHOD_SUBSPACE,
                          .dimension = m->size.subspace_dimension,
                          .basis = m->subspace_basis,
                          .gravity = m->subspace_gravity,
                          .rigid = m->subspace_rigid,
                          .damping = m->subspace_damping,
                          .inertia_first = m->subspace_inertia_first,
                          .inertia_second = m->subspace_inertia_second };
  return out->dimension > 0;
}

// Coordinates are the displacements of nodes; gravity and rigid rates follow from these.
static bool view_warp(const lbModel *m, lbModelMethod *out) {
  *out = (lbModelMethod){ .method = LB_METHOD_WARP, .damping = m->warp_damping };
  if (m->warp_settings) out->dimension = 3 * m->size.node_count;
  return out->dimension > 0;
}

// The same; the frames behind them are the method's own affair.
static bool view_frames(const lbModel *m, lbModelMethod *out) {
  *out = (lbModelMethod){ .method = LB_METHOD_FRAMES, .damping = m->frame_damping };
  if (m->size.frame_count > 0) out->dimension = 3 * m->size.node_count;
  return out->dimension > 0;
}

static bool view_recorded(const lbModel *m, lbModelMethod *out) {
  *out = (lbModelMethod){ .method = LB_METHOD_RECORDED,
                          .dimension = m->size.recording_dimension,
                          .basis = m->recording_basis,
                          .damping = m->full_damping };
  return out->dimension > 0;
}

// No coordinates: an empty basis, which is not NULL.
static bool view_rigid(const lbModel *m, lbModelMethod *out) {
  *out = (lbModelMethod){ .method = LB_METHOD_RIGID, .basis = m->node_positions };
  return m->rigid_shape != NULL;
}

// ---- the table ---------------------------------------------------------------------------------

enum { NO_CODE = -1 };

typedef struct MethodRow {
  const char *name; // as scenes spell it
  int32_t code;     // in files; never given to another method
  uint32_t since;   // version of the file format that has bodies by it
  bool (*view)(const lbModel *model, lbModelMethod *out); // NULL: no model has it
} MethodRow;

// Codes are older than the distinction of full and recorded: 0 was both, in files always recorded.
static const MethodRow rows[LB_METHOD_COUNT] = {
  [LB_METHOD_DEFAULT] = { "default", NO_CODE, 0, NULL },
  [LB_METHOD_FULL] = { "full", 5, 3, NULL },
  [LB_METHOD_MODAL] = { "modal", 1, 1, view_modal },
  [LB_METHOD_SUBSPACE] = { "subspace", 2, 1, view_subspace },
  [LB_METHOD_WARP] = { "warp", 3, 4, view_warp },
  [LB_METHOD_FRAMES] = { "frames", 4, 4, view_frames },
  [LB_METHOD_RECORDED] = { "recorded", 0, 2, view_recorded },
  [LB_METHOD_RIGID] = { "rigid", 6, 4, view_rigid },
};

// The default method is the first of these that a model has.
static const lbMethod preferred[] = { LB_METHOD_SUBSPACE, LB_METHOD_MODAL,    LB_METHOD_FRAMES,
                                      LB_METHOD_WARP,     LB_METHOD_RECORDED, LB_METHOD_RIGID };

static bool is_method(lbMethod method) { return (int)method >= 0 && method < LB_METHOD_COUNT; }

const char *lb_method_name(lbMethod method) {
  return is_method(method) ? rows[method].name : "unknown";
}

bool lb_method_from_name(const char *name, lbMethod *out) {
  for (int i = LB_METHOD_DEFAULT + 1; i < LB_METHOD_COUNT; i++)
    if (strcmp(rows[i].name, name) == 0) {
      *out = (lbMethod)i;
      return true;
    }
  return false;
}

int32_t lb_method_code(lbMethod method) { return is_method(method) ? rows[method].code : NO_CODE; }

bool lb_method_from_code(int32_t code, lbMethod *out) {
  for (int i = LB_METHOD_DEFAULT + 1; i < LB_METHOD_COUNT; i++)
    if (rows[i].code == code) {
      *out = (lbMethod)i;
      return true;
    }
  return false;
}

uint32_t lb_method_since(lbMethod method) { return rows[method].since; }

lbMethod lb_world_method(const lbWorldDef *world, int32_t body) {
  lbMethod method = LB_METHOD_DEFAULT;
  lb_method_from_code(world->body_methods[body], &method);
  return method;
}

const double *lb_bundle_shape(const lbBundle *bundle, int32_t body) {
  const lbWorldDef *w = bundle->world;
  size_t begin = 0;
  for (int32_t i = 0; w && i < w->size.shape_count && w->shape_bodies[i] <= body; i++) {
    lbModelMethod method = { .dimension = 0 };
    if (w->shape_bodies[i] == body) return w->shape_coordinates + begin;
    lb_model_method(bundle->models[w->body_models[w->shape_bodies[i]]], LB_METHOD_SUBSPACE,
                    &method);
    begin += (size_t)method.dimension;
  }
  return NULL;
}

// ---- models ------------------------------------------------------------------------------------

lbMethod lb_model_default_method(const lbModel *model) {
  lbModelMethod view;
  for (size_t i = 0; i < sizeof preferred / sizeof *preferred; i++)
    if (rows[preferred[i]].view && rows[preferred[i]].view(model, &view)) return preferred[i];
  return LB_METHOD_DEFAULT;
}

bool lb_model_method(const lbModel *model, lbMethod method, lbModelMethod *out) {
  lbModelMethod view;
  if (method == LB_METHOD_DEFAULT) method = lb_model_default_method(model);
  if (!is_method(method) || !rows[method].view || !rows[method].view(model, &view)) return false;
  *out = view;
  return true;
}

bool lb_model_has(const lbModel *model, lbMethod method) {
  lbModelMethod view;
  return lb_model_method(model, method, &view);
}
