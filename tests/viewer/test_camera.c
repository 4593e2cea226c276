// The camera: what its matrices, rays and pixels say agrees, and pointers do what they promise.
#include "check.h"

#include "render/camera.h"

static const double degree = LB_PI / 180;

static vwBox box_of(double x, double y, double z) {
  return (vwBox){ { -0.2 * x, -0.5 * y, 0 }, { 0.8 * x, 0.5 * y, z } };
}

static void by_matrices(const vwView *view, lbVec3 point, double *x, double *y, double *depth) {
  double eye[4] = { 0 }, clip[4] = { 0 }, p[4] = { point.x, point.y, point.z, 1 };
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) eye[i] += (double)view->view[4 * j + i] * p[j];
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) clip[i] += (double)view->projection[4 * j + i] * eye[j];
  *x = 0.5 * view->width * (1 + clip[0] / clip[3]);
  *y = 0.5 * view->height * (1 - clip[1] / clip[3]);
  *depth = clip[2] / clip[3];
}

static void matrices_and_rays_agree_with_projected_pixels(void **state) {
  (void)state;
  uint64_t seed = 7;
  for (int round = 0; round < 40; round++) {
    vwCamera camera = vw_camera_of_box(box_of(1, 2, 3), round & 1 ? 'y' : 'z');
    camera.azimuth = LB_PI * check_random(&seed);
    camera.elevation = 1.4 * check_random(&seed);
    vwView view = vw_camera_view(&camera, 640, 360);
    lbVec3 point = lb_vec3(check_random(&seed), check_random(&seed), check_random(&seed));
    double x, y, mx, my, depth;
    assert_true(vw_view_project(&view, point, &x, &y));
    by_matrices(&view, point, &mx, &my, &depth);
    check_near(mx, x, 2e-3);
    check_near(my, y, 2e-3);
    assert_true(depth > -1 && depth < 1);
    lbVec3 origin, direction;
    vw_view_ray(&view, x, y, &origin, &direction);
    check_near(lb_length(direction), 1, 1e-14);
    check_small(lb_length(lb_cross(lb_sub(point, origin), direction)), 1e-12);
  }
}

static void axes_are_a_right_handed_frame(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++) {
    vwCamera camera = vw_camera_of_box(box_of(1, 1, 1), i ? 'y' : 'z');
    vwView view = vw_camera_view(&camera, 100, 100);
    check_small(lb_length(lb_sub(lb_cross(view.right, view.upward), lb_scale(-1, view.forward))),
                1e-14);
    lbVec3 up = i ? lb_vec3(0, 1, 0) : lb_vec3(0, 0, 1);
    check_small(lb_dot(view.right, up), 1e-14);
    assert_true(lb_dot(view.upward, up) > 0.5);
  }
}

static void azimuth_zero_is_the_front(void **state) {
  (void)state;
  vwCamera camera = vw_camera_of_box(box_of(1, 1, 1), 'z');
  camera.azimuth = camera.elevation = 0;
  vwView view = vw_camera_view(&camera, 10, 10);
  check_small(lb_length(lb_sub(view.forward, lb_vec3(0, 1, 0))), 1e-14);
  check_small(lb_length(lb_sub(view.right, lb_vec3(1, 0, 0))), 1e-14);
  camera.up = 'y';
  view = vw_camera_view(&camera, 10, 10);
  check_small(lb_length(lb_sub(view.forward, lb_vec3(0, 0, -1))), 1e-14);
  check_small(lb_length(lb_sub(view.right, lb_vec3(1, 0, 0))), 1e-14);
}

static void the_first_view_is_from_the_left_and_above(void **state) {
  (void)state;
  vwCamera camera = vw_camera_of_box(box_of(1, 1, 1), 'z');
  vwView view = vw_camera_view(&camera, 10, 10);
  assert_true(view.eye.x < camera.at.x && view.eye.y < camera.at.y && view.eye.z > camera.at.z);
  check_near(camera.fov, 35 * degree, 1e-12);
}

// All corners in the picture, and one of them near its edge.
static void a_framed_box_fills_the_picture(void **state) {
  (void)state;
  static const int32_t sizes[][2] = { { 1280, 720 }, { 300, 900 }, { 50, 50 } };
  for (int i = 0; i < 3; i++) {
    vwBox box = box_of(3, 0.4, 1);
    vwCamera camera = vw_camera_of_box(box, 'z');
    camera.azimuth = 1.1;
    vw_camera_frame(&camera, box, sizes[i][0], sizes[i][1]);
    vwView view = vw_camera_view(&camera, sizes[i][0], sizes[i][1]);
    double reach = 0;
    for (int c = 0; c < 8; c++) {
      double x, y;
      lbVec3 corner = lb_vec3(c & 1 ? box.high.x : box.low.x, c & 2 ? box.high.y : box.low.y,
                              c & 4 ? box.high.z : box.low.z);
      assert_true(vw_view_project(&view, corner, &x, &y));
      reach = fmax(reach, fabs(2 * x / view.width - 1));
      reach = fmax(reach, fabs(2 * y / view.height - 1));
    }
    check_near(reach, 0.9, 1e-9);
  }
}

static void a_place_gives_the_eye_and_the_point_it_looks_at(void **state) {
  (void)state;
  lbVec3 from = lb_vec3(3, -2, 1.5), at = lb_vec3(0.1, 0.2, 0.3);
  for (int i = 0; i < 2; i++) {
    vwCamera camera = vw_camera_of_place(from, at, 50 * degree, box_of(1, 1, 1), i ? 'y' : 'z');
    vwView view = vw_camera_view(&camera, 200, 100);
    check_small(lb_length(lb_sub(view.eye, from)), 1e-13);
    double x, y;
    assert_true(vw_view_project(&view, at, &x, &y));
    check_near(x, 100, 1e-9);
    check_near(y, 50, 1e-9);
    check_near(view.tan_half_fov, tan(25 * degree), 1e-14);
  }
}

static void odd_places_give_a_camera_all_the_same(void **state) {
  (void)state;
  vwBox box = box_of(1, 1, 1);
  lbVec3 at = lb_vec3(1, 2, 3);
  vwCamera same = vw_camera_of_place(at, at, 0.5, box, 'z');
  assert_true(same.distance > 0);
  vwCamera above = vw_camera_of_place(lb_vec3(1, 2, 9), at, NAN, box, 'z');
  assert_true(above.elevation > 89 * degree && above.elevation < 90 * degree);
  check_near(above.fov, 35 * degree, 1e-12);
  vwCamera broken = vw_camera_of_place(lb_vec3(NAN, 0, 0), at, 0.5, box, 'z');
  assert_true(isfinite(broken.distance) && isfinite(broken.at.x));
  vwCamera nothing = vw_camera_of_box(vw_box_empty(), 'y');
  assert_true(isfinite(nothing.distance) && nothing.distance > 0);
  vwBox point = vw_box_empty();
  vw_box_add(&point, at);
  vwCamera of_point = vw_camera_of_box(point, 'z');
  assert_true(of_point.distance > 0 && of_point.scale > 0);
}

static void panning_moves_the_point_with_the_pointer(void **state) {
  (void)state;
  vwCamera camera = vw_camera_of_box(box_of(1, 1, 1), 'z');
  lbVec3 held = camera.at;
  vw_camera_pan(&camera, 37, -21, 480);
  vwView view = vw_camera_view(&camera, 640, 480);
  double x, y;
  assert_true(vw_view_project(&view, held, &x, &y));
  check_near(x, 320 + 37, 1e-9);
  check_near(y, 240 - 21, 1e-9);
}

static void orbiting_turns_the_near_side_with_the_pointer(void **state) {
  (void)state;
  vwCamera camera = vw_camera_of_box(box_of(1, 1, 1), 'z');
  vwView view = vw_camera_view(&camera, 640, 480);
  lbVec3 near_side = lb_add_scaled(camera.at, -0.3, view.forward);
  vw_camera_orbit(&camera, 20, 10, 480);
  view = vw_camera_view(&camera, 640, 480);
  double x, y;
  assert_true(vw_view_project(&view, near_side, &x, &y));
  assert_true(x > 320 && y > 240);
  for (int i = 0; i < 100; i++) vw_camera_orbit(&camera, 300, 300, 480);
  assert_true(camera.elevation < LB_PI / 2 && fabs(camera.azimuth) <= LB_PI + 1e-12);
  double before = camera.azimuth;
  vw_camera_orbit(&camera, NAN, 3, 480);
  vw_camera_orbit(&camera, 3, 3, 0);
  check_near(camera.azimuth, before, 0);
}

static void zoom_stays_within_bounds(void **state) {
  (void)state;
  vwCamera camera = vw_camera_of_box(box_of(1, 1, 1), 'z');
  double before = camera.distance;
  vw_camera_zoom(&camera, 2);
  check_near(camera.distance, 2 * before, 1e-12);
  vw_camera_zoom(&camera, -1);
  vw_camera_zoom(&camera, NAN);
  check_near(camera.distance, 2 * before, 1e-12);
  for (int i = 0; i < 1000; i++) vw_camera_zoom(&camera, 0.5);
  assert_true(camera.distance > 0);
  for (int i = 0; i < 3000; i++) vw_camera_zoom(&camera, 2);
  assert_true(camera.distance < 1e4);
}

static void what_is_behind_the_eye_has_no_pixel(void **state) {
  (void)state;
  vwCamera camera = vw_camera_of_box(box_of(1, 1, 1), 'z');
  vwView view = vw_camera_view(&camera, 0, -3);
  assert_int_equal(view.width, 1);
  assert_int_equal(view.height, 1);
  double x, y;
  assert_false(vw_view_project(&view, lb_add_scaled(view.eye, -1, view.forward), &x, &y));
  assert_false(vw_view_project(&view, lb_vec3(NAN, 0, 0), &x, &y));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(matrices_and_rays_agree_with_projected_pixels),
    cmocka_unit_test(axes_are_a_right_handed_frame),
    cmocka_unit_test(azimuth_zero_is_the_front),
    cmocka_unit_test(the_first_view_is_from_the_left_and_above),
    cmocka_unit_test(a_framed_box_fills_the_picture),
    cmocka_unit_test(a_place_gives_the_eye_and_the_point_it_looks_at),
    cmocka_unit_test(odd_places_give_a_camera_all_the_same),
    cmocka_unit_test(panning_moves_the_point_with_the_pointer),
    cmocka_unit_test(orbiting_turns_the_near_side_with_the_pointer),
    cmocka_unit_test(zoom_stays_within_bounds),
    cmocka_unit_test(what_is_behind_the_eye_has_no_pixel),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
