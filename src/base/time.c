// The steady clock.
#define _POSIX_C_SOURCE 200809L
#include "limber/base.h"

#ifdef _WIN32
#include <windows.h>

double lb_seconds(void) {
  LARGE_INTEGER ticks, ticks_per_second;
  QueryPerformanceFrequency(&ticks_per_second);
  QueryPerformanceCounter(&ticks);
  return (double)ticks.QuadPart / (double)ticks_per_second.QuadPart;
}
#else
#include <time.h>

double lb_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
#endif
