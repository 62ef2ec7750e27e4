package gate

import (
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/internal/hookexample"
)

// End-to-end gated session, End-to-end intercept, End-to-end
// read_prompts: begin, intercept, read, as far as hooks go
func TestExamples(t *testing.T) { hookexample.Run(t, "gate") }
