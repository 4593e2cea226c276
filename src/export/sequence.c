// A motion as many files: which formats there are, what the files are called, and the frames one by
// one into a folder aside.
#include "limber/export.h"

#include "export/check.h"
#include "export/staging.h"
#include "export/surface.h"
#include "export/usda.h"
#include "limber/file.h"
#include "meshio/formats.h"
#include "meshio/mdd.h"
#include "meshio/pc2.h"
#include "meshio/vtu.h"
#include "meshio/write_mtl.h"

#include <ctype.h>
#include <string.h>

#define NAME_MOST 100 // characters of a body's name that a file name gets
#define STAGE "writing frames"

typedef struct Sequence {
  lbExportFormat format;
  const lbSequenceBody *bodies;
  int32_t body_count;
  const lbSequenceDef *def;
  const char *extension; // of the frames, with the dot
  lbStaging staging;
  lbArena arena;     // file names
  char **stems;      // (body_count): "out", or "out_NAME"
  lbPvdFrame *files; // (frame_count x body_count), for the list
} Sequence;

static const struct {
  const char *extension;
  lbExportFormat format;
} formats[] = { { ".glb", LB_EXPORT_GLB }, { ".obj", LB_EXPORT_OBJ },  { ".ply", LB_EXPORT_PLY },
                { ".pc2", LB_EXPORT_PC2 }, { ".pvd", LB_EXPORT_PVD },  { ".vtu", LB_EXPORT_VTU },
                { ".mdd", LB_EXPORT_MDD }, { ".usda", LB_EXPORT_USDA } };

lbStatus lb_export_format(const char *path, lbExportFormat *format, lbError *err) {
  char known[64] = "";
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
    if (lb_path_has_extension(path, formats[i].extension)) {
      *format = formats[i].format;
      return LB_OK;
    }
    snprintf(known + strlen(known), sizeof known - strlen(known), " %s", formats[i].extension);
  }
  return lb_fail(err, LB_ERR_ARGUMENT, "%s: cannot export to this format, choose one of%s", path,
                 known);
}

lbSequenceDef lb_sequence_def(void) { return (lbSequenceDef){ .up = 'z' }; }

// ---- checks ------------------------------------------------------------------------------------

static bool takes_volumes(lbExportFormat format) {
  return format == LB_EXPORT_PVD || format == LB_EXPORT_VTU;
}

static lbStatus check_sequence_body(const Sequence *s, int32_t number, lbError *err) {
  const lbSequenceBody *body = &s->bodies[number];
  char plain[32];
  const char *name = lb_body_label(body->name, number, plain);
  if (takes_volumes(s->format) && body->volume) {
    if (!body->displacements)
      return lb_fail(err, LB_ERR_ARGUMENT, "body \"%s\": its volume has no displacements", name);
    return lb_check_doubles(name, "frame", s->def->frame_count, body->volume->vertex_count,
                            body->displacements, err);
  }
  if (!body->surface || !body->frames)
    return lb_fail(err, LB_ERR_ARGUMENT, "body \"%s\": it has no %s", name,
                   body->surface ? "frames" : "surface");
  lbStatus status = lb_surface_check(body->surface, name, err);
  if (!status && body->positions)
    status = lb_check_numbers(name, "positions", s->def->frame_count, 3, body->positions, err);
  if (!status && body->rotations)
    status = lb_check_rotations(name, s->def->frame_count, body->rotations, err);
  if (status) return status;
  return lb_check_floats(name, "frame", s->def->frame_count, body->surface->vertex_count,
                         body->frames, err);
}

static lbStatus check_all(const Sequence *s, lbError *err) {
  bool timed =
      s->format == LB_EXPORT_PVD || s->format == LB_EXPORT_MDD || s->format == LB_EXPORT_USDA;
  if (s->def->frame_count < 1 || (timed && !s->def->times))
    return lb_fail(err, LB_ERR_ARGUMENT, "frame_count is %d, a sequence needs a frame%s",
                   (int)s->def->frame_count, timed ? " and times" : "");
  lbStatus status = lb_check_up(s->def->up, err);
  if (!status && !(s->def->frame_rate >= 0 && s->def->frame_rate < 1e9))
    status = lb_fail(err, LB_ERR_ARGUMENT, "frame_rate is %g, it must be positive, or 0 for none",
                     s->def->frame_rate);
  if (status) return status;
  if (s->def->times) status = lb_check_times(s->def->frame_count, s->def->times, false, err);
  for (int32_t i = 0; i < s->body_count && !status; i++) status = check_sequence_body(s, i, err);
  return status;
}

// ---- names of files ----------------------------------------------------------------------------

// NULL: no memory.
static char *join_three_texts(lbArena *arena, const char *a, const char *b, const char *c) {
  size_t bytes = strlen(a) + strlen(b) + strlen(c) + 1;
  char *text = lb_arena_alloc(arena, bytes, 1);
  if (text) snprintf(text, bytes, "%s%s%s", a, b, c);
  return text;
}

static void make_safe(char *name) {
  if (strlen(name) > NAME_MOST) name[NAME_MOST] = '\0';
  for (char *p = name; *p; p++)
    if (!isalnum((unsigned char)*p) || (unsigned char)*p >= 0x80)
      if (!strchr("-_.", *p)) *p = '_';
}

static bool is_taken(const Sequence *s, int32_t number, const char *stem) {
  for (int32_t i = 0; i < number; i++) { // some file systems take a and A for the same
    const char *a = s->stems[i], *b = stem;
    while (*a && tolower((unsigned char)*a) == tolower((unsigned char)*b)) a++, b++;
    if (!*a && !*b) return true;
  }
  return false;
}

static char *name_sequence_body(Sequence *s, int32_t number, const char *main_stem) {
  char plain[32], suffix[16];
  if (s->body_count == 1) return join_three_texts(&s->arena, main_stem, "", "");
  char *name =
      join_three_texts(&s->arena, lb_body_label(s->bodies[number].name, number, plain), "", "");
  if (name) make_safe(name);
  char *stem = name ? join_three_texts(&s->arena, main_stem, "_", name) : NULL;
  for (int n = 2; stem && is_taken(s, number, stem); n++) {
    snprintf(suffix, sizeof suffix, "_%d", n);
    char *numbered = join_three_texts(&s->arena, name, suffix, "");
    stem = numbered ? join_three_texts(&s->arena, main_stem, "_", numbered) : NULL;
  }
  return stem;
}

static lbStatus name_all(Sequence *s, const char *path, lbError *err) {
  size_t frame_count = (size_t)s->def->frame_count, body_count = (size_t)s->body_count;
  char *main_stem = join_three_texts(&s->arena, lb_path_name(path), "", "");
  s->stems = lb_alloc(body_count, sizeof *s->stems);
  if (!main_stem || !s->stems) return lb_fail_memory(err);
  main_stem[strlen(main_stem) - strlen(lb_path_extension(main_stem))] = '\0';
  s->extension = s->format == LB_EXPORT_PVD ? ".vtu" : lb_path_extension(path);
  for (int32_t i = 0; i < s->body_count; i++) {
    s->stems[i] = name_sequence_body(s, i, main_stem);
    if (!s->stems[i]) return lb_fail_memory(err);
  }
  if (s->format == LB_EXPORT_PVD) {
    if (body_count > INT32_MAX / frame_count)
      return lb_fail(err, LB_ERR_UNSUPPORTED, "%s: %zu frames of %zu bodies are too many files",
                     path, frame_count, body_count);
    s->files = lb_alloc(frame_count * body_count, sizeof *s->files);
    if (!s->files) return lb_fail_memory(err);
  }
  return LB_OK;
}

// ---- frames ------------------------------------------------------------------------------------

// (vertices x 3) of a frame; `relative`: less the rest shape.
static void take_frame(const lbSequenceBody *body, int32_t frame, bool relative, double *values) {
  size_t n = 3 * (size_t)body->surface->vertex_count;
  const float *from = body->frames + n * (size_t)frame;
  for (size_t i = 0; i < n; i++)
    values[i] = (double)from[i] - (relative ? body->surface->positions[i] : 0);
}

static lbStatus write_vtu(const lbSequenceBody *body, int32_t frame, double *values,
                          const char *path, lbError *err) {
  lbVtuField field = { "displacement", 3, values };
  if (body->volume)
    field.values = body->displacements + 3 * (size_t)frame * (size_t)body->volume->vertex_count;
  else
    take_frame(body, frame, true, values);
  return lb_write_vtu_fields(body->volume ? body->volume : body->surface, &field, 1, path, err);
}

static lbStatus write_mesh(const Sequence *s, const lbSequenceBody *body, int32_t frame,
                           double *values, const char *library, const char *path, lbError *err) {
  if (takes_volumes(s->format)) return write_vtu(body, frame, values, path, err);
  lbMesh moved = *body->surface;
  moved.positions = values;
  take_frame(body, frame, false, values);
  if (s->format == LB_EXPORT_PLY) return lb_write_ply(&moved, path, err);
  return lb_write_obj_with(&moved, library, path, err);
}

// A file of its own for a frame.
static lbStatus write_frame(Sequence *s, int32_t number, int32_t frame, double *values,
                            const char *library, lbError *err) {
  const lbSequenceBody *body = &s->bodies[number];
  char digits[16];
  snprintf(digits, sizeof digits, "_%05d", (int)frame);
  char *name = join_three_texts(&s->arena, s->stems[number], digits, s->extension);
  char *path = name ? lb_staging_file(&s->staging, name) : NULL;
  lbStatus status =
      path ? write_mesh(s, body, frame, values, library, path, err) : lb_fail_memory(err);
  if (s->files && !status)
    s->files[(size_t)frame * (size_t)s->body_count + (size_t)number] =
        (lbPvdFrame){ s->def->times[frame], name, number };
  lb_free(path);
  return status;
}

static lbStatus report_frame(const Sequence *s, int32_t number, int32_t frame, lbError *err) {
  double done = number + (frame + 1.0) / s->def->frame_count;
  return lb_progress(STAGE, done / s->body_count) ? LB_OK : lb_fail_interrupted(err, STAGE);
}

// The material library of a body, where it has one: *name is what OBJ files call it. Pictures of
// several bodies may have the same name, so theirs are named after the library.
static lbStatus write_sequence_library(Sequence *s, int32_t number, const char **name,
                                       lbError *err) {
  lbMesh mesh = *s->bodies[number].surface;
  lbStatus status = LB_OK;
  *name = join_three_texts(&s->arena, s->stems[number], ".mtl", "");
  if (!*name) return lb_fail_memory(err);
  if (!mesh.appearance_count || !mesh.triangle_appearances) return LB_OK;
  char no_name[] = "", *path = lb_staging_file(&s->staging, *name);
  lbTexture *textures = lb_duplicate(mesh.textures, (size_t)mesh.texture_count, sizeof *textures);
  if (!path || !textures) status = lb_fail_memory(err);
  for (int32_t i = 0; i < mesh.texture_count && !status && s->body_count > 1; i++)
    textures[i].name = no_name;
  mesh.textures = textures;
  if (!status) status = lb_write_mtl(&mesh, path, err);
  lb_free(textures);
  lb_free(path);
  return status;
}

static lbStatus write_frames(Sequence *s, int32_t number, double *values, lbError *err) {
  const char *library = NULL;
  lbStatus status = LB_OK;
  if (s->format == LB_EXPORT_OBJ) status = write_sequence_library(s, number, &library, err);
  for (int32_t f = 0; f < s->def->frame_count && !status; f++) {
    status = write_frame(s, number, f, values, library, err);
    if (!status) status = report_frame(s, number, f, err);
  }
  return status;
}

static lbStatus write_cache(Sequence *s, int32_t number, double *values, lbError *err) {
  const lbSequenceBody *body = &s->bodies[number];
  const char *library = NULL;
  lbPc2Writer pc2 = { 0 };
  lbMddWriter mdd = { 0 };
  bool is_mdd = s->format == LB_EXPORT_MDD;
  char *cache = join_three_texts(&s->arena, s->stems[number], s->extension, "");
  char *base = join_three_texts(&s->arena, s->stems[number], ".obj", "");
  char *cache_path = cache ? lb_staging_file(&s->staging, cache) : NULL;
  char *base_path = base ? lb_staging_file(&s->staging, base) : NULL;
  lbStatus status = cache_path && base_path ? LB_OK : lb_fail_memory(err);
  if (!status) status = write_sequence_library(s, number, &library, err);
  if (!status) status = lb_write_obj_with(body->surface, library, base_path, err);
  if (!status)
    status = is_mdd ? lb_mdd_begin(&mdd, cache_path, body->surface->vertex_count,
                                   s->def->frame_count, s->def->times, err)
                    : lb_pc2_begin(&pc2, cache_path, body->surface->vertex_count, 0, 1, err);
  for (int32_t f = 0; f < s->def->frame_count && !status; f++) {
    take_frame(body, f, false, values);
    status = is_mdd ? lb_mdd_add(&mdd, values, err) : lb_pc2_add(&pc2, values, err);
    if (!status) status = report_frame(s, number, f, err);
  }
  if (!status) status = is_mdd ? lb_mdd_commit(&mdd, err) : lb_pc2_commit(&pc2, err);
  lb_pc2_abort(&pc2);
  lb_mdd_abort(&mdd);
  lb_free(cache_path);
  lb_free(base_path);
  return status;
}

static lbStatus write_body(Sequence *s, int32_t number, lbError *err) {
  const lbMesh *surface = s->bodies[number].surface;
  double *values = lb_alloc(surface ? (size_t)surface->vertex_count : 0, 3 * sizeof *values);
  lbStatus status = LB_OK;
  if (!values)
    status = lb_fail_memory(err);
  else if (s->format == LB_EXPORT_PC2 || s->format == LB_EXPORT_MDD)
    status = write_cache(s, number, values, err);
  else
    status = write_frames(s, number, values, err);
  lb_free(values);
  return status;
}

// ---- all of it ---------------------------------------------------------------------------------

static lbStatus write_list(const Sequence *s, const char *path, lbError *err) {
  char *list = lb_staging_file(&s->staging, lb_path_name(path));
  if (!list) return lb_fail_memory(err);
  lbStatus status = lb_write_pvd(s->files, s->def->frame_count * s->body_count, list, err);
  lb_free(list);
  return status;
}

static lbStatus write_files(Sequence *s, const char *path, lbError *err) {
  lbStatus status = check_all(s, err);
  if (!status) status = name_all(s, path, err);
  if (!status) status = lb_staging_begin(&s->staging, path, err);
  for (int32_t i = 0; i < s->body_count && !status; i++) status = write_body(s, i, err);
  if (!status && s->files) status = write_list(s, path, err);
  if (!status) status = lb_staging_commit(&s->staging, err);
  lb_staging_abort(&s->staging);
  lb_arena_release(&s->arena);
  lb_free(s->stems);
  lb_free(s->files);
  return status;
}

static lbStatus write_sequence_animation(const char *path, const lbSequenceBody *bodies,
                                         int32_t body_count, const lbSequenceDef *def,
                                         lbError *err) {
  lbAnimationDef animation = lb_animation_def();
  animation.frame_count = def->frame_count;
  animation.times = def->times;
  animation.up = def->up;
  lbAnimationBody *moving = lb_alloc((size_t)body_count, sizeof *moving);
  if (!moving) return lb_fail_memory(err);
  for (int32_t i = 0; i < body_count; i++)
    moving[i] = (lbAnimationBody){ .name = bodies[i].name,
                                   .surface = bodies[i].surface,
                                   .frames = bodies[i].frames };
  lbStatus status = lb_animation_write(path, moving, body_count, &animation, NULL, err);
  lb_free(moving);
  return status;
}

lbStatus lb_sequence_write(const char *path, const lbSequenceBody *bodies, int32_t body_count,
                           const lbSequenceDef *def, lbError *err) {
  if (!path || !bodies || body_count < 1 || !def)
    return lb_fail(err, LB_ERR_ARGUMENT, "a sequence needs a path, a body and a def");
  lbExportFormat format;
  lbStatus status = lb_export_format(path, &format, err);
  if (status) return status;
  if (format == LB_EXPORT_GLB) return write_sequence_animation(path, bodies, body_count, def, err);
  Sequence s = { .format = format, .bodies = bodies, .body_count = body_count, .def = def };
  if (format != LB_EXPORT_USDA) return write_files(&s, path, err);
  status = check_all(&s, err);
  return status ? status : lb_usda_write(path, bodies, body_count, def, err);
}
