// The tables of a model's and of a world's arrays: the one place that lists them.
//
// The order is the order in files. A new array is added at the end of its table with a new version
// of the file format (`since`, and LB_FORMAT_VERSION); rows are never removed, renamed or
// reordered.
#include "model/arrays.h"

#define SIZE(type, group, field)                                                                   \
  { #field, offsetof(type, group.field) }
#define OF(type, count)                                                                            \
  { offsetof(type, size.count), 1, 0 }
#define ONLY(count)                                                                                \
  { LB_NO_SIZE, 0, count }

// ---- models ------------------------------------------------------------------------------------

#define M(count) OF(lbModel, count)
#define ROW(member, text, kind) .name = text, .type = kind, .field = offsetof(lbModel, member)

static const lbSizeRow model_sizes[] = {
  SIZE(lbModel, size, node_count),          SIZE(lbModel, size, tet_count),
  SIZE(lbModel, size, brick_count),         SIZE(lbModel, size, element_count),
  SIZE(lbModel, size, material_count),      SIZE(lbModel, size, vertex_count),
  SIZE(lbModel, size, triangle_count),      SIZE(lbModel, size, carrier_count),
  SIZE(lbModel, size, appearance_count),    SIZE(lbModel, size, texture_count),
  SIZE(lbModel, size, mode_count),          SIZE(lbModel, size, candidate_count),
  SIZE(lbModel, size, subspace_dimension),  SIZE(lbModel, size, subspace_part_count),
  SIZE(lbModel, size, packed2_count),       SIZE(lbModel, size, packed3_count),
  SIZE(lbModel, size, packed4_count),       SIZE(lbModel, size, accuracy_count),
  SIZE(lbModel, size, recording_dimension), SIZE(lbModel, size, recording_frames),
  SIZE(lbModel, size, shell_count),         SIZE(lbModel, size, cubature_count),
  SIZE(lbModel, size, pose_count),
};

// clang-format off
static const lbArrayRow model_rows[] = {
  { ROW(name, "object.name", LB_TEXT), .rank = 1, .shape = { ONLY(1) },
    .unit = "", .meaning = "name of the object" },
  { ROW(provenance, "object.provenance", LB_TEXT), .rank = 1, .shape = { ONLY(1) },
    .unit = "", .meaning = "how the model was made, \"key: value\" lines" },
  { ROW(up, "object.up", LB_I32), .rank = 1, .shape = { ONLY(1) }, .low = 1, .below = ONLY(3),
    .unit = "", .meaning = "axis that points up: 1 = y, 2 = z" },

  { ROW(node_positions, "volume.positions", LB_F64), .rank = 2,
    .shape = { M(node_count), ONLY(3) }, .unit = "m", .meaning = "nodes at rest, body axes" },
  { ROW(node_masses, "volume.masses", LB_F64), .rank = 1, .shape = { M(node_count) },
    .unit = "kg", .meaning = "mass of each node, row sums" },
  { ROW(node_fixed, "volume.fixed", LB_U8), .rank = 1, .shape = { M(node_count) },
    .below = ONLY(2), .unit = "", .meaning = "1 where a node does not move" },
  { ROW(tets, "volume.tets", LB_I32), .rank = 2, .shape = { M(tet_count), ONLY(4) },
    .below = M(node_count), .unit = "", .meaning = "nodes of the tetrahedra" },
  { ROW(bricks, "volume.bricks", LB_I32), .rank = 2, .shape = { M(brick_count), ONLY(8) },
    .below = M(node_count), .unit = "", .meaning = "nodes of the bricks" },
  { ROW(element_materials, "volume.materials", LB_I32), .rank = 1, .shape = { M(element_count) },
    .below = M(material_count), .unit = "", .meaning = "material of each element, tets first" },
  { ROW(material_laws, "material.laws", LB_I32), .rank = 1, .shape = { M(material_count) },
    .below = ONLY(7), .unit = "", .meaning = "elastic law, numbered as lbMaterialModel" },
  { ROW(material_values, "material.values", LB_F64), .rank = 2,
    .shape = { M(material_count), ONLY(6) }, .unit = "Pa, 1, kg/m3, Pa, Pa, Pa",
    .meaning = "young, poisson, density, c10, c01, v1" },
  { ROW(rigid_mass, "rigid.mass", LB_F64), .rank = 1, .shape = { ONLY(1) },
    .unit = "kg", .meaning = "total mass" },
  { ROW(rigid_centre, "rigid.centre", LB_F64), .rank = 1, .shape = { ONLY(3) },
    .unit = "m", .meaning = "centre of mass" },
  { ROW(rigid_inertia, "rigid.inertia", LB_F64), .rank = 2, .shape = { ONLY(3), ONLY(3) },
    .unit = "kg m2", .meaning = "inertia about the centre of mass" },

  { ROW(vertex_positions, "surface.positions", LB_F64), .rank = 2,
    .shape = { M(vertex_count), ONLY(3) }, .unit = "m", .meaning = "surface at rest, body axes" },
  { ROW(vertex_sources, "surface.sources", LB_I32), .rank = 1, .shape = { M(vertex_count) },
    .unit = "", .meaning = "number of each surface vertex in the input" },
  { ROW(triangles, "surface.triangles", LB_I32), .rank = 2,
    .shape = { M(triangle_count), ONLY(3) }, .below = M(vertex_count), .unit = "",
    .meaning = "vertices of the triangles" },
  { ROW(corner_uvs, "surface.corner_uvs", LB_F32), .rank = 3,
    .shape = { M(triangle_count), ONLY(3), ONLY(2) }, .optional = true, .unit = "",
    .meaning = "texture coordinates of the corners" },
  { ROW(triangle_appearances, "surface.looks", LB_I32), .rank = 1, .shape = { M(triangle_count) },
    .optional = true, .low = -1, .below = M(appearance_count), .unit = "",
    .meaning = "appearance of each triangle, -1: none" },
  { ROW(carrier_begin, "embedding.begin", LB_I32), .rank = 1,
    .shape = { { offsetof(lbModel, size.vertex_count), 1, 1 } }, .unit = "",
    .meaning = "first entry of each surface vertex" },
  { ROW(carrier_nodes, "embedding.nodes", LB_I32), .rank = 1, .shape = { M(carrier_count) },
    .below = M(node_count), .unit = "", .meaning = "nodes that carry it" },
  { ROW(carrier_weights, "embedding.weights", LB_F64), .rank = 1, .shape = { M(carrier_count) },
    .unit = "", .meaning = "their weights" },
  { ROW(appearance_names, "look.names", LB_TEXT), .rank = 1, .shape = { M(appearance_count) },
    .unit = "", .meaning = "names of the appearances" },
  { ROW(appearance_colors, "look.colors", LB_F32), .rank = 2,
    .shape = { M(appearance_count), ONLY(4) },
    .unit = "", .meaning = "base colour, linear RGBA" },
  { ROW(appearance_metal_roughness, "look.metal_roughness", LB_F32), .rank = 2,
    .shape = { M(appearance_count), ONLY(2) }, .unit = "", .meaning = "metallic, roughness" },
  { ROW(appearance_textures, "look.textures", LB_I32), .rank = 1, .shape = { M(appearance_count) },
    .low = -1, .below = M(texture_count), .unit = "", .meaning = "texture, -1: none" },
  { ROW(texture_names, "texture.names", LB_TEXT), .rank = 1, .shape = { M(texture_count) },
    .unit = "", .meaning = "names of the textures" },
  { ROW(texture_mimes, "texture.mimes", LB_TEXT), .rank = 1, .shape = { M(texture_count) },
    .unit = "", .meaning = "their formats" },
  { ROW(texture_ranges, "texture.ranges", LB_I64), .rank = 2,
    .shape = { M(texture_count), ONLY(2) }, .unit = "bytes",
    .meaning = "begin in the file and length" },

  { ROW(modal_basis, "modal.basis", LB_F64), .rank = 2,
    .shape = { M(mode_count), { offsetof(lbModel, size.node_count), 3, 0 } }, .unit = "kg^-1/2",
    .meaning = "mode shapes, mass-orthonormal, one a row" },
  { ROW(modal_eigenvalues, "modal.eigenvalues", LB_F64), .rank = 1, .shape = { M(mode_count) },
    .unit = "1/s2", .meaning = "squared angular frequencies" },
  { ROW(modal_damping, "modal.damping", LB_F64), .rank = 1, .shape = { ONLY(2) },
    .optional = true, .unit = "1/s, s", .meaning = "Rayleigh damping: mass, stiffness" },
  { ROW(modal_gravity, "modal.gravity", LB_F64), .rank = 2, .shape = { M(mode_count), ONLY(3) },
    .unit = "kg^1/2", .meaning = "modal force of unit gravity along x, y, z" },
  { ROW(modal_rigid, "modal.launch", LB_F64), .rank = 2, .shape = { M(mode_count), ONLY(6) },
    .unit = "", .meaning = "modal velocity of unit rigid velocities" },
  { ROW(modal_residuals, "modal.residuals", LB_F64), .rank = 1, .shape = { M(mode_count) },
    .unit = "", .meaning = "|K w - lambda M w| / |K w|" },
  { ROW(candidate_eigenvalues, "candidate.eigenvalues", LB_F64), .rank = 1,
    .shape = { M(candidate_count) }, .unit = "1/s2", .meaning = "of all modes computed" },
  { ROW(candidate_amplitudes, "candidate.amplitudes", LB_F64), .rank = 1,
    .shape = { M(candidate_count) }, .unit = "kg^-1/2", .meaning = "amplitude the rules look at" },
  { ROW(candidate_fates, "candidate.fates", LB_I32), .rank = 1, .shape = { M(candidate_count) },
    .below = ONLY(LB_MODE_FATE_COUNT), .unit = "", .meaning = "kept or why dropped, lbModeFate" },

  { ROW(subspace_basis, "subspace.basis", LB_F64), .rank = 2,
    .shape = { M(subspace_dimension), { offsetof(lbModel, size.node_count), 3, 0 } },
    .unit = "kg^-1/2", .meaning = "basis vectors, mass-orthonormal, one a row" },
  { ROW(subspace_values, "subspace.values", LB_F64), .rank = 1,
    .shape = { M(subspace_dimension) }, .unit = "", .meaning = "importance of each vector" },
  { ROW(subspace_damping, "subspace.damping", LB_F64), .rank = 1, .shape = { ONLY(2) },
    .optional = true, .unit = "1/s, s", .meaning = "Rayleigh damping: mass, stiffness" },
  { ROW(subspace_gravity, "subspace.gravity", LB_F64), .rank = 2,
    .shape = { M(subspace_dimension), ONLY(3) }, .unit = "kg^1/2",
    .meaning = "reduced force of unit gravity along x, y, z" },
  { ROW(subspace_rigid, "subspace.launch", LB_F64), .rank = 2,
    .shape = { M(subspace_dimension), ONLY(6) }, .unit = "",
    .meaning = "reduced velocity of unit rigid velocities" },
  { ROW(subspace_linear, "subspace.linear", LB_F64), .rank = 2,
    .shape = { M(subspace_part_count), M(packed2_count) }, .unit = "1/s2 or 1/(Pa s2)",
    .meaning = "linear coefficients of the force, packed" },
  { ROW(subspace_quadratic, "subspace.quadratic", LB_F64), .rank = 2,
    .shape = { M(subspace_part_count), M(packed3_count) }, .unit = "",
    .meaning = "quadratic coefficients, packed" },
  { ROW(subspace_cubic, "subspace.cubic", LB_F64), .rank = 2,
    .shape = { M(subspace_part_count), M(packed4_count) }, .unit = "",
    .meaning = "cubic coefficients, packed" },
  { ROW(subspace_mass, "subspace.mass", LB_F64), .rank = 2,
    .shape = { M(material_count), M(packed2_count) }, .optional = true, .unit = "",
    .meaning = "reduced mass of each material's elements, packed" },
  { ROW(subspace_pull, "subspace.pull", LB_F64), .rank = 3,
    .shape = { M(material_count), M(subspace_dimension), ONLY(3) }, .optional = true,
    .unit = "kg^1/2", .meaning = "share of each material in subspace.gravity" },
  { ROW(accuracy_motions, "accuracy.motions", LB_TEXT), .rank = 1,
    .shape = { M(accuracy_count) }, .unit = "", .meaning = "motions compared with the full one" },
  { ROW(accuracy_values, "accuracy.values", LB_F64), .rank = 2,
    .shape = { M(accuracy_count), ONLY(6) }, .unit = "m, s, 1, 1, 1, 1",
    .meaning = "amplitude, duration, mass-weighted error, greatest error, frequency, amplitude" },
  { ROW(accuracy_coverage, "accuracy.coverage", LB_TEXT), .rank = 1, .shape = { ONLY(1) },
    .optional = true, .unit = "", .meaning = "what the comparison covered" },

  { ROW(full_damping, "full.damping", LB_F64), .since = 2, .rank = 1, .shape = { ONLY(2) },
    .optional = true, .unit = "1/s, s",
    .meaning = "Rayleigh damping of the unreduced body: mass, stiffness" },
  { ROW(full_mass, "full.mass", LB_I32), .since = 2, .rank = 1, .shape = { ONLY(1) },
    .optional = true, .below = ONLY(2), .unit = "",
    .meaning = "its mass matrix: 0 consistent, 1 lumped" },
  { ROW(recording_basis, "recording.basis", LB_F64), .since = 2, .rank = 2,
    .shape = { M(recording_dimension), { offsetof(lbModel, size.node_count), 3, 0 } },
    .unit = "kg^-1/2", .meaning = "vectors of the recorded motion, one a row" },
  { ROW(recording_coordinates, "recording.coordinates", LB_F64), .since = 2, .rank = 2,
    .shape = { M(recording_frames), M(recording_dimension) }, .unit = "kg^1/2 m",
    .meaning = "recorded coordinates, one frame a row" },
  { ROW(recording_rate, "recording.rate", LB_F64), .since = 2, .rank = 1, .shape = { ONLY(1) },
    .optional = true, .unit = "Hz", .meaning = "frames a second" },

  { ROW(modal_inertia_first, "modal.inertia_first", LB_F64), .since = 3, .rank = 3,
    .shape = { M(mode_count), ONLY(3), ONLY(3) }, .optional = true, .unit = "kg^1/2 m",
    .meaning = "sum of m U_i x0^T, x0 from the centre of mass" },
  { ROW(modal_inertia_second, "modal.inertia_second", LB_F64), .since = 3, .rank = 3,
    .shape = { M(mode_count), M(mode_count), ONLY(9) }, .optional = true, .unit = "",
    .meaning = "sum of m U_i U_j^T, 3 x 3 for each pair" },
  { ROW(subspace_inertia_first, "subspace.inertia_first", LB_F64), .since = 3, .rank = 3,
    .shape = { M(subspace_dimension), ONLY(3), ONLY(3) }, .optional = true, .unit = "kg^1/2 m",
    .meaning = "sum of m U_i x0^T, x0 from the centre of mass" },
  { ROW(subspace_inertia_second, "subspace.inertia_second", LB_F64), .since = 3, .rank = 3,
    .shape = { M(subspace_dimension), M(subspace_dimension), ONLY(9) }, .optional = true,
    .unit = "", .meaning = "sum of m U_i U_j^T, 3 x 3 for each pair" },

  { ROW(shells, "volume.shells", LB_I32), .since = 4, .rank = 2,
    .shape = { M(shell_count), ONLY(3) }, .below = M(node_count), .unit = "",
    .meaning = "nodes of the triangles of a shell" },
  { ROW(material_shells, "material.shells", LB_F64), .since = 4, .rank = 2,
    .shape = { M(material_count), ONLY(4) }, .optional = true, .unit = "m, N, N/m, N m",
    .meaning = "thickness, stretch, area, bend of shells" },
  { ROW(cubature_elements, "cubature.elements", LB_I32), .since = 4, .rank = 1,
    .shape = { M(cubature_count) }, .unit = "", .meaning = "components that forces are summed over" },
  { ROW(cubature_weights, "cubature.weights", LB_F64), .since = 4, .rank = 1,
    .shape = { M(cubature_count) }, .unit = "", .meaning = "their weights" },
  { ROW(cubature_poses, "cubature.poses", LB_F64), .since = 4, .rank = 2,
    .shape = { M(pose_count), M(subspace_dimension) }, .unit = "kg^1/2 m",
    .meaning = "coordinates of the training poses, one a row" },
  { ROW(cubature_errors, "cubature.errors", LB_F64), .since = 4, .rank = 1, .shape = { ONLY(2) },
    .optional = true, .unit = "",
    .meaning = "relative error over training poses, and over poses held out (-1: not measured)" },

  { ROW(warp_settings, "warp.settings", LB_I32), .since = 4, .rank = 1, .shape = { ONLY(4) },
    .optional = true, .below = ONLY(LB_WARP_ITERATIONS_MOST + 1), .unit = "",
    .meaning = "rotation, stiffness, strain, iterations of the solver" },
  { ROW(warp_damping, "warp.damping", LB_F64), .since = 4, .rank = 1, .shape = { ONLY(2) },
    .optional = true, .unit = "1/s, s", .meaning = "Rayleigh damping: mass, stiffness" },
  { ROW(warp_stretch_limit, "warp.stretch_limit", LB_F64), .since = 4, .rank = 1,
    .shape = { ONLY(1) }, .optional = true, .unit = "",
    .meaning = "largest principal stretch before elements stiffen" },
};
// clang-format on

const lbArrayTable lb_model_table = {
  "model",     sizeof(lbModel),
  model_sizes, sizeof model_sizes / sizeof *model_sizes,
  model_rows,  sizeof model_rows / sizeof *model_rows,
};

// ---- worlds ------------------------------------------------------------------------------------

#undef ROW
#define W(count) OF(lbWorldDef, count)
#define ROW(member, text, kind) .name = text, .type = kind, .field = offsetof(lbWorldDef, member)

static const lbSizeRow world_sizes[] = {
  SIZE(lbWorldDef, size, body_count),         SIZE(lbWorldDef, size, load_count),
  SIZE(lbWorldDef, size, probe_count),        SIZE(lbWorldDef, size, path_count),
  SIZE(lbWorldDef, size, path_key_count),     SIZE(lbWorldDef, size, shape_count),
  SIZE(lbWorldDef, size, shape_number_count),
};

// clang-format off
static const lbArrayRow world_rows[] = {
  { ROW(gravity, "world.gravity", LB_F64), .rank = 1, .shape = { ONLY(3) },
    .unit = "m/s2", .meaning = "gravity" },
  { ROW(time_step, "world.time_step", LB_F64), .rank = 1, .shape = { ONLY(1) },
    .unit = "s", .meaning = "time step" },
  { ROW(step_count, "world.step_count", LB_I32), .rank = 1, .shape = { ONLY(1) },
    .below = ONLY(INT32_MAX), .unit = "", .meaning = "steps of the scene" },

  { ROW(body_names, "body.names", LB_TEXT), .rank = 1, .shape = { W(body_count) },
    .unit = "", .meaning = "names" },
  { ROW(body_models, "body.models", LB_I32), .rank = 1, .shape = { W(body_count) },
    .unit = "", .meaning = "model of each body" },
  { ROW(body_methods, "body.methods", LB_I32), .rank = 1, .shape = { W(body_count) },
    .unit = "", .meaning = "method of each body, lb_method_code" },
  { ROW(body_positions, "body.positions", LB_F64), .rank = 2, .shape = { W(body_count), ONLY(3) },
    .unit = "m", .meaning = "where each stands" },
  { ROW(body_rotations, "body.rotations", LB_F64), .rank = 2, .shape = { W(body_count), ONLY(4) },
    .unit = "", .meaning = "unit quaternions x y z w" },
  { ROW(body_linear_velocities, "body.linear_velocities", LB_F64), .rank = 2,
    .shape = { W(body_count), ONLY(3) }, .unit = "m/s", .meaning = "at the start" },
  { ROW(body_angular_velocities, "body.angular_velocities", LB_F64), .rank = 2,
    .shape = { W(body_count), ONLY(3) }, .unit = "rad/s", .meaning = "at the start" },

  { ROW(load_bodies, "load.bodies", LB_I32), .rank = 1, .shape = { W(load_count) },
    .below = W(body_count), .unit = "", .meaning = "body of each load" },
  { ROW(load_kinds, "load.kinds", LB_I32), .rank = 1, .shape = { W(load_count) },
    .below = ONLY(LB_POINT_NODE + 1), .unit = "", .meaning = "vertex or node, lbPointKind" },
  { ROW(load_points, "load.points", LB_I32), .rank = 1, .shape = { W(load_count) },
    .unit = "", .meaning = "where it acts" },
  { ROW(load_forces, "load.forces", LB_F64), .rank = 2, .shape = { W(load_count), ONLY(3) },
    .unit = "N", .meaning = "force" },
  { ROW(load_times, "load.times", LB_F64), .rank = 2, .shape = { W(load_count), ONLY(2) },
    .infinite = true, .unit = "s", .meaning = "from, to" },

  { ROW(probe_bodies, "probe.bodies", LB_I32), .rank = 1, .shape = { W(probe_count) },
    .below = W(body_count), .unit = "", .meaning = "body of each probe" },
  { ROW(probe_kinds, "probe.kinds", LB_I32), .rank = 1, .shape = { W(probe_count) },
    .below = ONLY(LB_POINT_NODE + 1), .unit = "", .meaning = "vertex or node, lbPointKind" },
  { ROW(probe_points, "probe.points", LB_I32), .rank = 1, .shape = { W(probe_count) },
    .unit = "", .meaning = "what is read" },

  { ROW(title, "world.title", LB_TEXT), .since = 2, .rank = 1, .shape = { ONLY(1) },
    .optional = true, .unit = "", .meaning = "what the scene is called" },
  { ROW(hint, "world.hint", LB_TEXT), .since = 2, .rank = 1, .shape = { ONLY(1) },
    .optional = true, .unit = "", .meaning = "what to try with the mouse" },
  { ROW(view_from, "view.from", LB_F64), .since = 2, .rank = 1, .shape = { ONLY(3) },
    .optional = true, .unit = "m", .meaning = "where the eye is" },
  { ROW(view_at, "view.at", LB_F64), .since = 2, .rank = 1, .shape = { ONLY(3) },
    .optional = true, .unit = "m", .meaning = "what it looks at" },
  { ROW(view_fov, "view.fov", LB_F64), .since = 2, .rank = 1, .shape = { ONLY(1) },
    .optional = true, .unit = "degrees", .meaning = "angle from bottom to top" },
  { ROW(ground, "view.ground", LB_F64), .since = 2, .rank = 1, .shape = { ONLY(1) },
    .optional = true, .unit = "m", .meaning = "height of the ground" },
  { ROW(no_ground, "view.no_ground", LB_I32), .since = 2, .rank = 1, .shape = { ONLY(1) },
    .optional = true, .below = ONLY(2), .unit = "", .meaning = "1: no ground" },
  { ROW(integrator, "world.integrator", LB_I32), .since = 2, .rank = 1, .shape = { ONLY(1) },
    .optional = true, .below = ONLY(2), .unit = "", .meaning = "0 newmark, 1 implicit euler" },
  { ROW(newton_iterations, "world.newton_iterations", LB_I32), .since = 2, .rank = 1,
    .shape = { ONLY(1) }, .optional = true, .low = 1, .below = ONLY(10001), .unit = "",
    .meaning = "Newton iterations in a step, at most" },
  { ROW(newton_tolerance, "world.newton_tolerance", LB_F64), .since = 2, .rank = 1,
    .shape = { ONLY(1) }, .optional = true, .unit = "", .meaning = "where Newton stops" },

  { ROW(body_paths, "body.paths", LB_I32), .since = 3, .rank = 1, .shape = { W(body_count) },
    .optional = true, .low = -1, .below = W(path_count), .unit = "",
    .meaning = "path that the frame of each body follows, -1: none" },
  { ROW(path_begin, "path.begin", LB_I32), .since = 3, .rank = 1,
    .shape = { { offsetof(lbWorldDef, size.path_count), 1, 1 } }, .optional = true, .unit = "",
    .meaning = "first key of each path" },
  { ROW(path_interpolations, "path.interpolations", LB_I32), .since = 3, .rank = 1,
    .shape = { W(path_count) }, .below = ONLY(3), .unit = "",
    .meaning = "0 linear, 1 cubic, 2 step" },
  { ROW(path_cycles, "path.cycles", LB_I32), .since = 3, .rank = 1, .shape = { W(path_count) },
    .below = ONLY(2), .unit = "", .meaning = "1: it repeats" },
  { ROW(path_parts, "path.parts", LB_I32), .since = 3, .rank = 1, .shape = { W(path_count) },
    .low = 1, .below = ONLY(16), .unit = "",
    .meaning = "what its keys have, a sum: 1 positions, 2 rotations, 4 and 8 tangents of these" },
  { ROW(path_times, "path.times", LB_F64), .since = 3, .rank = 1, .shape = { W(path_key_count) },
    .unit = "s", .meaning = "times of the keys" },
  { ROW(path_positions, "path.positions", LB_F64), .since = 3, .rank = 2,
    .shape = { W(path_key_count), ONLY(3) }, .unit = "m", .meaning = "of the frame's origin" },
  { ROW(path_rotations, "path.rotations", LB_F64), .since = 3, .rank = 2,
    .shape = { W(path_key_count), ONLY(4) }, .unit = "", .meaning = "quaternions x y z w" },
  { ROW(path_position_tangents, "path.position_tangents", LB_F64), .since = 3, .rank = 3,
    .shape = { W(path_key_count), ONLY(2), ONLY(3) }, .optional = true, .unit = "m/s",
    .meaning = "slopes that arrive at a key and leave it" },
  { ROW(path_rotation_tangents, "path.rotation_tangents", LB_F64), .since = 3, .rank = 3,
    .shape = { W(path_key_count), ONLY(2), ONLY(4) }, .optional = true, .unit = "1/s",
    .meaning = "the same of the quaternions" },

  { ROW(shape_bodies, "shape.bodies", LB_I32), .since = 4, .rank = 1, .shape = { W(shape_count) },
    .below = W(body_count), .unit = "", .meaning = "bodies that do not start at rest shape" },
  { ROW(shape_coordinates, "shape.coordinates", LB_F64), .since = 4, .rank = 1,
    .shape = { W(shape_number_count) }, .unit = "m kg^1/2", .meaning = "coordinates of each" },
};
// clang-format on

const lbArrayTable lb_world_table = {
  "world",     sizeof(lbWorldDef),
  world_sizes, sizeof world_sizes / sizeof *world_sizes,
  world_rows,  sizeof world_rows / sizeof *world_rows,
};

// ---- public views ------------------------------------------------------------------------------

int32_t lb_model_array_count(void) { return lb_model_table.row_count; }
int32_t lb_world_array_count(void) { return lb_world_table.row_count; }

lbArrayView lb_model_array(const lbModel *model, int32_t index) {
  if (index < 0 || index >= lb_model_array_count()) return (lbArrayView){ 0 };
  return lb_arrays_view(&model_rows[index], model);
}

lbArrayView lb_world_array(const lbWorldDef *world, int32_t index) {
  if (index < 0 || index >= lb_world_array_count()) return (lbArrayView){ 0 };
  return lb_arrays_view(&world_rows[index], world);
}
