// Tests a built module with node alone:
//
//     import { testArchives } from "mcpctl-stage/test";
//
//     testArchives({ module: "lead.wasm", role: "lead", files: "testdata/*.txtar" });
//
// The imports are answered with the checks and limits of mcpctl's host. What is not here
// are a bounded memory and time, and RE2: a pattern that JavaScript has no equal of fails
// the test. "mcpctl stage test" runs the same archives in the host itself.
//
// The archive of a stage is a txtar file: comment lines, then parts, each after a line
// "-- NAME --". All but input may be absent.
//
//     config     JSON object
//     context    JSON object with contentType, source, mime, hint, project, filter
//     input      the content
//     llm        answer: and the rest is every answer; or one word: fails, slow, empty, lies
//     cache      what is kept already, a line "KEY: VALUE" each; "full" in a line: it takes
//                nothing more; "off": there is none. Without the part it is empty
//     want       the new content; absent if the stage passes or fails
//     index      where an index is to be printed, a line "OFFSET PATH" each: bytes of want
//                before it, and ids from the top as in /setup/first, / for the top itself;
//                limits of lines and bytes behind it if the stage has set them
//     fail       the reason, if the stage fails
//     sections   the tree, one "ID START-END" a line, children indented by two blanks; a kind
//                that is not exact stands behind, a summary after it in quotes
//     meta       metadata, one "KEY: VALUE" a line, those that matter
//     kept       what the stage has put into the cache, "KEY: VALUE" a line; empty: nothing
//
// In the cache a KEY or VALUE that is no plain text of one line is a string of JSON, in
// quotes; a VALUE that is no text is "hex " and its bytes. A part always ends in a newline:
// what must not is a file beside the archive, named under input-file or want-file.
//
// That of a controller has config, tools (label and definition a line), prompts, body NAME,
// stored, then what happens in order: llm, answer and cache hold from there on, and behind
// each hook (initialize, list, call NAME, result, close) stand the want of what it did and
// what it has kept, if they are to be compared.

import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import test from "node:test";
import { checkController, checkStage } from "./archive.js";
import { exportsOf, load } from "./guest.js";

export { Session } from "./session.js";
export { runStage } from "./stage.js";
export * as abi from "./zz_abi.js";

/**
 * Declares a test for each archive that a pattern such as "testdata/*.txtar" matches. Of a
 * module with stages and controllers, controller says what the role is.
 */
export function testArchives({ module, role, files, controller = !exportsOf(load(module)).has("mcpctl_stage") }) {
  const kind = controller ? checkController : checkStage;
  const names = readdirSync(dirname(files)).filter((name) => like(basename(files)).test(name));
  if (names.length === 0) throw new Error(`no archive matches ${files}`);
  for (const name of names.sort()) {
    test(basename(name, ".txtar"), () => kind(module, role, join(dirname(files), name)));
  }
}

function like(pattern) {
  return new RegExp("^" + pattern.split("*").map((s) => s.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join(".*") + "$");
}
