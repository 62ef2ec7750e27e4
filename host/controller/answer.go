package controller

import (
	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// newAnswer returns the answer of a hook as a tools/call result.
func newAnswer(out *abi.HookOutput) *flow.SteeredAnswer {
	result := out.Answer
	switch {
	case !out.Whole:
		result = textResult(out.Answer, out.Error)
	case out.Error:
		result = mergePatch(result, []byte(`{"isError":true}`))
	}
	return &flow.SteeredAnswer{Result: result, Stages: out.Stages}
}

// errorAnswer returns an error result with this text.
func errorAnswer(text string) *flow.SteeredAnswer {
	return &flow.SteeredAnswer{Result: textResult([]byte(text), true)}
}

func textResult(text []byte, isError bool) []byte {
	out := append(make([]byte, 0, len(text)+len(text)/8+64), `{"content":[{"type":"text","text":`...)
	out = append(jsonspan.AppendQuote(out, text), `}]`...)
	if isError {
		out = append(out, `,"isError":true`...)
	}
	return append(out, '}')
}

// isError reports whether a result has isError true.
func isError(result []byte) bool {
	m, ok := jsonspan.Lookup(result, "/isError")
	return ok && string(result[m.Start:m.End]) == "true"
}
