// The archives of authors: what the test host of the AssemblyScript SDK reads in them, and
// that it compares what it reads. mcpctl stage test runs the same ones in its own host.
//
//     node --test e2e/node/archive.test.mjs

import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { checkController, checkStage } from "../../sdk-assemblyscript/mcpctl-stage/test/archive.js";
import { cacheText, parseCache } from "../../sdk-assemblyscript/mcpctl-stage/test/cachepart.js";

const kit = new URL("../../abi/tck/", import.meta.url);
const archives = new URL("guests/testdata/", kit);

for (const lang of ["assemblyscript", "rust", "c"]) {
  const module = new WebAssembly.Module(readFileSync(new URL(`dist/${lang}.wasm`, kit)));

  for (const name of readdirSync(archives)) {
    test(`${lang}/${name}`, () => checkStage(module, "kit", new URL(name, archives).pathname));
  }

  test(`${lang}: what the archive wants otherwise is told`, () => {
    for (const [text, why] of [
      ['-- config --\n{"case":"compute","text":"k"}\n-- input --\n-- want --\nvalue of k\nvalue of k\n-- kept --\nk: v\n', /kept in the cache/],
      ['-- config --\n{"case":"compute","text":"k"}\n-- input --\n-- want --\nvalue of k\nvalue of k\n-- kept --\n', /kept in the cache/],
      ['-- config --\n{"case":"compute","text":"k"}\n-- cache --\nk: v\n-- input --\n-- want --\nvalue of k\nvalue of k\n', /value of k/],
      ['-- config --\n{"case":"index"}\n-- input --\nhello\n-- want --\nhead\ntail\n-1\n-- index --\n4 / 3 100\n', /4 \/ 3 100/],
    ]) check((path) => checkStage(module, "kit", path), text, why);
  });

  test(`${lang}: a hook is told what is kept, and tells what it keeps`, () => {
    const text = '-- config --\n{"case":"base","text":"k","more":"new"}\n-- initialize --\n-- kept --\nk: new\n-- cache --\nfull\nk: old\n-- close --\n-- kept --\n';
    check((path) => checkController(module, "kit-steer", path), text);
    check((path) => checkController(module, "kit-steer", path), text.replace("full\n", ""), /kept in the cache after close/);
  });
}

/** Runs an archive; why it fails, if it has to. */
function check(run, text, why) {
  const dir = mkdtempSync(join(tmpdir(), "archive-"));
  try {
    const path = join(dir, "one.txtar");
    writeFileSync(path, text);
    if (why) assert.throws(() => run(path), why);
    else run(path);
  } finally {
    rmSync(dir, { recursive: true });
  }
}

test("what a cache holds is read as it is written", () => {
  const cache = { k: "v", "": "", "a: b": "a: b", '"quoted"': '"v"', " blank ": " v ", "lines\n": "a\nb\n", hex: "hex 00", binary: Buffer.from([0, 255]), full: "off" };
  assert.deepEqual(parseCache(cacheText(cache)), { cache, cacheWay: "" });
  assert.deepEqual(parseCache("k: v\n\nfull\n"), { cache: { k: "v" }, cacheWay: "full" });
  for (const wrong of ["empty", "off\nk: v", '"k: v', '"k"x: v', 'k: "v', "k: hex 0", "k: hex 0g"]) assert.throws(() => parseCache(wrong), undefined, wrong);
});
