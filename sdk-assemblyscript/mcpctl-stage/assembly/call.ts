// The latest result of the host, and the first misuse of this call.

import * as raw from "../raw/zz_raw";
import { decode, fill, reserve, utf8, Utf8, utf8Word } from "./text";

let last: i32 = 0;
let sdkSentence: string | null = null; // for a refusal by the SDK
let misuse = changetype<Utf8>(0);

/** Records a result of the host and returns it. A negative result is the latest refusal. */
export function check(result: i32): i32 {
  last = result;
  sdkSentence = null;
  return result;
}

/** Records a refusal by the SDK and returns its code. */
export function refuse(code: i32, sentence: string): i32 {
  last = code;
  sdkSentence = sentence;
  return code;
}

/** Returns a result that is negative only after a misuse. Then it returns 0, and the call will fail. */
export function count(result: i32): i32 {
  if (check(result) >= 0) return result;
  misused(sentence(result));
  return 0;
}

/** Records a misuse. The first one makes the call fail when the role returns. */
export function misused(reason: Utf8): void {
  if (!changetype<usize>(misuse)) misuse = reason;
}

/**
 * Returns the return code for the result of a role. A refusal that the role returns and a
 * misuse become FAIL with a reason.
 */
export function finish(result: i32): i32 {
  let reason = misuse;
  if (result < 0) reason = sentence(result);
  else if (result > raw.RETURN_PASS || !changetype<usize>(reason)) return result;
  raw.fail(reason.ptr, reason.length);
  return raw.RETURN_FAIL;
}

/** Returns the sentence of a refusal if it is the latest one, otherwise its number. */
function sentence(code: i32): Utf8 {
  if (sdkSentence && code == last) return utf8(sdkSentence!);
  const h = code == last ? raw.lastError() : -1;
  if (h < 0) return utf8Word(0x2d2065646f63 | u64(0x30 - code) << 48); // code -1
  const n = raw.bufLen(h);
  const text = changetype<Utf8>(heap.alloc(offsetof<Utf8>() + n));
  text.length = raw.bufRead(h, 0, text.ptr, n);
  return text;
}

/** Returns the text of a handle and frees it. */
export function take(handle: i32): string {
  const s = textOf(handle);
  raw.bufFree(handle);
  return s;
}

/** Returns the text of a buffer. */
export function textOf(buf: i32): string { return textAt(buf, 0, count(raw.bufLen(buf))); }

/** Returns the text of n bytes of a buffer. The span must be valid. */
export function textAt(buf: i32, off: i32, n: i32): string {
  const s = reserve(n);
  raw.bufRead(buf, off, fill(s, n), n);
  return decode(s, n);
}

/** Returns the code of the latest call of the host, or 0 if it was not refused. */
export function lastCode(): i32 { return min(last, 0); }

/**
 * Returns a sentence about the latest refusal, for logs. It is empty if there was none or
 * the code is sufficient. The wording may change.
 */
export function lastError(): string {
  if (last >= 0) return "";
  if (sdkSentence) return sdkSentence!;
  const h = raw.lastError();
  return h < 0 ? "" : take(h);
}

/** Returns the name of a code, such as "NOT_FOUND". */
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
