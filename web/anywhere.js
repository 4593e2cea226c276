// Put before the code that emscripten makes, inside its function: workers and node have no document.
var document = globalThis.document, window = globalThis.window;
