// A model of the same object with nothing fixed.
#include "limber/build_model.h"

#include "study/actor.h"
#include "study/matrix_body.h"

static lbReduceDef describe_reduction(const lbModel *held) {
  lbReduceDef def = lb_reduce_def();
  lbModelMethod view = { .damping = held->full_damping };
  (void)lb_model_method(held, LB_METHOD_DEFAULT, &view);
  def.name = held->name;
  def.up = held->up[0] == 1 ? 'y' : 'z';
  def.provenance = held->provenance;
  if (view.damping) def.damping_mass = view.damping[0], def.damping_stiffness = view.damping[1];
  return def;
}

static int32_t least(int64_t a, int64_t b) { return (int32_t)(a < b ? a : b); }

static lbStatus reduce_freed_model(const lbModel *held, const lbMesh *mesh, const lbFem *fem,
                                   lbModel **out, lbError *err) {
  lbReduceDef def = describe_reduction(held);
  int64_t most = 3 * (int64_t)lb_fem_node_count(fem) - 6;
  bool linear = lb_model_default_method(held) == LB_METHOD_MODAL;
  if (most < 1) most = 1;
  if (linear) {
    lbModalDef modal = lb_modal_def();
    modal.mode_count = least(held->size.mode_count, most);
    return lb_reduce_modal(mesh, fem, &def, &modal, out, err);
  }
  lbSubspaceDef subspace = lb_subspace_def();
  subspace.editable = true;
  subspace.basis.mode_count = least(subspace.basis.mode_count, most);
  subspace.basis.at_most = true;
  if (held->size.subspace_dimension > 0) subspace.basis.dimension = held->size.subspace_dimension;
  return lb_reduce_subspace(mesh, fem, &def, &subspace, out, err);
}

// The reduced volume with the surface of the model that it was made from.
static lbStatus dress(const lbModel *bare, const lbModel *held, lbModel **out, lbError *err) {
  lbModel draft = *bare;
  draft.size.vertex_count = held->size.vertex_count;
  draft.size.triangle_count = held->size.triangle_count;
  draft.size.carrier_count = held->size.carrier_count;
  draft.size.appearance_count = held->size.appearance_count;
  draft.size.texture_count = held->size.texture_count;
  draft.vertex_positions = held->vertex_positions;
  draft.vertex_sources = held->vertex_sources;
  draft.triangles = held->triangles;
  draft.corner_uvs = held->corner_uvs;
  draft.triangle_appearances = held->triangle_appearances;
  draft.carrier_begin = held->carrier_begin;
  draft.carrier_nodes = held->carrier_nodes;
  draft.carrier_weights = held->carrier_weights;
  draft.appearance_names = held->appearance_names;
  draft.appearance_colors = held->appearance_colors;
  draft.appearance_metal_roughness = held->appearance_metal_roughness;
  draft.appearance_textures = held->appearance_textures;
  draft.texture_names = held->texture_names;
  draft.texture_mimes = held->texture_mimes;
  draft.texture_ranges = held->texture_ranges;
  draft.pictures = held->pictures;
  draft.pictures_bytes = held->pictures_bytes;
  return lb_model_create(&draft, out, err);
}

lbStatus lb_build_free(const lbModel *held, lbModel **out, lbError *err) {
  lbMesh *mesh = NULL;
  lbFem *fem = NULL;
  lbModel *bare = NULL;
  lbStatus status = lb_model_volume_mesh(held, &mesh, err);
  if (!status) status = lb_model_free_fem(held, &fem, err);
  if (!status) status = reduce_freed_model(held, mesh, fem, &bare, err);
  if (!status) status = dress(bare, held, out, err);
  lb_model_destroy(bare);
  lb_fem_destroy(fem);
  lb_mesh_destroy(mesh);
  return status;
}
