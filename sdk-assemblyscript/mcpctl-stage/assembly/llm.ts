import * as raw from "../raw/zz_raw";
import { Buf, handle, idOf } from "./buf";
import { check } from "./call";
import { utf8 } from "./text";

/** Classes of models. A class that is not configured means the other. */
export const FAST: i32 = raw.TIER_FAST;
export const HEAVY: i32 = raw.TIER_HEAVY;

/** Flags of LLM.ask: the host finishes the request after the call and stores the answer. */
export const BACKGROUND: i32 = raw.LLM_BACKGROUND;
/** The answer must be JSON; otherwise the request fails with UPSTREAM. */
export const JSON_ANSWER: i32 = raw.LLMJSON;

/**
 * Sends requests to the project's language model, if there is one. The manifest must list
 * the capability "llm". A stage must be useful without answers:
 *
 *     const answer = c.llm.ask().system("Summarise.").quote(c.input).complete();
 *     if (!answer) return PASS;
 *
 * If the stage has Sections, add them first, send the requests with BACKGROUND and use the
 * answers that are ready. The host runs the stage again when the others have arrived.
 */
@unmanaged
export class LLM {
  /** Returns how many requests may run at the same time: 0 if no LLM is configured or it is unavailable. */
  available(tier: i32 = FAST): i32 { return max(raw.llmAvailable(tier), 0); }

  /** Returns a new request to fill and send. send returns a refusal of any of these steps. */
  ask(maxTokens: i32 = 256, tier: i32 = FAST, flags: i32 = 0): Request {
    return changetype<Request>(check(raw.llmBegin(tier, maxTokens, flags)));
  }

  /** Returns the next settled request that neither ready nor next has returned yet, or null. */
  ready(): Request | null { return this.next(0); }

  /** Like ready, but waits; null with TIMEOUT, or NOT_FOUND if none is left. */
  next(timeoutMillis: i32): Request | null {
    const req = check(raw.llmWait(-1, max(timeoutMillis, 0)));
    return req < 0 ? null : changetype<Request>(req);
  }
}

/** A request and its answer. It is a number, so equal values are the same request. */
@unmanaged
export class Request {
  /** Counted from 1; negative if the request was refused. */
  get id(): i32 { return i32(changetype<usize>(this)); }

  /** Sets the system text. */
  system(text: string): Request {
    if (this.id < 0) return this;
    const t = utf8(text);
    return this.or(raw.llmSystem(this.id, t.ptr, t.length));
  }

  /** Appends text of the author, such as instructions. */
  text(words: string): Request {
    if (this.id < 0) return this;
    const t = utf8(words);
    return this.or(raw.llmText(this.id, t.ptr, t.length));
  }

  /**
   * Appends n bytes of content. The host encloses it in marks that do not occur in it, so
   * that it cannot pass for instructions.
   */
  quote(b: Buf, off: i32 = 0, n: i32 = -1): Request {
    return this.id < 0 ? this : this.or(raw.llmSpan(this.id, idOf(b), off, n));
  }

  /**
   * Sends the request without waiting. Requests of one call run concurrently. Returns 1 if
   * the host had stored the answer, 0 if it is pending. Refusals: UNAVAILABLE, LIMIT, DENIED.
   */
  send(): i32 { return this.id < 0 ? this.id : check(raw.llmSend(this.id)); }

  /** Waits until the request has settled. Returns 0 or TIMEOUT. */
  wait(timeoutMillis: i32 = i32.MAX_VALUE): i32 {
    return min(check(raw.llmWait(this.id, max(timeoutMillis, 0))), 0);
  }

  /** Whether the request was answered or has failed. */
  get settled(): bool { return raw.llmStatus(this.id) != raw.LLM_PENDING; }

  /** Whether the answer was cut at maxTokens. */
  get cut(): bool { return raw.llmStatus(this.id) == raw.LLM_CUT; }

  /** Returns the text of a settled request; null with the code of its failure. */
  result(): Buf | null { return handle(raw.llmResult(this.id)); }

  /**
   * Sends the request and waits for the answer. null with UNAVAILABLE, TIMEOUT, UPSTREAM,
   * LIMIT or DENIED. All waits of a call share limits.llmMillis.
   */
  complete(): Buf | null { return this.send() < 0 || this.wait() < 0 ? null : this.result(); }

  private or(code: i32): Request { return check(code) < 0 ? changetype<Request>(code) : this; }
}
