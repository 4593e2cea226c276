// limber's page: starts the engine, opens scenes, runs the frames.
import { fetchModel, unpack } from "./files.mjs";
import { Gallery, fetchGallery } from "./gallery.mjs";
import { listen } from "./input.mjs";
import * as overlay from "./overlay.mjs";
import { load as loadEngine } from "./limber.mjs";
import { Panel } from "./panel.mjs";
import { Saving } from "./saving.mjs";
import { Viewer } from "./viewer.mjs";

const byId = (id) => document.getElementById(id);
const canvas = byId("view");
const RATIO_MAX = 2, RATIO_SOFTWARE = 0.7; // pixels of the picture to one of the page, at most
const STATUS_MS = 100, STATES_MS = 200, HASH_MS = 1000;
const MODEL_FIRST_MS = 1000; // that the renderer's start waits for the first model, at most
const FILE_MAX = 800e6; // bytes: a page has 2 GB, and needs the file and what is made of it at once
const FRAME_MAX = 0.25; // s that a frame may go on by: after a pause the clock does not race

let engine = null; // once it runs
let panel = null, gallery = null, saving = null;
let scene = null; // { name } of the gallery, { open } of this site, { file } dropped
let bare = false; // without panels, for embedding (#ui=none)
let touched = false; // settings or camera may differ from the scene's own
let lost = false;
let ratioMax = RATIO_MAX;
let rate = 0; // frames a second, lately
const frameTimes = [];
let opening = 0; // counts, so that the last scene asked for wins
const early = new Map(); // files that were asked for before the engine was there

// ---- the address: #scene=NAME&setting=value... ----

function parseHash() {
  const items = location.hash.slice(1).split("&").filter(Boolean);
  const value = (name) => {
    const found = items.find((item) => item.startsWith(`${name}=`));
    try {
      return found && decodeURIComponent(found.slice(name.length + 1));
    } catch {
      return undefined;
    }
  };
  const settings = items.filter((item) => !/^(scene|open|ui)=/.test(item)).join("&");
  return { name: value("scene"), open: value("open"), ui: value("ui"), settings };
}

function address(withSettings) {
  const parts = [];
  if (scene?.name) parts.push(`scene=${encodeURIComponent(scene.name)}`);
  if (scene?.open) parts.push(`open=${encodeURIComponent(scene.open).replaceAll("%2F", "/")}`);
  if (bare) parts.push("ui=none");
  if (withSettings) parts.push(engine.link());
  return `#${parts.filter(Boolean).join("&")}`;
}

function keepAddress() {
  if (!touched || !scene || scene.file || lost) return;
  touched = false;
  const now = address(true);
  if (now !== location.hash) history.replaceState(null, "", now);
}

// ---- opening ----

function show(bytes, name, next, settings) {
  saving.sceneChanged();
  engine.open(name, bytes);
  scene = next;
  touched = false;
  performance.mark("limber: scene opened");
  gallery.mark(next.name);
  if (settings) engine.follow(settings);
  if (/(^|&)compare=/.test(settings) && !/(^|&)distance=/.test(settings)) engine.set("frame", 1);
  panel.update(engine.states());
  byId("toasts").replaceChildren();
}

async function load(turn, url, size, name, next, settings) {
  overlay.progress(0);
  try {
    const bytes = await (early.get(url) ?? fetchModel(url, size, overlay.progress));
    performance.mark("limber: scene fetched");
    early.delete(url);
    if (turn !== opening) return false;
    show(bytes, name, next, settings);
    return true;
  } catch (reason) {
    if (turn === opening) overlay.tell(`${name}: ${explain(reason)}`, true);
    return false;
  } finally {
    if (turn === opening) overlay.progress(null);
  }
}

// What the engine says of a file, and what to do.
function explain(reason) {
  return reason instanceof WebAssembly.RuntimeError
    ? "this file was too much for the engine; reload the page" : reason.message;
}

async function openScene(name, settings = "", remember = true) {
  const found = gallery.find(name);
  if (!found) {
    overlay.tell(`there is no scene "${name}" here; the list of scenes shows those there are`, true);
    return false;
  }
  const turn = ++opening;
  const opened = await load(turn, found.file, found.bytes, name, { name }, settings);
  if (opened && remember) history.pushState(null, "", address(false));
  return opened;
}

// A file of the site that the page comes from, by its path; others are nobody's business here.
function openOfSite(path, settings) {
  let url = null;
  try {
    url = new URL(path, location.href);
  } catch {
    // Told below.
  }
  if (url?.origin !== location.origin || !/^https?:$/.test(url.protocol)) {
    overlay.tell(`"${path}" is not a file of this site, and others are not opened by a link: download it and drop it here`, true);
    return Promise.resolve(false);
  }
  const name = decodeURIComponent(url.pathname.split("/").at(-1)) || path;
  return load(++opening, url.href, 0, name, { open: path }, settings);
}

// The bytes of a file of the user's; what browsers say of one that is too large is for nobody.
async function bytesOfFile(file) {
  const size = `${+(file.size / 1e9).toPrecision(2)} GB`;
  if (file.size > FILE_MAX)
    throw new Error(`it has ${size}, and a page can open ${FILE_MAX / 1e9} GB at most: limber view opens it in a window`);
  try {
    return new Uint8Array(await file.arrayBuffer());
  } catch {
    throw new Error(file.size > 100e6
      ? `it has ${size}, more than this browser has room for: limber view opens it in a window`
      : "it cannot be read: it may have been moved, or be a folder");
  }
}

async function openFile(file) {
  ++opening;
  overlay.progress(0);
  try {
    const bytes = await unpack(await bytesOfFile(file));
    show(bytes, file.name, { file: file.name }, "");
    history.pushState(null, "", location.pathname + location.search);
    return true;
  } catch (reason) {
    overlay.tell(explain(reason).startsWith(file.name) ? explain(reason)
      : `${file.name}: ${explain(reason)}`, true);
    return false;
  } finally {
    overlay.progress(null);
  }
}

function showBare() {
  document.body.classList.toggle("bare", bare);
  if (bare) showPanel(false);
}

async function followAddress() {
  const { name, open, ui, settings } = parseHash();
  bare = ui === "none";
  showBare();
  if (open) return openOfSite(open, settings);
  if (!name && !scene) return openScene(gallery.scenes[0]?.name, settings, false);
  if (name && name === scene?.name) {
    if (settings) engine.follow(settings);
    return true;
  }
  return name ? openScene(name, settings, false) : false;
}

// ---- files from the user ----

function listenForFiles() {
  const veil = byId("dropping");
  const hasFiles = (event) => [...event.dataTransfer?.types ?? []].includes("Files");
  let depth = 0;
  addEventListener("dragenter", (event) => { if (hasFiles(event)) veil.hidden = ++depth === 0; });
  addEventListener("dragleave", () => { if (depth && --depth === 0) veil.hidden = true; });
  addEventListener("dragover", (event) => { if (hasFiles(event)) event.preventDefault(); });
  addEventListener("drop", (event) => {
    event.preventDefault();
    depth = 0;
    veil.hidden = true;
    const files = event.dataTransfer?.files ?? [];
    if (files.length) openFile(files[0]);
  });
  byId("open-file").addEventListener("click", () => byId("file").click());
  byId("file").addEventListener("change", (event) => {
    if (event.target.files.length) openFile(event.target.files[0]);
    event.target.value = "";
  });
}

// ---- buttons ----

async function share() {
  if (!scene || scene.file) {
    overlay.tell("scenes of the gallery can be shared by a link; of your own file send the file", true);
    return;
  }
  const link = location.href.split("#")[0] + address(true);
  history.replaceState(null, "", link);
  try {
    await navigator.clipboard.writeText(link);
    overlay.tell("the link to this scene with these settings is in the clipboard");
  } catch {
    overlay.tell("the address of the page is the link: copy it from there");
  }
}

function set(name, value) {
  try {
    engine.set(name, value);
    if (name === "compare") engine.set("frame", 1); // all of them are to be seen
  } catch (reason) {
    overlay.tell(reason.message, true);
  }
  touched = true;
  panel.update(engine.states());
}

function showPanel(shown) {
  byId("panel").hidden = !shown;
  byId("show-panel").setAttribute("aria-expanded", shown);
  document.body.classList.toggle("panel-open", shown);
}

// What the engine wants done, in the order of vwWish.
const wishes = [
  null,
  () => saving.picture(),
  () => saving.video(),
  () => saving.animation(),
  () => saving.sketch(),
  () => overlay.toggleHelp(),
  () => openScene(gallery.neighbour(1)),
  () => openScene(gallery.neighbour(-1)),
  () => overlay.tell("close the tab to leave"),
  () => byId("file").click(),
  () => saving.pose(),
];

function grantWishes() {
  for (let wish; (wish = engine.wish());) {
    try {
      wishes[wish]?.();
    } catch (reason) {
      overlay.tell(reason.message, true);
    }
  }
}

// ---- frames ----

// A panel that stands beside the picture, not as a sheet below it.
function coveredShare() {
  const box = byId("panel").getBoundingClientRect(), whole = canvas.clientWidth;
  return whole && box.width && box.width < 0.5 * whole ? (whole - box.left) / whole : 0;
}

function fit() {
  const ratio = Math.min(devicePixelRatio || 1, ratioMax);
  const width = Math.round(canvas.clientWidth * ratio), height = Math.round(canvas.clientHeight * ratio);
  if (width && height && (canvas.width !== width || canvas.height !== height))
    Object.assign(canvas, { width, height });
  engine.cover(coveredShare());
  engine.resize(width, height);
}

const every = (period, act) => {
  let last = -Infinity;
  return (now) => {
    if (now - last < period) return;
    last = now;
    act();
  };
};

function showStatus() {
  const status = engine.status();
  overlay.show(status, {
    colors: engine.colors, controls: engine.controls, rate, scale: canvas.width / (canvas.clientWidth || 1) || 1,
  });
  return status;
}

const chores = [
  every(STATUS_MS, showStatus),
  every(STATES_MS, () => { if (!byId("panel").hidden) panel.update(engine.states()); }),
  every(HASH_MS, keepAddress),
];

let lastTime = 0, broken = false;

function frame(now) {
  if (broken) return;
  requestAnimationFrame(frame);
  const seconds = lastTime ? Math.max(0, (now - lastTime) / 1000) : 0;
  lastTime = now;
  frameTimes.push(now);
  while (frameTimes.length > 2 && now - frameTimes[0] > 1500) frameTimes.shift();
  if (frameTimes.length > 1)
    rate = 1000 * (frameTimes.length - 1) / (now - frameTimes[0]);
  try {
    fit();
    engine.frame(Math.min(seconds, FRAME_MAX));
    if (hook.firstFrame === null && scene) hook.firstFrame = performance.now();
    saving.frame();
    grantWishes();
    for (const chore of chores) chore(now);
  } catch (reason) {
    broken = true;
    overlay.block("The simulation stopped", `The engine met a fault: ${reason.message}.`,
      "Reload the page to go on.");
    throw reason;
  }
}

function listenForContext() {
  canvas.addEventListener("webglcontextlost", (event) => {
    event.preventDefault(); // so that it may come back
    lost = true;
    engine.lose();
    overlay.block("The graphics card was taken away",
      "The browser lost the graphics context, as after a driver's reset or on a full card.",
      "The scene goes on as soon as the card is back; otherwise reload the page.");
  });
  canvas.addEventListener("webglcontextrestored", () => {
    try {
      engine.restore();
      lost = false;
      overlay.unblock();
      overlay.tell("the graphics card is back");
    } catch (reason) {
      overlay.block("The graphics card is back, but not of use", `${reason.message}. Reload the page.`);
    }
  });
}

// ---- start ----

// Whether a processor draws. This makes the canvas's context, which the engine then takes.
function drawnBySoftware() {
  const context = canvas.getContext("webgl2",
    { alpha: false, antialias: false, depth: false, powerPreference: "high-performance" });
  const names = context?.getExtension("WEBGL_debug_renderer_info");
  const device = names ? context.getParameter(names.UNMASKED_RENDERER_WEBGL) : "";
  return /swiftshader|llvmpipe|software|basic render/i.test(device);
}

function blockWithoutWebgl(detail) {
  overlay.block("This browser shows no WebGL 2",
    "limber draws with WebGL 2, which every current browser has, but here it is missing or turned off.",
    "Update the browser, or turn on hardware acceleration in its settings; on a machine without a graphics card, Chrome and Chromium can draw in software (--enable-unsafe-swiftshader).",
    `What the browser said: ${detail}.`);
}

async function start() {
  if (typeof WebAssembly === "undefined") {
    overlay.block("This browser runs no WebAssembly", "limber simulates in WebAssembly, which every current browser has: update it.");
    return false;
  }
  overlay.progress(0);
  const loading = loadEngine();
  const scenes = await fetchGallery();
  // The first model comes while the engine is compiled.
  const { name, open } = parseHash();
  const first = scenes.find((item) => item.name === name) ?? scenes[0];
  if (!open && first) {
    early.set(first.file, fetchModel(first.file, first.bytes, overlay.progress));
    early.get(first.file).catch(() => {}); // told when it is used
  }
  const made = new Viewer(await loading);
  // Starting the renderer keeps this thread busy; a model on its way would wait for all of it.
  await Promise.race([early.get(first?.file)?.catch(() => {}),
    new Promise((resume) => setTimeout(resume, MODEL_FIRST_MS))]);
  performance.mark("limber: engine compiled");
  const software = drawnBySoftware();
  if (software) {
    ratioMax = RATIO_SOFTWARE;
    document.body.classList.add("software");
  }
  try {
    made.start("#view", software);
    performance.mark("limber: renderer started");
  } catch (reason) {
    blockWithoutWebgl(reason.message);
    return false;
  }
  engine = made;
  panel = new Panel(byId("panel"), engine.controls, set);
  gallery = new Gallery(byId("gallery"), byId("show-gallery"), scenes, (name) => openScene(name));
  saving = new Saving(canvas, engine, () => scene?.name ?? "limber", (name, on) => panel.mark(name, on));
  overlay.makeHelp(engine.controls, engine.shortcuts);
  listen(canvas, () => engine, () => { touched = true; });
  listenForFiles();
  listenForContext();
  addEventListener("popstate", followAddress);
  document.addEventListener("visibilitychange", () => {
    lastTime = 0; // hidden time does not count
    if (document.hidden) engine.cancel();
  });
  byId("share").addEventListener("click", share);
  byId("show-help").addEventListener("click", overlay.toggleHelp);
  byId("show-panel").addEventListener("click", () => showPanel(byId("panel").hidden));
  overlay.watchFoot();
  showPanel(innerWidth > 720 && innerHeight > 440 && parseHash().ui !== "none");
  fit();
  if (!await followAddress() && !scene && scenes.length) await openScene(scenes[0].name, "", false);
  requestAnimationFrame(frame); // not before: an empty picture would only cost time
  if (scene?.name) history.replaceState(null, "", parseHash().settings ? location.href : address(false));
  return true;
}

// A vertex in the world, and where it is seen, in the page's own pixels.
function vertex(actor, body, number) {
  const found = engine.vertex(actor, body, number);
  const scale = canvas.width / (canvas.clientWidth || 1) || 1;
  return found && { ...found, x: found.x / scale, y: found.y / scale };
}

// For tests: what the engine knows, and when it first drew.
const hook = window.limber = {
  firstFrame: null, // ms after the page began to load
  messages: overlay.messages,
  holds: () => engine.holds(),
  vertex,
  actors: () => engine.actors(),
  states: () => Object.fromEntries(engine.states().map((state, i) => [engine.controls[i].name, state])),
  set: (name, value) => engine.set(name, value),
  status: showStatus,
  link: () => engine.link(),
  scene: () => scene,
  open: (name) => openScene(name),
  openFile: (file) => openFile(file),
  ready: null,
};
hook.ready = start().catch((reason) => {
  overlay.block("The page could not start", reason.message,
    "Check that all files of the page are on the server; reload to try again.");
  return false;
}).finally(() => overlay.progress(null));
