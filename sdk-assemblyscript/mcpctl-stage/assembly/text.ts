// Converts text between the UTF-16 of AssemblyScript and the UTF-8 of the host.

/** The memory that imports write numbers and spans to; it is read before the next import. */
export const ANSWER: usize = memory.data(8, 8);

/** Bytes for the host: their number, followed by the bytes. */
@unmanaged
export class Utf8 {
  length: i32;

  get ptr(): usize { return changetype<usize>(this) + offsetof<Utf8>(); }

  /** Frees the memory; with runtime stub, only if nothing was allocated since. */
  free(): void { heap.free(changetype<usize>(this)); }
}

/** Encodes a string. Half of a surrogate pair becomes U+FFFD. */
export function utf8(s: string): Utf8 { return encode(s, false); }

/** Writes a word, which is a text of up to eight bytes in little-endian order, and returns the end. */
export function word(w: u64, p: usize): usize {
  store<u64>(p, w);
  return p + 8 - usize(clz(w) >> 3);
}

/** Returns a word as Utf8. */
export function utf8Word(w: u64): Utf8 {
  const to = changetype<Utf8>(heap.alloc(offsetof<Utf8>() + 8));
  to.length = i32(word(w, to.ptr) - to.ptr);
  return to;
}

/** Returns a JSON pointer of one segment. */
export function pointerTo(key: string): Utf8 { return encode(key, true); }

function encode(s: string, asPointer: bool): Utf8 {
  const to = changetype<Utf8>(heap.alloc(offsetof<Utf8>() + 1 + 3 * s.length));
  const p = to.ptr;
  store<u8>(p, 0x2f);
  to.length = i32(encodeTo(s, p + usize(asPointer), asPointer) - p);
  return to;
}

/** Writes a string at p, at most 3 bytes a unit, and returns the end. */
export function encodeTo(s: string, p: usize, asPointer: bool = false): usize {
  let from = changetype<usize>(s);
  const end = from + 2 * s.length;
  for (; from < end; from += 2) {
    let c: u32 = load<u16>(from);
    if (c < 0x80) {
      if (asPointer && (c == 0x7e || c == 0x2f)) {
        store<u8>(p++, 0x7e);
        c = u32(c == 0x2f) + 0x30;
      }
      store<u8>(p++, c);
      continue;
    }
    let more = c < 0x800 ? 6 : 12;
    if ((c & 0xf800) == 0xd800) {
      const low: u32 = from + 2 < end ? load<u16>(from, 2) : 0;
      if (c < 0xdc00 && (low & 0xfc00) == 0xdc00) {
        c = (c << 10) + low - 0x35fdc00;
        from += 2;
        more = 18;
      } else {
        c = 0xfffd;
      }
    }
    store<u8>(p++, c >> more | 0x780 >> more / 6);
    while (more) {
      more -= 6;
      store<u8>(p++, c >> more & 0x3f | 0x80);
    }
  }
  return p;
}

/** Allocates a string for n bytes of UTF-8: read them to fill(s, n), then decode. */
export function reserve(n: i32): string { return changetype<string>(__new(2 * n, idof<string>())); }

/** Returns the address for the bytes of a reserved string: its upper half. */
export function fill(s: string, n: i32): usize { return changetype<usize>(s) + n; }

/**
 * Decodes the n bytes in the upper half of a reserved string in place. A byte becomes at
 * most one unit, so the writes never overtake the reads. A byte that is not UTF-8 becomes
 * U+FFFD.
 */
export function decode(s: string, n: i32): string {
  const start = changetype<usize>(s);
  let to = start;
  let from = fill(s, n);
  const end = from + n;
  while (from < end) {
    let c: u32 = load<u8>(from++);
    if (c >= 0x80) {
      const more: u32 = c < 0xc2 || c > 0xf4 ? 0 : c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;
      c &= 0x3f >> more;
      let k: u32 = 0;
      for (; k < more && from + k < end; k++) {
        const b = load<u8>(from + k);
        if ((b & 0xc0) != 0x80) break;
        c = c << 6 | b & 0x3f;
      }
      if (!more || k < more || !(c >> (5 * more + 1)) || c >> 11 == 0x1b || c > 0x10ffff) c = 0xfffd;
      else from += more;
      if (c >= 0x10000) {
        store<u16>(to, (c >> 10) + 0xd7c0);
        to += 2;
        c = c & 0x3ff | 0xdc00;
      }
    }
    store<u16>(to, c);
    to += 2;
  }
  // The length is the last field of the header of a string.
  store<u32>(start - 4, u32(to - start));
  return s;
}

/** Returns the hexadecimal digit of 0 to 15. */
export function digit(v: u32): u32 { return v < 10 ? v + 0x30 : v + 0x57; }

/** Returns n bytes as hexadecimal digits. */
export function hexadecimal(p: usize, n: i32): string {
  const s = changetype<string>(__new(4 * n, idof<string>()));
  for (let i = 0; i < 2 * n; i++) {
    const v: u32 = load<u8>(p + (i >> 1));
    store<u16>(changetype<usize>(s) + 2 * i, digit(i & 1 ? v & 15 : v >> 4));
  }
  return s;
}
