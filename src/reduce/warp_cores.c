// Rigid cores of a warped body: from elements to the arrays of a model.
#include "reduce/warp_cores.h"

#include "reduce/store_paths.h"

#include <math.h>
#include <string.h>

// ---- nodes -------------------------------------------------------------------------------------

static const int32_t *list_core_nodes(const lbMesh *mesh, int32_t e, int32_t *count) {
  *count = e < mesh->tet_count ? 4 : 8;
  return e < mesh->tet_count ? mesh->tets + 4 * (size_t)e
                             : mesh->bricks + 8 * (size_t)(e - mesh->tet_count);
}

// cores (vertices) <- the core of each.
static lbStatus mark_core_nodes(const lbMesh *mesh, const bool *fixed, const lbWarpSettings *warp,
                                int32_t *cores, lbError *err) {
  for (int32_t v = 0; v < mesh->vertex_count; v++) cores[v] = -1;
  for (int32_t c = 0; c < warp->rigid_count; c++) {
    bool covers = false;
    for (int32_t e = 0; e < mesh->tet_count + mesh->brick_count; e++) {
      int32_t count;
      const int32_t *nodes = list_core_nodes(mesh, e, &count);
      if (!warp->rigid[c].elements[e]) continue;
      covers = true;
      for (int32_t a = 0; a < count; a++) {
        int32_t n = nodes[a];
        if (cores[n] >= 0 && cores[n] != c)
          return lb_fail(err, LB_ERR_ARGUMENT,
                         "rigid[%d] and rigid[%d] share vertex %d: make one core of them, or leave "
                         "a row of elements between them",
                         (int)cores[n], (int)c, (int)n);
        if (fixed && fixed[n])
          return lb_fail(err, LB_ERR_ARGUMENT,
                         "rigid[%d] has vertex %d, which is fixed: a core that does not move needs "
                         "to be \"fixed\" alone",
                         (int)c, (int)n);
        cores[n] = c;
      }
    }
    if (!covers) return lb_fail(err, LB_ERR_ARGUMENT, "rigid[%d] covers no tets or bricks", (int)c);
  }
  return LB_OK;
}

// Some vertex of an element that can move by itself.
static bool leaves_flesh(const lbMesh *mesh, const bool *fixed, const int32_t *cores) {
  for (int32_t e = 0; e < mesh->tet_count + mesh->brick_count; e++) {
    int32_t count;
    const int32_t *nodes = list_core_nodes(mesh, e, &count);
    for (int32_t a = 0; a < count; a++)
      if (cores[nodes[a]] < 0 && !(fixed && fixed[nodes[a]])) return true;
  }
  return false;
}

static lbStatus check_core(const lbWarpRigid *core, int32_t index, lbError *err) {
  const double *n = core->axis;
  double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  if (core->kind < LB_CORE_FREE || core->kind >= LB_CORE_KIND_COUNT)
    return lb_fail(err, LB_ERR_ARGUMENT, "rigid[%d] is of kind %d, which does not exist",
                   (int)index, (int)core->kind);
  if (core->kind == LB_CORE_SCRIPTED && !core->path)
    return lb_fail(err, LB_ERR_ARGUMENT, "rigid[%d] is scripted and has no path", (int)index);
  if (core->kind != LB_CORE_HINGED) return LB_OK;
  if (!(length > 0 && length < 1e100))
    return lb_fail(err, LB_ERR_ARGUMENT, "rigid[%d]: its axis has the length %g, give a direction",
                   (int)index, length);
  for (int k = 0; k < 3; k++)
    if (!(fabs(core->point[k]) <= 1e30))
      return lb_fail(err, LB_ERR_ARGUMENT, "rigid[%d]: its axis goes through %g m", (int)index,
                     core->point[k]);
  return LB_OK;
}

static lbStatus find_core_nodes(const lbMesh *mesh, const bool *fixed, const lbWarpSettings *warp,
                                int32_t *cores, lbError *err) {
  lbStatus status = LB_OK;
  if (warp->rigid_count < 0 || warp->rigid_count > LB_CORES_MOST)
    return lb_fail(err, LB_ERR_ARGUMENT, "there are %d rigid cores, %d is the most",
                   (int)warp->rigid_count, LB_CORES_MOST);
  for (int32_t c = 0; c < warp->rigid_count && !status; c++)
    status = check_core(&warp->rigid[c], c, err);
  if (!status) status = mark_core_nodes(mesh, fixed, warp, cores, err);
  if (!status && !leaves_flesh(mesh, fixed, cores))
    status =
        lb_fail(err, LB_ERR_ARGUMENT,
                "the rigid cores leave nothing deformable: every vertex is in a core or fixed");
  return status;
}

lbStatus lb_warp_check_rigid(const lbMesh *mesh, const bool *fixed, const lbWarpSettings *warp,
                             lbError *err) {
  int32_t *cores = lb_alloc((size_t)mesh->vertex_count, sizeof *cores);
  if (!cores) return lb_fail_memory(err);
  lbStatus status = find_core_nodes(mesh, fixed, warp, cores, err);
  lb_free(cores);
  return status;
}

// ---- arrays ------------------------------------------------------------------------------------

static lbStatus store_paths(const lbWarpSettings *warp, lbArena *arena, lbModel *draft,
                            lbError *err) {
  size_t count = (size_t)warp->rigid_count;
  const lbPath **paths = lb_arena_alloc(arena, count, sizeof *paths);
  int32_t *settings = lb_arena_alloc(arena, count, 3 * sizeof(int32_t));
  lbStoredPaths a;
  if (!paths || !settings) return lb_fail_memory(err);
  for (size_t c = 0; c < count; c++)
    paths[c] = warp->rigid[c].kind == LB_CORE_SCRIPTED ? warp->rigid[c].path : NULL;
  lbStatus status = lb_paths_store(paths, warp->rigid_count, arena, &a, err);
  if (status) return status;
  for (size_t c = 0; c < count; c++) {
    const int32_t own[3] = { a.interpolations[c], a.cycles[c], a.parts[c] };
    memcpy(settings + 3 * c, own, sizeof own);
  }
  draft->size.core_key_count = a.key_count;
  draft->warp_core_begin = a.begin;
  draft->warp_core_paths = settings;
  draft->warp_core_times = a.times;
  draft->warp_core_positions = a.positions;
  draft->warp_core_rotations = a.rotations;
  draft->warp_core_position_tangents = a.position_tangents;
  draft->warp_core_rotation_tangents = a.rotation_tangents;
  return LB_OK;
}

static void store_hinge(const lbWarpRigid *core, double *hinge) {
  const double *n = core->axis;
  if (core->kind != LB_CORE_HINGED) return;
  double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  for (size_t k = 0; k < 3; k++) hinge[k] = core->point[k], hinge[3 + k] = n[k] / length;
}

lbStatus lb_warp_draft_rigid(const lbMesh *mesh, const bool *fixed, const lbWarpSettings *warp,
                             lbArena *arena, lbModel *draft, lbError *err) {
  size_t count = (size_t)warp->rigid_count;
  lbError why = { 0 };
  if (warp->rigid_count == 0) return LB_OK;
  int32_t *cores = lb_arena_alloc(arena, (size_t)mesh->vertex_count, sizeof(int32_t));
  int32_t *kinds = lb_arena_alloc(arena, count, sizeof(int32_t));
  double *hinges = lb_arena_alloc(arena, count, 6 * sizeof(double));
  if (!cores || !kinds || !hinges) return lb_fail_memory(err);
  lbStatus status = find_core_nodes(mesh, fixed, warp, cores, &why);
  if (!status) status = store_paths(warp, arena, draft, &why);
  if (status) return lb_fail(err, status, "model \"%s\": %s", draft->name, why.text);
  for (size_t c = 0; c < count; c++) {
    kinds[c] = (int32_t)warp->rigid[c].kind;
    store_hinge(&warp->rigid[c], hinges + 6 * c);
  }
  draft->size.core_count = warp->rigid_count;
  draft->warp_cores = cores;
  draft->warp_core_kinds = kinds;
  draft->warp_core_hinges = hinges;
  return LB_OK;
}
