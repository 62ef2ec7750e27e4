#include "kit.h"

/* asked is the answer of the case's request, or a code. */
static int asked(void) {
  int flags = mcpctl_config_int(MCPCTL_TEXT("/flag"), 0) ? MCPCTL_LLM_JSON : 0;
  int req = mcpctl_llm_begin(MCPCTL_LLM_TIER_HEAVY, (int)number(), flags), code;
  if (req < 0) return req;
  code = mcpctl_llm_system(req, MCPCTL_TEXT("Be brief."));
  if (code >= 0) code = mcpctl_llm_text(req, MCPCTL_TEXT("Name it: "));
  if (code >= 0) code = mcpctl_llm_span(req, MCPCTL_INPUT, 0, 5);
  if (code >= 0) code = mcpctl_llm_complete(req);
  if (code >= 0 && mcpctl_llm_status(req) == MCPCTL_LLM_STATUS_CUT) PUT("cut ");
  return code;
}

int put_asked(void) {
  int answer = mcpctl_llm_available(MCPCTL_LLM_TIER_HEAVY);
  put_number("available ", answer > 0 ? answer : 0);
  put_line();
  answer = asked();
  if (answer < 0) put_fate(answer);
  else put_buffer(answer);
  return MCPCTL_DONE;
}

enum { most = 64 };

/* A line of the input and its request, or the code of a refusal. */
static struct {
  int start, end, req;
} questions[most];

/* ask sends a request for each line of the input and returns the number of lines. */
static int ask(int flags) {
  mcpctl_u32 starts[most];
  int i, n = mcpctl_buf_lines(MCPCTL_INPUT, 0, starts, sizeof starts), length = mcpctl_buf_len(MCPCTL_INPUT);
  for (i = 0; i < n; i++) {
    int req = mcpctl_llm_begin(MCPCTL_LLM_TIER_FAST, 100, flags), code = req;
    questions[i].start = (int)starts[i];
    questions[i].end = i + 1 < n ? (int)starts[i + 1] : length;
    if (code >= 0) code = mcpctl_llm_span(req, MCPCTL_INPUT, questions[i].start, questions[i].end - questions[i].start - 1);
    if (code >= 0) code = mcpctl_llm_send(req);
    questions[i].req = code < 0 ? code : req;
  }
  return n;
}

static int each(void) {
  int i, code, n = ask(0), left = 0;
  for (i = 0; i < n; i++) left += questions[i].req > 0;
  for (; left > 0; left--) {
    code = mcpctl_llm_wait(-1, 10000);
    if (code < 0) return mcpctl_done(code);
  }
  for (i = 0; i < n; i++) {
    code = questions[i].req < 0 ? questions[i].req : mcpctl_llm_result(questions[i].req);
    if (code < 0) put_fate(code);
    else put_buffer(code);
  }
  put_fate(mcpctl_llm_wait(-1, 10000));
  return MCPCTL_DONE;
}

static int late(void) {
  int i, req, n = ask(MCPCTL_LLM_BACKGROUND);
  for (i = 0; i < n; i++) {
    int at = mcpctl_section_add(-1, MCPCTL_INPUT, questions[i].start, questions[i].end, MCPCTL_TEXT(""));
    if (at < 0) return mcpctl_done(at);
    mcpctl_section_title(at, MCPCTL_INPUT, questions[i].start, questions[i].end - questions[i].start - 1);
  }
  while ((req = mcpctl_llm_wait(-1, 0)) > 0) {
    if (mcpctl_llm_status(req) != MCPCTL_LLM_STATUS_ANSWERED) continue;
    for (i = 0; i < n; i++)
      if (questions[i].req == req) mcpctl_section_summary(i, mcpctl_llm_result(req), 0, -1);
  }
  return MCPCTL_PASS;
}

const kit_case llm_cases[] = {{"llm", put_asked}, {"each", each}, {"late", late}, {0, 0}};
