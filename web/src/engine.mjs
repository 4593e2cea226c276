// The engine and renderer in WebAssembly, as JavaScript functions. Texts go over as UTF-8 and come
// back as JSON (apps/viewer/page.c).
import createModule from "./limber-page.mjs";

const decoder = new TextDecoder();
const encoder = new TextEncoder();

function textAt(module, address) {
  const bytes = module.HEAPU8;
  return decoder.decode(bytes.subarray(address, bytes.indexOf(0, address)));
}

// Calls `use` with the address of a copy of the bytes, and one zero byte behind them.
function withBytes(module, bytes, use) {
  const address = module._vw_page_allocate(bytes.length + 1);
  if (!address) throw new Error("this device has too little memory for that");
  module.HEAPU8.set(bytes, address);
  module.HEAPU8[address + bytes.length] = 0;
  try {
    return use(address);
  } finally {
    module._vw_page_free(address);
  }
}

export class Engine {
  // Ready to start: compiled, with no canvas yet.
  static async load() {
    return new Engine(await createModule());
  }

  constructor(module) {
    this.module = module;
  }

  #withText(text, use) {
    return withBytes(this.module, encoder.encode(text), use);
  }
  #json(name, ...numbers) {
    return JSON.parse(textAt(this.module, this.module[`_vw_page_${name}`](...numbers)));
  }
  #check(status) {
    if (status) throw new Error(textAt(this.module, this.module._vw_page_error()));
  }
  // Bytes that a function made, and how many it wrote at the place it was given; then they are
  // freed here.
  #take(name) {
    const size = this.module._vw_page_allocate(8);
    const address = this.module[`_vw_page_${name}`](size);
    const count = new DataView(this.module.HEAPU8.buffer).getUint32(size, true);
    this.module._vw_page_free(size);
    if (!address) this.#check(1);
    const bytes = this.module.HEAPU8.slice(address, address + count);
    this.module._vw_page_free(address);
    return bytes;
  }

  // `software`: a processor draws, not a graphics card.
  start(selector, software) {
    this.#check(this.#withText(selector, (text) => this.module._vw_page_start(text, software ? 1 : 0)));
    this.controls = this.#json("controls");
    this.shortcuts = this.#json("shortcuts");
    this.colors = this.#json("map_colors");
  }
  open(name, bytes) {
    this.#check(this.#withText(name, (text) =>
      withBytes(this.module, bytes, (at) => this.module._vw_page_open(text, at, bytes.length))));
  }
  lose() { this.module._vw_page_lose(); }
  restore() { this.#check(this.module._vw_page_restore()); }

  resize(width, height) { this.module._vw_page_resize(width, height); }
  // Share of the canvas that the panel covers, on its right.
  cover(share) { this.module._vw_page_cover(-share); }
  frame(seconds) { this.module._vw_page_frame(seconds); }
  draw() { this.module._vw_page_draw(); }
  press(pointer, button, modifiers, x, y) {
    this.module._vw_page_press(pointer, button, modifiers, x, y);
  }
  move(pointer, x, y) { this.module._vw_page_move(pointer, x, y); }
  release(pointer, modifiers) { this.module._vw_page_release(pointer, modifiers); }
  cancel() { this.module._vw_page_cancel(); }
  wheel(notches) { this.module._vw_page_wheel(notches); }
  key(key, modifiers) { return this.module._vw_page_key(key, modifiers) !== 0; }
  wish() { return this.module._vw_page_wish(); }

  // What the controls are now, in the order of `controls`.
  states() { return this.#json("states"); }
  set(name, value) {
    const status = this.#withText(name, (text) => this.module._vw_page_set(text, value));
    if (status < 0) throw new Error(`there is no setting "${name}"`);
    this.#check(status);
  }
  status() { return this.#json("status"); }
  link() { return textAt(this.module, this.module._vw_page_link()); }
  follow(link) { this.#withText(link, (text) => this.module._vw_page_follow(text)); }
  holds() { return this.#json("holds"); }
  actors() { return this.#json("actors"); }
  vertex(actor, body, vertex) { return this.#json("vertex", actor, body, vertex); }

  sketch() { return this.#take("sketch"); }
  pose() { return this.#take("pose"); }
  // The recording of an animated .glb; the end gives the file.
  beginAnimation() { this.#check(this.module._vw_page_begin_animation()); }
  animationEnded() { return this.module._vw_page_animation_ended() !== 0; }
  endAnimation() { return this.#take("end_animation"); }
}
