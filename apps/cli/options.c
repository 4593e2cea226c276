// Parsing the words of a verb, and its help.
#include "cli.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

cliStatus cli_usage(const cliVerb *verb, const char *format, ...) {
  char text[512], shown[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  fprintf(stderr, "limber: %s: %s; see limber %s --help\n", verb->name,
          lb_printable(shown, sizeof shown, text), verb->name);
  return CLI_USAGE;
}

static const char *dashes(const cliOption *option) { return option->name[1] ? "--" : "-"; }

// A line break in the help continues in the help's column.
static void print_option(const cliOption *option) {
  char left[40];
  snprintf(left, sizeof left, "%s%s %s", dashes(option), option->name,
           option->argument ? option->argument : "");
  printf("  %-24s ", left);
  for (const char *c = option->help; *c; c++)
    printf(*c == '\n' ? "\n%27s" : "%.1s", *c == '\n' ? "" : c);
  printf("\n");
}

static void print_option_help(const cliVerb *verb, const cliOption *options,
                              const cliOption *common) {
  printf("usage: %s\n\n%s\n", verb->usage, verb->details);
  for (; options->name; options++) print_option(options);
  for (; common->name; common++) print_option(common);
  printf("\nexample:\n%s\n", verb->example);
}

static bool parse_number(const char *text, double *value) {
  char *end;
  *value = strtod(text, &end);
  return *text && !*end && isfinite(*value);
}

static bool parse_integer(const char *text, int32_t *value) {
  char *end;
  errno = 0;
  long number = strtol(text, &end, 10);
  *value = (int32_t)number;
  return *text && !*end && errno == 0 && number >= INT_MIN && number <= INT_MAX;
}

// Three values separated by commas.
static bool parse_three(const char *text, bool whole, double *numbers, int32_t *integers) {
  char copy[100];
  if (strlen(text) >= sizeof copy) return false;
  strcpy(copy, text);
  char *next = copy;
  for (int i = 0; i < 3; i++) {
    char *comma = strchr(next, ',');
    if ((comma != NULL) != (i < 2)) return false;
    if (comma) *comma = '\0';
    if (whole ? !parse_integer(next, &integers[i]) : !parse_number(next, &numbers[i])) return false;
    next = comma ? comma + 1 : next;
  }
  return true;
}

// False: too many.
static bool add_word(cliWords *words, const char *text) {
  if (words->count == CLI_WORDS_MOST) return false;
  words->words[words->count++] = (char *)text; // of the command line, which is the program's own
  return true;
}

static bool parse_value(const cliOption *option, const char *text) {
  switch (option->kind) {
  case CLI_TEXT: *(const char **)option->value = text; return true;
  case CLI_INTEGER: return parse_integer(text, option->value);
  case CLI_NUMBER: return parse_number(text, option->value);
  case CLI_NUMBERS3: return parse_three(text, false, option->value, NULL);
  case CLI_CELLS3: return parse_three(text, true, NULL, option->value);
  case CLI_WORDS: return add_word(option->value, text);
  default: return false;
  }
}

static const cliOption *find_option(const cliOption *options, const char *name, size_t length) {
  for (; options->name; options++)
    if (strlen(options->name) == length && strncmp(options->name, name, length) == 0)
      return options;
  return NULL;
}

static const char *kind_text(cliKind kind) {
  switch (kind) {
  case CLI_INTEGER: return "a whole number";
  case CLI_NUMBER: return "a number";
  case CLI_NUMBERS3: return "three numbers such as 1,0.1,0.1";
  case CLI_CELLS3: return "three whole numbers such as 20,2,2";
  case CLI_WORDS: return "a word, given 32 times at most";
  default: return "a value";
  }
}

// The nearest known option to a misspelt one, for the message.
static cliStatus fail_unknown_option(const cliVerb *verb, const cliOption *options,
                                     const cliOption *common, const char *word, const char *name) {
  enum { MOST = 64 };
  const char *names[MOST + 1] = { 0 };
  int count = 0;
  for (; options->name && count < MOST; options++) names[count++] = options->name;
  for (; common->name && count < MOST; common++) names[count++] = common->name;
  const char *nearest = name[0] && name[1] ? lb_nearest_name(name, names) : NULL;
  if (!nearest) return cli_usage(verb, "unknown option %s", word);
  return cli_usage(verb, "unknown option %s, did you mean %s%s?", word, nearest[1] ? "--" : "-",
                   nearest);
}

// One option at words[*at]; moves *at past its value.
static cliStatus take_option(const cliVerb *verb, const cliOption *options, const cliOption *common,
                             int count, char **words, int *at) {
  const char *word = words[*at], *name = word + (word[1] == '-' ? 2 : 1);
  const char *equals = strchr(name, '=');
  size_t length = equals ? (size_t)(equals - name) : strlen(name);
  const cliOption *option = find_option(options, name, length);
  if (!option) option = find_option(common, name, length);
  if (!option) return fail_unknown_option(verb, options, common, word, name);
  if (option->given) *option->given = true;
  if (option->kind == CLI_FLAG) {
    if (equals) return cli_usage(verb, "--%s takes no value", option->name);
    *(bool *)option->value = true;
    return CLI_OK;
  }
  if (!equals && *at + 1 >= count)
    return cli_usage(verb, "%s needs %s: %s %s", word, kind_text(option->kind), word,
                     option->argument);
  const char *value = equals ? equals + 1 : words[++*at];
  const char *bare = value + (value[0] == '-') + (value[0] == '-' && value[1] == '-');
  if (!equals && bare > value &&
      (find_option(options, bare, strlen(bare)) || find_option(common, bare, strlen(bare))))
    return cli_usage(verb, "%s needs %s, but the option %s follows; write %s=%s if you mean that",
                     word, kind_text(option->kind), value, word, value);
  if (!parse_value(option, value))
    return cli_usage(verb, "%.*s is \"%s\", it must be %s", (int)(name - word + (long)length), word,
                     value, kind_text(option->kind));
  return CLI_OK;
}

cliStatus cli_parse(const cliVerb *verb, const cliOption *options, int count, char **words,
                    cliArguments *arguments) {
  *arguments = (cliArguments){ 0 };
  cliCommon *c = &arguments->common;
  const cliOption common[] = {
    { "json", CLI_FLAG, &c->json, NULL, NULL, "print one JSON document on stdout" },
    { "quiet", CLI_FLAG, &c->quiet, NULL, NULL, "print only errors, and what --json prints" },
    { "threads", CLI_INTEGER, &c->threads, NULL, "N",
      "use N threads (0, the default: one for each processor)" },
    { "help", CLI_FLAG, &c->help, NULL, NULL, "this text" },
    { 0 },
  };
  bool only_inputs = false;
  for (int i = 0; i < count; i++) {
    cliStatus status = CLI_OK;
    if (!only_inputs && strcmp(words[i], "-h") == 0)
      c->help = true;
    else if (!only_inputs && strcmp(words[i], "--") == 0)
      only_inputs = true;
    else if (!only_inputs && words[i][0] == '-' && words[i][1])
      status = take_option(verb, options, common, count, words, &i);
    else if (arguments->input_count == 16)
      status = cli_usage(verb, "too many files");
    else
      arguments->inputs[arguments->input_count++] = words[i];
    if (status) return status;
  }
  if (c->help) {
    print_option_help(verb, options, common);
    return CLI_OK;
  }
  if (c->threads < 0 || c->threads > 1024)
    return cli_usage(verb, "--threads is %d, it must lie between 0 and 1024", (int)c->threads);
  cli_start_output(c);
  lbError err;
  return lb_build_start(c->threads, &err) ? cli_fail(&err) : CLI_OK;
}

cliStatus cli_one_input(const cliVerb *verb, const cliArguments *arguments) {
  if (arguments->input_count == 0) return cli_usage(verb, "name a file");
  if (arguments->input_count > 1)
    return cli_usage(verb, "one file at a time, not also %s", arguments->inputs[1]);
  return CLI_OK;
}
