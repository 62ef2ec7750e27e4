package proxy

import (
	"encoding/json"
	"slices"

	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// greeting is what one server last said at its handshake; capabilities is nil if
// it has not said anything yet.
type greeting struct {
	server       string
	capabilities json.RawMessage
	instructions string
}

// The capabilities that we serve for several servers at once. Others need one
// server that all is passed to.
var commonCapabilities = []string{"logging", "completions", "prompts", "resources", "tools", "tasks"}

// silentServer stands for a server of which nothing is known: a client that is
// told too much gets empty lists, one that is told too little never asks.
var silentServer = json.RawMessage(`{"logging":{},"completions":{},"prompts":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"tools":{"listChanged":true}}`)

// capabilities is the union of what the servers declare and what we add: tools,
// own, and that every list can change, since servers come and go.
func capabilities(all []greeting, own ...string) []byte {
	var names []string // in order of appearance
	values := make(map[string][]byte)
	for _, g := range all {
		caps := g.capabilities
		if caps == nil {
			caps = silentServer
		}
		members(caps, func(key []byte, m jsonspan.Member) bool {
			name := unquoted(key)
			if len(all) > 1 && !slices.Contains(commonCapabilities, name) {
				return true
			}
			if _, ok := values[name]; !ok {
				names = append(names, name)
			}
			values[name] = mergeFlags(values[name], caps[m.Start:m.End], capabilityDepth)
			return true
		})
	}
	for _, name := range append(own, "tools") {
		if _, ok := values[name]; !ok {
			names, values[name] = append(names, name), []byte(`{}`)
		}
	}
	for _, name := range []string{"tools", "prompts", "resources"} {
		if slices.Contains(names, name) {
			values[name] = mergeFlags(values[name], []byte(`{"listChanged":true}`), capabilityDepth)
		}
	}
	fields := make([]field, 0, len(names))
	for _, name := range names {
		fields = append(fields, field{name, values[name]})
	}
	return objectOf(fields)
}

// capabilityDepth is how deep capabilities are merged: tasks.requests.tools.call.
const capabilityDepth = 3

// mergeFlags joins two capability objects: a flag that is true in either is true,
// objects are joined down to depth, of other members the first stays.
func mergeFlags(have, add []byte, depth int) []byte {
	if jsonspan.KindAt(have, 0) != jsonspan.Object {
		return add
	}
	p := patch{src: have}
	var fresh []field
	members(add, func(key []byte, m jsonspan.Member) bool {
		name, value := unquoted(key), add[m.Start:m.End]
		switch old := lastMember(have, name); {
		case old.End == 0:
			fresh = append(fresh, field{name, value})
		case string(value) == "true":
			p.replace(old, value)
		case depth > 1 && isObjectAt(have, old) && isObjectAt(add, m):
			p.replace(old, mergeFlags(have[old.Start:old.End], value, depth-1))
		}
		return true
	})
	p.object(0, keepAll, fresh...)
	return p.apply()
}

func isObjectAt(raw []byte, m jsonspan.Member) bool {
	return jsonspan.KindAt(raw, m.Start) == jsonspan.Object
}

// unquoted is the text of a key.
func unquoted(key []byte) string {
	text, _ := jsonspan.Unquote(key)
	return string(text)
}
