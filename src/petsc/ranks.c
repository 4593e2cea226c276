// Agreement between ranks, and vectors that go to and fro.
#include "petsc/ranks.h"

#include <stdio.h>
#include <string.h>

int lb_ranks_rank(void) {
  int rank = 0;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  return rank;
}

int lb_ranks_count(void) {
  int count = 1;
  MPI_Comm_size(PETSC_COMM_WORLD, &count);
  return count;
}

static void end_all(const char *what, const char *why) {
  fprintf(stderr, "limber-mpi: rank %d: %s: %s\n", lb_ranks_rank(), what, why);
  fflush(stderr);
  MPI_Abort(PETSC_COMM_WORLD, 1);
}

void lb_petsc_check(PetscErrorCode code, const char *what) {
  if (!code) return;
  const char *text = NULL;
  char *specific = NULL;
  PetscErrorMessage(code, &text, &specific);
  char name[64] = ""; // of the function alone
  snprintf(name, sizeof name, "%.*s", (int)strcspn(what, "("), what);
  end_all(name, specific && specific[0] ? specific : text ? text : "unknown error");
}

void *lb_ranks_alloc(size_t count, size_t item_bytes) {
  void *block = lb_alloc(count, item_bytes);
  if (!block) end_all("memory", "out of memory, use more machines or a coarser mesh");
  return block;
}

lbStatus lb_ranks_agree(lbStatus status, lbError *err) {
  int rank = lb_ranks_rank(), none = lb_ranks_count();
  int mine = status ? rank : none, first = none;
  MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, PETSC_COMM_WORLD);
  if (first == none) return LB_OK;
  struct {
    int32_t status;
    lbError err;
  } failure = { 0 };
  if (rank == first) {
    failure.status = (int32_t)status;
    if (err) failure.err = *err;
  }
  MPI_Bcast(&failure, (int)sizeof failure, MPI_BYTE, first, PETSC_COMM_WORLD);
  if (err) *err = failure.err;
  return (lbStatus)failure.status;
}

lbStatus lb_ranks_progress(const char *stage, double fraction, lbError *err) {
  int32_t go_on = lb_ranks_rank() == 0 ? lb_progress(stage, fraction) : 0;
  lb_ranks_broadcast(&go_on, sizeof go_on);
  return go_on ? LB_OK : lb_fail_interrupted(err, stage);
}

void lb_ranks_broadcast(void *bytes, size_t count) {
  enum { PIECE = 1 << 30 };
  for (size_t done = 0; done < count; done += PIECE) {
    size_t here = count - done < PIECE ? count - done : PIECE;
    MPI_Bcast((char *)bytes + done, (int)here, MPI_BYTE, 0, PETSC_COMM_WORLD);
  }
}

void lb_ranks_sum(double *values, size_t count) {
  enum { PIECE = 1 << 26 };
  for (size_t done = 0; done < count; done += PIECE) {
    size_t here = count - done < PIECE ? count - done : PIECE;
    MPI_Allreduce(MPI_IN_PLACE, values + done, (int)here, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD);
  }
}

// ---- shares ------------------------------------------------------------------------------------

void lb_share_open(lbShare *share, int32_t count, const int32_t *items) {
  int ranks = lb_ranks_count();
  bool first = lb_ranks_rank() == 0;
  share->count = count;
  if (first) {
    share->counts = lb_ranks_alloc((size_t)ranks, sizeof(int32_t));
    share->begin = lb_ranks_alloc((size_t)ranks, sizeof(int32_t));
  }
  MPI_Gather(&count, 1, MPI_INT32_T, share->counts, 1, MPI_INT32_T, 0, PETSC_COMM_WORLD);
  if (first) {
    for (int r = 1; r < ranks; r++) share->begin[r] = share->begin[r - 1] + share->counts[r - 1];
    share->total = share->begin[ranks - 1] + share->counts[ranks - 1];
    share->items = lb_ranks_alloc((size_t)share->total + 1, sizeof(int32_t));
    share->buffer = lb_ranks_alloc((size_t)share->total + 1, 3 * sizeof(double));
  }
  MPI_Gatherv(items, count, MPI_INT32_T, share->items, share->counts, share->begin, MPI_INT32_T, 0,
              PETSC_COMM_WORLD);
}

void lb_share_release(lbShare *share) {
  lb_free(share->counts);
  lb_free(share->begin);
  lb_free(share->items);
  lb_free(share->buffer);
  *share = (lbShare){ 0 };
}

static MPI_Datatype item_type(void) {
  MPI_Datatype type;
  MPI_Type_contiguous(3, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  return type;
}

void lb_share_scatter(const lbShare *share, const double *whole, double *own) {
  MPI_Datatype item = item_type();
  for (size_t i = 0; share->items && i < (size_t)share->total; i++)
    memcpy(share->buffer + 3 * i, whole + 3 * (size_t)share->items[i], 3 * sizeof *whole);
  MPI_Scatterv(share->buffer, share->counts, share->begin, item, own, share->count, item, 0,
               PETSC_COMM_WORLD);
  MPI_Type_free(&item);
}

static void collect_shared_values(const lbShare *share, const double *own) {
  MPI_Datatype item = item_type();
  MPI_Gatherv(own, share->count, item, share->buffer, share->counts, share->begin, item, 0,
              PETSC_COMM_WORLD);
  MPI_Type_free(&item);
}

void lb_share_gather(const lbShare *share, const double *own, double *whole) {
  collect_shared_values(share, own);
  for (size_t i = 0; share->items && i < (size_t)share->total; i++)
    memcpy(whole + 3 * (size_t)share->items[i], share->buffer + 3 * i, 3 * sizeof *whole);
}

void lb_share_gather_add(const lbShare *share, const double *own, double *whole) {
  collect_shared_values(share, own);
  for (size_t i = 0; share->items && i < (size_t)share->total; i++)
    for (size_t k = 0; k < 3; k++)
      whole[3 * (size_t)share->items[i] + k] += share->buffer[3 * i + k];
}
