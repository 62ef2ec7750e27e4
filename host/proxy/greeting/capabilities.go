// Package greeting joins the capabilities and the instructions of several servers into
// those of one.
//
// It is pure: the declarations of the servers come from package catalog.
package greeting

import (
	"encoding/json"
	"slices"

	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
)

// Server holds the declarations of one server at its last handshake.
type Server struct {
	Name         string
	Capabilities json.RawMessage // nil: no handshake yet
	Instructions string
}

// joinable are the capabilities that several servers can have together. Others are only
// declared for a single server, which then gets all requests.
var joinable = []string{"logging", "completions", "prompts", "resources", "tools", "tasks"}

// assumed are the capabilities of a server that has not declared any yet. A client that
// expects too much gets empty lists; one that expects too little never asks.
var assumed = json.RawMessage(`{"logging":{},"completions":{},"prompts":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"tools":{"listChanged":true}}`)

// Capabilities returns the union of the servers' capabilities and of own. It adds tools,
// and listChanged to every list, because servers come and go.
func Capabilities(all []Server, own ...string) []byte {
	var names []string // in order of appearance
	values := make(map[string][]byte)
	for _, s := range all {
		caps := s.Capabilities
		if caps == nil {
			caps = assumed
		}
		jsonedit.Members(caps, func(key []byte, m jsonspan.Member) bool {
			name := jsonedit.KeyText(key)
			if len(all) > 1 && !slices.Contains(joinable, name) {
				return true
			}
			if _, ok := values[name]; !ok {
				names = append(names, name)
			}
			values[name] = merge(values[name], caps[m.Start:m.End], mergeDepth)
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
			values[name] = merge(values[name], []byte(`{"listChanged":true}`), mergeDepth)
		}
	}
	fields := make([]jsonedit.Field, 0, len(names))
	for _, name := range names {
		fields = append(fields, jsonedit.Raw(name, values[name]))
	}
	return jsonedit.Object(fields...)
}

// mergeDepth is the depth to which capabilities are merged: tasks.requests.tools.call.
const mergeDepth = 3

// merge merges two capability objects: a flag that is true in either is true, objects
// are merged down to depth, and of other members the first one is kept.
func merge(have, add []byte, depth int) []byte {
	if jsonspan.KindAt(have, 0) != jsonspan.Object {
		return add
	}
	p := jsonedit.Patch{Source: have}
	var added []jsonedit.Field
	jsonedit.Members(add, func(key []byte, m jsonspan.Member) bool {
		name, value := jsonedit.KeyText(key), add[m.Start:m.End]
		switch old := jsonedit.Member(have, name); {
		case old.End == 0:
			added = append(added, jsonedit.Raw(name, value))
		case string(value) == "true":
			p.Replace(old, value)
		case depth > 1 && isObject(have, old) && isObject(add, m):
			p.Replace(old, merge(have[old.Start:old.End], value, depth-1))
		}
		return true
	})
	p.EditObject(0, nil, added...)
	return p.Apply()
}

func isObject(raw []byte, m jsonspan.Member) bool {
	return jsonspan.KindAt(raw, m.Start) == jsonspan.Object
}
