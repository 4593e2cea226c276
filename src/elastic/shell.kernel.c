// Energy, force and tangent of the flaps of a shell (shell.h).
//
// Everything is a function of e = b − a, p = c − a and q = d − a; what acts on a is what is missing
// to zero. In the triangle of p let ê = e/l, h its height over the edge, m the unit vector from the
// edge to p's vertex, n its unit normal and α = p·e/l², so p = α e + h m. Then, with t = ∂θ/∂p:
//   ∂a/∂p = l m/2,   ∂a/∂e = (h ê − α l m)/2,
//   ∂θ/∂p = −n₁/h₁ (∂θ/∂q = −n₂/h₂),   ∂θ/∂e = −Σ α t,
//   a_pp = l/(2h) nnᵀ,  a_pe = −α l/(2h) nnᵀ + (m êᵀ − ê mᵀ)/2,  a_ee = (α² l/h + h/l)/2 nnᵀ,
// and with X = t mᵀ + m tᵀ:
//   θ_pp = −X/h,  θ_pe = α/h X − ê tᵀ/l,  θ_ee = Σ −(α²/h + h/(2l²)) X + α/l (t êᵀ + ê tᵀ),
// θ_pq = 0; likewise for q. Differences to the rest shape are made of displacements, without
// cancellation. Where a triangle or an edge collapses, heights and lengths are taken as 1e-7 of
// those at rest, so that all stays finite.
#include "elastic/shell.h"

#include "elastic/kernels.h"
#include "math/functions_lanes.h"

#define LB_INLINE static inline __attribute__((always_inline))

// Lengths and areas below this fraction of those at rest are taken as this.
#define COLLAPSED 1e-7

LB_INLINE lbLanes dot(const lbLanes *a, const lbLanes *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

LB_INLINE void cross(const lbLanes *a, const lbLanes *b, lbLanes *out) {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

typedef struct Edge {
  lbLanes rest[3], moved[3], now[3], unit[3]; // E, its change, e, ê
  lbLanes rest_length, length, strain;        // L, l, l/L − 1
} Edge;

typedef struct Side {                // one of the two triangles; the normals are those of e × p
  lbLanes rest[3], moved[3], now[3]; // P, its change, p
  lbLanes rest_normal[3], normal_change[3];    // E × P, e × p − E × P
  lbLanes normal[3], length;                   // e × p and its length
  lbLanes strain;                              // a/A − 1
  lbLanes along, height, toward[3], upward[3]; // α, h, m, n
  lbLanes area, stiffness;                     // A, 2 w r
  lbLanes turn[3];                             // t = ∂θ/∂p
} Side;

LB_INLINE void find_edge(const lbLanes *u, Edge *edge) {
  LB_FOR (i, 0, 3) {
    edge->moved[i] = u[3 + i] - u[i];
    edge->now[i] = edge->rest[i] + edge->moved[i];
  }
  lbLanes least = COLLAPSED * edge->rest_length;
  edge->length = lb_max(lb_sqrt(dot(edge->now, edge->now)), least);
  lbLanes grown = 2 * dot(edge->rest, edge->moved) + dot(edge->moved, edge->moved); // l² − L²
  edge->strain = grown / ((edge->length + edge->rest_length) * edge->rest_length);
  LB_FOR (i, 0, 3) edge->unit[i] = edge->now[i] / edge->length;
}

// `tip` is the displacement of the vertex opposite of the edge, `origin` that of a.
LB_INLINE void find_side(const Edge *edge, const lbLanes *tip, const lbLanes *origin, Side *side) {
  lbLanes a[3], b[3];
  LB_FOR (i, 0, 3) {
    side->moved[i] = tip[i] - origin[i];
    side->now[i] = side->rest[i] + side->moved[i];
  }
  cross(edge->rest, side->rest, side->rest_normal);
  cross(edge->now, side->now, side->normal);
  cross(edge->rest, side->moved, a);
  cross(edge->moved, side->now, b);
  LB_FOR (i, 0, 3) side->normal_change[i] = a[i] + b[i];
  lbLanes rest_length = 2 * side->area, least = COLLAPSED * rest_length;
  side->length = lb_max(lb_sqrt(dot(side->normal, side->normal)), least);
  lbLanes grown = 2 * dot(side->rest_normal, side->normal_change) +
                  dot(side->normal_change, side->normal_change);
  side->strain = grown / ((side->length + rest_length) * rest_length);
  side->along = dot(side->now, edge->now) / (edge->length * edge->length);
  side->height = side->length / edge->length;
  LB_FOR (i, 0, 3) {
    side->toward[i] = (side->now[i] - side->along * edge->now[i]) / side->height;
    side->upward[i] = side->normal[i] / side->length;
  }
}

// θ: the determinant e·(p × q) is that at rest (0 where the rest shape is flat) and its change.
LB_INLINE lbLanes find_angle(const Edge *edge, const Side *first, const Side *second) {
  lbLanes volume = dot(first->rest_normal, second->rest) + (dot(first->normal_change, second->now) +
                                                            dot(first->rest_normal, second->moved));
  return lb_atan2_lanes(-(edge->length * volume), -dot(first->normal, second->normal));
}

// ---- forces ------------------------------------------------------------------------------------

typedef struct Bend {
  lbLanes moment, stiffness; // ∂W/∂θ, ∂²W/∂θ²
  lbLanes of_edge[3];        // ∂θ/∂e
} Bend;

LB_INLINE void find_turns(Side *first, Side *second, Bend *bend) {
  LB_FOR (i, 0, 3) {
    first->turn[i] = -first->upward[i] / first->height;
    second->turn[i] = second->upward[i] / second->height;
    bend->of_edge[i] = -(first->along * first->turn[i] + second->along * second->turn[i]);
  }
}

// f (nodes x 3) of the nodes a, b, c, d.
LB_INLINE void find_forces(const Edge *edge, lbLanes tension, const Side *sides, const Bend *bend,
                           lbLanes *f) {
  LB_FOR (i, 0, 3) {
    f[3 + i] = tension * edge->unit[i] + bend->moment * bend->of_edge[i];
    LB_FOR (k, 0, 2) {
      const Side *s = &sides[k];
      lbLanes half = 0.5 * s->stiffness * s->strain / s->area; // ∂W/∂a / 2
      f[3 + i] += half * (s->height * edge->unit[i] - s->along * edge->length * s->toward[i]);
      f[6 + 3 * k + i] = half * edge->length * s->toward[i] + bend->moment * s->turn[i];
    }
    f[i] = -(f[3 + i] + f[6 + i] + f[9 + i]);
  }
}

// ---- tangents ----------------------------------------------------------------------------------

// Of the edge's stretch: ee = c (êêᵀ + l⁻¹L strain (1 − êêᵀ)).
LB_INLINE void stretch_tangent(const Edge *edge, lbLanes stiffness, lbLanes *ee) {
  lbLanes side = edge->strain * edge->rest_length / edge->length;
  LB_FOR (i, 0, 3)
    LB_FOR (j, 0, 3) {
      lbLanes along = edge->unit[i] * edge->unit[j];
      ee[3 * i + j] = stiffness * (along + side * ((i == j ? 1.0 : 0.0) - along));
    }
}

// One triangle's area, and the second derivatives of θ by it: pp and pe (written), ee (added to).
LB_INLINE void side_tangent(const Edge *edge, const Side *s, const Bend *bend, lbLanes *pp,
                            lbLanes *pe, lbLanes *ee) {
  lbLanes l = edge->length, h = s->height, c = s->stiffness / (s->area * s->area);
  lbLanes half = 0.5 * s->stiffness * s->strain / s->area, M = bend->moment;
  lbLanes nn_pp = half * l / h, nn_pe = -s->along * nn_pp;
  lbLanes nn_ee = s->along * s->along * nn_pp + half * h / l;
  lbLanes X_pp = -M / h, X_pe = -s->along * X_pp;
  lbLanes X_ee = s->along * s->along * X_pp - M * h / (2 * l * l), T_ee = M * s->along / l;
  lbLanes p[3], e[3]; // ∂a/∂p, ∂a/∂e
  LB_FOR (i, 0, 3) {
    p[i] = 0.5 * l * s->toward[i];
    e[i] = 0.5 * (h * edge->unit[i] - s->along * l * s->toward[i]);
  }
  LB_FOR (i, 0, 3)
    LB_FOR (j, 0, 3) {
      lbLanes nn = s->upward[i] * s->upward[j];
      lbLanes X = s->turn[i] * s->toward[j] + s->toward[i] * s->turn[j];
      lbLanes T = s->turn[i] * edge->unit[j] + edge->unit[i] * s->turn[j];
      lbLanes skew = s->toward[i] * edge->unit[j] - edge->unit[i] * s->toward[j];
      lbLanes slide = edge->unit[i] * s->turn[j];
      pp[3 * i + j] = c * p[i] * p[j] + nn_pp * nn + X_pp * X;
      pe[3 * i + j] = c * p[i] * e[j] + nn_pe * nn + half * skew + X_pe * X - M / l * slide;
      ee[3 * i + j] += c * e[i] * e[j] + nn_ee * nn + X_ee * X + T_ee * T;
    }
}

// K += stiffness a bᵀ
LB_INLINE void add_outer(lbLanes stiffness, const lbLanes *a, const lbLanes *b, lbLanes *K) {
  LB_FOR (i, 0, 3)
    LB_FOR (j, 0, 3) K[3 * i + j] += stiffness * a[i] * b[j];
}

LB_INLINE void find_tangents(const Edge *edge, lbLanes stiffness, const Side *sides,
                             const Bend *bend, lbLanes *K) {
  enum { AA, AB, BB, AC, BC, CC, AD, BD, CD, DD }; // blocks of K
  lbLanes pe[9], qe[9];
  stretch_tangent(edge, stiffness, K + 9 * BB);
  side_tangent(edge, &sides[0], bend, K + 9 * CC, pe, K + 9 * BB);
  side_tangent(edge, &sides[1], bend, K + 9 * DD, qe, K + 9 * BB);
  add_outer(bend->stiffness, bend->of_edge, bend->of_edge, K + 9 * BB);
  add_outer(bend->stiffness, sides[0].turn, sides[0].turn, K + 9 * CC);
  add_outer(bend->stiffness, sides[1].turn, sides[1].turn, K + 9 * DD);
  add_outer(bend->stiffness, sides[0].turn, bend->of_edge, pe);
  add_outer(bend->stiffness, sides[1].turn, bend->of_edge, qe);
  LB_FOR (i, 0, 9) K[9 * CD + i] = lb_splat(0);
  add_outer(bend->stiffness, sides[0].turn, sides[1].turn, K + 9 * CD);
  LB_FOR (i, 0, 9) {
    int turned = 3 * (i % 3) + i / 3;
    K[9 * BC + i] = pe[turned];
    K[9 * BD + i] = qe[turned];
    K[9 * AB + i] = -(K[9 * BB + i] + pe[i] + qe[i]);
    K[9 * AC + i] = -(pe[turned] + K[9 * CC + i] + K[9 * CD + turned]);
    K[9 * AD + i] = -(qe[turned] + K[9 * CD + i] + K[9 * DD + i]);
    K[9 * AA + i] = -(K[9 * AB + i] + K[9 * AC + i] + K[9 * AD + i]);
  }
}

// ---- the kernel --------------------------------------------------------------------------------

// LB_LANES flaps of a batch, from lane `lane` on. `tangent` is a constant where this is called.
LB_INLINE void flap_lanes(bool tangent, const lbElementBatch *batch, int lane) {
  const double *rest = batch->rest + lane;
  lbLanes u[12], f[12], volume = lb_splat(0);
  Edge edge;
  Side sides[2];
  LB_FOR (i, 0, 12) u[i] = lb_load(batch->displacements + i * LB_BATCH + lane);
  LB_FOR (i, 0, 3) {
    edge.rest[i] = lb_load(rest + i * LB_BATCH);
    sides[0].rest[i] = lb_load(rest + (3 + i) * LB_BATCH);
    sides[1].rest[i] = lb_load(rest + (10 + i) * LB_BATCH);
  }
  edge.rest_length = lb_load(rest + 6 * LB_BATCH);
  LB_FOR (k, 0, 2) {
    lbLanes weight = lb_load(rest + (10 * k + 9) * LB_BATCH);
    sides[k].area = lb_load(rest + (10 * k + 8) * LB_BATCH);
    sides[k].stiffness = 2 * weight * lb_load(batch->parameters + (2 + k) * LB_BATCH + lane);
    volume += weight;
  }
  find_edge(u, &edge);
  find_side(&edge, u + 6, u, &sides[0]);
  find_side(&edge, u + 9, u, &sides[1]);
  lbLanes turned = find_angle(&edge, &sides[0], &sides[1]) - lb_load(rest + 13 * LB_BATCH);
  lbLanes stretch = 2 * volume * lb_load(batch->parameters + lane); // ∂²W/∂strain²
  Bend bend = { .stiffness = 2 * volume * lb_load(batch->parameters + LB_BATCH + lane) };
  bend.moment = bend.stiffness * turned;
  lbLanes energy = stretch * edge.strain * edge.strain + bend.moment * turned;
  LB_FOR (k, 0, 2) energy += sides[k].stiffness * sides[k].strain * sides[k].strain;
  lb_store(batch->energies + lane, 0.5 * energy);
  if (!batch->forces && !tangent) return;
  find_turns(&sides[0], &sides[1], &bend);
  if (batch->forces) {
    find_forces(&edge, stretch * edge.strain / edge.rest_length, sides, &bend, f);
    lb_store_turned(batch->forces + lane * 12, 12, f, 12);
  }
  if (tangent) {
    lbLanes K[90];
    find_tangents(&edge, stretch / (edge.rest_length * edge.rest_length), sides, &bend, K);
    lb_store_turned(batch->tangents + lane * 90, 90, K, 90);
  }
}

void LB_KERNEL(lb_flap_kernel)(const lbElementBatch *batch) {
  LB_ASSERT(!batch->stresses && !batch->gradients);
  if (batch->tangents) {
    for (int lane = 0; lane < LB_BATCH; lane += LB_LANES) flap_lanes(true, batch, lane);
  } else {
    for (int lane = 0; lane < LB_BATCH; lane += LB_LANES) flap_lanes(false, batch, lane);
  }
}
