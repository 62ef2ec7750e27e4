// Buf, a handle to bytes that the host keeps.

import * as raw from "../raw/zz_raw";
import { check, count, textOf } from "./call";
import { Json } from "./json";
import { Lines, Spans } from "./search";
import { hexadecimal, utf8 } from "./text";

/**
 * A handle to bytes that the host keeps. Offsets and lengths are bytes of UTF-8; a length
 * of -1 means to the end.
 *
 * Most stages need no copy of the content: find, grep, json, Out.span and Sections.add run
 * in the host. A Buf is a number, so it costs nothing and is valid during the call only.
 * null is no buffer.
 */
@unmanaged
export class Buf {
  /** The length in bytes. */
  get length(): i32 { return count(raw.bufLen(idOf(this))); }

  /** Returns a copy of the whole as a string. */
  text(): string { return textOf(idOf(this)); }

  /** Returns a copy of the whole as bytes. */
  bytes(): Uint8Array {
    const bytes = new Uint8Array(this.length);
    this.read(0, bytes);
    return bytes;
  }

  /** Reads from an offset into bytes and returns how many were read, or BAD_ARG beyond the end. */
  read(off: i32, bytes: Uint8Array): i32 {
    return check(raw.bufRead(idOf(this), off, bytes.dataStart, bytes.length));
  }

  /** Returns the offset of the next occurrence of a needle of 1 to 4,096 bytes, or -1. */
  find(needle: string, off: i32 = 0): i32 {
    const n = utf8(needle);
    const at = raw.bufFind(idOf(this), off, n.ptr, n.length);
    n.free();
    if (at < raw.CODE_NOT_FOUND) count(at);
    return max(at, -1);
  }

  /** Iterates over the lines from an offset on. */
  lines(off: i32 = 0): Lines { return new Lines(idOf(this), off); }

  /**
   * Returns the matches of an RE2 pattern of up to 4 KiB from an offset on, at most `most`
   * of them. For the pattern the text begins at off. null with BAD_ARG if the pattern is
   * invalid.
   */
  grep(pattern: string, flags: i32 = 0, off: i32 = 0, most: i32 = -1): Spans | null {
    return Spans.grep(idOf(this), pattern, flags, off, most);
  }

  /** Returns the SHA-256 of a span in hexadecimal digits. */
  hash(off: i32 = 0, n: i32 = -1): string {
    const sum = heap.alloc(raw.HASH_SIZE);
    count(raw.bufHash(idOf(this), off, n, sum));
    return hexadecimal(sum, raw.HASH_SIZE);
  }

  /** Returns the estimated number of tokens of a span. */
  tokens(off: i32 = 0, n: i32 = -1): i32 { return count(raw.bufTokens(idOf(this), off, n)); }

  /**
   * Returns a Buf of a span without a copy. A Section or output from a view counts as one
   * from the viewed Buf. null with BAD_ARG or LIMIT.
   */
  view(off: i32, n: i32 = -1): Buf | null { return handle(raw.bufView(idOf(this), off, n)); }

  /** The bytes as JSON. The host parses them at the first access. */
  get json(): Json { return changetype<Json>(this); }

  /**
   * Frees a handle of view, put, json or llm before the call ends. Only a call with over a
   * thousand handles needs it.
   */
  free(): void { if (idOf(this) >= raw.FIRST_HANDLE) raw.bufFree(idOf(this)); }
}

/** Returns the number of a Buf in the ABI. A Buf is that number plus 1, because null is 0. */
export function idOf(b: Buf): i32 { return i32(changetype<usize>(b)) - 1; }

/** Returns the Buf of a number in the ABI. */
export function bufOf(id: i32): Buf { return changetype<Buf>(usize(id + 1)); }

/** Returns the Buf of an import's result; null if it is a refusal. */
export function handle(result: i32): Buf | null {
  return check(result) < 0 ? null : bufOf(result);
}
