// validate.mjs FILE...: Khronos's glTF validator on .glb files. Fails on any error, and on any
// warning but the one that a chunk of limber's own must give; prints every message.
import { readFileSync } from "node:fs";
import validator from "gltf-validator";

const SEVERITIES = ["error", "warning", "information", "hint"];
const ALLOWED = new Set(["GLB_UNKNOWN_CHUNK_TYPE"]);

async function validate(path) {
  const report = await validator.validateBytes(new Uint8Array(readFileSync(path)), {
    uri: path,
    format: "glb",
    maxIssues: 100,
  });
  let bad = 0;
  for (const { severity, code, message, pointer } of report.issues.messages) {
    console.log(`${path}: ${SEVERITIES[severity]}: ${code}: ${message} ${pointer ?? ""}`);
    if (severity <= 1 && !ALLOWED.has(code)) bad++;
  }
  console.log(`${path}: ${bad} problems`);
  return bad;
}

let bad = process.argv.length > 2 ? 0 : 1;
for (const path of process.argv.slice(2)) bad += await validate(path);
process.exitCode = bad ? 1 : 0;
