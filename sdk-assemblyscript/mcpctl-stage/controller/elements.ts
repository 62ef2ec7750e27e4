import * as raw from "../raw/zz_raw";
import { Buf, bufOf, handle } from "../assembly/buf";
import { Children } from "../assembly/json";
import { utf8 } from "../assembly/text";

/** Iterates over the objects of a JSON array of the host; a subclass has their fields. */
export class Elements {
  private children: Children | null = null;
  private at: Buf | null = null;

  constructor(private list: i32, pointer: string = "") {
    if (list >= 0) this.children = new Children(list, utf8(pointer));
  }

  /** The position of the element. */
  get i(): i32 { return this.children ? this.children!.i : -1; }

  /** Advances to the next element; false after the last. */
  next(): bool {
    if (this.at) this.at!.free();
    this.at = null;
    const c = this.children;
    if (!c || !c.next()) return false;
    this.at = handle(raw.bufView(this.list, c.start, c.end - c.start));
    return true;
  }

  /** The element as JSON; valid until next. */
  get json(): Buf { return this.at ? this.at! : bufOf(raw.BUF_SECTIONS); }

  protected text(pointer: string): string { return this.json.json.str(pointer); }

  protected int(pointer: string): i32 { return i32(this.json.json.int(pointer)); }

  protected yes(pointer: string): bool { return this.int(pointer) != 0; }
}
