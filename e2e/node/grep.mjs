// Reads [{pattern, flags, text}] from stdin and prints what the test host of the
// AssemblyScript SDK finds: pairs of byte offsets, "refused", or "unsure".

import { readFileSync } from "node:fs";
import { buffer, Buffers } from "../../sdk-assemblyscript/mcpctl-stage/test/buffers.js";
import { Refusal } from "../../sdk-assemblyscript/mcpctl-stage/test/refusal.js";

const out = Buffer.alloc(8 * 1024);

function found({ pattern, flags, text }) {
  const buffers = new Buffers([[0, buffer(text)]]);
  try {
    const n = buffers.bufGrep(0, 0, Buffer.from(pattern), flags, out);
    return Array.from({ length: n }, (_, i) => [out.readUInt32LE(8 * i), out.readUInt32LE(8 * i + 4)]);
  } catch (e) {
    if (e instanceof Refusal) return "refused";
    if (/mcpctl stage test/.test(e.message)) return "unsure";
    throw e;
  }
}

console.log(JSON.stringify(JSON.parse(readFileSync(0, "utf8")).map(found)));
