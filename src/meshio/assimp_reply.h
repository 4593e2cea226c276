// The input of the program limber-assimp, and its answer on standard output.
//
//   limber-assimp FILE SECONDS BYTES: the limits that it sets itself before it reads the file.
//
// 'M' and a message; or 'U': it does not know the type of file; or 'T', 3 x 3 doubles a triangle,
// and 'E' for the end.
#ifndef LB_MESHIO_ASSIMP_REPLY_H
#define LB_MESHIO_ASSIMP_REPLY_H

#define LB_ASSIMP_PROGRAM "limber-assimp"
#define LB_ASSIMP_NO_MEMORY 3 // exit status
#define LB_ASSIMP_BAD_CALL 5

#endif
