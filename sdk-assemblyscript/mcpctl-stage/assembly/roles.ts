// The roles of a module: a list, the one registered last first.

import * as raw from "../raw/zz_raw";
import { utf8, utf8Word } from "./text";

@unmanaged
class Role {
  next: usize;
  name: usize;
  value: usize;
}

/** Puts a role before the others; the new list. */
export function withRole<T>(list: usize, name: string, value: T): usize {
  const r = changetype<Role>(heap.alloc(offsetof<Role>()));
  r.next = list;
  r.name = changetype<usize>(name);
  r.value = changetype<usize>(value);
  return changetype<usize>(r);
}

const POINTER = memory.data<u8>([0x2f, 0x72, 0x6f, 0x6c, 0x65]); // /role

/** What the role that runs was registered with, the only one or that of the context; 0 if it is none of them. */
export function running(list: usize): usize {
  let r = changetype<Role>(list);
  if (list && !r.next) return r.value;
  const wanted = raw.jsonGet(raw.BUF_CONTEXT, POINTER, 5);
  while (changetype<usize>(r)) {
    const name = utf8(changetype<string>(r.name));
    if (raw.bufLen(wanted) == name.length && raw.bufFind(wanted, 0, name.ptr, name.length) == 0) return r.value;
    r = changetype<Role>(r.next);
  }
  const reason = utf8Word(0x656c6f72206f6e); // no role
  raw.fail(reason.ptr, reason.length);
  return 0;
}
