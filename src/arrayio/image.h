// Volume images: numbers on a grid in space, such as a CT scan, as maps of density and stiffness.
// NIfTI-1 (one file, .nii), NRRD (one file, .nrrd), and raw bytes whose layout the user knows; all
// uncompressed, in either byte order.
#ifndef LB_ARRAYIO_IMAGE_H
#define LB_ARRAYIO_IMAGE_H

#include "limber/math.h"
#include "arrayio/scalar.h"

typedef struct lbImage {
  int32_t size[3]; // values along its axes, each at least 1
  float *values;   // (size[0] x size[1] x size[2]), the first axis fastest; finite
  float low, high; // the least and the greatest of them
  // Value i j k lies at origin + axes (i, j, k), m. Files in millimetres (NIfTI's and NRRD's units;
  // NIfTI files that name none) are converted.
  lbVec3 origin;
  lbMat3 axes; // columns; invertible
} lbImage;

// By its content: NIfTI or NRRD. `path` is for messages. Sizes are checked against the length of
// the content before anything is allocated.
lbStatus lb_image_parse(const char *path, const char *content, size_t bytes, lbImage **out,
                        lbError *err);
// Raw: size[0] x size[1] x size[2] values of a type and nothing else; spacing (m) along the axes,
// the first value at `origin`.
typedef struct lbRawImage {
  int32_t size[3];
  lbScalar type;
  bool big_endian;
  double spacing[3]; // m
  double origin[3];  // m
} lbRawImage;
lbStatus lb_image_parse_raw(const char *path, const char *content, size_t bytes,
                            const lbRawImage *layout, lbImage **out, lbError *err);
void lb_image_destroy(lbImage *image); // NULL is legal

// The value at a place, linear between those around; outside that at the nearest place inside.
double lb_image_at(const lbImage *image, lbVec3 point);
// Moves and scales the image so that the outer faces of its values' cells are those of the box low
// .. high, axis by axis in its own order: i along x, j along y, k along z.
void lb_image_fit(lbImage *image, lbVec3 low, lbVec3 high);

// ---- for the readers ---------------------------------------------------------------------------

// What a header says.
typedef struct lbImageHead {
  int64_t size[3];
  lbScalar type;
  bool big_endian;
  double slope, intercept; // value = slope x number + intercept
  lbVec3 origin;
  lbMat3 axes;
  size_t data; // where the numbers begin
} lbImageHead;

lbStatus lb_nifti_head(const char *path, const char *content, size_t bytes, lbImageHead *head,
                       lbError *err);
lbStatus lb_nrrd_head(const char *path, const char *content, size_t bytes, lbImageHead *head,
                      lbError *err);

#endif
