// The window's panel, drawn with Dear ImGui from the settings table.
#include "limber/body.h" // first: what it includes must not get C names

extern "C" {
#include "desktop/panel.h"
#include "view/amount.h"
}

#include <epoxy/gl.h>

#include <GLFW/glfw3.h>
#include <imgui.h>
#include <imgui/backends/imgui_impl_glfw.h>
#include <imgui/backends/imgui_impl_opengl3.h>

#include <cmath>
#include <cstdio>
#include <cstring>

static float scale = 1;

struct Area { // of the window, that pointers do not pass through
  float left, top, right, bottom;
};
enum { AREAS_MAX = 4 };
static Area areas[AREAS_MAX];
static int area_count;
static bool popup_open; // a list of choices: presses anywhere are its own

static const float panel_width = 372, panel_margin = 10; // units at scale 1
static const float graph_height = 46;
static const float smallest_width = 560, smallest_height = 240;

static void keep_area() {
  ImVec2 at = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  if (area_count < AREAS_MAX) areas[area_count++] = { at.x, at.y, at.x + size.x, at.y + size.y };
}

// ---- life --------------------------------------------------------------------------------------

static void load_font() {
  static const char *const paths[] = { "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
                                       "/usr/share/fonts/truetype/liberation/"
                                       "LiberationSans-Regular.ttf" };
  ImGuiIO &io = ImGui::GetIO();
  for (const char *path : paths) {
    FILE *file = fopen(path, "rb");
    if (!file) continue;
    fclose(file);
    if (io.Fonts->AddFontFromFileTTF(path, 15 * scale)) return;
  }
  ImFontConfig config;
  config.SizePixels = 13 * scale;
  io.Fonts->AddFontDefault(&config);
}

static void set_style() {
  ImGui::StyleColorsDark();
  ImGuiStyle &style = ImGui::GetStyle();
  style.WindowRounding = 8;
  style.FrameRounding = 4;
  style.GrabRounding = 4;
  style.WindowBorderSize = 0;
  style.Colors[ImGuiCol_WindowBg] = ImVec4(0.09f, 0.10f, 0.12f, 0.88f);
  const ImVec4 accent(0.93f, 0.52f, 0.22f, 1), quiet(0.93f, 0.52f, 0.22f, 0.55f);
  style.Colors[ImGuiCol_CheckMark] = style.Colors[ImGuiCol_SliderGrabActive] = accent;
  style.Colors[ImGuiCol_SliderGrab] = ImVec4(0.93f, 0.52f, 0.22f, 0.75f);
  style.Colors[ImGuiCol_TextDisabled] = ImVec4(0.66f, 0.69f, 0.73f, 1);
  style.Colors[ImGuiCol_TitleBgActive] = style.Colors[ImGuiCol_TitleBg] =
      ImVec4(0.16f, 0.17f, 0.20f, 1);
  style.Colors[ImGuiCol_ScrollbarBg] = ImVec4(0, 0, 0, 0);
  style.WindowPadding = ImVec2(10, 8);
  style.Colors[ImGuiCol_Header] = ImVec4(1, 1, 1, 0.08f);
  style.Colors[ImGuiCol_HeaderHovered] = style.Colors[ImGuiCol_ButtonHovered] = quiet;
  style.Colors[ImGuiCol_HeaderActive] = style.Colors[ImGuiCol_ButtonActive] = accent;
  style.Colors[ImGuiCol_Button] = ImVec4(1, 1, 1, 0.10f);
  style.Colors[ImGuiCol_FrameBg] = ImVec4(1, 1, 1, 0.08f);
  style.Colors[ImGuiCol_PlotLines] = accent;
  style.ScaleAllSizes(scale);
}

bool vw_panel_start(GLFWwindow *window, float content_scale) {
  scale = content_scale;
  IMGUI_CHECKVERSION();
  ImGui::CreateContext();
  ImGui::GetIO().IniFilename = nullptr; // leaves no file behind
  load_font();
  set_style();
  return ImGui_ImplGlfw_InitForOpenGL(window, true) && ImGui_ImplOpenGL3_Init("#version 330 core");
}

void vw_panel_stop() {
  ImGui_ImplOpenGL3_Shutdown();
  ImGui_ImplGlfw_Shutdown();
  ImGui::DestroyContext();
}

static bool has_room(const vwPanel *panel, double width, double height) {
  return panel->shown && width >= (double)(smallest_width * scale) &&
         height >= (double)(smallest_height * scale);
}

double vw_panel_width(const vwPanel *panel, double width, double height) {
  if (!has_room(panel, width, height)) return 0;
  return (double)((panel_width + 2 * panel_margin) * scale) / width;
}

// By place and not by what ImGui says: it learns of the pointer in its next frame only, and a quick
// press after a quick move would go to the wrong one.
bool vw_panel_takes_pointer(double x, double y) {
  for (int i = 0; i < area_count; i++)
    if (x >= areas[i].left && x < areas[i].right && y >= areas[i].top && y < areas[i].bottom)
      return true;
  return popup_open;
}

bool vw_panel_takes_keys() { return ImGui::GetIO().WantTextInput; }

// ---- controls ----------------------------------------------------------------------------------

static void show_tooltip(const vwControl *control, const vwControlState &state) {
  if (!ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) return;
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(280 * scale);
  ImGui::TextUnformatted(control->help);
  if (control->key) ImGui::Text("Key: %s", control->key == ' ' ? "space" : "");
  if (control->key > ' ') ImGui::SameLine(0, 0), ImGui::Text("%c", control->key);
  if (!state.enabled) ImGui::TextDisabled("Not here: %s", state.why);
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

// Shares of a row: the slider, and from where its value stands to where it ends; then the label.
static const float slider_share = 0.33f, value_share = 0.57f, label_share = 0.59f;

// The value stands beside the slider, where the handle does not cover it. While a number is typed,
// or may be in a moment (Ctrl and a press), it is in the slider.
static bool edit_slider(const vwControl *control, const vwControlState &state, double *value) {
  bool typing = ImGui::GetIO().KeyCtrl || ImGui::GetIO().WantTextInput;
  char label[128], shown[64];
  float left = ImGui::GetCursorPosX(), width = ImGui::GetContentRegionAvail().x;
  vw_write_amount(*value, control->unit, control->whole, shown, sizeof shown);
  snprintf(label, sizeof label, "##%s", control->name);
  ImGuiSliderFlags flags = ImGuiSliderFlags_AlwaysClamp;
  if (control->kind == VW_LOG_SLIDER) flags |= ImGuiSliderFlags_Logarithmic;
  ImGui::BeginGroup();
  ImGui::SetNextItemWidth(slider_share * width);
  bool changed = ImGui::SliderScalar(label, ImGuiDataType_Double, value, &state.low, &state.high,
                                     typing ? "%.6g" : "", flags);
  ImGui::SameLine(left + value_share * width - ImGui::CalcTextSize(shown).x);
  ImGui::TextUnformatted(shown);
  ImGui::SameLine(left + label_share * width);
  ImGui::TextDisabled("%s", control->label);
  ImGui::EndGroup();
  if (control->whole) *value = std::round(*value);
  return changed && *value != state.value;
}

static bool edit_choice(const vwControl *control, const vwControlState &state, double *value) {
  int chosen = (int)state.value;
  char label[128];
  float left = ImGui::GetCursorPosX(), width = ImGui::GetContentRegionAvail().x;
  snprintf(label, sizeof label, "##%s", control->name);
  ImGui::BeginGroup();
  ImGui::SetNextItemWidth(value_share * width);
  bool changed = ImGui::Combo(label, &chosen, state.choices);
  ImGui::SameLine(left + label_share * width);
  ImGui::TextDisabled("%s", control->label);
  ImGui::EndGroup();
  *value = chosen;
  return changed;
}

static void edit_control(vwViewer *viewer, int32_t index) {
  const vwControl *control = vw_control(index);
  vwControlState state;
  vw_viewer_control(viewer, index, &state);
  double value = state.value;
  bool changed = false, checked = value != 0;
  ImGui::BeginDisabled(!state.enabled);
  switch (control->kind) {
  case VW_TOGGLE:
    changed = ImGui::Checkbox(control->label, &checked);
    value = checked;
    break;
  case VW_CHOICE: changed = edit_choice(control, state, &value); break;
  case VW_BUTTON: changed = ImGui::Button(control->label); break;
  default: changed = edit_slider(control, state, &value);
  }
  ImGui::EndDisabled();
  show_tooltip(control, state);
  lbError err;
  if (changed) vw_viewer_set(viewer, index, value, &err); // a refusal becomes the viewer's message
}

// Whether a toggle with its label is no wider than a column.
static bool toggle_fits(const vwControl *control, float column) {
  const ImGuiStyle &style = ImGui::GetStyle();
  return ImGui::GetFrameHeight() + style.ItemInnerSpacing.x +
             ImGui::CalcTextSize(control->label).x <=
         column - style.ItemSpacing.x;
}

// Buttons of a group stand in rows, toggles in two columns.
static void edit_group(vwViewer *viewer, const char *group) {
  const vwControl *before = nullptr;
  bool second = false; // column of the toggle before
  float half = ImGui::GetContentRegionAvail().x / 2;
  for (int32_t i = 0; i < vw_control_count(); i++) {
    const vwControl *control = vw_control(i);
    if (strcmp(control->group, group)) continue;
    bool follows = before && before->kind == control->kind;
    if (control->kind == VW_BUTTON && follows) {
      float width = ImGui::CalcTextSize(control->label).x + 4 * ImGui::GetStyle().FramePadding.x;
      ImGui::SameLine();
      if (ImGui::GetContentRegionAvail().x < width) ImGui::NewLine();
    }
    second = control->kind == VW_TOGGLE && follows && !second && toggle_fits(control, half);
    if (second) ImGui::SameLine(half + ImGui::GetStyle().WindowPadding.x);
    before = control;
    edit_control(viewer, i);
  }
}

static void edit_all(vwViewer *viewer) {
  const char *last = "";
  for (int32_t i = 0; i < vw_control_count(); i++) {
    const char *group = vw_control(i)->group;
    if (!strcmp(group, last)) continue;
    last = group;
    if (ImGui::CollapsingHeader(group, ImGuiTreeNodeFlags_DefaultOpen)) {
      edit_group(viewer, group);
    }
  }
}

// ---- the rest of the panel ---------------------------------------------------------------------

static void choose_scene(vwPanel *panel) {
  if (!panel->gallery || panel->gallery->count < 2) return;
  const vwGalleryItem *items = panel->gallery->items;
  ImGui::SetNextItemWidth(-1);
  const char *shown = panel->current >= 0 ? items[panel->current].title : "Gallery";
  if (!ImGui::BeginCombo("##gallery", shown, ImGuiComboFlags_HeightLargest)) return;
  for (int32_t i = 0; i < panel->gallery->count; i++) {
    ImGui::PushID(i);
    if (ImGui::Selectable(items[i].title, i == panel->current)) panel->wanted = i;
    if (ImGui::IsItemHovered() && items[i].hint[0]) {
      ImGui::BeginTooltip();
      ImGui::PushTextWrapPos(280 * scale);
      ImGui::TextUnformatted(items[i].hint);
      ImGui::PopTextWrapPos();
      ImGui::EndTooltip();
    }
    ImGui::PopID();
  }
  ImGui::EndCombo();
}

// Beside each other at the foot of the panel, so that they are seen at any height.
static void show_graphs(vwViewer *viewer) {
  vwTrace traces[VW_TRACE_LENGTH];
  float steps[VW_TRACE_LENGTH], energies[VW_TRACE_LENGTH];
  int32_t count = vw_stage_traces(vw_viewer_stage(viewer), traces);
  for (int32_t i = 0; i < count; i++) {
    steps[i] = traces[i].step_us;
    energies[i] = traces[i].kinetic + traces[i].elastic;
  }
  char text[64];
  float gap = ImGui::GetStyle().ItemSpacing.x;
  ImVec2 size((ImGui::GetContentRegionAvail().x - gap) / 2, graph_height * scale);
  double last = count ? (double)steps[count - 1] : 0;
  if (last < 1000)
    snprintf(text, sizeof text, "step %.3g \xc2\xb5s", last);
  else
    snprintf(text, sizeof text, "step %.3g ms", last / 1000);
  ImGui::PlotLines("##step", steps, count, 0, text, 0, FLT_MAX, size);
  ImGui::SameLine();
  snprintf(text, sizeof text, "energy %.3g J", count ? (double)energies[count - 1] : 0.0);
  ImGui::PlotLines("##energy", energies, count, 0, text, 0, FLT_MAX, size);
}

// As much of a text as fits a line.
static void show_line(const char *text) {
  char shown[160];
  size_t length = (size_t)snprintf(shown, sizeof shown, "%s", text);
  if (length >= sizeof shown) length = sizeof shown - 1;
  while (length > 4 && ImGui::CalcTextSize(shown).x > ImGui::GetContentRegionAvail().x)
    snprintf(shown + --length - 3, 4, "...");
  ImGui::TextDisabled("%s", shown);
}

// Of bodies with forces by cubature: how far they are from what their models can do.
// "": there are none.
static void describe_trust(const vwStage *stage, char *text, size_t size) {
  double pose, unfollowed;
  text[0] = '\0';
  if (stage && vw_stage_trust(stage, &pose, &unfollowed))
    snprintf(text, size, "trained poses %.2f, not followed %.0f %%", pose, 100 * unfollowed);
}

static void show_foot(const vwPanel *panel, const vwStage *stage, const char *trust) {
  if (stage) show_graphs(panel->viewer);
  if (trust[0]) show_line(trust);
  char rate[32];
  snprintf(rate, sizeof rate, panel->frame_rate < 10 ? "%.1f" : "%.0f", panel->frame_rate);
  ImGui::TextDisabled("%s pictures/s%s", rate,
                      stage && vw_stage_behind(stage) ? ", slower than the clock" : "");
  show_line(panel->device);
}

static float foot_height(const vwStage *stage, const char *trust) {
  float gap = ImGui::GetStyle().ItemSpacing.y, line = ImGui::GetTextLineHeight();
  return 2 * line + 3 * gap + (stage ? graph_height * scale + gap : 0) +
         (trust[0] ? line + gap : 0);
}

static void show_panel(vwPanel *panel) {
  const ImGuiViewport *area = ImGui::GetMainViewport();
  float margin = panel_margin * scale;
  ImGui::SetNextWindowPos(ImVec2(area->WorkPos.x + margin, area->WorkPos.y + margin));
  ImGui::SetNextWindowSize(ImVec2(panel_width * scale, area->WorkSize.y - 2 * margin));
  ImGui::Begin("limber", nullptr,
               ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize |
                   ImGuiWindowFlags_NoSavedSettings);
  keep_area();
  ImGui::BeginDisabled(panel->stage != nullptr); // work is going on
  vwStage *stage = vw_viewer_stage(panel->viewer);
  choose_scene(panel);
  ImGui::PushTextWrapPos(0);
  if (stage) {
    bool listed = panel->gallery && panel->gallery->count > 1 && panel->current >= 0;
    if (!listed) ImGui::TextUnformatted(vw_stage_title(stage));
    if (vw_stage_hint(stage)[0]) ImGui::TextDisabled("%s", vw_stage_hint(stage));
  }
  ImGui::TextDisabled("Press ? for keys and pointers, o to open a file.");
  ImGui::PopTextWrapPos();
  char trust[96];
  describe_trust(stage, trust, sizeof trust);
  ImGui::BeginChild("controls", ImVec2(0, -foot_height(stage, trust)));
  if (stage) edit_all(panel->viewer);
  ImGui::EndChild();
  show_foot(panel, stage, trust);
  ImGui::EndDisabled();
  ImGui::End();
}

// ---- beside the panel --------------------------------------------------------------------------

static float free_left; // what is left of this the panel covers

// At a place of the free part of the window, 0 to 1; pointers pass through it.
static void begin_corner(const char *name, ImVec2 pivot) {
  const ImGuiViewport *area = ImGui::GetMainViewport();
  float margin = 14 * scale, width = area->WorkSize.x - free_left - 2 * margin;
  ImVec2 at(area->WorkPos.x + free_left + margin + pivot.x * width,
            area->WorkPos.y + margin + pivot.y * (area->WorkSize.y - 2 * margin));
  ImGui::SetNextWindowPos(at, ImGuiCond_Always, pivot);
  ImGui::Begin(name, nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_AlwaysAutoResize |
                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoFocusOnAppearing |
                   ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoInputs);
}

// The width of a text's lines: its own, or as much as there is room for.
static float line_width(const char *text) {
  float room = ImGui::GetMainViewport()->WorkSize.x - free_left - 60 * scale;
  return std::fmin(std::fmin(ImGui::CalcTextSize(text).x, 620 * scale), std::fmax(room, 60));
}

static void show_legend(vwViewer *viewer) {
  vwLegend legend = vw_viewer_legend(viewer);
  if (legend.map == VW_MAP_NONE) return;
  begin_corner("legend", ImVec2(1, 1));
  ImGui::TextUnformatted(legend.title);
  ImDrawList *list = ImGui::GetWindowDrawList();
  ImVec2 at = ImGui::GetCursorScreenPos();
  enum { STRIPS = 64 };
  float width = 220 * scale, height = 12 * scale;
  for (int i = 0; i < STRIPS; i++) {
    uint8_t rgb[3];
    vw_map_color((i + 0.5) / STRIPS, rgb);
    list->AddRectFilled(ImVec2(at.x + width * i / STRIPS, at.y),
                        ImVec2(at.x + width * (i + 1) / STRIPS, at.y + height),
                        IM_COL32(rgb[0], rgb[1], rgb[2], 255));
  }
  ImGui::Dummy(ImVec2(width, height));
  ImGui::Text("0");
  char text[48];
  vw_write_amount(legend.high, legend.unit, false, text, sizeof text);
  ImGui::SameLine(width - ImGui::CalcTextSize(text).x + ImGui::GetStyle().WindowPadding.x);
  ImGui::TextUnformatted(text);
  ImGui::End();
}

// In a comparison: the name of each method over its body.
static void show_labels(vwViewer *viewer) {
  vwStage *stage = vw_viewer_stage(viewer);
  if (vw_stage_actor_count(stage) < 2) return;
  ImVec2 display = ImGui::GetIO().DisplaySize;
  vwView view = vw_camera_view(vw_viewer_camera(viewer), (int32_t)display.x, (int32_t)display.y);
  ImDrawList *list = ImGui::GetBackgroundDrawList();
  for (int32_t i = 0; i < vw_stage_actor_count(stage); i++) {
    double x, y;
    if (!vw_view_project(&view, vw_stage_label_place(stage, i), &x, &y)) continue;
    const char *label = vw_stage_actor(stage, i).label;
    ImVec2 size = ImGui::CalcTextSize(label);
    ImVec2 at((float)x - size.x / 2, (float)y - size.y), pad(6 * scale, 3 * scale);
    if (at.x < free_left + pad.x) continue; // under the panel
    list->AddRectFilled(ImVec2(at.x - pad.x, at.y - pad.y),
                        ImVec2(at.x + size.x + pad.x, at.y + size.y + pad.y),
                        IM_COL32(20, 22, 26, 190), 5 * scale);
    list->AddText(at, IM_COL32(255, 255, 255, 255), label);
  }
}

static void list_key(const char *key, const char *what) {
  ImGui::TextColored(ImVec4(0.98f, 0.70f, 0.45f, 1), "%s", key);
  ImGui::SameLine(66 * scale);
  ImGui::TextUnformatted(what);
}

static void list_heading(const char *title) {
  ImGui::Spacing();
  ImGui::TextDisabled("%s", title);
}

static void list_group(const char *group) {
  list_heading(group);
  for (int32_t i = 0; i < vw_control_count(); i++) {
    const vwControl *control = vw_control(i);
    char key[2] = { (char)control->key, 0 };
    if (control->key && !strcmp(control->group, group))
      list_key(control->key == ' ' ? "space" : key, control->label);
  }
  for (int32_t i = 0; i < vw_shortcut_count(); i++) {
    char key[2] = { (char)vw_shortcut(i)->key, 0 };
    if (!strcmp(vw_control(vw_control_find(vw_shortcut(i)->control))->group, group))
      list_key(key, vw_shortcut(i)->what);
  }
}

static void list_camera() {
  list_heading("Camera and window");
  list_key("arrows", "turn the camera");
  list_key("shift", "with arrows: move it");
  list_key("+  -", "nearer, farther");
  list_key("tab", "panel on and off");
  list_key("esc", "let go, stop work");
}

// By the groups of the panel, in two columns.
static void list_keys() {
  static const char *const left[] = { "Time", "World", "Body", "Tools" }, *const right[] = {
    "View", "Record", "Scene"
  };
  ImGui::TableNextColumn();
  for (const char *group : left) list_group(group);
  ImGui::TableNextColumn();
  for (const char *group : right) list_group(group);
  list_camera();
}

static void show_help(vwPanel *panel) {
  const ImGuiViewport *area = ImGui::GetMainViewport();
  float room = area->WorkSize.x - free_left;
  ImVec2 middle(area->WorkPos.x + free_left + room / 2, area->WorkPos.y + area->WorkSize.y / 2);
  ImGui::SetNextWindowPos(middle, ImGuiCond_Always, ImVec2(0.5f, 0.5f));
  ImGui::SetNextWindowSize(ImVec2(std::fmin(600 * scale, room), 0));
  if (ImGui::Begin("Keys and pointers", &panel->help,
                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoResize |
                       ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoCollapse)) {
    ImGui::TextWrapped("Drag a body to pull it, with the tool of your choice; let go with Ctrl to "
                       "leave a pin. A double press pins a point or frees it. Drag beside all "
                       "bodies to turn the camera; right button or Shift to move it; wheel to come "
                       "nearer. Drop a file on the window to open it. Ctrl and a press on a "
                       "slider: type the number.");
    ImGui::Separator();
    if (ImGui::BeginTable("keys", 2)) {
      list_keys();
      ImGui::EndTable();
    }
  }
  keep_area();
  ImGui::End();
}

// There is no file dialog to borrow: a path is typed, or a file is dropped.
static void show_opening(vwPanel *panel) {
  const ImGuiViewport *area = ImGui::GetMainViewport();
  float room = area->WorkSize.x - free_left;
  ImVec2 middle(area->WorkPos.x + free_left + room / 2, area->WorkPos.y + area->WorkSize.y / 3);
  ImGui::SetNextWindowPos(middle, ImGuiCond_Always, ImVec2(0.5f, 0.5f));
  ImGui::SetNextWindowSize(ImVec2(std::fmin(560 * scale, room), 0));
  if (ImGui::Begin("Open a file", &panel->opening,
                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoResize |
                       ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoCollapse)) {
    ImGui::TextWrapped(
        "Drop a scene (.json), a model (.glb) or a mesh on the window, or type where "
        "it is:");
    if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
    ImGui::SetNextItemWidth(-1);
    ImGui::InputText("##path", panel->path, sizeof panel->path, ImGuiInputTextFlags_AutoSelectAll);
    if (ImGui::IsItemDeactivated() && !ImGui::IsMouseDown(0))
      ImGui::SetKeyboardFocusHere(-1); // so that the user can correct the input
    if (ImGui::Button("Open")) panel->open_path = true;
    ImGui::SameLine();
    if (ImGui::Button("Cancel")) panel->opening = false;
  }
  keep_area();
  ImGui::End();
}

static void show_recording(const vwPanel *panel) {
  const vwStage *stage = vw_viewer_stage(panel->viewer);
  bool sketch = stage && vw_stage_sketching(stage);
  if (!panel->video && !panel->animation && !sketch) return;
  begin_corner("recording", ImVec2(1, 0));
  ImGui::TextColored(ImVec4(1, 0.35f, 0.3f, 1), "recording%s%s%s", panel->video ? " video" : "",
                     panel->animation ? " animation" : "", sketch ? " sketch" : "");
  ImGui::End();
}

static void show_notes(const vwPanel *panel) {
  show_recording(panel);
  if (panel->note && *panel->note) {
    begin_corner("note", ImVec2(0.5f, 1));
    ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + line_width(panel->note) + 1);
    ImGui::TextUnformatted(panel->note);
    ImGui::PopTextWrapPos();
    ImGui::End();
  }
  if (panel->stage) {
    begin_corner("work", ImVec2(0.5f, 0.5f));
    ImGui::TextUnformatted(panel->stage);
    ImGui::ProgressBar((float)panel->fraction, ImVec2(260 * scale, 0));
    ImGui::TextDisabled("Escape stops it");
    ImGui::End();
  }
}

void vw_panel_draw(vwPanel *panel) {
  ImGui_ImplOpenGL3_NewFrame();
  ImGui_ImplGlfw_NewFrame();
  ImGui::NewFrame();
  ImVec2 display = ImGui::GetIO().DisplaySize;
  panel->wanted = -1;
  area_count = 0;
  free_left = (float)vw_panel_width(panel, display.x, display.y) * display.x;
  if (free_left > 0) show_panel(panel);
  if (vw_viewer_stage(panel->viewer)) {
    show_legend(panel->viewer);
    show_labels(panel->viewer);
  }
  if (panel->help) show_help(panel);
  if (panel->opening) show_opening(panel);
  show_notes(panel);
  popup_open =
      ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel);
  ImGui::Render();
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}
