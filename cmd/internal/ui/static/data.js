"use strict";
// The data of the page: from the daemon, or from the file itself if it was exported.

class Failure extends Error {
  constructor(status, p) {
    super(p.message || "status " + status);
    this.status = status;
    this.problem = p;
  }
  // text returns the lines of an error as the command line prints them.
  text() {
    const p = this.problem;
    const lines = [p.message || this.message];
    if (p.cause) lines.push(p.cause);
    if (p.snippet) lines.push(p.snippet);
    if (p.hint) lines.push("hint: " + p.hint);
    return lines.join("\n");
  }
}

function reason(err) { return err instanceof Failure ? err.text() : String(err && err.message || err); }

const tokenKey = "mcpctl.token";
const contentTypes = ["content_original", "content_transformed"];

class Daemon {
  constructor() { this.live = true; this.token = sessionStorage.getItem(tokenKey) || ""; }

  // open exchanges the ticket in the fragment for a token of this tab.
  async open() {
    const ticket = /^#t=(.+)$/.exec(location.hash);
    if (!ticket) return;
    history.replaceState(null, "", location.pathname);
    const r = await this.call("POST", "/ui/session", { ticket: ticket[1] });
    this.token = r.token;
    sessionStorage.setItem(tokenKey, r.token);
  }

  headers(more) {
    const h = Object.assign({}, more);
    if (this.token) h.Authorization = "Bearer " + this.token;
    return h;
  }

  async fetch(method, path, init) {
    let r;
    try {
      r = await fetch(path, Object.assign({ method, credentials: "omit", cache: "no-store", redirect: "error" }, init));
    } catch (err) {
      if (err.name === "AbortError") throw err;
      throw new Failure(0, { message: "the daemon does not answer", hint: "mcpctl daemon start" });
    }
    if (r.ok) return r;
    let p = {};
    try { p = (await r.json()).error || {}; } catch { /* not from the daemon */ }
    throw new Failure(r.status, p);
  }

  async call(method, path, body) {
    const init = { headers: this.headers(body && { "Content-Type": "application/json" }), body: body && JSON.stringify(body) };
    return (await this.fetch(method, path, init)).json();
  }

  events(q, limit) { return this.call("GET", "/api/v1/events?" + params(q, { limit })); }
  body(id, kind) { return this.call("GET", `/api/v1/events/${Number(id)}/${kind}`); }
  sections(id) { return this.call("GET", `/api/v1/events/${Number(id)}/sections`); }
  sessions(project) { return this.call("GET", "/api/v1/sessions?" + params({ project })); }
  status() { return this.call("GET", "/api/v1/status"); }
  holds(project) { return this.call("GET", "/api/v1/holds?" + params({ project })); }
  hold(id) { return this.call("GET", "/api/v1/holds/" + Number(id)); }
  endHold(id, action) { return this.call("POST", "/api/v1/holds/" + Number(id), { action }); }
  releaseAll(project) { return this.call("DELETE", "/api/v1/holds?" + params({ project })); }

  // follow calls got with each event after an id, until the signal aborts. It connects
  // again if the stream ends.
  async follow(q, after, got, state, signal) {
    for (let wait = 500; !signal.aborted; wait = Math.min(wait * 2, 10000)) {
      try {
        const headers = this.headers({ Accept: "text/event-stream", "Last-Event-ID": String(after) });
        const r = await this.fetch("GET", "/inspect?" + params(q), { headers, signal });
        state("live");
        await readStream(r.body, (e) => { wait = 500; if (e.id > after) { after = e.id; got(e); } });
      } catch (err) {
        if (signal.aborted || err.name === "AbortError") return;
        state("lost", err);
        if (err.status === 401 || err.status === 403) return;
      }
      if (!signal.aborted) state("lost");
      await new Promise((done) => setTimeout(done, wait));
    }
  }
}

// readStream reads server-sent events, each of which has its JSON on one line.
async function readStream(body, got) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const line of lines) if (line.startsWith("data: ")) got(JSON.parse(line.slice(6)));
  }
}

function params(q, more) {
  const p = new URLSearchParams();
  for (const [k, v] of Object.entries(Object.assign({}, q, more))) if (v) p.set(k, v);
  return p;
}

// Exported is the data of a file that `mcpctl export` wrote.
class Exported {
  constructor(data) { this.live = false; this.data = data; }
  async open() {}
  // events finds text: the query language is a part of the daemon.
  async events(q) {
    const words = (q.l || "").toLowerCase().split(/\s+/).filter(Boolean);
    return (this.data.events || []).filter((e) => {
      if (q.project && e.project !== q.project) return false;
      const text = words.length ? JSON.stringify(e).toLowerCase() : "";
      return words.every((w) => text.includes(w));
    });
  }
  stored(id, key, what) {
    const c = (this.data.contents || {})[id];
    if (c && c[key]) return c[key];
    throw new Failure(404, { message: `the file does not contain ${what} of this event` });
  }
  async body(id, kind) {
    const b = this.stored(id, kind, kind === "original" ? "the original" : "the text that was sent");
    return { parts: b.parts.map((p) => Object.assign({}, p, { text: this.data.texts[p.text] })) };
  }
  async sections(id) { return this.stored(id, "sections", "the sections"); }
  async sessions() { return this.data.sessions || []; }
}

function openData() {
  const file = byID("data");
  return file ? new Exported(JSON.parse(file.textContent)) : new Daemon();
}
