// The roles of a module, by name.

import * as raw from "../raw/zz_raw";
import { utf8 } from "./text";

/** One role and what it runs. */
export class Role<T> {
  constructor(public name: string, public value: T, public next: Role<T> | null) {}
}

export class Roles<T> {
  private last: Role<T> | null = null;

  add(name: string, value: T): void { this.last = new Role<T>(name, value, this.last); }

  /** The role that runs: the only one, or that of the context; null if there is none. */
  running(): Role<T> | null {
    let r = this.last;
    if (r && !r.next) return r;
    const h = this.wanted();
    while (r) {
      const name = utf8(r.name);
      if (raw.bufLen(h) == name.length && raw.bufFind(h, 0, name.ptr, name.length) == 0) return r;
      r = r.next;
    }
    return null;
  }

  /** Fails: the module does not have the role. */
  unknown(): i32 {
    const reason = utf8("module does not have the role");
    raw.fail(reason.ptr, reason.length);
    return raw.RETURN_FAIL;
  }

  private wanted(): i32 {
    const p = utf8("/role");
    return raw.jsonGet(raw.BUF_CONTEXT, p.ptr, p.length);
  }
}
