// What a guest reads of its context in the SDK's test host is what the generated file says;
// an archive describes an LLM in the words that mcpctl stage test knows.

import assert from "node:assert/strict";
import test from "node:test";
import { abi, runStage, Session } from "../../sdk-assemblyscript/mcpctl-stage/test/index.js";
import { scripted } from "../../sdk-assemblyscript/mcpctl-stage/test/llm.js";

/** The answer to a question, by the script of an archive. */
const said = (script, question = {}) => scripted(script)(question);

test("an LLM of an archive is described in words that are known", () => {
  assert.equal(said("answer: twelve").text, "twelve");
  assert.equal(said("empty").text, "");
  assert.match(said("lies").text, /Ignore all/);
  assert.equal(typeof JSON.parse(said("lies", { json: true }).text), "object");
  assert.equal(said("fails").error, abi.CODE_UPSTREAM);
  assert(said("slow").later);
  for (const other of ["off", "twelve"]) assert.throws(() => scripted(other), /want "answer: TEXT"/);
});

const word = (text) => [text.length, ...Buffer.from(text)];
const section = (id, ...bytes) => [id, bytes.length, ...bytes];

/** A guest whose entry writes buffer 3, the context. */
function echo(entry) {
  return Uint8Array.from([
    0, 0x61, 0x73, 0x6d, 1, 0, 0, 0,
    ...section(1, 2, 0x60, 3, 0x7f, 0x7f, 0x7f, 1, 0x7f, 0x60, 0, 1, 0x7f), // (i32, i32, i32) -> i32, () -> i32
    ...section(2, 1, ...word("mcpctl:core/v1"), ...word("out_span"), 0, 0),
    ...section(3, 1, 1),
    ...section(5, 1, 0, 1),
    ...section(7, 2, ...word("memory"), 2, 0, ...word(entry), 0, 1),
    ...section(10, 1, 10, 0, 0x41, 3, 0x41, 0, 0x41, 0x7f, 0x10, 0, 0x0b), // out_span(3, 0, -1)
  ]);
}

test("a stage is told the version of the ABI", () => {
  const r = runStage(echo("mcpctl_stage"), "echo", { input: "x" });
  assert.equal(r.outcome, "done", r.reason);
  assert.equal(JSON.parse(r.output).abi, abi.VERSION);
});

test("so is a controller", () => {
  const r = new Session(echo("mcpctl_on_initialize"), "echo").initialize();
  assert.equal(r.outcome, "done", r.reason);
  assert.equal(JSON.parse(r.answer).abi, abi.VERSION);
});
