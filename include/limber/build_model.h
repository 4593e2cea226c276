// limber/build_model.h: from a surface, a volume mesh or a scene to a model file, with sensible
// choices for all that was not said.
#ifndef LIMBER_BUILD_MODEL_H
#define LIMBER_BUILD_MODEL_H

#include "limber/accuracy.h"
#include "limber/paint.h"
#include "limber/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LB_BUILD_FREQUENCY 3.0  // Hz, of the first mode, where no stiffness is given
#define LB_BUILD_DAMPING 0.02   // damping ratio of the first mode, where no damping is given
#define LB_BUILD_FIXED 0.05     // of the height, from below, is fixed by default
#define LB_BUILD_VIEW_SHAPES 64 // modes that viewers get as morph targets, at most

typedef struct lbYoungRegion { // Young's modulus of a part of a body
  lbRegion region;
  double young[2]; // Pa, > 0; by a colour: of the channel's values 0 and 1; otherwise the first
} lbYoungRegion;

// What the caller says goes first, then what the scene or the mesh file says, then the defaults.
typedef struct lbBuildDef {
  const char *body;         // which body of a scene with several; default NULL: the only one
  lbMethod method;          // default LB_METHOD_DEFAULT: the scene's, or subspace (modal where
                            // the material is linear)
  int32_t mode_count;       // > 0; default 0: the scene's, or 20 (fewer if the body has fewer)
  int32_t frames;           // > 0, placed evenly; default 0: the scene's, or 7
  const lbDiscard *discard; // modal; default NULL: the scene's, or none
  lbBasisKind basis;        // subspace; default LB_BASIS_KIND_COUNT: the scene's, or derivatives
  const char *basis_file;   // of the kinds sketch and file; default NULL: the scene's
  int32_t dimension;        // > 0, r; default 0: the scene's, or 30 (fewer if there are fewer)
  int32_t metric;           // lbMassKind; default -1: the scene's, or consistent
  bool editable;            // default false: what the scene says
  lbForceKind forces;       // subspace; default LB_FORCES_BY_LAW: the scene's, or by the law
  // Forces by cubature: as in lbCubatureDef. Values that are not set are the scene's, or the
  // defaults.
  int32_t elements;              // > 0, at most; default 0: not set
  bool all_elements;             // default false: not set
  double force_error;            // >= 0; default -1: not said
  int32_t poses;                 // > 0; default 0: not said
  double pose_amplitude;         // > 0; default 0: not said
  int64_t seed;                  // >= 0; default -1: not said
  lbCubatureSelection selection; // default LB_CUBATURE_SELECTION_COUNT: not said
  lbAccuracyKind accuracy;       // default LB_ACCURACY_QUICK
  char up;                  // 'y' or 'z'; default 0: the scene's, or y for OBJ and glTF, else z
  double damping_mass;      // α, 1/s, >= 0; default -1: not said
  double damping_stiffness; // β, s, >= 0; default -1: not said

  // For bare meshes; a scene has its own.
  bool is_free;                // default false: the lowest part along up is fixed
  int32_t cells;               // > 0, bricks along the longest side of a surface; default 0: 24
  int32_t triangles;           // > 0, of a surface, at most, for drawing; default 0: all
  const lbMaterial *material;  // default NULL: what the file carries, or lb_material()
  const lbYoungRegion *youngs; // (young_count), later ones over earlier ones, all of them over the
  int32_t young_count;         // material (which replaces what the file carries); default 0
  const lbRegion *fixed;       // (fixed_count): these are fixed instead of the lowest part; not
  int32_t fixed_count;         // with is_free; default 0
  double frequency;            // Hz: the stiffness is scaled so that the first mode has it; 0: not
                               // scaled; default -1: LB_BUILD_FREQUENCY, if neither caller nor
                               // file gives a material
} lbBuildDef;

lbBuildDef lb_build_def(void);

// The settings that were chosen, and timings.
typedef struct lbBuildReport {
  char up;
  bool up_chosen;       // by the file format
  int32_t cells;        // 0: nothing was voxelised
  bool cells_chosen;    //
  bool bare;            // a mesh without a scene
  bool material_given;  // by the caller, the scene or the mesh file
  double frequency;     // Hz, that the stiffness was scaled to; 0: it was not
  int32_t fixed_count;  // nodes
  double fixed_share;   // of the height; 0: not chosen here
  double damping_ratio; // of the first mode, chosen; 0: not chosen here
  int32_t mode_count;   // computed
  bool modes_chosen;    // their number
  int32_t rigid_count;  // rigid modes, which are not in the model
  lbMethod method;      // that it was built for
  bool method_chosen;   //
  bool law_decided;     // modal was chosen because the material is linear
  bool forces_chosen;   // subspace: polynomial or cubature, by the law
  lbBasisKind basis;    // subspace
  bool basis_chosen;    //
  int32_t dimension;    // r
  bool dimension_chosen;
  double load_seconds, volume_seconds, modes_seconds, basis_seconds, model_seconds;
  double accuracy_seconds;
  lbAccuracy *accuracy; // the whole comparison; free with lb_accuracy_destroy; NULL: none was made
} lbBuildReport;

// `path`: a scene (.json), a volume mesh, or a surface, which is voxelised and embedded. `report`
// may be NULL.
lbStatus lb_build_model(const char *path, const lbBuildDef *def, lbModel **out,
                        lbBuildReport *report, lbError *err);

// The object of a model with nothing fixed: its volume, materials, surface and damping, by the
// subspace method (modal where the model has no other), with as many vectors.
lbStatus lb_build_free(const lbModel *held, lbModel **out, lbError *err);

// A bare mesh with what lb_build_model would choose for it, as a scene of one unreduced body that
// is released under gravity as a lone model is (lb_scene_load). What `def` says about methods and
// bases is ignored. `report` may be NULL.
lbStatus lb_build_scene(const char *path, const lbBuildDef *def, lbScene **out,
                        lbBuildReport *report, lbError *err);

// Writes models, and a world that places them (NULL: none), as a .glb that any glTF viewer opens:
// the surfaces with their appearances, the first modes as morph targets. Written aside and renamed.
lbStatus lb_build_save(const lbModel *const *models, int32_t model_count, const lbWorldDef *world,
                       const char *path, lbError *err);

#ifdef __cplusplus
}
#endif
#endif
