// What every test program includes: cmocka, and checks of doubles that print the residual and the
// tolerance.
#ifndef LB_TESTS_CHECK_H
#define LB_TESTS_CHECK_H

// Under the address sanitizer programs are ten to twenty times slower: fewer random cases there.
#if defined(__SANITIZE_ADDRESS__)
#define CHECK_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CHECK_SANITIZED 1
#endif
#endif
#ifndef CHECK_SANITIZED
#define CHECK_SANITIZED 0
#endif

// Of a long series of random cases: all in the plain build, a quarter with other compilers and
// without SIMD (CHECK_AGAIN, cmake/tests.cmake), a tenth under sanitizers.
#ifndef CHECK_AGAIN
#define CHECK_AGAIN 0
#endif
#define CHECK_LONG __attribute__((unused)) // a case that sanitized programs leave out
#define CHECK_CASES(count) (1 + ((count)-1) / (CHECK_SANITIZED ? 10 : CHECK_AGAIN ? 4 : 1))

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>

#include <cmocka.h>

#include "limber/base.h"

// |residual| <= tolerance, and a number.
#define check_small(residual, tolerance)                                                           \
  check_small_at((residual), (tolerance), #residual, __FILE__, __LINE__)

static inline void check_small_at(double residual, double tolerance, const char *what,
                                  const char *file, int line) {
  if (fabs(residual) <= tolerance) return;
  print_error("%s:%d: %s: residual %.3e, tolerance %.3e\n", file, line, what, residual, tolerance);
  _fail(file, line);
}

#define check_near(value, expected, tolerance) check_small((value) - (expected), tolerance)

// A call that must succeed / must fail with this status and a text that contains `part`.
#define check_ok(status, err)                                                                      \
  do {                                                                                             \
    if ((status) != LB_OK) fail_msg("%s", (err).text);                                             \
  } while (0)

#define check_fails(status, expected, err, part)                                                   \
  do {                                                                                             \
    lbStatus got_ = (status);                                                                      \
    if (got_ != (expected) || !strstr((err).text, (part)))                                         \
      fail_msg("expected %s with \"%s\", got %s: %s", lb_status_name(expected), (part),            \
               lb_status_name(got_), (err).text);                                                  \
  } while (0)

// Repeatable pseudo-random numbers in [-1, 1).
static inline double check_random(uint64_t *state) {
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(int64_t)(*state >> 11) / 4503599627370496.0 - 1;
}

// FNV-1a of a block, continued from `hash` (begin with 0): for results whose bits are promised.
static inline uint64_t check_hash(uint64_t hash, const void *block, size_t bytes) {
  hash ^= UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < bytes; i++)
    hash = (hash ^ ((const unsigned char *)block)[i]) * UINT64_C(0x100000001b3);
  return hash;
}

// An allocator whose Nth allocation fails (counting from 0); -1: never. Reports leaks.
typedef struct CheckedHeap {
  int64_t fail_at, count, live;
} CheckedHeap;

static inline void *checked_allocate(size_t bytes, void *context) {
  CheckedHeap *heap = context;
  if (heap->count++ == heap->fail_at) return NULL;
  void *block = aligned_alloc(64, (bytes + 63) / 64 * 64);
  if (block) heap->live++;
  return block;
}

static inline void checked_release(void *block, void *context) {
  ((CheckedHeap *)context)->live--;
  free(block);
}

static inline lbAllocator checked_allocator(CheckedHeap *heap) {
  return (lbAllocator){ checked_allocate, checked_release, heap };
}

// Where tests may write: the build folder. Eight results stay valid at a time.
static inline const char *output_path(const char *name) {
  static char paths[8][512];
  static int next;
  const char *folder = getenv("LIMBER_TEST_OUTPUT");
  char *path = paths[next++ % 8];
  snprintf(path, sizeof paths[0], "%s/%s", folder ? folder : "/tmp", name);
  return path;
}

// Files of others that only some machines have. Without them the test is skipped by name.
static inline bool check_shared(const char *path) {
  FILE *file = fopen(path, "rb");
  if (file)
    fclose(file);
  else
    print_message("skipped: %s is not here\n", path);
  return file != NULL;
}

#endif
