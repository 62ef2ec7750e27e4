const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Whether bytes are UTF-8. */
export function isText(bytes) {
  try {
    decoder.decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** The offset of the first byte that is no UTF-8, -1 if all are. */
export function firstInvalid(bytes) {
  if (isText(bytes)) return -1;
  let at = 0;
  for (let n = 1; n > 0; at += n) n = sizeAt(bytes, at);
  return at;
}

/** How many bytes the character at an offset has, 0 if there is none. */
function sizeAt(bytes, at) {
  const lead = bytes[at];
  const n = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  return isText(bytes.subarray(at, at + n)) ? n : 0;
}

/** Cuts bytes to a limit at the boundary of a character. */
export function cut(bytes, limit) {
  if (bytes.length <= limit) return bytes;
  while (limit > 0 && (bytes[limit] & 0xc0) === 0x80) limit--;
  return bytes.subarray(0, limit);
}
