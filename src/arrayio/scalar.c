// Numbers of every type out of bytes.
#include "arrayio/scalar.h"

#include <math.h>

size_t lb_scalar_bytes(lbScalar type) {
  static const size_t bytes[LB_SCALAR_COUNT] = { 1, 1, 2, 2, 4, 4, 8, 8, 4, 8 };
  return bytes[type];
}

bool lb_machine_is_big_endian(void) {
  const uint16_t one = 1;
  uint8_t first;
  memcpy(&first, &one, 1);
  return first == 0;
}

static void order_bytes(const uint8_t *from, size_t bytes, bool swapped, uint8_t ordered[8]) {
  memset(ordered, 0, 8);
  for (size_t i = 0; i < bytes; i++) ordered[swapped ? bytes - 1 - i : i] = from[i];
}

static bool decode_integer(lbScalar type, const uint8_t bytes[8], int64_t *value) {
#define DECODE(c_type)                                                                             \
  {                                                                                                \
    c_type number;                                                                                 \
    memcpy(&number, bytes, sizeof number);                                                         \
    *value = (int64_t)number;                                                                      \
    return true;                                                                                   \
  }
  switch (type) {
  case LB_SCALAR_INT8: DECODE(int8_t)
  case LB_SCALAR_UINT8: DECODE(uint8_t)
  case LB_SCALAR_INT16: DECODE(int16_t)
  case LB_SCALAR_UINT16: DECODE(uint16_t)
  case LB_SCALAR_INT32: DECODE(int32_t)
  case LB_SCALAR_UINT32: DECODE(uint32_t)
  case LB_SCALAR_INT64: DECODE(int64_t)
  case LB_SCALAR_UINT64: {
    uint64_t number;
    memcpy(&number, bytes, sizeof number);
    *value = (int64_t)(number & INT64_MAX);
    return number <= INT64_MAX;
  }
  default: return false;
  }
#undef DECODE
}

static bool decode_real(lbScalar type, const uint8_t bytes[8], double *value) {
  int64_t integer = 0;
  float single;
  switch (type) {
  case LB_SCALAR_FLOAT32:
    memcpy(&single, bytes, sizeof single);
    *value = single;
    return true;
  case LB_SCALAR_FLOAT64: memcpy(value, bytes, sizeof *value); return true;
  default:
    if (!decode_integer(type, bytes, &integer)) return false;
    *value = (double)integer;
    return true;
  }
}

bool lb_scalar_real(lbScalar type, const void *from, bool swapped, double *value) {
  uint8_t bytes[8];
  order_bytes(from, lb_scalar_bytes(type), swapped, bytes);
  return decode_real(type, bytes, value);
}

bool lb_scalar_integer(lbScalar type, const void *from, bool swapped, int64_t *value) {
  uint8_t bytes[8];
  order_bytes(from, lb_scalar_bytes(type), swapped, bytes);
  if (type != LB_SCALAR_FLOAT32 && type != LB_SCALAR_FLOAT64)
    return decode_integer(type, bytes, value);
  double real = 0;
  if (!decode_real(type, bytes, &real) || !(fabs(real) < 9e15) || real != floor(real)) return false;
  *value = (int64_t)real;
  return true;
}
