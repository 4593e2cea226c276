// three_page.mjs FOLDER: examples/three in Chromium, with its packages in FOLDER/node_modules: a body
// is drawn by three.js, moves, and follows the mouse. In cmocka's form.
import { createReadStream, existsSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { launch } from "./chromium.mjs";

const [folder] = process.argv.slice(2);
const TYPES = { ".html": "text/html", ".mjs": "text/javascript", ".js": "text/javascript", ".wasm": "application/wasm" };
const server = createServer((request, response) => {
  const path = join(folder, normalize(decodeURIComponent(new URL(request.url, "http://x").pathname)));
  const file = path.endsWith("/") ? `${path}index.html` : path;
  if (!existsSync(file)) return response.writeHead(404).end();
  response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" });
  return createReadStream(file).pipe(response);
}).listen(0, "127.0.0.1");
await new Promise((ready) => server.once("listening", ready));

function check(condition, text) {
  if (!condition) throw new Error(text);
}

async function run(page) {
  const complaints = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => { if (message.type() === "error") complaints.push(message.text()); });
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  await page.waitForFunction(() => window.example?.world.time > 0.05).catch(() => {});
  check(!complaints.length, complaints.join("; "));
  const tip = () => page.evaluate(() => { // of the cactus: where its highest vertex is, and on the page
    const { meshes: [mesh], camera } = window.example, p = mesh.geometry.attributes.position.array;
    let best = 0;
    for (let i = 0; i < p.length; i += 3) if (p[i + 2] > p[best + 2]) best = i;
    const at = mesh.position.clone().set(p[best], p[best + 1], p[best + 2] - 0.03).project(camera);
    return { x: (at.x + 1) / 2 * innerWidth, y: (1 - at.y) / 2 * innerHeight, z: p[best + 2] };
  });
  const press = async () => { // it sways, and may be elsewhere by the time the press arrives
    for (let tries = 0; tries < 20; tries++) {
      const { x, y } = await tip();
      await page.mouse.move(x, y);
      await page.mouse.down();
      if (await page.evaluate(() => window.example.holds())) return { x, y };
      await page.mouse.up();
    }
    throw new Error("no press at the tip holds it");
  };
  const { x, y } = await press();
  await page.mouse.move(x + 40, y, { steps: 3 });
  const time = () => page.evaluate(() => window.example.world.time), until = await time() + 3;
  let pulled = await tip();
  while (pulled.x - x <= 10 && await time() < until) pulled = await tip(); // it still swings about the hand
  await page.mouse.up();
  const colours = await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => {
    const copy = Object.assign(document.createElement("canvas"), { width: 100, height: 100 }).getContext("2d");
    copy.drawImage(document.querySelector("canvas"), 0, 0, 100, 100);
    resolve(new Set(new Uint32Array(copy.getImageData(0, 0, 100, 100).data.buffer)).size);
  })));
  if (process.env.SHOTS) await page.screenshot({ path: join(process.env.SHOTS, "three.png") });
  console.log(`the tip followed by ${(pulled.x - x).toFixed(1)} of 40 pixels; ${colours} colours`);
  check(pulled.x - x > 10, "the body does not follow the mouse");
  check(colours > 30, "three.js draws nothing");
  check(!complaints.length, complaints.join("; "));
}

const browser = await launch();
let trouble = "";
try {
  await run(await browser.newPage({ viewport: { width: 480, height: 360 } }));
} catch (error) {
  trouble = error.message;
}
await browser.close();
server.close();
if (trouble) console.log(trouble.slice(0, 2000));
console.log(`${trouble ? "[  FAILED  ]" : "[       OK ]"} a_body_in_three_js_is_drawn_and_pulled`);
process.exit(trouble ? 1 : 0);
