import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { cacheText, parseCache, parseKept } from "./cachepart.js";
import { scripted } from "./llm.js";
import { Session } from "./session.js";
import { runStage } from "./stage.js";

/** A txtar file: parts in order, each {name, text}; what stands before them is a comment. */
export function readArchive(path) {
  const parts = [];
  for (const line of readFileSync(path, "utf8").split(/(?<=\n)/)) {
    const name = /^-- (.*) --\r?\n?$/.exec(line)?.[1];
    if (name !== undefined) parts.push({ name, text: "" });
    else if (parts.length > 0) parts.at(-1).text += line;
  }
  return parts;
}

const STAGE_PARTS = ["config", "context", "input", "input-file", "llm", "cache", "want", "want-file", "index", "fail", "sections", "meta", "kept"];

/** Runs the archive of a stage, twice: a stage must give the same for the same. It throws where something differs. */
export function checkStage(module, role, path) {
  const a = stageArchive(path);
  const call = () => ({
    input: a.input, config: JSON.parse(a.config?.toString() ?? "{}"), context: JSON.parse(a.context?.toString() ?? "{}"),
    llm: a.llm && scripted(a.llm.toString().trim()), ...parseCache(a.cache?.toString() ?? ""),
  });
  const result = runStage(module, role, call());
  assert.deepEqual(runStage(module, role, call()), result, "two runs differ");
  compare(a, result);
}

function stageArchive(path) {
  const a = {};
  for (const { name, text } of readArchive(path)) {
    assert(STAGE_PARTS.includes(name), `part ${name} unknown, want one of ${STAGE_PARTS.join(", ")}`);
    const beside = name.endsWith("-file");
    const key = name.replace(/-file$/, "");
    assert(!(key in a), `part ${key} is there twice`);
    a[key] = beside ? readFileSync(join(dirname(path), basename(text.trim()))) : Buffer.from(text);
    a.exact ||= beside && key === "want";
  }
  assert(a.input, "no input");
  return a;
}

function compare(a, r) {
  const want = a.want ? "done" : a.fail ? "fail" : "pass";
  assert.equal(r.outcome + (r.reason ? ": " + r.reason : ""), want + (a.fail ? ": " + a.fail.toString().trimEnd() : ""));
  if (a.want) equalText(r.output.toString(), a.want.toString(), a.exact);
  if (a.index) equalText(indexText(r.marks ?? [], r.sections ?? []), a.index.toString(), false);
  if (a.kept) equalKept(r.kept, a.kept.toString());
  if (a.sections) equalText(outline(r.sections), a.sections.toString(), false);
  for (const line of a.meta?.toString().split("\n").filter(Boolean) ?? []) {
    const [key, ...value] = line.trim().split(": ");
    assert.equal(r.meta[key], value.join(": "), `metadata ${key}`);
  }
}

/** A file always ends in a newline in an archive; what was written need not. */
function equalText(got, want, exact) {
  if (!exact && got === want.replace(/\n$/, "")) return;
  assert.equal(got, want);
}

function equalKept(kept, text, after = "") {
  assert.equal(cacheText(kept), cacheText(parseKept(text)), "kept in the cache" + after);
}

/** Marks as archives have them. */
function indexText(marks, sections) {
  const path = (i) => (i < 0 ? "" : `${path(sections[i].parent)}/${sections[i].id}`);
  return marks.map((m) => `${m.offset} ${path(m.section) || "/"}${m.lines || m.bytes ? ` ${m.lines} ${m.bytes}` : ""}\n`).join("");
}

/** A tree as archives have it. */
export function outline(sections, parent = -1, indent = "") {
  return sections.map((s, i) => {
    if (s.parent !== parent) return "";
    const kind = ["", " group", " decoded", " derived"][s.kind];
    const summary = s.summary ? " " + JSON.stringify(s.summary) : "";
    return `${indent}${s.id} ${s.start}-${s.end}${kind}${summary}\n` + outline(sections, i, indent + "  ");
  }).join("");
}

/** Plays the archive of a controller, twice. */
export function checkController(module, role, path) {
  const parts = readArchive(path);
  const got = play(module, role, parts);
  assert.deepEqual(play(module, role, parts), got, "two sessions differ");
  parts.forEach((p, i) => {
    const after = ` after ${hookBefore(parts, i)}`;
    if (p.name === "want") assert.equal(got[i].did, p.text, after);
    if (p.name === "kept") equalKept(got[i].kept, p.text, after);
  });
}

function hookBefore(parts, i) {
  return parts.slice(0, i).findLast((p) => p.name !== "want" && p.name !== "kept")?.name;
}

/** What the hook before each want and kept has done, by its position. */
function play(module, role, parts) {
  const config = parts.find((p) => p.name === "config");
  const session = new Session(module, role, { config: JSON.parse(config?.text ?? "{}"), project: "home", client: { listChanged: true } });
  let last = NOTHING;
  return parts.map((p) => (p.name === "want" || p.name === "kept" ? last : (last = step(session, p))));
}

const NOTHING = { did: "", kept: {} };

/** Does what a part says and tells what the controller did. */
function step(s, part) {
  const text = part.text.replace(/\n$/, "");
  const [, name, argument] = /^(\S*) ?(.*)$/.exec(part.name);
  const lines = text === "" ? [] : text.split("\n");
  switch (name) {
    case "config": return NOTHING;
    case "tools":
      for (const line of lines) s.tools.push({ name: line.split(" ", 1)[0], definition: line.slice(line.indexOf(" ") + 1) });
      return NOTHING;
    case "prompts":
      s.prompts.push(...lines.map(promptOf));
      return NOTHING;
    case "body":
      for (const p of s.prompts.filter((p) => p.name === argument)) p.body = part.text;
      return NOTHING;
    case "stored":
      s.contents.push({ text });
      return NOTHING;
    case "answer":
      s.llm = () => ({ text });
      return NOTHING;
    case "llm":
      s.llm = scripted(text.trim());
      return NOTHING;
    case "cache":
      Object.assign(s, parseCache(part.text));
      return NOTHING;
    case "initialize": return render(s.initialize());
    case "list": {
      const e = s.list();
      return { did: [e.outcome, ...e.listed.map((t) => t.name), ""].join("\n"), kept: e.kept };
    }
    case "call": return render(s.call(argument, text));
    case "result": return render(s.result(text));
    case "close": return render(s.close());
  }
  throw new Error(`part ${part.name} unknown, want config, tools, prompts, body NAME, stored, answer, llm, cache, initialize, list, call NAME, result, close, want or kept`);
}

function promptOf(line) {
  const [name, priority, summary, chapters] = line.split(" | ");
  assert(summary !== undefined, `prompts: ${line} is not name | priority | summary`);
  return { name, priority: Number(priority), summary, chapters: chapters?.split("; ") ?? [] };
}

/** What a hook did: the outcome, what the client is told, where a call goes instead, the answer, the blocks beside it. */
function render(e) {
  const { whole, error, stages } = e.kind ?? {};
  const lines = [e.outcome + (whole ? " result" : "") + (error ? " error" : "") + (stages ? " to the stages" : ""), e.reason];
  for (const n of e.notes ?? []) lines.push(`notifies ${n.method} ${n.params}`.trim());
  if (e.rewrite) lines.push(`rewritten to ${e.rewrite.tool} ${e.rewrite.arguments}`);
  e.before?.forEach((block, i) => lines.push(`before ${i + 1}: ${block}`));
  lines.push(e.answer);
  e.after?.forEach((block, i) => lines.push(`after ${i + 1}: ${block}`));
  return { did: lines.filter(Boolean).map((line) => line.replace(/\n$/, "") + "\n").join(""), kept: e.kept ?? {} };
}
