// The camera: turns about a point that it looks at; matrices, rays, and what the pointer does to
// it.
#ifndef LIMBER_VIEWER_CAMERA_H
#define LIMBER_VIEWER_CAMERA_H

#include "limber/math.h"

typedef struct vwBox {
  lbVec3 low, high; // m; empty when low.x > high.x
} vwBox;

vwBox vw_box_empty(void);
void vw_box_add(vwBox *box, lbVec3 point);

typedef struct vwCamera {
  lbVec3 at;       // m, target of the view
  double distance; // m from there, > 0
  double azimuth; // rad about the up axis; 0: seen from the front (-y where z is up, +z where y is)
  double elevation; // rad above the horizon, within (-π/2, π/2)
  double fov;       // rad, vertical; default 35 degrees
  double scale;     // m, the object's size: bounds distance, near and far
  double covered; // share of the picture that a panel covers, from its left (< 0: from its right):
                  // the centre is the middle of the rest; in [-0.9, 0.9], default 0
  char up;        // 'y' or 'z'
} vwCamera;

// A camera that shows the whole box from the front, a little from the left and from above.
vwCamera vw_camera_of_box(vwBox box, char up);
// One that stands at `from` and looks at `at`; the box gives the scale.
vwCamera vw_camera_of_place(lbVec3 from, lbVec3 at, double fov, vwBox box, char up);

// What pointers do; lengths are pixels of a picture `height` high.
void vw_camera_orbit(vwCamera *camera, double dx, double dy, double height);
void vw_camera_pan(vwCamera *camera, double dx, double dy, double height);
void vw_camera_zoom(vwCamera *camera, double factor); // > 1: away
// Moves it so that the box fills the picture; the direction stays.
void vw_camera_frame(vwCamera *camera, vwBox box, double width, double height);

typedef struct vwView {               // a camera for a picture of a given size
  float view[16], projection[16];     // column-major: clip = projection * view * (x, y, z, 1)
  lbVec3 eye, right, upward, forward; // unit vectors but for the eye
  double tan_half_fov;
  double covered;
  int32_t width, height; // pixels, >= 1
  char up;
} vwView;

vwView vw_camera_view(const vwCamera *camera, int32_t width, int32_t height);
// The ray through a pixel (from the top left); the direction has unit length.
void vw_view_ray(const vwView *view, double x, double y, lbVec3 *origin, lbVec3 *direction);
// The pixel of a point; false behind the eye.
bool vw_view_project(const vwView *view, lbVec3 point, double *x, double *y);

#endif
