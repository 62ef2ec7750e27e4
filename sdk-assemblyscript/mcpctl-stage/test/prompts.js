import { createHash } from "node:crypto";
import { LINK_ALIVE, LINK_DEAD, LINK_NONE, LINK_UNKNOWN, PROMPT_RECORD_SIZE } from "./zz_abi.js";
import { refOf } from "./session.js";

/** What a controller is told of the prompts: the most important first, those of one priority by name. */
export function promptList(s) {
  const list = s.prompts.map((p) => {
    const stored = p.stored ?? p.body ?? "";
    return {
      name: p.name, project: p.project ?? s.project, priority: p.priority ?? 5, summary: p.summary ?? "", chapters: p.chapters ?? [],
      bytes: Buffer.byteLength(stored), hash: createHash("sha256").update(stored).digest("hex"), link: p.link ?? "",
      linkStatus: p.linkStatus ?? (p.link ? "alive" : ""), ref: s.read.has(p.name) ? refOf(p.body ?? "") : "",
    };
  });
  return list.sort((a, b) => b.priority - a.priority || Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)));
}

const STATUS = { "": LINK_NONE, alive: LINK_ALIVE, dead: LINK_DEAD, unknown: LINK_UNKNOWN };

/** The same in binary: count and size of a record, the records, the lines that are searched, all other texts. */
export function promptRecords(list) {
  const searched = list.map((p) => [p.name, p.summary, ...p.chapters].map((text) => Buffer.from(text.replaceAll("\n", " ") + "\n")));
  let at = 8 + list.length * PROMPT_RECORD_SIZE;
  let end = at + searched.flat().reduce((sum, line) => sum + line.length, 0);
  const others = [];
  const head = Buffer.alloc(8);
  head.writeUInt32LE(list.length, 0);
  head.writeUInt32LE(PROMPT_RECORD_SIZE, 4);
  const records = list.map((p, i) => {
    const [name, summary, ...chapters] = searched[i].map((line) => line.length);
    const words = [at, at + name - 1, at + name, at + name + summary - 1];
    const [from, size] = [at + name + summary, chapters.reduce((sum, n) => sum + n, 0)];
    words.push(...(size ? [from, from + size - 1] : [from - 1, from - 1]));
    at = from + size;
    for (const text of [p.project, p.link, p.ref].map((text) => Buffer.from(text))) {
      words.push(end, end += text.length);
      others.push(text);
    }
    words.push(p.priority, p.bytes, STATUS[p.linkStatus], 0);
    const record = Buffer.alloc(4 * words.length);
    words.forEach((v, k) => record.writeUInt32LE(v, 4 * k));
    return Buffer.concat([record, Buffer.from(p.hash, "hex")]);
  });
  return Buffer.concat([head, ...records, ...searched.flat(), ...others]);
}
