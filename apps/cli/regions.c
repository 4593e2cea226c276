// Parts of a body as words of the command line: a group's name, color.CHANNEL, box.X,Y,Z,X,Y,Z.
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// `count` numbers separated by commas, up to the end of the text.
static bool read_region_numbers(const char *text, double *numbers, int count) {
  for (int i = 0; i < count; i++) {
    char *end;
    numbers[i] = strtod(text, &end);
    if (end == text || !isfinite(numbers[i]) || *end != (i + 1 < count ? ',' : '\0')) return false;
    text = end + 1;
  }
  return true;
}

static bool starts_with_prefix(const char *text, const char *start) {
  return strncmp(text, start, strlen(start)) == 0;
}

// The words before '=', or all of them.
static cliStatus read_region(const cliVerb *verb, const char *option, const char *word,
                             lbRegion *region) {
  *region = lb_region();
  region->group = word;
  if (starts_with_prefix(word, "color.")) {
    if (!lb_color_channel_parse(word + 6, &region->channel))
      return cli_usage(verb, "--%s: the channel is \"%s\", use red, green, blue or alpha", option,
                       word + 6);
    region->group = NULL;
    region->has_color = true;
  } else if (starts_with_prefix(word, "box.")) {
    if (!read_region_numbers(word + 4, region->box[0], 6))
      return cli_usage(verb,
                       "--%s: \"%s\" must be box. and six numbers, the low and the high corner",
                       option, word);
    region->group = NULL;
    region->has_box = true;
  } else if (!word[0]) {
    return cli_usage(verb, "--%s names no group", option);
  }
  return CLI_OK;
}

cliStatus cli_parse_young(const cliVerb *verb, char *word, lbYoungRegion *young, bool *everywhere,
                          double *plain) {
  char *equals = strrchr(word, '=');
  *everywhere = !equals;
  if (!equals) {
    if (!read_region_numbers(word, plain, 1))
      return cli_usage(verb, "--young is \"%s\", it must be a number, or WHERE=NUMBER", word);
    return CLI_OK;
  }
  *equals = '\0';
  cliStatus result = read_region(verb, "young", word, &young->region);
  if (result) return result;
  bool graded = young->region.has_color;
  if (!read_region_numbers(equals + 1, young->young, graded ? 2 : 1))
    return cli_usage(verb, "--young %s=%s: after the = there must be %s", word, equals + 1,
                     graded ? "two moduli, LOW,HIGH, in Pa" : "Young's modulus in Pa");
  if (!(young->young[0] > 0) || (graded && !(young->young[1] > 0)))
    return cli_usage(verb, "--young %s=%s: Young's modulus must be positive", word, equals + 1);
  return CLI_OK;
}

cliStatus cli_parse_fixed(const cliVerb *verb, char *word, lbRegion *region) {
  char *equals = starts_with_prefix(word, "color.") ? strrchr(word, '=') : NULL;
  double above = 0.5;
  if (equals) *equals = '\0';
  cliStatus result = read_region(verb, "fixed", word, region);
  if (result || !region->has_color) return result;
  if (equals && (!read_region_numbers(equals + 1, &above, 1) || !(above >= 0 && above < 1)))
    return cli_usage(verb, "--fixed %s=%s: the limit must be at least 0 and below 1", word,
                     equals + 1);
  region->above = above;
  return CLI_OK;
}
