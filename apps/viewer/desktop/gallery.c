// The gallery: scenes/gallery.json names the scenes in the order in which they are shown; each
// scene's own "title" and "try" say what it is.
#include "limber/file.h"
#include "desktop/open.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

static const char *text_of(const json_t *object, const char *key, const char *otherwise) {
  const char *text = json_string_value(json_object_get(object, key));
  return text ? text : otherwise;
}

// A scene that cannot be read is listed all the same.
static lbStatus read_item(const char *folder, const char *name, vwGalleryItem *item, lbError *err) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  json_t *scene = json_load_file(path, 0, NULL); // NULL: opening it will say what is wrong
  item->path = lb_duplicate_text(path);
  item->title = lb_duplicate_text(text_of(scene, "title", name));
  item->hint = lb_duplicate_text(text_of(scene, "try", ""));
  json_decref(scene);
  return item->path && item->title && item->hint ? LB_OK : lb_fail_memory(err);
}

static lbStatus make_gallery_list(int32_t count, vwGallery **out, lbError *err) {
  vwGallery *gallery = lb_alloc(1, sizeof *gallery);
  vwGalleryItem *items = lb_alloc((size_t)count, sizeof *items);
  if (!gallery || !items) {
    lb_free(gallery);
    lb_free(items);
    return lb_fail_memory(err);
  }
  *gallery = (vwGallery){ count, items };
  *out = gallery;
  return LB_OK;
}

lbStatus vw_gallery_load(const char *folder, vwGallery **out, lbError *err) {
  char path[4096];
  snprintf(path, sizeof path, "%s/gallery.json", folder);
  json_error_t error;
  json_t *list = json_load_file(path, 0, &error);
  if (!list && error.line <= 0)
    return lb_fail(err, LB_ERR_FILE, "%s: cannot open; name a scene or a model instead", path);
  if (!json_is_array(list)) {
    json_decref(list);
    return lb_fail(err, LB_ERR_FORMAT, "%s:%d: not a list of scenes", path,
                   error.line > 0 ? error.line : 1);
  }
  vwGallery *gallery = NULL;
  lbStatus status = make_gallery_list((int32_t)json_array_size(list), &gallery, err);
  for (int32_t i = 0; !status && i < gallery->count; i++) {
    const char *name = json_string_value(json_array_get(list, (size_t)i));
    status = name ? read_item(folder, name, &gallery->items[i], err)
                  : lb_fail(err, LB_ERR_FORMAT, "%s: item %d is not a name", path, (int)i);
  }
  json_decref(list);
  if (status)
    vw_gallery_destroy(gallery);
  else
    *out = gallery;
  return status;
}

lbStatus vw_gallery_of_file(const char *path, vwGallery **out, lbError *err) {
  vwGallery *gallery = NULL;
  lbStatus status = make_gallery_list(1, &gallery, err);
  if (status) return status;
  const char *name = strrchr(path, '/');
  gallery->items[0] =
      (vwGalleryItem){ lb_duplicate_text(path), lb_duplicate_text(name ? name + 1 : path),
                       lb_duplicate_text("") };
  const vwGalleryItem *item = &gallery->items[0];
  if (!item->path || !item->title || !item->hint) {
    vw_gallery_destroy(gallery);
    return lb_fail_memory(err);
  }
  *out = gallery;
  return LB_OK;
}

void vw_gallery_destroy(vwGallery *gallery) {
  if (!gallery) return;
  for (int32_t i = 0; i < gallery->count; i++) {
    lb_free(gallery->items[i].path);
    lb_free(gallery->items[i].title);
    lb_free(gallery->items[i].hint);
  }
  lb_free(gallery->items);
  lb_free(gallery);
}
