// The renderer: a frame is shadows, solid bodies, balls, ground, sky, wires, lines, ghosts, marks
// above all; drawn multisampled in a canvas of its own and then copied to the target.
#include "render/renderer.h"
#include "render/crowds.h"
#include "render/gpu.h"
#include "render/light.h"
#include "render/marks.h"
#include "render/shaders.h"
#include "render/skin_gpu.h"

#include <math.h>

enum { FLOOR_DEPTHS = 256, FLOOR_PIXELS = 128 }; // of the ground's occlusion

struct vwRenderer {
  vwRendererDef def;
  vwGpuLimits limits;
  vwBodyPrograms surface, plain;
  GLuint ground, occlusion, blur, sky, copy; // programs
  GLint ground_reach;
  GLuint nothing;          // a vertex array without attributes
  GLuint frame;            // uniform buffer
  GLuint ramp;             // texture of the map's colours
  vwDepthMap shadow_map;   // from the key light
  vwDepthMap hovering;     // from the ground upwards
  GLuint compare, plainly; // samplers of depth
  vwCanvas hidden[2];      // rough and smooth: how much of the sky the ground does not see
  vwCanvas canvas;
  vwMarks marks;
  vwCrowds crowds;
  vwGpuSkin ball;
  vwGpuSkin *skins;
  size_t skin_capacity;
  int32_t skin_count;
};

vwPicture vw_picture(void) {
  return (vwPicture){
    .bounds = vw_box_empty(), .map_high = 1, .ground = true, .shadows = true, .sky = true
  };
}

vwRendererDef vw_renderer_def(void) { return (vwRendererDef){ 0 }; }

// ---- making it ---------------------------------------------------------------------------------

static lbStatus create_programs(vwRenderer *renderer, lbError *err) {
  const vwGpuLimits *limits = &renderer->limits;
  const char *const surface[2] = { vw_shader_body, vw_shader_surface };
  const char *const plain[2] = { vw_shader_body, vw_shader_plain };
  const char *const surface_fragment[4] = { vw_shader_frame, vw_shader_sky,
                                            vw_shader_surface_fragment };
  const char *const plain_fragment[4] = { vw_shader_plain_fragment };
  vwProgramDef ground = { .name = "ground",
                          .defines = "",
                          .vertex = { vw_shader_frame, vw_shader_ground_vertex },
                          .fragment = { vw_shader_frame, vw_shader_sky,
                                        vw_shader_ground_fragment } };
  vwProgramDef occlusion = { .name = "occlusion",
                             .defines = "",
                             .vertex = { vw_shader_screen_vertex },
                             .fragment = { vw_shader_frame, vw_shader_sky,
                                           vw_shader_occlusion_fragment } };
  vwProgramDef blur = { .name = "blur",
                        .defines = "",
                        .vertex = { vw_shader_screen_vertex },
                        .fragment = { vw_shader_blur_fragment } };
  vwProgramDef sky = { .name = "sky",
                       .defines = "",
                       .vertex = { vw_shader_screen_vertex },
                       .fragment = { vw_shader_frame, vw_shader_sky, vw_shader_sky_fragment } };
  vwProgramDef copy = { .name = "copy",
                        .defines = "",
                        .vertex = { vw_shader_screen_vertex },
                        .fragment = { vw_shader_copy_fragment } };
  lbStatus status = vw_body_programs_create(limits, "surface", surface, surface_fragment,
                                            &renderer->surface, err);
  if (status == LB_OK)
    status = vw_body_programs_create(limits, "plain", plain, plain_fragment, &renderer->plain, err);
  if (status == LB_OK) status = vw_gpu_program(limits, &ground, &renderer->ground, err);
  if (status == LB_OK) status = vw_gpu_program(limits, &occlusion, &renderer->occlusion, err);
  if (status == LB_OK) status = vw_gpu_program(limits, &blur, &renderer->blur, err);
  if (status == LB_OK) status = vw_gpu_program(limits, &sky, &renderer->sky, err);
  if (status == LB_OK) status = vw_gpu_program(limits, &copy, &renderer->copy, err);
  if (status == LB_OK) renderer->ground_reach = glGetUniformLocation(renderer->ground, "reach");
  return status;
}

static GLuint make_sampler(bool compare) {
  GLuint sampler = 0;
  glGenSamplers(1, &sampler);
  GLint filter = compare ? GL_LINEAR : GL_NEAREST;
  glSamplerParameteri(sampler, GL_TEXTURE_MIN_FILTER, filter);
  glSamplerParameteri(sampler, GL_TEXTURE_MAG_FILTER, filter);
  glSamplerParameteri(sampler, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glSamplerParameteri(sampler, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  glSamplerParameteri(sampler, GL_TEXTURE_COMPARE_MODE,
                      compare ? GL_COMPARE_REF_TO_TEXTURE : GL_NONE);
  glSamplerParameteri(sampler, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
  return sampler;
}

// The shadow map is read through two samplers: compared (and filtered), and raw.
static lbStatus create_maps(vwRenderer *renderer, lbError *err) {
  int32_t size = renderer->def.shadow_size;
  if (size > renderer->limits.texture_size) size = renderer->limits.texture_size;
  if (size < 64) size = 64;
  renderer->compare = make_sampler(true);
  renderer->plainly = make_sampler(false);
  if (!vw_depth_map_create(&renderer->shadow_map, size) ||
      !vw_depth_map_create(&renderer->hovering, FLOOR_DEPTHS) ||
      !vw_canvas_fit(&renderer->hidden[0], &renderer->limits, FLOOR_PIXELS, FLOOR_PIXELS, 1) ||
      !vw_canvas_fit(&renderer->hidden[1], &renderer->limits, FLOOR_PIXELS, FLOOR_PIXELS, 1))
    return lb_fail(err, LB_ERR_MEMORY, "%s is out of memory for a shadow map of %d x %d pixels",
                   renderer->limits.device, (int)size, (int)size);
  return LB_OK;
}

static void create_ramp(vwRenderer *renderer) {
  uint8_t pixels[256][4];
  for (int i = 0; i < 256; i++) {
    vw_map_color(i / 255.0, pixels[i]);
    pixels[i][3] = 255;
  }
  renderer->ramp = vw_gpu_texture(GL_LINEAR, GL_CLAMP_TO_EDGE);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 256, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
}

// A unit sphere of rings and slices.
enum { BALL_RINGS = 24, BALL_SLICES = 48, BALL_VERTICES = (BALL_RINGS + 1) * (BALL_SLICES + 1) };

static lbStatus create_ball(vwRenderer *renderer, lbError *err) {
  int32_t triangle_count = 2 * BALL_RINGS * BALL_SLICES, t = 0;
  float *points = lb_alloc(BALL_VERTICES, 3 * sizeof *points);
  float *uvs = lb_alloc(BALL_VERTICES, 2 * sizeof *uvs);
  int32_t *sources = lb_alloc(BALL_VERTICES, sizeof *sources);
  uint32_t *triangles = lb_alloc((size_t)triangle_count, 3 * sizeof *triangles);
  lbStatus status = points && uvs && sources && triangles ? LB_OK : lb_fail_memory(err);
  if (status != LB_OK) goto done;
  for (int32_t i = 0; i < BALL_VERTICES; i++) {
    double polar = LB_PI * (i / (BALL_SLICES + 1)) / BALL_RINGS;
    double angle = 2 * LB_PI * (i % (BALL_SLICES + 1)) / BALL_SLICES;
    points[3 * i] = (float)(sin(polar) * cos(angle));
    points[3 * i + 1] = (float)(sin(polar) * sin(angle));
    points[3 * i + 2] = (float)cos(polar);
    sources[i] = i;
  }
  for (uint32_t ring = 0; ring < BALL_RINGS; ring++)
    for (uint32_t slice = 0; slice < BALL_SLICES; slice++) {
      uint32_t a = ring * (BALL_SLICES + 1) + slice, b = a + BALL_SLICES + 1;
      uint32_t corners[6] = { a, b, b + 1, a, b + 1, a + 1 };
      for (int k = 0; k < 6; k++) triangles[t++] = corners[k];
    }
  vwPart part = { .triangle_count = triangle_count, .roughness = 0.3f, .texture = -1 };
  vwSkin skin = { .vertex_count = BALL_VERTICES,
                  .triangle_count = triangle_count,
                  .part_count = 1,
                  .sources = sources,
                  .positions = points,
                  .normals = points,
                  .uvs = uvs,
                  .triangles = triangles,
                  .parts = &part };
  status = vw_gpu_skin_create(&renderer->limits, &skin, &renderer->ball, err);
done:
  lb_free(points);
  lb_free(uvs);
  lb_free(sources);
  lb_free(triangles);
  return status;
}

// Whoever asks for a small shadow map is slow, and gets the cheaper filters too.
static void choose_quality(vwRenderer *renderer) {
  bool software = renderer->limits.software;
  if (!renderer->def.samples) renderer->def.samples = software ? 1 : 4;
  if (!renderer->def.shadow_size) renderer->def.shadow_size = software ? 1024 : 2048;
  renderer->limits.software = renderer->def.shadow_size <= 1024;
}

lbStatus vw_renderer_create(const vwRendererDef *def, vwRenderer **out, lbError *err) {
  if (def->samples < 0 || def->samples > 8)
    return lb_fail(err, LB_ERR_ARGUMENT, "samples must be 0 to 8, not %d", (int)def->samples);
  if (def->shadow_size < 0)
    return lb_fail(err, LB_ERR_ARGUMENT, "shadow_size must not be negative, it is %d",
                   (int)def->shadow_size);
  vwRenderer *renderer = lb_alloc(1, sizeof *renderer);
  if (!renderer) return lb_fail_memory(err);
  renderer->def = *def;
  vw_gpu_clean();
  vw_gpu_limits(&renderer->limits);
  choose_quality(renderer);
  lbStatus status = vw_crowds_create(&renderer->crowds, &renderer->limits, err);
  if (status == LB_OK) status = create_programs(renderer, err);
  if (status == LB_OK) status = create_maps(renderer, err);
  if (status == LB_OK) status = vw_marks_create(&renderer->limits, &renderer->marks, err);
  if (status == LB_OK) status = create_ball(renderer, err);
  if (status != LB_OK) return vw_renderer_destroy(renderer, false), status;
  create_ramp(renderer);
  glGenVertexArrays(1, &renderer->nothing);
  glGenBuffers(1, &renderer->frame);
  *out = renderer;
  return LB_OK;
}

void vw_renderer_clear(vwRenderer *renderer) {
  for (int32_t i = 0; i < renderer->skin_count; i++)
    vw_gpu_skin_destroy(renderer->skins + i, false);
  renderer->skin_count = 0;
}

void vw_renderer_destroy(vwRenderer *renderer, bool lost) {
  if (!renderer) return;
  for (int32_t i = 0; i < renderer->skin_count; i++) vw_gpu_skin_destroy(renderer->skins + i, lost);
  vw_gpu_skin_destroy(&renderer->ball, lost);
  vw_marks_destroy(&renderer->marks, lost);
  vw_crowds_destroy(&renderer->crowds, lost);
  if (!lost) {
    GLuint samplers[] = { renderer->compare, renderer->plainly };
    vw_body_programs_destroy(&renderer->surface);
    vw_body_programs_destroy(&renderer->plain);
    glDeleteProgram(renderer->ground);
    glDeleteProgram(renderer->sky);
    glDeleteProgram(renderer->copy);
    glDeleteProgram(renderer->occlusion);
    glDeleteTextures(1, &renderer->ramp);
    vw_depth_map_destroy(&renderer->shadow_map);
    vw_depth_map_destroy(&renderer->hovering);
    vw_canvas_destroy(&renderer->hidden[0]);
    vw_canvas_destroy(&renderer->hidden[1]);
    glDeleteProgram(renderer->blur);
    glDeleteSamplers(2, samplers);
    glDeleteVertexArrays(1, &renderer->nothing);
    glDeleteBuffers(1, &renderer->frame);
    vw_canvas_destroy(&renderer->canvas);
  }
  lb_free(renderer->skins);
  lb_free(renderer);
}

const char *vw_renderer_device(const vwRenderer *renderer) { return renderer->limits.device; }

lbStatus vw_renderer_add_skin(vwRenderer *renderer, const vwSkin *skin, int32_t *number,
                              bool *on_gpu, lbError *err) {
  if (!lb_grow((void **)&renderer->skins, &renderer->skin_capacity,
               (size_t)renderer->skin_count + 1, sizeof *renderer->skins))
    return lb_fail_memory(err);
  vwGpuSkin *gpu = renderer->skins + renderer->skin_count;
  lbStatus status = vw_gpu_skin_create(&renderer->limits, skin, gpu, err);
  if (status != LB_OK) return status;
  *number = renderer->skin_count++;
  *on_gpu = gpu->dimension > 0;
  return LB_OK;
}

// ---- a frame -----------------------------------------------------------------------------------

static bool is_solid_pass(const vwCrowd *crowd) { return crowd->opacity >= 1; }

static void draw_crowd(const vwRenderer *renderer, const vwPicture *picture, int32_t i,
                       const vwBodyPrograms *programs, vwBodyPass pass) {
  const vwCrowd *crowd = picture->crowds + i;
  vw_crowd_draw(&renderer->crowds, i, crowd, renderer->skins + crowd->skin, programs, pass);
}

static bool is_drawn(const vwRenderer *renderer, const vwPicture *picture, int32_t i, bool solid) {
  return i < renderer->crowds.count && renderer->crowds.slots[i].drawn &&
         is_solid_pass(picture->crowds + i) == solid;
}

// The plain programs' way from the world to the screen.
static void set_plain(const vwRenderer *renderer, const float matrix[16], float pull,
                      const float color[4]) {
  const vwBodyProgram *programs[2] = { &renderer->plain.by_basis, &renderer->plain.by_positions };
  for (int k = 0; k < 2; k++) {
    glUseProgram(programs[k]->program);
    glUniformMatrix4fv(programs[k]->through, 1, GL_FALSE, matrix);
    glUniform1f(programs[k]->pull, pull);
    glUniform4fv(programs[k]->color, 1, color);
  }
}

static void draw_balls(const vwRenderer *renderer, const vwPicture *picture,
                       const vwBodyPrograms *programs, bool lit) {
  if (picture->ball_count <= 0) return;
  const vwBodyProgram *program = &programs->by_positions;
  glUseProgram(program->program);
  glBindVertexArray(renderer->ball.surface_by_positions);
  glUniform4i(program->listing, 0, 0, VW_UNMAPPED, 0);
  vw_gpu_bind(VW_UNIT_COLOR, renderer->crowds.white);
  for (int32_t i = 0; i < picture->ball_count; i++) {
    const vwBall *ball = picture->balls + i;
    glUniform4f(program->place, ball->centre[0], ball->centre[1], ball->centre[2], ball->radius);
    if (lit) {
      glUniform4f(program->base, vw_linear_of_srgb(ball->color[0]),
                  vw_linear_of_srgb(ball->color[1]), vw_linear_of_srgb(ball->color[2]), 1);
      glUniform4f(program->tint, 0, 0, 0, 0);
      glUniform4f(program->material, 0, 0.3f, ball->color[3], 0);
    }
    glDrawElements(GL_TRIANGLES, 3 * renderer->ball.triangle_count, GL_UNSIGNED_INT, NULL);
  }
}

// Everything that casts shadows, into the bound depth map.
static void draw_casters(const vwRenderer *renderer, const vwPicture *picture,
                         const float matrix[16]) {
  static const float black[4] = { 0, 0, 0, 1 };
  set_plain(renderer, matrix, 0, black);
  for (int32_t i = 0; i < picture->crowd_count; i++)
    if (is_drawn(renderer, picture, i, true))
      draw_crowd(renderer, picture, i, &renderer->plain, VW_PASS_DEPTH);
  draw_balls(renderer, picture, &renderer->plain, false);
}

static void draw_shadows(const vwRenderer *renderer, const vwPicture *picture,
                         const vwLight *light) {
  if (!light->shadows) return;
  vw_depth_map_begin(&renderer->shadow_map);
  draw_casters(renderer, picture, light->casting);
}

static void draw_occlusion(const vwRenderer *renderer, const vwPicture *picture,
                           const vwLight *light) {
  if (!light->shadows || !light->ground) return;
  vw_depth_map_begin(&renderer->hovering);
  draw_casters(renderer, picture, light->hovering);
  glBindFramebuffer(GL_FRAMEBUFFER, renderer->hidden[0].drawn);
  glViewport(0, 0, FLOOR_PIXELS, FLOOR_PIXELS);
  vw_gpu_bind(VW_UNIT_DEPTH, renderer->hovering.texture);
  glBindSampler(VW_UNIT_DEPTH, renderer->plainly);
  glDisable(GL_DEPTH_TEST);
  glUseProgram(renderer->occlusion);
  glBindVertexArray(renderer->nothing);
  glDrawArrays(GL_TRIANGLES, 0, 3);
  glBindFramebuffer(GL_FRAMEBUFFER, renderer->hidden[1].drawn);
  vw_gpu_bind(VW_UNIT_COLOR, renderer->hidden[0].color);
  glUseProgram(renderer->blur);
  glDrawArrays(GL_TRIANGLES, 0, 3);
  glEnable(GL_DEPTH_TEST);
}

static void draw_solids(const vwRenderer *renderer, const vwPicture *picture) {
  for (int32_t i = 0; i < picture->crowd_count; i++) {
    if (!is_drawn(renderer, picture, i, true)) continue;
    const vwGpuSkin *skin = renderer->skins + picture->crowds[i].skin;
    if (skin->closed) glEnable(GL_CULL_FACE);
    glCullFace(skin->inwards ? GL_FRONT : GL_BACK);
    draw_crowd(renderer, picture, i, &renderer->surface, VW_PASS_LIT);
    glDisable(GL_CULL_FACE);
  }
}

static void draw_ground(const vwRenderer *renderer, const vwLight *light) {
  if (!light->ground) return;
  glUseProgram(renderer->ground);
  glUniform1f(renderer->ground_reach, light->ground_reach);
  vw_gpu_bind(VW_UNIT_COLOR, renderer->hidden[1].color);
  glBindVertexArray(renderer->nothing);
  glDrawArrays(GL_TRIANGLES, 0, 96);
}

static void draw_sky(const vwRenderer *renderer) {
  glUseProgram(renderer->sky);
  glBindVertexArray(renderer->nothing);
  glDepthMask(GL_FALSE);
  glDrawArrays(GL_TRIANGLES, 0, 3); // at the far end: behind everything
  glDepthMask(GL_TRUE);
}

static void draw_wires(const vwRenderer *renderer, const vwPicture *picture, const vwLight *light) {
  static const float ink[4] = { 0.02f, 0.03f, 0.05f, 0.5f };
  if (!picture->wireframe) return;
  set_plain(renderer, light->block.clip, light->block.screen[3], ink);
  for (int32_t i = 0; i < picture->crowd_count; i++)
    if (is_drawn(renderer, picture, i, true))
      draw_crowd(renderer, picture, i, &renderer->plain, VW_PASS_WIRES);
}

// Depth first, so that of a ghost only its foremost layer is seen.
static void draw_ghosts(const vwRenderer *renderer, const vwPicture *picture) {
  for (int32_t i = 0; i < picture->crowd_count; i++) {
    if (!is_drawn(renderer, picture, i, false)) continue;
    glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
    draw_crowd(renderer, picture, i, &renderer->surface, VW_PASS_LIT);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    draw_crowd(renderer, picture, i, &renderer->surface, VW_PASS_LIT);
  }
}

static void draw_marks(const vwRenderer *renderer, bool above) {
  glDepthMask(GL_FALSE);
  if (above) glDisable(GL_DEPTH_TEST);
  vw_marks_draw(&renderer->marks, above);
  glEnable(GL_DEPTH_TEST);
  glDepthMask(GL_TRUE);
}

// Whoever drew before may have left anything behind.
static void begin_frame(const vwRenderer *renderer, const vwLight *light) {
  static const GLenum off[] = { GL_SCISSOR_TEST,        GL_STENCIL_TEST,
                                GL_CULL_FACE,           GL_BLEND,
                                GL_POLYGON_OFFSET_FILL, GL_SAMPLE_ALPHA_TO_COVERAGE,
                                GL_RASTERIZER_DISCARD };
  for (size_t i = 0; i < sizeof off / sizeof *off; i++) glDisable(off[i]);
#ifdef __EMSCRIPTEN__
  (void)renderer;
#else
  if (renderer->limits.desktop) glDisable(GL_FRAMEBUFFER_SRGB);
#endif
  glEnable(GL_DEPTH_TEST);
  glDepthFunc(GL_LEQUAL);
  glDepthMask(GL_TRUE);
  glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
  glCullFace(GL_BACK);
  glFrontFace(GL_CCW);
  glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
  glClearDepthf(1);
  glClearColor(0, 0, 0, 1);
  for (GLuint unit = 0; unit < VW_UNIT_COUNT; unit++) glBindSampler(unit, 0);
  glBindBufferBase(GL_UNIFORM_BUFFER, 0, renderer->frame);
  glBufferData(GL_UNIFORM_BUFFER, sizeof light->block, &light->block, GL_STREAM_DRAW);
}

static void begin_canvas(const vwRenderer *renderer) {
  glBindFramebuffer(GL_FRAMEBUFFER, renderer->canvas.drawn);
  glViewport(0, 0, renderer->canvas.inner_width, renderer->canvas.inner_height);
  glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
  vw_gpu_bind(VW_UNIT_SHADOW, renderer->shadow_map.texture);
  vw_gpu_bind(VW_UNIT_DEPTH, renderer->shadow_map.texture);
  vw_gpu_bind(VW_UNIT_RAMP, renderer->ramp);
  glBindSampler(VW_UNIT_SHADOW, renderer->compare);
  glBindSampler(VW_UNIT_DEPTH, renderer->plainly);
}

static void end_frame(const vwRenderer *renderer, const vwPicture *picture, unsigned target) {
  vw_canvas_resolve(&renderer->canvas);
  glBindFramebuffer(GL_FRAMEBUFFER, target);
  glViewport(0, 0, picture->view.width, picture->view.height);
  glDisable(GL_BLEND);
  glDisable(GL_DEPTH_TEST);
  vw_gpu_bind(VW_UNIT_COLOR, renderer->canvas.color);
  glUseProgram(renderer->copy);
  glBindVertexArray(renderer->nothing);
  glDrawArrays(GL_TRIANGLES, 0, 3);
  for (GLuint unit = 0; unit < VW_UNIT_COUNT; unit++) {
    glBindSampler(unit, 0);
    vw_gpu_bind((vwUnit)unit, 0);
  }
  glActiveTexture(GL_TEXTURE0);
  glBindVertexArray(0);
  glUseProgram(0);
}

void vw_renderer_draw(vwRenderer *renderer, const vwPicture *picture, unsigned target) {
  const vwView *view = &picture->view;
  if (view->width < 1 || view->height < 1) return;
  if (!vw_canvas_fit(&renderer->canvas, &renderer->limits, view->width, view->height,
                     renderer->def.samples))
    return;
  vwLight light;
  vw_light_set_up(&light, picture, renderer->canvas.inner_width, renderer->canvas.inner_height,
                  renderer->shadow_map.size);
  begin_frame(renderer, &light);
  vw_crowds_upload(&renderer->crowds, &renderer->limits, picture, renderer->skins,
                   renderer->skin_count);
  vw_crowds_pose(&renderer->crowds, picture, renderer->skins);
  vw_marks_upload(&renderer->marks, picture);
  draw_shadows(renderer, picture, &light);
  draw_occlusion(renderer, picture, &light);
  begin_canvas(renderer);
  draw_solids(renderer, picture);
  draw_balls(renderer, picture, &renderer->surface, true);
  draw_ground(renderer, &light);
  draw_sky(renderer);
  glEnable(GL_BLEND);
  draw_wires(renderer, picture, &light);
  draw_marks(renderer, false);
  draw_ghosts(renderer, picture);
  draw_marks(renderer, true);
  end_frame(renderer, picture, target);
}
