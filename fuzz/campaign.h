// Random scenes of bodies in contact, and a judge of what they do that shares no code with the
// engine's contacts.
//
//   campaign_scene.c  scenes: made from a seed, built in a world, written as files
//   campaign_check.c  the judge: crossings, depths, sides, energies
//   campaign.c        the program
#ifndef LIMBER_FUZZ_CAMPAIGN_H
#define LIMBER_FUZZ_CAMPAIGN_H

#include "limber/build.h"
#include "limber/contact.h"

enum { MOST_BODIES = 12, MOST_JOINTS = 8, MOST_GRABS = 2, MOST_PLATES = 2, MOST_KEYS = 4 };

typedef enum campaignShape {
  SHAPE_BLOCK,
  SHAPE_BALL,
  SHAPE_ROD,
  SHAPE_SLAB,
  SHAPE_RING,
  SHAPE_COUNT
} campaignShape;

typedef enum campaignMethod {
  METHOD_MODAL,
  METHOD_SUBSPACE,
  METHOD_CUBATURE,
  METHOD_WARP,
  METHOD_FRAMES,
  METHOD_COUNT,
  METHOD_RIGID = METHOD_COUNT // a box or a ball
} campaignMethod;

typedef struct campaignBody {
  campaignShape shape;
  campaignMethod method;
  const lbModel *model; // of a cache
  double thickness;     // m, of the thinnest part
  double young;         // Pa; 0: rigid
  lbVec3 position;      // of the model's origin; of a rigid body its centre
  lbQuat rotation;
  lbVec3 velocity, spin;
  lbBodyId id;
} campaignBody;

typedef struct campaignJoint {
  lbJointDef def;    // without bodies
  int32_t bodies[2]; // the second -1: the world
} campaignJoint;

typedef struct campaignPath {
  int32_t key_count;
  double times[MOST_KEYS], positions[3 * MOST_KEYS];
  lbPath *path;
} campaignPath;

typedef struct campaignGrab { // a vertex that a hand drags
  int32_t body, vertex;
  campaignPath way;
} campaignGrab;

typedef struct campaignPlate { // a box that is driven
  double size[3];
  campaignPath way;
} campaignPlate;

typedef struct campaignScene {
  const char *kind;
  uint64_t seed;
  double h, seconds;
  lbVec3 gravity;
  bool ground;
  bool thrown; // the first body at the second, which is thin
  bool ringed; // the first body is on the second, a rod
  int32_t body_count, joint_count, grab_count, plate_count;
  campaignBody bodies[MOST_BODIES];
  campaignJoint joints[MOST_JOINTS];
  campaignGrab grabs[MOST_GRABS];
  campaignPlate plates[MOST_PLATES];
} campaignScene;

int campaign_kind_count(void);
const char *campaign_kind(int kind);
// The scene of a kind and a seed: the same numbers give the same scene everywhere.
lbStatus campaign_make(int kind, uint64_t seed, campaignScene *scene, lbError *err);
lbStatus campaign_build(campaignScene *scene, lbWorld **world, lbError *err);
void campaign_release(campaignScene *scene); // its paths; models stay in the cache
void campaign_release_models(void);
bool campaign_write(const campaignScene *scene, const char *path); // for `limber run`

// What the judge found so far.
typedef struct campaignVerdict {
  const char *failure; // the first: "not finite", ...; NULL: none
  int32_t step;        // of it
  int64_t pair_steps, deep_steps, crossing_steps;
  double deepest;             // of the thinner one's thickness
  double energy, energy_most; // J
  double speed;               // m/s, the greatest
} campaignVerdict;

typedef struct campaignJudge campaignJudge;
campaignJudge *campaign_judge(const campaignScene *scene, const lbWorld *world);
void campaign_judge_step(campaignJudge *judge, const lbWorld *world, int32_t step,
                         campaignVerdict *verdict);
void campaign_judge_destroy(campaignJudge *judge);

#endif
