// The table of formats, and loading and saving by extension.
#include "meshio/formats.h"

#include "limber/file.h"

#include <stdio.h>
#include <string.h>

typedef struct Format {
  const char *extension;
  lbMeshReader *read;
  lbMeshWriter *write;
} Format;

// clang-format off
static const Format formats[] = {
  { ".msh",   lb_read_msh,   lb_write_msh },
  { ".ele",   lb_read_ele,   NULL },
  { ".node",  lb_read_ele,   NULL },
  { ".mesh",  lb_read_medit, NULL },
  { ".meshb", lb_read_medit, NULL }, // refused with advice
  { ".veg",   lb_read_veg,   NULL },
  { ".vtk",   lb_read_vtk,   NULL },
  { ".vtu",   lb_read_vtu,   lb_write_vtu },
  { ".obj",   lb_read_obj,   lb_write_obj },
  { ".stl",   lb_read_stl,   lb_write_stl },
  { ".ply",   lb_read_ply,   lb_write_ply },
  { ".off",   lb_read_off,   NULL },
  { ".glb",   lb_read_glb,   NULL },
  { ".gltf",  lb_read_glb,   NULL },
};
// clang-format on

static const Format *find_format(const char *path) {
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
    if (lb_path_has_extension(path, formats[i].extension)) return &formats[i];
  return NULL;
}

lbStatus lb_mesh_load(const char *path, lbMesh **out, lbError *err) {
  char *content = NULL;
  size_t bytes = 0;
  lbStatus status = lb_file_read(path, &content, &bytes, err);
  if (status) return status;
  const Format *format = find_format(path);
  if (bytes == 0)
    status = lb_fail(err, LB_ERR_FORMAT, "%s: the file is empty", path);
  else
    status = (format ? format->read : lb_read_assimp)(path, content, bytes, out, err);
  lb_free(content);
  return status;
}

lbStatus lb_mesh_save_check(const char *path, lbError *err) {
  const Format *format = find_format(path);
  if (format && format->write) return LB_OK;
  char known[128] = "";
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
    if (formats[i].write)
      snprintf(known + strlen(known), sizeof known - strlen(known), " %s", formats[i].extension);
  return lb_fail(err, LB_ERR_ARGUMENT, "%s: cannot write this format, choose one of%s", path,
                 known);
}

lbStatus lb_mesh_save(const lbMesh *mesh, const char *path, lbError *err) {
  lbStatus status = lb_mesh_save_check(path, err);
  return status ? status : find_format(path)->write(mesh, path, err);
}
