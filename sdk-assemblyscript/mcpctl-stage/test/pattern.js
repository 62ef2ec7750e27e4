import { CODE_BAD_ARG, GREP_DOT_ALL, GREP_IGNORE_CASE, GREP_LINES, GREP_LITERAL } from "./zz_abi.js";
import { Refusal } from "./refusal.js";

// The host has RE2. Where JavaScript can say the same, a pattern is translated; where it
// cannot, the test fails and names what can.

/** A RegExp that matches as the pattern does in the host. */
export function compile(pattern, flags) {
  const t = { pattern, at: 0, lines: (flags & GREP_LINES) !== 0, dotAll: (flags & GREP_DOT_ALL) !== 0, ignoreCase: (flags & GREP_IGNORE_CASE) !== 0 };
  let source;
  if (flags & GREP_LITERAL) {
    source = [...pattern].map(literal).join("");
  } else {
    leadingFlags(t);
    source = "";
    while (t.at < pattern.length) source += item(t);
  }
  try {
    return new RegExp(source, t.ignoreCase ? "giu" : "gu");
  } catch (e) {
    throw new Refusal(CODE_BAD_ARG, `pattern ${pattern}: ${e.message}`);
  }
}

/**
 * All matches, as pairs of offsets in text. An empty one is none where the one before ends,
 * and none inside a surrogate pair, where a look around finds some.
 */
export function matches(re, text, most) {
  const found = [];
  let end = -1;
  for (const m of text.matchAll(re)) {
    if (found.length === most) break;
    if (m[0] === "" && (m.index === end || insidePair(text, m.index))) continue;
    end = m.index + m[0].length;
    found.push([m.index, end]);
  }
  return found;
}

function insidePair(text, i) {
  return (text.charCodeAt(i) & 0xfc00) === 0xdc00 && (text.charCodeAt(i - 1) & 0xfc00) === 0xd800;
}

function unsure(t, what) {
  throw new Error(`pattern ${t.pattern}: what ${what} means is for RE2 to say, which is not here; test with "mcpctl stage test"`);
}

function refuse(t, what) {
  throw new Refusal(CODE_BAD_ARG, `pattern ${t.pattern}: ${what} is no syntax of RE2`);
}

/** (?i), (?m), (?s) at the beginning hold for the whole. */
function leadingFlags(t) {
  const m = /^\(\?([ims]+)\)/.exec(t.pattern);
  if (!m) return;
  t.at = m[0].length;
  t.ignoreCase ||= m[1].includes("i");
  t.lines ||= m[1].includes("m");
  t.dotAll ||= m[1].includes("s");
}

function literal(c) {
  return /[\\^$.*+?()[\]{}|/]/.test(c) ? "\\" + c : c;
}

function item(t) {
  const c = String.fromCodePoint(t.pattern.codePointAt(t.at));
  t.at += c.length;
  switch (c) {
    case ".": return t.dotAll ? "[^]" : "[^\\n]";
    case "^": return t.lines ? "(?<![^\\n])" : "^";
    case "$": return t.lines ? "(?![^\\n])" : "$";
    case "\\": return escaped(t, false);
    case "[": return set(t);
    case "(": return group(t);
    case "{": return repeat(t);
    case "}": case "]": case "/": return "\\" + c;
    default: return c;
  }
}

function group(t) {
  const rest = t.pattern.slice(t.at);
  if (!rest.startsWith("?")) return "(?:";
  const m = /^\?(?::|P?<[A-Za-z_]\w*>)/.exec(rest);
  if (m) {
    t.at += m[0].length;
    return "(?:";
  }
  return /^\?<?[=!]/.test(rest) ? refuse(t, "a look at what stands around") : unsure(t, "(" + rest.slice(0, 4));
}

function repeat(t) {
  const m = /^(\d+)(,(\d*))?\}/.exec(t.pattern.slice(t.at));
  if (!m) return "\\{";
  if (Number(m[1]) > 1000 || Number(m[3] ?? 0) > 1000) refuse(t, "a repeat count over 1,000");
  t.at += m[0].length;
  return "{" + m[0];
}

const SPACE = "\\t\\n\\f\\r ";

function escaped(t, inSet) {
  const c = t.pattern[t.at];
  if (c === undefined) refuse(t, "a backslash at the end");
  t.at++;
  if ("dDwWnrtfv".includes(c)) return "\\" + c;
  if (c === "a") return "\\x07";
  if (c === "s") return inSet ? SPACE : `[${SPACE}]`;
  if (c === "S") return inSet ? unsure(t, "\\S in a class") : `[^${SPACE}]`;
  if (c === "x") return hexadecimal(t);
  if (c === "p" || c === "P") return property(t, c);
  if (!inSet && (c === "b" || c === "B")) return "\\" + c;
  if (!inSet && c === "A") return "(?<![^])";
  if (!inSet && c === "z") return "(?![^])";
  if (c === "Q") unsure(t, "\\Q");
  if (/[A-Za-z0-9]/.test(c)) refuse(t, "\\" + c);
  return inSet ? (/[\^\-\]\\]/.test(c) ? "\\" + c : literal(c)) : literal(c);
}

function hexadecimal(t) {
  const m = /^(?:([0-9a-fA-F]{2})|\{([0-9a-fA-F]{1,6})\})/.exec(t.pattern.slice(t.at));
  if (!m) refuse(t, "\\x without digits");
  t.at += m[0].length;
  return `\\u{${m[1] ?? m[2]}}`;
}

function property(t, c) {
  const m = /^(?:([A-Z])|\{([A-Z][a-z]?)\})/.exec(t.pattern.slice(t.at));
  if (!m) unsure(t, "\\" + c + t.pattern.slice(t.at, t.at + 10));
  t.at += m[0].length;
  return `\\${c}{${m[1] ?? m[2]}}`;
}

const POSIX = {
  alnum: "0-9A-Za-z", alpha: "A-Za-z", ascii: "\\x00-\\x7f", blank: "\\t ", cntrl: "\\x00-\\x1f\\x7f", digit: "0-9",
  graph: "!-~", lower: "a-z", print: " -~", punct: "!-\\/:-@\\[-`\\{-~", space: "\\t\\n\\v\\f\\r ", upper: "A-Z", word: "\\w", xdigit: "0-9A-Fa-f",
};

function set(t) {
  let source = "[";
  if (t.pattern[t.at] === "^") {
    source += "^";
    t.at++;
  }
  for (let first = true; ; first = false) {
    const c = t.pattern.slice(t.at).match(/^[^]/u)?.[0];
    if (c === undefined) refuse(t, "a class without an end");
    t.at += c.length;
    const named = c === "[" && /^:(\w+):\]/.exec(t.pattern.slice(t.at));
    if (c === "]" && !first) return source + "]";
    if (c === "[" && t.pattern.startsWith(":^", t.at)) unsure(t, "[:^");
    if (named) {
      source += POSIX[named[1]] ?? refuse(t, "[:" + named[1] + ":]");
      t.at += named[0].length;
    } else if (c === "\\") {
      source += escaped(t, true);
    } else {
      source += "[]/".includes(c) ? "\\" + c : c;
    }
  }
}
