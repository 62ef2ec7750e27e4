// Tests the test stub of the AssemblyScript SDK with the guest of the conformance kit: cases
// that do not depend on limits, ids or an LLM have the same output as in the real host.
//
//     node --test e2e/node/stub.test.mjs

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { abi, runHook, runStage } from "../../sdk-assemblyscript/mcpctl-stage/test/index.js";

const kit = new URL("../../abi/tck/", import.meta.url);
const module = new WebAssembly.Module(readFileSync(new URL("dist/assemblyscript.wasm", kit)));

/** Returns the files of an archive by name, without the newline at their end. */
function files(name) {
  const text = readFileSync(new URL(`cases/stage/${name}.txtar`, kit), "utf8");
  return Object.fromEntries(text.split(/^-- /m).slice(1).map((part) => {
    const [, file, content] = /^(\S+) --\n([^]*)$/.exec(part);
    return [file, content.replace(/\n$/, "")];
  }));
}

const CASES = [
  "done", "empty", "config", "config-defaults", "config-empty", "upper", "original", "pieces", "find", "find-none", "lines", "grep", "grep-literal", "grep-flags",
  "hash", "views", "json", "json-empty", "json-invalid", "children", "children-array", "children-many", "children-none", "children-missing", "numbers", "pointer", "batch", "batch-many", "compute",
];

for (const name of CASES) {
  test(name, () => {
    const { config = "{}", input = "", original, want } = files(name);
    const report = runStage(module, "kit", { input, original, config: JSON.parse(config) });
    assert.equal(report.reason, "");
    assert.equal(report.output.toString().replace(/\n$/, ""), want);
  });
}

test("sections have kind, span and texts", () => {
  const { config, input } = files("tree");
  const { reason, sections } = runStage(module, "kit", { input, config: JSON.parse(config) });
  assert.equal(reason, "");
  const kinds = [abi.SECTION_EXACT, abi.SECTION_DECODED, abi.SECTION_GROUP, abi.SECTION_EXACT, abi.SECTION_DERIVED];
  assert.deepEqual(sections.map((s) => s.kind), kinds);
  assert.deepEqual([sections[0].id, sections[1].title, sections[4].body, sections[4].summary], ["first", "one", "own words", "in short"]);
});

test("failure has a reason", () => {
  assert.equal(runStage(module, "kit", { config: { case: "nothing" } }).reason, "returned DONE without output");
  assert.match(runStage(module, "kit", { config: { case: "fail", number: 12 } }).reason, /^12 not in 1\.\.9$/);
  assert.match(runStage(module, "kit", { config: { case: "panic" } }).reason, /boom/);
});

test("state of one hook is read by the next", () => {
  const first = runHook(module, "kit-steer", "tool_call", { config: { case: "count" } });
  const second = runHook(module, "kit-steer", "tool_call", { config: { case: "count" }, state: first.state });
  assert.deepEqual([first.answer.trim(), second.answer.trim()], ["1", "2"]);
});

test("effects of a hook are recorded", () => {
  const config = { case: "list", text: "files/write", more: "files/read" };
  const { effects } = runHook(module, "kit-steer", "tools_list", { config });
  const definition = '{"name":"kit_hello","inputSchema":{"type":"object"}}';
  assert.deepEqual(effects, ["hide files/write", 'patch files/read {"description":"patched"}', `add ${definition}`]);
  const refused = runHook(module, "kit-steer", "tool_call", { config: { case: "refuse", text: "no" } });
  assert.deepEqual([refused.answer, refused.kind], ["no", abi.OUT_IS_ERROR]);
});

test("import that the stub lacks fails the test", () => {
  assert.throws(() => runHook(module, "kit-steer", "tool_call", { config: { case: "servers" } }), /the test stub has no servers: test this with `mcpctl stage test`/);
});
