import * as raw from "../raw/zz_raw";
import { Buf, handle } from "./buf";
import { check, take } from "./call";
import { utf8 } from "./text";

/**
 * Keeps values between calls. Keys are arbitrary strings, private to the module's build,
 * the role, its config and the project. The host may drop a value, so the result of a stage
 * must not depend on it. The manifest must list the capability "cache".
 */
@unmanaged
export class Cache {
  /** Returns a value, or null. It stays in the host: Out.span writes it without a copy. */
  get(key: string): Buf | null { return handle(find(key)); }

  /** Stores a text of up to 4 MiB, whatever the outcome of the call. Refusals: DENIED without the capability, LIMIT, UNAVAILABLE. */
  set(key: string, text: string): i32 {
    const k = utf8(key);
    const t = utf8(text);
    return check(raw.cacheSet(k.ptr, k.length, t.ptr, t.length));
  }

  /** Like set, for bytes. */
  setBytes(key: string, value: Uint8Array): i32 {
    const k = utf8(key);
    return check(raw.cacheSet(k.ptr, k.length, value.dataStart, value.length));
  }

  /**
   * Returns the value of a key; if there is none, computes it from arg and stores it. null
   * if compute returns null. A function in AssemblyScript is not a closure, so pass its data
   * as arg. A failure to store the value is ignored.
   */
  getOrCompute<T>(key: string, arg: T, compute: (arg: T) => string | null): string | null {
    const h = find(key);
    if (h >= 0) return take(h);
    const value = compute(arg);
    if (value) this.set(key, value);
    return value;
  }
}

function find(key: string): i32 {
  const k = utf8(key);
  return raw.cacheGet(k.ptr, k.length);
}
