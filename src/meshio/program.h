// Running another program to its end: its output kept in a file, with a time limit; a scratch
// folder that is removed with all it holds.
#ifndef LB_MESHIO_PROGRAM_H
#define LB_MESHIO_PROGRAM_H

#include "limber/base.h"

typedef struct lbProgramResult {
  bool timed_out;
  bool interrupted; // the progress hook asked to stop
  int exit_code;    // -1: ended by a signal
  double seconds;
} lbProgramResult;

// arguments end with NULL; arguments[0] is the program's path. Runs in `folder`; standard output
// and error go to folder/log, standard input is empty. Reports progress as `stage`.
lbStatus lb_program_run(char *const *arguments, const char *folder, double time_limit,
                        const char *stage, lbProgramResult *result, lbError *err);

// A new folder under $TMPDIR or /tmp; remove frees the name too. NULL is legal.
lbStatus lb_scratch_folder_make(char **folder, lbError *err);
void lb_scratch_folder_remove(char *folder);
// folder/name, NULL without memory. lb_free it.
char *lb_scratch_path(const char *folder, const char *name);

#endif
