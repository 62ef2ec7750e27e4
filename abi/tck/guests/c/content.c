#include "kit.h"

static int upper(void) {
  int i, length;
  char *copy = mcpctl_load(MCPCTL_INPUT, &length);
  if (!copy) return mcpctl_failed(MCPCTL_TEXT("no memory"));
  for (i = 0; i < length; i++)
    if (copy[i] >= 'a' && copy[i] <= 'z') copy[i] = (char)(copy[i] - 'a' + 'A');
  return mcpctl_done(mcpctl_out_write(copy, length));
}

static int original(void) {
  put_buffer(MCPCTL_ORIGINAL);
  PUT("---\n");
  return mcpctl_done(mcpctl_out_span(MCPCTL_INPUT, 0, -1));
}

static int pieces(void) {
  char piece[4];
  int n, off = (int)number();
  while ((n = mcpctl_buf_read(MCPCTL_INPUT, off, piece, sizeof piece)) > 0) {
    PUT("[");
    mcpctl_out_write(piece, n);
    PUT("]");
    off += n;
  }
  return mcpctl_done(n);
}

static int find(void) {
  int at = mcpctl_buf_find(MCPCTL_INPUT, 0, text, text_length);
  for (; at >= 0; at = mcpctl_buf_find(MCPCTL_INPUT, at + 1, text, text_length)) {
    put_number("", at);
    put_line();
  }
  return mcpctl_done(PUT("end\n"));
}

static int lines(void) {
  mcpctl_u32 starts[256];
  int i, n, off = (int)number(), length = mcpctl_buf_len(MCPCTL_INPUT);
  while ((n = mcpctl_buf_lines(MCPCTL_INPUT, off, starts, sizeof starts)) > 0) {
    for (i = 0; i < n; i++) {
      if (i == n - 1 && n == 256) break; /* its end is unknown: it is the first line of the next round */
      put_span(starts[i], i + 1 < n ? starts[i + 1] : (mcpctl_u32)length);
      put_line();
    }
    if (n < 256) break;
    off = (int)starts[n - 1];
  }
  return mcpctl_done(n);
}

static int grep(void) {
  mcpctl_match found[256];
  int i, n, off = 0, left = (int)mcpctl_config_int(MCPCTL_TEXT("/most"), 0);
  if (left <= 0) left = 0x7fffffff;
  do {
    n = mcpctl_buf_grep(MCPCTL_INPUT, off, text, text_length, (int)number(), found, sizeof found);
    if (n < 0) {
      put_fate(n);
      return MCPCTL_DONE;
    }
    for (i = 0; i < n && left > 0; i++, left--) {
      put_span(found[i].start, found[i].end);
      put_line();
    }
    if (n > 0) off = (int)found[n - 1].end + (found[n - 1].end == found[n - 1].start);
  } while (n == 256 && left > 0);
  return mcpctl_done(PUT(""));
}

static void put_hash(int off, int n) {
  static const char digits[] = "0123456789abcdef";
  mcpctl_u8 sum[32];
  char line[65];
  int i;
  mcpctl_buf_hash(MCPCTL_INPUT, off, n, sum);
  for (i = 0; i < 32; i++) {
    line[2 * i] = digits[sum[i] >> 4];
    line[2 * i + 1] = digits[sum[i] & 15];
  }
  line[64] = '\n';
  mcpctl_out_write(line, 65);
}

static int hash(void) {
  put_hash(0, -1);
  put_hash(1, 2);
  return MCPCTL_DONE;
}

static int tokens(void) {
  put_number("", mcpctl_buf_tokens(MCPCTL_INPUT, 0, -1));
  put_number("\n", mcpctl_buf_tokens(MCPCTL_INPUT, 0, 4));
  put_line();
  return MCPCTL_DONE;
}

static int views(void) {
  int outer = mcpctl_buf_view(MCPCTL_INPUT, 2, 6), inner = mcpctl_buf_view(outer, 1, 3), own;
  put_number("", mcpctl_buf_len(inner));
  put_line();
  put_buffer(inner);
  mcpctl_buf_free(inner);
  mcpctl_buf_free(outer);
  own = mcpctl_buf_put(MCPCTL_TEXT("own text"));
  mcpctl_out_span(own, 0, 3);
  put_line();
  put_fate(mcpctl_buf_view(MCPCTL_INPUT, 0, 100000));
  return MCPCTL_DONE;
}

static int handles(void) {
  int i, view;
  for (i = 0; i < 3000; i++) {
    view = mcpctl_buf_view(MCPCTL_INPUT, 0, 1);
    if (view < 0) return mcpctl_done(view);
    mcpctl_buf_free(view);
  }
  return mcpctl_done(PUT("done\n"));
}

static int index_mark(void) {
  PUT("head\n");
  mcpctl_out_index(-1, 3, 100);
  PUT("tail\n");
  put_fate(mcpctl_out_index(5, 0, 0));
  return MCPCTL_DONE;
}

static int marks(void) {
  PUT("> ");
  return mcpctl_done(mcpctl_out_span(MCPCTL_INPUT, 0, -1));
}

const kit_case content_cases[] = {
    {"upper", upper}, {"original", original}, {"pieces", pieces},   {"find", find},        {"lines", lines}, {"grep", grep}, {"hash", hash},
    {"tokens", tokens}, {"views", views},     {"handles", handles}, {"index", index_mark}, {"marks", marks}, {0, 0}};
