// Shaders: bodies by their basis, light and soft shadow, ground, sky, marks.
#include "render/shaders.h"

const char *const vw_shader_frame =
    "layout(std140) uniform Frame {\n"
    "  mat4 clip, light;\n"
    "  vec4 eye, up, sun, rim, extent, centre, right, upward, forward, screen;\n"
    "  vec4 floor_x, floor_y, floor_size, map;\n"
    "} frame;\n";

// ---- bodies ------------------------------------------------------------------------------------

// x = p + R (X + sum q_i U_i),  n = R (t1 x t2),  t_k = T_k + sum q_i (grad U_i) T_k.
// The basis: vector i of vertex v lies in row i * rows + v / width, column v mod width; its two
// tangents side by side in a texture of twice the width. The states: for each body the place (2
// texels), the coordinates and the rates, four to a texel. Without BASIS vertices come as they are.
const char *const vw_shader_body =
    "layout(location = 0) in vec3 rest;\n"
    "layout(location = 1) in vec3 normal;\n"
    "layout(location = 2) in vec3 tangent1;\n"
    "layout(location = 3) in vec3 tangent2;\n"
    "layout(location = 4) in vec2 uv;\n"
    "layout(location = 5) in float worked_out;\n"
    "uniform sampler2D basis, tangent_basis, states, values;\n"
    "uniform ivec4 folding;\n" // log2 width, rows of a vector, four-packs of coordinates, -
    "uniform ivec4 listing;\n" // first state, states a body, first value or below 0, vertices
    "uniform vec4 place;\n"    // without BASIS: offset and scale
    "uniform float tangent_scale;\n"
    "struct Point { vec3 at, normal; float value; };\n"
    "vec4 state(int i) { return texelFetch(states, ivec2(i & 1023, i >> 10), 0); }\n"
    "vec3 turn(vec4 q, vec3 v) {\n"
    "  return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v);\n"
    "}\n"
    "float given_value() {\n"
    "  int i = listing.z + gl_InstanceID * listing.w + gl_VertexID;\n"
    "  return texelFetch(values, ivec2(i & 1023, i >> 10), 0).r;\n"
    "}\n"
    "#ifdef BASIS\n"
    "Point body_point(bool lit) {\n"
    "  int mine = listing.x + gl_InstanceID * listing.y;\n"
    "  vec3 origin = state(mine).xyz;\n"
    "  vec4 turned = state(mine + 1);\n"
    "  ivec2 at = ivec2(gl_VertexID & ((1 << folding.x) - 1), gl_VertexID >> folding.x);\n"
    "  bool moving = lit && frame.map.z == 2.0 && listing.z < 0;\n"
    "  vec3 u = vec3(0.0), rate = vec3(0.0), d1 = vec3(0.0), d2 = vec3(0.0);\n"
    "  for (int i = 0; i < folding.z; i++) {\n"
    "    vec4 q = state(mine + 2 + i);\n"
    "    ivec2 b = at, c = at + ivec2(0, folding.y), d = c + ivec2(0, folding.y);\n"
    "    ivec2 e = d + ivec2(0, folding.y);\n"
    "    vec3 ub = texelFetch(basis, b, 0).xyz, uc = texelFetch(basis, c, 0).xyz;\n"
    "    vec3 ud = texelFetch(basis, d, 0).xyz, ue = texelFetch(basis, e, 0).xyz;\n"
    "    u += q.x * ub + q.y * uc + q.z * ud + q.w * ue;\n"
    "    if (moving) {\n"
    "      vec4 v = state(mine + 2 + folding.z + i);\n"
    "      rate += v.x * ub + v.y * uc + v.z * ud + v.w * ue;\n"
    "    }\n"
    "    if (lit) {\n"
    "      b.x *= 2; c.x *= 2; d.x *= 2; e.x *= 2;\n"
    "      d1 += q.x * texelFetch(tangent_basis, b, 0).xyz +\n"
    "            q.y * texelFetch(tangent_basis, c, 0).xyz +\n"
    "            q.z * texelFetch(tangent_basis, d, 0).xyz +\n"
    "            q.w * texelFetch(tangent_basis, e, 0).xyz;\n"
    "      b.x++; c.x++; d.x++; e.x++;\n"
    "      d2 += q.x * texelFetch(tangent_basis, b, 0).xyz +\n"
    "            q.y * texelFetch(tangent_basis, c, 0).xyz +\n"
    "            q.z * texelFetch(tangent_basis, d, 0).xyz +\n"
    "            q.w * texelFetch(tangent_basis, e, 0).xyz;\n"
    "    }\n"
    "    at.y += 4 * folding.y;\n"
    "  }\n"
    "  Point point;\n"
    "  point.at = origin + turn(turned, rest + u);\n"
    "  vec3 n = cross(tangent1 + tangent_scale * d1, tangent2 + tangent_scale * d2);\n"
    "  float size = dot(n, n);\n"
    "  point.normal = turn(turned, size > 1e-16 && size < 1e30 ? n * inversesqrt(size) : normal);\n"
    "  point.value = moving ? length(rate) : frame.map.z == 1.0 ? length(u) : 0.0;\n"
    "  return point;\n"
    "}\n"
    "#else\n"
    "Point body_point(bool lit) {\n"
    "  return Point(place.xyz + place.w * rest, normal, worked_out);\n"
    "}\n"
    "#endif\n";

const char *const vw_shader_surface =
    "out vec3 at;\n"
    "out vec3 facing;\n"
    "out vec2 picture_at;\n"
    "out float mapped;\n"
    "void main() {\n"
    "  Point point = body_point(true);\n"
    "  at = point.at;\n"
    "  facing = point.normal;\n"
    "  picture_at = uv;\n"
    "  float value = listing.z >= 0 ? given_value() : point.value;\n"
    "  mapped = clamp((value - frame.map.x) * frame.map.y, 0.0, 1.0);\n"
    "  if (listing.z == -2) mapped = -1.0;\n" // VW_UNMAPPED
    "  gl_Position = frame.clip * vec4(point.at, 1.0);\n"
    "}\n";

const char *const vw_shader_pose = "out vec3 posed_at;\n"
                                   "out vec3 posed_normal;\n"
                                   "out float posed_value;\n"
                                   "void main() {\n"
                                   "  Point point = body_point(true);\n"
                                   "  posed_at = point.at;\n"
                                   "  posed_normal = point.normal;\n"
                                   "  posed_value = point.value;\n"
                                   "  gl_Position = vec4(0.0, 0.0, 0.0, 1.0);\n"
                                   "}\n";

// Positions alone, by any matrix. `pull` brings wires before the surface they lie on; what is
// nearer to the light than the shadow map reaches is pressed onto its near side.
const char *const vw_shader_plain = "uniform mat4 through;\n"
                                    "uniform float pull;\n"
                                    "void main() {\n"
                                    "  vec4 p = through * vec4(body_point(false).at, 1.0);\n"
                                    "  p.z -= pull * p.w;\n"
                                    "  if (pull == 0.0) p.z = max(p.z, -p.w);\n"
                                    "  gl_Position = p;\n"
                                    "}\n";

const char *const vw_shader_plain_fragment = "uniform vec4 color;\n"
                                             "out vec4 result;\n"
                                             "void main() { result = color; }\n";

// ---- light -------------------------------------------------------------------------------------

const char *const vw_shader_sky =
    "uniform sampler2DShadow shadow_map;\n"
    "uniform sampler2D shadow_depth;\n"
    "const float PI = 3.14159265;\n"
    "const vec3 HORIZON = vec3(0.66, 0.70, 0.76);\n" // of the background
    "const vec3 PLAIN = vec3(1.5);\n"
    "const vec3 ZENITH = vec3(0.10, 0.19, 0.40);\n"
    "const vec3 DOME = vec3(0.47, 0.54, 0.65);\n"  // light from above
    "const vec3 FLOOR = vec3(0.47, 0.44, 0.41);\n" // and from the ground
    "const vec3 KEY = vec3(3.15, 2.9, 2.55);\n"
    "const vec3 RIM = vec3(0.85, 1.0, 1.25);\n"
    "vec3 sky_color(vec3 d) {\n"
    "  float h = dot(d, frame.up.xyz);\n"
    "  vec3 above = mix(HORIZON, ZENITH, pow(clamp(h, 0.0, 1.0), 0.62));\n"
    "  return mix(above, HORIZON, smoothstep(0.02, -0.02, h));\n"
    "}\n"
    // A noise that neighbours share evenly: any 3 x 3 pixels hold nearly all values.
    "float pixel_noise(float seed) {\n"
    "  vec2 p = floor(gl_FragCoord.xy) + seed * vec2(17.0, 5.0);\n"
    "  return fract(43.0 * fract(dot(p, vec2(0.0741173, 0.0058291))));\n"
    "}\n"
    // A curve with a short toe and a long shoulder; then sRGB, with noise against bands.
    // By channels, and a little by brightness, so that bright colours stay colours.
    "vec3 curve(vec3 c) { return c * (2.6 * c + 0.06) / (c * (2.6 * c + 0.58) + 0.15); }\n"
    "vec3 tone(vec3 c) {\n"
    "  c = max(c, 0.0);\n"
    "  float bright = max(dot(c, vec3(0.2126, 0.7152, 0.0722)), 1e-4);\n"
    "  vec3 kept = c * (curve(vec3(bright)).x / bright);\n"
    "  return clamp(mix(curve(c), kept, 0.3), 0.0, 1.0);\n"
    "}\n"
    "vec3 srgb(vec3 c) {\n"
    "  return mix(12.92 * c, 1.055 * pow(max(c, 1e-5), vec3(1.0 / 2.4)) - 0.055,\n"
    "             step(0.0031308, c));\n"
    "}\n"
    "vec3 linear(vec3 c) {\n"
    "  return mix(c / 12.92, pow((c + 0.055) / 1.055, vec3(2.4)), step(0.04045, c));\n"
    "}\n"
    // The background darkens a little towards the corners.
    "vec3 framed(vec3 c) {\n"
    "  vec2 d = gl_FragCoord.xy / frame.screen.xy - 0.5;\n"
    "  return c * (1.0 - 0.42 * frame.rim.w * dot(d, d));\n"
    "}\n"
    "vec4 shown(vec3 c, float alpha) {\n"
    "  return vec4(srgb(tone(c)) + (pixel_noise(3.0) - 0.5) / 255.0, alpha);\n"
    "}\n"
    // Points spread over the unit disc along a spiral: each step turns by the golden angle.
    "const mat2 GOLDEN = mat2(-0.73736888, 0.67549029, -0.67549029, -0.73736888);\n"
    "vec2 direction(float turned) { return vec2(cos(6.2831853 * turned), sin(6.2831853 * turned)); "
    "}\n"
    // The share of the key light that arrives. What stands before the light is searched for first;
    // the farther it is, the softer its shadow. Depths are compared along the receiver's plane.
    "float shadow(vec3 p, vec3 n, bool flat_ground) {\n"
    "  float facing_sun = dot(n, frame.sun.xyz);\n"
    "  vec3 q = p + n * frame.extent.w * (1.2 - 0.7 * facing_sun);\n"
    "  vec3 s = (frame.light * vec4(q, 1.0)).xyz;\n"
    "  vec2 margin = abs(s.xy - 0.5);\n"
    "  bool inside = frame.eye.w > 0.5 && max(margin.x, margin.y) < 0.5 && facing_sun > 0.0;\n"
    "  vec3 m = frame.extent.xyz * frame.extent.xyz * (mat3(frame.light) * n);\n"
    "  vec2 slope = -m.xy / min(m.z, -0.15 * frame.extent.z);\n"
    "  float bias = 0.6 * frame.extent.w / frame.extent.z;\n"
    "  vec2 spoke = direction(pixel_noise(0.0)), first = spoke;\n"
    // Nothing stands above the bounds' top: that limits how soft it can become.
    "  float room = (frame.forward.w - dot(p, frame.up.xyz)) / dot(frame.sun.xyz, frame.up.xyz);\n"
    "  vec2 reach = max(room * frame.sun.w, 2.0 * frame.extent.w) / frame.extent.xy;\n"
    "  float sum = 0.0, found = 0.0;\n"
    "  int taps = inside ? SEARCH : 0;\n"
    "  for (int i = 0; i < taps; i++) {\n"
    "    vec2 d = reach * ((float(i) + 0.5) / float(SEARCH)) * spoke;\n"
    "    spoke = GOLDEN * spoke;\n"
    "    float z = textureLod(shadow_depth, s.xy + d, 0.0).r;\n"
    "    if (z < min(s.z + dot(d, slope) - bias, 0.99999)) { sum += z; found += 1.0; }\n"
    "  }\n"
    "  taps = found > 0.0 ? TAPS : 0;\n"
    "  if (flat_ground && found > float(SEARCH) - 0.5) taps = 0;\n" // the whole light is hidden
    "  spoke = first;\n"
    "  float gap = (s.z - sum / max(found, 1.0)) * frame.extent.z * frame.sun.w;\n"
    "  float soft = clamp(gap, 1.5 * frame.extent.w, reach.x * frame.extent.x);\n"
    "  float arrived = 0.0;\n"
    "  for (int i = 0; i < taps; i++) {\n"
    "    vec2 d = soft / frame.extent.xy * sqrt((float(i) + 0.5) / float(TAPS)) * spoke;\n"
    "    spoke = GOLDEN * spoke;\n"
    "    float z = min(s.z + dot(d, slope) - bias, 1.0);\n"
    "    arrived += textureLod(shadow_map, vec3(s.xy + d, z), 0.0);\n"
    "  }\n"
    "  return taps > 0 ? arrived / float(TAPS) : found > 0.0 ? 0.0 : 1.0;\n"
    "}\n";

// ---- the lit surface ---------------------------------------------------------------------------

const char *const vw_shader_surface_fragment =
    "in vec3 at;\n"
    "in vec3 facing;\n"
    "in vec2 picture_at;\n"
    "in float mapped;\n"
    "uniform sampler2D picture, ramp;\n"
    "uniform vec4 base;\n"     // linear
    "uniform vec4 tint;\n"     // linear, and its share
    "uniform vec4 material;\n" // metal, roughness, opacity, 1: with a picture
    "out vec4 result;\n"
    // GGX: D V of the half vector.
    "float gloss(vec3 n, vec3 v, vec3 l, float rough) {\n"
    "  vec3 h = normalize(v + l);\n"
    "  float a = rough * rough, a2 = a * a;\n"
    "  float nh = clamp(dot(n, h), 0.0, 1.0), nl = clamp(dot(n, l), 0.0, 1.0);\n"
    "  float nv = clamp(dot(n, v), 0.02, 1.0);\n"
    "  float d = nh * nh * (a2 - 1.0) + 1.0;\n"
    "  float k = 0.5 * a;\n"
    "  float mask = (nl * (1.0 - k) + k) * (nv * (1.0 - k) + k);\n"
    "  return a2 / (PI * d * d) * 0.25 / max(mask, 1e-3);\n"
    "}\n"
    "vec3 fresnel(vec3 f0, float c) { return f0 + (1.0 - f0) * pow(1.0 - c, 5.0); }\n"
    "vec3 base_color() {\n"
    "  vec3 c = base.rgb;\n"
    "  if (material.w > 0.5) c *= texture(picture, picture_at).rgb;\n"
    "  return mix(c, tint.rgb, tint.a);\n"
    "}\n"
    "void main() {\n"
    "  vec3 v = normalize(frame.eye.xyz - at);\n"
    "  vec3 n = normalize(gl_FrontFacing ? facing : -facing);\n"
    // At the edges of triangles what is 0 may be a little less; VW_UNMAPPED is -1.
    "  bool coloured = frame.map.z > 0.5 && mapped > -0.5;\n"
    "  float share = clamp(mapped, 0.0, 1.0) * 0.99609375 + 0.001953125;\n"
    "  vec3 color = coloured ? linear(texture(ramp, vec2(share, 0.5)).rgb)\n"
    "                        : base_color();\n"
    "  float metal = coloured ? 0.0 : material.x;\n"
    "  float rough = coloured ? 0.6 : clamp(material.y, 0.12, 1.0);\n"
    "  vec3 f0 = mix(vec3(0.04), color, metal);\n"
    "  vec3 matt = color * (1.0 - metal) / PI;\n"
    "  float nv = clamp(dot(n, v), 0.0, 1.0);\n"
    // The key light.
    "  vec3 l = frame.sun.xyz;\n"
    "  float nl = dot(n, l);\n"
    "  float lit = clamp(nl, 0.0, 1.0) * shadow(at, n, false);\n"
    "  vec3 f = fresnel(f0, clamp(dot(v, normalize(v + l)), 0.0, 1.0));\n"
    "  vec3 sum = lit * KEY * ((1.0 - f) * matt + f * gloss(n, v, l, rough));\n"
    // The sky and the ground: light from everywhere, less near the ground from below.
    "  float height = dot(n, frame.up.xyz);\n"
    "  float above = (dot(at, frame.up.xyz) - frame.up.w) / max(frame.centre.w, 1e-9);\n"
    "  float open = mix(1.0, 0.45 + 0.55 * clamp(above * 2.5, 0.0, 1.0),\n"
    "                   clamp(0.5 - 0.5 * height, 0.0, 1.0));\n"
    "  vec3 dome = mix(FLOOR, DOME, 0.5 + 0.5 * height);\n"
    "  sum += 0.78 * dome * open * color * (1.0 - metal);\n"
    // What the surface mirrors of them.
    "  vec3 r = reflect(-v, n);\n"
    "  float rise = dot(r, frame.up.xyz);\n"
    "  float blur = mix(0.06, 0.9, rough);\n"
    "  vec3 mirrored = mix(FLOOR, mix(HORIZON, ZENITH, clamp(rise, 0.0, 1.0)),\n"
    "                      smoothstep(-blur, blur, rise));\n"
    "  vec3 box = vec3(1.5) * smoothstep(0.72 - 0.25 * rough, 0.86 + 0.14 * rough, rise);\n"
    "  mirrored += box * (1.0 - rough) * (1.0 - rough);\n"
    "  vec3 sheen = f0 + (1.0 - rough) * (1.0 - rough) * (1.0 - f0) * pow(1.0 - nv, 5.0);\n"
    "  sum += sheen * mirrored * open * mix(1.0, 0.75, rough);\n"
    // The rim light, from behind.
    "  float back = clamp(dot(n, frame.rim.xyz), 0.0, 1.0);\n"
    "  float edge = pow(1.0 - nv, 3.0);\n"
    "  sum += RIM * back * edge * (0.5 * (0.2 + color) +\n"
    "         0.4 * fresnel(f0, nv) * gloss(n, v, frame.rim.xyz, max(rough, 0.3)));\n"
    "  if (coloured) sum = mix(sum, color * 0.9, 0.35);\n"
    "  result = shown(sum, material.z);\n"
    "}\n";

// ---- ground and sky ----------------------------------------------------------------------------

// A fan of triangles around the bounds' centre.
const char *const vw_shader_ground_vertex =
    "out vec3 at;\n"
    "uniform float reach;\n"
    "void main() {\n"
    "  int corner = gl_VertexID % 3, slice = gl_VertexID / 3;\n"
    "  float angle = float(slice + (corner == 2 ? 1 : 0)) * 6.2831853 / 32.0;\n"
    "  vec3 a = normalize(cross(frame.up.xyz, vec3(0.9, 0.3, 0.2)));\n"
    "  vec3 b = cross(frame.up.xyz, a);\n"
    "  float r = corner == 0 ? 0.0 : reach;\n"
    "  at = frame.centre.xyz + r * (cos(angle) * a + sin(angle) * b);\n"
    "  gl_Position = frame.clip * vec4(at, 1.0);\n"
    "}\n";

const char *const vw_shader_ground_fragment =
    "in vec3 at;\n"
    "uniform float reach;\n"
    "uniform sampler2D picture;\n"
    "out vec4 result;\n"
    "const vec3 ALBEDO = vec3(0.45, 0.445, 0.44);\n"
    "void main() {\n"
    "  vec3 up = frame.up.xyz;\n"
    "  float lit = max(frame.sun.x * up.x + frame.sun.y * up.y + frame.sun.z * up.z, 0.0);\n"
    "  float share = shadow(at, up, true);\n"
    "  vec2 s = vec2(dot(frame.floor_x, vec4(at, 1.0)), dot(frame.floor_y, vec4(at, 1.0)));\n"
    "  float hidden = frame.floor_size.w * texture(picture, s).r;\n"
    "  vec3 c = ALBEDO * (lit * share * KEY / PI * (1.0 - 0.3 * hidden) +\n"
    "                     DOME * (1.0 - hidden));\n"
    "  float d = length(at - frame.centre.xyz);\n"
    "  float far = smoothstep(1.5 * frame.centre.w, min(reach, 22.0 * frame.centre.w), d);\n"
    "  vec3 away = frame.rim.w > 0.5 ? HORIZON : PLAIN;\n"
    "  c = mix(c, away, 1.0 - (1.0 - far) * (1.0 - far));\n"
    "  result = shown(framed(c), 1.0);\n"
    "}\n";

const char *const vw_shader_screen_vertex =
    "out vec2 across;\n"
    "void main() {\n"
    "  across = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);\n"
    "  gl_Position = vec4(across, 1.0, 1.0);\n"
    "}\n";

const char *const vw_shader_sky_fragment =
    "in vec2 across;\n"
    "out vec4 result;\n"
    "void main() {\n"
    "  vec3 d = frame.forward.xyz + across.x * frame.right.xyz + across.y * frame.upward.xyz;\n"
    "  vec3 c = frame.rim.w > 0.5 ? sky_color(normalize(d)) : PLAIN;\n"
    "  result = shown(framed(c), 1.0);\n"
    "}\n";

// How much of the sky's light the bodies keep from a point of the ground. The map holds the height
// of the lowest surface above each point; a piece dA of it at height h and distance r covers
// h^2 / (pi (r^2 + h^2)^2) dA of the sky. What touches the ground counts as a little above it.
const char *const vw_shader_occlusion_fragment =
    "in vec2 across;\n"
    "out vec4 result;\n"
    "const int COUNT = 64;\n"
    "void main() {\n"
    "  vec2 s = 0.5 + 0.5 * across;\n"
    "  float radius = 0.8 * frame.centre.w, least = 0.05 * frame.centre.w, sum = 0.0;\n"
    "  vec2 spoke = direction(pixel_noise(0.0));\n"
    "  for (int i = 0; i < COUNT; i++) {\n"
    "    float r = radius * (float(i) + 0.5) / float(COUNT);\n"
    "    float z = textureLod(shadow_depth, s + r * spoke / frame.floor_size.xy, 0.0).r;\n"
    "    float h = least + z * frame.floor_size.z, q = r * r + h * h;\n"
    "    if (z < 1.0) sum += h * h / (q * q) * 2.0 * r * radius / float(COUNT);\n"
    "    spoke = GOLDEN * spoke;\n"
    "  }\n"
    "  vec2 edge = smoothstep(0.5, 0.4, abs(s - 0.5));\n"
    "  result = vec4(vec3(0.9 * clamp(sum, 0.0, 1.0) * edge.x * edge.y), 1.0);\n"
    "}\n";

// The mean of 5 x 5 pixels, by bilinear reads between them.
const char *const vw_shader_blur_fragment =
    "in vec2 across;\n"
    "uniform sampler2D picture;\n"
    "out vec4 result;\n"
    "void main() {\n"
    "  vec2 s = 0.5 + 0.5 * across, d = 1.5 / vec2(textureSize(picture, 0));\n"
    "  vec4 sum = vec4(0.0);\n"
    "  for (int i = 0; i < 9; i++)\n"
    "    sum += texture(picture, s + d * vec2(float(i % 3) - 1.0, float(i / 3) - 1.0));\n"
    "  result = sum / 9.0;\n"
    "}\n";

const char *const vw_shader_copy_fragment =
    "in vec2 across;\n"
    "uniform sampler2D picture;\n"
    "out vec4 result;\n"
    "void main() { result = vec4(texture(picture, 0.5 + 0.5 * across).rgb, 1.0); }\n";

// ---- marks -------------------------------------------------------------------------------------

// A capsule on the screen from a to b (a disc where they are the same), a pixel wider all around
// for its smooth edge.
const char *const vw_shader_mark_vertex =
    "layout(location = 0) in vec3 from;\n"
    "layout(location = 1) in vec3 to;\n"
    "layout(location = 2) in vec4 color;\n"
    "layout(location = 3) in vec2 shape;\n" // half-width in pixels, 1: with a dark edge
    "flat out vec4 ends;\n"
    "flat out vec4 filled;\n"
    "flat out vec2 shaped;\n"
    "void main() {\n"
    "  vec4 a = frame.clip * vec4(from, 1.0), b = frame.clip * vec4(to, 1.0);\n"
    "  float least = 1e-4 * frame.centre.w;\n" // cut what is behind the eye
    "  bool hidden = a.w < least && b.w < least;\n"
    "  if (a.w < least) a = mix(b, a, (b.w - least) / (b.w - a.w));\n"
    "  else if (b.w < least) b = mix(a, b, (a.w - least) / (a.w - b.w));\n"
    "  vec2 half_size = 0.5 * frame.screen.xy;\n"
    "  vec2 pa = a.xy / a.w * half_size, pb = b.xy / b.w * half_size;\n"
    "  vec2 along = pb - pa;\n"
    "  float size = length(along);\n"
    "  along = size > 1e-3 ? along / size : vec2(1.0, 0.0);\n"
    "  vec2 side = vec2(-along.y, along.x) * (shape.x + 1.0);\n"
    "  bool second = (gl_VertexID & 1) == 1;\n"
    "  float across = (gl_VertexID & 2) == 2 ? 1.0 : -1.0;\n"
    "  vec2 here = (second ? pb : pa) + (second ? 1.0 : -1.0) * along * (shape.x + 1.0) +\n"
    "         across * side;\n"
    "  vec4 p = second ? b : a;\n"
    "  ends = vec4(pa, pb);\n"
    "  filled = color;\n"
    "  shaped = shape;\n"
    "  gl_Position = hidden ? vec4(2.0, 2.0, 2.0, 1.0)\n"
    "                       : vec4(here / half_size * p.w, p.z - frame.screen.w * p.w, p.w);\n"
    "}\n";

const char *const vw_shader_mark_fragment =
    "flat in vec4 ends;\n"
    "flat in vec4 filled;\n"
    "flat in vec2 shaped;\n"
    "out vec4 result;\n"
    "void main() {\n"
    "  vec2 here = gl_FragCoord.xy - 0.5 * frame.screen.xy;\n"
    "  vec2 d = ends.zw - ends.xy;\n"
    "  float t = clamp(dot(here - ends.xy, d) / max(dot(d, d), 1e-6), 0.0, 1.0);\n"
    "  float far = length(here - ends.xy - t * d);\n"
    "  float cover = clamp(shaped.x + 0.5 - far, 0.0, 1.0);\n"
    "  if (cover <= 0.0) discard;\n"
    "  float edge = shaped.y * smoothstep(shaped.x - 2.2, shaped.x - 1.0, far);\n"
    "  result = vec4(mix(filled.rgb, filled.rgb * 0.35, edge), filled.a * cover);\n"
    "}\n";
