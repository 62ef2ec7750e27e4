import * as raw from "../raw/zz_raw";
import { Buf, idOf } from "../assembly/buf";
import { check, refuse } from "../assembly/call";
import { utf8 } from "../assembly/text";

/** Kinds of an answer, which can be joined with |: a whole result object in JSON, not text. */
export const WHOLE_RESULT: i32 = raw.OUT_RESULT;
/** An error of the tool. */
export const IS_ERROR: i32 = raw.OUT_IS_ERROR;
/** Text that is sent through the project's stages. */
export const STAGES: i32 = raw.OUT_STAGES;

/** The current target of output: the number of the target in the lowest two bits, and above them the number of the block. */
let now: i32 = raw.OUT_ANSWER;
let blocks: i32 = 0;

/**
 * The output of a hook: the answer, or a text block before or after the result.
 *
 * Each method returns 0, which is DONE, or a refusal: LIMIT beyond limits.outputBytes, or
 * 64 KiB for all blocks together. The hook then fails, unless it passes and only the answer
 * was too long. UNSUPPORTED for a closed block.
 */
@unmanaged
export class Out {
  /** Appends text. */
  write(text: string): i32 {
    const code = here(this);
    if (code < 0) return code;
    const t = utf8(text);
    const result = check(raw.outWrite(t.ptr, t.length));
    t.free();
    return result;
  }

  /** Appends bytes. */
  bytes(b: Uint8Array): i32 {
    const code = here(this);
    return code < 0 ? code : check(raw.outWrite(b.dataStart, b.length));
  }

  /** Appends n bytes of b from off on, without copying them through the guest. */
  span(b: Buf, off: i32 = 0, n: i32 = -1): i32 {
    const code = here(this);
    return code < 0 ? code : check(raw.outSpan(idOf(b), off, n));
  }
}

/** Returns the answer. An Out is its number plus 1, because null is 0. */
export function answer(): Out { return changetype<Out>(raw.OUT_ANSWER + 1); }

/** Opens a new block. */
export function open(target: i32): Out | null {
  if (check(raw.outTo(target)) < 0) return null;
  now = target | ++blocks << 2;
  return changetype<Out>(now + 1);
}

/** Makes o the target of the host's output. */
function here(o: Out): i32 {
  const place = i32(changetype<usize>(o)) - 1;
  if (place == now) return 0;
  if (place != raw.OUT_ANSWER) return refuse(raw.CODE_UNSUPPORTED, "block is closed: another one was opened, or the answer written");
  now = place;
  return check(raw.outTo(raw.OUT_ANSWER));
}
