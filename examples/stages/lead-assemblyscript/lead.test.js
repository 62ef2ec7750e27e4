import assert from "node:assert/strict";
import test from "node:test";
import { runStage } from "mcpctl-stage/test";

const run = (given) => runStage("lead.wasm", "lead", given);

test("text before the rule is kept", () => {
  assert.equal(run({ input: "kept\n---\nin reach\n" }).output.toString(), "kept");
});

test("config names the rule", () => {
  assert.equal(run({ input: "kept DETAILS", config: { rule: " DETAILS" } }).output.toString(), "kept");
});

test("text without a rule passes", () => {
  assert.equal(run({ input: "kept\n" }).outcome, "pass");
});
