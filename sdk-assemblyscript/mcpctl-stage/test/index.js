// Runs a built module in Node.js, so that `node --test` can check the logic of a stage or
// a hook:
//
//     import { runStage } from "mcpctl-stage/test";
//
//     const report = runStage("lead.wasm", "lead", { input: "a\n---\nb" });
//     assert.equal(report.output.toString(), "a");
//
// A stub answers the imports: it keeps content, config and Sections in memory and records
// the effects of the call. It is not the host. It has no LLM, enforces no limits,
// capabilities or order of Sections, derives no ids, and matches patterns with the regular
// expressions of JavaScript. An import that it lacks makes the test fail. `mcpctl stage
// test` runs the same module in the real host, with the archives in `testdata`, their LLM
// scripts and the laws.

import { call, load } from "./guest.js";
import { Stub } from "./stub.js";
import * as abi from "./zz_abi.js";

export { abi };

/**
 * Runs a stage of a module, which is a path, bytes or a WebAssembly.Module.
 *
 * The fields of given are optional:
 *
 *     input, original    strings or bytes; the original is the input by default
 *     config             object
 *     context            object, for example {mime: "text/csv"}
 *     source             name of the prompt, server/tool or URI of the resource
 *     arguments          object with the arguments of the call
 *     sections           Sections of earlier stages: [{parent, kind, start, end, id, title, summary, body}]
 *     cache              object with the cached values
 *
 * The report has outcome ("done", "pass" or "fail"), reason, output (a Buffer), indexes
 * (offsets in the output), sections, meta, log (["LEVEL TEXT"]) and cache. Cached values
 * are strings, or Buffers if they are not UTF-8.
 */
export function runStage(module, role, given) {
  const report = run(module, role, "mcpctl_stage", given);
  if (report.outcome === "done" && !report.wrote) return { ...report, outcome: "fail", reason: "returned DONE without output" };
  return report;
}

/**
 * Runs a hook of a controller, such as "tool_call". See runStage; these fields are of
 * hooks alone:
 *
 *     client    the client's call: {name, arguments}
 *     tools     the list of tools: [{name, wire, kind, tool}]
 *     state     object with the state of the session
 *
 * The report also has answer (a string), kind (flags of out_kind), before and after
 * (strings), state, and effects (["hide TOOL", "patch TOOL PATCH", "add DEFINITION",
 * "rewrite TOOL ARGUMENTS", "notify METHOD PARAMS"]).
 */
export function runHook(module, role, hook, given) {
  const report = run(module, role, "mcpctl_on_" + hook, given);
  return { ...report, answer: report.output.toString() };
}

function run(module, role, entry, given) {
  const stub = new Stub(role, given);
  const { code, trap } = call(load(module), entry, stub);
  if (stub.missing) throw new Error(`the test stub has no ${stub.missing}: test this with \`mcpctl stage test\``);
  return stub.report(code, trap);
}
