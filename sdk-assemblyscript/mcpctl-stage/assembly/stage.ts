import * as raw from "../raw/zz_raw";
import { Base, contextInt, contextText } from "./base";
import { finish, textOf } from "./call";
import { Out } from "./out";
import { Role, running } from "./roles";
import { Sections } from "./section";

/** What a stage returns if what it wrote is the result. */
export const DONE: i32 = raw.RETURN_DONE;
/** What it returns if the content goes on unchanged: Sections and metadata count, output does not. */
export const PASS: i32 = raw.RETURN_PASS;

/** All that a stage can see and do. It is valid during the call only. */
@unmanaged
export class Ctx extends Base {
  /** The new content. */
  get out(): Out { return changetype<Out>(1); }
  /** The drill-down tree. */
  get sections(): Sections { return changetype<Sections>(1); }

  /** "prompt", "toolResult" or "resource". */
  get contentType(): string { return contextText("/contentType"); }
  /** The prompt's name, "server/tool" or the resource's URI. */
  get source(): string { return textOf(raw.BUF_NAME); }
  /** The media type that the server gave; it may be empty. */
  get mime(): string { return contextText("/mime"); }
  /** A path or URI among the arguments of the call, the best single clue to the content's type; it may be empty. */
  get hint(): string { return contextText("/hint"); }

  /** "text", or "structured" if the content is the JSON of structuredContent. */
  get partKind(): string { return contextText("/part/kind"); }
  /** Position among the parts of one result, and how many there are. */
  get partIndex(): i32 { return contextInt("/part/index"); }
  get partCount(): i32 { return contextInt("/part/count"); }

  /** Position of the stage in the pipeline, and how many there are. */
  get stageIndex(): i32 { return contextInt("/stage/index"); }
  get stageCount(): i32 { return contextInt("/stage/count"); }
}

/**
 * A stage: it reads c.input and writes c.out, and returns DONE, PASS, c.fail(...) or what
 * the host refused, a number below zero.
 */
export type Stage = (c: Ctx) => i32;

let roles: Role<Stage> | null = null;

/**
 * Makes f the stage of a role; call it at the top level. In a module with one role, f
 * runs whatever the role is called, since without a manifest that is the name of the file.
 */
export function register(role: string, f: Stage): void { roles = new Role<Stage>(roles, role, f); }

/** One call, from the host's entry to its return code. */
export function run(): i32 {
  const role = running<Stage>(roles);
  return role ? finish(role.value(changetype<Ctx>(1))) : raw.RETURN_FAIL;
}
