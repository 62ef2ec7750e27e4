// Adds a Section for each heading of Markdown with the text below it, and marks an index.
// The host finds candidates for headings; the guest reads only a few bytes of each, and
// never a title.
import { Ctx, lastCode, LITERAL, PASS, register, TOP } from "mcpctl-stage";

export * from "mcpctl-stage/abi";

const head = new Uint8Array(8);

// levelAt returns the level of the heading at the start of a line, or 0.
function levelAt(c: Ctx, start: i32): i32 {
  const n = c.input.read(start, head);
  let level = 0;
  while (level < n && unchecked(head[level]) == 0x23) level++;
  return level > 0 && level < 7 && level < n && unchecked(head[level]) == 0x20 ? level : 0;
}

// split adds a Section for the text from start to end if it starts with a heading.
function split(c: Ctx, start: i32, end: i32): i32 {
  const level = levelAt(c, start);
  if (!level) return 0;
  const title = start + level + 1;
  const i = c.sections.add(TOP, c.input, start, end, "");
  if (i < 0) return i;
  const stop = c.input.find("\n", title);
  const code = c.sections.setTitleSpan(i, c.input, title, stop < 0 ? -1 : stop - title);
  return code < 0 ? code : 1;
}

register("heading-split", (c: Ctx): i32 => {
  const rules = c.input.grep("\n#", LITERAL);
  if (!rules) return lastCode();
  let start = 0;
  let sections = 0;
  for (let i = 0; i <= rules.length; i++) {
    const end = i < rules.length ? rules.start(i) + 1 : c.input.length;
    const code = split(c, start, end);
    if (code < 0) return code;
    sections += code;
    start = end;
  }
  return sections > 0 ? c.out.index() : PASS;
});
