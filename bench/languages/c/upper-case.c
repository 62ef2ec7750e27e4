/* Writes the content in upper case: all of it is copied into the guest and back. */
#include "mcpctl.h"

MCPCTL_ABI

/* upper compiles to instructions that process 16 bytes at a time. */
__attribute__((target("simd128"))) static void upper(char *text, int length) {
  int i;
  for (i = 0; i < length; i++) text[i] = (char)(text[i] - ((unsigned char)(text[i] - 'a') < 26 ? 'a' - 'A' : 0));
}

MCPCTL_STAGE {
  int length;
  char *text = mcpctl_load(MCPCTL_INPUT, &length);
  if (!text) return mcpctl_failed(MCPCTL_TEXT("no memory for the content"));
  upper(text, length);
  return mcpctl_done(mcpctl_out_write(text, length));
}
