// module.mjs FOLDER: the package "limber", which is installed beside this file, in node. FOLDER has
// bar.glb (a cooked scene), block.glb (a free model) and run.json (what the program says of the
// bar). One line a case, in cmocka's form.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import * as everything from "limber";
import { build } from "limber/build";

const { LimberError, StepFlag, load, unpack } = everything;
const [folder] = process.argv.slice(2);
const bytesOf = (name) => new Uint8Array(readFileSync(join(folder, name)));
const bar = bytesOf("bar.glb"), block = bytesOf("block.glb");

let failed = 0;
async function test(name, body) {
  let trouble = "";
  try {
    await body();
  } catch (error) {
    trouble = String(error.stack ?? error);
  }
  if (trouble) console.log(`${name}: ${trouble}`);
  console.log(`${trouble ? "[  FAILED  ]" : "[       OK ]"} ${name}`);
  failed += trouble ? 1 : 0;
}
function check(condition, text) {
  if (!condition) throw new Error(text);
}
function refusal(act, Kind, part) {
  try {
    act();
  } catch (error) {
    check(error instanceof Kind && error.message.includes(part), `${error.name}: ${error.message}`);
    return;
  }
  throw new Error(`nothing is thrown where ${part} was expected`);
}
const length = (v) => Math.hypot(...v);
const minus = (a, b) => a.map((value, i) => value - b[i]);

const limber = await load();
const down = { gravity: [0, 0, -9.81], contact: true };

// A free block of 0.2 m whose lowest point is `height` above a plane.
function drop(height, options = down) {
  const world = limber.world(options);
  const ground = world.addCollider({ shape: "plane" });
  return { world, ground, body: world.add(block, { position: [-0.1, -0.1, height] }) };
}

await test("a_scene_moves_as_the_program_says", () => {
  const { steps, step, vertex, displacement } = JSON.parse(readFileSync(join(folder, "run.json")));
  const world = limber.open(bar, { name: "bar.glb" });
  const [body] = world.bodies;
  const rest = body.positions().slice();
  for (let i = 0; i < steps; i++) check(!(world.step(step) & StepFlag.NONFINITE), "a step failed");
  const now = body.positions();
  // The vertex of the input that the program's probe is at: the one at the same place.
  let residual = Infinity;
  for (let i = 0; i < rest.length; i += 3)
    if (length(minus([...rest.subarray(i, i + 3)], vertex)) < 1e-6)
      residual = Math.min(residual, length(minus([0, 1, 2].map((k) => now[i + k] - rest[i + k]), displacement)));
  console.log(`residual ${residual.toExponential(2)} m, tolerance 1e-6`);
  check(residual < 1e-6 && length(displacement) > 1e-4, `residual ${residual} of ${length(displacement)} m`);
  check(Math.abs(world.time - steps * step) < 1e-12, `the time is ${world.time}`);
  world.dispose();
});

await test("arrays_are_views_or_copies_as_asked", () => {
  const world = limber.open(bar);
  const [body] = world.bodies;
  const target = new Float32Array(3 * body.vertexCount + 1).fill(7);
  check(body.positions(target) === target && target.at(-1) === 7, "the target is not used as given");
  const view = body.positions();
  check(view.length === 3 * body.vertexCount && view.every((value, i) => value === target[i]), "the view differs");
  check(body.triangles.every((vertex) => vertex < body.vertexCount), "a triangle leaves the vertices");
  check(body.triangles === body.triangles && body.triangles.length % 3 === 0, "triangles are made twice");
  const normals = body.normals();
  for (let i = 0; i < normals.length; i += 3)
    check(Math.abs(length([...normals.subarray(i, i + 3)]) - 1) < 1e-5, "a normal is not of unit length");
  const covered = body.parts.reduce((sum, { count }) => sum + count, 0);
  check(covered === body.triangles.length, `parts cover ${covered} of ${body.triangles.length}`);
  refusal(() => body.positions(new Float32Array(3)), TypeError, "at least");
  refusal(() => body.positions([]), TypeError, "Float32Array");
  world.dispose();
});

await test("a_hand_picks_pulls_and_lets_go", () => {
  const world = limber.open(bar, { gravity: [0, 0, 0] });
  check(world.gravity.every((value) => value === 0), "gravity is not taken");
  const hit = world.pick([0.95, 0.1, 5], [0, 0, -2]);
  check(hit && Math.abs(hit.position[2] - (5 - 2 * hit.distance)) < 1e-9, "the ray misses the bar");
  check(world.pick([0.95, 5, 5], [0, 0, -1]) === null, "a ray beside it hits");
  const hand = hit.body.grab(hit), goal = hit.position.map((value, i) => value + [0, 0, 0.05][i]);
  hand.move(goal);
  for (let i = 0; i < 400; i++) world.step(0.01);
  const held = world.pick([0.95, 0.1, 5], [0, 0, -1]).position;
  console.log(`pulled by ${(held[2] - hit.position[2]).toFixed(4)} of 0.05 m with ${hand.force[2].toFixed(2)} N`);
  check(held[2] - hit.position[2] > 0.04 && hand.force[2] > 0, "the bar does not follow");
  hand.release();
  for (let i = 0; i < 800; i++) world.step(0.01);
  const free = world.pick([0.95, 0.1, 5], [0, 0, -1]).position;
  check(Math.abs(free[2] - hit.position[2]) < 0.01, `it stays ${free[2] - hit.position[2]} m up`);
  refusal(() => hand.move(goal), LimberError, "let go");
  world.dispose();
});

await test("an_impulse_changes_momentum_by_itself", () => {
  const world = limber.world();
  const body = world.add(block, { position: [-0.1, -0.1, -0.1] });
  check(body.free && Math.abs(body.mass - 8) < 1e-9, `free ${body.free}, ${body.mass} kg`);
  body.strike(world.pick([0, 0, 3], [0, 0, -1]), [4, 0, -8]);
  world.step(0.001);
  const residual = length(minus(body.state.velocity, [0.5, 0, -1]));
  console.log(`velocity off by ${residual.toExponential(2)} m/s, tolerance 1e-9`);
  check(residual < 1e-9, "momentum is not that of the impulse");
  const before = body.state.velocity;
  body.push(world.pick([0, 0, 3], [0, 0, -1]), [0, 80, 0]);
  for (let i = 0; i < 10; i++) world.step(0.001);
  const gained = body.state.velocity[1] - before[1];
  check(Math.abs(gained - 0.01) < 1e-9, `a force of 80 N over 1 ms gives 8 kg ${gained} m/s`);
  world.dispose();
});

await test("touches_begin_and_end", () => {
  const { world, ground, body } = drop(0.3);
  const heard = [];
  for (const kind of ["begin", "end"])
    world.on(kind, ({ time, bodies, collider }) => heard.push({ kind, time, good: bodies[0] === body && bodies[1] === null && collider === ground }));
  for (let i = 0; i < 150; i++) world.step(1 / 240);
  const fall = Math.sqrt(2 * 0.3 / 9.81);
  console.log(`${heard.map(({ kind, time }) => `${kind} ${time.toFixed(3)}`).join(", ")}; it falls for ${fall.toFixed(3)} s`);
  check(heard[0]?.kind === "begin" && Math.abs(heard[0].time - fall) < 0.02, "the first touch is not told in time");
  check(heard.every(({ good }) => good), "an event names others");
  check(heard.every(({ time }, i) => i % 2 === 0 || i + 1 === heard.length || heard[i + 1].time - time > 0.05), "a touch flutters");
  for (let i = 0; i < 600; i++) world.step(1 / 240);
  const weight = world.contacts.reduce((sum, { force }) => sum + force[2], 0);
  console.log(`it rests with ${weight.toFixed(3)} of 78.48 N`);
  check(Math.abs(weight - 78.48) < 0.5, "contacts do not carry it");
  ground.move([0, 0, -1]); // and it falls
  const moved = world.time;
  for (let i = 0; i < 24; i++) world.step(1 / 240);
  check(heard.at(-1).kind === "end" && heard.at(-1).time < moved + 0.02 && world.contacts.length === 0, "the end is not told");
  ground.remove();
  refusal(() => ground.move([0, 0, 0]), LimberError, "removed");
  world.dispose();
});

await test("a_saved_state_goes_on_to_the_bit", () => {
  const { world, body } = drop(0.05);
  for (let i = 0; i < 40; i++) world.step(1 / 240);
  const state = world.save();
  const run = () => {
    for (let i = 0; i < 60; i++) world.step(1 / 240);
    return Buffer.from(body.positions().slice().buffer);
  };
  const once = run();
  world.restore(state);
  check(once.equals(run()), "another motion follows");
  refusal(() => world.restore(state.subarray(1)), LimberError, "bytes");
  world.dispose();
});

await test("contact_materials_and_sensors_are_taken", () => {
  const { world, ground, body } = drop(0.2, { ...down, compliance: 1e-4 });
  const gate = world.addCollider({ shape: "box", size: [2, 2, 0.1], position: [0, 0, 0.1], sensor: true });
  const heard = [];
  world.on("begin", ({ time, bodies, collider }) => heard.push({ time, collider, first: bodies[0] === body }));
  check(gate.sensor && !ground.sensor && gate.bodies.length === 0, "nothing overlaps it at first");
  for (let i = 0; i < 480; i++) world.step(1 / 240);
  check(gate.bodies[0] === body && gate.bodies.length === 1, "the body is in the gate");
  check(heard.length === 2 && heard[0].collider === gate && heard[1].collider === ground && heard[0].first
    && Math.abs(heard[0].time - Math.sqrt(2 * 0.05 / 9.81)) < 0.02, `${heard.length} touches begin`);
  for (const { force, gap } of world.contacts)
    check(Math.abs(gap + 2e-4 * force[2]) < 2e-5, `${force[2]} N make an overlap of ${-gap} m`);
  refusal(() => world.addCollider({ shape: "sphere", restitution: 2 }), LimberError, "restitution is 2");
  refusal(() => world.add(block, { compliance: -1 }), LimberError, "compliance is -1");
  refusal(() => limber.world({ rollingFriction: -1 }), LimberError, "rolling_friction is -1");
  gate.remove();
  check(!gate.sensor, "a removed collider senses nothing");
  world.dispose();
});

await test("what_is_wrong_is_thrown_in_the_engines_words", () => {
  refusal(() => limber.open(new Uint8Array(20), { name: "x.glb" }), LimberError, "x.glb: is not a limber model");
  refusal(() => limber.open(bar.subarray(0, bar.length >> 1), { name: "half.glb" }), LimberError, "half.glb");
  const world = limber.world();
  refusal(() => world.add(bar), LimberError, "is a scene");
  refusal(() => world.add(block, { method: "magic" }), LimberError, "magic");
  refusal(() => world.add(block, { position: [0, NaN, 0] }), TypeError, "position");
  refusal(() => world.addCollider({ shape: "cone" }), TypeError, "cone");
  refusal(() => world.addCollider({ shape: "sphere", radius: -1 }), LimberError, "radius");
  refusal(() => world.step(0), RangeError, "dt");
  refusal(() => world.step("soon"), TypeError, "dt");
  refusal(() => world.on("click", () => {}), TypeError, "click");
  const body = world.add(block);
  body.remove();
  check(world.bodies.length === 0, "a removed body is listed");
  refusal(() => body.positions(), LimberError, "removed");
  world.dispose();
  world.dispose();
  refusal(() => world.step(0.1), LimberError, "disposed");
});

await test("disposed_worlds_give_their_memory_back", () => {
  const size = () => limber.memory.module.HEAPU8.length;
  limber.open(bar).dispose();
  const before = size();
  for (let i = 0; i < 60; i++) {
    const world = limber.open(bar);
    world.step(0.01);
    world.bodies[0].positions();
    world.dispose();
  }
  check(size() === before, `memory grows from ${before} to ${size()} bytes`);
});

await test("packed_files_are_unpacked", async () => {
  const world = limber.open(await unpack(new Uint8Array(gzipSync(bar))));
  check(world.bodies.length === 1, "there is no body");
  world.dispose();
});

await test("a_mesh_becomes_a_model_that_moves", async () => {
  const heard = new Set();
  const mesh = { name: "ball.obj", bytes: bytesOf("ball.obj") };
  const { bytes, report } = await build([mesh], { cells: 5, dimension: 6, check: false },
    { progress: (stage) => heard.add(stage) });
  console.log(`${report.bricks} bricks, ${bytes.length} bytes; ${[...heard].join(", ")}`);
  check(report.dimension === 6 && heard.has("modes"), "it was built otherwise");
  const world = limber.open(bytes);
  for (let i = 0; i < 30; i++) world.step(1 / 60);
  const { kinetic, elastic } = world.bodies[0].state;
  check(kinetic + elastic > 0, "it does not move");
  world.dispose();
  let text = "";
  await build([{ name: "x.stl", bytes: new Uint8Array(3) }]).catch((error) => { text = `${error.name}: ${error.message}`; });
  console.log(text);
  check(text.startsWith("LimberError: x.stl"), `the message is: ${text}`);
});

// limber.d.ts names what is there, and nothing else is public.
await test("the_types_name_what_there_is", () => {
  const path = fileURLToPath(import.meta.resolve("limber")).replace(/\.mjs$/, ".d.ts");
  const text = readFileSync(path, "utf8");
  const named = [...text.matchAll(/^export (?:class|const|function) (\w+)/gm)].map(([, name]) => name).sort();
  check(named.join() === Object.keys(everything).sort().join(), `types: ${named}; module: ${Object.keys(everything).sort()}`);
  for (const [, kind, block_] of text.matchAll(/^export class (World|Body|Hand|Collider) \{([^]*?)^\}/gm)) {
    const members = [...block_.replace(/\/\*\*[^]*?\*\//g, "").matchAll(/^ {2}(?:readonly )?(\w+)[(:]/gm)].map(([, name]) => name);
    const there = Object.getOwnPropertyNames(everything[kind].prototype);
    const missing = members.filter((name) => !there.includes(name) && !["removed", "body"].includes(name));
    check(members.length > 2 || kind === "Collider", `${kind} has ${members}`);
    check(!missing.length, `${kind} has no ${missing}`);
  }
});

process.exit(failed ? 1 : 0);
