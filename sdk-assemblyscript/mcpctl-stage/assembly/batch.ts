import * as raw from "../raw/zz_raw";
import { Buf, idOf } from "./buf";
import { check, refuse } from "./call";
import { encodeTo } from "./text";

// The sizes at which a batch is sent to the host.
const RECORDS: i32 = 128;
const TEXTS: i32 = 8 << 10;

/** A record of sections_add. */
@unmanaged
class Addition {
  parent: i32;
  start: i32;
  end: i32;
  id: i32;
  title: i32;
}

/**
 * Adds many Sections with few calls of the host, for a stage that has hundreds of them. It
 * has one buffer and allocates nothing else.
 *
 * add, addSpan and group return the position that the Section will have, so that children
 * can use it as their parent. The Section exists after flush, or after an add that had to
 * send the batch. Until then nothing else may add Sections.
 *
 * Refusals are those of Sections.add and setId, returned by flush or by a later add. Then
 * none of the waiting Sections is added, and their positions are free again.
 */
export class Batch {
  private buf: i32 = raw.BUF_NONE; // of all spans; BUF_NONE if there are none yet
  private count: i32 = 0;
  private used: i32 = 0; // bytes of texts
  private room: i32 = TEXTS;
  private records: usize = heap.alloc(RECORDS * raw.ADDITION_RECORD_SIZE);
  private texts: usize = heap.alloc(TEXTS);

  /** Use Sections.batch. next is the position of the next Section. */
  constructor(private next: i32) {}

  /** Adds b from start to end as a child of parent, with an id unless that is empty. */
  add(parent: i32, b: Buf, start: i32, end: i32, id: string, title: string): i32 {
    const code = this.prepare(b, start, end, 3 * (id.length + title.length));
    return code < 0 ? code : this.named(parent, start, end, id, title);
  }

  /** Like add, with n bytes of b at off as the title, without a conversion to a string. The host derives the id. */
  addSpan(parent: i32, b: Buf, start: i32, end: i32, off: i32, n: i32): i32 {
    const most = raw.LIMIT_TITLE_BYTES;
    let code = this.prepare(b, start, end, most + 1);
    if (code < 0) return code;
    const to = this.texts + this.used;
    let title = check(raw.bufRead(idOf(b), off, to, min(n, most + 1)));
    if (title < 0) return title;
    if (title > most) {
      for (title = most; (load<u8>(to + title) & 0xc0) == 0x80;) title--;
    }
    return this.record(parent, start, end, 0, title);
  }

  /** Adds a child without bytes of its own, with an id unless that is empty. */
  group(parent: i32, id: string, title: string): i32 {
    const code = this.make(3 * (id.length + title.length));
    return code < 0 ? code : this.named(parent, 0, 0, id, title);
  }

  /** Adds the waiting Sections. */
  flush(): i32 {
    if (!this.count) return 0;
    const result = check(raw.sectionsAdd(this.buf, this.records, this.count * raw.ADDITION_RECORD_SIZE, this.texts, this.used));
    if (result < 0) this.next -= this.count;
    this.buf = raw.BUF_NONE;
    this.count = 0;
    this.used = 0;
    return min(result, 0);
  }

  /** Reports whether the Section at a position exists. */
  has(i: i32): bool { return i < this.next - this.count; }

  // Makes room for a record with a span of b and texts of at most `most` bytes.
  private prepare(b: Buf, start: i32, end: i32, most: i32): i32 {
    if (start >= end) return refuse(raw.CODE_BAD_ARG, "empty span"); // 0 to 0 would be a group
    const from = idOf(b);
    if (from < 0) return refuse(raw.CODE_BAD_ARG, "no buffer");
    if (this.buf != from && this.buf != raw.BUF_NONE) {
      const code = this.flush();
      if (code < 0) return code;
    }
    this.buf = from;
    return this.make(most);
  }

  private make(most: i32): i32 {
    if (this.count < RECORDS && this.used + most <= this.room) return 0;
    const from = this.buf;
    const code = this.flush();
    if (code < 0) return code;
    this.buf = from;
    if (most > this.room) {
      this.texts = heap.alloc(most);
      this.room = most;
    }
    return 0;
  }

  private named(parent: i32, start: i32, end: i32, id: string, title: string): i32 {
    const from = this.texts + this.used;
    const middle = encodeTo(id, from);
    return this.record(parent, start, end, i32(middle - from), i32(encodeTo(title, middle) - middle));
  }

  private record(parent: i32, start: i32, end: i32, id: i32, title: i32): i32 {
    const r = changetype<Addition>(this.records + this.count * raw.ADDITION_RECORD_SIZE);
    r.parent = parent;
    r.start = start;
    r.end = end;
    r.id = id;
    r.title = title;
    this.count++;
    this.used += id + title;
    return this.next++;
  }
}
