// What the host answered last, and whether this call was misused.

import * as raw from "../raw/zz_raw";
import { decode, fill, reserve, utf8, Utf8, utf8Word } from "./text";

let last: i32 = 0;
let said: string | null = null; // what the SDK, not the host, says of last
let misuse = changetype<Utf8>(0);

/** Keeps what the host answered: a negative result is the latest refusal. */
export function check(result: i32): i32 {
  last = result;
  said = null;
  return result;
}

/** Refuses in the host's place. */
export function refuse(code: i32, why: string): i32 {
  last = code;
  said = why;
  return code;
}

/** A result that is negative only by misuse: 0 then, and the call will fail. */
export function count(result: i32): i32 {
  if (check(result) >= 0) return result;
  misused(sentence(result));
  return 0;
}

/** Notes a misuse. The first one makes the call fail when the role returns. */
export function misused(reason: Utf8): void {
  if (!changetype<usize>(misuse)) misuse = reason;
}

/**
 * The return code of what a role returned. A negative one is a refusal that the role
 * hands on; it and a misuse become FAIL with a reason.
 */
export function finish(result: i32): i32 {
  let reason = misuse;
  if (result < 0) reason = sentence(result);
  else if (result > raw.RETURN_PASS || !changetype<usize>(reason)) return result;
  raw.fail(reason.ptr, reason.length);
  return raw.RETURN_FAIL;
}

/** The host's sentence about a refusal if it is the latest one, else its number. */
function sentence(code: i32): Utf8 {
  if (said && code == last) return utf8(said!);
  const h = code == last ? raw.lastError() : -1;
  if (h < 0) return utf8Word(0x2d2065646f63 | u64(0x30 - code) << 48); // code -1
  const n = raw.bufLen(h);
  const text = changetype<Utf8>(heap.alloc(offsetof<Utf8>() + n));
  text.length = raw.bufRead(h, 0, text.ptr, n);
  return text;
}

/** The text of a handle, which it frees. */
export function take(handle: i32): string {
  const s = textOf(handle);
  raw.bufFree(handle);
  return s;
}

/** The text of a buffer. */
export function textOf(buf: i32): string { return textAt(buf, 0, count(raw.bufLen(buf))); }

/** The text of n bytes of a buffer, which are there. */
export function textAt(buf: i32, off: i32, n: i32): string {
  const s = reserve(n);
  raw.bufRead(buf, off, fill(s, n), n);
  return decode(s, n);
}

/** The code of what was asked last, 0 if the host did not refuse it. */
export function lastCode(): i32 { return min(last, 0); }

/**
 * A sentence about what was refused last, for logs: the wording may change. Empty if
 * nothing was, or if the code says all.
 */
export function lastError(): string {
  if (last >= 0) return "";
  if (said) return said!;
  const h = raw.lastError();
  return h < 0 ? "" : take(h);
}

/** The name of a code: "NOT_FOUND". */
export function codeName(code: i32): string {
  switch (code) {
    case raw.CODE_NOT_FOUND: return "NOT_FOUND";
    case raw.CODE_BAD_ARG: return "BAD_ARG";
    case raw.CODE_LIMIT: return "LIMIT";
    case raw.CODE_UNAVAILABLE: return "UNAVAILABLE";
    case raw.CODE_DENIED: return "DENIED";
    case raw.CODE_TIMEOUT: return "TIMEOUT";
    case raw.CODE_UPSTREAM: return "UPSTREAM";
    case raw.CODE_UNSUPPORTED: return "UNSUPPORTED";
    case raw.CODE_CONFLICT: return "CONFLICT";
    default: return "code " + code.toString();
  }
}
