import { createHash } from "node:crypto";
import * as abi from "./zz_abi.js";
import { compile, matches } from "./pattern.js";
import { Refusal } from "./refusal.js";
import { estimateTokens } from "./tokens.js";

/** What a Section of a buffer is: its kind, where the buffer begins in the original, the input or the decoded string. */
export const OWN = { kind: abi.SECTION_DERIVED, off: 0, input: false, literal: null };

export function buffer(bytes, from = OWN) {
  return { bytes: Buffer.from(bytes), from, nodes: null, badAt: null };
}

/** A span of b as a buffer; what b is a span of, it is as well. */
export function view(b, start, end) {
  return buffer(b.bytes.subarray(start, end), { ...b.from, off: b.from.off + start });
}

/** The buffers of one call: methods that are imports give a number or throw a Refusal. */
export class Buffers {
  constructor(buffers) {
    this.buffers = new Map(buffers);
    this.private = false; // the session was asked for
    this.lastRefusal = "";
    this.next = abi.FIRST_HANDLE;
    this.alive = 0;
    this.putBytes = 0;
  }

  buf(id) {
    if (id === abi.BUF_SESSION) this.private = true;
    const b = this.buffers.get(id);
    if (b) return b;
    if (id >= 0 && id < abi.FIRST_HANDLE) return buffer("");
    throw bad(`no buffer ${id}`);
  }

  /** Bytes of a buffer; a length of -1 means to the end. */
  span(id, off, n) {
    const { bytes } = this.buf(id);
    if (n === -1 && off >= 0 && off <= bytes.length) n = bytes.length - off;
    if (off < 0 || n < 0 || off + n > bytes.length) throw bad(`span ${off}, length ${n} of a buffer of ${bytes.length}`);
    return bytes.subarray(off, off + n);
  }

  handle(b) {
    if (this.alive === abi.LIMIT_HANDLES) throw new Refusal(abi.CODE_LIMIT, "more than 1,024 handles alive");
    this.alive++;
    this.buffers.set(this.next, b);
    return this.next++;
  }

  bufLen(id) { return this.buf(id).bytes.length; }

  bufRead(id, off, out) { return this.span(id, off, -1).copy(out); }

  bufFind(id, off, needle) {
    const bytes = this.span(id, off, -1);
    if (needle.length < 1 || needle.length > abi.LIMIT_NEEDLE_BYTES) throw bad(`needle of ${needle.length} bytes, want 1 to 4,096`);
    const at = bytes.indexOf(needle);
    if (at < 0) throw missing("needle not found");
    return off + at;
  }

  bufLines(id, off, out) {
    const bytes = this.span(id, off, -1);
    let count = 0;
    for (let at = 0; at < bytes.length && (count + 1) * abi.LINE_RECORD_SIZE <= out.length; count++) {
      out.writeUInt32LE(off + at, count * abi.LINE_RECORD_SIZE);
      const end = bytes.indexOf(0x0a, at);
      at = end < 0 ? bytes.length : end + 1;
    }
    return count;
  }

  bufGrep(id, off, pattern, flags, out) {
    const bytes = this.span(id, off, -1);
    if (pattern.length > abi.LIMIT_PATTERN_BYTES || flags < 0 || flags > 15) throw bad(`pattern of ${pattern.length} bytes with flags ${flags}, want up to 4,096 and 0 to 15`);
    const re = compile(pattern.toString(), flags);
    const text = bytes.toString();
    let [chars, at] = [0, off]; // how far text was turned into bytes
    const byteAt = (i) => {
      at += Buffer.byteLength(text.slice(chars, i));
      chars = i;
      return at;
    };
    const found = matches(re, text, Math.floor(out.length / abi.MATCH_RECORD_SIZE));
    found.forEach(([start, end], i) => {
      out.writeUInt32LE(byteAt(start), i * abi.MATCH_RECORD_SIZE);
      out.writeUInt32LE(byteAt(end), i * abi.MATCH_RECORD_SIZE + 4);
    });
    return found.length;
  }

  bufHash(id, off, n, out) { return createHash("sha256").update(this.span(id, off, n)).digest().copy(out); }

  bufTokens(id, off, n) { return estimateTokens(this.span(id, off, n)); }

  bufPut(data) {
    if (this.putBytes + data.length > abi.LIMIT_PUT_BYTES) throw new Refusal(abi.CODE_LIMIT, "more than 16 MiB in buf_put");
    const id = this.handle(buffer(data));
    this.putBytes += data.length;
    return id;
  }

  bufView(id, off, n) {
    const bytes = this.span(id, off, n);
    return this.handle(view(this.buf(id), off, off + bytes.length));
  }

  bufFree(id) {
    if (id < abi.FIRST_HANDLE || !this.buffers.delete(id)) throw bad(`no handle ${id}`);
    this.alive--;
    return 0;
  }

  lastError() { return this.lastRefusal === "" ? abi.CODE_NOT_FOUND : this.handle(buffer(this.lastRefusal)); }
}

export function bad(why) { return new Refusal(abi.CODE_BAD_ARG, why); }

export function missing(why) { return new Refusal(abi.CODE_NOT_FOUND, why); }
