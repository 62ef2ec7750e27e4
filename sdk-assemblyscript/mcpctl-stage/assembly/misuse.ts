// Why the config cannot be used, put together in UTF-8: every stage with a config has
// it linked, so it is small.

import { misused } from "./call";
import { encodeTo, Utf8 } from "./text";

/** What a value should be that no JSON kind says: follows the kinds. */
export const INTEGER: i32 = 6;
export const STRINGS: i32 = 7;

// Text of up to eight bytes, the first byte lowest.
const CONFIG: u64 = 0x22206769666e6f63; // config "
const IS: u64 = 0x2073692022; // " is
const WANT: u64 = 0x20746e6177202c; // , want

/** The kinds, eight bytes each, their length behind them; the JSON kinds first. */
const kinds = memory.data<u8>([
  0x6e, 0x75, 0x6c, 0x6c, 0, 0, 0, 4, 0x62, 0x6f, 0x6f, 0x6c, 0, 0, 0, 4, // null, bool
  0x6e, 0x75, 0x6d, 0x62, 0x65, 0x72, 0, 6, 0x73, 0x74, 0x72, 0x69, 0x6e, 0x67, 0, 6, // number, string
  0x61, 0x72, 0x72, 0x61, 0x79, 0, 0, 5, 0x6f, 0x62, 0x6a, 0x65, 0x63, 0x74, 0, 6, // array, object
  0x69, 0x6e, 0x74, 0x65, 0x67, 0x65, 0x72, 7, 0x73, 0x74, 0x72, 0x69, 0x6e, 0x67, 0x73, 7, // integer, strings
]);

/** Notes that a key has a value of a kind, if it is known, and not of the one wanted. */
export function misusedKey(key: string, kind: i32, want: i32): void {
  const text = changetype<Utf8>(heap.alloc(64 + 3 * key.length));
  store<u64>(text.ptr, CONFIG);
  let p = encodeTo(key, text.ptr + 8);
  store<u64>(p, IS);
  p = kind < 0 ? p + 1 : addKind(p + 5, kind);
  store<u64>(p, WANT);
  text.length = i32(addKind(p + 7, want) - text.ptr);
  misused(text);
}

function addKind(p: usize, kind: i32): usize {
  const name = load<u64>(kinds + 8 * kind);
  store<u64>(p, name);
  return p + usize(name >> 56);
}
