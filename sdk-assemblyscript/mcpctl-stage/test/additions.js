import * as abi from "./zz_abi.js";
import { bad } from "./buffers.js";

/** The records of sections_add, each with its texts. */
export function additions(records, texts) {
  const size = abi.ADDITION_RECORD_SIZE;
  if (records.length % size !== 0) throw bad(`${records.length} bytes of records, of ${size} each`);
  const list = [];
  let at = 0;
  for (let r = 0; r < records.length; r += size) {
    const [parent, start, end] = [0, 4, 8].map((k) => records.readInt32LE(r + k));
    const title = at + records.readUInt32LE(r + 12);
    const next = title + records.readUInt32LE(r + 16);
    list.push({ parent, start, end, id: texts.subarray(at, title), title: texts.subarray(title, next) });
    at = next;
  }
  if (at !== texts.length) throw bad(`${texts.length} bytes of texts, records say ${at}`);
  return list;
}
