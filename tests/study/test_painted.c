// Weights of frames that are painted: in files with a row a vertex, and by the skin of a rig.
#include "../scene/scene_text.h"

#include "limber/model.h"
#include "limber/rig.h"
#include "limber/run.h"
#include "meshio/rig.h"
#include "arrayio/npy.h"

#include <math.h>
#include <string.h>

#define PAINT_BAR(mesh, frames)                                                                    \
  "{'limber':1,'bodies':[{'name':'bar','mesh':" mesh ",'method':'frames',"                         \
  "'material':{'young':1e5,'poisson':0.3,'density':1000},'frames':{" frames "}}]}"
#define BRICKS "{'generate':'bar','size':[1,0.2,0.2],'cells':[10,2,2],'element':'brick8'}"
#define TETS "{'generate':'bar','size':[1,0.2,0.2],'cells':[10,2,2]}"
#define SURFACE "{'surface':'bar.obj','voxelise':20}"
#define ENDS "'positions':[[0.05,0.1,0.1],[0.95,0.1,0.1]],'samples':1000"
#define PAINTED ENDS ",'weights':{'file':'weights.npy'}"

static void write_npy(const char *name, int64_t rows, int64_t columns, const double *values) {
  char header[LB_NPY_HEADER_MOST];
  const int64_t shape[2] = { rows, columns };
  size_t bytes = lb_npy_header(LB_SCALAR_FLOAT64, false, 2, shape, header);
  FILE *file = fopen(output_path(name), "wb");
  assert_non_null(file);
  fwrite(header, 1, bytes, file);
  fwrite(values, sizeof *values, (size_t)(rows * columns), file);
  fclose(file);
}

// (1 - x², x²) at the vertices of a mesh
static void paint(const lbMesh *mesh) {
  double *weights = malloc(2 * (size_t)mesh->vertex_count * sizeof *weights);
  for (int32_t v = 0; v < mesh->vertex_count; v++) {
    double x = mesh->positions[3 * v];
    weights[2 * v] = 1 - x * x, weights[2 * v + 1] = x * x;
  }
  write_npy("weights.npy", mesh->vertex_count, 2, weights);
  free(weights);
}

static lbModel *model_of(const lbScene *scene) {
  lbModel *model = NULL;
  lbError err;
  check_ok(lb_scene_model(&scene->bodies[0], &model, &err), err);
  return model;
}

// The weight of a frame at a node.
static double weight_at(const lbModel *m, int32_t node, int32_t frame) {
  double own = 0, sum = 0;
  for (int32_t e = m->node_frame_begin[node]; e < m->node_frame_begin[node + 1]; e++) {
    sum += m->node_weights[e];
    if (m->node_frames[e] == frame) own = m->node_weights[e];
  }
  return own / sum;
}

static void write_bar(void) {
  FILE *file = fopen(output_path("bar.obj"), "w");
  for (int i = 0; i < 8; i++)
    fprintf(file, "v %g %g %g\n", i & 1 ? 1.0 : 0, i & 2 ? 0.2 : 0, i & 4 ? 0.2 : 0);
  fputs("f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n", file);
  fclose(file);
}

// Linear between the vertices of an element, whose edges are a tenth of the bar's length; a surface
// of six faces has them at its ends alone: linear all along.
static void weights_of_files_are_those_of_the_body(void **state) {
  (void)state;
  static const char *const plain[] = { PAINT_BAR(BRICKS, ENDS), PAINT_BAR(TETS, ENDS),
                                       PAINT_BAR(SURFACE, ENDS) };
  static const char *const painted[] = { PAINT_BAR(BRICKS, PAINTED), PAINT_BAR(TETS, PAINTED),
                                         PAINT_BAR(SURFACE, PAINTED) };
  write_bar();
  for (int k = 0; k < 3; k++) {
    lbScene *scene = scene_of(plain[k]);
    const lbSceneBody *body = &scene->bodies[0];
    paint(body->surface_ids ? body->surface : body->mesh);
    lb_scene_destroy(scene);
    scene = scene_of(painted[k]);
    lbModel *m = model_of(scene);
    double worst = 0;
    for (int32_t n = 0; n < m->size.node_count; n++) {
      double x = m->node_positions[3 * n];
      worst = fmax(worst, fabs(weight_at(m, n, 1) - (k == 2 ? x : x * x)));
    }
    printf("  mesh %d: weights off by %.3f\n", k, worst);
    check_small(worst, 0.03);
    lb_model_destroy(m);
    lb_scene_destroy(scene);
  }
}

static void wrong_files_are_refused_by_name(void **state) {
  (void)state;
  enum { ROWS = 99 };
  double weights[2 * ROWS + 2];
  for (int i = 0; i < 2 * ROWS + 2; i++) weights[i] = 0.5;
  write_npy("weights.npy", ROWS + 1, 2, weights);
  check_refused(PAINT_BAR(BRICKS, PAINTED), "has 100 x 2 weights, there must be 99 x 2");
  write_npy("weights.npy", 2, ROWS, weights);
  check_refused(PAINT_BAR(BRICKS, PAINTED), "has 2 x 99 weights");
  weights[14] = weights[15] = 0;
  write_npy("weights.npy", ROWS, 2, weights);
  check_refused(PAINT_BAR(BRICKS, PAINTED), "all weights of vertex 7 are 0");
  weights[14] = 0.7;
  write_npy("weights.npy", ROWS, 2, weights);
  check_refused(PAINT_BAR(BRICKS, PAINTED), "vertex 7 sum to 0.7");
  weights[14] = -0.5, weights[15] = 1.5;
  write_npy("weights.npy", ROWS, 2, weights);
  check_refused(PAINT_BAR(BRICKS, PAINTED), "vertex 7 has the weight -0.5 for frame 0");
  weights[14] = NAN;
  write_npy("weights.npy", ROWS, 2, weights);
  check_refused(PAINT_BAR(BRICKS, PAINTED), "vertex 7");
  check_refused(PAINT_BAR(BRICKS, ENDS ",'weights':{}"), "needs a \"file\"");
  check_refused(PAINT_BAR(BRICKS, ENDS ",'weights':{'path':'x'}"), "\"path\"");
  check_refused(PAINT_BAR(BRICKS, ENDS ",'weights':'painted'"), "file");
  for (int i = 0; i < 2 * ROWS; i++) weights[i] = i % 2 == 0; // nothing hangs on the second frame
  write_npy("weights.npy", ROWS, 2, weights);
  lbScene *scene = NULL;
  lbModel *model = NULL;
  lbError err;
  check_fails(
      read_scene_text(PAINT_BAR(BRICKS, ENDS ",'weights':{'file':'none.npy'}"), &scene, &err),
      LB_ERR_FILE, err, "none.npy");
  scene = scene_of(PAINT_BAR(BRICKS, PAINTED));
  check_fails(lb_scene_model(&scene->bodies[0], &model, &err), LB_ERR_ARGUMENT, err,
              "frame 1 has no weight");
  lb_scene_destroy(scene);
}

// ---- the skin of a rig -------------------------------------------------------------------------

#define FIGURE(weights)                                                                            \
  "{'limber':1,'gravity':[0,-9.81,0],'time':{'step':0.02,'count':20},"                             \
  "'bodies':[{'name':'figure','mesh':{'surface':'painted.glb','voxelise':32},"                     \
  "'material':{'young':2e5,'poisson':0.4},'damping':{'stiffness':0.01},'method':'frames',"         \
  "'frames':{'skeleton':true,'count':2,'samples':3000,'weights':'" weights "'}}]}"

// How far the weights of joints at vertices are from the rig's, on average: half of what is moved
// from one joint to another.
static double apart(const lbModel *m, const lbRig *rig) {
  double sum = 0;
  for (int32_t v = 0; v < m->size.vertex_count; v++) {
    double own[LB_FRAMES_MOST] = { 0 };
    int32_t source = m->vertex_sources[v];
    for (int32_t k = m->carrier_begin[v]; k < m->carrier_begin[v + 1]; k++)
      for (int32_t f = 0; f < m->size.frame_count; f++)
        own[f] += m->carrier_weights[k] * weight_at(m, m->carrier_nodes[k], f);
    for (int32_t k = rig->begin[source]; k < rig->begin[source + 1]; k++)
      own[rig->vertex_joints[k]] -= rig->weights[k];
    for (int32_t f = 0; f < m->size.frame_count; f++) sum += 0.5 * fabs(own[f]);
  }
  return sum / m->size.vertex_count;
}

static void a_figure_hangs_on_its_joints_as_it_was_painted(void **state) {
  (void)state;
  lbShapeDef def = lb_shape_def("figure");
  lbMesh *mesh = NULL;
  lbRig *rig = NULL;
  lbError err;
  double off[2];
  def.segments = 32;
  check_ok(lb_rig_save(&def, output_path("painted.glb"), NULL, &err), err);
  check_ok(lb_rig_load(output_path("painted.glb"), &mesh, &rig, &err), err);
  for (int k = 0; k < 2; k++) {
    lbScene *scene = scene_of(k ? FIGURE("painted") : FIGURE("harmonic"));
    lbModel *model = model_of(scene);
    off[k] = apart(model, rig);
    lb_model_destroy(model);
    lbRun *run = NULL;
    lbRunDef run_def = lb_run_def();
    check_ok(lb_run(scene, &run_def, &run, &err), err);
    assert_int_equal(run->bodies[0].nonfinite_count, 0);
    lb_run_destroy(run);
    lb_scene_destroy(scene);
  }
  printf("  weights of joints: %.3f off by harmonic ones, %.3f by painted ones\n", off[0], off[1]);
  assert_true(off[1] < 0.5 * off[0]);
  lb_mesh_destroy(mesh), lb_rig_destroy(rig);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(weights_of_files_are_those_of_the_body),
    cmocka_unit_test(wrong_files_are_refused_by_name),
    cmocka_unit_test(a_figure_hangs_on_its_joints_as_it_was_painted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
