package flow

import "context"

type questionKey struct{}

// WithQuestionKey returns a context for a request of a server to the client. The key is the
// server's own name for the request, which the client sees if its protocol version has such
// keys.
func WithQuestionKey(ctx context.Context, key string) context.Context {
	return context.WithValue(ctx, questionKey{}, key)
}

// QuestionKey returns the key in a context, "" if there is none.
func QuestionKey(ctx context.Context) string {
	key, _ := ctx.Value(questionKey{}).(string)
	return key
}
