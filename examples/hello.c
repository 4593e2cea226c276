// The lowest natural frequencies of a bar of soft rubber that floats freely.
#include <limber/build.h>
#include <stdio.h>

int main(void) {
  lbError err;
  lbMesh *mesh = NULL;
  lbFem *fem = NULL;
  lbModes *modes = NULL;
  lbMaterial rubber = lb_material();    // 1 MPa, Poisson's ratio 0.45, 1000 kg/m3
  lbShapeDef bar = lb_shape_def("bar"); // 1 m x 0.1 m x 0.1 m
  bar.element = LB_ELEMENT_BRICK8;
  lbFemDef def = lb_fem_def();
  def.materials = &rubber;
  def.material_count = 1;
  if (lb_shape_volume(&bar, &mesh, &err) || lb_fem_create(mesh, &def, &fem, &err) ||
      lb_fem_modes(fem, 5, &modes, &err))
    return fprintf(stderr, "%s\n", err.text), 1;
  for (int i = 0; i < modes->count; i++) printf("%.3f Hz\n", modes->frequencies[i]);
  lb_modes_destroy(modes);
  lb_fem_destroy(fem);
  lb_mesh_destroy(mesh);
  return 0;
}
