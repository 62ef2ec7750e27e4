#include "kit.h"

static const char virtual_tool[] = "{\"name\":\"kit_hello\",\"inputSchema\":{\"type\":\"object\"}}";

static int pass(void) {
  PUT("dropped");
  return MCPCTL_PASS;
}

static int done(void) {
  put_field(MCPCTL_CONTEXT, MCPCTL_TEXT("/hook"));
  return MCPCTL_DONE;
}

static int fail(void) {
  char reason[64];
  int i, length;
  mcpctl_state_set(MCPCTL_TEXT("k"), MCPCTL_TEXT("v"));
  for (i = 0; i < 6; i++) reason[i] = "no at "[i];
  length = mcpctl_json_string(MCPCTL_CONTEXT, MCPCTL_TEXT("/hook"), reason + 6, sizeof reason - 6);
  return mcpctl_failed(reason, 6 + length);
}

static int base(void) {
  int kept = mcpctl_cache_get(text, text_length);
  put_config();
  if (kept < 0) PUT("miss\n");
  else put_buffer(kept);
  put_fate(mcpctl_cache_set(text, text_length, more, more_length));
  mcpctl_meta_set(MCPCTL_TEXT("type"), MCPCTL_TEXT("markdown"));
  mcpctl_log(MCPCTL_LOG_LEVEL_INFO, MCPCTL_TEXT("here"));
  return MCPCTL_DONE;
}

static int count(void) {
  char digits[20];
  int kept = mcpctl_state_get(MCPCTL_TEXT("n")), i, length = 0;
  long long n = 0;
  if (kept >= 0) length = mcpctl_buf_read(kept, 0, digits, sizeof digits);
  for (i = 0; i < length; i++) n = 10 * n + (digits[i] - '0');
  length = mcpctl_decimal(n + 1, digits);
  mcpctl_state_set(MCPCTL_TEXT("n"), digits, length);
  log_fate(mcpctl_state_del(MCPCTL_TEXT("old")));
  return mcpctl_done(mcpctl_out_write(digits, length));
}

static void put_state(const char *key, int key_len) {
  int value = mcpctl_state_get(key, key_len);
  if (value < 0) PUT("missing\n");
  else put_buffer(value);
}

static int state(void) {
  put_fate(mcpctl_state_del(MCPCTL_TEXT("nobody")));
  put_fate(mcpctl_state_set(MCPCTL_TEXT(""), MCPCTL_TEXT("v")));
  put_fate(mcpctl_state_set(MCPCTL_TEXT("k"), MCPCTL_TEXT("v")));
  put_state(MCPCTL_TEXT("k"));
  put_state(MCPCTL_TEXT("nobody"));
  return MCPCTL_DONE;
}

static int answer_as(int kind) {
  int code = mcpctl_out_kind(kind);
  return mcpctl_done(code < 0 ? code : mcpctl_out_write(text, text_length));
}

static int refuse(void) { return answer_as(MCPCTL_OUTPUT_KIND_IS_ERROR); }
static int whole(void) { return answer_as(MCPCTL_OUTPUT_KIND_RESULT); }
static int stages(void) { return answer_as(MCPCTL_OUTPUT_KIND_IS_ERROR | MCPCTL_OUTPUT_KIND_STAGES); }

/* In C a block has no handle: output goes to the block that was opened last. So there is
 * no write to the first block to check. */
static int blocks(void) {
  mcpctl_out_to(MCPCTL_OUTPUT_TARGET_BEFORE);
  PUT("one");
  mcpctl_out_to(MCPCTL_OUTPUT_TARGET_BEFORE);
  PUT("two");
  mcpctl_out_span(MCPCTL_INPUT, 0, -1);
  mcpctl_out_to(MCPCTL_OUTPUT_TARGET_AFTER);
  PUT("three");
  mcpctl_log(MCPCTL_LOG_LEVEL_INFO, MCPCTL_TEXT("-8 said"));
  return MCPCTL_PASS;
}

static int rewrite(void) {
  mcpctl_match at;
  int kind = mcpctl_json_span(MCPCTL_INPUT, MCPCTL_TEXT("/arguments"), &at);
  if (kind < 0) return mcpctl_done(kind);
  log_fate(mcpctl_call_rewrite(text, text_length, MCPCTL_INPUT, (int)at.start, (int)(at.end - at.start)));
  return MCPCTL_PASS;
}

static int notify(void) {
  log_fate(mcpctl_notify(MCPCTL_TEXT("notifications/tools/list_changed"), MCPCTL_TEXT("")));
  log_fate(mcpctl_notify(MCPCTL_TEXT("notifications/message"), MCPCTL_TEXT("{\"level\":\"info\",\"data\":\"kit\"}")));
  log_fate(mcpctl_notify(text, text_length, MCPCTL_TEXT("")));
  return MCPCTL_PASS;
}

static int list(void) {
  log_fate(mcpctl_tool_hide(text, text_length));
  log_fate(mcpctl_tool_patch(more, more_length, MCPCTL_TEXT("{\"description\":\"patched\"}")));
  log_fate(mcpctl_tool_add(MCPCTL_TEXT(virtual_tool)));
  return MCPCTL_PASS;
}

static int early(void) {
  log_fate(mcpctl_out_to(MCPCTL_OUTPUT_TARGET_BEFORE));
  log_fate(mcpctl_out_kind(MCPCTL_OUTPUT_KIND_IS_ERROR));
  log_fate(mcpctl_call_rewrite(text, text_length, MCPCTL_INPUT, 0, -1));
  log_fate(mcpctl_tool_hide(text, text_length));
  log_fate(mcpctl_tool_add(MCPCTL_TEXT(virtual_tool)));
  return MCPCTL_PASS;
}

static int closing(void) {
  char reason[64];
  int length = mcpctl_json_string(MCPCTL_INPUT, MCPCTL_TEXT("/reason"), reason, sizeof reason);
  mcpctl_log(MCPCTL_LOG_LEVEL_INFO, reason, length);
  return MCPCTL_PASS;
}

const kit_case steer_cases[] = {{"pass", pass},     {"done", done},       {"fail", fail},     {"base", base}, {"count", count}, {"state", state},
                                {"refuse", refuse}, {"whole", whole},     {"stages", stages}, {"blocks", blocks},
                                {"rewrite", rewrite}, {"notify", notify}, {"list", list},     {"early", early}, {"think", put_asked}, {"close", closing}, {0, 0}};
