import { Ctx, DONE, pointer, quote } from "mcpctl-stage";
import { find, grep, handles, hash, index, lines, marks, original, pieces, tokens, upper, views } from "./buffer";
import { cache, compute, limit, log, meta, pass } from "./effect";
import { children, numbers, values } from "./json";
import { ask, each, late } from "./llm";
import { batch, chapters, extend, filter, refused, tree } from "./section";
import { config } from "./words";

function args(c: Ctx): i32 {
  c.out.span(c.arguments);
  return c.out.write(`\n${c.question}\n`);
}

export function stageCase(c: Ctx, name: string): i32 {
  if (name == "done") return c.out.write("done");
  if (name == "empty") return c.out.write("");
  if (name == "nothing") return DONE;
  if (name == "pass") return pass(c);
  if (name == "fail") return c.fail(`${c.int("number", 0)} not in 1..9`);
  if (name == "panic") abort("boom");
  if (name == "limit") return limit(c);
  if (name == "config") return c.out.write(config(c));
  if (name == "misuse") return c.out.write(`${c.int("text", 1)}\n`);
  if (name == "context") return context(c);
  if (name == "arguments") return args(c);
  if (name == "session") return c.out.write(c.session() + "\n");
  if (name == "upper") return upper(c);
  if (name == "original") return original(c);
  if (name == "pieces") return pieces(c);
  if (name == "find") return find(c);
  if (name == "lines") return lines(c);
  if (name == "grep") return grep(c);
  if (name == "hash") return hash(c);
  if (name == "tokens") return tokens(c);
  if (name == "views") return views(c);
  if (name == "handles") return handles(c);
  if (name == "json") return values(c);
  if (name == "children") return children(c);
  if (name == "numbers") return numbers(c);
  if (name == "pointer") return c.out.write(pointer(c.strs("list", [])) + "\n");
  if (name == "index") return index(c);
  if (name == "marks") return marks(c);
  if (name == "tree") return tree(c);
  if (name == "refused") return refused(c);
  if (name == "extend") return extend(c);
  if (name == "chapters") return chapters(c);
  if (name == "meta") return meta(c);
  if (name == "log") return log(c);
  if (name == "cache") return cache(c);
  if (name == "compute") return compute(c);
  if (name == "llm") return c.out.write(ask(c));
  if (name == "each") return each(c);
  if (name == "late") return late(c);
  if (name == "batch") return batch(c);
  if (name == "filter") return filter(c);
  return c.fail(`case ${quote(name)} unknown`);
}

function context(c: Ctx): i32 {
  const limits = c.limits;
  return c.out.write(
    `role=${c.role}\nproject=${c.project}\ncontentType=${c.contentType}\nsource=${c.source}\n` +
    `mime=${c.mime}\nhint=${c.hint}\npart=${c.partKind} ${c.partIndex} ${c.partCount}\n` +
    `stage=${c.stageIndex} ${c.stageCount}\n` +
    `limits=${limits.outputBytes} ${limits.sections} ${limits.memoryBytes} ${limits.llmMillis} ${limits.llmRequests}\n`,
  );
}
