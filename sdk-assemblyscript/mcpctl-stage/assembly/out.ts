import * as raw from "../raw/zz_raw";
import { Buf, idOf } from "./buf";
import { check } from "./call";
import { utf8 } from "./text";

/**
 * The output of a stage. It stays in the host and is the result if the stage returns DONE.
 * An empty result needs one write("").
 *
 * Each method returns 0, which is DONE, or LIMIT beyond limits.outputBytes. The call then
 * fails even if the stage returns DONE, because the output would be incomplete.
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

  /** Appends n bytes of b from off on. Index marks in a span of Ctx.input are kept. */
  span(b: Buf, off: i32 = 0, n: i32 = -1): i32 { return check(raw.outSpan(idOf(b), off, n)); }

  /**
   * Marks the position at which the host prints, after the last stage, the index of the
   * children of a Section (TOP: of the top level). A limit of 0 means the host's setting.
   * Refusals: NOT_FOUND without such a Section, UNSUPPORTED in a filter.
   */
  index(section: i32 = -1, lines: i32 = 0, bytes: i32 = 0): i32 { return check(raw.outIndex(section, lines, bytes)); }
}
