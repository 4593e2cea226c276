// What the verbs of the limber program share: options, output, verbs.
#ifndef LIMBER_CLI_H
#define LIMBER_CLI_H

#include "limber/build.h"
#include "limber/file.h"

#include <jansson.h>

typedef enum cliStatus { CLI_OK = 0, CLI_FAILED = 1, CLI_USAGE = 2 } cliStatus;

// ---- options -----------------------------------------------------------------------------------

typedef enum cliKind {
  CLI_FLAG,     // bool
  CLI_TEXT,     // const char *
  CLI_INTEGER,  // int32_t
  CLI_NUMBER,   // double
  CLI_NUMBERS3, // double[3]: "1,0.1,0.1"
  CLI_CELLS3,   // int32_t[3]: "20,2,2"
  CLI_WORDS,    // cliWords: may be given several times
} cliKind;

typedef struct cliOption {
  const char *name; // without the dashes
  cliKind kind;
  void *value; // left alone when the option is not given
  bool *given; // set when it is; may be NULL
  const char *argument, *help;
} cliOption;

#define CLI_WORDS_MOST 32

typedef struct cliWords {
  char *words[CLI_WORDS_MOST];
  int32_t count;
} cliWords;

typedef struct cliCommon { // what every verb takes
  bool json, quiet, help;
  int32_t threads;
} cliCommon;

typedef struct cliArguments {
  const char *inputs[16]; // what is not an option
  int32_t input_count;
  cliCommon common;
} cliArguments;

typedef struct cliVerb {
  const char *name, *summary;
  const char *usage;   // "limber modes X [options]"
  const char *details; // paragraphs for --help
  const char *example;
  cliStatus (*run)(int count, char **words);
} cliVerb;

extern const cliVerb cli_mesh, cli_modes, cli_static, cli_evaluate, cli_build, cli_info, cli_run,
    cli_cook, cli_edit, cli_export, cli_view, cli_render, cli_compare, cli_bench;

// Parses the words of a verb; options end with a NULL name. On CLI_OK with common.help set the help
// has been printed and the verb is done. Wrong words are reported. Starts threads.
cliStatus cli_parse(const cliVerb *verb, const cliOption *options, int count, char **words,
                    cliArguments *arguments);
// Exactly one input, or a message.
cliStatus cli_one_input(const cliVerb *verb, const cliArguments *arguments);

// ---- output ------------------------------------------------------------------------------------

// printf to stdout, for people: nothing with --quiet. Text that comes from files cannot do harm
// there: what is a control character in an argument is shown as \x1b and the like (lb_printable).
void cli_say(const char *format, ...) LB_PRINTF(1, 2);
// The same for one line on stderr, "limber: ...".
void cli_note(const char *format, ...) LB_PRINTF(1, 2);
// "limber: what: why, what to do" on stderr.
cliStatus cli_fail(const lbError *err);
// The same for work on a file; adds the file name unless the message has it.
cliStatus cli_fail_about(const char *path, const lbError *err);
cliStatus cli_usage(const cliVerb *verb, const char *format, ...) LB_PRINTF(2, 3);
// Prints the document with 17 digits and releases it.
cliStatus cli_print_json(json_t *document);
json_t *cli_numbers(const double *values, size_t count); // a list; non-finite ones become null
json_t *cli_number(double value);                        // null when not finite
json_t *cli_path(const char *path);                      // null when it is not UTF-8
json_t *cli_text(const char *text); // as lb_printable has it where it is not UTF-8
// Writes a document to a file, aside and renamed.
lbStatus cli_write_json(const json_t *document, const char *path, lbError *err);

// Called first: a closed pipe or a file over the limit makes writing fail, not the program end, so
// that half a file is removed.
void cli_guard_output(void);
// Log, progress and Ctrl-C; called by cli_parse.
void cli_start_output(const cliCommon *common);
// What SIGINT, SIGTERM and SIGHUP call: Ctrl-C, a polite kill, a terminal that was closed.
void cli_catch_end(void (*handler)(int));
// Time limit for work after an interrupt until it checks for one: 2 s by default.
void cli_end_within(double seconds);
void cli_finish_progress(void); // ends the bar's line
void cli_flush_notes(void);     // prints what the log has said; a failure drops it
// Called last: a text that stdout did not take turns success into failure.
cliStatus cli_finish_output(cliStatus status);

// ---- cubature ----------------------------------------------------------------------------------

// The words of `limber build` about forces by cubature.
typedef struct cliCubature {
  const char *forces, *elements, *selection;
  int32_t seed;
  bool has_error, has_poses, has_seed;
} cliCubature;

// Fills in the def, which has force_error, poses and pose_amplitude already; or a message.
cliStatus cli_check_cubature(const cliCubature *words, lbBuildDef *def);
bool cli_parse_amplitude(const char *text, double *amplitude); // false: not a positive number
// From now on Ctrl-C during the selection of elements keeps those selected, and the work continues.
void cli_keep_selection(void);

// ---- scenes ------------------------------------------------------------------------------------

// The options that give a bare mesh its material, and the loading that uses them.
typedef struct cliMaterial {
  lbMaterial material;
  const char *model;
  bool given[8];
} cliMaterial;

#define CLI_MATERIAL_OPTIONS(m)                                                                        \
  { "model",                                                                                           \
    CLI_TEXT,                                                                                          \
    &(m).model,                                                                                        \
    &(m).given[0],                                                                                     \
    "NAME",                                                                                            \
    "material of a bare mesh: linear, stvk (the default), corotated,\nneohookean, "                    \
    "stable_neohookean, mooneyrivlin; of triangles: shell" },                                          \
      { "young", CLI_NUMBER, &(m).material.young, &(m).given[1], "PA", "Young's modulus (1e6)" },      \
      { "poisson", CLI_NUMBER, &(m).material.poisson, &(m).given[2], "NU", "Poisson's ratio (0.45)" }, \
      { "density", CLI_NUMBER, &(m).material.density, &(m).given[3], "KG/M3", "density (1000)" },      \
      { "c10", CLI_NUMBER, &(m).material.c10, &(m).given[4], "PA", "Mooney-Rivlin c10" },              \
      { "c01", CLI_NUMBER, &(m).material.c01, &(m).given[5], "PA", "Mooney-Rivlin c01" },              \
      { "v1", CLI_NUMBER, &(m).material.v1, &(m).given[6], "PA", "Mooney-Rivlin v1" }, {               \
    "thickness", CLI_NUMBER, &(m).material.thickness, &(m).given[7], "M", "of a shell"                 \
  }

cliMaterial cli_material(void);
// Checks what the options say; CLI_OK, or a message.
cliStatus cli_check_material(const cliVerb *verb, const char *path, cliMaterial *material);
lbStatus cli_load_scene(const char *path, const cliMaterial *material, lbScene **scene,
                        lbError *err);
// Modes of a mesh file that is not loaded as a scene (limber-mpi); LB_ERR_UNSUPPORTED: it has to
// be.
typedef struct cliModesBody {
  int32_t vertex_count, element_count;
  double total_mass;
} cliModesBody;
typedef lbStatus cliModesFinder(const char *path, const lbMaterial *material, int32_t count,
                                cliModesBody *body, lbModes **modes, lbError *err);
extern cliModesFinder *cli_modes_elsewhere; // NULL: none

// The body called `name`, or the only one.
lbStatus cli_find_body(const lbScene *scene, const char *name, int32_t *body, lbError *err);
json_t *cli_probe(const lbScene *scene, int32_t probe, const double rest[3], const double moved[3]);

json_t *cli_material_document(const lbMaterial *material);
void cli_print_material(const lbMaterial *material, int32_t element_count);
// How many of the elements have this material; element_materials NULL: all have the first.
int32_t cli_count_elements(const int32_t *element_materials, int32_t count, int32_t material);

// ---- parts of a body (regions.c)
// -----------------------------------------------------------------

// "PA" (then *everywhere, and *plain is it), "GROUP=PA", "color.CHANNEL=LOW,HIGH" or
// "box.X,Y,Z,X,Y,Z=PA". What the region names stays in the word, which is cut at '='.
cliStatus cli_parse_young(const cliVerb *verb, char *word, lbYoungRegion *young, bool *everywhere,
                          double *plain);
// "GROUP", "color.CHANNEL[=ABOVE]" or "box.X,Y,Z,X,Y,Z".
cliStatus cli_parse_fixed(const cliVerb *verb, char *word, lbRegion *region);

// ---- models ------------------------------------------------------------------------------------

// What is in a model file; with `arrays` every array of it too.
cliStatus cli_model_info(const char *path, bool json, bool arrays);
// One of a model's materials.
// The candidate modes: frequency_hz, damping_ratio, fate, residual (null where dropped).
json_t *cli_modes_document(const lbModel *model);
void cli_print_modes(const lbModel *model);
// α and β of the method that it is played by.
const double *cli_model_damping(const lbModel *model);
// null without one.
json_t *cli_subspace_document(const lbModel *model);
json_t *cli_frames_document(const lbModel *model);
json_t *cli_accuracy_document(const lbModel *model);
void cli_print_subspace(const lbModel *model); // nothing without one
void cli_print_frames(const lbModel *model);   // nothing without them
void cli_print_accuracy(const lbModel *model);
int32_t cli_mode_fates(const lbModel *model, lbModeFate fate); // how many
const char *cli_fate_name(lbModeFate fate);                    // "kept", "too_weak", "too_fast"

// ---- files of the program's own ----------------------------------------------------------------

// A folder as seen from the program's parent folder: in a source tree, or where it is installed.
lbStatus cli_data_folder(const char *built, const char *installed, char *path, size_t size,
                         lbError *err);

// ---- meshes ------------------------------------------------------------------------------------

json_t *cli_mesh_document(const lbMesh *mesh, const lbMeshReport *report);
void cli_print_mesh(const lbMesh *mesh, const lbMeshReport *report);

#endif
