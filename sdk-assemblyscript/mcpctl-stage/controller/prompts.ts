import * as raw from "../raw/zz_raw";
import { Buf, bufOf } from "../assembly/buf";
import { check, textAt } from "../assembly/call";
import { hexadecimal } from "../assembly/text";

/** The offset of the first record, after the number of records and the size of a record. */
const RECORDS: i32 = 8;

// The fields of a record in words of 4 bytes. A span is two words.
const NAME: i32 = 0;
const SUMMARY: i32 = 2;
const CHAPTERS: i32 = 4;
const PROJECT: i32 = 6;
const LINK: i32 = 8;
const REF: i32 = 10;
const PRIORITY: i32 = 12;
const BYTES: i32 = 13;
const LINK_STATUS: i32 = 14;
const HASH_AT: i32 = 64;

/**
 * Iterates over a snapshot of the visible prompts, without their texts. The fields are those
 * of the current prompt. The list stays in the host, which returns a field when it is read:
 *
 *     for (const p = c.prompts(); p.next();) c.answer.write(p.name + "\n");
 */
export class Prompts {
  /** The position of the current prompt. */
  i: i32 = -1;
  /** The number of prompts. */
  length: i32 = 0;
  private size: i32 = 0; // of a record, which a later host may have made larger
  private record: usize = heap.alloc(raw.PROMPT_RECORD_SIZE);

  constructor(private list: i32) {
    if (check(list) >= 0) {
      raw.bufRead(list, 0, this.record, RECORDS);
      this.length = this.number(0);
      this.size = this.number(1);
    }
  }

  /** Advances to the next prompt; false after the last. */
  next(): bool { return this.seek(this.i + 1); }

  /** Moves to the prompt at a position; false if there is none. */
  seek(i: i32): bool {
    this.i = i;
    return u32(i) < u32(this.length) &&
      raw.bufRead(this.list, RECORDS + i * this.size, this.record, raw.PROMPT_RECORD_SIZE) == raw.PROMPT_RECORD_SIZE;
  }

  get name(): string { return this.text(NAME); }
  get summary(): string { return this.text(SUMMARY); }
  get chapters(): string[] {
    const text = this.text(CHAPTERS);
    return text == "" ? [] : text.split("\n");
  }
  get project(): string { return this.text(PROJECT); }
  /** 1 to 10; prompts of priority 10 are always sent. */
  get priority(): i32 { return this.number(PRIORITY); }
  /** The size of the stored text. */
  get bytes(): i32 { return this.number(BYTES); }
  /** The hash of the stored text; empty for a link that was not read. */
  get hash(): string {
    const at = this.record + HASH_AT;
    return load<u64>(at) | load<u64>(at, 8) ? hexadecimal(at, raw.HASH_SIZE) : "";
  }
  /** project/server:uri if the prompt is a link. */
  get link(): string { return this.text(LINK); }
  /** "alive", "dead" or "unknown"; empty without a link. */
  get linkStatus(): string {
    switch (this.number(LINK_STATUS)) {
      case raw.LINK_ALIVE: return "alive";
      case raw.LINK_DEAD: return "dead";
      case raw.LINK_UNKNOWN: return "unknown";
      default: return "";
    }
  }
  /** For Ctx.openContent and Ctx.section; empty until the body was first read. */
  get ref(): string { return this.text(REF); }

  /**
   * The list in the host. The lines of the current prompt are between start and end: its
   * name, its summary and each chapter. The lines of all prompts are contiguous, so that one
   * find searches many prompts.
   */
  get buf(): Buf { return bufOf(this.list); }
  get start(): i32 { return this.number(NAME); }
  get end(): i32 { return this.number(CHAPTERS + 1) + 1; }

  private number(field: i32): i32 { return load<i32>(this.record + 4 * field); }

  private text(field: i32): string {
    const start = this.number(field);
    return textAt(this.list, start, max(this.number(field + 1) - start, 0));
  }
}
