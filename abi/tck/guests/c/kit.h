/* The guest of the conformance kit in C. The cases are described in the README of
 * abi/tck. */
#include "mcpctl.h"

/* A case of a stage or of a hook: its name and its function. */
typedef struct {
  const char *name;
  int (*run)(void);
} kit_case;

extern const kit_case outcome_cases[], content_cases[], json_cases[], section_cases[], llm_cases[], steer_cases[], know_cases[];

/* The config keys of the kit. */
enum { text_size = 4096 };
extern char text[text_size], more[text_size];
extern int text_length, more_length; /* 0 if the key is missing */
long long number(void);

/* PUT writes a literal, put_line a newline. */
#define PUT(literal) mcpctl_out_write(MCPCTL_TEXT(literal))
static inline void put_line(void) { PUT("\n"); }
void put_number(const char *before, long long value);
void put_bool(int value);
void put_span(unsigned start, unsigned end);
void put_buffer(int buf); /* as a span, and a newline */
void put_field(int buf, const char *pointer, int pointer_len);

/* fate writes "ok" or the name of a code to `to`, which has 32 bytes; put_fate writes a
 * line of it, log_fate a line of the log. */
int fate(int result, char *to);
void put_fate(int result);
void log_fate(int result);

/* Parts of a case that stages and hooks share. */
void put_config(void);
int put_asked(void);
int length_of(const char *word);
