"use strict";
// The selected event: facts, steps, and its content as map, differences and texts.

class Detail {
  constructor(data, node) { this.data = data; this.node = node; this.id = 0; this.view = "map"; }

  clear(text) { this.id = 0; replace(this.node, el("div", { class: "empty" }, text)); }

  show(e, close) {
    if (e.id === this.id) return;
    this.id = e.id;
    this.event = e;
    this.loaded = null;
    this.content = el("section", { class: "panel" }, el("p", { class: "soft" }, "loading"));
    replace(this.node,
      el("div", null, el("button", { type: "button", id: "back", onclick: close }, "\u2190 Events"), el("h2", null, e.source || e.method || e.type), drawFacts(e)),
      this.content);
    this.node.scrollTop = 0;
    this.load(e);
  }

  async load(e, part = 0) {
    if (!hasContent(e)) {
      replace(this.content, drawSteps(e), el("p", { class: "soft" }, "Content is stored of tool calls, resources, prompts and sections that were read."));
      return;
    }
    const wanted = [this.data.sections(e.id), this.data.body(e.id, "original"), this.data.body(e.id, "shown")];
    const [sections, original, shown] = (await Promise.allSettled(wanted)).map((r) => r.status === "fulfilled" ? { value: r.value } : { error: reason(r.reason) });
    if (this.id !== e.id) return;
    this.loaded = { sections, original, shown };
    this.part = part;
    this.draw();
  }

  // refresh loads the content again if a section of the event's originals was read.
  refresh(refs) {
    if (!this.loaded || !refs.some((r) => (this.event.refs || []).includes(r))) return;
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => { if (this.loaded) this.load(this.event, this.part); }, 500);
  }

  draw() {
    const l = this.loaded;
    const parts = Math.max(...[l.original, l.shown, l.sections].map((b) => b.value && b.value.parts ? b.value.parts.length : 0), 1);
    const views = { map: "What the model saw", steps: "Steps", diff: "Differences", original: "Original", shown: "Sent" };
    const choices = el("div", { class: "choices", role: "group", "aria-label": "views of the content" });
    for (const [k, name] of Object.entries(views)) choices.append(el("button", { type: "button", "aria-pressed": String(k === this.view), onclick: () => { this.view = k; this.draw(); this.content.querySelector("[aria-pressed=true]").focus(); } }, name));
    if (parts > 1) {
      const select = el("select", { "aria-label": "part of the result", onchange: () => { this.part = Number(select.value); this.draw(); } });
      for (let i = 0; i < parts; i++) select.append(el("option", { value: i, selected: i === this.part }, `part ${i + 1} of ${parts}`));
      choices.append(select);
    }
    const body = el("div");
    replace(this.content, choices, body);
    try {
      this[this.view](body);
    } catch (err) { // an unexpected form of the data must not blank the page
      replace(body, el("p", { class: "bad" }, reason(err)));
    }
  }

  // partOf returns one part of what was loaded, or draws why there is none.
  partOf(what, body, none) {
    const l = this.loaded[what], part = l.value && (l.value.parts || [])[this.part];
    if (!part) append(body, [el("p", { class: l.error ? "bad" : "soft" }, l.error || none)]);
    return part;
  }

  steps(body) { body.append(drawSteps(this.event)); }

  map(body) {
    const part = this.partOf("sections", body, "The original of this part has no stored sections.");
    if (!part) return;
    const read = new Ranges(part).within(0, part.bytes), share = part.bytes ? 100 * read / part.bytes : 0;
    append(body, [el("p", null, part.whole ? `The model received the whole original, ${bytes(part.bytes)}.` : `The model read ${bytes(read)} of ${bytes(part.bytes)} (${share < 10 ? share.toFixed(1) : Math.round(share)} %) of the original itself.`)]);
    if (!part.whole) append(body, [el("p", null, this.instead(), " ", el("button", { type: "button", onclick: () => { this.view = "shown"; this.draw(); } }, "Show what was sent"))]);
    const text = el("div", null, el("p", { class: "soft" }, "Choose a section to see its text."));
    if (part.sections && part.sections.length) {
      const width = Math.max(240, this.content.clientWidth - 26), narrow = width < 500;
      append(body, [drawMap(part, width, narrow ? 300 : 340, (s, c) => this.section(text, part, s, c))]);
    } else {
      append(body, [el("p", { class: "soft" }, "It has no sections, so the strip shows the bytes from start to end.")]);
      this.section(text, part, { id: "", title: "the whole original", start: 0, end: part.bytes }, {});
    }
    append(body, [drawStrip(part), el("p", { class: "legend" }, key("lit", "read by the model"), key("dim", "not read"), el("span", null, "area = bytes"), el("span", null, "strip: from the start to the end of the original")), text]);
  }

  // instead describes the text that the model received in place of the original.
  instead() {
    const e = this.event, outcome = e.hold && e.hold.outcome;
    if (outcome === "edited") return "A person edited the answer.";
    if (outcome === "dropped") return "A person dropped the answer: the model received an error.";
    return `It received a text of ${number(e.outTokens || 0)} tokens in its place.`;
  }

  // section draws the text of a section; what was read is marked.
  section(box, part, s, cell) {
    const original = this.loaded.original;
    const head = el("h3", null, s.title || s.id || "the whole original");
    const facts = el("p", { class: "soft" }, s.id ? `${s.id} \u00b7 ` : "", `bytes ${number(s.start)} to ${number(s.end)}` + (cell.rest ? " \u00b7 its parent" : ""));
    const p = original.value && (original.value.parts || [])[this.part];
    if (!p) {
      replace(box, head, facts, el("p", { class: "bad" }, original.error || "The text is no longer stored."));
      return;
    }
    replace(box, head, facts, textBlock(marked(p, part, s.start, s.end)));
  }

  diff(body) {
    const a = this.partOf("original", body, "There is no original for this part."), b = this.partOf("shown", body, "The client received no text for this part.");
    if (!a || !b) return;
    if (a.text === b.text) {
      append(body, [el("p", null, "The client received the original unchanged."), textBlock([[b.text, false]])]);
      return;
    }
    append(body, [el("p", { class: "legend" }, el("span", null, "\u2212 original, " + bytes(utf8Length(a.text))), el("span", null, "+ sent, " + bytes(utf8Length(b.text))))]);
    append(body, [dutyBlock(a.text, b.text)]);
    const box = diffBlock(a.text, b.text);
    append(body, box ? [box] : [el("p", null, "The texts are too long or too different to compare line by line; both follow."),
      el("h3", null, "Original"), textBlock([[a.text, false]]), el("h3", null, "Sent"), textBlock([[b.text, false]])]);
  }

  original(body) {
    const p = this.partOf("original", body, "There is no original for this part.");
    if (!p) return;
    const sections = this.loaded.sections.value, part = sections && (sections.parts || [])[this.part];
    append(body, [partFacts(p), textBlock(part ? marked(p, part, 0, part.bytes) : [[p.text, false]])]);
    if (part) append(body, [el("p", { class: "legend" }, key("lit", "read by the model"))]);
  }

  shown(body) {
    const p = this.partOf("shown", body, "The client received no text for this part.");
    if (p) append(body, [partFacts(p), textBlock([[p.text, false]])]);
  }
}

function hasContent(e) {
  return (e.refs && e.refs.length > 0) || (e.shown && e.shown.length > 0) || ["tool_call", "resource_read", "prompt_get", "section_read"].includes(e.type);
}

function key(kind, text) { return el("span", null, el("i", { class: "k-" + kind }), text); }

function utf8Length(s) { return new TextEncoder().encode(s).length; }

function partFacts(p) {
  return el("p", { class: "soft" }, [p.contentType, p.mime, p.source, p.ref, bytes(utf8Length(p.text))].filter(Boolean).join(" \u00b7 "));
}

// marked returns the text of a span of bytes as pieces; the bytes that were read are marked.
function marked(body, part, start, end) {
  if (!body.bytes) body.bytes = new TextEncoder().encode(body.text);
  const decoder = new TextDecoder(), cut = (a, b) => decoder.decode(body.bytes.subarray(a, b));
  const pieces = [];
  let at = start;
  for (const [a, b] of new Ranges(part).list) {
    if (b <= start || a >= end) continue;
    const from = Math.max(a, start), to = Math.min(b, end);
    if (from > at) pieces.push([cut(at, from), false]);
    pieces.push([cut(from, to), true]);
    at = to;
  }
  if (at < end) pieces.push([cut(at, end), false]);
  return pieces;
}

// change returns a size before and after; answers of the proxy itself have no size before.
function change(before, after, format) { return (before ? format(before) + " \u2192 " : "") + format(after || 0); }

function drawFacts(e) {
  const facts = el("dl", { class: "facts" });
  const add = (name, value) => { if (value !== undefined && value !== null && value !== "") facts.append(el("div", null, el("dt", null, name), el("dd", null, value))); };
  add("event", e.id);
  add("type", e.type);
  add("time", clock(e.time));
  add("project", e.project);
  add("session", e.session);
  add("client", e.client);
  if (e.inTokens || e.outTokens) add("tokens, est.", change(e.inTokens, e.outTokens, count));
  if (e.inBytes || e.outBytes) add("bytes", change(e.inBytes, e.outBytes, bytes));
  if (e.micros) add("took", duration(e.micros));
  add("section", e.section);
  for (const m of new Set((e.runs || []).map((r) => r.model))) add("model", m);
  if (e.change) add("change", [e.change.name, e.change.from && e.change.to ? `${e.change.from} \u2192 ${e.change.to}` : e.change.to, e.change.reason].filter(Boolean).join(", "));
  if (e.isError || e.error) facts.append(el("div", { class: "bad" }, el("dt", null, "error"), el("dd", null, e.error || "the result is an error")));
  if (e.truncated) add("note", "details of this event were too large and were removed");
  return facts;
}
