/* Adds a Section for each heading of Markdown with the text below it, and marks an
 * index. The host finds candidates for headings; the guest reads only some bytes of
 * each, in pages that can serve several headings. */
#include "mcpctl.h"

MCPCTL_ABI

enum { most = 1024, page_size = 512, title_size = MCPCTL_LIMIT_TITLE_BYTES };

static mcpctl_match rules[most]; /* "\n#", the heads of lines that may be headings */
static char page[page_size];
static int page_start, page_end, total;

/* line returns the text from start on, up to the maximum of a heading. */
static const char *line(int start, int *length) {
  if (start + title_size > page_end && page_end < total) {
    page_start = start;
    page_end = start + mcpctl_buf_read(MCPCTL_INPUT, start, page, page_size);
  }
  *length = page_end - start < title_size ? page_end - start : title_size;
  return page + (start - page_start);
}

/* title_of returns the title in a line, or null if it is not a heading. */
static const char *title_of(const char *text, int n, int *length) {
  int level = 0, end;
  while (level < n && text[level] == '#') level++;
  if (level < 1 || level > 6 || level == n || text[level] != ' ') return 0;
  for (end = ++level; end < n && text[end] != '\n'; end++) {}
  if (end == title_size) { /* the title was cut: end at a whole character */
    while (end > level && (text[end - 1] & 0xc0) == 0x80) end--;
    if (end > level && (text[end - 1] & 0x80)) end--;
  }
  *length = end - level;
  return text + level;
}

/* split adds a Section for the text from start to end if it starts with a heading. It
 * returns the number of added Sections, or a code. */
static int split(int start, int end) {
  int n, length, code;
  const char *text = line(start, &n), *title = title_of(text, n, &length);
  if (!title) return 0;
  code = mcpctl_section_add(-1, MCPCTL_INPUT, start, end, title, length);
  return code < 0 ? code : 1;
}

MCPCTL_STAGE {
  int i, n, code, start = 0, sections = 0;
  total = mcpctl_buf_len(MCPCTL_INPUT);
  do {
    n = mcpctl_buf_grep(MCPCTL_INPUT, start, MCPCTL_TEXT("\n#"), MCPCTL_GREP_LITERAL, rules, sizeof rules);
    if (n < 0) return mcpctl_done(n);
    for (i = 0; i < n; i++, sections += code) {
      code = split(start, (int)rules[i].start + 1);
      if (code < 0) return mcpctl_done(code);
      start = (int)rules[i].start + 1;
    }
  } while (n == most);
  code = split(start, total);
  if (code < 0) return mcpctl_done(code);
  return sections + code > 0 ? mcpctl_done(mcpctl_out_index(-1, 0, 0)) : MCPCTL_PASS;
}
