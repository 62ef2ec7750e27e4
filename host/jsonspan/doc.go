// Package jsonspan reads JSON as spans of bytes: where a value starts, where it
// ends, what its children are. Nothing is decoded unless asked for, so numbers,
// escapes, key order and duplicate keys stay what they were.
//
// Valid and Scan check; Children and Lookup walk a value that was checked;
// Unquote and AppendQuote turn a string literal into text and back. There is no
// recursion anywhere: a document of any depth costs one bit per open container.
//
// It does not build trees, does not parse numbers and does not format.
package jsonspan
