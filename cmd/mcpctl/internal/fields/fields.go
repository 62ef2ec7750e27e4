// Package fields reads the fields of the kinds from their JSON Schemas, for explain and for
// completion.
package fields

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/cmd/internal/schemafile"
)

// Field is one field of a kind, or the kind itself.
type Field struct {
	Name     string `json:"name"`
	Type     string `json:"type"` // string, []object, one of a, b
	Required bool   `json:"required,omitempty"`
	Default  string `json:"default,omitempty"`
	Help     string `json:"help,omitempty"`

	node node
}

// node is the supported subset of a JSON Schema.
type node struct {
	Description string          `json:"description"`
	Default     any             `json:"default"`
	Type        []string        `json:"type"`
	Enum        []any           `json:"enum"`
	AnyOf       []node          `json:"anyOf"`
	Properties  map[string]node `json:"properties"`
	Required    []string        `json:"required"`
	Additional  json.RawMessage `json:"additionalProperties"` // false or a schema
	Items       *node           `json:"items"`
}

// Plugin is the name of plugin.yaml, the manifest of stages, for Of.
const Plugin = "plugin"

// Of returns the root of a kind such as "proxymodel", or of Plugin. ok is false for a kind without
// a
// file, such as a stage.
func Of(kind string) (root Field, ok bool) {
	for _, s := range schemafile.All() {
		if s.Name != kind+".json" {
			continue
		}
		var n node
		if err := json.Unmarshal(s.Text, &n); err != nil {
			return Field{}, false
		}
		return field(kind, n, false), true
	}
	return Field{}, false
}

// Children returns the fields below a field, sorted. For a list, it returns the fields of its
// items.
func (f Field) Children() []Field {
	all := map[string]Field{}
	f.node.collect(all)
	list := make([]Field, 0, len(all))
	for _, name := range slices.Sorted(maps.Keys(all)) {
		list = append(list, all[name])
	}
	return list
}

func (n node) collect(all map[string]Field) {
	for name, p := range n.Properties {
		all[name] = field(name, p, slices.Contains(n.Required, name))
	}
	n.collectAlternatives(all)
	if n.Items != nil {
		n.Items.collect(all)
	}
}

// collectAlternatives collects the fields of the alternatives of a value. A field is required if
// all
// alternatives with fields require it. If a field is null in one alternative, another alternative
// describes it.
func (n node) collectAlternatives(all map[string]Field) {
	required, alternatives := map[string]int{}, 0
	for _, alternative := range n.AnyOf {
		own := map[string]Field{}
		if alternative.collect(own); len(own) > 0 {
			alternatives++
		}
		for name, f := range own {
			if f.Required {
				required[name]++
			}
			if _, known := all[name]; !known || f.Type != "null" {
				all[name] = f
			}
		}
	}
	for name, times := range required {
		f := all[name]
		f.Required = times == alternatives
		all[name] = f
	}
}

// Child returns the field called name. In a mapping with user-defined names, every name is a field.
func (f Field) Child(name string) (Field, bool) {
	for _, c := range f.Children() {
		if c.Name == name {
			return c, true
		}
	}
	var free node
	if err := json.Unmarshal(f.node.Additional, &free); err == nil && len(f.node.Additional) > 0 {
		return field(name, free, false), true
	}
	return Field{}, false
}

func field(name string, n node, required bool) Field {
	f := Field{Name: name, Type: n.shape(), Required: required, Help: n.Description, node: n}
	if n.Default != nil {
		text, _ := json.Marshal(n.Default) // the value was decoded from JSON
		f.Default = string(text)
	}
	return f
}

// shape returns a readable description of the type.
func (n node) shape() string {
	switch {
	case len(n.Enum) > 0:
		words := make([]string, len(n.Enum))
		for i, w := range n.Enum {
			text, _ := json.Marshal(w) // the value was decoded from JSON
			words[i] = strings.Trim(string(text), `"`)
		}
		return "one of " + strings.Join(words, ", ")
	case len(n.AnyOf) > 0:
		var shapes []string
		for _, a := range n.AnyOf {
			if s := a.shape(); !slices.Contains(shapes, s) {
				shapes = append(shapes, s)
			}
		}
		return strings.Join(shapes, " or ")
	case n.Items != nil:
		return "list of " + n.Items.shape()
	case len(n.Type) == 0:
		return "anything"
	}
	return strings.Join(n.Type, " or ")
}
