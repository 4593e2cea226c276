// The worker in which models are built: one build, then it is ended.
import { buildHere } from "./builder-engine.mjs";

self.onmessage = async ({ data: { files, options } }) => {
  try {
    const progress = (stage, fraction) => self.postMessage({ stage, fraction });
    const made = await buildHere(files, options, { progress });
    self.postMessage({ made }, [made.bytes.buffer]);
  } catch (reason) {
    const lacksMemory = reason instanceof WebAssembly.RuntimeError || reason instanceof RangeError;
    self.postMessage({ failed: lacksMemory
      ? "this is too much for a page's memory: take fewer cells or a coarser mesh, or limber build" : reason.message });
  }
};
