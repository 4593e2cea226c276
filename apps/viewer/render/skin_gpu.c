// Upload of a skin. The basis becomes two textures: positions in floats, tangents in halves with a
// common scale (their size depends on the body's mass and length, and halves end at 65504).
// Vector i of vertex v lies in row i * rows + v / width, column v mod width; vectors are filled up
// to a multiple of four with zeros, as the shader takes them by fours.
#include "render/skin_gpu.h"
#include "render/texture.h"

#include "limber/math.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- edges -------------------------------------------------------------------------------------

typedef struct Edge {
  int32_t low, high; // vertices of the model's surface, so that seams do not double edges
  uint32_t a, b;     // of the skin
  int32_t forward;   // 1: a is low
} Edge;

static int compare_gpu_skin_edges(const void *left, const void *right) {
  const Edge *a = left, *b = right;
  if (a->low != b->low) return a->low < b->low ? -1 : 1;
  if (a->high != b->high) return a->high < b->high ? -1 : 1;
  return a->forward - b->forward;
}

static void list_gpu_skin_edges(const vwSkin *skin, Edge *edges) {
  for (int32_t t = 0; t < skin->triangle_count; t++)
    for (int32_t k = 0; k < 3; k++) {
      uint32_t a = skin->triangles[3 * t + k], b = skin->triangles[3 * t + (k + 1) % 3];
      int32_t i = skin->sources[a], j = skin->sources[b];
      edges[3 * t + k] = (Edge){ i < j ? i : j, i < j ? j : i, a, b, i < j };
    }
}

// Six times the volume within; negative where the triangles face inwards.
static double signed_volume(const vwSkin *skin) {
  double sum = 0;
  for (int32_t t = 0; t < skin->triangle_count; t++) {
    lbVec3 corner[3];
    for (int32_t k = 0; k < 3; k++) {
      const float *p = skin->positions + 3 * (size_t)skin->triangles[3 * t + k];
      corner[k] = lb_vec3(p[0] - skin->centre[0], p[1] - skin->centre[1], p[2] - skin->centre[2]);
    }
    sum += lb_dot(corner[0], lb_cross(corner[1], corner[2]));
  }
  return sum;
}

// Each edge once, and whether all have exactly two triangles, one on each side.
static lbStatus upload_edges(const vwSkin *skin, vwGpuSkin *gpu, lbError *err) {
  size_t count = 3 * (size_t)skin->triangle_count;
  Edge *edges = lb_alloc(count, sizeof *edges);
  uint32_t *ends = lb_alloc(2 * count, sizeof *ends);
  lbStatus status = LB_OK;
  if (!edges || !ends) {
    status = lb_fail_memory(err);
    goto done;
  }
  list_gpu_skin_edges(skin, edges);
  qsort(edges, count, sizeof *edges, compare_gpu_skin_edges);
  gpu->closed = true;
  gpu->inwards = signed_volume(skin) < 0;
  for (size_t i = 0, next; i < count; i = next) {
    for (next = i;
         next < count && edges[next].low == edges[i].low && edges[next].high == edges[i].high;)
      next++;
    if (next - i != 2 || edges[i].forward == edges[i + 1].forward) gpu->closed = false;
    ends[2 * gpu->edge_count] = edges[i].a;
    ends[2 * gpu->edge_count + 1] = edges[i].b;
    gpu->edge_count++;
  }
  gpu->edges =
      vw_gpu_buffer(GL_ELEMENT_ARRAY_BUFFER, ends, 2 * (size_t)gpu->edge_count * sizeof *ends);
done:
  lb_free(edges);
  lb_free(ends);
  return status;
}

// ---- the basis ---------------------------------------------------------------------------------

// To half precision, rounded to nearest; |x| <= 65504 by the scale.
static uint16_t half_of(float x) {
  union {
    float f;
    uint32_t u;
  } bits = { .f = x };
  uint32_t sign = bits.u >> 16 & 0x8000u, size = bits.u & 0x7fffffffu;
  if (size >= 0x477ff000u) return (uint16_t)(sign | 0x7bffu); // also what is not a number
  if (size < 0x38800000u) {                                   // below 2^-14: steps of 2^-24
    bits.u = size;
    return (uint16_t)(sign | (uint32_t)lrintf(bits.f * 16777216.0f));
  }
  return (uint16_t)(sign | ((size - 0x38000000u + 0xfffu + (size >> 13 & 1)) >> 13));
}

// The width that makes the texture about square; false where it does not fit.
static bool fold(const vwGpuLimits *limits, const vwSkin *skin, vwGpuSkin *gpu) {
  int64_t vectors = (skin->dimension + 3) / 4 * 4;
  int32_t shift = 0, most = 0;
  while ((2 << most) <= limits->texture_size / 2) most++;
  while (shift < most && ((int64_t)1 << 2 * shift) < vectors * skin->vertex_count) shift++;
  int64_t rows = ((int64_t)skin->vertex_count + (1 << shift) - 1) >> shift;
  gpu->shift = shift;
  gpu->rows = (int32_t)rows;
  return vectors * rows <= limits->texture_size;
}

static float greatest(const float *values, size_t count) {
  float most = 0;
  for (size_t i = 0; i < count; i++) {
    float size = fabsf(values[i]);
    if (size > most && size < 3e38f) most = size;
  }
  return most;
}

static void fill_vectors(const vwSkin *skin, const vwGpuSkin *gpu, void *staging) {
  GLsizei width = 1 << gpu->shift, rows = gpu->rows;
  size_t texels = (size_t)width * (size_t)rows, n = (size_t)skin->vertex_count;
  int32_t vectors = (skin->dimension + 3) / 4 * 4;
  for (int32_t i = 0; i < vectors; i++) {
    memset(staging, 0, texels * 3 * sizeof(float));
    if (i < skin->dimension)
      memcpy(staging, skin->basis + 3 * n * (size_t)i, 3 * n * sizeof(float));
    glBindTexture(GL_TEXTURE_2D, gpu->basis);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, i * rows, width, rows, GL_RGB, GL_FLOAT, staging);
    uint16_t *halves = staging;
    memset(staging, 0, texels * 6 * sizeof *halves);
    if (i < skin->dimension)
      for (size_t k = 0; k < 6 * n; k++)
        halves[k] = half_of(skin->tangent_basis[6 * n * (size_t)i + k] / gpu->tangent_scale);
    glBindTexture(GL_TEXTURE_2D, gpu->tangent_basis);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, i * rows, 2 * width, rows, GL_RGB, GL_HALF_FLOAT, staging);
  }
}

// On success or where it does not fit (gpu->dimension is then 0).
static lbStatus upload_basis(const vwGpuLimits *limits, const vwSkin *skin, vwGpuSkin *gpu,
                             lbError *err) {
  gpu->dimension = 0;
  if (skin->dimension <= 0 || !fold(limits, skin, gpu)) return LB_OK;
  GLsizei width = 1 << gpu->shift, height = gpu->rows * ((skin->dimension + 3) / 4 * 4);
  void *staging = lb_alloc((size_t)width * (size_t)gpu->rows, 3 * sizeof(float));
  if (!staging) return lb_fail_memory(err);
  size_t count = 6 * (size_t)skin->vertex_count * (size_t)skin->dimension;
  float most = greatest(skin->tangent_basis, count);
  gpu->tangent_scale = most > 0 ? most / 32768 : 1;
  vw_gpu_clean();
  glPixelStorei(GL_UNPACK_ALIGNMENT, 2);
  gpu->basis = vw_gpu_texture(GL_NEAREST, GL_CLAMP_TO_EDGE);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGB32F, width, height, 0, GL_RGB, GL_FLOAT, NULL);
  gpu->tangent_basis = vw_gpu_texture(GL_NEAREST, GL_CLAMP_TO_EDGE);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGB16F, 2 * width, height, 0, GL_RGB, GL_HALF_FLOAT, NULL);
  bool room = vw_gpu_clean();
  if (room) fill_vectors(skin, gpu, staging);
  lb_free(staging);
  if (room && vw_gpu_clean()) gpu->dimension = skin->dimension;
  return LB_OK;
}

// ---- vertices ----------------------------------------------------------------------------------

static void find_gpu_skin_point(GLuint attribute, GLint size, size_t stride, size_t begin) {
  glEnableVertexAttribArray(attribute);
  glVertexAttribPointer(attribute, size, GL_FLOAT, GL_FALSE, (GLsizei)stride, (const void *)begin);
}

void vw_gpu_skin_point(vwVertexPlace place) {
  find_gpu_skin_point(0, 3, place.stride, place.position);
  find_gpu_skin_point(1, 3, place.stride, place.normal);
  if (place.value)
    find_gpu_skin_point(5, 1, place.stride, place.value);
  else
    glDisableVertexAttribArray(5); // reads 0
}

static GLuint vertex_array(const vwGpuSkin *gpu, bool positions, GLuint indices) {
  size_t n = (size_t)gpu->vertex_count * sizeof(float);
  GLuint array = 0;
  glGenVertexArrays(1, &array);
  glBindVertexArray(array);
  glBindBuffer(GL_ARRAY_BUFFER, gpu->vertices);
  vw_gpu_skin_point((vwVertexPlace){ .stride = 3 * sizeof(float), .normal = 3 * n });
  for (GLuint k = 0; k < 2 && !positions; k++)
    find_gpu_skin_point(2 + k, 3, 6 * sizeof(float), 6 * n + 3 * sizeof(float) * k);
  glBindBuffer(GL_ARRAY_BUFFER, gpu->uvs);
  find_gpu_skin_point(4, 2, 0, 0);
  glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, indices);
  glBindVertexArray(0);
  return array;
}

static void upload_vertices(const vwSkin *skin, vwGpuSkin *gpu) {
  size_t n = (size_t)skin->vertex_count * sizeof(float);
  GLsizeiptr three = (GLsizeiptr)(3 * n);
  glBindVertexArray(0);
  gpu->vertices = vw_gpu_buffer(GL_ARRAY_BUFFER, NULL, 12 * n);
  glBufferSubData(GL_ARRAY_BUFFER, 0, three, skin->positions);
  glBufferSubData(GL_ARRAY_BUFFER, three, three, skin->normals);
  if (skin->tangents) glBufferSubData(GL_ARRAY_BUFFER, 2 * three, 2 * three, skin->tangents);
  gpu->uvs = vw_gpu_buffer(GL_ARRAY_BUFFER, skin->uvs, 2 * n);
  gpu->triangles = vw_gpu_buffer(GL_ELEMENT_ARRAY_BUFFER, skin->triangles,
                                 3 * (size_t)skin->triangle_count * sizeof *skin->triangles);
}

// Of bodies that have no appearance of their own.
static const float clay[4] = { 0.60f, 0.145f, 0.035f, 1 };

static lbStatus upload_appearances(const vwGpuLimits *limits, const vwSkin *skin, vwGpuSkin *gpu,
                                   lbError *err) {
  gpu->parts = lb_duplicate(skin->parts, (size_t)skin->part_count, sizeof *gpu->parts);
  gpu->textures = lb_alloc((size_t)skin->part_count, sizeof *gpu->textures);
  if (!gpu->parts || !gpu->textures) return lb_fail_memory(err);
  gpu->part_count = skin->part_count;
  if (skin->model && skin->model->size.appearance_count == 0)
    for (int32_t i = 0; i < gpu->part_count; i++)
      memcpy(gpu->parts[i].color, clay, sizeof clay), gpu->parts[i].roughness = 0.42f;
  for (int32_t i = 0; i < gpu->part_count; i++) {
    int32_t texture = gpu->parts[i].texture;
    if (texture < 0 || !skin->model || texture >= skin->model->size.texture_count) continue;
    for (int32_t k = 0; k < i; k++) // one upload a texture
      if (gpu->parts[k].texture == texture) gpu->textures[i] = gpu->textures[k];
    if (!gpu->textures[i]) gpu->textures[i] = vw_texture_of_model(limits, skin->model, texture);
  }
  return LB_OK;
}

lbStatus vw_gpu_skin_create(const vwGpuLimits *limits, const vwSkin *skin, vwGpuSkin *out,
                            lbError *err) {
  if (!skin || skin->vertex_count <= 0 || skin->triangle_count <= 0 || skin->part_count <= 0)
    return lb_fail(err, LB_ERR_ARGUMENT, "the skin has no triangles");
  vwGpuSkin gpu = { .vertex_count = skin->vertex_count, .triangle_count = skin->triangle_count };
  vw_gpu_clean();
  upload_vertices(skin, &gpu);
  lbStatus status = upload_edges(skin, &gpu, err);
  if (status == LB_OK) status = upload_appearances(limits, skin, &gpu, err);
  if (status == LB_OK && !vw_gpu_clean())
    status = lb_fail(err, LB_ERR_MEMORY, "%s is out of memory for a surface of %d vertices",
                     limits->device, (int)skin->vertex_count);
  if (status == LB_OK) status = upload_basis(limits, skin, &gpu, err);
  if (status != LB_OK) return vw_gpu_skin_destroy(&gpu, false), status;
  gpu.surface = vertex_array(&gpu, false, gpu.triangles);
  gpu.wires = vertex_array(&gpu, false, gpu.edges);
  gpu.surface_by_positions = vertex_array(&gpu, true, gpu.triangles);
  gpu.wires_by_positions = vertex_array(&gpu, true, gpu.edges);
  *out = gpu;
  return LB_OK;
}

void vw_gpu_skin_destroy(vwGpuSkin *gpu, bool lost) {
  if (!lost) {
    GLuint arrays[] = { gpu->surface, gpu->wires, gpu->surface_by_positions,
                        gpu->wires_by_positions };
    GLuint buffers[] = { gpu->vertices, gpu->uvs, gpu->triangles, gpu->edges };
    GLuint bases[] = { gpu->basis, gpu->tangent_basis };
    glDeleteVertexArrays(4, arrays);
    glDeleteBuffers(4, buffers);
    glDeleteTextures(2, bases);
    if (gpu->textures) glDeleteTextures(gpu->part_count, gpu->textures);
  }
  lb_free(gpu->parts);
  lb_free(gpu->textures);
  *gpu = (vwGpuSkin){ 0 };
}
