// A line of text for the host, built in UTF-8. Text beyond 8 KiB, the maximum of a log
// line, is dropped.

import { decode, digit, encodeTo, fill, reserve, Utf8 } from "./text";
import { LIMIT_LOG_LINE_BYTES } from "../raw/zz_raw";

@unmanaged
export class Line extends Utf8 {
  static make(): Line {
    const l = changetype<Line>(heap.alloc(offsetof<Line>() + LIMIT_LOG_LINE_BYTES));
    l.length = 0;
    return l;
  }

  private get end(): usize { return this.ptr + this.length; }

  private full(n: i32): bool { return this.length + n > LIMIT_LOG_LINE_BYTES; }

  byte(c: u32): Line {
    if (!this.full(1)) {
      store<u8>(this.end, c);
      this.length++;
    }
    return this;
  }

  /** Adds text. */
  text(s: string): Line {
    if (this.full(3 * s.length)) s = s.substring(0, (LIMIT_LOG_LINE_BYTES - this.length) / 3);
    this.length += i32(encodeTo(s, this.end) - this.end);
    return this;
  }

  /** Adds a number in decimals. */
  int(v: i64): Line {
    let u: u64 = v;
    if (v < 0) {
      this.byte(0x2d);
      u = 0 - u;
    }
    let unit: u64 = 1;
    while (u / unit >= 10) unit *= 10;
    for (; unit; unit /= 10) this.byte(u32(u / unit % 10) + 0x30);
    return this;
  }

  /** Adds text in quotes, on one line. */
  quoted(s: string): Line {
    this.byte(0x22);
    for (let i = 0; i < s.length; i++) {
      const c = s.charCodeAt(i);
      const short = c == 0x22 || c == 0x5c ? c : c == 0x0a ? 0x6e : c == 0x0d ? 0x72 : c == 0x09 ? 0x74 : 0;
      if (short) this.byte(0x5c).byte(short);
      else if (c < 0x20 || c == 0x7f) this.byte(0x5c).byte(0x78).byte(digit(c >> 4)).byte(digit(c & 15));
      else if ((c & 0xfc00) == 0xd800 && i + 1 < s.length) this.text(s.substring(i, ++i + 1));
      else this.text(s.charAt(i));
    }
    return this.byte(0x22);
  }

  /** Adds text, in quotes unless it is one word. */
  word(s: string): Line {
    for (let i = 0; i < s.length; i++) {
      const c = s.charCodeAt(i);
      if (c == 0x20 || c == 0x09 || c == 0x0a || c == 0x0d || c == 0x3d || c == 0x22) return this.quoted(s);
    }
    return s.length ? this.text(s) : this.quoted(s);
  }
}

/** Returns a text in quotes on one line, for reasons and messages. */
export function quote(text: string): string {
  const l = Line.make().quoted(text);
  const s = reserve(l.length);
  memory.copy(fill(s, l.length), l.ptr, l.length);
  return decode(s, l.length);
}
