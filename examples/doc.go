// Package examples holds plugins to read and to copy. Each folder of stages and of
// controllers is complete in itself, a Go module with a manifest, tests and a
// README; what mcpctl create stage writes has the same shape.
package examples
