// Pointers, wheel and keys to the engine. Coordinates are pixels of the canvas's drawing buffer.

const BUTTONS = [0, 2, 1]; // of the mouse: left, middle, right -> vwButton
const TOUCH = 3;
const KEYS = { ArrowLeft: 256, ArrowRight: 257, ArrowUp: 258, ArrowDown: 259, Escape: 260 };
const PIXELS_A_NOTCH = 100, LINES_A_NOTCH = 3;

const modifiers = (event) => (event.shiftKey ? 1 : 0) | (event.ctrlKey ? 2 : 0) | (event.altKey ? 4 : 0);

function takesText(element) {
  return element instanceof HTMLInputElement && element.type === "text" || element instanceof HTMLSelectElement;
}

// Keys that the focused element needs for itself.
function keepsKey(element, key) {
  if (takesText(element) || document.querySelector("dialog[open]")) return true;
  if (!(element instanceof HTMLElement) || element.id === "view") return false;
  if (/^(Arrow|Home|End|Page)/.test(key)) return element.matches("input, #cards *, #panel, #panel *");
  return key === " " && element.matches("button, input, summary, a");
}

// `engine` gives the engine or null, `touched` hears of every input that may change the scene.
export function listen(canvas, engine, touched) {
  const pixels = (event) => {
    const box = canvas.getBoundingClientRect();
    return [(event.clientX - box.left) * canvas.width / (box.width || 1),
      (event.clientY - box.top) * canvas.height / (box.height || 1)];
  };
  const down = new Set();
  const up = (event) => {
    if (!down.delete(event.pointerId)) return;
    engine()?.release(event.pointerId, modifiers(event));
    canvas.classList.toggle("grabbing", down.size > 0);
    touched();
  };

  canvas.addEventListener("pointerdown", (event) => {
    if (!engine()) return;
    canvas.focus({ preventScroll: true });
    event.preventDefault();
    if (down.has(event.pointerId)) return; // a second button of the same mouse
    try {
      canvas.setPointerCapture(event.pointerId); // moves and the release come from anywhere
    } catch {
      // The pointer is already gone.
    }
    down.add(event.pointerId);
    const button = event.pointerType === "touch" ? TOUCH : BUTTONS[event.button] ?? 0;
    engine().press(event.pointerId, button, modifiers(event), ...pixels(event));
    canvas.classList.add("grabbing");
    touched();
  });
  canvas.addEventListener("pointermove", (event) => {
    if (down.has(event.pointerId)) engine()?.move(event.pointerId, ...pixels(event));
  });
  canvas.addEventListener("pointerup", up);
  canvas.addEventListener("pointercancel", up);
  canvas.addEventListener("lostpointercapture", up);
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const size = event.deltaMode === 0 ? PIXELS_A_NOTCH : event.deltaMode === 1 ? LINES_A_NOTCH : 1;
    engine()?.wheel((event.ctrlKey ? 8 : 1) * event.deltaY / size); // a pinch comes with control
    touched();
  }, { passive: false });
  addEventListener("blur", () => {
    for (const pointer of down) engine()?.release(pointer, 0);
    down.clear();
    canvas.classList.remove("grabbing");
  });

  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !engine()) return;
    if (event.defaultPrevented || keepsKey(event.target, event.key)) return;
    const code = KEYS[event.key] ?? (event.key.length === 1 ? event.key.charCodeAt(0) : 0);
    if (!code || code > 260 || event.key === "q") return; // a page is not quit by a letter
    if (engine().key(code, modifiers(event))) event.preventDefault();
    touched();
  });
}
