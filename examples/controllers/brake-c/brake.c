/* Brake is a controller that stops a model that repeats itself: a call that gave the
 * same result several times in a row is refused with a message to the model. Any other
 * call, or another result, resets the count. */
#include "mcpctl.h"

MCPCTL_ABI

/* Keys of the session's state: the SHA-256 of the last call, the SHA-256 of its result,
 * and an x for each time that the call gave this result. */
#define CALL MCPCTL_TEXT("call")
#define RESULT MCPCTL_TEXT("result")
#define TIMES MCPCTL_TEXT("times")

enum { hash_size = 32, most_times = 100 };

/* has_hash reports whether the state holds a hash under a key. */
static int has_hash(const char *key, int key_len, const char *hash) {
  char last[hash_size];
  int value = mcpctl_state_get(key, key_len);
  if (value < 0 || mcpctl_buf_read(value, 0, last, hash_size) != hash_size) return 0;
  return mcpctl_equal(last, hash_size, hash, hash_size);
}

/* times returns how often the last call gave its result. */
static int times(void) {
  int value = mcpctl_state_get(TIMES);
  return value < 0 ? 0 : mcpctl_buf_len(value);
}

/* refuse answers a call that was made often enough. */
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
  if (has_hash(CALL, call)) return times() < mcpctl_config_int(MCPCTL_TEXT("/calls"), 3) ? MCPCTL_PASS : refuse();
  code = mcpctl_state_set(TIMES, "", 0);
  if (code >= 0) code = mcpctl_state_set(CALL, call, hash_size);
  return code < 0 ? mcpctl_done(code) : MCPCTL_PASS;
}

/* Counts equal results of the last call, unless another call was made in the meantime. */
MCPCTL_ON_TOOL_RESULT {
  char hash[hash_size], marks[most_times];
  int i, code, n = times();
  mcpctl_buf_hash(MCPCTL_CALL, 0, -1, hash);
  if (!has_hash(CALL, hash)) return MCPCTL_PASS;
  mcpctl_buf_hash(MCPCTL_INPUT, 0, -1, hash);
  if (!has_hash(RESULT, hash)) n = 0;
  for (i = 0; i < most_times && i <= n; i++) marks[i] = 'x';
  code = mcpctl_state_set(RESULT, hash, hash_size);
  if (code >= 0) code = mcpctl_state_set(TIMES, marks, i);
  return code < 0 ? mcpctl_done(code) : MCPCTL_PASS;
}
