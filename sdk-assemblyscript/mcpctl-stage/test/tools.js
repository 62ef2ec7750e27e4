import { LIMIT_VIRTUAL_TOOLS } from "./zz_abi.js";

/** A tool with what follows from its name. */
export function filled(t) {
  const wire = t.wire ?? t.name.replaceAll("/", "__");
  const kind = t.kind ?? (t.name.includes("/") ? "upstream" : "virtual");
  const definition = t.definition || JSON.stringify({ name: wire, inputSchema: { type: "object" } });
  return { own: false, hidden: false, stale: false, ...t, wire, kind, definition };
}

const READ_SECTION = {
  name: "read_section", kind: "host", definition: JSON.stringify({
    name: "read_section", description: "reads a section of a stored result",
    inputSchema: { type: "object", properties: { ref: { type: "string" }, section: { type: "string" } }, required: ["ref"] },
  }),
};

/**
 * Every tool as the last list has left it: those that the controller added in it, those
 * that it added before, hidden, those of other controllers, of servers, of the host.
 */
export function allTools(s) {
  const before = s.own.filter((t) => !s.edits.added.some((a) => a.name === t.name)).map((t) => ({ ...t, hidden: true }));
  const given = s.tools.map(filled);
  const virtual = given.filter((t) => t.kind === "virtual");
  const upstream = given.filter((t) => t.kind !== "virtual");
  return [...s.edits.added, ...before, ...virtual, ...upstream, READ_SECTION].map((t) => edited(filled(t), s.edits));
}

function edited(t, edits) {
  if (edits.hidden.includes(t.name)) t.hidden = true;
  for (const p of edits.patches) {
    if (p.tool === t.name) t.definition = JSON.stringify(merged(JSON.parse(t.definition), JSON.parse(p.patch)));
  }
  return t;
}

/** RFC 7396. */
function merged(target, patch) {
  if (patch === null || typeof patch !== "object" || Array.isArray(patch)) return patch;
  const result = target !== null && typeof target === "object" && !Array.isArray(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = merged(result[key], value);
  }
  return result;
}

/** A tool by label or wire name. */
export function findTool(s, name) {
  return allTools(s).find((t) => t.name === name || t.wire === name);
}

/** Why the session cannot have tools, empty if it can. */
export function tooMany(s, added) {
  const names = new Set([...s.own, ...added].map((t) => t.name));
  return names.size > LIMIT_VIRTUAL_TOOLS ? `adds ${names.size} virtual tools to the session (limit 64)` : "";
}

/** The servers, or those that the tools name. */
export function servers(s) {
  if (s.servers) return s.servers.map((v) => ({ state: "ready", tools: 0, error: "", ...v }));
  const list = [];
  for (const t of s.tools.map(filled).filter((t) => t.kind === "upstream")) {
    const name = t.name.split("/")[0];
    let server = list.find((v) => v.name === name);
    if (!server) list.push(server = { name, state: "ready", tools: 0, error: "" });
    server.tools++;
  }
  return list;
}
