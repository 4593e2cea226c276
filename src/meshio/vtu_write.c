// VTU with inline base64 (little-endian, every bit of a coordinate survives) and PVD collections.
// Cells are the triangles, then the tets, then the bricks; the cell array "group" holds the tag of
// the first group that a cell is in, 0 for none.
#include "limber/file.h"
#include "meshio/base64.h"
#include "meshio/formats.h"
#include "meshio/group_tags.h"
#include "arrayio/print.h"
#include "meshio/scan.h"
#include "meshio/vtu.h"
#include "meshio/xml.h"

#include <string.h>

typedef struct Writer {
  FILE *stream;
  lbBase64Writer base64;
  bool big_endian;
} Writer;

static void put_bytes(Writer *writer, const void *value, size_t bytes) {
  uint8_t little[8];
  const uint8_t *from = value;
  for (size_t i = 0; i < bytes; i++) little[i] = from[writer->big_endian ? bytes - 1 - i : i];
  lb_base64_write(&writer->base64, little, bytes);
}

static void put_int32(Writer *writer, int32_t value) { put_bytes(writer, &value, sizeof value); }

static void begin_array(Writer *writer, const char *type, const char *name, int32_t components,
                        uint64_t bytes) {
  fprintf(writer->stream, "        <DataArray type=\"%s\" Name=\"", type);
  lb_xml_print(writer->stream, name);
  fprintf(writer->stream, "\" NumberOfComponents=\"%d\" format=\"binary\">\n          ",
          (int)components);
  writer->base64 = (lbBase64Writer){ .stream = writer->stream };
  put_bytes(writer, &bytes, sizeof bytes);
}

static void end_array(Writer *writer) {
  lb_base64_end(&writer->base64);
  fputs("\n        </DataArray>\n", writer->stream);
}

static void write_doubles(Writer *writer, const char *name, int32_t components, int32_t rows,
                          const double *values) {
  size_t count = (size_t)rows * (size_t)components;
  begin_array(writer, "Float64", name, components, count * sizeof(double));
  for (size_t i = 0; i < count; i++) put_bytes(writer, &values[i], sizeof(double));
  end_array(writer);
}

static void write_cells(Writer *writer, const lbMesh *mesh) {
  const struct {
    int32_t count, corners, type;
    const int32_t *rows;
  } parts[3] = { { mesh->triangle_count, 3, 5, mesh->triangles },
                 { mesh->tet_count, 4, 10, mesh->tets },
                 { mesh->brick_count, 8, 12, mesh->bricks } };
  size_t cells = 0, vertices = 0;
  for (int p = 0; p < 3; p++) {
    cells += (size_t)parts[p].count;
    vertices += (size_t)parts[p].count * (size_t)parts[p].corners;
  }
  fputs("      <Cells>\n", writer->stream);
  begin_array(writer, "Int32", "connectivity", 1, 4 * vertices);
  for (int p = 0; p < 3; p++)
    for (size_t i = 0; i < (size_t)parts[p].count * (size_t)parts[p].corners; i++)
      put_int32(writer, parts[p].rows[i]);
  end_array(writer);
  begin_array(writer, "Int64", "offsets", 1, 8 * cells);
  int64_t offset = 0;
  for (int p = 0; p < 3; p++)
    for (int32_t i = 0; i < parts[p].count; i++) {
      offset += parts[p].corners;
      put_bytes(writer, &offset, sizeof offset);
    }
  end_array(writer);
  begin_array(writer, "UInt8", "types", 1, cells);
  for (int p = 0; p < 3; p++)
    for (int32_t i = 0; i < parts[p].count; i++)
      put_bytes(writer, &(uint8_t){ (uint8_t)parts[p].type }, 1);
  end_array(writer);
  fputs("      </Cells>\n", writer->stream);
}

// The tags of all cells, first group first; NULL without memory.
static int32_t *cell_tags(const lbMesh *mesh) {
  int32_t *group_tags = lb_group_tags(mesh);
  size_t cells = (size_t)mesh->triangle_count + (size_t)lb_mesh_element_count(mesh);
  int32_t *tags = lb_alloc(cells, sizeof *tags);
  for (int32_t g = 0; g < mesh->group_count && group_tags && tags; g++) {
    const lbGroup *group = &mesh->groups[g];
    if (group->kind == LB_GROUP_VERTICES) continue;
    size_t begin = group->kind == LB_GROUP_ELEMENTS ? (size_t)mesh->triangle_count : 0;
    for (int32_t k = 0; k < group->count; k++) {
      int32_t *tag = &tags[begin + (size_t)group->ids[k]];
      if (*tag == 0) *tag = group_tags[g];
    }
  }
  if (!group_tags) {
    lb_free(tags);
    return NULL;
  }
  lb_free(group_tags);
  return tags;
}

static void write_grid(Writer *writer, const lbMesh *mesh, const int32_t *tags,
                       const lbVtuField *fields, int32_t field_count) {
  size_t cells = (size_t)mesh->triangle_count + (size_t)lb_mesh_element_count(mesh);
  fprintf(writer->stream, "    <Piece NumberOfPoints=\"%d\" NumberOfCells=\"%zu\">\n",
          (int)mesh->vertex_count, cells);
  fputs("      <PointData>\n", writer->stream);
  for (int32_t i = 0; i < field_count; i++)
    write_doubles(writer, fields[i].name, fields[i].components, mesh->vertex_count,
                  fields[i].values);
  fputs("      </PointData>\n      <CellData>\n", writer->stream);
  begin_array(writer, "Int32", "group", 1, 4 * cells);
  for (size_t i = 0; i < cells; i++) put_int32(writer, tags[i]);
  end_array(writer);
  fputs("      </CellData>\n      <Points>\n", writer->stream);
  write_doubles(writer, "Points", 3, mesh->vertex_count, mesh->positions);
  fputs("      </Points>\n", writer->stream);
  write_cells(writer, mesh);
  fputs("    </Piece>\n", writer->stream);
}

lbStatus lb_write_vtu_fields(const lbMesh *mesh, const lbVtuField *fields, int32_t field_count,
                             const char *path, lbError *err) {
  lbFileWriter file = { 0 };
  for (int32_t i = 0; i < field_count; i++)
    if (fields[i].components < 1)
      return lb_fail(err, LB_ERR_ARGUMENT, "%s: field \"%s\" has %d components", path,
                     fields[i].name, (int)fields[i].components);
  int32_t *tags = cell_tags(mesh);
  lbStatus status = tags ? lb_file_begin(&file, path, err) : lb_fail_memory(err);
  if (!status) {
    Writer writer = { .stream = file.stream, .big_endian = lb_machine_is_big_endian() };
    fputs("<?xml version=\"1.0\"?>\n"
          "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" "
          "header_type=\"UInt64\">\n  <UnstructuredGrid>\n",
          file.stream);
    write_grid(&writer, mesh, tags, fields, field_count);
    fputs("  </UnstructuredGrid>\n</VTKFile>\n", file.stream);
    status = lb_file_commit(&file, err);
  }
  lb_free(tags);
  return status;
}

lbStatus lb_write_vtu(const lbMesh *mesh, const char *path, lbError *err) {
  return lb_write_vtu_fields(mesh, NULL, 0, path, err);
}

lbStatus lb_write_pvd(const lbPvdFrame *frames, int32_t frame_count, const char *path,
                      lbError *err) {
  lbFileWriter file = { 0 };
  lbStatus status = lb_file_begin(&file, path, err);
  if (status) return status;
  fputs("<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" "
        "byte_order=\"LittleEndian\">\n  <Collection>\n",
        file.stream);
  for (int32_t i = 0; i < frame_count; i++) {
    fputs("    <DataSet timestep=\"", file.stream);
    lb_print_number(file.stream, frames[i].time, 17);
    fprintf(file.stream, "\" group=\"\" part=\"%d\" file=\"", (int)frames[i].part);
    lb_xml_print(file.stream, frames[i].file);
    fputs("\"/>\n", file.stream);
  }
  fputs("  </Collection>\n</VTKFile>\n", file.stream);
  return lb_file_commit(&file, err);
}
