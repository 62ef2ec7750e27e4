/* Brake is a controller that stops a model which goes round in circles: a call that
 * gave the same result several times in a row is refused, and the model is told so.
 * Any other call, or another result, lets it go on. */
#include "mcpctl.h"

MCPCTL_ABI

/* What is kept for the session: the call that was made last, its result, both as
 * their SHA-256, and an x for each time that it gave this result. */
#define CALL MCPCTL_TEXT("call")
#define RESULT MCPCTL_TEXT("result")
#define TIMES MCPCTL_TEXT("times")

enum { hash_size = 32, most_times = 100 };

/* kept reports whether the state has this hash under a key. */
static int kept(const char *key, int key_len, const char *hash) {
  char last[hash_size];
  int value = mcpctl_state_get(key, key_len);
  if (value < 0 || mcpctl_buf_read(value, 0, last, hash_size) != hash_size) return 0;
  return mcpctl_equal(last, hash_size, hash, hash_size);
}

/* times is how often the last call gave its result. */
static int times(void) {
  int value = mcpctl_state_get(TIMES);
  return value < 0 ? 0 : mcpctl_buf_len(value);
}

/* refuse answers a call that has been made often enough. */
static int refuse(void) {
  char wire[256];
  int length = mcpctl_json_string(MCPCTL_CONTEXT, MCPCTL_TEXT("/call/wire"), wire, sizeof wire);
  mcpctl_log(MCPCTL_LOG_LEVEL_INFO, MCPCTL_TEXT("call refused"));
  mcpctl_out_kind(MCPCTL_OUTPUT_KIND_IS_ERROR);
  mcpctl_out_write(MCPCTL_TEXT("Not called: this call of "));
  mcpctl_out_write(wire, length < 0 ? 0 : length < (int)sizeof wire ? length : (int)sizeof wire);
  return mcpctl_done(mcpctl_out_write(MCPCTL_TEXT(" gave the same result each time before. Use what you have, or change the arguments.")));
}

MCPCTL_ON_TOOL_CALL {
  char call[hash_size];
  int code;
  mcpctl_buf_hash(MCPCTL_CALL, 0, -1, call);
  if (kept(CALL, call)) return times() < mcpctl_config_int(MCPCTL_TEXT("/calls"), 3) ? MCPCTL_PASS : refuse();
  code = mcpctl_state_set(TIMES, "", 0);
  if (code >= 0) code = mcpctl_state_set(CALL, call, hash_size);
  return code < 0 ? mcpctl_done(code) : MCPCTL_PASS;
}

/* The result is compared with the one before, unless another call was made meanwhile. */
MCPCTL_ON_TOOL_RESULT {
  char hash[hash_size], marks[most_times];
  int i, code, n = times();
  mcpctl_buf_hash(MCPCTL_CALL, 0, -1, hash);
  if (!kept(CALL, hash)) return MCPCTL_PASS;
  mcpctl_buf_hash(MCPCTL_INPUT, 0, -1, hash);
  if (!kept(RESULT, hash)) n = 0;
  for (i = 0; i < most_times && i <= n; i++) marks[i] = 'x';
  code = mcpctl_state_set(RESULT, hash, hash_size);
  if (code >= 0) code = mcpctl_state_set(TIMES, marks, i);
  return code < 0 ? mcpctl_done(code) : MCPCTL_PASS;
}
