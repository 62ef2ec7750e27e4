// The words of the kit for results and refusals.
import { Base, lastCode, lastError, NOT_FOUND } from "mcpctl-stage";

// fate returns "ok" or the code of the latest call of the host.
export function fate(): string {
  const code = lastCode();
  if (code == 0) return "ok";
  return code.toString() + (code == NOT_FOUND || lastError() == "" ? "" : " said");
}

// fateOf returns the fate of a result, which is negative after a refusal.
export function fateOf(code: i32): string { return code < 0 ? fate() : "ok"; }

export function thousandths(v: f64): string { return i64(v * 1000).toString(); }

export function place(start: i32, end: i32): string { return `${start}-${end}`; }

// config returns the results of the config getters, a line each.
export function config(c: Base): string {
  return "text=" + c.str("text", "none") +
    "\nmore=" + c.str("more", "") +
    "\nnumber=" + c.int("number", 7).toString() +
    "\nreal=" + thousandths(c.float("real", 0.5)) +
    "\nflag=" + c.bool("flag", true).toString() +
    "\nlist=" + c.strs("list", ["x", "y"]).join(",") +
    "\nhas=" + c.has("text").toString() + "\n";
}
