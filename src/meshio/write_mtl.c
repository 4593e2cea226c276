// Material libraries: base colour and alpha, metallic and roughness (Pm, Pr) and the picture.
#include "meshio/write_mtl.h"

#include "limber/file.h"
#include "meshio/companion.h"
#include "arrayio/print.h"

#include <string.h>

static bool is_plain(char c) { return (unsigned char)c > ' ' && !strchr("#\\\x7f", c); }

void lb_obj_write_name(FILE *stream, const char *name, const char *otherwise, int32_t index) {
  if (!name[0]) fprintf(stream, "%s%d", otherwise, (int)index);
  for (; *name; name++) fputc(is_plain(*name) ? *name : '_', stream);
}

// The picture's own file name, or one that says what it is; never a path, and never the name of the
// library or the mesh. Free with lb_free; NULL: no memory.
static char *picture_name(const lbMesh *mesh, int32_t id, const char *library) {
  const lbTexture *texture = &mesh->textures[id];
  const char *own = lb_path_name(texture->name);
  const char *extension = lb_picture_extension(texture->mime);
  bool keep = own[0] && own[0] != '.' && lb_path_extension(own)[0] &&
              lb_picture_extension(texture->mime)[0] && !lb_path_has_extension(own, ".mtl") &&
              !lb_path_has_extension(own, ".obj");
  for (int32_t i = 0; i < id && keep; i++) // two pictures of one name from different folders
    keep = strcmp(lb_path_name(mesh->textures[i].name), own) != 0;
  const char *stem = lb_path_name(library);
  size_t bytes = strlen(own) + strlen(stem) + strlen(extension) + 40;
  char *name = lb_alloc(bytes, 1);
  if (!name) return NULL;
  if (keep)
    snprintf(name, bytes, "%s", own);
  else
    snprintf(name, bytes, "%.*s_texture%d%s", (int)(strlen(stem) - strlen(lb_path_extension(stem))),
             stem, (int)id, extension);
  for (char *c = name; *c; c++)
    if (!is_plain(*c)) *c = '_';
  return name;
}

static lbStatus write_picture(const lbMesh *mesh, int32_t id, const char *library,
                              lbFileWriter *file, lbError *err) {
  const lbTexture *texture = &mesh->textures[id];
  char *path = NULL, *name = picture_name(mesh, id, library);
  if (name) path = lb_path_beside(library, name);
  lbStatus status = path ? lb_file_begin(file, path, err) : lb_fail_memory(err);
  if (!status) {
    fwrite(texture->data, 1, texture->bytes, file->stream);
    status = lb_file_seal(file, err);
  }
  lb_free(path);
  lb_free(name);
  return status;
}

static void write_mtl_line(FILE *stream, const char *keyword, const float *values, int count) {
  fputs(keyword, stream);
  for (int i = 0; i < count; i++) {
    fputc(' ', stream);
    lb_print_number(stream, (double)values[i], 15);
  }
  fputc('\n', stream);
}

static lbStatus write_mtl_appearance(const lbMesh *mesh, int32_t id, const char *library,
                                     FILE *stream, lbError *err) {
  const lbAppearance *appearance = &mesh->appearances[id];
  fputs("\nnewmtl ", stream);
  lb_obj_write_name(stream, appearance->name, "material", id);
  fputc('\n', stream);
  write_mtl_line(stream, "Kd", appearance->base_color, 3);
  write_mtl_line(stream, "d", appearance->base_color + 3, 1);
  write_mtl_line(stream, "Pm", &appearance->metallic, 1);
  write_mtl_line(stream, "Pr", &appearance->roughness, 1);
  int32_t texture = appearance->texture;
  if (texture < 0 || texture >= mesh->texture_count || !mesh->textures[texture].data) return LB_OK;
  char *name = picture_name(mesh, texture, library);
  if (!name) return lb_fail_memory(err);
  fprintf(stream, "map_Kd %s\n", name);
  lb_free(name);
  return LB_OK;
}

static lbStatus write_mtl_library(const lbMesh *mesh, const char *path, lbFileWriter *file,
                                  lbError *err) {
  lbStatus status = lb_file_begin(file, path, err);
  if (status) return status;
  fputs("# written by limber " LB_VERSION "\n", file->stream);
  for (int32_t i = 0; i < mesh->appearance_count && !status; i++)
    status = write_mtl_appearance(mesh, i, path, file->stream, err);
  return status ? status : lb_file_seal(file, err);
}

lbStatus lb_mtl_begin(lbMtlWriter *writer, const lbMesh *mesh, const char *path, lbError *err) {
  lbStatus status = LB_OK;
  *writer = (lbMtlWriter){ .count = mesh->texture_count + 1 };
  writer->files = lb_alloc((size_t)writer->count, sizeof *writer->files);
  if (!writer->files) return lb_fail_memory(err);
  for (int32_t i = 0; i < mesh->texture_count && !status; i++)
    if (mesh->textures[i].data) status = write_picture(mesh, i, path, &writer->files[i], err);
  if (!status) status = write_mtl_library(mesh, path, &writer->files[mesh->texture_count], err);
  if (status) lb_mtl_abort(writer);
  return status;
}

void lb_mtl_abort(lbMtlWriter *writer) {
  for (int32_t i = 0; i < writer->count && writer->files; i++) lb_file_abort(&writer->files[i]);
  lb_free(writer->files);
  *writer = (lbMtlWriter){ 0 };
}

lbStatus lb_mtl_commit(lbMtlWriter *writer, lbError *err) {
  lbStatus status = LB_OK;
  for (int32_t i = 0; i < writer->count && !status; i++)
    if (writer->files[i].path) status = lb_file_commit(&writer->files[i], err);
  lb_mtl_abort(writer); // removes those not committed
  return status;
}

lbStatus lb_write_mtl(const lbMesh *mesh, const char *path, lbError *err) {
  lbMtlWriter writer;
  lbStatus status = lb_mtl_begin(&writer, mesh, path, err);
  return status ? status : lb_mtl_commit(&writer, err);
}
