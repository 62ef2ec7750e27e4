import * as raw from "../raw/zz_raw";
import { Buf, handle, idOf } from "./buf";
import { check, take } from "./call";
import { PAGE, Span } from "./search";
import { ANSWER, utf8, Utf8 } from "./text";

/**
 * Reads a Buf that is one JSON value of any depth. The host parses it once per call.
 * Pointers follow RFC 6901 ("/items/0/name"; see pointer); the empty pointer is the whole.
 * Of duplicate keys the first counts.
 *
 * Refusals: NOT_FOUND if there is no value at the pointer, BAD_ARG if the Buf is not JSON or
 * the value is of another kind.
 */
@unmanaged
export class Json {
  /** Reports whether the Buf is one JSON value. */
  get valid(): bool { return raw.jsonKind(id(this), 0, 0) >= 0; }

  /** Returns the kind of a value, or a refusal. */
  kind(pointer: string = ""): i32 {
    const p = utf8(pointer);
    const kind = check(raw.jsonKind(id(this), p.ptr, p.length));
    p.free();
    return kind;
  }

  /** Returns a string decoded, and any other value as its exact text; or null. */
  get(pointer: string = ""): Buf | null {
    const p = utf8(pointer);
    const h = raw.jsonGet(id(this), p.ptr, p.length);
    p.free();
    return handle(h);
  }

  /** Like get, as a string; def if there is no value. */
  str(pointer: string, def: string = ""): string {
    const b = this.get(pointer);
    return b ? take(idOf(b)) : def;
  }

  /** Returns the span of the exact text of a value, or null. */
  span(pointer: string): Span | null {
    const p = utf8(pointer);
    const kind = check(raw.jsonSpan(id(this), p.ptr, p.length, ANSWER));
    p.free();
    return kind < 0 ? null : new Span(load<i32>(ANSWER), load<i32>(ANSWER, 4), kind);
  }

  /** Decodes the string literal at a span, which includes the quotes; or returns null. */
  text(start: i32, end: i32): Buf | null { return handle(raw.jsonText(id(this), start, end)); }

  /** Returns the number of children of an array or object, or a refusal. */
  length(pointer: string = ""): i32 {
    const p = utf8(pointer);
    const n = check(raw.jsonEach(id(this), p.ptr, p.length, 0, 0, 0));
    p.free();
    return n;
  }

  /** Iterates over the children of an array or object, duplicate keys included. */
  each(pointer: string = ""): Children { return new Children(id(this), utf8(pointer)); }

  /** Returns an integer of 64 bits, or a default; a bool reads as 0 or 1. */
  int(pointer: string, def: i64 = 0): i64 {
    const p = utf8(pointer);
    const code = check(raw.jsonI64(id(this), p.ptr, p.length, ANSWER));
    p.free();
    return code < 0 ? def : load<i64>(ANSWER);
  }

  /** Returns a number, or a default; a bool reads as 0 or 1. */
  float(pointer: string, def: f64 = 0): f64 {
    const p = utf8(pointer);
    const code = check(raw.jsonF64(id(this), p.ptr, p.length, ANSWER));
    p.free();
    return code < 0 ? def : load<f64>(ANSWER);
  }
}

function id(j: Json): i32 { return idOf(changetype<Buf>(j)); }

/**
 * Iterates over children. keyStart and keyEnd are 0 in an array:
 *
 *     for (const m = c.input.json.each("/items"); m.next();) c.out.span(c.input, m.start, m.end - m.start);
 */
export class Children {
  /** The position of the child. */
  i: i32 = -1;
  private total: i32 = 0;
  private page: ArrayBuffer = new ArrayBuffer(PAGE);

  constructor(private buf: i32, private pointer: Utf8) {}

  /** Advances to the next child; false after the last, or if there is no such value. */
  next(): bool {
    this.i++;
    if (this.i % (PAGE / raw.CHILD_RECORD_SIZE) == 0) {
      this.total = check(raw.jsonEach(this.buf, this.pointer.ptr, this.pointer.length, this.i, changetype<usize>(this.page), PAGE));
    }
    return this.i < this.total;
  }

  /** The start and the end of the key literal with its quotes. */
  get keyStart(): i32 { return load<i32>(this.at); }
  get keyEnd(): i32 { return load<i32>(this.at, 4); }

  /** The start and the end of the value's exact text. */
  get start(): i32 { return load<i32>(this.at, 8); }
  get end(): i32 { return load<i32>(this.at, 12); }

  private get at(): usize {
    return changetype<usize>(this.page) + this.i % (PAGE / raw.CHILD_RECORD_SIZE) * raw.CHILD_RECORD_SIZE;
  }
}

/** Returns a JSON pointer of keys and positions: pointer(["a/b", "0"]) is "/a~1b/0". */
export function pointer(segments: string[]): string {
  let p = "";
  for (let i = 0; i < segments.length; i++) {
    p += "/" + segments[i].replaceAll("~", "~0").replaceAll("/", "~1");
  }
  return p;
}
