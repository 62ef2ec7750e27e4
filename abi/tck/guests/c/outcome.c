#include "kit.h"

static int done(void) { return mcpctl_done(PUT("done")); }
static int empty(void) { return mcpctl_done(PUT("")); }
static int nothing(void) { return MCPCTL_DONE; }

static int pass(void) {
  PUT("dropped");
  return MCPCTL_PASS;
}

static int fail(void) {
  char reason[64];
  int i, n = mcpctl_decimal(number(), reason);
  for (i = 0; i < 12; i++) reason[n++] = " not in 1..9"[i];
  return mcpctl_failed(reason, n);
}

/* C has no panic, so this case fails with a reason. */
static int panic(void) { return mcpctl_failed(MCPCTL_TEXT("boom")); }

static int limit(void) {
  static char piece[65536];
  int i, code;
  for (i = 0; i < 65536; i++) piece[i] = 'x';
  for (i = 0; i < 100; i++) {
    code = mcpctl_out_write(piece, sizeof piece);
    if (code < 0) {
      log_fate(code);
      break;
    }
  }
  return MCPCTL_DONE;
}

static void put_thousandths(const char *pointer, int pointer_len, double def) {
  put_number("", (long long)(1000 * mcpctl_config_number(pointer, pointer_len, def)));
}

void put_config(void) {
  int i, n, found = mcpctl_json_kind(MCPCTL_CONFIG, MCPCTL_TEXT("/text")) >= 0;
  PUT("text=");
  if (found) put_field(MCPCTL_CONFIG, MCPCTL_TEXT("/text"));
  else PUT("none");
  PUT("\nmore=");
  put_field(MCPCTL_CONFIG, MCPCTL_TEXT("/more"));
  put_number("\nnumber=", mcpctl_config_int(MCPCTL_TEXT("/number"), 7));
  PUT("\nreal=");
  put_thousandths(MCPCTL_TEXT("/real"), 0.5);
  PUT("\nflag=");
  put_bool((int)mcpctl_config_int(MCPCTL_TEXT("/flag"), 1));
  PUT("\nlist=");
  n = mcpctl_json_each(MCPCTL_CONFIG, MCPCTL_TEXT("/list"), 0, (void *)0, 0);
  if (n < 0) PUT("x,y");
  for (i = 0; i < n; i++) {
    mcpctl_child child;
    int element;
    mcpctl_json_each(MCPCTL_CONFIG, MCPCTL_TEXT("/list"), i, &child, sizeof child);
    element = mcpctl_json_text(MCPCTL_CONFIG, (int)child.start, (int)child.end);
    if (i > 0) PUT(",");
    mcpctl_out_span(element, 0, -1);
  }
  PUT("\nhas=");
  put_bool(found);
  put_line();
}

static int config(void) {
  put_config();
  return MCPCTL_DONE;
}

static int misuse(void) {
  if (mcpctl_json_kind(MCPCTL_CONFIG, MCPCTL_TEXT("/text")) == MCPCTL_JSON_KIND_STRING)
    return mcpctl_failed(MCPCTL_TEXT("config \"text\" is string, want number"));
  put_number("", mcpctl_config_int(MCPCTL_TEXT("/text"), 1));
  put_line();
  return MCPCTL_DONE;
}

#define FIELD(name, pointer) (PUT(name), put_field(MCPCTL_CONTEXT, MCPCTL_TEXT(pointer)))

static int context(void) {
  FIELD("role=", "/role");
  FIELD("\nproject=", "/project");
  FIELD("\ncontentType=", "/contentType");
  PUT("\nsource=");
  mcpctl_out_span(MCPCTL_NAME, 0, -1);
  FIELD("\nmime=", "/mime");
  FIELD("\nhint=", "/hint");
  FIELD("\npart=", "/part/kind");
  FIELD(" ", "/part/index");
  FIELD(" ", "/part/count");
  FIELD("\nstage=", "/stage/index");
  FIELD(" ", "/stage/count");
  FIELD("\nlimits=", "/limits/outputBytes");
  FIELD(" ", "/limits/sections");
  FIELD(" ", "/limits/memoryBytes");
  FIELD(" ", "/limits/llmMs");
  FIELD(" ", "/limits/llmRequests");
  put_line();
  return MCPCTL_DONE;
}

static int arguments(void) {
  int question = mcpctl_json_get(MCPCTL_ARGUMENTS, MCPCTL_TEXT("/_question"));
  put_buffer(MCPCTL_ARGUMENTS);
  if (question < 0) put_line();
  else put_buffer(question);
  return MCPCTL_DONE;
}

static int session(void) {
  put_buffer(MCPCTL_SESSION);
  return MCPCTL_DONE;
}

static int meta(void) {
  mcpctl_meta_set(MCPCTL_TEXT("type"), MCPCTL_TEXT("markdown"));
  mcpctl_meta_set(MCPCTL_TEXT("count"), MCPCTL_TEXT("3"));
  log_fate(mcpctl_meta_set(MCPCTL_TEXT(""), MCPCTL_TEXT("x")));
  return MCPCTL_PASS;
}

static int append(char *to, int n, const char *word, int length) {
  while (length-- > 0) to[n++] = *word++;
  return n;
}

static int logs(void) {
  static char line[text_size + 64];
  int i, n, level, quoted = text_length == 0;
  for (i = 0; i < text_length; i++) quoted |= text[i] == ' ' || text[i] == '=' || text[i] == '"';
  n = append(line, 0, MCPCTL_TEXT("message n="));
  n += mcpctl_decimal(number(), line + n);
  n = append(line, n, MCPCTL_TEXT(" text="));
  if (quoted) line[n++] = '"';
  n = append(line, n, text, text_length);
  if (quoted) line[n++] = '"';
  for (level = MCPCTL_LOG_LEVEL_DEBUG; level <= MCPCTL_LOG_LEVEL_ERROR; level++) mcpctl_log(level, line, n);
  return MCPCTL_PASS;
}

static void put_kept(void) {
  int value = mcpctl_cache_get(text, text_length);
  if (value < 0) {
    PUT("miss\n");
    return;
  }
  PUT("hit ");
  put_buffer(value);
}

static int cache(void) {
  put_kept();
  put_fate(mcpctl_cache_set(text, text_length, more, more_length));
  put_kept();
  return MCPCTL_DONE;
}

static int compute(void) {
  static char value[text_size + 16];
  int i, n, kept;
  for (i = 0; i < 2; i++) {
    kept = mcpctl_cache_get(text, text_length);
    if (kept >= 0) {
      put_buffer(kept);
      continue;
    }
    mcpctl_log(MCPCTL_LOG_LEVEL_INFO, MCPCTL_TEXT("computing"));
    n = append(value, 0, MCPCTL_TEXT("value of "));
    n = append(value, n, text, text_length);
    mcpctl_cache_set(text, text_length, value, n);
    mcpctl_out_write(value, n);
    put_line();
  }
  return MCPCTL_DONE;
}

const kit_case outcome_cases[] = {
    {"done", done},       {"empty", empty},   {"nothing", nothing}, {"pass", pass}, {"fail", fail}, {"panic", panic}, {"limit", limit},
    {"config", config},   {"misuse", misuse}, {"context", context}, {"arguments", arguments}, {"session", session},
    {"meta", meta},       {"log", logs},      {"cache", cache},     {"compute", compute}, {0, 0}};
