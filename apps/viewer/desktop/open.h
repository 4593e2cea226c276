// From a file that a user names to a bundle that the stage takes, and the list of the gallery's
// scenes. Programs with the build side only.
#ifndef LIMBER_VIEWER_OPEN_H
#define LIMBER_VIEWER_OPEN_H

#include "limber/model.h"

// A model, a cooked file, a scene (its models are made), or a mesh or surface, for which a model is
// built with the defaults of `limber build`. Long work reports progress.
lbStatus vw_open(const char *path, lbBundle **out, lbError *err);
// The same as a file, for the page: a scene is cooked, with recordings of unreduced bodies.
lbStatus vw_open_to_file(const char *path, const char *to, lbError *err);

typedef struct vwGalleryItem {
  char *path;
  char *title, *hint; // never NULL
} vwGalleryItem;

typedef struct vwGallery {
  int32_t count;
  vwGalleryItem *items; // in the order of their titles' numbers in the folder's list, gallery.json
} vwGallery;

// The scenes that `folder`/gallery.json lists.
lbStatus vw_gallery_load(const char *folder, vwGallery **out, lbError *err);
// A gallery of one file.
lbStatus vw_gallery_of_file(const char *path, vwGallery **out, lbError *err);
void vw_gallery_destroy(vwGallery *gallery);

#endif
