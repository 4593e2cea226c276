// Inside the reference simulator (simulator.c has the equations), and a step of it that others take
// part in: they see where it leads before it is kept, and hold forces over it (full/method.c).
#ifndef LB_FEM_SIMULATOR_H
#define LB_FEM_SIMULATOR_H

#include "fem/assembler.h"
#include "fem/border.h"
#include "fem/momentum.h"
#include "fem/springs.h"
#include "fem/supports.h"
#include "linalg/cholesky.h"

struct lbSimulator {
  const lbFem *fem;
  lbSimulatorDef def;
  lbAssembler *assembler;
  lbCholesky *factor;
  lbSparse *K, *system;   // tangent; Newton's matrix
  lbSparse *K_ahead;      // tangent a little farther along v, or where a line search begins; NULL
                          // without stiffness damping
  const lbSparse *damper; // the K of β K v: K, or K_ahead during a line search and where it is
  bool lagged;            // that of the step's start, so that the step has a potential
  double extent;          // m, of the body at rest
  double element_length;  // m, the cube root of an element's mean volume
  bool factored;          // the factor is worth another iteration
  double *factor_u;       // full: where the factor was made, kept while one may be used again,
  double *factor_v;       // system: with the velocity that its damping counts there,
  double factor_h;        // and the length of that step or part; NULL, NULL without factor_reuse
  lbSprings springs;
  lbBorder *border;
  lbSupports *supports; // NULL: they stand still
  lbMomentum *momentum; // of a body that nothing holds; NULL otherwise
  bool conserves;       // the step under way has equations for momenta; a step in which forces are
                        // found sets the momenta of its velocities at its end instead
  bool failed;          // the last step is far from a solution
  bool guarded;         // a body's: its guard takes steps in parts, the simulator does not
  double spring_pull;   // N, the sum of their forces' sizes at the last residual
  size_t size, full_size;
  double time;        // s, when the present step length began
  int64_t step_count; // since then

  // state, written by the end of a step
  double *u, *v;  // full
  double *a;      // system
  double elastic; // energy at u
  lbSimulatorState totals;

  // work, system-sized unless said otherwise
  double *force, *trial, *best;                  // full: R(u), u along and before the line search
  double *load;                                  // f
  double *velocity, *acceleration;               // at the trial displacement
  double *velocity_offset, *acceleration_offset; // v̂, â
  double *start, *scratch;                       // u_n; a + α v
  double *residual, *direction, *product;
  double *kept_u, *kept_v, *kept_a; // full, full, system: the state before a step in parts
  double *lowest, *along;           // full, system: where a line search begins, and its direction
  double *base;                     // full: u_n, carried along by supports that move
  double base_energy;               // elastic, there
  double h, c_v, c_a;               // of the step or part under way
  double norm;                      // of the residual at the trial
  double trial_energy;              // elastic, at the trial
};

// ---- the state from outside --------------------------------------------------------------------

// A state with all that belongs to it, as the simulator itself had it: full rows; elastic: NAN,
// where it is not known. `now` is the frame of supports that move; NULL: they do not. Nothing is
// solved.
typedef struct lbSimulatorRows {
  double *u, *v, *a;
  double elastic;
} lbSimulatorRows;

lbStatus lb_simulator_put(lbSimulator *simulator, const lbSimulatorRows *rows,
                          const lbSupportMotion *now, lbError *err);
void lb_simulator_get(const lbSimulator *simulator, lbSimulatorRows *rows);
// lb_simulator_set_motion with factors of the mass (NULL: it makes its own), supports moving with
// `now` (NULL: as they were).
lbStatus lb_simulator_restart(lbSimulator *simulator, const double *displacement,
                              const double *velocity, const double *load,
                              const lbSupportMotion *now, lbCholesky *mass, lbError *err);
lbStatus lb_simulator_set_damping(lbSimulator *simulator, double mass, double stiffness,
                                  lbError *err);

// ---- a step in which forces are found ----------------------------------------------------------

// How often a force that is held over a step counts at its end: Newmark's rule takes the mean of
// both ends, so twice.
double lb_simulator_held(const lbSimulator *simulator);
// Linearises at the start of a step (the simulator's step length) under a load (full) and takes one
// of Newton's steps from there; `lagged`: damped by the stiffness at the step's start. False: it
// could not.
bool lb_simulator_open(lbSimulator *simulator, const double *load, bool lagged, int32_t *flags);
// One more, from where lb_simulator_judge was; `back` (full) is what it had added to the load.
bool lb_simulator_again(lbSimulator *simulator, const double *back, int32_t *flags);
const double *lb_simulator_trial(const lbSimulator *simulator); // full: where that leads
// moved <- by how much a force at the step's end moves the trial (full vectors, may be the same).
bool lb_simulator_respond(lbSimulator *simulator, const double *force, double *moved);
// The same after lb_simulator_step: with the matrix of its end.
bool lb_simulator_ready(lbSimulator *simulator);

// The potential of the step at a displacement (full) under a load, relative to its start; *rounding
// of it. Damping counts with the stiffness where the matrix was made. What lb_simulator_judge left
// is gone.
double lb_simulator_potential(lbSimulator *simulator, const double *displacement,
                              const double *load, double *rounding);
// full: where the last of Newton's steps began.
const double *lb_simulator_origin(const lbSimulator *simulator);

typedef enum lbVerdict {
  LB_VERDICT_FAR,       // neither solved nor finite
  LB_VERDICT_GO_ON,     // one more iteration
  LB_VERDICT_NEAR,      // above the tolerance, but iterating on does not help
  LB_VERDICT_CONVERGED, //
} lbVerdict;

// Whether a displacement (full) that the trial was moved to solves the step under a load.
lbVerdict lb_simulator_judge(lbSimulator *simulator, const double *displacement, const double *load,
                             int32_t iteration);
// The displacement that was judged becomes the state; false: it is not made of numbers.
bool lb_simulator_keep(lbSimulator *simulator);
// The factor again, from factor_u, factor_v and factor_h.
bool lb_simulator_refactor(lbSimulator *simulator);

#endif
