import { isText } from "./utf8.js";

/** What an archive says of a cache: way ("", "full", "off") and what it holds. */
export function parseCache(text) {
  let cacheWay = "";
  const cache = {};
  for (const line of text.split("\n").map((line) => line.trim()).filter(Boolean)) {
    if (line === "full" || line === "off") cacheWay = line;
    else Object.assign(cache, pair(line));
  }
  if (cacheWay === "off" && Object.keys(cache).length > 0) throw new Error("cache: one that is off holds nothing");
  return { cache, cacheWay };
}

/** What an archive says was put into a cache. */
export function parseKept(text) {
  const { cache, cacheWay } = parseCache(text);
  if (cacheWay) throw new Error(`kept: ${cacheWay} is not KEY: VALUE`);
  return cache;
}

/** Reads KEY: VALUE, each as it stands there or as a string of JSON, or a value as "hex " and its bytes. */
function pair(line) {
  const [, quoted, plain, value] = /^(?:("(?:[^"\\]|\\.)*")|([^"].*?)): (.*)$/.exec(line) ?? [];
  try {
    if (value !== undefined) return { [quoted ? JSON.parse(quoted) : plain]: valueOf(value) };
  } catch {
    // neither is it a string of JSON
  }
  throw new Error(`cache: ${line} is not KEY: VALUE, full or off`);
}

function valueOf(text) {
  if (text.startsWith('"')) return JSON.parse(text);
  if (!text.startsWith("hex ")) return text;
  const digits = text.slice("hex ".length);
  if (!/^(?:[0-9a-fA-F]{2})*$/.test(digits)) throw new Error("no bytes");
  const bytes = Buffer.from(digits, "hex");
  return isText(bytes) ? bytes.toString() : bytes;
}

/** Values as archives have them. */
export function cacheText(values) {
  return Object.keys(values).sort().map((key) => {
    const value = values[key];
    const shown = typeof value !== "string" ? "hex " + value.toString("hex") : isPlain(value) && !value.startsWith("hex ") ? value : JSON.stringify(value);
    return `${isPlain(key) && !key.includes(": ") ? key : JSON.stringify(key)}: ${shown}\n`;
  }).join("");
}

/** Whether a text can stand in a line as it is. */
function isPlain(text) {
  return text !== "" && text[0] !== '"' && text.trim() === text && !/\p{Cc}/u.test(text);
}
