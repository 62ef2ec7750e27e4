package proxy

import (
	"context"

	"github.com/mcpctl/mcpctl/host/flow"
)

// Transformer runs the filters and stages over one Content.
//
// Implementations are safe for concurrent use.
type Transformer interface {
	// Transform stores the Content as an Original and says what the client gets
	// to read in its place. A stage that fails is no error: the Shown then holds
	// what came before it.
	//
	// Errors: an error means that nothing may be shown: the client gets an error
	// result with the error's text and never the Content.
	Transform(ctx context.Context, scope flow.Scope, c flow.Content) (flow.Shown, error)

	// Filter is the first half of Transform: it runs the filters and stores what
	// they leave. Transform takes it from there, given that with Filtered set.
	//
	// Errors: as those of Transform.
	Filter(ctx context.Context, scope flow.Scope, c flow.Content) (flow.Shown, error)
}

// filterOnly is a Transformer that stops before the stages.
type filterOnly struct{ Transformer }

// Transform implements Transformer.
func (f filterOnly) Transform(ctx context.Context, scope flow.Scope, c flow.Content) (flow.Shown, error) {
	return f.Filter(ctx, scope, c)
}

// Reader serves stored Originals.
//
// Implementations are safe for concurrent use.
type Reader interface {
	// Read answers read_section. What is not found is an Answer with IsError.
	Read(ctx context.Context, scope flow.Scope, ref, section string) flow.Answer
	// Store keeps a Content over which no pipeline runs, so that Read can serve
	// a part of it.
	Store(ctx context.Context, scope flow.Scope, c flow.Content) (ref string, err error)
}
