// The verbs that only limber-mpi has.
#ifndef LIMBER_APPS_MPI_H
#define LIMBER_APPS_MPI_H

#include "apps/cli/cli.h"
#include "limber/petsc.h"

#include <stdio.h>
#include <string.h>

extern const cliVerb mpi_bench;

// A mesh file in parts, where it can be read so; LB_ERR_UNSUPPORTED: rank 0 must have all of it.
lbStatus mpi_read(const char *path, const lbMaterial *material, lbPetscBody *body, lbError *err);

#endif
