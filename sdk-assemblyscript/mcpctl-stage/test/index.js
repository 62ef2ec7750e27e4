// Tests a built module with node alone:
//
//     import { testArchives } from "mcpctl-stage/test";
//
//     testArchives({ module: "lead.wasm", role: "lead", files: "testdata/*.txtar" });
//
// The imports are answered with the checks and limits of mcpctl's host. What is not here
// are a bounded memory and time, and RE2: a pattern that JavaScript has no equal of fails
// the test. "mcpctl stage test" runs the same archives in the host itself.

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
