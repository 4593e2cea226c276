// Numbers with units; how many pictures there are in a second.
#include "view/amount.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define STRETCH 0.5 // s, at least

void vw_write_amount(double value, const char *unit, bool whole, char *text, size_t size) {
  static const struct {
    double from;
    const char *prefix;
  } prefixes[] = { { 1e9, "G" }, { 1e6, "M" }, { 1e3, "k" } };
  const char *prefix = "", *space = " ";
  for (size_t i = 0; !strcmp(unit, "Pa") && i < sizeof prefixes / sizeof *prefixes; i++)
    if (value >= prefixes[i].from * 0.9995) {
      value /= prefixes[i].from;
      prefix = prefixes[i].prefix;
      break;
    }
  if ((!strcmp(unit, "m") || !strcmp(unit, "m/s")) && value < 0.01 && value > 0) {
    value *= 1e3;
    prefix = "m";
  }
  if (!strcmp(unit, "x")) unit = "\xc3\x97"; // the sign "times"
  if (!unit[0] || (unsigned char)unit[0] >= 128) space = "";
  bool plain = whole || (fabs(value) >= 999.5 && fabs(value) < 1e7);
  snprintf(text, size, plain ? "%.0f%s%s%s" : "%.3g%s%s%s", value, space, prefix, unit);
}

double vw_rate_tick(vwRate *rate, double now) {
  double passed = now - rate->begin;
  rate->count++;
  if (rate->begin == 0) {
    *rate = (vwRate){ .begin = now };
  } else if (passed >= STRETCH) {
    *rate = (vwRate){ .begin = now, .mean = rate->count / passed };
  }
  return rate->mean;
}
