// Exchanges by MPI_Alltoallv.
#include "petsc/exchange.h"

#include <stdlib.h>
#include <string.h>

// ---- exchanges ---------------------------------------------------------------------------------

static int32_t add_exchange_up(const int *counts, int *begin) {
  int ranks = lb_ranks_count(), sum = 0;
  for (int r = 0; r < ranks; r++) {
    begin[r] = sum;
    sum += counts[r];
  }
  return sum;
}

void lb_exchange_open(lbExchange *exchange, int32_t count, const int32_t *ranks) {
  size_t size = (size_t)lb_ranks_count();
  exchange->send_counts = lb_ranks_alloc(size, sizeof(int));
  exchange->send_begin = lb_ranks_alloc(size, sizeof(int));
  exchange->receive_counts = lb_ranks_alloc(size, sizeof(int));
  exchange->receive_begin = lb_ranks_alloc(size, sizeof(int));
  for (int32_t i = 0; i < count; i++) exchange->send_counts[ranks[i]]++;
  MPI_Alltoall(exchange->send_counts, 1, MPI_INT, exchange->receive_counts, 1, MPI_INT,
               PETSC_COMM_WORLD);
  exchange->sent = add_exchange_up(exchange->send_counts, exchange->send_begin);
  exchange->received = add_exchange_up(exchange->receive_counts, exchange->receive_begin);
}

void lb_exchange_release(lbExchange *exchange) {
  lb_free(exchange->send_counts);
  lb_free(exchange->send_begin);
  lb_free(exchange->receive_counts);
  lb_free(exchange->receive_begin);
  *exchange = (lbExchange){ 0 };
}

static MPI_Datatype item_type(size_t bytes) {
  MPI_Datatype type;
  MPI_Type_contiguous((int)bytes, MPI_BYTE, &type);
  MPI_Type_commit(&type);
  return type;
}

void lb_exchange_send(const lbExchange *x, size_t item_bytes, const void *items, void *out) {
  MPI_Datatype item = item_type(item_bytes);
  MPI_Alltoallv(items, x->send_counts, x->send_begin, item, out, x->receive_counts,
                x->receive_begin, item, PETSC_COMM_WORLD);
  MPI_Type_free(&item);
}

void lb_exchange_answer(const lbExchange *x, size_t item_bytes, const void *answers, void *out) {
  MPI_Datatype item = item_type(item_bytes);
  MPI_Alltoallv(answers, x->receive_counts, x->receive_begin, item, out, x->send_counts,
                x->send_begin, item, PETSC_COMM_WORLD);
  MPI_Type_free(&item);
}

// ---- slabs -------------------------------------------------------------------------------------

int32_t lb_slab_begin(int32_t total, int rank) {
  return (int32_t)((int64_t)total * rank / lb_ranks_count());
}

int lb_slab_rank(int32_t total, int32_t number) {
  return (int)((((int64_t)number + 1) * lb_ranks_count() - 1) / total);
}

// ---- lookups -----------------------------------------------------------------------------------

static int by_id(const void *a, const void *b) {
  int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

void lb_lookup_open(lbLookup *lookup, int32_t total, size_t count, const int32_t *ids) {
  *lookup = (lbLookup){ .ids = lb_ranks_alloc(count + 1, sizeof(int32_t)) };
  memcpy(lookup->ids, ids, count * sizeof *ids);
  qsort(lookup->ids, count, sizeof *ids, by_id);
  for (size_t i = 0; i < count; i++)
    if (lookup->count == 0 || lookup->ids[lookup->count - 1] != lookup->ids[i])
      lookup->ids[lookup->count++] = lookup->ids[i];
  int32_t *ranks = lb_ranks_alloc((size_t)lookup->count + 1, sizeof *ranks);
  for (int32_t i = 0; i < lookup->count; i++) ranks[i] = lb_slab_rank(total, lookup->ids[i]);
  lb_exchange_open(&lookup->exchange, lookup->count, ranks);
  lb_free(ranks);
  lookup->asked_count = lookup->exchange.received;
  lookup->asked = lb_ranks_alloc((size_t)lookup->asked_count + 1, sizeof(int32_t));
  lb_exchange_send(&lookup->exchange, sizeof(int32_t), lookup->ids, lookup->asked);
  int32_t begin = lb_slab_begin(total, lb_ranks_rank());
  for (int32_t i = 0; i < lookup->asked_count; i++) lookup->asked[i] -= begin;
}

void lb_lookup_release(lbLookup *lookup) {
  lb_exchange_release(&lookup->exchange);
  lb_free(lookup->ids);
  lb_free(lookup->asked);
  *lookup = (lbLookup){ 0 };
}

void lb_lookup_fetch(const lbLookup *lookup, size_t item_bytes, const void *values, void *out) {
  char *answers = lb_ranks_alloc((size_t)lookup->asked_count + 1, item_bytes);
  for (size_t i = 0; i < (size_t)lookup->asked_count; i++)
    memcpy(answers + i * item_bytes, (const char *)values + (size_t)lookup->asked[i] * item_bytes,
           item_bytes);
  lb_exchange_answer(&lookup->exchange, item_bytes, answers, out);
  lb_free(answers);
}

int32_t lb_lookup_place(const lbLookup *lookup, int32_t id) {
  const int32_t *found =
      bsearch(&id, lookup->ids, (size_t)lookup->count, sizeof *lookup->ids, by_id);
  return found ? (int32_t)(found - lookup->ids) : -1;
}
