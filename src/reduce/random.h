// Random numbers that a seed reproduces everywhere: SplitMix64 (Steele, Lea & Flood 2014).
#ifndef LB_REDUCE_RANDOM_H
#define LB_REDUCE_RANDOM_H

#include "limber/base.h"

#include <math.h>

typedef struct lbRandom {
  uint64_t state;
} lbRandom;

static inline uint64_t lb_random_bits(lbRandom *random) {
  uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

// The stream of a seed with a number: streams of different numbers have nothing in common.
static inline lbRandom lb_random_stream(uint64_t seed, uint64_t number) {
  lbRandom random = { seed };
  random.state = lb_random_bits(&random) ^ number;
  random.state = lb_random_bits(&random);
  return random;
}

static inline double lb_random_unit(lbRandom *random) { // in (0, 1]
  return ((double)(lb_random_bits(random) >> 11) + 1) / 9007199254740992.0;
}

static inline int32_t lb_random_below(lbRandom *random, int32_t bound) {
  return (int32_t)(lb_random_bits(random) % (uint64_t)bound);
}

static inline double lb_random_normal(lbRandom *random) { // mean 0, deviation 1 (Box & Muller)
  double radius = sqrt(-2 * log(lb_random_unit(random)));
  return radius * cos(2 * LB_PI * lb_random_unit(random));
}

#endif
