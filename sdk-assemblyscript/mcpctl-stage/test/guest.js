import { readFileSync } from "node:fs";
import * as abi from "./zz_abi.js";
import { Refusal } from "./refusal.js";

const modules = new Map();

/** A module of a path or of bytes, compiled once. */
export function load(module) {
  if (module instanceof WebAssembly.Module) return module;
  if (typeof module !== "string") return new WebAssembly.Module(module);
  if (!modules.has(module)) modules.set(module, new WebAssembly.Module(readFileSync(module)));
  return modules.get(module);
}

/** Names of what the module exports. */
export function exportsOf(module) {
  return new Set(WebAssembly.Module.exports(module).map((e) => e.name));
}

/**
 * Calls an entry in a guest of its own; host answers its imports. The return code, and why
 * the guest trapped, empty if it did not.
 */
export function call(module, entry, host) {
  const guest = { host, memory: null, started: false, fault: null };
  try {
    const { exports } = new WebAssembly.Instance(module, imports(guest));
    guest.memory = exports.memory;
    exports._initialize?.();
    guest.started = true;
    return { code: exports[entry](), trap: "" };
  } catch (e) {
    if (guest.fault) throw guest.fault; // a fault of the test, not of the guest
    if (e instanceof WebAssembly.LinkError) throw e;
    return { code: abi.RETURN_FAIL, trap: e instanceof Trap ? e.message : `guest trapped: ${e.message}` };
  }
}

function imports(guest) {
  const all = { env: { abort: (...at) => abort(guest, ...at) } };
  for (const [namespace, name, method, kinds] of abi.IMPORTS) {
    all[namespace] ??= {};
    all[namespace][name] = (...words) => answer(guest, name, method, kinds, words);
  }
  return all;
}

/** One import: words of the wire to arguments of the method, a Refusal to its code. */
function answer(guest, name, method, kinds, words) {
  if (!guest.started) return name === "log" ? 0 : abi.CODE_UNSUPPORTED;
  try {
    if (!guest.host[method]) throw new Error(`import ${name} is not here: test with "mcpctl stage test"`);
    return guest.host[method](...args(guest, name, kinds, words));
  } catch (e) {
    if (e instanceof Refusal) {
      guest.host.lastRefusal = e.message;
      return e.code;
    }
    if (!(e instanceof Trap)) guest.fault = e;
    throw e;
  }
}

class Trap extends Error {}

function args(guest, name, kinds, words) {
  const at = words[Symbol.iterator]();
  const take = () => at.next().value;
  return [...kinds].map((kind) => {
    if (kind === "i") return take();
    const p = take() >>> 0;
    const n = (kind === "b" || kind === "o" ? take() : 8 * Number(kind)) >>> 0;
    if (p + n > guest.memory.buffer.byteLength) throw new Trap(`bad pointer in ${name}(${words.join(", ")})`);
    const bytes = Buffer.from(guest.memory.buffer, p, n);
    return kind === "b" ? Buffer.from(bytes) : bytes; // what is read is the host's from now on
  });
}

/** abort of AssemblyScript: a message, a file, a line and a column. */
function abort(guest, message, file, line, column) {
  const [what, where] = [textAt(guest, message), textAt(guest, file)];
  throw new Trap("guest aborted" + (what && ": " + what) + (where && ` in ${where}:${line}:${column}`));
}

/** A string of AssemblyScript: UTF-16, its size in bytes in front of it. */
function textAt(guest, p) {
  if (p < 4 || !guest.memory) return "";
  const memory = Buffer.from(guest.memory.buffer);
  return memory.toString("utf16le", p, p + memory.readUInt32LE(p - 4));
}
