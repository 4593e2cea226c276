// Memory of a world's joints (joint.h): jointed bodies, their components, and room for their rows.
#include "world/joint.h"

static void release_memory(lbWorldJoints *joints) {
  void *const blocks[] = { joints->bodies,     joints->body_of_slot, joints->order, joints->rows,
                           joints->components, joints->numbers,      joints->low,   joints->high,
                           joints->memory,     joints->integers,     joints->flags, joints->ends,
                           joints->impulses };
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) lb_free(blocks[i]);
  *joints = (lbWorldJoints){ .count = joints->count, .room = joints->room, .list = joints->list };
}

void lb_joints_destroy(lbWorldJoints *joints) {
  if (!joints) return;
  for (int32_t i = 0; i < joints->count; i++) lb_free(joints->list[i].pairs);
  release_memory(joints);
  lb_free(joints->list);
  lb_free(joints);
}

static int32_t row_max_of(const lbBodyJoint *j) {
  const lbJointDef *def = &j->def;
  int32_t extra = (def->limited ? 2 : 0) + 1; // a motor may come later
  switch (def->kind) {
  case LB_JOINT_HINGE:
  case LB_JOINT_SLIDER: return 5 + extra;
  case LB_JOINT_WELD: return j->pair_count > 1 ? 3 * j->pair_count : 6;
  case LB_JOINT_DISTANCE: return def->limited ? 2 : 1;
  default: return 3;
  }
}

static int32_t root_of(const int32_t *parents, int32_t body) {
  while (parents[body] != body) body = parents[body];
  return body;
}

static bool is_held(const lbBodyJoint *j) { return j->used; } // a broken one may be restored

// Numbers the jointed bodies in the order of their slots, and their components likewise.
static bool number_bodies(const lbWorld *world, lbWorldJoints *joints) {
  size_t slots = (size_t)world->slot_count;
  int32_t *parents = lb_alloc(slots, sizeof *parents), *numbers = lb_alloc(slots, sizeof *numbers);
  joints->body_of_slot = lb_alloc(slots, sizeof *joints->body_of_slot);
  joints->bodies = lb_alloc(slots, sizeof *joints->bodies);
  bool made = parents && numbers && joints->body_of_slot && joints->bodies;
  for (int32_t i = 0; made && i < world->slot_count; i++) {
    parents[i] = i;
    joints->body_of_slot[i] = numbers[i] = -1;
  }
  for (int32_t i = 0; made && i < joints->count; i++) {
    const lbBodyJoint *j = &joints->list[i];
    if (!is_held(j)) continue;
    int32_t a = j->pairs[0][0].slot, b = j->pairs[0][1].slot;
    joints->body_of_slot[a] = 0;
    if (b < 0) continue;
    joints->body_of_slot[b] = 0;
    a = root_of(parents, a), b = root_of(parents, b);
    parents[a > b ? a : b] = a > b ? b : a;
  }
  for (int32_t i = 0; made && i < world->slot_count; i++) {
    if (joints->body_of_slot[i] < 0) continue;
    int32_t root = root_of(parents, i);
    if (numbers[root] < 0) numbers[root] = joints->component_count++;
    joints->body_of_slot[i] = joints->body_count;
    joints->bodies[joints->body_count++] = (lbJointed){ .slot = i, .component = numbers[root] };
  }
  lb_free(parents);
  lb_free(numbers);
  return made;
}

// Where the lines of the ends of the joints in `order` are among those of the bodies.
static void number_ends(lbWorldJoints *joints) {
  for (int32_t i = 0; i < joints->body_count; i++) joints->bodies[i].basis_count = 0;
  for (int32_t o = 0; o < joints->ordered; o++) {
    lbBodyJoint *j = &joints->list[joints->order[o]];
    for (int32_t e = 0; e < 2 * j->pair_count; e++) {
      lbJointEnd *end = &j->pairs[e / 2][e % 2];
      end->joint = joints->order[o];
      end->body = end->slot < 0 ? -1 : joints->body_of_slot[end->slot];
      if (end->body < 0) continue;
      end->basis = joints->bodies[end->body].basis_count;
      joints->bodies[end->body].basis_count += lb_anchor_axes(&end->anchor);
    }
  }
}

// Joints by component, and how many rows they have.
static lbStatus order_joints(lbWorldJoints *joints, lbError *err) {
  joints->order = lb_alloc((size_t)joints->count, sizeof *joints->order);
  joints->components = lb_alloc((size_t)joints->component_count, sizeof *joints->components);
  if (!joints->order || !joints->components) return lb_fail_memory(err);
  for (int32_t c = 0; c < joints->component_count; c++)
    for (int32_t i = 0; i < joints->count; i++) {
      lbBodyJoint *j = &joints->list[i];
      if (!is_held(j)) continue;
      int32_t first = joints->body_of_slot[j->pairs[0][0].slot];
      if (joints->bodies[first].component != c) continue;
      joints->order[joints->ordered++] = i;
      joints->components[c].row_max += row_max_of(j);
    }
  number_ends(joints);
  return LB_OK;
}

// The ends of each body, one after another.
static bool list_ends(lbWorldJoints *joints) {
  int32_t count = 0;
  for (int32_t o = 0; o < joints->ordered; o++)
    count += 2 * joints->list[joints->order[o]].pair_count;
  joints->ends = lb_alloc((size_t)count, sizeof *joints->ends);
  count = 0;
  for (int32_t i = 0; joints->ends && i < joints->body_count; i++) {
    joints->bodies[i].first_end = count;
    for (int32_t o = 0; o < joints->ordered; o++) {
      lbBodyJoint *j = &joints->list[joints->order[o]];
      for (int32_t e = 0; e < 2 * j->pair_count; e++)
        if (j->pairs[e / 2][e % 2].body == i) joints->ends[count++] = &j->pairs[e / 2][e % 2];
    }
    joints->bodies[i].end_count = count - joints->bodies[i].first_end;
  }
  return joints->ends != NULL;
}

static lbStatus count_rows(lbWorldJoints *joints, lbError *err) {
  for (int32_t c = 0; c < joints->component_count; c++) {
    int32_t rows = joints->components[c].row_max;
    joints->row_room += rows;
    joints->block_room += (rows + 2) / 3;
    if (rows > joints->row_max) joints->row_max = rows;
    if (rows > LB_JOINT_ROWS)
      return lb_fail(err, LB_ERR_ARGUMENT,
                     "joint: more than %d rows of joints hang together (a point has 3, a hinge 5, "
                     "a weld 6)",
                     LB_JOINT_ROWS);
  }
  return LB_OK;
}

static size_t place_numbers(const lbWorld *world, lbWorldJoints *joints, double *at) {
  size_t used = 0;
  for (int32_t i = 0; i < joints->body_count; i++) {
    lbJointed *body = &joints->bodies[i];
    size_t n = (size_t)body->basis_count;
    size_t padded = (size_t)lb_body_row_length(world->slots[body->slot].body);
    double **blocks[] = { &body->lines, &body->moved, &body->G, &body->C };
    const size_t sizes[] = { n * padded, n * padded, n * n, 3 * LB_BODY_CONTACTS * n };
    for (int k = 0; k < 4; k++) {
      if (at) *blocks[k] = at + used;
      used += (sizes[k] + 7) / 8 * 8;
    }
  }
  return used;
}

// The most contact points that the bodies of a component can have: those of each body, and two for
// each contact of the world.
static int32_t most_places(const lbWorld *world, const lbWorldJoints *joints, int32_t component) {
  int64_t most = 0, contacts = world->settings.contacts_most;
  for (int32_t i = 0; i < joints->body_count; i++)
    most += joints->bodies[i].component == component ? LB_BODY_CONTACTS : 0;
  if (!world->settings.contact) most = 0;
  return (int32_t)(most < 2 * contacts ? most : 2 * contacts);
}

// Memory of a component at `at`; NULL: it is only counted. Returns the numbers that it takes.
static size_t place_component(lbJointComponent *k, double *at) {
  size_t n = (size_t)k->row_max, N = (size_t)k->coordinate_max, used = 0;
  double **blocks[] = { &k->A,     &k->G, &k->S,      &k->merged,
                        &k->still, &k->x, &k->forces, &k->factor_memory };
  const size_t sizes[] = {
    n * n, N * n, N * n, N * (N + 3), n, n, N, lb_row_factor_room(k->row_max)
  };
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
    if (at) *blocks[i] = at + used;
    used += (sizes[i] + 7) / 8 * 8;
  }
  return used;
}

static bool make_memory(const lbWorld *world, lbWorldJoints *joints) {
  size_t rows = (size_t)joints->row_room, bounded = 3 * (size_t)joints->block_room, room = 0;
  for (int32_t c = 0; c < joints->component_count; c++) {
    lbJointComponent *k = &joints->components[c];
    k->coordinate_max = 3 * (most_places(world, joints, c) + (k->row_max + 2) / 3);
    room += place_component(k, NULL);
  }
  joints->slot_room = world->slot_count;
  joints->numbers = lb_alloc(place_numbers(world, joints, NULL), sizeof(double));
  joints->rows = lb_alloc(rows, sizeof *joints->rows);
  joints->memory = lb_alloc(room, sizeof(double));
  joints->integers = lb_alloc(rows, sizeof(int32_t));
  joints->flags = lb_alloc(rows, sizeof(bool));
  joints->low = lb_alloc(bounded, sizeof(double));
  joints->high = lb_alloc(bounded, sizeof(double));
  joints->impulses = lb_alloc(2 * (size_t)joints->row_max, sizeof *joints->impulses);
  if (!(joints->numbers && joints->rows && joints->memory && joints->integers && joints->flags &&
        joints->low && joints->high && joints->impulses))
    return false;
  place_numbers(world, joints, joints->numbers);
  size_t used = 0, row = 0;
  for (int32_t c = 0; c < joints->component_count; c++) {
    lbJointComponent *k = &joints->components[c];
    used += place_component(k, joints->memory + used);
    k->factor_order = joints->integers + row, k->equality = joints->flags + row;
    row += (size_t)k->row_max;
  }
  return true;
}

lbStatus lb_joints_prepare(const lbWorld *world, lbWorldJoints *next, lbError *err) {
  const lbWorldJoints *now = world->linked;
  if (!now) return LB_OK;
  *next = (lbWorldJoints){ .count = now->count, .room = now->room, .list = now->list };
  if (!number_bodies(world, next)) return lb_fail_memory(err);
  lbStatus status = order_joints(next, err);
  if (!status) status = count_rows(next, err);
  if (!status && !(list_ends(next) && make_memory(world, next))) status = lb_fail_memory(err);
  return status;
}

void lb_joints_adopt(lbWorld *world, lbWorldJoints *next, bool keep) {
  if (!world->linked) return;
  release_memory(keep ? world->linked : next);
  if (keep)
    *world->linked = *next;
  else
    number_ends(world->linked);
}
