import { readFileSync } from "node:fs";
import * as abi from "./zz_abi.js";

const modules = new Map();

/** Returns the module of a path or of bytes, compiled once. */
export function load(module) {
  if (module instanceof WebAssembly.Module) return module;
  if (typeof module !== "string") return new WebAssembly.Module(module);
  if (!modules.has(module)) modules.set(module, new WebAssembly.Module(readFileSync(module)));
  return modules.get(module);
}

/** A refused import: its code, and a sentence for last_error. */
export class Refusal extends Error {
  constructor(code, sentence = "") {
    super(sentence);
    this.code = code;
  }
}

/**
 * Calls an entry in a new guest with the imports of a stub. Returns the return code and
 * the reason of a trap, which is empty if there was none.
 */
export function call(module, entry, stub) {
  const guest = { stub, memory: null, fault: null };
  try {
    const { exports } = new WebAssembly.Instance(module, imports(guest));
    guest.memory = exports.memory;
    exports._initialize?.();
    return { code: exports[entry](), trap: "" };
  } catch (e) {
    if (guest.fault) throw guest.fault; // an error of the test, not of the guest
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

function answer(guest, name, method, kinds, words) {
  const { stub, memory } = guest;
  if (!stub[method]) {
    stub.missing ??= name;
    return abi.CODE_UNSUPPORTED;
  }
  try {
    return stub[method](...args(memory, kinds, words));
  } catch (e) {
    if (e instanceof Refusal) {
      stub.refusal = e.message;
      return e.code;
    }
    guest.fault = e;
    throw e;
  }
}

class Trap extends Error {}

/** Returns the arguments of a method; bytes and places for output are Buffers. */
function args(memory, kinds, words) {
  const next = words[Symbol.iterator]();
  const take = () => next.next().value;
  return [...kinds].map((kind) => {
    if (kind === "i") return take();
    const p = take() >>> 0;
    const n = (kind === "b" || kind === "o" ? take() : 8 * Number(kind)) >>> 0;
    const bytes = Buffer.from(memory.buffer, p, n);
    return kind === "b" ? Buffer.from(bytes) : bytes;
  });
}

/** The abort of AssemblyScript, with a message, a file, a line and a column. */
function abort(guest, message, file, line, column) {
  const [reason, source] = [textAt(guest, message), textAt(guest, file)];
  throw new Trap("guest aborted" + (reason && ": " + reason) + (source && ` in ${source}:${line}:${column}`));
}

/** Returns a string of AssemblyScript: UTF-16 after its size in bytes. */
function textAt(guest, p) {
  if (p < 4 || !guest.memory) return "";
  const memory = Buffer.from(guest.memory.buffer);
  return memory.toString("utf16le", p, p + memory.readUInt32LE(p - 4));
}
