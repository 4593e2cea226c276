// Sets of named arrays: a struct of sizes and const pointers, described by a table of rows.
// Copying, packing, reading, checking and showing such a struct all walk its table.
#ifndef LB_MODEL_ARRAYS_H
#define LB_MODEL_ARRAYS_H

#include "limber/model.h"

#define LB_NO_SIZE ((size_t)-1)

// times * (the int32_t at `size` in the struct) + plus; a constant when size is LB_NO_SIZE.
typedef struct lbExtent {
  size_t size;
  int32_t times, plus;
} lbExtent;

typedef struct lbArrayRow {
  const char *name, *unit, *meaning;
  lbArrayType type;
  size_t field; // offset of the pointer in the struct
  int32_t rank;
  lbExtent shape[3]; // of a text: how many texts
  bool optional;     // may be absent; otherwise absent only where it has no items
  bool infinite;     // floats may be infinite
  lbExtent below;    // integers must be from `low` to below this; size and times 0: any value
  int32_t low;
  uint32_t since; // version of the file format that has it; 0: the first
} lbArrayRow;

typedef struct lbSizeRow {
  const char *name;
  size_t field;
} lbSizeRow;

typedef struct lbArrayTable {
  const char *what; // "model"
  size_t struct_bytes;
  const lbSizeRow *sizes; // in the order of the file; new ones are added at the end
  int32_t size_count;
  const lbArrayRow *rows;
  int32_t row_count;
} lbArrayTable;

extern const lbArrayTable lb_model_table;
extern const lbArrayTable lb_world_table;

static inline int32_t *lb_arrays_size(const lbArrayTable *table, void *object, int32_t index) {
  return (int32_t *)((char *)object + table->sizes[index].field);
}
static inline const void *lb_arrays_data(const lbArrayRow *row, const void *object) {
  return *(const void *const *)((const char *)object + row->field);
}
static inline void lb_arrays_set_data(const lbArrayRow *row, void *object, const void *data) {
  *(const void **)((char *)object + row->field) = data;
}

int64_t lb_extent(lbExtent extent, const void *object);
// Items of a row by the sizes in the object; -1 on overflow. Of a text: how many texts.
int64_t lb_arrays_item_count(const lbArrayRow *row, const void *object);
// Bytes of a row's data; of texts, by looking at them. The data must be there.
size_t lb_arrays_bytes(const lbArrayRow *row, const void *object);
lbArrayView lb_arrays_view(const lbArrayRow *row, const void *object);

// The lowest version of the file format that has all arrays of the object.
uint32_t lb_arrays_version(const lbArrayTable *table, const void *object);

// Whether `bytes` bytes are exactly `count` texts of UTF-8 without control characters but newline.
bool lb_arrays_are_texts(const char *texts, size_t bytes, int64_t count);

// Sizes are not negative, arrays that must be there are, floats are numbers, integers in range. The
// message begins with `where`.
lbStatus lb_arrays_check(const lbArrayTable *table, const void *object, const char *where,
                         lbError *err);

#endif
