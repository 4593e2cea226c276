// What bodies are loaded by in a comparison. Loads are scaled by the linear body, so that they
// displace it by what is wanted; stiffer ways to deform get smaller loads.
//
// With m the mass of a vertex, e the direction of the longest side, r the arm from the centre of
// mass and ξ = e · r over half the length:
//            held          free
//   bend     m d           m ξ² d, d a skew direction
//   twist    m e × r       m ξ e × r
//   axial    m e           m ξ e
//   pinch    two presses against each other, three quarters along the body
// and loads of a free body lose their resultant.
#include "study/accuracy.h"

#include "fem/fem.h"

#define PATCH 0.15 // of the size: the radius of a press

static const struct {
  const char *name;
  double share;     // of the wanted displacement,
  double thickness; // and of half the body's extent across its longest side, at most
} shapes[LB_LOAD_SHAPE_COUNT] = { { "sudden load", 1, INFINITY },
                                  { "twist", 0.3, 0.2 },
                                  { "axial load", 0.1, INFINITY },
                                  { "pinch", 0.3, 0.2 } };

const char *lb_load_shape_name(lbLoadShape shape) { return shapes[shape].name; }

// ---- presses -----------------------------------------------------------------------------------

void lb_press(const lbComparison *c, const double centre[3], const double direction[3],
              double force, double *forces) {
  const lbFem *fem = c->fem;
  double radius = PATCH * c->size, total = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int32_t n = 0; n < fem->node_count; n++) {
      int32_t v = fem->vertex_of_node[n];
      const double *x = fem->positions + 3 * (size_t)v;
      double away = 0;
      for (int i = 0; i < 3; i++) away += (x[i] - centre[i]) * (x[i] - centre[i]);
      if (away >= radius * radius) continue;
      double near = 1 - away / (radius * radius), share = near * near * fem->vertex_masses[v];
      if (pass == 0) total += share;
      for (int i = 0; i < 3 && pass == 1; i++)
        forces[3 * (size_t)v + (size_t)i] += force * share / total * direction[i];
    }
}

static void nearest_node(const lbComparison *c, const double point[3], double place[3]) {
  double nearest = INFINITY;
  for (int32_t n = 0; n < c->fem->node_count; n++) {
    const double *x = c->fem->positions + 3 * (size_t)c->fem->vertex_of_node[n];
    double away = 0;
    for (int i = 0; i < 3; i++) away += (x[i] - point[i]) * (x[i] - point[i]);
    if (away >= nearest) continue;
    nearest = away;
    for (int i = 0; i < 3; i++) place[i] = x[i];
  }
}

// Along the longest side of the free nodes' box, over their middle.
void lb_place_on_way(const lbComparison *c, double share, double place[3]) {
  double point[3];
  for (int i = 0; i < 3; i++) point[i] = (c->low[i] + c->high[i]) / 2;
  point[c->axis] = c->low[c->axis] + share * (c->high[c->axis] - c->low[c->axis]);
  nearest_node(c, point, place);
}

// Where along the body: in the middle of a free one, otherwise away from its supports.
static double share_for_pinch(const lbComparison *c) {
  const lbFem *fem = c->fem;
  double sum = 0, middle = (c->low[c->axis] + c->high[c->axis]) / 2;
  for (int32_t v = 0; v < fem->vertex_count; v++)
    if (fem->fixed[v]) sum += fem->positions[3 * (size_t)v + (size_t)c->axis] - middle;
  return c->free ? 0.5 : sum <= 0 ? 0.75 : 0.25;
}

// Across the wider of the two shorter sides of the box.
static void add_pinch_load(const lbComparison *c, double *load) {
  int across = (c->axis + 1) % 3, other = (c->axis + 2) % 3;
  if (c->high[other] - c->low[other] > c->high[across] - c->low[across]) across = other;
  double share = share_for_pinch(c);
  for (int side = 0; side < 2; side++) {
    double point[3], place[3], direction[3] = { 0 };
    for (int i = 0; i < 3; i++) point[i] = (c->low[i] + c->high[i]) / 2;
    point[c->axis] = c->low[c->axis] + share * (c->high[c->axis] - c->low[c->axis]);
    point[across] = side ? c->high[across] : c->low[across];
    nearest_node(c, point, place);
    direction[across] = side ? -1 : 1;
    lb_press(c, place, direction, 1, load);
  }
}

// ---- loads on the whole body -------------------------------------------------------------------

static lbVec3 force_on(const lbComparison *c, lbLoadShape shape, lbVec3 x) {
  lbVec3 skew = lb_vec3(0.48, 0.6, 0.64); // of length 1, along no axis
  lbVec3 e = lb_vec3(c->axis == 0, c->axis == 1, c->axis == 2), r = lb_sub(x, c->centre);
  double xi = 2 * lb_dot(e, r) / (c->high[c->axis] - c->low[c->axis]);
  if (shape == LB_LOAD_BEND) return lb_scale(c->free ? xi * xi : 1, skew);
  lbVec3 force = shape == LB_LOAD_TWIST ? lb_cross(e, r) : e;
  return lb_scale(c->free ? xi : 1, force);
}

void lb_balance_load(const lbComparison *c, double *load) {
  const lbFem *fem = c->fem;
  lbVec3 force = lb_vec3(0, 0, 0), moment = force;
  lbMat3 J = { { 0 } };
  for (size_t v = 0; v < (size_t)fem->vertex_count; v++) {
    lbVec3 r = lb_sub(lb_vec3_load(fem->positions + 3 * v), c->centre);
    lbVec3 f = lb_vec3_load(load + 3 * v);
    double m = fem->vertex_masses[v], square = lb_dot(r, r);
    force = lb_add(force, f);
    moment = lb_add(moment, lb_cross(r, f));
    J = lb_mat3_add(J, lb_mat3_scale(-m, lb_mat3_outer(r, r)));
    for (int i = 0; i < 9; i += 4) J.m[i] += m * square;
  }
  lbVec3 linear = lb_scale(1 / fem->total_mass, force);
  lbVec3 angular = lb_mat3_apply(lb_mat3_inverse(J), moment);
  for (size_t v = 0; v < (size_t)fem->vertex_count; v++) {
    lbVec3 r = lb_sub(lb_vec3_load(fem->positions + 3 * v), c->centre);
    lbVec3 rigid = lb_add(linear, lb_cross(angular, r));
    lbVec3 f = lb_add_scaled(lb_vec3_load(load + 3 * v), -fem->vertex_masses[v], rigid);
    lb_vec3_store(load + 3 * v, f);
  }
}

static double find_aim(const lbComparison *c, lbLoadShape shape) {
  int a = (c->axis + 1) % 3, b = (c->axis + 2) % 3;
  double half = fmax(c->high[a] - c->low[a], c->high[b] - c->low[b]) / 2;
  double aim = shapes[shape].share * c->wanted, most = shapes[shape].thickness * half;
  return most > 0 ? fmin(aim, most) : aim;
}

lbStatus lb_make_load(const lbComparison *c, lbLoadShape shape, double *load, double *response,
                      double *aim, lbError *err) {
  const lbFem *fem = c->fem;
  size_t count = 3 * (size_t)fem->vertex_count;
  double *u = response ? response : lb_alloc(count, sizeof(double));
  if (!u) return lb_fail_memory(err);
  for (size_t v = 0; v < (size_t)fem->vertex_count; v++) {
    lbVec3 x = lb_vec3_load(fem->positions + 3 * v);
    lbVec3 f = shape == LB_LOAD_PINCH ? lb_vec3(0, 0, 0) : force_on(c, shape, x);
    lb_vec3_store(load + 3 * v, lb_scale(fem->vertex_masses[v], f));
  }
  if (shape == LB_LOAD_PINCH) add_pinch_load(c, load);
  if (c->free) lb_balance_load(c, load);
  for (size_t i = 0; i < count; i++) u[i] = load[i];
  lbStatus status = lb_comparison_respond(c, u, err);
  double moved = status ? 0 : lb_largest_displacement(fem->vertex_count, u, NULL);
  *aim = find_aim(c, shape);
  for (size_t i = 0; i < count && moved > 0; i++) load[i] *= *aim / moved, u[i] *= *aim / moved;
  if (!response) lb_free(u);
  if (!status && !(moved > 0))
    status = lb_fail(err, LB_ERR_NUMERIC, "the load \"%s\" moves nothing", shapes[shape].name);
  return status;
}
