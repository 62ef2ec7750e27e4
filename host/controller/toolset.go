package controller

import (
	"strconv"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// toolset is the tools that one hook sees, loaded at first use. It is not safe for
// concurrent use.
type toolset struct {
	load    func() []flow.ListedTool
	loaded  bool
	all     []flow.ListedTool
	indexes map[string]int // index in all, by label and wire name
}

func (t *toolset) list() []flow.ListedTool {
	if !t.loaded {
		t.all, t.loaded = t.load(), true
	}
	return t.all
}

// find returns a tool by label or wire name, or nil. Labels take precedence: without
// a server prefix, a server chooses the wire names of its tools and may choose the
// label of another tool. A virtual tool therefore precedes a server's tool of the
// same name.
func (t *toolset) find(name string) *flow.ListedTool {
	all := t.list()
	if t.indexes == nil {
		t.indexes = make(map[string]int, 2*len(all))
		for i := range all {
			t.addIndex(all[i].Label, i)
		}
		for i := range all {
			t.addIndex(all[i].Wire, i)
		}
	}
	if i, ok := t.indexes[name]; ok {
		return &all[i]
	}
	return nil
}

func (t *toolset) addIndex(name string, i int) {
	if _, taken := t.indexes[name]; !taken {
		t.indexes[name] = i
	}
}

func (t *toolset) json(role string) []byte { return ToolList(t.list(), role) }

// ToolList returns the JSON array of session_tools for the controller that plays
// role. Definitions must be valid JSON or empty.
func ToolList(all []flow.ListedTool, role string) []byte {
	size := 2
	for i := range all {
		size += 128 + 2*len(all[i].Label) + len(all[i].Definition)
	}
	out := append(make([]byte, 0, size), '[')
	for i := range all {
		if i > 0 {
			out = append(out, ',')
		}
		out = appendTool(out, &all[i], role)
	}
	return append(out, ']')
}

func appendTool(out []byte, t *flow.ListedTool, role string) []byte {
	out = jsonspan.AppendQuote(append(out, `{"name":`...), []byte(t.Label))
	out = jsonspan.AppendQuote(append(out, `,"wire":`...), []byte(t.Wire))
	out = jsonspan.AppendQuote(append(out, `,"kind":`...), []byte(t.Kind))
	out = strconv.AppendBool(append(out, `,"own":`...), t.Kind == abi.ToolVirtual && t.Owner == role)
	out = strconv.AppendBool(append(out, `,"hidden":`...), t.Hidden)
	out = strconv.AppendBool(append(out, `,"stale":`...), t.Stale)
	out = append(out, `,"tool":`...)
	if len(t.Definition) == 0 {
		return append(out, `{}}`...)
	}
	return append(append(out, t.Definition...), '}')
}
