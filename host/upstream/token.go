package upstream

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// swap puts value in the place that a JSON pointer names and returns what was
// there. All other bytes stay as they are; raw itself is not changed.
func swap(raw json.RawMessage, pointer string, value []byte) (swapped json.RawMessage, was []byte) {
	m, ok := jsonspan.Lookup(raw, pointer)
	if !ok {
		return raw, nil
	}
	return slices.Concat(raw[:m.Start], value, raw[m.End:]), raw[m.Start:m.End]
}

// withOurToken puts our id in the place of the caller's progress token, if its
// params have one: two callers may well use the same.
func withOurToken(params json.RawMessage, id int64) (ours json.RawMessage, theirs []byte) {
	return swap(params, "/_meta/progressToken", strconv.AppendInt(nil, id, 10))
}

// tokenOf reads our id back from the params of a progress notification.
func tokenOf(params json.RawMessage) (id int64, ok bool) {
	m, found := jsonspan.Lookup(params, "/progressToken")
	if !found {
		return 0, false
	}
	id, err := strconv.ParseInt(string(params[m.Start:m.End]), 10, 64)
	return id, err == nil
}

// withTheirToken makes a progress notification the caller's own again.
func withTheirToken(params json.RawMessage, theirs []byte) json.RawMessage {
	swapped, _ := swap(params, "/progressToken", theirs)
	return swapped
}
