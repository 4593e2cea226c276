// Meshes that are dropped on the page: built into models in a worker, with progress, a button that
// stops it, settings to build again with, and the model to save.
import { build, meshAmong } from "./builder.mjs";
import { inMillions, trianglesOf } from "./mesh-size.mjs";
import { tell } from "./overlay.mjs";
import { download } from "./saving.mjs";

export { meshAmong };

const LARGE = 1e6, MOST = 6.5e6; // triangles that take a while, and that a page's memory is too small for
const DRAWN = 500000; // triangles of a model, at most: with more of them the page stands still while it opens
const NAME_MAX = 60; // letters that are shown
const SMALL = matchMedia("(max-width: 720px), (max-height: 440px)"); // phones, as in style.css
const byId = (id) => document.getElementById(id);

// What the form says; fields that are left empty are left to be chosen.
function optionsOf(form) {
  const given = Object.fromEntries([...new FormData(form)].filter(([, value]) => value !== ""));
  const options = { method: given.method, up: given.up, free: given.support === "free", triangles: DRAWN };
  for (const name of ["cells", "dimension", "young", "poisson", "density"])
    if (given[name] !== undefined) options[name] = Number(given[name]);
  if (options.method !== "subspace") delete options.dimension;
  if (options.method === "modal" && given.dimension) options.modes = Number(given.dimension);
  return options;
}

export class Building {
  #files = null; // of the last mesh, to build again
  #stopper = null; // while one is built
  #made = null; // { name, bytes }

  // `show(bytes, name)` opens what was built and may throw.
  constructor(show) {
    this.show = show;
    this.form = byId("builder-form");
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (this.#files) this.start(this.#files);
    });
    byId("builder-stop").addEventListener("click", () => this.stop());
    byId("builder-close").addEventListener("click", () => this.close());
    byId("builder-save").addEventListener("click", () => {
      if (this.#made) download(this.#made.name, this.#made.bytes, "model/gltf-binary");
    });
  }

  stop() {
    this.#stopper?.abort();
  }
  close() {
    this.stop();
    byId("builder").hidden = true;
  }

  // For tests: { busy, stages, report, seconds } of the last build.
  told = { busy: false, stages: [], report: null };

  #state(busy, text) {
    byId("builder").dataset.state = busy ? "busy" : this.#made ? "made" : "idle";
    byId("builder-stop").hidden = !busy;
    byId("builder-bar").hidden = !busy;
    byId("builder-go").disabled = busy;
    byId("builder-save").disabled = busy || !this.#made;
    byId("builder-stage").textContent = text;
  }

  // `files`: [{ name, bytes }], the mesh first. Whether a model is there now.
  async start(files) {
    this.stop();
    const triangles = trianglesOf(files[0]);
    if (triangles > MOST) {
      tell(`${files[0].name}: has about ${inMillions(triangles)} triangles, and a page has memory for 6 million: limber build takes it, and a coarser mesh gives much the same model`, true);
      return false;
    }
    const [{ name }] = files, begun = performance.now(), stopper = new AbortController();
    this.#files = files;
    this.#made = null;
    this.#stopper = stopper;
    byId("builder").hidden = false;
    if (SMALL.matches) byId("builder-settings").open = false; // room for the object
    byId("builder-name").textContent = name.slice(-NAME_MAX);
    byId("builder-bar").value = 0;
    this.#state(true, "loading the builder");
    byId("builder-note").hidden = triangles <= LARGE; // a message would lie over the button that stops it
    byId("builder-note").textContent = `About ${inMillions(triangles)} triangles take a minute or so; the model is drawn with half a million of them, limber build keeps all.`;
    const told = this.told = { busy: true, stages: [], report: null };
    const progress = (stage, fraction) => {
      if (told.stages.at(-1) !== stage) told.stages.push(stage);
      byId("builder-bar").value = fraction;
      byId("builder-stage").textContent = stage;
    };
    try {
      const { bytes, report, remarks } = await build(files, optionsOf(this.form), { progress, signal: stopper.signal });
      if (this.#stopper !== stopper) return false; // another one was begun
      this.#stopper = null;
      this.#made = { name: `${name.replace(/\.[^.]*$/, "")}.glb`, bytes };
      this.show(bytes, this.#made.name);
      const seconds = ((performance.now() - begun) / 1000).toFixed(1);
      this.#state(false, `${report.bricks} bricks, r = ${report.dimension}, in ${seconds} s`);
      for (const remark of remarks.slice(0, 3)) tell(remark, true);
      Object.assign(told, { report, remarks, seconds: Number(seconds) });
      return true;
    } catch (reason) {
      if (this.#stopper !== stopper) return false;
      this.#stopper = null;
      const stopped = reason.name === "AbortError";
      this.#state(false, stopped ? "stopped" : "not built");
      tell(stopped || reason.message.startsWith(name) ? reason.message : `${name}: ${reason.message}`, !stopped);
      return false;
    } finally {
      told.busy = false;
    }
  }
}
