// The peer of limber bench contact: the same modes, masses and drops by Bullet's reduced deformable
// bodies. All but the settings of the caller is as in Bullet's examples/ReducedDeformableDemo:
// explicit steps, nodes against rigid bodies (its solver has no other contacts; bodies do not touch
// each other), error reduction 0.2.
#include "bench/contact.h"

#include <btBulletDynamicsCommon.h>

#include <BulletSoftBody/BulletReducedDeformableBody/btReducedDeformableBody.h>
#include <BulletSoftBody/BulletReducedDeformableBody/btReducedDeformableBodySolver.h>
#include <BulletSoftBody/btDeformableMultiBodyConstraintSolver.h>
#include <BulletSoftBody/btDeformableMultiBodyDynamicsWorld.h>
#include <BulletSoftBody/btSoftBodyHelpers.h>
#include <BulletSoftBody/btSoftBodyRigidBodyCollisionConfiguration.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <memory>
#include <vector>

namespace {

const btScalar g = btScalar(9.81), margin = btScalar(0.002);

double seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

struct World {
  btSoftBodyRigidBodyCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{ &configuration };
  btDbvtBroadphase broadphase;
  btReducedDeformableBodySolver deformable;
  btDeformableMultiBodyConstraintSolver solver;
  std::unique_ptr<btDeformableMultiBodyDynamicsWorld> world;
  btBoxShape ground_shape{ btVector3(10, 10, 1) };
  std::unique_ptr<btRigidBody> ground;
  std::vector<std::unique_ptr<btReducedDeformableBody>> bodies;

  World(double friction, const benchPeerSettings &settings) {
    const btVector3 gravity(0, 0, -g);
    solver.setDeformableSolver(&deformable);
    world.reset(new btDeformableMultiBodyDynamicsWorld(&dispatcher, &broadphase, &solver,
                                                       &configuration, &deformable));
    world->setGravity(gravity);
    world->getWorldInfo().m_gravity = gravity;
    deformable.setGravity(gravity);
    world->setImplicit(false);
    world->setLineSearch(false);
    world->setUseProjection(false);
    btContactSolverInfo &info = world->getSolverInfo();
    info.m_deformable_erp = btScalar(0.2);
    info.m_deformable_cfm = btScalar(0.2);
    info.m_friction = btScalar(friction);
    info.m_deformable_maxErrorReduction = btScalar(200);
    info.m_leastSquaresResidualThreshold = btScalar(settings.residual);
    info.m_splitImpulse = false;
    info.m_numIterations = settings.iterations;
    btTransform below = btTransform::getIdentity();
    below.setOrigin(btVector3(0, 0, -1));
    ground.reset(new btRigidBody(0, nullptr, &ground_shape));
    ground->setWorldTransform(below);
    ground->setFriction(btScalar(friction));
    world->addRigidBody(ground.get());
  }

  ~World() {
    for (auto &body : bodies) world->removeSoftBody(body.get());
    world->removeRigidBody(ground.get());
  }

  void add(const benchPeerBody &from, double height, double friction, double damping);
};

void fill(const benchPeerBody &from, btReducedDeformableBody &to) {
  const int n = from.node_count, r = from.mode_count;
  btReducedDeformableBody::tDenseArray masses;
  for (int i = 0; i < from.tet_count; i++) {
    const int32_t *t = from.tets + 4 * i;
    to.appendTetra(t[0], t[1], t[2], t[3]);
    for (int a = 0; a < 4; a++)
      for (int b = a + 1; b < 4; b++) to.appendLink(t[a], t[b], nullptr, true);
  }
  btSoftBodyHelpers::generateBoundaryFaces(&to);
  to.initializeDmInverse();
  to.m_tetraScratches.resize(to.m_tetras.size());
  to.m_tetraScratchesTn.resize(to.m_tetras.size());
  to.setReducedModes(r, n);
  to.m_modes.resize(r);
  to.m_eigenvalues.resize(r);
  to.m_Kr.resize(r);
  for (int k = 0; k < r; k++) {
    to.m_eigenvalues[k] = to.m_Kr[k] = btScalar(from.eigenvalues[k]);
    to.m_modes[k].resize(3 * n);
    for (int i = 0; i < 3 * n; i++)
      to.m_modes[k][i] = btScalar(from.modes[static_cast<size_t>(k) * 3 * n + i]);
  }
  masses.resize(n);
  for (int i = 0; i < n; i++) masses[i] = btScalar(from.masses[i]);
  to.setMassProps(masses);
  to.setInertiaProps();
  to.internalInitialization();
}

void World::add(const benchPeerBody &from, double height, double friction, double damping) {
  std::vector<btVector3> places(static_cast<size_t>(from.node_count));
  for (size_t i = 0; i < places.size(); i++)
    places[i] = btVector3(btScalar(from.positions[3 * i]), btScalar(from.positions[3 * i + 1]),
                          btScalar(from.positions[3 * i + 2] + height));
  bodies.emplace_back(
      new btReducedDeformableBody(&world->getWorldInfo(), from.node_count, places.data(), nullptr));
  btReducedDeformableBody &body = *bodies.back();
  fill(from, body);
  world->addSoftBody(&body);
  body.getCollisionShape()->setMargin(margin);
  body.setDamping(0, btScalar(damping));
  body.m_cfg.kKHR = body.m_cfg.kCHR = 1;
  body.m_cfg.kDF = btScalar(friction);
  body.m_cfg.collisions = btSoftBody::fCollision::SDF_RD | btSoftBody::fCollision::SDF_RDN;
  body.m_sleepingThreshold = 0;
}

// Its explicit steps are stable while (h² + 2 h β) λ < 4: no more damping than that allows.
double damping_of(const benchPeerBody &from, double h) {
  const double largest = from.eigenvalues[from.mode_count - 1];
  return std::max(0.0, std::min(from.damping, (3.6 / largest - h * h) / (2 * h)));
}

// Nodes tell where it is; the modes' energy is that of the eigenvalues.
double energy_of(const btReducedDeformableBody &body, const benchPeerBody &from) {
  double sum = 0;
  for (int i = 0; i < body.m_nodes.size(); i++)
    sum += from.masses[i] * (0.5 * body.m_nodes[i].m_v.length2() + g * body.m_nodes[i].m_x.z());
  for (int k = 0; k < body.m_nReduced; k++)
    sum +=
        0.5 * from.eigenvalues[k] * double(body.m_reducedDofs[k]) * double(body.m_reducedDofs[k]);
  return sum;
}

struct Look {
  double x = 0, y = 0, speed = 0, lowest = 1e9;
};

Look look_at(const btReducedDeformableBody &body, const benchPeerBody &from) {
  Look look;
  btVector3 momentum(0, 0, 0);
  double mass = 0;
  for (int i = 0; i < body.m_nodes.size(); i++) {
    const btSoftBody::Node &node = body.m_nodes[i];
    mass += from.masses[i];
    look.x += from.masses[i] * node.m_x.x(), look.y += from.masses[i] * node.m_x.y();
    momentum += btScalar(from.masses[i]) * node.m_v;
    look.lowest = std::min(look.lowest, double(node.m_x.z()));
  }
  look.x /= mass, look.y /= mass, look.speed = momentum.length() / mass;
  return look;
}

} // namespace

bool bench_bullet(const benchPeerBody *body, const benchDrop *drop,
                  const benchPeerSettings *settings, double *times, benchDropResult *result) {
  World world(drop->friction, *settings);
  std::vector<Look> starts;
  *result = benchDropResult();
  result->damping = damping_of(*body, drop->h);
  for (int32_t i = 0; i < drop->count; i++) {
    world.add(*body, drop->heights[i], drop->friction, result->damping);
    starts.push_back(look_at(*world.bodies.back(), *body));
  }
  double first = 0, before = 0;
  for (int32_t step = 0; step < drop->peer_steps; step++) {
    const double start = seconds();
    world.world->stepSimulation(btScalar(drop->h), 0);
    const double took = seconds() - start;
    double energy = 0, lowest = 1e9;
    for (const auto &at : world.bodies) {
      energy += energy_of(*at, *body);
      lowest = std::min(lowest, look_at(*at, *body).lowest);
    }
    if (step == 0) first = before = energy;
    if (lowest < 2 * margin) times[result->repeats++] = took;
    result->rise = std::max(result->rise, (energy - before) / first);
    before = std::min(before, energy);
    result->overlap = std::max(result->overlap, -lowest);
  }
  for (size_t i = 0; i < world.bodies.size(); i++) {
    const Look end = look_at(*world.bodies[i], *body);
    result->drift = std::max(result->drift, std::hypot(end.x - starts[i].x, end.y - starts[i].y));
    result->speed = std::max(result->speed, end.speed);
  }
  std::sort(times, times + result->repeats);
  if (result->repeats > 0) {
    result->median = times[result->repeats / 2];
    result->least = times[0];
    result->p99 = times[(int)(0.99 * (result->repeats - 1) + 0.5)];
    result->most = times[result->repeats - 1];
  }
  return true;
}

const char *bench_bullet_version(void) {
  static char text[16];
  const int version = btGetVersion();
  std::snprintf(text, sizeof text, "%d.%02d", version / 100, version % 100);
  return text;
}
