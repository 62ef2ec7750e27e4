import { createHash } from "node:crypto";
import * as abi from "./zz_abi.js";
import { bad, buffer, Buffers, missing, OWN, view } from "./buffers.js";
import { loneSurrogate, lookup, parse, unquote } from "./json.js";
import { LLM } from "./llm.js";
import { commas, Refusal } from "./refusal.js";
import { cut, firstInvalid, isText } from "./utf8.js";

/** The limits that a call has, as the context tells them. */
export function limits(given, inputBytes) {
  const most = Math.min(abi.LIMIT_OUTPUT_FACTOR * inputBytes + abi.LIMIT_OUTPUT_EXTRA_BYTES, abi.LIMIT_OUTPUT_BYTES);
  return { outputBytes: most, sections: abi.LIMIT_SECTIONS, memoryBytes: abi.LIMIT_MEMORY_BYTES, llmMs: abi.LIMIT_LLM_MILLIS, llmRequests: abi.LIMIT_LLM_REQUESTS, ...given };
}

/** Answers what is the same for a stage and a controller, in one call. */
export class Host extends Buffers {
  constructor(buffers, call, callLimits) {
    super(buffers);
    this.limits = callLimits;
    this.cache = call.cache ?? {};
    this.cacheWay = call.cacheWay ?? "";
    this.kept = {};
    this.requests = new LLM(this, call.llm);
    this.meta = {};
    this.reason = "";
    this.lines = [];
    this.lineBytes = 0;
    this.dropped = 0;
  }

  get provisional() { return this.requests.provisional; }

  /** The buffer of a JSON text and the node that a pointer leads to. */
  value(id, pointerBytes) {
    const b = this.buf(id);
    if (!b.nodes && !b.badAt) {
      try {
        if (!isText(b.bytes)) throw new Error(`not JSON at byte ${firstInvalid(b.bytes)}`);
        b.nodes = parse(b.bytes);
      } catch (e) {
        b.badAt = e.message;
      }
    }
    if (b.badAt) throw bad(b.badAt);
    const pointer = pointerBytes.toString();
    if (pointer !== "" && pointer[0] !== "/") throw bad("JSON pointer does not begin with /");
    const at = lookup(b.bytes, b.nodes, pointer);
    if (at < 0) throw missing(`nothing at ${pointer}`);
    return [b, at];
  }

  node(id, pointer) {
    const [b, at] = this.value(id, pointer);
    return b.nodes[at];
  }

  jsonKind(id, pointer) { return this.node(id, pointer).kind; }

  jsonGet(id, pointer) {
    const [b, at] = this.value(id, pointer);
    const n = b.nodes[at];
    return n.kind === abi.JSON_STRING ? this.decoded(b, n.start, n.end) : this.handle(view(b, n.start, n.end));
  }

  jsonSpan(id, pointer, out) {
    const n = this.node(id, pointer);
    out.writeUInt32LE(n.start, 0);
    out.writeUInt32LE(n.end, 4);
    return n.kind;
  }

  jsonText(id, start, end) {
    const bytes = this.span(id, start, end - start);
    let nodes = [];
    try {
      nodes = parse(bytes);
    } catch {
      // it is no literal
    }
    if (nodes.length !== 1 || nodes[0].kind !== abi.JSON_STRING || nodes[0].end - nodes[0].start !== bytes.length) throw bad(`no string literal at ${start} to ${end}`);
    return this.decoded(this.buf(id), start, end);
  }

  /** A buffer of the string literal at a span of b. */
  decoded(b, start, end) {
    const text = unquote(b.bytes, start, end);
    if (loneSurrogate(text)) throw bad(`string at ${start} holds a lone surrogate`);
    const literal = { start: b.from.off + start, end: b.from.off + end };
    return this.handle(buffer(text, b.from.kind === abi.SECTION_EXACT ? { kind: abi.SECTION_DECODED, off: 0, input: false, literal } : OWN));
  }

  jsonEach(id, pointer, from, out) {
    const [b, of] = this.value(id, pointer);
    const parent = b.nodes[of];
    if (parent.kind < abi.JSON_ARRAY || from < 0) throw bad(`no array or object, or position ${from}`);
    let [i, written] = [0, 0];
    for (let at = of + 1; at < parent.next && written + abi.CHILD_RECORD_SIZE <= out.length; at = b.nodes[at].next, i++) {
      if (i < from) continue;
      const n = b.nodes[at];
      for (const v of [n.keyStart, n.keyEnd, n.start, n.end]) {
        out.writeUInt32LE(v, written);
        written += 4;
      }
    }
    return parent.children;
  }

  jsonI64(id, pointer, out) {
    const text = this.scalar(id, pointer);
    const v = /^-?\d+$/.test(text) ? BigInt(text) : null;
    if (v === null || v !== BigInt.asIntN(64, v)) throw bad(`${text} is no integer of 64 bits`);
    out.writeBigInt64LE(v);
    return 0;
  }

  jsonF64(id, pointer, out) {
    const text = this.scalar(id, pointer);
    if (!Number.isFinite(Number(text))) throw bad(`${text} is no number in range`);
    out.writeDoubleLE(Number(text));
    return 0;
  }

  /** The text of a number, "0" or "1" of a bool. */
  scalar(id, pointer) {
    const [b, at] = this.value(id, pointer);
    const n = b.nodes[at];
    const text = b.bytes.toString("utf8", n.start, n.end);
    if (n.kind === abi.JSON_BOOL) return text === "true" ? "1" : "0";
    if (n.kind !== abi.JSON_NUMBER) throw bad(`${pointer} is no number`);
    return text;
  }

  metaSet(key, value) {
    if (key.length === 0 || !isText(key) || !isText(value)) throw bad("metadata key is empty, or text is not UTF-8");
    const after = { ...this.meta, [key]: value.toString() };
    const size = Object.entries(after).reduce((sum, [k, v]) => sum + Buffer.byteLength(k) + Buffer.byteLength(v), 0);
    if (Object.keys(after).length > abi.LIMIT_META_KEYS || size > abi.LIMIT_META_BYTES) throw new Refusal(abi.CODE_LIMIT, "metadata over 64 keys or 16 KiB");
    this.meta = after;
    return 0;
  }

  cacheGet(key) {
    if (this.cacheWay === "off") throw new Refusal(abi.CODE_UNAVAILABLE, "no cache configured");
    const value = this.cache[cacheKey(key)];
    if (value === undefined) throw missing(`nothing cached under ${key}`);
    return this.handle(buffer(value));
  }

  cacheSet(key, value) {
    if (value.length > abi.LIMIT_CACHE_VALUE_BYTES) throw new Refusal(abi.CODE_LIMIT, `value of ${commas(value.length)} bytes, limit 4 MiB`);
    if (this.cacheWay === "off") throw new Refusal(abi.CODE_UNAVAILABLE, "no cache configured");
    if (this.cacheWay === "full") throw new Refusal(abi.CODE_LIMIT, `limit reached: cache values of the module are over ${abi.LIMIT_CACHE_MODULE_BYTES} bytes (set limits.cache)`);
    const kept = isText(value) ? value.toString() : Buffer.from(value);
    this.cache[cacheKey(key)] = this.kept[cacheKey(key)] = kept;
    return 0;
  }

  log(level, line) {
    const name = ["debug", "info", "warn", "error"][level];
    if (!name) throw bad(`log level ${level}`);
    const text = line.length > abi.LIMIT_LOG_LINE_BYTES ? cut(line, abi.LIMIT_LOG_LINE_BYTES).toString() + "..." : line.toString();
    if (this.lines.length === abi.LIMIT_LOG_LINES || this.lineBytes + text.length > abi.LIMIT_LOG_BYTES) {
      this.dropped++;
      throw new Refusal(abi.CODE_LIMIT, "log over 1,000 lines or 256 KiB");
    }
    this.lineBytes += text.length;
    this.lines.push({ level: name, text });
    return 0;
  }

  /** The log, with a last line that says how many are missing. */
  get logged() {
    return this.dropped ? [...this.lines, { level: "warn", text: `dropped ${commas(this.dropped)} lines` }] : this.lines;
  }

  fail(reason) {
    this.reason = reason.toString();
    return 0;
  }

  /** Why a call that returned code failed, as far as the code says it; empty if it did not. */
  failure(code) {
    if (code === abi.RETURN_DONE || code === abi.RETURN_PASS) return "";
    if (code !== abi.RETURN_FAIL) return `returned ${code}, want 0, 1 or 2`;
    return this.reason || "failed without a reason";
  }

  llmAvailable(tier) { return this.requests.available(tier); }
  llmBegin(tier, maxTokens, flags) { return this.requests.begin(tier, maxTokens, flags); }
  llmSystem(req, text) { return this.requests.system(req, text); }
  llmText(req, text) { return this.requests.text(req, text); }
  llmSpan(req, id, off, n) { return this.requests.quote(req, this.span(id, off, n)); }
  llmSend(req) { return this.requests.send(req); }
  llmWait(req) { return this.requests.wait(req); }
  llmStatus(req) { return this.requests.status(req); }
  llmResult(req) { return this.handle(buffer(this.requests.result(req))); }
}

/** Why output cannot stand, empty if it can. */
export function notText(bytes, what = "output") {
  const at = firstInvalid(bytes);
  return at < 0 ? "" : `${what} is not UTF-8 at byte ${at}`;
}

function cacheKey(key) {
  return key.length <= abi.LIMIT_CACHE_KEY_BYTES ? key.toString() : "sha256:" + createHash("sha256").update(key).digest("hex");
}
