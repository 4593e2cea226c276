// The comparison with the full simulator as files: report.json, report.md, plots.
#include "limber/accuracy.h"

#include "limber/file.h"
#include "study/plot.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <string.h>

static char *find_accuracy_path(const char *folder, const char *name) {
  size_t bytes = strlen(folder) + strlen(name) + 2;
  char *path = lb_alloc(bytes, 1);
  if (path) snprintf(path, bytes, "%s/%s", folder, name);
  return path;
}

// "moving load" and "error" to "moving-load-error.svg".
static void plot_name(const lbAccuracyMotion *m, const char *what, char name[80]) {
  snprintf(name, 80, "%.40s-%s.svg", m->name, what);
  for (char *c = name; *c; c++)
    if (*c == ' ') *c = '-';
}

static bool is_bounce(const lbAccuracyMotion *m) { return m->bounce.height > 0; }
static bool has_curves(const lbAccuracyMotion *m) {
  return m->step_count > 0 && (m->mass_error >= 0 || is_bounce(m));
}

// |reduced − full| over a scale.
static double difference(const double pair[2], double scale) {
  return fabs(pair[1] - pair[0]) / scale;
}

// ---- plots -------------------------------------------------------------------------------------

static lbStatus write_accuracy_plot(const lbPlot *plot, const char *folder,
                                    const lbAccuracyMotion *m, const char *what, lbError *err) {
  char name[80];
  plot_name(m, what, name);
  char *path = find_accuracy_path(folder, name);
  if (!path) return lb_fail_memory(err);
  lbStatus status = lb_plot_write(plot, path, err);
  lb_free(path);
  return status;
}

static lbStatus write_plots(const lbAccuracy *a, const lbAccuracyMotion *m, const char *folder,
                            lbError *err) {
  char title[120];
  if (!has_curves(m)) return LB_OK;
  if (is_bounce(m))
    snprintf(title, sizeof title, "%s: full and %s", m->name, lb_method_name(a->method));
  else
    snprintf(title, sizeof title, "%s: node %d, full and %s", m->name, (int)m->probe,
             lb_method_name(a->method));
  const lbPlot motion = { title,
                          "time, s",
                          is_bounce(m) ? "force, N" : "displacement, m",
                          m->step_count + 1,
                          m->times,
                          2,
                          { { "full", m->full }, { lb_method_name(a->method), m->reduced } } };
  lbStatus status = write_accuracy_plot(&motion, folder, m, "motion", err);
  if (status || is_bounce(m)) return status;
  snprintf(title, sizeof title, "%s: error relative to the amplitude", m->name);
  const lbPlot error = { title,
                         "time, s",
                         "error",
                         m->step_count + 1,
                         m->times,
                         2,
                         { { "greatest of a node", m->vertex_errors },
                           { "mass-weighted", m->mass_errors } } };
  return write_accuracy_plot(&error, folder, m, "error", err);
}

// ---- JSON --------------------------------------------------------------------------------------

// null where it is not finite.
static json_t *number(double value) { return isfinite(value) ? json_real(value) : json_null(); }
static json_t *accuracy_figure(double value) { return number(value < 0 ? NAN : value); }

static json_t *numbers(const double *values, int32_t count) {
  json_t *list = json_array();
  for (int32_t i = 0; i < count; i++) json_array_append_new(list, number(values[i]));
  return list;
}

static json_t *pair_document(const double pair[2], double scale) {
  return json_pack("{s:o, s:o, s:o}", "full", number(pair[0]), "reduced", number(pair[1]), "error",
                   number(difference(pair, scale)));
}

static json_t *bounce_document(const lbAccuracyBounce *b) {
  return json_pack("{s:o, s:o, s:o, s:o, s:o}", "height", number(b->height), "speed",
                   number(b->speed), "peak_force", pair_document(b->peak_force, b->peak_force[0]),
                   "contact_time", pair_document(b->contact_time, b->contact_time[1]),
                   "rebound_height", pair_document(b->rebound_height, b->height));
}

static json_t *motion_document(const lbAccuracyMotion *m) {
  int32_t rows = has_curves(m) ? m->step_count + 1 : 0, errors = is_bounce(m) ? 0 : rows;
  json_t *document =
      json_pack("{s:s, s:o, s:o, s:i, s:o, s:o, s:o, s:o}", "motion", m->name, "amplitude",
                number(m->amplitude), "duration", number(m->duration), "steps", (int)m->step_count,
                "mass_error", accuracy_figure(m->mass_error), "vertex_error",
                accuracy_figure(m->vertex_error), "frequency_error",
                accuracy_figure(m->frequency_error), "peak_error", accuracy_figure(m->peak_error));
  json_object_set_new(document, "problem", m->problem[0] ? json_string(m->problem) : json_null());
  json_object_set_new(document, "probe_node", json_integer(m->probe));
  json_object_set_new(document, "direction", numbers(m->direction, 3));
  json_object_set_new(document, "times", numbers(m->times, rows));
  json_object_set_new(document, "full", numbers(m->full, rows));
  json_object_set_new(document, "reduced", numbers(m->reduced, rows));
  json_object_set_new(document, "mass_errors", numbers(m->mass_errors, errors));
  json_object_set_new(document, "vertex_errors", numbers(m->vertex_errors, errors));
  json_object_set_new(document, "bounce", is_bounce(m) ? bounce_document(&m->bounce) : json_null());
  return document;
}

static lbStatus write_json(const lbAccuracy *a, const char *name, const char *path, lbError *err) {
  json_t *motions = json_array();
  for (int32_t i = 0; i < a->motion_count; i++)
    json_array_append_new(motions, motion_document(&a->motions[i]));
  json_t *document = json_pack("{s:s, s:s, s:s, s:s, s:f, s:f, s:f, s:o}", "model", name, "kind",
                               lb_accuracy_kind_name(a->kind), "method", lb_method_name(a->method),
                               "coverage", a->coverage, "size", a->size, "step", a->step,
                               "frequency_hz", a->frequency, "motions", motions);
  char *text = document ? json_dumps(document, JSON_INDENT(1) | JSON_REAL_PRECISION(17)) : NULL;
  json_decref(document);
  if (!text) return lb_fail_memory(err);
  lbFileWriter writer;
  lbStatus status = lb_file_begin(&writer, path, err);
  if (!status) {
    fprintf(writer.stream, "%s\n", text);
    status = lb_file_commit(&writer, err);
  }
  free(text);
  return status;
}

// ---- text --------------------------------------------------------------------------------------

static void write_percent(FILE *stream, double value) {
  if (value < 0)
    fputs(" - |", stream);
  else
    fprintf(stream, " %.3g %% |", 100 * value);
}

static void write_table(FILE *stream, const lbAccuracy *a) {
  fputs("| motion | amplitude | duration | mass-weighted error | greatest error of a node | "
        "frequency | peaks |\n| --- | --- | --- | --- | --- | --- | --- |\n",
        stream);
  for (int32_t i = 0; i < a->motion_count; i++) {
    const lbAccuracyMotion *m = &a->motions[i];
    const double values[] = { m->mass_error, m->vertex_error, m->frequency_error, m->peak_error };
    fprintf(stream, "| %s | %.4g m | %.4g s |", m->name, m->amplitude, m->duration);
    for (int k = 0; k < 4; k++) write_percent(stream, values[k]);
    fputc('\n', stream);
  }
}

static void write_bounce(FILE *stream, const lbAccuracyBounce *b, const char *method) {
  const struct {
    const char *name;
    const double *pair;
    double scale;
  } rows[] = { { "peak force, N", b->peak_force, b->peak_force[0] },
               { "contact time, s", b->contact_time, b->contact_time[1] },
               { "rebound, m", b->rebound_height, b->height } };
  fprintf(stream,
          "From %.4g m, %.4g m/s at the ground. Forces are means over a tenth of a period; "
          "the error of\nthe rebound is relative to the fall.\n\n| | full | %s | error "
          "|\n| --- | --- | --- | --- |\n",
          b->height, b->speed, method);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    fprintf(stream, "| %s | %.4g | %.4g |", rows[i].name, rows[i].pair[0], rows[i].pair[1]);
    write_percent(stream, difference(rows[i].pair, rows[i].scale));
    fputc('\n', stream);
  }
  fputc('\n', stream);
}

static lbStatus write_accuracy_text(const lbAccuracy *a, const char *name, const char *path,
                                    lbError *err) {
  lbFileWriter writer;
  lbStatus status = lb_file_begin(&writer, path, err);
  if (status) return status;
  FILE *stream = writer.stream;
  fprintf(stream, "# %s: %s against the full simulator\n\n%s.\n\n", name, lb_method_name(a->method),
          a->coverage);
  if (a->motion_count > 0) write_table(stream, a);
  fputs("\nErrors are differences of displacements relative to the amplitude, the largest "
        "displacement of a node\nin the full motion: the root mean square over mass and time, and "
        "the largest of any node at any time.\n`frequency`: how far the times of the first peaks "
        "differ; `peaks`: how far their heights do.\n",
        stream);
  for (int32_t i = 0; i < a->motion_count; i++) {
    const lbAccuracyMotion *m = &a->motions[i];
    char plot[80];
    fprintf(stream, "\n## %s\n\n", m->name);
    if (m->problem[0]) fprintf(stream, "%s.\n\n", m->problem);
    if (is_bounce(m)) write_bounce(stream, &m->bounce, lb_method_name(a->method));
    if (!has_curves(m)) continue;
    plot_name(m, "motion", plot);
    fprintf(stream, "![motion](%s)\n\n", plot);
    if (is_bounce(m)) continue;
    plot_name(m, "error", plot);
    fprintf(stream, "![error](%s)\n", plot);
  }
  return lb_file_commit(&writer, err);
}

lbStatus lb_accuracy_write(const lbAccuracy *accuracy, const char *name, const char *folder,
                           lbError *err) {
  char *json = find_accuracy_path(folder, "report.json"),
       *text = find_accuracy_path(folder, "report.md");
  lbStatus status = json && text ? lb_directory_make(folder, err) : lb_fail_memory(err);
  for (int32_t i = 0; i < accuracy->motion_count && !status; i++)
    status = write_plots(accuracy, &accuracy->motions[i], folder, err);
  if (!status) status = write_json(accuracy, name, json, err);
  if (!status) status = write_accuracy_text(accuracy, name, text, err);
  lb_free(json);
  lb_free(text);
  return status;
}
