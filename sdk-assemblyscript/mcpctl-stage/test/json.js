import { JSON_ARRAY, JSON_BOOL, JSON_NULL, JSON_NUMBER, JSON_OBJECT, JSON_STRING } from "./zz_abi.js";

const STRING = /"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*"/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const BLANK = /[ \t\r\n]*/y;

/**
 * Lists the values of one JSON text in the order of their start, as byte offsets. The
 * children of a container follow it; next is the first node behind all of them. It does
 * not recurse. It throws where the text is none; the bytes are known to be UTF-8.
 */
export function parse(bytes) {
  // In this text a character is a byte, so what a RegExp finds are byte offsets.
  const s = { text: bytes.toString("latin1"), at: 0 };
  const nodes = [];
  const open = [];
  for (;;) {
    const n = member(s, open.length > 0 && open.at(-1).kind === JSON_OBJECT);
    nodes.push(n);
    if (open.length > 0) open.at(-1).children++;
    if (n.kind >= JSON_ARRAY && !eat(s, closer(n))) {
      open.push(n);
      continue;
    }
    n.end = s.at;
    n.next = nodes.length;
    if (behind(s, open, nodes)) return nodes;
  }
}

function fail(s) {
  throw new Error("not JSON at byte " + s.at);
}

function closer(n) {
  return n.kind === JSON_ARRAY ? "]" : "}";
}

function take(s, pattern) {
  pattern.lastIndex = s.at;
  const m = pattern.exec(s.text);
  if (!m) fail(s);
  s.at += m[0].length;
}

/** Takes a character, blanks before it too. */
function eat(s, c) {
  take(s, BLANK);
  if (s.text[s.at] !== c) return false;
  s.at++;
  return true;
}

function member(s, keyed) {
  const n = { kind: 0, keyStart: 0, keyEnd: 0, start: 0, end: 0, children: 0, next: 0 };
  take(s, BLANK);
  if (keyed) {
    n.keyStart = s.at;
    take(s, STRING);
    n.keyEnd = s.at;
    if (!eat(s, ":")) fail(s);
    take(s, BLANK);
  }
  n.start = s.at;
  n.kind = value(s);
  return n;
}

/** Takes a value, or the beginning of it if it is a container. */
function value(s) {
  const c = s.text[s.at];
  for (const [word, kind] of [["true", JSON_BOOL], ["false", JSON_BOOL], ["null", JSON_NULL], ["{", JSON_OBJECT], ["[", JSON_ARRAY]]) {
    if (s.text.startsWith(word, s.at)) {
      s.at += word.length;
      return kind;
    }
  }
  take(s, c === '"' ? STRING : NUMBER);
  return c === '"' ? JSON_STRING : JSON_NUMBER;
}

/** Takes what follows a whole value; true at the end of the text. */
function behind(s, open, nodes) {
  while (open.length > 0) {
    if (eat(s, ",")) return false;
    const top = open.pop();
    if (!eat(s, closer(top))) fail(s);
    top.end = s.at;
    top.next = nodes.length;
  }
  take(s, BLANK);
  if (s.at < s.text.length) fail(s);
  return true;
}

/** Follows a JSON pointer; of duplicate keys it takes the first. The position of a node, or -1. */
export function lookup(bytes, nodes, pointer) {
  let at = 0;
  for (const segment of pointer === "" ? [] : pointer.slice(1).split("/")) {
    at = child(bytes, nodes, at, segment.replaceAll("~1", "/").replaceAll("~0", "~"));
    if (at < 0) return -1;
  }
  return at;
}

function child(bytes, nodes, parent, segment) {
  const { kind, next } = nodes[parent];
  let i = 0;
  for (let at = parent + 1; at < next; at = nodes[at].next, i++) {
    if (kind === JSON_ARRAY ? String(i) === segment : unquote(bytes, nodes[at].keyStart, nodes[at].keyEnd) === segment) return at;
  }
  return -1;
}

/** Decodes a string literal that parse has accepted. */
export function unquote(bytes, start, end) {
  return JSON.parse(bytes.toString("utf8", start, end));
}

/** Whether a string holds half of a surrogate pair, which no text can hold. */
export function loneSurrogate(s) {
  return /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(s);
}
