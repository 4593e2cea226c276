// node unpack.mjs: what the page makes of packed files. One line a case, in cmocka's form.
import { gzipSync } from "node:zlib";
import { unpack } from "../../web/src/files.mjs";

let failed = 0;
async function test(name, body) {
  const trouble = await body().then(() => "", (error) => String(error));
  if (trouble) console.log(`${name}: ${trouble}`);
  console.log(`${trouble ? "[  FAILED  ]" : "[       OK ]"} ${name}`);
  failed += trouble ? 1 : 0;
}

function check(condition, text) {
  if (!condition) throw new Error(text);
}

async function refusal(bytes) {
  return unpack(bytes).then((got) => `unpacked to ${got.length} bytes`, (error) => error.message);
}

await test("packed_and_plain_files_are_taken", async () => {
  const bytes = Uint8Array.from({ length: 300000 }, (_, i) => (i * i) % 251);
  for (const given of [bytes, new Uint8Array(gzipSync(bytes))]) {
    const got = await unpack(given);
    check(got.length === bytes.length && got.every((b, i) => b === bytes[i]), "other bytes");
  }
});

await test("a_few_bytes_that_claim_to_be_gigabytes_are_refused", async () => {
  const text = await refusal(new Uint8Array(gzipSync(new Uint8Array(300 * 2 ** 20))));
  check(text.includes("too much for its size"), text);
});

await test("a_damaged_file_says_so", async () => {
  const packed = new Uint8Array(gzipSync(new Uint8Array(1000)));
  packed.fill(255, 12, 20);
  const text = await refusal(packed);
  check(text.includes("damaged"), text);
});

process.exit(failed ? 1 : 0);
