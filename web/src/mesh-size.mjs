// How many triangles a mesh file has, from its head, its length and samples of it, before it is read.
const STL_HEAD = 84, STL_TRIANGLE = 50, STL_TEXT = 250; // bytes
const SAMPLES = 64, SAMPLE_BYTES = 16384;
const GLTF_TRIANGLE = 30; // bytes, in the mean

const textOf = (bytes, begin, end) => new TextDecoder("latin1").decode(bytes.subarray(begin, end));

function ofStl(bytes) {
  const { buffer, byteOffset, length } = bytes;
  const count = length >= STL_HEAD ? new DataView(buffer, byteOffset).getUint32(80, true) : 0;
  return length === STL_HEAD + STL_TRIANGLE * count ? count : length / STL_TEXT;
}

// A face of n corners is cut into n - 2 triangles.
const facesIn = (text) => [...text.matchAll(/\nf ([^\n]*)/g)]
  .reduce((sum, [, corners]) => sum + Math.max(corners.trim().split(/\s+/).length - 2, 0), 0);

function ofObj(bytes) {
  const { length } = bytes;
  if (length <= SAMPLES * SAMPLE_BYTES) return facesIn(textOf(bytes, 0, length));
  let found = 0;
  for (let i = 0; i < SAMPLES; i++) {
    const begin = Math.floor((length - SAMPLE_BYTES) * i / (SAMPLES - 1));
    found += facesIn(textOf(bytes, begin, begin + SAMPLE_BYTES));
  }
  return found * length / (SAMPLES * SAMPLE_BYTES);
}

// About so many; exactly so many of a binary STL, and where the head of a PLY or OFF says it.
export function trianglesOf({ name, bytes }) {
  const end = name.toLowerCase().match(/\.[^.]*$/)?.[0];
  if (end === ".stl") return ofStl(bytes);
  if (end === ".obj") return ofObj(bytes);
  const head = textOf(bytes, 0, 4000);
  const faces = end === ".ply" ? head.match(/element face (\d+)/) : head.match(/^OFF\s+\d+\s+(\d+)/);
  return faces ? Number(faces[1]) : bytes.length / GLTF_TRIANGLE;
}

export const inMillions = (count) => `${+(count / 1e6).toPrecision(2)} million`;
