// Natural logarithm, x^(-2/3) and atan2 over lanes, for kernel files (see math/simd.h).
//
// The first two split x = 2^k m with m in [sqrt(1/2), sqrt(2)) by integer operations on the bits.
// All is plain adding and multiplying, lane by lane, so levels without fused multiply-add give the
// same bits whatever their width, and the same bits under every compiler.
#ifndef LB_MATH_FUNCTIONS_LANES_H
#define LB_MATH_FUNCTIONS_LANES_H

#include "math/simd.h"

#include <float.h>

#ifdef LB_SIMD_LEVEL

#if LB_LANES == 1
typedef uint64_t lbBits;
#else
typedef uint64_t lbBits __attribute__((vector_size(8 * LB_LANES)));
#endif

static inline lbBits lb_to_bits(lbLanes v) {
  lbBits bits;
  memcpy(&bits, &v, sizeof bits);
  return bits;
}

static inline lbLanes lb_from_bits(lbBits bits) {
  lbLanes v;
  memcpy(&v, &bits, sizeof v);
  return v;
}

// x = 2^k m for positive finite x, m in [sqrt(1/2), sqrt(2)); returns m.
static inline lbLanes lb_split_exponent(lbLanes x, lbLanes *k) {
  const uint64_t one = UINT64_C(0x3ff0000000000000);       // the bits of 1
  const uint64_t root_half = UINT64_C(0x3fe6a09e667f3bcd); // of sqrt(1/2)
  const uint64_t exponent_field = UINT64_C(0xfff0000000000000);
  const uint64_t two_52 = UINT64_C(0x4330000000000000); // of 2^52: or-ing n in gives 2^52 + n
  lbMask subnormal = lb_less(x, lb_splat(DBL_MIN));
  lbBits bits = lb_to_bits(lb_select(subnormal, x * 0x1p54, x));
  lbBits shifted = bits + (one - root_half); // carries into the exponent when m >= sqrt(1/2)
  lbLanes biased = lb_from_bits((shifted >> 52) | two_52) - (0x1p52 + 1023);
  *k = lb_select(subnormal, biased - 54, biased);
  return lb_from_bits(bits - (shifted & exponent_field) + one);
}

// ln x, within one unit in the last place; -inf at 0, NaN below, inf at inf, as the C library.
//
// With f = m - 1 and s = f / (2 + f), ln m = 2 atanh s = f - f^2/2 + s (f^2/2 + R) where
// R = 2 z/3 + 2 z^2/5 + ..., z = s^2 <= 0.0295: ten terms leave 1e-18. ln 2 is a sum of two
// doubles, the first with so few bits that k times it is exact.
static inline lbLanes lb_log_lanes(lbLanes x) {
  const double ln2_high = 0x1.62e42fefa2p-1, ln2_low = 0x1.9ef35793c7673p-41;
  lbLanes k, f = lb_split_exponent(x, &k) - 1;
  lbLanes s = f / (f + 2), z = s * s;
  lbLanes r = lb_splat(2.0 / 21);
  for (int i = 19; i >= 3; i -= 2) r = r * z + 2.0 / i;
  r = r * z;
  lbLanes half = 0.5 * f * f;
  lbLanes y = k * ln2_high + (f - (half - (s * (half + r) + k * ln2_low)));
  y = lb_select(lb_less(x, lb_splat(INFINITY)), y, x); // inf and NaN pass
  y = lb_select(lb_less(x, lb_splat(0x1p-1074)), lb_splat(-INFINITY), y);
  return lb_select(lb_less(x, lb_splat(0)), lb_splat(NAN), y);
}

// x^(-2/3), within two units in the last place; inf at 0, NaN below, 0 at inf, as pow.
//
// k = 3 j + r leaves a = 2^r m; y = a^(-2/3) solves a^2 y^3 = 1. With e = 1 - a^2 y^3 the exact
// answer is y (1 - e)^(-1/3) = y (1 + e/3 + 2 e^2/9 + ...): from a polynomial good to 1.3e-4 two
// steps suffice. The factor 2^(-2j) is exact.
static inline lbLanes lb_inverse_cbrt_squared(lbLanes x) {
  const double rounder = 0x1.8p52; // adding and taking away rounds to an integer
  lbLanes k, m = lb_split_exponent(x, &k);
  lbLanes j = (k * (1.0 / 3) + rounder) - rounder;
  lbLanes r = k - 3 * j; // -1, 0 or 1
  lbMask below = lb_less(r, lb_splat(-0.5)), above = lb_less(lb_splat(0.5), r);
  lbLanes f = m - 1;
  lbLanes y =
      0.99991218 + f * (-0.66529821 + f * (0.56332635 + f * (-0.54691729 + f * 0.39681272)));
  lbLanes one = lb_splat(1);
  lbLanes a = m * lb_select(below, lb_splat(0.5), lb_select(above, lb_splat(2), one));
  y *= lb_select(below, lb_splat(1.5874010519681996),
                 lb_select(above, lb_splat(0.6299605249474366), one));
  lbLanes square = a * a;
  lbLanes e = 1 - square * (y * y * y);
  y += y * (e * (1.0 / 3 + e * (2.0 / 9)));
  e = 1 - square * (y * y * y);
  y += y * (e * (1.0 / 3));
  // 2^(-2j): put 1023 - 2j into the exponent field
  lbBits scale = lb_to_bits((0x1p52 + 1023) - 2 * j) << 52;
  y *= lb_from_bits(scale);
  y = lb_select(lb_less(x, lb_splat(INFINITY)), y, 1 / x); // 0 at inf; NaN passes
  y = lb_select(lb_less(x, lb_splat(0x1p-1074)), lb_splat(INFINITY), y);
  return lb_select(lb_less(x, lb_splat(0)), lb_splat(NAN), y);
}

// The angle of the point (x, y) in [-pi, pi], within three units in the last place; 0 at the
// origin.
//
// With t = low / high in [0, 1] of the two absolute values, atan t = atan c + atan r with
// r = (t - c) / (1 + t c) and c one of 0, tan(pi/8) and 1, so that r^2 <= 0.0396 and twelve terms
// of the series suffice.
static inline lbLanes lb_atan2_lanes(lbLanes y, lbLanes x) {
  const double tan_8 = 0x1.a827999fcef32p-2; // tan(pi/8)
  lbLanes ax = lb_abs(x), ay = lb_abs(y), one = lb_splat(1), zero = lb_splat(0);
  lbLanes high = lb_max(lb_max(ax, ay), lb_splat(DBL_MIN)), low = lb_min(ax, ay);
  lbMask small = lb_less(low, high * 0.198912367379658),
         large = lb_less(high * 0.668178637919299, low);
  lbLanes c = lb_select(small, zero, lb_select(large, one, lb_splat(tan_8)));
  lbLanes base = lb_select(small, zero, lb_select(large, lb_splat(LB_PI / 4), lb_splat(LB_PI / 8)));
  lbLanes r = (low - c * high) / (high + c * low), z = r * r;
  lbLanes sum = lb_splat(1.0 / 25);
  for (int i = 23; i >= 3; i -= 2) sum = 1.0 / i - sum * z;
  lbLanes angle = base + (r - r * (z * sum));
  angle = lb_select(lb_less(ax, ay), LB_PI / 2 - angle, angle);
  angle = lb_select(lb_less(x, zero), LB_PI - angle, angle);
  return lb_select(lb_less(y, zero), -angle, angle);
}

#endif // LB_SIMD_LEVEL
#endif
