// Many files that appear together or not at all: written into a folder of their own beside their
// place, moved when all are complete, removed when not.
#ifndef LB_EXPORT_STAGING_H
#define LB_EXPORT_STAGING_H

#include "limber/base.h"

typedef struct lbStaging {
  char *path; // as given to begin
  char *folder;
} lbStaging;

// `path` names the place: its folder gets the files.
lbStatus lb_staging_begin(lbStaging *staging, const char *path, lbError *err);
// Where to write the file of this name for now. Free with lb_free; NULL: no memory.
char *lb_staging_file(const lbStaging *staging, const char *name);
// Moves every file, replacing those of the same name; the one named like `path` comes last. Nothing
// is moved where a folder has the name of a file. Ends the staging either way.
lbStatus lb_staging_commit(lbStaging *staging, lbError *err);
void lb_staging_abort(lbStaging *staging); // legal at any time

#endif
