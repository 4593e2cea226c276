// What the files of the viewer share: viewer.c (life and frames), compose.c (the picture), input.c
// (pointers and keys), link.c (share links).
#ifndef LIMBER_VIEWER_PARTS_H
#define LIMBER_VIEWER_PARTS_H

#include "view/viewer.h"

enum { VW_POINTERS_MAX = 10, VW_WISHES_MAX = 16, VW_BALLS_MAX = 16 };

typedef enum vwPointerRole { // what a pointer that is down does
  VW_ROLE_NONE,
  VW_ROLE_TOOL,
  VW_ROLE_ORBIT,
  VW_ROLE_PAN,
} vwPointerRole;

typedef struct vwPointerState {
  int32_t id;
  vwPointerRole role;
  bool touch;
  double x, y;
} vwPointerState;

typedef struct vwDrawn { // how an actor is drawn
  vwSkin *skin;
  int32_t number; // in the renderer
  bool on_gpu;
  float *placements, *coordinates, *rates; // (bodies x ...), as vwCrowd
  float *positions, *normals, *values;     // as vwCrowd; made when first needed
  double *surface;                         // (surface vertices x 3), working memory
  int32_t edge_count;
  int32_t *edges; // (edge_count x 2): of the volume's elements; made when first needed
} vwDrawn;

typedef struct vwDrawnCollider {
  int32_t skin; // in the renderer
  float placement[7];
} vwDrawnCollider;

struct vwViewer {
  vwViewerDef def;
  vwRenderer *renderer; // NULL: the context is lost
  vwStage *stage;       // NULL: no scene is open
  vwSettings settings;
  vwCamera camera;
  int32_t width, height;
  double covered; // as vwCamera
  double now;     // s, the sum of the frames
  int64_t frame;  // how many there were
  int64_t steps;  // taken in them

  int32_t generation; // of the stage that the drawn are for
  int32_t drawn_count;
  vwDrawn *drawn;
  int32_t collider_count;
  vwDrawnCollider *colliders;
  vwCrowd *crowds; // (drawn_count + collider_count)
  size_t segment_capacity, disc_capacity;
  vwSegment *segments;
  vwDisc *discs;
  vwBall balls[VW_BALLS_MAX];
  double map_high; // the colours' upper end, follows what is to be seen
  vwMap map_of;    // the map that it belongs to

  vwPointerState pointers[VW_POINTERS_MAX];
  int32_t pointer_count;
  double press_time, press_x, press_y; // of the last press, to detect double clicks
  int64_t press_frame;
  int32_t wish_count;
  vwWish wishes[VW_WISHES_MAX];
  char message[sizeof((lbError *)0)->text];
};

void vw_viewer_say(vwViewer *viewer, const char *text);
void vw_viewer_want(vwViewer *viewer, vwWish wish);
vwView vw_viewer_view(const vwViewer *viewer);

// ---- compose.c ----
// Skins and buffers for the stage's actors as they are now; does nothing when they are up to date.
lbStatus vw_viewer_dress(vwViewer *viewer, lbError *err);
void vw_viewer_undress(vwViewer *viewer); // frees them
// What is to be drawn; points into the viewer, good until the next call.
vwPicture vw_viewer_compose(vwViewer *viewer);
void vw_viewer_add_segment(vwViewer *viewer, vwPicture *picture, lbVec3 a, lbVec3 b,
                           const float color[4], float width, bool above);
void vw_viewer_add_disc(vwViewer *viewer, vwPicture *picture, lbVec3 at, const float color[4],
                        float radius, bool above);
// compose_contact.c: what bodies touch. Skins for the stage's colliders, with those of its actors;
lbStatus vw_viewer_dress_colliders(vwViewer *viewer, lbError *err);
// as crowds behind those of the actors.
void vw_viewer_add_colliders(vwViewer *viewer, vwPicture *picture);
// Places of contacts and their forces.
void vw_viewer_add_contacts(vwViewer *viewer, vwPicture *picture);
// compose_frames.c: axes of the frames of bodies.
void vw_viewer_add_frames(vwViewer *viewer, vwPicture *picture);
// compose_pose.c: handles and the gizmo of the one that is chosen.
void vw_viewer_add_pose(vwViewer *viewer, vwPicture *picture);

#endif
