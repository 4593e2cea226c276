// Builds a model from a mesh, in the thread that calls it: for the worker (builder-worker.mjs), and
// for node, where waiting does no harm.
import createModule from "./limber-builder.mjs";
import { wasmBytes } from "./files.mjs";
import { LimberError, Memory } from "./memory.mjs";

const NUMBERS = ["cells", "dimension", "modes", "young", "poisson", "density", "frequency", "free", "check",
  "triangles"];

const plainName = (name) => name.split(/[\\/]/).at(-1).replaceAll("\0", "") || "mesh";

// `files`: [{ name, bytes }], the mesh first, then what it names (.mtl, pictures); `options` as
// in builder.d.ts; returns { bytes, report, remarks }.
export async function buildHere(files, options = {}, { progress = () => {} } = {}) {
  const remarks = [];
  const module = await createModule({ ...await wasmBytes("limber-builder.wasm"), onProgress: progress,
    onRemark: (text) => remarks.push(text), print: () => {}, printErr: () => {} });
  const memory = new Memory(module), { FS } = module;
  FS.mkdir("/in");
  for (const { name, bytes } of files) FS.writeFile(`/in/${plainName(name)}`, bytes);
  const input = `/in/${plainName(files[0].name)}`, output = "/model.glb";
  const numbers = new Float64Array(NUMBERS.map((name) => Number(options[name] ?? NaN)));
  const texts = [input, output, options.method ?? "", options.material ?? "", options.up ?? ""];
  const build = (addresses) => (addresses.length < texts.length
    ? memory.withText(texts[addresses.length], (at) => build([...addresses, at]))
    : memory.withBytes(new Uint8Array(numbers.buffer), (at) => module._builder_build(...addresses, at)));
  if (build([])) {
    const text = memory.text(module._page_error_text()); // files are told by their names
    throw new LimberError(text.replaceAll("/in/", ""));
  }
  return { bytes: FS.readFile(output), report: memory.json("builder_report"),
    remarks: remarks.map((text) => text.replaceAll("/in/", "")) };
}
