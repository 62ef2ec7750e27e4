"use strict";
// A line diff with bounds, because it runs in the thread that draws.

const maxDiffLines = 20000;
const maxDiffEdits = 1500;

// diffLines returns a list of [op, line], where op is " ", "-" or "+". It returns null if
// the texts are too long or too different.
function diffLines(a, b) {
  a = a.split("\n");
  b = b.split("\n");
  let head = 0, tail = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const x = a.slice(head, a.length - tail), y = b.slice(head, b.length - tail);
  const middle = x.length + y.length > maxDiffLines ? null : x.length && y.length ? myers(x, y) : [...x.map((l) => ["-", l]), ...y.map((l) => ["+", l])];
  if (!middle) return null;
  const same = (l) => [" ", l];
  return [...a.slice(0, head).map(same), ...middle, ...a.slice(a.length - tail).map(same)];
}

// myers implements the greedy algorithm of "An O(ND) Difference Algorithm" with a limit of D.
function myers(a, b) {
  const n = a.length, m = b.length, limit = Math.min(n + m, maxDiffEdits), offset = limit + 1;
  let v = new Int32Array(2 * limit + 3);
  const trace = [];
  for (let d = 0; d <= limit; d++) {
    trace.push(v.slice(offset - d - 1, offset + d + 2));
    for (let k = -d; k <= d; k += 2) {
      let x = k === -d || (k !== d && v[offset + k - 1] < v[offset + k + 1]) ? v[offset + k + 1] : v[offset + k - 1] + 1;
      let y = x - k;
      while (x < n && y < m && a[x] === b[y]) { x++; y++; }
      v[offset + k] = x;
      if (x >= n && y >= m) return backtrack(a, b, trace, d);
    }
  }
  return null;
}

function backtrack(a, b, trace, d) {
  const ops = [];
  let x = a.length, y = b.length;
  for (; d > 0; d--) {
    const v = trace[d], at = (k) => v[k + d + 1], k = x - y;
    const before = k === -d || (k !== d && at(k - 1) < at(k + 1)) ? k + 1 : k - 1;
    const px = at(before), py = px - before;
    while (x > px && y > py) { ops.push([" ", a[--x]]); y--; }
    if (x > px) ops.push(["-", a[--x]]); else ops.push(["+", b[--y]]);
  }
  while (x > 0) ops.push([" ", a[--x]]);
  return ops.reverse();
}

// duty matches lines that state a requirement, by the words that the built-in stages keep.
const duty = /\b(MUST|REQUIRED|NEVER)\b/;
const maxDuties = 10;

// lostDuties returns the lines of a that state a requirement and are not in b.
function lostDuties(a, b) {
  if (!duty.test(a)) return [];
  return a.split("\n").map((l) => l.trim()).filter((l) => duty.test(l) && !b.includes(l));
}

// dutyBlock draws the requirements that are missing in b, or returns null if none is.
function dutyBlock(a, b) {
  const lost = lostDuties(a, b);
  if (!lost.length) return null;
  const box = el("div", { class: "bad" }, el("p", null, `${number(lost.length)} ${lost.length === 1 ? "line" : "lines"} with MUST, REQUIRED or NEVER ${lost.length === 1 ? "is" : "are"} not in the text that was sent:`));
  box.append(el("ul", null, lost.slice(0, maxDuties).map((l) => el("li", null, l.length > 300 ? l.slice(0, 300) + "\u2026" : l))));
  if (lost.length > maxDuties) box.append(el("p", null, `and ${number(lost.length - maxDuties)} more`));
  return box;
}

const contextLines = 3;
const maxDiffRows = 3000;
const maxDiffLine = 4000;

// diffBlock draws a diff with folded equal lines, or returns null if there is none.
function diffBlock(a, b) {
  const ops = diffLines(a, b);
  if (!ops) return null;
  const box = el("div", { class: "diff", tabindex: "0", "aria-label": "differences" });
  const near = new Uint8Array(ops.length);
  ops.forEach(([op], i) => { if (op !== " ") near.fill(1, Math.max(0, i - contextLines), i + contextLines + 1); });
  let rows = 0;
  for (let i = 0; i < ops.length; i++) {
    if (!near[i]) {
      let end = i;
      while (end < ops.length && !near[end]) end++;
      box.append(foldRow(ops.slice(i, end)));
      i = end - 1;
      continue;
    }
    if (++rows > maxDiffRows) {
      box.append(el("div", { class: "fold" }, `${number(ops.length - i)} more lines are not drawn`));
      break;
    }
    box.append(diffRow(ops[i]));
  }
  return box;
}

function diffRow([op, line]) {
  const text = line.length > maxDiffLine ? line.slice(0, maxDiffLine) + ` \u2026 ${number(line.length - maxDiffLine)} more characters` : line;
  return el("div", { class: op === "+" ? "add" : op === "-" ? "del" : null }, el("span", null, op), el("span", null, text));
}

function foldRow(ops) {
  const row = el("button", { type: "button", class: "fold", onclick: () => row.replaceWith(...ops.slice(0, maxDiffRows).map(diffRow)) }, `\u22ef ${number(ops.length)} equal lines`);
  return row;
}
