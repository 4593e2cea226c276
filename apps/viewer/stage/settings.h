// Everything a user can set, in one struct and one table. The window's panel, the page's panel, the
// keys, share links, the command line's --set and the tests all go through the table.
#ifndef LIMBER_VIEWER_SETTINGS_H
#define LIMBER_VIEWER_SETTINGS_H

#include "limber/base.h"

typedef enum vwTool {
  VW_TOOL_GRAB,
  VW_TOOL_PIN,
  VW_TOOL_POKE,
  VW_TOOL_PUSH,
  VW_TOOL_POSE,
  VW_TOOL_FRAME,
  VW_TOOL_COUNT
} vwTool;

// All are doubles so that the table can treat them alike: toggles are 0 or 1, choices count from 0.
typedef struct vwSettings {
  // time
  double paused;
  double speed; // of simulated time against the clock: 1; slow motion below
  double rate;  // steps a second of simulated time; default 240
  // the world
  double gravity_on;
  double gravity;           // m/s², >= 0
  double gravity_azimuth;   // degrees about the up axis
  double gravity_elevation; // degrees; -90: straight down
  double drop;              // supports are released, and the object falls on the ground
  // the body's material; of several materials the first, the others change in proportion
  double young, poisson, density;
  double damping_mass, damping_stiffness;
  double dimension; // r, of the method in use
  double method;    // place in the list of methods that the scene's object has
  double compare;   // all its methods side by side
  double springs;   // forces of frames by joint springs, not by samples
  // tools
  double tool;           // vwTool
  double grab_stiffness; // times the body's own
  double poke;           // m/s that the struck part gets, about
  double ball;           // radius, share of the scene's size
  double brush;          // of handles, radius, likewise
  // pictures
  double map; // vwMap
  double wireframe, simulation_mesh, ground, shadows, sky, fixed_nodes, legend, contacts, frames;
  double mode;   // 0: none; otherwise this mode is shown swinging, the simulation rests
  double on_gpu; // u = U q in the vertex shader; otherwise on the CPU
} vwSettings;

typedef enum vwKind { VW_TOGGLE, VW_SLIDER, VW_LOG_SLIDER, VW_CHOICE, VW_BUTTON } vwKind;

typedef struct vwControl {
  const char *name;  // in links, --set and tests: "young"
  const char *label; // "Young's modulus"
  const char *unit;  // "Pa" or ""
  const char *group; // heading in the panel: "Time", "Material", ...
  const char *help;  // one sentence
  vwKind kind;
  size_t offset;       // in vwSettings; buttons: not used
  double low, high;    // sliders: limits where the scene gives no others
  double initial;      // where the scene gives no other
  const char *choices; // "grab\0pin\0..." ending with an empty text; NULL: given by the scene
  int key;             // 'g', or 0; keys are ASCII lower case, ' ' and '.' among them. It presses
                       // a button, flips a toggle, selects the next choice
  bool whole;          // a slider of whole numbers
  bool shared;         // goes into share links
} vwControl;

// The table ends nowhere: count it.
int32_t vw_control_count(void);
const vwControl *vw_control(int32_t index);
int32_t vw_control_find(const char *name); // -1: none
int32_t vw_control_by_key(int key);        // -1: none; vw_shortcut's keys too

// Keys that do something else to a control than its own key.
typedef struct vwShortcut {
  int key;
  const char *control;
  double value;     // its new value
  bool scales;      // or is multiplied by
  const char *what; // for the list of keys: "slower"
} vwShortcut;
int32_t vw_shortcut_count(void);
const vwShortcut *vw_shortcut(int32_t index);

// What a control is at the moment; the scene knows limits, and why it may be of no use.
typedef struct vwControlState {
  double value, low, high, initial;
  bool enabled;
  char why[96];      // when not enabled: "the model was built without --editable"
  char choices[256]; // texts, ending with an empty one
} vwControlState;

// What the control of a key becomes when the key is pressed; buttons: 1.
double vw_key_value(int key, const vwControlState *state);

vwSettings vw_settings_default(void);                             // the table's initial values
double *vw_settings_value(vwSettings *settings, int32_t control); // NULL: a button

#endif
