// limber-mpi: the slow verbs of limber over MPI. Rank 0 is the program; the other ranks work for
// it.
#include "apps/mpi/verbs.h"

#include <unistd.h>

static const cliVerb *const verbs[] = { &cli_modes, &cli_build, &mpi_bench };
enum { VERB_COUNT = sizeof verbs / sizeof *verbs };

static void print_mpi_help(FILE *to) {
  fprintf(to,
          "limber-mpi " LB_VERSION ": limber over MPI, for meshes that one process cannot take\n\n"
          "usage: mpirun -n RANKS limber-mpi VERB ... [options]\n\n");
  for (int i = 0; i < VERB_COUNT; i++)
    fprintf(to, "  %-10s %s\n", verbs[i]->name, verbs[i]->summary);
  fprintf(to,
          "\nVerbs, options and output are those of limber (limber-mpi VERB --help), and\n"
          "  --solver NAME   direct, iterative, or auto (the default): direct up to %d rows\n"
          "  --restart DIR   keep what is finished there, and go on from it\n"
          "  --memory GB     that a rank may take (its share of what its machine has free)\n"
          "\nPETSC_OPTIONS has options for PETSc, SLEPc and MUMPS. Exit status: 0 ok, 1 the job "
          "failed,\n2 a wrong command line.\n\nexample:\n"
          "  mpirun -n 8 limber-mpi modes scan.msh --young 1e6\n"
          "  mpirun -n 8 limber-mpi build scan.msh -o scan.glb\n",
          LB_PETSC_DIRECT_ROWS);
}

// ---- the program's own options -----------------------------------------------------------------

// Takes "--name VALUE" or "--name=VALUE" out of the words; NULL: it is not there.
static const char *take_mpi_option(const char *name, int *count, char **words) {
  size_t length = strlen(name);
  for (int i = 0; i < *count; i++) {
    bool whole = strcmp(words[i], name) == 0;
    if (!whole && (strncmp(words[i], name, length) != 0 || words[i][length] != '=')) continue;
    if (whole && i + 1 == *count) return "";
    const char *value = whole ? words[i + 1] : words[i] + length + 1;
    int taken = whole ? 2 : 1;
    memmove(words + i, words + i + taken, (size_t)(*count - i - taken) * sizeof *words);
    *count -= taken;
    return value;
  }
  return NULL;
}

static bool parse_solver(const char *name, lbPetscSolver *solver) {
  static const char *const names[] = { "auto", "direct", "iterative" };
  for (int i = 0; i < 3; i++)
    if (strcmp(name, names[i]) == 0) {
      *solver = (lbPetscSolver)i;
      return true;
    }
  return false;
}

static bool has_option(const char *name, int count, char **words) {
  for (int i = 0; i < count; i++)
    if (strncmp(words[i], name, strlen(name)) == 0) return true;
  return false;
}

// ---- meshes in parts ---------------------------------------------------------------------------

lbStatus mpi_read(const char *path, const lbMaterial *material, lbPetscBody *body, lbError *err) {
  if (!lb_petsc_reads(path)) return lb_fail(err, LB_ERR_UNSUPPORTED, "not in parts");
  lbStatus status = lb_petsc_read(path, material, body, err);
  if (status == LB_ERR_UNSUPPORTED) lb_log(LB_LOG_INFO, "%s", err->text);
  return status;
}

static lbStatus find_mpi_modes(const char *path, const lbMaterial *material, int32_t count,
                               cliModesBody *about, lbModes **modes, lbError *err) {
  lbPetscBody body;
  lbStatus status = mpi_read(path, material, &body, err);
  if (status) return status;
  *about = (cliModesBody){ body.vertex_count, body.element_count, body.total_mass };
  status = lb_petsc_modes(&body, count, modes, err);
  lb_petsc_close(&body);
  return status;
}

// ---- rank 0 ------------------------------------------------------------------------------------

// The ranks have a processor each, so a rank has one thread by default.
static cliStatus run_mpi_verb(const cliVerb *verb, int count, char **words) {
  enum { MOST = 256 };
  static char threads[] = "--threads=1";
  char *all[MOST];
  if (count >= MOST - 1) return cli_usage(verb, "too many words");
  memcpy(all, words, (size_t)count * sizeof *words);
  if (!has_option("--threads", count, words)) all[count++] = threads;
  cliStatus status = verb->run(count, all);
  cli_flush_notes();
  return status;
}

static cliStatus run_mpi(int count, char **words) {
  lbPetscDef def = lb_petsc_def();
  const char *solver = take_mpi_option("--solver", &count, words);
  def.restart = take_mpi_option("--restart", &count, words);
  if (def.restart && !def.restart[0]) {
    cli_note("--restart needs a folder");
    return CLI_USAGE;
  }
  if (solver && !parse_solver(solver, &def.solver)) {
    cli_note("--solver is \"%s\", use auto, direct or iterative", solver);
    return CLI_USAGE;
  }
  const char *memory = take_mpi_option("--memory", &count, words);
  if (memory && (sscanf(memory, "%lf", &def.memory) != 1 || !(def.memory > 0))) {
    cli_note("--memory is \"%s\", it must be a number of gigabytes", memory);
    return CLI_USAGE;
  }
  def.memory *= 1e9;
  lb_petsc_install(&def);
  if (!def.restart) cli_modes_elsewhere = find_mpi_modes; // what is kept is of whole bodies
  if (count > 1 && strcmp(words[1], "--version") == 0) {
    printf("limber-mpi " LB_VERSION "\n");
    return CLI_OK;
  }
  for (int i = 0; count > 1 && i < VERB_COUNT; i++)
    if (strcmp(words[1], verbs[i]->name) == 0) return run_mpi_verb(verbs[i], count - 2, words + 2);
  bool help = count > 1 && (strcmp(words[1], "--help") == 0 || strcmp(words[1], "-h") == 0);
  if (count > 1 && !help) cli_note("unknown verb \"%s\", use modes, build or bench", words[1]);
  if (count < 2 || help) print_mpi_help(help ? stdout : stderr);
  return help ? CLI_OK : CLI_USAGE;
}

// ---- the end -----------------------------------------------------------------------------------

// mpirun passes Ctrl-C on as SIGTERM, and a second later kills the remaining processes. Rank 0 says
// that the job was interrupted before that; the others wait for it, but not for ever.
static void wait_for_rank_0(int signal_number) {
  (void)signal_number;
  alarm(3);
}

int main(int count, char **words) {
  lbError err;
  int status = CLI_OK;
  cli_guard_output();
  if (lb_petsc_start(&err)) return cli_fail(&err);
  if (lb_petsc_rank() == 0) {
    cli_end_within(0.4);
    status = cli_finish_output(run_mpi(count, words));
  } else {
    cli_catch_end(wait_for_rank_0);
    lb_petsc_serve();
  }
  lb_petsc_stop();
  lb_build_stop();
  return status;
}
