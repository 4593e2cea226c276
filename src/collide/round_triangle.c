// Triangles against spheres and capsules: everything within the radius of a core, which is a point
// or a segment. Corners are tested elsewhere; here are edges and the face, where they are nearer to
// the core than what lies around them.
#include "collide/segments.h"

typedef struct Round {
  const lbSolid *solid;
  const lbSurfaceTriangle *triangle;
  lbFacet facet;
  lbVec3 from, along; // the core: from + t along, 0 <= t <= 1
  double margin;
  lbTouchList *list;
} Round;

// A place of the triangle and one of the core, with the normal (core to triangle) and their signed
// distance along it.
static void add_round_touch(const Round *round, const double weights[3], lbVec3 place,
                            lbVec3 normal, double distance, int32_t feature) {
  double gap = distance - round->solid->radius;
  if (!(gap < round->margin)) return;
  lbSolidTouch touch = { { weights[0], weights[1], weights[2] },
                         place,
                         lb_add_scaled(place, -gap, normal),
                         normal,
                         gap,
                         feature };
  lb_touch_list_add(round->list, &touch);
}

// ---- edges -------------------------------------------------------------------------------------

// The place at s of edge k against the nearest place of the core. `part` numbers places of an edge.
static void edge_place(const Round *round, int k, double s, int32_t part) {
  if (!(s > 0 && s < 1)) return;
  const lbVec3 *c = round->triangle->corners;
  lbVec3 edge = lb_sub(c[(k + 1) % 3], c[k]);
  lbVec3 place = lb_add_scaled(c[k], s, edge);
  double core2 = lb_dot(round->along, round->along), t = 0;
  if (core2 > 0) t = lb_clamp(lb_dot(lb_sub(place, round->from), round->along) / core2, 0, 1);
  lbVec3 away = lb_sub(place, lb_add_scaled(round->from, t, round->along));
  double distance = lb_length(away);
  lbVec3 normal = lb_scale(-1, round->facet.normal);
  if (distance > 1e-13 * (round->facet.longest + round->solid->reach))
    normal = lb_scale(1 / distance, away);
  else if (lb_dot(normal, normal) == 0)
    normal = lb_square_to(lb_direction_or(edge, lb_vec3(0, 0, 1)));
  const lbVec3 sides[2] = { c[(k + 2) % 3], round->triangle->across[k] };
  if (!lb_edge_faces(sides, place, edge, normal, LB_CONE_SLACK)) return;
  double weights[3] = { 0 };
  weights[k] = 1 - s;
  weights[(k + 1) % 3] = s;
  add_round_touch(round, weights, place, normal, distance, lb_feature(part, LB_PART_EDGE + k));
}

static void touch_round_edge(const Round *round, int k) {
  const lbVec3 *c = round->triangle->corners;
  lbVec3 edge = lb_sub(c[(k + 1) % 3], c[k]);
  lbVec3 square = lb_cross(edge, round->along);
  double edge2 = lb_dot(edge, edge), core2 = lb_dot(round->along, round->along), s, t;
  bool side_by_side =
      core2 > 0 && lb_dot(square, square) < LB_CONE_SLACK * LB_CONE_SLACK * edge2 * core2;
  if (side_by_side) { // both ends of the stretch
    lbVec3 to_core = lb_sub(round->from, c[k]);
    double first = lb_dot(to_core, edge) / edge2;
    double last = lb_dot(lb_add(to_core, round->along), edge) / edge2;
    edge_place(round, k, first, 1);
    edge_place(round, k, last, 2);
    if ((first > 0 && first < 1) || (last > 0 && last < 1)) return;
  }
  lb_segments_closest(c[k], edge, round->from, round->along, &s, &t);
  edge_place(round, k, s, 1);
}

// ---- face --------------------------------------------------------------------------------------

// Does the core go through the triangle? Then the weights of where.
static bool core_crosses(const Round *round, double from_height, double to_height,
                         double weights[3]) {
  if (!((from_height < 0) != (to_height < 0))) return false;
  double t = from_height / (from_height - to_height);
  return lb_facet_foot(&round->facet, lb_add_scaled(round->from, t, round->along), weights);
}

// The ends of the core above the face. Where the core goes through it, what is behind the face is
// deeper than what is in front.
static void touch_face(const Round *round) {
  const lbFacet *facet = &round->facet;
  if (lb_dot(facet->normal, facet->normal) == 0) return;
  int end_count = round->solid->half[2] > 0 ? 2 : 1;
  bool behind_added = false;
  lbVec3 ends[2] = { round->from, lb_add(round->from, round->along) };
  double heights[2], weights[3], crossing[3];
  for (int i = 0; i < 2; i++)
    heights[i] = lb_dot(facet->normal, lb_sub(ends[i], facet->corners[0]));
  lbVec3 down = lb_scale(-1, facet->normal);
  bool crosses = end_count == 2 && core_crosses(round, heights[0], heights[1], crossing);
  for (int i = 0; i < end_count; i++) {
    if (!lb_facet_foot(facet, ends[i], weights)) continue;
    behind_added |= heights[i] < 0;
    bool behind = heights[i] < 0 && !crosses;
    add_round_touch(round, weights, lb_facet_place(facet, weights), behind ? facet->normal : down,
                    behind ? -heights[i] : heights[i], lb_feature(1 + i, LB_PART_FACE));
  }
  if (crosses && !behind_added)
    add_round_touch(round, crossing, lb_facet_place(facet, crossing), down, 0,
                    lb_feature(3, LB_PART_FACE));
}

void lb_touch_triangle_round(const lbSolid *solid, const lbSurfaceTriangle *triangle, double margin,
                             lbTouchList *list) {
  Round round = { solid,
                  triangle,
                  lb_facet(triangle->corners),
                  { 0, 0, -solid->half[2] },
                  { 0, 0, 2 * solid->half[2] },
                  margin,
                  list };
  for (int k = 0; k < 3; k++)
    if (triangle->own & LB_OWN_EDGE(k)) touch_round_edge(&round, k);
  touch_face(&round);
}
