// Brake is a controller that stops a model which goes round in circles: a call that gave
// the same result several times in a row is refused, and the model is told so. Any other
// call, or another result, lets it go on.
import { PASS } from "mcpctl-stage";
import { Ctx, Hooks, register } from "mcpctl-stage/controller";

export { mcpctl_abi_v1, mcpctl_on_tool_call, mcpctl_on_tool_result } from "mcpctl-stage/hooks";

// What is kept for the session: the call that was made last, its result, and an x for
// each time that it gave this result.
const CALL = "call";
const RESULT = "result";
const TIMES = "times";

// refuse answers a call that has been made often enough.
function refuse(c: Ctx): i32 {
  const call = c.client.hash();
  if (c.state.get(CALL) != call) return restart(c, call);
  const times = kept(c, TIMES).length;
  if (times < c.int("calls", 3)) return PASS;
  c.log.str("tool", c.tool).int("times", times).info("call refused");
  return c.refuse("Not called: this call of " + c.called.wire + " gave the same result each time before. Use what you have, or change the arguments.");
}

// restart remembers another call.
function restart(c: Ctx, call: string): i32 {
  return or(c.state.set(TIMES, ""), c.state.set(CALL, call));
}

// count compares the result with the one before.
function count(c: Ctx): i32 {
  if (c.state.get(CALL) != c.client.hash()) return PASS; // another call was made meanwhile
  const result = c.input.hash();
  const times = kept(c, RESULT) == result ? kept(c, TIMES) : "";
  return or(c.state.set(RESULT, result), c.state.set(TIMES, times + "x"));
}

function kept(c: Ctx, key: string): string {
  const value = c.state.get(key);
  return value ? value : "";
}

// or is the first refusal of two, PASS if there is none.
function or(a: i32, b: i32): i32 { return a < 0 ? a : b < 0 ? b : PASS; }

register("brake", { toolCall: refuse, toolResult: count } as Hooks);
