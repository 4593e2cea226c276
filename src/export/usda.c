// USD as text (.usda): "/World/NAME" is an Xform that carries a body's frame, "/World/NAME/surface"
// a Mesh whose points are sampled in that frame. Polygons are triangles; nothing is subdivided.
// Time codes are seconds times timeCodesPerSecond. What does not change is written once.
#include "export/usda.h"

#include "limber/file.h"
#include "arrayio/print.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#define STAGE "writing frames"
#define NAME_MOST 100

typedef struct Writer {
  lbFileWriter file;
  FILE *stream;
  const lbSequenceDef *def;
  double rate; // time codes a second
} Writer;

// ---- times -------------------------------------------------------------------------------------

// Frames a second, a whole number where it is one but for rounding.
static double find_rate(const lbSequenceDef *def) {
  int32_t last = def->frame_count - 1;
  double span = def->times[last] - def->times[0];
  if (def->frame_rate > 0) return def->frame_rate;
  if (last < 1 || !(span > 0)) return 24; // USD's own default
  double rate = last / span, whole = round(rate);
  return whole > 0 && fabs(rate - whole) < 1e-3 * rate ? whole : rate;
}

static void put_time(const Writer *w, int32_t frame) {
  double code = w->def->times[frame] * w->rate, whole = round(code);
  lb_print_number(w->stream, fabs(code - whole) < 1e-6 ? whole : code, 15);
}

// ---- values ------------------------------------------------------------------------------------

// "(a, b, c)"
static void put_singles(const Writer *w, const float *values, int count) {
  for (int i = 0; i < count; i++) {
    fputs(i ? ", " : "(", w->stream);
    lb_print_single(w->stream, values[i]);
  }
  fputc(')', w->stream);
}

static void put_doubles(const Writer *w, const double *values, int count) {
  for (int i = 0; i < count; i++) {
    fputs(i ? ", " : "(", w->stream);
    lb_print_number(w->stream, values[i], 15);
  }
  fputc(')', w->stream);
}

static void put_points(const Writer *w, const float *points, size_t count) {
  fputc('[', w->stream);
  for (size_t i = 0; i < count; i++) {
    if (i) fputs(", ", w->stream);
    put_singles(w, points + 3 * i, 3);
  }
  fputc(']', w->stream);
}

// ---- the frame of a body -----------------------------------------------------------------------

// Whether rows of `width` numbers differ.
static bool changes(const double *rows, int32_t count, size_t width) {
  for (int32_t f = 1; rows && f < count; f++)
    if (memcmp(rows, rows + width * (size_t)f, width * sizeof *rows) != 0) return true;
  return false;
}

// A unit quaternion in USD's order w x y z, with the sign that is nearer to the one before.
static void put_usda_rotation(const Writer *w, const double *q, double before[4]) {
  double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]), dot = 0;
  for (int i = 0; i < 4; i++) dot += q[i] * before[i];
  float values[4];
  for (int i = 0; i < 4; i++) {
    before[i] = (dot < 0 ? -q[i] : q[i]) / length;
    values[(i + 1) % 4] = (float)before[i];
  }
  put_singles(w, values, 4);
}

static void put_usda_row(const Writer *w, const double *rows, size_t width, int32_t frame,
                         double before[4]) {
  const double *row = rows + width * (size_t)frame;
  if (width == 4)
    put_usda_rotation(w, row, before);
  else
    put_doubles(w, row, 3);
}

// An xformOp with one value or a sample a frame.
static void put_operation(const Writer *w, const char *name, const double *rows, size_t width) {
  double before[4] = { 0, 0, 0, 1 };
  fprintf(w->stream, "        %s%s", name,
          changes(rows, w->def->frame_count, width) ? ".timeSamples = {\n" : " = ");
  if (!changes(rows, w->def->frame_count, width)) {
    put_usda_row(w, rows, width, 0, before);
    fputc('\n', w->stream);
    return;
  }
  for (int32_t f = 0; f < w->def->frame_count; f++) {
    fputs("            ", w->stream);
    put_time(w, f);
    fputs(": ", w->stream);
    put_usda_row(w, rows, width, f, before);
    fputs(",\n", w->stream);
  }
  fputs("        }\n", w->stream);
}

static void put_usda_frame(const Writer *w, const lbSequenceBody *body) {
  if (body->positions) put_operation(w, "double3 xformOp:translate", body->positions, 3);
  if (body->rotations) put_operation(w, "quatf xformOp:orient", body->rotations, 4);
  if (body->positions || body->rotations)
    fprintf(w->stream, "        uniform token[] xformOpOrder = [%s%s%s]\n\n",
            body->positions ? "\"xformOp:translate\"" : "",
            body->positions && body->rotations ? ", " : "",
            body->rotations ? "\"xformOp:orient\"" : "");
}

// ---- the mesh of a body ------------------------------------------------------------------------

static void put_topology(const Writer *w, const lbMesh *mesh) {
  fputs("            uniform token subdivisionScheme = \"none\"\n"
        "            uniform token orientation = \"rightHanded\"\n"
        "            int[] faceVertexCounts = [",
        w->stream);
  for (int32_t t = 0; t < mesh->triangle_count; t++) fputs(t ? ", 3" : "3", w->stream);
  fputs("]\n            int[] faceVertexIndices = [", w->stream);
  for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; i++)
    fprintf(w->stream, "%s%d", i ? ", " : "", (int)mesh->triangles[i]);
  fputs("]\n", w->stream);
}

// Texture coordinates, with v up as USD has it, and the colours of the looks.
static void put_looks(const Writer *w, const lbMesh *mesh) {
  if (mesh->corner_uvs) {
    fputs("            texCoord2f[] primvars:st = [", w->stream);
    for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; i++) {
      float uv[2] = { mesh->corner_uvs[2 * i], 1 - mesh->corner_uvs[2 * i + 1] };
      if (i) fputs(", ", w->stream);
      put_singles(w, uv, 2);
    }
    fputs("] (\n                interpolation = \"faceVarying\"\n            )\n", w->stream);
  }
  if (!mesh->triangle_appearances || !mesh->appearance_count) return;
  const float white[3] = { 1, 1, 1 };
  fputs("            color3f[] primvars:displayColor = [", w->stream);
  for (int32_t t = 0; t < mesh->triangle_count; t++) {
    int32_t look = mesh->triangle_appearances[t];
    if (t) fputs(", ", w->stream);
    put_singles(w, look >= 0 ? mesh->appearances[look].base_color : white, 3);
  }
  fputs("] (\n                interpolation = \"uniform\"\n            )\n", w->stream);
}

static void put_extent(const Writer *w, const float *points, size_t count) {
  float box[6] = { 0 };
  for (size_t i = 0; i < 3 * count; i++) {
    float *low = &box[i % 3], *high = &box[3 + i % 3];
    if (i < 3 || points[i] < *low) *low = points[i];
    if (i < 3 || points[i] > *high) *high = points[i];
  }
  put_points(w, box, 2);
}

typedef void Put(const Writer *w, const float *points, size_t count);

// An attribute that follows the points: one value or a sample a frame.
static lbStatus put_samples(const Writer *w, const char *name, const lbSequenceBody *body,
                            bool moves, Put *put, lbError *err) {
  size_t count = (size_t)body->surface->vertex_count;
  fprintf(w->stream, "            %s%s", name, moves ? ".timeSamples = {\n" : " = ");
  for (int32_t f = 0; f < (moves ? w->def->frame_count : 1); f++) {
    if (moves) {
      fputs("                ", w->stream);
      put_time(w, f);
      fputs(": ", w->stream);
    }
    put(w, body->frames + 3 * count * (size_t)f, count);
    fputs(moves ? ",\n" : "\n", w->stream);
    if (!lb_progress(STAGE, (double)f / w->def->frame_count))
      return lb_fail_interrupted(err, STAGE);
    if (ferror(w->stream)) return LB_ERR_FILE;
  }
  if (moves) fputs("            }\n", w->stream);
  return LB_OK;
}

static bool surface_moves(const Writer *w, const lbSequenceBody *body) {
  size_t bytes = 3 * (size_t)body->surface->vertex_count * sizeof(float);
  for (int32_t f = 1; f < w->def->frame_count; f++)
    if (memcmp(body->frames, (const char *)body->frames + bytes * (size_t)f, bytes) != 0)
      return true;
  return false;
}

static lbStatus put_usda_mesh(const Writer *w, const lbSequenceBody *body, lbError *err) {
  bool moves = surface_moves(w, body);
  fputs("        def Mesh \"surface\"\n        {\n", w->stream);
  put_topology(w, body->surface);
  put_looks(w, body->surface);
  lbStatus status = put_samples(w, "float3[] extent", body, moves, put_extent, err);
  if (!status) status = put_samples(w, "point3f[] points", body, moves, put_points, err);
  fputs("        }\n", w->stream);
  return status;
}

// ---- names -------------------------------------------------------------------------------------

// An identifier of USD: letters, digits and '_', no digit first.
static void make_identifier(const char *name, char *to) {
  size_t used = 0;
  if (!*name || isdigit((unsigned char)*name)) to[used++] = '_';
  for (; *name && used < NAME_MOST; name++) {
    unsigned char c = (unsigned char)*name;
    to[used++] = c < 0x80 && isalnum(c) ? (char)c : '_';
  }
  to[used] = '\0';
}

// A name that no body before has; NULL: no memory.
static char *name_usda_body(lbArena *arena, char **names, int32_t number, const char *label) {
  char plain[NAME_MOST + 2];
  make_identifier(label, plain);
  char *name = lb_arena_alloc(arena, NAME_MOST + 20, 1);
  if (!name) return NULL;
  snprintf(name, NAME_MOST + 20, "%s", plain);
  for (int n = 2, i = 0; i < number; i++)
    if (strcmp(names[i], name) == 0) {
      snprintf(name, NAME_MOST + 20, "%s_%d", plain, n++);
      i = -1; // look through all of them again
    }
  return name;
}

// ---- the file ----------------------------------------------------------------------------------

static void put_head(const Writer *w) {
  fputs("#usda 1.0\n(\n    defaultPrim = \"World\"\n    doc = \"written by limber " LB_VERSION
        "\"\n"
        "    endTimeCode = ",
        w->stream);
  put_time(w, w->def->frame_count - 1);
  fputs("\n    framesPerSecond = ", w->stream);
  lb_print_number(w->stream, w->rate, 15);
  fputs("\n    metersPerUnit = 1\n    startTimeCode = ", w->stream);
  put_time(w, 0);
  fputs("\n    timeCodesPerSecond = ", w->stream);
  lb_print_number(w->stream, w->rate, 15);
  fprintf(w->stream, "\n    upAxis = \"%c\"\n)\n\ndef Xform \"World\"\n{\n",
          w->def->up == 'y' ? 'Y' : 'Z');
}

lbStatus lb_usda_write(const char *path, const lbSequenceBody *bodies, int32_t body_count,
                       const lbSequenceDef *def, lbError *err) {
  Writer w = { .def = def, .rate = find_rate(def) };
  lbArena arena = { 0 };
  char **names = lb_arena_alloc(&arena, (size_t)body_count, sizeof *names);
  if (!names) return lb_fail_memory(err);
  lbStatus status = lb_file_begin(&w.file, path, err);
  if (!status) {
    w.stream = w.file.stream;
    put_head(&w);
  }
  for (int32_t i = 0; i < body_count && !status; i++) {
    const char *label = bodies[i].name && bodies[i].name[0] ? bodies[i].name : "body";
    names[i] = name_usda_body(&arena, names, i, label);
    if (!names[i]) {
      status = lb_fail_memory(err);
      break;
    }
    fprintf(w.stream, "    def Xform \"%s\"\n    {\n", names[i]);
    put_usda_frame(&w, &bodies[i]);
    status = put_usda_mesh(&w, &bodies[i], err);
    fputs("    }\n", w.stream);
  }
  lb_arena_release(&arena);
  if (!status) fputs("}\n", w.stream);
  if (!status || status == LB_ERR_FILE)
    return w.stream ? lb_file_commit(&w.file, err) : status; // commit says why writing failed
  lb_file_abort(&w.file);
  return status;
}
