// The table of everything that can be set, its keys, and values by control.
#include "stage/settings.h"

#include <math.h>
#include <string.h>

#define AT(field) offsetof(vwSettings, field)
#define COUNT(table) ((int32_t)(sizeof(table) / sizeof *(table)))

#define TIME "Time"
#define WORLD "World"
#define BODY "Body"
#define TOOLS "Tools"
#define VIEW "View"
#define RECORD "Record"
#define SCENE "Scene"

// clang-format off
static const vwControl controls[] = {
  { .name = "paused", .label = "Pause", .unit = "", .group = TIME, .kind = VW_TOGGLE,
    .help = "Pause the simulation",
    .offset = AT(paused), .high = 1, .key = ' ', .shared = true },
  { .name = "step", .label = "Single step", .unit = "", .group = TIME, .kind = VW_BUTTON,
    .help = "Pause and advance by one step", .key = '.' },
  { .name = "reset", .label = "Reset", .unit = "", .group = TIME, .kind = VW_BUTTON,
    .help = "Restart from the initial state", .key = 'r' },
  { .name = "speed", .label = "Speed", .unit = "x", .group = TIME, .kind = VW_LOG_SLIDER,
    .help = "Simulated time against the clock: below 1 is slow motion",
    .offset = AT(speed), .low = 0.01, .high = 4, .initial = 1, .shared = true },
  { .name = "rate", .label = "Steps a second", .unit = "Hz", .group = TIME, .kind = VW_LOG_SLIDER,
    .help = "Steps in a second of simulated time",
    .offset = AT(rate), .low = 30, .high = 2000, .initial = 240, .shared = true },

  { .name = "gravity_on", .label = "Gravity", .unit = "", .group = WORLD, .kind = VW_TOGGLE,
    .help = "Turn gravity on or off",
    .offset = AT(gravity_on), .high = 1, .initial = 1, .key = 'g', .shared = true },
  { .name = "gravity", .label = "Strength", .unit = "m/s²", .group = WORLD, .kind = VW_SLIDER,
    .help = "Strength of gravity; 9.81 on Earth",
    .offset = AT(gravity), .low = 0, .high = 50, .initial = 9.81, .shared = true },
  { .name = "gravity_azimuth", .label = "Direction", .unit = "°", .group = WORLD,
    .kind = VW_SLIDER, .help = "Direction of gravity about the vertical axis",
    .offset = AT(gravity_azimuth), .low = -180, .high = 180, .shared = true },
  { .name = "gravity_elevation", .label = "Slope", .unit = "°", .group = WORLD,
    .kind = VW_SLIDER, .help = "-90 pulls straight down, 0 sideways, 90 up",
    .offset = AT(gravity_elevation), .low = -90, .high = 90, .initial = -90, .shared = true },

  { .name = "drop", .label = "Drop", .unit = "", .group = WORLD, .kind = VW_TOGGLE,
    .help = "Release the supports and drop the object on the ground",
    .offset = AT(drop), .high = 1, .key = 'l', .shared = true },

  { .name = "method", .label = "Method", .unit = "", .group = BODY, .kind = VW_CHOICE,
    .help = "How the motion is computed",
    .offset = AT(method), .high = 0, .key = 'n', .shared = true },
  { .name = "compare", .label = "Side by side", .unit = "", .group = BODY, .kind = VW_TOGGLE,
    .help = "Show the object once by each method; hands act on all of them",
    .offset = AT(compare), .high = 1, .key = 'c', .shared = true },
  { .name = "dimension", .label = "Basis vectors r", .unit = "", .group = BODY, .kind = VW_SLIDER,
    .help = "How many modes or basis vectors the body may use",
    .offset = AT(dimension), .low = 1, .high = 256, .initial = 30, .whole = true, .shared = true },
  { .name = "springs", .label = "Joint springs", .unit = "", .group = BODY, .kind = VW_TOGGLE,
    .help = "Forces of frames by springs between them, not by samples: faster, for moderate strains",
    .offset = AT(springs), .high = 1, .key = '8', .shared = true },
  { .name = "young", .label = "Young's modulus", .unit = "Pa", .group = BODY,
    .kind = VW_LOG_SLIDER, .help = "How stiff the material is",
    .offset = AT(young), .low = 1e3, .high = 1e12, .initial = 1e6, .shared = true },
  { .name = "poisson", .label = "Poisson ratio", .unit = "", .group = BODY, .kind = VW_SLIDER,
    .help = "How much it narrows when stretched; near 0.5 it keeps its volume",
    .offset = AT(poisson), .low = 0, .high = 0.49, .initial = 0.45, .shared = true },
  { .name = "density", .label = "Density", .unit = "kg/m³", .group = BODY, .kind = VW_LOG_SLIDER,
    .help = "How heavy the material is",
    .offset = AT(density), .low = 1, .high = 1e5, .initial = 1000, .shared = true },
  { .name = "damping_mass", .label = "Damping of motion", .unit = "1/s", .group = BODY,
    .kind = VW_SLIDER, .help = "Slows all motion alike, as air does",
    .offset = AT(damping_mass), .low = 0, .high = 10, .shared = true },
  { .name = "damping_stiffness", .label = "Damping of bending", .unit = "s", .group = BODY,
    .kind = VW_SLIDER, .help = "Slows fast vibration most, as rubber does",
    .offset = AT(damping_stiffness), .low = 0, .high = 0.05, .shared = true },

  { .name = "tool", .label = "Tool", .unit = "", .group = TOOLS, .kind = VW_CHOICE,
    .help = "What a press on the object does",
    .offset = AT(tool), .high = VW_TOOL_COUNT - 1, .choices = "grab\0pin\0poke\0push\0pose\0frame\0",
    .key = 't' },
  { .name = "grab_stiffness", .label = "Grab stiffness", .unit = "x", .group = TOOLS,
    .kind = VW_LOG_SLIDER, .help = "How closely a grabbed point follows the pointer",
    .offset = AT(grab_stiffness), .low = 0.01, .high = 100, .initial = 1, .shared = true },
  { .name = "poke", .label = "Poke", .unit = "m/s", .group = TOOLS, .kind = VW_LOG_SLIDER,
    .help = "Speed that a poke gives to the point that is hit",
    .offset = AT(poke), .low = 1e-3, .high = 1e3, .initial = 2, .shared = true },
  { .name = "ball", .label = "Ball", .unit = "x", .group = TOOLS, .kind = VW_SLIDER,
    .help = "Radius of the ball that pushes, as a share of the scene's size",
    .offset = AT(ball), .low = 0.01, .high = 0.5, .initial = 0.08, .shared = true },
  { .name = "brush", .label = "Handle", .unit = "x", .group = TOOLS, .kind = VW_SLIDER,
    .help = "Radius of the brush that paints a handle for posing, as a share of the scene's size",
    .offset = AT(brush), .low = 0.005, .high = 0.3, .initial = 0.06, .shared = true },
  { .name = "undo", .label = "Undo pose", .unit = "", .group = TOOLS, .kind = VW_BUTTON,
    .help = "Undo the last drag of a handle", .key = 'z' },
  { .name = "redo", .label = "Redo pose", .unit = "", .group = TOOLS, .kind = VW_BUTTON,
    .help = "Redo the last drag", .key = 'y' },
  { .name = "remove_handle", .label = "Remove handle", .unit = "", .group = TOOLS,
    .kind = VW_BUTTON, .help = "Remove the handle that is chosen, or with the tool frame the frame",
    .key = 'd' },
  { .name = "release", .label = "Let go", .unit = "", .group = TOOLS, .kind = VW_BUTTON,
    .help = "Release all grabs and pins; a pose starts to move", .key = 'x' },

  { .name = "map", .label = "Colours", .unit = "", .group = VIEW, .kind = VW_CHOICE,
    .help = "Colour the surface by a quantity",
    .offset = AT(map), .high = 5,
    .choices = "as built\0displacement\0speed\0stress\0pressure\0weights\0",
    .key = 'm', .shared = true },
  { .name = "wireframe", .label = "Wireframe", .unit = "", .group = VIEW, .kind = VW_TOGGLE,
    .help = "Draw the edges of the triangles",
    .offset = AT(wireframe), .high = 1, .key = 'w', .shared = true },
  { .name = "simulation_mesh", .label = "Simulation mesh", .unit = "", .group = VIEW,
    .kind = VW_TOGGLE, .help = "Draw the tets and bricks that carry the surface",
    .offset = AT(simulation_mesh), .high = 1, .key = 'e', .shared = true },
  { .name = "fixed_nodes", .label = "Fixed nodes", .unit = "", .group = VIEW, .kind = VW_TOGGLE,
    .help = "Mark the nodes that cannot move",
    .offset = AT(fixed_nodes), .high = 1, .key = 'b', .shared = true },
  { .name = "contacts", .label = "Contact forces", .unit = "", .group = VIEW, .kind = VW_TOGGLE,
    .help = "Draw contact points and forces",
    .offset = AT(contacts), .high = 1, .key = 'i', .shared = true },
  { .name = "frames", .label = "Frames", .unit = "", .group = VIEW, .kind = VW_TOGGLE,
    .help = "Draw the axes of the frames that move a body of the method frames",
    .offset = AT(frames), .high = 1, .key = '9', .shared = true },
  { .name = "mode", .label = "Show mode", .unit = "", .group = VIEW, .kind = VW_SLIDER,
    .help = "Show one mode or basis vector swinging; 0 shows the simulation",
    .offset = AT(mode), .low = 0, .high = 256, .whole = true, .shared = true },
  { .name = "ground", .label = "Ground", .unit = "", .group = VIEW, .kind = VW_TOGGLE,
    .help = "Draw the ground", .offset = AT(ground), .high = 1, .initial = 1, .shared = true },
  { .name = "shadows", .label = "Shadows", .unit = "", .group = VIEW, .kind = VW_TOGGLE,
    .help = "Draw shadows", .offset = AT(shadows), .high = 1, .initial = 1, .shared = true },
  { .name = "sky", .label = "Sky", .unit = "", .group = VIEW, .kind = VW_TOGGLE,
    .help = "Draw the sky; otherwise the background is plain",
    .offset = AT(sky), .high = 1, .initial = 1, .shared = true },
  { .name = "legend", .label = "Colour scale", .unit = "", .group = VIEW, .kind = VW_TOGGLE,
    .help = "Show which value each colour stands for",
    .offset = AT(legend), .high = 1, .initial = 1, .shared = true },
  { .name = "on_gpu", .label = "Deform on the GPU", .unit = "", .group = VIEW, .kind = VW_TOGGLE,
    .help = "Compute the shape in the vertex shader, so that only q is uploaded",
    .offset = AT(on_gpu), .high = 1, .initial = 1 },
  { .name = "frame", .label = "Frame the object", .unit = "", .group = VIEW, .kind = VW_BUTTON,
    .help = "Move the camera so that everything is seen", .key = 'f' },

  { .name = "picture", .label = "Picture", .unit = "", .group = RECORD, .kind = VW_BUTTON,
    .help = "Save the picture as a PNG", .key = 'p' },
  { .name = "video", .label = "Video", .unit = "", .group = RECORD, .kind = VW_BUTTON,
    .help = "Start or stop recording a video", .key = 'v' },
  { .name = "animation", .label = "Animation", .unit = "", .group = RECORD, .kind = VW_BUTTON,
    .help = "Start or stop recording an animated .glb", .key = 'a' },
  { .name = "sketch", .label = "Sketch of forces", .unit = "", .group = RECORD, .kind = VW_BUTTON,
    .help = "Start or stop recording the forces of hands, for building a basis", .key = 'k' },
  { .name = "pose", .label = "Pose", .unit = "", .group = RECORD, .kind = VW_BUTTON,
    .help = "Save the present shape as an .obj", .key = 's' },

  { .name = "open", .label = "Open a file", .unit = "", .group = SCENE, .kind = VW_BUTTON,
    .help = "Open a scene, model or mesh; dropping it on the window does the same", .key = 'o' },
  { .name = "next", .label = "Next scene", .unit = "", .group = SCENE, .kind = VW_BUTTON,
    .help = "Open the next scene of the gallery", .key = 'j' },
  { .name = "previous", .label = "Previous scene", .unit = "", .group = SCENE, .kind = VW_BUTTON,
    .help = "Open the scene before", .key = 'u' },
  { .name = "help", .label = "Keys", .unit = "", .group = SCENE, .kind = VW_BUTTON,
    .help = "Show the list of keys", .key = 'h' },
  { .name = "quit", .label = "Quit", .unit = "", .group = SCENE, .kind = VW_BUTTON,
    .help = "Close the viewer", .key = 'q' },
};

static const vwShortcut shortcuts[] = {
  { '1', "tool", VW_TOOL_GRAB, false, "grab" },
  { '2', "tool", VW_TOOL_PIN, false, "pin" },
  { '3', "tool", VW_TOOL_POKE, false, "poke" },
  { '4', "tool", VW_TOOL_PUSH, false, "push" },
  { '5', "tool", VW_TOOL_POSE, false, "pose" },
  { '6', "tool", VW_TOOL_FRAME, false, "frame" },
  { '[', "speed", 0.5, true, "slower" },
  { ']', "speed", 2, true, "faster" },
  { '\\', "speed", 1, false, "real time" },
  { '0', "mode", 0, false, "no mode: the simulation" },
  { '?', "help", 1, false, "list of keys" },
};
// clang-format on

int32_t vw_control_count(void) { return COUNT(controls); }

const vwControl *vw_control(int32_t index) {
  return index >= 0 && index < COUNT(controls) ? &controls[index] : NULL;
}

int32_t vw_control_find(const char *name) {
  for (int32_t i = 0; name && i < COUNT(controls); i++)
    if (!strcmp(controls[i].name, name)) return i;
  return -1;
}

int32_t vw_shortcut_count(void) { return COUNT(shortcuts); }

const vwShortcut *vw_shortcut(int32_t index) {
  return index >= 0 && index < COUNT(shortcuts) ? &shortcuts[index] : NULL;
}

static const vwShortcut *shortcut_of(int key) {
  for (int32_t i = 0; i < COUNT(shortcuts); i++)
    if (shortcuts[i].key == key) return &shortcuts[i];
  return NULL;
}

int32_t vw_control_by_key(int key) {
  for (int32_t i = 0; key && i < COUNT(controls); i++)
    if (controls[i].key == key) return i;
  const vwShortcut *shortcut = key ? shortcut_of(key) : NULL;
  return shortcut ? vw_control_find(shortcut->control) : -1;
}

static double next_of(const vwControl *control, const vwControlState *state) {
  switch (control->kind) {
  case VW_TOGGLE: return state->value != 0 ? 0 : 1;
  case VW_CHOICE: return state->value + 1 > state->high ? state->low : state->value + 1;
  case VW_BUTTON: return 1;
  default: return state->value;
  }
}

double vw_key_value(int key, const vwControlState *state) {
  const vwShortcut *shortcut = shortcut_of(key);
  const vwControl *control = vw_control(vw_control_by_key(key));
  if (!control) return state->value;
  if (!shortcut) return next_of(control, state);
  double value = shortcut->scales ? shortcut->value * state->value : shortcut->value;
  return control->kind == VW_BUTTON ? value : fmin(fmax(value, state->low), state->high);
}

vwSettings vw_settings_default(void) {
  vwSettings settings;
  memset(&settings, 0, sizeof settings);
  for (int32_t i = 0; i < COUNT(controls); i++)
    if (controls[i].kind != VW_BUTTON) *vw_settings_value(&settings, i) = controls[i].initial;
  return settings;
}

double *vw_settings_value(vwSettings *settings, int32_t control) {
  if (control < 0 || control >= COUNT(controls) || controls[control].kind == VW_BUTTON) return NULL;
  return (double *)((char *)settings + controls[control].offset);
}
