// Package result finds the parts of a server's result that a model reads, and rebuilds
// the result from the parts as they are shown.
//
// A Layout holds the positions of the parts in one result of tools/call, prompts/get
// or resources/read, or in a JSON-RPC error. Layout.Content returns a part for the
// pipeline; Layout.Rebuild replaces the parts that changed. Everything else stays byte
// for byte, except for keys of _meta that only the host may set. WithBlocks and
// ErrorWithBlocks add texts around a result.
//
// It runs no pipeline: package view does.
package result
