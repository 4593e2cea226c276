// limber: one program, one verb a job.
#include "cli.h"

#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static const cliVerb *const verbs[] = { &cli_mesh,    &cli_modes,  &cli_static, &cli_evaluate,
                                        &cli_build,   &cli_info,   &cli_run,    &cli_cook,
                                        &cli_edit,    &cli_export, &cli_view,   &cli_render,
                                        &cli_compare, &cli_bench };
enum { VERB_COUNT = sizeof verbs / sizeof *verbs };

static void print_program_help(FILE *to) {
  fprintf(to, "limber " LB_VERSION ": makes a mesh move\n\nusage: limber VERB ... [options]\n\n");
  for (int i = 0; i < VERB_COUNT; i++)
    fprintf(to, "  %-10s %s\n", verbs[i]->name, verbs[i]->summary);
  fprintf(to, "\nlimber VERB --help tells more. Exit status: 0 ok, 1 the job failed, 2 a wrong "
              "command line.\n\nexample:\n  limber mesh --generate sphere -o sphere.msh\n"
              "  limber modes sphere.msh --young 1e5\n");
}

// At the end of a program OpenBLAS waits for its own threads, and where address space is short they
// ask for memory for ever.
static int leave(cliStatus status) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    fflush(NULL);
    _exit(status);
  }
  return status;
}

static int run_program(int count, char **words) {
  if (count < 2) {
    print_program_help(stderr);
    return CLI_USAGE;
  }
  if (strcmp(words[1], "--version") == 0) {
    printf("limber " LB_VERSION "\n");
    return cli_finish_output(CLI_OK);
  }
  if (strcmp(words[1], "--help") == 0 || strcmp(words[1], "-h") == 0 ||
      strcmp(words[1], "help") == 0) {
    print_program_help(stdout);
    return cli_finish_output(CLI_OK);
  }
  for (int i = 0; i < VERB_COUNT; i++)
    if (strcmp(words[1], verbs[i]->name) == 0) {
      cliStatus status = verbs[i]->run(count - 2, words + 2);
      cli_flush_notes();
      lb_build_stop();
      return leave(cli_finish_output(status));
    }
  const char *names[VERB_COUNT + 1] = { 0 };
  for (int i = 0; i < VERB_COUNT; i++) names[i] = verbs[i]->name;
  const char *nearest = lb_nearest_name(words[1], names);
  if (nearest)
    cli_note("unknown verb \"%s\", did you mean \"%s\"?", words[1], nearest);
  else
    cli_note("unknown verb \"%s\", see limber --help", words[1]);
  return CLI_USAGE;
}

// ---- the stack ---------------------------------------------------------------------------------

#define STACK_BYTES ((size_t)8 << 20)

typedef struct Call {
  int count, status;
  char **words;
} Call;

static void *run_call(void *context) {
  Call *call = context;
  call->status = run_program(call->count, call->words);
  return NULL;
}

// With a small stack limit (`ulimit -s`) the work runs on a thread with its own stack.
static bool stack_is_small(void) {
  struct rlimit limit;
  return getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
         limit.rlim_cur < STACK_BYTES;
}

// Blocks of a megabyte and more go back to the system when they are freed: else the C library keeps
// some that have no more than 32 MB, a tenth of a large build's memory.
static void return_large_blocks(void) {
#ifdef M_MMAP_THRESHOLD
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
}

int main(int count, char **words) {
  Call call = { count, CLI_FAILED, words };
  return_large_blocks();
  pthread_t thread;
  pthread_attr_t attributes;
  cli_guard_output();
  if (!stack_is_small() || pthread_attr_init(&attributes)) return run_program(count, words);
  pthread_attr_setstacksize(&attributes, STACK_BYTES);
  if (pthread_create(&thread, &attributes, run_call, &call)) return run_program(count, words);
  pthread_join(thread, NULL);
  pthread_attr_destroy(&attributes);
  return call.status;
}
