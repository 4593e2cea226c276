// Scenes that are refused: the message names the file, the field and what to do.
#include "scene_text.h"

#define SHEET "'mesh':{'generate':'grid','cells':[2,2,1]}"

static void unknown_keys_are_refused_at_every_level_with_the_nearest_known_one(void **state) {
  (void)state;
  check_refused("{'limber':1,'gravty':[0,0,0],'bodies':[" BODY "]}",
                "unknown key \"gravty\", did you mean \"gravity\"?");
  check_refused(BODY_WITH("'fixd':{}"), "bodies[0]: unknown key \"fixd\", did you mean \"fixed\"?");
  check_refused(BODY_WITH("'damping':{'mas':1}"), "did you mean \"mass\"?");
  check_refused(BODY_WITH("'fixed':{'vertexes':[1]}"), "did you mean \"vertices\"?");
  check_refused(BODY_WITH("'fixed':[{'bx':[1]}]"), "bodies[0].fixed[0]: unknown key \"bx\"");
  check_refused(BODY_WITH("'velocity':{'linaer':[1,0,0]}"), "did you mean \"linear\"?");
  check_refused(BODY_WITH("'reduce':{'mode':3}"), "did you mean \"modes\"?");
  check_refused("{'limber':1,'bodies':[{'mesh':{'generate':'bar','sizes':[1,1,1]},'material':{}}]}",
                "did you mean \"size\"?");
  check_refused("{'limber':1,'bodies':[{'mesh':{'surface':'a.obj','voxelize':3},'material':{}}]}",
                "did you mean \"voxelise\"?");
  check_refused("{'limber':1,'bodies':[{" BAR ",'material':{'yuong':1}}]}",
                "bodies[0].material: unknown key \"yuong\", did you mean \"young\"?");
  check_refused("{'limber':1,'bodies':[{" BAR ",'material':[{},{'densty':1}]}]}",
                "bodies[0].material[1]: unknown key \"densty\", did you mean \"density\"?");
  check_refused(SCENE_WITH("'loads':[{'vertx':1}]"), "loads[0]: unknown key \"vertx\"");
  check_refused(SCENE_WITH("'probes':[{'vertex':1,'bdy':'bar'}]"), "did you mean \"body\"?");
  check_refused(SCENE_WITH("'time':{'stp':1}"),
                "time: unknown key \"stp\", did you mean \"step\"?");
  check_refused(SCENE_WITH("'qqqqqqqqqqqq':1"), "unknown key \"qqqqqqqqqqqq\", remove it");
}

static void values_of_the_wrong_kind_are_refused(void **state) {
  (void)state;
  static const char *const cases[][2] = {
    { "[1]", "must be an object" },
    { "{'bodies':[" BODY "]}", "has no \"limber\": 1" },
    { "{'limber':'one','bodies':[" BODY "]}", "limber: is \"one\"" },
    { "{'limber':0,'bodies':[" BODY "]}", "whole number, 1 or more" },
    { "{'limber':2,'bodies':[" BODY "]}", "is version 2, this limber reads version 1" },
    { "{'limber':1}", "bodies: must be a list" },
    { "{'limber':1,'bodies':[]}", "at least one body" },
    { "{'limber':1,'bodies':{}}", "bodies: must be a list" },
    { "{'limber':1,'bodies':[3]}", "bodies[0]: must be an object" },
    { "{'limber':1,'bodies':[{'material':{}}]}", "has no \"mesh\"" },
    { "{'limber':1,'bodies':[{'mesh':5,'material':{}}]}", "must be a file's name" },
    { "{'limber':1,'bodies':[{'mesh':{},'material':{}}]}", "must be a file's name" },
    { "{'limber':1,'bodies':[{'model':5}]}", "model: is 5, it must be a text" },
    { "{'limber':1,'bodies':[{'model':''}]}", "model: is empty" },
    { "{'limber':1,'bodies':[{'model':'a.glb'," BAR "}]}", "mesh: a body with a \"model\"" },
    { "{'limber':1,'bodies':[{'model':'a.glb','surface':'a.obj'}]}", "surface: a body with" },
    { "{'limber':1,'bodies':[{'model':'a.glb','material':{}}]}", "material: a body with" },
    { "{'limber':1,'bodies':[{'model':'a.glb','fixed':[]}]}", "fixed: a body with" },
    { "{'limber':1,'bodies':[{'model':'a.glb','mass':'lumped'}]}", "mass: a body with" },
    { "{'limber':1,'bodies':[{'model':'a.glb','scale':2}]}", "scale: a body with" },
    { "{'limber':1,'bodies':[{" BAR "}]}", "has no material and its mesh carries none" },
    { "{'limber':1,'bodies':[{" BAR ",'material':5}]}", "material: must be an object" },
    { "{'limber':1,'bodies':[{" BAR ",'material':[]}]}", "element 0 is in none of the regions" },
    { "{'limber':1,'bodies':[{" BAR ",'material':{'young':'soft'}}]}",
      "bodies[0].material.young: is \"soft\", it must be a number" },
    { "{'limber':1,'bodies':[{" BAR ",'material':{'model':'stvc'}}]}", "did you mean \"stvk\"?" },
    { "{'limber':1,'bodies':[{" BAR ",'material':{'model':'mooneyrivlin','young':1}}]}",
      "young: does not apply to the model \"mooneyrivlin\"" },
    { "{'limber':1,'bodies':[{" BAR ",'material':{'c10':1}}]}", "c10: does not apply" },
    { "{'limber':1,'bodies':[{" BAR ",'material':{'thickness':1}}]}", "thickness: does not apply" },
    { "{'limber':1,'bodies':[{" BAR ",'material':{'bend':1}}]}", "bend: does not apply" },
    { "{'limber':1,'bodies':[{" SHEET ",'material':{'model':'shell'}}]}", "needs a \"thickness\"" },
    { "{'limber':1,'bodies':[{" SHEET
      ",'material':{'model':'shell','thickness':1,'stretch':1,'bend':1,'young':1}}]}",
      "young: does not go with stiffnesses" },
    { "{'limber':1,'bodies':[{" SHEET ",'material':{'model':'shell','thickness':1,'bend':1}}]}",
      "has no \"stretch\"" },
    { "{'limber':1,'bodies':[{" SHEET
      ",'material':{'model':'shell','thickness':1,'stretch':1,'bend':1,'color':{'channel':'red',"
      "'young':[1,2]}}}]}",
      "which has no \"young\"" },
    { "{'limber':1,'bodies':[{" BAR ",'material':{'group':1}}]}", "only a list of materials" },
    { "{'limber':1,'bodies':[{" BAR ",'material':[{},{'group':true}]}]}", "name or number" },
    { "{'limber':1,'bodies':[{" BAR ",'material':[{},{'group':'no'}]}]}",
      "material[1].group: there is no group" },
    { "{'limber':1,'bodies':[{'mesh':{'generate':'bra'},'material':{}}]}", "did you mean \"bar\"" },
    { "{'limber':1,'bodies':[{'mesh':{'generate':'bar','element':'tet5'},'material':{}}]}",
      "did you mean \"tet4\"" },
    { "{'limber':1,'bodies':[{'mesh':{'generate':'bar','cells':[1,0,1]},'material':{}}]}",
      "cells[1]: is 0, it must be a whole number, 1 or more" },
    { "{'limber':1,'bodies':[{'mesh':{'surface':'x.obj'},'material':{}}]}",
      "must have one of \"voxelise\" and \"fill\"" },
    { "{'limber':1,'bodies':[" BODY "," BODY "]}", "two bodies are called \"bar\"" },
    { BODY_WITH("'mass':'heavy'"), "use one of consistent, lumped" },
    { BODY_WITH("'method':'ful'"), "did you mean \"full\"?" },
    { BODY_WITH("'damping':3"), "damping: must be an object" },
    { BODY_WITH("'damping':{'mass':-1}"), "must not be negative" },
    { BODY_WITH("'reduce':3"), "reduce: must be an object" },
    { BODY_WITH("'reduce':{'modes':0}"), "reduce.modes: is 0, it must be a whole number, 1 or" },
    { BODY_WITH("'reduce':{'modes':2.5}"), "reduce.modes" },
    { BODY_WITH("'reduce':{'discard':3}"), "discard: must be true, false or an object" },
    { BODY_WITH("'reduce':{'discard':{'max_forc':1}}"), "did you mean \"max_force\"?" },
    { BODY_WITH("'reduce':{'discard':{'max_force':0}}"), "max_force: is 0, it must be positive" },
    { BODY_WITH("'reduce':{'discard':{'min_resolution':-1}}"), "min_resolution" },
    { BODY_WITH("'reduce':{'discard':{'frame_rate':'fast'}}"), "frame_rate" },
    { BODY_WITH("'reduce':{'discard':{'amplitude':'mean'}}"), "one of max, norm" },
    { BODY_WITH("'reduce':{'basis':3}"), "basis: is 3, it must be a text" },
    { BODY_WITH("'reduce':{'dimension':0}"), "dimension" },
    { BODY_WITH("'reduce':{'forces':[]}"), "forces: is [], it must be a text" },
    { BODY_WITH("'instances':0"), "from 1 to 10000" },
    { BODY_WITH("'instances':1.5"), "whole number" },
    { BODY_WITH("'position':[1,2]"), "position: is [1,2], it must be a list of 3 numbers" },
    { BODY_WITH("'rotation':[0,0,0,0]"), "has zero or non-finite length" },
    { BODY_WITH("'rotation':[0,0,0,1e200]"), "has zero or non-finite length" },
    { BODY_WITH("'scale':0"), "must be positive" },
    { BODY_WITH("'scale':[1,-1,1]"), "must be positive" },
    { BODY_WITH("'velocity':[1,0,0]"), "velocity: must be an object" },
    { BODY_WITH("'fixed':5"), "fixed: must be an object" },
    { BODY_WITH("'fixed':{}"), "exactly one of" },
    { BODY_WITH("'fixed':{'vertices':[0],'group':'left'}"), "exactly one of" },
    { BODY_WITH("'fixed':{'vertices':3}"), "must be a list of vertex numbers" },
    { BODY_WITH("'fixed':{'vertices':[0,12]}"), "vertex 12 does not exist, the mesh has 12" },
    { BODY_WITH("'fixed':{'vertices':[-1]}"), "whole number, 0 or more" },
    { BODY_WITH("'fixed':{'box':[[0,0,0]]}"), "[[low x, y, z], [high x, y, z]]" },
    { BODY_WITH("'fixed':{'box':[[0,0,0],[0,0]]}"), "fixed.box[1]" },
    { BODY_WITH("'fixed':{'group':'lefd'}"),
      "fixed.group: there is no group, object or material \"lefd\"" },
    { BODY_WITH("'fixed':{'group':0}"), "name or number" },
    { BODY_WITH("'fixed':{'group':4294967297}"), "name or number" },
    { BODY_WITH("'fixed':{'file':3}"), "must be a text in quotes" },
    { SCENE_WITH("'gravity':9.81"), "gravity: is 9.81" },
    { SCENE_WITH("'gravity':[0,0,'g']"), "gravity[2]: is \"g\", it must be a number" },
    { SCENE_WITH("'loads':{}"), "loads: must be a list" },
    { SCENE_WITH("'loads':[{'vertex':1}]"), "loads[0]: has no \"force\"" },
    { SCENE_WITH("'loads':[{'force':[0,0,0]}]"), "must name its \"vertex\"" },
    { SCENE_WITH("'loads':[{'vertex':12,'force':[0,0,0]}]"), "body \"bar\" has 12 vertices" },
    { SCENE_WITH("'loads':[{'body':'b','vertex':1,'force':[0,0,0]}]"), "there is no body \"b\"" },
    { SCENE_WITH("'loads':[{'vertex':1,'force':[0,0,0],'from':'x'}]"), "loads[0].from" },
    { SCENE_WITH("'probes':3"), "probes: must be a list" },
    { SCENE_WITH("'probes':[{'vertex':-1}]"), "probes[0].vertex: is -1" },
    { SCENE_WITH("'probes':[{'vertex':99}]"), "is 99" },
    { SCENE_WITH("'time':5"), "time: must be an object" },
    { SCENE_WITH("'time':{'step':0}"), "time.step: is 0, it must be positive" },
    { SCENE_WITH("'time':{'count':-1}"), "time.count" },
    { SCENE_WITH("'time':{'integrator':'rk4'}"), "use one of newmark, euler" },
    { SCENE_WITH("'time':{'newton_iterations':0}"), "newton_iterations" },
    { SCENE_WITH("'time':{'newton_tolerance':-1}"), "newton_tolerance" },
    { SCENE_WITH("'time':{'factor_reuse':1}"), "from 0 to below 1" },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check_refused(cases[i][0], cases[i][1]);
  check_refused("{'limber':1,'bodies':[{'name':5," BAR ",'material':{}}]}", "name: is 5");
  check_refused("{'limber':1,'bodies':[" BODY ",{'name':'b'," BAR ",'material':{}}],"
                "'probes':[{'vertex':1}]}",
                "must name its \"body\"");
}

static void bad_material_values_are_refused_by_field(void **state) {
  (void)state;
  static const char *const cases[][2] = { { "'poisson':0.5", "poisson" },
                                          { "'young':-1", "young" },
                                          { "'density':0", "density" },
                                          { "'model':'mooneyrivlin'", "c10" } };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[300];
    lbScene *scene;
    lbError err;
    snprintf(text, sizeof text, "{'limber':1,'bodies':[{" BAR ",'material':{%s}}]}", cases[i][0]);
    assert_int_not_equal(read_scene_text(text, &scene, &err), LB_OK);
    assert_non_null(strstr(err.text, cases[i][1]));
    assert_non_null(strstr(err.text, "scene.json: bodies[0].material"));
  }
}

static void broken_json_is_refused_with_line_and_column(void **state) {
  (void)state;
  check_refused("{\n'limber': 1,\n 'bodies' [] }", "scene.json:3:");
  check_refused("{'limber':1,'limber':1}", "scene.json:1:");
  check_refused("", "scene.json:1:");
  check_refused("{'limber':1,'gravity':[0,0,NaN]}", "scene.json:1:");
  check_refused("{'limber':1,'gravity':[0,0,1e999]}", "scene.json:1:");
}

static void files_that_are_not_there_are_named(void **state) {
  (void)state;
  static const char *const texts[] = {
    "{'limber':1,'bodies':[{'mesh':'not-here.msh','material':{}}]}",
    "{'limber':1,'bodies':[{'mesh':{'surface':'not-here.obj','voxelise':4},'material':{}}]}",
    BODY_WITH("'surface':'not-here.obj'"),
    BODY_WITH("'fixed':{'file':'not-here.bou'}"),
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    lbScene *scene;
    lbError err;
    check_fails(read_scene_text(texts[i], &scene, &err), LB_ERR_FILE, err, "not-here.");
  }
  lbScene *scene = NULL;
  lbError err;
  check_fails(lb_scene_load("not-here.json", NULL, &scene, &err), LB_ERR_FILE, err, "not-here");
  check_fails(lb_scene_load("not-here.msh", NULL, &scene, &err), LB_ERR_FILE, err, "not-here");
  assert_null(scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(unknown_keys_are_refused_at_every_level_with_the_nearest_known_one),
    cmocka_unit_test(values_of_the_wrong_kind_are_refused),
    cmocka_unit_test(bad_material_values_are_refused_by_field),
    cmocka_unit_test(broken_json_is_refused_with_line_and_column),
    cmocka_unit_test(files_that_are_not_there_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
