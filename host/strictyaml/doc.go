// Package strictyaml decodes YAML strictly: unknown fields, duplicate keys, wrong
// types and excessive sizes are errors. All errors of a file are reported at once,
// each with its position, the source line and a suggestion for misspelt names.
//
// Parse turns a file into Documents, trees of Values that keep their positions.
// A Reader reads a tree through Mappings, and collects Errors. AppendYAML and
// Value.MarshalJSON print a tree.
//
// The package does not know any kind of object and never expands ${VAR}. Values
// that may be credentials are masked in the source lines that errors show.
package strictyaml
