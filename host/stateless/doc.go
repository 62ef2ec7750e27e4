// Package stateless reads and writes the parts of MCP 2026-07-28, the protocol version
// without sessions, that earlier versions do not have: the metadata of a request, the HTTP
// headers that repeat parts of its body, and the members that every result must have.
//
// It is pure: package proxy keeps the state and serves the requests.
package stateless

// Version is the protocol version that this package describes.
const Version = "2026-07-28"

// Codes of JSON-RPC errors that the version defines.
const (
	CodeHeaderMismatch     = -32020
	CodeMissingCapability  = -32021
	CodeUnsupportedVersion = -32022
)
