// Brake is a controller that stops a model that repeats itself: a call that gave the same
// result several times in a row is refused with a message to the model. Any other call, or
// another result, resets the count.
import { PASS } from "mcpctl-stage";
import { Ctx, Hooks, register } from "mcpctl-stage/controller";

export { mcpctl_abi_v1, mcpctl_on_tool_call, mcpctl_on_tool_result } from "mcpctl-stage/hooks";

// Keys of the session's state: the hash of the last call, the hash of its result, and an x
// for each time that the call gave this result.
const CALL = "call";
const RESULT = "result";
const TIMES = "times";

// refuse answers a call that was made often enough.
function refuse(c: Ctx): i32 {
  const call = c.client.hash();
  if (c.state.get(CALL) != call) return restart(c, call);
  const times = textOf(c, TIMES).length;
  if (times < c.int("calls", 3)) return PASS;
  c.log.str("tool", c.tool).int("times", times).info("call refused");
  return c.refuse("Not called: this call of " + c.called.wire + " gave the same result each time before. Use what you have, or change the arguments.");
}

// restart resets the count for another call.
function restart(c: Ctx, call: string): i32 {
  return firstRefusal(c.state.set(TIMES, ""), c.state.set(CALL, call));
}

// count counts equal results of the last call.
function count(c: Ctx): i32 {
  if (c.state.get(CALL) != c.client.hash()) return PASS; // another call was made in the meantime
  const result = c.input.hash();
  const times = textOf(c, RESULT) == result ? textOf(c, TIMES) : "";
  return firstRefusal(c.state.set(RESULT, result), c.state.set(TIMES, times + "x"));
}

// textOf returns a value of the state, or "".
function textOf(c: Ctx, key: string): string {
  const value = c.state.get(key);
  return value ? value : "";
}

// firstRefusal returns the first refusal of two results, or PASS if there is none.
function firstRefusal(a: i32, b: i32): i32 { return a < 0 ? a : b < 0 ? b : PASS; }

register("brake", { toolCall: refuse, toolResult: count } as Hooks);
