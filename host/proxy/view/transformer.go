package view

import (
	"context"

	"github.com/mcpctl/mcpctl/host/flow"
)

// Transformer runs the filters and stages over one Content.
//
// Implementations are safe for concurrent use.
type Transformer interface {
	// Transform stores the Content as an Original and returns the text that the client
	// gets in its place. A failing stage is no error: the Shown then contains its input.
	//
	// Errors: an error means that nothing may be shown. The client gets an error result
	// with the error's text, and never the Content.
	Transform(ctx context.Context, scope flow.Scope, c flow.Content) (flow.Shown, error)

	// Filter is the first half of Transform: it runs the filters and stores their output.
	// Transform continues with the output if Filtered is set.
	//
	// Errors: as Transform.
	Filter(ctx context.Context, scope flow.Scope, c flow.Content) (flow.Shown, error)

	// Bound replaces a text, in an answer with too many tokens, by an index of its
	// Original. It returns shown unchanged if it is an index already, if an index would not
	// be clearly shorter, or if the Original is not stored.
	Bound(ctx context.Context, scope flow.Scope, c flow.Content, shown flow.Shown, over flow.Overrun) flow.Shown

	// BoundTogether replaces several texts by one index of their joined Originals. A Content
	// of which no Original is stored has passed the filters, and is joined itself. ok is
	// false if an Original cannot be read.
	BoundTogether(ctx context.Context, scope flow.Scope, contents []flow.Content, shown []flow.Shown, over flow.Overrun) (together flow.Shown, ok bool)
}

// Repeater is a Transformer that knows whether a result may be shown as it was shown
// before. Such a result is not even decoded: finding and unescaping the text of a
// 120 KB result is most of its cost.
//
// Implementations are safe for concurrent use.
type Repeater interface {
	// Epoch changes whenever equal Contents may be shown differently from then on, for
	// example because a module, a proxymodel or a setting has changed.
	Epoch() uint64
	// Repeat records that a result with these Originals is shown again. It reports false
	// if one of them is no longer readable.
	Repeat(scope flow.Scope, refs []string, reports []flow.RunReport) bool
}

// Store stores a Content over which no pipeline runs.
type Store interface {
	Store(ctx context.Context, scope flow.Scope, c flow.Content) (ref string, err error)
}
