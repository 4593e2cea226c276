// Plays a model with the run library alone: pushes it for a quarter of a second, then lets it
// swing.
#include <limber/limber.h>
#include <stdio.h>

int main(int count, char **words) {
  lbError err;
  lbModel *model = NULL;
  lbBody *body = NULL;
  lbBodyDef def = lb_body_def();
  if (count < 2) return fprintf(stderr, "usage: play MODEL.glb\n"), 2;
  if (lb_model_load(words[1], &model, &err) || lb_body_create(model, &def, &body, &err))
    return fprintf(stderr, "%s\n", err.text), 1;
  lbPoint tip = lb_point_vertex(model->size.vertex_count - 1);
  for (int tick = 0; tick < 60; tick++) {
    if (tick < 15) lb_body_apply_force(body, tip, lb_vec3(0, 0, -1));
    lb_body_step(body, 1.0 / 60);
    lbVec3 where;
    lb_body_point(body, tip, &where, NULL);
    printf("%.3f s: %.6f %.6f %.6f m\n", lb_body_time(body), where.x, where.y, where.z);
  }
  lb_body_destroy(body);
  lb_model_destroy(model);
  return 0;
}
