package proxy

import (
	"context"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/proxy/view"
)

// Reader serves stored Originals.
//
// Implementations are safe for concurrent use.
type Reader interface {
	// Read answers read_section. An unknown ref or section is an Answer with IsError.
	Read(ctx context.Context, scope flow.Scope, ref, section string) flow.Answer
	// Touch keeps an Original from expiring and reports whether it is stored.
	Touch(scope flow.Scope, ref string) bool
	// Store stores a Content over which no pipeline runs, so that Read can serve a part of
	// it.
	view.Store
}
