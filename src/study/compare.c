// One scene by every method: played by each, frame by frame beside the unreduced motion.
#include "limber/compare.h"

#include "limber/file.h"
#include "study/plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const names[] = {
  "full", "warp", "subspace", "cubature", "modal", "frames", NULL
};
_Static_assert(sizeof names / sizeof *names == LB_WAY_COUNT + 1, "a name each");

const char *const *lb_way_names(void) { return names; }

lbCompareDef lb_compare_def(void) { return (lbCompareDef){ .step_count = -1, .frame_rate = 60 }; }

void lb_compare_destroy(lbCompare *compare) {
  for (int32_t i = 0; compare && i < compare->way_count; i++) {
    lb_run_destroy(compare->ways[i].run);
    lb_free(compare->ways[i].errors);
  }
  lb_free(compare);
}

// ---- ways --------------------------------------------------------------------------------------

static lbMethod method_of(lbWay way) {
  static const lbMethod methods[LB_WAY_COUNT] = {
    [LB_WAY_FULL] = LB_METHOD_FULL,         [LB_WAY_WARP] = LB_METHOD_WARP,
    [LB_WAY_SUBSPACE] = LB_METHOD_SUBSPACE, [LB_WAY_CUBATURE] = LB_METHOD_SUBSPACE,
    [LB_WAY_MODAL] = LB_METHOD_MODAL,       [LB_WAY_FRAMES] = LB_METHOD_FRAMES,
  };
  return methods[way];
}

static bool is_polynomial(const lbSceneBody *body) {
  if (body->model) return body->model->size.subspace_part_count > 0;
  for (int32_t i = 0; i < body->material_count; i++)
    if (body->materials[i].model != LB_MATERIAL_STVK) return false;
  return true;
}

// A model can be played by the methods that were built into it, and unreduced.
static bool suits(const lbSceneBody *body, lbWay way) {
  if (way == LB_WAY_SUBSPACE && !is_polynomial(body)) return false;
  if (!body->model || way == LB_WAY_FULL) return true;
  if (way == LB_WAY_CUBATURE && is_polynomial(body)) return false;
  return lb_model_has(body->model, method_of(way));
}

static int32_t choose_ways(const lbScene *scene, const lbCompareDef *def, lbWay *ways) {
  int32_t count = 0;
  for (int32_t i = 0; i < def->way_count && def->ways; i++) ways[count++] = def->ways[i];
  for (int way = 0; way < LB_WAY_COUNT && !def->ways; way++) {
    bool all = true;
    for (int32_t b = 0; b < scene->body_count; b++) all &= suits(&scene->bodies[b], (lbWay)way);
    if (all) ways[count++] = (lbWay)way;
  }
  return count;
}

// What a way changes in a body of the scene.
typedef struct Choice {
  lbMethod method;
  lbForceKind forces;
} Choice;

static Choice choice_of(const lbSceneBody *body) {
  return (Choice){ body->method, body->subspace.forces };
}

static void choose_compared_method(lbSceneBody *body, Choice choice) {
  body->method = choice.method;
  body->subspace.forces = choice.forces;
}

static Choice wanted_choice(const lbSceneBody *body, lbWay way) {
  lbForceKind forces = way == LB_WAY_CUBATURE   ? LB_FORCES_CUBATURE
                       : way == LB_WAY_SUBSPACE ? LB_FORCES_POLYNOMIAL
                                                : body->subspace.forces;
  return (Choice){ method_of(way), forces };
}

// ---- playing -----------------------------------------------------------------------------------

static lbStatus refuse_way(const lbScene *scene, lbWay way, lbError *err) {
  for (int32_t i = 0; i < scene->body_count; i++) {
    const lbSceneBody *body = &scene->bodies[i];
    if (suits(body, way)) continue;
    if (way == LB_WAY_SUBSPACE && !body->model)
      return lb_fail(err, LB_ERR_UNSUPPORTED,
                     "body \"%s\": polynomials are only for the material \"stvk\", use cubature",
                     body->name);
    return lb_fail(err, LB_ERR_UNSUPPORTED, "body \"%s\": the model was not built for %s",
                   body->name, names[way]);
  }
  return LB_OK;
}

static void summarise_comparison(lbComparedWay *way) {
  way->make_seconds = way->run->make_seconds;
  for (int32_t i = 0; i < way->run->body_count; i++) {
    const lbRunBody *body = &way->run->bodies[i];
    way->dimension += body->dimension;
    way->step_median += body->step_median;
    way->step_p99 += body->step_p99;
  }
}

static lbStatus play_compared_method(lbScene *scene, const lbCompareDef *def, lbComparedWay *way,
                                     lbError *err) {
  lbRunDef run = lb_run_def();
  run.step_count = def->step_count;
  run.frame_rate = def->frame_rate;
  lbError why = { 0 };
  lbStatus status = refuse_way(scene, way->way, &why);
  if (!status) status = lb_run(scene, &run, &way->run, &why);
  if (!status)
    summarise_comparison(way);
  else if (status == LB_ERR_MEMORY || status == LB_ERR_INTERRUPTED)
    return lb_fail(err, status, "%s", why.text);
  else
    snprintf(way->refused, sizeof way->refused, "%.399s", why.text);
  return LB_OK;
}

static lbStatus play_way(lbScene *scene, const lbCompareDef *def, lbComparedWay *way,
                         lbError *err) {
  Choice *before = lb_alloc((size_t)scene->body_count, sizeof *before);
  if (!before) return lb_fail_memory(err);
  for (int32_t i = 0; i < scene->body_count; i++) {
    before[i] = choice_of(&scene->bodies[i]);
    choose_compared_method(&scene->bodies[i], wanted_choice(&scene->bodies[i], way->way));
  }
  lbStatus status = play_compared_method(scene, def, way, err);
  for (int32_t i = 0; i < scene->body_count; i++)
    choose_compared_method(&scene->bodies[i], before[i]);
  lb_free(before);
  return status;
}

// ---- judging -----------------------------------------------------------------------------------

typedef struct Sums {
  double off, moved; // m²
  double farthest;   // m²
} Sums;

static void add_comparison_vertices(int32_t count, const float *x, const float *full,
                                    const float *start, Sums *sums) {
  for (size_t v = 0; v < (size_t)count; v++) {
    double off = 0, moved = 0;
    for (size_t i = 3 * v; i < 3 * v + 3; i++) {
      double d = (double)x[i] - (double)full[i], m = (double)full[i] - (double)start[i];
      off += d * d, moved += m * m;
    }
    sums->off += off;
    sums->moved += moved;
    sums->farthest = fmax(sums->farthest, off);
  }
}

static lbStatus judge_compared_method(const lbCompare *compare, const lbRun *full,
                                      lbComparedWay *way, lbError *err) {
  const lbRun *run = way->run;
  Sums all = { 0 };
  float *room = lb_alloc((size_t)compare->vertex_count, 9 * sizeof(float));
  way->errors = lb_alloc((size_t)run->frame_count, sizeof(double));
  if (!room || !way->errors) {
    lb_free(room);
    return lb_fail_memory(err);
  }
  for (int32_t f = 0; f < run->frame_count; f++) {
    Sums frame = { 0 };
    for (int32_t b = 0; b < run->body_count; b++) {
      int32_t count = run->bodies[b].surface->vertex_count;
      float *x = room, *reference = x + 3 * (size_t)count, *start = reference + 3 * (size_t)count;
      lb_run_frame(run, b, f, x);
      lb_run_frame(full, b, f, reference);
      lb_run_frame(full, b, 0, start);
      add_comparison_vertices(count, x, reference, start, &frame);
    }
    way->errors[f] = sqrt(frame.off / fmax(1, compare->vertex_count));
    all.off += frame.off, all.moved += frame.moved;
    all.farthest = fmax(all.farthest, frame.farthest);
  }
  way->error = all.moved > 0 ? sqrt(all.off / all.moved) : 0;
  way->distance = sqrt(all.farthest);
  lb_free(room);
  return LB_OK;
}

static const lbRun *find_full(const lbCompare *compare) {
  for (int32_t i = 0; i < compare->way_count; i++)
    if (compare->ways[i].way == LB_WAY_FULL) return compare->ways[i].run;
  return NULL;
}

static void count_vertices(lbCompare *compare) {
  const lbRun *full = find_full(compare);
  for (int32_t b = 0; full && b < full->body_count; b++)
    compare->vertex_count += full->bodies[b].surface->vertex_count;
}

static lbStatus check_comparison_def(const lbScene *scene, const lbCompareDef *def, lbError *err) {
  if (!(def->frame_rate > 0 && isfinite(def->frame_rate)))
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: frame_rate is %g, it must be positive", scene->path,
                   def->frame_rate);
  if (def->way_count < 0 || def->way_count > LB_WAY_COUNT)
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: way_count is %d, it must be from 0 to %d",
                   scene->path, (int)def->way_count, LB_WAY_COUNT);
  for (int32_t i = 0; def->ways && i < def->way_count; i++)
    if ((int)def->ways[i] < 0 || def->ways[i] >= LB_WAY_COUNT)
      return lb_fail(err, LB_ERR_ARGUMENT, "%s: ways[%d] is %d, there is no such way", scene->path,
                     (int)i, (int)def->ways[i]);
  return LB_OK;
}

lbStatus lb_compare(lbScene *scene, const lbCompareDef *def, lbCompare **out, lbError *err) {
  lbWay ways[LB_WAY_COUNT] = { 0 };
  lbStatus status = check_comparison_def(scene, def, err);
  if (status) return status;
  lbCompare *compare = lb_alloc(1, sizeof *compare);
  if (!compare) return lb_fail_memory(err);
  int32_t count = choose_ways(scene, def, ways);
  for (int32_t i = 0; i < count && !status; i++) {
    compare->ways[i] = (lbComparedWay){ .way = ways[i], .error = -1, .distance = -1 };
    compare->way_count = i + 1;
    status = play_way(scene, def, &compare->ways[i], err);
  }
  if (!status) count_vertices(compare);
  const lbRun *full = find_full(compare);
  for (int32_t i = 0; i < count && !status && full; i++) {
    lbComparedWay *way = &compare->ways[i];
    if (way->run && way->run != full) status = judge_compared_method(compare, full, way, err);
  }
  if (status)
    lb_compare_destroy(compare);
  else
    *out = compare;
  return status;
}

// ---- files -------------------------------------------------------------------------------------

static lbStatus write_comparison_plot(const lbCompare *compare, const char *path, lbError *err) {
  const lbRun *full = find_full(compare);
  lbPlot plot = { .title = "Distance from the unreduced motion",
                  .x_name = "time in s",
                  .y_name = "m, root mean square over the surface" };
  for (int32_t i = 0; i < compare->way_count && full; i++) {
    const lbComparedWay *way = &compare->ways[i];
    if (way->errors && plot.line_count < (int32_t)(sizeof plot.lines / sizeof *plot.lines))
      plot.lines[plot.line_count++] = (lbPlotLine){ names[way->way], way->errors };
  }
  if (plot.line_count == 0) return LB_OK;
  plot.count = full->frame_count;
  plot.x = full->frame_times;
  return lb_plot_write(&plot, path, err);
}

lbStatus lb_compare_write(const lbCompare *compare, const char *folder, lbError *err) {
  char path[4200];
  lbStatus status = lb_directory_make(folder, err);
  for (int32_t i = 0; i < compare->way_count && !status; i++) {
    if (!compare->ways[i].run) continue;
    snprintf(path, sizeof path, "%s/%s.glb", folder, names[compare->ways[i].way]);
    status = lb_run_write_animation(compare->ways[i].run, path, NULL, err);
  }
  snprintf(path, sizeof path, "%s/compare.svg", folder);
  return status ? status : write_comparison_plot(compare, path, err);
}
