import { Refusal } from "./guest.js";
import * as abi from "./zz_abi.js";

/**
 * Returns the kind and the position in bytes of the JSON value at a pointer, and the
 * positions of its children as [key start, key end, start, end].
 */
export function find(bytes, pointer) {
  const text = bytes.toString("latin1"); // one character per byte
  if (!isJSON(bytes.toString())) throw new Refusal(abi.CODE_BAD_ARG, "not JSON");
  let value = scan(text, 0);
  for (const segment of pointer.split("/").slice(1)) {
    const key = segment.replaceAll("~1", "/").replaceAll("~0", "~");
    const name = ([start, end], i) => (start === end ? String(i) : JSON.parse(bytes.toString("utf8", start, end)));
    const child = value.children.find((c, i) => name(c, i) === key);
    if (!child) throw new Refusal(abi.CODE_NOT_FOUND);
    value = scan(text, child[2]);
  }
  return value;
}

function isJSON(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const KINDS = { "{": abi.JSON_OBJECT, "[": abi.JSON_ARRAY, '"': abi.JSON_STRING, t: abi.JSON_BOOL, f: abi.JSON_BOOL, n: abi.JSON_NULL };
const TOKEN = /[\s,:]*("(?:[^"\\]|\\.)*"|[^\s,:{}[\]"]+|[{}[\]])/y;

/** Scans the value of a valid text that starts at or after an offset. */
function scan(text, offset) {
  TOKEN.lastIndex = offset;
  const next = () => TOKEN.exec(text)[1];
  const first = next();
  const start = TOKEN.lastIndex - first.length;
  const kind = KINDS[first[0]] ?? abi.JSON_NUMBER;
  const children = [];
  if (kind < abi.JSON_ARRAY) return { kind, start, end: TOKEN.lastIndex, children };
  let at = TOKEN.lastIndex;
  for (let token = next(); token !== "]" && token !== "}"; token = next()) {
    let [keyStart, keyEnd] = [0, 0];
    if (kind === abi.JSON_OBJECT) {
      [keyStart, keyEnd] = [TOKEN.lastIndex - token.length, TOKEN.lastIndex];
      at = keyEnd;
    }
    const child = scan(text, at);
    children.push([keyStart, keyEnd, child.start, child.end]);
    at = TOKEN.lastIndex = child.end;
  }
  return { kind, start, end: TOKEN.lastIndex, children };
}
