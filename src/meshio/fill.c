// Tets inside a closed surface, through an installed mesher that is run as a program.
//
// tetgen gets a .smesh file and gives .node and .ele; gmsh gets the triangles as .msh (which,
// unlike STL, keeps numbers and all digits) with a .geo that puts a volume inside, and gives .msh.
// Only vertices in use go to the mesher, coinciding ones once, in the surface's order.
#include "limber/voxelise.h"

#include "limber/file.h"
#include "limber/process.h"
#include "geometry/triangle.h"
#include "base/format.h"
#include "meshio/program.h"
#include "mesh/topology.h"
#include "arrayio/print.h"

#include <stdio.h>
#include <string.h>

lbFillDef lb_fill_def(void) {
  return (lbFillDef){
    .mesher = LB_MESHER_ANY, .max_volume = 0, .radius_edge = 1.414, .time_limit = 300
  };
}

// ---- checks ------------------------------------------------------------------------------------

static lbStatus check_mesher_def(const lbFillDef *def, lbError *err) {
  if (def->mesher < LB_MESHER_ANY || def->mesher > LB_MESHER_GMSH)
    return lb_fail(err, LB_ERR_ARGUMENT, "fill: there is no mesher %d", (int)def->mesher);
  if (!(def->max_volume >= 0) || !isfinite(def->max_volume))
    return lb_fail(err, LB_ERR_ARGUMENT, "fill: max_volume is %g, use a positive one or 0 for none",
                   def->max_volume);
  if (!(def->radius_edge > 1) || !isfinite(def->radius_edge))
    return lb_fail(err, LB_ERR_ARGUMENT, "fill: radius_edge is %g, use more than 1, 1.414 is usual",
                   def->radius_edge);
  if (!(def->time_limit > 0))
    return lb_fail(err, LB_ERR_ARGUMENT, "fill: time_limit is %g s, use a positive one",
                   def->time_limit);
  return LB_OK;
}

static lbStatus check_mesher_surface(const lbMesh *surface, lbError *err) {
  if (surface->triangle_count == 0)
    return lb_fail(err, LB_ERR_MESH, "fill: the surface has no triangles");
  for (size_t i = 0; i < 3 * (size_t)surface->vertex_count; i++)
    if (!isfinite(surface->positions[i]))
      return lb_fail(err, LB_ERR_MESH, "fill: vertex %d has the coordinate %c = %g, correct it",
                     (int)(i / 3), "xyz"[i % 3], surface -> positions[i]);
  for (size_t i = 0; i < 3 * (size_t)surface->triangle_count; i++)
    if (surface->triangles[i] < 0 || surface->triangles[i] >= surface->vertex_count)
      return lb_fail(err, LB_ERR_MESH, "fill: triangle %d uses vertex %d, the mesh has %d",
                     (int)(i / 3), (int)surface->triangles[i], (int)surface->vertex_count);
  return LB_OK;
}

static lbStatus check_closed(const lbTopology *topology, lbError *err) {
  if (topology->patch_count == 0)
    return lb_fail(err, LB_ERR_MESH, "fill: all %d triangles are degenerate, use --voxelise",
                   (int)topology->triangle_count);
  if (topology->open_edges == 0) return LB_OK;
  return lb_fail(err, LB_ERR_MESH,
                 "fill: the surface is open, %d edges lack a triangle, the first from vertex %d to "
                 "%d; close it or use --voxelise",
                 (int)topology->open_edges, (int)topology->open_edge[0],
                 (int)topology->open_edge[1]);
}

// ---- what the mesher gets ----------------------------------------------------------------------

typedef struct Input {
  const lbMesh *surface;
  const lbTopology *topology;
  int32_t *numbers; // (vertices), in the mesher's file, -1: not there
  int32_t vertex_count, triangle_count;
} Input;

static int32_t corner_number(const Input *input, int32_t triangle, int corner) {
  int32_t vertex = input->surface->triangles[3 * (size_t)triangle + (size_t)corner];
  return input->numbers[input->topology->welded[vertex]];
}

static void number_mesher_vertices(Input *input) {
  const lbMesh *surface = input->surface;
  for (int32_t v = 0; v < surface->vertex_count; v++) input->numbers[v] = -1;
  for (int32_t t = 0; t < surface->triangle_count; t++) {
    if (input->topology->patches[t] < 0) continue;
    input->triangle_count++;
    for (int k = 0; k < 3; k++)
      input->numbers[input->topology->welded[surface->triangles[3 * (size_t)t + (size_t)k]]] = 0;
  }
  for (int32_t v = 0; v < surface->vertex_count; v++)
    if (input->numbers[v] == 0) input->numbers[v] = input->vertex_count++;
}

static void print_number(FILE *file, double value) {
  fputc(' ', file);
  lb_print_number(file, value, 17);
}

static void print_vertices(FILE *file, const Input *input, int first) {
  for (int32_t v = 0; v < input->surface->vertex_count; v++) {
    if (input->numbers[v] < 0) continue;
    fprintf(file, "%d", (int)input->numbers[v] + first);
    for (int i = 0; i < 3; i++)
      print_number(file, input->surface->positions[3 * (size_t)v + (size_t)i]);
    fprintf(file, "\n");
  }
}

static void print_smesh(FILE *file, const Input *input) {
  fprintf(file, "%d 3 0 0\n", (int)input->vertex_count);
  print_vertices(file, input, 0);
  fprintf(file, "%d 0\n", (int)input->triangle_count);
  for (int32_t t = 0; t < input->surface->triangle_count; t++)
    if (input->topology->patches[t] >= 0)
      fprintf(file, "3 %d %d %d\n", (int)corner_number(input, t, 0),
              (int)corner_number(input, t, 1), (int)corner_number(input, t, 2));
  fprintf(file, "0\n0\n");
}

static void print_msh(FILE *file, const Input *input) {
  fprintf(file, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n", (int)input->vertex_count);
  print_vertices(file, input, 1);
  fprintf(file, "$EndNodes\n$Elements\n%d\n", (int)input->triangle_count);
  int32_t number = 0;
  for (int32_t t = 0; t < input->surface->triangle_count; t++)
    if (input->topology->patches[t] >= 0)
      fprintf(file, "%d 2 2 0 1 %d %d %d\n", (int)++number, (int)corner_number(input, t, 0) + 1,
              (int)corner_number(input, t, 1) + 1, (int)corner_number(input, t, 2) + 1);
  fprintf(file, "$EndElements\n");
}

typedef void Printer(FILE *file, const Input *input);

static lbStatus write_input(const Input *input, const char *folder, const char *name,
                            Printer *print, lbError *err) {
  lbFileWriter writer;
  char *path = lb_scratch_path(folder, name);
  if (!path) return lb_fail_memory(err);
  lbStatus status = lb_file_begin(&writer, path, err);
  if (!status) {
    print(writer.stream, input);
    status = lb_file_commit(&writer, err);
  }
  lb_free(path);
  return status;
}

// A regular tet of volume V has the edge (6 √2 V)^(1/3).
static lbStatus write_geo(const char *folder, double max_volume, lbError *err) {
  lbFileWriter writer;
  char *path = lb_scratch_path(folder, "inside.geo");
  if (!path) return lb_fail_memory(err);
  lbStatus status = lb_file_begin(&writer, path, err);
  if (!status) {
    fprintf(writer.stream, "Merge \"surface.msh\";\nSurface Loop(1) = {1};\nVolume(1) = {1};\n"
                           "Mesh.Algorithm3D = 10;\n");
    if (max_volume > 0) {
      fprintf(writer.stream, "Mesh.MeshSizeMax =");
      print_number(writer.stream, cbrt(6 * sqrt(2) * max_volume));
      fprintf(writer.stream, ";\n");
    }
    status = lb_file_commit(&writer, err);
  }
  lb_free(path);
  return status;
}

// ---- running it --------------------------------------------------------------------------------

// gmsh prints what is wrong with the surface; tetgen ends by a signal before its words get out.
static lbStatus fail_mesher(const char *name, const char *folder, const lbProgramResult *result,
                            lbError *err) {
  char *path = lb_scratch_path(folder, "log"), *text = NULL;
  size_t bytes = 0;
  lbStatus status = path ? LB_OK : lb_fail_memory(err);
  if (!status && lb_file_read(path, &text, &bytes, NULL) != LB_OK) text = NULL;
  bool crossing = text && (strstr(text, "intersect") || strstr(text, "overlapping"));
  if (!status && crossing)
    status = lb_fail(
        err, LB_ERR_MESH,
        "fill: %s reports that the surface intersects itself; repair it or use --voxelise", name);
  else if (!status && result->exit_code < 0)
    status = lb_fail(err, LB_ERR_MESH,
                     "fill: %s gave up on this surface, usually because it intersects itself; "
                     "repair it or use --voxelise",
                     name);
  else if (!status)
    status = lb_fail(err, LB_ERR_MESH,
                     "fill: %s made no tets from this surface (exit code %d); repair it, try the "
                     "other mesher or use --voxelise",
                     name, result->exit_code);
  lb_free(path);
  lb_free(text);
  return status;
}

static lbStatus collect_mesher_output(const char *name, const char *folder, const char *output_name,
                                      const lbProgramResult *result, lbMesh **out, lbError *err) {
  char *path = lb_scratch_path(folder, output_name);
  lbMesh *mesh = NULL;
  if (!path) return lb_fail_memory(err);
  lbStatus status = LB_OK;
  if (!lb_file_exists(path))
    status = fail_mesher(name, folder, result, err);
  else
    status = lb_mesh_load(path, &mesh, err);
  if (!status && mesh->tet_count == 0) status = fail_mesher(name, folder, result, err);
  if (!status) {
    *out = mesh;
    mesh = NULL;
  }
  lb_mesh_destroy(mesh);
  lb_free(path);
  return status;
}

static lbStatus run_mesher(const char *name, char *const *arguments, const char *folder,
                           const char *output_name, const lbFillDef *def, lbMesh **out,
                           lbError *err) {
  lbProgramResult result;
  lbStatus status = lb_program_run(arguments, folder, def->time_limit, "fill", &result, err);
  if (status) return status;
  if (result.interrupted) return lb_fail_interrupted(err, "fill");
  if (result.timed_out)
    return lb_fail(err, LB_ERR_MESH,
                   "fill: %s did not finish within %g s and was stopped; raise the time limit, use "
                   "a coarser surface or --voxelise",
                   name, def->time_limit);
  if (result.exit_code != 0) return fail_mesher(name, folder, &result, err);
  return collect_mesher_output(name, folder, output_name, &result, out, err);
}

static void format_switches(char *switches, size_t bytes, const lbFillDef *def) {
  char ratio[330], volume[400] = "";
  snprintf(ratio, sizeof ratio, "%.6f", def->radius_edge);
  lb_use_decimal_point(ratio);
  if (def->max_volume > 0) { // tetgen reads no exponents
    int digits = (int)fmin(40, fmax(6, 8 - log10(def->max_volume)));
    snprintf(volume, sizeof volume, "%.*f", digits, def->max_volume);
    lb_use_decimal_point(volume);
  }
  snprintf(switches, bytes, "-pzq%s%s%s", ratio, *volume ? "a" : "", volume);
}

static lbStatus fill_by_tetgen(char *program, const Input *input, const char *folder,
                               const lbFillDef *def, lbMesh **out, lbError *err) {
  char switches[800];
  lbStatus status = write_input(input, folder, "surface.smesh", print_smesh, err);
  if (status) return status;
  format_switches(switches, sizeof switches, def);
  char file[] = "surface.smesh";
  char *arguments[] = { program, switches, file, NULL };
  return run_mesher("tetgen", arguments, folder, "surface.1.ele", def, out, err);
}

static lbStatus fill_by_gmsh(char *program, const Input *input, const char *folder,
                             const lbFillDef *def, lbMesh **out, lbError *err) {
  lbStatus status = write_input(input, folder, "surface.msh", print_msh, err);
  if (!status) status = write_geo(folder, def->max_volume, err);
  if (status) return status;
  char file[] = "inside.geo", dimension[] = "-3", output[] = "-o", name[] = "volume.msh";
  char format[] = "-format", version[] = "msh22";
  char *arguments[] = { program, file, dimension, output, name, format, version, NULL };
  return run_mesher("gmsh", arguments, folder, "volume.msh", def, out, err);
}

// The mesher to use and its path; a message when there is none.
static lbStatus find_mesher(lbMesher wanted, lbMesher *mesher, char *program, lbError *err) {
  *mesher = LB_MESHER_TETGEN;
  if (wanted != LB_MESHER_GMSH && lb_program_find("tetgen", false, program)) return LB_OK;
  *mesher = LB_MESHER_GMSH;
  if (wanted != LB_MESHER_TETGEN && lb_program_find("gmsh", false, program)) return LB_OK;
  const char *name = wanted == LB_MESHER_ANY      ? "tetgen or gmsh"
                     : wanted == LB_MESHER_TETGEN ? "tetgen"
                                                  : "gmsh";
  return lb_fail(err, LB_ERR_UNSUPPORTED,
                 "fill: no mesher found on PATH, install %s, or use --voxelise", name);
}

static lbStatus fill_in_folder(const Input *input, lbMesher mesher, char *program,
                               const lbFillDef *def, lbMesh **out, lbError *err) {
  char *folder = NULL;
  lbStatus status = lb_scratch_folder_make(&folder, err);
  if (status) return status;
  if (mesher == LB_MESHER_TETGEN)
    status = fill_by_tetgen(program, input, folder, def, out, err);
  else
    status = fill_by_gmsh(program, input, folder, def, out, err);
  lb_scratch_folder_remove(folder);
  return status;
}

lbStatus lb_mesh_fill(const lbMesh *surface, const lbFillDef *def, lbMesh **out, lbError *err) {
  lbTriangles triangles = { surface->triangle_count, surface->triangles, surface->positions };
  lbTopology *topology = NULL;
  char program[LB_PROGRAM_PATH];
  lbMesher mesher;
  Input input = { surface, NULL, NULL, 0, 0 };
  lbStatus status = check_mesher_def(def, err);
  if (!status) status = check_mesher_surface(surface, err);
  if (!status) status = lb_topology_create(&triangles, surface->vertex_count, &topology, err);
  if (!status) status = check_closed(topology, err);
  if (!status) status = find_mesher(def->mesher, &mesher, program, err);
  if (status) goto done;
  input.topology = topology;
  input.numbers = lb_alloc((size_t)surface->vertex_count, sizeof *input.numbers);
  if (!input.numbers) {
    status = lb_fail_memory(err);
    goto done;
  }
  number_mesher_vertices(&input);
  status = fill_in_folder(&input, mesher, program, def, out, err);
done:
  lb_free(input.numbers);
  lb_topology_destroy(topology);
  return status;
}
