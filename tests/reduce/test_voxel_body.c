// A mesh as voxels: volumes, centres, materials and gaps.
#include "check.h"
#include "limber/math.h"
#include "limber/shape.h"
#include "mesh/builder.h"
#include "reduce/placement.h"
#include "reduce/voxel_body.h"

static lbVoxelBody *make(const lbMesh *mesh, int32_t voxels, double cell) {
  lbVoxelBodyDef def = lb_voxel_body_def();
  lbVoxelBody *body;
  lbError err;
  def.voxels = voxels;
  def.cell = cell;
  check_ok(lb_voxel_body_create(mesh, &def, &body, &err), err);
  return body;
}

static lbMesh *shape(const char *name, lbElementKind element) {
  lbShapeDef def = lb_shape_def(name);
  lbMesh *mesh;
  lbError err;
  def.element = element;
  check_ok(lb_shape_volume(&def, &mesh, &err), err);
  return mesh;
}

static double sum(const lbVoxelBody *body, int axis) {
  double total = 0;
  for (int32_t v = 0; v < body->voxels->count; v++)
    total += body->volumes[v] * (axis < 0 ? 1 : body->centres[3 * v + axis]);
  return total;
}

// Exact whatever the cells are; a bar is cut by them.
static void volume_and_centre_are_those_of_the_mesh(void **state) {
  (void)state;
  const lbElementKind kinds[2] = { LB_ELEMENT_TET4, LB_ELEMENT_BRICK8 };
  for (int k = 0; k < 2; k++) {
    lbMesh *mesh = shape("bar", kinds[k]); // 1 x 0.1 x 0.1
    for (int32_t voxels = 5; voxels < 3000; voxels *= 5) {
      lbVoxelBody *body = make(mesh, voxels, 0);
      check_near(sum(body, -1), 0.01, 1e-15);
      check_near(sum(body, 0), 0.005, 1e-16);
      check_near(sum(body, 1), 0.0005, 1e-17);
      for (int32_t v = 0; v < body->voxels->count; v++) {
        double share = 0, apart = 0, half = 0.5 * body->voxels->grid->cell;
        double centre[3];
        lb_vec3_store(centre, lb_voxels_centre(body->voxels, v));
        for (int i = 0; i < 3; i++) apart = fmax(apart, fabs(centre[i] - body->centres[3 * v + i]));
        assert_true(apart <= half * (1 + 1e-9));
        for (int32_t e = body->begin[v]; e < body->begin[v + 1]; e++) share += body->shares[e];
        check_near(share, 1, 1e-14);
      }
      lb_voxel_body_destroy(body);
    }
    lb_mesh_destroy(mesh);
  }
}

static void there_are_about_as_many_voxels_as_asked_for(void **state) {
  (void)state;
  const char *const names[] = { "sphere", "torus", "turtle", "tube" };
  for (int k = 0; k < 4; k++) {
    lbMesh *mesh = shape(names[k], LB_ELEMENT_BRICK8);
    lbVoxelBody *body = make(mesh, 2000, 0);
    print_message("%s: %d voxels of %.4f m\n", names[k], (int)body->voxels->count,
                  body->voxels->grid->cell);
    check_near(body->voxels->count, 2000, 500);
    assert_int_equal(body->voxels->part_count, 1);
    lb_voxel_body_destroy(body);
    lb_mesh_destroy(mesh);
  }
}

// Elements in the left third have number 2 and density 500, the others 7 and 1000.
static void values_of_elements_come_to_voxels(void **state) {
  (void)state;
  lbMesh *mesh = shape("bar", LB_ELEMENT_TET4);
  int32_t count = lb_mesh_element_count(mesh);
  lbVoxelBody *body = make(mesh, 0, 0.04);
  int32_t voxels = body->voxels->count;
  double *density = malloc((size_t)count * sizeof *density), mass = 0;
  double *means = malloc((size_t)voxels * sizeof *means);
  int32_t *numbers = malloc((size_t)count * sizeof *numbers);
  int32_t *most = malloc((size_t)voxels * sizeof *most);
  for (int32_t e = 0; e < count; e++) {
    double x = 0;
    for (int k = 0; k < 4; k++) x += 0.25 * mesh->positions[3 * mesh->tets[4 * e + k]];
    density[e] = x < 0.3 ? 500 : 1000;
    numbers[e] = x < 0.3 ? 2 : 7;
  }
  lb_voxel_body_mean(body, density, means);
  lb_voxel_body_most(body, numbers, most);
  for (int32_t v = 0; v < voxels; v++) {
    mass += means[v] * body->volumes[v];
    double x = body->centres[3 * v];
    if (fabs(x - 0.3) > 0.04) assert_int_equal(most[v], x < 0.3 ? 2 : 7);
  }
  check_near(mass, 0.01 * (0.3 * 500 + 0.7 * 1000), 1e-12);
  free(density);
  free(means);
  free(numbers);
  free(most);
  lb_voxel_body_destroy(body);
  lb_mesh_destroy(mesh);
}

// Two legs that touch along x = 1 with nodes of their own; `joined`: at the foot they share them.
static lbMesh *two_legs(bool joined) {
  lbMeshBuilder builder;
  lbMesh *mesh;
  lbError err;
  lb_mesh_builder_begin(&builder);
  int32_t ids[2][2][5][2]; // leg, x, y, z
  for (int leg = 0; leg < 2; leg++)
    for (int x = 0; x < 2; x++)
      for (int y = 0; y < 5; y++)
        for (int z = 0; z < 2; z++)
          ids[leg][x][y][z] = joined && leg == 1 && x == 0 && y < 2
                                  ? ids[0][1][y][z]
                                  : lb_mesh_add_vertex(&builder, leg + x, y, z);
  for (int leg = 0; leg < 2; leg++)
    for (int y = 0; y < 4; y++) {
      int32_t brick[8];
      for (int z = 0; z < 2; z++) {
        brick[4 * z] = ids[leg][0][y][z], brick[4 * z + 1] = ids[leg][1][y][z];
        brick[4 * z + 2] = ids[leg][1][y + 1][z], brick[4 * z + 3] = ids[leg][0][y + 1][z];
      }
      lb_mesh_add_brick(&builder, brick);
    }
  check_ok(lb_mesh_builder_finish(&builder, "legs", &mesh, &err), err);
  return mesh;
}

static void parts_that_merely_touch_are_kept_apart(void **state) {
  (void)state;
  for (int joined = 0; joined < 2; joined++) {
    lbMesh *mesh = two_legs(joined);
    lbVoxelBody *body = make(mesh, 0, 0.25);
    const lbVoxels *voxels = body->voxels;
    assert_int_equal(voxels->part_count, joined ? 1 : 2);
    int32_t left = lb_voxels_find(voxels, lb_vec3(0.9, 3.6, 0.5));
    int32_t foot = lb_voxels_find(voxels, lb_vec3(0.9, 0.4, 0.5));
    assert_int_equal(voxels->neighbours[6 * left + 1], -1);
    assert_int_equal(voxels->neighbours[6 * foot + 1] >= 0, joined);
    lb_voxel_body_destroy(body);
    lb_mesh_destroy(mesh);
  }
}

static void what_cannot_be_is_refused(void **state) {
  (void)state;
  lbMesh *mesh = shape("bar", LB_ELEMENT_BRICK8), *sheet = shape("grid", LB_ELEMENT_BRICK8);
  lbVoxelBodyDef def = lb_voxel_body_def();
  lbVoxelBody *body;
  lbError err;
  check_fails(lb_voxel_body_create(sheet, &def, &body, &err), LB_ERR_MESH, err, "neither tets");
  def.voxels = 0;
  check_fails(lb_voxel_body_create(mesh, &def, &body, &err), LB_ERR_ARGUMENT, err, "0 voxels");
  def.cell = NAN;
  check_fails(lb_voxel_body_create(mesh, &def, &body, &err), LB_ERR_ARGUMENT, err, "side");
  def.cell = 1e-5;
  check_fails(lb_voxel_body_create(mesh, &def, &body, &err), LB_ERR_ARGUMENT, err, "use fewer");
  lb_mesh_destroy(mesh);
  lb_mesh_destroy(sheet);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(volume_and_centre_are_those_of_the_mesh),
    cmocka_unit_test(there_are_about_as_many_voxels_as_asked_for),
    cmocka_unit_test(values_of_elements_come_to_voxels),
    cmocka_unit_test(parts_that_merely_touch_are_kept_apart),
    cmocka_unit_test(what_cannot_be_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
