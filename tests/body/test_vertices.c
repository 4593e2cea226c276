// Floats in the caller's vertex buffer, of surface vertices and of render meshes.
#include "toy_model.h"

#include "limber/render_mesh.h"

typedef struct Vertex { // in an order of its own, with a byte in front that moves all out of line
  char tag[5];
  float normal[3];
  char gap[3];
  float position[3];
  float tangent[4], uv[2];
} __attribute__((packed)) Vertex;

static lbVertexLayout full_layout(void) {
  lbVertexLayout layout = lb_vertex_layout();
  layout.stride = sizeof(Vertex);
  layout.position = offsetof(Vertex, position);
  layout.normal = offsetof(Vertex, normal);
  layout.tangent = offsetof(Vertex, tangent);
  layout.uv = offsetof(Vertex, uv);
  return layout;
}

static lbVertexLayout plain_layout(void) {
  lbVertexLayout layout = full_layout();
  layout.tangent = layout.uv = -1;
  return layout;
}

typedef struct Shown {
  Toy toy;
  lbModel *model; // the toy's with texture coordinates and three appearances
  lbBody *body;
  int32_t count;
  double *positions, *normals;
} Shown;

// Each side of a box gets the two other axes as texture coordinates: cut along its edges, mirrored
// on every other side; folded at 0.1, where it is mirrored without a cut; and without area on some
// triangles.
static void paint(const lbModel *model, float *uvs, int32_t *appearances) {
  for (int32_t t = 0; t < model->size.triangle_count; t++) {
    lbVec3 x[3];
    for (int i = 0; i < 3; i++)
      x[i] = lb_vec3_load(model->vertex_positions + 3 * model->triangles[3 * t + i]);
    lbVec3 n = lb_cross(lb_sub(x[1], x[0]), lb_sub(x[2], x[0]));
    int axis = fabs(n.x) > fabs(n.y) && fabs(n.x) > fabs(n.z) ? 0 : fabs(n.y) > fabs(n.z) ? 1 : 2;
    appearances[t] = axis == 2 ? -1 : 2 * axis; // 0 and 2: none has 1
    for (int i = 0; i < 3; i++) {
      const double place[3] = { x[i].x, x[i].y, x[i].z };
      uvs[6 * t + 2 * i] = (float)place[(axis + 1) % 3];
      uvs[6 * t + 2 * i + 1] = (float)(t % 11 == 3 ? 0.5 : fabs(place[(axis + 2) % 3] - 0.1));
    }
  }
}

static lbModel *painted(const lbModel *plain) {
  lbModel draft = *plain, *model = NULL;
  lbError err;
  size_t count = (size_t)plain->size.triangle_count;
  float *uvs = calloc(6 * count, sizeof *uvs);
  float colors[12] = { 1, 1, 1, 1, 1, 0, 0, 1, 0, 0, 1, 1 };
  float metal_roughness[6] = { 0, 1, 0, 1, 0, 1 };
  int32_t textures[3] = { -1, -1, -1 };
  int32_t *appearances = calloc(count, sizeof *appearances);
  paint(plain, uvs, appearances);
  draft.size.appearance_count = 3;
  draft.appearance_names = "a\0b\0c", draft.appearance_colors = colors;
  draft.appearance_metal_roughness = metal_roughness, draft.appearance_textures = textures;
  draft.corner_uvs = uvs, draft.triangle_appearances = appearances;
  draft.owner_ = NULL, draft.shared_ = NULL;
  check_ok(lb_model_create(&draft, &model, &err), err);
  free(uvs), free(appearances);
  return model;
}

static Shown show(void) {
  Shown s = { .toy = toy_bar() };
  lbBodyDef def = toy_turned();
  lbError err;
  s.model = painted(s.toy.model);
  check_ok(lb_body_create(s.model, &def, &s.body, &err), err);
  toy_shake(s.body, 0.02, 5);
  s.count = s.model->size.vertex_count;
  s.positions = malloc(3 * (size_t)s.count * sizeof(double));
  s.normals = malloc(3 * (size_t)s.count * sizeof(double));
  lb_body_surface(s.body, s.positions);
  lb_body_surface_normals(s.body, s.positions, s.normals);
  return s;
}

static void hide(Shown *s) {
  free(s->positions), free(s->normals);
  lb_body_destroy(s->body);
  lb_model_destroy(s->model);
  toy_destroy(&s->toy);
}

static void floats_are_the_surface_rounded_and_nothing_else_is_touched(void **state) {
  (void)state;
  Shown s = show();
  lbError err;
  size_t bytes = (size_t)s.count * sizeof(Vertex);
  Vertex *out = malloc(bytes), untouched;
  memset(out, 0x5a, bytes), memset(&untouched, 0x5a, sizeof untouched);
  lbVertexLayout layout = plain_layout();
  check_ok(lb_body_write_vertices(s.body, &layout, 0, s.count, out, bytes, &err), err);
  for (int32_t v = 0; v < s.count; v++) {
    for (int c = 0; c < 3; c++) {
      assert_true(out[v].position[c] == (float)s.positions[3 * v + c]);
      assert_true(out[v].normal[c] == (float)s.normals[3 * v + c]);
    }
    assert_memory_equal(out[v].tag, untouched.tag, sizeof untouched.tag);
    assert_memory_equal(out[v].gap, untouched.gap, sizeof untouched.gap);
    assert_memory_equal(out[v].tangent, untouched.tangent, sizeof untouched.tangent);
  }
  free(out);
  hide(&s);
}

// Every range of some lengths, so that both ways of working it out are taken.
static void a_range_has_the_bits_of_the_whole(void **state) {
  (void)state;
  Shown s = show();
  lbError err;
  lbRenderMesh *mesh = NULL;
  check_ok(lb_render_mesh_create(s.model, &mesh, &err), err);
  const int32_t lengths[] = { 1, 2, 7, mesh->vertex_count / 12 - 1, mesh->vertex_count / 2 };
  size_t bytes = (size_t)mesh->vertex_count * sizeof(Vertex);
  Vertex *all = calloc(1, bytes), *part = calloc(1, bytes);
  lbVertexLayout layout = full_layout();
  check_ok(
      lb_body_write_render_vertices(s.body, mesh, &layout, 0, mesh->vertex_count, all, bytes, &err),
      err);
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
    for (int32_t first = 0; first + lengths[i] <= mesh->vertex_count; first++) {
      size_t used = (size_t)lengths[i] * sizeof(Vertex);
      memset(part, 0, bytes);
      check_ok(
          lb_body_write_render_vertices(s.body, mesh, &layout, first, lengths[i], part, used, &err),
          err);
      assert_memory_equal(part, all + first, used);
    }
  layout = plain_layout();
  for (int32_t first = 0; first < s.count; first++) {
    check_ok(lb_body_write_vertices(s.body, &layout, first, 1, part, sizeof(Vertex), &err), err);
    for (int c = 0; c < 3; c++) {
      assert_true(part->position[c] == (float)s.positions[3 * first + c]);
      assert_true(part->normal[c] == (float)s.normals[3 * first + c]);
    }
  }
  free(all), free(part);
  lb_render_mesh_destroy(mesh);
  hide(&s);
}

static void bad_layouts_ranges_and_buffers_are_refused(void **state) {
  (void)state;
  Shown s = show();
  lbError err;
  size_t bytes = (size_t)s.count * sizeof(Vertex),
         least = bytes - sizeof(Vertex) + offsetof(Vertex, tangent);
  Vertex *out = calloc(1, bytes);
  lbVertexLayout good = plain_layout(), bad = good;
  const struct {
    int32_t first, count;
  } ranges[] = {
    { -1, 1 },   { 0, -1 },        { 0, s.count + 1 },       { s.count, 1 },
    { 9999, 1 }, { 1, INT32_MAX }, { INT32_MAX, INT32_MAX }, { INT32_MIN, INT32_MIN }
  };
  for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
    check_fails(
        lb_body_write_vertices(s.body, &good, ranges[i].first, ranges[i].count, out, bytes, &err),
        LB_ERR_ARGUMENT, err, "are not among");
  check_ok(lb_body_write_vertices(s.body, &good, s.count, 0, NULL, 0, &err), err);
  check_ok(lb_body_write_vertices(s.body, &good, 0, s.count, out, least, &err), err);
  check_fails(lb_body_write_vertices(s.body, &good, 0, s.count, out, least - 1, &err),
              LB_ERR_ARGUMENT, err, "bytes");
  check_fails(lb_body_write_vertices(s.body, &good, 0, s.count, NULL, bytes, &err), LB_ERR_ARGUMENT,
              err, "buffer");
  assert_int_equal(lb_body_write_vertices(s.body, &good, 0, s.count, NULL, bytes, NULL),
                   LB_ERR_ARGUMENT);
  bad.stride = SIZE_MAX / 2;
  check_fails(lb_body_write_vertices(s.body, &bad, 0, s.count, out, bytes, &err), LB_ERR_ARGUMENT,
              err, "stride");
  bad = good, bad.stride = offsetof(Vertex, position) + 11;
  check_fails(lb_body_write_vertices(s.body, &bad, 0, 1, out, bytes, &err), LB_ERR_ARGUMENT, err,
              "position ends");
  bad = good, bad.normal = bad.position + 11;
  check_fails(lb_body_write_vertices(s.body, &bad, 0, 1, out, bytes, &err), LB_ERR_ARGUMENT, err,
              "overlap");
  bad = good, bad.normal = -2;
  check_fails(lb_body_write_vertices(s.body, &bad, 0, 1, out, bytes, &err), LB_ERR_ARGUMENT, err,
              "normal is at -2");
  bad = lb_vertex_layout(), bad.stride = 12;
  check_fails(lb_body_write_vertices(s.body, &bad, 0, 1, out, bytes, &err), LB_ERR_ARGUMENT, err,
              "left out");
  bad = full_layout();
  check_fails(lb_body_write_vertices(s.body, &bad, 0, 1, out, bytes, &err), LB_ERR_ARGUMENT, err,
              "tangent is for render vertices");
  lbRenderMesh *mesh = NULL;
  check_ok(lb_render_mesh_create(s.toy.model, &mesh, &err), err);
  check_fails(lb_body_write_render_vertices(s.body, mesh, &good, 0, 1, out, bytes, &err),
              LB_ERR_ARGUMENT, err, "another model");
  lb_render_mesh_destroy(mesh);
  free(out);
  hide(&s);
}

// ---- render meshes -----------------------------------------------------------------------------

// du1 dv2 - du2 dv1 of a triangle's texture coordinates.
static double picture_area(const lbModel *model, int32_t triangle) {
  const float *uv = model->corner_uvs + 6 * (size_t)triangle;
  return ((double)uv[2] - uv[0]) * ((double)uv[5] - uv[1]) -
         ((double)uv[4] - uv[0]) * ((double)uv[3] - uv[1]);
}

static void render_vertices_lead_back_to_the_surface(void **state) {
  (void)state;
  Shown s = show();
  lbError err;
  lbRenderMesh *mesh = NULL;
  check_ok(lb_render_mesh_create(s.model, &mesh, &err), err);
  int32_t corners = mesh->index_count, next = 0;
  assert_int_equal(corners, 3 * s.model->size.triangle_count);
  bool *seen = calloc((size_t)corners, 1), *used = calloc((size_t)mesh->vertex_count, 1);
  for (int32_t i = 0; i < corners; i++) {
    uint32_t v = mesh->indices[i];
    int32_t corner = 3 * mesh->triangles[i / 3] + i % 3;
    assert_true(v < (uint32_t)mesh->vertex_count);
    assert_false(seen[corner]);
    seen[corner] = used[v] = true;
    assert_int_equal(mesh->sources[v], s.model->triangles[corner]);
    assert_memory_equal(mesh->uvs + 2 * v, s.model->corner_uvs + 2 * corner, 2 * sizeof(float));
  }
  for (int32_t v = 0; v < mesh->vertex_count; v++) assert_true(used[v]);
  for (int32_t v = 1; v < mesh->vertex_count; v++)
    assert_true(mesh->sources[v - 1] <= mesh->sources[v]);
  assert_int_equal(mesh->part_count, 3);
  const int32_t appearances[3] = { -1, 0, 2 };
  for (int32_t i = 0; i < 3; i++) {
    const lbRenderPart *part = mesh->parts + i;
    assert_int_equal(part->appearance, appearances[i]);
    assert_int_equal(part->index_begin, next);
    assert_true(part->index_count > 0);
    next += part->index_count;
    for (int32_t k = part->index_begin; k < next; k++)
      assert_int_equal(s.model->triangle_appearances[mesh->triangles[k / 3]], part->appearance);
  }
  assert_int_equal(next, corners);
  free(seen), free(used);
  lb_render_mesh_destroy(mesh);
  hide(&s);
}

// As many as there are different (vertex, u, v, mirrored or not), counted pair by pair.
static void no_render_vertex_is_there_twice(void **state) {
  (void)state;
  Shown s = show();
  lbError err;
  lbRenderMesh *mesh = NULL;
  check_ok(lb_render_mesh_create(s.model, &mesh, &err), err);
  int32_t different = 0, lonely = 0;
  for (int32_t a = 0; a < mesh->index_count; a++) {
    double area = picture_area(s.model, a / 3);
    bool first = true, company = false;
    for (int32_t b = 0; b < mesh->index_count; b++) {
      const float *x = s.model->corner_uvs + 2 * a, *y = s.model->corner_uvs + 2 * b;
      if (s.model->triangles[a] != s.model->triangles[b] || x[0] != y[0] || x[1] != y[1]) continue;
      double other = picture_area(s.model, b / 3);
      if (b < a && (area > 0) == (other > 0) && other != 0) first = false;
      if (other != 0 || b < a) company = true;
    }
    if (area != 0) different += first;
    if (area == 0 && !company) lonely++;
  }
  print_message("%d surface vertices, %d render vertices\n", s.count, mesh->vertex_count);
  assert_int_equal(mesh->vertex_count, different + lonely);
  assert_true(mesh->vertex_count > s.count);
  int32_t folds = 0;
  for (int32_t v = 1; v < mesh->vertex_count; v++)
    folds += mesh->sources[v] == mesh->sources[v - 1] &&
             memcmp(mesh->uvs + 2 * v, mesh->uvs + 2 * v - 2, 2 * sizeof(float)) == 0;
  assert_true(folds > 0);
  lb_render_mesh_destroy(mesh);
  hide(&s);
}

// The mean of dx/du by the inverse of each triangle's 2 x 2 matrix, over the triangles that use the
// vertex.
static lbVec3 direction_of_u(const Shown *s, const lbRenderMesh *mesh, int32_t vertex,
                             double *mirror) {
  lbVec3 sum = lb_vec3(0, 0, 0);
  for (int32_t i = 0; i < mesh->index_count; i++) {
    if (mesh->indices[i] != (uint32_t)vertex) continue;
    int32_t t = mesh->triangles[i / 3];
    const float *uv = s->model->corner_uvs + 6 * t;
    lbVec3 x[3], rest[3];
    for (int k = 0; k < 3; k++) {
      x[k] = lb_vec3_load(s->positions + 3 * s->model->triangles[3 * t + k]);
      rest[k] = lb_vec3_load(s->model->vertex_positions + 3 * s->model->triangles[3 * t + k]);
    }
    double det = picture_area(s->model, t);
    if (det == 0) continue;
    double area = 0.5 * lb_length(lb_cross(lb_sub(rest[1], rest[0]), lb_sub(rest[2], rest[0])));
    lbVec3 along = lb_sub(lb_scale((double)uv[5] - uv[1], lb_sub(x[1], x[0])),
                          lb_scale((double)uv[3] - uv[1], lb_sub(x[2], x[0])));
    sum = lb_add_scaled(sum, area / det, along);
    *mirror = det < 0 ? 1 : -1;
  }
  return sum;
}

static void tangents_lie_across_the_normal_along_growing_u(void **state) {
  (void)state;
  Shown s = show();
  lbError err;
  lbRenderMesh *mesh = NULL;
  check_ok(lb_render_mesh_create(s.model, &mesh, &err), err);
  size_t bytes = (size_t)mesh->vertex_count * sizeof(Vertex);
  Vertex *out = calloc(1, bytes);
  lbVertexLayout layout = full_layout();
  check_ok(
      lb_body_write_render_vertices(s.body, mesh, &layout, 0, mesh->vertex_count, out, bytes, &err),
      err);
  int32_t upright = 0, mirrored = 0;
  for (int32_t v = 0; v < mesh->vertex_count; v++) {
    lbVec3 n = lb_vec3_load(s.normals + 3 * mesh->sources[v]);
    lbVec3 t = lb_vec3(out[v].tangent[0], out[v].tangent[1], out[v].tangent[2]);
    double mirror = 0;
    lbVec3 u = direction_of_u(&s, mesh, v, &mirror);
    check_near(lb_length(t), 1, 1e-6);
    check_small(lb_dot(t, n), 1e-6);
    if (mirror == 0) continue; // no triangle has a direction
    lbVec3 flat = lb_normalise(lb_sub(u, lb_scale(lb_dot(u, n), n)));
    check_small(toy_distance(t, flat), 1e-6);
    assert_true((double)out[v].tangent[3] == mirror);
    assert_memory_equal(out[v].uv, mesh->uvs + 2 * v, 2 * sizeof(float));
    upright += mirror > 0, mirrored += mirror < 0;
  }
  assert_true(upright > 10 && mirrored > 10);
  free(out);
  lb_render_mesh_destroy(mesh);
  hide(&s);
}

// A picture that lies on a triangle as on a screen: u to the right, v down, seen from outside.
static void an_upright_picture_has_w_of_one_and_its_top_upwards(void **state) {
  (void)state;
  Shown s = show();
  lbError err;
  lbModel draft = *s.model, *model = NULL;
  lbRenderMesh *mesh = NULL;
  lbBody *body = NULL;
  float *uvs = calloc(6 * (size_t)draft.size.triangle_count, sizeof *uvs);
  int32_t *appearances = calloc((size_t)draft.size.triangle_count, sizeof *appearances);
  for (int32_t t = 0; t < draft.size.triangle_count; t++) {
    const float screen[6] = { 0, 1, 1, 1, 0, 0 }; // lower left, lower right, upper left
    memcpy(uvs + 6 * t, screen, sizeof screen);
  }
  draft.corner_uvs = uvs, draft.triangle_appearances = appearances;
  draft.owner_ = NULL, draft.shared_ = NULL;
  check_ok(lb_model_create(&draft, &model, &err), err);
  check_ok(lb_render_mesh_create(model, &mesh, &err), err);
  lbBodyDef def = lb_body_def();
  check_ok(lb_body_create(model, &def, &body, &err), err);
  size_t bytes = (size_t)mesh->vertex_count * sizeof(Vertex);
  Vertex *out = calloc(1, bytes);
  lbVertexLayout layout = full_layout();
  check_ok(
      lb_body_write_render_vertices(body, mesh, &layout, 0, mesh->vertex_count, out, bytes, &err),
      err);
  for (int32_t v = 0; v < mesh->vertex_count; v++) assert_true(out[v].tangent[3] == 1);
  free(uvs), free(appearances), free(out);
  lb_body_destroy(body);
  lb_render_mesh_destroy(mesh);
  lb_model_destroy(model);
  hide(&s);
}

static void without_texture_coordinates_render_vertices_are_the_surface(void **state) {
  (void)state;
  Toy toy = toy_bar();
  lbBody *body = toy_body(&toy, NULL);
  lbError err;
  lbRenderMesh *mesh = NULL;
  check_ok(lb_render_mesh_create(toy.model, &mesh, &err), err);
  assert_int_equal(mesh->vertex_count, toy.model->size.vertex_count);
  assert_null(mesh->uvs);
  assert_int_equal(mesh->part_count, 1);
  assert_int_equal(mesh->parts[0].appearance, -1);
  Vertex out;
  lbVertexLayout layout = full_layout();
  for (int32_t v = 0; v < mesh->vertex_count; v++) {
    assert_int_equal(mesh->sources[v], v);
    check_ok(lb_body_write_render_vertices(body, mesh, &layout, v, 1, &out, sizeof out, &err), err);
    lbVec3 n = lb_vec3(out.normal[0], out.normal[1], out.normal[2]);
    lbVec3 t = lb_vec3(out.tangent[0], out.tangent[1], out.tangent[2]);
    check_near(lb_length(t), 1, 1e-6);
    check_small(lb_dot(t, n), 1e-6);
    assert_true(out.tangent[3] == 1 && out.uv[0] == 0 && out.uv[1] == 0);
  }
  lb_render_mesh_destroy(mesh);
  lb_body_destroy(body);
  toy_destroy(&toy);
}

static void running_out_of_memory_is_survived(void **state) {
  (void)state;
  Shown s = show();
  lbError err;
  bool made = false;
  for (int64_t n = 0; !made; n++) {
    CheckedHeap heap = { .fail_at = n };
    lbAllocator allocator = checked_allocator(&heap);
    lbRenderMesh *mesh = NULL;
    lb_set_allocator(&allocator);
    lbStatus status = lb_render_mesh_create(s.model, &mesh, &err);
    made = status == LB_OK;
    if (made) lb_render_mesh_destroy(mesh);
    lb_set_allocator(NULL);
    assert_int_equal(heap.live, 0);
    if (!made) assert_int_equal(status, LB_ERR_MEMORY);
  }
  hide(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(floats_are_the_surface_rounded_and_nothing_else_is_touched),
    cmocka_unit_test(a_range_has_the_bits_of_the_whole),
    cmocka_unit_test(bad_layouts_ranges_and_buffers_are_refused),
    cmocka_unit_test(render_vertices_lead_back_to_the_surface),
    cmocka_unit_test(no_render_vertex_is_there_twice),
    cmocka_unit_test(tangents_lie_across_the_normal_along_growing_u),
    cmocka_unit_test(an_upright_picture_has_w_of_one_and_its_top_upwards),
    cmocka_unit_test(without_texture_coordinates_render_vertices_are_the_surface),
    cmocka_unit_test(running_out_of_memory_is_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
