/* Helpers for guests. A helper that is not called is not in the module. */

/** A literal as pointer and length: mcpctl_out_write(MCPCTL_TEXT("done")). */
#define MCPCTL_TEXT(literal) (literal), (int)(sizeof(literal) - 1)

/** FAIL with a reason: return mcpctl_failed(MCPCTL_TEXT("no rule in it")). */
static inline int mcpctl_failed(const char *reason, int reason_len) {
  mcpctl_fail(reason, reason_len);
  return MCPCTL_FAIL;
}

/** Ends an entry with the result of its last call: FAIL with the host's sentence for a
 * code, otherwise DONE. return mcpctl_done(mcpctl_out_span(MCPCTL_INPUT, 0, at)). */
static inline int mcpctl_done(int result) {
  char why[512];
  int sentence, n;
  if (result >= 0) return MCPCTL_DONE;
  sentence = mcpctl_last_error();
  n = sentence < 0 ? 0 : mcpctl_buf_read(sentence, 0, why, (int)sizeof why);
  return n > 0 ? mcpctl_failed(why, n) : mcpctl_failed(MCPCTL_TEXT("not found"));
}

/** Reads a decoded string of a JSON buffer into out. Result: its length, which may exceed
 * cap (the string is cut then); BAD_ARG for a value that is not a string. */
static inline int mcpctl_json_string(int buf, const char *pointer, int pointer_len, char *out, int cap) {
  int kind = mcpctl_json_kind(buf, pointer, pointer_len);
  int text, length;
  if (kind != MCPCTL_JSON_KIND_STRING) return kind < 0 ? kind : MCPCTL_BAD_ARG;
  text = mcpctl_json_get(buf, pointer, pointer_len);
  if (text < 0) return text;
  length = mcpctl_buf_len(text);
  mcpctl_buf_read(text, 0, out, cap);
  mcpctl_buf_free(text);
  return length;
}

/** Returns an integer of a JSON buffer, or def if it is missing or not an integer. A bool
 * is 0 or 1. */
static inline long long mcpctl_json_int(int buf, const char *pointer, int pointer_len, long long def) {
  long long value;
  return mcpctl_json_i64(buf, pointer, pointer_len, &value) < 0 ? def : value;
}

/** Returns a number of a JSON buffer, or def if it is missing or not a number. */
static inline double mcpctl_json_number(int buf, const char *pointer, int pointer_len, double def) {
  double value;
  return mcpctl_json_f64(buf, pointer, pointer_len, &value) < 0 ? def : value;
}

/* Config: a key is given as a pointer, mcpctl_config_int(MCPCTL_TEXT("/maxLines"), 24).
 * The host has checked the config against the manifest and added the defaults. */

/** Reads a string of the config into out. Result: its length, or a code. */
static inline int mcpctl_config_string(const char *pointer, int pointer_len, char *out, int cap) {
  return mcpctl_json_string(MCPCTL_CONFIG, pointer, pointer_len, out, cap);
}

/** Returns an integer of the config, or a bool as 0 or 1, or def. */
static inline long long mcpctl_config_int(const char *pointer, int pointer_len, long long def) {
  return mcpctl_json_int(MCPCTL_CONFIG, pointer, pointer_len, def);
}

/** Returns a number of the config, or def. */
static inline double mcpctl_config_number(const char *pointer, int pointer_len, double def) {
  return mcpctl_json_number(MCPCTL_CONFIG, pointer, pointer_len, def);
}

/** Returns the position of the current role in the manifest, for a module with several. */
static inline int mcpctl_role_index(void) {
  return (int)mcpctl_json_int(MCPCTL_CONTEXT, MCPCTL_TEXT("/roleIndex"), 0);
}

/** The parent of Sections at the top level. */
#define MCPCTL_TOP (-1)

/** Adds a Section without bytes of its own. Result: its position, or a code. */
static inline int mcpctl_section_group(int parent, const char *title, int title_len) {
  return mcpctl_section_add(parent, MCPCTL_NONE, 0, 0, title, title_len);
}

/** Sections of one buffer that wait to be added at once: at most 128, or 8 KiB of texts. It
 * is faster for a stage that adds hundreds. The memory is static and starts as
 * {MCPCTL_INPUT, mcpctl_buf_len(MCPCTL_SECTIONS) / (int)sizeof(mcpctl_section)}. */
typedef struct {
  int buf;  /* of all spans */
  int next; /* position of the next Section */
  int count, used;
  mcpctl_addition records[128];
  char texts[8192];
} mcpctl_batch;

/** Adds the waiting Sections. Result: 0, or the code of section_add for one of them: then
 * none is added, and their positions are free again. */
static inline int mcpctl_batch_flush(mcpctl_batch *b) {
  int count = b->count, code = 0;
  if (count > 0) code = mcpctl_sections_add(b->buf, (const char *)b->records, count * (int)sizeof *b->records, b->texts, b->used);
  b->count = b->used = 0;
  if (code < 0) b->next -= count;
  return code < 0 ? code : 0;
}

/** Adds a Section to the batch, or a group if start and end are 0, with an id unless id_len
 * is 0. Result: the position that it will have, or the code for a waiting Section. */
static inline int mcpctl_batch_add(mcpctl_batch *b, int parent, int start, int end, const char *id, int id_len, const char *title, int title_len) {
  mcpctl_addition *r;
  int i, code;
  if (id_len + title_len > (int)sizeof b->texts) return MCPCTL_LIMIT;
  if (b->count == 128 || b->used + id_len + title_len > (int)sizeof b->texts) {
    code = mcpctl_batch_flush(b);
    if (code < 0) return code;
  }
  r = &b->records[b->count++];
  r->parent = parent;
  r->start = (mcpctl_u32)start;
  r->end = (mcpctl_u32)end;
  r->id_bytes = (mcpctl_u32)id_len;
  r->title_bytes = (mcpctl_u32)title_len;
  for (i = 0; i < id_len; i++) b->texts[b->used++] = id[i];
  for (i = 0; i < title_len; i++) b->texts[b->used++] = title[i];
  return b->next++;
}

/** Sends a request and waits for it. Result: handle of the answer, or a code. */
static inline int mcpctl_llm_complete(int req) {
  int code = mcpctl_llm_send(req);
  if (code >= 0) code = mcpctl_llm_wait(req, 0x7fffffff);
  return code < 0 ? code : mcpctl_llm_result(req);
}

/** Writes a number in decimal to out, which must have 20 bytes. Result: its length. */
static inline int mcpctl_decimal(long long value, char *out) {
  unsigned long long rest = value < 0 ? 0 - (unsigned long long)value : (unsigned long long)value;
  char digits[20];
  int n = 0, length = 0;
  do digits[n++] = (char)('0' + rest % 10);
  while ((rest /= 10) > 0);
  if (value < 0) out[length++] = '-';
  while (n > 0) out[length++] = digits[--n];
  return length;
}

/** Appends a number in decimal to the output. Result: 0 or a code. */
static inline int mcpctl_out_int(long long value) {
  char text[20];
  return mcpctl_out_write(text, mcpctl_decimal(value, text));
}

/** Reports whether two texts are equal. */
static inline int mcpctl_equal(const char *a, int a_len, const char *b, int b_len) {
  int i = 0;
  if (a_len != b_len) return 0;
  while (i < a_len && a[i] == b[i]) i++;
  return i == a_len;
}

#ifdef __wasm__
/** Returns new zeroed memory in pages of 64 KiB; null at the limit. There is no need to free
 * it: each call has a new guest. For small or fixed sizes use a static array. */
static inline void *mcpctl_grow(int bytes) {
  unsigned long page = __builtin_wasm_memory_grow(0, ((unsigned long)bytes + 65535) / 65536);
  return page == (unsigned long)-1 ? (void *)0 : (void *)(page * 65536);
}

/** Returns a copy of a whole buffer in new memory, with its length in len; null if there is
 * no memory or no such buffer. Most stages need none: find, grep and spans run in the host. */
static inline char *mcpctl_load(int buf, int *len) {
  char *text;
  *len = mcpctl_buf_len(buf);
  if (*len < 0) return (char *)0;
  text = (char *)mcpctl_grow(*len + 1);
  if (text) mcpctl_buf_read(buf, 0, text, *len);
  return text;
}
#endif
