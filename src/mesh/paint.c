// Regions of a volume: groups, boxes, and what is painted on the surface around it.
#include "limber/paint.h"

#include "geometry/aabb_tree.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double tie = 1e-6; // of an edge: what differs by less is equally near

typedef struct Places { // points of the volume and what is nearest to them on the surface
  int32_t count;
  double *points;          // (count x 3)
  double *edges;           // (count), m: the shortest of the elements there; 0: no element
  lbSurfacePoint *nearest; // (count)
} Places;

struct lbPainter {
  const lbMesh *volume, *surface; // surface: NULL where there is none
  lbTriangles triangles;          // of the surface
  lbAabbTree *tree;               // over them; NULL: not asked for yet
  Places elements, nodes;         // count 0: not computed yet
};

// ---- words -------------------------------------------------------------------------------------

static const char *const channel_names[] = { "red", "green", "blue", "alpha", NULL };

const char *lb_color_channel_name(lbColorChannel channel) { return channel_names[channel]; }

bool lb_color_channel_parse(const char *name, lbColorChannel *channel) {
  for (int i = 0; channel_names[i]; i++)
    if (strcmp(channel_names[i], name) == 0) {
      *channel = (lbColorChannel)i;
      return true;
    }
  return false;
}

lbRegion lb_region(void) { return (lbRegion){ .above = -1 }; }

// ---- levels ------------------------------------------------------------------------------------

double lb_color_young(const double young[2], int32_t level) {
  const int32_t last = LB_COLOR_LEVELS - 1;
  if (level <= 0 || level >= last) return young[level > 0];
  double share = (double)level / last;
  return exp((1 - share) * log(young[0]) + share * log(young[1]));
}

int32_t lb_color_level(double value) { return (int32_t)lround(value * (LB_COLOR_LEVELS - 1)); }

// ---- the meshes --------------------------------------------------------------------------------

lbStatus lb_painter_create(const lbMesh *volume, const lbMesh *surface, lbPainter **out,
                           lbError *err) {
  lbPainter *painter = lb_alloc(1, sizeof *painter);
  if (!painter) return lb_fail_memory(err);
  if (!surface) surface = volume;
  painter->volume = volume;
  painter->surface = surface->triangle_count > 0 ? surface : NULL;
  painter->triangles =
      (lbTriangles){ surface->triangle_count, surface->triangles, surface->positions };
  *out = painter;
  return LB_OK;
}

static void release_places(Places *places) {
  lb_free(places->points);
  lb_free(places->edges);
  lb_free(places->nearest);
}

void lb_painter_destroy(lbPainter *painter) {
  if (!painter) return;
  lb_aabb_tree_destroy(painter->tree);
  release_places(&painter->elements);
  release_places(&painter->nodes);
  lb_free(painter);
}

// The vertices of an element.
static int32_t list_element_corners(const lbMesh *mesh, int32_t element, const int32_t **vertices) {
  bool tet = element < mesh->tet_count;
  if (lb_mesh_element_count(mesh) == 0) { // a shell
    *vertices = mesh->triangles + 3 * (size_t)element;
    return 3;
  }
  *vertices = tet ? mesh->tets + 4 * (size_t)element
                  : mesh->bricks + 8 * (size_t)(element - mesh->tet_count);
  return tet ? 4 : 8;
}

static double shortest_edge(const lbMesh *mesh, const int32_t *vertices, int32_t count) {
  double shortest = INFINITY;
  for (int32_t a = 0; a < count; a++)
    for (int32_t b = a + 1; b < count; b++) {
      lbVec3 from = lb_vec3_load(mesh->positions + 3 * (size_t)vertices[a]);
      lbVec3 to = lb_vec3_load(mesh->positions + 3 * (size_t)vertices[b]);
      shortest = fmin(shortest, lb_length(lb_sub(to, from)));
    }
  return shortest;
}

static lbStatus make_places(Places *places, int32_t count, lbError *err) {
  places->points = lb_alloc((size_t)count, 3 * sizeof(double));
  places->edges = lb_alloc((size_t)count, sizeof(double));
  if (!places->points || !places->edges) return lb_fail_memory(err);
  places->count = count;
  return LB_OK;
}

static lbStatus place_elements(lbPainter *painter, lbError *err) {
  const lbMesh *mesh = painter->volume;
  Places *places = &painter->elements;
  if (places->count) return LB_OK;
  lbStatus status = make_places(places, lb_mesh_body_elements(mesh), err);
  for (int32_t e = 0; e < places->count && !status; e++) {
    const int32_t *vertices;
    int32_t count = list_element_corners(mesh, e, &vertices);
    for (int32_t a = 0; a < count; a++)
      for (size_t i = 0; i < 3; i++)
        places->points[3 * (size_t)e + i] += mesh->positions[3 * (size_t)vertices[a] + i] / count;
    places->edges[e] = shortest_edge(mesh, vertices, count);
  }
  return status;
}

static lbStatus place_nodes(lbPainter *painter, lbError *err) {
  const lbMesh *mesh = painter->volume;
  Places *places = &painter->nodes;
  if (places->count) return LB_OK;
  lbStatus status = make_places(places, mesh->vertex_count, err);
  if (status) return status;
  memcpy(places->points, mesh->positions, 3 * (size_t)places->count * sizeof(double));
  for (int32_t e = 0; e < lb_mesh_body_elements(mesh); e++) {
    const int32_t *vertices;
    int32_t count = list_element_corners(mesh, e, &vertices);
    double edge = shortest_edge(mesh, vertices, count);
    for (int32_t a = 0; a < count; a++) {
      double *least = &places->edges[vertices[a]];
      if (*least == 0 || edge < *least) *least = edge;
    }
  }
  return LB_OK;
}

// What of the surface is nearest to each place.
static lbStatus find_nearest_triangle(lbPainter *painter, Places *places, lbError *err) {
  if (places->nearest) return LB_OK;
  if (!painter->tree) {
    lbStatus status = lb_aabb_tree_build_triangles(&painter->triangles, &painter->tree, err);
    if (status) return status;
  }
  places->nearest = lb_alloc((size_t)places->count, sizeof(lbSurfacePoint));
  if (!places->nearest) return lb_fail_memory(err);
  for (int32_t i = 0; i < places->count; i++)
    lb_surface_closest_point(painter->tree, &painter->triangles,
                             lb_vec3_load(places->points + 3 * (size_t)i), INFINITY,
                             &places->nearest[i]);
  return LB_OK;
}

// What is near a place: whether a marked triangle is, or what colour the surface has.
typedef struct Near {
  const lbTriangles *triangles;
  const lbAabbTree *tree;
  lbVec3 point;
  double reach;        // m
  const bool *marked;  // (triangles); NULL: not asked for
  const float *colors; // (vertices x 4); NULL: not asked for
  lbColorChannel channel;
  bool found;    // a marked one
  int32_t count; // triangles with a colour
  double sum, largest;
} Near;

static Near near_place(const lbPainter *painter, const Places *places, int32_t i) {
  return (Near){ .triangles = &painter->triangles,
                 .tree = painter->tree,
                 .point = lb_vec3_load(places->points + 3 * (size_t)i),
                 .reach = places->nearest[i].distance + tie * places->edges[i] };
}

static void add_color(Near *near, int32_t triangle, const double weights[3]) {
  double value = 0;
  for (int k = 0; k < 3; k++) {
    size_t vertex = (size_t)near->triangles->triangles[3 * (size_t)triangle + (size_t)k];
    if (near->colors[4 * vertex] < 0) return;
    value += weights[k] * (double)near->colors[4 * vertex + (size_t)near->channel];
  }
  value = fmin(fmax(value, 0), 1);
  near->largest = near->count ? fmax(near->largest, value) : value;
  near->sum += value;
  near->count++;
}

static bool visit_triangle(int32_t triangle, void *context) {
  Near *near = context;
  double weights[3];
  double distance2 =
      lb_triangle_closest_point(near->point, lb_triangle_corner(near->triangles, triangle, 0),
                                lb_triangle_corner(near->triangles, triangle, 1),
                                lb_triangle_corner(near->triangles, triangle, 2), weights);
  if (!(sqrt(distance2) <= near->reach)) return true;
  if (near->marked && near->marked[triangle]) near->found = true;
  if (near->colors) add_color(near, triangle, weights);
  return !near->found;
}

// All triangles that are as near as the nearest.
static void visit_near(Near *near) {
  const double r = near->reach;
  lbBox box;
  lb_vec3_store(box.low, lb_sub(near->point, lb_vec3(r, r, r)));
  lb_vec3_store(box.high, lb_add(near->point, lb_vec3(r, r, r)));
  lb_aabb_tree_overlap(near->tree, &box, visit_triangle, near);
}

// ---- groups ------------------------------------------------------------------------------------

static bool matches(const lbGroup *group, const lbRegion *region) {
  return region->group ? strcmp(group->name, region->group) == 0 : group->tag == region->tag;
}

// Whether the list "a, b (3), c" has this item.
static bool is_id_listed(const char *list, const char *item) {
  size_t length = strlen(item);
  for (const char *at = strstr(list, item); at; at = strstr(at + 1, item))
    if ((at == list || at[-1] == ' ') && (at[length] == ',' || !at[length])) return true;
  return false;
}

// Adds a name once; "..." when the list is full.
static void add_name(const char *name, int32_t tag, char *list, size_t bytes) {
  size_t used = strlen(list);
  char item[80];
  if (tag)
    snprintf(item, sizeof item, "%.60s (%d)", name, (int)tag);
  else
    snprintf(item, sizeof item, "%.60s", name);
  if (!item[0] || is_id_listed(list, item) || is_id_listed(list, "...")) return;
  bool fits = used + strlen(item) + 8 < bytes; // with ", ..." behind it
  snprintf(list + used, bytes - used, "%s%s", used ? ", " : "", fits ? item : "...");
}

// The names that a region of this painter could have.
static void list_names(const lbPainter *painter, bool nodes, char *list, size_t bytes) {
  const lbMesh *volume = painter->volume, *surface = painter->surface;
  list[0] = '\0';
  for (int32_t i = 0; i < volume->group_count; i++)
    if (nodes || volume->groups[i].kind == LB_GROUP_ELEMENTS)
      add_name(volume->groups[i].name, volume->groups[i].tag, list, bytes);
  for (int32_t i = 0; surface && i < surface->group_count; i++)
    if (surface->groups[i].kind == LB_GROUP_TRIANGLES && (surface != volume || !nodes))
      add_name(surface->groups[i].name, surface->groups[i].tag, list, bytes);
  for (int32_t i = 0; surface && surface->triangle_appearances && i < surface->appearance_count;
       i++)
    add_name(surface->appearances[i].name, 0, list, bytes);
}

enum { NAME_BYTES = 120, LIST_BYTES = 200 }; // of texts in messages

// A group as a message calls it.
static const char *name_region_shape(const lbRegion *region, char name[NAME_BYTES]) {
  if (region->group)
    snprintf(name, NAME_BYTES, "\"%.100s\"", region->group);
  else
    snprintf(name, NAME_BYTES, "number %d", (int)region->tag);
  return name;
}

static lbStatus fail_unknown_group(const lbPainter *painter, const lbRegion *region, bool nodes,
                                   lbError *err) {
  char list[LIST_BYTES], name[NAME_BYTES];
  list_names(painter, nodes, list, sizeof list);
  if (!list[0])
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "there is no group %s: neither mesh nor surface has groups or materials, use "
                   "a box or colours",
                   name_region_shape(region, name));
  return lb_fail(err, LB_ERR_ARGUMENT, "there is no group, object or material %s, there are: %s",
                 name_region_shape(region, name), list);
}

// The triangles of the surface that the region names; *found: some name matches.
static void mark_triangles(const lbMesh *surface, const lbRegion *region, bool *marked,
                           bool *found) {
  for (int32_t i = 0; i < surface->group_count; i++) {
    const lbGroup *group = &surface->groups[i];
    if (group->kind != LB_GROUP_TRIANGLES || !matches(group, region)) continue;
    *found = true;
    for (int32_t k = 0; k < group->count; k++) marked[group->ids[k]] = true;
  }
  for (int32_t i = 0; i < surface->appearance_count && surface->triangle_appearances; i++) {
    if (!region->group || strcmp(surface->appearances[i].name, region->group) != 0) continue;
    *found = true;
    for (int32_t t = 0; t < surface->triangle_count; t++)
      marked[t] |= surface->triangle_appearances[t] == i;
  }
}

// The places that are as near to a marked triangle as to any.
static lbStatus cover_near(lbPainter *painter, Places *places, const bool *marked, bool *covered,
                           lbError *err) {
  lbStatus status = find_nearest_triangle(painter, places, err);
  for (int32_t i = 0; i < places->count && !status; i++) {
    if (!covered[i]) continue;
    Near near = near_place(painter, places, i);
    near.marked = marked;
    visit_near(&near);
    covered[i] = near.found;
  }
  return status;
}

static lbStatus cover_surface_group(lbPainter *painter, Places *places, const lbRegion *region,
                                    bool nodes, bool *covered, lbError *err) {
  if (!painter->surface) return fail_unknown_group(painter, region, nodes, err);
  bool *marked = lb_alloc((size_t)painter->surface->triangle_count, sizeof *marked), found = false;
  if (!marked) return lb_fail_memory(err);
  mark_triangles(painter->surface, region, marked, &found);
  lbStatus status = found ? cover_near(painter, places, marked, covered, err)
                          : fail_unknown_group(painter, region, nodes, err);
  lb_free(marked);
  return status;
}

// covered &= `inside`.
static void keep_inside(int32_t count, const bool *inside, bool *covered) {
  for (int32_t i = 0; i < count; i++) covered[i] = covered[i] && inside[i];
}

// The volume's own groups; *found: some name matches.
static void mark_elements(const lbMesh *volume, const lbRegion *region, bool *inside, bool *found) {
  bool shell = lb_mesh_element_count(volume) == 0;
  for (int32_t i = 0; i < volume->group_count; i++) {
    const lbGroup *group = &volume->groups[i];
    if (group->kind != (shell ? LB_GROUP_TRIANGLES : LB_GROUP_ELEMENTS)) continue;
    if (!matches(group, region)) continue;
    *found = true;
    for (int32_t k = 0; k < group->count; k++) inside[group->ids[k]] = true;
  }
}

static void mark_painted_nodes(const lbMesh *volume, const lbRegion *region, bool *inside,
                               bool *found) {
  for (int32_t i = 0; i < volume->group_count; i++) {
    const lbGroup *group = &volume->groups[i];
    if (!matches(group, region)) continue;
    *found = true;
    for (int32_t k = 0; k < group->count; k++) {
      const int32_t *vertices = &group->ids[k];
      int32_t count = 1;
      if (group->kind == LB_GROUP_TRIANGLES)
        vertices = volume->triangles + 3 * (size_t)group->ids[k], count = 3;
      else if (group->kind == LB_GROUP_ELEMENTS)
        count = list_element_corners(volume, group->ids[k], &vertices);
      for (int32_t a = 0; a < count; a++) inside[vertices[a]] = true;
    }
  }
}

static lbStatus cover_mesh_group(lbPainter *painter, Places *places, const lbRegion *region,
                                 bool nodes, bool *covered, lbError *err) {
  if (!region->group && !region->tag) return LB_OK;
  bool *inside = lb_alloc((size_t)places->count, sizeof *inside), found = false;
  if (!inside) return lb_fail_memory(err);
  (nodes ? mark_painted_nodes : mark_elements)(painter->volume, region, inside, &found);
  if (found) keep_inside(places->count, inside, covered);
  lb_free(inside);
  return found ? LB_OK : cover_surface_group(painter, places, region, nodes, covered, err);
}

// ---- colours and boxes -------------------------------------------------------------------------

static lbStatus cover_color(lbPainter *painter, Places *places, const lbRegion *region, bool nodes,
                            bool *covered, double *values, lbError *err) {
  if (!region->has_color) return LB_OK;
  const lbMesh *surface = painter->surface;
  if (!surface || !surface->vertex_colors)
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "the surface has no vertex colours; OBJ (v x y z r g b), PLY and glTF (COLOR_0) "
                   "can have them");
  lbStatus status = find_nearest_triangle(painter, places, err);
  for (int32_t i = 0; i < places->count && !status; i++) {
    if (!covered[i]) continue;
    Near near = near_place(painter, places, i);
    near.channel = region->channel;
    near.colors = surface->vertex_colors;
    visit_near(&near);
    double value = near.count == 0 ? -1 : nodes ? near.largest : near.sum / near.count;
    if (values) values[i] = value;
    covered[i] = value >= 0 && value > region->above;
  }
  return status;
}

static void cover_box(const Places *places, const lbRegion *region, bool *covered) {
  for (int32_t i = 0; i < places->count && region->has_box; i++)
    for (size_t k = 0; k < 3; k++) {
      double x = places->points[3 * (size_t)i + k];
      covered[i] = covered[i] && x >= region->box[0][k] && x <= region->box[1][k];
    }
}

// ---- regions -----------------------------------------------------------------------------------

static lbStatus check_some(const lbPainter *painter, const Places *places, const lbRegion *region,
                           bool nodes, const bool *covered, lbError *err) {
  for (int32_t i = 0; i < places->count; i++)
    if (covered[i]) return LB_OK;
  const char *what = nodes ? "node" : "element";
  if (!region->group && !region->tag)
    return lb_fail(err, LB_ERR_ARGUMENT, "this %s covers no %s of the volume mesh",
                   region->has_color ? "colour" : "box", what);
  char list[LIST_BYTES], name[NAME_BYTES];
  list_names(painter, nodes, list, sizeof list);
  return lb_fail(err, LB_ERR_ARGUMENT,
                 "the group %s covers no %s of the volume mesh; use smaller cells, or one of: %s",
                 name_region_shape(region, name), what, list);
}

static lbStatus cover_region(lbPainter *painter, Places *places, const lbRegion *region, bool nodes,
                             bool *covered, double *values, lbError *err) {
  lbStatus status = cover_mesh_group(painter, places, region, nodes, covered, err);
  if (!status) status = cover_color(painter, places, region, nodes, covered, values, err);
  if (!status) cover_box(places, region, covered);
  return status ? status : check_some(painter, places, region, nodes, covered, err);
}

lbStatus lb_painter_elements(lbPainter *painter, const lbRegion *region, bool *covered,
                             double *values, lbError *err) {
  for (int32_t e = 0; e < lb_mesh_body_elements(painter->volume); e++) covered[e] = true;
  if (!region->group && !region->tag && !region->has_color && !region->has_box) return LB_OK;
  lbStatus status = place_elements(painter, err);
  return status ? status
                : cover_region(painter, &painter->elements, region, false, covered, values, err);
}

// Whether the region asks the surface: then only nodes near it count.
static bool asks_surface(const lbPainter *painter, const lbRegion *region) {
  bool grouped = region->group || region->tag;
  for (int32_t i = 0; i < painter->volume->group_count && grouped; i++)
    if (matches(&painter->volume->groups[i], region)) grouped = false;
  return grouped || region->has_color;
}

static lbStatus keep_near_surface(lbPainter *painter, const lbRegion *region, bool *inside,
                                  lbError *err) {
  Places *places = &painter->nodes;
  if (!painter->surface || !asks_surface(painter, region)) return LB_OK;
  lbStatus status = find_nearest_triangle(painter, places, err);
  for (int32_t v = 0; v < places->count && !status; v++)
    inside[v] = places->nearest[v].distance <= 0.5 * (1 + tie) * places->edges[v];
  return status;
}

lbStatus lb_painter_nodes(lbPainter *painter, const lbRegion *region, bool *covered, lbError *err) {
  lbStatus status = place_nodes(painter, err);
  if (status) return status;
  int32_t count = painter->nodes.count;
  bool *inside = lb_alloc((size_t)count, sizeof *inside);
  if (!inside) return lb_fail_memory(err);
  for (int32_t v = 0; v < count; v++) inside[v] = true;
  status = keep_near_surface(painter, region, inside, err);
  if (!status) status = cover_region(painter, &painter->nodes, region, true, inside, NULL, err);
  for (int32_t v = 0; v < count && !status; v++) covered[v] |= inside[v];
  lb_free(inside);
  return status;
}
