/* Writes the content in capitals: all of it goes into the guest and out again. */
#include "mcpctl.h"

MCPCTL_ABI

MCPCTL_STAGE {
  int i, length;
  char *text = mcpctl_load(MCPCTL_INPUT, &length);
  if (!text) return mcpctl_failed(MCPCTL_TEXT("no memory for the content"));
  for (i = 0; i < length; i++) text[i] = (char)(text[i] - ((unsigned char)(text[i] - 'a') < 26 ? 'a' - 'A' : 0));
  return mcpctl_done(mcpctl_out_write(text, length));
}
