// The colours of maps: from a dark violet-blue over teal and green to a light yellow. Made in the
// Oklab space, whose distances are those that people see: lightness rises linearly and the hue
// turns evenly, so that equal steps of the value look equal, also without colour vision.
#include "render/renderer.h"

#include <math.h>

static double encode(double linear) {
  if (!(linear > 0)) return 0;
  if (linear >= 1) return 1;
  return linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055;
}

// Oklab to linear sRGB (its definition: cone responses are cubes of l, m, s).
static void oklab_to_linear(double L, double a, double b, double rgb[3]) {
  double l = L + 0.3963377774 * a + 0.2158037573 * b;
  double m = L - 0.1055613458 * a - 0.0638541728 * b;
  double s = L - 0.0894841775 * a - 1.2914855480 * b;
  l = l * l * l, m = m * m * m, s = s * s * s;
  rgb[0] = 4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s;
  rgb[1] = -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s;
  rgb[2] = -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s;
}

void vw_map_color(double value, uint8_t rgb[3]) {
  double t = value >= 0 ? (value <= 1 ? value : 1) : 0; // what is not a number is 0
  double lightness = 0.27 + 0.65 * t;
  double hue = (298 - 192 * t) * LB_PI / 180;
  double chroma = 0.105 + 0.065 * t * t * t + 0.012 * sin(2 * LB_PI * t);
  double linear[3];
  oklab_to_linear(lightness, chroma * cos(hue), chroma * sin(hue), linear);
  for (int i = 0; i < 3; i++) rgb[i] = (uint8_t)(255 * encode(linear[i]) + 0.5);
}
