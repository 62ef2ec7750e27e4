// Package syntax applies the rules that a stage declares for the syntax of a
// content: how its Sections are separated, and which names are inside leaves. It
// knows white space and JSON. Everything else, such as XML or TOML, comes from
// the declaration, which docs/authoring.md describes.
//
// Packages tree, find and printer declare the interfaces that Language and Syntax
// implement.
package syntax
