// How many triangles a mesh file has, from its head or its length, before anything is read.
const TRIANGLE_BYTES = { ".obj": 40, ".off": 40, ".ply": 50, ".glb": 30, ".gltf": 40 }; // in the mean
const STL_HEAD = 84, STL_TRIANGLE = 50, STL_TEXT = 250;

const headOf = (bytes) => new TextDecoder("latin1").decode(bytes.subarray(0, 4000));

function ofStl(bytes) {
  const { buffer, byteOffset, length } = bytes;
  const count = length >= STL_HEAD ? new DataView(buffer, byteOffset).getUint32(80, true) : 0;
  return length === STL_HEAD + STL_TRIANGLE * count ? count : length / STL_TEXT;
}

// About so many; exactly so many of a binary STL, and of a PLY whose faces are triangles.
export function trianglesOf({ name, bytes }) {
  const end = name.toLowerCase().match(/\.[^.]*$/)?.[0];
  if (end === ".stl") return ofStl(bytes);
  const faces = end === ".ply" && headOf(bytes).match(/element face (\d+)/);
  return faces ? Number(faces[1]) : bytes.length / (TRIANGLE_BYTES[end] ?? 40);
}

export const inMillions = (count) => `${+(count / 1e6).toPrecision(2)} million`;
