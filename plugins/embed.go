// Package plugins holds the module of the built-in stages. Its sources are the
// Go module in src; make plugins builds dist/builtin.wasm from them.
package plugins

import _ "embed"

// Builtin is the module of the built-in stages, with its manifest.
//
//go:embed dist/builtin.wasm
var Builtin []byte
