import * as raw from "../raw/zz_raw";

// Refusals: a method returns one instead of a number; after null, lastCode returns it. A
// later host may have others.

/** There is no such key, pointer, position or name. */
export const NOT_FOUND: i32 = raw.CODE_NOT_FOUND;
/** An argument is not allowed. */
export const BAD_ARG: i32 = raw.CODE_BAD_ARG;
/** A limit was reached; nothing was done. */
export const LIMIT: i32 = raw.CODE_LIMIT;
/** Not configured, or currently unavailable. */
export const UNAVAILABLE: i32 = raw.CODE_UNAVAILABLE;
/** Not granted; the manifest must list the capability. */
export const DENIED: i32 = raw.CODE_DENIED;
/** Not ready within the time given. */
export const TIMEOUT: i32 = raw.CODE_TIMEOUT;
/** The LLM answered with an error. */
export const UPSTREAM: i32 = raw.CODE_UPSTREAM;
/** Not possible in this role or phase. */
export const UNSUPPORTED: i32 = raw.CODE_UNSUPPORTED;
/** The name is taken. */
export const CONFLICT: i32 = raw.CODE_CONFLICT;

// Kinds of JSON values.

export const NULL: i32 = raw.JSON_NULL;
export const BOOL: i32 = raw.JSON_BOOL;
export const NUMBER: i32 = raw.JSON_NUMBER;
export const STRING: i32 = raw.JSON_STRING;
export const ARRAY: i32 = raw.JSON_ARRAY;
export const OBJECT: i32 = raw.JSON_OBJECT;

// Flags of Buf.grep, which can be joined with |.

export const IGNORE_CASE: i32 = raw.GREP_IGNORE_CASE;
/** ^ and $ match at line ends. */
export const BY_LINE: i32 = raw.GREP_LINES;
/** The dot matches a newline. */
export const DOT_ALL: i32 = raw.GREP_DOT_ALL;
/** The pattern is plain text. */
export const LITERAL: i32 = raw.GREP_LITERAL;

/** Returns the name of a kind: "null", "bool", "number", "string", "array" or "object". */
export function kindName(kind: i32): string {
  switch (kind) {
    case NULL: return "null";
    case BOOL: return "bool";
    case NUMBER: return "number";
    case STRING: return "string";
    case ARRAY: return "array";
    case OBJECT: return "object";
    default: return "nothing";
  }
}
