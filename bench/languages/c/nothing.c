/* Does nothing: what a call costs before a stage has begun. */
#include "mcpctl.h"

MCPCTL_ABI

MCPCTL_STAGE { return MCPCTL_PASS; }
