// The viewer: a stage seen by a camera through the renderer, steered by pointers, keys and
// settings. What the window, the page and the off-screen pictures share; none of them knows more
// than this.
#ifndef LIMBER_VIEWER_VIEWER_H
#define LIMBER_VIEWER_VIEWER_H

#include "render/renderer.h"
#include "stage/stage.h"

typedef struct vwViewer vwViewer;

typedef struct vwViewerDef {
  vwStageDef stage;
  vwRendererDef renderer;
} vwViewerDef;

vwViewerDef vw_viewer_def(void);
// Needs a current OpenGL context.
lbStatus vw_viewer_create(const vwViewerDef *def, vwViewer **out, lbError *err);
void vw_viewer_destroy(vwViewer *viewer);

// Shows a bundle, which it takes on success; on failure what was shown stays.
lbStatus vw_viewer_open(vwViewer *viewer, lbBundle *bundle, lbError *err);
// A file's bytes: a model or a cooked scene.
lbStatus vw_viewer_open_bytes(vwViewer *viewer, const char *name, const void *bytes, size_t count,
                              lbError *err);
bool vw_viewer_is_open(const vwViewer *viewer);
vwStage *vw_viewer_stage(vwViewer *viewer); // NULL: no scene is open
vwCamera *vw_viewer_camera(vwViewer *viewer);

// After a context was lost: forget what was in it; then, with a new one current, make it again.
void vw_viewer_context_lost(vwViewer *viewer);
lbStatus vw_viewer_context_restored(vwViewer *viewer, lbError *err);

// ---- settings and commands ---------------------------------------------------------------------

void vw_viewer_control(const vwViewer *viewer, int32_t control, vwControlState *state);
// Sets a control (a button: presses it). Values are clamped; a refused one is put back.
lbStatus vw_viewer_set(vwViewer *viewer, int32_t control, double value, lbError *err);
// Requests to the host, since the viewer has neither files nor a clipboard; the host reads them
// after each frame, each once.
typedef enum vwWish {
  VW_WISH_NONE,
  VW_WISH_PICTURE,   // save a PNG of the frame
  VW_WISH_VIDEO,     // start or stop recording a video
  VW_WISH_ANIMATION, // start or stop recording an animated .glb
  VW_WISH_SKETCH,    // save the sketch that was recorded
  VW_WISH_HELP,      // show the list of keys
  VW_WISH_NEXT,      // the next scene of the gallery
  VW_WISH_PREVIOUS,
  VW_WISH_QUIT,
  VW_WISH_OPEN, // ask for a file and open it
  VW_WISH_POSE, // save the shape as an .obj
} vwWish;
vwWish vw_viewer_wish(vwViewer *viewer);

// Settings that differ from the scene's own, and the camera, as "name=value&..." ; and back.
// Unknown names and absurd values are skipped. Returns the length; the text is cut to `size`.
size_t vw_viewer_link(const vwViewer *viewer, char *text, size_t size);
void vw_viewer_follow_link(vwViewer *viewer, const char *text);

// ---- input -------------------------------------------------------------------------------------

typedef enum vwButton {
  VW_BUTTON_LEFT,
  VW_BUTTON_RIGHT,
  VW_BUTTON_MIDDLE,
  VW_BUTTON_TOUCH
} vwButton;
enum { VW_MOD_SHIFT = 1, VW_MOD_CONTROL = 2, VW_MOD_ALT = 4 };

// Pixels from the top left of the picture. A left press or a single touch on a body uses the tool,
// beside all bodies it turns the camera; right or shift pans; two touches pan, zoom and turn; a
// double press pins or unpins. Positions outside the picture are fine; a cancel ends all pointers.
void vw_viewer_press(vwViewer *viewer, int32_t pointer, vwButton button, int modifiers, double x,
                     double y);
void vw_viewer_move(vwViewer *viewer, int32_t pointer, double x, double y);
void vw_viewer_release(vwViewer *viewer, int32_t pointer, int modifiers);
void vw_viewer_cancel(vwViewer *viewer);
void vw_viewer_wheel(vwViewer *viewer, double notches); // > 0: away from the object
typedef enum vwKey { VW_KEY_LEFT = 256, VW_KEY_RIGHT, VW_KEY_UP, VW_KEY_DOWN, VW_KEY_ESCAPE } vwKey;
bool vw_viewer_key(vwViewer *viewer, int key, int modifiers); // ASCII or vwKey; whether it was used

// ---- frames ------------------------------------------------------------------------------------

void vw_viewer_resize(vwViewer *viewer, int32_t width,
                      int32_t height); // pixels; 0: nothing is drawn
// Share of the picture that a panel covers, from its left (< 0: from its right).
void vw_viewer_cover(vwViewer *viewer, double share);
void vw_viewer_size(const vwViewer *viewer, int32_t *width, int32_t *height);
// Goes on by `seconds` and draws. `target` as for vw_renderer_draw.
void vw_viewer_frame(vwViewer *viewer, double seconds, unsigned target);
void vw_viewer_draw(vwViewer *viewer, unsigned target); // the same without going on

typedef struct vwLegend { // of the colour map
  vwMap map;
  double low, high;
  const char *unit, *title;
} vwLegend;
vwLegend vw_viewer_legend(const vwViewer *viewer); // map NONE: there is none to show
// The last message for the user ("the force is too large ..."), "" when there is none; and until
// when it matters is the host's taste.
const char *vw_viewer_message(const vwViewer *viewer);
void vw_viewer_clear_message(vwViewer *viewer);
const char *
vw_viewer_device(const vwViewer *viewer);        // of the renderer, "" when the context is lost
int64_t vw_viewer_steps(const vwViewer *viewer); // taken, in all

#endif
