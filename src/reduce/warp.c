// A model with the method "warp": the unreduced object, and how its stiffness is rotated. What
// the method needs besides follows from mesh and materials when a body is made.
#include "limber/reduce.h"

#include "reduce/object.h"
#include "reduce/projection.h"
#include "reduce/warp_cores.h"

#include <math.h>
#include <stdio.h>

lbWarpSettings lb_warp_settings(void) {
  return (lbWarpSettings){ .iterations = LB_WARP_ITERATIONS };
}

static const char *const rotations[] = { "element", "fit", "edges", NULL };
static const char *const stiffnesses[] = { "fem", "springs", NULL };
static const char *const strains[] = { "warped", "linear", "green", NULL };

const char *const *lb_warp_rotation_names(void) { return rotations; }
const char *const *lb_warp_stiffness_names(void) { return stiffnesses; }
const char *const *lb_warp_strain_names(void) { return strains; }

static lbStatus check(const lbReduceDef *def, const lbWarpSettings *warp, lbError *err) {
  if ((int)warp->rotation < 0 || warp->rotation >= LB_WARP_ROTATION_COUNT ||
      (int)warp->stiffness < 0 || warp->stiffness >= LB_WARP_STIFFNESS_COUNT ||
      (int)warp->strain < 0 || warp->strain >= LB_WARP_STRAIN_COUNT)
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "model \"%s\": rotation %d, stiffness %d or strain %d is not in its enumeration",
                   def->name, (int)warp->rotation, (int)warp->stiffness, (int)warp->strain);
  if (warp->iterations < 1 || warp->iterations > LB_WARP_ITERATIONS_MOST)
    return lb_fail(err, LB_ERR_ARGUMENT, "model \"%s\": iterations is %d, it must be from 1 to %d",
                   def->name, (int)warp->iterations, LB_WARP_ITERATIONS_MOST);
  if (warp->stretch_limit != 0 && !(warp->stretch_limit > 1 && isfinite(warp->stretch_limit)))
    return lb_fail(err, LB_ERR_ARGUMENT,
                   "model \"%s\": stretch_limit is %g, it must be above 1 (or 0: none)", def->name,
                   warp->stretch_limit);
  if (warp->stiffness == LB_WARP_SPRINGS && warp->strain == LB_WARP_GREEN)
    return lb_fail(err, LB_ERR_UNSUPPORTED,
                   "model \"%s\": springs have no green strain, use \"warped\" or \"linear\"",
                   def->name);
  if (warp->stretch_limit != 0 &&
      (warp->strain != LB_WARP_WARPED || warp->rotation != LB_WARP_ELEMENT))
    return lb_fail(err, LB_ERR_UNSUPPORTED,
                   "model \"%s\": stretch_limit needs the strain \"warped\" and the rotation "
                   "\"element\"",
                   def->name);
  return LB_OK;
}

// Nodes that hang together by tets, bricks and cores; each piece that nothing holds is loose.
static int32_t find_set_root(int32_t *parents, int32_t node) {
  while (parents[node] != node) node = parents[node] = parents[parents[node]];
  return node;
}

static void join_node_sets(int32_t *parents, const int32_t *nodes, int32_t count) {
  for (int32_t a = 1; a < count; a++)
    parents[find_set_root(parents, nodes[a])] = find_set_root(parents, nodes[0]);
}

static void join_core(const lbModel *m, int32_t core, int32_t *parents) {
  int32_t pair[2] = { -1, -1 };
  for (int32_t n = 0; n < m->size.node_count; n++) {
    if (m->warp_cores[n] != core) continue;
    pair[0] = pair[1] >= 0 ? pair[1] : n, pair[1] = n;
    join_node_sets(parents, pair, 2);
  }
}

static lbStatus warn_of_loose_pieces(const lbModel *m, lbError *err) {
  size_t nodes = (size_t)m->size.node_count;
  int32_t *parents = lb_alloc(nodes, sizeof *parents), loose = 0, pieces = 0;
  uint8_t *marks = lb_alloc(nodes, 1); // 1: has a fixed node, 2: is of an element
  if (!parents || !marks) {
    lb_free(parents), lb_free(marks);
    return lb_fail_memory(err);
  }
  for (int32_t n = 0; n < m->size.node_count; n++) parents[n] = n;
  for (size_t e = 0; e < (size_t)m->size.tet_count; e++)
    join_node_sets(parents, m->tets + 4 * e, 4);
  for (size_t e = 0; e < (size_t)m->size.brick_count; e++)
    join_node_sets(parents, m->bricks + 8 * e, 8);
  for (int32_t c = 0; c < m->size.core_count; c++) join_core(m, c, parents);
  for (size_t i = 0; i < 4 * (size_t)m->size.tet_count; i++)
    marks[find_set_root(parents, m->tets[i])] |= 2;
  for (size_t i = 0; i < 8 * (size_t)m->size.brick_count; i++)
    marks[find_set_root(parents, m->bricks[i])] |= 2;
  for (int32_t n = 0; n < m->size.node_count; n++)
    if (m->node_fixed[n] || (m->warp_cores && m->warp_cores[n] >= 0 &&
                             m->warp_core_kinds[m->warp_cores[n]] != LB_CORE_FREE))
      marks[find_set_root(parents, n)] |= 1;
  for (int32_t n = 0; n < m->size.node_count; n++) {
    if (parents[n] != n || !(marks[n] & 2)) continue;
    pieces++;
    loose += !(marks[n] & 1);
  }
  if (loose > 0 && pieces > 1)
    lb_log(LB_LOG_WARNING, "model \"%s\": %d of its %d pieces are attached to nothing and may part",
           m->name, (int)loose, (int)pieces);
  lb_free(parents), lb_free(marks);
  return LB_OK;
}

lbStatus lb_reduce_warp(const lbMesh *mesh, const lbFem *fem, const lbReduceDef *def,
                        const lbWarpSettings *warp, lbModel **out, lbError *err) {
  lbArena arena = { 0 };
  lbModel draft;
  double *damping = NULL;
  const int32_t settings[4] = { (int32_t)warp->rotation, (int32_t)warp->stiffness,
                                (int32_t)warp->strain, warp->iterations };
  lbStatus status = check(def, warp, err);
  if (status) return status;
  status = lb_object_draft(mesh, fem, def, &arena, &draft, err);
  if (!status && (draft.size.shell_count > 0 || draft.size.element_count == 0))
    status = lb_fail(err, LB_ERR_UNSUPPORTED,
                     "model \"%s\": the method \"warp\" needs tets or bricks; shells have "
                     "\"full\", \"modal\" and \"subspace\"",
                     def->name);
  if (!status) status = lb_keep_damping(def, &arena, &damping, err);
  if (!status) status = lb_warp_draft_rigid(mesh, lb_fem_fixed(fem), warp, &arena, &draft, err);
  if (!status) status = warn_of_loose_pieces(&draft, err);
  if (!status) {
    char more[200];
    snprintf(more, sizeof more,
             "limber: " LB_VERSION "\nmethod: warp\nwarp: rotation %s, stiffness %s, strain %s\n",
             rotations[warp->rotation], stiffnesses[warp->stiffness], strains[warp->strain]);
    draft.warp_settings = settings;
    draft.warp_damping = damping;
    draft.warp_stretch_limit = warp->stretch_limit != 0 ? &warp->stretch_limit : NULL;
    draft.provenance = lb_object_provenance(def, more, &arena);
    status = draft.provenance ? lb_model_create(&draft, out, err) : lb_fail_memory(err);
  }
  lb_arena_release(&arena);
  return status;
}
