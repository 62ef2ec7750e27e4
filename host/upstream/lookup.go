package upstream

import (
	"encoding/json"
	"slices"

	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// text returns the string at a JSON pointer, or "" if there is none.
func text(raw json.RawMessage, pointer string) string {
	m, ok := jsonspan.Lookup(raw, pointer)
	if !ok {
		return ""
	}
	b, _ := jsonspan.Unquote(raw[m.Start:m.End])
	return string(b)
}

// member returns a copy of the value at a JSON pointer, so that the message can be freed.
func member(raw json.RawMessage, pointer string) json.RawMessage {
	m, ok := jsonspan.Lookup(raw, pointer)
	if !ok {
		return nil
	}
	return slices.Clone(raw[m.Start:m.End])
}

func has(raw json.RawMessage, pointer string) bool {
	_, ok := jsonspan.Lookup(raw, pointer)
	return ok
}
