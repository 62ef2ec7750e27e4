/** The estimate of buf_tokens: a figure for each run of bytes of one class, in hundredths, rounded half up. */
export function estimateTokens(bytes) {
  let total = 0;
  for (let i = 0; i < bytes.length;) {
    const c = classOf(bytes[i]);
    let n = 1;
    while (i + n < bytes.length && classOf(bytes[i + n]) === c) n++;
    total += figure[c](n);
    i += n;
  }
  return Math.floor((total + 50) / 100);
}

const figure = {
  letter: (n) => 65 + 125 * Math.floor((n - 1) / 6),
  digit: (n) => 175 * Math.floor((n + 2) / 3),
  newline: (n) => 100 * n,
  blank: () => 0,
  high: (n) => 12 * n,
  other: (n) => 75 + 13 * n,
};

function classOf(b) {
  if ((b >= 0x61 && b <= 0x7a) || (b >= 0x41 && b <= 0x5a)) return "letter";
  if (b >= 0x30 && b <= 0x39) return "digit";
  if (b === 0x0a) return "newline";
  if (b === 0x20 || b === 0x09 || b === 0x0d) return "blank";
  return b >= 0x80 ? "high" : "other";
}
