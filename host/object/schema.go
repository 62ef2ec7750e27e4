package object

import (
	"encoding/json"
	"slices"
	"strings"
)

// SchemaFile is a JSON Schema that editors check a file against as it is written.
type SchemaFile struct {
	Name string // "proxymodel.json"
	Text []byte
}

// Schemas are the JSON Schemas of all Kinds and of plugin.yaml.
//
// A schema knows the fields, types and words of the strict decoder: what Decode
// and ParsePlugin take, it takes, and it refuses what they call an unknown field.
// Rules between objects (which stage exists) are theirs alone.
//
// Source: JSON Schema draft-07, the latest that editors know well.
func Schemas() []SchemaFile {
	var files []SchemaFile
	for _, k := range Kinds() {
		files = append(files, SchemaFile{k.SchemaName(), kindSchema(k).text(string(k))})
	}
	return append(files, SchemaFile{PluginSchema, pluginSchema().text("plugin.yaml")})
}

// PluginSchema is the name of the schema of plugin.yaml among Schemas.
const PluginSchema = "plugin.json"

// SchemaName is the name of the schema of a Kind among Schemas.
func (k Kind) SchemaName() string { return strings.ToLower(string(k)) + ".json" }

// schema is the part of JSON Schema that is needed here. Maps print sorted, so
// equal schemas give equal bytes.
type schema struct {
	Schema      string `json:"$schema,omitempty"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	Default     any    `json:"default,omitempty"`

	Type  []string  `json:"type,omitempty"`
	Enum  []any     `json:"enum,omitempty"`
	AnyOf []*schema `json:"anyOf,omitempty"`

	Properties    map[string]*schema `json:"properties,omitempty"`
	Required      []string           `json:"required,omitempty"`
	PropertyNames *schema            `json:"propertyNames,omitempty"`
	Additional    any                `json:"additionalProperties,omitempty"` // false or a *schema

	Items    *schema `json:"items,omitempty"`
	MinItems int     `json:"minItems,omitempty"`
	MaxItems int     `json:"maxItems,omitempty"`
	Unique   bool    `json:"uniqueItems,omitempty"`

	Pattern   string `json:"pattern,omitempty"`
	MaxLength int    `json:"maxLength,omitempty"`
	Minimum   *int   `json:"minimum,omitempty"`
	Maximum   *int   `json:"maximum,omitempty"`
}

func (s *schema) text(title string) []byte {
	s.Schema, s.Title = "http://json-schema.org/draft-07/schema#", title
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		panic(err) // strings, numbers and what is made of them always encode
	}
	return append(b, '\n')
}

// props are the fields of a mapping.
type props map[string]*schema

// mappingOf is a mapping with these fields and no other.
func mappingOf(p props, required ...string) *schema {
	return &schema{Type: []string{"object"}, Properties: p, Required: required, Additional: false}
}

// freeMapping is a mapping of anything.
func freeMapping() *schema { return &schema{Type: []string{"object"}} }

// mapOf is a mapping of any names of a pattern to values.
func mapOf(names string, values *schema) *schema {
	return &schema{Type: []string{"object"}, PropertyNames: &schema{Pattern: names}, Additional: values}
}

// listOf, ofType, textOf, oneWordOf and intFrom are the other values there are.
func listOf(items *schema) *schema { return &schema{Type: []string{"array"}, Items: items} }
func ofType(t ...string) *schema   { return &schema{Type: t} }
func textOf(pattern string) *schema {
	return &schema{Type: []string{"string"}, Pattern: pattern}
}

func oneWordOf(words ...string) *schema {
	s := ofType("string")
	for _, w := range words {
		s.Enum = append(s.Enum, w)
	}
	return s
}

func intFrom(least, most int) *schema {
	return &schema{Type: []string{"integer"}, Minimum: &least, Maximum: &most}
}

// help says what a field is for, and what holds without it.
func (s *schema) help(text string) *schema {
	s.Description = text
	return s
}

// absent says which value holds where the field is left out.
func (s *schema) absent(value any) *schema {
	s.Default = value
	return s
}

// orNull lets a field be there without a value, which is the same as absent.
func (s *schema) orNull() {
	if len(s.AnyOf) > 0 {
		s.AnyOf = append(s.AnyOf, ofType("null"))
		return
	}
	if !slices.Contains(s.Type, "null") {
		s.Type = append(s.Type, "null")
	}
	if len(s.Enum) > 0 {
		s.Enum = append(s.Enum, nil)
	}
}

// optional makes orNull of all fields but those that are required.
func optional(s *schema) *schema {
	for name, field := range s.Properties {
		if !slices.Contains(s.Required, name) {
			field.orNull()
		}
	}
	return s
}
