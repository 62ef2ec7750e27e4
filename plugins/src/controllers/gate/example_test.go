package gate

import (
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/internal/hookexample"
)

// The examples cover a session that begins, one that is intercepted, and read_prompts.
func TestExamples(t *testing.T) { hookexample.Run(t, "gate") }
