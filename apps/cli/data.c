// Where the program's own files are: scenes and the web page, beside the program in a build folder
// or under share/limber where it is installed.
#include "cli.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool folder_of_program(char *path, size_t size) {
  ssize_t length = readlink("/proc/self/exe", path, size - 1);
  if (length <= 0) return false;
  path[length] = '\0';
  char *slash = strrchr(path, '/');
  if (!slash) return false;
  *slash = '\0';
  return true;
}

lbStatus cli_data_folder(const char *built, const char *installed, char *path, size_t size,
                         lbError *err) {
  char program[4096];
  const char *const places[] = { built, installed };
  for (int i = 0; i < 2 && folder_of_program(program, sizeof program); i++) {
    int length = snprintf(path, size, "%s/../%s", program, places[i]);
    if (length > 0 && (size_t)length < size && access(path, R_OK) == 0) return LB_OK;
  }
  return lb_fail(err, LB_ERR_FILE,
                 "neither ../%s nor ../%s exists, relative to the program's folder", built,
                 installed);
}
