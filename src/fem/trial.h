// The trial of a step: a displacement at its end, s->trial, with the rates, the residual and the
// potential that belong to it, and the matrix there. simulator.c iterates over it, and so do others
// that hold forces over the step (found.c).
#ifndef LB_FEM_TRIAL_H
#define LB_FEM_TRIAL_H

#include "fem/simulator.h"

// Nearer than this, relative to the load, rounding is what keeps a residual above its tolerance.
#define LB_TRIAL_NEARLY 1e-6
// With fewer iterations than these the user chose speed: the result is not tried
// again.
#define LB_TRIAL_FEW 5

enum { LB_TRIAL_HALVINGS = 12 }; // of an iteration, in search of a lower potential

// simulator.c
lbStatus lb_simulator_check(const lbSimulatorDef *def, const char *name, lbError *err);
lbStatus lb_simulator_begin(lbSimulator *s, const double *displacement, const double *velocity,
                            const double *load, lbCholesky *mass, lbError *err);

void lb_trial_begin(lbSimulator *s, double h); // a step or part of this length, from the state
// The trial becomes u_n, carried along by the supports; or of that and where constant acceleration
// would lead the one with the smaller residual (true: the latter).
void lb_trial_stay(lbSimulator *s);
bool lb_trial_choose_start(lbSimulator *s);
void lb_trial_examine(lbSimulator *s);
double lb_trial_residual(lbSimulator *s, const double *displacement);
bool lb_trial_may_conserve(const lbSimulator *s); // nothing holds the body
// The residual at s->u without accelerations <- with the resultants of external forces alone.
void lb_trial_balance(lbSimulator *s);
double lb_trial_potential(lbSimulator *s, double *rounding);
// The matrix at the trial, factored; at another displacement with s->K and the velocity that
// damping counts. False: it cannot be.
bool lb_trial_factor(lbSimulator *s, int32_t *flags);
bool lb_trial_factor_at(lbSimulator *s, const double *u, const double *velocity, int32_t *flags);
bool lb_trial_solve(lbSimulator *s, int32_t *flags); // s->direction <- the move by the residual
void lb_trial_move(lbSimulator *s, double t);
void lb_trial_keep_damper(lbSimulator *s);
double lb_trial_scale(lbSimulator *s);
bool lb_trial_has_converged(lbSimulator *s);
bool lb_trial_commit(lbSimulator *s);

#endif
