// The frame's lights: a key light that stands still in the world, front right and above; a rim
// light that stays behind what the camera looks at. The shadow map sees exactly the bounds.
#include "render/light.h"

#include <math.h>
#include <string.h>

static const double sun_size = 0.085; // tangent of half the angle under which the key light is seen

float vw_linear_of_srgb(float value) {
  return value <= 0.04045f ? value / 12.92f : powf((value + 0.055f) / 1.055f, 2.4f);
}

static void store_vec4(float out[4], lbVec3 v, double w) {
  out[0] = (float)v.x, out[1] = (float)v.y, out[2] = (float)v.z, out[3] = (float)w;
}

static void multiply_mat4(const float a[16], const float b[16], float out[16]) {
  for (int column = 0; column < 4; column++)
    for (int row = 0; row < 4; row++) {
      float sum = 0;
      for (int k = 0; k < 4; k++) sum += a[4 * k + row] * b[4 * column + k];
      out[4 * column + row] = sum;
    }
}

typedef struct Axes {
  lbVec3 up, front, right; // of the scene: front is where the camera of azimuth 0 stands
} Axes;

static Axes axes_of(char up) {
  if (up == 'z') return (Axes){ { 0, 0, 1 }, { 0, -1, 0 }, { 1, 0, 0 } };
  return (Axes){ { 0, 1, 0 }, { 0, 0, 1 }, { 1, 0, 0 } };
}

static lbVec3 sun_direction(Axes axes) {
  lbVec3 sum = lb_scale(1.35, axes.up);
  sum = lb_add_scaled(sum, 0.62, axes.front);
  sum = lb_add_scaled(sum, 0.78, axes.right);
  return lb_normalise(sum);
}

static bool box_is_good(vwBox box) {
  lbVec3 size = lb_sub(box.high, box.low);
  double longest = fmax(size.x, fmax(size.y, size.z));
  return size.x >= 0 && size.y >= 0 && size.z >= 0 && longest > 1e-12 && longest < 1e12 &&
         fabs(box.low.x) + fabs(box.low.y) + fabs(box.low.z) < 1e15;
}

static lbVec3 corner(vwBox box, int i) {
  return lb_vec3(i & 1 ? box.high.x : box.low.x, i & 2 ? box.high.y : box.low.y,
                 i & 4 ? box.high.z : box.low.z);
}

// An orthographic view along the light onto the bounds, with room for the softest shadow's edge.
// s_k = (axis_k . x - low_k) / extent_k.
static void fit_shadow(vwLight *light, vwBox box, lbVec3 sun, lbVec3 up, double radius,
                       int32_t shadow_size) {
  lbVec3 axis[3];
  axis[0] = lb_normalise(lb_cross(up, sun));
  axis[1] = lb_cross(sun, axis[0]);
  axis[2] = lb_scale(-1, sun);
  double low[3], extent[3], height = lb_dot(up, lb_sub(box.high, box.low));
  for (int k = 0; k < 3; k++) {
    double least = INFINITY, most = -INFINITY;
    for (int i = 0; i < 8; i++) {
      double s = lb_dot(axis[k], corner(box, i));
      least = fmin(least, s), most = fmax(most, s);
    }
    double room = k < 2 ? 2.5 * sun_size * height + 8 * radius / shadow_size : 0.05 * radius;
    low[k] = least - room;
    extent[k] = most - least + 2 * room;
  }
  float *m = light->block.light;
  memset(m, 0, 16 * sizeof *m);
  for (int k = 0; k < 3; k++) {
    m[k] = (float)(axis[k].x / extent[k]);
    m[4 + k] = (float)(axis[k].y / extent[k]);
    m[8 + k] = (float)(axis[k].z / extent[k]);
    m[12 + k] = (float)(-low[k] / extent[k]);
  }
  m[15] = 1;
  memcpy(light->casting, m, sizeof light->casting);
  for (int column = 0; column < 4; column++)
    for (int k = 0; k < 3; k++) {
      float *entry = light->casting + 4 * column + k;
      *entry = 2 * *entry - (column == 3 ? 1.0f : 0.0f);
    }
  double pixel = fmax(extent[0], extent[1]) / shadow_size;
  store_vec4(light->block.extent, lb_vec3(extent[0], extent[1], extent[2]), pixel);
}

// The ground's view upwards: an orthographic one from the ground to the top of the bounds, wide
// enough for the soft dark under and around what stands there.
static void fit_floor(vwLight *light, vwBox box, Axes axes, double ground, double radius) {
  lbVec3 axis[3] = { axes.right, axes.front, axes.up };
  double low[3], extent[3];
  for (int k = 0; k < 3; k++) {
    double a = lb_dot(axis[k], box.low), b = lb_dot(axis[k], box.high);
    double room = k < 2 ? 0.9 * radius : 0;
    low[k] = k < 2 ? fmin(a, b) - room : ground;
    extent[k] = fmax(a, b) + room - low[k];
  }
  if (!(extent[2] > 0.02 * radius)) extent[2] = 0.02 * radius;
  float *rows[2] = { light->block.floor_x, light->block.floor_y };
  float *m = light->hovering;
  for (int k = 0; k < 3; k++) {
    lbVec3 row = lb_scale(1 / extent[k], axis[k]);
    double shift = -low[k] / extent[k];
    if (k < 2) store_vec4(rows[k], row, shift);
    m[k] = (float)(2 * row.x), m[4 + k] = (float)(2 * row.y), m[8 + k] = (float)(2 * row.z);
    m[12 + k] = (float)(2 * shift - 1);
  }
  m[15] = 1;
  store_vec4(light->block.floor_size, lb_vec3(extent[0], extent[1], extent[2]), 1);
}

static void set_up_ground(vwLight *light, const vwPicture *picture, lbVec3 up, lbVec3 centre,
                          double radius) {
  const float *p = picture->view.projection;
  lbVec3 eye = picture->view.eye;
  lbVec3 below = lb_add_scaled(centre, picture->ground_height - lb_dot(centre, up), up);
  store_vec4(light->block.centre, below, radius);
  store_vec4(light->block.up, up, picture->ground_height);
  double far = p[14] / (p[10] + 1);
  double reach = far - lb_length(lb_sub(eye, below));
  if (!(reach < 30 * radius)) reach = 30 * radius;
  if (!(reach > 2 * radius)) reach = 2 * radius;
  light->ground_reach = (float)reach;
  light->ground = picture->ground && lb_dot(eye, up) > picture->ground_height;
}

static void set_up_view(vwFrameBlock *block, const vwView *view, lbVec3 up, lbVec3 centre,
                        int32_t width, int32_t height) {
  multiply_mat4(view->projection, view->view, block->clip);
  double tangent = view->tan_half_fov, aspect = (double)view->width / view->height;
  store_vec4(block->right, lb_scale(tangent * aspect, view->right), 0);
  store_vec4(block->upward, lb_scale(tangent, view->upward), 0);
  // The middle of the picture looks past what a panel covers.
  store_vec4(block->forward,
             lb_add_scaled(view->forward, -view->covered * tangent * aspect, view->right), 0);
  lbVec3 rim = lb_scale(0.72, view->forward);
  rim = lb_add_scaled(lb_add_scaled(rim, -0.6, view->right), 0.55, up);
  store_vec4(block->rim, lb_normalise(rim), 0);
  // Lines come nearer by two thousandths of the distance at which the object is.
  double near = view->projection[14] / (view->projection[10] - 1);
  double distance = lb_length(lb_sub(view->eye, centre));
  double pull = 0.004 * near / fmax(distance, near);
  block->screen[0] = (float)width;
  block->screen[1] = (float)height;
  block->screen[2] = (float)(height / (2 * tangent));
  block->screen[3] = isfinite(pull) ? (float)pull : 0;
}

void vw_light_set_up(vwLight *light, const vwPicture *picture, int32_t width, int32_t height,
                     int32_t shadow_size) {
  *light = (vwLight){ 0 };
  Axes axes = axes_of(picture->view.up);
  bool bounded = box_is_good(picture->bounds);
  lbVec3 centre = lb_add(picture->view.eye, picture->view.forward);
  double radius = 1;
  if (bounded) {
    centre = lb_scale(0.5, lb_add(picture->bounds.low, picture->bounds.high));
    radius = 0.5 * lb_length(lb_sub(picture->bounds.high, picture->bounds.low));
  }
  lbVec3 sun = sun_direction(axes);
  light->shadows = picture->shadows && bounded;
  if (light->shadows) fit_shadow(light, picture->bounds, sun, axes.up, radius, shadow_size);
  set_up_ground(light, picture, axes.up, centre, radius);
  if (light->shadows && light->ground)
    fit_floor(light, picture->bounds, axes, picture->ground_height, radius);
  set_up_view(&light->block, &picture->view, axes.up, centre, width, height);
  light->block.forward[3] = (float)lb_dot(axes.up, bounded ? picture->bounds.high : centre);
  store_vec4(light->block.eye, picture->view.eye, light->shadows);
  store_vec4(light->block.sun, sun, sun_size);
  light->block.rim[3] = picture->sky;
  float range = picture->map_high - picture->map_low;
  light->block.map[0] = picture->map_low;
  light->block.map[1] = range > 0 ? 1 / range : 0;
  light->block.map[2] = (float)picture->map;
}
