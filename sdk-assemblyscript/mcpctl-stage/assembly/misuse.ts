// The reason why a config value cannot be used, built in UTF-8. Every stage with a config
// links this code, so it is small.

import { misused } from "./call";
import { encodeTo, Utf8, word } from "./text";

// The expected types, as words in the sense of text.ts.
export const STRING: u64 = 0x676e69727473; // string
export const NUMBER: u64 = 0x7265626d756e; // number
export const INTEGER: u64 = 0x72656765746e69; // integer
export const BOOL: u64 = 0x6c6f6f62; // bool
export const LIST: u64 = 0x7473696c; // list

const CONFIG: u64 = 0x22206769666e6f63; // config "
const IS_NO: u64 = 0x206f6e2073692022; // " is no

/** Records that a key has a value of the wrong type. */
export function misusedKey(key: string, want: u64): void {
  const text = changetype<Utf8>(heap.alloc(64 + 3 * key.length));
  store<u64>(text.ptr, CONFIG);
  const p = encodeTo(key, text.ptr + 8);
  store<u64>(p, IS_NO);
  text.length = i32(word(want, p + 8) - text.ptr);
  misused(text);
}
