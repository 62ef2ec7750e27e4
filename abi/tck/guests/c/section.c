#include "kit.h"

enum { top = -1 };

/* add_sections adds a Section of each kind. */
static int add_sections(void) {
  mcpctl_match a, b;
  int decoded, own, i, codes[10], n = 0;
  mcpctl_json_span(MCPCTL_INPUT, MCPCTL_TEXT("/a"), &a);
  mcpctl_json_span(MCPCTL_INPUT, MCPCTL_TEXT("/b"), &b);
  decoded = mcpctl_json_get(MCPCTL_INPUT, MCPCTL_TEXT("/a"));
  own = mcpctl_buf_put(MCPCTL_TEXT("own wordsminein short"));
  codes[n++] = mcpctl_section_add(top, MCPCTL_ORIGINAL, (int)a.start, (int)a.end, MCPCTL_TEXT("a"));
  codes[n++] = mcpctl_section_id(0, MCPCTL_TEXT("first"));
  codes[n++] = mcpctl_section_add(0, decoded, 0, 3, MCPCTL_TEXT("one"));
  codes[n++] = mcpctl_section_group(top, MCPCTL_TEXT("rest"));
  codes[n++] = mcpctl_section_add(2, MCPCTL_INPUT, (int)b.start, (int)b.end, MCPCTL_TEXT(""));
  codes[n++] = mcpctl_section_title(3, MCPCTL_INPUT, 1, 3);
  codes[n++] = mcpctl_section_summary(3, MCPCTL_ORIGINAL, 0, 5);
  codes[n++] = mcpctl_section_add(top, own, 0, 9, MCPCTL_TEXT("notes"));
  codes[n++] = mcpctl_section_title(4, own, 9, 4);
  codes[n++] = mcpctl_section_summary(4, own, 13, 8);
  for (i = 0; i < n; i++)
    if (codes[i] < 0) return codes[i];
  return 0;
}

static int tree(void) {
  static const char *const kinds[] = {"exact", "group", "decoded", "derived"};
  mcpctl_section s;
  int i, what, words, code = add_sections();
  if (code < 0) return mcpctl_done(code);
  for (i = 0; mcpctl_buf_read(MCPCTL_SECTIONS, i * (int)sizeof s, &s, sizeof s) == sizeof s; i++) {
    put_number("", s.parent);
    PUT(" ");
    mcpctl_out_write(kinds[s.kind], length_of(kinds[s.kind]));
    PUT(" ");
    put_span(s.start, s.end);
    put_number(" ", s.depth);
    put_number(" ", s.children);
    PUT(" ");
    put_bool(s.flags & MCPCTL_SECTION_SUMMARY);
    put_line();
    for (what = MCPCTL_SECTION_TEXT_ID; what <= MCPCTL_SECTION_TEXT_BODY; what++) {
      if (what > 0) PUT(",");
      words = mcpctl_section_text(i, what);
      mcpctl_out_span(words, 0, -1);
      mcpctl_buf_free(words);
    }
    put_line();
  }
  return MCPCTL_DONE;
}

static int refused(void) {
  put_fate(mcpctl_section_add(top, MCPCTL_ORIGINAL, 0, 0, MCPCTL_TEXT("")));
  put_fate(mcpctl_section_add(99, MCPCTL_ORIGINAL, 0, 1, MCPCTL_TEXT("")));
  put_fate(mcpctl_section_add(top, MCPCTL_ORIGINAL, 1, 100000, MCPCTL_TEXT("")));
  put_fate(mcpctl_section_add(top, MCPCTL_ORIGINAL, 0, 2, MCPCTL_TEXT("")));
  put_fate(mcpctl_section_id(0, MCPCTL_TEXT("")));
  put_fate(mcpctl_section_title(7, MCPCTL_INPUT, 0, 1));
  put_fate(mcpctl_section_text(7, MCPCTL_SECTION_TEXT_TITLE));
  return MCPCTL_DONE;
}

static int extend(void) {
  mcpctl_section first;
  int code;
  put_number("", mcpctl_buf_len(MCPCTL_SECTIONS) / (int)sizeof first);
  put_line();
  mcpctl_section_title(0, mcpctl_buf_put(MCPCTL_TEXT("new")), 0, -1);
  mcpctl_buf_read(MCPCTL_SECTIONS, 0, &first, sizeof first);
  code = mcpctl_section_add(0, MCPCTL_ORIGINAL, (int)first.start, (int)first.start + 2, MCPCTL_TEXT("child"));
  return code < 0 ? mcpctl_done(code) : MCPCTL_PASS;
}

static int chapters(void) {
  mcpctl_match heads[256];
  int i, n = mcpctl_buf_grep(MCPCTL_INPUT, 0, MCPCTL_TEXT("^# .*"), MCPCTL_GREP_LINES, heads, sizeof heads);
  int code = n, length = mcpctl_buf_len(MCPCTL_INPUT);
  for (i = 0; i < n && code >= 0; i++) {
    int end = i + 1 < n ? (int)heads[i + 1].start : length;
    code = mcpctl_section_add(top, MCPCTL_INPUT, (int)heads[i].start, end, MCPCTL_TEXT(""));
    if (code >= 0) code = mcpctl_section_title(i, MCPCTL_INPUT, (int)heads[i].start + 2, (int)(heads[i].end - heads[i].start) - 2);
  }
  if (code >= 0) code = mcpctl_meta_set(MCPCTL_TEXT("type"), MCPCTL_TEXT("markdown"));
  return code < 0 ? mcpctl_done(code) : MCPCTL_PASS;
}

static int batch(void) {
  static mcpctl_batch b;
  static mcpctl_u32 starts[1024];
  static char title[4096];
  char id[24] = "n";
  int i, n, all, end, length, code = 0, total = mcpctl_buf_len(MCPCTL_INPUT);
  b.next = mcpctl_buf_len(MCPCTL_SECTIONS) / (int)sizeof(mcpctl_section);
  all = mcpctl_batch_add(&b, top, 0, 0, MCPCTL_TEXT("all"), MCPCTL_TEXT("All"));
  n = mcpctl_buf_lines(MCPCTL_INPUT, 0, starts, sizeof starts);
  for (i = 0; i < n && code >= 0; i++) {
    end = i + 1 < n ? (int)starts[i + 1] : total;
    length = mcpctl_buf_read(MCPCTL_INPUT, (int)starts[i], title, end - (int)starts[i]);
    if (title[length - 1] == '\n') length--;
    code = mcpctl_batch_add(&b, all, (int)starts[i], (int)starts[i] + length, id, i % 2 ? 1 + mcpctl_decimal(i, id + 1) : 0, title, length);
  }
  if (code < 0) return mcpctl_done(code);
  put_fate(mcpctl_batch_flush(&b));
  mcpctl_batch_add(&b, top, 0, 0, 0, 0, MCPCTL_TEXT("late"));
  mcpctl_batch_add(&b, 10000, 0, 0, 0, 0, MCPCTL_TEXT("late"));
  put_fate(mcpctl_batch_flush(&b));
  put_number("", mcpctl_buf_len(MCPCTL_SECTIONS) / (int)sizeof(mcpctl_section));
  put_line();
  return MCPCTL_DONE;
}

static int filter(void) {
  put_fate(mcpctl_section_add(top, MCPCTL_INPUT, 0, 1, MCPCTL_TEXT("")));
  put_fate(mcpctl_out_index(top, 0, 0));
  return mcpctl_done(mcpctl_out_span(MCPCTL_INPUT, 0, -1));
}

const kit_case section_cases[] = {{"tree", tree}, {"refused", refused}, {"extend", extend}, {"chapters", chapters}, {"batch", batch}, {"filter", filter}, {0, 0}};
