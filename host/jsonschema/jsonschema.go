// Package jsonschema builds the JSON Schemas that editors use to check the files of
// mcpctl. It contains the part of JSON Schema draft-07 that these files need.
package jsonschema

import (
	"encoding/json"
	"slices"
)

// File is one schema file.
type File struct {
	Name string // "proxymodel.json"
	Text []byte
}

// Schema is a JSON Schema. Maps are printed in sorted order, so equal Schemas have equal
// texts.
type Schema struct {
	Schema      string `json:"$schema,omitempty"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	Default     any    `json:"default,omitempty"`

	Type  []string  `json:"type,omitempty"`
	Enum  []any     `json:"enum,omitempty"`
	AnyOf []*Schema `json:"anyOf,omitempty"`

	Properties    map[string]*Schema `json:"properties,omitempty"`
	Required      []string           `json:"required,omitempty"`
	PropertyNames *Schema            `json:"propertyNames,omitempty"`
	Additional    any                `json:"additionalProperties,omitempty"` // false or a *Schema

	Items    *Schema `json:"items,omitempty"`
	MinItems int     `json:"minItems,omitempty"`
	MaxItems int     `json:"maxItems,omitempty"`
	Unique   bool    `json:"uniqueItems,omitempty"`

	Pattern   string `json:"pattern,omitempty"`
	MaxLength int    `json:"maxLength,omitempty"`
	Minimum   *int   `json:"minimum,omitempty"`
	Maximum   *int   `json:"maximum,omitempty"`
}

// Text returns the schema as a file with a title.
func (s *Schema) Text(title string) []byte {
	s.Schema, s.Title = "http://json-schema.org/draft-07/schema#", title
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		panic(err) // the fields always encode
	}
	return append(b, '\n')
}

// Props are the fields of a mapping.
type Props map[string]*Schema

// Mapping returns the schema of a mapping with these fields and no others.
func Mapping(p Props, required ...string) *Schema {
	return &Schema{Type: []string{"object"}, Properties: p, Required: required, Additional: false}
}

// AnyMapping returns the schema of a mapping with any fields.
func AnyMapping() *Schema { return &Schema{Type: []string{"object"}} }

// MapOf returns the schema of a mapping whose names match a pattern.
func MapOf(names string, values *Schema) *Schema {
	return &Schema{Type: []string{"object"}, PropertyNames: &Schema{Pattern: names}, Additional: values}
}

// ListOf returns the schema of a list.
func ListOf(items *Schema) *Schema { return &Schema{Type: []string{"array"}, Items: items} }

// OfType returns the schema of a value that has one of several types.
func OfType(types ...string) *Schema { return &Schema{Type: types} }

// Matching returns the schema of a string that matches a pattern.
func Matching(pattern string) *Schema {
	return &Schema{Type: []string{"string"}, Pattern: pattern}
}

// OneOf returns the schema of a string that is one of words.
func OneOf(words ...string) *Schema {
	s := OfType("string")
	for _, w := range words {
		s.Enum = append(s.Enum, w)
	}
	return s
}

// IntFrom returns the schema of an integer from least to most.
func IntFrom(least, most int) *Schema {
	return &Schema{Type: []string{"integer"}, Minimum: &least, Maximum: &most}
}

// Patterns of the quantities that package strictyaml reads.
const (
	patternBytes    = `^\+?[0-9]+\s*(KiB|MiB|GiB)?$`
	patternDuration = `^[+-]?(0|(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$`
)

// Duration returns the schema of a strictyaml.Duration.
func Duration() *Schema {
	zero := 0
	return &Schema{AnyOf: []*Schema{Matching(patternDuration), {Type: []string{"integer"}, Minimum: &zero, Maximum: &zero}}}
}

// Bytes returns the schema of a strictyaml.Bytes.
func Bytes() *Schema {
	zero := 0
	return &Schema{AnyOf: []*Schema{Matching(patternBytes), {Type: []string{"integer"}, Minimum: &zero}}}
}

// Help sets the description of a field.
func (s *Schema) Help(text string) *Schema {
	s.Description = text
	return s
}

// Absent sets the value that an absent field has.
func (s *Schema) Absent(value any) *Schema {
	s.Default = value
	return s
}

// AllowNull allows null, which counts as absent.
func (s *Schema) AllowNull() {
	if len(s.AnyOf) > 0 {
		s.AnyOf = append(s.AnyOf, OfType("null"))
		return
	}
	if !slices.Contains(s.Type, "null") {
		s.Type = append(s.Type, "null")
	}
	if len(s.Enum) > 0 {
		s.Enum = append(s.Enum, nil)
	}
}

// Nullable allows null for all fields that are not required.
func Nullable(s *Schema) *Schema {
	for name, field := range s.Properties {
		if !slices.Contains(s.Required, name) {
			field.AllowNull()
		}
	}
	return s
}
