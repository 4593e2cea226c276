// limber bench render: frames of one large body and of a thousand small ones, u = U q on the GPU or
// on the CPU; making a skin; what a frame uploads. Without a display, as `limber render` draws.
#include "bench/bench.h"
#include "bench/render_model.h"

#include "apps/viewer/render/gl.h"
#include "apps/viewer/desktop/offscreen.h"
#include "apps/viewer/render/renderer.h"

#include <math.h>
#include <stdio.h>

enum { WIDTH = 1280, HEIGHT = 720, SAMPLES = 4, VECTORS = 30, STEMS = 1000, STEM_VECTORS = 8 };
static const double display_ms = 1000.0 / 60;

typedef struct RenderBench {
  benchTable *table;
  vwOffscreen *offscreen; // NULL: nothing can be drawn
  vwRenderer *renderer;   //
  char device[128], why[200];
} RenderBench;

typedef struct Drawn { // bodies of one model, and the picture of them
  lbModel *model;
  lbBody *body; // what the CPU's way evaluates
  vwSkin *skin;
  lbArena arena;
  int32_t body_count, vectors;
  double *state, *rates, *surface; // rates: none
  float *placements, *coordinates, *positions, *normals;
  bool on_gpu;
  vwCrowd crowd;
  vwPicture picture;
  RenderBench *bench;
  int64_t tick;
  int32_t frames; // before one glFinish
} Drawn;

// ---- bodies ------------------------------------------------------------------------------------

static void release(Drawn *d) {
  if (d->bench->renderer) vw_renderer_clear(d->bench->renderer);
  lb_body_destroy(d->body);
  vw_skin_destroy(d->skin);
  lb_model_destroy(d->model);
  lb_arena_release(&d->arena);
}

static bool make_room(Drawn *d) {
  size_t bodies = (size_t)d->body_count, vectors = (size_t)d->vectors;
  size_t vertices = (size_t)d->skin->vertex_count;
  d->state = lb_arena_alloc(&d->arena, vectors, sizeof(double));
  d->rates = lb_arena_alloc(&d->arena, vectors, sizeof(double));
  d->surface = lb_arena_alloc(&d->arena, (size_t)d->model->size.vertex_count, 3 * sizeof(double));
  d->placements = lb_arena_alloc(&d->arena, bodies, 7 * sizeof(float));
  d->coordinates = lb_arena_alloc(&d->arena, bodies * vectors, sizeof(float));
  d->positions = lb_arena_alloc(&d->arena, vertices, 3 * sizeof(float));
  d->normals = lb_arena_alloc(&d->arena, vertices, 3 * sizeof(float));
  return d->state && d->rates && d->surface && d->placements && d->coordinates && d->positions &&
         d->normals;
}

// In a square field.
static void place(Drawn *d) {
  int32_t side = (int32_t)ceil(sqrt(d->body_count));
  double apart = d->body_count > 1 ? 0.12 : 0;
  vwBox *box = &d->picture.bounds;
  for (int32_t i = 0; i < d->body_count; i++) {
    float *to = d->placements + 7 * (size_t)i;
    to[0] = (float)(apart * (i % side)), to[1] = (float)(apart * (i / side)), to[6] = 1;
    double x = to[0] + d->skin->centre[0], y = to[1] + d->skin->centre[1];
    vw_box_add(box, lb_vec3(x - d->skin->radius, y - d->skin->radius, 0));
    vw_box_add(box, lb_vec3(x + d->skin->radius, y + d->skin->radius, 2 * d->skin->centre[2]));
  }
  vwCamera camera = vw_camera_of_box(*box, 'z');
  vw_camera_frame(&camera, *box, WIDTH, HEIGHT);
  d->picture.view = vw_camera_view(&camera, WIDTH, HEIGHT);
}

// With the model made already.
static lbStatus prepare(Drawn *d, lbError *err) {
  vwSkinDef skin_def = vw_skin_def();
  lbBodyDef body_def = lb_body_def();
  lbStatus status = vw_skin_create(d->model, LB_METHOD_MODAL, &skin_def, &d->skin, err);
  if (!status) status = lb_body_create(d->model, &body_def, &d->body, err);
  d->crowd = (vwCrowd){ .body_count = d->body_count, .opacity = 1 };
  if (!status && d->bench->renderer)
    status = vw_renderer_add_skin(d->bench->renderer, d->skin, &d->crowd.skin, &d->on_gpu, err);
  if (!status && !make_room(d)) status = lb_fail_memory(err);
  if (status) return status;
  d->picture = vw_picture();
  d->picture.crowd_count = 1;
  place(d);
  return LB_OK;
}

// ---- frames ------------------------------------------------------------------------------------

static double coordinate(const Drawn *d, int32_t body, int32_t vector) {
  return 0.06 / (1 + vector) * sin(0.1 * (double)d->tick + 0.7 * body + vector);
}

static void draw(Drawn *d) {
  d->picture.crowds = &d->crowd;
  vw_renderer_draw(d->bench->renderer, &d->picture, vw_offscreen_target(d->bench->offscreen));
}

static void draw_by_basis(Drawn *d) {
  d->tick++;
  for (int32_t i = 0; i < d->body_count; i++)
    for (int32_t k = 0; k < d->vectors; k++)
      d->coordinates[(size_t)i * (size_t)d->vectors + (size_t)k] = (float)coordinate(d, i, k);
  d->crowd.placements = d->placements;
  d->crowd.dimension = d->vectors;
  d->crowd.coordinates = d->coordinates;
  d->crowd.positions = d->crowd.normals = NULL;
  draw(d);
}

static void draw_by_positions(Drawn *d) {
  d->tick++;
  for (int32_t k = 0; k < d->vectors; k++) d->state[k] = coordinate(d, 0, k);
  lb_body_set_state(d->body, d->state, d->rates);
  lb_body_surface(d->body, d->surface);
  vw_skin_from_surface(d->skin, d->surface, d->positions, d->normals);
  d->crowd.positions = d->positions;
  d->crowd.normals = d->normals;
  draw(d);
}

static void frames_by_basis(void *context) {
  Drawn *d = context;
  for (int32_t i = 0; i < d->frames; i++) draw_by_basis(d);
  glFinish();
}

static void frames_by_positions(void *context) {
  Drawn *d = context;
  for (int32_t i = 0; i < d->frames; i++) draw_by_positions(d);
  glFinish();
}

// ---- what a frame uploads ----------------------------------------------------------------------

// libepoxy calls OpenGL through pointers: for one frame they lead here.
static struct Uploads {
  double bytes;
  PFNGLBUFFERDATAPROC buffer;
  PFNGLBUFFERSUBDATAPROC buffer_part;
  PFNGLTEXIMAGE2DPROC texture;
  PFNGLTEXSUBIMAGE2DPROC texture_part;
} uploads;

static double pixel_bytes(GLenum format, GLenum type) {
  return (format == GL_RGBA ? 4 : 1) * (type == GL_FLOAT ? 4 : 1);
}

static void count_buffer(GLenum target, GLsizeiptr size, const void *data, GLenum usage) {
  if (data) uploads.bytes += (double)size;
  uploads.buffer(target, size, data, usage);
}

static void count_buffer_part(GLenum target, GLintptr offset, GLsizeiptr size, const void *data) {
  uploads.bytes += (double)size;
  uploads.buffer_part(target, offset, size, data);
}

static void count_texture(GLenum target, GLint level, GLint inner, GLsizei width, GLsizei height,
                          GLint border, GLenum format, GLenum type, const void *pixels) {
  if (pixels) uploads.bytes += (double)width * height * pixel_bytes(format, type);
  uploads.texture(target, level, inner, width, height, border, format, type, pixels);
}

static void count_texture_part(GLenum target, GLint level, GLint x, GLint y, GLsizei width,
                               GLsizei height, GLenum format, GLenum type, const void *pixels) {
  uploads.bytes += (double)width * height * pixel_bytes(format, type);
  uploads.texture_part(target, level, x, y, width, height, format, type, pixels);
}

static double count_uploads(void (*frames)(void *context), Drawn *d) {
  uploads = (struct Uploads){ 0, glBufferData, glBufferSubData, glTexImage2D, glTexSubImage2D };
  glBufferData = count_buffer;
  glBufferSubData = count_buffer_part;
  glTexImage2D = count_texture;
  glTexSubImage2D = count_texture_part;
  d->frames = 1;
  frames(d);
  glBufferData = uploads.buffer;
  glBufferSubData = uploads.buffer_part;
  glTexImage2D = uploads.texture;
  glTexSubImage2D = uploads.texture_part;
  return uploads.bytes;
}

// ---- rows --------------------------------------------------------------------------------------

static json_t *parameters_of(const Drawn *d, const char *way) {
  return json_pack("{s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:s}", "by", way, "triangles",
                   (int)d->model->size.triangle_count, "r", (int)d->vectors, "bodies",
                   (int)d->body_count, "width", WIDTH, "height", HEIGHT, "samples", SAMPLES,
                   "device", d->bench->device[0] ? d->bench->device : "none");
}

// So many frames at once that the clock's and the driver's grain does not count.
static void choose_frames(void (*frames)(void *context), Drawn *d) {
  d->frames = 1;
  frames(d);
  double start = lb_seconds();
  frames(d);
  d->frames = (int32_t)fmin(fmax(0.05 / (lb_seconds() - start), 1), 64);
}

static lbStatus add_frames(Drawn *d, const char *way, void (*frames)(void *context), bool can,
                           double *median, lbError *err) {
  benchTable *table = d->bench->table;
  benchRow *row = bench_add(table, "render.frame", parameters_of(d, way), "ms");
  if (!row) return lb_fail_memory(err);
  if (!d->bench->renderer || !can) {
    snprintf(row->note, sizeof row->note, "%s",
             d->bench->renderer ? "the basis does not fit the context's textures" : d->bench->why);
    return LB_OK;
  }
  choose_frames(frames, d);
  bench_time_wall(row, 1e3 / d->frames, frames, d);
  row->limit = display_ms;
  snprintf(row->note, sizeof row->note,
           "%.3g frames a second, %d for each glFinish; limit: 60 frames a second",
           1e3 / row->median, (int)d->frames);
  if (median) *median = row->median;
  row = bench_add(table, "render.upload", parameters_of(d, way), "B");
  if (!row) return lb_fail_memory(err);
  bench_set_value(row, count_uploads(frames, d));
  row->repeats = 1;
  row->counts = true;
  snprintf(row->note, sizeof row->note, "into buffers and textures, a frame");
  return LB_OK;
}

typedef struct SkinWork {
  Drawn *drawn;
  lbStatus status;
  lbError *err;
} SkinWork;

static void make_skin(void *context) {
  SkinWork *w = context;
  vwSkin *skin = NULL;
  vwSkinDef def = vw_skin_def();
  w->status = vw_skin_create(w->drawn->model, LB_METHOD_MODAL, &def, &skin, w->err);
  vw_skin_destroy(skin);
}

static lbStatus add_skin(Drawn *d, lbError *err) {
  SkinWork w = { d, LB_OK, err };
  benchRow *row = bench_add(d->bench->table, "render.skin",
                            json_pack("{s:i, s:i}", "triangles", (int)d->model->size.triangle_count,
                                      "r", (int)d->vectors),
                            "ms");
  if (!row) return lb_fail_memory(err);
  bench_time_long(row, 1e3, make_skin, &w);
  return w.status;
}

// ---- what is drawn -----------------------------------------------------------------------------

static lbStatus bench_ring(RenderBench *b, int32_t around, int32_t across, double *median,
                           lbError *err) {
  Drawn d = { .bench = b, .body_count = 1, .vectors = VECTORS };
  lbStatus status = bench_render_ring(around, across, VECTORS, &d.model, err);
  if (!status) status = add_skin(&d, err);
  if (!status) status = prepare(&d, err);
  if (!status) status = add_frames(&d, "basis", frames_by_basis, d.on_gpu, median, err);
  if (!status) status = add_frames(&d, "positions", frames_by_positions, true, NULL, err);
  release(&d);
  return status;
}

static lbStatus bench_stems(RenderBench *b, lbError *err) {
  Drawn d = { .bench = b, .body_count = STEMS, .vectors = STEM_VECTORS };
  lbStatus status = bench_render_stem(STEM_VECTORS, &d.model, err);
  if (!status) status = prepare(&d, err);
  if (!status) status = add_frames(&d, "basis", frames_by_basis, d.on_gpu, NULL, err);
  release(&d);
  return status;
}

// Where nothing can be drawn the rows say why.
static lbStatus open_renderer(RenderBench *b, lbError *err) {
  vwRendererDef def = vw_renderer_def();
  def.samples = SAMPLES;
  lbStatus status = vw_offscreen_create(WIDTH, HEIGHT, &b->offscreen, err);
  if (!status) status = vw_renderer_create(&def, &b->renderer, err);
  if (status) {
    snprintf(b->why, sizeof b->why, "%.199s", err->text);
    return status == LB_ERR_MEMORY ? status : LB_OK;
  }
  snprintf(b->device, sizeof b->device, "%s", vw_renderer_device(b->renderer));
  return LB_OK;
}

lbStatus bench_render(benchTable *table, lbError *err) {
  RenderBench b = { .table = table };
  double median = 0;
  lbStatus status = open_renderer(&b, err);
  if (!status) status = bench_ring(&b, 250, 200, &median, err);
  if (!status) status = bench_stems(&b, err);
  if (!status && median > 0 && median < display_ms) // where there is something to be seen
    status = bench_ring(&b, 1000, 500, NULL, err);
  vw_renderer_destroy(b.renderer, false);
  vw_offscreen_destroy(b.offscreen);
  return status;
}
