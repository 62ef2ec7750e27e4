import { Ctx, DONE, lastCode, TOP } from "mcpctl-stage";
import { fate, fateOf, place } from "./words";

export function upper(c: Ctx): i32 {
  const text = c.input.bytes();
  for (let i = 0; i < text.length; i++) {
    const b = unchecked(text[i]);
    if (b >= 0x61 && b <= 0x7a) unchecked(text[i] = b - 0x20);
  }
  return c.out.bytes(text);
}

export function original(c: Ctx): i32 {
  c.out.span(c.original);
  c.out.write("\n---\n");
  return c.out.span(c.input);
}

export function pieces(c: Ctx): i32 {
  const piece = new Uint8Array(4);
  let off = c.int("number", 0);
  let n = c.input.read(off, piece);
  while (n > 0) {
    c.out.write("[");
    c.out.bytes(piece.subarray(0, n));
    c.out.write("]");
    off += n;
    n = c.input.read(off, piece);
  }
  return n;
}

export function find(c: Ctx): i32 {
  const needle = c.str("text", "");
  for (let at = c.input.find(needle); at >= 0; at = c.input.find(needle, at + 1)) c.out.write(`${at}\n`);
  return c.out.write("end\n");
}

export function lines(c: Ctx): i32 {
  for (const l = c.input.lines(c.int("number", 0)); l.next();) c.out.write(place(l.start, l.end) + "\n");
  return DONE;
}

export function grep(c: Ctx): i32 {
  const most = c.int("most", 0);
  const found = c.input.grep(c.str("text", ""), c.int("number", 0), 0, most > 0 ? most : -1);
  if (!found) return c.out.write(fate() + "\n");
  for (let i = 0; i < found.length; i++) c.out.write(place(found.start(i), found.end(i)) + "\n");
  return c.out.write("");
}

export function hash(c: Ctx): i32 { return c.out.write(c.input.hash() + "\n" + c.input.hash(1, 2) + "\n"); }

export function tokens(c: Ctx): i32 { return c.out.write(`${c.input.tokens()}\n${c.input.tokens(0, 4)}\n`); }

export function views(c: Ctx): i32 {
  const outer = c.input.view(2, 6);
  if (!outer) return lastCode();
  const inner = outer.view(1, 3);
  if (!inner) return lastCode();
  c.out.write(`${inner.length}\n`);
  c.out.span(inner);
  inner.free();
  outer.free();
  const own = c.put("own text");
  if (!own) return lastCode();
  c.out.write("\n");
  c.out.span(own, 0, 3);
  c.input.view(0, 100_000);
  return c.out.write("\n" + fate() + "\n");
}

export function handles(c: Ctx): i32 {
  for (let i = 0; i < 3000; i++) {
    const v = c.input.view(0, 1);
    if (!v) return lastCode();
    v.free();
  }
  return c.out.write("done\n");
}

export function index(c: Ctx): i32 {
  c.out.write("head\n");
  const code = c.out.index(TOP, 3, 100);
  if (code < 0) return code;
  c.out.write("tail\n");
  return c.out.write(fateOf(c.out.index(5)) + "\n");
}

export function marks(c: Ctx): i32 {
  c.out.write("> ");
  return c.out.span(c.input);
}
