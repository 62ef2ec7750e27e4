package llm

import (
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// accept checks the text of an answer and returns the part that the guest receives.
//
// It returns a *fault if the answer is empty or too long, is not the JSON that was
// requested, or repeats a credential of its provider.
func accept(r reply, wantJSON bool, s secrets) (string, error) {
	text := strings.TrimSpace(r.Text)
	if wantJSON {
		text = trimFence(text)
	}
	switch {
	case text == "":
		return "", &fault{text: "the answer is empty", retry: true, once: true}
	case len(text) > abi.LimitLLMAnswerBytes:
		return "", unusable("the answer has %d bytes, limit %d", len(text), abi.LimitLLMAnswerBytes)
	case s.isIn(text):
		return "", unusable("the answer repeats the provider's key, and is discarded")
	case !wantJSON:
		return text, nil
	}
	switch err := jsonspan.Valid([]byte(text)); {
	case err != nil && r.Cut:
		return "", unusable("the answer was cut at its token limit, so it is not the JSON that was asked for")
	case err != nil:
		return "", &fault{text: "the answer is not the JSON that was asked for: " + err.Error(), retry: true, once: true}
	}
	return text, nil
}

// trimFence removes the Markdown fence that models often put around JSON.
func trimFence(text string) string {
	rest, ok := strings.CutPrefix(text, "```")
	if !ok {
		return text
	}
	first, rest, ok := strings.Cut(rest, "\n")
	body, closed := strings.CutSuffix(rest, "```")
	if lang := strings.ToLower(strings.TrimSpace(first)); !ok || !closed || lang != "" && lang != "json" {
		return text
	}
	return strings.TrimSpace(body)
}
