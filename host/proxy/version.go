package proxy

import (
	"slices"

	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
)

// versions are the supported protocol versions, the newest first.
var versions = []string{"2025-11-25", "2025-06-18", "2025-03-26"}

// statelessVersion is the protocol version without sessions, which is not supported.
// Clients that try it first fall back to a version that the error lists.
const statelessVersion = "2026-07-28"

// negotiate returns the version for a client that requests one.
func negotiate(requested string) string {
	if slices.Contains(versions, requested) {
		return requested
	}
	return versions[0]
}

// unsupportedVersion returns an error that lists the supported versions.
func unsupportedVersion(requested string) *jsonrpc.Error {
	e := jsonrpc.Errorf(codeUnsupported, "protocol version %q is not supported", requested)
	var supported [][]byte
	for _, v := range versions {
		supported = append(supported, jsonedit.Quote(v))
	}
	e.Data = jsonedit.Object(jsonedit.Raw("supported", jsonedit.Array(supported...)), jsonedit.String("requested", requested))
	return e
}

// isStateless reports whether a message uses the version without sessions.
func isStateless(msg jsonrpc.Message, header string) bool {
	return header == statelessVersion || msg.Method == "server/discover"
}
