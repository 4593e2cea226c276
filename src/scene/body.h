// Reading one body of a scene: its mesh or model, placement, method, materials and supports.
#ifndef LB_SCENE_BODY_H
#define LB_SCENE_BODY_H

#include "limber/scene.h"
#include "meshio/rig.h"
#include "scene/field.h"

// One entry of "bodies" while its instances are read.
typedef struct lbBodyEntry {
  lbField json;
  int32_t instance_count;
  int32_t first;       // number of its first body in the scene
  double (*scales)[3]; // (instance_count), those read so far
} lbBodyEntry;

// A model file that some body has read.
typedef struct lbModelFile {
  char *path;
  int32_t body;
  const json_t *damping; // that the scene gives it; NULL: the file's
} lbModelFile;

// What is kept while the bodies of a scene are read.
typedef struct lbBodyReader {
  lbScene *scene;
  size_t body_capacity;
  lbModelFile *files;
  size_t file_count, file_capacity;
  size_t path_capacity;
} lbBodyReader;

void lb_scene_release_reader(lbBodyReader *reader); // not the scene
// All instances of one entry, added to the scene.
lbStatus lb_scene_read_entry(lbBodyReader *reader, const lbField *json, lbError *err);
// A free body around a mesh file.
lbStatus lb_scene_mesh_body(const char *path, const lbSceneDefaults *defaults, lbSceneBody *body,
                            lbError *err);
// A body with defaults: no twin, at the origin.
void lb_scene_begin_body(lbSceneBody *body);
void lb_scene_release_body(lbSceneBody *body);

// The mesh that is seen: the surface, or the mesh of a shell without one; NULL: none yet.
lbMesh *lb_scene_seen(const lbSceneBody *body);

// source.c
lbStatus lb_scene_read_mesh(const lbField *json, lbSceneBody *body, lbError *err);
char lb_scene_file_up(const char *path);
// model.c: the "model" entry; may make the body a twin of one that uses the same file.
lbStatus lb_scene_read_model(lbBodyReader *reader, const lbField *json, int32_t body, lbError *err);
// Where vertex ids of a body with a model point to: sets surface_ids.
void lb_scene_number_model(lbSceneBody *body);
// method.c
lbStatus lb_scene_read_method(const lbField *json, lbSceneBody *body, lbError *err);
lbStatus lb_scene_read_damping(const lbField *json, lbSceneBody *body, lbError *err);
// warp.c
lbStatus lb_scene_read_warp(const lbField *json, lbSceneBody *body, lbError *err);
// cores.c: "rigid" of "warp", after the mesh, its supports, and before it is scaled.
lbStatus lb_scene_read_cores(const lbField *json, const double scale[3], lbSceneBody *body,
                             lbError *err);
void lb_scene_release_cores(lbSceneBody *body);
// covered (elements) <- true for those of a "group", "box" or "color", or of a list "elements".
lbStatus lb_scene_cover_elements(const lbField *json, const lbSceneBody *body, bool *covered,
                                 lbError *err);
// frames.c
lbStatus lb_scene_read_frames(const lbField *json, lbSceneBody *body, lbError *err);
// Its "rigid", after the mesh.
lbStatus lb_scene_read_rigid_frames(const lbField *json, lbSceneBody *body, lbError *err);
// The same for weights in a file; and the weights of a rig at the vertices of its mesh, which
// becomes the body's unless this fails.
lbStatus lb_scene_read_painted_frames(const lbField *json, lbSceneBody *body, lbError *err);
lbStatus lb_scene_take_skin(const lbRig *rig, lbMesh *mesh, lbSceneBody *body, lbError *err);
// Driven frames in the coordinates of the scaled mesh.
lbStatus lb_scene_scale_drive(const double scale[3], lbSceneBody *body, lbError *err);
// skeleton.c: the joints of the body's surface as frames; body->frames.count is how many more.
lbStatus lb_scene_read_skeleton(const lbField *body_json, const lbField *frames, lbSceneBody *body,
                                lbError *err);
// cubature.c: "forces" and the keys of cubature, from the entry "reduce".
lbStatus lb_scene_read_forces(const lbField *json, lbSubspaceDef *subspace, lbError *err);
// subspace.c: `usual`, or as many elastic modes as the body has.
int32_t lb_scene_default_modes(const lbSceneBody *body, const lbFem *fem, int32_t usual);
#define LB_SCENE_EXTENDED_MODES 4 // nine vectors each
// A sketch from a file, on the vertices of the volume mesh.
lbStatus lb_scene_sketch(const lbSceneBody *body, const char *path, lbSketch **out, lbError *err);
// placement.c: fills position, rotation and velocities; *scale is for the meshes.
lbStatus lb_scene_read_placement(const lbBodyEntry *entry, int32_t instance, lbSceneBody *body,
                                 double scale[3], lbError *err);
// motion.c: "motion", after the placement.
lbStatus lb_scene_read_motion(lbBodyReader *reader, const lbBodyEntry *entry, int32_t instance,
                              lbError *err);
// The same for what stands beside the bodies, once these are read.
lbStatus lb_scene_read_kept_path(const lbField *json, lbScene *scene, const lbPath **out,
                                 lbError *err);
lbStatus lb_scene_read_path(const lbField *json, lbPath **out, lbError *err); // of a "motion"
void lb_scene_start_motion(lbSceneBody *body); // position and rotation at t = 0
void lb_scene_scale_mesh(const double scale[3], lbMesh *mesh);
void lb_scene_warn_of_size(const lbSceneBody *body);
// contact.c: "up", "ground", "colliders" and "contact" of a scene's top level, after the bodies;
// and what a body says of it.
lbStatus lb_scene_read_contact(const lbField *json, lbScene *scene, lbError *err);
lbStatus lb_scene_read_touch(const lbField *json, lbSceneBody *body, lbError *err);
void lb_scene_release_colliders(lbScene *scene);
// rigid.c: a collider with a "density", as read so far, becomes a body. *room of scene->bodies.
lbStatus lb_scene_read_rigid(const lbField *json, lbScene *scene, size_t *room,
                             const lbSceneCollider *from, lbError *err);
// cooked_contact.c: the same from a cooked world, whose paths the scene has.
// cooked_joints.c
lbStatus lb_scene_take_joints(const lbWorldDef *world, lbScene *scene, lbError *err);
lbStatus lb_scene_take_contact(const lbWorldDef *world, lbScene *scene, lbError *err);
// supports.c: marks the vertices that a "fixed" entry names.
lbStatus lb_scene_read_fixed(const lbField *json, lbSceneBody *body, lbError *err);
// scene.c: the "body" and "vertex" of a load, an attachment or a probe. A scene of one body need
// not name it.
lbStatus lb_scene_read_point(const lbField *json, const lbScene *scene, int32_t *body,
                             int32_t *vertex, lbError *err);
// attach.c: "attach" of a scene's top level, after the bodies.
lbStatus lb_scene_read_attachments(const lbField *json, lbScene *scene, lbError *err);
// joints.c: "joints" of a scene's top level, after the bodies and colliders.
lbStatus lb_scene_read_joints(const lbField *json, lbScene *scene, lbError *err);
void lb_scene_release_joints(lbScene *scene);
// view.c: "title", "try" and "view" of a scene's top level.
lbStatus lb_scene_read_view(const lbField *json, lbScene *scene, lbError *err);
// appearance.c, the key "look": paints the body's surface; without one it gets the mesh's boundary.
lbStatus lb_scene_read_appearance(const lbField *json, lbSceneBody *body, lbError *err);
double lb_linear_of_srgb(double value); // both 0 to 1
// colors.c: vertex colours of the body's surface become looks, where it has none.
lbStatus lb_scene_show_colors(lbSceneBody *body, lbError *err);
// materials.c
lbStatus lb_scene_read_materials(const lbField *json, lbSceneBody *body, lbError *err);
// Materials that came with the mesh file; LB_ERR_FORMAT when there are none.
lbStatus lb_scene_mesh_materials(lbSceneBody *body, const char *path, lbError *err);

#endif
