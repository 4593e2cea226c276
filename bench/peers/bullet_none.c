// In place of bullet.cpp where Bullet is not there.
#include "bench/contact.h"

#include <stddef.h>

bool bench_bullet(const benchPeerBody *body, const benchDrop *drop,
                  const benchPeerSettings *settings, double *times, benchDropResult *result) {
  (void)body, (void)drop, (void)settings, (void)times, (void)result;
  return false;
}

const char *bench_bullet_version(void) { return ""; }
