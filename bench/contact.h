// What the bench of contacts and its peer share: a body, a motion, and what is told of it.
#ifndef LIMBER_BENCH_CONTACT_H
#define LIMBER_BENCH_CONTACT_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// A free body with linear modes, mass-orthonormal. Tets as in a mesh.
typedef struct benchPeerBody {
  int32_t node_count, tet_count, mode_count;
  const double *positions;   // (nodes x 3) m, the lowest point at z = 0
  const int32_t *tets;       // (tets x 4)
  const double *masses;      // (nodes) kg
  const double *modes;       // (modes x 3 nodes)
  const double *eigenvalues; // (modes) 1/s²
  double damping;            // s, times eigenvalues
} benchPeerBody;

// Copies that fall onto the ground from these heights, one above the other.
typedef struct benchDrop {
  int32_t count;
  double heights[8]; // m
  double friction, h;
  int32_t steps, peer_steps;
} benchDrop;

typedef struct benchDropResult {
  double median, least, p99, most; // s a step, of those in which something touches
  int32_t repeats;
  double overlap; // m: how deep nodes are below the ground, at most
  double rise;    // J/J: how far the energy rose above what it was before
  double drift;   // m: how far a centre is from the line through which it fell, at the end
  double speed;   // m/s, of the fastest centre at the end
  double damping; // s, of a peer that cannot have the body's
} benchDropResult;

// How Bullet solves contacts.
typedef struct benchPeerSettings {
  const char *name;
  int32_t iterations;
  double residual; // of squares of velocities, below which it stops
} benchPeerSettings;

// Bullet's btReducedDeformableBody; false: it was not there when this was built.
bool bench_bullet(const benchPeerBody *body, const benchDrop *drop,
                  const benchPeerSettings *settings, double *times, benchDropResult *result);
const char *bench_bullet_version(void); // "": not there

#ifdef __cplusplus
}
#endif
#endif
