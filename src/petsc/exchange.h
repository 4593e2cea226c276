// Items that go from every rank to every rank, and values of vertices that lie elsewhere.
//
// While a body is being distributed no rank has all of it. Vertices lie in slabs, rank by rank in
// the order of the mesh, so a vertex's number gives the rank that has it.
#ifndef LB_PETSC_EXCHANGE_H
#define LB_PETSC_EXCHANGE_H

#include "petsc/ranks.h"

// How many items each rank sends to each other.
typedef struct lbExchange {
  int32_t sent, received;                                         // items, over all ranks
  int *send_counts, *send_begin, *receive_counts, *receive_begin; // (ranks)
} lbExchange;

// ranks: where each of this rank's items goes, ascending. Collective, like all of these.
void lb_exchange_open(lbExchange *exchange, int32_t count, const int32_t *ranks);
void lb_exchange_release(lbExchange *exchange);
// Items (sent) to their ranks; those that arrive (received) are in the order of the ranks.
void lb_exchange_send(const lbExchange *exchange, size_t item_bytes, const void *items, void *out);
// An answer for every item that arrived, to the rank that sent it.
void lb_exchange_answer(const lbExchange *exchange, size_t item_bytes, const void *answers,
                        void *out);

// Slabs of `total` things.
int32_t lb_slab_begin(int32_t total, int rank);
int lb_slab_rank(int32_t total, int32_t number);

// Vertices whose values this rank needs.
typedef struct lbLookup {
  int32_t count, asked_count;
  int32_t *ids;   // (count) ascending, each once
  int32_t *asked; // (asked_count) what the ranks ask this one for, counted from its slab's begin
  lbExchange exchange;
} lbLookup;

// ids (count) in any order, of vertices among `total`.
void lb_lookup_open(lbLookup *lookup, int32_t total, size_t count, const int32_t *ids);
void lb_lookup_release(lbLookup *lookup);
// values: of this rank's slab; out: (lookup->count).
void lb_lookup_fetch(const lbLookup *lookup, size_t item_bytes, const void *values, void *out);
int32_t lb_lookup_place(const lbLookup *lookup, int32_t id); // among ids

#endif
