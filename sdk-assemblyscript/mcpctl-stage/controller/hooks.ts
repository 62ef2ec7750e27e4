import * as raw from "../raw/zz_raw";
import { finish } from "../assembly/call";
import { Role, running } from "../assembly/roles";
import { Ctx } from "./ctx";

/**
 * A hook returns DONE if it has answered, PASS if the host should continue, c.fail(...) or a
 * refusal, which is a negative number. After a failure all its effects are dropped.
 */
export type Hook = (c: Ctx) => i32;

/**
 * The hooks of a controller. A hook that is null passes. In toolsList and close, which have
 * no answer, DONE is the same as PASS.
 */
export class Hooks {
  /** Runs when a client connects. The answer is added to its instructions; clientInfo has the maximum length. The input is the params. */
  initialize: Hook | null = null;
  /** Runs when the list of tools is needed; edit it with hideTool, patchTool and addTool. Only the edits of the last run count, so make all of them each time. The input is {"reason":"list"}, or "lookup" before a call of a tool that was not listed. */
  toolsList: Hook | null = null;
  /** Runs before a call is routed. DONE answers the call, PASS continues it. The input is its arguments. Calls of the controller's virtual tools arrive here too, with their name in c.tool; it is an error not to answer them. */
  toolCall: Hook | null = null;
  /** Runs after a server has answered. DONE replaces the result, PASS keeps it. The input is the result, or {"error":{...}}. Its parts are already stored. */
  toolResult: Hook | null = null;
  /** Runs when the session has ended; its state is dropped afterwards. The input is {"reason":"client"}, "idle" or "shutdown". */
  close: Hook | null = null;
}

let roles: Role<Hooks> | null = null;

/** Registers h as the controller of a role. Call it at the top level. In a module with one controller the name of the role does not matter. */
export function register(role: string, h: Hooks): void { roles = new Role<Hooks>(roles, role, h); }

/** Runs the hook that pick returns, and returns its return code. */
export function run(pick: (h: Hooks) => Hook | null): i32 {
  const role = running<Hooks>(roles);
  if (!role) return raw.RETURN_FAIL;
  const f = pick(role.value);
  return f ? finish(f(changetype<Ctx>(1))) : raw.RETURN_PASS;
}
