import * as raw from "../raw/zz_raw";
import { finish } from "../assembly/call";
import { Role, running } from "../assembly/roles";
import { Ctx } from "./ctx";

/**
 * A hook returns DONE if it has answered, PASS if the host is to go on, c.fail(...) or what
 * the host refused, a number below zero: all that it wanted to change is dropped then.
 */
export type Hook = (c: Ctx) => i32;

/**
 * What a controller does; a hook that is null passes. Where there is nothing to answer,
 * in toolsList and close, DONE is the same as PASS.
 */
export class Hooks {
  /** A client connects. The answer is added to the instructions that it reads; clientInfo says how much there is room for. Input is the params. */
  initialize: Hook | null = null;
  /** The list is needed; edit it by hideTool, patchTool and addTool. The edits of the last list count, so make all of them each time. Input is {"reason":"list"}, or lookup before a call of a tool that no list has had. */
  toolsList: Hook | null = null;
  /** Before a call is routed. DONE answers it, PASS lets it go on. Input is its arguments. Calls of the controller's own tools come here too: tell them by tool; one that nobody answers is an error. */
  toolCall: Hook | null = null;
  /** A server has answered. DONE replaces the result, PASS keeps it. Input is the result, or {"error":{...}}; its parts are stored by now. */
  toolResult: Hook | null = null;
  /** The session has ended, its state is dropped afterwards. Input is {"reason":"client"}, idle or shutdown. */
  close: Hook | null = null;
}

let roles: Role<Hooks> | null = null;

/** Makes h the controller of a role; call it at the top level. In a module with one, h runs whatever the role is called. */
export function register(role: string, h: Hooks): void { roles = new Role<Hooks>(roles, role, h); }

/** One call of a hook, from the host's entry to its return code: pick gives it. */
export function run(pick: (h: Hooks) => Hook | null): i32 {
  const role = running<Hooks>(roles);
  if (!role) return raw.RETURN_FAIL;
  const f = pick(role.value);
  return f ? finish(f(changetype<Ctx>(1))) : raw.RETURN_PASS;
}
