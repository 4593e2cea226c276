// MDD: frames, points (32-bit integers), the time of each frame, then x y z of every point of every
// frame (floats); all big endian.
#include "meshio/mdd.h"

#include "arrayio/scalar.h"

#include <errno.h>
#include <float.h>
#include <math.h>

static void put_mdd_u32(FILE *stream, uint32_t value) {
  uint8_t bytes[4] = { (uint8_t)(value >> 24), (uint8_t)(value >> 16), (uint8_t)(value >> 8),
                       (uint8_t)value };
  fwrite(bytes, sizeof bytes, 1, stream);
}

static void put_f32(FILE *stream, double value) {
  float single = (float)value;
  uint32_t bits;
  memcpy(&bits, &single, sizeof bits);
  put_mdd_u32(stream, bits);
}

static lbStatus fail_write(lbMddWriter *writer, lbError *err) {
  lbStatus status = lb_fail(err, LB_ERR_FILE, "%s: cannot write, is the disk full: %s",
                            writer->file.path, strerror(errno));
  lb_mdd_abort(writer);
  return status;
}

lbStatus lb_mdd_begin(lbMddWriter *writer, const char *path, int32_t point_count,
                      int32_t frame_count, const double *times, lbError *err) {
  *writer = (lbMddWriter){ .point_count = point_count, .frame_count = frame_count };
  if (point_count < 1 || frame_count < 1)
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: a point cache needs points (%d) and frames (%d)",
                   path, (int)point_count, (int)frame_count);
  lbStatus status = lb_file_begin(&writer->file, path, err);
  if (status) return status;
  put_mdd_u32(writer->file.stream, (uint32_t)frame_count);
  put_mdd_u32(writer->file.stream, (uint32_t)point_count);
  for (int32_t f = 0; f < frame_count; f++) put_f32(writer->file.stream, times[f]);
  return LB_OK;
}

lbStatus lb_mdd_add(lbMddWriter *writer, const double *positions, lbError *err) {
  LB_ASSERT(writer->file.stream && writer->written < writer->frame_count);
  for (size_t i = 0; i < 3 * (size_t)writer->point_count; i++) {
    if (!(fabs(positions[i]) <= (double)FLT_MAX)) {
      lbStatus status = lb_fail(
          err, LB_ERR_NUMERIC,
          "%s: frame %d: point %zu is at %c = %g, which is not a finite single-precision number",
          writer->file.path, (int)writer->written, i / 3, "xyz"[i % 3], positions[i]);
      lb_mdd_abort(writer);
      return status;
    }
    put_f32(writer->file.stream, positions[i]);
  }
  writer->written++;
  return ferror(writer->file.stream) ? fail_write(writer, err) : LB_OK;
}

lbStatus lb_mdd_commit(lbMddWriter *writer, lbError *err) {
  LB_ASSERT(writer->file.stream && writer->written == writer->frame_count);
  return lb_file_commit(&writer->file, err);
}

void lb_mdd_abort(lbMddWriter *writer) { lb_file_abort(&writer->file); }
