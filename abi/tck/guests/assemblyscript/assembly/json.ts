import { Ctx, DONE, Json, kindName, lastCode } from "mcpctl-stage";
import { fate, place, thousandths } from "./words";

export function values(c: Ctx): i32 {
  const json = c.input.json;
  c.out.write(`${json.valid}\n`);
  const list = c.strs("list", []);
  for (let i = 0; i < list.length; i++) c.out.write(list[i] + " " + value(json, list[i]) + "\n");
  return DONE;
}

// value describes the value at a pointer.
function value(json: Json, pointer: string): string {
  const kind = json.kind(pointer);
  if (kind < 0) return fate();
  const at = json.span(pointer);
  if (!at || at.kind != kind) return fate();
  const text = json.get(pointer);
  if (!text) return fate();
  return kindName(kind) + " " + place(at.start, at.end) + " " + text.text();
}

export function children(c: Ctx): i32 {
  const json = c.input.json;
  const pointer = c.str("text", "");
  const n = json.length(pointer);
  if (n < 0) return c.out.write(fate() + "\n");
  c.out.write(`${n}\n`);
  for (const m = json.each(pointer); m.next();) {
    let name = "-";
    if (m.keyEnd) {
      const key = json.text(m.keyStart, m.keyEnd);
      if (!key) return lastCode();
      name = key.text();
      key.free();
    }
    c.out.write(`${m.i} ${name} `);
    c.out.span(c.input, m.start, m.end - m.start);
    c.out.write("\n");
  }
  return DONE;
}

export function numbers(c: Ctx): i32 {
  const list = c.strs("list", []);
  for (let i = 0; i < list.length; i++) {
    const whole = c.input.json.int(list[i]);
    const first = lastCode() < 0 ? fate() : whole.toString();
    const real = c.input.json.float(list[i]);
    const second = lastCode() < 0 ? fate() : thousandths(real);
    c.out.write(list[i] + " " + first + " " + second + "\n");
  }
  return DONE;
}
