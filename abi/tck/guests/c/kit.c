#include "kit.h"

MCPCTL_ABI

char text[text_size], more[text_size];
int text_length, more_length;

static int has_length(const char *pointer, int pointer_len, char *out) {
  int length = mcpctl_config_string(pointer, pointer_len, out, text_size);
  return length < 0 ? 0 : length;
}

long long number(void) { return mcpctl_config_int(MCPCTL_TEXT("/number"), 0); }

int length_of(const char *word) {
  int n = 0;
  while (word[n]) n++;
  return n;
}

/* run runs the case of the config. A table of cases ends with a name of 0. */
static int run(const kit_case *const *tables, int count) {
  char name[64], reason[256];
  int i, n = 0, length = mcpctl_config_string(MCPCTL_TEXT("/case"), name, sizeof name);
  text_length = has_length(MCPCTL_TEXT("/text"), text);
  more_length = has_length(MCPCTL_TEXT("/more"), more);
  for (i = 0; i < count; i++) {
    const kit_case *c;
    for (c = tables[i]; c->name; c++)
      if (mcpctl_equal(c->name, length_of(c->name), name, length)) return c->run();
  }
  for (i = 0; i < 6; i++) reason[n++] = "case \""[i];
  for (i = 0; i < length; i++) {
    if (name[i] == '"' || name[i] == '\\') reason[n++] = '\\';
    reason[n++] = name[i];
  }
  for (i = 0; i < 9; i++) reason[n++] = "\" unknown"[i];
  return mcpctl_failed(reason, n);
}

MCPCTL_STAGE {
  static const kit_case *const tables[] = {outcome_cases, content_cases, json_cases, section_cases, llm_cases};
  return run(tables, 5);
}

static int steer(void) {
  static const kit_case *const tables[] = {steer_cases, know_cases};
  return run(tables, 2);
}

MCPCTL_ON_INITIALIZE { return steer(); }
MCPCTL_ON_TOOLS_LIST { return steer(); }
MCPCTL_ON_TOOL_CALL { return steer(); }
MCPCTL_ON_TOOL_RESULT { return steer(); }
MCPCTL_ON_CLOSE { return steer(); }

void put_number(const char *before, long long value) {
  mcpctl_out_write(before, length_of(before));
  mcpctl_out_int(value);
}

void put_bool(int value) {
  if (value) PUT("true");
  else PUT("false");
}

void put_span(unsigned start, unsigned end) {
  put_number("", start);
  put_number("-", end);
}

void put_buffer(int buf) {
  mcpctl_out_span(buf, 0, -1);
  put_line();
}

/* put_field writes a value of a JSON buffer, with strings decoded; nothing if it is missing. */
void put_field(int buf, const char *pointer, int pointer_len) {
  int value = mcpctl_json_get(buf, pointer, pointer_len);
  if (value < 0) return;
  mcpctl_out_span(value, 0, -1);
  mcpctl_buf_free(value);
}

int fate(int result, char *to) {
  int i, n, sentence;
  if (result >= 0) {
    to[0] = 'o';
    to[1] = 'k';
    return 2;
  }
  sentence = mcpctl_last_error();
  n = mcpctl_decimal(result, to);
  if (result != MCPCTL_NOT_FOUND && sentence >= 0 && mcpctl_buf_len(sentence) > 0)
    for (i = 0; i < 5; i++) to[n++] = " said"[i];
  return n;
}

void put_fate(int result) {
  char words[32];
  mcpctl_out_write(words, fate(result, words));
  put_line();
}

void log_fate(int result) {
  char words[32];
  mcpctl_log(MCPCTL_LOG_LEVEL_INFO, words, fate(result, words));
}
