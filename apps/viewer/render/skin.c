// From a model to a skin: the split surface (skin_split.h), tangents, and for each basis vector the
// displacement of the vertices and what its gradient (gradient.h) does to their tangents.
#include "render/skin.h"

#include "render/gradient.h"
#include "limber/math.h"
#include "render/skin_split.h"

#include <string.h>

vwSkinDef vw_skin_def(void) { return (vwSkinDef){ .crease = 40 * LB_PI / 180 }; }

// ---- the rest shape ----------------------------------------------------------------------------

static void store3(float *out, lbVec3 a) {
  out[0] = (float)a.x, out[1] = (float)a.y, out[2] = (float)a.z;
}

static lbVec3 load3(const float *p) { return lb_vec3(p[0], p[1], p[2]); }

// The sum of twice the areas' vectors around a vertex of the skin.
static lbVec3 triangle_area_vector(const vwSkin *skin, const double *surface, int32_t vertex) {
  lbVec3 sum = lb_vec3(0, 0, 0);
  for (int32_t k = skin->smooth_begin[vertex]; k < skin->smooth_begin[vertex + 1]; k++) {
    const uint32_t *t = skin->triangles + 3 * (size_t)skin->smooth_triangles[k];
    lbVec3 x[3];
    for (int i = 0; i < 3; i++) x[i] = lb_vec3_load(surface + 3 * (size_t)skin->sources[t[i]]);
    sum = lb_add(sum, lb_cross(lb_sub(x[1], x[0]), lb_sub(x[2], x[0])));
  }
  return sum;
}

static lbVec3 unit_or(lbVec3 a, lbVec3 fallback) {
  lbVec3 unit = lb_normalise(a);
  double length = lb_dot(unit, unit);
  return length > 0.5 && length < 2 ? unit : fallback; // also where it is not a number
}

// T_1 across the normal and the axis that is farthest from it, T_2 = n x T_1.
static void fill_tangents(const float normal[3], float tangents[6]) {
  lbVec3 n = load3(normal);
  double x = fabs(n.x), y = fabs(n.y), z = fabs(n.z);
  lbVec3 axis = x <= y && x <= z ? lb_vec3(1, 0, 0) : y <= z ? lb_vec3(0, 1, 0) : lb_vec3(0, 0, 1);
  lbVec3 first = lb_normalise(lb_cross(axis, n));
  store3(tangents, first);
  store3(tangents + 3, lb_cross(n, first));
}

static void fill_ball(vwSkin *skin) {
  double low[3] = { 0 }, high[3] = { 0 }, radius = 0;
  for (size_t i = 0; i < 3 * (size_t)skin->vertex_count; i++) {
    double x = skin->positions[i];
    low[i % 3] = i < 3 ? x : fmin(low[i % 3], x);
    high[i % 3] = i < 3 ? x : fmax(high[i % 3], x);
  }
  lbVec3 centre = lb_scale(0.5, lb_add(lb_vec3_load(low), lb_vec3_load(high)));
  for (int32_t v = 0; v < skin->vertex_count; v++)
    radius = fmax(radius, lb_length(lb_sub(load3(skin->positions + 3 * (size_t)v), centre)));
  store3(skin->centre, centre);
  skin->radius = (float)radius;
}

static bool fill_rest_positions(vwSkin *skin) {
  size_t vertices = (size_t)skin->vertex_count;
  skin->positions = lb_alloc(vertices, 3 * sizeof *skin->positions);
  skin->normals = lb_alloc(vertices, 3 * sizeof *skin->normals);
  skin->tangents = lb_alloc(vertices, 6 * sizeof *skin->tangents);
  if (!skin->positions || !skin->normals || !skin->tangents) return false;
  for (size_t v = 0; v < vertices; v++) store3(skin->normals + 3 * v, lb_vec3(0, 0, 1));
  vw_skin_from_surface(skin, skin->model->vertex_positions, skin->positions, skin->normals);
  for (size_t v = 0; v < vertices; v++)
    fill_tangents(skin->normals + 3 * v, skin->tangents + 6 * v);
  fill_ball(skin);
  return true;
}

// ---- the basis ---------------------------------------------------------------------------------

// The vectors (dimension x 3 nodes) that a method moves the nodes by; NULL: it has none.
static const double *basis_of(const lbModel *model, lbMethod method, int32_t *dimension) {
  lbModelMethod view = { 0 };
  lb_model_method(model, method, &view);
  *dimension = view.dimension;
  return view.basis;
}

typedef struct Carried {  // interpolation from nodes to vertices
  vwGradient gradient;    //
  int32_t *rows;          // (nodes): row of the gradient, or -1
  int32_t *used;          // (used vertices of the surface)
  int32_t used_count;     //
  double *node_gradients; // (rows x 9)
  double *displacements;  // (surface vertices x 3)
  double *gradients;      // (surface vertices x 9)
} Carried;

static lbStatus make_carried(const vwSkin *skin, lbArena *arena, Carried *out, lbError *err) {
  const lbModel *model = skin->model;
  size_t nodes = (size_t)model->size.node_count, vertices = (size_t)model->size.vertex_count;
  uint8_t *wanted = lb_arena_alloc(arena, nodes, 1);
  out->rows = lb_arena_alloc(arena, nodes, sizeof *out->rows);
  out->used = lb_arena_alloc(arena, vertices, sizeof *out->used);
  out->displacements = lb_arena_alloc(arena, vertices, 3 * sizeof(double));
  out->gradients = lb_arena_alloc(arena, vertices, 9 * sizeof(double));
  if (!wanted || !out->rows || !out->used || !out->displacements || !out->gradients)
    return lb_fail_memory(err);
  for (int32_t v = 0; v < skin->vertex_count; v++) { // sources ascend
    int32_t source = skin->sources[v];
    if (v > 0 && source == skin->sources[v - 1]) continue;
    out->used[out->used_count++] = source;
    for (int32_t k = model->carrier_begin[source]; k < model->carrier_begin[source + 1]; k++)
      wanted[model->carrier_nodes[k]] = 1;
  }
  lbStatus status = vw_gradient_create(model, wanted, &out->gradient, err);
  if (status != LB_OK) return status;
  for (size_t n = 0; n < nodes; n++) out->rows[n] = -1;
  for (int32_t row = 0; row < out->gradient.row_count; row++)
    out->rows[out->gradient.nodes[row]] = row;
  out->node_gradients = lb_arena_alloc(arena, (size_t)out->gradient.row_count, 9 * sizeof(double));
  return out->node_gradients ? LB_OK : lb_fail_memory(err);
}

static void carry_field(const lbModel *model, const Carried *carried, const double *field) {
  vw_gradient_apply(&carried->gradient, field, carried->node_gradients);
  for (int32_t i = 0; i < carried->used_count; i++) {
    int32_t vertex = carried->used[i];
    double u[3] = { 0 }, gradient[9] = { 0 };
    for (int32_t k = model->carrier_begin[vertex]; k < model->carrier_begin[vertex + 1]; k++) {
      int32_t node = model->carrier_nodes[k];
      double weight = model->carrier_weights[k];
      const double *g = carried->node_gradients + 9 * (size_t)carried->rows[node];
      for (int c = 0; c < 3; c++) u[c] += weight * field[3 * (size_t)node + (size_t)c];
      for (int c = 0; c < 9; c++) gradient[c] += weight * g[c];
    }
    memcpy(carried->displacements + 3 * (size_t)vertex, u, sizeof u);
    memcpy(carried->gradients + 9 * (size_t)vertex, gradient, sizeof gradient);
  }
}

static void fill_vector(vwSkin *skin, const Carried *carried, int32_t index) {
  size_t vertices = (size_t)skin->vertex_count;
  float *basis = skin->basis + 3 * vertices * (size_t)index;
  float *tangent_basis = skin->tangent_basis + 6 * vertices * (size_t)index;
  for (size_t v = 0; v < vertices; v++) {
    size_t source = (size_t)skin->sources[v];
    const double *g = carried->gradients + 9 * source;
    store3(basis + 3 * v, lb_vec3_load(carried->displacements + 3 * source));
    for (int k = 0; k < 6; k += 3) {
      lbVec3 t = load3(skin->tangents + 6 * v + (size_t)k);
      for (int i = 0; i < 3; i++)
        tangent_basis[6 * v + (size_t)(k + i)] = (float)lb_dot(lb_vec3_load(g + 3 * i), t);
    }
  }
}

static lbStatus fill_basis(vwSkin *skin, lbError *err) {
  const lbModel *model = skin->model;
  int32_t dimension;
  const double *vectors = basis_of(model, skin->method, &dimension);
  if (!vectors || dimension < 1) return LB_OK;
  lbArena arena = { 0 };
  Carried carried = { 0 };
  lbStatus status = make_carried(skin, &arena, &carried, err);
  if (status != LB_OK) goto done;
  size_t vertices = (size_t)skin->vertex_count;
  skin->basis = lb_alloc(vertices, 3 * (size_t)dimension * sizeof *skin->basis);
  skin->tangent_basis = lb_alloc(vertices, 6 * (size_t)dimension * sizeof *skin->tangent_basis);
  if (!skin->basis || !skin->tangent_basis) {
    status = lb_fail_memory(err);
    goto done;
  }
  skin->dimension = dimension;
  for (int32_t i = 0; i < dimension; i++) {
    carry_field(model, &carried, vectors + 3 * (size_t)model->size.node_count * (size_t)i);
    fill_vector(skin, &carried, i);
  }
done:
  vw_gradient_free(&carried.gradient);
  lb_arena_release(&arena);
  return status;
}

// ---- all of it ---------------------------------------------------------------------------------

lbStatus vw_skin_create(const lbModel *model, lbMethod method, const vwSkinDef *def, vwSkin **out,
                        lbError *err) {
  if (!(def->crease >= 0 && def->crease <= LB_PI))
    return lb_fail(err, LB_ERR_ARGUMENT, "crease is %g; it must be 0 to pi rad", def->crease);
  if (method != LB_METHOD_FULL && !lb_model_has(model, method))
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: the model does not have the method \"%s\"",
                   model->name, lb_method_name(method));
  vwSkin *skin = lb_alloc(1, sizeof *skin);
  if (!skin) return lb_fail_memory(err);
  skin->model = model;
  skin->method = method;
  lbStatus status = vw_skin_split(skin, def->crease, err);
  if (status == LB_OK && !fill_rest_positions(skin)) status = lb_fail_memory(err);
  if (status == LB_OK) status = fill_basis(skin, err);
  if (status == LB_OK) {
    *out = skin;
    skin = NULL;
  }
  vw_skin_destroy(skin);
  return status;
}

lbStatus vw_skin_create_rigid(int32_t vertex_count, const double *vertices, int32_t triangle_count,
                              const int32_t *triangles, const vwSkinDef *def, vwSkin **out,
                              lbError *err) {
  const lbModel surface = { .size = { .vertex_count = vertex_count,
                                      .triangle_count = triangle_count },
                            .name = "surface",
                            .vertex_positions = vertices,
                            .triangles = triangles };
  vwSkin *skin = NULL;
  lbStatus status = vw_skin_create(&surface, LB_METHOD_FULL, def, &skin, err);
  if (status) return status;
  skin->model = NULL; // it ends here
  *out = skin;
  return LB_OK;
}

void vw_skin_destroy(vwSkin *skin) {
  if (!skin) return;
  lb_free(skin->sources);
  lb_free(skin->positions);
  lb_free(skin->normals);
  lb_free(skin->tangents);
  lb_free(skin->uvs);
  lb_free(skin->triangles);
  lb_free(skin->parts);
  lb_free(skin->smooth_begin);
  lb_free(skin->smooth_triangles);
  lb_free(skin->basis);
  lb_free(skin->tangent_basis);
  lb_free(skin);
}

void vw_skin_from_surface(const vwSkin *skin, const double *surface, float *positions,
                          float *normals) {
  for (int32_t v = 0; v < skin->vertex_count; v++) {
    lbVec3 rest = load3(skin->normals + 3 * (size_t)v);
    store3(positions + 3 * (size_t)v, lb_vec3_load(surface + 3 * (size_t)skin->sources[v]));
    store3(normals + 3 * (size_t)v, unit_or(triangle_area_vector(skin, surface, v), rest));
  }
}

// sum += q vector, entry by entry; the shader adds in the same order.
static void add_scaled_field(size_t count, float *sum, float q, const float *vector) {
  for (size_t i = 0; i < count; i++) sum[i] += q * vector[i];
}

void vw_skin_from_coordinates(const vwSkin *skin, const float *coordinates, int32_t dimension,
                              float *positions, float *normals) {
  size_t vertices = (size_t)skin->vertex_count;
  if (dimension > skin->dimension) dimension = skin->dimension;
  for (size_t v = 0; v < vertices; v++) {
    float x[3], t[6];
    memcpy(x, skin->positions + 3 * v, sizeof x);
    memcpy(t, skin->tangents + 6 * v, sizeof t);
    for (size_t i = 0; i < (size_t)(dimension > 0 ? dimension : 0); i++) {
      add_scaled_field(3, x, coordinates[i], skin->basis + 3 * (vertices * i + v));
      add_scaled_field(6, t, coordinates[i], skin->tangent_basis + 6 * (vertices * i + v));
    }
    memcpy(positions + 3 * v, x, sizeof x);
    store3(normals + 3 * v,
           unit_or(lb_cross(load3(t), load3(t + 3)), load3(skin->normals + 3 * v)));
  }
}
