package proxy

import (
	"slices"

	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// versions are the protocol versions that have sessions as we serve them, the
// newest first.
var versions = []string{"2025-11-25", "2025-06-18", "2025-03-26"}

// stateless is the version without sessions. Clients that try it first fall
// back when they are told what we speak.
const stateless = "2026-07-28"

// agreed is the version for a client that asks for another one.
func agreed(asked string) string {
	if slices.Contains(versions, asked) {
		return asked
	}
	return versions[0]
}

// unsupported tells a client which versions we speak.
func unsupported(asked string) *jsonrpc.Error {
	e := jsonrpc.Errorf(codeUnsupported, "protocol version %q is not supported", asked)
	e.Data = append(e.Data, `{"supported":[`...)
	for i, v := range versions {
		if i > 0 {
			e.Data = append(e.Data, ',')
		}
		e.Data = jsonspan.AppendQuote(e.Data, []byte(v))
	}
	e.Data = jsonspan.AppendQuote(append(e.Data, `],"requested":`...), []byte(asked))
	e.Data = append(e.Data, '}')
	return e
}

// isStateless reports whether a message belongs to the version without sessions.
func isStateless(msg jsonrpc.Message, header string) bool {
	return header == stateless || msg.Method == "server/discover"
}
