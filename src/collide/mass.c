// Mass, centre and inertia of solids of even density. Polyhedra by the divergence theorem, as sums
// over tetrahedra between the triangles and the middle of the solid.
#include "collide/solid_parts.h"

#include "base/refuse.h"

static void capsule_mass(const lbSolid *solid, double *volume, lbMat3 *inertia) {
  double r = solid->radius, length = 2 * solid->half[2];
  double cylinder = LB_PI * r * r * length, ball = 4.0 / 3 * LB_PI * r * r * r;
  *volume = cylinder + ball;
  // Half-balls: their centres are 3/8 r beyond the ends.
  double along = 0.5 * cylinder * r * r + 0.4 * ball * r * r;
  double across = cylinder * (length * length / 12 + r * r / 4) +
                  ball * (0.4 * r * r + 0.25 * length * length + 0.375 * length * r);
  *inertia = lb_mat3_diagonal(across, across, along);
}

static void box_mass(const lbSolid *solid, double *volume, lbMat3 *inertia) {
  const double *h = solid->half;
  *volume = 8 * h[0] * h[1] * h[2];
  double x = h[0] * h[0], y = h[1] * h[1], z = h[2] * h[2], third = *volume / 3;
  *inertia = lb_mat3_diagonal(third * (y + z), third * (z + x), third * (x + y));
}

// Integrals over the tetrahedron 0 a b c: its volume V, ∫x = V s / 4 with s = a + b + c, and
// ∫x xᵀ = V/20 (s sᵀ + a aᵀ + b bᵀ + c cᵀ).
static void polyhedron_mass(const lbSolid *solid, double *volume, lbVec3 *centre, lbMat3 *inertia) {
  const lbPolyhedron *p = solid->polyhedron;
  lbVec3 first = { 0, 0, 0 };
  lbMat3 second = lb_mat3_zero();
  *volume = 0;
  for (int32_t i = 0; i < p->triangle_count; i++) {
    lbVec3 c[3], sum = { 0, 0, 0 };
    for (int k = 0; k < 3; k++) {
      c[k] = lb_sub(lb_triangle_corner(&p->surface, i, k), solid->centre);
      sum = lb_add(sum, c[k]);
    }
    double own = lb_dot(c[0], lb_cross(c[1], c[2])) / 6;
    lbMat3 products = lb_mat3_outer(sum, sum);
    for (int k = 0; k < 3; k++) products = lb_mat3_add(products, lb_mat3_outer(c[k], c[k]));
    *volume += own;
    first = lb_add_scaled(first, own / 4, sum);
    second = lb_mat3_add(second, lb_mat3_scale(own / 20, products));
  }
  if (!(*volume > 0)) return;
  lbVec3 shift = lb_scale(1 / *volume, first);
  *centre = lb_add(solid->centre, shift);
  second = lb_mat3_sub(second, lb_mat3_scale(*volume, lb_mat3_outer(shift, shift)));
  double trace = lb_mat3_trace(second);
  *inertia = lb_mat3_sub(lb_mat3_diagonal(trace, trace, trace), second);
}

lbStatus lb_solid_mass(const lbSolid *solid, double density, double *mass, lbVec3 *centre,
                       lbMat3 *inertia, lbError *err) {
  if (!solid) return lb_refuse_null(err, "solid");
  if (!(density > 0 && density < INFINITY))
    return lb_fail(err, LB_ERR_ARGUMENT, "density is %g, it must be positive", density);
  if (!lb_solid_is_closed(solid))
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "%s has no volume, so no mass: it can only be fixed or driven",
                   solid->kind == LB_SOLID_PLANE ? "a plane" : "an open mesh");
  double volume = 0;
  *centre = lb_vec3(0, 0, 0);
  if (solid->kind == LB_SOLID_BOX)
    box_mass(solid, &volume, inertia);
  else if (solid->polyhedron)
    polyhedron_mass(solid, &volume, centre, inertia);
  else
    capsule_mass(solid, &volume, inertia); // a sphere is one without length
  if (!(volume > 0))
    return lb_fail(err, LB_ERR_MESH, "the mesh encloses no volume, so it has no mass");
  *mass = density * volume;
  *inertia = lb_mat3_scale(density, *inertia);
  return LB_OK;
}
