// Estimates of memory. Bytes of elements and vectors are counted; those of the factor are
// 200 n^(4/3) (nested dissection of a compact body of n rows: 0.7 GB for 86 000, 4.4 GB for 305
// 000), of which MUMPS takes 1.8 times while it works.
#include "petsc/memory.h"

#include "fem/fem.h"
#include "linalg/room.h"

#include <math.h>

static const double OUTLINE_NODE = 90, OUTLINE_ELEMENT = 70, PROGRAM = 60e6;
// By measurement, of 20 modes of 103 428 and 303 918 rows: multigrid with the shifted matrix that
// it is made from, of K and M; vectors of LOBPCG for each mode.
static const double MULTIGRID = 3, LOBPCG_VECTORS = 24;

double lb_memory_factor(double rows) { return 200 * pow(rows, 4.0 / 3); }

lbMemoryNeed lb_memory_need(const lbMemoryBody *body, int32_t mode_count, int ranks) {
  double node_count = body->node_count, rows = 3 * node_count;
  double elements = (double)body->tet_count + body->brick_count;
  double neighbours = lb_fem_neighbours(body->tet_count, body->brick_count);
  double matrices = rows * neighbours * (3 * 12 + 12); // K and M
  double parts = lb_fem_element_bytes(body->tet_count, body->brick_count);
  double outline = OUTLINE_NODE * node_count + OUTLINE_ELEMENT * elements;
  double vector = 8 * rows, found = mode_count + 6;
  double shared = parts + matrices + found * vector;
  double first = PROGRAM + (body->outline ? outline + 2 * found * vector : 0);
  double factor = 1.8 * lb_memory_factor(rows);
  double lanczos = (5 * found + 150) * vector, lobpcg = LOBPCG_VECTORS * found * vector;
  return (lbMemoryNeed){ .iterative = (shared + MULTIGRID * matrices + lobpcg) / ranks + first,
                         .direct = (shared + factor + lanczos) / ranks + first };
}

double lb_memory_available(const lbPetscDef *def) {
  MPI_Comm machine;
  int here = 1;
  double share = def->memory, least = 0;
  if (!(share > 0)) {
    MPI_Comm_split_type(PETSC_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    MPI_Comm_size(machine, &here);
    MPI_Comm_free(&machine);
    share = lb_room_free() / here;
  }
  MPI_Allreduce(&share, &least, 1, MPI_DOUBLE, MPI_MIN, PETSC_COMM_WORLD);
  return least;
}

lbStatus lb_memory_check(const lbMemoryBody *body, const lbPetscDef *def, lbError *err) {
  double available = lb_memory_available(def);
  lbStatus status = LB_OK;
  if (body) {
    int ranks = lb_ranks_count();
    lbMemoryNeed need = lb_memory_need(body, 20, ranks);
    double least = fmin(need.iterative, need.direct);
    if (least > available)
      status =
          lb_fail(err, LB_ERR_MEMORY,
                  "%s: %d rows on %d ranks take about %.3g GB a rank, and %.3g GB are there: "
                  "use more machines, or a coarser mesh",
                  body->name, (int)(3 * body->node_count), ranks, least / 1e9, available / 1e9);
  }
  return lb_ranks_agree(status, err);
}
