"use strict";
// The pictures: tokens of each tool, the steps of a call, the map of an original.

// toolRows returns the tokens of each tool, most original tokens first. Sections that were
// read belong to the tool whose answer they are a part of.
function toolRows(events) {
  const tools = new Map(), byRef = new Map();
  const row = (name) => tools.get(name) || tools.set(name, { name, calls: 0, original: 0, sent: 0, read: 0, reads: 0 }).get(name);
  for (const e of events) {
    if (e.type === "tool_call") {
      const r = row(e.source || e.method);
      r.calls++;
      r.original += e.inTokens || 0;
      r.sent += e.outTokens || 0;
      for (const ref of e.refs || []) byRef.set(ref, r.name);
    } else if (e.type === "section_read") {
      const r = row((e.refs || []).map((ref) => byRef.get(ref)).find(Boolean) || "read_section");
      r.reads++;
      r.read += e.outTokens || 0;
    }
  }
  return [...tools.values()].sort((a, b) => b.original - a.original || b.sent + b.read - a.sent - a.read);
}

const maxLogLines = 5; // of one stage

function drawTools(rows, choose) {
  const most = Math.max(1, ...rows.map((r) => Math.max(r.original, r.sent + r.read)));
  const share = (n) => 100 * n / most + "%";
  const list = el("ul", { class: "tools" });
  for (const r of rows) {
    const facts = `${plural(r.calls, "call")}, ${number(r.original)} tokens original, ${number(r.sent)} sent` + (r.reads ? `, ${number(r.read)} in ${plural(r.reads, "section")} read later` : "");
    list.append(el("li", null, el("button", { type: "button", "aria-label": `${r.name}: ${facts}`, title: facts, onclick: () => choose(r.name) },
      el("span", { class: "head" }, el("span", null, r.name), el("span", { class: "saved num" }, percent(r.original, r.sent + r.read))),
      svg("svg", { "aria-hidden": "true" },
        svg("rect", { class: "bar-in", x: 0, y: 0, height: 12, width: share(r.original) }),
        svg("rect", { class: "bar-out", x: 0, y: 14, height: 12, width: share(r.sent) }),
        svg("rect", { class: "bar-read", x: share(r.sent), y: 14, height: 12, width: share(r.read) })),
      el("span", { class: "soft" }, `${plural(r.calls, "call")}, ${count(r.original)} \u2192 ${count(r.sent + r.read)} tokens`))));
  }
  return list;
}

// stepsOf returns the steps of an event in the order in which the proxy performs them.
// Events contain durations only, so a step begins where the one before it ends.
function stepsOf(e) {
  const steps = [];
  const add = (kind, name, micros, note) => steps.push({ kind, name, micros: micros || 0, note });
  const hook = (h) => add(h.outcome === "failed" ? "failed" : "hook", `${h.role}, ${h.hook}`, h.micros, [llmNote(h), h.error, h.rewrite && "redirected to " + h.rewrite].filter(Boolean).join(" \u00b7 "));
  const hooks = e.hooks || [];
  hooks.filter((h) => h.hook !== "on_tool_result").forEach(hook);
  if (e.upstreamMicros) add("server", "server " + (e.server || ""), e.upstreamMicros);
  hooks.filter((h) => h.hook === "on_tool_result").forEach(hook);
  (e.runs || []).forEach((run, i, runs) => (run.stages || []).forEach((s) => {
    const kind = s.outcome === "failed" || s.outcome === "blocked" ? "failed" : s.outcome === "cached" ? "cached" : "stage";
    const notes = [s.outcome, s.inBytes === s.outBytes ? bytes(s.inBytes) : `${bytes(s.inBytes)} \u2192 ${bytes(s.outBytes)}`];
    notes.push(llmNote(s), ...Object.entries(s.meta || {}).map(([k, v]) => `${k} ${v}`), s.error, s.reason, ...(s.log || []).slice(0, maxLogLines).map((l) => l.text));
    add(kind, (runs.length > 1 ? `part ${i + 1}: ` : "") + s.role, s.micros, notes.filter(Boolean).join(" \u00b7 "));
  }));
  const known = steps.reduce((sum, s) => sum + s.micros, 0);
  const rest = (e.micros || 0) - known - (e.hold && e.hold.micros || 0);
  if (rest > 0 && known) add("proxy", "proxy and storage", rest);
  if (e.hold) add("hold", "held" + (e.hold.outcome ? ", " + e.hold.outcome : ""), e.hold.micros);
  return steps;
}

function llmNote(run) { return run.llmRequests ? plural(run.llmRequests, "LLM request") : ""; }

function drawSteps(e) {
  const steps = stepsOf(e);
  const total = Math.max(1, steps.reduce((sum, s) => sum + s.micros, 0));
  const box = el("div", { class: "steps" });
  let at = 0;
  for (const s of steps) {
    box.append(el("div", { class: "step" }, el("span", null, s.name),
      svg("svg", { "aria-hidden": "true" }, svg("rect", { class: "step-" + (s.kind === "cached" ? "stage step-cached" : s.kind), x: 100 * at / total + "%", y: 2, height: 10, width: `max(2px, ${100 * s.micros / total}%)` })),
      el("span", { class: "num" }, s.micros ? duration(s.micros) : s.kind === "cached" ? "cached" : "0"),
      s.note ? el("span", { class: "note" }, s.note) : null));
    at += s.micros;
  }
  return steps.length ? box : el("p", { class: "soft" }, "The proxy answered this itself, without servers, controllers and stages.");
}

// Ranges answers how many bytes of a span were read. The list is sorted and disjoint.
class Ranges {
  constructor(part) { this.list = part.whole ? [[0, part.bytes]] : part.read || []; }
  within(start, end) {
    let n = 0;
    for (const [a, b] of this.list) if (b > start && a < end) n += Math.min(b, end) - Math.max(a, start);
    return n;
  }
}

const maxCells = 1500; // of one map
const maxSiblings = 300;

// cellsOf returns the sections of a span as cells with their sizes. Text that belongs to no
// section is one cell, and so are the sections that are too many to be drawn.
function cellsOf(sections, start, end, ranges, whole) {
  const cells = [];
  let size = 0, read = 0;
  for (const s of sections) {
    const n = s.end - s.start;
    if (n <= 0) continue;
    const r = s.read ? n : ranges.within(s.start, s.end);
    cells.push({ section: s, size: n, read: r, children: s.children || [], title: s.title || s.id });
    size += n;
    read += r;
  }
  const rest = end - start - size;
  if (rest > 0) cells.push({ section: whole, size: rest, read: Math.max(0, Math.min(rest, ranges.within(start, end) - read)), children: [], title: "text outside of sections", rest: true });
  cells.sort((a, b) => b.size - a.size);
  if (cells.length <= maxSiblings) return cells;
  const small = cells.splice(maxSiblings);
  cells.push({ section: whole, size: small.reduce((n, c) => n + c.size, 0), read: small.reduce((n, c) => n + c.read, 0), children: [], title: `${number(small.length)} smaller sections`, rest: true });
  return cells.sort((a, b) => b.size - a.size);
}

// squarify places cells in a rectangle with areas in proportion to their sizes, as in
// "Squarified Treemaps" by Bruls, Huizing and van Wijk.
function squarify(cells, x, y, w, h) {
  let total = cells.reduce((n, c) => n + c.size, 0);
  for (let i = 0; i < cells.length;) {
    const side = Math.min(w, h), scale = w * h / total;
    let sum = 0, worst = Infinity, j = i;
    for (; j < cells.length; j++) {
      const s = sum + cells[j].size, ratio = Math.max(side * side * cells[i].size / (s * s * scale), s * s * scale / (side * side * cells[j].size));
      if (j > i && ratio > worst) break;
      worst = ratio;
      sum = s;
    }
    const thick = side > 0 ? sum * scale / side : 0;
    let at = 0;
    for (let k = i; k < j; k++) {
      const long = side * cells[k].size / sum;
      if (w >= h) cells[k].box = [x, y + at, thick, long]; else cells[k].box = [x + at, y, long, thick];
      at += long;
    }
    if (w >= h) { x += thick; w -= thick; } else { y += thick; h -= thick; }
    total -= sum;
    i = j;
  }
}

const charWidth = 6.7;

// label returns a text that fits into a box, or nothing. Wide characters count twice.
function label(text, x, y, w) {
  const fits = Math.floor((w - 6) / charWidth);
  let used = 0, out = "";
  for (const c of visible(text)) {
    used += c.codePointAt(0) > 0x2e80 ? 2 : 1;
    if (used > fits) { out = out.slice(0, -1) + "\u2026"; break; }
    out += c;
  }
  return fits < 4 || !out ? null : svg("text", { x: x + 3, y: y + 12 }, out);
}

// drawMap draws the sections of an original: area is bytes, lit is read. choose gets the
// section that was clicked.
function drawMap(part, width, height, choose) {
  const ranges = new Ranges(part), whole = { id: "", title: "the whole original", start: 0, end: part.bytes };
  const root = svg("svg", { class: "map", viewBox: `0 0 ${width} ${height}`, height, role: "group", "aria-label": "map of the original; arrow keys move between sections" });
  const cells = [];
  const place = (list, x, y, w, h, depth) => {
    squarify(list, x, y, w, h);
    for (const c of list) {
      const [cx, cy, cw, ch] = c.box;
      if (cells.length >= maxCells || cw < 1.5 || ch < 1.5) continue;
      const nested = c.children.length > 0 && cw > 46 && ch > 34 && depth < 12;
      root.append(drawCell(c, nested));
      cells.push(c);
      if (!nested) continue;
      const head = ch > 48 ? 16 : 3;
      place(cellsOf(c.children, c.section.start, c.section.end, ranges, c.section), cx + 3, cy + head, cw - 6, ch - head - 3, depth + 1);
    }
  };
  const outline = svg("rect", { class: "outline" });
  const pick = (c) => {
    const [x, y, width, height] = c.box;
    setAll(outline, { x, y, width, height });
    for (const o of cells) { o.node.classList.toggle("chosen", o === c); o.node.setAttribute("tabindex", o === c ? "0" : "-1"); }
    choose(c.section, c);
  };
  const move = (c, by) => {
    const next = cells[Math.max(0, Math.min(cells.length - 1, cells.indexOf(c) + by))];
    pick(next);
    next.node.focus();
  };
  const drawCell = (c, nested) => {
    const [x, y, w, h] = c.box, part = c.size ? Math.min(1, c.read / c.size) : 0;
    const state = part >= 1 ? "read" : part > 0 ? Math.round(100 * part) + " % read" : "not read";
    c.node = svg("g", { role: "button", tabindex: cells.length ? -1 : 0, class: !nested && h * (1 - part) < 16 ? "on-lit" : null, "aria-label": `${c.title}, ${bytes(c.size)}, ${state}`, onclick: () => pick(c), onkeydown: (ev) => {
      const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[ev.key];
      if (by) { ev.preventDefault(); ev.stopPropagation(); move(c, by); } else if (ev.key === "Enter" || ev.key === " ") { ev.preventDefault(); pick(c); }
    } }, svg("title", null, `${c.title}\n${bytes(c.size)}, ${state}`), svg("rect", { class: nested ? "cell group" : "cell", x, y, width: w, height: h }));
    if (!nested && part > 0) c.node.append(svg("rect", { class: "cell lit", x, y: y + h * (1 - part), width: w, height: h * part }));
    const text = h > (nested ? 48 : 15) && label(c.title, x, y, w);
    if (text) c.node.append(text);
    return c.node;
  };
  place(cellsOf(part.sections || [], 0, part.bytes, ranges, whole), 0, 0, width, height, 0);
  root.append(outline); // above all cells
  return root;
}

// drawStrip draws the ranges that were read along the length of the original.
function drawStrip(part) {
  const n = Math.max(1, part.bytes);
  const strip = svg("svg", { class: "strip", role: "img", "aria-label": "ranges of the original that were read, from its start to its end" });
  for (const [a, b] of new Ranges(part).list.slice(0, maxCells)) strip.append(svg("rect", { x: 100 * a / n + "%", y: 0, height: 10, width: `max(1px, ${100 * (b - a) / n}%)` }));
  return strip;
}
