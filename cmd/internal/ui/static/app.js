"use strict";
// The views of the page and the list of events.

const pageSize = 500;
const maxEvents = 20000;
const rowHeight = 44;

class App {
  constructor(data) {
    this.data = data;
    this.events = []; // oldest first
    this.rows = []; // the events that are listed, oldest first
    this.limit = pageSize;
    this.view = "events";
    this.selected = 0;
    this.detail = new Detail(data, byID("detail"));
    this.list = byID("list");
    this.bind();
  }

  async start() {
    byID("queryhelp").textContent = this.data.live ? "Words are full text. tool: method: type: session: server: model: stage: saved:<30% size:>50k took:>2s held edited err cached llm; - negates" : "Full text. The query language is a part of the daemon.";
    this.setView("events");
    try {
      await this.data.open();
    } catch (err) {
      this.refused(err);
      return;
    }
    if (!this.data.live) {
      byID("tab-holds").hidden = true;
      this.setState("file", "exported " + clockDate(this.data.data.exported) + (this.data.data.version ? ", mcpctl " + this.data.data.version : ""));
      if ((this.data.data.omitted || []).length) this.notice("Not in this file:\n" + this.data.data.omitted.join("\n"));
    }
    await this.reload();
    if (!this.loaded) return;
    this.loadProjects();
    if (this.data.live) this.pollHolds();
  }

  bind() {
    for (const name of ["events", "tokens", "sessions", "holds"]) byID("tab-" + name).addEventListener("click", () => this.setView(name));
    byID("search").addEventListener("submit", (ev) => { ev.preventDefault(); this.apply(); });
    byID("query").addEventListener("input", () => { clearTimeout(this.typing); this.typing = setTimeout(() => this.apply(), 300); });
    byID("query").addEventListener("keydown", (ev) => { if (ev.key === "ArrowDown") { ev.preventDefault(); this.list.focus(); this.move(0); } });
    byID("contents").addEventListener("change", () => this.apply());
    byID("project").addEventListener("change", () => { this.apply(); if (this.view === "sessions") this.drawSessions(); });
    this.list.addEventListener("scroll", () => this.schedule());
    this.list.addEventListener("keydown", (ev) => this.listKey(ev));
    this.list.addEventListener("click", (ev) => this.clickList(ev));
    byID("tabs").addEventListener("keydown", (ev) => this.tabKey(ev));
    document.addEventListener("keydown", (ev) => this.globalKey(ev));
    addEventListener("resize", () => { this.schedule(); clearTimeout(this.resizing); this.resizing = setTimeout(() => { if (this.detail.id && this.detail.loaded) this.detail.draw(); }, 200); });
  }

  // --- events

  query() {
    const text = byID("query").value.trim();
    const all = byID("contents").checked || /(^|\s)type:/.test(text) || !this.data.live;
    return { project: byID("project").value, l: [text, ...all ? [] : contentTypes.map((t) => "-type:" + t)].filter(Boolean).join(" ") };
  }

  isListed(e) { return byID("contents").checked || /(^|\s)type:/.test(byID("query").value) || !contentTypes.includes(e.type); }

  apply() { this.limit = pageSize; return this.reload(); }

  // reload loads the newest events of the query and follows it.
  async reload() {
    if (this.following) this.following.abort();
    const stop = this.following = new AbortController();
    const field = byID("query"), problem = byID("queryerror");
    const q = this.query();
    let list;
    try {
      list = await this.data.events(q, this.limit) || [];
    } catch (err) {
      if (stop.signal.aborted) return;
      const inQuery = err.status === 400 || err.status === 422;
      field.setAttribute("aria-invalid", String(inQuery));
      problem.hidden = !inQuery;
      if (inQuery) problem.textContent = visible(reason(err)); else this.refused(err);
      return;
    }
    if (stop.signal.aborted) return;
    field.setAttribute("aria-invalid", "false");
    problem.hidden = true;
    this.notice("");
    this.events = list;
    this.rows = list.filter((e) => this.isListed(e));
    this.loaded = true;
    this.complete = list.length < this.limit || !this.data.live;
    if (!this.rows.some((e) => e.id === this.selected)) this.selected = 0;
    this.list.scrollTop = 0;
    this.draw();
    this.selectFirst();
    if (!this.data.live) return;
    const after = list.length ? list[list.length - 1].id : 0;
    this.data.follow(q, after, (e) => this.add(e), (state, err) => this.setState(state, null, err), stop.signal);
  }

  // selectFirst opens the newest call, so that a wide window begins with a picture.
  selectFirst() {
    if (this.selected || !this.isWide()) return;
    const call = this.rows.findLast((e) => e.type === "tool_call" && e.changed) || this.rows.findLast((e) => e.type === "tool_call");
    if (call) this.select(call.id, false);
    else this.detail.clear(this.rows.length ? "Select an event to see its steps and its content." : "");
  }

  add(e) {
    this.events.push(e);
    if (e.type === "section_read") this.detail.refresh(e.refs || []);
    if (!this.isListed(e)) return;
    this.rows.push(e);
    if (this.rows.length > maxEvents) {
      this.rows.splice(0, maxEvents / 10);
      this.events.splice(0, this.events.length - maxEvents);
      this.complete = false;
    }
    if (this.list.scrollTop > 0) { // the rows in view stay where they are
      byID("rows").style.height = this.rows.length * rowHeight + "px";
      this.list.scrollTop += rowHeight;
    }
    this.schedule(50);
  }

  // schedule draws once per frame, however many events came, and at most once in delay ms.
  schedule(delay = 0) {
    if (this.scheduled && delay) return;
    clearTimeout(this.scheduled);
    this.scheduled = setTimeout(() => requestAnimationFrame(() => { this.scheduled = 0; this.draw(); }), delay);
  }

  // draw draws the rows in view only.
  draw() {
    const n = this.rows.length, box = byID("rows");
    box.style.height = n * rowHeight + "px";
    const first = Math.max(0, Math.floor(this.list.scrollTop / rowHeight) - 5), last = Math.min(n, first + Math.ceil(this.list.clientHeight / rowHeight) + 10);
    box.textContent = "";
    for (let i = first; i < last; i++) box.append(this.row(this.rows[n - 1 - i], i, n));
    if (!n && this.loaded) box.append(this.emptyList());
    const active = byID("event-" + this.selected);
    if (active) this.list.setAttribute("aria-activedescendant", active.id); else this.list.removeAttribute("aria-activedescendant");
    this.drawFoot(n);
    if (this.loaded && !this.painted) {
      this.painted = true;
      requestAnimationFrame(() => setTimeout(() => performance.mark("events painted")));
    }
    if (this.view === "tokens" && !byID("view-tokens").contains(document.activeElement)) this.drawTokens(); // a button that has the focus stays
  }

  drawFoot(n) {
    if (!this.loaded) return;
    const text = this.complete ? plural(n, "event") : `the newest ${plural(n, "event")} `;
    if (this.footText === text) return; // a button that has the focus stays
    this.footText = text;
    const more = this.complete ? null : el("button", { type: "button", onclick: () => { this.limit = Math.min(maxEvents, this.limit * 40); this.reload(); } }, "load older");
    replace(byID("listfoot"), text, this.rows.length < maxEvents ? more : null);
  }

  row(e, i, n) {
    const sizes = e.inTokens || e.outTokens ? change(e.inTokens, e.outTokens, count) + " tokens" : e.change ? e.change.to || "" : "";
    const row = el("div", { class: "row", role: "option", id: "event-" + e.id, "data-id": e.id, "aria-selected": String(e.id === this.selected), "aria-setsize": n, "aria-posinset": i + 1 },
      el("div", null, el("span", { class: "name" }, nameOf(e)), e.hold ? el("span", { class: "tag hold" }, e.hold.outcome || "held") : null, e.isError || e.error ? el("span", { class: "tag err" }, "error") : null),
      el("div", { class: "small" }, el("span", { class: "name" }, `${clock(e.time)} \u00b7 ${e.type}`), el("span", { class: "num" }, sizes), el("span", { class: "num" }, e.micros ? duration(e.micros) : "")));
    row.style.transform = `translateY(${i * rowHeight}px)`;
    return row;
  }

  emptyList() {
    if (this.query().project || byID("query").value.trim()) return el("div", { class: "empty" }, "No event matches the query and the project." + (this.data.live ? " New events appear here by themselves." : ""));
    if (!this.data.live) return el("div", { class: "empty" }, "The file contains no events.");
    return el("div", { class: "empty" }, "No events yet. Connect a client and use a tool; calls appear here by themselves.", el("p", null, el("code", null, "mcpctl import && mcpctl connect claude-code")));
  }

  select(id, open) {
    this.selected = id;
    const e = this.rows.find((r) => r.id === id);
    this.draw();
    if (!e || !open && !this.isWide()) return;
    this.detail.show(e, () => this.close());
    if (open) byID("view-events").classList.add("open");
    if (open && !this.isWide()) byID("detail").focus();
  }

  close() {
    byID("view-events").classList.remove("open");
    this.detail.id = this.isWide() ? this.detail.id : 0;
    this.draw();
    this.list.focus();
  }

  isWide() { return matchMedia("(min-width: 821px)").matches; }

  // clickList selects the row at a position: rows are replaced while the button is down.
  clickList(ev) {
    const i = Math.floor((ev.clientY - this.list.getBoundingClientRect().top - this.list.clientTop + this.list.scrollTop) / rowHeight);
    const e = this.rows[this.rows.length - 1 - i];
    if (e) this.select(e.id, true);
  }

  // move selects the row that is by rows below the selected one.
  move(by) {
    const n = this.rows.length;
    if (!n) return;
    const at = this.rows.findIndex((e) => e.id === this.selected), index = at < 0 ? 0 : Math.max(0, Math.min(n - 1, n - 1 - at + by));
    const top = index * rowHeight, height = this.list.clientHeight;
    if (top < this.list.scrollTop) this.list.scrollTop = top;
    if (top + rowHeight > this.list.scrollTop + height) this.list.scrollTop = top + rowHeight - height;
    this.selected = this.rows[n - 1 - index].id;
    this.draw();
    clearTimeout(this.moving);
    this.moving = setTimeout(() => this.select(this.selected, false), 120); // a held key loads no texts
  }

  listKey(ev) {
    const page = Math.max(1, Math.floor(this.list.clientHeight / rowHeight) - 1);
    const by = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -this.rows.length, g: -this.rows.length, G: -this.rows.length, End: this.rows.length }[ev.key];
    if (by && !ev.ctrlKey && !ev.metaKey && !ev.altKey) { ev.preventDefault(); ev.stopPropagation(); this.move(by); }
    if (ev.key === "Enter" && this.selected) { ev.preventDefault(); clearTimeout(this.moving); this.select(this.selected, true); byID("detail").focus(); }
  }

  globalKey(ev) {
    if (ev.ctrlKey || ev.metaKey || ev.altKey) return;
    if (ev.key === "Escape") {
      if (ev.target === byID("query") && byID("query").value) { byID("query").value = ""; this.apply(); } else if (this.view === "events") this.close();
      return;
    }
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(ev.target.tagName)) return;
    if (ev.key === "/") { ev.preventDefault(); this.setView("events"); byID("view-events").classList.remove("open"); byID("query").focus(); }
    if (this.view === "events" && (ev.key === "j" || ev.key === "k")) this.move(ev.key === "j" ? 1 : -1);
    const view = ["events", "tokens", "sessions", "holds"][Number(ev.key) - 1];
    if (view && !byID("tab-" + view).hidden) this.setView(view);
  }

  // tabKey moves between the tabs, as those of other pages.
  tabKey(ev) {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[ev.key], tabs = [...byID("tabs").children].filter((t) => !t.hidden), at = tabs.indexOf(document.activeElement);
    if (!by || at < 0) return;
    const next = tabs[(at + by + tabs.length) % tabs.length];
    next.focus();
    next.click();
  }

  setView(name) {
    this.view = name;
    for (const v of ["events", "tokens", "sessions", "holds"]) {
      byID("view-" + v).hidden = v !== name;
      byID("tab-" + v).setAttribute("aria-selected", String(v === name));
    }
    if (name === "events") this.draw();
    if (name === "tokens") this.drawTokens();
    if (name === "sessions") this.drawSessions();
    if (name === "holds") this.drawHolds();
  }

  find(query) {
    byID("query").value = query;
    byID("view-events").classList.remove("open");
    this.setView("events");
    this.apply();
  }

  // --- tokens

  drawTokens() {
    const rows = toolRows(this.events), total = rows.reduce((t, r) => ({ original: t.original + r.original, sent: t.sent + r.sent + r.read }), { original: 0, sent: 0 });
    if (!rows.length) {
      replace(byID("view-tokens"), el("div", { class: "empty" }, "No tool was called in the events that are listed. Clear the query, or use a tool."));
      return;
    }
    replace(byID("view-tokens"),
      el("h2", null, "Tokens of each tool ", el("span", { class: "soft" }, `${count(total.original)} original, ${count(total.sent)} sent: ${percent(total.original, total.sent)}`)),
      el("p", { class: "legend" }, key("bar", "original"), key("sent", "sent"), key("read", "sections read later"), el("span", null, `estimates, from the ${plural(this.events.length, "event")} that are listed`)),
      drawTools(rows, (name) => this.find(this.data.live ? "tool:" + quote(name.split("/").pop()) : name)));
  }

  // --- sessions

  async drawSessions() {
    const box = byID("view-sessions");
    let list;
    try {
      list = await this.data.sessions(byID("project").value) || [];
    } catch (err) {
      replace(box, el("p", { class: "bad" }, reason(err)));
      return;
    }
    if (!list.length) {
      replace(box, el("div", { class: "empty" }, "No client is connected, and no event is stored. ", el("code", null, "mcpctl connect claude-code")));
      return;
    }
    list.sort((a, b) => b.open - a.open || String(b.last || "").localeCompare(String(a.last || "")));
    const cards = el("ul", { class: "cards" });
    for (const s of list) {
      cards.append(el("li", { class: "panel" }, el("h3", null, `${s.client || "client"} on ${s.project}`),
        el("p", { class: "soft" }, [s.open ? "open" : "closed", s.opened ? "since " + clockDate(s.opened) : "", s.last ? "last event " + clockDate(s.last) : "", "model " + s.model, plural(s.events || 0, "event"), s.held ? `${s.held} held` : "", s.id].filter(Boolean).join(" \u00b7 ")),
        el("div", { class: "actions" }, el("button", { type: "button", onclick: () => this.find(this.data.live ? "session:" + quote(s.id) : s.id) }, "Show its events"))));
    }
    replace(box, el("h2", null, "Sessions"), cards);
  }

  // --- holds

  async pollHolds() {
    for (;;) {
      if (!document.hidden) await this.loadHolds();
      await new Promise((done) => setTimeout(done, 2000));
    }
  }

  async loadHolds() {
    try {
      this.holds = await this.data.holds("") || [];
      this.holdError = "";
    } catch (err) {
      this.holds = [];
      this.holdError = reason(err);
    }
    byID("tab-holds").textContent = this.holds.length ? `Holds (${this.holds.length})` : "Holds";
    if (this.view === "holds") this.drawHolds();
  }

  drawHolds() {
    const box = byID("view-holds"), holds = this.holds || [];
    const known = JSON.stringify([holds.map((h) => h.id), this.holdError]);
    if (this.drawnHolds === known) { // only the ages change, and a button keeps the focus
      for (const h of holds) byID("age-" + h.id).textContent = holdAge(h);
      return;
    }
    this.drawnHolds = known;
    if (this.holdError) { replace(box, el("p", { class: "bad" }, this.holdError)); return; }
    if (!holds.length) {
      replace(box, el("div", { class: "empty" }, "No answer is held. The studio holds answers (key p or i); this page releases and drops them. ", el("code", null, "mcpctl console --model-studio PROJECT")));
      return;
    }
    const cards = el("ul", { class: "cards" });
    for (const h of holds) {
      const text = el("div");
      cards.append(el("li", { class: "panel" }, el("h3", null, h.source || h.method),
        el("p", { class: "soft" }, [h.project, h.client, h.model && "model " + h.model, change(h.inTokens, h.outTokens, count) + " tokens", h.isError ? "error" : ""].filter(Boolean).join(" \u00b7 ")),
        el("p", { id: "age-" + h.id, class: "num" }, holdAge(h)),
        el("div", { class: "actions" },
          el("button", { type: "button", onclick: () => this.endHold(h.id, "release") }, "Release"),
          el("button", { type: "button", onclick: () => this.endHold(h.id, "drop"), title: "the client gets an error that says so" }, "Drop"),
          el("button", { type: "button", onclick: () => this.showHold(h.id, text) }, "Show text")), text));
    }
    replace(box, el("h2", null, "Held answers"), el("div", { class: "cards" }, el("div", { class: "actions" }, el("button", { type: "button", onclick: () => this.releaseAll(holds) }, `Release all ${holds.length}`))), cards);
  }

  async endHold(id, action) {
    try { await this.data.endHold(id, action); } catch (err) { this.notice(reason(err)); }
    await this.loadHolds();
  }

  async releaseAll(holds) {
    try {
      for (const project of new Set(holds.map((h) => h.project))) await this.data.releaseAll(project);
    } catch (err) { this.notice(reason(err)); }
    await this.loadHolds();
  }

  async showHold(id, box) {
    try {
      const h = await this.data.hold(id);
      replace(box, (h.shown || []).map((t) => textBlock([[t, false]])));
    } catch (err) { replace(box, el("p", { class: "bad" }, reason(err))); }
  }

  // --- the rest

  async loadProjects() {
    let names = [];
    try {
      names = this.data.live ? (await this.data.status()).projects.map((p) => p.name) : [...new Set(this.events.map((e) => e.project).filter(Boolean))];
    } catch (err) {
      this.notice(reason(err));
    }
    for (const n of names) byID("project").append(el("option", { value: n }, n));
  }

  setState(state, text, err) {
    const s = byID("state");
    s.className = state;
    s.textContent = text || { live: "live", lost: "connecting" }[state] || "";
    if (err && (err.status === 401 || err.status === 403)) this.refused(err);
  }

  refused(err) {
    this.setState("lost", "no access");
    this.notice(err.status === 401 || err.status === 403 ? "This tab has no access to the daemon: its address was used before, has expired, or the daemon was restarted.\nrun: mcpctl ui" : reason(err));
  }

  notice(text) {
    const n = byID("notice");
    n.hidden = !text;
    replace(n, ...text.split("\n").map((line) => el("div", null, line)));
  }
}

function nameOf(e) {
  if (e.section) return `${e.source || "section"} \u203a ${e.section}`;
  if (e.change && e.change.name) return e.change.name;
  return e.source || e.method || e.type;
}

function quote(word) { return /[\s"]/.test(word) ? '"' + word.replace(/"/g, "") + '"' : word; }

function clockDate(t) { const d = new Date(t); return isNaN(d) ? "" : d.toISOString().slice(0, 10) + " " + clock(t); }

function holdAge(h) {
  const now = Date.now(), s = (ms) => Math.max(0, Math.round(ms / 1000)) + " s";
  return `held for ${s(now - new Date(h.since))}, released by itself in ${s(new Date(h.deadline) - now)}`;
}

new App(openData()).start();
