import { DONE, lastCode, PASS, quote } from "mcpctl-stage";
import { Ctx, IS_ERROR, STAGES, WHOLE_RESULT } from "mcpctl-stage/controller";
import { ask } from "./llm";
import { config, fate, fateOf } from "./words";

export function steerCase(c: Ctx, name: string): i32 {
  if (name == "pass") return pass(c, "dropped");
  if (name == "done") return c.answer.write(c.hook);
  if (name == "fail") return fail(c);
  if (name == "context") return c.answer.write(context(c));
  if (name == "buffers") return buffers(c);
  if (name == "base") return base(c);
  if (name == "count") return count(c);
  if (name == "state") return state(c);
  if (name == "list") return list(c);
  if (name == "tools") return tools(c);
  if (name == "servers") return servers(c);
  if (name == "prompts") return prompts(c);
  if (name == "prompt") return prompt(c);
  if (name == "propose") return propose(c);
  if (name == "refuse") return c.refuse(c.str("text", ""));
  if (name == "whole") return answerAs(c, WHOLE_RESULT);
  if (name == "stages") return answerAs(c, IS_ERROR | STAGES);
  if (name == "blocks") return blocks(c);
  if (name == "rewrite") return rewrite(c);
  if (name == "notify") return notify(c);
  if (name == "content") return content(c);
  if (name == "early") return early(c);
  if (name == "think") return c.answer.write(ask(c));
  if (name == "close") return close(c);
  return c.fail(`case ${quote(name)} unknown`);
}

function pass(c: Ctx, text: string): i32 {
  c.answer.write(text);
  return PASS;
}

function fail(c: Ctx): i32 {
  c.state.set("k", "v");
  return c.fail("no at " + c.hook);
}

function answerAs(c: Ctx, kind: i32): i32 {
  const code = c.answerIs(kind);
  return code < 0 ? code : c.answer.write(c.str("text", ""));
}

function context(c: Ctx): string {
  const client = c.clientInfo;
  let text = `hook=${c.hook}\nrole=${c.role}\nproject=${c.project}\ngated=${c.gated}\ntimeMs=${c.timeMillis}\n` +
    `protocol=${c.protocol}\ncontroller=${c.controllerIndex} ${c.controllerCount}\n` +
    `client=${client.name} ${client.version} ${client.listChanged} ${client.structuredOnly} ${client.instructionsChars}\n` +
    `tool=${c.tool}\nsession=${c.session()}\n`;
  if (c.hook == "on_tool_call" || c.hook == "on_tool_result") {
    const call = c.called;
    text += `call=${call.id} ${call.tool} ${call.wire} ${call.virtual} ${call.rewritten} ${call.listed} ${call.readOnly}\n`;
  }
  if (c.hook != "on_tool_result") return text;
  const result = c.result;
  text += `result=${result.isError} ${result.protocolError} ${result.answeredBy} ${result.bytes}\n`;
  for (const p = result.contents; p.next();) text += `content=${p.ref} ${p.kind} ${p.index} ${p.bytes} ${p.mime}\n`;
  return text;
}

function buffers(c: Ctx): i32 {
  c.answer.span(c.client);
  c.answer.write("\n");
  c.answer.span(c.input);
  c.answer.write("\n");
  c.answer.span(c.original);
  return c.answer.write("\n");
}

function base(c: Ctx): i32 {
  const key = c.str("text", "");
  const kept = c.cache.get(key);
  c.answer.write(config(c) + (kept ? kept.text() : "miss") + "\n");
  c.meta("type", "markdown");
  c.log.info("here");
  return c.answer.write(fateOf(c.cache.set(key, c.str("more", ""))) + "\n");
}

function count(c: Ctx): i32 {
  const kept = c.state.get("n");
  const n = (kept ? i32.parse(kept) + 1 : 1).toString();
  const code = c.state.set("n", n);
  if (code < 0) return code;
  c.log.info(fateOf(c.state.delete("old")));
  return c.answer.write(n);
}

function state(c: Ctx): i32 {
  c.answer.write(fateOf(c.state.delete("nobody")) + "\n");
  c.answer.write(fateOf(c.state.set("", "v")) + "\n");
  c.answer.write(fateOf(c.state.set("k", "v")) + "\n");
  const k = c.state.get("k");
  const nobody = c.state.get("nobody");
  return c.answer.write((k ? k : "missing") + "\n" + (nobody ? nobody : "missing") + "\n");
}

const VIRTUAL = `{"name":"kit_hello","inputSchema":{"type":"object"}}`;

function list(c: Ctx): i32 {
  c.log.info(fateOf(c.hideTool(c.str("text", ""))));
  c.log.info(fateOf(c.patchTool(c.str("more", ""), `{"description":"patched"}`)));
  c.log.info(fateOf(c.addTool(VIRTUAL)));
  return PASS;
}

function tools(c: Ctx): i32 {
  for (const t = c.tools(); t.next();) {
    const about = t.field("/description");
    c.answer.write(`${t.name} ${t.wire} ${t.kind} ${t.own} ${t.hidden} ${t.stale} ${about ? about : "-"}\n`);
  }
  return DONE;
}

function servers(c: Ctx): i32 {
  for (const s = c.servers(); s.next();) c.answer.write(`${s.name} ${s.state} ${s.tools} ${s.error}\n`);
  return DONE;
}

function prompts(c: Ctx): i32 {
  for (const p = c.prompts(); p.next();) {
    c.answer.write(`${p.name}|${p.project}|${p.priority}|${p.summary}|${p.chapters.join(",")}|${p.bytes}|` +
      `${p.hash}|${p.link}|${p.linkStatus}|${p.ref}\n`);
  }
  return DONE;
}

function prompt(c: Ctx): i32 {
  const name = c.str("text", "");
  const body = c.promptBody(name);
  c.answer.write((body ? body.text() : fate()) + "\n");
  const stored = c.promptStored(name);
  return c.answer.write((stored ? stored.text() : fate()) + "\n");
}

function propose(c: Ctx): i32 {
  const id = c.proposePrompt(c.str("text", ""));
  return c.answer.write((id ? id : fate()) + "\n");
}

function blocks(c: Ctx): i32 {
  const first = c.before();
  if (!first) return lastCode();
  first.write("one");
  const second = c.before();
  if (!second) return lastCode();
  second.write("two");
  second.span(c.input);
  const after = c.after();
  if (!after) return lastCode();
  after.write("three");
  c.log.info(fateOf(first.write("more")));
  return PASS;
}

function rewrite(c: Ctx): i32 {
  const at = c.input.json.span("/arguments");
  if (!at) return lastCode();
  c.log.info(fateOf(c.rewrite(c.str("text", ""), c.input, at.start, at.length)));
  return PASS;
}

function notify(c: Ctx): i32 {
  c.log.info(fateOf(c.toolsChanged()));
  c.log.info(fateOf(c.notify("notifications/message", `{"level":"info","data":"kit"}`)));
  c.log.info(fateOf(c.notify(c.str("text", ""))));
  return PASS;
}

function content(c: Ctx): i32 {
  for (const p = c.result.contents; p.next();) {
    const bytes = c.openContent(p.ref);
    if (!bytes) return lastCode();
    c.answer.span(bytes);
    const facts = c.contentMeta(p.ref);
    if (!facts) return lastCode();
    const section = c.section(p.ref, "?two");
    if (!section) return lastCode();
    c.answer.write(`\n${facts.json.int("/bytes")}\n${section.text()}\n`);
  }
  const nobody = "aaaaaaaaaaaaaaaa";
  c.openContent(nobody);
  c.answer.write(fate() + "\n");
  c.contentMeta(nobody);
  c.answer.write(fate() + "\n");
  c.section(nobody, "?two");
  return c.answer.write(fate() + "\n");
}

function early(c: Ctx): i32 {
  c.before();
  c.log.info(fate());
  c.log.info(fateOf(c.answerIs(IS_ERROR)));
  const tool = c.str("text", "");
  c.log.info(fateOf(c.rewrite(tool, c.input)));
  c.log.info(fateOf(c.hideTool(tool)));
  c.log.info(fateOf(c.addTool(VIRTUAL)));
  return PASS;
}

function close(c: Ctx): i32 {
  c.log.info(c.input.json.str("/reason"));
  return PASS;
}
