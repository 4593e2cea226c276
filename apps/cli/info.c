// limber info: what is in a mesh, a scene or a model file.
#include "cli.h"

#include <stdio.h>
#include <string.h>

static bool is_scene(const char *path) { return lb_path_has_extension(path, ".json"); }

json_t *cli_material_document(const lbMaterial *m) {
  bool mooney = m->model == LB_MATERIAL_MOONEYRIVLIN, shell = m->model == LB_MATERIAL_SHELL;
  bool sheet = shell && m->stretch > 0;
  json_t *document = json_pack("{s:s, s:o}", "model", lb_material_model_name(m->model), "density",
                               cli_number(m->density));
  const struct {
    const char *key;
    double value;
    bool used;
  } fields[] = { { "young", m->young, !mooney && !sheet },
                 { "poisson", m->poisson, !mooney && !sheet },
                 { "thickness", m->thickness, shell },
                 { "stretch", m->stretch, sheet },
                 { "area", m->area, sheet },
                 { "bend", m->bend, sheet },
                 { "c10", m->c10, mooney },
                 { "c01", m->c01, mooney },
                 { "v1", m->v1, mooney } };
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
    if (fields[i].used) json_object_set_new(document, fields[i].key, cli_number(fields[i].value));
  return document;
}

static int32_t fixed_count(const lbSceneBody *body) {
  int32_t count = 0;
  for (int32_t v = 0; body->fixed && v < body->mesh->vertex_count; v++) count += body->fixed[v];
  for (int32_t v = 0; body->model && v < body->model->size.node_count; v++)
    count += body->model->node_fixed[v];
  return count;
}

typedef struct BodySizes {
  int vertices, tets, bricks, shell_triangles, surface_vertices;
} BodySizes;

static BodySizes body_sizes(const lbSceneBody *body) {
  if (body->model)
    return (BodySizes){ (int)body->model->size.node_count, (int)body->model->size.tet_count,
                        (int)body->model->size.brick_count, (int)body->model->size.shell_count,
                        (int)body->model->size.vertex_count };
  return (BodySizes){ (int)body->mesh->vertex_count, (int)body->mesh->tet_count,
                      (int)body->mesh->brick_count,
                      lb_mesh_element_count(body->mesh) ? 0 : (int)body->mesh->triangle_count,
                      body->surface ? (int)body->surface->vertex_count : 0 };
}

int32_t cli_count_elements(const int32_t *element_materials, int32_t count, int32_t material) {
  int32_t found = 0;
  for (int32_t e = 0; e < count; e++)
    found += (element_materials ? element_materials[e] : 0) == material;
  return found;
}

static int32_t material_elements(const lbSceneBody *body, int32_t material) {
  return cli_count_elements(body->element_materials, lb_mesh_body_elements(body->mesh), material);
}

static json_t *write_info_body(const lbSceneBody *body) {
  BodySizes size = body_sizes(body);
  json_t *materials = json_array();
  for (int32_t i = 0; i < body->material_count; i++) {
    json_t *material = cli_material_document(&body->materials[i]);
    json_object_set_new(material, "elements", json_integer(material_elements(body, i)));
    json_array_append_new(materials, material);
  }
  return json_pack("{s:s, s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:o}", "name", body->name, "method",
                   lb_method_name(body->method), "vertices", size.vertices, "tets", size.tets,
                   "bricks", size.bricks, "shell_triangles", size.shell_triangles,
                   "surface_vertices", size.surface_vertices, "fixed_vertices",
                   (int)fixed_count(body), "materials", materials);
}

static json_t *scene_document(const lbScene *scene) {
  json_t *bodies = json_array();
  for (int32_t i = 0; i < scene->body_count; i++)
    json_array_append_new(bodies, write_info_body(&scene->bodies[i]));
  return json_pack("{s:s, s:s?, s:s?, s:o, s:o, s:i, s:i, s:o, s:i, s:i}", "kind", "scene", "title",
                   scene->title, "try", scene->hint, "gravity", cli_numbers(scene->gravity, 3),
                   "bodies", bodies, "loads", (int)scene->load_count, "probes",
                   (int)scene->probe_count, "time_step", cli_number(scene->time_step), "steps",
                   (int)scene->step_count, "substeps_max", (int)scene->substeps_max);
}

void cli_print_material(const lbMaterial *m, int32_t element_count) {
  if (m->model == LB_MATERIAL_MOONEYRIVLIN)
    cli_say("  material %s: c10 %g, c01 %g, v1 %g Pa, %g kg/m3", lb_material_model_name(m->model),
            m->c10, m->c01, m->v1, m->density);
  else if (m->model == LB_MATERIAL_SHELL && m->stretch > 0)
    cli_say("  material %s: stretch %g N, area %g N/m, bend %g N m, %g kg/m3",
            lb_material_model_name(m->model), m->stretch, m->area, m->bend, m->density);
  else
    cli_say("  material %s: young %g Pa, poisson %g, %g kg/m3", lb_material_model_name(m->model),
            m->young, m->poisson, m->density);
  if (m->model == LB_MATERIAL_SHELL) cli_say(", %g m thick", m->thickness);
  cli_say(", %d elements\n", (int)element_count);
}

static void print_scene(const lbScene *scene) {
  cli_say("scene: %d %s, %d loads, %d probes, %d steps of %g s, gravity %g %g %g m/s2\n",
          (int)scene->body_count, scene->body_count == 1 ? "body" : "bodies",
          (int)scene->load_count, (int)scene->probe_count, (int)scene->step_count, scene->time_step,
          scene->gravity[0], scene->gravity[1], scene->gravity[2]);
  if (scene->substeps_max != lb_world_settings().substeps_max)
    cli_say("a step that fails is repeated with up to %d substeps\n", (int)scene->substeps_max);
  if (scene->title) cli_say("title: %s\n", scene->title);
  if (scene->hint) cli_say("try: %s\n", scene->hint);
  for (int32_t i = 0; i < scene->body_count; i++) {
    const lbSceneBody *b = &scene->bodies[i];
    BodySizes size = body_sizes(b);
    cli_say("body %s: method %s, %d vertices, %d tets, %d bricks, ", b->name,
            lb_method_name(b->method), size.vertices, size.tets, size.bricks);
    if (size.shell_triangles) cli_say("%d triangles of a shell, ", size.shell_triangles);
    cli_say("%d fixed vertices\n", (int)fixed_count(b));
    for (int32_t k = 0; k < b->material_count; k++)
      cli_print_material(&b->materials[k], material_elements(b, k));
  }
}

static cliStatus scene_info(const char *path, bool json) {
  lbError err;
  lbScene *scene;
  if (lb_scene_load(path, NULL, &scene, &err)) return cli_fail(&err);
  cliStatus result = CLI_OK;
  if (json)
    result = cli_print_json(scene_document(scene));
  else
    print_scene(scene);
  lb_scene_destroy(scene);
  return result;
}

static cliStatus mesh_info(const char *path, bool json) {
  lbError err;
  lbMesh *mesh = NULL;
  lbMeshReport *report = NULL;
  cliStatus result = CLI_OK;
  lbStatus status = lb_mesh_load(path, &mesh, &err);
  if (!status) status = lb_mesh_report(mesh, &report, &err);
  if (status) {
    result = cli_fail(&err);
  } else if (json) {
    json_t *document = cli_mesh_document(mesh, report);
    json_object_set_new(document, "kind", json_string("mesh"));
    result = cli_print_json(document);
  } else {
    cli_print_mesh(mesh, report);
  }
  lb_mesh_report_destroy(report);
  lb_mesh_destroy(mesh);
  return result;
}

// A .glb that is neither a model nor a mesh; as a model it says what is wrong.
static bool is_damaged(const char *path) {
  lbMesh *mesh = NULL;
  bool damaged = lb_path_has_extension(path, ".glb") && lb_mesh_load(path, &mesh, NULL) != LB_OK;
  lb_mesh_destroy(mesh);
  return damaged;
}

static cliStatus run_info(int count, char **words) {
  bool arrays = false;
  const cliOption options[] = {
    { "arrays", CLI_FLAG, &arrays, NULL, NULL, "list every array of a model file" },
    { 0 },
  };
  cliArguments arguments;
  cliStatus result = cli_parse(&cli_info, options, count, words, &arguments);
  if (result || arguments.common.help) return result;
  if ((result = cli_one_input(&cli_info, &arguments))) return result;
  const char *path = arguments.inputs[0];
  if (lb_model_is_model_file(path) || (arrays && is_damaged(path)))
    return cli_model_info(path, arguments.common.json, arrays);
  if (arrays) return cli_usage(&cli_info, "--arrays is for model files, %s is not one", path);
  return is_scene(path) ? scene_info(path, arguments.common.json)
                        : mesh_info(path, arguments.common.json);
}

const cliVerb cli_info = {
  "info",
  "what is in a model, mesh or scene: sizes, materials, methods, modes",
  "limber info FILE [options]",
  "Describes a model file (made by `limber build`), a mesh file (as `limber mesh` does) or a\n"
  "scene.\n",
  "  limber info scenes/bar.json\n"
  "  limber info scenes/bar.json --json\n"
  "  limber build scenes/bar.json -o bar.glb\n"
  "  limber info bar.glb --arrays",
  run_info,
};
