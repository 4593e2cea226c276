// Binary data in memory: numbers of either byte order, and messages that name the byte.
#ifndef LB_MESH_IO_BYTE_CURSOR_H
#define LB_MESH_IO_BYTE_CURSOR_H

#include "limber/base.h"

#include <string.h>

typedef struct lbBytes {
  const char *path; // for messages
  const uint8_t *data;
  size_t next, end; // offsets into data
  bool big_endian;
} lbBytes;

// "path: byte N: " + message, N counted from 0.
lbStatus lb_bytes_fail_at(const lbBytes *bytes, size_t offset, lbError *err, const char *format,
                          ...) LB_PRINTF(4, 5);

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
static inline double lb_little_f64(const uint8_t *p) {
  uint64_t bits = lb_little_u32(p) | (uint64_t)lb_little_u32(p + 4) << 32;
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

// For the writers: the same, the other way round.
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

// Number types of PLY and glTF.
typedef enum lbScalar {
  LB_SCALAR_I8,
  LB_SCALAR_U8,
  LB_SCALAR_I16,
  LB_SCALAR_U16,
  LB_SCALAR_I32,
  LB_SCALAR_U32,
  LB_SCALAR_F32,
  LB_SCALAR_F64,
} lbScalar;

size_t lb_scalar_bytes(lbScalar type);
// Every type fits a double exactly.
double lb_scalar_load(lbScalar type, const uint8_t *p, bool big_endian);
// The next number; the caller has checked that it is there.
double lb_bytes_scalar(lbBytes *bytes, lbScalar type);

#endif
