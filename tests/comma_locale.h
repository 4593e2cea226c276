// A locale with a decimal comma, for tests that numbers in files do not follow it.
#ifndef LB_TESTS_COMMA_LOCALE_H
#define LB_TESTS_COMMA_LOCALE_H

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

// Sets one, made by localedef when none is installed; NULL where that is not possible.
static inline const char *set_comma_locale(void) {
  const char *names[] = { "de_DE.UTF-8", "fr_FR.UTF-8", "nl_NL.UTF-8" };
  for (int i = 0; i < 3; i++)
    if (setlocale(LC_ALL, names[i])) return names[i];
  const char *output = getenv("LIMBER_TEST_OUTPUT");
  char command[1200], folder[400];
  snprintf(folder, sizeof folder, "%s/locale", output ? output : "/tmp");
  snprintf(command, sizeof command,
           "mkdir -p '%s' && localedef -f UTF-8 -i de_DE '%s/de_DE.UTF-8' >/dev/null 2>&1", folder,
           folder);
  if (system(command) != 0) return NULL;
  setenv("LOCPATH", folder, 1);
  return setlocale(LC_ALL, names[0]);
}

#endif
