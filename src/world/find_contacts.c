// Narrow phase: contact points of each pair of the broad phase, touching or about to in this step.
//
// Of many candidates a few are kept that carry the same forces and torques. Tasks share the pairs;
// contacts are listed in the order of pairs, so that results do not depend on the tasks.
#include "world/joint.h"

#include <stdatomic.h>
#include <string.h>

// Cosine of the angle within which two normals push to the same side. Nearer to 1: at edges of
// overlapping bodies more candidates compete, and fewer are left.
#define SAME_SIDE 0.7
// Times the overlap: candidates within this distance of each other compete. Doubled, those of
// neighbouring features do as well.
#define COMPETING 3.0

enum {
  SURFACE_TASK = 2, // bodies a task
  LIGHT_TASK = 16   // pairs of a body and something rigid a task
};

// ---- memory ------------------------------------------------------------------------------------

static void release_side(lbPairSide *side) {
  lb_free(side->places);
  lb_free(side->lows);
  lb_free(side->highs);
  lb_free(side->numbers);
  lb_free(side->kept);
  lb_free(side->triangles);
  lb_free(side->ridged);
  lb_box_set_release(&side->boxes);
  lb_box_set_release(&side->slabs);
  lb_box_set_release(&side->ridges);
}

static void release_works(lbTouchWork works[LB_NEAR_TASKS]) {
  for (int i = 0; i < LB_NEAR_TASKS; i++) {
    lbTouchWork *work = &works[i];
    lb_free(work->candidates);
    lb_free(work->places);
    for (int side = 0; side < 2; side++) release_side(&work->sides[side]);
    lb_free(work->found);
    lb_free(work->marks);
  }
}

void lb_touch_release_works(lbWorldTouch *touch) { release_works(touch->works); }

static bool make_side(lbPairSide *side) {
  side->places = lb_alloc(3 * LB_TREE_LARGE + 1, sizeof(double));
  side->lows = lb_alloc(3 * LB_TREE_LARGE + 1, sizeof(double));
  side->highs = lb_alloc(3 * LB_TREE_LARGE + 1, sizeof(double));
  side->numbers = lb_alloc(LB_PAIR_TRIANGLES, sizeof(int32_t));
  side->kept = lb_alloc(LB_PAIR_TRIANGLES, sizeof(int32_t));
  side->triangles = lb_alloc(LB_PAIR_TRIANGLES, sizeof *side->triangles);
  side->ridged = lb_alloc(LB_PAIR_TRIANGLES, sizeof(int32_t));
  bool boxes = lb_box_set_create(&side->boxes, LB_PAIR_TRIANGLES);
  bool slabs = lb_box_set_create(&side->slabs, LB_PAIR_TRIANGLES);
  bool ridges = lb_box_set_create(&side->ridges, LB_PAIR_TRIANGLES);
  return side->places && side->lows && side->highs && side->numbers && side->kept &&
         side->triangles && side->ridged && boxes && slabs && ridges;
}

static bool make_pair_work(lbTouchWork *work, size_t triangles) {
  work->candidates = lb_alloc(LB_PAIR_CANDIDATES, sizeof *work->candidates);
  work->places = lb_alloc(LB_PAIR_CANDIDATES, sizeof *work->places);
  work->found = lb_alloc(triangles, sizeof *work->found);
  work->marks = lb_alloc(LB_PAIR_TRIANGLES / LB_BATCH, sizeof *work->marks);
  bool sides = make_side(&work->sides[0]);
  sides = make_side(&work->sides[1]) && sides; // both, so that both can be released
  return sides && work->candidates && work->places && work->found && work->marks;
}

lbStatus lb_touch_reserve_works(lbWorldTouch *touch, int32_t triangle_count, lbError *err) {
  if (triangle_count < LB_PAIR_TRIANGLES) triangle_count = LB_PAIR_TRIANGLES;
  if (triangle_count <= touch->found_room) return LB_OK;
  lbTouchWork works[LB_NEAR_TASKS] = { 0 };
  bool made = true;
  for (int i = 0; i < LB_NEAR_TASKS; i++)
    made = made && make_pair_work(&works[i], (size_t)triangle_count);
  release_works(made ? touch->works : works);
  if (!made) return lb_fail_memory(err);
  memcpy(touch->works, works, sizeof works);
  touch->found_room = triangle_count;
  return LB_OK;
}

// ---- pairs: candidates -------------------------------------------------------------------------

// Reduces the candidates, so that there is room for more.
static void thin_candidates(lbTouchWork *work, double length, int32_t most) {
  int32_t chosen[LB_PAIR_CANDIDATES];
  for (int32_t i = 0; i < work->candidate_count; i++) {
    const lbTouchCandidate *c = &work->candidates[i];
    work->places[i] = (lbTouchPlace){ c->point, c->normal, c->gap };
  }
  int32_t count = lb_touches_choose(work->candidate_count, work->places, length, most, chosen);
  for (int32_t i = 0; i < count; i++) work->candidates[i] = work->candidates[chosen[i]];
  work->candidate_count = count;
}

// Candidates that were contacts in the last step are kept first; new ones fill the rest.
void lb_active_contacts(lbTouchWork *work, double length, int32_t most) {
  lbTouchCandidate kept[LB_NODAL_CONTACTS];
  int32_t count = 0, left = 0;
  for (int32_t i = 0; i < work->candidate_count; i++) {
    if (work->candidates[i].known >= 0 && count < most)
      kept[count++] = work->candidates[i];
    else
      work->candidates[left++] = work->candidates[i];
  }
  work->candidate_count = left;
  thin_candidates(work, length, most - count);
  for (int32_t i = 0; i < count; i++) work->candidates[work->candidate_count++] = kept[i];
}

void lb_touch_add_candidate(lbTouchWork *work, double length, const lbTouchCandidate *candidate) {
  if (work->candidate_count == LB_PAIR_CANDIDATES)
    thin_candidates(work, length, LB_PAIR_CANDIDATES / 2);
  work->candidates[work->candidate_count] = *candidate;
  work->candidates[work->candidate_count++].known = -1; // until recognise_candidates
}

// A normal and two tangents that depend on it alone.
static void make_contact_axes(lbVec3 normal, lbVec3 axes[3]) {
  lbVec3 other = fabs(normal.x) < 0.6 ? lb_vec3(1, 0, 0) : lb_vec3(0, 1, 0);
  axes[0] = normal;
  axes[1] = lb_normalise(lb_cross(other, normal));
  axes[2] = lb_cross(normal, axes[1]);
}

// Whether all normals are within half that angle of the first, so that any two push to the same
// side.
static bool push_alike(const lbTouchWork *work) {
  const double half = sqrt(0.5 * (1 + SAME_SIDE)); // cosine of half the angle
  for (int32_t i = 1; i < work->candidate_count; i++)
    if (lb_dot(work->candidates[0].normal, work->candidates[i].normal) < half) return false;
  return true;
}

// Where two surfaces overlap at an edge, a point is behind several faces: the nearest face counts,
// not a deeper one with another normal.
static void drop_deeper(lbTouchWork *work) {
  int32_t kept = 0;
  if (push_alike(work)) return;
  for (int32_t i = 0; i < work->candidate_count; i++) {
    const lbTouchCandidate *c = &work->candidates[i];
    bool keep = true;
    for (int32_t j = 0; j < work->candidate_count && keep && c->gap < 0; j++) {
      const lbTouchCandidate *other = &work->candidates[j];
      if (!(other->gap > c->gap) || lb_dot(other->normal, c->normal) > SAME_SIDE) continue;
      keep = !(lb_length(lb_sub(other->point, c->point)) < COMPETING * -c->gap);
    }
    work->places[i].gap = keep ? 1 : 0; // a mark: candidates are compared with all of them
  }
  for (int32_t i = 0; i < work->candidate_count; i++)
    if (work->places[i].gap != 0) work->candidates[kept++] = work->candidates[i];
  work->candidate_count = kept;
}

// Lists the remembered contacts of each first body, in their order.
static void sort_remembered(lbWorld *world) {
  lbWorldTouch *touch = world->touch;
  for (int32_t i = 0; i < world->slot_count; i++) touch->remembered_first[i] = -1;
  for (int32_t k = touch->remembered_count - 1; k >= 0; k--) {
    int32_t slot = touch->remembered[k].slots[0];
    if (slot < 0 || slot >= world->slot_count) continue; // of a damaged state
    touch->remembered_next[k] = touch->remembered_first[slot];
    touch->remembered_first[slot] = k;
  }
}

// Matches candidates with the contacts of the last step.
static void recognise_candidates(const lbWorldTouch *touch, lbTouchWork *work, const lbNear *near) {
  for (int32_t k = touch->remembered_first[near->slots[0]]; k >= 0; k = touch->remembered_next[k]) {
    const lbRememberedContact *r = &touch->remembered[k];
    if (r->slots[1] != near->slots[1] || r->collider != near->collider) continue;
    for (int32_t i = 0; i < work->candidate_count; i++) {
      lbTouchCandidate *c = &work->candidates[i];
      if (c->triangles[0] == r->triangles[0] && c->triangles[1] == r->triangles[1] &&
          c->feature == r->feature && c->known < 0) {
        c->known = k;
        break;
      }
    }
  }
}

// Notes a sleeping body and an awake one that could touch it.
static void note_woken(lbWorld *world, int32_t a, int32_t b) {
  lbWorldTouch *touch = world->touch;
  if (world->slots[a].asleep == world->slots[b].asleep || touch->woken_count == touch->contact_room)
    return;
  int32_t *to = touch->woken + 2 * (size_t)touch->woken_count++;
  to[0] = world->slots[a].asleep ? a : b;
  to[1] = world->slots[a].asleep ? b : a;
}

// Reserves memory for the compliance of both bodies at one contact more; false: there is none.
bool lb_touch_use_pool(lbWorldTouch *touch, int32_t a, int32_t b) {
  int32_t one = touch->counts[a], other = b < 0 ? 0 : touch->counts[b];
  size_t more = lb_touch_pool_of(one + 1) - lb_touch_pool_of(one);
  if (b == a) more = lb_touch_pool_of(one + 2) - lb_touch_pool_of(one);
  if (b >= 0 && b != a) more += lb_touch_pool_of(other + 1) - lb_touch_pool_of(other);
  if (touch->pool_used + more > touch->pool_room) return false;
  touch->pool_used += more;
  return true;
}

// Makes contacts of the chosen candidates of a pair, as many as there is room for.
static void add_pair_contacts(lbWorld *world, const lbNear *near) {
  lbWorldTouch *touch = world->touch;
  const lbTouchCandidate *found = touch->found + near->first;
  int32_t a = near->slots[0], b = near->slots[1];
  int32_t room = touch->contact_room - touch->staying_count - touch->contact_count;
  int32_t room_a = lb_touch_body_most(world, a) - touch->counts[a];
  int32_t room_b = b < 0 ? room : lb_touch_body_most(world, b) - touch->counts[b];
  if (room_a < room) room = room_a;
  if (room_b < room) room = room_b;
  if (a == b && room_a / 2 < room) room = room_a / 2;
  lbContactMaterial material = lb_pair_material(world, &world->slots[a].material,
                                                b < 0 ? &world->colliders[near->collider].material
                                                      : &world->slots[b].material);
  for (int32_t i = 0; i < near->found; i++) {
    if (i >= room || !lb_touch_use_pool(touch, a, b)) {
      touch->dropped += near->found - i;
      break;
    }
    lbWorldContact *contact = &touch->contacts[touch->contact_count++];
    *contact = (lbWorldContact){ .slots = { a, b },
                                 .collider = near->collider,
                                 .at = found[i],
                                 .rolling = -1,
                                 .friction = material.friction,
                                 .compliance = material.compliance,
                                 .restitution = material.restitution,
                                 .rolling_friction = material.rolling_friction };
    if (lb_touch_is_deep(contact->at.feature))
      contact->friction = contact->restitution = contact->rolling_friction = 0;
    make_contact_axes(contact->at.normal, contact->axes);
    touch->counts[a]++;
    if (b >= 0) touch->counts[b]++;
  }
  if (b >= 0 && near->found > 0) note_woken(world, a, b);
}

// ---- pairs -------------------------------------------------------------------------------------

static bool is_rigid_slot(const lbWorld *world, int32_t slot) {
  return lb_body_solid(world->slots[slot].body) != NULL;
}

// The deformable body of a pair comes first.
void lb_near_put_rigid_last(const lbWorld *world, lbNear *near) {
  int32_t a = near->slots[0], b = near->slots[1];
  if (b < 0 || !is_rigid_slot(world, a) || is_rigid_slot(world, b)) return;
  near->slots[0] = b, near->slots[1] = a;
}

// Candidates of a pair; returns the size of the smaller body.
static double find_candidates(const lbWorld *world, lbTouchWork *work, lbNear *near) {
  int32_t a = near->slots[0], b = near->slots[1];
  if (a == b) {
    lb_self_find(world, work, a);
    return world->touch->reaches[a];
  }
  if (b >= 0 && lb_touch_part(world, work, near)) return world->touch->reaches[a];
  if (b >= 0 && !is_rigid_slot(world, b)) return lb_touch_pair(world, work, near);
  return lb_touch_rigid(world, work, near);
}

typedef struct Search { // of a block of pairs
  lbWorld *world;
  int32_t first, count;
  _Atomic int32_t next;
} Search;

static void search_pair(const Search *l, lbTouchWork *work, int32_t i) {
  const lbWorldTouch *touch = l->world->touch;
  lbNear *near = &touch->nears[l->first + i];
  lbTouchCandidate *found = touch->found + near->first;
  work->candidate_count = 0;
  near->length = find_candidates(l->world, work, near);
  lb_touch_make_patches(l->world, work, near);
  recognise_candidates(touch, work, near);
  drop_deeper(work);
  lb_active_contacts(work, near->length, lb_touch_pair_most(l->world, near));
  near->found = work->candidate_count;
  memcpy(found, work->candidates, (size_t)near->found * sizeof *found);
}

// Pairs take different times: a task that is done takes the next pair.
static void search_pairs(int32_t begin, int32_t end, void *context) {
  Search *l = context;
  for (int32_t task = begin; task < end; task++)
    for (int32_t i = atomic_fetch_add(&l->next, 1); i < l->count; i = atomic_fetch_add(&l->next, 1))
      search_pair(l, &l->world->touch->works[task], i);
}

// ---- surfaces ----------------------------------------------------------------------------------

// Whether a pair needs the surfaces of its bodies in world coordinates.
static bool needs_surface(const lbWorld *world, const lbNear *near) {
  return near->slots[1] >= 0 && !is_rigid_slot(world, near->slots[0]) &&
         !is_rigid_slot(world, near->slots[1]);
}

// Computes a small surface, or the part of a large one that is near other bodies.
static void compute_surface(lbWorld *world, int32_t slot) {
  enum { REGIONS = 64 }; // of more, the whole surface is computed
  const lbWorldTouch *touch = world->touch;
  const lbWorldSlot *at = &world->slots[slot];
  lbVec3 velocity = touch->spheres[slot].velocity;
  lbPlacedRegion regions[REGIONS];
  int32_t count = 0;
  bool all = !lb_placed_is_large(at->placed);
  for (int32_t i = 0; i < touch->near_count && !all; i++) {
    const lbNear *near = &touch->nears[i];
    int side = near->slots[1] == slot;
    if (near->slots[side] != slot || !needs_surface(world, near)) continue;
    int32_t other = near->slots[1 - side];
    all = other == slot || count == REGIONS;
    if (!all)
      regions[count++] =
          (lbPlacedRegion){ touch->spheres[other].centre, touch->reaches[other] + near->margin };
  }
  if (all)
    (void)lb_placed_update(at->placed, at->body, velocity);
  else
    (void)lb_placed_update_near(at->placed, at->body, velocity, count, regions);
}

static void compute_surfaces(int32_t begin, int32_t end, void *context) {
  lbWorld *world = context;
  for (int32_t i = begin; i < end; i++) {
    if (world->touch->counts[i] == 0) continue;
    world->touch->counts[i] = 0;
    compute_surface(world, i);
  }
}

// The surfaces of all bodies that need them; false: there are none.
static bool compute_all_surfaces(lbWorld *world) {
  lbWorldTouch *touch = world->touch;
  bool any = false;
  memset(touch->counts, 0, (size_t)world->slot_count * sizeof *touch->counts);
  for (int32_t i = 0; i < world->slot_count; i++)
    if (world->slots[i].placed) world->slots[i].placed->current = false;
  for (int32_t i = 0; i < touch->near_count; i++) {
    const lbNear *near = &touch->nears[i];
    if (!needs_surface(world, near)) continue;
    touch->counts[near->slots[0]] = touch->counts[near->slots[1]] = 1; // a mark
    any = true;
  }
  if (any) lb_parallel_for(world->slot_count, SURFACE_TASK, compute_surfaces, world);
  return any;
}

// ---- all ---------------------------------------------------------------------------------------

// Whether both bodies keep their state in this substep: their contacts are kept. -1 is a collider.
static bool all_stay(const lbWorld *world, const int32_t slots[2]) {
  for (int side = 0; side < 2; side++)
    if (slots[side] >= 0 &&
        !(slots[side] < world->slot_count && lb_slot_stays(world, &world->slots[slots[side]])))
      return false;
  return true;
}

// Moves their contacts to the front of the remembered ones.
static void keep_staying(lbWorld *world) {
  lbWorldTouch *touch = world->touch;
  touch->staying_count = 0;
  for (int32_t k = 0; k < touch->remembered_count; k++) {
    if (!all_stay(world, touch->remembered[k].slots)) continue;
    int32_t to = touch->staying_count++;
    if (to == k) continue;
    lbRememberedContact contact = touch->remembered[k];
    lbContact report = touch->reports[k];
    memmove(&touch->remembered[to + 1], &touch->remembered[to], (size_t)(k - to) * sizeof contact);
    memmove(&touch->reports[to + 1], &touch->reports[to], (size_t)(k - to) * sizeof report);
    touch->remembered[to] = contact, touch->reports[to] = report;
  }
}

// Searching two soft surfaces is worth a task; rigid pairs are not.
static int32_t tasks_for(int32_t pairs, bool surfaces) {
  int32_t tasks = surfaces ? pairs : 1 + pairs / LIGHT_TASK;
  return tasks < LB_NEAR_TASKS ? tasks : LB_NEAR_TASKS;
}

// Pairs of islands that wait for their own substeps.
static void drop_waiting_pairs(lbWorld *world) {
  lbWorldTouch *touch = world->touch;
  int32_t kept = 0;
  for (int32_t i = 0; i < touch->near_count; i++)
    if (!all_stay(world, touch->nears[i].slots)) touch->nears[kept++] = touch->nears[i];
  touch->near_count = kept;
}

// Gives pairs from the first one on room for their contact points; returns how many got it.
static int32_t reserve_block(const lbWorld *world, int32_t first) {
  const lbWorldTouch *touch = world->touch;
  int32_t count = 0, used = 0;
  for (; count < LB_NEAR_BLOCK && first + count < touch->near_count; count++) {
    lbNear *near = &touch->nears[first + count];
    int32_t most = lb_touch_pair_most(world, near);
    if (used + most > LB_NEAR_FOUND) break;
    near->first = touch->listed_count + used;
    used += most;
  }
  return count;
}

void lb_touch_find(lbWorld *world) {
  lbWorldTouch *touch = world->touch;
  touch->contact_count = touch->rolling_count = touch->dropped = touch->woken_count =
      touch->listed_count = 0;
  touch->pool_used = 0;
  lb_near_find(world);
  if (lb_guard_defer(world)) drop_waiting_pairs(world);
  keep_staying(world);
  sort_remembered(world);
  bool surfaces = compute_all_surfaces(world);
  lb_touch_share_hints(world);
  for (int32_t first = 0, count; first < touch->near_count; first += count) {
    count = reserve_block(world, first);
    Search l = { .world = world, .first = first, .count = count };
    lb_parallel_for(tasks_for(count, surfaces), 1, search_pairs, &l);
    lb_touch_gather(touch, first, count);
  }
  lb_touch_give_shares(world);
  memset(touch->counts, 0, (size_t)world->slot_count * sizeof *touch->counts);
  for (int32_t i = 0; i < touch->near_count; i++) add_pair_contacts(world, &touch->nears[i]);
}
