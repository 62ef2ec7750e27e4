package upstream

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// swap replaces the value at a JSON pointer and returns the old value. All other bytes are
// unchanged. It does not modify raw.
func swap(raw json.RawMessage, pointer string, value []byte) (swapped json.RawMessage, old []byte) {
	m, ok := jsonspan.Lookup(raw, pointer)
	if !ok {
		return raw, nil
	}
	return slices.Concat(raw[:m.Start], value, raw[m.End:]), raw[m.Start:m.End]
}

// replaceToken replaces the caller's progress token in params, if any, by the id of the
// request, because two callers may use the same token. It returns the caller's token.
func replaceToken(params json.RawMessage, id int64) (replaced json.RawMessage, token []byte) {
	return swap(params, "/_meta/progressToken", strconv.AppendInt(nil, id, 10))
}

// tokenOf returns the id of the request from the params of a progress notification.
func tokenOf(params json.RawMessage) (id int64, ok bool) {
	m, found := jsonspan.Lookup(params, "/progressToken")
	if !found {
		return 0, false
	}
	id, err := strconv.ParseInt(string(params[m.Start:m.End]), 10, 64)
	return id, err == nil
}

// restoreToken puts the caller's token back into the params of a progress notification.
func restoreToken(params json.RawMessage, token []byte) json.RawMessage {
	restored, _ := swap(params, "/progressToken", token)
	return restored
}
