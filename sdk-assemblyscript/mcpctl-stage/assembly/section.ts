import * as raw from "../raw/zz_raw";
import { Batch } from "./batch";
import { Buf, handle, idOf } from "./buf";
import { check, count } from "./call";
import { utf8 } from "./text";

/** The parent of Sections at the top level. */
export const TOP: i32 = -1;

/**
 * The drill-down tree: Sections of earlier stages and of this one. A Section is identified
 * by its position, which never changes; parents come before children. Methods return a
 * position, 0, or a negative refusal. In a filter they return UNSUPPORTED.
 */
@unmanaged
export class Sections {
  /** The number of Sections. */
  get length(): i32 { return count(raw.bufLen(raw.BUF_SECTIONS)) / raw.SECTION_RECORD_SIZE; }

  /** Returns the current tree. */
  list(): SectionList {
    const n = count(raw.bufLen(raw.BUF_SECTIONS));
    const page = heap.alloc(n + 1);
    raw.bufRead(raw.BUF_SECTIONS, 0, page, n);
    return new SectionList(page, n / raw.SECTION_RECORD_SIZE);
  }

  /**
   * Adds b from start to end as a child of parent and returns its position.
   *
   * b determines the kind. A span of the original, of an input that equals the original, or
   * of a view of them is exact. A span of a string that Json.get or Json.text decoded from
   * such a Buf is decoded. Any other span is derived: the host copies the text and marks it
   * as text of the stage. Without setId the host derives an id from the title.
   *
   * Limits: 65,536 Sections, 64 levels; a title is cut at 256 bytes. Refusals: BAD_ARG if
   * the span is empty or out of range, cuts a code point, is not within the nearest exact
   * ancestor, or starts before the end of the previous sibling; LIMIT. Then nothing is added.
   */
  add(parent: i32, b: Buf, start: i32, end: i32, title: string): i32 { return add(parent, idOf(b), start, end, title); }

  /** Returns a batch, which adds many Sections at once. A stage needs at most one. */
  batch(): Batch { return new Batch(this.length); }

  /** Adds a child without bytes of its own. A group is not part of the paths of its children. */
  group(parent: i32, title: string): i32 { return add(parent, raw.BUF_NONE, 0, 0, title); }

  /** Adds a child with text of the stage, of up to 1 MiB. */
  derived(parent: i32, text: string, title: string): i32 {
    const h = put(text);
    return h < 0 ? h : freed(h, add(parent, h, 0, raw.bufLen(h), title));
  }

  /**
   * Sets the id of a Section that was added in this call. Derive ids from names in the
   * content, never from config or an LLM, so that paths are stable. The host escapes
   * characters that a path cannot contain and numbers equal siblings. Refusals: BAD_ARG for
   * a Section of an earlier stage or an empty id.
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

  /** Like setTitle, from n bytes of b, for example from a heading. */
  setTitleSpan(i: i32, b: Buf, off: i32 = 0, n: i32 = -1): i32 { return check(raw.sectionTitle(i, idOf(b), off, n)); }

  /** Sets or replaces the summary from n bytes of b, for example from an LLM's answer. It is cut at 2 KiB. */
  setSummary(i: i32, b: Buf, off: i32 = 0, n: i32 = -1): i32 { return check(raw.sectionSummary(i, idOf(b), off, n)); }

  /** Like setSummary, from text of the stage. */
  setSummaryText(i: i32, summary: string): i32 {
    const h = put(summary);
    return h < 0 ? h : freed(h, check(raw.sectionSummary(i, h, 0, -1)));
  }

  /** Returns a text of a Section, or null with NOT_FOUND. The id of a new Section without one is empty. */
  id(i: i32): Buf | null { return handle(raw.sectionText(i, raw.SECTION_TEXT_ID)); }
  title(i: i32): Buf | null { return handle(raw.sectionText(i, raw.SECTION_TEXT_TITLE)); }
  summary(i: i32): Buf | null { return handle(raw.sectionText(i, raw.SECTION_TEXT_SUMMARY)); }
  /** Returns its bytes, which are empty for a group. */
  body(i: i32): Buf | null { return handle(raw.sectionText(i, raw.SECTION_TEXT_BODY)); }
}

/** Kinds of Sections: bytes of the original; no bytes of its own; bytes of a decoded JSON string; text of the stage. */
export const EXACT: i32 = raw.SECTION_EXACT;
export const GROUP: i32 = raw.SECTION_GROUP;
export const DECODED: i32 = raw.SECTION_DECODED;
export const DERIVED: i32 = raw.SECTION_DERIVED;

/** The properties of a Section. */
@unmanaged
export class Section {
  /** TOP or a position. */
  parent: i32;
  kind: i32;
  start: i32;
  end: i32;
  /** 0 at the top. */
  depth: i32;
  /** The number of direct children. */
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

/** Frees a handle and returns a result. */
function freed(h: i32, result: i32): i32 {
  raw.bufFree(h);
  return result;
}
