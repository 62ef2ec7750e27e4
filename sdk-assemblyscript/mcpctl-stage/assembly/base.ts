import * as raw from "../raw/zz_raw";
import { Buf, bufOf, handle } from "./buf";
import { Cache } from "./cache";
import { check, take, textOf } from "./call";
import { Json } from "./json";
import { LLM } from "./llm";
import { BOOL, INTEGER, LIST, misusedKey, NUMBER, STRING } from "./misuse";
import { Log } from "./log";
import { ANSWER, pointerTo, utf8, Utf8 } from "./text";

/**
 * The members that a stage and a controller share: input, context, config, log, cache and
 * LLM. It is valid during the call only.
 */
@unmanaged
export class Base {
  /** The output of the previous stage; for a controller, the input of the hook. */
  get input(): Buf { return bufOf(raw.BUF_INPUT); }
  /** The input before the first stage or controller. It costs nothing unless it is read. */
  get original(): Buf { return bufOf(raw.BUF_ORIGINAL); }
  /** The config as JSON. str, int and others read single keys. */
  get config(): Buf { return bufOf(raw.BUF_CONFIG); }
  /** The context as JSON. role, project and others read single fields. */
  get context(): Buf { return bufOf(raw.BUF_CONTEXT); }

  get log(): Log { return changetype<Log>(1); }
  get cache(): Cache { return changetype<Cache>(1); }
  get llm(): LLM { return changetype<LLM>(1); }
  /** The limits of this call. */
  get limits(): Limits { return changetype<Limits>(1); }

  /** The name of the role. */
  get role(): string { return contextText("/role"); }
  /** The name of the project. */
  get project(): string { return contextText("/project"); }

  /**
   * Returns an opaque name of the session. The host does not cache a stage's result if the
   * stage reads it, so do not read it without need.
   */
  session(): string { return textOf(raw.BUF_SESSION); }

  /** Reports whether the config has a key. */
  has(key: string): bool { return kindOf(pointerTo(key)) >= 0; }

  /**
   * Returns a config value, or def if the key is missing or null. A value that is not a
   * string is a misuse: the call fails.
   */
  str(key: string, def: string): string {
    if (!isKind(key, raw.JSON_STRING, STRING)) return def;
    const p = pointerTo(key);
    const h = raw.jsonGet(raw.BUF_CONFIG, p.ptr, p.length);
    return h < 0 ? wrong(key, STRING, def) : take(h);
  }

  /** Returns a config value, or def; see str. */
  int(key: string, def: i32): i32 {
    const v = this.int64(key, def);
    return v == i64(i32(v)) ? i32(v) : wrong(key, INTEGER, def);
  }

  /** Returns a config value, or def; see str. */
  int64(key: string, def: i64): i64 {
    if (!isKind(key, raw.JSON_NUMBER, INTEGER)) return def;
    const p = pointerTo(key);
    return raw.jsonI64(raw.BUF_CONFIG, p.ptr, p.length, ANSWER) < 0 ? wrong(key, INTEGER, def) : load<i64>(ANSWER);
  }

  /** Returns a config value, or def; see str. */
  float(key: string, def: f64): f64 {
    if (!isKind(key, raw.JSON_NUMBER, NUMBER)) return def;
    const p = pointerTo(key);
    return raw.jsonF64(raw.BUF_CONFIG, p.ptr, p.length, ANSWER) < 0 ? wrong(key, NUMBER, def) : load<f64>(ANSWER);
  }

  /** Returns a config value, or def; see str. */
  bool(key: string, def: bool): bool {
    if (!isKind(key, raw.JSON_BOOL, BOOL)) return def;
    const p = pointerTo(key);
    return raw.jsonI64(raw.BUF_CONFIG, p.ptr, p.length, ANSWER) < 0 ? def : load<i64>(ANSWER) != 0;
  }

  /** Returns a list of strings in the config, or def; see str. */
  strs(key: string, def: string[]): string[] {
    if (!isKind(key, raw.JSON_ARRAY, LIST)) return def;
    const list: string[] = [];
    const p = pointerTo(key);
    const config = this.config;
    for (const m = config.json.each(take(raw.bufPut(p.ptr, p.length))); m.next();) {
      const item = raw.jsonText(raw.BUF_CONFIG, m.start, m.end);
      if (item < 0) return wrong(key, LIST, def);
      list.push(take(item));
    }
    return list;
  }

  /**
   * Sets metadata of the run: text or JSON, seen in events and metrics, never by the
   * client. The key "type" names the detected type of the content, for example
   * "json-array". Refusals: LIMIT beyond 64 keys or 16 KiB.
   */
  meta(key: string, value: string): i32 {
    const k = utf8(key);
    const v = utf8(value);
    return check(raw.metaSet(k.ptr, k.length, v.ptr, v.length));
  }

  /** Copies text into a Buf, for methods that take one. null with LIMIT beyond 16 MiB. */
  put(text: string): Buf | null {
    const t = utf8(text);
    return handle(raw.bufPut(t.ptr, t.length));
  }

  /** Sets the reason of a failure, in lower case with the relevant figures, and returns the return code of a failure. */
  fail(reason: string): i32 {
    const r = utf8(reason);
    raw.fail(r.ptr, r.length);
    return raw.RETURN_FAIL;
  }
}

/** The limits of a call. */
@unmanaged
export class Limits {
  get outputBytes(): i32 { return contextInt("/limits/outputBytes"); }
  get sections(): i32 { return contextInt("/limits/sections"); }
  get memoryBytes(): i32 { return contextInt("/limits/memoryBytes"); }
  /** The total of all waits for the LLM. */
  get llmMillis(): i32 { return contextInt("/limits/llmMs"); }
  get llmRequests(): i32 { return contextInt("/limits/llmRequests"); }
}

/** Returns a field of the context, or "" if the host does not set it. */
export function contextText(pointer: string): string { return changetype<Json>(bufOf(raw.BUF_CONTEXT)).str(pointer); }

/** Returns a number of the context, or a bool as 0 or 1; 0 if the host does not set it. */
export function contextInt(pointer: string): i32 { return i32(changetype<Json>(bufOf(raw.BUF_CONTEXT)).int(pointer)); }

function kindOf(p: Utf8): i32 {
  const kind = raw.jsonKind(raw.BUF_CONFIG, p.ptr, p.length);
  p.free();
  return kind;
}

/**
 * Reports whether a key of the config has a value of a kind. Another kind is a misuse; null
 * counts as missing.
 */
function isKind(key: string, kind: i32, want: u64): bool {
  const is = kindOf(pointerTo(key));
  if (is > 0 && is != kind) misusedKey(key, want);
  return is == kind;
}

/** Records that a config value has the wrong type, and returns the default. */
function wrong<T>(key: string, want: u64, def: T): T {
  misusedKey(key, want);
  return def;
}
