import { BACKGROUND, Base, Ctx, FAST, HEAVY, JSON_ANSWER, PASS, Request, TOP } from "mcpctl-stage";
import { fate } from "./words";

// ask sends a request and returns the lines of the case.
export function ask(c: Base): string {
  const text = `available ${c.llm.available(HEAVY)}\n`;
  const request = c.llm.ask(c.int("number", 0), HEAVY, c.bool("flag", false) ? JSON_ANSWER : 0)
    .system("Be brief.").text("Name it: ").quote(c.input, 0, 5);
  const answer = request.complete();
  if (!answer) return text + fate() + "\n";
  return text + (request.cut ? "cut " : "") + answer.text() + "\n";
}

// question returns a request that quotes a line of the input without its newline.
function question(c: Ctx, start: i32, end: i32, flags: i32): Request {
  return c.llm.ask(100, FAST, flags).quote(c.input, start, end - start - 1);
}

export function each(c: Ctx): i32 {
  const texts: string[] = [];
  const at = new Map<i32, i32>();
  for (const l = c.input.lines(); l.next();) {
    const request = question(c, l.start, l.end, 0);
    if (request.send() < 0) {
      texts.push(fate());
      continue;
    }
    at.set(request.id, texts.length);
    texts.push("");
  }
  for (let r = c.llm.next(10_000); r; r = c.llm.next(10_000)) {
    const answer = r.result();
    texts[at.get(r.id)] = answer ? answer.text() : fate();
  }
  texts.push(fate());
  return c.out.write(texts.join("\n") + "\n");
}

export function late(c: Ctx): i32 {
  const at = new Map<i32, i32>();
  for (const l = c.input.lines(); l.next();) {
    const i = c.sections.add(TOP, c.input, l.start, l.end, "");
    if (i < 0) return i;
    const code = c.sections.setTitleSpan(i, c.input, l.start, l.length - 1);
    if (code < 0) return code;
    const request = question(c, l.start, l.end, BACKGROUND);
    const sent = request.send();
    if (sent < 0) return sent;
    at.set(request.id, i);
  }
  for (let r = c.llm.ready(); r; r = c.llm.ready()) {
    const text = r.result();
    if (text) c.sections.setSummary(at.get(r.id), text);
  }
  return PASS;
}
