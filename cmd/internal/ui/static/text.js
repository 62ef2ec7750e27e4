"use strict";
// Texts of servers and models are hostile: they become text nodes only, and characters that
// hide or reorder text become visible signs.

// hidden matches control characters other than line feed and tab, bidirectional controls,
// and characters without a shape, such as the tags that can carry invisible instructions.
const hidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]/u;
const hiddenAll = new RegExp(hidden.source, "gu");

const signs = { 0: "NUL", 7: "BEL", 8: "BS", 12: "FF", 13: "CR", 27: "ESC", 127: "DEL" };

function sign(c) {
  const n = c.codePointAt(0);
  return "\u27e8" + (signs[n] || "U+" + n.toString(16).toUpperCase().padStart(4, "0")) + "\u27e9";
}

function visible(s) { return hidden.test(s) ? s.replace(hiddenAll, sign) : s; }

// append adds strings as text and everything else as nodes.
function append(node, children) {
  for (const c of children.flat()) {
    if (c === null || c === undefined || c === false) continue;
    node.append(c instanceof Node ? c : document.createTextNode(visible(String(c))));
  }
  return node;
}

// el creates an element. Properties that begin with "on" are listeners; others are
// attributes, whose values are never texts of events, except for labels.
function el(tag, props, ...children) {
  const node = document.createElement(tag);
  setAll(node, props);
  return append(node, children);
}

function svg(tag, props, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  setAll(node, props);
  return append(node, children);
}

function setAll(node, props) {
  for (const [k, v] of Object.entries(props || {})) {
    if (v === null || v === undefined || v === false) continue;
    if (k.startsWith("on")) node.addEventListener(k.slice(2), v);
    else node.setAttribute(k, v === true ? "" : visible(String(v)));
  }
}

function replace(node, ...children) { node.textContent = ""; return append(node, children); }
function byID(id) { return document.getElementById(id); }

// maxShown is the number of characters of a text that is drawn at first.
const maxShown = 60000;

// textBlock returns a box with a text, which may have marked ranges: [text, marked] pairs.
function textBlock(pieces, limit = maxShown) {
  const box = el("pre", { class: "text", tabindex: "0", "aria-label": "text" });
  let left = limit, cut = 0;
  for (const [text, marked] of pieces) {
    const part = text.slice(0, Math.max(0, left));
    left -= part.length;
    cut += text.length - part.length;
    if (part) box.append(marked ? el("mark", null, part) : document.createTextNode(visible(part)));
  }
  if (!cut) return box;
  const more = el("button", { type: "button", onclick: () => holder.replaceWith(textBlock(pieces, limit * 20)) }, "show more");
  const holder = el("div", null, box, el("p", { class: "soft" }, number(cut) + " more characters ", more));
  return holder;
}

function number(n) { return n.toLocaleString("en"); }
function plural(n, noun) { return number(n) + " " + noun + (n === 1 ? "" : "s"); }

function count(n) {
  if (n < 1000) return String(n);
  if (n < 999500) return Number((n / 1000).toPrecision(3)) + "k";
  return (n / 1e6).toPrecision(3) + "M";
}

function bytes(n) {
  if (n < 1024) return n + " B";
  if (n < 1 << 20) return (n / 1024).toFixed(n < 10240 ? 1 : 0) + " KB";
  return (n / (1 << 20)).toFixed(1) + " MB";
}

function duration(us) {
  if (us < 1000) return us + " \u00b5s";
  if (us < 1e6) return (us / 1000).toPrecision(3) + " ms";
  if (us < 6e7) return (us / 1e6).toPrecision(3) + " s";
  return (us / 6e7).toPrecision(3) + " min";
}

function clock(t) {
  const d = new Date(t);
  return isNaN(d) ? "" : d.toTimeString().slice(0, 8);
}

// percent returns the part of the tokens that was saved, as the one number of a tool.
function percent(original, sent) {
  if (!original) return "";
  const p = Math.round(100 * (sent - original) / original);
  return p === 0 ? "\u00b10 %" : (p < 0 ? "\u2212" : "+") + Math.abs(p) + " %";
}
