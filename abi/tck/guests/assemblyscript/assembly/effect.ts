import { Ctx, DONE, PASS } from "mcpctl-stage";
import { fate, fateOf } from "./words";

export function pass(c: Ctx): i32 {
  c.out.write("dropped");
  return PASS;
}

export function limit(c: Ctx): i32 {
  const piece = "x".repeat(65536);
  for (let i = 0; i < 100; i++) {
    if (c.out.write(piece) < 0) {
      c.log.info(fate());
      break;
    }
  }
  return DONE;
}

export function meta(c: Ctx): i32 {
  c.meta("type", "markdown");
  c.meta("count", "3");
  c.log.info(fateOf(c.meta("", "x")));
  return PASS;
}

export function log(c: Ctx): i32 {
  const n = c.int("number", 0);
  const text = c.str("text", "");
  c.log.int("n", n).str("text", text).debug("message");
  c.log.int("n", n).str("text", text).info("message");
  c.log.int("n", n).str("text", text).warn("message");
  c.log.int("n", n).str("text", text).error("message");
  return PASS;
}

export function cache(c: Ctx): i32 {
  const key = c.str("text", "");
  look(c, key);
  c.out.write(fateOf(c.cache.set(key, c.str("more", ""))) + "\n");
  return look(c, key);
}

function look(c: Ctx, key: string): i32 {
  const value = c.cache.get(key);
  if (!value) return c.out.write("miss\n");
  c.out.write("hit ");
  c.out.span(value);
  return c.out.write("\n");
}

export function compute(c: Ctx): i32 {
  const key = c.str("text", "");
  for (let i = 0; i < 2; i++) {
    const value = c.cache.getOrCompute(key, c, (c: Ctx): string | null => {
      c.log.info("computing");
      return "value of " + c.str("text", "");
    });
    c.out.write((value ? value : "") + "\n");
  }
  return DONE;
}
