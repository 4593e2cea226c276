// Cuts a surface along the borders of the parts of a rounded solid, so that colours meet in a clean
// line: vertices near a border move onto it, edges that still cross one are cut there.
#include "mesh/hash_table.h"
#include "shapes/implicit.h"

#define NEAR 0.3 // of the spacing: vertices nearer to a border move onto it

typedef struct Cut {
  lbMeshBuilder *draft;
  const lbImplicit *shape;
  double spacing;
  uint8_t *masks; // (vertex_count) bit i: of part i; two bits on a border
  size_t mask_capacity;
  lbHashTable edges; // those that are cut
  int32_t *middles;  // (edges.count) the vertex where each is cut
  size_t middle_capacity;
  lbPartTriangles *out;
} Cut;

// How much farther part b is than part a.
static double difference(const lbImplicit *shape, lbVec3 p, int a, int b) {
  double parts[LB_PART_LIMIT];
  shape->distances(p, parts);
  return parts[b] - parts[a];
}

static lbVec3 position(const Cut *cut, int32_t vertex) {
  return lb_vec3_load(cut->draft->mesh->positions + 3 * (size_t)vertex);
}

// A step towards the place on the surface where both parts are equally far; *length as it was.
static lbVec3 towards_border(const Cut *cut, lbVec3 p, int a, int b, double *length) {
  const lbImplicit *shape = cut->shape;
  double step = 1e-3 * cut->spacing, d = difference(shape, p, a, b);
  lbVec3 normal, slope = {
    (difference(shape, lb_vec3(p.x + step, p.y, p.z), a, b) - d) / step,
    (difference(shape, lb_vec3(p.x, p.y + step, p.z), a, b) - d) / step,
    (difference(shape, lb_vec3(p.x, p.y, p.z + step), a, b) - d) / step,
  };
  lb_implicit_gradient(shape, p, step, &normal);
  normal = lb_normalise(normal);
  slope = lb_add_scaled(slope, -lb_dot(slope, normal), normal); // along the surface
  double square = fmax(lb_dot(slope, slope), 1e-4);
  *length = fabs(d) / sqrt(square);
  p = lb_add_scaled(p, -d / square * fmin(1, cut->spacing / fmax(*length, 1e-12)), slope);
  return lb_implicit_project(shape, p, cut->spacing);
}

// The nearest part and the next one.
static void two_nearest(const lbImplicit *shape, lbVec3 p, int nearest[2]) {
  double parts[LB_PART_LIMIT];
  shape->distances(p, parts);
  nearest[0] = 0, nearest[1] = -1;
  for (int i = 1; i < shape->part_count; i++) {
    if (parts[i] < parts[nearest[0]])
      nearest[1] = nearest[0], nearest[0] = i;
    else if (nearest[1] < 0 || parts[i] < parts[nearest[1]])
      nearest[1] = i;
  }
}

static uint8_t settle_vertex(const Cut *cut, int32_t vertex) {
  int nearest[2];
  double length;
  lbVec3 start = position(cut, vertex), p = start;
  two_nearest(cut->shape, p, nearest);
  uint8_t mask = (uint8_t)(1 << nearest[0]);
  if (nearest[1] < 0) return mask;
  p = towards_border(cut, p, nearest[0], nearest[1], &length);
  if (length > NEAR * cut->spacing) return mask;
  for (int i = 0; i < 3; i++) p = towards_border(cut, p, nearest[0], nearest[1], &length);
  if (length > 0.1 * NEAR * cut->spacing || lb_length(lb_sub(p, start)) > 0.5 * cut->spacing)
    return mask;
  lb_vec3_store(cut->draft->mesh->positions + 3 * (size_t)vertex, p);
  return (uint8_t)(mask | 1 << nearest[1]);
}

static bool add_mask(Cut *cut, uint8_t mask, int32_t vertex) {
  size_t count = (size_t)vertex + 1;
  if (vertex < 0 || !lb_grow((void **)&cut->masks, &cut->mask_capacity, count, 1)) return false;
  cut->masks[vertex] = mask;
  return true;
}

static int lowest_bit(uint8_t mask) {
  int bit = 0;
  while (bit < LB_PART_LIMIT - 1 && !(mask >> bit & 1)) bit++;
  return bit;
}

// Where the parts of both ends are equally far, by halving; then onto the surface.
static lbVec3 crossing(const Cut *cut, int32_t low, int32_t high) {
  int a = lowest_bit(cut->masks[low]), b = lowest_bit(cut->masks[high]);
  lbVec3 p = position(cut, low), q = position(cut, high);
  double from = 0.1, to = 0.9; // no shorter pieces
  for (int i = 0; i < 20; i++) {
    double t = (from + to) / 2;
    lbVec3 middle = lb_add_scaled(lb_scale(1 - t, p), t, q);
    if (difference(cut->shape, middle, a, b) > 0)
      from = t;
    else
      to = t;
  }
  lbVec3 middle = lb_add_scaled(lb_scale(1 - from, p), from, q);
  return lb_implicit_project(cut->shape, middle, cut->spacing / 4);
}

// The vertex that cuts the edge; -1 when nothing does, or memory ran out.
static int32_t middle_of(Cut *cut, int32_t a, int32_t b) {
  if (cut->draft->out_of_memory || cut->masks[a] & cut->masks[b]) return -1;
  int32_t key[2] = { a < b ? a : b, a < b ? b : a }, known = cut->edges.count;
  int32_t edge = lb_hash_table_add(&cut->edges, key);
  if (edge >= 0 && edge < known) return cut->middles[edge];
  lbVec3 p = crossing(cut, key[0], key[1]);
  int32_t vertex = edge < 0 ? -1 : lb_mesh_add_vertex(cut->draft, p.x, p.y, p.z);
  if (vertex < 0 || !add_mask(cut, cut->masks[a] | cut->masks[b], vertex) ||
      !lb_grow((void **)&cut->middles, &cut->middle_capacity, (size_t)edge + 1, sizeof(int32_t))) {
    cut->draft->out_of_memory = true;
    return -1;
  }
  cut->middles[edge] = vertex;
  return vertex;
}

// The part that all corners share; where they share none or several, that of the middle.
static int part_of(const Cut *cut, int32_t a, int32_t b, int32_t c) {
  uint8_t common = cut->masks[a] & cut->masks[b] & cut->masks[c];
  if (common && !(common & (common - 1))) return lowest_bit(common);
  lbVec3 sum = lb_add(position(cut, a), lb_add(position(cut, b), position(cut, c)));
  int part;
  lb_implicit_distance(cut->shape, lb_scale(1.0 / 3, sum), &part);
  return part;
}

static void add_piece(Cut *cut, int32_t a, int32_t b, int32_t c) {
  lbPartTriangles *out = cut->out;
  if (cut->draft->out_of_memory ||
      !lb_grow((void **)&out->items, &out->capacity, (size_t)out->count + 1, sizeof *out->items)) {
    cut->draft->out_of_memory = true;
    return;
  }
  int32_t *item = out->items[out->count++];
  item[0] = a, item[1] = b, item[2] = c, item[3] = part_of(cut, a, b, c);
}

static void cut_triangle(Cut *cut, const int32_t corners[3]) {
  int32_t v[3], m[3], count = 0, turn = 0;
  for (int i = 0; i < 3; i++) { // m[i] is opposite to corner i
    m[i] = middle_of(cut, corners[(i + 1) % 3], corners[(i + 2) % 3]);
    count += m[i] >= 0;
  }
  // Turn it so that with one cut that is opposite to v[0], with two the uncut side is.
  for (int i = 0; i < 3; i++)
    if ((count == 1 && m[i] >= 0) || (count == 2 && m[i] < 0)) turn = i;
  int32_t turned[3] = { m[turn], m[(turn + 1) % 3], m[(turn + 2) % 3] };
  for (int i = 0; i < 3; i++) v[i] = corners[(turn + i) % 3], m[i] = turned[i];
  if (count == 0) {
    add_piece(cut, v[0], v[1], v[2]);
  } else if (count == 1) {
    add_piece(cut, v[0], v[1], m[0]);
    add_piece(cut, v[0], m[0], v[2]);
  } else {
    add_piece(cut, v[0], m[2], m[1]);
    if (count == 2) {
      add_piece(cut, m[2], v[1], v[2]);
      add_piece(cut, m[2], v[2], m[1]);
    } else {
      add_piece(cut, v[1], m[0], m[2]);
      add_piece(cut, v[2], m[1], m[0]);
      add_piece(cut, m[0], m[1], m[2]);
    }
  }
}

void lb_implicit_cut(lbMeshBuilder *draft, const lbImplicit *shape, double spacing,
                     lbPartTriangles *out) {
  Cut cut = { .draft = draft, .shape = shape, .spacing = spacing, .out = out };
  cut.edges = lb_hash_table(2 * sizeof(int32_t));
  int32_t vertex_count = draft->mesh->vertex_count, triangle_count = draft->mesh->triangle_count;
  for (int32_t v = 0; v < vertex_count && !draft->out_of_memory; v++)
    if (!add_mask(&cut, settle_vertex(&cut, v), v)) draft->out_of_memory = true;
  for (int32_t t = 0; t < triangle_count && !draft->out_of_memory; t++)
    cut_triangle(&cut, draft->mesh->triangles + 3 * (size_t)t);
  lb_hash_table_release(&cut.edges);
  lb_free(cut.masks);
  lb_free(cut.middles);
}
