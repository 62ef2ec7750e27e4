// Package syntax applies the rules that a stage declares for the syntax of a content:
// how its Sections are separated, and which names and elements are in them. It knows
// white space and JSON. Everything else, such as XML or TOML, comes from the
// declaration, which docs/authoring.md describes.
//
// Parse returns the Syntaxes of a declaration. A stage is not trusted: the methods of a
// Syntax take time in proportion to the text, whatever was declared.
package syntax
