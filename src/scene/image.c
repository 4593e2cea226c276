// Materials by a volume image: Young's modulus and density from its values at the elements'
// centres.
#include "limber/file.h"
#include "limber/math.h"
#include "arrayio/image.h"
#include "scene/paint.h"

static const char *const scalar_names[] = { "int8",    "uint8",   "int16", "uint16",
                                            "int32",   "uint32",  "int64", "uint64",
                                            "float32", "float64", NULL };
static const char *const keys[] = { "file", "values", "young",   "density", "fit", "size",
                                    "type", "endian", "spacing", "origin",  NULL };
static const char *const raw_keys[] = { "type", "endian", "spacing", "origin", NULL };

typedef struct Map {
  double values[2], young[2], density[2];
  bool has_values, has_density, fit;
} Map;

// ---- reading -----------------------------------------------------------------------------------

static lbStatus read_pair(const lbField *json, const char *key, double pair[2], bool *here,
                          lbError *err) {
  lbField member = lb_field_member(json, key);
  *here = lb_field_here(&member);
  return *here ? lb_field_vector(&member, 2, pair, err) : LB_OK;
}

static lbStatus read_image_map(const lbField *json, Map *map, lbError *err) {
  bool here = false;
  lbField fit = lb_field_member(json, "fit");
  lbStatus status = lb_field_keys(json, keys, err);
  if (!status) status = read_pair(json, "values", map->values, &map->has_values, err);
  if (!status) status = read_pair(json, "density", map->density, &map->has_density, err);
  if (!status) status = read_pair(json, "young", map->young, &here, err);
  if (!status && !here)
    status = lb_field_fail(json, err,
                           "has no \"young\", give the moduli of its lowest and highest value");
  if (!status && !(map->young[0] > 0 && map->young[1] > 0))
    status = lb_field_fail(json, err, "Young's modulus must be positive");
  if (!status && map->has_density && !(map->density[0] > 0 && map->density[1] > 0))
    status = lb_field_fail(json, err, "the density must be positive");
  if (!status && map->has_values && !(map->values[0] < map->values[1]))
    status = lb_field_fail(json, err, "its \"values\" must rise");
  if (!status && lb_field_here(&fit) && !json_is_boolean(fit.value))
    status = lb_field_fail(&fit, err, "must be true or false");
  map->fit = json_is_true(fit.value);
  return status;
}

static lbStatus read_layout(const lbField *json, lbRawImage *raw, lbError *err) {
  static const char *const endians[] = { "little", "big", NULL };
  lbField size = lb_field_member(json, "size"), type = lb_field_member(json, "type");
  lbField spacing = lb_field_member(json, "spacing"), origin = lb_field_member(json, "origin");
  lbField endian = lb_field_member(json, "endian");
  int chosen = LB_SCALAR_UINT8, order = 0;
  *raw = (lbRawImage){ .spacing = { 1, 1, 1 } };
  lbStatus status = lb_field_integers(&size, 3, 1, raw->size, err);
  if (!status) status = lb_field_choice(&type, scalar_names, &chosen, err);
  if (!status) status = lb_field_choice(&endian, endians, &order, err);
  if (!status) status = lb_field_vector(&spacing, 3, raw->spacing, err);
  if (!status) status = lb_field_vector(&origin, 3, raw->origin, err);
  raw->type = (lbScalar)chosen;
  raw->big_endian = order == 1;
  return status;
}

static lbStatus load_scene_image(const lbField *json, lbImage **image, lbError *err) {
  lbField file = lb_field_member(json, "file"), size = lb_field_member(json, "size");
  char *path = NULL, *content = NULL;
  size_t bytes;
  lbRawImage raw;
  lbStatus status = LB_OK;
  if (lb_field_here(&size)) {
    status = read_layout(json, &raw, err);
  } else {
    for (int i = 0; raw_keys[i] && !status; i++) {
      lbField member = lb_field_member(json, raw_keys[i]);
      if (lb_field_here(&member))
        status = lb_field_fail(&member, err, "is for raw files, which need a \"size\"");
    }
  }
  if (!status) status = lb_field_file(&file, &path, err);
  if (!status) status = lb_file_read(path, &content, &bytes, err);
  if (!status)
    status = lb_field_here(&size) ? lb_image_parse_raw(path, content, bytes, &raw, image, err)
                                  : lb_image_parse(path, content, bytes, image, err);
  lb_free(path);
  lb_free(content);
  return status;
}

// ---- painting ----------------------------------------------------------------------------------

static lbVec3 element_centre(const lbMesh *mesh, int32_t element) {
  bool tet = element < mesh->tet_count;
  int32_t count = tet ? 4 : 8;
  const int32_t *nodes = tet ? mesh->tets + 4 * (size_t)element
                             : mesh->bricks + 8 * ((size_t)element - (size_t)mesh->tet_count);
  lbVec3 sum = lb_vec3(0, 0, 0);
  for (int32_t k = 0; k < count; k++)
    sum = lb_add(sum, lb_vec3_load(mesh->positions + 3 * (size_t)nodes[k]));
  return lb_scale(1.0 / count, sum);
}

static void fit_to_mesh(const lbMesh *mesh, lbImage *image) {
  double low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY };
  for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; i++) {
    low[i % 3] = fmin(low[i % 3], mesh->positions[i]);
    high[i % 3] = fmax(high[i % 3], mesh->positions[i]);
  }
  lb_image_fit(image, lb_vec3_load(low), lb_vec3_load(high));
}

// values (elements) from 0 to 1; what lies beyond the range of values counts as its end.
static void evaluate_image_map(const lbMesh *mesh, const lbImage *image, const Map *map,
                               double *values) {
  double low = map->has_values ? map->values[0] : (double)image->low;
  double high = map->has_values ? map->values[1] : (double)image->high;
  for (int32_t e = 0; e < lb_mesh_element_count(mesh); e++) {
    double value = lb_image_at(image, element_centre(mesh, e));
    values[e] = high > low ? fmin(fmax((value - low) / (high - low), 0), 1) : 0;
  }
}

lbStatus lb_scene_paint_image(lbBodyPaint *paint, const lbField *json, const lbRegion *region,
                              const lbMaterial *material, lbError *err) {
  const lbMesh *mesh = paint->body->mesh;
  lbField member = lb_field_member(json, "image");
  size_t elements = (size_t)lb_mesh_element_count(mesh);
  if (elements == 0) return lb_field_fail(&member, err, "needs a volume mesh");
  Map map = { .has_values = false };
  lbImage *image = NULL;
  bool *covered = lb_alloc(elements, sizeof *covered);
  double *values = lb_alloc(elements, sizeof *values);
  lbStatus status = covered && values ? read_image_map(&member, &map, err) : lb_fail_memory(err);
  if (!status) status = load_scene_image(&member, &image, err);
  if (!status) {
    status = lb_painter_elements(paint->painter, region, covered, NULL, err);
    status = lb_scene_region_fail(json, status, err);
  }
  if (!status) {
    if (map.fit) fit_to_mesh(mesh, image);
    evaluate_image_map(mesh, image, &map, values);
    status = lb_scene_paint_values(paint, covered, values, material, map.young,
                                   map.has_density ? map.density : NULL, err);
  }
  lb_image_destroy(image);
  lb_free(covered);
  lb_free(values);
  return status;
}
