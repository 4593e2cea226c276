// Benchmarks: rows of measured figures.
#ifndef LIMBER_BENCH_H
#define LIMBER_BENCH_H

#include "limber/build.h"

#include <jansson.h>

typedef struct benchRow {
  const char *name; // stable: "fem.force_stiffness"
  json_t *parameters;
  const char *unit;
  double median, min, p99, max; // times: of the processor, of the thread that asks
  int32_t repeats;
  double paper, peer, limit; // 0: none
  bool counts;               // a median of 0 is a figure
  char note[240];            // what the figures are, or why there is none
} benchRow;

typedef struct benchTable {
  benchRow *rows;
  int32_t count;
  size_t capacity;
  const char *only; // the name of the rows that are wanted; NULL: all
  char *text;       // lines that are printed below the rows; NULL: none
} benchTable;

// s that the calling thread has run so far: what else the machine does is not in it.
double bench_seconds(void);

// Whether this row is wanted: all are, unless one was named.
bool bench_wants(const benchTable *table, const char *name);
// Adds a row; takes over `parameters`. NULL without memory.
benchRow *bench_add(benchTable *table, const char *name, json_t *parameters, const char *unit);
void bench_release(benchTable *table);

// Runs `work` at least 3 times and for about a second, and fills the times (scaled from seconds)
// and repeats.
void bench_time(benchRow *row, double scale, void (*work)(void *context), void *context);
// The same in wall time: for work that other threads or a graphics card do.
void bench_time_wall(benchRow *row, double scale, void (*work)(void *context), void *context);

// For work of seconds: once, and up to three times while all of it takes less than a second.
void bench_time_long(benchRow *row, double scale, void (*work)(void *context), void *context);
// Three times, whatever they take.
void bench_time_thrice(benchRow *row, double scale, void (*work)(void *context), void *context);

// The figures of a row whose value is one number.
void bench_set_value(benchRow *row, double value);
// Median, min, 99th percentile, max (times scale) and repeats of so many times, which it sorts.
void bench_set_times(benchRow *row, double scale, double *times, int32_t count);

double bench_memory_bandwidth(void); // bytes a second: reading a large array, one thread
// Bytes a second: reading `bytes` again and again, from whichever cache holds them, one thread.
double bench_cache_bandwidth(size_t bytes);
double bench_flops(void); // a second: fused multiply-adds in registers, two each, one thread

// What reduced models are made from: a mesh, its supports, its finite elements (StVK).
typedef struct benchObject {
  lbMesh *mesh;
  lbFem *fem;
  const char *name; // of the mesh
  bool is_shell;    // triangles: Discrete Shells
  bool is_bridge;   // simpleBridge_tet.veg, which the peer's figures are of
  int up;           // axis
} benchObject;

// Without a path: the shape. A mesh of triangles is a shell, half a percent of its diagonal thick.
// Without a .bou file: the lowest 5 % along up are fixed.
lbStatus bench_object_make(const char *mesh_path, const char *fixed_path, const lbShapeDef *shape,
                           benchObject *object, lbError *err);
void bench_object_release(benchObject *object);

// Threads: 0 leaves the choice to the benchmark.
lbStatus bench_modal(int32_t threads, benchTable *table, lbError *err);
lbStatus bench_subspace(const char *mesh_path, const char *fixed_path, int32_t threads,
                        benchTable *table, lbError *err);
// Forces by cubature; plot: a file for the error against the number of elements, or NULL; a second
// one, with "-motion" in its name, gets a motion.
lbStatus bench_cubature(const char *mesh_path, const char *fixed_path, const char *plot,
                        int32_t threads, benchTable *table, lbError *err);
// NN-HTP against greedy cubature on shapes of our own.
lbStatus bench_against_greedy(benchTable *table, lbError *err);
// Rows of bodies of a supported model with at least r vectors, and of a free one.
lbStatus bench_held_bodies(const benchObject *object, const lbModel *model, int32_t r,
                           int32_t threads, benchTable *table, lbError *err);
lbStatus bench_free_body(const benchObject *object, const lbModel *model, int32_t r,
                         benchTable *table, lbError *err);
// Forces and stiffnesses in double and single precision.
lbStatus bench_precision(benchTable *table, lbError *err);
lbStatus bench_haptics(const char *mesh_path, const char *fixed_path, double seconds,
                       benchTable *table, lbError *err);
// Ticks of tools of several shapes that press on a soft body in a world; `seconds` for all of them.
lbStatus bench_haptics_tool(double seconds, benchTable *table, lbError *err);
// Stages of building models of a surface at several sizes, each in a process of its own.
lbStatus bench_builds(const char *mesh_path, int32_t threads, benchTable *table, lbError *err);
// Steps of warped stiffness and what it is good for; with a mesh, steps on that, too.
lbStatus bench_warp(const char *mesh_path, const char *fixed_path, const char *plot,
                    int32_t threads, benchTable *table, lbError *err);
// Steps of frames by samples and springs, their weights, and bars beside unreduced ones.
lbStatus bench_frames(benchTable *table, lbError *err);
// Bodies that touch: a bounce, a stack, a pour, the solver, a far body.
lbStatus bench_contact(int32_t threads, benchTable *table, lbError *err);
// Soft and rigid bodies in a heap, some of them joined, and boxes in stacks close to each other.
lbStatus bench_contact_heap(benchTable *table, lbError *err);
lbStatus bench_contact_crowd(benchTable *table, lbError *err);
// Rows of cases whose cost is bounded: 1 : 1000, unreduced bodies on the ground, free cubature.
lbStatus bench_contact_bounds(benchTable *table, lbError *err);
// The same system by limber-mpi, a child process, on one and two ranks; no rows where it is not
// beside this program.
lbStatus bench_engine_petsc(const benchObject *object, benchTable *table, lbError *err);
lbStatus bench_engine_builds(const char *mesh_path, const char *name, int32_t threads,
                             benchTable *table, lbError *err);
// Dense kernels of the engines that are compiled in.
lbStatus bench_engine_kernels(benchTable *table, lbError *err);
// A drag of a handle, and poses of the scenes in `scenes`/poses.
lbStatus bench_edit(const char *scenes, benchTable *table, lbError *err);
lbStatus bench_web(int32_t threads, benchTable *table, lbError *err);
// From a mesh that is dropped on the page to the model that moves there. NULL: a torus.
lbStatus bench_web_build(const char *mesh_path, benchTable *table, lbError *err);
// The surface that is built where none is given.
lbStatus bench_write_torus(const char *path, lbError *err);
// Without a context to draw in: rows that say why.
lbStatus bench_render(benchTable *table, lbError *err);
// One system by every analysis that is compiled in.
lbStatus bench_engines(const char *mesh_path, int32_t threads, benchTable *table, lbError *err);
lbStatus bench_fem(const char *mesh_path, int32_t threads, benchTable *table, lbError *err);

#endif
