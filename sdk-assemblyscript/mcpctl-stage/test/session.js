import { createHash } from "node:crypto";
import * as abi from "./zz_abi.js";
import { exportsOf, call as callGuest, load } from "./guest.js";
import { HookHost } from "./hookhost.js";
import { limits } from "./host.js";
import { allTools, filled, findTool, tooMany } from "./tools.js";

/**
 * One client's connection to a project, as far as a controller can tell. Each hook runs in
 * a guest of its own; one that fails changes nothing. Fields, which options may set and
 * which may be changed between hooks:
 *
 *     config         object, with its defaults filled in
 *     notifications  methods that the manifest lists
 *     project, gated ("test", true), name ("session"), protocol, timeMillis
 *     client         {name, version, listChanged, structuredOnly, instructionsChars}
 *     tools          [{name, wire, kind, definition, hidden, stale}]; name is the label
 *                    server/tool or that of a virtual tool, definition JSON text
 *     servers        [{name, state, tools, error}]; none: those of tools, ready
 *     prompts        [{name, project, priority, summary, chapters, body, stored, link, linkStatus}]
 *     system         texts of system prompts by name
 *     contents       what is stored: [{ref, text, source, contentType, mime}]
 *     section        function from a ref and a section to what read_section would answer
 *     llm, cache, cacheWay  as of runStage
 *     state          what the controller keeps for this session
 *     proposals      prompts that it has proposed
 *
 * A hook's effects: outcome, reason (of fail), answer, kind {whole, error, stages}, before,
 * after, notes [{method, params}], rewrite {tool, arguments}, listed, meta, kept (what it put
 * into the cache), log, provisional.
 */
export class Session {
  constructor(module, role, options = {}) {
    Object.assign(this, {
      config: {}, notifications: [], project: "test", gated: true, name: "session", protocol: "2025-11-25", timeMillis: 1763719800000,
      client: {}, tools: [], servers: null, prompts: [], system: {}, contents: [], section: null, llm: undefined, cache: {}, cacheWay: "", state: {}, proposals: [],
    });
    for (const [key, value] of Object.entries(options)) if (value !== undefined) this[key] = value;
    this.role = role;
    this.module = load(module);
    this.begin();
  }

  begin() {
    this.own = []; // virtual tools of this controller, in the order they were first added
    this.edits = noEdits(); // of the list as it was made last
    this.listed = false; // by the client
    this.asked = false; // the list was made, for whatever reason
    this.last = null; // the latest call, while a server may answer it
    this.calls ??= 0;
    this.read ??= new Set(); // prompts whose body was read
  }

  /** The client's initialize. */
  initialize(params) {
    const { name, version } = this.clientInfo();
    params ??= { protocolVersion: this.protocol, capabilities: {}, clientInfo: { name, version } };
    return this.hook("on_initialize", JSON.stringify(params)).effects;
  }

  /** Makes the list for the client. */
  list() {
    const effects = this.makeList("list");
    this.listed = true;
    return effects;
  }

  makeList(reason) {
    this.edits = noEdits();
    this.asked = true;
    const { effects, edits } = this.hook("on_tools_list", JSON.stringify({ reason }));
    if (effects.outcome !== "fail") {
      this.edits = edits;
      this.adopt(edits.added);
    }
    effects.listed = allTools(this).filter((t) => !t.hidden);
    return effects;
  }

  /** A name once added stays with its owner. */
  adopt(added) {
    for (const t of added) {
      const i = this.own.findIndex((o) => o.name === t.name);
      this.own.splice(i < 0 ? this.own.length : i, i < 0 ? 0 : 1, t);
    }
  }

  /** A tools/call by label, name of a virtual tool or wire name; arguments are JSON text. A name that no list had yet is looked up. */
  call(tool, args = "") {
    this.last = null;
    let t = findTool(this, tool);
    if (!t && !this.asked) {
      this.makeList("lookup");
      t = findTool(this, tool);
    }
    if (!t) return { outcome: "fail", reason: `unknown tool ${JSON.stringify(tool)}`, log: [] };
    args ||= "{}";
    JSON.parse(args);
    const c = { id: `c${++this.calls}`, tool: t, client: `{"name":${JSON.stringify(t.wire)},"arguments":${args}}`, rewritten: false };
    const { effects } = this.hook("on_tool_call", args, c);
    if (effects.outcome === "done") return effects;
    if (effects.rewrite) {
      c.tool = findTool(this, effects.rewrite.tool);
      c.rewritten = true;
    }
    if (c.tool.kind === "upstream") this.last = c;
    return effects;
  }

  /** The server's answer to the latest call, JSON text: a result, or {"error":{...}}. Its parts are stored. */
  result(text) {
    if (!this.last) return { outcome: "fail", reason: "no call that a server answers", log: [] };
    const c = this.last;
    this.last = null;
    return this.hook("on_tool_result", text, c, this.store(c, text)).effects;
  }

  /** Keeps the parts of a result, as the host does before the hook: what is structured, or else each text. */
  store(c, text) {
    const r = JSON.parse(text);
    const parts = r.structuredContent
      ? [{ kind: "structured", text: JSON.stringify(r.structuredContent), mime: "application/json" }]
      : (r.content ?? []).filter((b) => b.type === "text").map((b) => ({ kind: "text", text: b.text, mime: "" }));
    const contents = parts.map((p, index) => ({ ref: refOf(p.text), kind: p.kind, index, bytes: Buffer.byteLength(p.text), mime: p.mime }));
    contents.forEach(({ ref, mime }, i) => {
      if (!this.stored(ref)) this.contents.push({ ref, text: parts[i].text, source: c.tool.name, mime });
    });
    const bytes = contents.reduce((sum, p) => sum + p.bytes, 0);
    return { isError: r.isError === true, protocolError: r.error !== undefined, answeredBy: c.tool.name.split("/")[0], bytes, contents };
  }

  /** What is stored under a ref. */
  stored(ref) {
    const c = this.contents.find((c) => (c.ref ?? refOf(c.text)) === ref);
    return c && { source: "server/tool", contentType: "toolResult", mime: "", ...c, ref };
  }

  /** Ends the session: its state is dropped after the hook. */
  close(reason = "client") {
    const { effects } = this.hook("on_close", JSON.stringify({ reason }));
    this.state = {};
    this.begin();
    return effects;
  }

  /** Runs a hook, and puts in force what concerns later hooks alone. */
  hook(name, input, c, result) {
    if (!exportsOf(this.module).has("mcpctl_" + name)) return { effects: { outcome: "pass", kept: {}, log: [] }, edits: noEdits() };
    const host = new HookHost(this, name, input, this.context(name, input, c, result), c);
    const { code, trap } = callGuest(this.module, "mcpctl_" + name, host);
    const effects = host.effects(code, trap, (added) => tooMany(this, added));
    if (effects.outcome !== "fail") this.state = host.state;
    return { effects, edits: host.edits };
  }

  clientInfo() {
    return { name: "test", version: "1.0.0", listChanged: false, structuredOnly: false, instructionsChars: 2048, ...this.client };
  }

  /** Buffer 3 of a hook. */
  context(hook, input, c, result) {
    const x = {
      abi: abi.VERSION, role: this.role, roleIndex: 0, kind: "controller", hook, project: this.project, gated: this.gated, timeMs: this.timeMillis,
      protocol: this.protocol, controller: { index: 0, count: 1 }, client: this.clientInfo(), limits: limits({}, Buffer.byteLength(input)),
    };
    if (c) {
      const t = filled(c.tool);
      const readOnly = JSON.parse(t.definition).annotations?.readOnlyHint === true;
      x.call = { id: c.id, tool: t.name, wire: t.wire, virtual: t.kind === "virtual", rewritten: c.rewritten, listed: this.listed, readOnly };
    }
    return result ? { ...x, result } : x;
  }
}

function noEdits() {
  return { hidden: [], patches: [], added: [] };
}

/** The ref of a text that a Session stores: 16 characters. */
export function refOf(text) {
  const bits = [...createHash("sha256").update(text).digest().subarray(0, 10)].map((b) => b.toString(2).padStart(8, "0")).join("");
  return bits.match(/.{5}/g).map((five) => "abcdefghijklmnopqrstuvwxyz234567"[parseInt(five, 2)]).join("");
}
