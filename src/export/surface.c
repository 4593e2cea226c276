// Vertices in use, splitting along texture seams, triangles by appearance.
#include "export/surface.h"

#include "geometry/triangle.h"
#include "mesh/hash_table.h"
#include "mesh/topology.h"

#include <math.h>
#include <string.h>

lbStatus lb_surface_check(const lbMesh *mesh, const char *name, lbError *err) {
  if (mesh->triangle_count < 1)
    return lb_fail(err, LB_ERR_MESH, "body \"%s\": its surface has no triangles", name);
  for (int32_t i = 0; i < mesh->triangle_count; i++) {
    const int32_t *corners = mesh->triangles + 3 * (size_t)i;
    for (int k = 0; k < 3; k++)
      if (corners[k] < 0 || corners[k] >= mesh->vertex_count)
        return lb_fail(err, LB_ERR_MESH,
                       "body \"%s\": triangle %d uses vertex %d, the surface has %d", name, (int)i,
                       (int)corners[k], (int)mesh->vertex_count);
    int32_t appearance = mesh->triangle_appearances ? mesh->triangle_appearances[i] : -1;
    if (appearance < -1 || appearance >= mesh->appearance_count)
      return lb_fail(err, LB_ERR_MESH,
                     "body \"%s\": triangle %d has appearance %d, the surface has %d", name, (int)i,
                     (int)appearance, (int)mesh->appearance_count);
  }
  return LB_OK;
}

// numbers[vertex of the mesh] = its place among the sources, or -1.
static bool find_sources(const lbMesh *mesh, lbSurface *surface, int32_t *numbers) {
  for (int32_t v = 0; v < mesh->vertex_count; v++) numbers[v] = -1;
  for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; i++) numbers[mesh->triangles[i]] = 0;
  for (int32_t v = 0; v < mesh->vertex_count; v++)
    if (!numbers[v]) numbers[v] = surface->source_count++;
  surface->sources = lb_alloc((size_t)surface->source_count, sizeof(int32_t));
  for (int32_t v = 0; v < mesh->vertex_count && surface->sources; v++)
    if (numbers[v] >= 0) surface->sources[numbers[v]] = v;
  return surface->sources != NULL;
}

static double find_surface_size(const lbMesh *mesh, const lbSurface *surface) {
  double sum = 0;
  for (int k = 0; k < 3; k++) {
    double low = INFINITY, high = -INFINITY;
    for (int32_t i = 0; i < surface->source_count; i++) {
      double x = mesh->positions[3 * (size_t)surface->sources[i] + (size_t)k];
      low = fmin(low, x);
      high = fmax(high, x);
    }
    sum += (high - low) * (high - low);
  }
  return sqrt(sum);
}

// ---- triangles by appearance -------------------------------------------------------------------

static int32_t find_surface_appearance(const lbMesh *mesh,
                                       int32_t triangle) { // 0: none, 1: the first, ...
  return mesh->triangle_appearances ? mesh->triangle_appearances[triangle] + 1 : 0;
}

// order (triangle_count): triangles sorted by appearance, otherwise as they were.
static bool sort_surface_triangles(const lbMesh *mesh, lbSurface *surface, int32_t *order) {
  size_t appearance_count = (size_t)mesh->appearance_count + 1;
  int32_t *begins = lb_alloc(appearance_count + 1, sizeof *begins);
  surface->parts = lb_alloc(appearance_count, sizeof *surface->parts);
  bool ok = begins && surface->parts;
  for (int32_t i = 0; i < mesh->triangle_count && ok; i++)
    begins[find_surface_appearance(mesh, i) + 1]++;
  for (size_t id = 0; id < appearance_count && ok; id++) {
    int32_t count = begins[id + 1];
    begins[id + 1] += begins[id];
    if (count)
      surface->parts[surface->part_count++] = (lbSurfacePart){ (int32_t)id - 1, begins[id], count };
  }
  for (int32_t i = 0; i < mesh->triangle_count && ok; i++)
    order[begins[find_surface_appearance(mesh, i)]++] = i;
  lb_free(begins);
  return ok;
}

// ---- splitting ---------------------------------------------------------------------------------

// The bits of a texture coordinate, with one zero and without NaN.
static int32_t uv_bits(float value) {
  float clean = isfinite(value) && value != 0 ? value : 0;
  int32_t bits;
  memcpy(&bits, &clean, sizeof bits);
  return bits;
}

static bool take_split_vertices(const lbHashTable *table, bool with_uvs, lbSurface *surface) {
  surface->vertex_count = table->count;
  surface->origins = lb_alloc((size_t)table->count, sizeof(int32_t));
  if (with_uvs) surface->uvs = lb_alloc(2 * (size_t)table->count, sizeof(float));
  if (!surface->origins || (with_uvs && !surface->uvs)) return false;
  const int32_t *keys = table->keys;
  for (size_t i = 0; i < (size_t)table->count; i++) {
    surface->origins[i] = keys[3 * i];
    if (with_uvs) memcpy(surface->uvs + 2 * i, keys + 3 * i + 1, 2 * sizeof(float));
  }
  return true;
}

static bool split_surface_vertices(const lbMesh *mesh, const int32_t *numbers, const int32_t *order,
                                   lbSurface *surface) {
  lbHashTable table = lb_hash_table(3 * sizeof(int32_t));
  bool ok = true;
  // nothing to split: the vertices stay in the mesh's order
  for (int32_t i = 0; i < surface->source_count && ok && !mesh->corner_uvs; i++)
    ok = lb_hash_table_add(&table, (int32_t[3]){ i, 0, 0 }) >= 0;
  for (int32_t i = 0; i < mesh->triangle_count && ok; i++)
    for (size_t k = 0; k < 3 && ok; k++) {
      size_t corner = 3 * (size_t)order[i] + k;
      const float *uv = mesh->corner_uvs ? mesh->corner_uvs + 2 * corner : NULL;
      int32_t key[3] = { numbers[mesh->triangles[corner]], uv ? uv_bits(uv[0]) : 0,
                         uv ? uv_bits(uv[1]) : 0 };
      int32_t vertex = lb_hash_table_add(&table, key);
      surface->triangles[3 * (size_t)i + k] = vertex;
      ok = vertex >= 0;
    }
  if (ok) ok = take_split_vertices(&table, mesh->corner_uvs != NULL, surface);
  lb_hash_table_release(&table);
  return ok;
}

static lbStatus find_openness(const lbMesh *mesh, lbSurface *surface, lbError *err) {
  lbTriangles view = { mesh->triangle_count, mesh->triangles, mesh->positions };
  lbTopology *topology = NULL;
  lbStatus status = lb_topology_create(&view, mesh->vertex_count, &topology, err);
  if (!status) surface->open = topology->open_edges > 0;
  lb_topology_destroy(topology);
  return status;
}

lbStatus lb_surface_prepare(const lbMesh *mesh, const char *name, lbSurface *surface,
                            lbError *err) {
  *surface = (lbSurface){ .triangle_count = mesh->triangle_count };
  lbStatus status = lb_surface_check(mesh, name, err);
  if (status) return status;
  int32_t *numbers = lb_alloc((size_t)mesh->vertex_count, sizeof *numbers);
  int32_t *order = lb_alloc((size_t)mesh->triangle_count, sizeof *order);
  surface->triangles = lb_alloc((size_t)mesh->triangle_count, 3 * sizeof(int32_t));
  if (!numbers || !order || !surface->triangles || !find_sources(mesh, surface, numbers) ||
      !sort_surface_triangles(mesh, surface, order) ||
      !split_surface_vertices(mesh, numbers, order, surface))
    status = lb_fail_memory(err);
  if (!status) status = find_openness(mesh, surface, err);
  if (!status) surface->size = find_surface_size(mesh, surface);
  lb_free(numbers);
  lb_free(order);
  if (status) lb_surface_release(surface);
  return status;
}

void lb_surface_release(lbSurface *surface) {
  lb_free(surface->sources);
  lb_free(surface->origins);
  lb_free(surface->uvs);
  lb_free(surface->triangles);
  lb_free(surface->parts);
  *surface = (lbSurface){ 0 };
}
