package proxy

import (
	"encoding/json"
	"slices"

	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
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
		jsonedit.Members(caps, func(key []byte, m jsonspan.Member) bool {
			name := jsonedit.KeyText(key)
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
	fields := make([]jsonedit.Field, 0, len(names))
	for _, name := range names {
		fields = append(fields, jsonedit.Raw(name, values[name]))
	}
	return jsonedit.Object(fields...)
}

// capabilityDepth is how deep capabilities are merged: tasks.requests.tools.call.
const capabilityDepth = 3

// mergeFlags joins two capability objects: a flag that is true in either is true,
// objects are joined down to depth, of other members the first stays.
func mergeFlags(have, add []byte, depth int) []byte {
	if jsonspan.KindAt(have, 0) != jsonspan.Object {
		return add
	}
	p := jsonedit.Patch{Source: have}
	var fresh []jsonedit.Field
	jsonedit.Members(add, func(key []byte, m jsonspan.Member) bool {
		name, value := jsonedit.KeyText(key), add[m.Start:m.End]
		switch old := jsonedit.Member(have, name); {
		case old.End == 0:
			fresh = append(fresh, jsonedit.Raw(name, value))
		case string(value) == "true":
			p.Replace(old, value)
		case depth > 1 && isObjectAt(have, old) && isObjectAt(add, m):
			p.Replace(old, mergeFlags(have[old.Start:old.End], value, depth-1))
		}
		return true
	})
	p.EditObject(0, nil, fresh...)
	return p.Apply()
}

func isObjectAt(raw []byte, m jsonspan.Member) bool {
	return jsonspan.KindAt(raw, m.Start) == jsonspan.Object
}
