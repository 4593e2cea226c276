// Gives a mesh to limber's page, in the frame beside this script, and reports the seconds until the
// model that the page builds from it has taken its first step.
const settings = new URLSearchParams(location.search);
const frame = document.getElementById("page");
const pause = (ms) => new Promise((resume) => setTimeout(resume, ms));

async function report(what, text) {
  document.getElementById("state").textContent = `${what}: ${text}`;
  await fetch(`report/${what}`, { method: "POST", body: String(text) });
}

async function openPage() {
  frame.src = "index.html";
  await new Promise((resume) => frame.addEventListener("load", resume, { once: true }));
  while (!frame.contentWindow.limber?.ready) await pause(20);
  const limber = frame.contentWindow.limber;
  if (await limber.ready === false) throw new Error("the page did not start");
  await pause(1000); // its own scene is drawn
  return limber;
}

function isMoving(limber, before) {
  const told = limber.building();
  if (told === before) return false;
  if (!told.busy && !told.report) throw new Error(limber.messages.at(-1));
  return told.report && limber.scene()?.file?.endsWith(".glb") && limber.status().time > 0;
}

async function main() {
  const bytes = await (await fetch(settings.get("mesh"))).arrayBuffer();
  const limber = await openPage();
  for (const name of ["cells", "dimension"])
    frame.contentDocument.querySelector(`#builder [name=${name}]`).value = settings.get(name);
  const before = limber.building(), start = performance.now();
  limber.openFile(new frame.contentWindow.File([bytes], settings.get("mesh")));
  while (!isMoving(limber, before)) await pause(10);
  await report("done", (performance.now() - start) / 1000);
}

main().catch((reason) => report("failed", reason.message).catch(() => {}));
