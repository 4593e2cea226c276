// What the subspace method makes of a scene body: the choices that the scene leaves open, and the
// loads of its sketch on the volume mesh.
#include "limber/file.h"
#include "limber/scene.h"
#include "limber/sketch.h"

#include "scene/body.h"

static int32_t most_modes(const lbSceneBody *body, const lbFem *fem) {
  int64_t most = 3 * (int64_t)lb_fem_node_count(fem);
  bool held = false;
  for (int32_t v = 0; body->fixed && v < body->mesh->vertex_count; v++) held |= body->fixed[v];
  if (!held) most -= 6;
  return (int32_t)(most < 1 ? 1 : most < INT32_MAX ? most : INT32_MAX);
}

int32_t lb_scene_default_modes(const lbSceneBody *body, const lbFem *fem, int32_t usual) {
  int32_t most = most_modes(body, fem);
  return usual < most ? usual : most;
}

// The forces on a vertex of the surface are shared out to the nodes that carry it.
static lbStatus share_out(const lbSceneBody *body, const lbSketch *given, const lbSketchLoad *load,
                          lbSketch *sketch, lbError *err) {
  const lbEmbedding *e = body->embedding;
  size_t count = 0, next = 0;
  for (int32_t i = 0; i < load->force_count; i++) {
    int32_t vertex = given->forces[load->force_begin + i].vertex;
    if (vertex >= e->point_count)
      return lb_fail(err, LB_ERR_ARGUMENT,
                     "body \"%s\": the sketch has a force at vertex %d, the surface has %d",
                     body->name, (int)vertex, (int)e->point_count);
    count += (size_t)(e->begin[vertex + 1] - e->begin[vertex]);
  }
  lbSketchForce *forces = lb_alloc(count, sizeof *forces);
  if (!forces) return lb_fail_memory(err);
  for (int32_t i = 0; i < load->force_count; i++) {
    const lbSketchForce *from = &given->forces[load->force_begin + i];
    for (int32_t k = e->begin[from->vertex]; k < e->begin[from->vertex + 1]; k++) {
      lbSketchForce *to = &forces[next++];
      to->vertex = e->nodes[k];
      for (int c = 0; c < 3; c++) to->force[c] = e->weights[k] * from->force[c];
    }
  }
  lbStatus status = lb_sketch_append(sketch, load->name, (int32_t)count, forces, err);
  lb_free(forces);
  return status;
}

lbStatus lb_scene_sketch(const lbSceneBody *body, const char *path, lbSketch **out, lbError *err) {
  lbSketch *given = NULL, *sketch = NULL;
  lbStatus status = lb_sketch_load(path, &given, err);
  if (!status && !body->surface_ids) {
    *out = given;
    return LB_OK;
  }
  if (!status) status = lb_sketch_create(&sketch, err);
  for (int32_t i = 0; !status && i < given->load_count; i++)
    status = share_out(body, given, &given->loads[i], sketch, err);
  lb_sketch_destroy(given);
  if (status)
    lb_sketch_destroy(sketch);
  else
    *out = sketch;
  return status;
}

static lbStatus choose_counts(const lbSceneBody *body, const lbFem *fem, lbSubspaceDef *def,
                              lbError *err) {
  lbBasisDef *basis = &def->basis;
  int32_t modes = body->modal.mode_count, dimension = body->subspace.vectors_max;
  bool pca = basis->kind == LB_BASIS_DERIVATIVES || basis->kind == LB_BASIS_SKETCH;
  int32_t usual = basis->kind == LB_BASIS_EXTENDED ? LB_SCENE_EXTENDED_MODES : basis->mode_count;
  if (basis->kind == LB_BASIS_LINEAR && dimension > 0) usual = dimension;
  basis->mode_count = modes ? modes : lb_scene_default_modes(body, fem, usual);
  if (basis->kind == LB_BASIS_LINEAR && dimension > 0 && !modes) basis->mode_count = dimension;
  if (pca) {
    def->vectors_max = 0;
    basis->at_most = dimension == 0;
    if (dimension > 0) basis->dimension = dimension;
  }
  if (dimension <= 3 * (int64_t)lb_fem_node_count(fem)) return LB_OK;
  return lb_fail(err, LB_ERR_ARGUMENT,
                 "body \"%s\": dimension is %d, but the body has only %d unknowns", body->name,
                 (int)dimension, (int)(3 * lb_fem_node_count(fem)));
}

lbStatus lb_scene_subspace(const lbSceneBody *body, const lbFem *fem, lbSubspaceDef *def,
                           lbSketch **sketch, lbError *err) {
  *def = body->subspace;
  *sketch = NULL;
  lbStatus status = choose_counts(body, fem, def, err);
  if (!status && def->basis.kind == LB_BASIS_SKETCH) {
    if (!body->basis_file)
      return lb_fail(err, LB_ERR_ARGUMENT,
                     "body \"%s\": the basis \"sketch\" needs a file of loads", body->name);
    status = lb_file_check_named(body->basis_file, err);
    if (!status) status = lb_scene_sketch(body, body->basis_file, sketch, err);
  }
  if (!status && def->basis.kind == LB_BASIS_FILE && body->basis_file)
    status = lb_file_check_named(body->basis_file, err);
  def->basis.sketch = *sketch;
  def->basis.file = body->basis_file;
  return status;
}
