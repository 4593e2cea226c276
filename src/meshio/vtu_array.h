// A DataArray of a VTU file: where its numbers are and how they are encoded.
#ifndef LB_MESHIO_VTU_ARRAY_H
#define LB_MESHIO_VTU_ARRAY_H

#include "meshio/scan.h"
#include "meshio/xml.h"

typedef struct lbVtuEncoding { // what holds for the whole file
  const char *path;
  bool swapped;                        // the other byte order
  bool long_headers;                   // UInt64
  bool is_compressed;                  // zlib
  const char *appended, *appended_end; // the appended data; NULL: none
  bool appended_is_base64;
  size_t
      *bytes_left; // that all arrays together may still be decoded to; arrays can share their data
} lbVtuEncoding;

typedef enum lbVtuFormat { LB_VTU_ASCII, LB_VTU_BINARY, LB_VTU_APPENDED } lbVtuFormat;

typedef struct lbVtuArray {
  bool is_there;
  char name[64];
  lbScalar type;
  int64_t components; // 0 where the file does not say
  lbVtuFormat format;
  int64_t offset;          // in the appended data
  const char *begin, *end; // of the inline data
  int32_t line;
} lbVtuArray;

// From the tag that was just read; moves `text` behind inline data.
lbStatus lb_vtu_array_parse(lbText *text, const lbXmlTag *tag, lbVtuArray *array, lbError *err);

typedef struct lbVtuValues { // an array opened for reading
  lbScan scan;
  char label[400]; // what messages begin with
  char *decoded;
} lbVtuValues;

// `values` must not be moved while in use. Release it also after a failure.
lbStatus lb_vtu_array_open(const lbVtuEncoding *encoding, const lbVtuArray *array,
                           lbVtuValues *values, lbError *err);
void lb_vtu_values_release(lbVtuValues *values);

#endif
