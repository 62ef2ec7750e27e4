#include "kit.h"

#define FIELD(name, pointer) (PUT(name), put_field(MCPCTL_CONTEXT, MCPCTL_TEXT(pointer)))

static int there(const char *pointer, int pointer_len) { return mcpctl_json_kind(MCPCTL_CONTEXT, pointer, pointer_len) >= 0; }

static void put_contents(void) {
  mcpctl_child child;
  int i, part, n = mcpctl_json_each(MCPCTL_CONTEXT, MCPCTL_TEXT("/result/contents"), 0, (void *)0, 0);
  for (i = 0; i < n; i++) {
    mcpctl_json_each(MCPCTL_CONTEXT, MCPCTL_TEXT("/result/contents"), i, &child, sizeof child);
    part = mcpctl_buf_view(MCPCTL_CONTEXT, (int)child.start, (int)(child.end - child.start));
    PUT("content=");
    put_field(part, MCPCTL_TEXT("/ref"));
    PUT(" ");
    put_field(part, MCPCTL_TEXT("/kind"));
    PUT(" ");
    put_field(part, MCPCTL_TEXT("/index"));
    PUT(" ");
    put_field(part, MCPCTL_TEXT("/bytes"));
    PUT(" ");
    put_field(part, MCPCTL_TEXT("/mime"));
    put_line();
  }
}

static int context(void) {
  FIELD("hook=", "/hook");
  FIELD("\nrole=", "/role");
  FIELD("\nproject=", "/project");
  FIELD("\ngated=", "/gated");
  FIELD("\ntimeMs=", "/timeMs");
  FIELD("\nprotocol=", "/protocol");
  FIELD("\ncontroller=", "/controller/index");
  FIELD(" ", "/controller/count");
  FIELD("\nclient=", "/client/name");
  FIELD(" ", "/client/version");
  FIELD(" ", "/client/listChanged");
  FIELD(" ", "/client/structuredOnly");
  FIELD(" ", "/client/instructionsChars");
  FIELD("\ntool=", "/call/tool");
  PUT("\nsession=");
  put_buffer(MCPCTL_SESSION);
  if (there(MCPCTL_TEXT("/call"))) {
    FIELD("call=", "/call/id");
    FIELD(" ", "/call/tool");
    FIELD(" ", "/call/wire");
    FIELD(" ", "/call/virtual");
    FIELD(" ", "/call/rewritten");
    FIELD(" ", "/call/listed");
    FIELD(" ", "/call/readOnly");
    put_line();
  }
  if (there(MCPCTL_TEXT("/result"))) {
    FIELD("result=", "/result/isError");
    FIELD(" ", "/result/protocolError");
    FIELD(" ", "/result/answeredBy");
    FIELD(" ", "/result/bytes");
    put_line();
    put_contents();
  }
  return MCPCTL_DONE;
}

static int buffers(void) {
  put_buffer(MCPCTL_CALL);
  put_buffer(MCPCTL_INPUT);
  put_buffer(MCPCTL_ORIGINAL);
  return MCPCTL_DONE;
}

/* put_records writes a line with fields of each element of an array. The elements of a
 * field that is an array are joined by commas; a missing field is "-". */
static int put_records(int array, const char *const *fields, int count, const char *between) {
  mcpctl_child record, word;
  int i, k, e, part, kind, element, n = mcpctl_json_each(array, MCPCTL_TEXT(""), 0, (void *)0, 0);
  for (i = 0; i < n; i++) {
    mcpctl_json_each(array, MCPCTL_TEXT(""), i, &record, sizeof record);
    part = mcpctl_buf_view(array, (int)record.start, (int)(record.end - record.start));
    for (k = 0; k < count; k++) {
      const char *at = fields[k];
      int length = length_of(at);
      if (k > 0) mcpctl_out_write(between, 1);
      kind = mcpctl_json_kind(part, at, length);
      if (kind < 0) PUT("-");
      if (kind != MCPCTL_JSON_KIND_ARRAY) {
        put_field(part, at, length);
        continue;
      }
      for (e = 0; mcpctl_json_each(part, at, length, e, &word, sizeof word) > e; e++) {
        if (e > 0) PUT(",");
        element = mcpctl_json_text(part, (int)word.start, (int)word.end);
        mcpctl_out_span(element, 0, -1);
      }
    }
    put_line();
  }
  return MCPCTL_DONE;
}

static int tools(void) {
  static const char *const fields[] = {"/name", "/wire", "/kind", "/own", "/hidden", "/stale", "/tool/description"};
  return put_records(mcpctl_tools(), fields, 7, " ");
}

static int servers(void) {
  static const char *const fields[] = {"/name", "/state", "/tools", "/error"};
  return put_records(mcpctl_servers(), fields, 4, " ");
}

static int prompts(void) {
  static const char *const fields[] = {"/name", "/project", "/priority", "/summary", "/chapters", "/bytes", "/hash", "/link", "/linkStatus", "/ref"};
  return put_records(mcpctl_prompts(), fields, 10, "|");
}

static void put_result(int handle) {
  if (handle < 0) put_fate(handle);
  else put_buffer(handle);
}

static int prompt(void) {
  put_result(mcpctl_prompt_body(text, text_length, 0));
  put_result(mcpctl_prompt_body(text, text_length, MCPCTL_PROMPT_STORED));
  return MCPCTL_DONE;
}

static int propose(void) {
  put_result(mcpctl_prompt_propose(text, text_length));
  return MCPCTL_DONE;
}

static int content(void) {
  char ref[16];
  mcpctl_child child;
  int i, part, n = mcpctl_json_each(MCPCTL_CONTEXT, MCPCTL_TEXT("/result/contents"), 0, (void *)0, 0);
  for (i = 0; i < n; i++) {
    mcpctl_json_each(MCPCTL_CONTEXT, MCPCTL_TEXT("/result/contents"), i, &child, sizeof child);
    part = mcpctl_buf_view(MCPCTL_CONTEXT, (int)child.start, (int)(child.end - child.start));
    mcpctl_json_string(part, MCPCTL_TEXT("/ref"), ref, sizeof ref);
    put_result(mcpctl_content_open(ref, sizeof ref));
    put_field(mcpctl_content_meta(ref, sizeof ref), MCPCTL_TEXT("/bytes"));
    put_line();
    put_result(mcpctl_section_read(ref, sizeof ref, MCPCTL_TEXT("?two")));
  }
  put_fate(mcpctl_content_open(MCPCTL_TEXT("aaaaaaaaaaaaaaaa")));
  put_fate(mcpctl_content_meta(MCPCTL_TEXT("aaaaaaaaaaaaaaaa")));
  put_fate(mcpctl_section_read(MCPCTL_TEXT("aaaaaaaaaaaaaaaa"), MCPCTL_TEXT("?two")));
  return MCPCTL_DONE;
}

const kit_case know_cases[] = {{"context", context}, {"buffers", buffers}, {"tools", tools},     {"servers", servers},
                               {"prompts", prompts}, {"prompt", prompt},   {"propose", propose}, {"content", content}, {0, 0}};
