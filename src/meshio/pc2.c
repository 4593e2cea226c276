// PC2: "POINTCACHE2\0", version 1, points, start frame, sample rate, frames, then floats; all
// little endian.
#include "meshio/pc2.h"

#include "arrayio/scalar.h"

#include <errno.h>
#include <float.h>
#include <math.h>

#define FRAME_COUNT_AT 28 // byte

lbStatus lb_pc2_begin(lbPc2Writer *writer, const char *path, int32_t point_count,
                      double start_frame, double sample_rate, lbError *err) {
  uint8_t header[32] = "POINTCACHE2";
  *writer = (lbPc2Writer){ .point_count = point_count };
  if (point_count < 1 || !(fabs(start_frame) < 1e9) || !(sample_rate > 0 && sample_rate < 1e9))
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "%s: a point cache needs points (%d), a finite start frame (%g) and a positive "
                   "sample rate (%g)",
                   path, (int)point_count, start_frame, sample_rate);
  lbStatus status = lb_file_begin(&writer->file, path, err);
  if (status) return status;
  lb_put_u32(header + 12, 1);
  lb_put_u32(header + 16, (uint32_t)point_count);
  lb_put_f32(header + 20, (float)start_frame);
  lb_put_f32(header + 24, (float)sample_rate);
  fwrite(header, sizeof header, 1, writer->file.stream);
  return LB_OK;
}

lbStatus lb_pc2_add(lbPc2Writer *writer, const double *positions, lbError *err) {
  LB_ASSERT(writer->file.stream);
  if (writer->frame_count == INT32_MAX) {
    lbStatus status = lb_fail(err, LB_ERR_ARGUMENT, "%s: too many frames", writer->file.path);
    lb_pc2_abort(writer);
    return status;
  }
  for (size_t i = 0; i < (size_t)writer->point_count; i++) {
    uint8_t row[12];
    for (size_t k = 0; k < 3; k++) {
      double x = positions[3 * i + k];
      if (!(fabs(x) <= (double)FLT_MAX)) {
        lbStatus status = lb_fail(
            err, LB_ERR_NUMERIC,
            "%s: frame %d: point %zu is at %c = %g, which is not a finite single-precision number",
            writer->file.path, (int)writer->frame_count, i, "xyz"[k], x);
        lb_pc2_abort(writer);
        return status;
      }
      lb_put_f32(row + 4 * k, (float)x);
    }
    fwrite(row, sizeof row, 1, writer->file.stream);
  }
  writer->frame_count++;
  if (!ferror(writer->file.stream)) return LB_OK;
  lbStatus status = lb_fail(err, LB_ERR_FILE, "%s: cannot write, is the disk full: %s",
                            writer->file.path, strerror(errno));
  lb_pc2_abort(writer);
  return status;
}

lbStatus lb_pc2_commit(lbPc2Writer *writer, lbError *err) {
  LB_ASSERT(writer->file.stream);
  uint8_t count[4];
  lb_put_u32(count, (uint32_t)writer->frame_count);
  if (fseek(writer->file.stream, FRAME_COUNT_AT, SEEK_SET) != 0) {
    lbStatus status = lb_fail(err, LB_ERR_FILE, "%s: cannot write, is the disk full: %s",
                              writer->file.path, strerror(errno));
    lb_pc2_abort(writer);
    return status;
  }
  fwrite(count, sizeof count, 1, writer->file.stream);
  return lb_file_commit(&writer->file, err);
}

void lb_pc2_abort(lbPc2Writer *writer) { lb_file_abort(&writer->file); }
