// The frame that is fitted to a free unreduced body, and what a body reports.
#include "full/full.h"

// The inertia about a centre, by the angular momenta of three unit spins; `work` is a full vector.
static lbMat3 inertia_about_full_axes(const lbFullShared *shared, lbVec3 c, const double *u,
                                      double *work) {
  lbMat3 J;
  for (int k = 0; k < 3; k++) {
    double linear[3], angular[3];
    lbVec3 spin = lb_vec3(k == 0, k == 1, k == 2);
    for (size_t n = 0; n < (size_t)shared->whole.node_count; n++)
      lb_vec3_store(work + 3 * n, lb_cross(spin, lb_sub(lb_whole_place(&shared->whole, u, n), c)));
    lb_fem_momentum(shared->fem, u, work, linear, angular);
    lbVec3 L = lb_sub(lb_vec3_load(angular), lb_cross(c, lb_vec3_load(linear)));
    J.m[k] = L.x, J.m[3 + k] = L.y, J.m[6 + k] = L.z;
  }
  return J;
}

void lb_full_fit_frame(lbBody *body, lbScratch *scratch) {
  const lbFullShared *shared = lb_full_shared(body->prepared);
  lbFullState *state = lb_full_state(body);
  const double *u = state->rows.u;
  double linear[3], angular[3];
  lbVec3 c = lb_whole_centre(&shared->whole, u);
  lb_fem_momentum(shared->fem, u, state->rows.v, linear, angular);
  lbVec3 P = lb_vec3_load(linear), L = lb_sub(lb_vec3_load(angular), lb_cross(c, P));
  lb_whole_fit_frame(body, &shared->whole, &state->T, u, P, L,
                     inertia_about_full_axes(shared, c, u, scratch->call->nodes));
}

static double elastic_of_full_axes(const lbBody *body) {
  const lbFullState *state = lb_full_state(body);
  lbEvaluation found = { 0 };
  if (!isnan(state->rows.elastic)) return state->rows.elastic;
  (void)lb_fem_evaluate(lb_full_shared(body->prepared)->fem, state->rows.u, NULL, NULL, NULL,
                        &found, NULL);
  return found.energy;
}

void lb_full_report(const lbBody *body, lbBodyReport *report, lbScratch *scratch) {
  const lbFullShared *shared = lb_full_shared(body->prepared);
  const lbFem *fem = shared->fem;
  const lbFullState *state = lb_full_state(body);
  double linear[3], angular[3], kinetic = 0;
  const double *v = state->rows.v;
  lb_fem_momentum(fem, state->rows.u, v, linear, angular);
  if (!lb_fem_mass_product(fem, v, scratch->call->nodes, NULL))
    kinetic = 0.5 * lb_row_dot(3 * fem->vertex_count, v, scratch->call->nodes);
  report->kinetic = kinetic;
  report->elastic = elastic_of_full_axes(body);
  lb_whole_report(body, &shared->whole, &state->T, state->rows.u, lb_vec3_load(linear),
                  lb_vec3_load(angular), report);
}
