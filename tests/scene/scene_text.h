// Scenes written in the tests; files that they name lie in the output folder.
#ifndef LB_TESTS_SCENE_TEXT_H
#define LB_TESTS_SCENE_TEXT_H

#include "check.h"
#include "limber/scene.h"
#include "scene/read.h"

static inline void write_text(const char *name, const char *text) {
  FILE *file = fopen(output_path(name), "wb");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

// Single quotes stand for double ones, so that scenes can be read in C.
static inline lbStatus read_scene_text(const char *text, lbScene **scene, lbError *err) {
  char *json = strdup(text);
  for (char *c = json; *c; c++)
    if (*c == '\'') *c = '"';
  *scene = NULL;
  lbStatus status = lb_scene_read(output_path("scene.json"), json, strlen(json), scene, err);
  free(json);
  if (status) assert_null(*scene);
  return status;
}

static inline lbScene *scene_of(const char *text) {
  lbScene *scene;
  lbError err;
  check_ok(read_scene_text(text, &scene, &err), err);
  return scene;
}

static inline void check_refused(const char *text, const char *part) {
  lbScene *scene;
  lbError err;
  check_fails(read_scene_text(text, &scene, &err), LB_ERR_FORMAT, err, part);
  assert_null(strchr(err.text, '\n'));
}

static inline int32_t count_fixed(const lbSceneBody *body) {
  int32_t count = 0;
  for (int32_t v = 0; body->fixed && v < body->mesh->vertex_count; v++) count += body->fixed[v];
  return count;
}

#define BAR "'mesh':{'generate':'bar','size':[1,0.1,0.1],'cells':[2,1,1]}"
#define BODY "{'name':'bar'," BAR ",'material':{}}"
#define BODY_WITH(more) "{'limber':1,'bodies':[{'name':'bar'," BAR ",'material':{}," more "}]}"
#define SCENE_WITH(more) "{'limber':1,'bodies':[" BODY "]," more "}"

#endif
