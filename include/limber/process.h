// limber/process.h: other programs (meshers, encoders, limber-assimp), started without a shell,
// that never outlive the process that started them. POSIX, build side.
#ifndef LIMBER_PROCESS_H
#define LIMBER_PROCESS_H

#include "limber/base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LB_PROGRAM_PATH 4096 // bytes of the longest path of a program

// The program's full path: in the folder of the running program when `beside`, else by PATH, whose
// relative entries are skipped. False when it is nowhere.
bool lb_program_find(const char *name, bool beside, char path[LB_PROGRAM_PATH]);

typedef struct lbProcessDef {
  const char *const *words;  // the program's path and its arguments; NULL ends them
  const char *folder;        // where it runs; NULL: where this process does
  int input, output, errors; // descriptors that it gets as 0, 1 and 2; -1: nothing (/dev/null)
} lbProcessDef;

// Nothing connected.
lbProcessDef lb_process_def(void);

// Starts it in a process group of its own, so that Ctrl-C reaches only the caller, which decides
// about it; with the usual signal handlers. It inherits no other descriptors than the caller
// leaves open for it. When the calling thread ends, even by SIGKILL, so does the program (on
// Linux). *id is for waitpid and kill.
lbStatus lb_process_start(const lbProcessDef *def, int *id, lbError *err);

#ifdef __cplusplus
}
#endif
#endif
