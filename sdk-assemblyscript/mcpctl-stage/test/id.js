import { createHash } from "node:crypto";
import { SECTION_GROUP } from "./zz_abi.js";
import { cut } from "./utf8.js";

/** Gives added Sections their final ids, as the host does. */
export function settle(tree) {
  const taken = new Map(); // of an owner and an id: the highest number tried
  const numbers = numbered(tree);
  tree.sections.forEach((s, i) => {
    const owner = tree.holder(s.parent);
    if (i >= tree.earlier) s.id = free(taken, owner, wanted(s, numbers[i]));
    taken.set(owner + "/" + s.id, 1);
  });
}

function wanted(s, number) {
  const id = s.id || slug(s.title) || String(number);
  return s.kind === SECTION_GROUP && !id.startsWith("@") ? "@" + id : id;
}

function free(taken, owner, id) {
  const key = owner + "/" + id;
  if (!taken.has(key)) return id;
  for (let n = taken.get(key) + 1; ; n++) {
    if (taken.has(`${key}-${n}`)) continue;
    taken.set(key, n);
    return `${id}-${n}`;
  }
}

/** Counts the children of each owner by where they start, each kind for itself. */
function numbered(tree) {
  const order = tree.sections.map((_, i) => i).sort((a, b) => tree.sections[a].start - tree.sections[b].start);
  const next = new Map();
  const numbers = [];
  for (const i of order) {
    const row = tree.holder(tree.sections[i].parent) + "/" + tree.sections[i].kind;
    numbers[i] = next.get(row) ?? 0;
    next.set(row, numbers[i] + 1);
  }
  return numbers;
}

/** Letters and digits in lower case, every other run one dash, none at the ends. */
function slug(title) {
  return shorten(title.split(/[^\p{L}\p{Nd}]+/u).filter(Boolean).join("-").toLowerCase());
}

/** Escapes what a segment of a path cannot hold, and what a reader does not see. */
export function segment(id) {
  const text = id.replace(/[\s\p{Cc}\p{Cf}/%?![\]\u0085]|^[~@]/gu, (c) => [...Buffer.from(c)].map((b) => "%" + b.toString(16).toUpperCase().padStart(2, "0")).join(""));
  return shorten(text);
}

/** Ends an id of more than 60 bytes in a hash of the whole. It cuts inside no character and no escape. */
function shorten(id) {
  const bytes = Buffer.from(id);
  if (bytes.length <= 60) return id;
  const head = cut(bytes, 51).toString().replace(/%[0-9A-F]?$/, "");
  return head + "-" + createHash("sha256").update(bytes).digest("hex").slice(0, 8);
}
