import * as abi from "./zz_abi.js";
import { bad, buffer, missing } from "./buffers.js";
import { Host, limits, notText } from "./host.js";
import { demand, kindOf, notObject, notResult } from "./object.js";
import { promptList, promptRecords } from "./prompts.js";
import { commas, Refusal } from "./refusal.js";
import { estimateTokens } from "./tokens.js";
import { allTools, findTool, servers } from "./tools.js";
import { isText } from "./utf8.js";

const OPEN_METHODS = ["tools", "prompts", "resources"].map((what) => `notifications/${what}/list_changed`).concat("notifications/message");

/** Answers the imports of one hook. What it wants to change is kept here until it has ended well. */
export class HookHost extends Host {
  constructor(session, name, input, context, call) {
    super([
      [abi.BUF_INPUT, buffer(input)],
      [abi.BUF_ORIGINAL, buffer(input)],
      [abi.BUF_CONFIG, buffer(JSON.stringify(session.config))],
      [abi.BUF_CONTEXT, buffer(JSON.stringify(context))],
      [abi.BUF_NAME, buffer(call?.tool.name ?? "")],
      [abi.BUF_SESSION, buffer(session.name)],
      [abi.BUF_CALL, buffer(call?.client ?? "")],
    ], session, limits({}, Buffer.byteLength(input)));
    this.session = session;
    this.name = name;
    this.state = { ...session.state };
    this.edits = { hidden: [], patches: [], added: [] };
    this.rewrite = null;
    this.notes = [];
    this.target = abi.OUT_ANSWER;
    this.answer = [];
    this.wrote = false;
    this.full = false;
    this.kind = 0;
    this.blocks = [];
    this.blockFault = "";
  }

  get isCall() { return this.name === "on_tool_call" || this.name === "on_tool_result"; }

  /** What the hook has done, as the host puts it in force; tooMany says why tools cannot be added. */
  effects(code, trap, tooMany) {
    const done = code === abi.RETURN_DONE && (this.isCall || this.name === "on_initialize");
    const { logged: log, kept } = this;
    const reason = trap || this.failure(code) || (done && this.badAnswer()) || this.badBlocks() || tooMany(this.edits.added);
    if (reason) return { outcome: "fail", reason, kept, log };
    const side = (target) => this.blocks.filter((b) => b.target === target && b.text.length > 0).map((b) => b.text.toString());
    const kind = { whole: (this.kind & abi.OUT_RESULT) !== 0, error: (this.kind & abi.OUT_IS_ERROR) !== 0, stages: (this.kind & abi.OUT_STAGES) !== 0 };
    const answered = done ? { outcome: "done", answer: Buffer.concat(this.answer).toString(), kind } : { outcome: "pass", rewrite: this.rewrite };
    return { ...answered, before: side(abi.OUT_BEFORE), after: side(abi.OUT_AFTER), notes: this.notes, meta: this.meta, kept, log, provisional: this.provisional };
  }

  badAnswer() {
    if (this.full) return `output over ${commas(this.limits.outputBytes)} bytes (set limits.output)`;
    if (!this.wrote && this.isCall) return "returned DONE without output";
    const answer = Buffer.concat(this.answer);
    const why = notText(answer);
    if (why || !(this.kind & abi.OUT_RESULT)) return why;
    const not = notResult(answer);
    return not && `answer is not a tool result: ${not}`;
  }

  badBlocks() {
    return this.blockFault || this.blocks.map((b, i) => notText(b.text, `block ${i + 1}`)).find(Boolean) || "";
  }

  outTo(target) {
    if (target < abi.OUT_ANSWER || target > abi.OUT_AFTER) throw bad(`target ${target} of output, want 0 to 2`);
    if (target !== abi.OUT_ANSWER) this.openBlock(target);
    this.target = target;
    return 0;
  }

  openBlock(target) {
    if (!this.isCall) throw this.unsupported("blocks beside a result");
    if (this.blocks.length === abi.LIMIT_BLOCKS) throw new Refusal(abi.CODE_LIMIT, this.blockFault = "17 blocks, limit 16");
    this.blocks.push({ target, text: Buffer.alloc(0) });
  }

  outKind(flags) {
    if (!this.isCall) throw this.unsupported("kind of an answer");
    if (flags & ~(abi.OUT_RESULT | abi.OUT_IS_ERROR | abi.OUT_STAGES)) throw bad(`flags ${flags} of an answer, want 0 to 7`);
    this.kind = flags;
    return 0;
  }

  outWrite(data) {
    if (this.target !== abi.OUT_ANSWER) return this.writeBlock(data);
    this.wrote = true;
    const size = this.answer.reduce((sum, p) => sum + p.length, 0);
    if (size + data.length > this.limits.outputBytes) {
      this.full = true;
      throw new Refusal(abi.CODE_LIMIT, `output over ${commas(this.limits.outputBytes)} bytes`);
    }
    this.answer.push(Buffer.from(data));
    return 0;
  }

  writeBlock(data) {
    const size = this.blocks.reduce((sum, b) => sum + b.text.length, 0);
    if (size + data.length > abi.LIMIT_BLOCK_BYTES) throw new Refusal(abi.CODE_LIMIT, this.blockFault = `blocks over ${commas(abi.LIMIT_BLOCK_BYTES)} bytes`);
    const last = this.blocks.at(-1);
    last.text = Buffer.concat([last.text, data]);
    return 0;
  }

  outSpan(id, off, n) { return this.outWrite(this.span(id, off, n)); }

  stateGet(key) {
    const value = this.state[key];
    if (value === undefined) throw missing(`no state ${key}`);
    return this.handle(buffer(value));
  }

  stateSet(key, value) {
    if (key.length === 0 || !isText(key)) throw bad("key of a state is empty or not UTF-8");
    if (key.length > abi.LIMIT_STATE_KEY_BYTES) throw new Refusal(abi.CODE_LIMIT, `key of ${key.length} bytes, limit 256`);
    const after = { ...this.state, [key]: isText(value) ? value.toString() : Buffer.from(value) };
    const keys = Object.keys(after).length;
    const size = Object.entries(after).reduce((sum, [k, v]) => sum + Buffer.byteLength(k) + Buffer.byteLength(v), 0);
    if (keys > abi.LIMIT_STATE_KEYS || size > abi.LIMIT_STATE_BYTES) throw new Refusal(abi.CODE_LIMIT, `state of ${commas(keys)} keys and ${commas(size)} bytes, limit 1,000 and 1,048,576`);
    this.state = after;
    return 0;
  }

  stateDel(key) {
    if (this.state[key] === undefined) throw missing(`no state ${key}`);
    delete this.state[key];
    return 0;
  }

  unsupported(what) { return new Refusal(abi.CODE_UNSUPPORTED, `${what} in ${this.name}`); }

  only(what, hook) {
    if (this.name !== hook) throw this.unsupported(what);
  }

  tools() {
    const entry = ({ name, wire, kind, own, hidden, stale, definition }) =>
      `{"name":${JSON.stringify(name)},"wire":${JSON.stringify(wire)},"kind":"${kind}","own":${own},"hidden":${hidden},"stale":${stale},"tool":${definition}}`;
    return this.handle(buffer(`[${allTools(this.session).map(entry).join(",")}]`));
  }

  servers() { return this.handle(buffer(JSON.stringify(servers(this.session)))); }

  /** The label of a tool, one that the hook has just added included. */
  label(tool) {
    const found = findTool(this.session, tool.toString())?.name ?? this.edits.added.find((t) => t.name === tool.toString())?.name;
    if (!found) throw missing(`no tool ${tool}`);
    return found;
  }

  toolHide(tool) {
    this.only("tool_hide", "on_tools_list");
    this.edits.hidden.push(this.label(tool));
    return 0;
  }

  toolPatch(tool, patch) {
    this.only("tool_patch", "on_tools_list");
    const label = this.label(tool);
    if (patch.length > abi.LIMIT_VIRTUAL_TOOL_BYTES) throw new Refusal(abi.CODE_LIMIT, `patch of ${commas(patch.length)} bytes, limit 65,536`);
    const why = unpatchable(patch);
    if (why) throw bad(`patch of ${tool}: ${why}`);
    this.edits.patches.push({ tool: label, patch: patch.toString() });
    return 0;
  }

  toolAdd(definition) {
    this.only("tool_add", "on_tools_list");
    if (definition.length > abi.LIMIT_VIRTUAL_TOOL_BYTES) throw new Refusal(abi.CODE_LIMIT, `virtual tool of ${commas(definition.length)} bytes, limit 65,536`);
    const name = virtualTool(definition);
    const t = findTool(this.session, name);
    if (t?.kind === "host") throw new Refusal(abi.CODE_CONFLICT, `tool ${name} is the host's`);
    if (t?.kind === "virtual" && !t.own) throw new Refusal(abi.CODE_CONFLICT, `tool ${name} is that of another controller`);
    const { added } = this.edits;
    const i = added.findIndex((a) => a.name === name);
    if (i < 0 && added.length === abi.LIMIT_VIRTUAL_TOOLS) throw new Refusal(abi.CODE_LIMIT, "65 virtual tools, limit 64");
    added.splice(i < 0 ? added.length : i, i < 0 ? 0 : 1, { name, wire: name, kind: "virtual", own: true, definition: definition.toString() });
    return 0;
  }

  callRewrite(tool, id, off, n) {
    this.only("call_rewrite", "on_tool_call");
    const args = this.span(id, off, n);
    const t = findTool(this.session, tool.toString());
    if (!t) throw missing(`no tool ${tool}`);
    if (t.kind !== "upstream") throw missing(`tool ${tool} is no server's`);
    const why = notObject(args);
    if (why) throw bad(`arguments: ${why}`);
    this.rewrite = { tool: t.name, arguments: args.toString().trim() };
    return 0;
  }

  notify(method, params) {
    const name = method.toString();
    if (!OPEN_METHODS.includes(name) && !this.session.notifications.includes(name)) throw new Refusal(abi.CODE_DENIED, `manifest does not list notification ${name}`);
    const size = this.notes.reduce((sum, n) => sum + Buffer.byteLength(n.params), params.length);
    if (this.notes.length === abi.LIMIT_NOTIFICATIONS || size > abi.LIMIT_NOTIFICATION_BYTES) throw new Refusal(abi.CODE_LIMIT, "notifications over 16 or 262,144 bytes");
    const why = params.length > 0 && notObject(params);
    if (why) throw bad(`params of ${name}: ${why}`);
    this.notes.push({ method: name, params: params.toString() });
    return 0;
  }

  prompts() { return this.handle(buffer(JSON.stringify(promptList(this.session)))); }

  promptRecords() { return this.handle(buffer(promptRecords(promptList(this.session)))); }

  promptBody(nameBytes, flags) {
    const [{ session }, name] = [this, nameBytes.toString()];
    if (flags & ~abi.PROMPT_STORED) throw bad(`flags ${flags}`);
    if (name in session.system) return this.handle(buffer(session.system[name]));
    const p = session.prompts.find((p) => p.name === name);
    if (!p) throw missing(`no prompt ${name}`);
    if (p.linkStatus === "dead") throw new Refusal(abi.CODE_UNAVAILABLE, `link of prompt ${name} is dead`);
    const body = p.body ?? "";
    if (flags & abi.PROMPT_STORED) return this.handle(buffer(p.stored ?? body));
    if (!session.read.has(name)) session.contents.push({ text: body, source: name, contentType: "prompt" });
    session.read.add(name);
    return this.handle(buffer(body));
  }

  /** It is done at once and stays done if the hook fails. */
  promptPropose(proposal) {
    if (proposal.length > abi.LIMIT_PROPOSAL_BYTES) throw new Refusal(abi.CODE_LIMIT, `proposal of ${commas(proposal.length)} bytes, limit 1,048,576`);
    const why = notObject(proposal);
    if (why) throw bad(`proposal: ${why}`);
    const { name, content, priority = 0 } = JSON.parse(proposal.toString());
    if (!name || !content) throw bad("proposal: name or content missing");
    if (!Number.isInteger(priority) || priority < 0 || priority > 10) throw bad(`proposal: priority ${priority} not in 1..10`);
    const { proposals } = this.session;
    if (proposals.some((p) => p.name === name)) throw new Refusal(abi.CODE_CONFLICT, `prompt ${name} is proposed already`);
    const id = `request-${proposals.length + 1}`;
    proposals.push({ id, name, content, priority });
    return this.handle(buffer(id));
  }

  stored(ref) {
    const c = this.session.stored(ref.toString());
    if (!c) throw missing(`nothing stored under ${ref}`);
    return c;
  }

  contentOpen(ref) { return this.handle(buffer(this.stored(ref).text)); }

  contentMeta(refBytes) {
    const { ref, source, contentType, mime, text } = this.stored(refBytes);
    const bytes = Buffer.from(text);
    const lines = text.split("\n").length - (text === "" || text.endsWith("\n") ? 1 : 0);
    const facts = { ref, source, contentType, mime, bytes: bytes.length, lines, tokens: estimateTokens(bytes), sections: 0, createdMs: 1763719800000 };
    return this.handle(buffer(JSON.stringify(facts)));
  }

  sectionRead(ref, section) {
    const c = this.stored(ref);
    return this.handle(buffer(this.session.section ? this.session.section(c.ref, section.toString()) : c.text));
  }
}

// A hook has no Sections.
for (const method of ["outIndex", "sectionAdd", "sectionsAdd", "sectionTitle", "sectionSummary", "sectionId", "sectionText"]) {
  HookHost.prototype[method] = function () {
    throw this.unsupported("sections");
  };
}

/** Why a definition would not be that of the tool afterwards, or of none. */
function unpatchable(patch) {
  const why = notObject(patch);
  if (why) return why;
  const fields = JSON.parse(patch.toString());
  if ("name" in fields) return "name cannot change";
  return "inputSchema" in fields && kindOf(fields.inputSchema) !== "an object" ? "inputSchema must stay an object" : "";
}

/** The name that a definition has. */
function virtualTool(definition) {
  const why = notObject(definition);
  if (why) throw bad(`virtual tool: ${why}`);
  const fields = JSON.parse(definition.toString());
  const not = demand(fields, "", { name: "a string", inputSchema: "an object" }, { description: "a string" });
  if (not) throw bad(`virtual tool: ${not}`);
  if (!/^[A-Za-z0-9_-]{1,48}$/.test(fields.name)) throw bad(`virtual tool: name ${JSON.stringify(fields.name)}: want [A-Za-z0-9_-]{1,48}`);
  return fields.name;
}
