// Materials by a volume image.
#include "scene_text.h"

#include <math.h>

static void write_bytes(const char *name, const void *bytes, size_t count) {
  FILE *file = fopen(output_path(name), "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, count, file), count);
  fclose(file);
}

#define MATERIAL(image)                                                                            \
  "{'limber':1,'bodies':[{'name':'bar','mesh':{'generate':'bar','size':[1,0.1,0.1],"               \
  "'cells':[4,1,1],'element':'brick8'},'material':{'poisson':0.4,'image':{" image "}}}]}"

// Four bytes along a bar of four bricks, one for each.
static void an_image_gives_stiffness_and_density(void **state) {
  (void)state;
  const uint8_t bytes[4] = { 0, 15, 100, 200 };
  write_bytes("image.raw", bytes, sizeof bytes);
  lbScene *scene =
      scene_of(MATERIAL("'file':'image.raw','size':[4,1,1],'fit':true,'values':[0,150],"
                        "'young':[1e4,1e6],'density':[500,2000]"));
  const lbSceneBody *body = &scene->bodies[0];
  const double part[4] = { 0, 0.1, 2.0 / 3, 1 };
  for (int e = 0; e < 4; e++) {
    const lbMaterial *material = &body->materials[body->element_materials[e]];
    double level = round(15 * part[e]) / 15; // in 16 steps
    check_near(log10(material->young), 4 + 2 * level, 0.07);
    check_near(material->density, 500 + 1500 * level, 51);
    check_near(material->poisson, 0.4, 0);
  }
  lb_scene_destroy(scene);
  // without "fit": 0.25 m apart, the first at 0.125 m
  scene = scene_of(MATERIAL("'file':'image.raw','size':[4,1,1],'spacing':[0.25,1,1],"
                            "'origin':[0.125,0,0],'young':[1e4,1e6]"));
  body = &scene->bodies[0];
  check_near(body->materials[body->element_materials[0]].young, 1e4, 1e-6);
  check_near(body->materials[body->element_materials[3]].young, 1e6, 1e-4);
  check_near(body->materials[body->element_materials[3]].density, 1000, 0);
  lb_scene_destroy(scene);
}

static void bad_images_are_refused(void **state) {
  (void)state;
  check_refused(MATERIAL("'file':'image.raw','young':[1,2]"), "neither NIfTI-1 nor NRRD");
  check_refused(MATERIAL("'file':'image.raw','size':[5,1,1],'young':[1,2]"), "has 4 bytes");
  check_refused(MATERIAL("'file':'image.raw','size':[4,1,1]"), "has no \"young\"");
  check_refused(MATERIAL("'file':'image.raw','size':[4,1,1],'young':[0,1]"), "positive");
  check_refused(MATERIAL("'file':'image.raw','size':[4,1,1],'young':[1,2],'values':[3,3]"), "rise");
  check_refused(MATERIAL("'file':'image.raw','type':'uint8','young':[1,2]"), "need a \"size\"");
  check_refused(MATERIAL("'file':'image.raw','young':[1,2],'colour':1"), "colour");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(an_image_gives_stiffness_and_density),
    cmocka_unit_test(bad_images_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
