package dispatch

import (
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/internal/hookexample"
)

func TestExamples(t *testing.T) { hookexample.Run(t, "dispatch") }
