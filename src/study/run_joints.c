// Joints in a run: those of the scene, what breaks, and their forces at the end.
#include "study/joint_def.h"
#include "study/run_contacts.h"

#include <string.h>

// ---- adding ------------------------------------------------------------------------------------

static lbStatus add_run_joint(lbRunContacts *c, int32_t number, lbError *err) {
  const lbScene *scene = c->run->scene;
  const lbSceneJoint *from = &scene->joints[number];
  const lbModel *models[2] = { NULL, NULL };
  lbBodyId bodies[2] = { 0, 0 };
  lbJointDef def;
  int32_t *region = NULL;
  for (int i = 0; i < 2; i++) {
    if (from->bodies[i] < 0) continue;
    bodies[i] = c->bodies[from->bodies[i]];
    models[i] = lb_body_model(lb_world_body(c->world, bodies[i]));
  }
  lbStatus status = lb_study_joint(scene, number, models, &def, &region, err);
  if (status) return status;
  memcpy(def.bodies, bodies, sizeof bodies);
  lbError why = { 0 };
  status = lb_world_add_joint(c->world, &def, &c->joints[number], &why);
  lb_free(region);
  if (!status) return LB_OK;
  return lb_fail(err, status, "%s: joint \"%s\": %.400s", scene->path, from->name, why.text);
}

lbStatus lb_run_add_joints(lbRunContacts *c, lbError *err) {
  int32_t count = c->run->scene->joint_count;
  lbStatus status = LB_OK;
  c->joints = lb_alloc((size_t)count, sizeof *c->joints);
  c->run->joints = lb_alloc((size_t)count, sizeof *c->run->joints);
  if (!c->joints || !c->run->joints) return lb_fail_memory(err);
  c->run->joint_count = count;
  for (int32_t i = 0; i < count && !status; i++) status = add_run_joint(c, i, err);
  return status;
}

// ---- telling -----------------------------------------------------------------------------------

lbStatus lb_run_watch_joints(lbRunContacts *c, double time, lbError *err) {
  lbRun *run = c->run;
  for (int32_t i = 0; i < run->joint_count; i++) {
    lbRunJoint *to = &run->joints[i];
    lbJointReport report;
    bool before = to->broken;
    lbStatus status = lb_world_joint(c->world, c->joints[i], &report, err);
    if (status) return status;
    *to = (lbRunJoint){ .position = report.position, .broken = report.broken };
    lb_vec3_store(to->force, report.force);
    lb_vec3_store(to->torque, report.torque);
    if (!report.broken || before) continue;
    const int32_t *bodies = run->scene->joints[i].bodies;
    lbRunEvent event = { time, LB_RUN_BROKEN, bodies[0], bodies[1], -1, 0 };
    if ((status = lb_run_add_event(c, &event, err)) != LB_OK) return status;
  }
  return LB_OK;
}
