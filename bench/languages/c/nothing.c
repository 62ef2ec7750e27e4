/* Does nothing, to measure the fixed cost of a call. */
#include "mcpctl.h"

MCPCTL_ABI

MCPCTL_STAGE { return MCPCTL_PASS; }
