// viewer/serve_path.h: from the path in a request to an open file that is surely in the folder.
#ifndef VW_SERVE_PATH_H
#define VW_SERVE_PATH_H

#include <stdbool.h>
#include <stddef.h>

enum { VW_PATH_BYTES = 1024 }; // longest decoded path with its ending zero

// Decodes %XX of "/a/b%20c" into "a/b c". Returns 0, or the HTTP status that refuses it: 400 when
// it does not begin with one slash, or an escape is broken or stands for a slash, a backslash or a
// control character; 404 when a component is empty or begins with a dot; 414 when it is too long.
// A slash at the end is kept.
int vw_path_decode(const char *raw, char path[VW_PATH_BYTES]);

// Whether an extra file may have this name: vw_path_decode could give it, and it names no folder.
bool vw_path_is_file_name(const char *path);

// Opens a decoded path under a folder for reading, without following a symbolic link anywhere and
// without waiting for a FIFO. -1 with errno; a path that ends with a slash, and "", is a folder.
int vw_path_open(int folder, const char *path);

// By the ending of the name; application/octet-stream for unknown ones.
const char *vw_path_mime(const char *path);

#endif
