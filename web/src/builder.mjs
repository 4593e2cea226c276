// From a mesh to a model in a worker of its own; its WebAssembly is loaded with it, when it is needed.
import { LimberError } from "./memory.mjs";

// Files that are built from, by the ends of their names.
export const MESHES = [".obj", ".stl", ".ply", ".off", ".glb", ".gltf"];
// What such files name.
export const COMPANIONS = [".mtl", ".bin", ".png", ".jpg", ".jpeg"];

const ends = (name, list) => list.some((end) => name.toLowerCase().endsWith(end));

// The files in the order that build wants: the mesh first. Null: there is none among them.
export function meshAmong(files) {
  const mesh = files.find(({ name }) => ends(name, MESHES));
  return mesh ? [mesh, ...files.filter((file) => file !== mesh && ends(file.name, COMPANIONS))] : null;
}

// `files`: [{ name, bytes }], `options` and what is returned: builder.d.ts. `progress(stage,
// fraction)` hears how far it is, `signal` (of an AbortController) stops it at once.
export async function build(files, options = {}, { progress = () => {}, signal } = {}) {
  if (typeof Worker === "undefined") { // node: here, until it is done
    const { buildHere } = await import("./builder-engine.mjs");
    return buildHere(files, options, { progress });
  }
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL("./builder-worker.mjs", import.meta.url), { type: "module" });
    const end = (settle, value) => {
      worker.terminate(); // and all of its memory is gone
      signal?.removeEventListener("abort", stop);
      settle(value);
    };
    const stop = () => end(reject, new DOMException("the build was stopped", "AbortError"));
    worker.onmessage = ({ data: { stage, fraction, made, failed } }) => {
      if (stage) progress(stage, fraction);
      if (made) end(resolve, made);
      if (failed) end(reject, new LimberError(failed));
    };
    worker.onerror = (event) => end(reject, new LimberError(
      `the builder did not start: ${event.message || "is limber-builder.wasm on the server?"}`));
    if (signal?.aborted) stop();
    signal?.addEventListener("abort", stop);
    worker.postMessage({ files, options });
  });
}
