import * as raw from "../raw/zz_raw";
import { Base, contextInt, contextText } from "./base";
import { Buf, bufOf } from "./buf";
import { finish, textOf } from "./call";
import { Out } from "./out";
import { Role, running } from "./roles";
import { Sections } from "./section";

/** The result of a stage whose output is the new content. */
export const DONE: i32 = raw.RETURN_DONE;
/** The result of a stage that leaves the content unchanged: Sections and metadata count, output is dropped. */
export const PASS: i32 = raw.RETURN_PASS;

/** The API of a stage. It is valid during the call only. */
@unmanaged
export class Ctx extends Base {
  /** The output. */
  get out(): Out { return changetype<Out>(1); }
  /** The drill-down tree. */
  get sections(): Sections { return changetype<Sections>(1); }

  /** "prompt", "toolResult" or "resource". */
  get contentType(): string { return contextText("/contentType"); }
  /** The prompt's name, "server/tool" or the resource's URI. */
  get source(): string { return textOf(raw.BUF_NAME); }
  /** The media type from the server, which may be empty. */
  get mime(): string { return contextText("/mime"); }
  /** A path or URI among the arguments of the call, which often reveals the content's type. It may be empty. */
  get hint(): string { return contextText("/hint"); }

  /**
   * The arguments of the call as a JSON object: those that the server got and, under
   * "_question", the question that the model gave. It is empty if the manifest does not list
   * the capability "arguments", if the call has none, or if they are too large or withheld.
   */
  get arguments(): Buf { return bufOf(raw.BUF_ARGUMENTS); }
  /** The question in the arguments, "" if there is none. */
  get question(): string { return this.arguments.json.str("/_question"); }

  /** "text", or "structured" if the content is the JSON of structuredContent. */
  get partKind(): string { return contextText("/part/kind"); }
  /** The position among the parts of a result, and the number of parts. */
  get partIndex(): i32 { return contextInt("/part/index"); }
  get partCount(): i32 { return contextInt("/part/count"); }

  /** The position of the stage in the pipeline, and the number of stages. */
  get stageIndex(): i32 { return contextInt("/stage/index"); }
  get stageCount(): i32 { return contextInt("/stage/count"); }
}

/**
 * A stage. It reads c.input and writes c.out, and returns DONE, PASS, c.fail(...) or a
 * refusal, which is a negative number.
 */
export type Stage = (c: Ctx) => i32;

let roles: Role<Stage> | null = null;

/**
 * Registers f as the stage of a role. Call it at the top level. In a module with one role
 * the name of the role does not matter: without a manifest it is the name of the file.
 */
export function register(role: string, f: Stage): void { roles = new Role<Stage>(roles, role, f); }

/** Runs the stage of the current role and returns its return code. */
export function run(): i32 {
  const role = running<Stage>(roles);
  return role ? finish(role.value(changetype<Ctx>(1))) : raw.RETURN_FAIL;
}
