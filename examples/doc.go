// Package examples contains plugins to read and to copy. Each directory of stages and
// controllers is complete in itself, with a manifest, tests and a README. The
// directories that mcpctl create stage writes have the same structure.
package examples
