// Numbers as bytes: the types that files know, loaded from anywhere in either byte order, and
// little-endian numbers taken and put one by one.
#ifndef LB_ARRAYIO_SCALAR_H
#define LB_ARRAYIO_SCALAR_H

#include "limber/base.h"

#include <string.h>

typedef enum lbScalar {
  LB_SCALAR_INT8,
  LB_SCALAR_UINT8,
  LB_SCALAR_INT16,
  LB_SCALAR_UINT16,
  LB_SCALAR_INT32,
  LB_SCALAR_UINT32,
  LB_SCALAR_INT64,
  LB_SCALAR_UINT64,
  LB_SCALAR_FLOAT32,
  LB_SCALAR_FLOAT64,
  LB_SCALAR_COUNT
} lbScalar;

size_t lb_scalar_bytes(lbScalar type);
bool lb_machine_is_big_endian(void);

// The number whose lb_scalar_bytes(type) bytes begin at `from`; swapped: they have the other order
// than this machine. False if it does not fit, or is not an integer.
bool lb_scalar_integer(lbScalar type, const void *from, bool swapped, int64_t *value);
bool lb_scalar_real(lbScalar type, const void *from, bool swapped, double *value);

static inline uint32_t lb_little_u16(const uint8_t *p) {
  return (uint32_t)p[0] | (uint32_t)p[1] << 8;
}
static inline uint32_t lb_little_u32(const uint8_t *p) {
  return lb_little_u16(p) | lb_little_u16(p + 2) << 16;
}
static inline float lb_little_f32(const uint8_t *p) {
  uint32_t bits = lb_little_u32(p);
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

// For the writers: the same, the other way round.
static inline void lb_put_u16(uint8_t *p, uint32_t value) {
  for (int i = 0; i < 2; i++) p[i] = (uint8_t)(value >> 8 * i);
}
static inline void lb_put_u32(uint8_t *p, uint32_t value) {
  for (int i = 0; i < 4; i++) p[i] = (uint8_t)(value >> 8 * i);
}
static inline void lb_put_f32(uint8_t *p, float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  lb_put_u32(p, bits);
}
static inline void lb_put_f64(uint8_t *p, double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  lb_put_u32(p, (uint32_t)bits);
  lb_put_u32(p + 4, (uint32_t)(bits >> 32));
}

#endif
