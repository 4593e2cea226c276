// The eye stands at
//
//   eye = at + distance d,   d = cos(elevation) (sin(azimuth) side + cos(azimuth) front)
//                                + sin(elevation) up
//
// with side = +x, front = -y where z is up and +z where y is. Depth runs from near to far as
// OpenGL has it, -1 to 1.
#include "render/camera.h"

static const double default_fov = 35 * LB_PI / 180;
static const double steepest = 89.5 * LB_PI / 180;  // straight down there is no upward direction
static const double margin = 0.9;                   // share of the picture that a framed box fills
static const double nearest = 0.02, farthest = 200; // distances, in scales

vwBox vw_box_empty(void) {
  return (vwBox){ { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
}

void vw_box_add(vwBox *box, lbVec3 point) {
  box->low =
      lb_vec3(fmin(box->low.x, point.x), fmin(box->low.y, point.y), fmin(box->low.z, point.z));
  box->high =
      lb_vec3(fmax(box->high.x, point.x), fmax(box->high.y, point.y), fmax(box->high.z, point.z));
}

static double clamp_between(double value, double low, double high) {
  return value >= high ? high : value >= low ? value : low; // NaN: low
}

// Something to look at in any case: an empty or broken box becomes a metre around the origin.
static vwBox sane_box(vwBox box) {
  lbVec3 side = lb_sub(box.high, box.low);
  if (side.x >= 0 && side.y >= 0 && side.z >= 0 && isfinite(lb_length(side))) return box;
  return (vwBox){ { -0.5, -0.5, -0.5 }, { 0.5, 0.5, 0.5 } };
}

static lbVec3 box_centre(vwBox box) { return lb_scale(0.5, lb_add(box.low, box.high)); }

static double box_scale(vwBox box) {
  lbVec3 side = lb_sub(box.high, box.low);
  double longest = fmax(side.x, fmax(side.y, side.z));
  return longest > 0 ? longest : 1;
}

static lbVec3 up_axis(char up) { return up == 'y' ? lb_vec3(0, 1, 0) : lb_vec3(0, 0, 1); }
static lbVec3 front_axis(char up) { return up == 'y' ? lb_vec3(0, 0, 1) : lb_vec3(0, -1, 0); }

static void camera_axes(const vwCamera *camera, lbVec3 *right, lbVec3 *upward, lbVec3 *forward) {
  double sin_azimuth = sin(camera->azimuth), cos_azimuth = cos(camera->azimuth);
  double sin_elevation = sin(camera->elevation), cos_elevation = cos(camera->elevation);
  lbVec3 side = lb_vec3(1, 0, 0), front = front_axis(camera->up), up = up_axis(camera->up);
  lbVec3 level = lb_add(lb_scale(sin_azimuth, side), lb_scale(cos_azimuth, front));
  lbVec3 towards = lb_add(lb_scale(cos_elevation, level), lb_scale(sin_elevation, up));
  *forward = lb_scale(-1, towards);
  *right = lb_add(lb_scale(cos_azimuth, side), lb_scale(-sin_azimuth, front));
  *upward = lb_cross(*right, *forward);
}

vwCamera vw_camera_of_box(vwBox box, char up) {
  vwCamera camera = { .azimuth = -30 * LB_PI / 180,
                      .elevation = 20 * LB_PI / 180,
                      .fov = default_fov,
                      .up = up == 'y' ? 'y' : 'z' };
  vw_camera_frame(&camera, box, 1, 1);
  return camera;
}

vwCamera vw_camera_of_place(lbVec3 from, lbVec3 at, double fov, vwBox box, char up) {
  vwCamera camera = vw_camera_of_box(box, up);
  if (fov > 0 && fov < LB_PI) camera.fov = fov;
  lbVec3 away = lb_sub(from, at);
  double distance = lb_length(away);
  if (!isfinite(distance)) return camera;
  camera.at = at;
  if (distance <= 0) return camera;
  camera.distance = distance;
  camera.scale = fmax(camera.scale, distance / farthest);
  double front = lb_dot(away, front_axis(camera.up)), height = lb_dot(away, up_axis(camera.up));
  camera.azimuth = away.x == 0 && front == 0 ? 0 : atan2(away.x, front);
  camera.elevation =
      clamp_between(asin(clamp_between(height / distance, -1, 1)), -steepest, steepest);
  return camera;
}

void vw_camera_orbit(vwCamera *camera, double dx, double dy, double height) {
  if (!(height > 0) || !isfinite(dx) || !isfinite(dy)) return;
  camera->azimuth = remainder(camera->azimuth - LB_PI * dx / height, 2 * LB_PI);
  camera->elevation = clamp_between(camera->elevation + LB_PI * dy / height, -steepest, steepest);
}

// What is at the distance of `at` follows the pointer.
void vw_camera_pan(vwCamera *camera, double dx, double dy, double height) {
  if (!(height > 0) || !isfinite(dx) || !isfinite(dy)) return;
  lbVec3 right, upward, forward;
  camera_axes(camera, &right, &upward, &forward);
  double pixel = 2 * camera->distance * tan(0.5 * camera->fov) / height;
  camera->at = lb_add_scaled(camera->at, -dx * pixel, right);
  camera->at = lb_add_scaled(camera->at, dy * pixel, upward);
}

void vw_camera_zoom(vwCamera *camera, double factor) {
  if (!(factor > 0)) return;
  camera->distance =
      clamp_between(camera->distance * factor, nearest * camera->scale, farthest * camera->scale);
}

// A corner c, seen from the centre, is inside when |c.upward| <= (distance + c.forward) tan.
void vw_camera_frame(vwCamera *camera, vwBox box, double width, double height) {
  box = sane_box(box);
  lbVec3 right, upward, forward;
  camera_axes(camera, &right, &upward, &forward);
  double aspect = width > 0 && height > 0 ? width * (1 - fabs(camera->covered)) / height : 1;
  double tall = margin * tan(0.5 * camera->fov), wide = tall * aspect, distance = 0;
  camera->at = box_centre(box);
  camera->scale = box_scale(box);
  for (int i = 0; i < 8; i++) {
    lbVec3 corner = lb_vec3(i & 1 ? box.high.x : box.low.x, i & 2 ? box.high.y : box.low.y,
                            i & 4 ? box.high.z : box.low.z);
    lbVec3 c = lb_sub(corner, camera->at);
    double deep = lb_dot(c, forward);
    distance = fmax(distance, fabs(lb_dot(c, upward)) / tall - deep);
    distance = fmax(distance, fabs(lb_dot(c, right)) / wide - deep);
  }
  camera->distance = clamp_between(distance, nearest * camera->scale, farthest * camera->scale);
}

// ---- views -------------------------------------------------------------------------------------

static void fill_view_matrix(vwView *view) {
  lbVec3 rows[3] = { view->right, view->upward, lb_scale(-1, view->forward) };
  for (int row = 0; row < 3; row++) {
    view->view[row] = (float)rows[row].x;
    view->view[4 + row] = (float)rows[row].y;
    view->view[8 + row] = (float)rows[row].z;
    view->view[12 + row] = (float)-lb_dot(rows[row], view->eye);
    view->view[4 * row + 3] = 0;
  }
  view->view[15] = 1;
}

static void fill_projection(vwView *view, double near, double far) {
  double aspect = (double)view->width / view->height;
  for (int i = 0; i < 16; i++) view->projection[i] = 0;
  view->projection[0] = (float)(1 / (view->tan_half_fov * aspect));
  view->projection[5] = (float)(1 / view->tan_half_fov);
  view->projection[8] = (float)-view->covered;
  view->projection[10] = (float)(-(far + near) / (far - near));
  view->projection[11] = -1;
  view->projection[14] = (float)(-2 * far * near / (far - near));
}

vwView vw_camera_view(const vwCamera *camera, int32_t width, int32_t height) {
  vwView view = { .width = width > 1 ? width : 1,
                  .height = height > 1 ? height : 1,
                  .tan_half_fov = tan(0.5 * camera->fov),
                  .covered = camera->covered,
                  .up = camera->up };
  camera_axes(camera, &view.right, &view.upward, &view.forward);
  view.eye = lb_add_scaled(camera->at, -camera->distance, view.forward);
  fill_view_matrix(&view);
  fill_projection(&view, 0.01 * camera->distance, camera->distance + 100 * camera->scale);
  return view;
}

void vw_view_ray(const vwView *view, double x, double y, lbVec3 *origin, lbVec3 *direction) {
  double across = (2 * x - (1 + view->covered) * view->width) / view->height,
         along = 1 - 2 * y / view->height;
  lbVec3 ray = lb_add_scaled(view->forward, across * view->tan_half_fov, view->right);
  ray = lb_add_scaled(ray, along * view->tan_half_fov, view->upward);
  *origin = view->eye;
  *direction = lb_normalise(ray);
}

bool vw_view_project(const vwView *view, lbVec3 point, double *x, double *y) {
  lbVec3 c = lb_sub(point, view->eye);
  double deep = lb_dot(c, view->forward);
  if (!(deep > 0)) return false;
  double pixels = 0.5 * view->height / (view->tan_half_fov * deep);
  *x = 0.5 * (1 + view->covered) * view->width + pixels * lb_dot(c, view->right);
  *y = 0.5 * view->height - pixels * lb_dot(c, view->upward);
  return true;
}
