// Reading and writing .cub; see cub.h.
#include "arrayio/cub.h"

#include "limber/file.h"
#include "arrayio/scalar.h"

#include <math.h>
#include <string.h>

#define HEADER_BYTES 16
#define ASYMMETRY 1e-6 // of the largest coefficient of its degree

// Places and numbers of coefficients in a file of r modes.
typedef struct Layout {
  int32_t r;
  size_t linear, quadratic, cubic; // in a row
} Layout;

static Layout layout_of(int32_t r) {
  return (Layout){ r, (size_t)r, lb_packed2_count(r), lb_packed3_count(r) };
}

static size_t coefficient_count(const Layout *at) {
  return (size_t)at->r * (at->linear + at->quadratic + at->cubic);
}

static size_t linear_place(const Layout *at, int32_t p, int32_t i) {
  return (size_t)p * at->linear + (size_t)i;
}

static size_t quadratic_place(const Layout *at, int32_t p, int32_t i, int32_t j) {
  size_t before = at->quadratic - lb_packed2_count(at->r - i); // pairs with a smaller first index
  return (size_t)at->r * at->linear + (size_t)p * at->quadratic + before + (size_t)(j - i);
}

static size_t cubic_place(const Layout *at, int32_t p, int32_t i, int32_t j, int32_t k) {
  size_t before = at->cubic - lb_packed3_count(at->r - i);
  before += lb_packed2_count(at->r - i) - lb_packed2_count(at->r - j) + (size_t)(k - j);
  return (size_t)at->r * (at->linear + at->quadratic) + (size_t)p * at->cubic + before;
}

// In how many orders the indices can be written.
static double orders2(int32_t i, int32_t j) { return i == j ? 1 : 2; }
static double orders3(int32_t i, int32_t j, int32_t k) { // sorted
  if (i == k) return 1;
  return i == j || j == k ? 3 : 6;
}

// ---- reading -----------------------------------------------------------------------------------

typedef struct Reader {
  const char *name;
  Layout at;
  double *values; // of the file
  lbError *err;
} Reader;

// One coefficient as its entries in the file give it: the value of that with the fewest orders
// (which leaves least to rounding), and how far the entries are apart.
typedef struct Entries {
  double value, fewest, low, high;
} Entries;

static void add_cub_entry(Entries *e, double value, double orders) {
  double share = value / orders;
  if (e->fewest == 0) *e = (Entries){ share, orders, share, share };
  if (orders < e->fewest) e->value = share, e->fewest = orders;
  e->low = fmin(e->low, share), e->high = fmax(e->high, share);
}

static Entries entries2(const Reader *in, int32_t i, int32_t j) {
  Entries e = { 0 };
  add_cub_entry(&e, in->values[linear_place(&in->at, i, j)], 1);
  add_cub_entry(&e, in->values[linear_place(&in->at, j, i)], 1);
  return e;
}

static Entries entries3(const Reader *in, const int32_t t[3]) { // sorted
  Entries e = { 0 };
  for (int s = 0; s < 3; s++) {
    int32_t i = t[s == 0 ? 1 : 0], j = t[s == 2 ? 1 : 2];
    add_cub_entry(&e, in->values[quadratic_place(&in->at, t[s], i, j)], orders2(i, j));
  }
  return e;
}

static Entries entries4(const Reader *in, const int32_t t[4]) { // sorted
  Entries e = { 0 };
  for (int s = 0; s < 4; s++) {
    int32_t rest[3];
    for (int a = 0, b = 0; a < 4; a++)
      if (a != s) rest[b++] = t[a];
    add_cub_entry(&e, in->values[cubic_place(&in->at, t[s], rest[0], rest[1], rest[2])],
                  orders3(rest[0], rest[1], rest[2]));
  }
  return e;
}

// The largest |value| and the largest spread of entries that should agree.
typedef struct Symmetry {
  double largest, spread;
} Symmetry;

static double take_symmetric(Symmetry *symmetry, Entries e) {
  symmetry->largest = fmax(symmetry->largest, fmax(fabs(e.low), fabs(e.high)));
  symmetry->spread = fmax(symmetry->spread, e.high - e.low);
  return e.value;
}

static lbStatus make_symmetric(const Reader *in, lbPolynomial *p) {
  static const char *const names[3] = { "linear", "quadratic", "cubic" };
  Symmetry symmetry[3] = { { 0, 0 } };
  size_t at2 = 0, at3 = 0, at4 = 0; // packed order
  for (int32_t l = 0; l < p->count; l++)
    for (int32_t k = 0; k <= l; k++) {
      p->linear[at2++] = take_symmetric(&symmetry[0], entries2(in, k, l));
      for (int32_t j = 0; j <= k; j++) {
        p->quadratic[at3++] = take_symmetric(&symmetry[1], entries3(in, (int32_t[]){ j, k, l }));
        for (int32_t i = 0; i <= j; i++)
          p->cubic[at4++] = take_symmetric(&symmetry[2], entries4(in, (int32_t[]){ i, j, k, l }));
      }
    }
  for (int d = 0; d < 3; d++)
    if (symmetry[d].spread > ASYMMETRY * symmetry[d].largest)
      return lb_fail(in->err, LB_ERR_FORMAT,
                     "%s: the %s coefficients differ by %g (the largest is %g) where an elastic "
                     "energy makes them equal; is this a .cub of reduced StVK forces",
                     in->name, names[d], symmetry[d].spread, symmetry[d].largest);
  return LB_OK;
}

static lbStatus read_cub_header(Reader *in, const uint8_t *bytes, size_t byte_count) {
  uint32_t header[4];
  if (byte_count < HEADER_BYTES)
    return lb_fail(in->err, LB_ERR_FORMAT, "%s: %zu bytes, a .cub begins with 16", in->name,
                   byte_count);
  for (int i = 0; i < 4; i++) header[i] = lb_little_u32(bytes + 4 * i);
  if (header[0] < 1 || header[0] > LB_POLYNOMIAL_MODES_MAX)
    return lb_fail(in->err, LB_ERR_FORMAT, "%s: %d modes are not supported, 1 to %d can be read",
                   in->name, (int)(int32_t)header[0], LB_POLYNOMIAL_MODES_MAX);
  in->at = layout_of((int32_t)header[0]);
  if (header[1] != in->at.linear || header[2] != in->at.quadratic || header[3] != in->at.cubic)
    return lb_fail(in->err, LB_ERR_FORMAT,
                   "%s: %u, %u and %u coefficients a row; %d modes have %zu, %zu and %zu", in->name,
                   header[1], header[2], header[3], (int)in->at.r, in->at.linear, in->at.quadratic,
                   in->at.cubic);
  size_t expected = HEADER_BYTES + coefficient_count(&in->at) * sizeof(double);
  if (byte_count != expected)
    return lb_fail(in->err, LB_ERR_FORMAT, "%s: %zu bytes, a .cub of %d modes has %zu", in->name,
                   byte_count, (int)in->at.r, expected);
  return LB_OK;
}

static lbStatus read_cub_values(Reader *in, const uint8_t *bytes) {
  size_t count = coefficient_count(&in->at);
  in->values = lb_alloc(count, sizeof *in->values);
  if (!in->values) return lb_fail_memory(in->err);
  for (size_t i = 0; i < count; i++) {
    lb_scalar_real(LB_SCALAR_FLOAT64, bytes + HEADER_BYTES + 8 * i, lb_machine_is_big_endian(),
                   &in->values[i]);
    if (!isfinite(in->values[i]))
      return lb_fail(in->err, LB_ERR_FORMAT, "%s: coefficient %zu is not finite", in->name, i);
  }
  return LB_OK;
}

lbStatus lb_cub_read(const char *name, const void *bytes, size_t byte_count, lbPolynomial **out,
                     lbError *err) {
  Reader in = { .name = name, .err = err };
  lbPolynomial *polynomial = NULL;
  lbStatus status = read_cub_header(&in, bytes, byte_count);
  if (!status) status = read_cub_values(&in, bytes);
  if (!status) status = lb_polynomial_create(in.at.r, &polynomial, err);
  if (!status) status = make_symmetric(&in, polynomial);
  if (!status) {
    *out = polynomial;
    polynomial = NULL;
  }
  lb_free(in.values);
  lb_polynomial_destroy(polynomial);
  return status;
}

lbStatus lb_cub_load(const char *path, lbPolynomial **out, lbError *err) {
  char *content = NULL;
  size_t bytes = 0;
  lbStatus status = lb_file_read(path, &content, &bytes, err);
  if (!status) status = lb_cub_read(path, content, bytes, out, err);
  lb_free(content);
  return status;
}

// ---- writing -----------------------------------------------------------------------------------

static double linear_of(const lbPolynomial *p, int32_t i, int32_t j) {
  return p->linear[i < j ? lb_packed2(i, j) : lb_packed2(j, i)];
}

static double quadratic_of(const lbPolynomial *p, int32_t row, int32_t i, int32_t j) {
  double value = p->quadratic[row <= i   ? lb_packed3(row, i, j)
                              : row <= j ? lb_packed3(i, row, j)
                                         : lb_packed3(i, j, row)];
  return value * orders2(i, j);
}

static double cubic_of(const lbPolynomial *p, int32_t row, int32_t i, int32_t j, int32_t k) {
  double value = p->cubic[row <= i   ? lb_packed4(row, i, j, k)
                          : row <= j ? lb_packed4(i, row, j, k)
                          : row <= k ? lb_packed4(i, j, row, k)
                                     : lb_packed4(i, j, k, row)];
  return value * orders3(i, j, k);
}

static void write_cub_number(FILE *stream, double value) {
  uint8_t bytes[8];
  lb_put_f64(bytes, value);
  fwrite(bytes, sizeof bytes, 1, stream);
}

static void write_cub_all(const lbPolynomial *p, FILE *stream) {
  const Layout at = layout_of(p->count);
  uint8_t header[HEADER_BYTES];
  lb_put_u32(header, (uint32_t)at.r);
  lb_put_u32(header + 4, (uint32_t)at.linear);
  lb_put_u32(header + 8, (uint32_t)at.quadratic);
  lb_put_u32(header + 12, (uint32_t)at.cubic);
  fwrite(header, sizeof header, 1, stream);
  for (int32_t row = 0; row < at.r; row++)
    for (int32_t i = 0; i < at.r; i++) write_cub_number(stream, linear_of(p, row, i));
  for (int32_t row = 0; row < at.r; row++)
    for (int32_t i = 0; i < at.r; i++)
      for (int32_t j = i; j < at.r; j++) write_cub_number(stream, quadratic_of(p, row, i, j));
  for (int32_t row = 0; row < at.r; row++)
    for (int32_t i = 0; i < at.r; i++)
      for (int32_t j = i; j < at.r; j++)
        for (int32_t k = j; k < at.r; k++) write_cub_number(stream, cubic_of(p, row, i, j, k));
}

lbStatus lb_cub_save(const lbPolynomial *polynomial, const char *path, lbError *err) {
  lbFileWriter writer;
  lbStatus status = lb_file_begin(&writer, path, err);
  if (status) return status;
  write_cub_all(polynomial, writer.stream);
  return lb_file_commit(&writer, err);
}
