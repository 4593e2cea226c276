// The verbs of limber-mpi that limber has not.
#ifndef LIMBER_APPS_MPI_H
#define LIMBER_APPS_MPI_H

#include "apps/cli/cli.h"

#include <stdio.h>
#include <string.h>

extern const cliVerb mpi_bench;

#endif
