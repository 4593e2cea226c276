// Editors of free bodies, which are moved and turned by their handles.
#include "toy_editor.h"

#include "limber/reduce.h"
#include "limber/shape.h"

// ---- free bodies -------------------------------------------------------------------------------

typedef struct FreeCase {
  lbMesh *mesh;
  lbModel *model;
  lbBody *body;
  lbEditor *editor;
  int32_t ends[2];
} FreeCase;

static FreeCase make_free(void) {
  FreeCase c = { 0 };
  lbError err;
  lbShapeDef shape = lb_shape_def("bar");
  shape.size[0] = 1, shape.size[1] = 0.2, shape.size[2] = 0.2;
  shape.cells[0] = 10, shape.cells[1] = 2, shape.cells[2] = 2;
  check_ok(lb_shape_volume(&shape, &c.mesh, &err), err);
  lbMaterial material = lb_material();
  material.model = LB_MATERIAL_STVK, material.young = 1e5, material.poisson = 0.3;
  lbFemDef fem_def = lb_fem_def();
  fem_def.materials = &material, fem_def.material_count = 1;
  lbFem *fem = NULL;
  check_ok(lb_fem_create(c.mesh, &fem_def, &fem, &err), err);
  lbSubspaceDef def = lb_subspace_def();
  def.basis.mode_count = 8, def.basis.dimension = 20;
  lbReduceDef object = lb_reduce_def();
  object.name = "free bar";
  check_ok(lb_reduce_subspace(c.mesh, fem, &object, &def, &c.model, &err), err);
  lb_fem_destroy(fem);
  lbBodyDef body = sub_body_def();
  check_ok(lb_body_create(c.model, &body, &c.body, &err), err);
  lbEditorDef editor = lb_editor_def();
  check_ok(lb_editor_create(c.body, &editor, &c.editor, &err), err);
  for (int i = 0; i < 2; i++)
    c.ends[i] = add_end(c.editor, c.mesh, i == 1, i == 1 ? "far" : "near");
  return c;
}

static void destroy_free(FreeCase *c) {
  lb_editor_destroy(c->editor);
  lb_body_destroy(c->body);
  lb_model_destroy(c->model);
  lb_mesh_destroy(c->mesh);
}

static void turning_all_handles_turns_the_body(void **state) {
  (void)state;
  FreeCase c = make_free();
  int32_t count = c.model->size.vertex_count;
  double *bent = malloc(3 * (size_t)count * sizeof *bent), *turned = malloc(3 * (size_t)count * 8);
  lbVec3 turn = lb_vec3(0.4, 2.1, -1.3), shift = lb_vec3(3, -2, 0.5);
  // Rigid alone: no energy at all.
  for (int i = 0; i < 2; i++) {
    lbHandleMotion motion = { shift, turn, lb_vec3(0, 0, 0) };
    lbError err;
    check_ok(lb_editor_move_handle(c.editor, c.ends[i], &motion, &err), err);
  }
  lbEditResult rigid = settle(c.editor);
  print_message("rigid: energy %.2e J, error %.2e m\n", rigid.energy, rigid.handle_error);
  check_small(rigid.energy / c.editor->scale, 1e-18);
  check_small(rigid.handle_error, 1e-9);
  // Bent, then the same turned and shifted.
  lbQuat rotation = lb_quat_exp(turn);
  double energies[2];
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < 2; i++) {
      lbHandleMotion motion =
          moved(c.editor, c.ends[i], lb_vec3(0, 0, i ? 0.1 : -0.1), lb_vec3(0, i ? -0.5 : 0.5, 0));
      if (pass) { // R (m + Rh (v - m) + d) + s  =  m + (R Rh) (v - m) + R (m + d) + s - m
        lbVec3 to =
            lb_add(lb_quat_rotate(rotation, lb_add(motion.centre, motion.translate)), shift);
        motion.translate = lb_sub(to, motion.centre);
        motion.rotation = lb_quat_log(lb_quat_multiply(rotation, lb_quat_exp(motion.rotation)));
      }
      lbError err;
      check_ok(lb_editor_move_handle(c.editor, c.ends[i], &motion, &err), err);
    }
    energies[pass] = settle(c.editor).energy;
    lb_body_surface(c.body, pass ? turned : bent);
  }
  double worst = 0;
  for (int32_t v = 0; v < count; v++) {
    lbVec3 expected = lb_add(lb_quat_rotate(rotation, lb_vec3_load(bent + 3 * v)), shift);
    worst = fmax(worst, lb_length(lb_sub(lb_vec3_load(turned + 3 * v), expected)));
  }
  print_message("bent: energy %.6e J, turned %.6e J, shapes differ by %.2e m\n", energies[0],
                energies[1], worst);
  assert_true(energies[0] > 1e-6);
  check_small(energies[1] / energies[0] - 1, 1e-8);
  check_small(worst, 1e-8);
  free(bent), free(turned);
  destroy_free(&c);
}

static void one_vertex_leads_a_free_body_without_turning_it(void **state) {
  (void)state;
  FreeCase c = make_free();
  lbError err;
  for (int i = 0; i < 2; i++) check_ok(lb_editor_remove_handle(c.editor, c.ends[i], &err), err);
  lbPoint point = lb_point_vertex(5);
  lbHandleDef def = lb_handle_def();
  int32_t handle;
  def.name = "one", def.points = &point, def.point_count = 1;
  check_ok(lb_editor_add_handle(c.editor, &def, &handle, &err), err);
  move(c.editor, handle, lb_vec3(1, 2, 3), lb_vec3(0, 0, 0));
  lbEditResult r = settle(c.editor);
  lbFrame frame = lb_body_frame(c.body);
  check_small(r.energy / c.editor->scale, 1e-18);
  check_small(r.handle_error, 1e-9);
  check_small(lb_length(lb_sub(frame.position, lb_vec3(1, 2, 3))), 1e-9);
  check_small(lb_length(lb_quat_log(frame.rotation)), 1e-9);
  destroy_free(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(turning_all_handles_turns_the_body),
    cmocka_unit_test(one_vertex_leads_a_free_body_without_turning_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
