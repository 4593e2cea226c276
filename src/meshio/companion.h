// Files that another file names: material libraries, pictures, buffers.
#ifndef LB_MESHIO_COMPANION_H
#define LB_MESHIO_COMPANION_H

#include "limber/base.h"

// Where the file `name` beside `path` is looked for. Back slashes separate folders too; of an
// absolute name (some other machine's) only the last part counts. NULL: no memory.
char *lb_companion_path(const char *path, const char *name);

// Reads that file. Only ordinary files below a gibibyte: a name such as ../../dev/zero must not
// stop the reader. The message names the file that was looked for.
lbStatus lb_companion_read(const char *path, const char *name, char **content, size_t *bytes,
                           lbError *err);

// "image/png" and so on by the first bytes; NULL when it is not a known kind of picture.
const char *lb_picture_mime(const void *data, size_t bytes);
// ".png" and so on; "" for an unknown type.
const char *lb_picture_extension(const char *mime);

#endif
