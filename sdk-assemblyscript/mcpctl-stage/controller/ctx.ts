import * as raw from "../raw/zz_raw";
import { Base, contextInt, contextText } from "../assembly/base";
import { Buf, bufOf, handle, idOf } from "../assembly/buf";
import { check, take } from "../assembly/call";
import { utf8 } from "../assembly/text";
import { answer, IS_ERROR, open, Out } from "./out";
import { Elements } from "./elements";
import { Prompts } from "./prompts";
import { Servers, State, Tools } from "./session";

/**
 * All that a hook can see and do. It is valid during the call only.
 *
 * Nothing that it does is in force before the hook has returned DONE or PASS: a failure
 * takes all of it back, but log, cache, proposed prompts and LLM requests. Methods return 0
 * or a refusal below zero, or null with lastCode().
 */
@unmanaged
export class Ctx extends Base {
  /** In the two call hooks what the client called: {"name":...,"arguments":{...}}. */
  get client(): Buf { return bufOf(raw.BUF_CALL); }
  /** The answer, or of initialize the instructions. */
  get answer(): Out { return answer(); }
  /** What is kept for this session. */
  get state(): State { return changetype<State>(1); }

  /** The hook that runs: "on_initialize" and the others. */
  get hook(): string { return contextText("/hook"); }
  /** Whether the project is gated; one that does not say is. */
  get gated(): bool { return contextInt("/gated") != 0; }
  /** The time of the request, Unix. It is an input, fixed for the hook. */
  get timeMillis(): i64 { return this.context.json.int("/timeMs"); }
  /** The version of MCP that the session speaks. */
  get protocol(): string { return contextText("/protocol"); }
  /** Position among the controllers of the project, and how many there are. */
  get controllerIndex(): i32 { return contextInt("/controller/index"); }
  get controllerCount(): i32 { return contextInt("/controller/count"); }

  /** Who asks. */
  get clientInfo(): ClientInfo { return changetype<ClientInfo>(1); }
  /** Label server/tool of the call, or the name of a virtual tool; empty out of the call hooks. */
  get tool(): string { return contextText("/call/tool"); }
  /** What was called, in the two call hooks. */
  get called(): CallInfo { return changetype<CallInfo>(1); }
  /** What was answered, in toolResult. */
  get result(): ResultInfo { return changetype<ResultInfo>(1); }

  /** Opens a new text block before the result. It is closed once another one is opened or the answer is written. null with UNSUPPORTED out of the call hooks, LIMIT beyond 16. */
  before(): Out | null { return open(raw.OUT_BEFORE); }
  /** Opens a new text block after the result; see before. */
  after(): Out | null { return open(raw.OUT_AFTER); }

  /** Says what the answer is (WHOLE_RESULT | IS_ERROR | STAGES); without it, text that no stage sees. UNSUPPORTED out of the call hooks. */
  answerIs(kind: i32): i32 { return check(raw.outKind(kind)); }

  /** Makes the answer of a call an error of the tool, for the model to read: `return c.refuse("tags is missing")`. */
  refuse(text: string): i32 {
    const code = this.answerIs(IS_ERROR);
    return code < 0 ? code : this.answer.write(text);
  }

  /** Goes through all tools that the project has, hidden and virtual ones included. */
  tools(): Tools { return new Tools(raw.tools()); }
  /** Goes through the project's servers. */
  servers(): Servers { return new Servers(raw.servers()); }
  /** Goes through the visible prompts, the most important first, those of one priority by name. System prompts are not among them. */
  prompts(): Prompts { return new Prompts(raw.promptRecords()); }

  /** Takes a tool, by label or wire name, out of the list; it can still be called. In toolsList only. NOT_FOUND. */
  hideTool(name: string): i32 {
    const n = utf8(name);
    return check(raw.toolHide(n.ptr, n.length));
  }

  /** Changes a tool's definition by a JSON merge patch (RFC 7396) such as {"outputSchema":null}. In toolsList only. NOT_FOUND; BAD_ARG if the name would change or inputSchema be no object. */
  patchTool(name: string, patch: string): i32 {
    const n = utf8(name);
    const p = utf8(patch);
    return check(raw.toolPatch(n.ptr, n.length, p.ptr, p.length));
  }

  /**
   * Adds a virtual tool from its definition in JSON, at least {"name":"...","inputSchema":{...}}.
   * A call of it comes to toolCall. In toolsList only. Limits: 64 tools of 64 KiB; a name is 1
   * to 48 letters, digits, _ and -. CONFLICT if another controller or the host has the name,
   * BAD_ARG, LIMIT.
   */
  addTool(definition: string): i32 {
    const d = utf8(definition);
    return check(raw.toolAdd(d.ptr, d.length));
  }

  /** Routes the call to another tool, by label or wire name, with n bytes of b as arguments; takes effect with PASS. In toolCall only. NOT_FOUND for an unknown or virtual tool, BAD_ARG if the span is no JSON object or has a key twice. */
  rewrite(tool: string, b: Buf, off: i32 = 0, n: i32 = -1): i32 {
    const t = utf8(tool);
    return check(raw.callRewrite(t.ptr, t.length, idOf(b), off, n));
  }

  /** Queues a notification that goes out before the answer; params are a JSON object, or empty. 16 in a hook. DENIED for a method other than the three list_changed and notifications/message that the manifest does not list; BAD_ARG, LIMIT. */
  notify(method: string, params: string = ""): i32 {
    const m = utf8(method);
    const p = utf8(params);
    return check(raw.notify(m.ptr, m.length, p.ptr, p.length));
  }

  /** Tells the client to read the list of tools again. The host holds the answer of this call until it has. */
  toolsChanged(): i32 { return this.notify("notifications/tools/list_changed"); }

  /** The text of a prompt as a client reads it: after the project's stages. A system prompt is named mcpctl-system/NAME. null with NOT_FOUND, or UNAVAILABLE for a link that is dead. */
  promptBody(name: string): Buf | null {
    const n = utf8(name);
    return handle(raw.promptBody(n.ptr, n.length, 0));
  }

  /** The text of a prompt without the project's stages, filters excepted; see promptBody. */
  promptStored(name: string): Buf | null {
    const n = utf8(name);
    return handle(raw.promptBody(n.ptr, n.length, raw.PROMPT_STORED));
  }

  /** Takes a prompt, {"name","content","priority"} in JSON, for review by a person: the id of the request, or null with BAD_ARG, CONFLICT, LIMIT. */
  proposePrompt(proposal: string): string | null {
    const p = utf8(proposal);
    const h = check(raw.promptPropose(p.ptr, p.length));
    return h < 0 ? null : take(h);
  }

  /** The exact bytes stored under a ref of this project and subject; null with NOT_FOUND. */
  openContent(ref: string): Buf | null {
    const r = utf8(ref);
    return handle(raw.contentOpen(r.ptr, r.length));
  }

  /** Facts about stored bytes as a JSON object: ref, source, contentType, mime, bytes, lines, tokens, sections, createdMs; null with NOT_FOUND. */
  contentMeta(ref: string): Buf | null {
    const r = utf8(ref);
    return handle(raw.contentMeta(r.ptr, r.length));
  }

  /** What the client's read_section would get, search included; null with NOT_FOUND for an unknown ref. A section that is not there is answered in words. */
  section(ref: string, section: string): Buf | null {
    const r = utf8(ref);
    const s = utf8(section);
    return handle(raw.sectionRead(r.ptr, r.length, s.ptr, s.length));
  }
}

/** What is known of the client. */
@unmanaged
export class ClientInfo {
  get name(): string { return contextText("/client/name"); }
  get version(): string { return contextText("/client/version"); }
  /** It reads the list of tools anew when it has changed. */
  get listChanged(): bool { return contextInt("/client/listChanged") != 0; }
  /** Where there is structuredContent, it shows nothing else. */
  get structuredOnly(): bool { return contextInt("/client/structuredOnly") != 0; }
  /** Left of its limit for this controller's instructions. */
  get instructionsChars(): i32 { return contextInt("/client/instructionsChars"); }
}

/** What is known of the call in the two call hooks. */
@unmanaged
export class CallInfo {
  /** The same in the two hooks of a call, another one for each call. */
  get id(): string { return contextText("/call/id"); }
  /** Label, or name of a virtual tool. */
  get tool(): string { return contextText("/call/tool"); }
  /** As the client calls it. */
  get wire(): string { return contextText("/call/wire"); }
  get virtual(): bool { return contextInt("/call/virtual") != 0; }
  /** By a controller before. */
  get rewritten(): bool { return contextInt("/call/rewritten") != 0; }
  /** The session has listed its tools. */
  get listed(): bool { return contextInt("/call/listed") != 0; }
  /** The tool says that it only reads. */
  get readOnly(): bool { return contextInt("/call/readOnly") != 0; }
}

/** What is known of the answer in toolResult. */
@unmanaged
export class ResultInfo {
  get isError(): bool { return contextInt("/result/isError") != 0; }
  /** A JSON-RPC error: input is {"error":{...}}. */
  get protocolError(): bool { return contextInt("/result/protocolError") != 0; }
  /** The server. */
  get answeredBy(): string { return contextText("/result/answeredBy"); }
  get bytes(): i32 { return contextInt("/result/bytes"); }
  /** Its parts, as they were stored. */
  get contents(): Contents { return new Contents(raw.BUF_CONTEXT, "/result/contents"); }
}

/** Goes through stored parts; the fields are those of the current one. */
export class Contents extends Elements {
  /** For Ctx.openContent and Ctx.section. */
  get ref(): string { return this.text("/ref"); }
  /** "text" or "structured". */
  get kind(): string { return this.text("/kind"); }
  get index(): i32 { return this.int("/index"); }
  get bytes(): i32 { return this.int("/bytes"); }
  get mime(): string { return this.text("/mime"); }
}
