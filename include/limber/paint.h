// limber/paint.h: which elements and nodes of a volume mesh a region means: a group, what is
// painted on the surface around it, or a box. Materials and supports are given by regions.
//
// A surface has no inside, so what is painted on it reaches the volume by the nearest point of the
// surface:
// - an element takes what is painted at the point that is nearest to its centre (the mean of its
//   vertices), be it near the surface or deep inside; colours are interpolated linearly in the
//   triangle of that point;
// - a node takes what is painted at the point nearest to it, if that is no farther away than half
//   the shortest edge of the elements that have the node: so a group means the nodes at the surface
//   alone, whatever the thickness.
// Several points may be equally near (to a millionth of an element's edge): then an element or node
// is in the groups of all of them, an element has the mean of their colours and a node the largest.
#ifndef LIMBER_PAINT_H
#define LIMBER_PAINT_H

#include "limber/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum lbColorChannel {
  LB_RED,
  LB_GREEN,
  LB_BLUE,
  LB_ALPHA,
  LB_CHANNEL_COUNT
} lbColorChannel;

const char *lb_color_channel_name(lbColorChannel channel); // "red", "green", "blue", "alpha"
bool lb_color_channel_parse(const char *name, lbColorChannel *channel);

// What is given must hold together; nothing given: everything.
typedef struct lbRegion {
  const char *group; // a group of the volume; else a group, object or material of the surface; else
                     // NULL: not given
  int32_t tag;       // of a group, instead of its name; 0: not given
  bool has_color;    // the surface has a colour there, of which
  lbColorChannel channel;
  double above; // this channel is above this value; default -1: any
  bool has_box;
  double box[2][3]; // m, low and high corner, boundary included, in the mesh's own coordinates: of
                    // an element its centre lies there, of a node itself
} lbRegion;

lbRegion lb_region(void);

typedef struct lbPainter lbPainter; // both meshes prepared for regions

// `surface` may be NULL: then the volume's own triangles are the surface, if it has any. The meshes
// must outlive the painter.
lbStatus lb_painter_create(const lbMesh *volume, const lbMesh *surface, lbPainter **out,
                           lbError *err);
void lb_painter_destroy(lbPainter *painter);

// covered (elements of the volume). Refuses a group that does not exist, and lists those that do; a
// colour where the surface has none; and a region that covers nothing.
// values (elements): the channel's value, 0 to 1, where covered; NULL: not wanted.
lbStatus lb_painter_elements(lbPainter *painter, const lbRegion *region, bool *covered,
                             double *values, lbError *err);
// covered (vertices of the volume) |= the region. A group of the volume means the vertices of its
// vertices, triangles or elements.
lbStatus lb_painter_nodes(lbPainter *painter, const lbRegion *region, bool *covered, lbError *err);

// ---- Young's modulus by region -----------------------------------------------------------------

#define LB_COLOR_LEVELS 16 // moduli that a colour is rounded to, at most

// Young's modulus of level k of LB_COLOR_LEVELS between two values, even in the logarithm; the
// first and the last are those values to the bit.
double lb_color_young(const double young[2], int32_t level);
int32_t lb_color_level(double value); // of a channel's value

#ifdef __cplusplus
}
#endif
#endif
