// The part of the assimp reader that runs in a child process.
#ifndef LB_MESHIO_ASSIMP_CHILD_H
#define LB_MESHIO_ASSIMP_CHILD_H

#include "meshio/assimp.h"

#define LB_CHILD_NO_MEMORY 3 // exit status

// Sets the limits, reads the file, writes the answer to pipe_end and ends the process.
_Noreturn void lb_assimp_child(const char *path, lbAssimpLimits limits, int pipe_end);

#endif
