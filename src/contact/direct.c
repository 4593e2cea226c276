// Contact forces by factorisation of those that push (direct.h).
#include "contact/direct.h"

#include "contact/cone.h"
#include "math/ldlt.h"

#include <string.h>

#define GIVE 1e-4    // of the bodies' own: how contacts give way by themselves
#define JOINS 0.3    // of what is enough: a contact that overlaps by less need not push
#define ROUNDS 12    // of guesses
#define FOLLOWINGS 4 // of friction, in a round
#define FOLLOWED 0.3 // of what is enough

typedef enum State { PARTS, STICKS, SLIDES } State;

typedef struct Direct {
  const lbContactProblem *p;
  const lbLdltKernels *ldlt;
  int32_t contacts, rows;
  double *matrix, *right, *centre; // (padded²), (padded), (3 contacts)
  State states[LB_DIRECT_CONTACTS];
  int32_t firsts[LB_DIRECT_CONTACTS + 1];     // the first row of a contact
  int32_t begins[3 * LB_DIRECT_CONTACTS / 4]; // of four rows each: the first column
  double gives[LB_DIRECT_CONTACTS][3];        // diagonals
} Direct;

static size_t padded_of(int32_t contacts) { return (size_t)lb_ldlt_padded(3 * contacts); }

size_t lb_direct_room(int32_t contact_count) {
  size_t n = padded_of(contact_count);
  return n * n + 2 * n;
}

static int32_t number_of(const lbContactProblem *p, int32_t contact) {
  return p->list ? p->list[contact] : contact;
}

static int32_t axes_of(State state) { return state == PARTS ? 0 : state == SLIDES ? 1 : 3; }

// ---- the matrix --------------------------------------------------------------------------------

static bool share_body(const lbContactSide *a, const lbContactSide *b) {
  for (int s = 0; s < 4; s++)
    if (a[s & 1].body >= 0 && a[s & 1].body == b[s >> 1].body) return true;
  return false;
}

static double entry(const lbContactProblem *p, const lbContactSide *a, const lbContactSide *b,
                    int i, int j) {
  double sum = 0;
  for (int s = 0; s < 4; s++) {
    lbContactSide one = a[s & 1], other = b[s >> 1];
    if (one.body < 0 || one.body != other.body) continue;
    const lbContactPart *part = &p->parts[one.body];
    size_t row = 3 * (size_t)one.place + (size_t)i, column = 3 * (size_t)other.place + (size_t)j;
    double value = part->matrix[row * 3 * (size_t)part->count + column];
    sum += (s & 1) == (s >> 1) ? value : -value;
  }
  return sum;
}

static const lbContactSide *sides_of(const Direct *d, int32_t contact) {
  return d->p->sides + 2 * (size_t)number_of(d->p, contact);
}

static void number_rows(Direct *d) {
  d->rows = 0;
  for (int32_t c = 0; c < d->contacts; c++) {
    d->firsts[c] = d->rows;
    d->rows += axes_of(d->states[c]);
  }
  d->firsts[d->contacts] = d->rows;
}

static void assemble(Direct *d) {
  size_t n = (size_t)lb_ldlt_padded(d->rows);
  memset(d->matrix, 0, n * n * sizeof(double));
  for (int32_t row = 0; row < d->rows; row += 4) d->begins[row / 4] = row;
  for (int32_t b = 0; b < d->contacts; b++) {
    const int32_t rows = axes_of(d->states[b]), first = d->firsts[b];
    int32_t begin = first;
    if (rows == 0) continue;
    for (int32_t a = 0; a <= b; a++) {
      const int32_t columns = axes_of(d->states[a]);
      if (columns == 0 || !share_body(sides_of(d, a), sides_of(d, b))) continue;
      if (d->firsts[a] < begin) begin = d->firsts[a];
      for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++)
          d->matrix[(size_t)(d->firsts[a] + j) * n + (size_t)(first + i)] =
              entry(d->p, sides_of(d, b), sides_of(d, a), i, j);
    }
    for (int i = 0; i < rows; i++) {
      int32_t *own = &d->begins[(first + i) / 4];
      if (begin / 4 * 4 < *own) *own = begin / 4 * 4;
      d->matrix[(size_t)(first + i) * (n + 1)] += GIVE * d->gives[b][i];
    }
  }
}

static bool factor(Direct *d) {
  number_rows(d);
  assemble(d);
  return d->ldlt->factor_from(d->rows, d->begins, d->matrix);
}

// ---- forces ------------------------------------------------------------------------------------

static void find_move(const Direct *d, int32_t number, double w[3]) {
  lb_contact_move(d->p, number, w);
  for (int k = 0; k < 3; k++) w[k] += d->p->free[3 * (size_t)number + (size_t)k];
}

// Forces of the rows: moves become 0 but for what contacts themselves give way.
static void solve_rows(Direct *d, double *x) {
  for (int32_t c = 0; c < d->contacts; c++) {
    double w[3];
    int32_t number = number_of(d->p, c), first = d->firsts[c];
    if (first == d->firsts[c + 1]) continue;
    find_move(d, number, w);
    for (int32_t k = 0; k < d->firsts[c + 1] - first; k++) {
      double from = x[3 * number + k] - d->centre[3 * c + k];
      d->right[first + k] = -(w[k] + GIVE * d->gives[c][k] * from);
    }
  }
  d->ldlt->solve_from(d->rows, d->begins, d->matrix, d->right);
  for (int32_t c = 0; c < d->contacts; c++)
    for (int32_t k = 0; k < d->firsts[c + 1] - d->firsts[c]; k++)
      x[3 * number_of(d->p, c) + k] += d->right[d->firsts[c] + k];
  lb_contact_moves(d->p, x);
}

// Where the tangents of a contact would go.
static double find_tangents(const Direct *d, int32_t c, const double *own, double y[2]) {
  double w[3], give = fmax(d->gives[c][1], d->gives[c][2]);
  find_move(d, number_of(d->p, c), w);
  for (int k = 0; k < 2; k++) y[k] = own[1 + k] - (give > 0 ? w[1 + k] / give : 0);
  return sqrt(y[0] * y[0] + y[1] * y[1]);
}

// Friction of those that slide: of the length that normal forces allow, against the slip. Whether
// it has changed by what matters.
static bool follow(Direct *d, double *x) {
  double most = 0;
  for (int32_t c = 0; c < d->contacts; c++) {
    double y[2], *own = x + 3 * (size_t)number_of(d->p, c);
    if (d->states[c] != SLIDES) continue;
    double length = find_tangents(d, c, own, y);
    double allowed = d->p->friction[number_of(d->p, c)] * fmax(own[0], 0);
    for (int k = 0; k < 2; k++) {
      double to = length > 0 ? y[k] * allowed / length : 0;
      most = fmax(most, fabs(to - own[1 + k]) * d->gives[c][1 + k]);
      own[1 + k] = to;
    }
  }
  if (most > 0) lb_contact_moves(d->p, x);
  return most > FOLLOWED * d->p->enough;
}

// ---- guesses -----------------------------------------------------------------------------------

static State guess(const Direct *d, int32_t c, const double *own) {
  double w[3], y[2];
  int32_t number = number_of(d->p, c);
  double friction = d->p->friction[number];
  if (!(d->gives[c][0] > 0)) return PARTS; // nothing gives way
  if (d->states[c] == PARTS) {
    find_move(d, number, w);
    if (!(w[0] < -JOINS * d->p->enough)) return PARTS;
    return friction > 0 ? STICKS : SLIDES;
  }
  if (!(own[0] > 0)) return PARTS;
  if (!(friction > 0)) return SLIDES;
  return find_tangents(d, c, own, y) > friction * own[0] ? SLIDES : STICKS;
}

// The next guess for all. Returns how many changed.
static int32_t guess_all(Direct *d, double *x) {
  State next[LB_DIRECT_CONTACTS];
  int32_t changed = 0;
  for (int32_t c = 0; c < d->contacts; c++)
    next[c] = guess(d, c, x + 3 * (size_t)number_of(d->p, c));
  for (int32_t c = 0; c < d->contacts; c++) {
    double *own = x + 3 * (size_t)number_of(d->p, c);
    if (next[c] == d->states[c]) continue;
    changed++;
    d->states[c] = next[c];
    if (next[c] == PARTS) own[0] = own[1] = own[2] = 0;
    if (next[c] == SLIDES) lb_cone_keep(d->p->friction[number_of(d->p, c)], own);
  }
  if (changed > 0) lb_contact_moves(d->p, x);
  return changed;
}

static void keep_to_cones(const Direct *d, double *x) {
  for (int32_t c = 0; c < d->contacts; c++) {
    int32_t number = number_of(d->p, c);
    double *own = x + 3 * (size_t)number;
    if (!(own[0] > 0) || !isfinite(own[0] + own[1] + own[2])) own[0] = own[1] = own[2] = 0;
    lb_cone_keep(d->p->friction[number], own);
  }
}

static Direct start(const lbContactProblem *p, double *work, double *x) {
  size_t n = padded_of(p->contact_count);
  Direct d;
  d.p = p, d.ldlt = lb_ldlt_kernels(p->level), d.contacts = p->contact_count;
  d.matrix = work, d.right = work + n * n, d.centre = d.right + n;
  keep_to_cones(&d, x);
  lb_contact_moves(p, x);
  for (int32_t c = 0; c < d.contacts; c++) {
    const lbContactSide *sides = sides_of(&d, c);
    const double *own = x + 3 * (size_t)number_of(p, c);
    for (int k = 0; k < 3; k++) d.gives[c][k] = entry(p, sides, sides, k, k);
    memcpy(d.centre + 3 * (size_t)c, own, 3 * sizeof *own);
    d.states[c] = own[0] > 0 ? STICKS : PARTS;
    d.states[c] = guess(&d, c, own);
  }
  return d;
}

bool lb_direct_solve(const lbContactProblem *p, double *work, double *x) {
  if (p->contact_count > LB_DIRECT_CONTACTS) return false;
  Direct d = start(p, work, x);
  bool done = false;
  for (int round = 0; round < ROUNDS && !done; round++) {
    if (!factor(&d)) break;
    for (int i = 0; i < FOLLOWINGS; i++) {
      solve_rows(&d, x);
      if (!follow(&d, x)) break;
    }
    done = guess_all(&d, x) == 0;
  }
  keep_to_cones(&d, x);
  return done;
}
