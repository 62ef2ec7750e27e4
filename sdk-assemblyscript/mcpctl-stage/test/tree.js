import * as abi from "./zz_abi.js";
import { unquote } from "./json.js";
import { commas } from "./refusal.js";

const { SECTION_DECODED: DECODED, SECTION_DERIVED: DERIVED, SECTION_EXACT: EXACT, SECTION_GROUP: GROUP } = abi;

/**
 * The Sections of one call and what is known about each. A Section is {parent, kind, start,
 * end, literal, id, title, summary, text}; text is its bytes.
 */
export class Tree {
  constructor(sections, original) {
    this.sections = [];
    this.facts = []; // depth, children, the nearest exact ancestor, where the last of its ordered children ends
    this.earlier = sections.length;
    this.textBytes = 0;
    this.topEnd = { lastEnd: 0 };
    for (const s of sections) {
      const given = { parent: -1, kind: EXACT, literal: null, id: "", title: "", summary: "", text: Buffer.alloc(0), ...s };
      this.append({ ...given, text: textOf(given, original) });
    }
  }

  append(s) {
    const fact = { depth: 0, children: 0, exact: this.exactAncestor(s.parent), lastEnd: 0 };
    if (s.parent >= 0) {
      this.facts[s.parent].children++;
      fact.depth = this.facts[s.parent].depth + 1;
    }
    if (this.ordered(s)) this.siblings(s.parent).lastEnd = s.end;
    this.sections.push(s);
    this.facts.push(fact);
    this.textBytes += size(s.id) + size(s.title) + size(s.summary) + (s.kind === DERIVED ? s.text.length : 0);
  }

  /** Drops all Sections but the first n. */
  truncate(n) {
    const kept = this.sections.slice(0, n);
    [this.sections, this.facts, this.textBytes, this.topEnd] = [[], [], 0, { lastEnd: 0 }];
    for (const s of kept) this.append(s);
  }

  /** Whether a Section must come after its siblings: an exact one at the top or under an exact one. */
  ordered(s) {
    return s.kind === EXACT && (s.parent < 0 || this.sections[s.parent].kind === EXACT);
  }

  siblings(parent) { return parent < 0 ? this.topEnd : this.facts[parent]; }

  exactAncestor(parent) {
    return parent < 0 || this.sections[parent].kind === EXACT ? parent : this.facts[parent].exact;
  }

  /** The Section at i, or the nearest one above it that is no group; -1: there is none. */
  holder(i) {
    while (i >= 0 && this.sections[i].kind === GROUP) i = this.sections[i].parent;
    return i;
  }

  /** Buffer 5. */
  records() {
    const b = Buffer.alloc(this.sections.length * abi.SECTION_RECORD_SIZE);
    this.sections.forEach((s, i) => {
      const flags = s.summary ? abi.SECTION_HAS_SUMMARY : 0;
      [s.parent, s.kind, s.start, s.end, this.facts[i].depth, this.facts[i].children, flags, 0]
        .forEach((v, k) => b.writeInt32LE(v, i * abi.SECTION_RECORD_SIZE + 4 * k));
    });
    return b;
  }

  /** Why a Section cannot stand below its parent, empty if it can. */
  misplaced(s) {
    if (s.kind === DECODED) return this.misplacedDecoded(s);
    if (s.kind !== EXACT) return "";
    const a = this.sections[this.exactAncestor(s.parent)];
    if (a && (s.start < a.start || s.end > a.end)) return "leaves its nearest exact ancestor";
    const { lastEnd } = this.siblings(s.parent);
    if (this.ordered(s) && s.start < lastEnd) return `starts at ${commas(s.start)}, before its sibling ends at ${commas(lastEnd)}`;
    return "";
  }

  misplacedDecoded(s) {
    if (s.parent < 0) return "a decoded section needs the section that holds its string as parent";
    const p = this.sections[this.holder(s.parent)];
    if (!p) return "a group at the top holds no string";
    if (p.kind === DERIVED) return "its parent is neither exact nor decoded";
    if (p.kind === EXACT) return s.literal.start < p.start || s.literal.end > p.end ? "its string is not inside its parent" : "";
    if (p.literal.start !== s.literal.start || p.literal.end !== s.literal.end) return "its parent is of another string";
    return s.start < p.start || s.end > p.end ? "leaves its decoded parent" : "";
  }

  /** Why a tree cannot stand: two Sections claim the same bytes, whatever stands between them. */
  overlap() {
    const last = new Map(); // of what lies around: the claim before
    const claims = this.sections.map((s, i) => ({ s, around: this.around(s, i) })).filter((c) => c.around !== null);
    for (const { s, around } of claims.sort((a, b) => a.s.start - b.s.start)) {
      const before = last.get(around);
      if (before && s.start < before.end) return `sections ${JSON.stringify(before.id)} and ${JSON.stringify(s.id)} overlap at byte ${commas(s.start)}`;
      last.set(around, s);
    }
    return "";
  }

  /** What a Section takes a span of; null if of nothing. */
  around(s, i) {
    if (s.kind === EXACT) return "exact " + this.facts[i].exact;
    if (s.kind !== DECODED) return null;
    const h = this.holder(s.parent);
    return `decoded ${s.literal.start} ${this.sections[h].kind === DECODED ? h : -1}`;
  }
}

export function size(text) { return Buffer.byteLength(text); }

/** The bytes of a Section that came with the call. */
function textOf(s, original) {
  if (s.kind === EXACT) return original.subarray(s.start, s.end);
  if (s.kind === DECODED) return Buffer.from(unquote(original, s.literal.start, s.literal.end)).subarray(s.start, s.end);
  return Buffer.from(s.text);
}
