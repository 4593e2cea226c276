// The memory of a WebAssembly module, for those who call its functions: texts go over as UTF-8 and
// come back as JSON, bytes are copied, failures become exceptions with the engine's own words.

const decoder = new TextDecoder();
const encoder = new TextEncoder();

// What the engine refuses, in its own words.
export class LimberError extends Error {
  constructor(message) {
    super(message);
    this.name = "LimberError";
  }
}

export class Memory {
  // A module with page_allocate, page_free and page_error_text (apps/viewer/page/text.c).
  constructor(module) {
    this.module = module;
  }

  text(address) {
    const bytes = this.module.HEAPU8;
    return decoder.decode(bytes.subarray(address, bytes.indexOf(0, address)));
  }
  // Calls `use` with the address of a copy of the bytes, and one zero byte behind them.
  withBytes(bytes, use) {
    const address = this.module._page_allocate(bytes.length + 1);
    if (!address) throw new LimberError("this device has too little memory for that");
    this.module.HEAPU8.set(bytes, address);
    this.module.HEAPU8[address + bytes.length] = 0;
    try {
      return use(address);
    } finally {
      this.module._page_free(address);
    }
  }
  withText(text, use) {
    return this.withBytes(encoder.encode(text), use);
  }
  // The JSON that a function returns.
  json(name, ...numbers) {
    return JSON.parse(this.text(this.module[`_${name}`](...numbers)));
  }
  fail() {
    throw new LimberError(this.text(this.module._page_error_text()));
  }
  check(status) {
    if (status) this.fail();
  }
  // Bytes that a function returns, given the address to write their number to: copied here.
  copy(name, ...numbers) {
    return this.#bytes(name, numbers, false);
  }
  // The same, and the function's are freed.
  take(name, ...numbers) {
    return this.#bytes(name, numbers, true);
  }
  #bytes(name, numbers, owned) {
    const size = this.module._page_allocate(8);
    const address = this.module[`_${name}`](...numbers, size);
    const count = new DataView(this.module.HEAPU8.buffer).getUint32(size, true);
    this.module._page_free(size);
    if (!address) this.fail();
    const bytes = this.module.HEAPU8.slice(address, address + count);
    if (owned) this.module._page_free(address);
    return bytes;
  }
}
