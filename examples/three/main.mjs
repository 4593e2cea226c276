// A limber body in a scene of three.js: it sways, and the mouse or a finger pulls it.
import { load } from "limber";
import { AmbientLight, Color, DirectionalLight, PerspectiveCamera, Plane, Raycaster, Scene, Vector2, Vector3,
  WebGLRenderer } from "three";
import { LimberMesh } from "./limber-mesh.mjs";

const FILE = "cactus.glb"; // limber cook ../../scenes/cactus.json --bare -o cactus.glb
const STEP = 1 / 120, LONGEST = 0.1; // s

const limber = await load();
const world = await limber.fetch(FILE);
const meshes = world.bodies.map((body) => new LimberMesh(body));

const scene = new Scene();
scene.background = new Color(0xd5dbe4);
const sun = new DirectionalLight(0xffffff, 3);
sun.position.set(1, -2, 3);
scene.add(...meshes, sun, new AmbientLight(0xffffff, 0.8));
const camera = new PerspectiveCamera(35, innerWidth / innerHeight, 0.01, 100);
camera.up.set(0, 0, 1); // limber's scenes have z up
camera.position.set(0.4, -3.2, 1.1);
camera.lookAt(0.4, 0, 0.55);
const renderer = new WebGLRenderer({ antialias: true });
renderer.setSize(innerWidth, innerHeight);
document.body.append(renderer.domElement);

// ---- hands: the ray of the pointer picks a place, a plane through it takes the hand along ----

const raycaster = new Raycaster(), plane = new Plane(), target = new Vector3();
let hand = null;

function aim(event) {
  const pointer = new Vector2(2 * event.clientX / innerWidth - 1, 1 - 2 * event.clientY / innerHeight);
  raycaster.setFromCamera(pointer, camera);
  return raycaster.ray;
}
renderer.domElement.addEventListener("pointerdown", (event) => {
  const { origin, direction } = aim(event);
  const hit = world.pick(origin.toArray(), direction.toArray());
  if (!hit) return;
  hand = hit.body.grab(hit);
  plane.setFromNormalAndCoplanarPoint(camera.getWorldDirection(new Vector3()), new Vector3(...hit.position));
  renderer.domElement.setPointerCapture(event.pointerId);
});
renderer.domElement.addEventListener("pointermove", (event) => {
  if (hand && aim(event).intersectPlane(plane, target)) hand.move(target.toArray());
});
for (const kind of ["pointerup", "pointercancel"])
  renderer.domElement.addEventListener(kind, () => {
    hand?.release();
    hand = null;
  });
addEventListener("resize", () => {
  camera.aspect = innerWidth / innerHeight;
  camera.updateProjectionMatrix();
  renderer.setSize(innerWidth, innerHeight);
});

// ---- frames: steps of one length, as many as time has passed for ----

let last = 0, owed = 0;
renderer.setAnimationLoop((now) => {
  owed += Math.min((now - last) / 1000, LONGEST);
  last = now;
  for (; owed >= STEP; owed -= STEP) world.step(STEP);
  for (const mesh of meshes) mesh.update();
  renderer.render(scene, camera);
});
window.example = { world, meshes, camera, holds: () => hand !== null };
