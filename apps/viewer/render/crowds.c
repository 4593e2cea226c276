// Crowds: states of all bodies of a frame in one float texture, a body's as
// (place: 2 texels)(coordinates, four to a texel)(rates, likewise); bodies given by positions in a
// buffer for each crowd.
#include "render/crowds.h"
#include "render/light.h"
#include "render/shaders.h"
#include "render/texture.h"

#include <math.h>
#include <string.h>

// ---- programs ----------------------------------------------------------------------------------

static lbStatus make_program(const vwGpuLimits *limits, const vwProgramDef *def,
                             vwBodyProgram *program, lbError *err) {
  lbStatus status = vw_gpu_program(limits, def, &program->program, err);
  if (status != LB_OK) return status;
  GLuint p = program->program;
  program->folding = glGetUniformLocation(p, "folding");
  program->listing = glGetUniformLocation(p, "listing");
  program->place = glGetUniformLocation(p, "place");
  program->tangent_scale = glGetUniformLocation(p, "tangent_scale");
  program->base = glGetUniformLocation(p, "base");
  program->tint = glGetUniformLocation(p, "tint");
  program->material = glGetUniformLocation(p, "material");
  program->through = glGetUniformLocation(p, "through");
  program->pull = glGetUniformLocation(p, "pull");
  program->color = glGetUniformLocation(p, "color");
  return LB_OK;
}

lbStatus vw_body_programs_create(const vwGpuLimits *limits, const char *name,
                                 const char *const vertex[2], const char *const fragment[4],
                                 vwBodyPrograms *out, lbError *err) {
  vwProgramDef def = {
    name, "#define BASIS\n", { vw_shader_frame, vertex[0], vertex[1] }, { 0 }, { 0 }
  };
  memcpy(def.fragment, fragment, sizeof def.fragment);
  lbStatus status = make_program(limits, &def, &out->by_basis, err);
  def.defines = "";
  if (status == LB_OK) status = make_program(limits, &def, &out->by_positions, err);
  return status;
}

void vw_body_programs_destroy(vwBodyPrograms *programs) {
  glDeleteProgram(programs->by_basis.program);
  glDeleteProgram(programs->by_positions.program);
  *programs = (vwBodyPrograms){ 0 };
}

lbStatus vw_crowds_create(vwCrowds *crowds, const vwGpuLimits *limits, lbError *err) {
  static const uint8_t white[4] = { 255, 255, 255, 255 };
  *crowds = (vwCrowds){ .states = { .channels = 4 }, .values = { .channels = 1 } };
  crowds->white = vw_gpu_texture(GL_NEAREST, GL_CLAMP_TO_EDGE);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, white);
  vwProgramDef def = { "pose",
                       "#define BASIS\n",
                       { vw_shader_frame, vw_shader_body, vw_shader_pose },
                       { vw_shader_plain_fragment },
                       { "posed_at", "posed_normal", "posed_value" } };
  return make_program(limits, &def, &crowds->pose, err);
}

void vw_crowds_destroy(vwCrowds *crowds, bool lost) {
  if (!lost) {
    vw_list_destroy(&crowds->states);
    vw_list_destroy(&crowds->values);
    glDeleteTextures(1, &crowds->white);
    glDeleteProgram(crowds->pose.program);
    for (size_t i = 0; i < crowds->slot_capacity; i++) vw_stream_destroy(&crowds->slots[i].stream);
  }
  lb_free(crowds->state_items);
  lb_free(crowds->value_items);
  lb_free(crowds->slots);
  *crowds = (vwCrowds){ 0 };
}

// ---- upload ------------------------------------------------------------------------------------

// Crowds up to this size are posed once and then drawn body by body; larger ones in one call a
// pass, each pass posing them anew.
enum { POSED_BODIES = 8, POSED_BYTES = 7 * sizeof(float) };

static float finite_or_zero(float value) { return isfinite(value) ? value : 0; }

static void copy_finite(float *to, const float *from, int32_t count) {
  for (int32_t i = 0; i < count; i++) to[i] = from ? finite_or_zero(from[i]) : 0;
}

// A body whose coordinates are no numbers stands in its rest shape rather than vanishing.
static void write_states(const vwCrowd *crowd, int32_t stride, float *items) {
  int32_t packs = (crowd->dimension + 3) / 4, n = crowd->dimension;
  for (int32_t i = 0; i < crowd->body_count; i++, items += 4 * (size_t)stride) {
    static const float nowhere[7] = { 0, 0, 0, 0, 0, 0, 1 };
    const float *place = crowd->placements ? crowd->placements + 7 * (size_t)i : nowhere;
    memset(items, 0, 4 * (size_t)stride * sizeof *items);
    copy_finite(items, place, 3);
    copy_finite(items + 4, place + 3, 4);
    copy_finite(items + 8, crowd->coordinates ? crowd->coordinates + (size_t)i * n : NULL, n);
    copy_finite(items + 8 + 4 * packs, crowd->rates ? crowd->rates + (size_t)i * n : NULL, n);
  }
}

// Room for `count` more items behind `used`, to a whole number of rows.
static bool make_crowd_room(float **items, size_t *capacity, size_t used, size_t count,
                            size_t channels) {
  size_t rows = (used + count + VW_LIST_WIDTH - 1) / VW_LIST_WIDTH;
  return lb_grow((void **)items, capacity, rows * VW_LIST_WIDTH * channels, sizeof(float));
}

static bool add_states(vwCrowds *crowds, const vwGpuLimits *limits, const vwCrowd *crowd,
                       vwCrowdSlot *slot, size_t *used) {
  slot->state_stride = 2 + 2 * ((crowd->dimension + 3) / 4);
  size_t count = (size_t)slot->state_stride * (size_t)crowd->body_count;
  if (*used + count > (size_t)limits->texture_size * VW_LIST_WIDTH) return false;
  if (!make_crowd_room(&crowds->state_items, &crowds->state_capacity, *used, count, 4))
    return false;
  slot->state_begin = (int32_t)*used;
  write_states(crowd, slot->state_stride, crowds->state_items + 4 * *used);
  *used += count;
  return true;
}

static void add_values(vwCrowds *crowds, const vwGpuLimits *limits, const vwCrowd *crowd,
                       const vwGpuSkin *skin, vwCrowdSlot *slot, size_t *used) {
  slot->value_begin = crowd->unmapped ? VW_UNMAPPED : -1;
  size_t count = (size_t)skin->vertex_count * (size_t)crowd->body_count;
  if (!crowd->values || *used + count > (size_t)limits->texture_size * VW_LIST_WIDTH) return;
  if (!make_crowd_room(&crowds->value_items, &crowds->value_capacity, *used, count, 1)) return;
  slot->value_begin = (int32_t)*used;
  for (size_t i = 0; i < count; i++)
    crowds->value_items[*used + i] = finite_or_zero(crowd->values[i]);
  *used += count;
}

static void stream_positions(const vwCrowd *crowd, const vwGpuSkin *skin, vwCrowdSlot *slot) {
  size_t bytes = (size_t)crowd->body_count * (size_t)skin->vertex_count * 3 * sizeof(float);
  vw_stream_begin(&slot->stream, 2 * bytes);
  glBufferSubData(GL_ARRAY_BUFFER, 0, (GLsizeiptr)bytes, crowd->positions);
  glBufferSubData(GL_ARRAY_BUFFER, (GLsizeiptr)bytes, (GLsizeiptr)bytes, crowd->normals);
}

void vw_crowds_upload(vwCrowds *crowds, const vwGpuLimits *limits, const vwPicture *picture,
                      const vwGpuSkin *skins, int32_t skin_count) {
  crowds->count = 0;
  if (picture->crowd_count <= 0) return;
  if (!lb_grow((void **)&crowds->slots, &crowds->slot_capacity, (size_t)picture->crowd_count,
               sizeof *crowds->slots))
    return;
  size_t state_count = 0, value_count = 0;
  crowds->count = picture->crowd_count;
  for (int32_t i = 0; i < picture->crowd_count; i++) {
    const vwCrowd *crowd = picture->crowds + i;
    vwCrowdSlot *slot = crowds->slots + i;
    slot->drawn = slot->posed = false;
    if (crowd->skin < 0 || crowd->skin >= skin_count || crowd->body_count <= 0) continue;
    const vwGpuSkin *skin = skins + crowd->skin;
    slot->by_basis = !crowd->positions || !crowd->normals;
    if (!slot->by_basis) {
      stream_positions(crowd, skin, slot);
      slot->drawn = true;
    } else if (crowd->dimension >= 0 && crowd->dimension <= skin->dimension) {
      slot->drawn = add_states(crowds, limits, crowd, slot, &state_count);
      slot->posed = slot->drawn && crowd->dimension > 0 && crowd->body_count <= POSED_BODIES;
    }
    add_values(crowds, limits, crowd, skin, slot, &value_count);
    if (picture->map == VW_MAP_NONE && slot->value_begin >= 0) slot->value_begin = -1;
  }
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  vw_list_upload(&crowds->states, limits, crowds->state_items, state_count);
  vw_list_upload(&crowds->values, limits, crowds->value_items, value_count);
}

// ---- drawing -----------------------------------------------------------------------------------

static void set_appearance(const vwCrowds *crowds, const vwBodyProgram *program,
                           const vwCrowd *crowd, const vwPart *part, GLuint texture) {
  const float *tint = crowd->tint;
  vw_gpu_bind(VW_UNIT_COLOR, texture ? texture : crowds->white);
  glUniform4fv(program->base, 1, part->color);
  glUniform4f(program->tint, vw_linear_of_srgb(tint[0]), vw_linear_of_srgb(tint[1]),
              vw_linear_of_srgb(tint[2]), tint[3]);
  glUniform4f(program->material, part->metal, part->roughness, crowd->opacity,
              texture ? 1.0f : 0.0f);
}

// The bound vertex array, in one call for each appearance.
static void draw_bodies(const vwCrowds *crowds, const vwBodyProgram *program, const vwCrowd *crowd,
                        const vwGpuSkin *skin, vwBodyPass pass, GLsizei instances) {
  if (pass == VW_PASS_WIRES) {
    glDrawElementsInstanced(GL_LINES, 2 * skin->edge_count, GL_UNSIGNED_INT, NULL, instances);
    return;
  }
  if (pass == VW_PASS_DEPTH) {
    glDrawElementsInstanced(GL_TRIANGLES, 3 * skin->triangle_count, GL_UNSIGNED_INT, NULL,
                            instances);
    return;
  }
  for (int32_t i = 0; i < skin->part_count; i++) {
    const vwPart *part = skin->parts + i;
    size_t begin = 3 * (size_t)part->triangle_begin * sizeof(uint32_t);
    set_appearance(crowds, program, crowd, part, skin->textures[i]);
    glDrawElementsInstanced(GL_TRIANGLES, 3 * part->triangle_count, GL_UNSIGNED_INT,
                            (const void *)begin, instances);
  }
}

static void set_basis(const vwCrowds *crowds, const vwCrowdSlot *slot, const vwCrowd *crowd,
                      const vwGpuSkin *skin, const vwBodyProgram *program) {
  glUseProgram(program->program);
  vw_gpu_bind(VW_UNIT_BASIS, skin->basis ? skin->basis : crowds->white);
  vw_gpu_bind(VW_UNIT_TANGENTS, skin->tangent_basis ? skin->tangent_basis : crowds->white);
  vw_gpu_bind(VW_UNIT_STATE, crowds->states.texture);
  glUniform4i(program->folding, skin->shift, skin->rows, (crowd->dimension + 3) / 4, 0);
  glUniform1f(program->tangent_scale, skin->tangent_scale);
  glUniform4i(program->listing, slot->state_begin, slot->state_stride, slot->value_begin,
              skin->vertex_count);
}

void vw_crowds_pose(const vwCrowds *crowds, const vwPicture *picture, const vwGpuSkin *skins) {
  glEnable(GL_RASTERIZER_DISCARD);
  for (int32_t i = 0; i < crowds->count; i++) {
    vwCrowdSlot *slot = crowds->slots + i;
    const vwCrowd *crowd = picture->crowds + i;
    if (!slot->posed) continue;
    const vwGpuSkin *skin = skins + crowd->skin;
    vw_stream_begin(&slot->stream,
                    (size_t)crowd->body_count * (size_t)skin->vertex_count * POSED_BYTES);
    set_basis(crowds, slot, crowd, skin, &crowds->pose);
    glBindVertexArray(skin->surface);
    glBindBuffer(GL_ARRAY_BUFFER, 0);
    glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, slot->stream.buffer);
    glBeginTransformFeedback(GL_POINTS);
    glDrawArraysInstanced(GL_POINTS, 0, skin->vertex_count, crowd->body_count);
    glEndTransformFeedback();
    glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, 0);
  }
  glDisable(GL_RASTERIZER_DISCARD);
}

static vwVertexPlace vertex_place(const vwCrowdSlot *slot, const vwCrowd *crowd,
                                  const vwGpuSkin *skin, int32_t body) {
  size_t n = (size_t)skin->vertex_count, three = 3 * sizeof(float), before = n * (size_t)body;
  if (slot->posed) {
    size_t begin = before * POSED_BYTES;
    return (vwVertexPlace){ POSED_BYTES, begin, begin + three, begin + 2 * three };
  }
  size_t all = n * (size_t)crowd->body_count;
  return (vwVertexPlace){ three, before * three, (all + before) * three, 0 };
}

static void draw_by_positions(const vwCrowds *crowds, const vwCrowdSlot *slot, const vwCrowd *crowd,
                              const vwGpuSkin *skin, const vwBodyProgram *program,
                              vwBodyPass pass) {
  glUseProgram(program->program);
  glUniform4f(program->place, 0, 0, 0, 1);
  glBindVertexArray(pass == VW_PASS_WIRES ? skin->wires_by_positions : skin->surface_by_positions);
  glBindBuffer(GL_ARRAY_BUFFER, slot->stream.buffer);
  for (int32_t i = 0; i < crowd->body_count; i++) {
    vw_gpu_skin_point(vertex_place(slot, crowd, skin, i));
    int32_t value = slot->value_begin;
    if (value >= 0) value += i * skin->vertex_count;
    glUniform4i(program->listing, 0, 0, value, 0);
    draw_bodies(crowds, program, crowd, skin, pass, 1);
  }
}

void vw_crowd_draw(const vwCrowds *crowds, int32_t index, const vwCrowd *crowd,
                   const vwGpuSkin *skin, const vwBodyPrograms *programs, vwBodyPass pass) {
  const vwCrowdSlot *slot = crowds->slots + index;
  vw_gpu_bind(VW_UNIT_VALUES, crowds->values.texture ? crowds->values.texture : crowds->white);
  if (slot->posed || !slot->by_basis) {
    draw_by_positions(crowds, slot, crowd, skin, &programs->by_positions, pass);
    return;
  }
  set_basis(crowds, slot, crowd, skin, &programs->by_basis);
  glBindVertexArray(pass == VW_PASS_WIRES ? skin->wires : skin->surface);
  draw_bodies(crowds, &programs->by_basis, crowd, skin, pass, crowd->body_count);
}
