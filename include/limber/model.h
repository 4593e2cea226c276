// limber/model.h: the reduced model of an object, what the build side makes and the run side plays.
//
// A model is a set of named arrays and nothing else: immutable, shareable between threads, one for
// any number of bodies. One table (lb_model_array) describes every array: saving, loading,
// checking, printing and bindings go through it. Models are stored in .glb files that any glTF
// viewer opens; limber itself reads a chunk of its own in them (docs/model-file.md).
//
// Matrices are in C order. A basis with shape (modes x 3 nodes) is the 3n x r matrix U of the
// formulas, column-major: u = U q, displacements interleaved x0 y0 z0 x1 ...
#ifndef LIMBER_MODEL_H
#define LIMBER_MODEL_H

#include "limber/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// How a body moves. Numbers in files are other ones (lb_method_code).
typedef enum lbMethod {
  LB_METHOD_DEFAULT = 0, // the best that the model has
  LB_METHOD_FULL,        // the unreduced simulator, which the build side has
  LB_METHOD_MODAL,
  LB_METHOD_SUBSPACE,
  LB_METHOD_WARP,
  LB_METHOD_FRAMES,
  LB_METHOD_RECORDED, // plays the recorded motion of the unreduced body
  LB_METHOD_RIGID,    // a shape that does not deform (limber/contact.h)
  LB_METHOD_COUNT
} lbMethod;

const char *lb_method_name(lbMethod method); // as scene files spell it
// false: no method has that name. "default" is the name of none.
bool lb_method_from_name(const char *name, lbMethod *out);
// The method's number in lbWorldDef.body_methods and so in files: recorded 0, modal 1, subspace 2,
// warp 3, frames 4, full 5, rigid 6; -1: LB_METHOD_DEFAULT has none.
int32_t lb_method_code(lbMethod method);
bool lb_method_from_code(int32_t code, lbMethod *out); // false: no method has it

// What became of a mode that was computed.
typedef enum lbModeFate {
  LB_MODE_KEPT,
  LB_MODE_TOO_WEAK, // the largest force moves it by less than can be seen
  LB_MODE_TOO_FAST, // above half the frame rate
  LB_MODE_FATE_COUNT
} lbModeFate;

// Frames (lbModel.frame_settings), numbers as in files: what elastic forces are summed over, and
// the mass matrix, that of the samples or its row sums at rest, which turn with the frames.
typedef enum lbFrameForces {
  LB_FRAME_SAMPLES, // the samples, each at its strain
  LB_FRAME_SPRINGS, // springs between pairs of frames, which have the samples' stiffness at rest
  LB_FRAME_FORCES_COUNT
} lbFrameForces;
typedef enum lbFrameMass { LB_FRAME_FULL, LB_FRAME_LUMPED, LB_FRAME_MASS_COUNT } lbFrameMass;

#define LB_FRAMES_MOST 200       // frames of a body
#define LB_SPRING_FRAMES_MOST 64 // of one whose forces are springs

// Warped stiffness (lbModel.warp_settings), numbers as in files. What is turned with the material,
typedef enum lbWarpRotation {
  LB_WARP_ELEMENT, // the stiffness of each element, by the polar decomposition of its deformation
  LB_WARP_FIT,     // the rows of each node, by the best fit of the edges around it
  LB_WARP_EDGES,   // the same by three edges of it, which is faster
  LB_WARP_ROTATION_COUNT
} lbWarpRotation;

// what the stiffness is,
typedef enum lbWarpStiffness {
  LB_WARP_FEM,     // finite elements
  LB_WARP_SPRINGS, // springs along the edges of elements, whose Poisson's ratio is 1/4
  LB_WARP_STIFFNESS_COUNT
} lbWarpStiffness;

// and whether it is turned at all.
typedef enum lbWarpStrain {
  LB_WARP_WARPED,
  LB_WARP_LINEAR, // never turned
  LB_WARP_GREEN,  // St. Venant–Kirchhoff, linearised once a step; finite elements only
  LB_WARP_STRAIN_COUNT
} lbWarpStrain;

// How a rigid core of a warped body moves, numbers as in files.
typedef enum lbCoreKind {
  LB_CORE_FREE,     // by the flesh around it and by what drags it
  LB_CORE_HINGED,   // the same, about a fixed axis
  LB_CORE_SCRIPTED, // along a path
  LB_CORE_KIND_COUNT
} lbCoreKind;
#define LB_CORES_MOST 256 // of a body

#define LB_WARP_ITERATIONS 20 // of the solver in a step, by default
#define LB_WARP_ITERATIONS_MOST 10000

typedef struct lbModelSizes {
  int32_t node_count;          // vertices of the volume mesh, in file order
  int32_t tet_count;           //
  int32_t brick_count;         //
  int32_t element_count;       // tets, bricks and triangles of a shell, in this order
  int32_t material_count;      //
  int32_t vertex_count;        // vertices of the surface
  int32_t triangle_count;      //
  int32_t carrier_count;       // entries of the embedding
  int32_t appearance_count;    // materials of the surface
  int32_t texture_count;       //
  int32_t mode_count;          // modes in the modal basis; 0: no modal method
  int32_t candidate_count;     // modes that were computed
  int32_t subspace_dimension;  // r, vectors in the subspace basis; 0: no subspace method
  int32_t subspace_part_count; // sets of polynomials: 1, or 2 a material where it can be edited; 0:
                               // forces by cubature
  int32_t packed2_count;       // r (r+1) / 2
  int32_t packed3_count;       // r (r+1) (r+2) / 6; 0 without polynomials
  int32_t packed4_count;       // r (r+1) (r+2) (r+3) / 24; 0 without polynomials
  int32_t accuracy_count;      // motions that the model was compared with the full simulator on
  int32_t recording_dimension; // vectors that the recorded motion is made of; 0: no recording
  int32_t recording_frames;    // frames of it, at least 2; 0: no recording
  int32_t shell_count;         // triangles of a shell
  int32_t cubature_count;      // elements that reduced forces are summed over; 0: no cubature
  int32_t pose_count;          // poses that they were chosen by
  int32_t core_count;          // rigid cores of the method warp
  int32_t core_key_count;      // keys of their paths, all together
  int32_t frame_count;         // frames of the method "frames"; 0: no such method
  int32_t sample_count;        // places of the rest shape that its energy and mass are summed over
  int32_t sample_entry_count;  // weights of frames at samples
  int32_t node_entry_count;    // weights of frames at nodes
  int32_t voxel_cell_count;    // cells of the grid that samples lie in
} lbModelSizes;

// Absent arrays are NULL; "?" marks those that need not be. A text is UTF-8 and ends
// with a zero byte; a list of texts is one after another, each with its zero.
typedef struct lbModel {
  lbModelSizes size;

  const char *name;       // of the object
  const char *provenance; // "key: value" lines: version, input hash, options; no clock, host, path
  const int32_t *up;      // (1): which axis is up, 1 = y, 2 = z

  // The volume mesh at rest, in the body's own axes.
  const double *node_positions;     // (nodes x 3) m
  const double *node_masses;        // (nodes) kg, ∫ρN
  const uint8_t *node_fixed;        // (nodes) 1: does not move
  const int32_t *tets;              // ? (tets x 4)
  const int32_t *bricks;            // ? (bricks x 8)
  const int32_t *element_materials; // (elements), < material_count
  const int32_t *material_laws;     // (materials), lbMaterialModel
  const double *material_values;    // (materials x 6): young, poisson, density, c10, c01, v1
  const int32_t *shells;            // ? (shells x 3), triangles of a shell
  const double *material_shells; // ? (materials x 4): thickness (m), stretch (N), area (N/m), bend
                                 //   (N m); the last three 0: by young and poisson; all 0: a solid
  const double *rigid_mass;      // (1) kg
  const double *rigid_centre;    // (3) m, centre of mass
  const double *rigid_inertia;   // (3 x 3) kg m², about the centre of mass

  // What a rigid body is, beside its mass; there together or not at all. Its surface shows the
  // shape, and the vertices of the surface are those of a hull; contacts are the shape's own.
  const int32_t *rigid_shape; // ? (1), lbColliderShape: sphere, box, capsule or hull
  const double *rigid_size;   // ? (4) m: radius, and size as in lbColliderDef; 0 where it has none

  // The surface that is seen and touched, carried by the nodes: x_vertex = Σ weight x_node.
  const double *vertex_positions;          // (vertices x 3) m
  const int32_t *vertex_sources;           // (vertices): id in the input, as scenes count; -1: none
  const int32_t *triangles;                // (triangles x 3), counter-clockwise from outside
  const float *corner_uvs;                 // ? (triangles x 3 x 2), glTF's convention
  const int32_t *triangle_appearances;     // ? (triangles), appearance or -1
  const int32_t *carrier_begin;            // (vertices + 1), from 0 to carrier_count
  const int32_t *carrier_nodes;            // (carriers)
  const double *carrier_weights;           // (carriers), sum 1 for each vertex
  const char *appearance_names;            // ? texts (appearances)
  const float *appearance_colors;          // ? (appearances x 4), linear RGBA
  const float *appearance_metal_roughness; // ? (appearances x 2)
  const int32_t *appearance_textures;      // ? (appearances), base-colour texture or -1
  const char *texture_names;               // ? texts (textures)
  const char *texture_mimes;               // ? texts (textures): image/png, image/jpeg
  const int64_t *texture_ranges; // ? (textures x 2): begin in `pictures` and bytes; 0 bytes: none

  // The modal method: z̈ + (α + β λ) ż + λ z = Uᵀ f, u = U z.
  const double *modal_basis;       // ? (modes x 3 nodes), mass-orthonormal, 0 at fixed nodes
  const double *modal_eigenvalues; // ? (modes) λ, 1/s², ascending
  const double *modal_damping;     // ? (2): α in 1/s, β in s
  const double *modal_gravity;     // ? (modes x 3): modal force of a unit gravity along x, y, z
  const double *modal_rigid;       // ? (modes x 6): modal velocity of a unit rigid velocity of the
                                   //   free nodes: along x y z, about x y z through the centre
  const double *modal_inertia_first; // ? (modes x 3 x 3) kg^1/2 m: A1_i = ∫ρ U_i x0ᵀ, x0 from the
                                     //   centre of mass, fixed nodes too
  const double
      *modal_inertia_second; // ? (modes x modes x 9): A2_ij = ∫ρ U_i U_jᵀ, 3 x 3 each; with
                             //   inertia_first or not at all
  const double *modal_residuals;       // ? (modes) |K w − λ M w| / |K w|
  const double *candidate_eigenvalues; // ? (candidates) 1/s²
  const double *candidate_amplitudes;  // ? (candidates): what the rule "too weak" looks at, kg^-1/2
  const int32_t *candidate_fates;      // ? (candidates), lbModeFate

  // The subspace method: M̃ q̈ + (α M̃ + β K̃(q)) q̇ + R̃(q) = Uᵀ f, u = U q, with
  // R̃(q) = P q + Q(q,q,·) + S(q,q,q,·) fully symmetric. Coefficients are packed: one for each
  // sorted tuple i <= j <= k <= l, the last index slowest, so that those of the first m vectors
  // come first. One part: the whole. Two parts a material g: what λ_g = 1 Pa and μ_g = 1 Pa give,
  // in the order λ_0, μ_0, λ_1, ...; the whole is Σ λ_g part + μ_g part.
  const double *subspace_basis; // ? (dimension x 3 nodes), mass-orthonormal, 0 at fixed nodes
  const double *
      subspace_values; // ? (dimension): importance of each vector, descending for those made by PCA
  const double *subspace_damping;        // ? (2): α in 1/s, β in s
  const double *subspace_gravity;        // ? (dimension x 3), as modal_gravity
  const double *subspace_rigid;          // ? (dimension x 6), as modal_rigid
  const double *subspace_inertia_first;  // ? (dimension x 3 x 3), as modal_inertia_first
  const double *subspace_inertia_second; // ? (dimension x dimension x 9), as modal_inertia_second
  const double *subspace_linear;         // ? (parts x packed2) P
  const double *subspace_quadratic;      // ? (parts x packed3) Q
  const double *subspace_cubic;          // ? (parts x packed4) S
  const double *subspace_mass;           // ? (materials x packed2): reduced mass of each material's
                                         //   elements; their sum is the identity. With two parts a
                                         //   material only
  const double *subspace_pull; // ? (materials x 3 dimension): share of each in the gravity

  // Forces by cubature, where there are no polynomials: R̃(q) = Σ w_e U_eᵀ f_e(U_e q), and the
  // energy the same sum. A component is a tet, a brick (numbered as elements), or an edge of a
  // shell (sorted by its pair of nodes, lower number first).
  const int32_t *cubature_elements; // ? (cubature), ascending
  const double *cubature_weights;   // ? (cubature), > 0
  const double *cubature_poses;     // ? (poses x dimension): q of the training poses
  const double *cubature_errors; // ? (2): relative error of the force over the training poses, and
                                 //   over poses that were held out (-1: not measured)

  // The method of warped stiffness: nodes with lumped masses, M ẍ + D ẋ + f(x) = F.
  const int32_t *warp_settings;     // ? (4): lbWarpRotation, lbWarpStiffness, lbWarpStrain, and the
                                    //   most iterations of the solver in a step
  const double *warp_damping;       // ? (2): α in 1/s, β in s; there with warp_settings
  const double *warp_stretch_limit; // ? (1): largest principal stretch beyond which elements are
                                    //   ten times as stiff, > 1; missing: none
  // Rigid cores: nodes that move as one body. Motions of scripted ones are in the body's own axes,
  // x = position + rotation X (limber/path.h; lb_model_core_path makes one); others have no keys.
  const int32_t *warp_cores;      // ? (nodes): core of each node, -1: none; there with cores
  const int32_t *warp_core_kinds; // (cores), lbCoreKind
  const double *warp_core_hinges; // (cores x 6) m: a point of the axis, and its direction, of unit
                                  //   length; zeros where a core is not hinged
  const int32_t *warp_core_begin; // ? (cores + 1), first key of each; there with cores
  const int32_t *warp_core_paths; // (cores x 3): lbPathInterpolation, 1 where it repeats, sum of
                                  //   LB_PATH_POSITIONS, ...
  const double *warp_core_times;  // (core keys) s, rising within a path
  const double *warp_core_positions;         // (core keys x 3) m
  const double *warp_core_rotations;         // (core keys x 4), quaternions x y z w
  const double *warp_core_position_tangents; // ? (core keys x 2 x 3) m/s
  const double *warp_core_rotation_tangents; // ? (core keys x 2 x 4) 1/s

  // Frames: x = blend of the motions of frames with weights w_i, energy and mass sums over samples.
  const double *frame_poses;     // ? (frames x 7): at rest, position (m), rotation x y z w
  const uint8_t *frame_fixed;    // ? (frames) 1: does not move in the body's axes
  const int32_t *frame_settings; // ? (3): lbFrameForces, lbFrameMass, kind of the weights
  const double *frame_damping;   // ? (2): α in 1/s, β in s
  const double *frame_bulk; // ? (1): k of k/2 (J - 1)², beside the material's law, in parts of
                            //   its bulk modulus; missing: 0
  const double *sample_positions;  // ? (samples x 3) m, at rest; sample k lies in voxel k, the k-th
                                   //   filled cell of the grid
  const double *sample_volumes;    // ? (samples) m³
  const double *sample_masses;     // ? (samples) kg
  const int32_t *sample_materials; // ? (samples), < material_count
  const double *sample_stiffness;  // ? (samples): factor of the material's moduli; missing: 1
  const double *sample_shares;     // ? (samples x 2): factors >= 0 of volume and mass in the sums,
                                   // both 0: left out; missing: 1
  const int32_t *sample_begin;     // ? (samples + 1): first entry of each
  const int32_t *sample_frames;    // ? (entries), ascending for a sample
  const double *sample_weights;    // ? (entries x 4): w, ∇w (1/m)
  const int32_t *node_frame_begin; // ? (nodes + 1): the same for the nodes of the volume mesh
  const int32_t *node_frames;      // ? (node entries)
  const double *node_weights;      // ? (node entries)
  const int32_t *node_voxels;      // ? (nodes): the sample from which a node's weights are seen
  const double *voxel_grid;        // ? (4): origin and side of a cell, m
  const int32_t *voxel_size;       // ? (3): cells along x, y, z
  const uint8_t *voxel_cells; // ? (cells), x fastest: 1 filled; 2, 4, 8 closed towards +x +y +z

  // How far the model is from the full simulator.
  const char *accuracy_motions;  // ? texts (accuracy): what was tried
  const double *accuracy_values; // ? (accuracy x 6): amplitude (m), duration (s), mass-weighted
                                 //   error and greatest vertex error (both relative to the
                                 //   amplitude), frequency and amplitude error of the first peaks
                                 //   (relative); -1: not measured
  const char *accuracy_coverage; // ? text: what was covered and what was not

  // The unreduced body: what its simulator needs beside the volume, and its recorded motion,
  // u(t) = U q(t) with q between the frames by cubic polynomials, in the body's own axes.
  const double *full_damping;          // ? (2): α in 1/s, β in s
  const int32_t *full_mass;            // ? (1): mass matrix, 0 consistent, 1 lumped (row sums)
  const double *recording_basis;       // ? (recording_dimension x 3 nodes), mass-orthonormal
  const double *recording_coordinates; // ? (recording_frames x recording_dimension) kg^1/2 m
  const double *recording_rate;        // ? (1) Hz, frames a second; the first is at t = 0

  // Not an array of the table.
  const uint8_t *pictures;       // the textures' encoded bytes lie in here
  size_t pictures_bytes;         //
  struct lbModelOwner *owner_;   // private: what the arrays live in
  struct lbModelShared *shared_; // private: what bodies of the model share
} lbModel;

// A model of its own from a draft: copies every array and checks it. The draft's sizes, arrays,
// `pictures` and `pictures_bytes` count; element_count is worked out.
lbStatus lb_model_create(const lbModel *draft, lbModel **out, lbError *err);
// A file with one model in it; for cooked files see lb_bundle_load. Files of up to 64 MiB are read
// into memory; larger ones are mapped where the system can, and must then not be overwritten in
// place while in use (a `cp` over one ends the program; limber's own writers rename).
lbStatus lb_model_load(const char *path, lbModel **out, lbError *err);
// The same from memory, which is copied; `name` is for messages.
lbStatus lb_model_read(const char *name, const void *bytes, size_t byte_count, lbModel **out,
                       lbError *err);
// Models that were loaded keep their viewable part, so load and save gives the same bytes; others
// get an empty one (the build side's lb_build_save makes a full one).
lbStatus lb_model_save(const lbModel *model, const char *path, lbError *err);
void lb_model_destroy(lbModel *model); // NULL is legal

// What a model has for a method. Arrays belong to the model.
typedef struct lbModelMethod {
  lbMethod method;       // never LB_METHOD_DEFAULT
  int32_t dimension;     // coordinates q, at least 1; of a rigid body 0
  const double *basis;   // (dimension x 3 nodes): u = U q; NULL: displacements are not linear in q,
                         // or (dimension 3 nodes) q itself
  const double *gravity; // (dimension x 3): force of a unit gravity, ∫ρU; NULL: nothing acts
  const double *rigid;   // (dimension x 6): rates of a unit rigid velocity; NULL: nothing acts
  const double *damping; // (2): α in 1/s, β in s; NULL: a recording without
  const double *eigenvalues; // (dimension) 1/s²; NULL: the modal method alone has them
  // Constants of a body in a moving frame, both or neither (models of older versions).
  const double *inertia_first; // (dimension x 3 x 3): A1_i = ∫ρ U_i x0ᵀ, row-major; NULL: unknown
  const double *inertia_second; // (dimension x dimension x 3 x 3): A2_ij = ∫ρ U_i U_jᵀ
} lbModelMethod;

// false: the model does not have the method, and *out is unchanged. LB_METHOD_DEFAULT: the default
// method of the model. No model has LB_METHOD_FULL, though one may have what the
// simulator needs (full_damping).
bool lb_model_method(const lbModel *model, lbMethod method, lbModelMethod *out);
bool lb_model_has(const lbModel *model, lbMethod method); // the same without the view
// What LB_METHOD_DEFAULT stands for: subspace, modal, frames, warp, recorded or rigid, the first
// that the model has; LB_METHOD_DEFAULT: it has none.
lbMethod lb_model_default_method(const lbModel *model);
double lb_model_recording_seconds(const lbModel *model); // 0: it has no recording
bool lb_model_is_free(const lbModel *model);             // no node is fixed
// Whether nothing holds a body of the model by a method: no node is fixed and, for warp, no core is
// hinged or scripted, for frames, no frame is fixed.
bool lb_model_is_free_by(const lbModel *model, lbMethod method);
const char *lb_model_text(const char *texts, int32_t index); // item of a list of texts
// Whether an accuracy figure of the model is above its limit (20 % mass-weighted and in frequency,
// 50 % of a node and at peaks); `text` then says which, and what to do, otherwise "". NULL with 0
// bytes is legal.
bool lb_model_accuracy_warning(const lbModel *model, char *text, size_t bytes);
// Values of nodes (nodes x width) at the vertices of the surface (vertices x width).
void lb_model_embed(const lbModel *model, int32_t width, const double *nodes, double *vertices);

// ---- the table ---------------------------------------------------------------------------------

typedef enum lbArrayType { LB_F64, LB_F32, LB_I32, LB_I64, LB_U8, LB_TEXT } lbArrayType;

typedef struct lbArrayView {
  const char *name; // "modal.basis"
  const char *unit; // "" for none
  const char *meaning;
  lbArrayType type;
  int32_t rank;     // 1 to 3; a text or a list of texts has one dimension, its bytes
  int64_t shape[3]; // C order
  const void *data; // NULL: not in this model
} lbArrayView;

int32_t lb_model_array_count(void);
// 0 <= index < count; otherwise a view of nothing, whose name is NULL.
lbArrayView lb_model_array(const lbModel *model, int32_t index);
size_t lb_array_item_bytes(lbArrayType type);
const char *lb_array_type_name(lbArrayType type); // "f64", ..., "text"

// ---- worlds: what a cooked scene adds to its models --------------------------------------------

typedef enum lbPointKind {
  LB_POINT_VERTEX,   // of the surface
  LB_POINT_NODE,     // of the volume mesh
  LB_POINT_TRIANGLE, // of the surface, with three barycentric weights
  LB_POINT_ELEMENT,  // of the volume mesh, with 4 (tet), 8 (brick) or 3 (shell) weights
  LB_POINT_KIND_COUNT
} lbPointKind;

// The ground that a viewer shows under a world.
typedef enum lbGround {
  LB_GROUND_CHOSEN, // not set: the viewer chooses
  LB_GROUND_HEIGHT, // at a height along the up axis
  LB_GROUND_NONE
} lbGround;

#define LB_VIEW_FOV 35.0      // degrees, default
#define LB_VIEW_FOV_LEAST 1.0 // degrees
#define LB_VIEW_FOV_MOST 170.0

typedef struct lbWorldSizes {
  int32_t body_count, load_count, probe_count;
  int32_t path_count, path_key_count; // keys of all paths
  int32_t attachment_count;
  int32_t shape_count, shape_number_count;
  int32_t collider_count, collider_vertex_count, collider_triangle_count;
  int32_t lead_count;
  int32_t joint_count, joint_region_count; // vertices of all regions
} lbWorldSizes;

// What the keys of a path have.
enum {
  LB_PATH_POSITIONS = 1,
  LB_PATH_ROTATIONS = 2,
  LB_PATH_POSITION_TANGENTS = 4,
  LB_PATH_ROTATION_TANGENTS = 8
};

typedef struct lbWorldDef {
  lbWorldSizes size;
  const double *gravity;     // (3) m/s²
  const double *time_step;   // (1) s
  const int32_t *step_count; // (1)

  const char *body_names;                // texts (bodies)
  const int32_t *body_models;            // (bodies), model of the bundle
  const int32_t *body_methods;           // (bodies), lb_method_code of each
  const double *body_positions;          // (bodies x 3) m
  const double *body_rotations;          // (bodies x 4), unit quaternion x y z w
  const double *body_linear_velocities;  // (bodies x 3) m/s
  const double *body_angular_velocities; // (bodies x 3) rad/s, about the centre of mass

  const int32_t *load_bodies; // (loads)
  const int32_t *load_kinds;  // (loads), LB_POINT_VERTEX or LB_POINT_NODE
  const int32_t *load_points; // (loads), vertex or node
  const double *load_forces;  // (loads x 3) N
  const double *load_times;   // (loads x 2): acts in steps whose end has from < t <= to; may be inf

  const int32_t *probe_bodies; // (probes)
  const int32_t *probe_kinds;  // (probes)
  const int32_t *probe_points; // (probes)

  // For viewers; each may be missing.
  const char *title;        // ? text, one line
  const char *hint;         // ? text, one line: what to try with the mouse
  const double *view_from;  // ? (3) m, position of the camera
  const double *view_at;    // ? (3) m, the target of the view; present with view_from
  const double *view_fov;   // ? (1) degrees from bottom to top; missing: LB_VIEW_FOV
  const double *ground;     // ? (1) m, height of the ground along the up axis; missing: the viewer
                            //   chooses, unless no_ground
  const int32_t *no_ground; // ? (1): 1: no ground is shown, whatever `ground` says

  // Time integration of unreduced bodies and of the subspace method; missing: the defaults.
  const int32_t *integrator;        // ? (1): 0 newmark, 1 implicit euler (lbIntegrator)
  const int32_t *newton_iterations; // ? (1), in each step; missing: 20
  const double *newton_tolerance;   // ? (1); missing: 1e-10

  // Motions of frames (limber/path.h; lb_world_path makes one). Positions and rotations of keys
  // that have none are the origin and no rotation.
  const int32_t *body_paths;            // ? (bodies), path that its frame follows, -1: none
  const int32_t *path_begin;            // ? (paths + 1), first key of each; there with paths
  const int32_t *path_interpolations;   // (paths), lbPathInterpolation
  const int32_t *path_cycles;           // (paths), 1: it repeats
  const int32_t *path_parts;            // (paths), sum of LB_PATH_POSITIONS, ...
  const double *path_times;             // (keys) s, rising within a path
  const double *path_positions;         // (keys x 3) m
  const double *path_rotations;         // (keys x 4), quaternions x y z w
  const double *path_position_tangents; // ? (keys x 2 x 3) m/s; there where a path has them
  const double *path_rotation_tangents; // ? (keys x 2 x 4) 1/s

  // Points that follow paths (lbAttachment).
  const int32_t *attachment_bodies; // (attachments)
  const int32_t *attachment_kinds;  // (attachments), as load_kinds
  const int32_t *attachment_points; // (attachments)
  const int32_t *attachment_paths;  // (attachments), -1: the target stands
  const double *attachment_springs; // (attachments x 2): stiffness in N/m, inf: hard; damping N s/m
  const double *attachment_times;   // (attachments x 2), as load_times

  // Fixed frames of bodies of the method "frames" that follow paths (lb_world_drive_joint).
  const int32_t *lead_bodies; // (leads)
  const int32_t *lead_frames; // (leads)
  const int32_t *lead_paths;  // (leads)
  const double *lead_arms;    // (leads x 3) m: their position in the frame that follows the path

  // Shapes that bodies start in, other than their rest shape (lb_bundle_shape).
  const int32_t *shape_bodies;     // (shapes), rising: bodies of the subspace method
  const double *shape_coordinates; // (shape numbers): q of each, one after another

  // Contacts (limber/contact.h; lb_world_collider_def gives colliders). Without contact_friction
  // bodies touch nothing.
  const double *contact_friction;    // ? (1) μ of bodies and colliders that have none of their own
  const int32_t *contact_substeps;   // ? (1), equal parts of each step; missing: 1
  const int32_t *contact_response;   // ? (1), of version 0.5 and before; it has no effect
  const uint8_t *contact_self;       // ? (1) 1: bodies touch themselves; missing: they do not
  const uint8_t *body_untouchable;   // ? (bodies) 1: touches nothing; missing: all touch
  const double *body_frictions;      // ? (bodies) μ, -1: the world's; missing: all have that
  const double *body_contact_frames; // ? (bodies x 2): limit of the frames that contacts insert,
                                     // and their spacing, m, 0: default; missing: none
  const char *collider_names;        // texts (colliders)
  const int32_t *collider_shapes;    // (colliders), lbColliderShape
  const double *collider_sizes;      // (colliders x 4) m: radius, size
  const double *collider_positions;  // (colliders x 3) m
  const double *collider_rotations;  // (colliders x 4), unit quaternion x y z w
  const double *collider_frictions;  // (colliders) μ, -1: the world's
  const int32_t *collider_paths;     // (colliders), -1: it stands
  const int32_t *collider_vertex_begin;   // ? (colliders + 1), first vertex of each; with vertices
  const int32_t *collider_triangle_begin; // ? (colliders + 1), likewise
  const double *collider_vertices;        // (collider vertices x 3) m, own axes
  const int32_t *collider_triangles; // (collider triangles x 3), counted from the collider's first

  // What holds bodies together (limber/contact.h; lb_world_joint_def makes one).
  const char *joint_names;           // texts (joints)
  const int32_t *joint_kinds;        // (joints), lbJointKind
  const int32_t *joint_bodies;       // (joints x 2), the second -1: the world
  const int32_t *joint_vertices;     // (joints x 2), of the bodies' surfaces, -1: places
  const double *joint_places;        // (joints x 2 x 3) m, world, at t = 0
  const double *joint_axes;          // (joints x 3), not 0
  const double *joint_numbers;       // (joints x 5): least and greatest position (-inf, inf: not
                                     //   limited), speed and force of a motor, force that breaks it
  const uint8_t *joint_collide;      // (joints) 1: the two touch each other
  const int32_t *joint_region_begin; // ? (joints + 1), first vertex of each region; with regions
  const int32_t *joint_regions;      // (region vertices), of the first one's surface

  const int32_t *substeps_max; // ? (1) lbWorldSettings.substeps_max; missing: 16
  const int32_t *body_filters; // ? (bodies x 3) lbContactFilter: category, mask, group; missing:
                               //   the default of all
  const int32_t *collider_filters; // ? (colliders x 3), likewise
  const double *contact_hit_speed; // ? (1) m/s: a run records hits above this; missing: 1
  // lbContactMaterial without friction: compliance (m/N), restitution, rolling friction (m).
  const double *contact_material;           // ? (3), the world's; missing: 0
  const double *body_contact_materials;     // ? (bodies x 3), -1: the world's; missing: all have
  const double *collider_contact_materials; // ? (colliders x 3), likewise
  const uint8_t *collider_sensors;          // ? (colliders) 1: bodies pass through; missing: none
} lbWorldDef;

lbMethod lb_world_method(const lbWorldDef *world, int32_t body); // of a world that was checked
// What a viewer shows under a world; *height (m) is set with LB_GROUND_HEIGHT.
lbGround lb_world_ground(const lbWorldDef *world, double *height);

int32_t lb_world_array_count(void);
lbArrayView lb_world_array(const lbWorldDef *world, int32_t index);

// All that a file holds.
typedef struct lbBundle {
  int32_t model_count;
  const lbModel *const *models; // (model_count), owned by the bundle
  const lbWorldDef *world;      // NULL: models alone
  struct lbModelOwner *owner_;  // private
} lbBundle;

// A bundle in memory. Takes the models over (they must not belong to another bundle; on failure
// they stay the caller's) and copies the world, which may be NULL.
lbStatus lb_bundle_create(lbModel *const *models, int32_t model_count, const lbWorldDef *world,
                          lbBundle **out, lbError *err);
lbStatus lb_bundle_load(const char *path, lbBundle **out, lbError *err);
lbStatus lb_bundle_read(const char *name, const void *bytes, size_t byte_count, lbBundle **out,
                        lbError *err);
lbStatus lb_bundle_save(const lbBundle *bundle, const char *path, lbError *err);
void lb_bundle_destroy(lbBundle *bundle); // and its models; NULL is legal
// The coordinates (dimension of its method) that a body of the bundle's world starts with; NULL: 0.
const double *lb_bundle_shape(const lbBundle *bundle, int32_t body);

// Whether a file begins like a .glb and has limber's chunk: a model rather than a plain glTF scene.
bool lb_model_is_model_file(const char *path);

#ifdef __cplusplus
}
#endif
#endif
