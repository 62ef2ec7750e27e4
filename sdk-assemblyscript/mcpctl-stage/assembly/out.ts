import * as raw from "../raw/zz_raw";
import { Buf, idOf } from "./buf";
import { check } from "./call";
import { utf8 } from "./text";

/**
 * The new content. What is written stays with the host and is the result if the stage
 * returns DONE; an empty result needs one write of nothing.
 *
 * Each method returns 0, which is DONE, or LIMIT beyond limits.outputBytes; the call then
 * fails even if the stage returns DONE, since a cut output would be a lie.
 */
@unmanaged
export class Out {
  /** Appends text. */
  write(text: string): i32 {
    const t = utf8(text);
    const code = check(raw.outWrite(t.ptr, t.length));
    t.free();
    return code;
  }

  /** Appends bytes. */
  bytes(b: Uint8Array): i32 { return check(raw.outWrite(b.dataStart, b.length)); }

  /** Appends n bytes of b from off on. Index marks in a span of Ctx.input come along. */
  span(b: Buf, off: i32 = 0, n: i32 = -1): i32 { return check(raw.outSpan(idOf(b), off, n)); }

  /**
   * Marks the place at which the host prints, after the last stage, its bounded index of
   * the children of a Section (TOP: of the top level). A limit of 0 takes the host's
   * setting. Refusals: NOT_FOUND without such a Section, UNSUPPORTED in a filter.
   */
  index(section: i32 = -1, lines: i32 = 0, bytes: i32 = 0): i32 { return check(raw.outIndex(section, lines, bytes)); }
}
