// The engine as a module: const limber = await load(); const world = limber.open(bytes);
// world.step(1 / 60); ... docs/module.md tells what there is, limber.d.ts its types.
import createModule from "./limber-page.mjs";
import { fetchModel, unpack } from "./files.mjs";
import { LimberError, Memory } from "./memory.mjs";
import { Body, Collider, Hand, StepFlag, World } from "./world.mjs";

export { Body, Collider, Hand, LimberError, StepFlag, World };

const settings = ({ gravity = [NaN, NaN, NaN], contact = false, friction = NaN, substeps = 1 }) => {
  if (gravity?.length !== 3) throw new TypeError("gravity must be 3 numbers");
  return [...gravity, contact ? 1 : 0, friction, substeps];
};

class Limber {
  constructor(module) {
    this.memory = new Memory(module);
  }

  #world(options, make) {
    const { memory } = this, { module } = memory;
    module.HEAPF64.set(settings(options), module._page_numbers() >> 3);
    const address = make(module);
    if (!address) memory.fail();
    return new World(memory, address);
  }

  // A world from the bytes of a model (limber build) or of a scene (limber cook).
  open(bytes, options = {}) {
    const { memory } = this;
    return memory.withText(options.name ?? "file", (name) => memory.withBytes(bytes, (at) =>
      this.#world(options, (module) => module._page_world_open(name, at, bytes.length))));
  }

  // The same from an address; files may be packed by gzip.
  async fetch(url, options = {}) {
    const bytes = await fetchModel(String(url), 0, options.progress ?? (() => {}));
    return this.open(bytes, { name: String(url).split(/[?#]/)[0].split("/").at(-1), ...options });
  }

  // An empty world, for world.add.
  world(options = {}) {
    return this.#world({ gravity: [0, 0, 0], ...options }, (module) => module._page_world_create());
  }
}

// The bytes of the WebAssembly: beside this file, unless the caller has them elsewhere.
async function wasmBytes(source) {
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return source;
  const url = new URL(source ?? "limber-page.wasm", import.meta.url);
  if (url.protocol === "file:") {
    const { readFile } = await import("node:fs/promises");
    return readFile(url);
  }
  const response = await fetch(url);
  if (!response.ok) throw new LimberError(`${url} did not come (${response.status})`);
  return response.arrayBuffer();
}

// Compiles the engine. Options: wasm, an address or the bytes of limber-page.wasm.
export async function load({ wasm } = {}) {
  const inPage = typeof document !== "undefined" && wasm === undefined; // compiled while it comes
  return new Limber(await createModule(inPage ? {} : { wasmBinary: await wasmBytes(wasm) }));
}

export { unpack };
