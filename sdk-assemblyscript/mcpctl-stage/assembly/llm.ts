import * as raw from "../raw/zz_raw";
import { Buf, handle, idOf } from "./buf";
import { check } from "./call";
import { utf8 } from "./text";

/** Tiers of models; one that is not configured means the other. */
export const FAST: i32 = raw.TIER_FAST;
export const HEAVY: i32 = raw.TIER_HEAVY;

/** Flags of LLM.ask: the host finishes the request after the call and keeps the answer. */
export const BACKGROUND: i32 = raw.LLM_BACKGROUND;
/** The answer must be JSON, else the request ends with UPSTREAM. */
export const JSON_ANSWER: i32 = raw.LLMJSON;

/**
 * Asks the project's language model, if it has one. It needs the capability "llm" in the
 * manifest. A stage must be of use without answers:
 *
 *     const answer = c.llm.ask().system("Summarise.").quote(c.input).complete();
 *     if (!answer) return PASS;
 *
 * Where there is structure, add the Sections first, send with BACKGROUND, take what ready
 * gives, and let the host run the stage once more when the rest is there.
 */
@unmanaged
export class LLM {
  /** How many requests may run at one time: 0 if no LLM is configured or it is out of order. */
  available(tier: i32 = FAST): i32 { return max(raw.llmAvailable(tier), 0); }

  /** A request to be filled and sent. What the host refuses on the way comes out of send. */
  ask(maxTokens: i32 = 256, tier: i32 = FAST, flags: i32 = 0): Request {
    return changetype<Request>(check(raw.llmBegin(tier, maxTokens, flags)));
  }

  /** The next request that has settled by now and that neither ready nor next has given before, or null. */
  ready(): Request | null { return this.next(0); }

  /** ready that waits; null with TIMEOUT, or NOT_FOUND if none is left. */
  next(timeoutMillis: i32): Request | null {
    const req = check(raw.llmWait(-1, max(timeoutMillis, 0)));
    return req < 0 ? null : changetype<Request>(req);
  }
}

/** One question and its answer. It is a number: equal ones are the same. */
@unmanaged
export class Request {
  /** Counts from 1; below zero why it was refused. */
  get id(): i32 { return i32(changetype<usize>(this)); }

  /** Sets the instructions of the author. */
  system(text: string): Request {
    if (this.id < 0) return this;
    const t = utf8(text);
    return this.or(raw.llmSystem(this.id, t.ptr, t.length));
  }

  /** Appends words of the author. */
  text(words: string): Request {
    if (this.id < 0) return this;
    const t = utf8(words);
    return this.or(raw.llmText(this.id, t.ptr, t.length));
  }

  /**
   * Appends n bytes of content. The host encloses it in marks that do not occur in it, so
   * it cannot pose as instructions.
   */
  quote(b: Buf, off: i32 = 0, n: i32 = -1): Request {
    return this.id < 0 ? this : this.or(raw.llmSpan(this.id, idOf(b), off, n));
  }

  /**
   * Asks without waiting; requests of one call run side by side. 1 if the host had stored
   * the answer, 0 if it is under way. Refusals: UNAVAILABLE, LIMIT, DENIED.
   */
  send(): i32 { return this.id < 0 ? this.id : check(raw.llmSend(this.id)); }

  /** Waits until it has settled; 0, or TIMEOUT. */
  wait(timeoutMillis: i32 = i32.MAX_VALUE): i32 {
    return min(check(raw.llmWait(this.id, max(timeoutMillis, 0))), 0);
  }

  /** Whether the answer is there or the request has failed. */
  get settled(): bool { return raw.llmStatus(this.id) != raw.LLM_PENDING; }

  /** Whether the answer ends at maxTokens. */
  get cut(): bool { return raw.llmStatus(this.id) == raw.LLM_CUT; }

  /** The text of a settled request; null with the code of its failure. */
  result(): Buf | null { return handle(raw.llmResult(this.id)); }

  /**
   * Asks and waits. null with UNAVAILABLE, TIMEOUT, UPSTREAM, LIMIT or DENIED; a stage
   * then does without. All waits of a call share limits.llmMillis.
   */
  complete(): Buf | null { return this.send() < 0 || this.wait() < 0 ? null : this.result(); }

  private or(code: i32): Request { return check(code) < 0 ? changetype<Request>(code) : this; }
}
