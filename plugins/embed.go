// Package plugins embeds the modules of the built-in stages and controllers. Their
// sources are the Go module in src; make plugins builds the files in dist from them.
package plugins

import _ "embed"

// Builtin is the module of the built-in stages, with its manifest.
//
//go:embed dist/builtin.wasm
var Builtin []byte

// Controllers is the module of the built-in controllers, with its manifest.
//
//go:embed dist/controllers.wasm
var Controllers []byte
