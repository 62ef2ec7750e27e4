// The roles of a module: a list that starts with the one registered last.

import * as raw from "../raw/zz_raw";
import { utf8, utf8Word } from "./text";

/** An entry of the list. It is managed, so that the garbage collector keeps names and values. */
export class Role<T> {
  constructor(public next: Role<T> | null, public name: string, public value: T) {}
}

const POINTER = memory.data<u8>([0x2f, 0x72, 0x6f, 0x6c, 0x65]); // /role

/** Returns the current role: the only one, or the one that the context names; null if there is none. */
export function running<T>(list: Role<T> | null): Role<T> | null {
  if (list && !list.next) return list;
  const wanted = raw.jsonGet(raw.BUF_CONTEXT, POINTER, 5);
  let r: Role<T> | null = list;
  while (r) {
    const name = utf8(r.name);
    if (raw.bufLen(wanted) == name.length && raw.bufFind(wanted, 0, name.ptr, name.length) == 0) return r;
    r = r.next;
  }
  const reason = utf8Word(0x656c6f72206f6e); // no role
  raw.fail(reason.ptr, reason.length);
  return null;
}
