// The window's panel, drawn with Dear ImGui from the settings table.
#include "limber/body.h" // first: what it includes must not get C names

extern "C" {
#include "panel.h"
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
static double covered;

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
  style.Colors[ImGuiCol_SliderGrab] = style.Colors[ImGuiCol_CheckMark] = accent;
  style.Colors[ImGuiCol_SliderGrabActive] = accent;
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

double vw_panel_width() { return covered; }
bool vw_panel_takes_pointer() { return ImGui::GetIO().WantCaptureMouse; }
bool vw_panel_takes_keys() { return ImGui::GetIO().WantTextInput; }

// ---- controls ----------------------------------------------------------------------------------

static void explain(const vwControl *control, const vwControlState &state) {
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

static bool edit_slider(const vwControl *control, const vwControlState &state, double *value) {
  bool logarithmic = control->kind == VW_LOG_SLIDER;
  const char *format = logarithmic || std::fabs(state.high) >= 1e4 ? "%.3g" : "%.4g";
  if (control->whole) format = "%.0f";
  char label[128], shown[64];
  snprintf(shown, sizeof shown, "%s %s", format, control->unit);
  snprintf(label, sizeof label, "%s##%s", control->label, control->name);
  return ImGui::SliderScalar(label, ImGuiDataType_Double, value, &state.low, &state.high, shown,
                             logarithmic ? ImGuiSliderFlags_Logarithmic : 0);
}

static bool edit_choice(const vwControl *control, const vwControlState &state, double *value) {
  int chosen = (int)state.value;
  bool changed = ImGui::Combo(control->label, &chosen, state.choices);
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
  explain(control, state);
  lbError err;
  if (changed) vw_viewer_set(viewer, index, value, &err); // a refusal becomes the viewer's message
}

// Buttons of a group stand in rows.
static void edit_group(vwViewer *viewer, const char *group) {
  bool in_row = false;
  for (int32_t i = 0; i < vw_control_count(); i++) {
    const vwControl *control = vw_control(i);
    if (strcmp(control->group, group)) continue;
    if (control->kind == VW_BUTTON && in_row) {
      float width = ImGui::CalcTextSize(control->label).x + 4 * ImGui::GetStyle().FramePadding.x;
      ImGui::SameLine();
      if (ImGui::GetContentRegionAvail().x < width) ImGui::NewLine();
    }
    in_row = control->kind == VW_BUTTON;
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
      ImGui::PushItemWidth(ImGui::GetContentRegionAvail().x * 0.52f);
      edit_group(viewer, group);
      ImGui::PopItemWidth();
    }
  }
}

// ---- the rest of the panel ---------------------------------------------------------------------

static void choose_scene(vwPanel *panel) {
  if (!panel->gallery || panel->gallery->count < 2) return;
  if (!ImGui::CollapsingHeader("Gallery", ImGuiTreeNodeFlags_DefaultOpen)) return;
  for (int32_t i = 0; i < panel->gallery->count; i++)
    if (ImGui::Selectable(panel->gallery->items[i].title, i == panel->current)) panel->wanted = i;
}

static void show_graphs(vwViewer *viewer) {
  if (!ImGui::CollapsingHeader("Graphs", ImGuiTreeNodeFlags_DefaultOpen)) return;
  vwTrace traces[VW_TRACE_LENGTH];
  float steps[VW_TRACE_LENGTH], energies[VW_TRACE_LENGTH];
  int32_t count = vw_stage_traces(vw_viewer_stage(viewer), traces);
  for (int32_t i = 0; i < count; i++) {
    steps[i] = traces[i].step_us;
    energies[i] = traces[i].kinetic + traces[i].elastic;
  }
  char text[64];
  ImVec2 size(ImGui::GetContentRegionAvail().x, 46 * scale);
  snprintf(text, sizeof text, "step %.3g us", count ? (double)steps[count - 1] : 0.0);
  ImGui::PlotLines("##step", steps, count, 0, text, 0, FLT_MAX, size);
  snprintf(text, sizeof text, "energy %.3g J", count ? (double)energies[count - 1] : 0.0);
  ImGui::PlotLines("##energy", energies, count, 0, text, 0, FLT_MAX, size);
}

static void show_panel(vwPanel *panel) {
  const ImGuiViewport *area = ImGui::GetMainViewport();
  ImGui::SetNextWindowPos(ImVec2(area->WorkPos.x + 12 * scale, area->WorkPos.y + 12 * scale));
  ImGui::SetNextWindowSizeConstraints(ImVec2(300 * scale, 0),
                                      ImVec2(300 * scale, area->WorkSize.y - 24 * scale));
  ImGui::Begin("limber", nullptr,
               ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoTitleBar |
                   ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoSavedSettings);
  vwStage *stage = vw_viewer_stage(panel->viewer);
  if (stage) {
    ImGui::TextUnformatted(vw_stage_title(stage));
    ImGui::PushTextWrapPos(0);
    ImGui::TextDisabled("%s", vw_stage_hint(stage));
    ImGui::PopTextWrapPos();
  }
  choose_scene(panel);
  if (stage) {
    edit_all(panel->viewer);
    show_graphs(panel->viewer);
  }
  ImGui::TextDisabled("%.0f pictures/s%s", panel->frame_rate,
                      stage && vw_stage_behind(stage) ? ", slower than the clock" : "");
  ImGui::TextDisabled("%s", panel->device);
  ImGui::End();
}

// ---- beside the panel --------------------------------------------------------------------------

static void begin_corner(const char *name, ImVec2 pivot) {
  const ImGuiViewport *area = ImGui::GetMainViewport();
  float margin = 14 * scale;
  ImVec2 at(area->WorkPos.x + margin + pivot.x * (area->WorkSize.x - 2 * margin),
            area->WorkPos.y + margin + pivot.y * (area->WorkSize.y - 2 * margin));
  ImGui::SetNextWindowPos(at, ImGuiCond_Always, pivot);
  ImGui::Begin(name, nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_AlwaysAutoResize |
                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoFocusOnAppearing |
                   ImGuiWindowFlags_NoNav);
}

static void show_legend(vwViewer *viewer) {
  vwLegend legend = vw_viewer_legend(viewer);
  if (legend.map == VW_MAP_NONE) return;
  begin_corner("legend", ImVec2(1, 1));
  ImGui::Text("%s (%s)", legend.title, legend.unit);
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
  char text[32];
  snprintf(text, sizeof text, "%.3g", legend.high);
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
    ImVec2 at((float)x - size.x / 2, (float)y - size.y);
    list->AddRectFilled(ImVec2(at.x - 6, at.y - 3), ImVec2(at.x + size.x + 6, at.y + size.y + 3),
                        IM_COL32(20, 22, 26, 190), 5);
    list->AddText(at, IM_COL32(255, 255, 255, 255), label);
  }
}

static void show_help(vwPanel *panel) {
  ImGui::SetNextWindowSize(ImVec2(420 * scale, 0));
  if (ImGui::Begin("Keys and pointers", &panel->help, ImGuiWindowFlags_NoSavedSettings)) {
    ImGui::TextWrapped("Drag a body to pull it, with the tool of your choice; let go with Ctrl to "
                       "leave a pin. A double press pins a point or frees it. Drag beside all "
                       "bodies to turn the camera; right button or Shift to move it; wheel to come "
                       "nearer. Drop a file on the window to open it.");
    ImGui::Separator();
    for (int32_t i = 0; i < vw_control_count(); i++) {
      const vwControl *control = vw_control(i);
      if (!control->key) continue;
      char key[2] = { (char)control->key, 0 };
      ImGui::Text("%s", control->key == ' ' ? "space" : key);
      ImGui::SameLine(70 * scale);
      ImGui::Text("%s", control->label);
    }
    for (int32_t i = 0; i < vw_shortcut_count(); i++) {
      ImGui::Text("%c", vw_shortcut(i)->key);
      ImGui::SameLine(70 * scale);
      ImGui::Text("%s", vw_shortcut(i)->what);
    }
    ImGui::Text("arrows");
    ImGui::SameLine(70 * scale);
    ImGui::Text("turn the camera; with Shift: move it; + and -: nearer, farther");
    ImGui::Text("tab");
    ImGui::SameLine(70 * scale);
    ImGui::Text("this panel on and off");
  }
  ImGui::End();
}

static void show_notes(vwPanel *panel) {
  bool recording =
      panel->video || panel->animation ||
      (vw_viewer_stage(panel->viewer) && vw_stage_sketching(vw_viewer_stage(panel->viewer)));
  if (recording) {
    begin_corner("recording", ImVec2(1, 0));
    ImGui::TextColored(ImVec4(1, 0.35f, 0.3f, 1), "recording%s%s", panel->video ? " video" : "",
                       panel->animation ? " animation" : "");
    ImGui::End();
  }
  if (panel->note && *panel->note) {
    begin_corner("note", ImVec2(0.5f, 1));
    ImGui::TextUnformatted(panel->note);
    ImGui::End();
  }
  if (panel->stage) {
    begin_corner("work", ImVec2(0.5f, 0.5f));
    ImGui::Text("%s", panel->stage);
    ImGui::ProgressBar((float)panel->fraction, ImVec2(260 * scale, 0));
    ImGui::TextDisabled("Escape stops it");
    ImGui::End();
  }
}

void vw_panel_draw(vwPanel *panel) {
  ImGui_ImplOpenGL3_NewFrame();
  ImGui_ImplGlfw_NewFrame();
  ImGui::NewFrame();
  panel->wanted = -1;
  covered = panel->shown ? 312 * (double)scale : 0;
  if (panel->shown) show_panel(panel);
  if (vw_viewer_stage(panel->viewer)) {
    show_legend(panel->viewer);
    show_labels(panel->viewer);
  }
  if (panel->help) show_help(panel);
  show_notes(panel);
  ImGui::Render();
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}
