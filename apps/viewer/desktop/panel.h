// The window's panel: the controls of the settings table, the gallery, graphs, messages. Drawn with
// Dear ImGui; the C side includes only this header.
#ifndef LIMBER_VIEWER_PANEL_H
#define LIMBER_VIEWER_PANEL_H

#include "desktop/open.h"
#include "view/viewer.h"

struct GLFWwindow;

typedef struct vwPanel {
  vwViewer *viewer;
  const vwGallery *gallery;
  int32_t current;       // item of the gallery that is shown, -1: none
  int32_t wanted;        // item that was chosen in this frame, -1: none
  bool shown, help;      // the panel; the list of keys
  bool opening;          // the path of a file is being entered
  bool open_path;        // `path` was chosen
  char path[1024];       // what was typed
  bool video, animation; // being recorded
  double frame_rate;     // pictures a second, lately
  const char *device;    // of the renderer
  const char *note;      // a message for the user, NULL: none
  const char *stage;     // of long work, NULL: none
  double fraction;       // of it
} vwPanel;

// Takes over the window's callbacks and passes events on to those that were set before.
bool vw_panel_start(struct GLFWwindow *window, float scale);
void vw_panel_stop(void);
// Whether a place in the window (units of the pointer) is the panel's, as it was last drawn.
bool vw_panel_takes_pointer(double x, double y);
bool vw_panel_takes_keys(void); // a number is being typed
// Share of a window of this size, from the left, that it covers; 0: not shown. Windows too small
// for it do without.
double vw_panel_width(const vwPanel *panel, double width, double height);
void vw_panel_draw(vwPanel *panel); // over what is in the window's framebuffer

#endif
