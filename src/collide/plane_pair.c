// A plane against anything: the lowest places of the other solid.
#include "collide/pair.h"

static void add_plane_touch(lbSolidPair *pair, lbVec3 at, int32_t feature) {
  if (!(at.z < pair->margin)) return;
  lbSolidTouch touch = { .gap = at.z, .feature = feature };
  touch.on_solid = at;
  touch.on_triangle = lb_vec3(at.x, at.y, 0);
  touch.normal = lb_vec3(0, 0, -1);
  lb_touch_list_add(&pair->list, &touch);
}

void lb_pair_plane(lbSolidPair *pair) {
  const lbSolid *b = pair->b;
  if (b->polyhedron) {
    const lbPolyhedron *p = b->polyhedron;
    for (int32_t i = 0; i < 3 * p->triangle_count; i++) {
      int32_t vertex = p->triangles[i];
      bool mine = p->own[i / 3] & LB_OWN_CORNER(i % 3); // once a vertex; flat ones add nothing
      if (mine)
        add_plane_touch(pair, lb_solid_to_world(&pair->frame, lb_polyhedron_vertex(p, vertex)),
                        vertex);
    }
    return;
  }
  lbVec3 half = lb_scale(b->half[2], lb_mat3_column(pair->frame.rotation, 2));
  lbVec3 down = lb_vec3(0, 0, b->radius);
  add_plane_touch(pair, lb_sub(lb_sub(pair->frame.position, half), down), 0);
  if (b->half[2] > 0) add_plane_touch(pair, lb_sub(lb_add(pair->frame.position, half), down), 1);
}
