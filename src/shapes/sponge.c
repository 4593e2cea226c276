// The Menger sponge: a cube of 3^level smallest cubes a side, without those that at some level lie
// in the middle third along two axes or three. Each smallest cube is cells[0] x [1] x [2] cells.
#include "shapes/shapes.h"

static bool is_solid_sponge(const lbShapeDef *def, const lbLattice *lattice, const int32_t at[3]) {
  (void)lattice;
  int32_t cube[3];
  for (int a = 0; a < 3; a++) cube[a] = at[a] / def->cells[a];
  for (int32_t level = 0; level < def->level; level++) {
    int middle = 0;
    for (int a = 0; a < 3; a++) {
      middle += cube[a] % 3 == 1;
      cube[a] /= 3;
    }
    if (middle >= 2) return false;
  }
  return true;
}

void lb_sponge_lattice(const lbShapeDef *def, lbLattice *lattice) {
  int32_t cubes = 1;
  for (int32_t level = 0; level < def->level; level++) cubes *= 3;
  int32_t n[3] = { cubes * def->cells[0], cubes * def->cells[1], cubes * def->cells[2] };
  *lattice = (lbLattice){ .solid = is_solid_sponge };
  lattice->out_of_memory = !lb_lattice_begin(lattice, n);
  if (lattice->out_of_memory) return;
  for (int a = 0; a < 3; a++)
    for (int32_t i = 0; i <= n[a]; i++) lattice->lines[a][i] = def->size[a] * ((double)i / n[a]);
}
