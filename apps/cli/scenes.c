// Loading what a verb works on: a scene, or a bare mesh with a material from the command line.
#include "cli.h"

#include <stdio.h>
#include <string.h>

cliMaterial cli_material(void) { return (cliMaterial){ .material = lb_material() }; }

static bool has_material(const cliMaterial *m) {
  bool given = false;
  for (size_t i = 0; i < sizeof m->given / sizeof *m->given; i++) given |= m->given[i];
  return given;
}

cliStatus cli_check_material(const cliVerb *verb, const char *path, cliMaterial *m) {
  lbError err;
  if (has_material(m) && lb_path_has_extension(path, ".json"))
    return cli_usage(verb,
                     "the scene %s has its own materials, --young and the like are for bare "
                     "meshes",
                     path);
  if (m->model && !lb_material_model_parse(m->model, &m->material.model))
    return cli_usage(verb,
                     "--model is \"%s\", use linear, stvk, corotated, neohookean, "
                     "stable_neohookean, mooneyrivlin or shell",
                     m->model);
  if (lb_material_check(&m->material, "the material given by the options", &err))
    return cli_usage(verb, "%s", err.text);
  return CLI_OK;
}

lbStatus cli_load_scene(const char *path, const cliMaterial *m, lbScene **scene, lbError *err) {
  lbSceneDefaults defaults = { .has_material = has_material(m), .material = m->material };
  return lb_scene_load(path, &defaults, scene, err);
}

lbStatus cli_find_body(const lbScene *scene, const char *name, int32_t *body, lbError *err) {
  if (!name && scene->body_count > 1)
    return lb_fail(err, LB_ERR_ARGUMENT, "%s: has %d bodies, choose one with --body NAME",
                   scene->path, (int)scene->body_count);
  for (int32_t i = 0; i < scene->body_count; i++)
    if (!name || strcmp(scene->bodies[i].name, name) == 0) {
      *body = i;
      return LB_OK;
    }
  return lb_fail(err, LB_ERR_ARGUMENT, "%s: has no body \"%s\"", scene->path, name);
}

json_t *cli_probe(const lbScene *scene, int32_t probe, const double rest[3],
                  const double moved[3]) {
  const lbSceneProbe *p = &scene->probes[probe];
  return json_pack("{s:s, s:i, s:o, s:o}", "body", scene->bodies[p->body].name, "vertex",
                   (int)p->vertex, "rest", cli_numbers(rest, 3), "displacement",
                   cli_numbers(moved, 3));
}
