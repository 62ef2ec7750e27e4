package llm

import (
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// accept checks the text of an answer and returns what counts of it.
//
// Errors: *fault for one that is empty, too long, not the JSON that was asked for,
// or repeats a credential of its provider.
func accept(r reply, wantJSON bool, s secrets) (string, error) {
	text := strings.TrimSpace(r.Text)
	if wantJSON {
		text = unfenced(text)
	}
	switch {
	case text == "":
		return "", &fault{text: "the answer is empty", retry: true, once: true}
	case len(text) > abi.LimitLLMAnswerBytes:
		return "", useless("the answer has %d bytes, limit %d", len(text), abi.LimitLLMAnswerBytes)
	case s.in(text):
		return "", useless("the answer repeats the provider's key, and is thrown away")
	case !wantJSON:
		return text, nil
	}
	switch err := jsonspan.Valid([]byte(text)); {
	case err != nil && r.Cut:
		return "", useless("the answer was cut at its bound of tokens, so it is not the JSON that was asked for")
	case err != nil:
		return "", &fault{text: "the answer is not the JSON that was asked for: " + err.Error(), retry: true, once: true}
	}
	return text, nil
}

// unfenced takes away the Markdown fence that models like to put round JSON.
func unfenced(text string) string {
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
