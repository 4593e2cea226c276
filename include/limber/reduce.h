// limber/reduce.h: from a finite-element body to a model that runs in real time.
#ifndef LIMBER_REDUCE_H
#define LIMBER_REDUCE_H

#include "limber/basis.h"
#include "limber/cubature.h"
#include "limber/embedding.h"
#include "limber/fem.h"
#include "limber/model.h"
#include "limber/path.h"

#ifdef __cplusplus
extern "C" {
#endif

// What every reduced model takes over from the object, whatever the method.
typedef struct lbReduceDef {
  const char *name;             // of the object; default "body"
  char up;                      // 'y' or 'z' (default)
  const lbMesh *surface;        // what is seen; NULL: the boundary of the volume mesh
  const lbEmbedding *embedding; // of `surface` in the volume mesh; needed with it
  double damping_mass;          // α, 1/s, >= 0; default 0
  double damping_stiffness;     // β, s, >= 0; default 0
  const char *provenance;       // "key: value" lines to be kept with the model; default ""
} lbReduceDef;

lbReduceDef lb_reduce_def(void);

// Which modes are not worth keeping. Off by default.
typedef struct lbDiscard {
  bool on;
  double max_force;      // N, the largest force to be expected; default 60e3
  double min_resolution; // m, the smallest motion that can be seen; default 1e-4
  double frame_rate;     // Hz; modes above half of it are dropped; default 60
  bool norm;             // a mode's amplitude is its norm rather than its largest displacement
} lbDiscard;

lbDiscard lb_discard(void);

typedef struct lbModalDef {
  int32_t mode_count; // elastic modes to compute; all are kept unless `discard` is on; default 20
  lbDiscard discard;
} lbModalDef;

lbModalDef lb_modal_def(void);

// The linear modes of the body as a model with the modal method. `mesh` is the one that `fem` was
// made from. Free bodies get elastic modes only.
lbStatus lb_reduce_modal(const lbMesh *mesh, const lbFem *fem, const lbReduceDef *def,
                         const lbModalDef *modal, lbModel **out, lbError *err);

// ---- the subspace method -----------------------------------------------------------------------

typedef struct lbSubspaceDef {
  lbBasisDef basis;       // its metric must be kept in the body's own mass (not basis.keep_metric)
  int32_t vectors_max;    // limit of the vectors kept, the first ones of the basis;
                          // default 0: all
  lbForceKind forces;     // default LB_FORCES_BY_LAW
  lbCubatureDef cubature; // where forces come by it
  bool editable; // polynomials: forces apart for each material's two Lamé constants, and its
                 // share of the mass, so that materials can be changed while the body runs;
                 // default false. With cubature they always can
  bool modal;    // keep the linear modes that the basis was made from (none for sketch and
                 // file) as the method "modal" beside it; default true
} lbSubspaceDef;

lbSubspaceDef lb_subspace_def(void);

// The body's forces in a basis: a model with the subspace method. StVK forces are exact cubic
// polynomials, unless cubature is set; other laws have forces by cubature. A progress hook
// that asks to stop while elements are selected gets the best selection so far (with a warning),
// where there is one: the stage's name then is "cubature, " and what there is. `mesh` is the one
// that `fem` was made from.
lbStatus lb_reduce_subspace(const lbMesh *mesh, const lbFem *fem, const lbReduceDef *def,
                            const lbSubspaceDef *subspace, lbModel **out, lbError *err);

// ---- warped stiffness --------------------------------------------------------------------------

// Elements that move as one rigid body, with all their nodes.
typedef struct lbWarpRigid {
  lbCoreKind kind;          // default LB_CORE_FREE
  const bool *elements;     // (elements of the mesh): those of the core
  double point[3], axis[3]; // hinged: m, a point of the axis, and its direction, of any length but
                            // zero; in the mesh's axes
  const lbPath *path;       // scripted: a point X of it is at position + rotation X, in the mesh's
                            // axes; without cuts
} lbWarpRigid;

// How a body of the method "warp" works (limber/model.h has the enumerations).
typedef struct lbWarpSettings {
  lbWarpRotation rotation;   // default LB_WARP_ELEMENT; ignored unless the strain is warped
  lbWarpStiffness stiffness; // default LB_WARP_FEM
  lbWarpStrain strain;       // default LB_WARP_WARPED
  int32_t iterations;        // of the solver in a step, at most; 1 to LB_WARP_ITERATIONS_MOST,
                             // default LB_WARP_ITERATIONS
  double stretch_limit;      // largest principal stretch, above 1, before elements stiffen; 0
                             // (default): none. With LB_WARP_ELEMENT and LB_WARP_WARPED only
  int32_t rigid_count;       // rigid cores, at most LB_CORES_MOST; default 0
  const lbWarpRigid *rigid;  // (rigid_count): no two of them share a node
} lbWarpSettings;

lbWarpSettings lb_warp_settings(void);
// As scene files spell them, in the order of the enumerations; ended by NULL.
const char *const *lb_warp_rotation_names(void);
const char *const *lb_warp_stiffness_names(void);
const char *const *lb_warp_strain_names(void);

// Whether a mesh can have these cores, `fixed` (vertices, or NULL) being its supports: each has
// elements and no fixed node, no two share a node, and some elements stay deformable.
lbStatus lb_warp_check_rigid(const lbMesh *mesh, const bool *fixed, const lbWarpSettings *warp,
                             lbError *err);
// The unreduced body as a model with the method "warp". The materials' laws are ignored: `strain`
// decides. `mesh` is the one that `fem` was made from.
lbStatus lb_reduce_warp(const lbMesh *mesh, const lbFem *fem, const lbReduceDef *def,
                        const lbWarpSettings *warp, lbModel **out, lbError *err);

// ---- frames ------------------------------------------------------------------------------------

// How a body of the method "frames" works (limber/model.h has the enumerations).
typedef struct lbFramesDef {
  int32_t count;           // frames that are placed, 1 to 200; default 7
  const double *positions; // (count x 3) m, in the mesh's axes; NULL (default): placed evenly
  // Joints of a rig: the first so many frames; `positions` then are theirs alone, moved into the
  // body where they lie outside, and the other frames are placed between them. 0 (default): none
  int32_t joint_count;
  int32_t weights;      // index into lb_frames_weight_names; default 0, harmonic
  double radius;        // m, of a frame's own region; 0 (default): 0.4 of the smallest distance
                        // between frames
  double cutoff;        // m, where geodesic and euclidean weights end; 0 (default): nowhere
  lbFrameForces forces; // default LB_FRAME_SAMPLES
  lbFrameMass mass;     // default LB_FRAME_FULL
  int32_t samples;      // about so many; default 2000
  // Fewer of them for forces and masses, with weights (cubature): as many as make an error of
  // forces (relative, at random poses) of `sample_error`, or `sample_limit`; 0 (default): all
  int32_t sample_limit;
  double sample_error;
  double bulk;          // of a term that keeps the volume, in bulk moduli; default 0
  int32_t fixed_count;  // frames that do not move, beside those that have the largest weight at
  const int32_t *fixed; // some fixed vertex of the mesh; default 0
  // Painted rigid regions, each of which moves with the frame that lies in it; where frames are
  // placed evenly, the first ones are theirs.
  int32_t rigid_count;  // default 0
  const int32_t *rigid; // (elements) the region that an element is part of, from 0, or -1
  // Painted weights, of the kind "painted" alone: of the first frames, or of all, at the vertices
  // of a mesh in the body's axes, a skin or a volume. Further frames take over around their places.
  const lbMesh *painted_mesh;    // default NULL
  int32_t painted_count;         // frames that have them
  const double *painted_weights; // (vertices x painted_count), 0 or more
} lbFramesDef;

lbFramesDef lb_frames_def(void);
const char *const *lb_frames_weight_names(void); // ended by NULL
const char *const *lb_frames_force_names(void);  // in the order of lbFrameForces
const char *const *lb_frames_mass_names(void);   // in the order of lbFrameMass

// A model with the method "frames". `mesh` is the one that `fem` was made from; it needs tets or
// bricks.
lbStatus lb_reduce_frames(const lbMesh *mesh, const lbFem *fem, const lbReduceDef *def,
                          const lbFramesDef *frames, lbModel **out, lbError *err);

#ifdef __cplusplus
}
#endif
#endif
