// Package jsonspan reads JSON as spans of bytes: the start and end of a value and of its
// children. It decodes only strings, on request, so that numbers, escapes, key order and
// duplicate keys are preserved.
//
// Valid and Scan check a text; Children and Lookup walk a checked value; Unquote and
// AppendQuote decode and encode string literals. Nothing is recursive: a document of any
// depth needs one bit per open container.
//
// The package does not build trees, parse numbers or format.
package jsonspan
