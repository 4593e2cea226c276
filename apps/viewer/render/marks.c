// A segment is a capsule on the screen, a disc one whose ends are the same: one instanced quad
// each.
#include "render/marks.h"
#include "render/shaders.h"

#include <stddef.h>

typedef struct vwMark {
  float from[3], to[3], color[4];
  float half_width, edge;
} vwMark;

// The attributes, beginning with that mark of the bound buffer.
static void point_from(int32_t begin) {
  static const size_t begins[4] = { offsetof(vwMark, from), offsetof(vwMark, to),
                                    offsetof(vwMark, color), offsetof(vwMark, half_width) };
  static const GLint sizes[4] = { 3, 3, 4, 2 };
  for (GLuint k = 0; k < 4; k++)
    glVertexAttribPointer(k, sizes[k], GL_FLOAT, GL_FALSE, sizeof(vwMark),
                          (const void *)(begins[k] + (size_t)begin * sizeof(vwMark)));
}

lbStatus vw_marks_create(const vwGpuLimits *limits, vwMarks *marks, lbError *err) {
  vwProgramDef def = { .name = "marks",
                       .defines = "",
                       .vertex = { vw_shader_frame, vw_shader_mark_vertex },
                       .fragment = { vw_shader_frame, vw_shader_mark_fragment } };
  *marks = (vwMarks){ 0 };
  lbStatus status = vw_gpu_program(limits, &def, &marks->program, err);
  if (status != LB_OK) return status;
  vw_stream_begin(&marks->stream, sizeof(vwMark));
  glGenVertexArrays(1, &marks->array);
  glBindVertexArray(marks->array);
  for (GLuint k = 0; k < 4; k++) {
    glEnableVertexAttribArray(k);
    glVertexAttribDivisor(k, 1);
  }
  point_from(0);
  glBindVertexArray(0);
  return LB_OK;
}

void vw_marks_destroy(vwMarks *marks, bool lost) {
  if (!lost) {
    glDeleteProgram(marks->program);
    glDeleteVertexArrays(1, &marks->array);
    vw_stream_destroy(&marks->stream);
  }
  lb_free(marks->items);
  *marks = (vwMarks){ 0 };
}

static void add_mark_line(vwMarks *marks, const float a[3], const float b[3], const float color[4],
                          float half_width, float edge) {
  marks->items[marks->count++] = (vwMark){ { a[0], a[1], a[2] },
                                           { b[0], b[1], b[2] },
                                           { color[0], color[1], color[2], color[3] },
                                           half_width,
                                           edge };
}

static void list_marks(vwMarks *marks, const vwPicture *picture, bool above) {
  for (int32_t i = 0; i < picture->segment_count; i++) {
    const vwSegment *s = picture->segments + i;
    if (s->above == above) add_mark_line(marks, s->a, s->b, s->color, 0.5f * s->width, 0);
  }
  for (int32_t i = 0; i < picture->disc_count; i++) {
    const vwDisc *d = picture->discs + i;
    if (d->above == above) add_mark_line(marks, d->at, d->at, d->color, d->radius, d->radius > 3);
  }
}

void vw_marks_upload(vwMarks *marks, const vwPicture *picture) {
  marks->count = marks->below_count = 0;
  size_t all = (size_t)picture->segment_count + (size_t)picture->disc_count;
  if (all == 0 || all > INT32_MAX) return;
  if (!lb_grow((void **)&marks->items, &marks->capacity, all, sizeof *marks->items)) return;
  list_marks(marks, picture, false);
  marks->below_count = marks->count;
  list_marks(marks, picture, true);
  vw_stream_begin(&marks->stream, all * sizeof *marks->items);
  glBufferSubData(GL_ARRAY_BUFFER, 0, (GLsizeiptr)(all * sizeof *marks->items), marks->items);
}

void vw_marks_draw(const vwMarks *marks, bool above) {
  int32_t begin = above ? marks->below_count : 0;
  int32_t count = above ? marks->count - marks->below_count : marks->below_count;
  if (count == 0) return;
  glUseProgram(marks->program);
  glBindVertexArray(marks->array);
  glBindBuffer(GL_ARRAY_BUFFER, marks->stream.buffer);
  point_from(begin); // OpenGL ES 3.0 has no first instance: the pointers move instead
  glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, count);
}
