import { parse, unquote } from "./json.js";

/** How deep an object may be that a controller makes. */
const MOST_LEVELS = 128;

/** Why bytes are no JSON object that can be sent on, empty if they are: of bounded depth, no key twice. */
export function notObject(bytes) {
  let nodes;
  try {
    nodes = parse(bytes);
  } catch {
    return "is not JSON";
  }
  const kind = kindOf(JSON.parse(bytes.toString()));
  if (kind !== "an object") return `is ${kind}, want an object`;
  const open = []; // containers around, each with the keys it has had
  for (const [i, n] of nodes.entries()) {
    while (open.length > 0 && open.at(-1).next <= i) open.pop();
    if (n.keyEnd > 0) {
      const key = unquote(bytes, n.keyStart, n.keyEnd);
      if (open.at(-1).keys.has(key)) return `has duplicate key ${JSON.stringify(key)}`;
      open.at(-1).keys.add(key);
    }
    if (n.next > i + 1 || n.children > 0) open.push({ next: n.next, keys: new Set() });
    if (open.length > MOST_LEVELS) return "is deeper than 128";
  }
  return "";
}

export function kindOf(v) {
  if (v === null) return "null";
  if (Array.isArray(v)) return "an array";
  return { object: "an object", string: "a string", boolean: "a bool", number: "a number" }[typeof v];
}

/** Fields of the types of content that MCP knows, each with its kind. */
const BLOCKS = {
  text: { text: "a string" }, image: { data: "a string", mimeType: "a string" }, audio: { data: "a string", mimeType: "a string" },
  resource_link: { uri: "a string", name: "a string" }, resource: { resource: "an object" },
};

/** Why bytes are not the result of a tools/call, empty if they are. */
export function notResult(bytes) {
  let result;
  try {
    result = JSON.parse(bytes.toString());
  } catch {
    return "it is no JSON";
  }
  if (kindOf(result) !== "an object") return `it is ${kindOf(result)}, want an object`;
  const why = demand(result, "", { content: "an array" }, { isError: "a bool", structuredContent: "an object" });
  return why || result.content.map((b, i) => notBlock(b, `content[${i}]`)).find(Boolean) || "";
}

function notBlock(b, place) {
  if (kindOf(b) !== "an object") return `${place} is ${kindOf(b)}, want an object`;
  return demand(b, place + ".", { type: "a string" }) || demand(b, place + ".", BLOCKS[b.type] ?? {});
}

/** Why an object lacks a field, or has one of another kind. */
export function demand(object, place, must, may = {}) {
  for (const [name, is] of Object.entries({ ...may, ...must })) {
    if (!(name in object)) {
      if (name in must) return `${place}${name} missing`;
    } else if (kindOf(object[name]) !== is) {
      return `${place}${name} is ${kindOf(object[name])}, want ${is}`;
    }
  }
  return "";
}
