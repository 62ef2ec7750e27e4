import * as raw from "../raw/zz_raw";
import { Line } from "./line";
import { encodeTo } from "./text";

let fields = changetype<Line>(0);

/**
 * Writes to the log of the call: keys and values first, then a constant message.
 *
 *     c.log.int("sections", n).warn("no LLM, headings only"); // no LLM, headings only sections=12
 *
 * Limits: 1,000 lines, 256 KiB. Further lines are counted and dropped.
 */
@unmanaged
export class Log {
  str(key: string, value: string): Log {
    field(key).word(value);
    return this;
  }

  int(key: string, value: i64): Log {
    field(key).int(value);
    return this;
  }

  float(key: string, value: f64): Log {
    field(key).text(value.toString());
    return this;
  }

  bool(key: string, value: bool): Log {
    field(key).text(value ? "true" : "false");
    return this;
  }

  /** Logs details for the author. */
  debug(msg: string): void { line(raw.LOG_DEBUG, msg); }
  /** Logs an action. */
  info(msg: string): void { line(raw.LOG_INFO, msg); }
  /** Logs an action that was done in part or differently. */
  warn(msg: string): void { line(raw.LOG_WARN, msg); }
  /** Logs an action that failed. */
  error(msg: string): void { line(raw.LOG_ERROR, msg); }
}

function field(key: string): Line {
  if (!changetype<usize>(fields)) fields = Line.make();
  return fields.byte(0x20).text(key).byte(0x3d);
}

function line(level: i32, msg: string): void {
  const n = changetype<usize>(fields) ? fields.length : 0;
  const start = heap.alloc(3 * msg.length + n + 1);
  const end = encodeTo(msg, start);
  if (n) {
    memory.copy(end, fields.ptr, n);
    fields.length = 0;
  }
  raw.log(level, start, i32(end - start) + n);
  heap.free(start);
}
