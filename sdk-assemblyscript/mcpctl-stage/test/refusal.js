/** Why the host refuses: a code, and a sentence for last_error. */
export class Refusal extends Error {
  constructor(code, why) {
    super(why);
    this.code = code;
  }
}

/** Writes 1204 as 1,204. */
export function commas(n) {
  return String(n).replace(/\B(?=(\d{3})+$)/g, ",");
}
