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
 * The API of a hook. It is valid during the call only.
 *
 * Effects apply once the hook has returned DONE or PASS. After a failure all of them are
 * dropped, except log, cache, proposed prompts and LLM requests. Methods return 0 or a
 * negative refusal, or null with lastCode().
 */
@unmanaged
export class Ctx extends Base {
  /** The client's call in the two call hooks: {"name":...,"arguments":{...}}. */
  get client(): Buf { return bufOf(raw.BUF_CALL); }
  /** The answer; in initialize, the instructions. */
  get answer(): Out { return answer(); }
  /** The values of this session. */
  get state(): State { return changetype<State>(1); }

  /** The current hook, such as "on_initialize". */
  get hook(): string { return contextText("/hook"); }
  /** Whether the project is gated, which is the default. */
  get gated(): bool { return contextInt("/gated") != 0; }
  /** The time of the request in Unix milliseconds. It is an input and does not change during the hook. */
  get timeMillis(): i64 { return this.context.json.int("/timeMs"); }
  /** The MCP version of the session. */
  get protocol(): string { return contextText("/protocol"); }
  /** The position among the controllers of the project, and the number of controllers. */
  get controllerIndex(): i32 { return contextInt("/controller/index"); }
  get controllerCount(): i32 { return contextInt("/controller/count"); }

  /** The properties of the client. */
  get clientInfo(): ClientInfo { return changetype<ClientInfo>(1); }
  /** The label server/tool of the call, or the name of a virtual tool. It is empty outside the call hooks. */
  get tool(): string { return contextText("/call/tool"); }
  /** The properties of the call, in the two call hooks. */
  get called(): CallInfo { return changetype<CallInfo>(1); }
  /** The properties of the answer, in toolResult. */
  get result(): ResultInfo { return changetype<ResultInfo>(1); }

  /** Opens a new text block before the result. Opening another block or writing the answer closes it. null with UNSUPPORTED outside the call hooks, LIMIT beyond 16. */
  before(): Out | null { return open(raw.OUT_BEFORE); }
  /** Opens a new text block after the result; see before. */
  after(): Out | null { return open(raw.OUT_AFTER); }

  /** Sets the kind of the answer (WHOLE_RESULT | IS_ERROR | STAGES). The default is text that is not sent through the stages. UNSUPPORTED outside the call hooks. */
  answerIs(kind: i32): i32 { return check(raw.outKind(kind)); }

  /** Answers the call with an error of the tool, which the model reads: `return c.refuse("tags is missing")`. */
  refuse(text: string): i32 {
    const code = this.answerIs(IS_ERROR);
    return code < 0 ? code : this.answer.write(text);
  }

  /** Iterates over all tools of the project, including hidden and virtual ones. */
  tools(): Tools { return new Tools(raw.tools()); }
  /** Iterates over the project's servers. */
  servers(): Servers { return new Servers(raw.servers()); }
  /** Iterates over the visible prompts by descending priority and then by name. System prompts are not included. */
  prompts(): Prompts { return new Prompts(raw.promptRecords()); }

  /** Hides a tool, given by label or wire name, from the list. It can still be called. In toolsList only. NOT_FOUND. */
  hideTool(name: string): i32 {
    const n = utf8(name);
    return check(raw.toolHide(n.ptr, n.length));
  }

  /** Applies a JSON merge patch (RFC 7396) such as {"outputSchema":null} to the definition of a tool. In toolsList only. NOT_FOUND; BAD_ARG if the patch changes the name or makes inputSchema something other than an object. */
  patchTool(name: string, patch: string): i32 {
    const n = utf8(name);
    const p = utf8(patch);
    return check(raw.toolPatch(n.ptr, n.length, p.ptr, p.length));
  }

  /**
   * Adds a virtual tool with a definition in JSON, at least {"name":"...","inputSchema":{...}}.
   * Its calls arrive at toolCall. In toolsList only. Limits: 64 tools of 64 KiB; a name is 1 to
   * 48 letters, digits, _ and -. CONFLICT if another controller or the host uses the name,
   * BAD_ARG, LIMIT.
   */
  addTool(definition: string): i32 {
    const d = utf8(definition);
    return check(raw.toolAdd(d.ptr, d.length));
  }

  /** Routes the call to another tool, given by label or wire name, with n bytes of b as arguments. It takes effect with PASS. In toolCall only. NOT_FOUND for an unknown or virtual tool, BAD_ARG if the span is not a JSON object or has a duplicate key. */
  rewrite(tool: string, b: Buf, off: i32 = 0, n: i32 = -1): i32 {
    const t = utf8(tool);
    return check(raw.callRewrite(t.ptr, t.length, idOf(b), off, n));
  }

  /** Queues a notification, which is sent before the answer. The params are a JSON object, or empty. At most 16 in a hook. DENIED if the manifest does not list the method, which is not needed for notifications/message and the three list_changed; BAD_ARG, LIMIT. */
  notify(method: string, params: string = ""): i32 {
    const m = utf8(method);
    const p = utf8(params);
    return check(raw.notify(m.ptr, m.length, p.ptr, p.length));
  }

  /** Notifies the client that the list of tools changed. The host delays the answer of this call until the client has read the list. */
  toolsChanged(): i32 { return this.notify("notifications/tools/list_changed"); }

  /** Returns the text of a prompt as a client reads it, after the project's stages. The name of a system prompt is mcpctl-system/NAME. null with NOT_FOUND, or UNAVAILABLE for a dead link. */
  promptBody(name: string): Buf | null {
    const n = utf8(name);
    return handle(raw.promptBody(n.ptr, n.length, 0));
  }

  /** Returns the text of a prompt after the project's filters, but without its stages; see promptBody. */
  promptStored(name: string): Buf | null {
    const n = utf8(name);
    return handle(raw.promptBody(n.ptr, n.length, raw.PROMPT_STORED));
  }

  /** Proposes a prompt, {"name","content","priority"} in JSON, for review by a person. Returns the id of the request, or null with BAD_ARG, CONFLICT, LIMIT. */
  proposePrompt(proposal: string): string | null {
    const p = utf8(proposal);
    const h = check(raw.promptPropose(p.ptr, p.length));
    return h < 0 ? null : take(h);
  }

  /** Returns the exact bytes that are stored under a ref of this project and subject; null with NOT_FOUND. */
  openContent(ref: string): Buf | null {
    const r = utf8(ref);
    return handle(raw.contentOpen(r.ptr, r.length));
  }

  /** Returns the properties of stored bytes as a JSON object: ref, source, contentType, mime, bytes, lines, tokens, sections, createdMs; null with NOT_FOUND. */
  contentMeta(ref: string): Buf | null {
    const r = utf8(ref);
    return handle(raw.contentMeta(r.ptr, r.length));
  }

  /** Returns the text that read_section would return to the client, including searches; null with NOT_FOUND for an unknown ref. For an unknown section the text is a message. */
  section(ref: string, section: string): Buf | null {
    const r = utf8(ref);
    const s = utf8(section);
    return handle(raw.sectionRead(r.ptr, r.length, s.ptr, s.length));
  }
}

/** The properties of the client. */
@unmanaged
export class ClientInfo {
  get name(): string { return contextText("/client/name"); }
  get version(): string { return contextText("/client/version"); }
  /** It reads the list of tools again after a notification of a change. */
  get listChanged(): bool { return contextInt("/client/listChanged") != 0; }
  /** If a result has structuredContent, it shows nothing else. */
  get structuredOnly(): bool { return contextInt("/client/structuredOnly") != 0; }
  /** The characters left for this controller's instructions. */
  get instructionsChars(): i32 { return contextInt("/client/instructionsChars"); }
}

/** The properties of the call in the two call hooks. */
@unmanaged
export class CallInfo {
  /** The id of the call, which is the same in its two hooks. */
  get id(): string { return contextText("/call/id"); }
  /** The label, or the name of a virtual tool. */
  get tool(): string { return contextText("/call/tool"); }
  /** The name that the client uses. */
  get wire(): string { return contextText("/call/wire"); }
  get virtual(): bool { return contextInt("/call/virtual") != 0; }
  /** An earlier controller rewrote the call. */
  get rewritten(): bool { return contextInt("/call/rewritten") != 0; }
  /** The session has listed its tools. */
  get listed(): bool { return contextInt("/call/listed") != 0; }
  /** The definition declares the tool as read-only. */
  get readOnly(): bool { return contextInt("/call/readOnly") != 0; }
}

/** The properties of the answer in toolResult. */
@unmanaged
export class ResultInfo {
  get isError(): bool { return contextInt("/result/isError") != 0; }
  /** It is a JSON-RPC error: the input is {"error":{...}}. */
  get protocolError(): bool { return contextInt("/result/protocolError") != 0; }
  /** The server. */
  get answeredBy(): string { return contextText("/result/answeredBy"); }
  get bytes(): i32 { return contextInt("/result/bytes"); }
  /** The stored parts. */
  get contents(): Contents { return new Contents(raw.BUF_CONTEXT, "/result/contents"); }
}

/** Iterates over stored parts; the fields are those of the current one. */
export class Contents extends Elements {
  /** For Ctx.openContent and Ctx.section. */
  get ref(): string { return this.text("/ref"); }
  /** "text" or "structured". */
  get kind(): string { return this.text("/kind"); }
  get index(): i32 { return this.int("/index"); }
  get bytes(): i32 { return this.int("/bytes"); }
  get mime(): string { return this.text("/mime"); }
}
