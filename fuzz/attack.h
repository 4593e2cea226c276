// What the two halves of the attack share: repeatable random numbers, some of them hostile.
#ifndef LB_FUZZ_ATTACK_H
#define LB_FUZZ_ATTACK_H

#include "limber/model.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct attackRandom {
  uint64_t state;
} attackRandom;

static inline uint64_t attack_bits(attackRandom *random) { // splitmix64
  uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

static inline uint32_t attack_below(attackRandom *random, uint32_t count) {
  return (uint32_t)((attack_bits(random) >> 32) * count >> 32);
}

// Mostly a number of ordinary size; sometimes tiny, huge, not finite.
static inline double attack_number(attackRandom *random) {
  static const double odd[] = { 0, -0.0, 1e-300, -1e300, 1e150, INFINITY, -INFINITY, NAN,
                                1, -1,   1e-6,   1e6,    1e9,   -1e30,    5e-324 };
  if (attack_below(random, 40) == 0) return odd[attack_below(random, sizeof odd / sizeof *odd)];
  return (double)(int64_t)attack_bits(random) / 9.3e18;
}

// `count` random calls on bodies, batches, worlds and haptics of the models in these files. Returns
// how many calls were made. `contact`: on worlds whose bodies touch alone.
int64_t attack_api(attackRandom *random, int64_t count, const char *const *models, int model_count,
                   bool contact);
// So many calls on worlds whose bodies touch, with allocations that fail.
int64_t attack_contact(attackRandom *random, int64_t count, const lbModel *const *models,
                       int model_count);

#endif
