import * as raw from "../raw/zz_raw";
import { Batch } from "./batch";
import { Buf, handle, idOf } from "./buf";
import { check, count } from "./call";
import { utf8 } from "./text";

/** The parent of Sections at the top level. */
export const TOP: i32 = -1;

/**
 * The drill-down tree: what earlier stages left and what this one adds. A Section is
 * named by its position, parents before children; it never moves and never goes. Methods
 * return a position, or 0, or a refusal below zero. In a filter all is UNSUPPORTED.
 */
@unmanaged
export class Sections {
  /** The number of Sections. */
  get length(): i32 { return count(raw.bufLen(raw.BUF_SECTIONS)) / raw.SECTION_RECORD_SIZE; }

  /** The tree as it is now. */
  list(): SectionList {
    const n = count(raw.bufLen(raw.BUF_SECTIONS));
    const page = heap.alloc(n + 1);
    raw.bufRead(raw.BUF_SECTIONS, 0, page, n);
    return new SectionList(page, n / raw.SECTION_RECORD_SIZE);
  }

  /**
   * Makes b from start to end a child of parent and returns its position.
   *
   * The kind follows from b. Of original, of input in the first stage or while it equals
   * the original, and of views of them, it is exact. Of what Json.get or Json.text gave for
   * a string of such a Buf it is decoded. Of anything else it is derived: the host copies
   * the text and marks it as the stage's own. Without setId the host makes an id of the title.
   *
   * Limits: 65,536 Sections, 64 levels; a title is cut at 256 bytes. Refusals: BAD_ARG if
   * the span is empty or outside, cuts a code point, leaves the nearest exact ancestor, or
   * starts before its sibling has ended; LIMIT. Nothing is added then.
   */
  add(parent: i32, b: Buf, start: i32, end: i32, title: string): i32 { return add(parent, idOf(b), start, end, title); }

  /** Adds Sections many at a time. A stage needs no more than one. */
  batch(): Batch { return new Batch(this.length); }

  /** Adds a child that has no bytes of its own. The path of a Section does not change by standing in one. */
  group(parent: i32, title: string): i32 { return add(parent, raw.BUF_NONE, 0, 0, title); }

  /** Adds a child with a text of the stage's own, of up to 1 MiB. */
  derived(parent: i32, text: string, title: string): i32 {
    const h = put(text);
    return h < 0 ? h : freed(h, add(parent, h, 0, raw.bufLen(h), title));
  }

  /**
   * Names a Section that was added in this call. An id comes from names in the content,
   * never from config or an LLM, so that paths stay. The host escapes what a path cannot
   * hold and numbers equal siblings. Refusals: BAD_ARG for a Section of an earlier stage
   * or an empty id.
   */
  setId(i: i32, id: string): i32 {
    const t = utf8(id);
    const code = check(raw.sectionId(i, t.ptr, t.length));
    t.free();
    return code;
  }

  /** Sets or replaces the title. */
  setTitle(i: i32, title: string): i32 {
    const h = put(title);
    return h < 0 ? h : freed(h, check(raw.sectionTitle(i, h, 0, -1)));
  }

  /** setTitle from n bytes of b, for example from a heading. */
  setTitleSpan(i: i32, b: Buf, off: i32 = 0, n: i32 = -1): i32 { return check(raw.sectionTitle(i, idOf(b), off, n)); }

  /** Sets or replaces the summary from n bytes of b, for example from an LLM's answer. It is cut at 2 KiB. */
  setSummary(i: i32, b: Buf, off: i32 = 0, n: i32 = -1): i32 { return check(raw.sectionSummary(i, idOf(b), off, n)); }

  /** setSummary from a text of the stage's own. */
  setSummaryText(i: i32, summary: string): i32 {
    const h = put(summary);
    return h < 0 ? h : freed(h, check(raw.sectionSummary(i, h, 0, -1)));
  }

  /** A text of a Section, or null with NOT_FOUND. The id is empty while an added one was given none. */
  id(i: i32): Buf | null { return handle(raw.sectionText(i, raw.SECTION_TEXT_ID)); }
  title(i: i32): Buf | null { return handle(raw.sectionText(i, raw.SECTION_TEXT_TITLE)); }
  summary(i: i32): Buf | null { return handle(raw.sectionText(i, raw.SECTION_TEXT_SUMMARY)); }
  /** Its bytes; of a group empty. */
  body(i: i32): Buf | null { return handle(raw.sectionText(i, raw.SECTION_TEXT_BODY)); }
}

/** Kinds of Sections: bytes of the original; none of its own; of a decoded JSON string; the stage's own text. */
export const EXACT: i32 = raw.SECTION_EXACT;
export const GROUP: i32 = raw.SECTION_GROUP;
export const DECODED: i32 = raw.SECTION_DECODED;
export const DERIVED: i32 = raw.SECTION_DERIVED;

/** What is known of a Section. */
@unmanaged
export class Section {
  /** TOP or a position. */
  parent: i32;
  kind: i32;
  start: i32;
  end: i32;
  /** 0 at the top. */
  depth: i32;
  /** Direct ones. */
  children: i32;
  private flags: i32;
  private reserved: i32;

  get hasSummary(): bool { return (this.flags & raw.SECTION_HAS_SUMMARY) != 0; }
}

/** A tree in the order of positions. */
export class SectionList {
  constructor(private page: usize, public length: i32) {}

  at(i: i32): Section {
    if (u32(i) >= u32(this.length)) abort("no such section");
    return changetype<Section>(this.page + i * raw.SECTION_RECORD_SIZE);
  }
}

function add(parent: i32, buf: i32, start: i32, end: i32, title: string): i32 {
  const t = utf8(title);
  const i = check(raw.sectionAdd(parent, buf, start, end, t.ptr, t.length));
  t.free();
  return i;
}

function put(text: string): i32 {
  const t = utf8(text);
  const h = check(raw.bufPut(t.ptr, t.length));
  t.free();
  return h;
}

/** A result, once what it came from is given back. */
function freed(h: i32, result: i32): i32 {
  raw.bufFree(h);
  return result;
}
