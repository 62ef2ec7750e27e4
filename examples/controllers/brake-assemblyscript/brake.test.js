import assert from "node:assert/strict";
import test from "node:test";
import { abi, runHook } from "mcpctl-stage/test";

test("repeated call is refused", () => {
  const given = { input: "{}", config: { calls: 2 }, client: { name: "files__a", arguments: { path: "1" } } };
  for (let i = 0; i < 2; i++) {
    const call = runHook("brake.wasm", "brake", "tool_call", given);
    assert.equal(call.outcome, "pass", call.reason);
    given.state = call.state;
    given.state = runHook("brake.wasm", "brake", "tool_result", given).state;
  }
  const call = runHook("brake.wasm", "brake", "tool_call", given);
  assert.deepEqual([call.outcome, call.kind], ["done", abi.OUT_IS_ERROR]);
});
