// Contact pressure at the vertices of a body's surface. A world keeps few contacts of a pair, which
// carry the forces of the whole patch where the two touch: each force is spread over the places
// around it on the same side of the surface, by w(d) = (1 - d²/r²)² of the distance d at rest, so
// that the pressure summed over the areas is the force.
#include "stage/stage_parts.h"

#include <math.h>
#include <string.h>

#define REACH 0.25   // r, of the radius of a ball around the body,
#define VERTICES 2.0 // or so many distances of neighbouring vertices, whichever is larger

typedef struct Surface {
  const lbModel *model;
  double *normals; // (vertices x 3): area vectors, a third of those of the triangles around
  double *areas;   // (vertices) m²
  double reach;    // r
} Surface;

static lbVec3 vertex_at(const lbModel *m, int32_t vertex) {
  return lb_vec3_load(m->vertex_positions + 3 * (size_t)vertex);
}

static lbVec3 pressure_area_vector(const lbModel *m, int32_t triangle) {
  const int32_t *t = m->triangles + 3 * (size_t)triangle;
  lbVec3 a = vertex_at(m, t[0]);
  return lb_scale(0.5, lb_cross(lb_sub(vertex_at(m, t[1]), a), lb_sub(vertex_at(m, t[2]), a)));
}

static void measure_vertex_areas(Surface *s, double radius) {
  const lbModel *m = s->model;
  size_t vertices = (size_t)m->size.vertex_count;
  double all = 0;
  memset(s->normals, 0, 3 * vertices * sizeof(double));
  memset(s->areas, 0, vertices * sizeof(double));
  for (int32_t t = 0; t < m->size.triangle_count; t++) {
    lbVec3 third = lb_scale(1.0 / 3, pressure_area_vector(m, t));
    double area = lb_length(third);
    all += 3 * area;
    for (int k = 0; k < 3; k++) {
      size_t v = (size_t)m->triangles[3 * (size_t)t + (size_t)k];
      lb_vec3_store(s->normals + 3 * v, lb_add(lb_vec3_load(s->normals + 3 * v), third));
      s->areas[v] += area;
    }
  }
  double apart = vertices > 0 ? sqrt(all / (double)vertices) : 0;
  s->reach = fmax(REACH * radius, VERTICES * apart);
}

// Of a vertex for a force at a place whose surface looks along `normal`.
static double weight(const Surface *s, int32_t v, lbVec3 place, lbVec3 normal) {
  double d = lb_length(lb_sub(vertex_at(s->model, v), place)) / s->reach;
  if (!(d < 1) || !(lb_dot(lb_vec3_load(s->normals + 3 * (size_t)v), normal) > 0)) return 0;
  return s->areas[v] * (1 - d * d) * (1 - d * d);
}

static void spread_force(const Surface *s, const lbPoint *point, double force, double *values) {
  const lbModel *m = s->model;
  const int32_t *t = m->triangles + 3 * (size_t)point->index;
  lbVec3 place = lb_vec3(0, 0, 0), normal = pressure_area_vector(m, point->index);
  double sum = 0;
  for (int k = 0; k < 3; k++) place = lb_add_scaled(place, point->weights[k], vertex_at(m, t[k]));
  for (int32_t v = 0; v < m->size.vertex_count; v++) sum += weight(s, v, place, normal);
  for (int32_t v = 0; v < m->size.vertex_count && sum > 0; v++) {
    double share = weight(s, v, place, normal);
    if (share > 0) values[v] += force * share / (sum * s->areas[v]);
  }
}

void vw_stage_pressure(const vwStage *stage, int32_t number, int32_t body, double *values) {
  const vwActor *actor = stage->cast.roles[number].actor;
  int32_t count = lb_world_contact_count(stage->cast.world);
  const lbContact *contacts = lb_world_contacts(stage->cast.world);
  Surface surface = { .model = actor->model, .normals = stage->nodes[0], .areas = stage->nodes[1] };
  bool measured = false;
  memset(values, 0, (size_t)actor->model->size.vertex_count * sizeof *values);
  for (int32_t i = 0; i < count && actor->ids; i++)
    for (int side = 0; side < 2; side++) {
      if (contacts[i].bodies[side] != actor->ids[body]) continue;
      if (contacts[i].points[side].kind != LB_POINT_TRIANGLE) continue;
      if (!measured) measure_vertex_areas(&surface, actor->radius);
      measured = true;
      spread_force(&surface, &contacts[i].points[side],
                   fmax(lb_dot(contacts[i].force, contacts[i].normal), 0), values);
    }
}

const lbContact *vw_stage_contacts(const vwStage *stage, int32_t *count) {
  *count = lb_world_contact_count(stage->cast.world);
  return lb_world_contacts(stage->cast.world);
}

double vw_stage_weight(const vwStage *stage) {
  double heaviest = 0;
  for (int32_t i = 0; i < stage->cast.count; i++)
    heaviest = fmax(heaviest, stage->cast.roles[i].actor->model->rigid_mass[0]);
  double pull = lb_length(vw_stage_gravity(stage, &stage->settings));
  return heaviest * (pull > 0 ? pull : 9.81);
}
