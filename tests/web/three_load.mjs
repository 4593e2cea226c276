// three_load.mjs FILE.glb [TIME...]: opens a file with three.js's loader and prints what it found as
// JSON: meshes (name, vertices, targets, target names, weights, whether textured), animations, and
// for every time in seconds the positions of every mesh's vertices in the world.
import { readFileSync } from "node:fs";

// What the loader expects of a browser. Pictures are handed over undecoded.
globalThis.self ??= globalThis;
globalThis.createImageBitmap ??= async () => ({ width: 1, height: 1, close() {} });

const { AnimationMixer, LoopOnce, Vector3 } = await import("three");
const { GLTFLoader } = await import("three/addons/loaders/GLTFLoader.js");

function meshesOf(scene) {
  const meshes = [];
  scene.traverse((object) => object.isMesh && meshes.push(object));
  return meshes;
}

function describe(mesh) {
  const morphs = mesh.geometry.morphAttributes;
  return {
    name: mesh.name,
    vertices: mesh.geometry.attributes.position.count,
    targets: morphs.position?.length ?? 0,
    target_normals: morphs.normal?.length ?? 0,
    target_names: Object.keys(mesh.morphTargetDictionary ?? {}),
    weights: [...(mesh.morphTargetInfluences ?? [])],
    textured: Boolean(mesh.material.map),
  };
}

// position + sum weight * target, then the node's place in the world
function worldPositions(mesh) {
  const point = new Vector3();
  return Array.from({ length: mesh.geometry.attributes.position.count }, (_, i) =>
    mesh.getVertexPosition(i, point).applyMatrix4(mesh.matrixWorld).toArray());
}

function startMixer(gltf) {
  const mixer = new AnimationMixer(gltf.scene);
  for (const clip of gltf.animations) {
    const action = mixer.clipAction(clip).setLoop(LoopOnce, 1);
    action.clampWhenFinished = true;
    action.play();
  }
  return mixer;
}

function sample(gltf, meshes, mixer, time) {
  mixer.setTime(time);
  gltf.scene.updateMatrixWorld(true);
  return { time, meshes: meshes.map(worldPositions) };
}

const [path, ...times] = process.argv.slice(2);
const bytes = readFileSync(path);
const content = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
const gltf = await new GLTFLoader().parseAsync(content, "");
const meshes = meshesOf(gltf.scene);
const mixer = startMixer(gltf);
console.log(JSON.stringify({
  meshes: meshes.map(describe),
  animations: gltf.animations.map(({ name, duration, tracks }) =>
    ({ name, duration, tracks: tracks.length })),
  samples: times.map((time) => sample(gltf, meshes, mixer, Number(time))),
}));
