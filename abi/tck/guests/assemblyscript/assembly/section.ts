import { BY_LINE, Ctx, DONE, lastCode, PASS, TOP } from "mcpctl-stage";
import { fateOf, place } from "./words";

export function tree(c: Ctx): i32 {
  const code = plant(c);
  if (code < 0) return code;
  const kinds = ["exact", "group", "decoded", "derived"];
  const list = c.sections.list();
  for (let i = 0; i < list.length; i++) {
    const s = list.at(i);
    c.out.write(`${s.parent} ${kinds[s.kind]} ${place(s.start, s.end)} ${s.depth} ${s.children} ${s.hasSummary}\n`);
    const id = c.sections.id(i);
    const title = c.sections.title(i);
    const summary = c.sections.summary(i);
    const body = c.sections.body(i);
    if (!id || !title || !summary || !body) return lastCode();
    c.out.write(id.text() + "," + title.text() + "," + summary.text() + "," + body.text() + "\n");
  }
  return DONE;
}

// plant adds a Section of each kind.
function plant(c: Ctx): i32 {
  const s = c.sections;
  const a = c.input.json.span("/a");
  if (!a) return lastCode();
  const b = c.input.json.span("/b");
  if (!b) return lastCode();
  const decoded = c.input.json.get("/a");
  if (!decoded) return lastCode();
  const results = [
    s.add(TOP, c.original, a.start, a.end, "a"),
    s.setId(0, "first"),
    s.add(0, decoded, 0, 3, "one"),
    s.group(TOP, "rest"),
    s.add(2, c.input, b.start, b.end, ""),
    s.setTitleSpan(3, c.input, 1, 3),
    s.setSummary(3, c.original, 0, 5),
    s.derived(TOP, "own words", "notes"),
    s.setTitle(4, "mine"),
    s.setSummaryText(4, "in short"),
  ];
  for (let i = 0; i < results.length; i++) if (results[i] < 0) return results[i];
  return 0;
}

export function refused(c: Ctx): i32 {
  const s = c.sections;
  c.out.write(fateOf(s.add(TOP, c.original, 0, 0, "")) + "\n");
  c.out.write(fateOf(s.add(99, c.original, 0, 1, "")) + "\n");
  c.out.write(fateOf(s.add(TOP, c.original, 1, 100_000, "")) + "\n");
  c.out.write(fateOf(s.add(TOP, c.original, 0, 2, "")) + "\n");
  c.out.write(fateOf(s.setId(0, "")) + "\n");
  c.out.write(fateOf(s.setTitle(7, "x")) + "\n");
  s.title(7);
  return c.out.write(fateOf(lastCode()) + "\n");
}

export function extend(c: Ctx): i32 {
  c.out.write(`${c.sections.length}\n`);
  const code = c.sections.setTitle(0, "new");
  if (code < 0) return code;
  const start = c.sections.list().at(0).start;
  const i = c.sections.add(0, c.original, start, start + 2, "child");
  return i < 0 ? i : PASS;
}

export function chapters(c: Ctx): i32 {
  const heads = c.input.grep("^# .*", BY_LINE);
  if (!heads) return lastCode();
  for (let i = 0; i < heads.length; i++) {
    const start = heads.start(i);
    const end = i + 1 < heads.length ? heads.start(i + 1) : c.input.length;
    const at = c.sections.add(TOP, c.input, start, end, "");
    if (at < 0) return at;
    const code = c.sections.setTitleSpan(at, c.input, start + 2, heads.end(i) - start - 2);
    if (code < 0) return code;
  }
  c.meta("type", "markdown");
  return PASS;
}

export function batch(c: Ctx): i32 {
  const b = c.sections.batch();
  const all = b.group(TOP, "all", "All");
  let n = 0;
  for (const l = c.input.lines(); l.next(); n++) {
    const view = c.input.view(l.start, l.length);
    if (!view) return lastCode();
    const text = view.text();
    const end = l.end - i32(text.endsWith("\n"));
    view.free();
    const i = n & 1
      ? b.add(all, c.input, l.start, end, `n${n}`, text.trimEnd())
      : b.addSpan(all, c.input, l.start, end, l.start, end - l.start);
    if (i < 0) return i;
  }
  c.out.write(fateOf(b.flush()) + "\n");
  b.group(TOP, "", "late");
  b.group(10_000, "", "late");
  c.out.write(fateOf(b.flush()) + "\n");
  return c.out.write(`${c.sections.length}\n`);
}

export function filter(c: Ctx): i32 {
  c.out.write(fateOf(c.sections.add(TOP, c.input, 0, 1, "")) + "\n");
  c.out.write(fateOf(c.out.index()) + "\n");
  return c.out.span(c.input);
}
