import * as raw from "../raw/zz_raw";
import { Buf, handle } from "./buf";
import { check, take } from "./call";
import { utf8 } from "./text";

/**
 * Keeps values from call to call. Keys are free strings, private to the module's build,
 * the role, its config and the project. A value may vanish, so the result of a stage
 * must not depend on whether there is one. It needs the capability "cache" in the manifest.
 */
@unmanaged
export class Cache {
  /** A value, or null. It stays with the host: Out.span writes it without a copy. */
  get(key: string): Buf | null { return handle(find(key)); }

  /** Keeps a text of up to 4 MiB, whatever the stage returns later. Refusals: DENIED without the capability, LIMIT, UNAVAILABLE. */
  set(key: string, text: string): i32 {
    const k = utf8(key);
    const t = utf8(text);
    return check(raw.cacheSet(k.ptr, k.length, t.ptr, t.length));
  }

  /** set for bytes. */
  setBytes(key: string, value: Uint8Array): i32 {
    const k = utf8(key);
    return check(raw.cacheSet(k.ptr, k.length, value.dataStart, value.length));
  }

  /**
   * The value of a key, computed from arg and kept if there is none; null if compute gives
   * null. A function here cannot see variables around it, so what it needs is arg. That a
   * value could not be kept is not told.
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
