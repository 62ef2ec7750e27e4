// Drives the page of the daemon in headless Chromium and prints the results as one JSON
// document. Input (argv[2]): {"url": "http://.../ui/#t=TICKET", "chromium": "...", "out": DIR,
// "mode": "fixed", "live" or "file"}. In the mode fixed, the answers of the management API are
// replaced by fixed data, which contains 10,000 events and hostile texts; the files and the
// access are those of the daemon. The mode file opens an exported file.
import { chromium } from "playwright-core";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { contents, events, holds, hostile, sessions } from "./pagedata.mjs";

const input = JSON.parse(process.argv[2]);
const flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const results = {}, failures = [];
const check = (name, ok, note) => { results[name] = note === undefined ? Boolean(ok) : note; if (!ok) failures.push(`${name}: ${JSON.stringify(note)}`); };
mkdirSync(input.out, { recursive: true });

const context = await chromium.launchPersistentContext(join(input.out, "profile"), { executablePath: input.chromium, headless: true, args: flags, viewport: { width: 1280, height: 860 } });
const page = await context.newPage();
const messages = [], foreign = [];
page.on("console", (m) => { if ((m.type() === "error" || m.type() === "warning") && !/status of 4(00|22)/.test(m.text())) messages.push(m.text()); });
page.on("pageerror", (e) => messages.push(String(e)));
page.on("dialog", (d) => { messages.push("dialog " + d.message()); d.dismiss(); });
page.on("request", (r) => { if (input.mode === "file" ? r.url() !== input.url : new URL(r.url()).origin !== new URL(input.url).origin) foreign.push(r.url()); });

const held = holds(), ended = [];
const fakes = async (route) => {
  const url = new URL(route.request().url()), path = url.pathname, method = route.request().method();
  const json = (v, status = 200) => route.fulfill({ status, contentType: "application/json", body: JSON.stringify(v) });
  const view = /^\/api\/v1\/events\/(\d+)\/(\w+)$/.exec(path);
  const hold = /^\/api\/v1\/holds\/(\d+)$/.exec(path);
  if (!route.request().headers().authorization) return json({ error: { code: "E_DENIED", message: "no token" } }, 401);
  if (path === "/api/v1/events") {
    const query = url.searchParams.get("l") || "", limit = Number(url.searchParams.get("limit")) || Infinity;
    if (query.includes("tol:")) return json({ error: { code: "E_INVALID", message: 'unknown field "tol" at character 1', cause: 'did you mean "tool"?' } }, 422);
    const word = query.split(" ").find((w) => w.startsWith("tool:") || w.startsWith("session:"));
    const list = events.filter((e) => !word || (e.source || "").endsWith(word.slice(5)) || e.session === word.slice(8));
    return json(list.slice(-limit));
  }
  if (path === "/inspect") return route.fulfill({ status: 200, contentType: "text/event-stream", body: ": keep-alive\n\n" });
  if (path === "/api/v1/status") return json({ projects: [{ name: "home" }, { name: "work-with-a-rather-long-project-name" }] });
  if (path === "/api/v1/sessions") return json(sessions);
  if (path === "/api/v1/holds" && method === "GET") return json(held);
  if (path === "/api/v1/holds" && method === "DELETE") { ended.push("all"); return json({ released: held.splice(0).length }); }
  if (hold && method === "POST") {
    ended.push(`${route.request().postDataJSON().action} ${hold[1]}`);
    held.splice(held.findIndex((h) => h.id === Number(hold[1])), 1);
    return json({});
  }
  if (hold) return json({ ...held.find((h) => h.id === Number(hold[1])), shown: [hostile] });
  if (view) {
    const c = contents(Number(view[1]))[view[2]];
    return c ? json(c) : json({ error: { code: "E_NOT_FOUND", message: "the text is no longer stored" } }, 404);
  }
  return json({ error: { code: "E_NOT_FOUND", message: "no such call" } }, 404);
};
if (input.mode === "fixed") {
  await page.route("**/api/v1/**", fakes);
  await page.route("**/inspect**", fakes);
}

const shot = async (name) => { await page.screenshot({ path: join(input.out, name + ".png") }); };

await page.goto(input.url);
await page.locator(".row").first().waitFor();
// painted returns the milliseconds from the start of the navigation until the events are painted.
const painted = () => page.waitForFunction(() => performance.getEntriesByName("events painted")[0]?.startTime).then((h) => h.jsonValue()).then(Math.round);
const first = await painted();
check("the ticket is removed from the address", !(await page.evaluate(() => location.href)).includes("#"));
await page.reload(); // the access belongs to the tab
results["ms until the newest events are painted, first and again"] = [first, await painted()]; // a figure: it depends on the load of the machine

await { fixed: drive, live: driveLive, file: driveFile }[input.mode]();
check("no request to another origin", foreign.length === 0, foreign);
check("no message of the browser", messages.length === 0, messages);
console.log(JSON.stringify({ results, failures }));
await context.close();

async function drive() {
  // list
  await page.getByRole("button", { name: "load older" }).click();
  await page.getByText("10,000 events", { exact: true }).waitFor();
  const load = Date.now();
  await page.locator("#list").focus();
  await page.keyboard.press("End");
  await page.locator("#event-1").waitFor();
  results["ms from End to the oldest of 10,000 events"] = Date.now() - load;
  check("rows in the document", (await page.locator(".row").count()) < 60, await page.locator(".row").count());
  await page.keyboard.press("Home");
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("k");
  check("j and k move", (await page.locator(".row[aria-selected=true]").getAttribute("aria-posinset")) === "2");

  // query
  await page.keyboard.press("/");
  await page.keyboard.type("tol:read");
  await page.locator("#queryerror").getByText("did you mean").waitFor();
  await shot("error-1280-light");
  await page.fill("#query", "tool:hostile_page");
  await page.locator("#queryerror").waitFor({ state: "hidden" });

  // hostile content stays text
  await page.getByText("1 event", { exact: true }).waitFor();
  await page.locator("#list").focus();
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Sent", exact: true }).click();
  await page.locator(".text").getByText("document.title").first().waitFor();
  const text = await page.locator("#detail .text").first().innerText();
  check("hostile text is shown", text.includes("<script>document.title") && text.includes("<img src=x onerror="));
  check("control characters are visible", text.includes("\u27e8ESC\u27e9[31m") && text.includes("\u27e8U+202E\u27e9") && text.includes("\u27e8U+E0041\u27e9") && !/[\u001b\u202e\u200b]/.test(text));
  check("no element came from a text", (await page.locator("#detail img, #detail script, #detail a, #detail iframe").count()) === 0);
  check("no script ran", !(await page.title()).includes("owned") && !(await page.evaluate(() => window.owned)));
  await shot("hostile-1280-light");
  await page.keyboard.press("Escape");
  await page.fill("#query", "");
  await page.getByText(/newest \d+ events/).waitFor();

  // waterfall, map, differences
  await page.fill("#query", "tool:read_guide");
  await page.waitForFunction(() => [...document.querySelectorAll(".row")].every((r) => r.textContent.includes("read_guide")));
  await page.locator(".row").first().click();
  await page.getByRole("button", { name: "Steps" }).click();
  await page.locator(".steps").getByText("section-split").first().waitFor();
  const stepText = await page.locator(".steps").innerText();
  check("steps of a call", ["server demo", "gate, on_tool_call", "held, released", "section-split"].every((s) => stepText.includes(s)), stepText);
  await page.getByRole("button", { name: "What the model saw" }).click();
  await page.locator(".map g").first().waitFor();
  check("cells of the map", (await page.locator(".map g").count()) > 10, await page.locator(".map g").count());
  check("lit cells of the map", (await page.locator(".map .lit").count()) > 2, await page.locator(".map .lit").count());
  await page.locator(".map g").nth(2).click();
  await page.locator("#detail .text").waitFor();
  await page.keyboard.press("ArrowRight");
  check("arrow keys move in the map", (await page.locator(".map g.chosen").count()) === 1);
  await page.getByRole("button", { name: "Differences" }).click();
  await page.locator(".diff .del").first().waitFor();
  check("requirements that were lost", (await page.locator("#detail .bad li").allInnerTexts()).join() === "Secrets MUST stay in the vault.");
  check("lines of the difference", (await page.locator(".diff .add").count()) > 0, await page.locator(".diff .add").count());
  await pictures();

  // holds
  await page.getByRole("tab", { name: /Holds \(3\)/ }).click();
  await page.getByRole("button", { name: "Show text" }).first().click();
  await page.getByRole("button", { name: "Release", exact: true }).first().click();
  await page.getByRole("tab", { name: "Holds (2)" }).waitFor();
  await page.getByRole("button", { name: "Drop" }).first().click();
  await page.getByRole("tab", { name: "Holds (1)" }).waitFor();
  await page.getByRole("button", { name: /Release all/ }).click();
  await page.getByText("No answer is held").waitFor();
  check("holds are ended", ended.join() === "release 1,drop 2,all", ended);
}

// driveLive expects a daemon with 10,000 events, a call whose sections were read, and an
// answer that is held.
async function driveLive() {
  await page.getByText(/^the newest 500 events/).waitFor();
  await page.fill("#query", "tool:read_guide");
  await page.waitForFunction(() => [...document.querySelectorAll(".row")].every((r) => r.textContent.includes("read_guide")));
  await readGuide();
  await page.locator("#state.live").waitFor();
  await page.getByRole("tab", { name: /Holds \(1\)/ }).click();
  await page.getByRole("button", { name: "Release", exact: true }).click();
  await page.getByText("No answer is held").waitFor();
  check("an answer was released", true);
  await page.getByRole("tab", { name: "Events" }).click();
  await page.fill("#query", "toool:x");
  await page.locator("#queryerror").waitFor();
  check("the error of the daemon is under the query", (await page.locator("#queryerror").innerText()).includes('did you mean "tool"'), await page.locator("#queryerror").innerText());
}

// driveFile expects an exported file with a call whose sections were read.
async function driveFile() {
  await readGuide();
  check("a file has no holds", await page.locator("#tab-holds").isHidden());
  await page.fill("#query", "nosuchword");
  await page.getByText("No event matches").waitFor();
  await shot("file-empty");
  await page.getByRole("tab", { name: "Tokens" }).click();
  await page.getByText("No tool was called").waitFor();
}

// readGuide looks at the call of the guide, one of whose sections was read.
async function readGuide() {
  await page.locator(".row", { hasText: "tool_call" }).last().click();
  await page.locator(".map .lit").first().waitFor();
  check("lit cells of the map", true, await page.locator(".map .lit").count());
  await shot(input.mode + "-map");
  await page.getByRole("button", { name: "Differences" }).click();
  await page.locator(".diff .del").first().waitFor();
  await page.getByRole("button", { name: "Steps" }).click();
  await page.locator(".steps").getByText("section-split").waitFor();
}

// pictures takes screenshots of all views at both widths, light and dark.
async function pictures() {
  for (const [width, height] of [[1280, 860], [400, 800]]) {
    for (const colorScheme of ["light", "dark"]) {
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme });
      const name = (view) => `${view}-${width}-${colorScheme}`;
      await page.getByRole("tab", { name: "Events" }).click();
      await page.fill("#query", "");
      await page.locator(".row", { hasText: "tools/list" }).first().waitFor();
      for (const view of ["Tokens", "Sessions", "Holds"]) {
        await page.getByRole("tab", { name: view }).click();
        await page.waitForFunction((v) => !document.querySelector(`#view-${v} > *`)?.hidden, view.toLowerCase());
        await shot(name(view.toLowerCase()));
        await checkWidth(name(view.toLowerCase()));
      }
      await page.getByRole("tab", { name: "Events" }).click();
      await shot(name("list"));
      await checkWidth(name("list"));
      await page.fill("#query", "tool:read_guide");
      await page.waitForFunction(() => [...document.querySelectorAll(".row")].every((r) => r.textContent.includes("read_guide")));
      await page.locator(".row").first().click();
      for (const view of ["What the model saw", "Steps", "Differences", "Original"]) {
        await page.getByRole("button", { name: view, exact: true }).click();
        if (view === "What the model saw") await page.locator(".map g").nth(3).click();
        await shot(name("detail-" + view.split(" ")[0].toLowerCase()));
        await checkWidth(name(view));
      }
      await page.locator("#detail").evaluate((n) => { n.scrollTop = n.scrollHeight; });
      await shot(name("detail-end"));
      await page.keyboard.press("Escape");
    }
  }
  await page.setViewportSize({ width: 1280, height: 860 });
  await page.emulateMedia({ colorScheme: "light" });
}

// checkWidth fails if a part of the page is cut off at the right.
async function checkWidth(name) {
  const wide = await page.evaluate(() => [...document.querySelectorAll("body *")].filter((n) => {
    const r = n.getBoundingClientRect();
    return r.width > 0 && r.right > innerWidth + 1 && !n.closest(".text, .diff");
  }).slice(0, 3).map((n) => `${n.tagName} ${n.className} ${Math.round(n.getBoundingClientRect().right)}`));
  if (wide.length || await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)) check("fits: " + name, false, wide);
}
