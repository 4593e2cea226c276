// A triple buffer: one thread writes whole blocks, another reads the newest one, and neither waits.
// Writer and reader each own a block; the third lies in the middle and is swapped.
#ifndef LB_HAPTICS_EXCHANGE_H
#define LB_HAPTICS_EXCHANGE_H

#include <stdatomic.h>

enum { LB_EXCHANGE_NEW = 4 }; // on the middle block's number: not read yet

typedef struct lbExchange {
  void *blocks[3];
  unsigned writing, reading; // each touched by its own side alone
  atomic_uint middle;
} lbExchange;

static inline void lb_exchange_open(lbExchange *exchange, void *a, void *b, void *c) {
  exchange->blocks[0] = a, exchange->blocks[1] = b, exchange->blocks[2] = c;
  exchange->writing = 0, exchange->reading = 1;
  atomic_init(&exchange->middle, 2u);
}

// The writer fills its block, then publishes it.
static inline void *lb_exchange_block(const lbExchange *exchange) {
  return exchange->blocks[exchange->writing];
}
static inline void lb_exchange_publish(lbExchange *exchange) {
  exchange->writing =
      atomic_exchange_explicit(&exchange->middle, exchange->writing | LB_EXCHANGE_NEW,
                               memory_order_acq_rel) &
      3u;
}

// The newest block that was published, the reader's until it asks again.
static inline const void *lb_exchange_read(lbExchange *exchange) {
  if (atomic_load_explicit(&exchange->middle, memory_order_relaxed) & LB_EXCHANGE_NEW)
    exchange->reading =
        atomic_exchange_explicit(&exchange->middle, exchange->reading, memory_order_acq_rel) & 3u;
  return exchange->blocks[exchange->reading];
}

#endif
