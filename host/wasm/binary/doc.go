// Package binary reads and writes the binary format of WebAssembly: sections, types and
// instructions. It is the only decoder of the host.
//
// Reader decodes numbers and names, Sections splits a file, and Instruction is one
// instruction with its immediates. The package does not validate a module.
package binary
