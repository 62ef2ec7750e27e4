// Package fields reads the fields of the kinds out of their JSON Schemas: for
// explain, and for completion.
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

// node is the part of a JSON Schema that is read.
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

// Plugin is the name by which Of knows plugin.yaml, the manifest of stages.
const Plugin = "plugin"

// Of is the root of a kind, "proxymodel", or of Plugin. ok is false for one without a
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

// Children are the fields below a field, sorted; those of its items if it is a list.
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

// collectAlternatives collects the fields of the alternatives of a value. A field is
// required if all alternatives with fields require it. One that must be null in an
// alternative is described as in another.
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

// Child is the field of that name. A mapping with names of the user's own has any.
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
		text, _ := json.Marshal(n.Default) // came out of JSON
		f.Default = string(text)
	}
	return f
}

// shape is the type as a person says it.
func (n node) shape() string {
	switch {
	case len(n.Enum) > 0:
		words := make([]string, len(n.Enum))
		for i, w := range n.Enum {
			text, _ := json.Marshal(w) // came out of JSON
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
