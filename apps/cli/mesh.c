// limber mesh: make, convert, voxelise, fill, clean and describe meshes.
#include "cli.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct Job {
  const char *generate, *element, *output, *fill;
  lbShapeDef shape;
  lbFillDef fill_def;
  double size[3], thickness;
  int32_t cells[3], level, segments;
  bool has_size, has_cells, has_thickness, has_level, has_segments;
  bool surface, split, clean, wants_fill, wants_voxels, rig;
  int32_t voxelise;
} Job;

// ---- making ------------------------------------------------------------------------------------

static cliStatus fail_mesh_shape(const char *name) {
  const char *names[LB_SHAPE_COUNT + 1] = { 0 };
  char known[200] = "";
  for (int i = 0; i < LB_SHAPE_COUNT; i++) {
    names[i] = lb_shape_name((lbShape)i);
    snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i ? ", " : "", names[i]);
  }
  const char *nearest = lb_nearest_name(name, names);
  return cli_usage(&cli_mesh, "--generate: unknown shape \"%s\", %s%s%suse one of %s", name,
                   nearest ? "did you mean \"" : "", nearest ? nearest : "", nearest ? "\"? " : "",
                   known);
}

static cliStatus check_shape(Job *job) {
  job->shape = lb_shape_def(job->generate);
  lbShapeDef *def = &job->shape;
  if (def->shape == LB_SHAPE_COUNT) return fail_mesh_shape(job->generate);
  if (job->has_size) memcpy(def->size, job->size, sizeof def->size);
  if (job->has_cells) memcpy(def->cells, job->cells, sizeof def->cells);
  if (job->has_thickness) def->thickness = job->thickness;
  if (job->has_level) def->level = job->level;
  if (job->has_segments) def->segments = job->segments;
  if (job->element && !lb_element_kind_parse(job->element, &def->element))
    return cli_usage(&cli_mesh, "--element: unknown \"%s\", use tet4 or brick8", job->element);
  return CLI_OK;
}

static cliStatus check_fill(Job *job) {
  job->fill_def = lb_fill_def();
  if (strcmp(job->fill, "tetgen") == 0)
    job->fill_def.mesher = LB_MESHER_TETGEN;
  else if (strcmp(job->fill, "gmsh") == 0)
    job->fill_def.mesher = LB_MESHER_GMSH;
  else if (strcmp(job->fill, "any") != 0)
    return cli_usage(&cli_mesh, "--fill: unknown mesher \"%s\", use tetgen, gmsh or any",
                     job->fill);
  return CLI_OK;
}

// What can be said of the options alone.
static cliStatus check_mesh_job(Job *job, const cliArguments *arguments) {
  bool shape_option = job->has_size || job->has_cells || job->has_thickness || job->has_level ||
                      job->has_segments || job->element;
  if (job->generate && arguments->input_count)
    return cli_usage(&cli_mesh, "--generate takes no file");
  if (!job->generate && shape_option)
    return cli_usage(&cli_mesh, "--size, --cells, --element and the like need --generate SHAPE");
  if (job->rig && (!job->generate || !job->output))
    return cli_usage(&cli_mesh, "--rig needs --generate figure and -o FILE.glb");
  if (job->rig && (job->split || job->clean || job->wants_fill || job->wants_voxels))
    return cli_usage(&cli_mesh, "--rig goes only with options of the figure");
  if (job->wants_voxels && job->wants_fill)
    return cli_usage(&cli_mesh, "give --voxelise or --fill, not both");
  if (job->wants_voxels && job->voxelise < 1)
    return cli_usage(&cli_mesh, "--voxelise is %d, it must be at least 1", (int)job->voxelise);
  cliStatus result = job->generate ? check_shape(job) : cli_one_input(&cli_mesh, arguments);
  if (!result && job->wants_fill) result = check_fill(job);
  return result;
}

// Replaces *mesh by what `step` made of it.
static lbStatus replace(lbMesh **mesh, lbMesh *made, lbStatus status) {
  if (status) return status;
  lb_mesh_destroy(*mesh);
  *mesh = made;
  return LB_OK;
}

static lbStatus transform(const Job *job, lbMesh **mesh, lbError *err) {
  lbStatus status = LB_OK;
  lbMesh *made = NULL;
  if (job->clean) {
    status = lb_mesh_clean(*mesh, &made, err);
    status = replace(mesh, made, status);
  }
  if (!status && job->wants_voxels) {
    lbVoxeliseDef def = lb_voxelise_def();
    def.cells = job->voxelise;
    status = lb_mesh_voxelise(*mesh, &def, &made, NULL, err);
    status = replace(mesh, made, status);
  }
  if (!status && job->wants_fill) {
    status = lb_mesh_fill(*mesh, &job->fill_def, &made, err);
    status = replace(mesh, made, status);
  }
  if (!status && job->split) {
    status = lb_mesh_split_bricks(*mesh, &made, err);
    status = replace(mesh, made, status);
  }
  if (!status && job->surface && !job->generate && lb_mesh_element_count(*mesh) > 0) {
    int32_t *vertices = NULL;
    status = lb_mesh_surface(*mesh, &made, &vertices, err);
    lb_free(vertices);
    status = replace(mesh, made, status);
  }
  return status;
}

// ---- describing --------------------------------------------------------------------------------

static const char *const kind_names[] = { "vertices", "triangles", "elements" };

static json_t *problem_document(const lbMeshProblem *problem) {
  json_t *ids = json_array();
  bool edges = problem->item == LB_PROBLEM_EDGES;
  for (int32_t i = 0; i < problem->count; i++)
    json_array_append_new(
        ids, edges ? json_pack("[i, i]", (int)problem->ids[2 * i], (int)problem->ids[2 * i + 1])
                   : json_integer(problem->ids[i]));
  return json_pack("{s:s, s:i, s:o}", "kind", problem->kind, "count", (int)problem->count, "ids",
                   ids);
}

// Number of triangles of each appearance (a material of OBJ and glTF); NULL: no memory.
static int32_t *count_looks(const lbMesh *mesh) {
  int32_t *counts = lb_alloc((size_t)mesh->appearance_count, sizeof *counts);
  for (int32_t t = 0; counts && mesh->triangle_appearances && t < mesh->triangle_count; t++)
    if (mesh->triangle_appearances[t] >= 0) counts[mesh->triangle_appearances[t]]++;
  return counts;
}

typedef struct Colors {
  int32_t count; // vertices that have one
  double low[4], high[4];
} Colors;

static Colors find_colors(const lbMesh *mesh) {
  Colors colors = { 0 };
  for (int32_t v = 0; mesh->vertex_colors && v < mesh->vertex_count; v++) {
    const float *color = mesh->vertex_colors + 4 * (size_t)v;
    if (color[0] < 0) continue;
    for (int i = 0; i < 4; i++) {
      double value = (double)color[i];
      colors.low[i] = colors.count ? fmin(colors.low[i], value) : value;
      colors.high[i] = colors.count ? fmax(colors.high[i], value) : value;
    }
    colors.count++;
  }
  return colors;
}

// What can be painted with: looks by name, colours of vertices (null: none).
static void add_paint(const lbMesh *mesh, json_t *document) {
  int32_t *counts = count_looks(mesh);
  json_t *looks = json_array();
  for (int32_t i = 0; counts && i < mesh->appearance_count; i++)
    json_array_append_new(looks,
                          json_pack("{s:o, s:i}", "name", cli_text(mesh->appearances[i].name),
                                    "triangles", (int)counts[i]));
  lb_free(counts);
  Colors colors = find_colors(mesh);
  json_object_set_new(document, "looks", looks);
  json_object_set_new(document, "colors",
                      colors.count ? json_pack("{s:i, s:o, s:o}", "vertices", (int)colors.count,
                                               "low", cli_numbers(colors.low, 4), "high",
                                               cli_numbers(colors.high, 4))
                                   : json_null());
}

static void print_paint(const lbMesh *mesh) {
  int32_t *counts = count_looks(mesh);
  for (int32_t i = 0; counts && i < mesh->appearance_count; i++)
    cli_say("look \"%s\": %d triangles\n", mesh->appearances[i].name, (int)counts[i]);
  lb_free(counts);
  Colors colors = find_colors(mesh);
  if (colors.count)
    cli_say("colours of %d vertices: red %.3g to %.3g, green %.3g to %.3g, blue %.3g to %.3g\n",
            (int)colors.count, colors.low[0], colors.high[0], colors.low[1], colors.high[1],
            colors.low[2], colors.high[2]);
}

json_t *cli_mesh_document(const lbMesh *mesh, const lbMeshReport *report) {
  json_t *groups = json_array(), *problems = json_array();
  for (int32_t i = 0; i < mesh->group_count; i++) {
    const lbGroup *g = &mesh->groups[i];
    json_array_append_new(groups, json_pack("{s:o, s:i, s:s, s:i}", "name", cli_text(g->name),
                                            "tag", (int)g->tag, "kind", kind_names[g->kind],
                                            "count", (int)g->count));
  }
  for (int32_t i = 0; i < report->problem_count; i++)
    json_array_append_new(problems, problem_document(&report->problems[i]));
  json_t *document = json_pack(
      "{s:i, s:i, s:i, s:i, s:i, s:o, s:[o, o], s:o, s:o, s:b, s:o}", "vertices",
      (int)mesh->vertex_count, "triangles", (int)mesh->triangle_count, "tets", (int)mesh->tet_count,
      "bricks", (int)mesh->brick_count, "components", (int)report->component_count, "groups",
      groups, "bounds", cli_numbers(report->bounds[0], 3), cli_numbers(report->bounds[1], 3),
      "volume", cli_number(report->volume), "surface_area", cli_number(report->surface_area),
      "closed", (int)report->closed, "problems", problems);
  if (document) add_paint(mesh, document);
  return document;
}

static void print_problem(const lbMeshProblem *problem) {
  enum { SHOWN = 8 };
  bool edges = problem->item == LB_PROBLEM_EDGES;
  cli_say("  %-26s %8d  ids", problem->kind, (int)problem->count);
  for (int32_t i = 0; i < problem->count && i < SHOWN; i++)
    if (edges)
      cli_say(" %d-%d", (int)problem->ids[2 * i], (int)problem->ids[2 * i + 1]);
    else
      cli_say(" %d", (int)problem->ids[i]);
  cli_say("%s\n", problem->count > SHOWN ? " ..." : "");
}

void cli_print_mesh(const lbMesh *mesh, const lbMeshReport *report) {
  const double(*b)[3] = report->bounds;
  cli_say("%d vertices, %d triangles, %d tets, %d bricks, %d component%s\n",
          (int)mesh->vertex_count, (int)mesh->triangle_count, (int)mesh->tet_count,
          (int)mesh->brick_count, (int)report->component_count,
          report->component_count == 1 ? "" : "s");
  cli_say("bounds %.6g %.6g %.6g to %.6g %.6g %.6g m\n", b[0][0], b[0][1], b[0][2], b[1][0],
          b[1][1], b[1][2]);
  cli_say("volume %.6g m3, surface area %.6g m2, surface %s\n", report->volume,
          report->surface_area, report->closed ? "closed" : "not closed");
  for (int32_t i = 0; i < mesh->group_count; i++)
    cli_say("group \"%s\" tag %d: %d %s\n", mesh->groups[i].name, (int)mesh->groups[i].tag,
            (int)mesh->groups[i].count, kind_names[mesh->groups[i].kind]);
  print_paint(mesh);
  for (int32_t i = 0; i < mesh->material_count; i++) {
    const lbMaterial *m = &mesh->materials[i].material;
    if (m->model == LB_MATERIAL_MOONEYRIVLIN)
      cli_say("material \"%s\": c10 %g, c01 %g, v1 %g Pa, %g kg/m3\n", mesh->materials[i].name,
              m->c10, m->c01, m->v1, m->density);
    else
      cli_say("material \"%s\": young %g Pa, poisson %g, %g kg/m3\n", mesh->materials[i].name,
              m->young, m->poisson, m->density);
  }
  cli_say(report->problem_count ? "problems:\n" : "no problems\n");
  for (int32_t i = 0; i < report->problem_count; i++) print_problem(&report->problems[i]);
}

// ---- the verb ----------------------------------------------------------------------------------

static lbStatus make_mesh(const Job *job, const cliArguments *arguments, lbMesh **mesh,
                          lbError *err) {
  if (!job->generate) return lb_mesh_load(arguments->inputs[0], mesh, err);
  return job->surface ? lb_shape_surface(&job->shape, mesh, err)
                      : lb_shape_volume(&job->shape, mesh, err);
}

static lbStatus run_mesh_job(const Job *job, const cliArguments *arguments, lbMesh **mesh,
                             lbMeshReport **report, lbError *err) {
  lbStatus status = job->output ? lb_mesh_save_check(job->output, err) : LB_OK;
  if (status) return status;
  status = make_mesh(job, arguments, mesh, err);
  if (!status) status = transform(job, mesh, err);
  if (!status) status = lb_mesh_report(*mesh, report, err);
  if (!status && job->output) status = lb_mesh_save(*mesh, job->output, err);
  return status;
}

static cliStatus run_rig(const Job *job, bool json) {
  lbError err;
  lbRigInfo info;
  lbStatus status = lb_rig_save(&job->shape, job->output, &info, &err);
  cli_finish_progress();
  if (status == LB_ERR_UNSUPPORTED) return cli_usage(&cli_mesh, "%s", err.text);
  if (status) return cli_fail(&err);
  if (json)
    return cli_print_json(json_pack("{s:i, s:i, s:i, s:i, s:o}", "joints", (int)info.joint_count,
                                    "vertices", (int)info.vertex_count, "triangles",
                                    (int)info.triangle_count, "frames", (int)info.frame_count,
                                    "seconds", cli_number(info.seconds)));
  cli_say("%d joints, %d vertices, %d triangles, a walk of %g s\n", (int)info.joint_count,
          (int)info.vertex_count, (int)info.triangle_count, info.seconds);
  cli_say("written: %s\n", job->output);
  return CLI_OK;
}

// A wrong size or number of cells is a wrong command line; the output's name is in `text` if it is
// the culprit.
static cliStatus fail_job(const Job *job, const cliArguments *arguments, const lbMesh *mesh,
                          const lbError *err) {
  if (job->output && strstr(err->text, job->output)) return cli_fail(err);
  if (!job->generate) return cli_fail_about(arguments->inputs[0], err);
  if (!mesh && err->status == LB_ERR_ARGUMENT) return cli_usage(&cli_mesh, "%s", err->text);
  return cli_fail(err);
}

static cliStatus run_mesh(int count, char **words) {
  Job job = { 0 };
  const cliOption options[] = {
    { "o", CLI_TEXT, &job.output, NULL, "FILE", "write .obj .stl .ply .msh .vtu" },
    { "generate", CLI_TEXT, &job.generate, NULL, "SHAPE",
      "make a shape instead of reading a file" },
    { "size", CLI_NUMBERS3, job.size, &job.has_size, "X,Y,Z", "the box the shape fills, metres" },
    { "cells", CLI_CELLS3, job.cells, &job.has_cells, "A,B,C", "elements in three directions" },
    { "element", CLI_TEXT, &job.element, NULL, "KIND", "tet4 (the default) or brick8" },
    { "thickness", CLI_NUMBER, &job.thickness, &job.has_thickness, "M",
      "of tube, tee, spoon, bridge, tower, bowl, metres" },
    { "level", CLI_INTEGER, &job.level, &job.has_level, "N", "of the sponge, 0 to 5" },
    { "segments", CLI_INTEGER, &job.segments, &job.has_segments, "N",
      "around a circle of a round --surface (96)" },
    { "surface", CLI_FLAG, &job.surface, NULL, NULL, "the surface instead of the volume" },
    { "clean", CLI_FLAG, &job.clean, NULL, NULL,
      "drop unused and duplicate vertices, flat and duplicate elements" },
    { "voxelise", CLI_INTEGER, &job.voxelise, &job.wants_voxels, "N",
      "bricks around a surface, N along the longest side" },
    { "fill", CLI_TEXT, &job.fill, &job.wants_fill, "MESHER",
      "tets inside a closed surface by tetgen, gmsh or any" },
    { "split", CLI_FLAG, &job.split, NULL, NULL, "cut bricks into tets" },
    { "rig", CLI_FLAG, &job.rig, NULL, NULL,
      "--generate figure: with skeleton, weights and a walk, as a skinned .glb" },
    { 0 },
  };
  cliArguments arguments;
  cliStatus result = cli_parse(&cli_mesh, options, count, words, &arguments);
  if (result || arguments.common.help) return result;
  if ((result = check_mesh_job(&job, &arguments))) return result;
  if (job.rig) return run_rig(&job, arguments.common.json);

  lbError err;
  lbMesh *mesh = NULL;
  lbMeshReport *report = NULL;
  lbStatus status = run_mesh_job(&job, &arguments, &mesh, &report, &err);
  cli_finish_progress();
  if (status)
    result = fail_job(&job, &arguments, mesh, &err);
  else if (arguments.common.json)
    result = cli_print_json(cli_mesh_document(mesh, report));
  else
    cli_print_mesh(mesh, report);
  if (!status && job.output && !arguments.common.json) cli_say("written: %s\n", job.output);
  lb_mesh_report_destroy(report);
  lb_mesh_destroy(mesh);
  return result;
}

const cliVerb cli_mesh = {
  "mesh",
  "make, convert, voxelise, fill, clean and describe meshes",
  "limber mesh FILE|--generate SHAPE [options]",
  "Reads .msh .node/.ele .mesh .veg .vtk .vtu .obj .stl .ply .off .glb (others through assimp),\n"
  "or makes one of the shapes bar, plate, tube, cylinder, sphere, torus, tee, sponge, spoon,\n"
  "bridge, tower, bowl, cactus, turtle, figure; prints what it is and what is wrong with it.\n"
  "Problems do not change the exit status.\n"
  "Steps are taken in this order: clean, voxelise or fill, split, surface. Sizes and cells of\n"
  "each shape: docs/command-line.md.\n",
  "  limber mesh --generate torus --cells 48,8,8 --element brick8 -o torus.msh\n"
  "  limber mesh --generate tee --surface -o tee.obj\n"
  "  limber mesh tee.obj --voxelise 24 -o tee.vtu",
  run_mesh,
};
