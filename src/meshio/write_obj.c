// Wavefront OBJ: all vertices in order, texture coordinates once each, faces in order, with `g` and
// `usemtl` lines wherever the groups or the appearance change. Appearances go to a .mtl file
// beside.
#include "meshio/formats.h"

#include "limber/file.h"
#include "mesh/points.h"
#include "arrayio/print.h"
#include "meshio/surface.h"
#include "meshio/write_mtl.h"

#include <string.h>

// The groups of every triangle: groups[begin[t] .. begin[t + 1]).
typedef struct Memberships {
  size_t *begin;
  int32_t *groups;
} Memberships;

typedef struct Writer {
  const lbMesh *mesh;
  lbWrittenSurface surface;
  Memberships memberships;
  int32_t *uv_ids; // (triangle_count x 3), NULL: none
  bool has_appearances;
  const char *library; // written apart by the caller; NULL: a .mtl file beside, written too
  FILE *stream;
} Writer;

static bool is_obj_listed(const lbGroup *group) {
  return group->kind == LB_GROUP_TRIANGLES && group->count > 0;
}

static lbStatus find_memberships(Writer *writer, lbError *err) {
  const lbMesh *mesh = writer->mesh;
  size_t triangle_count = (size_t)mesh->triangle_count, total = 0;
  if (writer->surface.owned) return LB_OK; // groups count the mesh's own triangles
  size_t *begin = lb_alloc(triangle_count + 2, sizeof(size_t));
  writer->memberships.begin = begin;
  if (!begin) return lb_fail_memory(err);
  for (int32_t g = 0; g < mesh->group_count; g++)
    for (int32_t k = 0; k < mesh->groups[g].count && is_obj_listed(&mesh->groups[g]); k++)
      begin[mesh->groups[g].ids[k] + 2]++, total++;
  for (size_t t = 2; t < triangle_count + 2; t++) begin[t] += begin[t - 1];
  int32_t *groups = lb_alloc(total, sizeof(int32_t));
  writer->memberships.groups = groups;
  if (!groups) return lb_fail_memory(err);
  for (int32_t g = 0; g < mesh->group_count; g++)
    for (int32_t k = 0; k < mesh->groups[g].count && is_obj_listed(&mesh->groups[g]); k++)
      groups[begin[mesh->groups[g].ids[k] + 1]++] = g;
  return LB_OK;
}

static void write_obj_vertices(const Writer *writer) {
  const float *colors = writer->mesh->vertex_colors;
  for (size_t i = 0; i < (size_t)writer->mesh->vertex_count; i++) {
    fputc('v', writer->stream);
    for (size_t k = 0; k < 3; k++) {
      fputc(' ', writer->stream);
      lb_print_number(writer->stream, writer->mesh->positions[3 * i + k], 15);
    }
    for (size_t k = 0; k < 3 && colors && colors[4 * i] >= 0; k++) {
      fputc(' ', writer->stream);
      lb_print_number(writer->stream, (double)colors[4 * i + k], 9);
    }
    fputc('\n', writer->stream);
  }
}

static lbStatus write_uvs(Writer *writer, lbError *err) {
  const float *uvs = writer->surface.owned ? NULL : writer->mesh->corner_uvs;
  if (!uvs) return LB_OK;
  lbHashTable points = lb_point_table();
  lbStatus status = LB_OK;
  size_t corner_count = 3 * (size_t)writer->surface.triangle_count;
  writer->uv_ids = lb_alloc(corner_count, sizeof(int32_t));
  if (!writer->uv_ids) status = lb_fail_memory(err);
  for (size_t i = 0; i < corner_count && !status; i++) {
    int32_t known = points.count;
    writer->uv_ids[i] = lb_point_table_add(&points, (double)uvs[2 * i], (double)uvs[2 * i + 1], 0);
    if (writer->uv_ids[i] < 0) status = lb_fail_memory(err);
    if (status || writer->uv_ids[i] < known) continue;
    fputs("vt ", writer->stream);
    lb_print_number(writer->stream, (double)uvs[2 * i], 15);
    fputc(' ', writer->stream);
    lb_print_number(writer->stream, 1 - (double)uvs[2 * i + 1], 15); // v up
    fputc('\n', writer->stream);
  }
  lb_hash_table_release(&points);
  return status;
}

static bool same_groups(const Memberships *memberships, size_t a, size_t b) {
  const size_t *begin = memberships->begin;
  size_t count = begin[a + 1] - begin[a];
  return count == begin[b + 1] - begin[b] &&
         memcmp(memberships->groups + begin[a], memberships->groups + begin[b],
                count * sizeof(int32_t)) == 0;
}

// A `g` line when this triangle's groups are not those of the one before.
static void write_groups(const Writer *writer, size_t t) {
  const Memberships *memberships = &writer->memberships;
  const lbMesh *mesh = writer->mesh;
  if (!memberships->begin) return;
  size_t first = memberships->begin[t], end = memberships->begin[t + 1];
  if (t == 0 ? first == end : same_groups(memberships, t - 1, t)) return;
  fputc('g', writer->stream);
  for (size_t i = first; i < end; i++) {
    int32_t group = memberships->groups[i];
    fputc(' ', writer->stream);
    lb_obj_write_name(writer->stream, mesh->groups[group].name, "group", group);
  }
  fputc('\n', writer->stream);
}

// OBJ cannot end a material: triangles without one get the name "none".
static void write_obj_appearance(const Writer *writer, size_t t) {
  if (!writer->has_appearances) return;
  const int32_t *ids = writer->mesh->triangle_appearances;
  if (t == 0 ? ids[0] < 0 : ids[t] == ids[t - 1]) return;
  fputs("usemtl ", writer->stream);
  if (ids[t] < 0)
    fputs("none", writer->stream);
  else
    lb_obj_write_name(writer->stream, writer->mesh->appearances[ids[t]].name, "material", ids[t]);
  fputc('\n', writer->stream);
}

static void write_faces(const Writer *writer) {
  for (size_t t = 0; t < (size_t)writer->surface.triangle_count; t++) {
    write_groups(writer, t);
    write_obj_appearance(writer, t);
    fputc('f', writer->stream);
    for (size_t k = 0; k < 3; k++) {
      fprintf(writer->stream, " %d", (int)writer->surface.triangles[3 * t + k] + 1);
      if (writer->uv_ids) fprintf(writer->stream, "/%d", (int)writer->uv_ids[3 * t + k] + 1);
    }
    fputc('\n', writer->stream);
  }
}

// x.obj -> x.mtl
static char *library_path(const char *path) {
  size_t stem = strlen(path) - strlen(lb_path_extension(path));
  char *library = lb_alloc(stem + 5, 1);
  if (!library) return NULL;
  memcpy(library, path, stem);
  memcpy(library + stem, ".mtl", 4);
  return library;
}

static lbStatus write_obj_all(Writer *writer, const char *path, lbError *err) {
  lbFileWriter file = { 0 };
  lbMtlWriter materials = { 0 };
  char *library = writer->library ? lb_duplicate_text(writer->library) : library_path(path);
  lbStatus status = library ? find_memberships(writer, err) : lb_fail_memory(err);
  writer->has_appearances = writer->mesh->appearance_count > 0 &&
                            writer->mesh->triangle_appearances && !writer->surface.owned;
  if (!status && writer->has_appearances && !writer->library)
    status = lb_mtl_begin(&materials, writer->mesh, library, err);
  if (!status) status = lb_file_begin(&file, path, err);
  if (status) goto done;
  writer->stream = file.stream;
  fputs("# written by limber " LB_VERSION "\n", file.stream);
  if (writer->has_appearances) fprintf(file.stream, "mtllib %s\n", lb_path_name(library));
  write_obj_vertices(writer);
  status = write_uvs(writer, err);
  if (!status) {
    write_faces(writer);
    status = lb_file_seal(&file, err);
  }
  if (!status && materials.files) status = lb_mtl_commit(&materials, err);
  if (!status) status = lb_file_commit(&file, err);
done:
  lb_mtl_abort(&materials);
  lb_file_abort(&file);
  lb_free(library);
  return status;
}

lbStatus lb_write_obj_with(const lbMesh *mesh, const char *library, const char *path,
                           lbError *err) {
  Writer writer = { .mesh = mesh, .library = library };
  lbStatus status = lb_surface_begin(&writer.surface, mesh, path, err);
  if (!status) status = write_obj_all(&writer, path, err);
  lb_surface_end(&writer.surface);
  lb_free(writer.memberships.begin);
  lb_free(writer.memberships.groups);
  lb_free(writer.uv_ids);
  return status;
}

lbStatus lb_write_obj(const lbMesh *mesh, const char *path, lbError *err) {
  return lb_write_obj_with(mesh, NULL, path, err);
}
