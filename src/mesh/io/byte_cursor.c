// Numbers from binary data.
#include "mesh/io/byte_cursor.h"

#include <stdarg.h>
#include <stdio.h>

lbStatus lb_bytes_fail_at(const lbBytes *bytes, size_t offset, lbError *err, const char *format,
                          ...) {
  char message[400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  return lb_fail(err, LB_ERR_FORMAT, "%s: byte %zu: %s", bytes->path, offset, message);
}

size_t lb_scalar_bytes(lbScalar type) {
  switch (type) {
  case LB_SCALAR_I8:
  case LB_SCALAR_U8: return 1;
  case LB_SCALAR_I16:
  case LB_SCALAR_U16: return 2;
  case LB_SCALAR_I32:
  case LB_SCALAR_U32:
  case LB_SCALAR_F32: return 4;
  case LB_SCALAR_F64: return 8;
  }
  return 1;
}

double lb_scalar_load(lbScalar type, const uint8_t *p, bool big_endian) {
  uint8_t turned[8];
  size_t size = lb_scalar_bytes(type);
  if (big_endian) {
    for (size_t i = 0; i < size; i++) turned[i] = p[size - 1 - i];
    p = turned;
  }
  switch (type) {
  case LB_SCALAR_I8: return (int8_t)p[0];
  case LB_SCALAR_U8: return p[0];
  case LB_SCALAR_I16: return (int16_t)lb_little_u16(p);
  case LB_SCALAR_U16: return lb_little_u16(p);
  case LB_SCALAR_I32: return (int32_t)lb_little_u32(p);
  case LB_SCALAR_U32: return lb_little_u32(p);
  case LB_SCALAR_F32: return (double)lb_little_f32(p);
  case LB_SCALAR_F64: return lb_little_f64(p);
  }
  return 0;
}

double lb_bytes_scalar(lbBytes *bytes, lbScalar type) {
  double value = lb_scalar_load(type, bytes->data + bytes->next, bytes->big_endian);
  bytes->next += lb_scalar_bytes(type);
  return value;
}
