// The engine as a module: const limber = await load(); const world = limber.open(bytes);
// world.step(1 / 60); ... docs/module.md tells what there is, limber.d.ts its types.
import createModule from "./limber-page.mjs";
import { fetchModel, unpack, wasmBytes } from "./files.mjs";
import { LimberError, Memory } from "./memory.mjs";
import { Body, Collider, Hand, StepFlag, World, contactMaterial } from "./world.mjs";

export { Body, Collider, Hand, LimberError, StepFlag, World };

const settings = ({ gravity = [NaN, NaN, NaN], contact = false, substeps = 1, ...rest }) => {
  if (gravity?.length !== 3) throw new TypeError("gravity must be 3 numbers");
  return [...gravity, contact ? 1 : 0, substeps, ...contactMaterial(rest)];
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

// Compiles the engine. Options: wasm, an address or the bytes of limber-page.wasm.
export async function load({ wasm } = {}) {
  return new Limber(await createModule(await wasmBytes("limber-page.wasm", wasm)));
}

export { unpack };
