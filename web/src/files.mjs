// Files as bytes: fetched with progress, unpacked where they are packed.

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
