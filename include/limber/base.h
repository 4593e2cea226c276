// limber/base.h: status and error text, memory, log, progress, parallel work, time.
//
// Library code never prints, exits or aborts on data. Memory, log, progress and parallel work go
// through the hooks below, which a caller may replace: the only globals.
// Set hooks before other threads use the library.
#ifndef LIMBER_BASE_H
#define LIMBER_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LB_VERSION_MAJOR 0
#define LB_VERSION_MINOR 4
#define LB_VERSION_PATCH 0
#define LB_VERSION_TEXT_(a, b, c) #a "." #b "." #c
#define LB_VERSION_OF_(a, b, c) LB_VERSION_TEXT_(a, b, c)
#define LB_VERSION LB_VERSION_OF_(LB_VERSION_MAJOR, LB_VERSION_MINOR, LB_VERSION_PATCH)
#define LB_PI 3.14159265358979323846
#define LB_ALIGNMENT 64 // bytes; every block from lb_alloc starts on such a boundary

#if defined(__GNUC__)
#define LB_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define LB_PRINTF(text, first)
#endif

// ---- version -----------------------------------------------------------------------------------

typedef struct lbVersion {
  int32_t major, minor, patch;
  const char *text; // "major.minor.patch"
} lbVersion;

// Of the library that runs; LB_VERSION is that of the headers a program was compiled with.
lbVersion lb_version(void);

// ---- status ------------------------------------------------------------------------------------

typedef enum lbStatus {
  LB_OK = 0,
  LB_ERR_ARGUMENT,    // an argument is not valid
  LB_ERR_MEMORY,      // an allocation failed
  LB_ERR_FILE,        // a file could not be opened, read or written
  LB_ERR_FORMAT,      // a file's content breaks its format
  LB_ERR_MESH,        // the mesh is not fit for the job: inverted, empty, ...
  LB_ERR_NUMERIC,     // a solve failed
  LB_ERR_UNSUPPORTED, // right in principle, not built or not installed
  LB_ERR_INTERRUPTED, // the progress hook asked to stop
} lbStatus;

typedef struct lbError {
  lbStatus status;
  char text[512]; // one line, no full stop: "beam.msh:17: tet 4 uses vertex 93, the mesh has 80"
} lbError;

// Copies text of foreign origin (names and words from files, names of files) so that a terminal can
// show it: control characters, marks that reorder text and bytes that are not UTF-8 become \n,
// \x1b, \u202e and the like. Cut at `size` bytes, whole characters, always terminated. Returns
// `to`. Messages of lb_fail and lb_log have been through it.
char *lb_printable(char *to, size_t size, const char *from);

// Fills *err (may be NULL) and returns `status`, so that a failing function can end with it.
lbStatus lb_fail(lbError *err, lbStatus status, const char *format, ...) LB_PRINTF(3, 4);
// The message of a failed allocation.
lbStatus lb_fail_memory(lbError *err);
const char *lb_status_name(lbStatus status);
// The nearest of `names` (NULL ends the list) to a misspelt one; NULL when none is near.
const char *lb_nearest_name(const char *name, const char *const *names);

// A number as JSON has it, whatever the locale: so many significant digits (17: every bit
// survives), "null" where it is not finite. All JSON text that limber's C writes has its numbers
// from here.
#define LB_NUMBER_TEXT 40 // bytes that hold any number and the terminating zero
const char *lb_json_number_text(char text[LB_NUMBER_TEXT], double value, int digits);

// For programmer's errors, not a user's: stops the program in debug builds, compiled out in release
// builds.
#ifdef NDEBUG
#define LB_ASSERT(condition) ((void)sizeof(condition))
#else
void lb_assert_failed(const char *condition, const char *file, int line);
#define LB_ASSERT(condition)                                                                       \
  ((condition) ? (void)0 : lb_assert_failed(#condition, __FILE__, __LINE__))
#endif

// ---- memory ------------------------------------------------------------------------------------

typedef struct lbAllocator {
  void *(*allocate)(size_t bytes, void *context); // LB_ALIGNMENT-aligned, or NULL
  void (*release)(void *block, void *context);
  void *context;
} lbAllocator;

// NULL restores the default (the C library's heap).
void lb_set_allocator(const lbAllocator *allocator);

// Zeroed memory for count items of item_bytes each. NULL when it does not fit or overflows; a count
// of zero gives a valid block.
void *lb_alloc(size_t count, size_t item_bytes);
// A copy of a block; NULL on failure.
void *lb_duplicate(const void *source, size_t count, size_t item_bytes);
char *lb_duplicate_text(const char *text);
void lb_free(void *block); // NULL is legal

// Makes room for `needed` items in a block that doubles as it grows. Returns false, with the block
// unharmed, when memory runs out.
bool lb_grow(void **block, size_t *capacity, size_t needed, size_t item_bytes);

// Scratch memory: many small allocations, released together.
typedef struct lbArena {
  struct lbArenaBlock *blocks; // newest first
  size_t block_bytes;          // size of an ordinary block; default 64 KiB
} lbArena;

void *lb_arena_alloc(lbArena *arena, size_t count, size_t item_bytes); // zeroed, 64-byte aligned
void lb_arena_release(lbArena *arena); // frees all of it; the arena can be used again

// ---- log and progress --------------------------------------------------------------------------

typedef enum lbLogLevel { LB_LOG_INFO, LB_LOG_WARNING } lbLogLevel;

// Default: silence.
void lb_set_log(void (*hook)(lbLogLevel level, const char *text, void *context), void *context);
void lb_log(lbLogLevel level, const char *format, ...) LB_PRINTF(2, 3);

// Long work reports the fraction done (0 to 1) of a named stage. A hook that returns false asks it
// to stop: the work then returns LB_ERR_INTERRUPTED and leaves nothing behind.
void lb_set_progress(bool (*hook)(const char *stage, double fraction, void *context),
                     void *context);
bool lb_progress(const char *stage, double fraction);
lbStatus lb_fail_interrupted(lbError *err, const char *stage);

// ---- parallel work -----------------------------------------------------------------------------

// Runs task(i, context) for i in [0, count), in any order, on any threads; returns when all ended.
typedef void lbTask(int32_t index, void *context);
typedef void lbTaskRunner(int32_t count, lbTask *task, void *context, void *runner_context);

// The run side starts no thread: parallel work goes through this hook. NULL: one after another.
void lb_set_task_runner(lbTaskRunner *runner, void *runner_context);

// Cuts [0, count) into ranges of `grain` items (the last may be shorter) and runs them as tasks.
// The cut depends on count and grain alone, so results do not depend on the number of threads.
typedef void lbRangeTask(int32_t begin, int32_t end, void *context);
void lb_parallel_for(int32_t count, int32_t grain, lbRangeTask *task, void *context);

// ---- steps -------------------------------------------------------------------------------------

typedef enum lbStepFlags {   // what a step of a simulator or a body returns, or-ed; 0: all is well
  LB_STEP_NOT_CONVERGED = 1, // ended above the tolerance; the best state found was kept, which the
                             // step's own potential never puts above the one it began with
  LB_STEP_NONFINITE = 2,     // no finite state could be reached; the last good one was kept
  LB_STEP_SHIFTED = 4,       // an indefinite tangent was shifted
  LB_STEP_REFUSED = 8,       // the time step is not a positive number; nothing was done
  LB_STEP_STUCK = 16,        // at rest, yet bent, and not by what acts on it: an equilibrium that
                             // only the reduced body has (too few vectors), not the real one; see
                             // lbBodyDef.recover
  LB_STEP_ADAPTED = 32,      // the step was taken in substeps or by another integrator
  LB_STEP_JUMPED = 64,      // a driven frame moved too far for one step: the body was carried along
  LB_STEP_RECOVERING = 128, // a body that was stuck is being returned to rest (lbBodyDef.recover)
} lbStepFlags;

// Time integration of bodies with inertia. (The modal method's steps are exact.)
typedef enum lbIntegrator {
  LB_INTEGRATOR_NEWMARK, // implicit, β = 1/4, γ = 1/2, started from the consistent acceleration
  LB_INTEGRATOR_EULER,   // implicit
  LB_INTEGRATOR_CENTRAL, // explicit central differences, subspace bodies only: velocities at the
                         // middle of steps carry positions, and are brought to the steps' ends;
                         // stable below lb_body_stable_step, above it every step has
                         // LB_STEP_NOT_CONVERGED
} lbIntegrator;

// ---- time --------------------------------------------------------------------------------------

double lb_seconds(void); // a steady clock, seconds since some fixed moment

#ifdef __cplusplus
}
#endif
#endif
