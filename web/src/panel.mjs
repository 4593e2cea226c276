// The panel of settings, made from the engine's table of controls: nothing here knows a setting.

const PREFIXES = [[1e9, "G"], [1e6, "M"], [1e3, "k"]];
const OPEN_AT_FIRST = ["Time", "World", "Body", "Tools"];
const LEFT_OUT = ["Scene"]; // the page has its own buttons for these
const STEPS = 1000; // of a slider

// 20000000 -> ["20 M", ...]: three digits, with a prefix from 10000 on.
export function amount(value) {
  if (value === null || value === undefined) return "–";
  for (const [size, prefix] of PREFIXES)
    if (Math.abs(value) >= Math.max(size, 1e4)) return `${+(value / size).toPrecision(3)} ${prefix}`;
  return String(+value.toPrecision(3));
}

export function parseAmount(text) {
  const match = /^\s*([-+]?[\d.,]+(?:e[-+]?\d+)?)\s*([kMG]?)/i.exec(text);
  if (!match) return NaN;
  const scale = { k: 1e3, K: 1e3, m: 1e6, M: 1e6, g: 1e9, G: 1e9 }[match[2]] ?? 1;
  return Number(match[1].replace(",", ".")) * scale;
}

export const keyHint = (key) => (key && matchMedia("(any-pointer: fine)").matches
  ? ` (${keyName(key)})` : "");

export function keyName(key) {
  return key === 32 ? "Space" : String.fromCharCode(key).toUpperCase();
}

function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

const toPlace = (kind, value, low, high) => {
  const share = kind === "log" ? Math.log(value / low) / Math.log(high / low)
    : (value - low) / (high - low);
  return Math.round(STEPS * Math.min(1, Math.max(0, share || 0)));
};
const fromPlace = (kind, place, low, high) => {
  const share = place / STEPS;
  return kind === "log" ? low * (high / low) ** share : low + share * (high - low);
};

// Each maker returns { row, update(state) }; `set(value)` changes the setting.
const makers = {
  toggle(control, set) {
    const box = make("input", { type: "checkbox" });
    box.setAttribute("role", "switch");
    box.addEventListener("change", () => set(box.checked ? 1 : 0));
    const row = make("div", { className: "row half" },
      make("label", { className: "check" }, box, control.label));
    return { row, update(state) { box.checked = state.value !== 0; box.disabled = !state.enabled; } };
  },

  button(control, set) {
    const button = make("button", { type: "button", textContent: control.label });
    button.addEventListener("click", () => set(1));
    const row = make("div", { className: "row half" }, button);
    return { row, update(state) { button.disabled = !state.enabled; } };
  },

  slider(control, set) {
    const { kind, whole } = control;
    const id = `control-${control.name}`;
    const range = make("input", { type: "range", id, min: 0, max: STEPS, step: 1 });
    const text = make("input", { type: "text", inputMode: "decimal", autocomplete: "off" });
    text.setAttribute("aria-label", `${control.label}, as a number`);
    const unit = make("span", { textContent: control.unit });
    let low = 0, high = 1, held = false;
    const read = () => {
      const value = fromPlace(kind, Number(range.value), low, high);
      return whole ? Math.round(value) : value;
    };
    range.addEventListener("input", () => { held = true; set(read()); held = false; });
    text.addEventListener("change", () => {
      const value = parseAmount(text.value);
      if (Number.isFinite(value)) set(value);
      text.blur();
    });
    text.addEventListener("keydown", (event) => { if (event.key === "Escape") text.blur(); });
    const label = make("label", { htmlFor: id, textContent: control.label });
    const row = make("div", { className: "row" },
      make("div", { className: "name" }, label,
        make("span", { className: "amount" }, text, unit)), range);
    row.addEventListener("dblclick", (event) => {
      if (event.target === label || event.target === range) set(row.initial);
    });
    return {
      row,
      update(state) {
        ({ low, high } = state);
        row.initial = state.initial;
        range.disabled = text.disabled = !state.enabled;
        if (whole) range.step = Math.max(1, Math.floor(STEPS / Math.max(1, high - low) / 4));
        if (!held) range.value = toPlace(kind, state.value, low, high);
        const shown = amount(state.value);
        if (document.activeElement !== text) text.value = shown;
        unit.textContent = control.unit && (/[kMG]$/.test(shown) ? "" : "\u2009") + control.unit;
        range.setAttribute("aria-valuetext", `${shown} ${control.unit}`);
      },
    };
  },

  choice(control, set) {
    const row = make("div", { className: "row" });
    let made = "", widget = null;
    const segments = (choices) => {
      widget = make("div", { className: "segments" });
      widget.setAttribute("role", "radiogroup");
      widget.setAttribute("aria-label", control.label);
      choices.forEach((choice, index) => {
        const input = make("input", { type: "radio", name: `choice-${control.name}` });
        input.addEventListener("change", () => set(index));
        widget.append(make("label", {}, input, make("span", { textContent: choice })));
      });
    };
    const list = (choices) => {
      widget = make("select", {});
      widget.setAttribute("aria-label", control.label);
      choices.forEach((choice, index) => widget.append(new Option(choice, index)));
      widget.addEventListener("change", () => set(Number(widget.value)));
    };
    const remake = (choices) => {
      made = choices.join("\n");
      (choices.join("").length <= 24 ? segments : list)(choices);
      row.replaceChildren(make("div", { className: "name" },
        make("span", { textContent: control.label })), widget);
    };
    return {
      row,
      update(state) {
        if (!widget || state.choices.join("\n") !== made) remake(state.choices);
        if (widget.tagName === "SELECT") {
          widget.value = state.value;
          widget.disabled = !state.enabled;
          return;
        }
        widget.querySelectorAll("input").forEach((input, index) => {
          input.checked = index === state.value;
          input.disabled = !state.enabled;
        });
      },
    };
  },
};
makers.log = makers.slider;

export class Panel {
  // `set(name, value)` changes a setting.
  constructor(root, controls, set) {
    this.root = root;
    this.rows = controls.map((control) => {
      if (LEFT_OUT.includes(control.group)) return null;
      const made = makers[control.kind](control, (value) => set(control.name, value));
      made.row.dataset.control = control.name;
      this.#group(control.group).append(made.row);
      return { ...made, control };
    });
  }

  #group(name) {
    const found = this.root.querySelector(`details[data-group="${name}"] .rows`);
    if (found) return found;
    const rows = make("div", { className: "rows" });
    const group = make("details", { open: OPEN_AT_FIRST.includes(name) && innerWidth > 720 },
      make("summary", { textContent: name }), rows);
    group.dataset.group = name;
    this.root.append(group);
    return rows;
  }

  update(states) {
    this.rows.forEach((made, index) => {
      if (!made) return;
      const state = states[index];
      const { control, row } = made;
      made.update(state);
      row.classList.toggle("off", !state.enabled);
      row.title = control.help + keyHint(control.key) + (state.enabled ? "" : ` – not now: ${state.why}`);
    });
  }

  // A button that is at work: "Video" becomes "Stop video".
  mark(name, on) {
    const made = this.rows.find((row) => row?.control.name === name);
    const button = made?.row.querySelector("button");
    if (!button) return;
    button.classList.toggle("on", on);
    button.textContent = on ? `Stop ${made.control.label.toLowerCase()}` : made.control.label;
  }
}
