// The loops of method/subspace/newton.h, for kernels alone: included once for one body and once for
// a crowd.
//   NAME(x)        the name of a loop
//   NUMBER, SPAN   a vector, and how many coordinates it holds
//   LOAD, STORE    of coordinate i on, SPLAT of one number for all bodies, BODY of one of each body
//   MULTIPLY_ADD, LESS, SELECT, SUM of NUMBER[4 / SPAN]

#ifdef NUMBER

static void NAME(rates)(const lbNewtonScheme *c, const lbNewtonNumbers *x) {
  for (int32_t i = 0; i < x->count; i += SPAN) {
    const NUMBER moved = LOAD(x->q, i) - LOAD(x->q0, i), v0 = LOAD(x->v0, i);
    const NUMBER before = MULTIPLY_ADD(SPLAT(c->a_a), LOAD(x->a0, i), SPLAT(c->a_v) * v0);
    STORE(x->v, i, MULTIPLY_ADD(SPLAT(c->v_q), moved, SPLAT(c->v_v) * v0));
    STORE(x->u, i, MULTIPLY_ADD(SPLAT(c->u_q), moved, SPLAT(c->u_v) * v0));
    STORE(x->a, i, MULTIPLY_ADD(SPLAT(c->a_q), moved, -before));
  }
}

static void NAME(damp)(const lbNewtonNumbers *x, const double *Ku, const double *Mu, double *C) {
  const NUMBER alpha = BODY(x->alpha), beta = BODY(x->beta);
  for (int32_t i = 0; i < x->count; i += SPAN)
    STORE(C, i, MULTIPLY_ADD(beta, LOAD(Ku, i), alpha * LOAD(Mu, i)));
}

INLINE NUMBER NAME(known_force)(const lbNewtonScheme *c, const lbNewtonNumbers *x, int32_t i) {
  const NUMBER held = x->held ? LOAD(x->held, i) : SPLAT(0);
  return MULTIPLY_ADD(SPLAT(c->held), held, LOAD(x->force, i));
}

static void NAME(residual)(const lbNewtonScheme *c, const lbNewtonNumbers *x) {
  for (int32_t i = 0; i < x->count; i += SPAN) {
    const NUMBER inside = LOAD(x->Ma, i) + LOAD(x->Cu, i) + LOAD(x->R, i);
    STORE(x->G, i, inside - NAME(known_force)(c, x, i));
  }
}

INLINE NUMBER NAME(magnitude)(NUMBER x) { return SELECT(LESS(x, SPLAT(0)), -x, x); }

INLINE void NAME(keep_most)(NUMBER x, NUMBER *most) {
  const NUMBER size = NAME(magnitude)(x);
  *most = SELECT(LESS(*most, size), size, *most);
}

static void NAME(judge)(const lbNewtonScheme *c, const lbNewtonNumbers *x, double *figures) {
  NUMBER sums[4 / SPAN][LB_SUMS], most[LB_NEWTON_FIGURES - LB_SUMS];
  for (int part = 0; part < 4 / SPAN; part++)
    for (int k = 0; k < LB_SUMS; k++) sums[part][k] = SPLAT(0);
  for (int k = 0; k < LB_NEWTON_FIGURES - LB_SUMS; k++) most[k] = SPLAT(0);
  for (int32_t i = 0; i < x->count; i += SPAN) {
    NUMBER *s = sums[i / SPAN % (4 / SPAN)];
    const NUMBER q = LOAD(x->q, i), q0 = LOAD(x->q0, i), v = LOAD(x->v, i), moved = q - q0;
    const NUMBER Ma = LOAD(x->Ma, i), Cu = LOAD(x->Cu, i), R = LOAD(x->R, i);
    const NUMBER pull = x->pull ? LOAD(x->pull, i) : SPLAT(0), half = SPLAT(0.5) * moved;
    const NUMBER inside = Ma + Cu + R, known = NAME(known_force)(c, x, i);
    const NUMBER f = MULTIPLY_ADD(SPLAT(c->held), pull, known), left = inside - f;
    STORE(x->G, i, inside - known);
    s[LB_SUM_LEFT] = MULTIPLY_ADD(left, left, s[LB_SUM_LEFT]);
    s[LB_SUM_FORCE] = MULTIPLY_ADD(f, f, s[LB_SUM_FORCE]);
    s[LB_SUM_ELASTIC] = MULTIPLY_ADD(R, R, s[LB_SUM_ELASTIC]);
    s[LB_SUM_INERTIA] = MULTIPLY_ADD(Ma, Ma, s[LB_SUM_INERTIA]);
    s[LB_SUM_DAMPING] = MULTIPLY_ADD(Cu, Cu, s[LB_SUM_DAMPING]);
    s[LB_SUM_PLACE] = MULTIPLY_ADD(q, q, s[LB_SUM_PLACE]);
    s[LB_SUM_WORK] = MULTIPLY_ADD(left, moved, s[LB_SUM_WORK]);
    s[LB_SUM_MEAN] = MULTIPLY_ADD(half, LOAD(x->R0, i) + R, s[LB_SUM_MEAN]);
    s[LB_SUM_DAMPED] = MULTIPLY_ADD(half, LOAD(x->Cu0, i) + Cu, s[LB_SUM_DAMPED]);
    s[LB_SUM_KINETIC] = MULTIPLY_ADD(SPLAT(0.5) * v, LOAD(x->Mv, i), s[LB_SUM_KINETIC]);
    s[LB_SUM_LOAD] = MULTIPLY_ADD(LOAD(x->force, i), q, s[LB_SUM_LOAD]);
    NAME(keep_most)(q, &most[LB_MOST_Q - LB_SUMS]);
    NAME(keep_most)(q0, &most[LB_MOST_Q0 - LB_SUMS]);
    NAME(keep_most)(v, &most[LB_MOST_V - LB_SUMS]);
    NAME(keep_most)(LOAD(x->a, i), &most[LB_MOST_A - LB_SUMS]);
  }
  NAME(put_figures)(sums, most, figures);
}

static void NAME(negate)(int32_t count, const double *x, double *y) {
  for (int32_t i = 0; i < count; i += SPAN) STORE(y, i, -LOAD(x, i));
}

static void NAME(scale)(int32_t count, double factor, const double *x, double *y) {
  for (int32_t i = 0; i < count; i += SPAN) STORE(y, i, SPLAT(factor) * LOAD(x, i));
}

static void NAME(add)(int32_t count, const double *x, double *y) {
  for (int32_t i = 0; i < count; i += SPAN) STORE(y, i, LOAD(y, i) + LOAD(x, i));
}

static void NAME(drop)(int32_t count, double least, double *x) {
  for (int32_t i = 0; i < count; i += SPAN) {
    const NUMBER number = LOAD(x, i);
    STORE(x, i, SELECT(LESS(NAME(magnitude)(number), SPLAT(least)), SPLAT(0), number));
  }
}

#endif
