// A bowl: a shell of revolution around z, open above, on a solid foot. The middle of its wall is a
// Bezier curve from the axis out and up to the rim; the wall is that curve, thickened along its
// normals. Where size[0] and size[1] differ, the thickness is that on the narrow side.
#include "shapes/shapes.h"

#include "limber/math.h"

typedef struct Profile {
  double radius, height, thickness; // the narrow side's radius
  double foot_radius, foot_height;
  double foot_end; // of the curve's parameter, where the foot ends
  double points[4][2];
} Profile;

// Place and unit tangent at the fraction a of the curve, out and up.
static void curve_at(const Profile *profile, double a, double place[2], double tangent[2]) {
  double b = 1 - a;
  const double weights[4] = { b * b * b, 3 * b * b * a, 3 * b * a * a, a * a * a };
  const double slopes[3] = { b * b, 2 * b * a, a * a };
  for (int c = 0; c < 2; c++) {
    place[c] = tangent[c] = 0;
    for (int i = 0; i < 4; i++) place[c] += weights[i] * profile->points[i][c];
    for (int i = 0; i < 3; i++)
      tangent[c] += slopes[i] * (profile->points[i + 1][c] - profile->points[i][c]);
  }
  double length = sqrt(tangent[0] * tangent[0] + tangent[1] * tangent[1]);
  tangent[0] /= length, tangent[1] /= length;
}

static Profile make_profile(const lbShapeDef *def) {
  double R = fmin(def->size[0], def->size[1]) / 2, H = def->size[2], t = def->thickness;
  Profile profile = { .radius = R, .height = H, .thickness = t };
  profile.foot_radius = 0.36 * R;
  profile.foot_height = 0.09 * H;
  double low = profile.foot_height + t / 2, high = H - t / 2, out = R - t / 2;
  const double points[4][2] = {
    { 0, low }, { 0.66 * out, low }, { 0.86 * out, low + 0.36 * (high - low) }, { out, high }
  };
  for (int i = 0; i < 8; i++) profile.points[i / 2][i % 2] = points[i / 2][i % 2];
  double from = 0, to = 1;
  for (int i = 0; i < 50; i++) {
    double place[2], tangent[2], middle = (from + to) / 2;
    curve_at(&profile, middle, place, tangent);
    *(place[0] < profile.foot_radius ? &from : &to) = middle;
  }
  profile.foot_end = from;
  return profile;
}

// The wall at fraction a, from its outside (f = -1) to its inside (f = 1), `past` along the curve.
static void wall_at(const Profile *profile, double a, double f, double past, double place[2]) {
  double tangent[2];
  curve_at(profile, a, place, tangent);
  double off = f * profile->thickness / 2;
  place[0] += past * tangent[0] - off * tangent[1];
  place[1] += past * tangent[1] + off * tangent[0];
}

// (x, y): where place[0] = 1 goes to in the plane, for the narrow side's radius 1.
static int32_t add_round(lbMeshBuilder *builder, const lbShapeDef *def, const Profile *profile,
                         double x, double y, double height) {
  double wide = def->size[0] / (2 * profile->radius), deep = def->size[1] / (2 * profile->radius);
  return lb_mesh_add_vertex(builder, def->size[0] / 2 + wide * x, def->size[1] / 2 + deep * y,
                            height);
}

// ---- volume ------------------------------------------------------------------------------------

typedef struct Bowl {
  lbMeshBuilder *builder;
  const lbShapeDef *def;
  Profile profile;
  lbSection disc; // of the foot, radius 1; its last points are its border
  int32_t around, layers, rings, disc_rings;
} Bowl;

static void add_disc_layer(const Bowl *bowl, double f, double foot) { // foot: 0 wall, 1 the ground
  const Profile *profile = &bowl->profile;
  for (int32_t i = 0; i < bowl->disc.point_count; i++) {
    const double *p = bowl->disc.points + 2 * (size_t)i;
    double rho = sqrt(p[0] * p[0] + p[1] * p[1]), place[2];
    wall_at(profile, profile->foot_end * rho, f, 0, place);
    double radius = (1 - foot) * place[0] + foot * 1.04 * profile->foot_radius * rho;
    double scale = rho > 0 ? radius / rho : 0;
    add_round(bowl->builder, bowl->def, profile, scale * p[0], scale * p[1], (1 - foot) * place[1]);
  }
}

// The rings outside the disc; the rim bulges as the surface's does.
static void add_wall_layer(const Bowl *bowl, double f) {
  const Profile *profile = &bowl->profile;
  double bulge = profile->thickness / 2 * sqrt(1 - 0.81 * f * f);
  for (int32_t ring = 1; ring <= bowl->rings; ring++)
    for (int32_t k = 0; k < bowl->around; k++) {
      const double *p = bowl->disc.points + 2 * (size_t)(bowl->disc.point_count - bowl->around + k);
      double out = (double)ring / bowl->rings, place[2];
      double a = profile->foot_end + (1 - profile->foot_end) * out;
      wall_at(profile, a, f, bulge * out, place);
      add_round(bowl->builder, bowl->def, profile, place[0] * p[0], place[0] * p[1], place[1]);
    }
}

// Layers from the ground up: those of the foot alone, then the wall's.
static int32_t layer_begin(const Bowl *bowl, int32_t layer) {
  int32_t disc = bowl->disc.point_count, whole = disc + bowl->rings * bowl->around;
  return layer < bowl->layers ? layer * disc : bowl->layers * disc + (layer - bowl->layers) * whole;
}

static void add_disc_cells(const Bowl *bowl, int32_t layer) {
  int32_t low = layer_begin(bowl, layer), high = layer_begin(bowl, layer + 1);
  for (int32_t q = 0; q < bowl->disc.quad_count; q++) {
    int32_t brick[8];
    for (int i = 0; i < 4; i++) {
      int32_t point = bowl->disc.quads[4 * (size_t)q + (size_t)i];
      brick[i] = low + point, brick[i + 4] = high + point;
    }
    lb_shape_add_cell(bowl->builder, bowl->def->element, brick);
  }
}

static void add_wall_cells(const Bowl *bowl, int32_t layer) {
  int32_t low = layer_begin(bowl, layer), high = layer_begin(bowl, layer + 1);
  int32_t border = bowl->disc.point_count - bowl->around;
  for (int32_t ring = 0; ring < bowl->rings; ring++)
    for (int32_t k = 0; k < bowl->around; k++) {
      int32_t a = border + ring * bowl->around, next = (k + 1) % bowl->around;
      int32_t quad[4] = { a + k, a + bowl->around + k, a + bowl->around + next, a + next },
              brick[8];
      for (int i = 0; i < 4; i++) brick[i] = low + quad[i], brick[i + 4] = high + quad[i];
      lb_shape_add_cell(bowl->builder, bowl->def->element, brick);
    }
}

void lb_bowl_volume(lbMeshBuilder *builder, const lbShapeDef *def) {
  int32_t side = (def->cells[0] + 3) / 4, layers = def->cells[1];
  Bowl bowl = { .builder = builder, .def = def, .profile = make_profile(def) };
  bowl.around = 4 * side, bowl.layers = layers, bowl.rings = def->cells[2];
  lb_section_disc(&bowl.disc, (int32_t[2]){ side, side }, side < 6 ? 1 : side / 5);
  if (bowl.disc.out_of_memory) {
    builder->out_of_memory = true;
  } else {
    for (int32_t k = 0; k < layers; k++) add_disc_layer(&bowl, -1, 1 - (double)k / layers);
    for (int32_t k = 0; k <= layers; k++) {
      add_disc_layer(&bowl, 2.0 * k / layers - 1, 0);
      add_wall_layer(&bowl, 2.0 * k / layers - 1);
    }
    for (int32_t k = 0; k < 2 * layers; k++) add_disc_cells(&bowl, k);
    for (int32_t k = layers; k < 2 * layers; k++) add_wall_cells(&bowl, k);
  }
  lb_section_release(&bowl.disc);
}

// ---- surface -----------------------------------------------------------------------------------

// The whole profile from the axis below, out, up, over the rim and back to the axis inside; between
// the ends of the rows of this many pieces.
enum { SOLE, EDGE, FLANK, OUTSIDE, RIM, INSIDE, SPAN_COUNT };

static void span_pieces(int32_t segments, int32_t pieces[SPAN_COUNT]) {
  int32_t quarter = (segments + 3) / 4;
  pieces[SOLE] = 1 + quarter / 8, pieces[EDGE] = 3, pieces[FLANK] = 2 + quarter / 5;
  pieces[OUTSIDE] = quarter, pieces[RIM] = 2 + quarter / 3, pieces[INSIDE] = quarter + quarter / 4;
}

// At fraction f of a span.
static void span_point(const Profile *profile, int span, double f, double place[2]) {
  double sole = 1.04 * profile->foot_radius, edge = 0.18 * profile->foot_height;
  double begin = 1.12 * profile->foot_end, middle[2], tangent[2];
  switch (span) {
  case SOLE: place[0] = f * (sole - edge), place[1] = 0; break;
  case EDGE:
    place[0] = sole - edge + edge * sin(LB_PI / 2 * f);
    place[1] = edge - edge * cos(LB_PI / 2 * f);
    break;
  case FLANK: // a parabola, upright at the edge, that ends along the outside
    wall_at(profile, begin, -1, 0, middle);
    curve_at(profile, begin, place, tangent);
    place[0] = (1 - f) * (1 - f) * sole + 2 * f * (1 - f) * 0.96 * profile->foot_radius +
               f * f * middle[0];
    place[1] =
        (1 - f) * (1 - f) * edge + 2 * f * (1 - f) * 0.9 * profile->foot_height + f * f * middle[1];
    break;
  case OUTSIDE: wall_at(profile, begin + (1 - begin) * f, -1, 0, place); break;
  case RIM:
    wall_at(profile, 1, -cos(LB_PI * f), profile->thickness / 2 * sin(LB_PI * f), place);
    break;
  default: wall_at(profile, 1 - f, 1, 0, place);
  }
}

typedef struct Skin {
  lbMeshBuilder *builder;
  int32_t around, rows; // rows of faces; row 0 and the last one are fans at the axis
} Skin;

static void add_skin_row(const Skin *skin, int32_t row) {
  int32_t around = skin->around, last = 1 + (skin->rows - 1) * around;
  float v0 = 1 - (float)row / (float)skin->rows, v1 = 1 - (float)(row + 1) / (float)skin->rows;
  for (int32_t k = 0; k < around; k++) {
    int32_t low = 1 + (row - 1) * around, high = low + around, next = (k + 1) % around;
    float u0 = (float)k / (float)around, u1 = (float)(k + 1) / (float)around;
    lbShapeCorner quad[4] = {
      { low + k, u0, v0 }, { low + next, u1, v0 }, { high + next, u1, v1 }, { high + k, u0, v1 }
    };
    lbShapeCorner pole = { row ? last : 0, (u0 + u1) / 2, row ? v1 : v0 };
    if (row == 0)
      lb_shape_add_triangle(skin->builder, pole, quad[2], quad[3]);
    else if (row == skin->rows - 1)
      lb_shape_add_triangle(skin->builder, quad[0], quad[1], pole);
    else
      lb_shape_add_quad(skin->builder, quad);
  }
}

void lb_bowl_surface(lbMeshBuilder *builder, const lbShapeDef *def) {
  Profile profile = make_profile(def);
  Skin skin = { .builder = builder, .around = (def->segments + 3) / 4 * 4 };
  int32_t pieces[SPAN_COUNT];
  span_pieces(def->segments, pieces);
  add_round(builder, def, &profile, 0, 0, 0);
  for (int span = 0; span < SPAN_COUNT; span++)
    for (int32_t i = 1; i <= pieces[span]; i++) {
      double place[2];
      span_point(&profile, span, (double)i / pieces[span], place);
      skin.rows++;
      bool axis = span == INSIDE && i == pieces[span];
      for (int32_t k = 0; k < (axis ? 1 : skin.around); k++) {
        double angle = 2 * LB_PI * k / skin.around, radius = axis ? 0 : place[0];
        add_round(builder, def, &profile, radius * cos(angle), radius * sin(angle), place[1]);
      }
    }
  for (int32_t row = 0; row < skin.rows; row++) add_skin_row(&skin, row);
}
