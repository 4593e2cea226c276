// The scenes that come with the page: gallery.json, cards, and fetching files with progress.

const UNPACKED_FLOOR = 64 * 2 ** 20, UNPACKED_RATIO = 100; // bytes, and bytes a packed one

// All of a stream, of which `most` bytes are taken at most.
async function joined(stream, most, progress) {
  const chunks = [];
  let count = 0;
  for (const reader = stream.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    count += value.length;
    if (count > most) {
      reader.cancel().catch(() => {});
      throw new RangeError("too long");
    }
    progress(count);
  }
  const all = new Uint8Array(count);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

async function bytesOf(response, total, progress) {
  if (!response.body) return new Uint8Array(await response.arrayBuffer());
  return joined(response.body, Infinity,
    (count) => progress(total > 0 ? Math.min(1, count / total) : 0));
}

// Files that end in .gz come packed from most hosts; some unpack them on the way.
export async function unpack(bytes) {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  if (typeof DecompressionStream === "undefined")
    throw new Error("this browser cannot unpack the scene (it has no DecompressionStream): a "
      + "newer one can; files that are not packed (.glb) open here too");
  // Models pack to a half or a tenth; a few bytes that claim to be gigabytes are none.
  const most = UNPACKED_FLOOR + UNPACKED_RATIO * bytes.length;
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  try {
    return await joined(stream, most, () => {});
  } catch (error) {
    throw error instanceof RangeError
      ? new Error(`the packed file unpacks to more than ${Math.round(most / 2 ** 20)} MB, too much `
        + "for its size: unpack it first")
      : new Error("the packed file is damaged: get it again");
  }
}

export async function fetchModel(url, total, progress) {
  let response;
  try {
    response = await fetch(url);
  } catch {
    throw new Error(`${url} did not come: is the connection there?`);
  }
  if (!response.ok) throw new Error(`${url} is not on this server (${response.status})`);
  const size = total || Number(response.headers.get("content-length")) || 0;
  return unpack(await bytesOf(response, size, progress));
}

export async function fetchGallery() {
  const response = await fetch("gallery.json");
  if (!response.ok) throw new Error("gallery.json is not there: build the page with make web");
  let scenes;
  try {
    ({ scenes } = await response.json());
  } catch {
    throw new Error("gallery.json is damaged: build the page with make web");
  }
  const isText = (value) => typeof value === "string" && value !== "";
  const good = (Array.isArray(scenes) ? scenes : [])
    .filter((scene) => isText(scene?.name) && isText(scene?.file));
  if (!good.length)
    throw new Error("gallery.json names no scene that has a name and a file: build the page with make web");
  return good;
}

export class Gallery {
  constructor(root, button, scenes, open) {
    this.root = root;
    this.button = button;
    this.scenes = scenes;
    this.cards = scenes.map((scene) => {
      const card = document.createElement("button");
      card.className = "card";
      const picture = Object.assign(new Image(384, 240), { alt: "", loading: "lazy" });
      if (scene.thumbnail) picture.dataset.src = scene.thumbnail;
      const title = document.createElement("b");
      title.textContent = scene.title ?? scene.name;
      const hint = document.createElement("small");
      hint.textContent = scene.hint ?? "";
      card.append(picture, title, hint);
      card.addEventListener("click", () => {
        this.show(false);
        open(scene.name);
      });
      return card;
    });
    root.querySelector("#cards").append(...this.cards);
    button.addEventListener("click", () => this.show(root.hidden));
    root.querySelector(".close").addEventListener("click", () => this.show(false));
    root.addEventListener("keydown", (event) => this.#key(event));
  }

  find(name) {
    return this.scenes.find((scene) => scene.name === name);
  }

  show(shown) {
    if (shown === !this.root.hidden) return;
    this.root.hidden = !shown;
    this.button.setAttribute("aria-expanded", shown);
    if (!shown) {
      this.button.focus();
      return;
    }
    for (const picture of this.root.querySelectorAll("img[data-src]")) {
      picture.src = picture.dataset.src; // pictures wait until they are wanted
      delete picture.dataset.src;
    }
    (this.root.querySelector('[aria-current="true"]') ?? this.cards[0])?.focus();
  }

  mark(name) {
    this.current = name;
    this.cards.forEach((card, index) =>
      card.setAttribute("aria-current", this.scenes[index].name === name));
  }

  // The scene `step` places further, in a circle.
  neighbour(step) {
    const count = this.scenes.length;
    const at = this.scenes.findIndex((scene) => scene.name === this.current);
    return this.scenes[(Math.max(at, 0) + step + count) % count]?.name;
  }

  #key(event) {
    if (event.key === "Escape") {
      this.show(false);
      event.preventDefault();
    }
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const at = this.cards.indexOf(document.activeElement);
    if (!step || at < 0) return;
    this.cards[(at + step + this.cards.length) % this.cards.length].focus();
    event.preventDefault();
  }
}
