// Lead is a stage that keeps the text before the first rule. The rest is not lost: the
// original stays stored, and drill-down reaches it.
import { Ctx, PASS, register } from "mcpctl-stage";

export * from "mcpctl-stage/abi";

register("lead", (c: Ctx): i32 => {
  const at = c.input.find(c.str("rule", "\n---\n"));
  return at < 0 ? PASS : c.out.span(c.input, 0, at);
});
