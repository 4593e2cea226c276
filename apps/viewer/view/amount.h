// Numbers with units as people write them.
#ifndef LIMBER_VIEWER_AMOUNT_H
#define LIMBER_VIEWER_AMOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// "1.25 MPa", "3 mm", "7850 kg/m³", "0.25×": pressures and small lengths by a prefix, exponents
// only where there is no other way.
void vw_write_amount(double value, const char *unit, bool whole, char *text, size_t size);

// Pictures a second: how many there were, over the time that they took.
typedef struct vwRate {
  double begin;  // s, of the stretch that is counted; 0: none yet
  int32_t count; // pictures in it
  double mean;   // of the last one, 1/s; 0: not known yet
} vwRate;
// A picture is there at `now` (s). Returns the rate of the last stretch of half a second or more.
double vw_rate_tick(vwRate *rate, double now);

#endif
