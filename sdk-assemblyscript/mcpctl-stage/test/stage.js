import { additions } from "./additions.js";
import * as abi from "./zz_abi.js";
import { call, load } from "./guest.js";
import { bad, buffer, OWN } from "./buffers.js";
import { Host, limits, notText } from "./host.js";
import { segment, settle } from "./id.js";
import { commas, Refusal } from "./refusal.js";
import { size, Tree } from "./tree.js";
import { cut, isText } from "./utf8.js";

/**
 * Runs a role of a built module over one content, in a guest of its own.
 *
 * A call is all that the run can see; all but input may be absent:
 *
 *     input, original    strings or bytes; original is input unless it is given
 *     config             object, with its defaults filled in
 *     context            project, contentType, source, mime, hint, filter, part, stage, limits
 *     sections           what the previous stage left: [{parent, start, end, id, title}]
 *     marks              what it marked in input: [{offset, section, lines, bytes}]
 *     session            opaque name of the session
 *     llm                function from a question to a reply, see LLM; none: no LLM
 *     cache              object with what was kept before; what is kept is added to it
 *     cacheWay           "full": it takes nothing more, "off": there is none
 *
 * What comes out: outcome ("done", "pass", "fail"), reason (of fail), output, marks,
 * sections, meta, kept (what was put into the cache), log ([{level, text}]), provisional,
 * private. The output, of done alone, is a Buffer of node, with the bytes that the stage
 * wrote and no text where marks are: output.toString() is its text, output.equals(other)
 * compares. Values of cache and kept are strings, and such Buffers if they are no text.
 */
export function runStage(module, role, given) {
  const host = new StageHost(role, given);
  const { code, trap } = call(load(module), "mcpctl_stage", host);
  return host.result(code, trap);
}

class StageHost extends Host {
  constructor(role, given) {
    const input = Buffer.from(given.input ?? "");
    const original = Buffer.from(given.original ?? input);
    const c = context(role, given.context ?? {}, input.length);
    const exact = { kind: abi.SECTION_EXACT, off: 0, input: false, literal: null };
    const from = { ...(input.equals(original) ? exact : OWN), input: true };
    super([
      [abi.BUF_INPUT, buffer(input, from)],
      [abi.BUF_ORIGINAL, buffer(original, exact)],
      [abi.BUF_CONFIG, buffer(JSON.stringify(given.config ?? {}))],
      [abi.BUF_CONTEXT, buffer(JSON.stringify(c))],
      [abi.BUF_NAME, buffer(c.source)],
      [abi.BUF_SESSION, buffer(given.session ?? "")],
    ], given, c.limits);
    this.filter = c.kind === "filter";
    this.inputBytes = input.length;
    this.inputMarks = given.marks ?? [];
    this.tree = new Tree(given.sections ?? [], original);
    this.out = [];
    this.outBytes = 0;
    this.wrote = false;
    this.full = false;
    this.marks = [];
  }

  buf(id) { return id === abi.BUF_SECTIONS ? buffer(this.tree.records()) : super.buf(id); }

  /** Judges what the stage left, as the host does. */
  result(code, trap) {
    let reason = trap || this.verdict(code);
    settle(this.tree);
    reason ||= this.tree.overlap();
    const log = this.logged;
    const { kept } = this;
    if (reason) return { outcome: "fail", reason, kept, log, private: this.private };
    const done = code === abi.RETURN_DONE;
    return {
      outcome: done ? "done" : "pass", output: done ? Buffer.concat(this.out) : undefined, marks: done ? this.marks : this.inputMarks,
      sections: this.tree.sections, meta: this.meta, kept, log, provisional: this.provisional, private: this.private,
    };
  }

  verdict(code) {
    if (code !== abi.RETURN_DONE) return this.failure(code);
    if (this.full) return `output over ${commas(this.limits.outputBytes)} bytes (set limits.output)`;
    if (!this.wrote) return "returned DONE without output";
    return notText(Buffer.concat(this.out));
  }

  outWrite(data) {
    if (this.outBytes + data.length > this.limits.outputBytes) {
      this.full = true;
      throw new Refusal(abi.CODE_LIMIT, `output over ${commas(this.limits.outputBytes)} bytes`);
    }
    this.wrote = true;
    this.out.push(Buffer.from(data));
    this.outBytes += data.length;
    return 0;
  }

  /** Appends bytes and, of the input, the marks in them; those behind its last byte go with the span that reaches it. */
  outSpan(id, off, n) {
    const bytes = this.span(id, off, n);
    const { from } = this.buf(id);
    const at = this.outBytes;
    this.outWrite(bytes);
    if (!from.input) return 0;
    const [start, end] = [from.off + off, from.off + off + bytes.length];
    for (const m of this.inputMarks) {
      const last = m.offset === this.inputBytes && end === this.inputBytes && (start < end || this.inputBytes === 0);
      if ((m.offset >= start && m.offset < end) || last) this.marks.push({ ...m, offset: m.offset + at - start });
    }
    return 0;
  }

  outIndex(section, lines, bytes) {
    if (this.filter) throw new Refusal(abi.CODE_UNSUPPORTED, "out_index in a filter");
    if (section < -1 || section >= this.tree.sections.length) throw new Refusal(abi.CODE_NOT_FOUND, `no section ${section}`);
    if (lines < 0 || bytes < 0) throw bad("negative limit of an index");
    this.wrote = true;
    this.marks.push({ offset: this.outBytes, section, lines, bytes });
    return 0;
  }

  sectionAdd(parent, id, start, end, title) { return this.addSection(parent, id, start, end, "", title); }

  /** Adds a Section, with an id unless that is empty. */
  addSection(parent, buf, start, end, id, title) {
    this.roomBelow(parent);
    const s = { parent, id, summary: "", ...this.newSection(buf, start, end) };
    const why = this.tree.misplaced(s);
    if (why) throw bad(why);
    s.title = this.fitting(title, abi.LIMIT_TITLE_BYTES, -size(id) - (s.kind === abi.SECTION_DERIVED ? s.text.length : 0));
    this.tree.append(s);
    return this.tree.sections.length - 1;
  }

  /** Adds all Sections that records describe, or none. */
  sectionsAdd(buf, records, texts) {
    this.noFilter();
    if (buf !== abi.BUF_NONE) this.buf(buf);
    const first = this.tree.sections.length;
    for (const [n, a] of additions(records, texts).entries()) {
      try {
        if (!isText(a.id)) throw bad("id is not UTF-8");
        const group = a.start === 0 && a.end === 0;
        this.addSection(a.parent, group ? abi.BUF_NONE : buf, a.start, a.end, a.id.length ? segment(a.id.toString()) : "", a.title);
      } catch (e) {
        this.tree.truncate(first);
        throw new Refusal(e.code, `record ${n}: ${e.message}`);
      }
    }
    return first;
  }

  /** Checks that a Section may have one more child. */
  roomBelow(parent) {
    this.noFilter();
    const { sections, facts } = this.tree;
    if (parent < -1 || parent >= sections.length) throw bad(`no parent ${parent}`);
    if (sections.length >= this.limits.sections) throw new Refusal(abi.CODE_LIMIT, `more than ${commas(this.limits.sections)} sections`);
    if (parent >= 0 && facts[parent].depth + 1 >= abi.LIMIT_SECTION_DEPTH) throw new Refusal(abi.CODE_LIMIT, "sections deeper than 64");
  }

  /** Reads off a buffer and a span what the Section is. */
  newSection(id, start, end) {
    if (id === abi.BUF_NONE) {
      if (start !== 0 || end !== 0) throw bad("a group has no span");
      return { kind: abi.SECTION_GROUP, start: 0, end: 0, literal: null, text: Buffer.alloc(0) };
    }
    const text = this.span(id, start, end - start);
    const { from } = this.buf(id);
    if (end <= start || !isText(text)) throw bad(`span ${start} to ${end} is empty or cuts a code point`);
    if (from.kind !== abi.SECTION_DERIVED) return { kind: from.kind, start: from.off + start, end: from.off + end, literal: from.literal, text };
    if (text.length > abi.LIMIT_DERIVED_BYTES) throw new Refusal(abi.CODE_LIMIT, "derived body over 1 MiB");
    return { kind: abi.SECTION_DERIVED, start: 0, end: text.length, literal: null, text };
  }

  /** Cuts a text at a boundary and checks that there is room for it in place of one of old bytes. */
  fitting(text, limit, old) {
    if (!isText(text)) throw bad("text is not UTF-8");
    text = cut(text, limit);
    if (this.tree.textBytes + text.length - old > abi.LIMIT_SECTION_TEXT_BYTES) throw new Refusal(abi.CODE_LIMIT, "titles, summaries and derived bodies over 8 MiB");
    return text.toString();
  }

  noFilter() {
    if (this.filter) throw new Refusal(abi.CODE_UNSUPPORTED, "sections in a filter");
  }

  section(i) {
    this.noFilter();
    const s = this.tree.sections[i];
    if (!s) throw new Refusal(abi.CODE_NOT_FOUND, `no section ${i}`);
    return s;
  }

  sectionTitle(i, id, off, n) { return this.setText(i, "title", this.span(id, off, n), abi.LIMIT_TITLE_BYTES); }

  sectionSummary(i, id, off, n) { return this.setText(i, "summary", this.span(id, off, n), abi.LIMIT_SUMMARY_BYTES); }

  setText(i, field, bytes, limit) {
    const s = this.section(i);
    const text = this.fitting(bytes, limit, size(s[field]));
    this.tree.textBytes += size(text) - size(s[field]);
    s[field] = text;
    return 0;
  }

  sectionId(i, id) {
    const s = this.section(i);
    if (i < this.tree.earlier) throw bad(`section ${i} is of an earlier stage`);
    if (id.length === 0 || !isText(id)) throw bad("id is empty or not UTF-8");
    const name = this.fitting(Buffer.from(segment(id.toString())), Infinity, size(s.id));
    this.tree.textBytes += size(name) - size(s.id);
    s.id = name;
    return 0;
  }

  sectionText(i, what) {
    const s = this.section(i);
    const text = [s.id, s.title, s.summary, s.text][what];
    if (text === undefined) throw bad(`section_text ${what}, want 0 to 3`);
    const own = what !== abi.SECTION_TEXT_BODY || s.kind === abi.SECTION_GROUP || s.kind === abi.SECTION_DERIVED;
    return this.handle(buffer(text, own ? OWN : { kind: s.kind, off: s.start, input: false, literal: s.literal }));
  }
}

// A stage has no session.
for (const [namespace, , method] of abi.IMPORTS) {
  if (namespace !== "mcpctl:session/v1") continue;
  StageHost.prototype[method] = () => {
    throw new Refusal(abi.CODE_DENIED, "a stage has no session");
  };
}

/** Buffer 3. */
function context(role, given, inputBytes) {
  const { filter, ...fields } = given;
  return {
    abi: abi.VERSION, role, roleIndex: 0, kind: filter ? "filter" : "stage", hook: "stage", project: "test",
    contentType: "toolResult", source: "server/tool", mime: "", hint: "", ...fields,
    part: { kind: "text", index: 0, count: 1, ...fields.part }, stage: { index: 0, count: 1, ...fields.stage },
    limits: limits(fields.limits, inputBytes),
  };
}
