// Sketches of forces: what the hands pulled, each grab where it was strongest, as the file that
// docs/sketch.md describes.
#include "stage/stage_parts.h"

#include <stdio.h>
#include <string.h>

void vw_stage_sketch_begin(vwStage *stage) {
  stage->sketch.open = true;
  stage->sketch.group = -1;
  stage->sketch.count = 0;
  for (int32_t h = 0; h < VW_HANDS; h++) stage->hands[h].strongest = lb_vec3(0, 0, 0);
}

bool vw_stage_sketching(const vwStage *stage) { return stage->sketch.open; }

static int32_t largest(int32_t count, const double *values) {
  int32_t most = 0;
  for (int32_t k = 1; k < count; k++)
    if (values[k] > values[most]) most = k;
  return most;
}

// The vertex of the input that is nearest to a place of a triangle: by the surface's own numbers,
// else the node that carries most of it.
static int32_t input_vertex(const lbModel *m, const lbPoint *point) {
  int32_t corner = 3 * point->index + largest(3, point->weights), vertex = m->triangles[corner];
  int32_t begin = m->carrier_begin[vertex], count = m->carrier_begin[vertex + 1] - begin;
  if (m->vertex_sources[vertex] >= 0) return m->vertex_sources[vertex];
  return count > 0 ? m->carrier_nodes[begin + largest(count, m->carrier_weights + begin)] : 0;
}

// A sketch is of one object: the first that was pulled.
void vw_sketch_add(vwStage *stage, const vwHand *hand) {
  vwSketchBook *book = &stage->sketch;
  if (!book->open || !(lb_length(hand->strongest) > 0)) return;
  if (book->group < 0) book->group = hand->group;
  if (book->group != hand->group) return;
  if (!lb_grow((void **)&book->loads, &book->capacity, book->count + 1, sizeof *book->loads)) {
    vw_stage_say(stage, "The sketch has no memory for more loads");
    return;
  }
  const lbModel *model = stage->groups[hand->group].model;
  book->loads[book->count++] = (vwSketchLoad){ input_vertex(model, &hand->point), hand->strongest };
}

static size_t write_load(const vwSketchLoad *load, size_t number, bool last, char *text,
                         size_t size) {
  char force[3][LB_NUMBER_TEXT];
  lb_json_number_text(force[0], load->force.x, 17);
  lb_json_number_text(force[1], load->force.y, 17);
  lb_json_number_text(force[2], load->force.z, 17);
  return (size_t)snprintf(
      text, size, "    { \"name\": \"pull %zu\", \"vertex\": %d, \"force\": [%s, %s, %s] }%s\n",
      number + 1, (int)load->vertex, force[0], force[1], force[2], last ? "" : ",");
}

lbStatus vw_stage_sketch_end(vwStage *stage, char **json, lbError *err) {
  vwSketchBook *book = &stage->sketch;
  for (int32_t h = 0; h < VW_HANDS; h++)
    if (stage->hands[h].used && stage->hands[h].kind == VW_HOLD_GRAB)
      vw_sketch_add(stage, &stage->hands[h]);
  book->open = false;
  if (book->count == 0)
    return lb_fail(err, LB_ERR_ARGUMENT, "the sketch is empty: grab the object and pull");
  size_t size = 64 + book->count * 240, length = 0;
  char *text = lb_alloc(size, 1);
  if (!text) return lb_fail_memory(err);
  length += (size_t)snprintf(text, size, "{ \"limber_sketch\": 1,\n  \"loads\": [\n");
  for (size_t i = 0; i < book->count; i++)
    length += write_load(&book->loads[i], i, i + 1 == book->count, text + length, size - length);
  snprintf(text + length, size - length, "  ] }\n");
  *json = text;
  return LB_OK;
}
