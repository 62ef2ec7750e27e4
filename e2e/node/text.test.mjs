// Any text passes into and out of an AssemblyScript guest unchanged. A byte of invalid UTF-8
// becomes U+FFFD.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { runStage } from "../../sdk-assemblyscript/mcpctl-stage/test/index.js";

const module = new WebAssembly.Module(readFileSync(new URL("../../abi/tck/dist/assemblyscript.wasm", import.meta.url)));

/** What the guest makes of a value that it has kept: bytes to a string and back. */
function through(value) {
  const r = runStage(module, "kit", { config: { case: "compute", text: "k" }, cache: { k: value } });
  assert.equal(r.outcome, "done", r.reason);
  return r.output.subarray(0, r.output.length / 2 - 1);
}

/** Numbers that are the same in each run. */
function dice(seed) {
  return (n) => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return Math.floor((seed / 2 ** 32) * n);
  };
}

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Bytes with U+FFFD for each that is no UTF-8. */
function mended(bytes) {
  const pieces = [];
  for (let i = 0; i < bytes.length;) {
    const n = [1, 2, 3, 4].find((n) => i + n <= bytes.length && isText(bytes.subarray(i, i + n)));
    pieces.push(n ? bytes.subarray(i, i + n) : Buffer.from("\ufffd"));
    i += n ?? 1;
  }
  return Buffer.concat(pieces);
}

function isText(bytes) {
  try {
    strict.decode(bytes);
    return true;
  } catch {
    return false;
  }
}

test("text of any script comes back as it was", () => {
  const roll = dice(1);
  const planes = [[0x20, 0x60], [0x80, 0x780], [0x800, 0xd000], [0xe000, 0x2000], [0x10000, 0x100000]];
  for (let i = 0; i < 300; i++) {
    const text = Array.from({ length: roll(200) }, () => {
      const [from, size] = planes[roll(planes.length)];
      return String.fromCodePoint(from + roll(size));
    }).join("");
    assert.equal(through(text).toString(), text);
  }
  for (const edge of ["", "\0", "\x7f\x80", "\u07ff\u0800", "\ud7ff\ue000", "\uffff\u{10000}", "\u{10ffff}", "\ufeffa"]) assert.equal(through(edge).toString(), edge);
});

test("bytes that are no text are mended one by one", () => {
  const roll = dice(2);
  const likely = [0x00, 0x41, 0x7f, 0x80, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe2, 0xed, 0xef, 0xf0, 0xf4, 0xf5, 0xff, 0x90, 0x9f, 0xa0];
  for (let i = 0; i < 1000; i++) {
    const bytes = Buffer.from(Array.from({ length: roll(12) }, () => likely[roll(likely.length)]));
    assert.deepEqual(through(bytes), mended(bytes), bytes.toString("hex"));
  }
});

test("a long text is read whole", () => {
  const text = "é😀x".repeat(50_000);
  assert(through(text).toString() === text);
});
