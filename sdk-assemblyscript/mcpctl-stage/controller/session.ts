import * as raw from "../raw/zz_raw";
import { idOf } from "../assembly/buf";
import { check, take } from "../assembly/call";
import { utf8 } from "../assembly/text";
import { Elements } from "./elements";

/**
 * Stores values of this controller in this session, in the host's memory. They survive a new
 * version of the module, but not the end of the daemon. Limits: 1,000 keys of 256 bytes, 1 MiB
 * in all.
 */
@unmanaged
export class State {
  /** Returns a value of this hook or an earlier one; null if there is none. */
  get(key: string): string | null {
    const k = utf8(key);
    const h = check(raw.stateGet(k.ptr, k.length));
    return h < 0 ? null : take(h);
  }

  /** Stores a value. BAD_ARG, LIMIT. */
  set(key: string, value: string): i32 {
    const k = utf8(key);
    const v = utf8(value);
    return check(raw.stateSet(k.ptr, k.length, v.ptr, v.length));
  }

  /** Deletes a value. NOT_FOUND. */
  delete(key: string): i32 {
    const k = utf8(key);
    return check(raw.stateDel(k.ptr, k.length));
  }
}

/** Iterates over tools; the fields are those of the current one. */
export class Tools extends Elements {
  /** The label server/tool, or the name of a virtual tool. */
  get name(): string { return this.text("/name"); }
  /** The name that the client uses. */
  get wire(): string { return this.text("/wire"); }
  /** "upstream" (of a server), "virtual" (of a controller) or "host" (read_section, whose calls reach no hook). */
  get kind(): string { return this.text("/kind"); }
  /** It is a virtual tool of this controller. */
  get own(): bool { return this.yes("/own"); }
  /** It is not listed. */
  get hidden(): bool { return this.yes("/hidden"); }
  /** Its server is unavailable. */
  get stale(): bool { return this.yes("/stale"); }

  /** Returns a field of the definition: a string decoded, and any other value as its exact text. "" is the whole definition. null with NOT_FOUND. */
  field(pointer: string): string | null {
    const b = this.json.json.get("/tool" + pointer);
    return b ? take(idOf(b)) : null;
  }
}

/** Iterates over servers; the fields are those of the current one. */
export class Servers extends Elements {
  get name(): string { return this.text("/name"); }
  /** "ready", "starting", "failed" or "idle". */
  get state(): string { return this.text("/state"); }
  get tools(): i32 { return this.int("/tools"); }
  get error(): string { return this.text("/error"); }
}
