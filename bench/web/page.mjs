// Steps the model in batches, one for each round, and reports each batch's time to the program that
// serves this page. The answer comes when it is this page's turn again.
import createModule from "./bench-web.mjs";

const settings = new URLSearchParams(location.search);
const number = (name) => Number(settings.get(name));
const state = document.getElementById("state");

async function report(what, text) {
  state.textContent = `${what}: ${text}`;
  const answer = await fetch(`report/${what}`, { method: "POST", body: String(text) });
  if (!answer.ok) throw new Error(`report/${what}: ${answer.status}`);
}

function textAt(module, address) {
  const bytes = module.HEAPU8;
  return new TextDecoder().decode(bytes.slice(address, bytes.indexOf(0, address)));
}

async function openModel(module) {
  const bytes = new Uint8Array(await (await fetch("model.glb")).arrayBuffer());
  const address = module._malloc(bytes.length);
  module.HEAPU8.set(bytes, address);
  const failed = module._module_open(address, bytes.length);
  module._free(address);
  if (failed) throw new Error(textAt(module, module._module_message()));
}

async function main() {
  const module = await createModule();
  await openModel(module);
  for (let left = number("warm"); left > 0; left -= 500) {
    module._module_run(Math.min(left, 500));
    await new Promise((resume) => setTimeout(resume, 20)); // the optimised code takes over
  }
  await report("ready", "");
  for (let round = 0; round < number("rounds"); round++) {
    const start = performance.now();
    module._module_run(number("batch"));
    await report("round", (performance.now() - start) / 1000);
  }
  await report("done", textAt(module, module._module_hash()));
}

main().catch((reason) => report("failed", reason).catch(() => {}));
