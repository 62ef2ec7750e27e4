package index

import (
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/internal/example"
)

func TestExamples(t *testing.T) { example.Run(t, "index") }
