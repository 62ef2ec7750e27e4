import * as raw from "../raw/zz_raw";
import { check, count } from "./call";
import { utf8 } from "./text";

/** A range in bytes. Json.span sets the kind of the value. */
export class Span {
  constructor(public start: i32, public end: i32, public kind: i32) {}

  get length(): i32 { return this.end - this.start; }
}

/** The size of the pages in which records are read: a multiple of every record's size. */
export const PAGE: i32 = 4096;

/**
 * Iterates over lines, each with its newline:
 *
 *     for (const l = c.input.lines(); l.next();) c.out.span(c.input, l.start, l.length);
 */
export class Lines {
  start: i32 = 0;
  end: i32;
  private page: ArrayBuffer = new ArrayBuffer(PAGE);
  private i: i32 = 0;
  private n: i32 = -1; // number of starts in the page; -1 before the first page

  constructor(private buf: i32, off: i32) { this.end = off; }

  get length(): i32 { return this.end - this.start; }

  /** Advances to the next line; false after the last. */
  next(): bool {
    // A line ends at the start of the next one, so the last line of a full page needs the
    // next page.
    const most = PAGE / raw.LINE_RECORD_SIZE;
    if (this.n < 0 || this.n == most && this.i + 1 == most) {
      this.n = count(raw.bufLines(this.buf, this.end, changetype<usize>(this.page), PAGE));
      this.i = 0;
    }
    if (this.i >= this.n) return false;
    this.i++;
    this.start = this.end;
    this.end = this.i < this.n ? load<i32>(changetype<usize>(this.page) + this.i * raw.LINE_RECORD_SIZE) : raw.bufLen(this.buf);
    return true;
  }
}

/** The matches of Buf.grep. */
export class Spans {
  private constructor(private page: ArrayBuffer, public length: i32) {}

  start(i: i32): i32 { return load<i32>(this.at(i)); }

  end(i: i32): i32 { return load<i32>(this.at(i), 4); }

  private at(i: i32): usize {
    if (u32(i) >= u32(this.length)) abort("no such match");
    return changetype<usize>(this.page) + i * raw.MATCH_RECORD_SIZE;
  }

  static grep(buf: i32, pattern: string, flags: i32, off: i32, most: i32): Spans | null {
    const p = utf8(pattern);
    let size = most < 0 ? PAGE : max(min(most, 1 << 16), 1) * raw.MATCH_RECORD_SIZE;
    let page = new ArrayBuffer(size);
    let n = check(raw.bufGrep(buf, off, p.ptr, p.length, flags, changetype<usize>(page), size));
    while (most < 0 && n == size / raw.MATCH_RECORD_SIZE) { // there may be more
      size *= 8;
      page = new ArrayBuffer(size);
      n = check(raw.bufGrep(buf, off, p.ptr, p.length, flags, changetype<usize>(page), size));
    }
    p.free();
    return n < 0 ? null : new Spans(page, n);
  }
}
