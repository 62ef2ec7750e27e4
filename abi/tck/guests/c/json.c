#include "kit.h"

/* A pointer or segment of the config's list. */
static char pointer[text_size];
static int pointer_length;

/* listed reads element i of the list and returns 0 after the last. */
static int listed(int i) {
  mcpctl_child child;
  int element, n = mcpctl_json_each(MCPCTL_CONFIG, MCPCTL_TEXT("/list"), i, &child, sizeof child);
  if (n <= i) return 0;
  element = mcpctl_json_text(MCPCTL_CONFIG, (int)child.start, (int)child.end);
  pointer_length = mcpctl_buf_read(element, 0, pointer, sizeof pointer);
  mcpctl_buf_free(element);
  return 1;
}

static int values(void) {
  static const char *const kinds[] = {"null", "bool", "number", "string", "array", "object"};
  int i, kind;
  mcpctl_match at;
  put_bool(mcpctl_json_kind(MCPCTL_INPUT, MCPCTL_TEXT("")) >= 0);
  put_line();
  for (i = 0; listed(i); i++) {
    mcpctl_out_write(pointer, pointer_length);
    PUT(" ");
    kind = mcpctl_json_span(MCPCTL_INPUT, pointer, pointer_length, &at);
    if (kind < 0) {
      put_fate(kind);
      continue;
    }
    mcpctl_out_write(kinds[kind], length_of(kinds[kind]));
    PUT(" ");
    put_span(at.start, at.end);
    PUT(" ");
    put_field(MCPCTL_INPUT, pointer, pointer_length);
    put_line();
  }
  return MCPCTL_DONE;
}

static int children(void) {
  mcpctl_child child;
  int i, key, n = mcpctl_json_each(MCPCTL_INPUT, text, text_length, 0, (void *)0, 0);
  if (n < 0) {
    put_fate(n);
    return MCPCTL_DONE;
  }
  put_number("", n);
  put_line();
  for (i = 0; i < n; i++) {
    mcpctl_json_each(MCPCTL_INPUT, text, text_length, i, &child, sizeof child);
    put_number("", i);
    PUT(" ");
    if (child.key_end == 0) {
      PUT("-");
    } else {
      key = mcpctl_json_text(MCPCTL_INPUT, (int)child.key_start, (int)child.key_end);
      mcpctl_out_span(key, 0, -1);
      mcpctl_buf_free(key);
    }
    PUT(" ");
    mcpctl_out_span(MCPCTL_INPUT, (int)child.start, (int)(child.end - child.start));
    put_line();
  }
  return MCPCTL_DONE;
}

static int numbers(void) {
  char words[32];
  long long whole;
  double real;
  int i, code;
  for (i = 0; listed(i); i++) {
    mcpctl_out_write(pointer, pointer_length);
    PUT(" ");
    code = mcpctl_json_i64(MCPCTL_INPUT, pointer, pointer_length, &whole);
    if (code < 0) mcpctl_out_write(words, fate(code, words));
    else mcpctl_out_int(whole);
    PUT(" ");
    code = mcpctl_json_f64(MCPCTL_INPUT, pointer, pointer_length, &real);
    if (code < 0) mcpctl_out_write(words, fate(code, words));
    else mcpctl_out_int((long long)(1000 * real));
    put_line();
  }
  return MCPCTL_DONE;
}

static int escaped(void) {
  int i, k;
  for (i = 0; listed(i); i++) {
    PUT("/");
    for (k = 0; k < pointer_length; k++) {
      if (pointer[k] == '~') PUT("~0");
      else if (pointer[k] == '/') PUT("~1");
      else mcpctl_out_write(pointer + k, 1);
    }
  }
  put_line();
  return MCPCTL_DONE;
}

const kit_case json_cases[] = {{"json", values}, {"children", children}, {"numbers", numbers}, {"pointer", escaped}, {0, 0}};
