// A model made by hand, some kB as a file, with every array in it: a brick whose floor is held, two
// tets on top of it, and a tetrahedron as the surface. Its modes move the tip (node 8) along x, y
// and z; its subspace is made of two vectors that do the same. All numbers are exact in binary, so
// that every machine makes the same bytes.
//
// Everything lies in a SmallModel that a test may change before it uses `draft`.
#ifndef LB_TESTS_SMALL_MODEL_H
#define LB_TESTS_SMALL_MODEL_H

#include "check.h"
#include "limber/material.h"
#include "limber/model.h"

enum {
  SMALL_NODES = 9,
  SMALL_FRAME_COUNT = 2,
  SMALL_SAMPLES = 2,
  SMALL_ENTRIES = 3,
  SMALL_CELLS = 3,
  SMALL_TETS = 2,
  SMALL_BRICKS = 1,
  SMALL_ELEMENTS = 4,
  SMALL_MATERIALS = 2,
  SMALL_VERTICES = 4,
  SMALL_TRIANGLES = 4,
  SMALL_CARRIERS = 6,
  SMALL_LOOKS = 2,
  SMALL_TEXTURES = 2,
  SMALL_MODES = 3,
  SMALL_CANDIDATES = 5,
  SMALL_DIMENSION = 2,
  SMALL_PARTS = 2 * SMALL_MATERIALS,
  SMALL_PACKED2 = 3,
  SMALL_PACKED3 = 4,
  SMALL_PACKED4 = 5,
  SMALL_MOTIONS = 2,
  SMALL_RECORDED = 2,
  SMALL_FRAMES = 4,
  SMALL_SHELLS = 1,
  SMALL_CUBATURE = 2,
  SMALL_POSES = 3,
  SMALL_CORES = 1,
  SMALL_CORE_KEYS = 2,
  SMALL_TIP = 8, // the node that the modes move
};

typedef struct SmallModel {
  lbModel draft; // look here
  char name[32], provenance[96];
  int32_t up[1];
  double node_positions[SMALL_NODES][3], node_masses[SMALL_NODES];
  uint8_t node_fixed[SMALL_NODES];
  int32_t tets[SMALL_TETS][4], bricks[SMALL_BRICKS][8];
  int32_t element_materials[SMALL_ELEMENTS], material_laws[SMALL_MATERIALS];
  double material_values[SMALL_MATERIALS][6];
  double rigid_mass[1], rigid_centre[3], rigid_inertia[3][3];
  double vertex_positions[SMALL_VERTICES][3];
  int32_t vertex_sources[SMALL_VERTICES], triangles[SMALL_TRIANGLES][3];
  float corner_uvs[SMALL_TRIANGLES][3][2];
  int32_t triangle_appearances[SMALL_TRIANGLES];
  int32_t carrier_begin[SMALL_VERTICES + 1], carrier_nodes[SMALL_CARRIERS];
  double carrier_weights[SMALL_CARRIERS];
  char appearance_names[32];
  float appearance_colors[SMALL_LOOKS][4], appearance_metal_roughness[SMALL_LOOKS][2];
  int32_t appearance_textures[SMALL_LOOKS];
  char texture_names[32], texture_mimes[32];
  int64_t texture_ranges[SMALL_TEXTURES][2];
  double modal_basis[SMALL_MODES][3 * SMALL_NODES], modal_eigenvalues[SMALL_MODES];
  double modal_damping[2], modal_gravity[SMALL_MODES][3], modal_rigid[SMALL_MODES][6];
  double modal_residuals[SMALL_MODES];
  double candidate_eigenvalues[SMALL_CANDIDATES], candidate_amplitudes[SMALL_CANDIDATES];
  int32_t candidate_fates[SMALL_CANDIDATES];
  double subspace_basis[SMALL_DIMENSION][3 * SMALL_NODES], subspace_values[SMALL_DIMENSION];
  double subspace_damping[2], subspace_gravity[SMALL_DIMENSION][3];
  double subspace_rigid[SMALL_DIMENSION][6];
  double subspace_linear[SMALL_PARTS][SMALL_PACKED2];
  double subspace_quadratic[SMALL_PARTS][SMALL_PACKED3];
  double subspace_cubic[SMALL_PARTS][SMALL_PACKED4];
  double subspace_mass[SMALL_MATERIALS][SMALL_PACKED2];
  double subspace_pull[SMALL_MATERIALS][3 * SMALL_DIMENSION];
  char accuracy_motions[32], accuracy_coverage[48];
  double accuracy_values[SMALL_MOTIONS][6];
  double full_damping[2], recording_basis[SMALL_RECORDED][3 * SMALL_NODES];
  double recording_coordinates[SMALL_FRAMES][SMALL_RECORDED], recording_rate[1];
  int32_t full_mass[1];
  double modal_inertia_first[SMALL_MODES][9], modal_inertia_second[SMALL_MODES][SMALL_MODES][9];
  double subspace_inertia_first[SMALL_DIMENSION][9];
  double subspace_inertia_second[SMALL_DIMENSION][SMALL_DIMENSION][9];
  int32_t shells[SMALL_SHELLS][3], cubature_elements[SMALL_CUBATURE];
  double material_shells[SMALL_MATERIALS][4], cubature_weights[SMALL_CUBATURE];
  double cubature_poses[SMALL_POSES][SMALL_DIMENSION], cubature_errors[2];
  int32_t warp_settings[4];
  double warp_damping[2], warp_stretch_limit[1];
  int32_t warp_cores[SMALL_NODES], warp_core_kinds[SMALL_CORES], warp_core_begin[SMALL_CORES + 1];
  int32_t warp_core_paths[SMALL_CORES][3];
  double warp_core_hinges[SMALL_CORES][6], warp_core_times[SMALL_CORE_KEYS];
  double warp_core_positions[SMALL_CORE_KEYS][3], warp_core_rotations[SMALL_CORE_KEYS][4];
  double warp_core_position_tangents[SMALL_CORE_KEYS][6];
  double warp_core_rotation_tangents[SMALL_CORE_KEYS][8];
  double frame_poses[SMALL_FRAME_COUNT][7], frame_damping[2], frame_bulk[1];
  uint8_t frame_fixed[SMALL_FRAME_COUNT], voxel_cells[SMALL_CELLS];
  int32_t frame_settings[3], sample_materials[SMALL_SAMPLES], sample_begin[SMALL_SAMPLES + 1];
  double sample_positions[SMALL_SAMPLES][3], sample_volumes[SMALL_SAMPLES];
  double sample_masses[SMALL_SAMPLES], sample_stiffness[SMALL_SAMPLES];
  double sample_shares[SMALL_SAMPLES][2];
  int32_t sample_frames[SMALL_ENTRIES], node_frame_begin[SMALL_NODES + 1];
  double sample_weights[SMALL_ENTRIES][4], node_weights[SMALL_NODES];
  int32_t node_frames[SMALL_NODES], node_voxels[SMALL_NODES], voxel_size[3];
  double voxel_grid[4];
  int32_t rigid_shape[1];
  double rigid_size[4];
  uint8_t pictures[64];
} SmallModel;

#define SMALL_COPY(field, ...) memcpy(s->field, (__VA_ARGS__), sizeof s->field)

static inline void small_volume(SmallModel *s) {
  static const double masses[] = { .125, .125, .125, .125, .3125, .3125, .3125, .3125, .25 };
  for (int i = 0; i < 8; i++) {
    s->node_positions[i][0] = i % 4 == 1 || i % 4 == 2;
    s->node_positions[i][1] = i % 4 >= 2;
    s->node_positions[i][2] = i / 4;
    s->node_fixed[i] = i < 4;
  }
  memcpy(s->node_positions[SMALL_TIP], (double[]){ .5, .5, 2 }, sizeof *s->node_positions);
  SMALL_COPY(node_masses, masses);
  SMALL_COPY(bricks, (int32_t[]){ 0, 1, 2, 3, 4, 5, 6, 7 });
  SMALL_COPY(tets, (int32_t[]){ 4, 5, 6, 8, 4, 6, 7, 8 });
  SMALL_COPY(element_materials, (int32_t[]){ 1, 1, 0, 0 });
  SMALL_COPY(material_laws, (int32_t[]){ LB_MATERIAL_STVK, LB_MATERIAL_NEOHOOKEAN });
  SMALL_COPY(material_values, (double[]){ 1e6, .25, 1024, 0, 0, 0, 5e5, .375, 512, 0, 0, 0 });
}

// Of the nodes' masses.
static inline void small_rigid(SmallModel *s) {
  for (int i = 0; i < SMALL_NODES; i++) {
    s->rigid_mass[0] += s->node_masses[i];
    for (int k = 0; k < 3; k++) s->rigid_centre[k] += s->node_masses[i] * s->node_positions[i][k];
  }
  for (int k = 0; k < 3; k++) s->rigid_centre[k] /= s->rigid_mass[0];
  for (int i = 0; i < SMALL_NODES; i++)
    for (int k = 0; k < 3; k++)
      for (int l = 0; l < 3; l++) {
        double part = s->node_masses[i] * (s->node_positions[i][k] - s->rigid_centre[k]) *
                      (s->node_positions[i][l] - s->rigid_centre[l]);
        s->rigid_inertia[k][l] -= part;
        if (k == l)
          for (int d = 0; d < 3; d++) s->rigid_inertia[d][d] += part;
      }
}

static inline void small_surface(SmallModel *s) {
  SMALL_COPY(carrier_begin, (int32_t[]){ 0, 1, 2, 4, 6 });
  SMALL_COPY(carrier_nodes, (int32_t[]){ 4, 5, 6, 7, 8, 6 });
  SMALL_COPY(carrier_weights, (double[]){ 1, 1, .5, .5, 1.25, -.25 });
  for (int v = 0; v < SMALL_VERTICES; v++)
    for (int e = s->carrier_begin[v]; e < s->carrier_begin[v + 1]; e++)
      for (int k = 0; k < 3; k++)
        s->vertex_positions[v][k] +=
            s->carrier_weights[e] * s->node_positions[s->carrier_nodes[e]][k];
  SMALL_COPY(vertex_sources, (int32_t[]){ 10, 4, 7, 2 });
  SMALL_COPY(triangles, (int32_t[]){ 0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3 });
  SMALL_COPY(triangle_appearances, (int32_t[]){ 0, 1, -1, 1 });
  for (int i = 0; i < SMALL_TRIANGLES * 6; i++) (&s->corner_uvs[0][0][0])[i] = (float)i * .03125f;
}

static inline void small_looks(SmallModel *s) {
  memcpy(s->appearance_names, "Glanz \xc3\xa9\0\xe6\x9f\x94\xe8\xbb\x9f", 16);
  SMALL_COPY(appearance_colors, (float[]){ 1, .5f, .25f, 1, 0, .125f, .75f, .5f });
  SMALL_COPY(appearance_metal_roughness, (float[]){ 0, 1, .75f, .375f });
  SMALL_COPY(appearance_textures, (int32_t[]){ -1, 0 });
  memcpy(s->texture_names, "wood grain.png\0", 16); // the second has an empty name
  memcpy(s->texture_mimes, "image/png\0image/jpeg", 21);
  memcpy(s->pictures + 5, "\x89PNG\r\n\x1a\nnot a real one", 22);
  SMALL_COPY(texture_ranges, (int64_t[]){ 5, 22, 0, 0 }); // the second has no picture
}

// Mass-orthonormal for the nodes' masses: mode k moves the tip along axis k by 1 / sqrt(mass).
static inline void small_modes(SmallModel *s) {
  double root = .5, r[3]; // square root of the tip's mass
  for (int k = 0; k < 3; k++) r[k] = s->node_positions[SMALL_TIP][k] - s->rigid_centre[k];
  for (int k = 0; k < SMALL_MODES; k++) {
    s->modal_basis[k][3 * SMALL_TIP + k] = 1 / root;
    s->modal_gravity[k][k] = root;
    s->modal_rigid[k][k] = root;
    s->modal_rigid[k][3 + (k + 1) % 3] = root * r[(k + 2) % 3]; // (w x r)_k
    s->modal_rigid[k][3 + (k + 2) % 3] = -root * r[(k + 1) % 3];
  }
  SMALL_COPY(modal_eigenvalues, (double[]){ 400, 900, 2500 });
  SMALL_COPY(modal_damping, (double[]){ .5, .0009765625 });
  SMALL_COPY(modal_residuals, (double[]){ 0, 0x1p-40, 0x1p-39 });
  SMALL_COPY(candidate_eigenvalues, (double[]){ 400, 900, 1600, 2500, 1e6 });
  SMALL_COPY(candidate_amplitudes, (double[]){ 2, 2, 0x1p-30, 2, 1 });
  SMALL_COPY(candidate_fates, (int32_t[]){ LB_MODE_KEPT, LB_MODE_KEPT, LB_MODE_TOO_WEAK,
                                           LB_MODE_KEPT, LB_MODE_TOO_FAST });
}

// The first modes once more, with forces of each material's two constants.
static inline void small_subspace(SmallModel *s) {
  memcpy(s->subspace_basis, s->modal_basis, sizeof s->subspace_basis);
  memcpy(s->subspace_gravity, s->modal_gravity, sizeof s->subspace_gravity);
  memcpy(s->subspace_rigid, s->modal_rigid, sizeof s->subspace_rigid);
  SMALL_COPY(subspace_values, (double[]){ 1, .25 });
  SMALL_COPY(subspace_damping, (double[]){ .25, 0x1p-9 });
  SMALL_COPY(warp_settings, (int32_t[]){ LB_WARP_ELEMENT, LB_WARP_FEM, LB_WARP_WARPED, 20 });
  SMALL_COPY(warp_damping, (double[]){ .125, 0x1p-8 });
  SMALL_COPY(warp_stretch_limit, (double[]){ 1.5 });
  for (int p = 0; p < SMALL_PARTS; p++) {
    double share = 0x1p-12 * (p + 1); // as much of 1 Pa
    s->subspace_linear[p][0] = s->subspace_linear[p][2] = share;
    for (int i = 0; i < SMALL_PACKED3; i++) s->subspace_quadratic[p][i] = share * .125 * i;
    s->subspace_cubic[p][0] = s->subspace_cubic[p][4] = 4 * share;
  }
  SMALL_COPY(subspace_mass, (double[]){ .25, 0, .25, .75, 0, .75 });
  for (int k = 0; k < 3 * SMALL_DIMENSION; k++) {
    s->subspace_pull[0][k] = .25 * s->subspace_gravity[k / 3][k % 3];
    s->subspace_pull[1][k] = .75 * s->subspace_gravity[k / 3][k % 3];
  }
  memcpy(s->accuracy_motions, "release\0impulse", 16);
  strcpy(s->accuracy_coverage, "two motions; nothing was left out");
  SMALL_COPY(accuracy_values,
             (double[]){ .125, 1, .03125, .0625, .015625, .25, .125, .5, .5, .75, -1, -1 });
}

// The tip goes up and comes down while it goes along x.
static inline void small_recording(SmallModel *s) {
  SMALL_COPY(full_damping, (double[]){ .125, 0x1p-10 });
  SMALL_COPY(recording_coordinates, (double[]){ 0, 0, .25, .5, .5, .5, .75, 0 });
  s->full_mass[0] = 1;
  s->recording_rate[0] = 32;
  s->recording_basis[0][3 * SMALL_TIP] = s->modal_basis[0][3 * SMALL_TIP];
  s->recording_basis[1][3 * SMALL_TIP + 2] = s->modal_basis[2][3 * SMALL_TIP + 2];
}

// A1_k = root e_k r^T and A2_kl = e_k e_l^T: the tip alone moves.
static inline void small_inertia(SmallModel *s) {
  double root = .5;
  for (int k = 0; k < SMALL_MODES; k++)
    for (int l = 0; l < 3; l++) {
      s->modal_inertia_first[k][3 * k + l] =
          root * (s->node_positions[SMALL_TIP][l] - s->rigid_centre[l]);
      s->modal_inertia_second[k][l][3 * k + l] = 1;
    }
  memcpy(s->subspace_inertia_first, s->modal_inertia_first, sizeof s->subspace_inertia_first);
  for (int k = 0; k < SMALL_DIMENSION; k++)
    memcpy(s->subspace_inertia_second[k], s->modal_inertia_second[k],
           sizeof s->subspace_inertia_second[k]);
}

// A triangle of a shell, and forces by cubature, which bodies leave alone: there are polynomials.
static inline void small_cubature(SmallModel *s) {
  SMALL_COPY(shells, (int32_t[]){ 4, 5, 8 });
  SMALL_COPY(material_shells, (double[]){ .125, 0, 0, 0, .25, 64, 32, 2 });
  SMALL_COPY(cubature_elements, (int32_t[]){ 0, 2 });
  SMALL_COPY(cubature_weights, (double[]){ 1.5, .75 });
  SMALL_COPY(cubature_poses, (double[]){ 0, .25, .5, -.25, -.5, .125 });
  SMALL_COPY(cubature_errors, (double[]){ .03125, .0625 });
}

// The tip as a scripted core.
static inline void small_cores(SmallModel *s) {
  for (int i = 0; i < SMALL_NODES; i++) s->warp_cores[i] = i == SMALL_TIP ? 0 : -1;
  SMALL_COPY(warp_core_kinds, (int32_t[]){ LB_CORE_SCRIPTED });
  SMALL_COPY(warp_core_begin, (int32_t[]){ 0, SMALL_CORE_KEYS });
  SMALL_COPY(warp_core_paths, (int32_t[]){ 1, 0, 15 });
  SMALL_COPY(warp_core_times, (double[]){ 0, .5 });
  SMALL_COPY(warp_core_positions, (double[]){ 0, 0, 0, .125, 0, .25 });
  SMALL_COPY(warp_core_rotations, (double[]){ 0, 0, 0, 1, 0, 0, .5, 1 });
  s->warp_core_position_tangents[1][0] = .5;
  s->warp_core_rotation_tangents[1][3] = .25;
}

// Two frames, samples in two of three cells.
static inline void small_frames(SmallModel *s) {
  SMALL_COPY(frame_poses, (double[]){ .5, .5, .25, 0, 0, 0, 1, .5, .5, 1.25, 0, 0, .6, .8 });
  SMALL_COPY(frame_fixed, (uint8_t[]){ 1, 0 });
  SMALL_COPY(frame_damping, (double[]){ .25, 0x1p-7 });
  SMALL_COPY(frame_bulk, (double[]){ .5 });
  SMALL_COPY(frame_settings, (int32_t[]){ LB_FRAME_SAMPLES, LB_FRAME_LUMPED, 1 });
  SMALL_COPY(sample_positions, (double[]){ .5, .5, .25, .5, .5, 1.25 });
  SMALL_COPY(sample_volumes, (double[]){ .5, .25 });
  SMALL_COPY(sample_masses, (double[]){ 1, 1 });
  SMALL_COPY(sample_materials, (int32_t[]){ 0, 1 });
  SMALL_COPY(sample_stiffness, (double[]){ 1, 2 });
  SMALL_COPY(sample_shares, (double[]){ 1, .5, 2, 1.5 });
  SMALL_COPY(sample_begin, (int32_t[]){ 0, 2, 3 });
  SMALL_COPY(sample_frames, (int32_t[]){ 0, 1, 1 });
  SMALL_COPY(sample_weights, (double[]){ .75, 0, 0, -1, .25, 0, 0, 1, 1, 0, 0, 0 });
  for (int n = 0; n < SMALL_NODES; n++) {
    s->node_frame_begin[n + 1] = n + 1;
    s->node_frames[n] = s->node_voxels[n] = n >= 4;
    s->node_weights[n] = 1;
  }
  SMALL_COPY(voxel_grid, (double[]){ 0, 0, -.25, .5 });
  SMALL_COPY(voxel_size, (int32_t[]){ 1, 1, 3 });
  SMALL_COPY(voxel_cells, (uint8_t[]){ 1, 0, 1 | 8 });
}

// Points the draft at the arrays of this SmallModel.
static inline void small_point(SmallModel *s) {
  s->draft = (lbModel){
    .size = { SMALL_NODES,       SMALL_TETS,       SMALL_BRICKS,    SMALL_ELEMENTS, SMALL_MATERIALS,
              SMALL_VERTICES,    SMALL_TRIANGLES,  SMALL_CARRIERS,  SMALL_LOOKS,    SMALL_TEXTURES,
              SMALL_MODES,       SMALL_CANDIDATES, SMALL_DIMENSION, SMALL_PARTS,    SMALL_PACKED2,
              SMALL_PACKED3,     SMALL_PACKED4,    SMALL_MOTIONS,   SMALL_RECORDED, SMALL_FRAMES,
              SMALL_SHELLS,      SMALL_CUBATURE,   SMALL_POSES,     SMALL_CORES,    SMALL_CORE_KEYS,
              SMALL_FRAME_COUNT, SMALL_SAMPLES,    SMALL_ENTRIES,   SMALL_NODES,    SMALL_CELLS },
    .name = s->name,
    .provenance = s->provenance,
    .up = s->up,
    .node_positions = s->node_positions[0],
    .node_masses = s->node_masses,
    .node_fixed = s->node_fixed,
    .tets = s->tets[0],
    .bricks = s->bricks[0],
    .element_materials = s->element_materials,
    .material_laws = s->material_laws,
    .material_values = s->material_values[0],
    .rigid_mass = s->rigid_mass,
    .rigid_centre = s->rigid_centre,
    .rigid_inertia = s->rigid_inertia[0],
    .vertex_positions = s->vertex_positions[0],
    .vertex_sources = s->vertex_sources,
    .triangles = s->triangles[0],
    .corner_uvs = s->corner_uvs[0][0],
    .triangle_appearances = s->triangle_appearances,
    .carrier_begin = s->carrier_begin,
    .carrier_nodes = s->carrier_nodes,
    .carrier_weights = s->carrier_weights,
    .appearance_names = s->appearance_names,
    .appearance_colors = s->appearance_colors[0],
    .appearance_metal_roughness = s->appearance_metal_roughness[0],
    .appearance_textures = s->appearance_textures,
    .texture_names = s->texture_names,
    .texture_mimes = s->texture_mimes,
    .texture_ranges = s->texture_ranges[0],
    .modal_basis = s->modal_basis[0],
    .modal_eigenvalues = s->modal_eigenvalues,
    .modal_damping = s->modal_damping,
    .modal_gravity = s->modal_gravity[0],
    .modal_rigid = s->modal_rigid[0],
    .modal_residuals = s->modal_residuals,
    .candidate_eigenvalues = s->candidate_eigenvalues,
    .candidate_amplitudes = s->candidate_amplitudes,
    .candidate_fates = s->candidate_fates,
    .subspace_basis = s->subspace_basis[0],
    .subspace_values = s->subspace_values,
    .subspace_damping = s->subspace_damping,
    .warp_settings = s->warp_settings,
    .warp_damping = s->warp_damping,
    .warp_stretch_limit = s->warp_stretch_limit,
    .warp_cores = s->warp_cores,
    .warp_core_kinds = s->warp_core_kinds,
    .warp_core_hinges = s->warp_core_hinges[0],
    .warp_core_begin = s->warp_core_begin,
    .warp_core_paths = s->warp_core_paths[0],
    .warp_core_times = s->warp_core_times,
    .warp_core_positions = s->warp_core_positions[0],
    .warp_core_rotations = s->warp_core_rotations[0],
    .warp_core_position_tangents = s->warp_core_position_tangents[0],
    .warp_core_rotation_tangents = s->warp_core_rotation_tangents[0],
    .subspace_gravity = s->subspace_gravity[0],
    .subspace_rigid = s->subspace_rigid[0],
    .subspace_linear = s->subspace_linear[0],
    .subspace_quadratic = s->subspace_quadratic[0],
    .subspace_cubic = s->subspace_cubic[0],
    .subspace_mass = s->subspace_mass[0],
    .subspace_pull = s->subspace_pull[0],
    .accuracy_motions = s->accuracy_motions,
    .accuracy_values = s->accuracy_values[0],
    .accuracy_coverage = s->accuracy_coverage,
    .full_damping = s->full_damping,
    .full_mass = s->full_mass,
    .recording_basis = s->recording_basis[0],
    .recording_coordinates = s->recording_coordinates[0],
    .recording_rate = s->recording_rate,
    .modal_inertia_first = s->modal_inertia_first[0],
    .modal_inertia_second = s->modal_inertia_second[0][0],
    .subspace_inertia_first = s->subspace_inertia_first[0],
    .subspace_inertia_second = s->subspace_inertia_second[0][0],
    .shells = s->shells[0],
    .material_shells = s->material_shells[0],
    .cubature_elements = s->cubature_elements,
    .cubature_weights = s->cubature_weights,
    .cubature_poses = s->cubature_poses[0],
    .cubature_errors = s->cubature_errors,
    .frame_poses = s->frame_poses[0],
    .frame_fixed = s->frame_fixed,
    .frame_settings = s->frame_settings,
    .frame_damping = s->frame_damping,
    .frame_bulk = s->frame_bulk,
    .sample_positions = s->sample_positions[0],
    .sample_volumes = s->sample_volumes,
    .sample_masses = s->sample_masses,
    .sample_materials = s->sample_materials,
    .sample_stiffness = s->sample_stiffness,
    .sample_shares = s->sample_shares[0],
    .sample_begin = s->sample_begin,
    .sample_frames = s->sample_frames,
    .sample_weights = s->sample_weights[0],
    .node_frame_begin = s->node_frame_begin,
    .node_frames = s->node_frames,
    .node_weights = s->node_weights,
    .node_voxels = s->node_voxels,
    .voxel_grid = s->voxel_grid,
    .voxel_size = s->voxel_size,
    .voxel_cells = s->voxel_cells,
    .rigid_shape = s->rigid_shape,
    .rigid_size = s->rigid_size,
    .pictures = s->pictures,
    .pictures_bytes = sizeof s->pictures,
  };
}

static inline void small_model_fill(SmallModel *s) {
  memset(s, 0, sizeof *s);
  strcpy(s->name, "W\xc3\xbcrfel \xe2\x80\x9e\xce\xb1\xe2\x80\x9c \xf0\x9f\xa7\x8a");
  strcpy(s->provenance, "limber: 0.1.0\ninput: 0123456789abcdef\noptions: by hand\n");
  s->up[0] = 2;
  small_volume(s);
  small_rigid(s);
  small_surface(s);
  small_looks(s);
  small_modes(s);
  small_subspace(s);
  small_recording(s);
  small_inertia(s);
  small_cubature(s);
  small_cores(s);
  small_frames(s);
  SMALL_COPY(rigid_shape, (int32_t[]){ 3 });
  SMALL_COPY(rigid_size, (double[]){ .5, 0, 0, 1.25 });
  small_point(s);
}

static inline void small_model_strip_frames(SmallModel *s) {
  lbModel *d = &s->draft;
  d->size.frame_count = d->size.sample_count = d->size.sample_entry_count = 0;
  d->size.node_entry_count = d->size.voxel_cell_count = 0;
  d->frame_poses = d->frame_damping = d->frame_bulk = NULL, d->frame_fixed = NULL;
  d->frame_settings = NULL, d->sample_positions = d->sample_volumes = d->sample_masses = NULL;
  d->sample_materials = NULL, d->sample_stiffness = d->sample_shares = NULL;
  d->sample_begin = NULL;
  d->sample_frames = NULL, d->sample_weights = NULL, d->node_frame_begin = NULL;
  d->node_frames = NULL, d->node_weights = NULL, d->node_voxels = NULL, d->voxel_grid = NULL;
  d->voxel_size = NULL, d->voxel_cells = NULL;
  d->rigid_shape = NULL, d->rigid_size = NULL;
}

// Takes out what version 4 of the format added.
static inline void small_model_strip_cubature(SmallModel *s) {
  lbModel *d = &s->draft;
  d->size.element_count -= d->size.shell_count;
  d->size.shell_count = d->size.cubature_count = d->size.pose_count = 0;
  d->shells = NULL, d->material_shells = NULL, d->cubature_elements = NULL;
  d->cubature_weights = NULL, d->cubature_poses = NULL, d->cubature_errors = NULL;
  d->warp_settings = NULL, d->warp_damping = NULL, d->warp_stretch_limit = NULL;
  d->size.core_count = d->size.core_key_count = 0;
  d->warp_cores = NULL, d->warp_core_kinds = NULL, d->warp_core_hinges = NULL;
  d->warp_core_begin = NULL, d->warp_core_paths = NULL, d->warp_core_times = NULL;
  d->warp_core_positions = NULL, d->warp_core_rotations = NULL;
  d->warp_core_position_tangents = NULL, d->warp_core_rotation_tangents = NULL;
  small_model_strip_frames(s);
}

// Takes out what versions 3 and 4 of the format added.
static inline void small_model_strip_inertia(SmallModel *s) {
  lbModel *d = &s->draft;
  small_model_strip_cubature(s);
  d->modal_inertia_first = NULL, d->modal_inertia_second = NULL;
  d->subspace_inertia_first = NULL, d->subspace_inertia_second = NULL;
}

// Takes out what versions 2, 3 and 4 of the format added.
static inline void small_model_strip_recording(SmallModel *s) {
  lbModel *d = &s->draft;
  small_model_strip_inertia(s);
  d->size.recording_dimension = d->size.recording_frames = 0;
  d->full_damping = NULL, d->full_mass = NULL, d->recording_basis = NULL;
  d->recording_coordinates = NULL, d->recording_rate = NULL;
}

// Takes out what the first files did not have: the subspace, the comparison and version 2.
static inline void small_model_strip_subspace(SmallModel *s) {
  lbModel *d = &s->draft;
  lbModelSizes *size = &d->size;
  small_model_strip_recording(s);
  size->subspace_dimension = size->subspace_part_count = size->accuracy_count = 0;
  size->packed2_count = size->packed3_count = size->packed4_count = 0;
  d->subspace_basis = NULL, d->subspace_values = NULL, d->subspace_damping = NULL;
  d->subspace_gravity = NULL, d->subspace_rigid = NULL, d->subspace_linear = NULL;
  d->subspace_quadratic = NULL, d->subspace_cubic = NULL, d->subspace_mass = NULL;
  d->subspace_pull = NULL, d->accuracy_motions = NULL, d->accuracy_values = NULL;
  d->accuracy_coverage = NULL;
}

// Takes everything out of the draft that need not be there: no looks, no textures, no modes,
// no subspace.
static inline void small_model_strip(SmallModel *s) {
  lbModel *d = &s->draft;
  small_model_strip_subspace(s);
  d->size.appearance_count = d->size.texture_count = d->size.mode_count = d->size.candidate_count =
      0;
  d->corner_uvs = NULL, d->triangle_appearances = NULL;
  d->appearance_names = NULL, d->appearance_colors = NULL, d->appearance_metal_roughness = NULL;
  d->appearance_textures = NULL, d->texture_names = NULL, d->texture_mimes = NULL;
  d->texture_ranges = NULL, d->modal_basis = NULL, d->modal_eigenvalues = NULL;
  d->modal_damping = NULL, d->modal_gravity = NULL, d->modal_rigid = NULL;
  d->modal_residuals = NULL, d->candidate_eigenvalues = NULL, d->candidate_amplitudes = NULL;
  d->candidate_fates = NULL, d->pictures = NULL, d->pictures_bytes = 0;
}

// ---- a world of two bodies
// ---------------------------------------------------------------------

typedef struct SmallWorld {
  lbWorldDef def;
  double gravity[3], time_step[1];
  int32_t step_count[1];
  char body_names[16];
  int32_t body_models[2], body_methods[2];
  double body_positions[2][3], body_rotations[2][4];
  double body_linear_velocities[2][3], body_angular_velocities[2][3];
  int32_t load_bodies[2], load_kinds[2], load_points[2];
  double load_forces[2][3], load_times[2][2];
  int32_t probe_bodies[3], probe_kinds[3], probe_points[3];
  char title[16], hint[32];
  double view_from[3], view_at[3], view_fov[1], ground[1], newton_tolerance[1];
  int32_t no_ground[1], integrator[1], newton_iterations[1];
  int32_t body_paths[2], path_begin[3], path_interpolations[2], path_cycles[2], path_parts[2];
  double path_times[5], path_positions[5][3], path_rotations[5][4];
  double path_position_tangents[5][2][3], path_rotation_tangents[5][2][4];
  int32_t attachment_bodies[2], attachment_kinds[2], attachment_points[2], attachment_paths[2];
  double attachment_springs[2][2], attachment_times[2][2];
  int32_t lead_bodies[1], lead_frames[1], lead_paths[1];
  double lead_arms[1][3];
  int32_t shape_bodies[1];
  double shape_coordinates[SMALL_DIMENSION];
  double contact_friction[1], body_frictions[2], body_contact_frames[4];
  int32_t contact_substeps[1], contact_response[1];
  uint8_t body_untouchable[2], contact_self[1];
  char collider_names[16];
  int32_t collider_shapes[3], collider_paths[3], collider_vertex_begin[4];
  int32_t collider_triangle_begin[4], collider_triangles[2][3];
  double collider_sizes[3][4], collider_positions[3][3], collider_rotations[3][4];
  double collider_frictions[3], collider_vertices[4][3];
  char joint_names[16];
  int32_t joint_kinds[2], joint_bodies[2][2], joint_vertices[2][2], joint_region_begin[3];
  int32_t joint_regions[3];
  double joint_places[2][2][3], joint_axes[2][3], joint_numbers[2][5];
  uint8_t joint_collide[2];
  int32_t substeps_max[1], body_filters[2][3], collider_filters[3][3];
  double contact_hit_speed[1], contact_material[3], body_contact_materials[2][3];
  double collider_contact_materials[3][3];
  uint8_t collider_sensors[3];
} SmallWorld;

// A hinge in the world, and a weld of three vertices.
static inline void small_joints(SmallWorld *s) {
  memcpy(s->joint_names, "hinge\0\xce\xb2", 9);
  SMALL_COPY(joint_kinds, (int32_t[]){ 1, 3 });
  SMALL_COPY(joint_bodies, (int32_t[]){ 1, -1, 0, 1 });
  SMALL_COPY(joint_vertices, (int32_t[]){ 2, -1, -1, -1 });
  SMALL_COPY(joint_region_begin, (int32_t[]){ 0, 0, 3 });
  SMALL_COPY(joint_regions, (int32_t[]){ 0, 1, 3 });
  SMALL_COPY(joint_places, (double[]){ 4, .5, 1, 4, .5, 1, 0, 0, 0, 0, 0, 0 });
  SMALL_COPY(joint_axes, (double[]){ 0, 1, 0, 0, 0, 1 });
  SMALL_COPY(joint_numbers, (double[]){ -.5, 1, 2, 8, INFINITY, -INFINITY, INFINITY, 0, 0, 64 });
  SMALL_COPY(joint_collide, (uint8_t[]){ 0, 1 });
}

// The ground, a capsule that follows a path, and a sheet of two triangles.
static inline void small_colliders(SmallWorld *s) {
  s->contact_friction[0] = .5, s->contact_substeps[0] = 2;
  s->contact_response[0] = 1, s->contact_self[0] = 1;
  SMALL_COPY(body_frictions, (double[]){ -1, .25 });
  SMALL_COPY(body_contact_frames, (double[]){ 0, 0, 4, .1 });
  SMALL_COPY(body_untouchable, (uint8_t[]){ 0, 1 });
  memcpy(s->collider_names, "ground\0rod\0\xce\xb2", 14);
  SMALL_COPY(collider_shapes, (int32_t[]){ 0, 3, 5 });
  SMALL_COPY(collider_paths, (int32_t[]){ -1, 0, -1 });
  SMALL_COPY(collider_vertex_begin, (int32_t[]){ 0, 0, 0, 4 });
  SMALL_COPY(collider_triangle_begin, (int32_t[]){ 0, 0, 0, 2 });
  SMALL_COPY(collider_triangles, (int32_t[]){ 0, 1, 2, 0, 2, 3 });
  SMALL_COPY(collider_sizes, (double[]){ .5, 1, 1, 1, .25, 1, 1, 2, .5, 1, 1, 1 });
  SMALL_COPY(collider_positions, (double[]){ 0, 0, -.5, 1, 0, 4, 0, 0, -4 });
  SMALL_COPY(collider_rotations, (double[]){ 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1 });
  SMALL_COPY(collider_frictions, (double[]){ -1, .75, 0 });
  SMALL_COPY(collider_vertices, (double[]){ 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0 });
}

// Both bodies use the model with this number, which must be a whole small model.
static inline void small_world_fill(SmallWorld *s, int32_t model) {
  memset(s, 0, sizeof *s);
  SMALL_COPY(gravity, (double[]){ 0, 0, -9.8125 });
  s->time_step[0] = 0x1p-7;
  s->step_count[0] = 100;
  memcpy(s->body_names, "left\0\xce\xb2", 8);
  SMALL_COPY(body_models, (int32_t[]){ model, model });
  SMALL_COPY(body_methods, (int32_t[]){ 2, 1 }); // subspace and modal, as files count
  SMALL_COPY(body_positions, (double[]){ 0, 0, 0, 4, .5, 0 });
  SMALL_COPY(body_rotations, (double[]){ 0, 0, 0, 1, 0, 0, 1, 0 });
  SMALL_COPY(body_linear_velocities, (double[]){ 0, 0, 0, 1, 0, -.5 });
  SMALL_COPY(body_angular_velocities, (double[]){ 0, 0, 0, 0, 2, 0 });
  SMALL_COPY(load_bodies, (int32_t[]){ 0, 1 });
  SMALL_COPY(load_kinds, (int32_t[]){ LB_POINT_VERTEX, LB_POINT_NODE });
  SMALL_COPY(load_points, (int32_t[]){ 3, SMALL_TIP });
  SMALL_COPY(load_forces, (double[]){ 1, 0, 0, 0, 0, -2 });
  SMALL_COPY(load_times, (double[]){ .25, .5, 0, INFINITY });
  SMALL_COPY(probe_bodies, (int32_t[]){ 0, 0, 1 });
  SMALL_COPY(probe_kinds, (int32_t[]){ LB_POINT_VERTEX, LB_POINT_NODE, LB_POINT_NODE });
  SMALL_COPY(probe_points, (int32_t[]){ 0, 8, 4 });
  strcpy(s->title, "W\xc3\xbcrfel");
  strcpy(s->hint, "Pull the tip.");
  SMALL_COPY(view_from, (double[]){ 2, -3, 1.5 });
  SMALL_COPY(view_at, (double[]){ .5, .5, .5 });
  s->view_fov[0] = 40;
  s->ground[0] = -.125;
  s->newton_tolerance[0] = 0x1p-20;
  s->no_ground[0] = 0, s->integrator[0] = 1, s->newton_iterations[0] = 7;
  SMALL_COPY(body_paths, (int32_t[]){ -1, 1 });
  SMALL_COPY(path_begin, (int32_t[]){ 0, 2, 5 });
  SMALL_COPY(path_interpolations, (int32_t[]){ 0, 1 });
  SMALL_COPY(path_cycles, (int32_t[]){ 1, 0 });
  SMALL_COPY(path_parts, (int32_t[]){ 1, 15 });
  SMALL_COPY(path_times, (double[]){ 0, 1, -.5, .25, 2 });
  for (int i = 0; i < 5; i++) {
    s->path_positions[i][i % 3] = .5 * i;
    s->path_rotations[i][i < 3 ? 3 : 0] = 1;
    s->path_position_tangents[i][0][1] = .25 * i;
    s->path_rotation_tangents[i][1][2] = -.125 * i;
  }
  SMALL_COPY(attachment_bodies, (int32_t[]){ 1, 0 });
  SMALL_COPY(attachment_kinds, (int32_t[]){ LB_POINT_NODE, LB_POINT_VERTEX });
  SMALL_COPY(attachment_points, (int32_t[]){ SMALL_TIP, 2 });
  SMALL_COPY(attachment_paths, (int32_t[]){ 0, -1 });
  SMALL_COPY(attachment_springs, (double[]){ 64, .5, INFINITY, 0 });
  SMALL_COPY(attachment_times, (double[]){ .25, .5, -INFINITY, INFINITY });
  SMALL_COPY(lead_bodies, (int32_t[]){ 1 });
  SMALL_COPY(lead_frames, (int32_t[]){ 0 });
  SMALL_COPY(lead_paths, (int32_t[]){ 0 });
  SMALL_COPY(lead_arms, (double[]){ .5, 0, -1 });
  SMALL_COPY(shape_coordinates, (double[]){ .25, -.5 });
  small_colliders(s);
  small_joints(s);
  s->substeps_max[0] = 4, s->contact_hit_speed[0] = .75;
  SMALL_COPY(body_filters, (int32_t[]){ 1, 65535, 0, 2, 1, -7 });
  SMALL_COPY(contact_material, (double[]){ 0x1p-20, .5, .25 });
  SMALL_COPY(body_contact_materials, (double[]){ -1, -1, -1, 0, 1, .125 });
  SMALL_COPY(collider_contact_materials, (double[]){ -1, .75, -1, -1, -1, -1, 0x1p-10, -1, 0 });
  s->collider_sensors[1] = 1;
  SMALL_COPY(collider_filters, (int32_t[]){ 1, 65535, 0, 1, 65535, 0, 0, 0, 0 });
  s->def = (lbWorldDef){
    .size = { 2, 2, 3, 2, 5, 2, 1, SMALL_DIMENSION, 3, 4, 2, 1, 2, 3 },
    .gravity = s->gravity,
    .time_step = s->time_step,
    .step_count = s->step_count,
    .body_names = s->body_names,
    .body_models = s->body_models,
    .body_methods = s->body_methods,
    .body_positions = s->body_positions[0],
    .body_rotations = s->body_rotations[0],
    .body_linear_velocities = s->body_linear_velocities[0],
    .body_angular_velocities = s->body_angular_velocities[0],
    .load_bodies = s->load_bodies,
    .load_kinds = s->load_kinds,
    .load_points = s->load_points,
    .load_forces = s->load_forces[0],
    .load_times = s->load_times[0],
    .probe_bodies = s->probe_bodies,
    .probe_kinds = s->probe_kinds,
    .probe_points = s->probe_points,
    .title = s->title,
    .hint = s->hint,
    .view_from = s->view_from,
    .view_at = s->view_at,
    .view_fov = s->view_fov,
    .ground = s->ground,
    .no_ground = s->no_ground,
    .integrator = s->integrator,
    .newton_iterations = s->newton_iterations,
    .newton_tolerance = s->newton_tolerance,
    .body_paths = s->body_paths,
    .path_begin = s->path_begin,
    .path_interpolations = s->path_interpolations,
    .path_cycles = s->path_cycles,
    .path_parts = s->path_parts,
    .path_times = s->path_times,
    .path_positions = s->path_positions[0],
    .path_rotations = s->path_rotations[0],
    .path_position_tangents = s->path_position_tangents[0][0],
    .path_rotation_tangents = s->path_rotation_tangents[0][0],
    .attachment_bodies = s->attachment_bodies,
    .attachment_kinds = s->attachment_kinds,
    .attachment_points = s->attachment_points,
    .attachment_paths = s->attachment_paths,
    .attachment_springs = s->attachment_springs[0],
    .attachment_times = s->attachment_times[0],
    .lead_bodies = s->lead_bodies,
    .lead_frames = s->lead_frames,
    .lead_paths = s->lead_paths,
    .lead_arms = s->lead_arms[0],
    .shape_bodies = s->shape_bodies,
    .shape_coordinates = s->shape_coordinates,
    .contact_friction = s->contact_friction,
    .contact_substeps = s->contact_substeps,
    .contact_response = s->contact_response,
    .contact_self = s->contact_self,
    .body_untouchable = s->body_untouchable,
    .body_frictions = s->body_frictions,
    .body_contact_frames = s->body_contact_frames,
    .collider_names = s->collider_names,
    .collider_shapes = s->collider_shapes,
    .collider_sizes = s->collider_sizes[0],
    .collider_positions = s->collider_positions[0],
    .collider_rotations = s->collider_rotations[0],
    .collider_frictions = s->collider_frictions,
    .collider_paths = s->collider_paths,
    .collider_vertex_begin = s->collider_vertex_begin,
    .collider_triangle_begin = s->collider_triangle_begin,
    .collider_vertices = s->collider_vertices[0],
    .collider_triangles = s->collider_triangles[0],
    .joint_names = s->joint_names,
    .joint_kinds = s->joint_kinds,
    .joint_bodies = s->joint_bodies[0],
    .joint_vertices = s->joint_vertices[0],
    .joint_places = s->joint_places[0][0],
    .joint_axes = s->joint_axes[0],
    .joint_numbers = s->joint_numbers[0],
    .joint_collide = s->joint_collide,
    .joint_region_begin = s->joint_region_begin,
    .joint_regions = s->joint_regions,
    .substeps_max = s->substeps_max,
    .body_filters = s->body_filters[0],
    .collider_filters = s->collider_filters[0],
    .contact_hit_speed = s->contact_hit_speed,
    .contact_material = s->contact_material,
    .body_contact_materials = s->body_contact_materials[0],
    .collider_contact_materials = s->collider_contact_materials[0],
    .collider_sensors = s->collider_sensors,
  };
}

// Takes out what version 6 of the format added.
static inline void small_world_strip_version_6(SmallWorld *s) {
  lbWorldDef *d = &s->def;
  d->substeps_max = d->body_filters = d->collider_filters = NULL, d->contact_hit_speed = NULL;
  d->contact_material = d->body_contact_materials = d->collider_contact_materials = NULL;
  d->collider_sensors = NULL;
}

// Takes out what versions 5 and 6 of the format added.
static inline void small_world_strip_contact(SmallWorld *s) {
  lbWorldDef *d = &s->def;
  small_world_strip_version_6(s);
  d->size.collider_count = d->size.collider_vertex_count = d->size.collider_triangle_count = 0;
  d->size.lead_count = 0;
  d->lead_bodies = d->lead_frames = d->lead_paths = NULL, d->lead_arms = NULL;
  d->size.joint_count = d->size.joint_region_count = 0;
  d->joint_names = NULL, d->joint_kinds = d->joint_bodies = d->joint_vertices = NULL;
  d->joint_places = d->joint_axes = d->joint_numbers = NULL, d->joint_collide = NULL;
  d->joint_region_begin = d->joint_regions = NULL;
  d->contact_friction = NULL, d->contact_substeps = NULL, d->contact_response = NULL,
  d->contact_self = NULL, d->body_untouchable = NULL;
  d->body_frictions = NULL, d->body_contact_frames = NULL, d->collider_names = NULL,
  d->collider_shapes = NULL;
  d->collider_sizes = d->collider_positions = d->collider_rotations = NULL;
  d->collider_frictions = NULL, d->collider_paths = NULL, d->collider_vertex_begin = NULL;
  d->collider_triangle_begin = NULL, d->collider_vertices = NULL, d->collider_triangles = NULL;
}

// Takes out what versions 4 to 6 of the format added.
static inline void small_world_strip_attachments(SmallWorld *s) {
  lbWorldDef *d = &s->def;
  small_world_strip_contact(s);
  d->size.attachment_count = 0;
  d->attachment_bodies = d->attachment_kinds = d->attachment_points = d->attachment_paths = NULL;
  d->attachment_springs = d->attachment_times = NULL;
}

// Likewise.
static inline void small_world_strip_shapes(SmallWorld *s) {
  s->def.size.shape_count = s->def.size.shape_number_count = 0;
  s->def.shape_bodies = NULL, s->def.shape_coordinates = NULL;
  s->body_methods[0] = 1;
}

// Takes out what version 3 of the format added, and later ones.
static inline void small_world_strip_paths(SmallWorld *s) {
  lbWorldDef *d = &s->def;
  small_world_strip_attachments(s);
  d->size.path_count = d->size.path_key_count = 0;
  d->body_paths = d->path_begin = d->path_interpolations = d->path_cycles = d->path_parts = NULL;
  d->path_times = d->path_positions = d->path_rotations = NULL;
  d->path_position_tangents = d->path_rotation_tangents = NULL;
  small_world_strip_shapes(s);
}

// Takes out what version 2 of the format added, and later ones.
static inline void small_world_strip(SmallWorld *s) {
  lbWorldDef *d = &s->def;
  d->title = d->hint = NULL;
  d->view_from = d->view_at = d->view_fov = d->ground = d->newton_tolerance = NULL;
  d->no_ground = d->integrator = d->newton_iterations = NULL;
  small_world_strip_paths(s);
}

// ---- comparing
// ---------------------------------------------------------------------------------

// The same type, shape and bytes; an array without items is as good as none.
static inline void check_same_array(lbArrayView got, lbArrayView expected) {
  size_t items = 1, bytes = 0;
  assert_string_equal(got.name, expected.name);
  for (int i = 0; i < expected.rank; i++) {
    if (got.shape[i] != expected.shape[i])
      fail_msg("%s: shape[%d] is %d, not %d", got.name, i, (int)got.shape[i],
               (int)expected.shape[i]);
    items *= (size_t)expected.shape[i];
  }
  bytes = items * lb_array_item_bytes(expected.type);
  if (!expected.data || bytes == 0) {
    if (got.data) fail_msg("%s: is there", got.name);
    return;
  }
  if (!got.data || memcmp(got.data, expected.data, bytes) != 0) fail_msg("%s: differs", got.name);
}

// Every array but the ranges of the textures; of these, the pictures they lead to.
static inline void check_same_model(const lbModel *got, const lbModel *expected) {
  assert_memory_equal(&got->size, &expected->size, sizeof got->size);
  for (int32_t i = 0; i < lb_model_array_count(); i++)
    if (strcmp(lb_model_array(got, i).name, "texture.ranges") != 0)
      check_same_array(lb_model_array(got, i), lb_model_array(expected, i));
  for (int32_t i = 0; i < expected->size.texture_count; i++) {
    const int64_t *a = got->texture_ranges + 2 * i, *b = expected->texture_ranges + 2 * i;
    assert_int_equal(a[1], b[1]);
    assert_true((uint64_t)(a[0] + a[1]) <= got->pictures_bytes);
    assert_memory_equal(got->pictures + a[0], expected->pictures + b[0], (size_t)b[1]);
  }
}

static inline void check_same_world(const lbWorldDef *got, const lbWorldDef *expected) {
  assert_non_null(got);
  assert_memory_equal(&got->size, &expected->size, sizeof got->size);
  for (int32_t i = 0; i < lb_world_array_count(); i++)
    check_same_array(lb_world_array(got, i), lb_world_array(expected, i));
}

#endif
