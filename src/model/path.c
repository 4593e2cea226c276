// Motions of frames between key frames; conventions in limber/path.h.
//
// Every key has a row in each table, so that any time needs one binary search and one segment:
//   linear: p = p_i + s (p_{i+1} − p_i),  q = exp(s φ_i) q_i,  φ_i = log(q_{i+1} q_i*),  ω = φ_i /
//   Δ cubic:  p = h00 p_i + h10 Δ out_i + h01 p_{i+1} + h11 Δ in_{i+1}, and its two derivatives
// with s = (t − t_i) / Δ, Δ = t_{i+1} − t_i. A cubic's quaternion Q is not of unit length. With
// n = |Q|² the rotation Q/|Q| has
//   ω = 2 vec(Q' Q*) / n,   α = 2 vec(Q'' Q*) / n − ω n' / n,   n' = 2 Q·Q'
// since the part of Q' along Q changes only the length.
#include "limber/path.h"

#include "base/refuse.h"

#include "limber/math.h"
#include "math/functions.h"

#include <string.h>

#define TIME_MOST 1e12     // s
#define POSITION_MOST 1e30 // m
#define SLOPE_MOST 1e60    // of the data of a cubic
#define LENGTH_LEAST 1e-10 // of quaternions as they are given
#define LENGTH_MOST 1e10

struct lbPath {
  lbPathDef def;        // points to the arrays below
  int32_t count;        // keys
  double *times;        // (count)
  double *positions;    // (count x 3)
  lbQuat *rotations;    // (count), unit, signs aligned unless tangents are given
  double *turns;        // (count x 3): φ of the segment after a key
  double *slopes;       // (count x 2 x 3): arriving, leaving
  lbQuat *quat_slopes;  // (count x 2)
  double period;        // s; 0: no cycle
  bool cut_at_end;      // the frame jumps where a cycle starts again
  lbQuat jump_rotation; // x -> jump_rotation x + jump_shift: from the last key to the first
  lbVec3 jump_shift;
  double *given_rotations;   // (count x 4), def.rotations
  double *given_tangents[2]; // def.position_tangents, def.rotation_tangents
};

lbPathDef lb_path_def(void) { return (lbPathDef){ .name = "path" }; }

const lbPathDef *lb_path_keys(const lbPath *path) { return path ? &path->def : NULL; }

// ---- creation ----------------------------------------------------------------------------------

static lbStatus check_path_numbers(const lbPathDef *def, const double *values, size_t width,
                                   const char *what, double most, lbError *err) {
  for (size_t i = 0; values && i < width * (size_t)def->key_count; i++)
    if (!(fabs(values[i]) <= most))
      return lb_fail(err, LB_ERR_ARGUMENT, "%s.%s[%llu]: holds %g, it must be %s", def->name, what,
                     (unsigned long long)(i / width), values[i],
                     isfinite(values[i]) ? "smaller" : "finite");
  return LB_OK;
}

static lbStatus check_times(const lbPathDef *def, lbError *err) {
  for (int32_t i = 0; i < def->key_count; i++) {
    double t = def->times[i];
    if (!(fabs(t) <= TIME_MOST))
      return lb_fail(err, LB_ERR_ARGUMENT, "%s.times[%d]: is %g, it must be a time in seconds",
                     def->name, (int)i, t);
    if (i > 0 && !(t > def->times[i - 1]))
      return lb_fail(err, LB_ERR_ARGUMENT, "%s.times[%d]: %.9g does not rise above %.9g before it",
                     def->name, (int)i, t, def->times[i - 1]);
  }
  return LB_OK;
}

static double quat_length(const double *q) {
  return sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
}

static lbStatus check_path_rotations(const lbPathDef *def, lbError *err) {
  for (int32_t i = 0; def->rotations && i < def->key_count; i++) {
    double length = quat_length(def->rotations + 4 * (size_t)i);
    if (!(length > LENGTH_LEAST && length < LENGTH_MOST))
      return lb_fail(err, LB_ERR_ARGUMENT,
                     "%s.rotations[%d]: has the length %g, it must be a quaternion of about unit "
                     "length",
                     def->name, (int)i, length);
  }
  return LB_OK;
}

static lbStatus check_path_def(const lbPathDef *def, lbError *err) {
  if (def->key_count < 1)
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: has %d keys, it must have at least one", def->name,
                   (int)def->key_count);
  if (!def->times) return lb_fail(err, LB_ERR_ARGUMENT, "%s: has no times", def->name);
  if (!def->positions && !def->rotations)
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: has neither positions nor rotations", def->name);
  if (def->interpolation < LB_PATH_LINEAR || def->interpolation > LB_PATH_STEP)
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: there is no interpolation %d", def->name,
                   (int)def->interpolation);
  lbStatus status = check_times(def, err);
  if (!status) status = check_path_numbers(def, def->positions, 3, "positions", POSITION_MOST, err);
  if (!status) status = check_path_rotations(def, err);
  if (!status)
    status =
        check_path_numbers(def, def->position_tangents, 6, "position_tangents", SLOPE_MOST, err);
  if (!status)
    status =
        check_path_numbers(def, def->rotation_tangents, 8, "rotation_tangents", SLOPE_MOST, err);
  return status;
}

void lb_path_destroy(lbPath *path) {
  if (!path) return;
  void *blocks[] = { path->times,
                     path->positions,
                     path->rotations,
                     path->turns,
                     path->slopes,
                     path->quat_slopes,
                     path->given_rotations,
                     path->given_tangents[0],
                     path->given_tangents[1],
                     (char *)path->def.name };
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) lb_free(blocks[i]);
  lb_free(path);
}

static bool allocate_path(lbPath *path, const lbPathDef *def) {
  size_t count = (size_t)def->key_count;
  bool cubic = def->interpolation == LB_PATH_CUBIC;
  path->def.name = lb_duplicate_text(def->name);
  path->times = lb_duplicate(def->times, count, sizeof(double));
  path->positions = def->positions ? lb_duplicate(def->positions, count, 3 * sizeof(double))
                                   : lb_alloc(count, 3 * sizeof(double));
  path->rotations = lb_alloc(count, sizeof(lbQuat));
  path->given_rotations = lb_alloc(count, 4 * sizeof(double));
  path->turns = lb_alloc(count, 3 * sizeof(double));
  path->slopes = lb_alloc(cubic ? count : 0, 6 * sizeof(double));
  path->quat_slopes = lb_alloc(cubic ? count : 0, 2 * sizeof(lbQuat));
  bool complete = path->def.name && path->times && path->positions && path->rotations &&
                  path->given_rotations && path->turns && path->slopes && path->quat_slopes;
  if (cubic && def->position_tangents)
    complete &= (path->given_tangents[0] =
                     lb_duplicate(def->position_tangents, count, 6 * sizeof(double))) != NULL;
  if (cubic && def->rotation_tangents)
    complete &= (path->given_tangents[1] =
                     lb_duplicate(def->rotation_tangents, count, 8 * sizeof(double))) != NULL;
  return complete;
}

static void describe_path(lbPath *path, const lbPathDef *def) {
  path->count = def->key_count;
  path->def.key_count = def->key_count;
  path->def.times = path->times;
  path->def.positions = def->positions ? path->positions : NULL;
  path->def.rotations = def->rotations ? path->given_rotations : NULL;
  path->def.position_tangents = path->given_tangents[0];
  path->def.rotation_tangents = path->given_tangents[1];
  path->def.interpolation = def->interpolation;
  path->def.cycle = def->cycle;
}

// Unit quaternions, as given and with aligned signs; tangents belong to the lengths as given.
static void take_rotations(lbPath *path, const lbPathDef *def) {
  for (int32_t i = 0; i < path->count; i++) {
    lbQuat q = lb_quat_identity();
    if (def->rotations) {
      const double *given = def->rotations + 4 * (size_t)i;
      double length = quat_length(given);
      // Dividing a unit quaternion would change its last bits each time a path is copied.
      if (fabs(length - 1) <= 4e-16) length = 1;
      q = lb_quat(given[0] / length, given[1] / length, given[2] / length, given[3] / length);
      for (size_t k = 8 * (size_t)i; path->given_tangents[1] && k < 8 * (size_t)i + 8; k++)
        path->given_tangents[1][k] /= length;
    }
    memcpy(path->given_rotations + 4 * (size_t)i, &q, sizeof q);
    if (i > 0 && !path->given_tangents[1] && lb_quat_dot(q, path->rotations[i - 1]) < 0)
      q = lb_quat_scale(-1, q);
    path->rotations[i] = q;
  }
}

// The rotation vector of a unit quaternion, its angle from 0 to pi. As lb_quat_log, with the same
// bits everywhere.
static lbVec3 rotation_vector(lbQuat q) {
  if (q.w < 0) q = lb_quat_scale(-1, q);
  lbVec3 n = lb_vec3(q.x, q.y, q.z);
  double s = lb_length(n);
  return lb_scale(s < 1e-8 ? 2 / q.w : 2 * lb_atan2(s, q.w) / s, n);
}

static lbQuat from_rotation_vector(lbVec3 v) {
  double a = lb_length(v), sine, cosine;
  lb_sin_cos(0.5 * a, &sine, &cosine);
  double factor = a < 1e-3 ? 0.5 - a * a / 48 + a * a * a * a / 3840 : sine / a;
  return lb_quat(factor * v.x, factor * v.y, factor * v.z, cosine);
}

// The rotation vector from a to b, the short way round.
static lbVec3 turn_between(lbQuat a, lbQuat b) {
  return rotation_vector(lb_quat_multiply(b, lb_quat_conjugate(a)));
}

static lbVec3 load_key_position(const lbPath *path, int32_t key) {
  return lb_vec3_load(path->positions + 3 * (size_t)key);
}

// How a cycle starts again: x -> R x + d takes the last key to the first.
static void close_cycle(lbPath *path) {
  int32_t last = path->count - 1;
  path->jump_rotation = lb_quat_identity();
  if (!path->def.cycle || path->count < 2) return;
  path->period = path->times[last] - path->times[0];
  lbQuat turn = lb_quat_multiply(path->rotations[0], lb_quat_conjugate(path->rotations[last]));
  lbVec3 from = load_key_position(path, last), to = load_key_position(path, 0);
  double size = 0;
  for (size_t i = 0; i < 3 * (size_t)path->count; i++) size = fmax(size, fabs(path->positions[i]));
  bool shifted = lb_length(lb_sub(to, from)) > 1e-12 * size;
  bool turned = lb_length(lb_vec3(turn.x, turn.y, turn.z)) > 1e-12;
  path->cut_at_end = shifted || turned;
  if (!path->cut_at_end) return;
  path->jump_rotation = lb_quat_normalise(turn);
  path->jump_shift = lb_sub(to, lb_quat_rotate(path->jump_rotation, from));
}

// The slopes of key i in `width` numbers a key: (p₊ − p₋) / (t₊ − t₋). Across the end of a cycle
// the neighbours are those of the other end, and the jump between the ends is not counted: `flip`
// is the sign that takes the last key to the first.
static void find_slopes(const lbPath *path, const double *p, size_t width, double flip,
                        double *slopes) {
  size_t last = (size_t)path->count - 1;
  const double *t = path->times;
  for (size_t i = 0; i <= last && last > 0; i++)
    for (size_t k = 0; k < width; k++) {
      bool end = i == 0 || i == last;
      double slope = 0;
      if (!end) {
        slope = (p[width * (i + 1) + k] - p[width * (i - 1) + k]) / (t[i + 1] - t[i - 1]);
      } else if (path->period > 0) {
        double after = p[width + k] - p[k],
               before = flip * (p[width * last + k] - p[width * (last - 1) + k]);
        slope = (after + before) / (t[1] - t[0] + t[last] - t[last - 1]);
        if (i == last) slope *= flip;
      }
      slopes[width * 2 * i + k] = slopes[width * (2 * i + 1) + k] = slope;
    }
}

static void prepare_cubic(lbPath *path) {
  size_t count = (size_t)path->count;
  _Static_assert(sizeof(lbQuat) == 4 * sizeof(double), "a quaternion is four numbers");
  double flip = lb_quat_dot(path->rotations[0], path->rotations[count - 1]) < 0 ? -1 : 1;
  if (path->given_tangents[0])
    memcpy(path->slopes, path->given_tangents[0], count * 6 * sizeof(double));
  else
    find_slopes(path, path->positions, 3, 1, path->slopes);
  if (path->given_tangents[1])
    memcpy(path->quat_slopes, path->given_tangents[1], count * 8 * sizeof(double));
  else
    find_slopes(path, (const double *)path->rotations, 4, flip, (double *)path->quat_slopes);
}

static void prepare_turns(lbPath *path) {
  for (int32_t i = 0; i + 1 < path->count; i++)
    lb_vec3_store(path->turns + 3 * (size_t)i,
                  turn_between(path->rotations[i], path->rotations[i + 1]));
}

// Keys may be so close in time that velocities overflow.
static lbStatus check_speeds(const lbPath *path, lbError *err) {
  for (int32_t i = 0; i + 1 < path->count && path->def.interpolation != LB_PATH_STEP; i++) {
    double seconds = path->times[i + 1] - path->times[i];
    lbVec3 way = lb_sub(load_key_position(path, i + 1), load_key_position(path, i));
    double fastest = fmax(lb_length(way), lb_length(lb_vec3_load(path->turns + 3 * (size_t)i)));
    if (!(fastest / seconds / seconds <= SLOPE_MOST))
      return lb_fail(err, LB_ERR_ARGUMENT, "%s: keys %d and %d are %g m or rad and only %g s apart",
                     path->def.name, (int)i, (int)i + 1, fastest, seconds);
  }
  return LB_OK;
}

lbStatus lb_path_create(const lbPathDef *given, lbPath **out, lbError *err) {
  if (!given) return lb_refuse_null(err, "def");
  if (!out) return lb_refuse_null(err, "out");
  lbPathDef def = *given;
  if (!def.name) def.name = "path";
  lbStatus status = check_path_def(&def, err);
  if (status) return status;
  lbPath *path = lb_alloc(1, sizeof *path);
  if (!path) return lb_fail_memory(err);
  if (!allocate_path(path, &def)) {
    lb_path_destroy(path);
    return lb_fail_memory(err);
  }
  describe_path(path, &def);
  take_rotations(path, &def);
  close_cycle(path);
  prepare_turns(path);
  if (def.interpolation == LB_PATH_CUBIC) prepare_cubic(path);
  status = check_speeds(path, err);
  if (status)
    lb_path_destroy(path);
  else
    *out = path;
  return status;
}

// ---- where in the path -------------------------------------------------------------------------

typedef struct Place {
  double round;  // which repetition of a cycle, from 0; a whole number
  int32_t key;   // the last key at or before this time; -1: before the first
  double passed; // s since that key
} Place;

// The last key with times[key] <= t, by bisection; -1: none.
static int32_t find_path_key(const lbPath *path, double t) {
  int32_t low = -1, high = path->count; // times[low] <= t < times[high]
  while (high - low > 1) {
    int32_t middle = low + (high - low) / 2;
    if (path->times[middle] <= t)
      low = middle;
    else
      high = middle;
  }
  return low;
}

static Place find_place(const lbPath *path, double t) {
  Place place = { 0 };
  if (path->period > 0 && isfinite(t)) {
    double since = t - path->times[0];
    place.round = floor(since / path->period);
    since -= place.round * path->period;
    if (since < 0) since = 0; // rounding
    t = path->times[0] + since;
    if (t >= path->times[path->count - 1]) { // rounding: the next round has begun
      place.round += 1;
      t = path->times[0];
    }
  }
  place.key = find_path_key(path, t);
  if (place.key >= 0 && isfinite(t)) place.passed = t - path->times[place.key];
  return place;
}

// ---- states ------------------------------------------------------------------------------------

static void store_path_quat(double *to, lbQuat q) {
  to[0] = q.x, to[1] = q.y, to[2] = q.z, to[3] = q.w;
}
static lbQuat load_path_quat(const double *q) { return lb_quat(q[0], q[1], q[2], q[3]); }

static void stand_at(const lbPath *path, int32_t key, lbPathState *out) {
  memset(out, 0, sizeof *out);
  lb_vec3_store(out->position, load_key_position(path, key));
  store_path_quat(out->rotation, path->rotations[key]);
}

static void move_straight(const lbPath *path, int32_t i, double passed, lbPathState *out) {
  double seconds = path->times[i + 1] - path->times[i];
  lbVec3 from = load_key_position(path, i), way = lb_sub(load_key_position(path, i + 1), from);
  lbVec3 turn = lb_vec3_load(path->turns + 3 * (size_t)i);
  double s = passed / seconds;
  lbQuat q = lb_quat_multiply(from_rotation_vector(lb_scale(s, turn)), path->rotations[i]);
  lb_vec3_store(out->position, lb_add_scaled(from, s, way));
  store_path_quat(out->rotation, lb_quat_normalise(q));
  lb_vec3_store(out->linear_velocity, lb_scale(1 / seconds, way));
  lb_vec3_store(out->angular_velocity, lb_scale(1 / seconds, turn));
}

// Hermite's polynomials at s, their first and second derivatives by time; slopes count by time.
typedef struct Hermite {
  double value[4], first[4], second[4]; // of p_i, out_i, p_{i+1}, in_{i+1}
} Hermite;

static Hermite hermite_at(double s, double d) {
  double r = 1 - s;
  return (Hermite){
    { r * r * (1 + 2 * s), d * s * r * r, s * s * (3 - 2 * s), -d * s * s * r },
    { -6 * s * r / d, r * (1 - 3 * s), 6 * s * r / d, s * (3 * s - 2) },
    { (12 * s - 6) / (d * d), (6 * s - 4) / d, (6 - 12 * s) / (d * d), (6 * s - 2) / d },
  };
}

static double blend_cubic(const double weights[4], const double *p, const double *out,
                          const double *next, const double *in, size_t k) {
  return weights[0] * p[k] + weights[1] * out[k] + weights[2] * next[k] + weights[3] * in[k];
}

static void turn_cubic(const lbPath *path, size_t i, const Hermite *h, lbPathState *state) {
  const double *q = (const double *)&path->rotations[i],
               *next = (const double *)&path->rotations[i + 1],
               *out = (const double *)&path->quat_slopes[2 * i + 1],
               *in = (const double *)&path->quat_slopes[2 * i + 2];
  double value[4], first[4], second[4];
  for (size_t k = 0; k < 4; k++) {
    value[k] = blend_cubic(h->value, q, out, next, in, k);
    first[k] = blend_cubic(h->first, q, out, next, in, k);
    second[k] = blend_cubic(h->second, q, out, next, in, k);
  }
  lbQuat Q = load_path_quat(value), back = lb_quat_conjugate(Q);
  double n = lb_quat_dot(Q, Q);
  // Tangents of a file may lead a quaternion through zero, where there is no rotation.
  if (!(n > 1e-20)) {
    store_path_quat(state->rotation, path->rotations[i]);
    return;
  }
  lbQuat w = lb_quat_multiply(load_path_quat(first), back),
         a = lb_quat_multiply(load_path_quat(second), back);
  lbVec3 velocity = lb_scale(2 / n, lb_vec3(w.x, w.y, w.z));
  lbVec3 acceleration = lb_scale(2 / n, lb_vec3(a.x, a.y, a.z));
  store_path_quat(state->rotation, lb_quat_normalise(Q));
  lb_vec3_store(state->angular_velocity, velocity);
  lb_vec3_store(
      state->angular_acceleration,
      lb_add_scaled(acceleration, -2 * lb_quat_dot(load_path_quat(first), Q) / n, velocity));
}

static void move_cubic(const lbPath *path, int32_t key, double passed, lbPathState *state) {
  size_t i = (size_t)key;
  double seconds = path->times[i + 1] - path->times[i];
  Hermite h = hermite_at(passed / seconds, seconds);
  const double *p = path->positions + 3 * i, *out = path->slopes + 3 * (2 * i + 1),
               *in = path->slopes + 3 * (2 * i + 2);
  for (size_t k = 0; k < 3; k++) {
    state->position[k] = blend_cubic(h.value, p, out, p + 3, in, k);
    state->linear_velocity[k] = blend_cubic(h.first, p, out, p + 3, in, k);
    state->linear_acceleration[k] = blend_cubic(h.second, p, out, p + 3, in, k);
  }
  turn_cubic(path, i, &h, state);
}

void lb_path_at(const lbPath *path, double t, lbPathState *out) {
  if (!path || !out) return;
  Place place = find_place(path, t);
  bool stands = place.key < 0 || place.key == path->count - 1;
  stand_at(path, place.key < 0 ? 0 : place.key, out);
  if (stands || path->def.interpolation == LB_PATH_STEP) return;
  if (path->def.interpolation == LB_PATH_CUBIC)
    move_cubic(path, place.key, place.passed, out);
  else
    move_straight(path, place.key, place.passed, out);
}

// ---- cuts --------------------------------------------------------------------------------------

typedef struct Motion { // x -> rotation x + shift
  lbQuat rotation;
  lbVec3 shift;
} Motion;

// b first, then a.
static Motion compose(Motion a, Motion b) {
  return (Motion){ lb_quat_normalise(lb_quat_multiply(a.rotation, b.rotation)),
                   lb_add(lb_quat_rotate(a.rotation, b.shift), a.shift) };
}

static Motion power(Motion base, double count) {
  Motion result = { lb_quat_identity(), lb_vec3(0, 0, 0) };
  for (; count >= 1; count = floor(count / 2)) {
    if (count - 2 * floor(count / 2) >= 1) result = compose(base, result);
    base = compose(base, base);
  }
  return result;
}

static int32_t key_that_holds(Place place) { return place.key < 0 ? 0 : place.key; }

// What takes the pose of one key to that of another.
static Motion between_keys(const lbPath *path, int32_t from, int32_t to) {
  lbQuat turn = lb_quat_normalise(
      lb_quat_multiply(path->rotations[to], lb_quat_conjugate(path->rotations[from])));
  lbVec3 start = lb_quat_rotate(turn, load_key_position(path, from));
  return (Motion){ turn, lb_sub(load_key_position(path, to), start) };
}

static bool find_jump(const lbPath *path, double t0, double t1, Motion *jump) {
  *jump = (Motion){ lb_quat_identity(), lb_vec3(0, 0, 0) };
  Place a = find_place(path, t0), b = find_place(path, t1);
  if (path->def.interpolation == LB_PATH_STEP) {
    int32_t from = key_that_holds(a), to = key_that_holds(b);
    if (from == to) return false; // also after whole rounds: the pose is the same
    *jump = between_keys(path, from, to);
    return true;
  }
  if (!path->cut_at_end || !(b.round > a.round)) return false;
  *jump = power((Motion){ path->jump_rotation, path->jump_shift }, b.round - a.round);
  return true;
}

bool lb_path_cut_between(const lbPath *path, double t0, double t1) {
  if (!path) return false;
  Place a = find_place(path, t0), b = find_place(path, t1);
  if (path->def.interpolation == LB_PATH_STEP) return key_that_holds(a) != key_that_holds(b);
  return path->cut_at_end && b.round > a.round;
}

bool lb_path_jump(const lbPath *path, double t0, double t1, double rotation[4], double shift[3]) {
  if (!path || !rotation || !shift) return false;
  Motion jump;
  bool cut = find_jump(path, t0, t1, &jump);
  store_path_quat(rotation, jump.rotation);
  lb_vec3_store(shift, jump.shift);
  return cut;
}

bool lb_path_carry(const lbPath *path, double t0, double t1, lbPathState *state) {
  if (!path || !state) return false;
  Motion jump;
  if (!find_jump(path, t0, t1, &jump)) return false;
  double *vectors[] = { state->linear_velocity, state->angular_velocity, state->linear_acceleration,
                        state->angular_acceleration };
  for (size_t i = 0; i < 4; i++)
    lb_vec3_store(vectors[i], lb_quat_rotate(jump.rotation, lb_vec3_load(vectors[i])));
  lbVec3 turned = lb_quat_rotate(jump.rotation, lb_vec3_load(state->position));
  lb_vec3_store(state->position, lb_add(turned, jump.shift));
  store_path_quat(state->rotation, lb_quat_normalise(lb_quat_multiply(
                                       jump.rotation, load_path_quat(state->rotation))));
  return true;
}

// ---- what follows a frame ----------------------------------------------------------------------

void lb_path_mean_velocity(const lbPathState *from, const lbPathState *to, double seconds,
                           double linear[3], double angular[3]) {
  if (!from || !to || !linear || !angular) return;
  lbVec3 turn = turn_between(load_path_quat(from->rotation), load_path_quat(to->rotation));
  for (int i = 0; i < 3; i++) linear[i] = (to->position[i] - from->position[i]) / seconds;
  lb_vec3_store(angular, lb_scale(1 / seconds, turn));
}

void lb_path_point(const lbPathState *frame, const double own[3], double position[3]) {
  if (!frame || !own || !position) return;
  lbVec3 arm = lb_quat_rotate(load_path_quat(frame->rotation), lb_vec3_load(own));
  lb_vec3_store(position, lb_add(lb_vec3_load(frame->position), arm));
}

// v = v_0 + ω × r,  a = a_0 + α × r + ω × (ω × r)
void lb_path_point_rates(const lbPathState *frame, const double position[3], double velocity[3],
                         double acceleration[3]) {
  if (!frame || !position || !velocity) return;
  lbVec3 r = lb_sub(lb_vec3_load(position), lb_vec3_load(frame->position));
  lbVec3 w = lb_vec3_load(frame->angular_velocity), turning = lb_cross(w, r);
  lbVec3 a = lb_add(lb_vec3_load(frame->linear_acceleration),
                    lb_cross(lb_vec3_load(frame->angular_acceleration), r));
  lb_vec3_store(velocity, lb_add(lb_vec3_load(frame->linear_velocity), turning));
  lb_vec3_store(acceleration, lb_add(a, lb_cross(w, turning)));
}
