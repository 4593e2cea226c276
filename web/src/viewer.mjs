// The viewer of the page, engine and renderer, as JavaScript functions (apps/viewer/page/page.c).

export class Viewer {
  #memory;

  // `limber`: what load() gave (limber.mjs); it has no canvas yet.
  constructor(limber) {
    this.#memory = limber.memory;
    this.module = limber.memory.module;
  }

  // `software`: a processor draws, not a graphics card.
  start(selector, software) {
    this.#memory.check(this.#memory.withText(selector, (text) => this.module._vw_page_start(text, software ? 1 : 0)));
    this.controls = this.#memory.json("vw_page_controls");
    this.shortcuts = this.#memory.json("vw_page_shortcuts");
    this.colors = this.#memory.json("vw_page_map_colors");
  }
  open(name, bytes) {
    this.#memory.check(this.#memory.withText(name, (text) =>
      this.#memory.withBytes(bytes, (at) => this.module._vw_page_open(text, at, bytes.length))));
  }
  lose() { this.module._vw_page_lose(); }
  restore() { this.#memory.check(this.module._vw_page_restore()); }

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
  states() { return this.#memory.json("vw_page_states"); }
  set(name, value) {
    const status = this.#memory.withText(name, (text) => this.module._vw_page_set(text, value));
    if (status < 0) throw new Error(`there is no setting "${name}"`);
    this.#memory.check(status);
  }
  status() { return this.#memory.json("vw_page_status"); }
  link() { return this.#memory.text(this.module._vw_page_link()); }
  follow(link) { this.#memory.withText(link, (text) => this.module._vw_page_follow(text)); }
  holds() { return this.#memory.json("vw_page_holds"); }
  actors() { return this.#memory.json("vw_page_actors"); }
  vertex(actor, body, vertex) { return this.#memory.json("vw_page_vertex", actor, body, vertex); }

  sketch() { return this.#memory.take("vw_page_sketch"); }
  pose() { return this.#memory.take("vw_page_pose"); }
  // The recording of an animated .glb; the end gives the file.
  beginAnimation() { this.#memory.check(this.module._vw_page_begin_animation()); }
  animationEnded() { return this.module._vw_page_animation_ended() !== 0; }
  endAnimation() { return this.#memory.take("vw_page_end_animation"); }
}
