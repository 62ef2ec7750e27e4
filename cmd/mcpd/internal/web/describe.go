package web

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/host/strictyaml"
)

// Limits of the description of a message.
const (
	maxBatch     = 20
	maxArguments = 4 << 10 // bytes
)

// describeMessage returns the method, the tool or resource, and the arguments of an MCP message
// for the audit log: "tools/call search hmac:1f3a...". Without plain, the arguments are a
// hash with a key of the server: two calls with the same arguments have the same, and
// arguments that are guessed cannot be compared with it.
//
// It returns abi.ErrLimit for a batch of which the log could not show each message.
func describeMessage(body, key []byte, plain bool) (string, error) {
	if err := checkMessage(body); err != nil {
		return "", err
	}
	var batch []json.RawMessage
	if json.Unmarshal(body, &batch) != nil {
		return describeOne(body, key, plain), nil
	}
	if len(batch) > maxBatch {
		return "", problem.New(abi.ErrLimit, "a batch of %d messages, limit %d", len(batch), maxBatch)
	}
	parts := []string{"batch of " + strconv.Itoa(len(batch))}
	for _, one := range batch {
		parts = append(parts, describeOne(one, key, plain))
	}
	return strings.Join(parts, "; "), nil
}

// checkMessage returns problem.ErrUsage for a body that servers could read differently from the
// audit log: one that is not JSON in UTF-8, or has a member of a message or of its params twice.
func checkMessage(body []byte) error {
	if !utf8.Valid(body) || !json.Valid(body) {
		return problem.Usagef("the request is not JSON in UTF-8")
	}
	var batch []json.RawMessage
	if json.Unmarshal(body, &batch) != nil {
		batch = []json.RawMessage{body}
	}
	for _, one := range batch {
		members, twice := membersOf(one)
		if twice == "" {
			_, twice = membersOf(members["params"])
		}
		if twice != "" {
			return problem.Usagef("the message has the member %q twice", strictyaml.Clip(twice, maxShown))
		}
	}
	return nil
}

// membersOf returns the members of a JSON object, and the name of one that it has twice. It is
// empty for another value.
func membersOf(raw json.RawMessage) (members map[string]json.RawMessage, twice string) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, ""
	}
	members = make(map[string]json.RawMessage)
	for d.More() {
		t, err := d.Token()
		name, ok := t.(string)
		var value json.RawMessage
		if err != nil || !ok || d.Decode(&value) != nil {
			return members, ""
		}
		if _, exists := members[name]; exists {
			return members, name
		}
		members[name] = value
	}
	return members, ""
}

// describeOne reads the members by their exact names, as servers do: a struct would also
// accept "Method" for "method".
func describeOne(body, key []byte, plain bool) string {
	var msg, params map[string]json.RawMessage
	if json.Unmarshal(body, &msg) != nil {
		return "not a JSON-RPC message"
	}
	_ = json.Unmarshal(msg["params"], &params) // the server checks the message
	parts := []string{text(msg["method"])}
	if msg["method"] == nil {
		parts = []string{"response"}
	}
	for _, member := range []string{"name", "uri"} {
		if raw := params[member]; raw != nil {
			parts = append(parts, text(raw))
		}
	}
	if raw := params["arguments"]; raw != nil {
		parts = append(parts, arguments(raw, key, plain))
	}
	return strings.Join(parts, " ")
}

// text returns a string of a message, shortened.
func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return "?"
	}
	return strictyaml.Clip(s, maxShown)
}

func arguments(raw json.RawMessage, key []byte, plain bool) string {
	var compact bytes.Buffer
	if json.Compact(&compact, raw) != nil {
		return "?"
	}
	if plain {
		return strictyaml.Clip(compact.String(), maxArguments)
	}
	h := hmac.New(sha256.New, key)
	h.Write(compact.Bytes())
	return "hmac:" + hex.EncodeToString(h.Sum(nil))
}
