/* Lead is a stage that keeps the text before the first rule. The rest is not lost:
 * the original stays stored, and drill-down reaches it. */
#include "mcpctl.h"

MCPCTL_ABI

static char rule[MCPCTL_LIMIT_NEEDLE_BYTES];

MCPCTL_STAGE {
  int length = mcpctl_config_string(MCPCTL_TEXT("/rule"), rule, sizeof rule);
  int at = length < 0 ? mcpctl_buf_find(MCPCTL_INPUT, 0, MCPCTL_TEXT("\n---\n"))
                      : mcpctl_buf_find(MCPCTL_INPUT, 0, rule, length);
  if (at == MCPCTL_NOT_FOUND) return MCPCTL_PASS;
  return mcpctl_done(at < 0 ? at : mcpctl_out_span(MCPCTL_INPUT, 0, at));
}
