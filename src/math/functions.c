// exp and expm1: x = k ln 2 + r with |r| <= ln(2)/2, ln 2 as a sum of two doubles, the first with
// so few bits that k times it is exact; Taylor's series of e^r, whose leading terms 1 + r are
// summed with their rounding error.
//
// sin and cos: x = n pi/2 + r with |r| <= pi/4 and r as a sum of two doubles; Taylor's series of
// both. Up to 1e9 the reduction subtracts n times pi/2 part by part (Cody and Waite), beyond it
// multiplies by as many digits of 2/pi as matter (Payne and Hanek), in integers.
#include "math/functions.h"

#include "limber/base.h"

#include <math.h>
#include <string.h>

static const double rounder = 0x1.8p52; // adding and taking away rounds to an integer

// 2^k for -1022 <= k <= 1023
static double power_of_two(int k) {
  uint64_t bits = (uint64_t)(k + 1023) << 52;
  double power;
  memcpy(&power, &bits, sizeof power);
  return power;
}

// ---- exponential -------------------------------------------------------------------------------

// x = k ln 2 + r + r_low, for |x| below 1100
static int reduce_exponent(double x, double *r, double *r_low) {
  const double ln2_high = 0x1.62e42fefa2p-1, ln2_low = 0x1.9ef35793c7673p-41;
  double k = (x * 0x1.71547652b82fep+0 + rounder) - rounder;
  double high = x - k * ln2_high, low = k * ln2_low;
  *r = high - low;
  *r_low = (high - *r) - low;
  return (int)k;
}

// e^r - 1 - r = r^2/2 + r^3/6 + ...; thirteen terms leave 1e-19 at ln(2)/2.
static double exponential_rest(double r) {
  static const double factors[] = {
    1.0 / 87178291200, 1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800,
    1.0 / 362880,      1.0 / 40320,      1.0 / 5040,      1.0 / 720,      1.0 / 120,
    1.0 / 24,          1.0 / 6,          1.0 / 2,
  };
  double sum = factors[0];
  for (int i = 1; i < 13; i++) sum = sum * r + factors[i];
  return r * r * sum;
}

double lb_exp(double x) {
  if (!(x < 710)) return x + INFINITY; // inf, or NaN
  if (x < -746) return 0;
  double r, r_low;
  int k = reduce_exponent(x, &r, &r_low);
  double leading = 1 + r, lost = r - (leading - 1);
  double y = leading + (lost + (r_low + exponential_rest(r)));
  if (k > 1023) return y * 2 * power_of_two(1023);
  if (k < -1022) return y * power_of_two(k + 100) * 0x1p-100; // one rounding, at the last product
  return y * power_of_two(k);
}

// 2^k e^r - 1 = (2^k - 1) + 2^k r + 2^k (e^r - 1 - r)
double lb_expm1(double x) {
  if (fabs(x) < 0x1p-54 || isnan(x)) return x; // keeps the sign of zero
  if (x > 40) return lb_exp(x);                // one is less than half a unit of it
  if (x < -40) return -1;
  double r, r_low;
  int k = reduce_exponent(x, &r, &r_low);
  double scale = power_of_two(k), whole = scale - 1, part = scale * r;
  if (k == 0) return r + (r_low + exponential_rest(r));
  double leading = whole + part, lost = part - (leading - whole);
  return leading + (lost + scale * (r_low + exponential_rest(r)));
}

// ---- circle ------------------------------------------------------------------------------------

// An angle within pi/4 of n quarter turns: the rest is high + low.
typedef struct Angle {
  int quadrant; // n modulo 4
  double high, low;
} Angle;

// Quarter turns in five parts; n < 2^30 times one of the first four, of 23 bits each, is exact. So
// are the first two differences, and the next two are taken with their rounding errors.
static Angle reduce_moderate(double x) {
  double n = (x * 0x1.45f306dc9c883p-1 + rounder) - rounder;
  double a = (x - n * 0x1.921fb4p+0) - n * 0x1.4442dp-24;
  double b = n * 0x1.84698p-48, c = n * 0x1.3198ap-69, d = n * 0x1.701b839a25205p-92;
  double first = a - b, turned = first - a;
  double first_lost = (a - (first - turned)) - (b + turned);
  double second = first - c;
  turned = second - first;
  double second_lost = (first - (second - turned)) - (c + turned);
  double low = (first_lost + second_lost) - d;
  double high = second + low;
  return (Angle){ (int)((int64_t)n & 3), high, (second - high) + low };
}

// a b = product + what is returned, by halves of 26 bits
static double product_lost(double a, double b, double product) {
  double a_shifted = a * 134217729, b_shifted = b * 134217729; // 2^27 + 1
  double a_high = a_shifted - (a_shifted - a), a_low = a - a_high;
  double b_high = b_shifted - (b_shifted - b), b_low = b - b_high;
  return ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
}

// The binary digits of 2/pi after 32 zeros.
static const uint32_t two_over_pi[] = {
  0,          0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab,
  0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5,
  0x2ebb4484, 0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff,
  0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7,
  0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab, 0xf0cfbc20,
};

enum { WINDOW = 6 }; // words of 32 bits

// x (2/pi) modulo 4 in units of 2^-190, most significant word first; x = m 2^e > 0, e >= -30. The
// digits of 2/pi above the window contribute multiples of 4, those below it less than 2^-137.
static void quarter_turns(double x, uint32_t result[WINDOW]) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  int begin = (int)(bits >> 52) - 1075 + 30; // e + 30
  uint64_t m = (bits & UINT64_C(0xfffffffffffff)) | UINT64_C(0x10000000000000);
  uint64_t m_low = m & 0xffffffff, m_high = m >> 32, carry = 0;
  for (int i = WINDOW - 1; i >= 0; i--) {
    const uint32_t *at = two_over_pi + begin / 32 + i;
    uint64_t word = ((((uint64_t)at[0] << 32) | at[1]) >> (32 - begin % 32)) & 0xffffffff;
    uint64_t sum = word * m_low + (carry & 0xffffffff);
    result[i] = (uint32_t)sum;
    carry = word * m_high + (carry >> 32) + (sum >> 32); // below 2^54: m_high has 21 bits
  }
}

static Angle reduce_large(double x) {
  uint32_t words[WINDOW];
  quarter_turns(fabs(x), words);
  int n = (int)(words[0] >> 30);
  bool back = words[0] >> 29 & 1; // past the middle: count from the next quarter turn
  uint32_t flip = back ? 0xffffffff : 0;
  double high = 0, low = 0, unit = 0x1p-30;
  for (int i = 0; i < WINDOW; i++, unit *= 0x1p-32) { // the ones' complement is 2^-190 off
    uint32_t word = (words[i] ^ flip) & (i == 0 ? 0x3fffffff : 0xffffffff);
    double add = word * unit, sum = high + add;
    low += add - (sum - high);
    high = sum;
  }
  const double turn = 0x1.921fb54442d18p+0, turn_low = 0x1.1a62633145c07p-54;
  double r = high * turn;
  double lost = product_lost(high, turn, r) + (high * turn_low + low * turn);
  double sign = back != (x < 0) ? -1 : 1;
  n = (back ? n + 1 : n) & 3;
  Angle angle = { x < 0 ? -n & 3 : n, r + lost, 0 };
  angle.low = sign * ((r - angle.high) + lost);
  angle.high *= sign;
  return angle;
}

// sin(r + low) = r - r^3/6 + ... + low cos r; terms to r^17 leave 2e-19 at pi/4.
static double sine_near_zero(double r, double low) {
  static const double factors[] = {
    1.0 / 355687428096000, -1.0 / 1307674368000, 1.0 / 6227020800, -1.0 / 39916800,
    1.0 / 362880,          -1.0 / 5040,          1.0 / 120,        -1.0 / 6,
  };
  double z = r * r, sum = factors[0];
  for (int i = 1; i < 8; i++) sum = sum * z + factors[i];
  return r + (r * (z * sum) + low * (1 - 0.5 * z));
}

// cos(r + low) = 1 - r^2/2 + r^4/24 - ... - low sin r; terms to r^18 leave 4e-21 at pi/4.
static double cosine_near_zero(double r, double low) {
  static const double factors[] = {
    -1.0 / 6402373705728000, 1.0 / 20922789888000, -1.0 / 87178291200, 1.0 / 479001600,
    -1.0 / 3628800,          1.0 / 40320,          -1.0 / 720,         1.0 / 24,
  };
  double z = r * r, sum = factors[0];
  for (int i = 1; i < 8; i++) sum = sum * z + factors[i];
  double half = 0.5 * z, leading = 1 - half, lost = (1 - leading) - half;
  return leading + (lost + (z * z * sum - r * low));
}

void lb_sin_cos(double x, double *sine, double *cosine) {
  if (!isfinite(x)) {
    *sine = *cosine = NAN;
    return;
  }
  if (fabs(x) < 0x1p-27) { // keeps the sign of zero
    *sine = x, *cosine = 1;
    return;
  }
  Angle angle = fabs(x) < 1e9 ? reduce_moderate(x) : reduce_large(x);
  double s = sine_near_zero(angle.high, angle.low), c = cosine_near_zero(angle.high, angle.low);
  *sine = angle.quadrant & 1 ? c : s;
  *cosine = angle.quadrant & 1 ? s : c;
  if (angle.quadrant & 2) *sine = -*sine;
  if ((angle.quadrant + 1) & 2) *cosine = -*cosine;
}

// ---- angle -------------------------------------------------------------------------------------

// The point on the unit circle in the first quadrant is (c, s). From an angle t that is off by e,
// sin(e) = s cos t - c sin t is what is missing, but for e^3 / 6: the start is off by 0.08 at most,
// so three rounds suffice, and a fourth brings nothing but the last rounding.
double lb_atan2(double y, double x) {
  double high = fmax(fabs(x), fabs(y)), c = 1, s = 0;
  if (isnan(x) || isnan(y)) return x + y;
  if (isinf(high)) {
    c = isinf(x) ? 1 : 0;
    s = isinf(y) ? 1 : 0;
  } else if (high > 0) {
    c = fabs(x) / high;
    s = fabs(y) / high;
  }
  double length = sqrt(c * c + s * s);
  c /= length;
  s /= length;
  double angle = 0.5 * LB_PI * s / (s + c);
  for (int i = 0; i < 4; i++) {
    double sine, cosine;
    lb_sin_cos(angle, &sine, &cosine);
    angle += s * cosine - c * sine;
  }
  if (signbit(x)) angle = LB_PI - angle;
  return signbit(y) ? -angle : angle;
}
