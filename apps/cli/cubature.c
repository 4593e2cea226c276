// The words of `limber build` about forces by cubature.
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static cliStatus check_cubature_forces(const cliCubature *words, lbBuildDef *def) {
  if (!words->forces) return CLI_OK;
  bool cubature = strcmp(words->forces, "cubature") == 0;
  if (!cubature && strcmp(words->forces, "polynomial") != 0)
    return cli_usage(&cli_build, "--forces is \"%s\", use polynomial or cubature", words->forces);
  def->forces = cubature ? LB_FORCES_CUBATURE : LB_FORCES_POLYNOMIAL;
  return CLI_OK;
}

static cliStatus check_cubature_elements(const cliCubature *words, lbBuildDef *def) {
  if (!words->elements) return CLI_OK;
  def->all_elements = strcmp(words->elements, "all") == 0;
  if (def->all_elements) return CLI_OK;
  char *end;
  long count = strtol(words->elements, &end, 10);
  if (*end || end == words->elements || count < 1 || count > INT32_MAX)
    return cli_usage(&cli_build, "--elements is \"%s\", use a whole number, 1 or more, or all",
                     words->elements);
  def->elements = (int32_t)count;
  return CLI_OK;
}

static cliStatus check_cubature_numbers(const cliCubature *words, lbBuildDef *def) {
  if (words->has_error && !(def->force_error >= 0 && isfinite(def->force_error)))
    return cli_usage(&cli_build, "--error is %g, it must be 0 or more", def->force_error);
  if (words->has_poses && (def->poses < 1 || def->poses > LB_CUBATURE_POSES_MAX))
    return cli_usage(&cli_build, "--poses is %d, choose 1 to %d", (int)def->poses,
                     LB_CUBATURE_POSES_MAX);
  if (words->has_seed && words->seed < 0)
    return cli_usage(&cli_build, "--seed is %d, it must be 0 or more", (int)words->seed);
  if (words->has_seed) def->seed = words->seed;
  if (!words->selection) return CLI_OK;
  for (int i = 0; i < LB_CUBATURE_SELECTION_COUNT; i++)
    if (strcmp(words->selection, lb_cubature_selection_name((lbCubatureSelection)i)) == 0)
      def->selection = (lbCubatureSelection)i;
  if (def->selection == LB_CUBATURE_SELECTION_COUNT)
    return cli_usage(&cli_build,
                     "--selection is \"%s\", use nnhtp, nnhtp_plain, greedy or greedy_fast",
                     words->selection);
  return CLI_OK;
}

cliStatus cli_check_cubature(const cliCubature *words, lbBuildDef *def) {
  cliStatus result = check_cubature_forces(words, def);
  if (!result) result = check_cubature_elements(words, def);
  if (!result) result = check_cubature_numbers(words, def);
  if (result) return result;
  const char *given = words->elements       ? "elements"
                      : words->has_error    ? "error"
                      : words->has_poses    ? "poses"
                      : def->pose_amplitude ? "amplitude"
                      : words->has_seed     ? "seed"
                      : words->selection    ? "selection"
                                            : NULL;
  if (given && def->forces == LB_FORCES_POLYNOMIAL)
    return cli_usage(&cli_build, "--%s is for cubature, --forces is polynomial", given);
  if (given) def->forces = LB_FORCES_CUBATURE;
  return CLI_OK;
}

bool cli_parse_amplitude(const char *text, double *amplitude) {
  char *end;
  double value = strtod(text, &end);
  if (*end || end == text || !(value > 0) || !isfinite(value)) return false;
  *amplitude = value;
  return true;
}
