// What floats over the picture: labels, graphs, the legend, messages, the list of keys.
import { amount, keyName } from "./panel.mjs";

const byId = (id) => document.getElementById(id);
const MAPS = ["", "Displacement", "Speed", "Von Mises stress"];

// ---- messages ----

export const messages = []; // all that were shown, for tests

// A sentence begins with a capital; the name of a file or a scene before a colon stays as it is.
const sentence = (text) => (/^\S+:/.test(text) ? text : text[0].toUpperCase() + text.slice(1));

export function tell(text, bad = false) {
  messages.push(text);
  const root = byId("toasts");
  const toast = Object.assign(document.createElement("div"),
    { className: bad ? "toast bad" : "toast", textContent: sentence(text) });
  while (root.childElementCount > 2) root.firstChild.remove();
  root.append(toast);
  setTimeout(() => toast.remove(), 4000 + 60 * text.length);
  toast.addEventListener("click", () => toast.remove());
}

// The page cannot go on: says why, over everything.
export function block(title, ...lines) {
  const box = document.createElement("div");
  const add = (tag, text) =>
    box.append(Object.assign(document.createElement(tag), { textContent: text }));
  add("h2", title);
  for (const line of lines) add("p", line);
  const blocked = byId("blocked");
  blocked.replaceChildren(box);
  blocked.hidden = false;
  messages.push(title);
}
export function unblock() {
  byId("blocked").hidden = true;
}

export function progress(share) { // null: done
  const bar = byId("progress");
  bar.hidden = share === null;
  if (share === null) return;
  bar.setAttribute("aria-valuenow", Math.round(100 * share));
  bar.firstElementChild.style.width = `${4 + 96 * share}%`;
}

// ---- graphs ----

function graph(canvas, values, color) {
  const ratio = Math.min(devicePixelRatio || 1, 2);
  const width = Math.round(canvas.clientWidth * ratio), height = Math.round(canvas.clientHeight * ratio);
  if (!width || !height) return;
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  const context = canvas.getContext("2d");
  context.clearRect(0, 0, width, height);
  const high = Math.max(...values, 1e-30) * 1.1, step = width / 239;
  context.beginPath();
  values.forEach((value, i) => {
    const x = width - (values.length - 1 - i) * step, y = height - 1 - (height - 3) * value / high;
    i ? context.lineTo(x, y) : context.moveTo(x, y);
  });
  context.lineWidth = 1.5 * ratio;
  context.strokeStyle = color;
  context.stroke();
  context.lineTo(width, height);
  context.lineTo(width - (values.length - 1) * step, height);
  context.fillStyle = `${color}33`;
  context.fill();
}

const joules = (value) => {
  const units = [[1e9, "GJ"], [1e6, "MJ"], [1e3, "kJ"], [1, "J"], [1e-3, "mJ"], [1e-6, "µJ"], [0, "nJ"]];
  const [size, unit] = units.find(([least]) => value >= least) ?? [1, "J"];
  return value > 0 ? `${+(value / (size || 1e-9)).toPrecision(3)} ${unit}` : "0 J";
};

function showGraphs(status, rate) {
  const steps = (status.step_us ?? []).filter((value) => value > 0);
  const energy = (status.energy ?? []).filter((value) => value !== null);
  graph(byId("step-graph"), steps, "#7fd1ff");
  graph(byId("energy-graph"), energy, "#ffb454");
  const recent = steps.slice(-30).sort((a, b) => a - b);
  const middle = recent[recent.length >> 1];
  byId("step-text").textContent = !middle ? "–" : middle < 1000 ? `${amount(middle)} µs`
    : `${amount(middle / 1000)} ms`;
  byId("rate-text").textContent = `${rate < 10 ? rate.toFixed(1) : Math.round(rate)}/s`;
  byId("rate-text").title = status.behind ? "this device is too slow for real time" : "";
  byId("rate-text").classList.toggle("behind", Boolean(status.behind));
  const trained = Number.isFinite(status.pose_distance) && Number.isFinite(status.unfollowed_force);
  byId("trust").hidden = !trained;
  if (trained)
    byId("trust-text").textContent = `${status.pose_distance.toFixed(2)}, ${Math.round(100 * status.unfollowed_force)} %`;
  byId("energy-text").textContent = energy.length ? joules(energy[energy.length - 1]) : "–";
}

// ---- legend and labels ----

function showLegend(status, colors) {
  const legend = byId("legend");
  legend.hidden = !status.map;
  if (!status.map) return;
  byId("legend-title").textContent = status.map_title || MAPS[status.map];
  byId("legend-colors").style.background = `linear-gradient(90deg, ${colors.join(",")})`;
  byId("legend-high").textContent = `${amount(status.map_high)}${/[kMG]$/.test(amount(status.map_high)) ? "" : " "}${status.map_unit}`;
}

function showLabels(status, scale) {
  const root = byId("labels");
  const labels = status.labels ?? [];
  while (root.childElementCount > labels.length) root.lastChild.remove();
  while (root.childElementCount < labels.length) root.append(document.createElement("span"));
  labels.forEach(({ x, y, text }, i) => {
    const span = root.children[i];
    span.textContent = text;
    span.style.transform = `translate(${x / scale}px, ${y / scale}px) translate(-50%, -100%)`;
  });
}

// A hint for those who have no keys: where in the settings it is, in place of "(c)".
const OTHER_KEYS = { "[": "Time", "]": "Time" };
export function fingerHint(hint, controls) {
  const groupOf = (key) => controls.find((control) => control.key === key.charCodeAt(0))?.group
    ?? (/\d/.test(key) ? "Tools" : OTHER_KEYS[key]);
  return hint.replace(/ ?\(([a-z0-9[\]])\)/g, (_, key) => (groupOf(key) ? ` (settings, ${groupOf(key)})` : ""))
    .replaceAll("double press", "double tap");
}

// `scale`: pixels of the drawing buffer to one of the page.
export function show(status, { colors, controls, rate, scale }) {
  if (status.message) tell(status.message, true);
  if (status.title !== undefined) {
    byId("title").textContent = status.title || "limber";
    byId("hint").textContent = onlyFingers() ? fingerHint(status.hint, controls) : status.hint;
    document.title = status.title ? `${status.title} – limber` : "limber";
  }
  showGraphs(status, rate);
  showLegend(status, colors);
  showLabels(status, scale);
}

// ---- keys ----

const MOUSE = [
  ["Drag a body", "pull it; with Ctrl held at the end it stays pinned"],
  ["Double press", "pin a point, or unpin it"],
  ["Drag beside", "turn the camera"],
  ["Right drag, Shift", "move the camera"],
  ["Wheel, + −", "nearer, farther"],
  ["Arrows", "turn; with Shift move"],
  ["Two fingers", "move and zoom"],
  ["Drop a .glb", "open a model"],
];
const FINGERS = [
  ["Drag a body", "pull it, with the tool that is chosen in the settings"],
  ["Double tap", "pin a point, or unpin it"],
  ["Drag beside", "turn the camera"],
  ["Two fingers", "move and zoom"],
];

// Where fingers are all there is, keys are of no use.
export const onlyFingers = () => matchMedia("(any-pointer: coarse)").matches
  && !matchMedia("(any-pointer: fine)").matches;

function section(title, entries) {
  const list = document.createElement("dl");
  for (const [key, what] of entries) {
    const term = document.createElement("dt"), meaning = document.createElement("dd");
    term.append(Object.assign(document.createElement("kbd"), { textContent: key }));
    meaning.textContent = what;
    list.append(term, meaning);
  }
  const root = document.createElement("section");
  root.append(Object.assign(document.createElement("h3"), { textContent: title }), list);
  return root;
}

export function makeHelp(controls, shortcuts) {
  const groups = new Map();
  for (const { group, key, label, name } of controls) {
    if (!key || name === "quit") continue;
    groups.set(group, [...groups.get(group) ?? [], [keyName(key), label]]);
  }
  const columns = Object.assign(document.createElement("div"), { className: "columns" });
  const fingers = onlyFingers(), title = fingers ? "Gestures" : "Keys and gestures";
  columns.append(section("Hands and camera", fingers ? FINGERS : MOUSE));
  for (const [group, entries] of fingers ? [] : groups) columns.append(section(group, entries));
  if (!fingers)
    columns.append(section("More", shortcuts.map(({ key, what }) => [keyName(key), what])));
  for (const name of ["title", "aria-label"])
    byId("show-help").setAttribute(name, name === "title" && !fingers ? `${title} (?)` : title);
  const top = Object.assign(document.createElement("div"), { className: "top" });
  const close = Object.assign(document.createElement("button"), { className: "close", textContent: "×" });
  close.setAttribute("aria-label", "Close");
  top.append(Object.assign(document.createElement("h2"), { textContent: title }), close);
  const dialog = byId("help");
  dialog.replaceChildren(top, columns);
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
}

export function toggleHelp() {
  const dialog = byId("help");
  dialog.open ? dialog.close() : dialog.showModal();
}

// Messages keep above what stands at the foot of the page.
export function watchFoot() {
  const foot = byId("foot"), root = document.documentElement;
  const measure = () => root.style.setProperty("--foot", `${foot.offsetHeight}px`);
  new ResizeObserver(measure).observe(foot);
  measure();
}
