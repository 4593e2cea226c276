// Pictures, videos, animations and sketches as downloads.
import { tell } from "./overlay.mjs";

const VIDEO_TYPES = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm", "video/mp4"];
const VIDEO_BITS = 12e6; // a second

export function download(name, data, type) {
  const url = URL.createObjectURL(data instanceof Blob ? data : new Blob([data], { type }));
  const link = Object.assign(document.createElement("a"), { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 60000);
  tell(`saved ${name}`);
}

export class Saving {
  #recorder = null;
  #animating = false;

  // `name()` is what files are called, `mark(control, on)` shows what is being recorded.
  constructor(canvas, engine, name, mark) {
    Object.assign(this, { canvas, engine, name, mark });
  }

  #file(extension) {
    const now = new Date();
    const two = (number) => String(number).padStart(2, "0");
    return `${this.name()}-${two(now.getHours())}${two(now.getMinutes())}${two(now.getSeconds())}.${extension}`;
  }

  picture() {
    this.engine.draw(); // the drawing buffer is only there right after it was drawn
    this.canvas.toBlob((blob) => {
      if (blob) download(this.#file("png"), blob);
      else tell("this browser could not make the picture", true);
    });
  }

  video() {
    if (this.#recorder) {
      this.#recorder.stop();
      return;
    }
    const type = typeof MediaRecorder === "undefined" || !this.canvas.captureStream ? null
      : VIDEO_TYPES.find((candidate) => MediaRecorder.isTypeSupported(candidate));
    if (!type) {
      tell("this browser cannot record videos; limber render makes them from the same scene", true);
      return;
    }
    const chunks = [];
    const recorder = new MediaRecorder(this.canvas.captureStream(60),
      { mimeType: type, videoBitsPerSecond: VIDEO_BITS });
    recorder.ondataavailable = (event) => { if (event.data.size) chunks.push(event.data); };
    recorder.onstop = () => {
      this.#recorder = null;
      this.mark("video", false);
      const extension = type.includes("mp4") ? "mp4" : "webm";
      download(this.#file(extension), new Blob(chunks, { type: type.split(";")[0] }));
    };
    recorder.start(1000);
    this.#recorder = recorder;
    this.mark("video", true);
    tell("recording a video: press it again to end it");
  }

  animation() {
    if (this.#animating) {
      this.#animating = false;
      this.mark("animation", false);
      download(this.#file("glb"), this.engine.endAnimation(), "model/gltf-binary");
      return;
    }
    this.engine.beginAnimation();
    this.#animating = true;
    this.mark("animation", true);
    tell("recording an animation: press it again to end it");
  }

  sketch() {
    download(this.#file("json"), this.engine.sketch(), "application/json");
  }

  pose() {
    download(this.#file("obj"), this.engine.pose(), "model/obj");
  }

  // Asked after every frame: a recording ends when the bodies it is of are made anew.
  frame() {
    if (!this.#animating || !this.engine.animationEnded()) return;
    tell("the animation ends here: method, r or scene changed");
    this.animation();
  }

  // Another scene: what was being recorded of the last one ends.
  sceneChanged() {
    if (!this.#animating) return;
    try {
      this.animation();
    } catch (reason) {
      tell(reason.message, true);
    }
  }
}
