// Fixed data for the page: 10,000 events, texts and holds, the same in every run.

export const hostile = "<script>document.title='owned';window.owned=1</script>\n<img src=x onerror=\"document.title='owned'\">\n</pre><iframe src=//evil.example></iframe>\n" +
  "\u001b[31mred\u001b[0m \u001b]8;;http://evil.example\u0007link\u001b]8;;\u0007\nfile\u202egnp.exe\u202c \u2066isolated\u2069 zero\u200bwidth tags\u{e0041}\u{e0042}\n" +
  "a line of \u4e2d\u6587\u5b57\u7b26 and \u{1f600} emoji\n[end](javascript:alert(1))\n";

const start = Date.UTC(2026, 10, 28, 9, 0, 0);
const tools = ["demo/read_guide", "github/search_code", "github/get_file_contents", "jira/list_issues_of_a_project_with_a_very_long_tool_name_that_must_wrap", "fs/read_file", "postgres/query"];

export const events = Array.from({ length: 10000 }, (_, i) => event(i + 1));

function event(id) {
  const time = new Date(start + id * 1700).toISOString();
  const base = { id, time, request: id, project: id % 5 ? "home" : "work", session: "s" + id % 7, client: "claude-code 2.1.329" };
  if (id === 9990) return call({ ...base, server: "web", source: "web/hostile_page" }, 900, 700);
  if (id % 500 === 7) return { ...base, type: "stage_reloaded", change: { name: "shout", from: "9f2c", to: "77ab" } };
  if (id % 11 === 0) return { ...base, type: "section_read", source: "read_section", section: "install/linux", refs: ["ref" + (id - id % 6)], inTokens: 0, outTokens: 340, micros: 800 };
  if (id % 17 === 0) return { ...base, type: "request", method: "tools/list", outTokens: 2100, micros: 4100 };
  const source = tools[id % tools.length];
  const e = call({ ...base, server: source.split("/")[0], source }, 24000 - id % 6 * 3500, 1900 + id % 6 * 300);
  if (id % 97 === 0) Object.assign(e, { isError: true, error: "connection refused by the server\u001b[31m" });
  return e;
}

function call(e, inTokens, outTokens) {
  return { ...e, type: "tool_call", method: "tools/call", inTokens, outTokens, inBytes: inTokens * 4, outBytes: outTokens * 4, micros: 48210 + e.id % 100 * 1000, upstreamMicros: 31000, changed: true,
    refs: ["ref" + e.id], shown: ["shown" + e.id],
    hooks: [{ role: "gate", hook: "on_tool_call", outcome: "done", micros: 310 }, { role: "narrow", hook: "on_tool_result", outcome: "done", micros: 190 }],
    runs: [{ model: "subindex", type: "markdown", stages: [
      { role: "redact", outcome: "done", micros: 900, inBytes: inTokens * 4, outBytes: inTokens * 4 },
      { role: "section-split", outcome: e.id % 2 ? "done" : "cached", micros: e.id % 2 ? 6400 : 120, inBytes: inTokens * 4, outBytes: outTokens * 4, meta: { type: "markdown", confidence: "sure" } },
      { role: "summarize-tree", outcome: e.id % 3 ? "done" : "failed", error: e.id % 3 ? "" : "stage \"summarize-tree\": no LLM answered within 3s", micros: 2100, inBytes: outTokens * 4, outBytes: outTokens * 4 }] }],
    hold: e.id % 4 === 0 ? { id: e.id, micros: 22000, outcome: "released" } : undefined };
}

// original returns a text with sections, and the sections with their bytes.
function original(id) {
  let text = "# Guide of part " + id + "\n\nIntroduction to the guide.\n\n";
  const sections = [];
  const bytes = () => new TextEncoder().encode(text).length;
  for (let i = 0; i < 9; i++) {
    const s = { id: "chapter-" + i, title: ["Installation", "Configuration of the server", "API \u4e2d\u6587 reference", "Errors", "FAQ", "Changelog of all releases since 2019", "Security", "Limits", "Contributing"][i], start: bytes(), children: [] };
    text += `## ${s.title}\n\n`;
    if (i === 6) text += "Secrets MUST stay in the vault.\n\n"; // not in the text that was sent
    for (let j = 0; j <= (i * 5) % 7 + (i === 5 ? 30 : 1); j++) {
      const c = { id: `${s.id}/topic-${j}`, title: `Topic ${j}: ${["install", "flags", "files", "env", "tokens"][j % 5]}`, start: bytes(), read: i === 1 || i === 3 && j % 2 === 0 };
      text += `### ${c.title}\n\n` + `Line of topic ${j} of chapter ${i} with enough words to fill a line.\n`.repeat(2 + (i * 7 + j * 3) % 23) + "\n";
      c.end = bytes();
      s.children.push(c);
    }
    s.end = bytes();
    s.read = i === 1;
    sections.push(s);
  }
  return { text, sections, bytes: bytes() };
}

export function contents(id) {
  if (id === 9990) return { original: { parts: [{ ref: "r", contentType: "toolResult", text: hostile.repeat(3) }] }, shown: { parts: [{ text: hostile }] }, sections: { parts: [{ ref: "r", bytes: 900, whole: false, read: [] }] } };
  const o = original(id);
  const read = [];
  for (const s of o.sections) for (const c of s.children) if (c.read) read.push([c.start, c.end]);
  read.push([o.sections[0].children[0].start, o.sections[0].children[0].start + 200]);
  read.sort((a, b) => a[0] - b[0]);
  const shown = o.text.split("\n").filter((l, i) => /^#/.test(l) || i < 6).map((l) => l.replace("Topic", "[read] Topic")).join("\n") + "\nCall read_section with one of these ids.\n";
  return { original: { event: id, kind: "original", parts: [{ ref: "ref" + id, contentType: "toolResult", source: "demo/read_guide", mime: "text/markdown", text: o.text }] },
    shown: { event: id, kind: "shown", parts: [{ text: shown }] }, sections: { event: id, parts: [{ ref: "ref" + id, bytes: o.bytes, whole: false, read, sections: o.sections }] } };
}

export const sessions = Array.from({ length: 7 }, (_, i) => ({ id: "s" + i, project: i % 5 ? "home" : "work", client: ["claude-code 2.1.329", "cursor 3.1", "a client with a long name and version 1.2.3-beta.4"][i % 3], model: "subindex", open: i < 2, opened: new Date(start).toISOString(), last: new Date(start + 1e7).toISOString(), events: 1400 + i, held: i === 0 ? 3 : 0 }));

export function holds() {
  const now = Date.now();
  return [1, 2, 3].map((id) => ({ id, request: id, project: "home", session: "s0", client: "claude-code 2.1.329", method: "tools/call", source: tools[id], model: "subindex", since: new Date(now - id * 12000).toISOString(), deadline: new Date(now + 500000).toISOString(), inTokens: 24000, outTokens: 1900 }));
}
