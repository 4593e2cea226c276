// The scenes that come with the page: gallery.json and cards.

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
