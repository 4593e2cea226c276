// What a game does: a plant on a cart, a ball that pushes it, an explosion, a meadow of 500 more,
// and the float vertices that go to the graphics card each frame.
#include <limber/limber.h>

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Vertex {
  float position[3], normal[3], tangent[4], uv[2];
};

static lbError err;

static void must(lbStatus status) {
  if (status == LB_OK) return;
  std::fprintf(stderr, "%s\n", err.text);
  std::exit(1);
}

int main(int count, char **words) {
  if (count < 2) return std::fprintf(stderr, "usage: game MODEL.glb\n"), 2;
  lbModel *model = nullptr;
  lbRenderMesh *mesh = nullptr;
  must(lb_model_load(words[1], &model, &err));
  must(lb_render_mesh_create(model, &mesh, &err)); // indices and parts: uploaded once

  lbBody *plant = nullptr;
  lbBodyDef def = lb_body_def();
  def.frame = LB_FRAME_DRIVEN;
  must(lb_body_create(model, &def, &plant, &err));
  lb_body_prepare_queries(plant); // now, not at the first push

  lbBatch *meadow = nullptr;
  lbBatchDef many = lb_batch_def();
  std::vector<lbVec3> places;
  for (int i = 0; i < 500; i++) places.push_back(lb_vec3(2 * (i % 25), 2 + i / 25, 0));
  many.count = 500, many.positions = places.data();
  must(lb_batch_create(model, &many, &meadow, &err));

  lbVertexLayout layout = lb_vertex_layout();
  layout.stride = sizeof(Vertex);
  layout.position = offsetof(Vertex, position), layout.normal = offsetof(Vertex, normal);
  layout.tangent = offsetof(Vertex, tangent), layout.uv = offsetof(Vertex, uv);
  std::vector<Vertex> buffer(mesh->vertex_count);

  const lbPoint tip = lb_point_vertex(model->size.vertex_count - 1);
  const double dt = 1.0 / 60;
  for (int frame = 0; frame < 120; frame++) {
    double t = (frame + 1) * dt; // the cart rolls to and fro
    lb_body_drive_to(plant, lb_vec3(0, 0.2 * std::sin(3 * t), 0), lb_quat(0, 0, 0, 1));
    lbVec3 where, pushed = lb_vec3(0, 0, 0);
    lb_body_point(plant, tip, &where, nullptr);
    lbBall ball = { lb_add(where, lb_vec3(0, 0, 0.04)), lb_vec3(0, 0, 0), 0.05, 500 };
    if (frame < 30) lb_body_push_ball(plant, &ball, dt, &pushed);
    if (frame == 60)
      for (int i = 0; i < lb_batch_count(meadow); i++)
        lb_body_apply_radial_impulse(lb_batch_body(meadow, i), lb_vec3(24, 12, -1), 15, 20);
    int32_t flags = lb_body_step(plant, dt) | lb_batch_step(meadow, dt);
    must(lb_body_write_render_vertices(plant, mesh, &layout, 0, mesh->vertex_count, buffer.data(),
                                       buffer.size() * sizeof(Vertex), &err));
    lbVec3 middle;
    lb_body_point(lb_batch_body(meadow, 262), tip, &middle, nullptr);
    std::printf("%.3f s: y %.4f m, push %.3f N, meadow %.5f m, flags %d\n", t,
                (double)buffer.back().position[1], lb_length(pushed), middle.z, (int)flags);
  }
  lb_batch_destroy(meadow);
  lb_body_destroy(plant);
  lb_render_mesh_destroy(mesh);
  lb_model_destroy(model);
  return 0;
}
