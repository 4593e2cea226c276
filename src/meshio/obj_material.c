// Reading Wavefront material libraries. Kd is taken as it stands; the classic exponent Ns becomes a
// roughness by the usual match of the highlight's width, roughness = sqrt(2 / (Ns + 2)).
#include "meshio/obj_material.h"

#include "limber/file.h"
#include "meshio/companion.h"
#include "arrayio/text.h"

#include <math.h>
#include <string.h>

typedef struct Library {
  lbText text;
  lbMeshBuilder *builder;
  int32_t current;    // appearance, -1 before the first newmtl
  bool has_roughness; // Pr was given: Ns is ignored
} Library;

int32_t lb_appearance_find(const lbMeshBuilder *builder, const char *name) {
  if (builder->out_of_memory) return -1;
  for (int32_t i = 0; i < builder->mesh->appearance_count; i++)
    if (strcmp(builder->mesh->appearances[i].name, name) == 0) return i;
  return -1;
}

static void warn_mtl_line(const Library *library, const char *what) {
  lb_log(LB_LOG_WARNING, "%s:%d: %s, ignored", library->text.path, (int)library->text.line, what);
}

// A number in 0..1, or the value there was.
static float read_mtl_share(Library *library, float old) {
  double value;
  if (!lb_text_number_in_line(&library->text, &value) || !isfinite(value)) {
    warn_mtl_line(library, "this needs a number");
    return old;
  }
  return (float)fmin(1, fmax(0, value));
}

static float read_mtl_exponent(Library *library, float old) {
  double value;
  if (!lb_text_number_in_line(&library->text, &value) || !(value >= 0)) {
    warn_mtl_line(library, "Ns needs a number that is not negative");
    return old;
  }
  return (float)sqrt(2 / (value + 2));
}

// Skips the options of a texture map: "-s 2 2 1 -clamp on wood.png" leaves "wood.png".
static void skip_map_options(lbText *text) {
  char word[32];
  for (;;) {
    lbText before = *text;
    if (!lb_text_word_in_line(text, word, sizeof word) || word[0] != '-') {
      *text = before;
      return;
    }
    bool vector = strcmp(word, "-o") == 0 || strcmp(word, "-s") == 0 || strcmp(word, "-t") == 0;
    int numbers = vector ? 3 : strcmp(word, "-mm") == 0 ? 2 : 0;
    double value;
    if (numbers == 0) lb_text_word_in_line(text, word, sizeof word);
    for (int i = 0; i < numbers; i++) {
      before = *text;
      if (lb_text_number_in_line(text, &value) &&
          (lb_text_at_line_end(text) || text->next[-1] == ' ' || text->next[-1] == '\t'))
        continue;
      *text = before; // a file name that begins with a digit
      break;
    }
  }
}

static int32_t find_mtl_texture(const lbMesh *mesh, const char *name) {
  for (int32_t i = 0; i < mesh->texture_count; i++)
    if (strcmp(mesh->textures[i].name, name) == 0) return i;
  return -1;
}

static int32_t load_texture(Library *library, const char *name) {
  lbMeshBuilder *builder = library->builder;
  int32_t known = find_mtl_texture(builder->mesh, name);
  if (known >= 0) return known;
  char *content = NULL;
  size_t bytes = 0;
  lbError err;
  lbStatus status = lb_companion_read(library->text.path, name, &content, &bytes, &err);
  if (status == LB_ERR_MEMORY) builder->out_of_memory = true;
  const char *mime = status ? NULL : lb_picture_mime(content, bytes);
  if (status)
    lb_log(LB_LOG_WARNING, "%s, the surface stays without this picture", err.text);
  else if (!mime)
    lb_log(LB_LOG_WARNING, "%s: is not a picture of a known type, ignored", name);
  int32_t texture =
      lb_mesh_add_texture(builder, name, mime ? mime : "", mime ? content : NULL, bytes);
  lb_free(content);
  return texture;
}

static void read_mtl_map(Library *library, lbAppearance *appearance) {
  char name[1024];
  skip_map_options(&library->text);
  lbText line = library->text; // the caller moves on to the next line
  size_t length = lb_text_line(&line, name, sizeof name);
  if (length == 0 || length >= sizeof name)
    warn_mtl_line(library, "this needs a file name");
  else
    appearance->texture = load_texture(library, name);
}

static void read_mtl_color(Library *library, lbAppearance *appearance) {
  double color[3];
  for (int i = 0; i < 3; i++)
    if (!lb_text_number_in_line(&library->text, &color[i]) || !isfinite(color[i])) {
      warn_mtl_line(library, "Kd needs three numbers");
      return;
    }
  for (int i = 0; i < 3; i++) appearance->base_color[i] = (float)fmin(1, fmax(0, color[i]));
}

static void read_statement(Library *library, const char *keyword) {
  char name[1024];
  lbMeshBuilder *builder = library->builder;
  if (strcmp(keyword, "newmtl") == 0) {
    lbText line = library->text;
    lb_text_line(&line, name, sizeof name);
    library->current = lb_appearance_find(builder, name);
    if (library->current < 0) library->current = lb_mesh_add_appearance(builder, name);
    library->has_roughness = false;
    return;
  }
  if (library->current < 0) return;
  lbAppearance *appearance = &builder->mesh->appearances[library->current];
  if (strcmp(keyword, "Kd") == 0) {
    read_mtl_color(library, appearance);
  } else if (strcmp(keyword, "d") == 0) {
    appearance->base_color[3] = read_mtl_share(library, appearance->base_color[3]);
  } else if (strcmp(keyword, "Tr") == 0) {
    appearance->base_color[3] = 1 - read_mtl_share(library, 1 - appearance->base_color[3]);
  } else if (strcmp(keyword, "Pm") == 0) {
    appearance->metallic = read_mtl_share(library, appearance->metallic);
  } else if (strcmp(keyword, "Pr") == 0) {
    appearance->roughness = read_mtl_share(library, appearance->roughness);
    library->has_roughness = true;
  } else if (strcmp(keyword, "Ns") == 0 && !library->has_roughness) {
    appearance->roughness = read_mtl_exponent(library, appearance->roughness);
  } else if (strcmp(keyword, "map_Kd") == 0) {
    read_mtl_map(library, appearance);
  }
}

void lb_obj_read_materials(lbMeshBuilder *builder, const char *path, const char *content,
                           size_t bytes) {
  Library library = { lb_text(path, content, bytes), builder, -1, false };
  char keyword[16];
  for (; !lb_text_at_end(&library.text) && !builder->out_of_memory;
       lb_text_skip_line(&library.text)) {
    lb_text_word_in_line(&library.text, keyword, sizeof keyword);
    read_statement(&library, keyword);
  }
}
