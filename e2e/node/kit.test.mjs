// The test host of the AssemblyScript SDK answers as mcpctl's own: the cases of the
// conformance kit hold in both, but for those that speak of what a test host leaves out.
//
//     node --test e2e/node/kit.test.mjs

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import test from "node:test";
import { call as callGuest } from "../../sdk-assemblyscript/mcpctl-stage/test/guest.js";
import { HookHost } from "../../sdk-assemblyscript/mcpctl-stage/test/hookhost.js";
import { abi, runStage, Session } from "../../sdk-assemblyscript/mcpctl-stage/test/index.js";

const kit = new URL("../../abi/tck/", import.meta.url);
const module = new WebAssembly.Module(readFileSync(new URL("dist/assemblyscript.wasm", kit)));

/** The files of an archive in order, without the newline at their end. */
function files(text) {
  const list = [];
  for (const line of text.split(/(?<=\n)/)) {
    const name = /^-- (.*) --\n?$/.exec(line)?.[1];
    if (name) list.push({ name, text: "" });
    else if (list.length > 0) list.at(-1).text += line;
  }
  return list.map((f) => ({ ...f, text: f.text.replace(/\n$/, "") }));
}

function archives(folder) {
  return readdirSync(folder).map((name) => [name.replace(".txtar", ""), files(readFileSync(new URL(name, folder), "utf8"))]);
}

function byName(list) {
  return Object.fromEntries(list.map((f) => [f.name, f.text]));
}

function replies(script) {
  const [tiers, quoted] = [["fast", "heavy"], /<quote>([^]*?)<\/quote>/g];
  switch (script) {
    case "off": return undefined;
    case "fails": return () => ({ error: abi.CODE_UPSTREAM });
    case "slow": return () => ({ later: true });
    case "quotes": return (q) => ({ text: "about " + [...q.prompt.matchAll(quoted)].map((m) => m[1]).join(""), later: q.background });
    case "tell": return (q) => ({
      text: `tier=${tiers[q.tier]} max=${q.maxTokens} json=${q.json} background=${q.background} system=${JSON.stringify(q.system)}` +
        q.prompt.split(/(<quote>[^]*?<\/quote>)/).filter(Boolean).map((p) => {
          const text = p.replace(quoted, "$1");
          return (text === p ? " words=" : " quote=") + JSON.stringify(text);
        }).join(""),
    });
  }
  return () => ({ text: script.replace(/^answer: /, "") });
}

function pairs(text = "") {
  return Object.fromEntries(text.split("\n").filter(Boolean).map((line) => [line.split(": ", 1)[0], line.slice(line.indexOf(": ") + 2)]));
}

function lines(object) {
  return Object.keys(object).sort().map((key) => `${key}: ${object[key]}`).join("\n");
}

function tree(sections, parent = -1, indent = "") {
  return sections.map((s, i) => {
    if (s.parent !== parent) return "";
    const kind = ["exact", "group", "decoded", "derived"][s.kind];
    const place = kind === "group" ? "" : ` ${s.start}-${s.end}`;
    const texts = [s.title, s.summary].filter((text, k) => k === 0 || text).map((text) => " " + JSON.stringify(text)).join("");
    return `${indent}${s.id} ${kind}${place}${texts}\n` + tree(sections, i, indent + "  ");
  }).join("");
}

function call(a) {
  const context = JSON.parse(a.context ?? "{}");
  return {
    input: a.input, original: a.original, session: a.session, config: JSON.parse(a.config), llm: replies(a.llm ?? "off"),
    cache: a.cache === "off" ? {} : pairs(a.cache), cacheWay: a.cache === "off" ? "off" : "",
    context: { project: "home", filter: a.role === "kit-filter", ...context },
    sections: a.tree?.split("\n").map((line) => {
      const [, parent, start, end, id, title] = /^(\S+) (\d+)-(\d+) (\S+) (.*)$/.exec(line);
      return { parent: Number(parent), start: Number(start), end: Number(end), id, title };
    }),
    marks: a["input-marks"]?.split("\n").map((line) => {
      const [offset, section, lines, bytes] = line.split(" ").map(Number);
      return { offset, section, lines, bytes };
    }),
  };
}

/** What a run left, by the names of the archive's files. */
function describe(r) {
  const log = r.log.map((l) => `${l.level} ${l.text}`).join("\n");
  if (r.outcome === "fail") return { fail: r.reason, log };
  return {
    ...(r.outcome === "done" ? { want: r.output.toString().replace(/\n$/, "") } : {}), log, meta: lines(r.meta), kept: lines(r.kept),
    sections: tree(r.sections).trimEnd(), marks: r.marks.map((m) => `${m.offset} ${m.section} ${m.lines} ${m.bytes}`).join("\n"),
    flags: [r.private && "private", r.provisional && "provisional"].filter(Boolean).join(" "),
  };
}

/** A test host grants everything, and does not cut answers. */
const OF_HOSTS_ALONE = (a) => a.role === "kit-bare" || a.want?.includes("\ncut ");

for (const [name, list] of archives(new URL("cases/stage/", kit))) {
  const a = byName(list);
  if (OF_HOSTS_ALONE(a)) continue;
  test(`stage/${name}`, () => {
    const given = call(a);
    const got = describe(runStage(module, a.role ?? "kit", given));
    if (a["fail-part"]) return assert(got.fail?.includes(a["fail-part"]), got.fail);
    for (const key of ["want", "fail"]) assert.equal(got[key], a[key], key);
    for (const key of ["sections", "marks", "meta", "log", "kept", "flags"]) if (key in a) assert.equal(got[key], a[key], key);
  });
}

function session(a) {
  const { tools = [], servers, contents = {}, state } = JSON.parse(a.session ?? "{}");
  return new Session(module, "kit-steer", {
    config: JSON.parse(a.config), name: "session-1", cache: pairs(a.cache), llm: replies(a.llm ?? "off"), servers, state,
    tools: tools.filter((t) => t.kind !== "host").map(({ tool, ...t }) => ({ ...t, definition: JSON.stringify(tool) })),
    contents: Object.entries(contents).map(([ref, text]) => ({ ref, text })),
    section: (ref, section) => `section ${section} of ${contents[ref]}`,
  });
}

/** Runs a hook and tells what it left, a line each. */
function hook(s, a, { name, text }) {
  const { call: called, result, ...context } = { controller: { index: 0, count: 1 }, ...JSON.parse(a.context ?? "{}"), role: "kit-steer", project: "home", hook: name };
  const isCall = name === "on_tool_call" || name === "on_tool_result";
  const c = isCall && called ? { tool: { name: called.tool }, client: a.client ?? "" } : undefined;
  if (isCall) context.call = called;
  if (name === "on_tool_result") context.result = result;
  const host = new HookHost(s, name, text, context, c);
  if ("original" in a) host.buffers.get(abi.BUF_ORIGINAL).bytes = Buffer.from(a.original);
  const [before, proposed] = [s.state, s.proposals.length];
  const { code, trap } = callGuest(module, "mcpctl_" + name, host);
  const e = host.effects(code, trap, () => "");
  if (e.outcome !== "fail") s.state = host.state;
  return told(e, host, before).concat(s.proposals.slice(proposed).map((p) => `proposed ${JSON.stringify({ name: p.name, content: p.content, priority: p.priority })}`));
}

function told(e, host, before) {
  const kinds = ["whole", "error", "stages"].filter((k) => e.kind?.[k]).map((k) => (k === "whole" ? "result" : k));
  const lines = [[e.outcome, ...kinds, e.reason].filter(Boolean).join(" "), e.answer?.replace(/\n$/, "")];
  for (const text of e.before ?? []) lines.push("before " + text);
  for (const text of e.after ?? []) lines.push("after " + text);
  const log = e.log.map((l) => `log ${l.level} ${l.text}`);
  if (e.outcome === "fail") return [...lines, ...log].filter(Boolean);
  for (const key of new Set([...Object.keys(before), ...Object.keys(host.state)])) {
    if (!(key in host.state)) lines.push("deleted " + key);
    else if (before[key] !== host.state[key]) lines.push(`state ${key}: ${host.state[key]}`);
  }
  lines.push(...host.edits.hidden.map((t) => "hidden " + t), ...host.edits.patches.map((p) => `patched ${p.tool} ${p.patch}`));
  lines.push(...host.edits.added.map((t) => `added ${t.name} ${t.definition}`));
  if (e.rewrite) lines.push(`rewritten ${e.rewrite.tool} ${e.rewrite.arguments}`);
  lines.push(...e.notes.map((n) => `notified ${n.method} ${n.params}`.trim()));
  lines.push(...Object.entries(e.meta).map(([key, value]) => `meta ${key}: ${value}`), ...log);
  return lines.filter(Boolean);
}

/** Lines with those of the state in order, and tools named by their labels. */
function sorted(lines) {
  const isState = (l) => /^(state|deleted) /.test(l);
  return [...lines.filter((l) => !isState(l)), ...lines.filter(isState).sort()].map((l) => l.replace(/^patched files__/, "patched files/"));
}

/** The list of tools and of prompts is made of other things in a test host. */
const MADE_OTHERWISE = /^(tools|prompts?)(-|$)/;

for (const [name, list] of archives(new URL("cases/controller/", kit))) {
  if (MADE_OTHERWISE.test(name)) continue;
  test(`controller/${name}`, () => {
    const a = byName(list);
    const s = session(a);
    let left = [];
    for (const f of list) {
      if (f.name.startsWith("on_")) left = hook(s, a, f);
      if (f.name === "want") assert.deepEqual(sorted(left.flatMap((l) => l.split("\n"))), sorted(f.text.split("\n")), JSON.stringify(left));
    }
  });
}
