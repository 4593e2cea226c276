// page.mjs URL FOLDER [OPEN_URL]: drives limber's page in Chromium as a person would, and looks at
// it through its hook (docs/web.md). FOLDER has the files to drop and gets those that are saved;
// OPEN_URL is a server that was given a file. One line a case, in cmocka's form.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { launch } from "./chromium.mjs";

const [url, folder, openUrl] = process.argv.slice(2);
const PATIENCE = 60000; // ms; only a hang takes so long
const SIZE = { width: 760, height: 460 };

let browser, page;
let complaints = []; // of the console, and errors that nobody caught
const cases = [];
const test = (name, body) => cases.push([name, body]);

function check(condition, text) {
  if (!condition) throw new Error(text);
}

function watch(someone) {
  someone.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  someone.on("pageerror", (error) => complaints.push(`${error.message}\n${error.stack}`));
}

// Only one page draws at a time: the others' views are nothing.
const hide = (hidden) => page?.evaluate((height) => {
  document.getElementById("view").style.height = height;
}, hidden ? "0" : "");

async function newPage(address, options = {}) {
  await hide(true);
  const context = await browser.newContext({ viewport: SIZE, ...options.context });
  const fresh = await context.newPage();
  fresh.setDefaultTimeout(PATIENCE);
  watch(fresh);
  if (options.script) await fresh.addInitScript(options.script);
  await fresh.goto(address);
  await fresh.evaluate(() => window.limber.ready);
  return fresh;
}

// Closes the page and goes on with the one before.
async function back(before) {
  await page.context().close();
  page = before;
  await hide(false);
}

const ask = (what, argument) => page.evaluate(what, argument);
const wait = (what, argument) => page.waitForFunction(what, argument, { polling: 50 });
const frames = (count) => ask((left) => new Promise((resolve) => {
  const next = () => (left-- > 0 ? requestAnimationFrame(next) : resolve());
  next();
}), count);
// Until the simulation has gone on by so many seconds of its own time.
async function simulate(seconds) {
  const begin = await ask(() => window.limber.status().time);
  await wait((until) => window.limber.status().time >= until, begin + seconds);
}
// Without what costs software rendering most.
const open = (name) => ask(async (scene) => {
  const opened = await window.limber.open(scene);
  for (const costly of ["shadows", "ground", "sky"]) window.limber.set(costly, 0);
  return opened;
}, name);
const length = (a, b) => Math.hypot(...a.map((value, i) => value - b[i]));

// How many colours the picture has: 1 is a blank page.
const colours = () => ask(() => new Promise((resolve) => requestAnimationFrame(() => {
  const view = document.getElementById("view");
  const copy = Object.assign(document.createElement("canvas"), { width: 160, height: 100 });
  const context = copy.getContext("2d");
  context.drawImage(view, 0, 0, 160, 100);
  resolve(new Set(new Uint32Array(context.getImageData(0, 0, 160, 100).data.buffer)).size);
})));

// A file dropped on the page.
async function drop(name) {
  const bytes = readFileSync(join(folder, name)).toString("base64");
  const transfer = await page.evaluateHandle(([text, title]) => {
    const data = new DataTransfer();
    const binary = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    data.items.add(new File([binary], title));
    return data;
  }, [bytes, name]);
  const before = await ask(() => window.limber.messages.length);
  await page.dispatchEvent("#view", "drop", { dataTransfer: transfer });
  await wait(([file, count]) => window.limber.scene()?.file === file
    || window.limber.messages.length > count, [name, before]);
}

// The vertex of the first body that is seen nearest to the body's middle: its number and its place
// on the page.
const seenVertex = () => ask(() => {
  const view = document.getElementById("view");
  const count = window.limber.actors()[0].vertices;
  const places = [];
  for (let vertex = 0; vertex < count; vertex += Math.ceil(count / 300)) {
    const { x, y } = window.limber.vertex(0, 0, vertex);
    places.push({ vertex, x, y });
  }
  const mean = (axis) => places.reduce((sum, place) => sum + place[axis], 0) / places.length;
  const middle = { x: mean("x"), y: mean("y") };
  const off = (place) => Math.hypot(place.x - middle.x, place.y - middle.y);
  return places.filter(({ x, y }) => document.elementFromPoint(x, y) === view)
    .reduce((best, place) => (off(place) < off(best) ? place : best));
});

// Places around one, ever farther away, in rings of so many pixels more.
const around = (rings) => [[0, 0], ...Array.from({ length: 6 * rings }, (_, i) => {
  const angle = (i % 6) * Math.PI / 3 + (i >= 6) * 0.5, radius = 12 * (1 + Math.floor(i / 6));
  return [radius * Math.cos(angle), radius * Math.sin(angle)];
})];

// Presses there, or around, until a hand holds the body; returns the hold. Presses at the same place
// would count as a double one, which pins.
async function grab(press) {
  const { vertex, x, y } = await seenVertex();
  for (const [dx, dy] of around(3)) {
    await press(x + dx, y + dy);
    await frames(2);
    const [hold] = await ask(() => window.limber.holds());
    if (hold) return { vertex, x: x + dx, y: y + dy, hold };
    await page.mouse.up();
  }
  throw new Error(`no press near (${x.toFixed(1)}, ${y.toFixed(1)}) grabs the body`);
}
const pressMouse = async (x, y) => {
  await page.mouse.move(x, y);
  await page.mouse.down();
};

// The lowest vertex of the first body, m along z.
const lowest = () => ask(() => {
  let z = Infinity;
  for (let i = 0; i < window.limber.actors()[0].vertices; i++)
    z = Math.min(z, window.limber.vertex(0, 0, i).at[2]);
  return z;
});

// ---- the scenes ----------------------------------------------------------------------------------

test("the_page_loads_and_draws", async () => {
  page = await newPage(url);
  await wait(() => window.limber.firstFrame !== null);
  const first = await ask(() => window.limber.firstFrame);
  const found = await colours();
  console.log(`first frame after ${first.toFixed(0)} ms; ${found} colours; ${
    await ask(() => window.limber.status().device)}`);
  check(found > 50, `the picture has ${found} colours`);
});

test("every_scene_of_the_gallery_opens", async () => {
  const names = await ask(async () => (await (await fetch("gallery.json")).json()).scenes
    .map((scene) => scene.name));
  check(names.length >= 10, `the gallery has ${names.length} scenes`);
  for (const name of names) {
    check(await ask((scene) => window.limber.open(scene), name), `${name} does not open: ${await ask(() => window.limber.messages.at(-1))}`);
    await frames(3);
    const [actors, found] = [await ask(() => window.limber.actors()), await colours()];
    check(actors.length > 0 && found > 30, `${name}: ${actors.length} actors, ${found} colours`);
    check(await ask((title) => document.title !== title, "limber"), `${name} has no title`);
  }
  console.log(`${names.length} scenes: ${names.join(", ")}`);
});

test("the_list_of_scenes_opens_one", async () => {
  await page.click("#show-gallery");
  await page.click(".card:nth-child(2)");
  await wait(() => document.querySelectorAll(".card")[1].getAttribute("aria-current") === "true");
  check(await page.isHidden("#gallery"), "the list stays open");
  check((await ask(() => location.hash)).startsWith("#scene="), "the address does not name the scene");
});

test("an_unknown_scene_gives_a_message", async () => {
  const before = await ask(() => window.limber.scene().name);
  await ask(() => { location.hash = "#scene=nowhere"; });
  await wait(() => window.limber.messages.at(-1)?.includes('no scene "nowhere"'));
  check(await ask(() => window.limber.scene().name) === before, "the scene changed");
});

// ---- hands ---------------------------------------------------------------------------------------

test("a_mouse_drag_moves_the_grabbed_vertex", async () => {
  await open("twisted-beam");
  await ask(() => window.limber.set("gravity_on", 0));
  await frames(2);
  const { x, y, hold } = await grab(pressMouse);
  await page.mouse.move(x, y - 60, { steps: 4 });
  await page.mouse.move(x, y - 120, { steps: 4 });
  await wait((from) => {
    const [now] = window.limber.holds();
    return now && Math.hypot(...now.point.map((value, i) => value - from[i])) > 0;
  }, hold.point);
  await simulate(0.3);
  const [pulled] = await ask(() => window.limber.holds());
  await page.mouse.up();
  await frames(2);
  const moved = length(pulled.point, hold.point), aimed = length(pulled.target, hold.target);
  console.log(`the hand moved ${aimed.toExponential(3)} m, the vertex ${moved.toExponential(3)} m, `
    + `force ${Math.hypot(...pulled.force).toExponential(3)} N`);
  check(aimed > 0, "the hand did not move");
  check(moved > 0.02 * aimed, `the vertex moved ${moved} m, the hand ${aimed} m`);
  check((await ask(() => window.limber.holds())).length === 0, "the hand did not let go");
});

// A drag of the mouse by so many pixels, and how far it moved the point and the hand, m.
async function pull(dx, dy, seconds) {
  const { x, y, hold } = await grab(pressMouse);
  await page.mouse.move(x + dx, y + dy, { steps: 4 });
  await simulate(seconds);
  const [pulled] = await ask(() => window.limber.holds());
  await page.mouse.up();
  await frames(2);
  check((await ask(() => window.limber.holds())).length === 0, "the hand did not let go");
  return { moved: length(pulled.point, hold.point), aimed: length(pulled.target, hold.target),
    lag: length(pulled.point, pulled.target) };
}

test("flesh_around_a_bone_follows_the_hand", async () => {
  await open("warp-head");
  const nose = () => ask(() => window.limber.vertex(0, 0, 2000).at);
  const before = await nose();
  await simulate(0.1);
  const shaken = length(before, await nose());
  const { moved, aimed, lag } = await pull(40, 10, 0.1);
  console.log(`the bone took a vertex along by ${shaken.toExponential(3)} m; the hand moved ${
    aimed.toExponential(3)} m, the flesh ${moved.toExponential(3)} m, ${lag.toExponential(3)} m apart`);
  check(shaken > 0.002, "the bone stands still");
  check(aimed > 0 && moved > 0.2 * aimed, "the flesh did not follow");
  await simulate(0.05);
  const after = await nose();
  check(after.every((value) => Math.abs(value) < 1), `a vertex is at ${after}`);
});

test("a_tube_follows_what_pinches_it_and_another_the_hand", async () => {
  await open("warp-tube");
  const top = () => ask(() => {
    let z = -Infinity;
    for (let i = 0; i < window.limber.actors()[1].vertices; i += 5)
      z = Math.max(z, window.limber.vertex(1, 0, i).at[2]);
    return z;
  });
  const first = await top();
  await simulate(0.15);
  const lifted = await top();
  const { moved, aimed } = await pull(0, -40, 0.08);
  console.log(`its top goes from ${first.toFixed(3)} m to ${lifted.toFixed(3)} m; a hand pulls the other by ${
    moved.toFixed(3)} of ${aimed.toFixed(3)} m`);
  check(lifted > first + 0.02, "it was not lifted");
  check(moved > 0.2 * aimed && aimed > 0, "the hand pulled nothing");
});

test("a_grab_that_leaves_the_window_goes_on_and_ends", async () => {
  const { hold } = await grab(pressMouse);
  await page.mouse.move(-150, -90, { steps: 3 });
  await frames(3);
  const [outside] = await ask(() => window.limber.holds());
  check(outside, "the hand let go at the edge");
  const aimed = length(outside.target, hold.target);
  console.log(`the hand moved ${aimed.toExponential(3)} m on its way out`);
  check(aimed > 0, "the hand stood still");
  await page.mouse.up();
  await frames(2);
  check((await ask(() => window.limber.holds())).length === 0, "it still holds");
});

test("dragging_beside_the_body_turns_the_camera", async () => {
  const link = await ask(() => window.limber.link());
  for (const [x, y] of [[430, 425], [30, 250], [480, 150], [250, 420]]) { // one is beside it
    await page.mouse.move(x, y);
    await page.mouse.down();
    await frames(2);
    const held = await ask(() => window.limber.holds().length);
    if (!held) await page.mouse.move(x - 20, y - 15, { steps: 3 });
    await page.mouse.up();
    if (!held) break;
  }
  const turned = await ask(() => window.limber.link());
  const angle = (text) => Number(/azimuth=([^&]*)/.exec(text)[1]);
  console.log(`azimuth ${angle(link)} -> ${angle(turned)}`);
  check(angle(link) !== angle(turned), "the camera stands still");
});

test("fingers_grab_turn_and_zoom", async () => {
  const mouse = page;
  page = await newPage(`${url}#scene=twisted-beam&shadows=0&ground=0&sky=0`, { context: { hasTouch: true } });
  const device = await page.context().newCDPSession(page);
  const touch = (type, ...points) => device.send("Input.dispatchTouchEvent",
    { type, touchPoints: points.map(([x, y], id) => ({ x, y, id })) });
  const link = (name) => ask((n) => Number(new URLSearchParams(window.limber.link()).get(n)), name);
  try {
    await ask(() => window.limber.set("gravity_on", 0));
    await frames(2);
    let down = false;
    const { x, y, hold } = await grab(async (px, py) => {
      if (down) await touch("touchEnd");
      await touch("touchStart", [px, py]);
      down = true;
    });
    await touch("touchMove", [x, y - 60]);
    await frames(3);
    const [held] = await ask(() => window.limber.holds());
    check(held && length(held.target, hold.target) > 0, "a finger on the body does not pull it");
    await touch("touchEnd");
    await frames(2);
    check((await ask(() => window.limber.holds())).length === 0, "the finger did not let go");
    const azimuth = await link("azimuth");
    await touch("touchStart", [430, 425]);
    await touch("touchMove", [350, 425]);
    await touch("touchEnd");
    await frames(1);
    check(await link("azimuth") !== azimuth, "a finger beside the body does not turn the camera");
    const distance = await link("distance");
    await touch("touchStart", [340, 425], [420, 425]);
    await touch("touchMove", [310, 425], [440, 425]);
    await touch("touchEnd");
    await frames(1);
    const nearer = await link("distance");
    console.log(`two fingers: distance ${distance} -> ${nearer}`);
    check(nearer < distance, "two fingers do not zoom");
  } finally {
    await back(mouse);
  }
});

// ---- settings ------------------------------------------------------------------------------------

test("a_dropped_model_opens", async () => {
  await drop("bar.glb");
  check(await ask(() => window.limber.scene().file) === "bar.glb",
    `it does not open: ${await ask(() => window.limber.messages.at(-1))}`);
  await frames(2);
  check((await ask(() => window.limber.actors())).length === 1, "there is no body");
});

// The bar of the file, hanging.
async function hangBar() {
  if (await ask(() => window.limber.scene()?.file) !== "bar.glb") await drop("bar.glb");
  await ask(() => { window.limber.set("speed", 4); window.limber.set("damping_mass", 10); });
  await simulate(3);
}

test("the_slider_of_youngs_modulus_changes_the_sag", async () => {
  await hangBar();
  const soft = await lowest();
  const young = await ask(() => window.limber.states().young);
  const slider = page.locator("#control-young");
  await slider.fill(String(Math.min(1000, Number(await slider.inputValue()) + 150)));
  const stiff = await ask(() => window.limber.states().young.value);
  await simulate(3);
  const higher = await lowest();
  console.log(`young ${young.value} -> ${stiff.toPrecision(4)}: lowest point ${soft.toPrecision(5)} -> ${
    higher.toPrecision(5)} m`);
  check(stiff > young.value, "the slider does not change the setting");
  check(higher > soft, "a stiffer bar sags no less");
});

test("a_typed_number_sets_the_modulus", async () => {
  await hangBar();
  await page.fill('[data-control="young"] .amount input', "3.5M");
  await page.keyboard.press("Enter");
  check(await ask(() => window.limber.states().young.value) === 3.5e6, `young is ${
    await ask(() => window.limber.states().young.value)}`);
});

test("the_toggle_of_gravity_changes_the_sag", async () => {
  await hangBar();
  const before = await lowest();
  await page.click('[data-control="gravity_on"] input');
  await simulate(3);
  const after = await lowest();
  console.log(`lowest point ${before.toPrecision(5)} -> ${after.toPrecision(5)} m without gravity`);
  check(after > before, "the bar hangs as before");
});

test("a_method_is_chosen_and_compared", async () => {
  await open("spoon");
  await frames(2);
  const label = await ask(() => window.limber.actors()[0].label);
  await page.click('[data-control="method"] .segments label:first-child');
  await frames(2);
  const other = await ask(() => window.limber.actors()[0].label);
  check(label !== other, `the method stays "${label}"`);
  await page.click('[data-control="compare"] input');
  await wait(() => document.querySelectorAll("#labels span").length > 1);
  const labels = await ask(() => [...document.querySelectorAll("#labels span")].map((s) => s.textContent));
  console.log(`${label} -> ${other}; side by side: ${labels.join(", ")}`);
  check(new Set(labels).size === labels.length, "two bodies have the same label");
});

test("deforming_on_the_gpu_and_on_the_processor_look_alike", async () => {
  await open("strains");
  await simulate(0.1);
  await ask(() => window.limber.set("paused", 1));
  const pixels = (gpu) => ask((value) => {
    window.limber.set("on_gpu", value);
    return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => {
      const view = document.getElementById("view");
      const copy = Object.assign(document.createElement("canvas"), { width: 200, height: 120 });
      const context = copy.getContext("2d");
      context.drawImage(view, 0, 0, 200, 120);
      resolve([...context.getImageData(0, 0, 200, 120).data]);
    })));
  }, gpu);
  const [one, other] = [await pixels(1), await pixels(0)];
  await ask(() => window.limber.set("paused", 0));
  const mean = one.reduce((sum, value, i) => sum + Math.abs(value - other[i]), 0) / one.length;
  console.log(`mean difference ${mean.toFixed(4)} of 255, tolerance 1`);
  check(mean < 1, "the pictures differ");
});

test("keys_do_what_the_list_says", async () => {
  await page.focus("#view");
  await page.keyboard.press("m");
  await wait(() => !document.getElementById("legend").hidden);
  await page.keyboard.press("Shift+?");
  await wait(() => document.getElementById("help").open);
  await page.keyboard.press("Escape");
  check(!await ask(() => document.getElementById("help").open), "the list stays open");
  const azimuth = await ask(() => window.limber.link());
  await page.keyboard.press("ArrowLeft");
  check(await ask(() => window.limber.link()) !== azimuth, "an arrow does not turn the camera");
  await page.keyboard.press(" ");
  check(await ask(() => window.limber.states().paused.value) === 1, "space does not pause");
  await page.keyboard.press(" ");
});

test("a_shared_link_brings_scene_and_settings", async () => {
  await open("bridge");
  await ask(() => { window.limber.set("young", 4e7); window.limber.set("map", 1); });
  await page.click("#share");
  await wait(() => location.hash.includes("young="));
  const link = await ask(() => location.href);
  const before = page;
  const states = (someone) => someone.evaluate(() => Object.entries(window.limber.states())
    .filter(([name, state]) => state.value !== state.initial && name !== "paused").map(([name, state]) =>
      `${name}=${state.value.toPrecision(5)}`).sort().join("&"));
  const told = await states(before);
  page = await newPage(link);
  const got = await states(page), scene = await ask(() => window.limber.scene().name);
  await back(before);
  console.log(link.split("#")[1]);
  check(scene === "bridge", `the link opens ${scene}`);
  check(told === got && got.includes("young="), `sent ${told}, got ${got}`);
});

// ---- trouble -------------------------------------------------------------------------------------

for (const [name, part] of [["broken.glb", ""], ["newer.glb", "newer"],
  ["words.txt", ""], ["empty.glb", ""], ["cut.glb.gz", "damaged"]]) {
  test(`${name.split(".").slice(0, -1).join("_").replace(".", "_")}_gives_a_message_and_the_scene_stays`, async () => {
    const before = await ask(() => [window.limber.scene(), window.limber.actors()]);
    await drop(name);
    const text = await ask(() => window.limber.messages.at(-1));
    console.log(text);
    check(text.includes(name) && text.includes(part), `the message does not tell of ${part || name}`);
    check(await page.isVisible(".toast.bad"), "no message is shown");
    const after = await ask(() => [window.limber.scene(), window.limber.actors()]);
    check(JSON.stringify(before) === JSON.stringify(after), "the scene changed");
  });
}

test("names_of_files_keep_their_letters", async () => {
  await drop("words.txt");
  const shown = await page.innerText(".toast:last-child");
  console.log(shown);
  check(shown.startsWith("words.txt: "), `the message begins "${shown.slice(0, 20)}"`);
});

test("messages_stand_above_the_graphs_and_the_legend", async () => {
  await ask(() => window.limber.set("map", 1));
  for (const size of [SIZE, { width: 1280, height: 800 }, { width: 390, height: 844 }, { width: 844, height: 390 }]) {
    await page.setViewportSize(size);
    await frames(3);
    await drop("words.txt");
    const [toast, foot] = await ask(() => ["#toasts", "#foot"].map((name) => {
      const { top, bottom, height } = document.querySelector(name).getBoundingClientRect();
      return { top, bottom, height };
    }));
    console.log(`${size.width} x ${size.height}: messages end at ${toast.bottom}, the foot begins at ${foot.top}`);
    check(!foot.height || toast.bottom <= foot.top, "a message covers the foot");
  }
  await page.setViewportSize(SIZE);
  await ask(() => window.limber.set("map", 0));
});

test("a_file_that_is_too_large_is_told_in_words", async () => {
  const say = (size, fails) => ask(async ([bytes, broken]) => {
    const file = new File([new Uint8Array(4)], "Huge.glb");
    Object.defineProperty(file, "size", { value: bytes });
    if (broken) file.arrayBuffer = () => Promise.reject(new DOMException("The requested file could not be read", "NotReadableError"));
    await window.limber.openFile(file);
    return window.limber.messages.at(-1);
  }, [size, fails]);
  for (const [size, part] of [[1.5e9, "1.5 GB"], [4e8, "0.4 GB"], [100, "cannot be read"]]) {
    const text = await say(size, true);
    console.log(text);
    check(text.startsWith("Huge.glb: ") && text.includes(part), `the message is: ${text}`);
    check(!text.includes("requested file"), "the browser's own text is shown");
  }
});

test("vertices_are_told_in_pixels_of_the_page", async () => {
  const before = page;
  page = await newPage(`${url}#scene=twisted-beam&shadows=0&ground=0&sky=0`, { context: { deviceScaleFactor: 2 } });
  const outside = await ask(() => {
    const view = document.getElementById("view").getBoundingClientRect();
    let count = 0;
    for (let i = 0; i < window.limber.actors()[0].vertices; i++) {
      const { x, y } = window.limber.vertex(0, 0, i);
      if (x < 0 || y < 0 || x > view.width || y > view.height) count++;
    }
    return count;
  });
  await grab(pressMouse); // and a press there hits the body
  await page.mouse.up();
  await back(before);
  check(outside === 0, `${outside} vertices are outside of the view`);
});

for (const [name, text] of [["without_names", '{"scenes":[{}]}'], ["that_is_empty", '{"scenes":[]}'],
  ["that_is_damaged", '{"scenes":'], ["of_another_kind", '{"scenes":7}']]) {
  test(`a_gallery_${name}_ends_with_a_message`, async () => {
    await hide(true);
    const context = await browser.newContext({ viewport: SIZE });
    const fresh = await context.newPage();
    await fresh.route("**/gallery.json", (route) => route.fulfill({ contentType: "application/json", body: text }));
    await fresh.goto(url);
    const ready = await Promise.race([fresh.evaluate(() => window.limber.ready),
      new Promise((resume) => setTimeout(() => resume("pending"), 20000))]);
    const told = await fresh.innerText("#blocked");
    await context.close();
    await hide(false);
    console.log(`${ready}: ${told.replaceAll("\n", " ")}`);
    check(ready === false, `ready is ${ready}`);
    check(told.includes("gallery.json"), `the page says: ${told}`);
  });
}

// What stands on the page with the settings open; nothing of it leaves the window or covers another,
// and no row of the settings is wider than they are.
test("nothing_overlaps_or_leaves_the_window", async () => {
  const sizes = [[1280, 800], [1920, 1080], [390, 844], [844, 390]];
  for (const [width, height] of sizes) {
    await page.setViewportSize({ width, height });
    await frames(3);
    const faults = await ask(() => {
      const boxes = ["head", "show-panel", "panel", "graphs", "legend"].map((id) => {
        const element = document.getElementById(id), box = element.getBoundingClientRect();
        return { id, shown: element.checkVisibility() && box.width * box.height > 0, box };
      }).filter(({ shown }) => shown);
      const within = (a, b) => a.left >= b.left - 1 && a.right <= b.right + 1;
      const found = [];
      for (const { id, box } of boxes) {
        if (!within(box, { left: 0, right: innerWidth })) found.push(`${id} leaves the window`);
        if (box.top < -1 || box.bottom > innerHeight + 1) found.push(`${id} leaves the window`);
      }
      const narrow = innerWidth < 700; // there the button stands on the bar
      for (const a of boxes)
        for (const b of boxes) {
          if (a.id >= b.id || (narrow && [a.id, b.id].includes("show-panel"))) continue;
          if (a.box.left < b.box.right - 1 && b.box.left < a.box.right - 1 &&
              a.box.top < b.box.bottom - 1 && b.box.top < a.box.bottom - 1) found.push(`${a.id} covers ${b.id}`);
        }
      const panel = document.getElementById("panel");
      for (const row of panel.checkVisibility() ? panel.querySelectorAll(".row") : [])
        if (row.checkVisibility() && !within(row.getBoundingClientRect(), panel.getBoundingClientRect()))
          found.push(`${row.dataset.control} is wider than the settings`);
      return found;
    });
    console.log(`${width} x ${height}: ${faults.length ? faults.join(", ") : "all in its place"}`);
    check(!faults.length, `${width} x ${height}: ${faults.join(", ")}`);
  }
  await page.setViewportSize(SIZE);
});

// The builder leaves most of a phone to the object, and covers no other panel.
test("the_builder_leaves_room_on_phones", async () => {
  const before = page;
  for (const viewport of [{ width: 390, height: 844 }, { width: 844, height: 390 }]) {
    page = await newPage(`${url}#scene=twisted-beam&shadows=0&ground=0&sky=0`,
      { context: { viewport, hasTouch: true, isMobile: true } });
    await dropMeshes(["ball.obj"]);
    await built();
    await frames(3);
    const { free, covered } = await ask(() => {
      const view = document.getElementById("view"), box = document.getElementById("builder").getBoundingClientRect();
      let seen = 0;
      for (let i = 0; i < 20; i++)
        for (let j = 0; j < 20; j++)
          if (document.elementFromPoint((i + 0.5) / 20 * innerWidth, (j + 0.5) / 20 * innerHeight) === view) seen++;
      const covers = (id) => {
        const element = document.getElementById(id), other = element.getBoundingClientRect();
        return element.checkVisibility() && box.left < other.right - 1 && other.left < box.right - 1 &&
          box.top < other.bottom - 1 && other.top < box.bottom - 1;
      };
      return { free: seen / 400, covered: ["head", "graphs", "legend", "show-panel"].filter(covers) };
    });
    if (process.env.SHOTS) await page.screenshot({ path: join(process.env.SHOTS, `builder-${viewport.width}.png`) });
    console.log(`${viewport.width} x ${viewport.height}: ${Math.round(100 * free)} % of the view is free`);
    await back(before);
    check(free > 0.55, `only ${free} of the view is free`);
    check(!covered.length, `the builder covers ${covered.join(", ")}`);
  }
});

test("phones_see_the_scene_and_hear_of_fingers_only", async () => {
  const before = page;
  for (const viewport of [{ width: 390, height: 844 }, { width: 844, height: 390 }, { width: 667, height: 375 }]) {
    page = await newPage(`${url}#scene=spoon&shadows=0&ground=0&sky=0`,
      { context: { viewport, hasTouch: true, isMobile: true, deviceScaleFactor: 2 } });
    const free = await ask(() => {
      const view = document.getElementById("view");
      let seen = 0;
      for (let i = 0; i < 20; i++)
        for (let j = 0; j < 20; j++)
          if (document.elementFromPoint((i + 0.5) / 20 * innerWidth, (j + 0.5) / 20 * innerHeight) === view) seen++;
      return seen / 400;
    });
    await page.click("#show-help");
    const help = await page.innerText("#help");
    const title = await page.getAttribute("#show-help", "title");
    await frames(3);
    const hint = await ask(() => document.getElementById("hint").textContent);
    if (process.env.SHOTS) await page.screenshot({ path: join(process.env.SHOTS, `help-${viewport.width}.png`) });
    await page.click("#help .close");
    console.log(`${viewport.width} x ${viewport.height}: ${Math.round(100 * free)} % of the view is free`);
    await back(before);
    check(free > 0.7, `only ${free} of the view is free`);
    check(!/Ctrl|Shift|Arrows|Space|Wheel/.test(help + title), `the list tells of keys: ${help}`);
    check(!/\([a-z0-9[\]]\)/.test(hint) && hint.includes("settings, Body"), `the hint tells of keys: ${hint}`);
  }
});

test("a_lost_context_is_told_and_restored", async () => {
  await ask(() => {
    window.loser = document.getElementById("view").getContext("webgl2").getExtension("WEBGL_lose_context");
    window.loser.loseContext();
  });
  await wait(() => !document.getElementById("blocked").hidden);
  await frames(3);
  await ask(() => window.loser.restoreContext());
  await wait(() => document.getElementById("blocked").hidden);
  await frames(3);
  const found = await colours();
  console.log(`${found} colours after it came back`);
  check(found > 50, `the picture has ${found} colours`);
});

test("a_view_resized_to_nothing_comes_back", async () => {
  const box = await ask(() => { // CSS of the page's own, so that its policy allows it
    document.getElementById("view").style.height = "0";
    return document.getElementById("view").clientHeight;
  });
  check(box === 0, "the view has not become nothing");
  await frames(4);
  await page.setViewportSize({ width: 320, height: 480 });
  await ask(() => { document.getElementById("view").style.height = ""; });
  await frames(3);
  const narrow = await colours();
  await page.setViewportSize(SIZE);
  await frames(3);
  check(narrow > 50 && await colours() > 50, `a narrow picture has ${narrow} colours`);
});

test("without_webgl_2_there_is_a_message", async () => {
  const before = page;
  const script = () => {
    const real = HTMLCanvasElement.prototype.getContext;
    HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
      return kind === "webgl2" ? null : real.call(this, kind, ...rest);
    };
  };
  page = await newPage(url, { script });
  const text = await page.innerText("#blocked");
  await back(before);
  console.log(text.split("\n")[0]);
  check(text.includes("WebGL 2"), `the page says: ${text}`);
});

test("a_file_of_the_server_opens", async () => {
  check(openUrl, "no server was given");
  const before = page;
  page = await newPage(openUrl);
  const scene = await ask(() => window.limber.scene());
  await back(before);
  check(scene?.open?.startsWith("open/"), `the page shows ${JSON.stringify(scene)}`);
});

test("any_file_of_the_site_opens_and_no_other", async () => {
  const before = page;
  page = await newPage(`${url}#open=models/bowl.glb.gz&shadows=0&ground=0&sky=0`);
  const scene = await ask(() => window.limber.scene()), told = [];
  for (const other of ["https://example.org/a.glb", "//example.org/b.glb", "data:,c", "http://"]) {
    const count = await ask(() => window.limber.messages.length);
    await ask((path) => { location.hash = `#open=${encodeURIComponent(path)}`; }, other);
    await wait((n) => window.limber.messages.length > n, count);
    told.push(await ask(() => window.limber.messages.at(-1)));
  }
  const after = await ask(() => window.limber.scene());
  await back(before);
  console.log(told[0]);
  check(scene?.open === "models/bowl.glb.gz", `the page shows ${JSON.stringify(scene)}`);
  check(told.every((text) => text.includes("not a file of this site")), told.join("; "));
  check(after?.open === scene.open, "the scene changed");
});

test("an_embedded_page_is_the_picture_alone", async () => {
  const before = page;
  page = await newPage(`${url}#scene=twisted-beam&ui=none&shadows=0&ground=0&sky=0`);
  const free = await ask(() => {
    const view = document.getElementById("view"), places = Array.from({ length: 100 }, (_, i) => i);
    return places.filter((i) => document.elementFromPoint((i % 10 + 0.5) / 10 * innerWidth,
      (Math.floor(i / 10) + 0.5) / 10 * innerHeight) === view).length;
  });
  await grab(pressMouse);
  await page.mouse.move(300, 100, { steps: 2 });
  await page.mouse.up();
  await ask(() => window.limber.open("spoon"));
  const hash = await ask(() => location.hash);
  await back(before);
  console.log(`${free} of 100 places are the picture; ${hash}`);
  check(free === 100, "something covers the picture");
  check(hash.includes("ui=none"), "the address forgets it");
});

// ---- saving --------------------------------------------------------------------------------------

async function save(name, act) {
  const [download] = await Promise.all([page.waitForEvent("download"), act()]);
  const path = join(folder, name);
  await download.saveAs(path);
  const bytes = readFileSync(path);
  console.log(`${download.suggestedFilename()}: ${bytes.length} bytes`);
  return bytes;
}
const press = (name) => ask((control) => window.limber.set(control, 1), name);

test("a_picture_is_saved", async () => {
  const bytes = await save("saved.png", () => press("picture"));
  check(bytes.length > 5000 && bytes.subarray(1, 4).toString() === "PNG", "it is no picture");
});

test("an_animation_is_saved", async () => {
  await open("twisted-beam");
  await simulate(0.1);
  await ask(() => window.limber.set("paused", 1)); // so that the first frame is known
  await frames(2);
  const vertices = await ask(() => Array.from({ length: window.limber.actors()[0].vertices },
    (_, i) => window.limber.vertex(0, 0, i).at));
  writeFileSync(join(folder, "vertices.json"), JSON.stringify(vertices));
  await press("animation");
  await frames(3);
  await ask(() => window.limber.set("paused", 0));
  await simulate(0.5);
  const bytes = await save("saved.glb", () => press("animation"));
  check(bytes.subarray(0, 4).toString() === "glTF", "it is no .glb");
});

test("a_comparison_is_saved_as_an_animation", async () => {
  await open("spoon");
  await ask(() => window.limber.set("compare", 1));
  await frames(2);
  await press("animation");
  await simulate(0.2);
  await save("compared.glb", () => press("animation"));
});

test("a_sketch_is_saved", async () => {
  await open("twisted-beam");
  await frames(2);
  await press("sketch");
  const { x, y } = await grab(pressMouse);
  await page.mouse.move(x + 20, y - 80, { steps: 4 });
  await simulate(0.2);
  await page.mouse.up();
  const bytes = await save("sketch.json", () => press("sketch"));
  check(Object.keys(JSON.parse(bytes.toString())).length > 0, "the sketch is empty");
});

test("a_body_is_posed_by_a_handle_and_saved", async () => {
  await open("cactus");
  await ask(() => window.limber.set("tool", 4));
  await ask(() => window.limber.set("paused", 1)); // or it sways away from the mouse
  await frames(2);
  const { x, y } = await seenVertex();
  const tried = [];
  for (const [dx, dy] of around(5)) { // paints a handle
    await pressMouse(x + dx, y + dy);
    await frames(2);
    await page.mouse.up();
    await frames(2);
    tried.push(`(${(x + dx).toFixed(0)}, ${(y + dy).toFixed(0)})`);
    if (await ask(() => window.limber.status().posing)) break;
  }
  check(await ask(() => window.limber.status().posing) === true,
    `no press at ${tried.join(", ")} begins a pose`);
  await ask(() => window.limber.set("paused", 0));
  const before = await ask(() => window.limber.status().time);
  await frames(5);
  check(await ask(() => window.limber.status().time) === before, "time goes on");
  const bytes = await save("pose.obj", () => press("pose"));
  check(/^v [-0-9.e+]+ [-0-9.e+]+ [-0-9.e+]+$/m.test(bytes.toString()), "it is no .obj");
  await press("release");
  await frames(5);
  check(await ask(() => window.limber.status().posing) === false, "the pose goes on");
  await ask(() => window.limber.set("tool", 0));
});

test("a_video_is_saved", async () => {
  await press("video");
  await frames(10);
  const bytes = await save("saved.webm", () => press("video"));
  check(bytes.length > 1000 && bytes.readUInt32BE(0) === 0x1a45dfa3, "it is no .webm");
});

// ---- building ------------------------------------------------------------------------------------

// Files dropped together, as [name...]; with settings of the builder's form.
async function dropMeshes(names, settings = { cells: 6, dimension: 8 }) {
  const files = names.map((name) => [readFileSync(join(folder, name)).toString("base64"), name]);
  const transfer = await page.evaluateHandle(([list, values]) => {
    window.builtBefore = window.limber.building();
    for (const [name, value] of Object.entries(values)) document.querySelector(`#builder [name=${name}]`).value = value;
    const data = new DataTransfer();
    for (const [text, title] of list)
      data.items.add(new File([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))], title));
    return data;
  }, [files, settings]);
  await page.dispatchEvent("#view", "drop", { dataTransfer: transfer });
}
// Until what was dropped is built and shown.
const built = () => wait(() => {
  const { building, scene } = window.limber, now = building();
  return now !== window.builtBefore && now.report && scene()?.file.endsWith(".glb");
});

for (const end of ["obj", "stl", "ply", "off", "glb"]) {
  test(`a_dropped_${end}_is_built`, async () => {
    await ask(() => { for (const costly of ["shadows", "ground", "sky"]) window.limber.set(costly, 0); });
    await dropMeshes([`ball.${end}`]);
    await built();
    const { stages, report, seconds } = await ask(() => window.limber.building());
    console.log(`${seconds} s: ${stages.join(", ")}; ${report.bricks} bricks, r = ${report.dimension}`);
    check(stages.length >= 4 && stages.at(-1) === "write", "progress is not told");
    check(report.dimension === 8 && report.cells === 6, "the settings are not those of the form");
    if (end === "obj") {
      const { moved, aimed } = await pull(30, -20, 0.1);
      check(aimed > 0 && moved > 0.1 * aimed, `the model moved ${moved} of ${aimed} m`);
    }
    await save(`built-${end}.glb`, () => ask(() => document.querySelector("#builder-save").click()));
  });
}

test("a_surface_is_drawn_with_fewer_triangles_than_it_is_built_from", async () => {
  const text = readFileSync(join(folder, "ball.obj"), "latin1");
  const { report, remarks } = await ask(async (obj) => {
    const { build } = await import("./builder.mjs");
    return build([{ name: "ball.obj", bytes: new TextEncoder().encode(obj) }],
      { cells: 6, dimension: 8, triangles: 200 });
  }, text);
  console.log(`${report.triangles} triangles; ${remarks.join("; ")}`);
  check(report.triangles > 50 && report.triangles <= 200, "it has other triangles");
  check(remarks.some((remark) => remark.includes(`drawn with ${report.triangles} triangles`)), "it is not told");
});

test("triangles_are_counted_before_the_work", async () => {
  for (const end of ["obj", "stl", "ply", "off"]) {
    const name = `ball.${end}`, bytes = [...readFileSync(join(folder, name))];
    const found = await ask(async ([title, list]) =>
      (await import("./mesh-size.mjs")).trianglesOf({ name: title, bytes: new Uint8Array(list) }), [name, bytes]);
    const lines = readFileSync(join(folder, "ball.obj"), "latin1").match(/^f /gm).length;
    console.log(`${name}: about ${found} triangles of ${lines}`);
    check(Math.abs(found / lines - 1) < 0.3, "the estimate is off");
  }
  const told = await ask(async () => { // a head that promises many: nothing else is looked at
    const before = window.limber.messages.length;
    const opened = await window.limber.openFile(new File(["ply\nelement face 7000000\n"], "large.ply"));
    return { opened, messages: window.limber.messages.slice(before), busy: window.limber.building().busy };
  });
  check(!told.opened && !told.busy && told.messages.join().includes("7 million triangles"), JSON.stringify(told));
});

test("a_mesh_without_its_looks_is_built", async () => {
  await dropMeshes(["bare.obj"]);
  await built();
  console.log((await ask(() => window.limber.building().remarks)).join("; "));
});

for (const name of ["words.obj", "empty.stl", "points.ply", "foreign.glb"]) {
  test(`${name.replace(".", "_")}_is_no_mesh_and_the_scene_stays`, async () => {
    const before = await ask(() => [window.limber.scene(), window.limber.actors(), window.limber.messages.length]);
    await dropMeshes([name]);
    const told = await wait(([count, file]) => window.limber.messages.slice(count).find((text) => text.startsWith(`${file}: `)), [before[2], name]);
    const text = await told.jsonValue();
    console.log(text);
    check(!text.includes("/in/"), `the message is: ${text}`);
    const after = await ask(() => [window.limber.scene(), window.limber.actors()]);
    check(JSON.stringify(before.slice(0, 2)) === JSON.stringify(after), "the scene changed");
  });
}

test("a_build_is_stopped_and_the_page_stays_alive", async () => {
  await dropMeshes(["ball.obj"], { cells: 48, dimension: 40 });
  await wait(() => window.limber.building().stages.includes("modes"));
  const time = await ask(() => window.limber.status().time);
  await wait((from) => window.limber.status().time > from, time); // while it is built
  check(await ask(() => window.limber.building().busy), "it was done before it was stopped");
  await page.click("#builder-stop");
  await wait(() => !window.limber.building().busy);
  check(await ask(() => window.limber.messages.at(-1)) === "the build was stopped", "it is not told");
  await dropMeshes(["ball.stl"]); // and another one goes on
  await built();
});

test("a_tab_closed_in_the_middle_harms_nobody", async () => {
  const before = page;
  page = await newPage(`${url}#scene=twisted-beam&shadows=0&ground=0&sky=0`);
  await dropMeshes(["ball.obj"], { cells: 48, dimension: 40 });
  await wait(() => window.limber.building().stages.length > 0);
  await back(before);
  await dropMeshes(["ball.obj"]);
  await built();
});

// ---- the run -------------------------------------------------------------------------------------

let failed = 0;
browser = await launch();
for (const [name, body] of cases.filter(([title]) => new RegExp(process.env.ONLY ?? "").test(title))) {
  const start = Date.now();
  let verdict = "[       OK ]";
  complaints = [];
  try {
    page ??= await newPage(url);
    await body();
    check(!complaints.length, `the console says: ${complaints.join("; ")}`);
  } catch (reason) {
    failed++;
    verdict = "[  FAILED  ]";
    console.log(`${name}: ${reason.message.slice(0, 2000)}`);
  }
  console.log(`${verdict} ${name} (${((Date.now() - start) / 1000).toFixed(1)} s)`);
}
await browser.close();
process.exit(failed ? 1 : 0);
