// Buf, a name of bytes that the host keeps.

import * as raw from "../raw/zz_raw";
import { check, count, textOf } from "./call";
import { Json } from "./json";
import { Lines, Spans } from "./search";
import { hexadecimal, utf8 } from "./text";

/**
 * Names bytes that the host keeps. Offsets and lengths are bytes of UTF-8; a length of
 * -1 means to the end.
 *
 * Most of what a stage does with content needs no copy of it: find, grep, json,
 * Out.span and Sections.add work on the host's side. A Buf is a number, so it costs
 * nothing and is valid during the call only. null names nothing.
 */
@unmanaged
export class Buf {
  /** Length in bytes. */
  get length(): i32 { return count(raw.bufLen(idOf(this))); }

  /** A copy of the whole as a string. */
  text(): string { return textOf(idOf(this)); }

  /** A copy of the whole, for work on bytes. */
  bytes(): Uint8Array {
    const bytes = new Uint8Array(this.length);
    this.read(0, bytes);
    return bytes;
  }

  /** Fills bytes from an offset on; how many there were, or BAD_ARG beyond the end. */
  read(off: i32, bytes: Uint8Array): i32 {
    return check(raw.bufRead(idOf(this), off, bytes.dataStart, bytes.length));
  }

  /** Offset of the next occurrence of a needle of 1 to 4,096 bytes, or -1. */
  find(needle: string, off: i32 = 0): i32 {
    const n = utf8(needle);
    const at = raw.bufFind(idOf(this), off, n.ptr, n.length);
    n.free();
    if (at < raw.CODE_NOT_FOUND) count(at);
    return max(at, -1);
  }

  /** Goes through the lines from an offset on. */
  lines(off: i32 = 0): Lines { return new Lines(idOf(this), off); }

  /**
   * All matches of an RE2 pattern of up to 4 KiB from an offset on, or the first `most`
   * of them. For the pattern the text begins at off. null with BAD_ARG if it is none.
   */
  grep(pattern: string, flags: i32 = 0, off: i32 = 0, most: i32 = -1): Spans | null {
    return Spans.grep(idOf(this), pattern, flags, off, most);
  }

  /** SHA-256 of a span, in hex. */
  hash(off: i32 = 0, n: i32 = -1): string {
    const sum = heap.alloc(raw.HASH_SIZE);
    count(raw.bufHash(idOf(this), off, n, sum));
    return hexadecimal(sum, raw.HASH_SIZE);
  }

  /** Estimated tokens of a span. */
  tokens(off: i32 = 0, n: i32 = -1): i32 { return count(raw.bufTokens(idOf(this), off, n)); }

  /**
   * A Buf on a span; nothing is copied. A Section or output from a view counts as one
   * from what it views. null with BAD_ARG or LIMIT.
   */
  view(off: i32, n: i32 = -1): Buf | null { return handle(raw.bufView(idOf(this), off, n)); }

  /** Reads it as JSON. Nothing happens before the first question. */
  get json(): Json { return changetype<Json>(this); }

  /**
   * Gives back what view, put, json or llm made, before the call ends. Only a stage that
   * makes over a thousand of them needs it.
   */
  free(): void { if (idOf(this) >= raw.FIRST_HANDLE) raw.bufFree(idOf(this)); }
}

/** What the imports know a Buf by: null is 0, so they are counted from 1. */
export function idOf(b: Buf): i32 { return i32(changetype<usize>(b)) - 1; }

/** The Buf of a number. */
export function bufOf(id: i32): Buf { return changetype<Buf>(usize(id + 1)); }

/** The Buf of an import's result; null if it is a refusal. */
export function handle(result: i32): Buf | null {
  return check(result) < 0 ? null : bufOf(result);
}
