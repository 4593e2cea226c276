// Files that another file names: material libraries, pictures, buffers.
#ifndef LB_MESHIO_COMPANION_H
#define LB_MESHIO_COMPANION_H

#include "limber/base.h"

// Where the file `name` beside `path` is, in its folder or below (lb_file_named). Back slashes
// separate folders too; of an absolute name (some other machine's) only the last part counts. The
// message names the file that was looked for. Free *out with lb_free.
lbStatus lb_companion_path(const char *path, const char *name, char **out, lbError *err);

// Reads that file.
lbStatus lb_companion_read(const char *path, const char *name, char **content, size_t *bytes,
                           lbError *err);

// "image/png" and so on by the first bytes; NULL when it is not a known kind of picture.
const char *lb_picture_mime(const void *data, size_t bytes);
// ".png" and so on; "" for an unknown type.
const char *lb_picture_extension(const char *mime);

#endif
