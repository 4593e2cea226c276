// The run side alone: no solver, no file, no thread, only libc and libm.
// A tet is turned and stretched; a point in it follows, and the rotation is found again.
#include <limber/limber.h>
#include <stdio.h>

int main(void) {
  // One point in the middle of one tet: x_point = sum of weight x_node.
  int32_t begin[] = { 0, 4 }, nodes[] = { 0, 1, 2, 3 }, elements[] = { 0 };
  double weights[] = { 0.25, 0.25, 0.25, 0.25 };
  lbEmbedding embedding = { .point_count = 1,
                            .node_count = 4,
                            .begin = begin,
                            .nodes = nodes,
                            .weights = weights,
                            .elements = elements };
  double positions[4][3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, point[3];

  // F = R S: a stretch along x, then a quarter turn about z.
  lbQuat turn = lb_quat_from_axis_angle(lb_vec3(0, 0, 1), LB_PI / 2);
  lbMat3 F = lb_mat3_multiply(lb_quat_to_mat3(turn), lb_mat3_diagonal(1.5, 1, 1));
  for (int i = 0; i < 4; i++)
    lb_vec3_store(positions[i], lb_mat3_apply(F, lb_vec3_load(positions[i])));
  lb_embedding_apply(&embedding, positions[0], point);

  lbMat3 R, S;
  lb_polar3(F, &R, &S);
  lbVec3 rotation = lb_quat_log(lb_quat_from_mat3(R)); // axis times angle
  printf("the point moved to %.3f %.3f %.3f\n", point[0], point[1], point[2]);
  printf("rotation %.1f degrees about z, stretch %.3f %.3f %.3f\n", rotation.z * 180 / LB_PI,
         S.m[0], S.m[4], S.m[8]);
  return 0;
}
