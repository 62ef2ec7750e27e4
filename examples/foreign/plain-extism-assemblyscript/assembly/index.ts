// A stage of mcpctl that was written with Extism's PDK: it removes colours from terminal
// output and keeps only the last version of an overwritten line.

import { Config, Host, LogLevel } from "@extism/as-pdk";

const ESC: u8 = 0x1b;

/** sequence returns the end of the escape sequence that starts at `at`. */
function sequence(text: Uint8Array, at: i32): i32 {
  let i = at + 1;
  if (i >= text.length) return i;
  if (text[i] == 0x5d) { // ESC ], up to BEL or ESC \
    while (i < text.length && text[i] != 7 && text[i] != ESC) i++;
    return i < text.length && text[i] == ESC ? i + 2 : i + 1;
  }
  if (text[i] != 0x5b) return i + 1; // a letter
  i++;
  while (i < text.length && (text[i] < 0x40 || text[i] > 0x7e)) i++; // ESC [ numbers letter
  return i + 1;
}

export function plain(): i32 {
  const text = Host.input();
  const out = new Uint8Array(text.length);
  const progress = Config.get("progress") == "keep";
  let n = 0, line = 0, taken = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (c == ESC) {
      i = min(sequence(text, i), text.length) - 1;
      taken++;
    } else if (c == 0x0d && !progress) {
      if (i + 1 < text.length && text[i + 1] != 0x0a) n = line; // the line is overwritten
    } else {
      out[n++] = c;
      if (c == 0x0a) line = n;
    }
  }
  Host.log(LogLevel.Info, taken.toString() + " sequences");
  Host.output(out.slice(0, n));
  return 0;
}

export function abort(message: string | null, file: string | null, line: u32, column: u32): void {
  if (message != null) Host.log(LogLevel.Error, message);
  unreachable();
}
