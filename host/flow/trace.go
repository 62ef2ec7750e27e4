package flow

import "context"

type traceKey struct{}

// WithTrace returns a context for a request of a client. id identifies the request among its
// events and in the log of a team server.
func WithTrace(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, traceKey{}, id)
}

// Trace returns the id in a context, "" if there is none.
func Trace(ctx context.Context) string {
	id, _ := ctx.Value(traceKey{}).(string)
	return id
}
