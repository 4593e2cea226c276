// Finding the element that holds each point, through a box tree over the elements, and its weights.
#include "mesh/embed.h"

#include "geometry/aabb_tree.h"
#include "mesh/element_map.h"

#include <string.h>

typedef struct Search {
  const lbMesh *volume;
  const double *points;
  const int32_t *hints;
  const lbAabbTree *tree; // NULL: hints only
  double tolerance2;      // squared distance that still counts as inside
  lbEmbedding *embedding;
  double *distances2; // (points)
} Search;

static double element_distance2(int32_t element, lbVec3 point, void *context) {
  const Search *search = context;
  lbElementMap map = lb_element_map(search->volume, element);
  return lb_element_map_distance2(&map, point);
}

// Points without a good hint wait, with element -1, for the tree.
static void take_hints(int32_t begin, int32_t end, void *context) {
  const Search *search = context;
  for (int32_t p = begin; p < end; p++) {
    int32_t hint = search->hints ? search->hints[p] : -1;
    search->embedding->elements[p] = -1;
    if (hint < 0) continue;
    lbVec3 point = lb_vec3_load(search->points + 3 * (size_t)p);
    double distance2 = element_distance2(hint, point, context);
    if (!(distance2 <= search->tolerance2)) continue;
    search->embedding->elements[p] = hint;
    search->distances2[p] = distance2;
  }
}

static void find_nearest_element(int32_t begin, int32_t end, void *context) {
  const Search *search = context;
  for (int32_t p = begin; p < end; p++) {
    if (search->embedding->elements[p] >= 0) continue;
    lbVec3 point = lb_vec3_load(search->points + 3 * (size_t)p);
    double distance2 = INFINITY;
    search->embedding->elements[p] =
        lb_aabb_tree_nearest(search->tree, point, element_distance2, context, &distance2);
    search->distances2[p] = distance2;
  }
}

static void set_weights(int32_t begin, int32_t end, void *context) {
  const Search *search = context;
  const lbMesh *volume = search->volume;
  lbEmbedding *embedding = search->embedding;
  for (int32_t p = begin; p < end; p++) {
    int32_t element = embedding->elements[p], at = embedding->begin[p];
    lbElementMap map = lb_element_map(volume, element);
    const int32_t *ids = element < volume->tet_count
                             ? volume->tets + 4 * (size_t)element
                             : volume->bricks + 8 * (size_t)(element - volume->tet_count);
    memcpy(embedding->nodes + at, ids, (size_t)map.node_count * sizeof *ids);
    lb_element_map_weights(&map, lb_vec3_load(search->points + 3 * (size_t)p),
                           embedding->weights + at);
  }
}

// Boxes of the elements; flat ones get an empty box and are never found.
static lbStatus build_element_tree(const lbMesh *volume, lbAabbTree **tree, lbError *err) {
  int32_t count = lb_mesh_element_count(volume), usable = 0;
  lbBox *boxes = lb_alloc((size_t)count, sizeof *boxes);
  if (!boxes) return lb_fail_memory(err);
  for (int32_t e = 0; e < count; e++) {
    lbElementMap map = lb_element_map(volume, e);
    bool flat = lb_element_map_is_flat(&map);
    boxes[e] = flat ? lb_box_empty() : lb_element_map_box(&map);
    if (!flat) usable++;
  }
  lbStatus status = LB_OK;
  if (usable == 0)
    status = lb_fail(err, LB_ERR_MESH,
                     count ? "all %d elements are flat, points need one with volume"
                           : "the mesh has %d volume elements, points need one",
                     (int)count);
  else
    status = lb_aabb_tree_build(boxes, count, tree, err);
  lb_free(boxes);
  return status;
}

static lbStatus check_embedded_points(const lbMesh *volume, const double *points,
                                      int32_t point_count, lbError *err) {
  if (point_count < 0 || point_count > INT32_MAX / 8)
    return lb_fail(err, LB_ERR_ARGUMENT, "cannot embed %d points, at most %d", (int)point_count,
                   (int)(INT32_MAX / 8));
  for (size_t i = 0; i < 3 * (size_t)point_count; i++)
    if (!isfinite(points[i]))
      return lb_fail(err, LB_ERR_ARGUMENT,
                     "point %d to embed has a coordinate that is not a finite number (%c = %g)",
                     (int)(i / 3), "xyz"[i % 3], points[i]);
  if (lb_mesh_element_count(volume) == 0)
    return lb_fail(err, LB_ERR_MESH, "the mesh has no volume elements to embed points in");
  return LB_OK;
}

static lbStatus find_elements(Search *search, lbError *err) {
  int32_t count = search->embedding->point_count, missing = 0;
  lbAabbTree *tree = NULL;
  lb_parallel_for(count, 1024, take_hints, search);
  for (int32_t p = 0; p < count; p++) missing += search->embedding->elements[p] < 0;
  if (missing == 0) return LB_OK;
  lbStatus status = build_element_tree(search->volume, &tree, err);
  if (status) return status;
  search->tree = tree;
  lb_parallel_for(count, 256, find_nearest_element, search);
  lb_aabb_tree_destroy(tree);
  for (int32_t p = 0; p < count; p++)
    if (search->embedding->elements[p] < 0) // distances overflowed
      return lb_fail(err, LB_ERR_MESH, "point %d is too far from the mesh to be embedded", (int)p);
  return LB_OK;
}

static lbStatus lay_out_embedding(Search *search, lbError *err) {
  lbEmbedding *embedding = search->embedding;
  int32_t total = 0;
  for (int32_t p = 0; p < embedding->point_count; p++) {
    embedding->begin[p] = total;
    total += embedding->elements[p] < search->volume->tet_count ? 4 : 8;
    if (search->distances2[p] > search->tolerance2) {
      double distance = sqrt(search->distances2[p]);
      embedding->outside_count++;
      if (distance > embedding->outside_distance) embedding->outside_distance = distance;
    }
  }
  embedding->begin[embedding->point_count] = total;
  embedding->nodes = lb_alloc((size_t)total, sizeof *embedding->nodes);
  embedding->weights = lb_alloc((size_t)total, sizeof *embedding->weights);
  return embedding->nodes && embedding->weights ? LB_OK : lb_fail_memory(err);
}

static double mesh_tolerance(const lbMesh *volume) {
  lbBox box = lb_box_empty();
  for (int32_t v = 0; v < volume->vertex_count; v++)
    lb_box_add_point(&box, volume->positions + 3 * (size_t)v);
  return 1e-9 * lb_length(lb_sub(lb_vec3_load(box.high), lb_vec3_load(box.low)));
}

lbStatus lb_mesh_embed_hinted(const lbMesh *volume, const double *points, int32_t point_count,
                              const int32_t *hints, lbEmbedding **out, lbError *err) {
  lbStatus status = check_embedded_points(volume, points, point_count, err);
  if (status) return status;
  double tolerance = mesh_tolerance(volume);
  Search search = { volume, points, hints, NULL, tolerance * tolerance, NULL, NULL };
  lbEmbedding *embedding = lb_alloc(1, sizeof *embedding);
  search.embedding = embedding;
  search.distances2 = lb_alloc((size_t)point_count, sizeof(double));
  if (embedding) {
    embedding->point_count = point_count;
    embedding->node_count = volume->vertex_count;
    embedding->begin = lb_alloc((size_t)point_count + 1, sizeof(int32_t));
    embedding->elements = lb_alloc((size_t)point_count, sizeof(int32_t));
  }
  if (!embedding || !search.distances2 || !embedding->begin || !embedding->elements)
    status = lb_fail_memory(err);
  if (!status) status = find_elements(&search, err);
  if (!status) status = lay_out_embedding(&search, err);
  if (!status) {
    lb_parallel_for(point_count, 1024, set_weights, &search);
    *out = embedding;
    embedding = NULL;
  }
  lb_embedding_destroy(embedding);
  lb_free(search.distances2);
  return status;
}

lbStatus lb_mesh_embed(const lbMesh *volume, const double *points, int32_t point_count,
                       lbEmbedding **out, lbError *err) {
  return lb_mesh_embed_hinted(volume, points, point_count, NULL, out, err);
}
