package lab

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
)

// Tool is a tool of a session.
type Tool struct {
	Label      string // server/tool, or the name of a virtual tool
	Definition string // JSON object; default: a name and an empty schema

	owner  string // controller of a virtual tool
	host   bool
	hidden bool
}

// edits are the changes of one on_tools_list hook to the list.
type edits struct {
	hidden  []string // labels
	patches []abi.ToolPatch
	added   []Tool
}

func quote(s string) string {
	b, _ := json.Marshal(s) // always encodes
	return string(b)
}

func (t Tool) wire() string { return strings.ReplaceAll(t.Label, "/", "__") }

func (t Tool) kind() abi.ToolKind {
	switch {
	case t.host:
		return abi.ToolHost
	case strings.Contains(t.Label, "/"):
		return abi.ToolUpstream
	}
	return abi.ToolVirtual
}

func (t Tool) definition() string {
	if t.Definition != "" {
		return t.Definition
	}
	return `{"name":` + quote(t.wire()) + `,"inputSchema":{"type":"object"}}`
}

func (t Tool) readOnly() bool {
	var d struct {
		Annotations struct {
			ReadOnlyHint bool `json:"readOnlyHint"`
		} `json:"annotations"`
	}
	return json.Unmarshal([]byte(t.definition()), &d) == nil && d.Annotations.ReadOnlyHint
}

const readSection = `{"name":"read_section","description":"reads a section of a stored result",` +
	`"inputSchema":{"type":"object","properties":{"ref":{"type":"string"},"section":{"type":"string"}},"required":["ref"]}}`

// all returns every tool after the last list: its virtual tools, hidden virtual
// tools of earlier lists, the tools of servers, and that of the host.
func (s *Session) all() []Tool {
	list := slices.Clone(s.edits.added)
	for _, t := range s.own {
		if !labelled(s.edits.added, t.Label) {
			t.hidden = true
			list = append(list, t)
		}
	}
	list = append(list, s.Tools...)
	list = append(list, Tool{Label: "read_section", Definition: readSection, host: true})
	for i := range list {
		s.edits.apply(&list[i])
	}
	return list
}

func labelled(list []Tool, label string) bool {
	return slices.ContainsFunc(list, func(t Tool) bool { return t.Label == label })
}

func (e edits) apply(t *Tool) {
	t.hidden = t.hidden || slices.Contains(e.hidden, t.Label)
	for _, p := range e.patches {
		if p.Tool == t.Label {
			t.Definition = merge(t.definition(), p.Patch)
		}
	}
}

// merge applies a JSON merge patch (RFC 7396) to a definition. The name cannot be
// changed.
func merge(definition string, patch []byte) string {
	var d, p map[string]any
	if decode([]byte(definition), &d) != nil || decode(patch, &p) != nil {
		return definition
	}
	delete(p, "name")
	b, err := json.Marshal(merged(d, p))
	if err != nil {
		return definition
	}
	return string(b)
}

func merged(target any, patch map[string]any) map[string]any {
	out, ok := target.(map[string]any)
	if !ok {
		out = map[string]any{}
	}
	for key, v := range patch {
		sub, object := v.(map[string]any)
		switch {
		case v == nil:
			delete(out, key)
		case object:
			out[key] = merged(out[key], sub)
		default:
			out[key] = v
		}
	}
	return out
}

// decode decodes JSON and keeps numbers unchanged.
func decode(b []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	return d.Decode(into)
}

// editsOf returns the changes of a hook's output, with labels.
func (s *Session) editsOf(out abi.HookOutput) edits {
	var e edits
	for _, t := range out.Tools {
		e.added = append(e.added, Tool{Label: t.Name, Definition: string(t.Definition), owner: s.role.Name})
	}
	for _, name := range out.Hidden {
		e.hidden = append(e.hidden, s.label(name))
	}
	for _, p := range out.Patches {
		e.patches = append(e.patches, abi.ToolPatch{Tool: s.label(p.Tool), Patch: p.Patch})
	}
	return e
}

func (s *Session) label(name string) string {
	if t, ok := s.find(name); ok {
		return t.Label
	}
	return name
}

// find returns a tool by label or wire name.
func (s *Session) find(name string) (Tool, bool) {
	list := s.all()
	i := slices.IndexFunc(list, func(t Tool) bool { return t.Label == name || t.wire() == name })
	if i < 0 {
		return Tool{}, false
	}
	return list[i], true
}

// adopt stores virtual tools for the session. A name keeps its owner.
func (s *Session) adopt(added []Tool) {
	for _, t := range added {
		if i := slices.IndexFunc(s.own, func(o Tool) bool { return o.Label == t.Label }); i >= 0 {
			s.own[i] = t
			continue
		}
		s.own = append(s.own, t)
	}
}
