// Whether a body that sleeps is still what it was.
#include "body/sleep.h"

#include "body/constraints.h"
#include "body/hand_rows.h"

#include <string.h>

bool lb_sleep_is_possible(const lbBody *body) {
  return body->frame.kind != LB_FRAME_DRIVEN && body->led == 0 &&
         !body->prepared->method->is_recording;
}

static uint64_t mix_word(uint64_t hash, const double *number) {
  uint64_t bits;
  memcpy(&bits, number, sizeof bits);
  hash = (hash ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
  return hash ^ hash >> 29;
}

// Word by word, and four words side by side: a byte at a time would take as long as a step.
static uint64_t mix(uint64_t hash, int32_t count, const double *numbers) {
  uint64_t lanes[4] = { hash, hash + 1, hash + 2, hash + 3 };
  int32_t i = 0;
  for (; i + 4 <= count; i += 4)
    for (int k = 0; k < 4; k++) lanes[k] = mix_word(lanes[k], &numbers[i + k]);
  for (; i < count; i++) lanes[0] = mix_word(lanes[0], &numbers[i]);
  for (int k = 1; k < 4; k++)
    lanes[0] = (lanes[0] ^ lanes[k]) * UINT64_C(0x9e3779b97f4a7c15), lanes[0] ^= lanes[0] >> 29;
  return lanes[0];
}

uint64_t lb_sleep_print(const lbBody *body, lbScratch *s) {
  const lbPrepared *p = body->prepared;
  const lbFrameState *f = &body->frame;
  const double others[6] = { f->rotation.x, f->rotation.y,      f->rotation.z,
                             f->rotation.w, body->damping_mass, body->damping_stiffness };
  uint64_t hash = p->hash;
  p->method->get(body, s->q0, s->v0, NULL);
  hash = mix(hash, p->dimension, s->q0);
  hash = mix(hash, p->dimension, s->v0);
  hash = mix(hash, 6, others);
  const lbVec3 vectors[] = { f->position, f->velocity, f->spin,
                             f->momentum, f->angular,  body->gravity };
  double numbers[3 * sizeof vectors / sizeof *vectors];
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    lb_vec3_store(numbers + 3 * i, vectors[i]);
  hash = mix(hash, (int32_t)(sizeof numbers / sizeof *numbers), numbers);
  if (lb_body_is_constrained(body))
    hash = mix(hash + (uint64_t)body->constraints->point_count, 3 * body->constraints->point_count,
               body->constraints->targets);
  return hash;
}

double lb_sleep_push(const lbBody *body, lbScratch *s) {
  const lbPrepared *p = body->prepared;
  double sum = lb_length(body->frame.force) + lb_length(body->frame.torque);
  if (lb_body_is_touched(body)) return INFINITY;
  p->method->get(body, NULL, NULL, s->a);
  for (int32_t i = 0; i < p->dimension; i++) sum += fabs(s->a[i]);
  return sum;
}
