// Worlds of bodies, for programs that draw by themselves (docs/module.md; the types: limber.d.ts).
// All lengths are metres, times seconds, forces newtons; vectors are arrays of three numbers in
// world axes, rotations are quaternions [x, y, z, w].
import { LimberError } from "./memory.mjs";

// What a step tells, or-ed (limber/base.h and limber/contact.h).
export const StepFlag = Object.freeze({
  NOT_CONVERGED: 1, NONFINITE: 2, SHIFTED: 4, REFUSED: 8, STUCK: 16, ADAPTED: 32, JUMPED: 64,
  RECOVERING: 128, CONTACTS_DROPPED: 256,
});
const TROUBLE = [
  [StepFlag.NONFINITE, "a body could not take the step and kept its last good state"],
  [StepFlag.CONTACTS_DROPPED, "there was no room for all contacts, and some did not act"],
];
const SHAPES = ["plane", "sphere", "box", "capsule"]; // in the order of lbColliderShape
const CONTACT_NUMBERS = 14; // apps/viewer/page/world.c
const APART = 0.05; // s without a push, after which two are told to have parted
const NO_TURN = [0, 0, 0, 1], ZERO = [0, 0, 0];

function vector(what, value, count = 3) {
  const good = value?.length === count && Array.prototype.every.call(value, Number.isFinite);
  if (!good) throw new TypeError(`${what} must be ${count} finite numbers`);
  return value;
}

function number(what, value) {
  if (!Number.isFinite(value)) throw new TypeError(`${what} must be a finite number`);
  return value;
}

// NaN: the world's, or its default.
export function contactMaterial({ friction = NaN, compliance = NaN, restitution = NaN, rollingFriction = NaN }) {
  return [friction, compliance, restitution, rollingFriction];
}

export class World {
  #memory;
  #address;
  #numbers; // where numbers go over, an index of HEAPF64
  #listeners = new Map();
  #touching = new Map(); // pairs, by their numbers
  #bodies = [];
  #colliders = [];

  // Made by limber.open and limber.world (limber.mjs).
  constructor(memory, address) {
    this.#memory = memory;
    this.#address = address;
    this.#numbers = memory.module._page_numbers() >> 3;
    const count = memory.module._page_world_body_count(address);
    for (let i = 0; i < count; i++) this.#bodies.push(new Body(this, i));
  }

  // For Body, Hand and Collider: calls page_NAME(world, ...) after writing numbers.
  call(name, numbers, ...rest) {
    if (!this.#address) throw new LimberError("this world was disposed of");
    const { module } = this.#memory;
    module.HEAPF64.set(numbers, this.#numbers);
    return module[`_page_${name}`](this.#address, ...rest);
  }
  read(begin, count) {
    return Array.from(this.#memory.module.HEAPF64.subarray(this.#numbers + begin, this.#numbers + begin + count));
  }
  check(status) { if (status) this.#memory.fail(); }
  get memory() { return this.#memory; }
  get address() { return this.#address; }

  // ---- bodies ----

  // Those that are in the world.
  get bodies() { return this.#bodies.filter((body) => !body.removed); }

  // The body of a model, put into this world. Options: position, rotation, velocity,
  // angularVelocity, friction, compliance, restitution, rollingFriction, method, name (for messages).
  add(bytes, { position = ZERO, rotation = NO_TURN, velocity = ZERO, angularVelocity = ZERO,
    method = "", name = "model", ...rest } = {}) {
    const numbers = [...vector("position", position), ...vector("rotation", rotation, 4),
      ...vector("velocity", velocity), ...vector("angularVelocity", angularVelocity),
      ...contactMaterial(rest)];
    const memory = this.#memory;
    const body = memory.withText(name, (title) => memory.withText(method, (way) =>
      memory.withBytes(bytes, (at) => this.call("world_add", numbers, title, at, bytes.length, way))));
    if (body < 0) memory.fail();
    return this.#bodies[body] = new Body(this, body);
  }

  // ---- steps ----

  get time() { return this.call("world_time", []); }
  get gravity() {
    this.call("world_gravity", []);
    return this.read(0, 3);
  }
  set gravity(value) { this.check(this.call("world_set_gravity", vector("gravity", value))); }

  // Goes on by dt seconds; returns StepFlags, or-ed. Then listeners are called.
  step(dt) {
    const flags = this.call("world_step", [], number("dt", dt));
    if (flags & StepFlag.REFUSED) throw new RangeError(`dt is ${dt}, it must be above 0`);
    if (this.#listeners.get("begin")?.size || this.#listeners.get("end")?.size) this.#watch(dt);
    for (const [flag, message] of TROUBLE)
      if (flags & flag) this.#emit("error", { time: this.time, flags, message });
    return flags;
  }

  // What touches after the last step: [{ bodies, collider, point, normal, force, gap, sliding }].
  get contacts() {
    const address = this.call("world_contacts", []);
    if (!address) this.#memory.fail();
    const [count] = this.read(0, 1), rows = this.#memory.module.HEAPF64.subarray(address >> 3);
    return Array.from({ length: count }, (_, i) => {
      const row = rows.slice(CONTACT_NUMBERS * i, CONTACT_NUMBERS * (i + 1));
      const three = (at) => Array.from(row.subarray(at, at + 3));
      return { bodies: [this.#bodies[row[0]], this.#bodies[row[1]] ?? null],
        collider: this.#colliders[row[2]] ?? null, point: three(3), normal: three(6),
        force: three(9), gap: row[12], sliding: row[13] !== 0 };
    });
  }

  // For Collider: the bodies that overlap one.
  overlaps(collider) {
    const address = this.call("world_overlaps", [], collider);
    if (!address) this.#memory.fail();
    const [count] = this.read(0, 1);
    return Array.from(this.#memory.module.HEAPF64.slice(address >> 3, (address >> 3) + count),
      (number) => this.#bodies[number]);
  }

  // ---- events ----

  // Calls the listener after a step in which that happens: "begin" and "end" (of a touch, or of an
  // overlap with a sensor): { time, bodies, collider }. What presses lightly lets go for a few steps now and then: an end is
  // told once the two have been apart for APART, with the time of their parting. "error": { time, flags, message }. Returns a function that ends it.
  on(kind, listener) {
    if (!["begin", "end", "error"].includes(kind))
      throw new TypeError(`there is no event "${kind}", use begin, end or error`);
    const listeners = this.#listeners.get(kind) ?? new Set();
    this.#listeners.set(kind, listeners.add(listener));
    return () => listeners.delete(listener);
  }
  #emit(kind, event) {
    for (const listener of [...this.#listeners.get(kind) ?? []]) listener(event);
  }
  #watch(dt) {
    const { time } = this, touching = this.#touching, begun = [], ended = [];
    const apart = Math.max(APART, 1.5 * dt);
    for (const pair of touching.values()) pair.parted ??= time; // unless they push
    const sensed = this.#colliders.filter((collider) => collider.sensor).flatMap((collider) =>
      collider.bodies.map((body) => ({ bodies: [body, null], collider })));
    for (const { bodies, collider } of [...this.contacts, ...sensed]) {
      const key = [bodies[0].index, bodies[1]?.index ?? -1, collider?.index ?? -1].join();
      if (!touching.has(key)) begun.push({ bodies, collider });
      touching.set(key, { bodies, collider, parted: null });
    }
    for (const [key, { bodies, collider, parted }] of touching) {
      if (parted === null || !(time - parted > apart)) continue;
      touching.delete(key);
      ended.push({ time: parted, bodies, collider });
    }
    for (const pair of begun) this.#emit("begin", { time, ...pair });
    for (const event of ended) this.#emit("end", event);
  }

  // ---- hands and colliders ----

  // The first place that a ray hits: { body, position, distance, triangle, weights } or null.
  pick(origin, direction) {
    const found = this.call("world_pick", [...vector("origin", origin), ...vector("direction", direction)]);
    if (found === -2) this.#memory.fail();
    if (found < 0) return null;
    const numbers = this.read(0, 8);
    return { body: this.#bodies[found], position: numbers.slice(0, 3), distance: numbers[3],
      triangle: numbers[4], weights: numbers.slice(5) };
  }

  // shape: "plane" (below z = 0 of its own axes), "sphere", "box" or "capsule" (along its own z).
  // Other options: friction, compliance, restitution, rollingFriction; sensor: bodies pass through it.
  addCollider({ shape, radius = 0.5, size = [1, 1, 1], position = ZERO, rotation = NO_TURN, sensor = false, ...rest }) {
    const kind = SHAPES.indexOf(shape);
    if (kind < 0) throw new TypeError(`there is no shape "${shape}", use ${SHAPES.join(", ")}`);
    const index = this.call("world_add_collider", [number("radius", radius), ...vector("size", size),
      ...vector("position", position), ...vector("rotation", rotation, 4), ...contactMaterial(rest),
      sensor ? 1 : 0], kind);
    if (index < 0) this.#memory.fail();
    return this.#colliders[index] = new Collider(this, index, sensor);
  }

  // ---- states ----

  // Time, gravity and the states of all bodies, as bytes; what follows restoring is what followed
  // saving, to the last bit.
  save() {
    this.call("world_time", []); // refused after dispose
    return this.#memory.take("page_world_save", this.#address);
  }
  restore(bytes) {
    this.check(this.#memory.withBytes(bytes, (at) => this.call("world_restore", [], at, bytes.length)));
    this.#touching.clear();
  }

  // Gives back all memory; whatever belongs to the world is of no use any more. Twice is legal.
  dispose() {
    if (this.#address) this.#memory.module._page_world_destroy(this.#address);
    this.#address = 0;
    this.#listeners.clear();
    this.#bodies = [];
    this.#colliders = [];
  }
}

export class Body {
  #world;
  #info;
  #triangles = null;
  #uvs;

  constructor(world, index) {
    this.#world = world;
    this.index = index;
    this.removed = false;
    this.#info = world.memory.json("page_body_info", world.address, index);
  }

  #call(name, numbers, ...rest) {
    if (this.removed) throw new LimberError("this body was removed from its world");
    return this.#world.call(name, numbers, this.index, ...rest);
  }

  get name() { return this.#info.name; }
  get method() { return this.#info.method; }
  get dimension() { return this.#info.dimension; }
  get free() { return this.#info.free; } // moves about, rather than being held
  get up() { return this.#info.up; } // which axis of its model is up, "y" or "z"
  get mass() { return this.#info.mass; }
  get vertexCount() { return this.#info.vertexCount; }

  // ---- what it looks like ----

  #view(address, count, Type) {
    return new Type(this.#world.memory.module.HEAPU8.buffer, address, count);
  }
  // Three vertices a triangle, counter-clockwise from outside; one array for good, not to be changed.
  get triangles() {
    return this.#triangles ??= this.#view(this.#call("body_indices", []), this.#info.indexCount, Uint32Array).slice();
  }
  // Two texture coordinates a vertex (glTF's convention), or null; likewise.
  get uvs() {
    if (this.#uvs !== undefined) return this.#uvs;
    const address = this.#call("body_uvs", []);
    return this.#uvs = address ? this.#view(address, 2 * this.vertexCount, Float32Array).slice() : null;
  }
  // Triangles that look alike: { start, count } of `triangles`, name, color (linear RGBA),
  // metalness, roughness, picture ({ type, bytes } of the base colour, or null).
  get parts() {
    return this.#info.parts.map(({ picture, pictureType, ...part }) => ({ ...part,
      picture: picture < 0 || !pictureType ? null : { type: pictureType,
        bytes: this.#world.memory.copy("page_body_picture", this.#world.address, this.index, picture) } }));
  }

  // Where the vertices are now, in the world: x, y, z of each as 32-bit floats. Written into
  // `target` and returned; without one, a view into the engine's memory is returned that holds
  // until the next call of anything here.
  positions(target) { return this.#vertices(0, target); }
  // Unit normals, smooth across cuts of the texture; likewise.
  normals(target) { return this.#vertices(1, target); }
  #vertices(kind, target) {
    const count = 3 * this.vertexCount;
    if (target && !(target instanceof Float32Array && target.length >= count))
      throw new TypeError(`the target must be a Float32Array of at least ${count} numbers`);
    const address = this.#call("body_vertices", [], kind);
    if (!address) this.#world.memory.fail();
    const view = this.#view(address, count, Float32Array);
    if (!target) return view;
    target.set(view);
    return target;
  }

  // Its frame, energies (J) and how far it is from trained poses (1: the farthest; 0: not known).
  get state() {
    this.#call("body_state", []);
    const n = this.#world.read(0, 16);
    return { position: n.slice(0, 3), rotation: n.slice(3, 7), velocity: n.slice(7, 10),
      angularVelocity: n.slice(10, 13), kinetic: n[13], elastic: n[14], poseDistance: n[15] };
  }

  // ---- what acts on it ----

  // A spring to a place that `pick` found; the hand it is held by. Options: stiffness (N/m; the
  // default follows the hand closely), damping (N s/m; critical by default).
  grab({ triangle, weights, position }, { stiffness = NaN, damping = NaN } = {}) {
    const id = this.#call("body_grab", [...vector("weights", weights), stiffness, damping], triangle);
    if (id < 0) this.#world.memory.fail();
    const hand = new Hand(this.#world, this, id);
    hand.move(position);
    return hand;
  }
  // A force (N, world axes) at a place that `pick` found, held over the next step.
  push({ triangle, weights }, force) { this.#push(triangle, weights, force, 0); }
  // An impulse (N s), at once.
  strike({ triangle, weights }, impulse) { this.#push(triangle, weights, impulse, 1); }
  #push(triangle, weights, amount, impulse) {
    this.#world.check(this.#call("body_push", [...vector("weights", weights), ...vector("force", amount)], triangle, impulse));
  }
  // Another material while it runs, of models that can (limber build --editable).
  setMaterial({ young, poisson, density }, index = 0) {
    this.#world.check(this.#call("body_set_material",
      [number("young", young), number("poisson", poisson), number("density", density)], index));
  }

  remove() {
    this.#world.check(this.#call("world_remove", []));
    this.removed = true;
  }
}

// What holds a body; made by body.grab.
export class Hand {
  #world;
  #id;

  constructor(world, body, id) {
    this.#world = world;
    this.body = body;
    this.#id = id;
  }

  #call(name, numbers) {
    if (this.#id < 0 || this.body.removed) throw new LimberError("this hand has let go");
    this.#world.check(this.#world.call(name, numbers, this.body.index, this.#id));
  }
  // Where it pulls the place to, in the world.
  move(position) { this.#call("body_move", vector("position", position)); }
  // N, on the body in the last step.
  get force() {
    this.#call("body_hand_force", []);
    return this.#world.read(0, 3);
  }
  release() {
    this.#call("body_release", []);
    this.#id = -1;
  }
}

// Something rigid that bodies touch; made by world.addCollider.
export class Collider {
  #world;
  #sensor;
  #removed = false;

  constructor(world, index, sensor) {
    this.#world = world;
    this.index = index;
    this.#sensor = Boolean(sensor);
  }

  // Whether bodies pass through it.
  get sensor() { return this.#sensor && !this.#removed; }
  // Those that overlap it now.
  get bodies() {
    if (this.#removed) throw new LimberError("this collider was removed");
    return this.#world.overlaps(this.index);
  }

  #call(name, numbers) {
    if (this.#removed) throw new LimberError("this collider was removed");
    this.#world.check(this.#world.call(name, numbers, this.index));
  }
  // Where it is at the end of the next step; it goes there in its course.
  move(position, rotation = NO_TURN) {
    this.#call("world_move_collider", [...vector("position", position), ...vector("rotation", rotation, 4)]);
  }
  remove() {
    this.#call("world_remove_collider", []);
    this.#removed = true;
  }
}
