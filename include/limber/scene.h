// limber/scene.h: scene files (JSON): bodies with meshes, materials and supports, loads, probes and
// time stepping. The format: docs/scene.md.
#ifndef LIMBER_SCENE_H
#define LIMBER_SCENE_H

#include "limber/contact.h"
#include "limber/path.h"
#include "limber/reduce.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LB_SCENE_HIT_SPEED 1.0 // lbScene.hit_speed where a scene has none

typedef struct lbSceneBody {
  char *name;
  lbModel *model;         // read from a file; then there is no mesh. NULL otherwise
  lbMesh *mesh;           // volume (or surface) mesh, scaled, in the body's own axes
  lbMesh *surface;        // render surface, the same; NULL: the mesh's own boundary
  lbEmbedding *embedding; // of the surface in the mesh; NULL without a surface
  bool surface_ids;       // vertex ids of loads, probes and `fixed` count the surface's vertices
  lbMaterial *materials;
  int32_t material_count;
  int32_t *element_materials; // (elements), NULL: all 0
  bool *fixed;                // (vertices of the mesh); NULL: free
  lbMassKind mass;
  double damping_mass, damping_stiffness;
  lbMethod method;         // never LB_METHOD_DEFAULT
  lbModalDef modal;        // "reduce", for the modal method; mode_count 0: not
                           // said, 20 or as many as there are
  lbSubspaceDef subspace;  // "reduce", for the subspace method: basis.kind and metric, vectors_max
                           // (the dimension, whatever the kind; 0: not said), forces, cubature and
                           // editable; the rest is worked out by lb_scene_subspace
  lbWarpSettings warp;     // "warp", for the method of that name
  lbFramesDef frames;      // "frames", for the method of that name
  double *frame_positions; // what `frames` points to; NULL: nothing
  int32_t *frame_fixed, *frame_rigid;
  double *frame_weights;  // those that are painted
  lbMesh *painted_mesh;   // where they are, if not on `mesh` or `surface`
  lbPath **joint_paths;   // (joint_path_count) paths of frames, in the mesh's axes; the body's own
  int32_t *joint_numbers; // (joint_path_count) which frames
  int32_t joint_path_count; //
  bool joints_move_space;   // a frame at p goes to position + rotation p, else to position
  char *basis_file;         // of the kinds sketch and file; NULL: none
  char up;                  // 'y' or 'z'
  double position[3];       // m, where its axes stand in the world; with a motion, at t = 0
  double rotation[4];       // unit quaternion x y z w, likewise
  const lbPath *motion;     // what its frame follows, one of the scene's paths; NULL: nothing
  double linear_velocity[3], angular_velocity[3]; // m/s; rad/s about the centre of mass; with a
                                                  // motion, relative to the frame
  bool untouchable;                               // "contact": false
  lbContactMaterial contact_material;             // NANs: the scene's
  lbContactFilter filter;                         // what it touches
  int32_t contact_frames; // "contacts" of "frames": at most so many come where it is pressed
  double contact_spacing; // m, no nearer to others; 0: as lb_world_set_contact_frames says
  char *pose;             // "pose": an edit script, JSON; NULL: it starts in its rest shape
  char *pose_from;        // what messages about it begin with: its file, or the scene's
  const double *shape; // coordinates that a cooked body of the subspace method starts with; NULL: 0
  int32_t twin; // the body whose model, mesh, surface and materials this one borrows; -1: its own
} lbSceneBody;

typedef struct lbSceneLoad {
  int32_t body, vertex;
  double force[3]; // N
  double from, to; // s: acts in steps whose end time t has from < t ≤ to; -inf and +inf: always
} lbSceneLoad;

typedef struct lbSceneCollider {
  char *name;
  lbColliderShape shape;
  double radius, size[3]; // as in lbColliderDef
  lbMesh *mesh;           // of the shapes mesh and hull
  double position[3], rotation[4];
  const lbPath *motion;               // one of the scene's paths; NULL: it stands
  lbContactMaterial contact_material; // NANs: the scene's
  bool sensor;
  bool untouchable; // "contact": false
  lbContactFilter filter;
} lbSceneCollider;

typedef struct lbSceneJoint { // as lbJointDef of limber/contact.h
  char *name;
  lbJointKind kind;
  int32_t bodies[2];   // the second -1: the world
  int32_t vertices[2]; // in the numbering of the bodies; -1: places
  double places[2][3]; // m, world
  bool *region;        // (vertices of the first one's mesh); NULL: none
  bool of_surface; // of a cooked file: `vertices` are numbers of the models' surfaces, and so are
  int32_t region_count;           // those of the region
  const int32_t *region_vertices; // (region_count), the bundle's
  double axis[3];
  bool limited, collide;
  double limits[2], motor_speed, motor_force, break_force;
} lbSceneJoint;

typedef struct lbSceneAttachment { // as lbAttachment of limber/world.h
  int32_t body, vertex;
  const lbPath *path; // one of the scene's; NULL: the target stands
  double stiffness, damping;
  double from, to;
} lbSceneAttachment;

typedef struct lbSceneProbe {
  int32_t body, vertex;
} lbSceneProbe;

// From where a viewer looks at first.
typedef struct lbSceneView {
  bool placed;           // `from` and `at` are given; otherwise the viewer chooses
  double from[3], at[3]; // m
  double fov;            // degrees from the picture's bottom to its top; default LB_VIEW_FOV
  lbGround ground;       // default LB_GROUND_CHOSEN
  double ground_height;  // m along the up axis, with LB_GROUND_HEIGHT
} lbSceneView;

typedef struct lbScene {
  char *path;
  char *title, *hint; // name and a hint what to try; one line each; NULL: none
  lbSceneView view;
  lbBundle *bundle;  // the models' owner where the scene is a model file or a cooked one, or NULL
  double gravity[3]; // m/s²
  int32_t body_count;
  lbSceneBody *bodies;
  int32_t path_count;
  lbPath **paths; // motions, owned by the scene
  int32_t load_count;
  lbSceneLoad *loads;
  int32_t attachment_count;
  lbSceneAttachment *attachments;
  int32_t joint_count;
  lbSceneJoint *joints;
  int32_t probe_count;
  lbSceneProbe *probes;
  bool contact;                       // bodies touch each other and colliders
  char up;                            // 'y' or 'z': of the ground
  lbContactMaterial contact_material; // default friction 0.5, others 0
  int32_t substeps;                   // default 1
  int32_t substeps_max;               // as lbWorldSettings.substeps_max, 1 to 64; default 16
  bool self;                          // bodies touch themselves
  double hit_speed;                   // m/s: a run records faster impacts as hits; INFINITY: none
  int32_t collider_count;
  lbSceneCollider *colliders;
  double time_step;   // s
  int32_t step_count; // 0 when the scene has no "time"
  lbIntegrator integrator;
  int32_t newton_iterations;
  double newton_tolerance;
  double factor_reuse; // of unreduced bodies, as in lbSimulatorDef; -1: 0.3 from 2 000 unknowns,
                       // else 0
} lbScene;

// What a mesh without a scene around it gets.
typedef struct lbSceneDefaults {
  lbMaterial material; // used where neither scene nor file gives one
  bool has_material;   // the caller insists: replaces what a mesh file carries
} lbSceneDefaults;

// A scene from a .json file; from a cooked file; of one body from a model file, released under
// gravity along its down axis for 240 steps of 1/120 s; or of one free body around a mesh file.
// `defaults` may be NULL.
lbStatus lb_scene_load(const char *path, const lbSceneDefaults *defaults, lbScene **out,
                       lbError *err);
void lb_scene_destroy(lbScene *scene);

// The finite-element body of a scene body, where it stands in the world. Refused for a body that
// was read from a model file.
lbStatus lb_scene_fem(const lbSceneBody *body, lbFem **out, lbError *err);
// The same in the body's own axes, wherever the scene puts it.
lbStatus lb_scene_own_fem(const lbSceneBody *body, lbFem **out, lbError *err);
// The model of a scene body by its method, in the body's own axes; "full" has none. A body read
// from a model file: a copy.
lbStatus lb_scene_model(const lbSceneBody *body, lbModel **out, lbError *err);
// What an unreduced body is made of, as a model without methods: mesh, materials, supports,
// surface, damping and kind of mass. A body read from a model file: a copy.
lbStatus lb_scene_full_model(const lbSceneBody *body, lbModel **out, lbError *err);
// What the subspace method makes of a body: counts that the scene does not say are chosen (20
// modes, of extended ones 4; r = 30; fewer where the body has fewer), the sketch is read, its
// vertex ids turned into those of the volume mesh. *sketch is what def->basis.sketch points to;
// destroy it.
lbStatus lb_scene_subspace(const lbSceneBody *body, const lbFem *fem, lbSubspaceDef *def,
                           lbSketch **sketch, lbError *err);
// Where a point of the body's own axes stands in the world at rest.
void lb_scene_place(const lbSceneBody *body, const double own[3], double world[3]);
// Gravity and the loads that act at time t on a body, as a full vector of its fem.
void lb_scene_forces(const lbScene *scene, int32_t body, const lbFem *fem, double t,
                     double *forces);
// Initial velocity of a body as a full vector of its fem. With a motion: that of its frame at t = 0
// and, at vertices that are not fixed, the body's own.
void lb_scene_velocity(const lbSceneBody *body, const lbFem *fem, double *velocity);
// Whether a load acts in the step that ends at t.
bool lb_scene_load_acts(const lbScene *scene, const lbSceneLoad *load, double t);
// Rest position and displacement of a vertex in the world, in the numbering that the body's ids
// use. `displacement` (nodes x 3) is in world axes; NULL: none.
void lb_scene_vertex(const lbSceneBody *body, int32_t vertex, const double *displacement,
                     double rest[3], double moved[3]);
int32_t lb_scene_vertex_count(const lbSceneBody *body); // in that numbering
// What a vertex of that numbering is in the body's model: a vertex of its surface or a node. false:
// the model has no such vertex.
bool lb_scene_point(const lbSceneBody *body, const lbModel *model, int32_t vertex,
                    lbPointKind *kind, int32_t *index);

#ifdef __cplusplus
}
#endif
#endif
