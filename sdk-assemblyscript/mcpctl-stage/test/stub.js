import { createHash } from "node:crypto";
import { isUtf8 } from "node:buffer";
import { Refusal } from "./guest.js";
import { find } from "./json.js";
import * as abi from "./zz_abi.js";

const LEVELS = ["debug", "info", "warn", "error"];
const FIELDS = { [abi.SECTION_TEXT_ID]: "id", [abi.SECTION_TEXT_TITLE]: "title", [abi.SECTION_TEXT_SUMMARY]: "summary", [abi.SECTION_TEXT_BODY]: "body" };

/** Answers the imports from memory and records the effects of one call. */
export class Stub {
  constructor(role, given = {}) {
    const { input = "", original = input, config = {}, context, source = "", arguments: args, client, tools = [], sections = [], cache = {}, state = {} } = given;
    const exact = Buffer.from(input).equals(Buffer.from(original));
    const fields = { role, project: "test", contentType: "toolResult", part: { kind: "text", index: 0, count: 1 }, stage: { index: 0, count: 1 }, ...context };
    this.buffers = new Map([
      [abi.BUF_INPUT, buffer(input, exact ? abi.SECTION_EXACT : abi.SECTION_DERIVED)],
      [abi.BUF_ORIGINAL, buffer(original, abi.SECTION_EXACT)],
      [abi.BUF_CONFIG, buffer(JSON.stringify(config))],
      [abi.BUF_CONTEXT, buffer(JSON.stringify(fields))],
      [abi.BUF_NAME, buffer(source)],
      [abi.BUF_SESSION, buffer("session")],
      [abi.BUF_ARGUMENTS, buffer(args ? JSON.stringify(args) : "")],
      [abi.BUF_CALL, buffer(client ? JSON.stringify(client) : "")],
    ]);
    this.handles = 0;
    this.toolList = JSON.stringify(tools);
    this.sections = structuredClone(sections);
    [this.cache, this.state] = [{ ...cache }, { ...state }];
    [this.output, this.blocks, this.indexes, this.effects, this.log_] = [[], [], [], [], []];
    this.meta = {};
    [this.reason, this.refusal, this.missing] = ["", "", undefined];
    [this.target, this.kind] = [abi.OUT_ANSWER, 0];
  }

  report(code, trap) {
    const output = Buffer.concat(this.output);
    let reason = trap;
    if (!reason && code === abi.RETURN_DONE && !isUtf8(output)) reason = "output is not UTF-8";
    if (!reason && code !== abi.RETURN_DONE && code !== abi.RETURN_PASS) reason = this.reason || "failed without a reason";
    const outcome = reason ? "fail" : code === abi.RETURN_DONE ? "done" : "pass";
    const side = (target) => this.blocks.filter((b) => b.target === target).map((b) => Buffer.concat(b.parts).toString());
    const { kind, indexes, effects, sections, meta, cache, state } = this;
    const written = outcome === "done" ? { output, indexes } : { output: Buffer.alloc(0), indexes: [] };
    return {
      outcome, reason, ...written, kind, wrote: this.output.length > 0, before: side(abi.OUT_BEFORE), after: side(abi.OUT_AFTER), effects, sections, meta, log: this.log_, cache, state,
    };
  }

  buffer(id) {
    if (id === abi.BUF_SECTIONS) return buffer(this.sectionRecords());
    const found = this.buffers.get(id);
    if (!found) throw new Refusal(abi.CODE_BAD_ARG, `no buffer ${id}`);
    return found;
  }

  /** Returns a span of a buffer; a length of -1 means to the end. */
  span(id, offset, length) {
    const { bytes, kind, offset: start } = this.buffer(id);
    const end = length === -1 ? bytes.length : offset + length;
    if (offset < 0 || end < offset || end > bytes.length) throw new Refusal(abi.CODE_BAD_ARG, `span ${offset}, length ${length} of a buffer of ${bytes.length}`);
    return buffer(bytes.subarray(offset, end), kind, start + offset);
  }

  handle(kept) {
    const id = abi.FIRST_HANDLE + this.handles++;
    this.buffers.set(id, kept);
    return id;
  }

  keep(value) {
    if (value === undefined) throw new Refusal(abi.CODE_NOT_FOUND);
    return this.handle(buffer(value));
  }

  bufLen(id) { return this.buffer(id).bytes.length; }
  bufRead(id, offset, out) { return this.span(id, offset, -1).bytes.copy(out); }
  bufPut(bytes) { return this.keep(bytes); }
  bufView(id, offset, length) { return this.handle(this.span(id, offset, length)); }
  bufFree(id) { return this.buffers.delete(id) ? 0 : abi.CODE_BAD_ARG; }
  bufTokens(id, offset, length) { return Math.ceil(this.span(id, offset, length).bytes.length / 4); }
  bufHash(id, offset, length, out) { return createHash("sha256").update(this.span(id, offset, length).bytes).digest().copy(out); }

  bufFind(id, offset, needle) {
    const at = this.span(id, offset, -1).bytes.indexOf(needle);
    if (at < 0) throw new Refusal(abi.CODE_NOT_FOUND);
    return offset + at;
  }

  bufLines(id, offset, out) {
    const { bytes } = this.span(id, offset, -1);
    const starts = [];
    for (let at = 0; at < bytes.length && 4 * starts.length < out.length; at = lineEnd(bytes, at)) starts.push([offset + at]);
    return putRecords(out, starts);
  }

  bufGrep(id, offset, pattern, flags, out) {
    const text = this.span(id, offset, -1).bytes.toString();
    const literal = flags & abi.GREP_LITERAL;
    const source = literal ? pattern.toString().replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&") : pattern.toString();
    const modes = "g" + (literal ? "" : "u") + (flags & abi.GREP_IGNORE_CASE ? "i" : "") + (flags & abi.GREP_LINES ? "m" : "") + (flags & abi.GREP_DOT_ALL ? "s" : "");
    const byteAt = (at) => offset + Buffer.byteLength(text.slice(0, at));
    const records = [];
    for (const m of text.matchAll(expression(source, modes))) {
      if (8 * records.length >= out.length) break;
      records.push([byteAt(m.index), byteAt(m.index + m[0].length)]);
    }
    return putRecords(out, records);
  }

  json(id, pointer) { return find(this.buffer(id).bytes, pointer.toString()); }
  jsonKind(id, pointer) { return this.json(id, pointer).kind; }

  jsonGet(id, pointer) {
    const { kind, start, end } = this.json(id, pointer);
    return kind === abi.JSON_STRING ? this.jsonText(id, start, end) : this.bufView(id, start, end - start);
  }

  jsonText(id, start, end) {
    const { bytes, kind } = this.span(id, start, end - start);
    return this.handle(buffer(JSON.parse(bytes), kind === abi.SECTION_EXACT ? abi.SECTION_DECODED : abi.SECTION_DERIVED));
  }

  jsonSpan(id, pointer, out) {
    const { kind, start, end } = this.json(id, pointer);
    putRecords(out, [[start, end]]);
    return kind;
  }

  jsonEach(id, pointer, from, out) {
    const { kind, children } = this.json(id, pointer);
    if (kind < abi.JSON_ARRAY) throw new Refusal(abi.CODE_BAD_ARG, "not an array or object");
    putRecords(out, children.slice(from));
    return children.length;
  }

  jsonI64(id, pointer, out) {
    const number = this.number(id, pointer);
    if (!/^-?\d+$/.test(number)) throw new Refusal(abi.CODE_BAD_ARG, `${number} is not an integer`);
    out.writeBigInt64LE(BigInt.asIntN(64, BigInt(number)));
    return 0;
  }

  jsonF64(id, pointer, out) {
    out.writeDoubleLE(Number(this.number(id, pointer)));
    return 0;
  }

  /** Returns the text of a number, or 0 or 1 for a bool. */
  number(id, pointer) {
    const { kind, start, end } = this.json(id, pointer);
    const text = this.span(id, start, end - start).bytes.toString();
    if (kind === abi.JSON_BOOL) return text === "true" ? "1" : "0";
    if (kind !== abi.JSON_NUMBER) throw new Refusal(abi.CODE_BAD_ARG, `${text} is not a number`);
    return text;
  }

  outWrite(bytes) {
    const parts = this.target === abi.OUT_ANSWER ? this.output : this.blocks.at(-1).parts;
    parts.push(Buffer.from(bytes));
    return 0;
  }

  outSpan(id, offset, length) { return this.outWrite(this.span(id, offset, length).bytes); }

  outIndex(section) {
    if (section >= this.sections.length) throw new Refusal(abi.CODE_NOT_FOUND);
    this.indexes.push(Buffer.concat(this.output).length);
    return this.outWrite("");
  }

  sectionAdd(parent, id, start, end, title) {
    if (parent < -1 || parent >= this.sections.length) throw new Refusal(abi.CODE_BAD_ARG, `no section ${parent}`);
    const section = { parent, kind: abi.SECTION_GROUP, start: 0, end: 0, id: "", title: title.toString(), summary: "", body: "" };
    if (id !== abi.BUF_NONE) {
      const { bytes, kind, offset } = this.span(id, start, end - start);
      if (bytes.length === 0 || !isUtf8(bytes)) throw new Refusal(abi.CODE_BAD_ARG, `span ${start} to ${end} is not text`);
      const place = kind === abi.SECTION_DERIVED ? {} : { start: offset, end: offset + bytes.length };
      Object.assign(section, { kind, body: bytes.toString() }, place);
    }
    return this.sections.push(section) - 1;
  }

  sectionsAdd(id, records, texts) {
    const first = this.sections.length;
    try {
      for (let r = 0, at = 0; r < records.length; r += abi.ADDITION_RECORD_SIZE) {
        const [parent, start, end, idBytes, titleBytes] = [0, 4, 8, 12, 16].map((k) => records.readInt32LE(r + k));
        const title = texts.subarray(at + idBytes, at + idBytes + titleBytes);
        const added = this.sectionAdd(parent, end === 0 ? abi.BUF_NONE : id, start, end, title);
        this.sections[added].id = texts.toString("utf8", at, at + idBytes);
        at += idBytes + titleBytes;
      }
    } catch (e) {
      this.sections.length = first;
      throw e;
    }
    return first;
  }

  setSection(i, field, value) {
    if (!this.sections[i]) throw new Refusal(abi.CODE_NOT_FOUND);
    this.sections[i][field] = value.toString();
    return 0;
  }

  sectionTitle(i, id, offset, length) { return this.setSection(i, "title", this.span(id, offset, length).bytes); }
  sectionSummary(i, id, offset, length) { return this.setSection(i, "summary", this.span(id, offset, length).bytes); }
  sectionId(i, id) { return this.setSection(i, "id", id); }
  sectionText(i, field) { return this.keep(this.sections[i]?.[FIELDS[field]]); }

  sectionRecords() {
    const depth = (s) => (s.parent < 0 ? 0 : 1 + depth(this.sections[s.parent]));
    const records = this.sections.map((s, i) => {
      const children = this.sections.filter((c) => c.parent === i).length;
      return [s.parent, s.kind, s.start, s.end, depth(s), children, s.summary ? abi.SECTION_HAS_SUMMARY : 0, 0];
    });
    const bytes = Buffer.alloc(records.length * abi.SECTION_RECORD_SIZE);
    putRecords(bytes, records);
    return bytes;
  }

  metaSet(key, value) { return set(this.meta, key, value); }
  cacheGet(key) { return this.keep(this.cache[key]); }
  cacheSet(key, value) { return set(this.cache, key, value); }
  stateGet(key) { return this.keep(this.state[key]); }
  stateSet(key, value) { return set(this.state, key, value); }

  stateDel(key) {
    if (!(key in this.state)) throw new Refusal(abi.CODE_NOT_FOUND);
    return delete this.state[key] ? 0 : abi.CODE_BAD_ARG;
  }

  log(level, line) {
    this.log_.push(`${LEVELS[level] ?? level} ${line}`);
    return 0;
  }

  fail(reason) {
    this.reason = reason.toString();
    return 0;
  }

  lastError() { return this.keep(this.refusal); }
  llmAvailable() { return 0; }
  llmBegin() { throw new Refusal(abi.CODE_UNAVAILABLE, "no LLM provider configured"); }
  llmWait() { throw new Refusal(abi.CODE_NOT_FOUND); } // no request was sent

  tools() { return this.keep(this.toolList); }
  toolHide(tool) { return this.effect("hide", tool); }
  toolPatch(tool, patch) { return this.effect("patch", tool, patch); }
  toolAdd(definition) { return this.effect("add", definition); }
  callRewrite(tool, id, offset, length) { return this.effect("rewrite", tool, this.span(id, offset, length).bytes); }
  notify(method, params) { return this.effect("notify", method, params); }

  effect(...words) {
    this.effects.push(words.join(" ").trimEnd());
    return 0;
  }

  outTo(target) {
    if (target !== abi.OUT_ANSWER) this.blocks.push({ target, parts: [] });
    this.target = target;
    return 0;
  }

  outKind(flags) {
    this.kind = flags;
    return 0;
  }
}

/** Bytes that a guest can name, with the kind of their Sections and their offset in the original or decoded string. */
function buffer(value, kind = abi.SECTION_DERIVED, offset = 0) {
  return { bytes: Buffer.from(value), kind, offset };
}

function lineEnd(bytes, at) {
  const newline = bytes.indexOf(10, at);
  return newline < 0 ? bytes.length : newline + 1;
}

function expression(source, modes) {
  try {
    return new RegExp(source, modes);
  } catch (e) {
    throw new Refusal(abi.CODE_BAD_ARG, e.message);
  }
}

/** Writes records of numbers as long as there is room and returns their count. */
function putRecords(out, records) {
  let [at, count] = [0, 0];
  for (const record of records) {
    if (at + 4 * record.length > out.length) break;
    for (const word of record) at = out.writeInt32LE(word | 0, at);
    count++;
  }
  return count;
}

function set(object, key, value) {
  object[key] = isUtf8(value) ? value.toString() : Buffer.from(value);
  return 0;
}
