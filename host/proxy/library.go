package proxy

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/mcpctl/mcpctl/host/flow"
)

// LibraryPrefix begins the URI of a prompt of the project. While a session has prompts
// of the project, no resource of a server is listed under such a URI.
const LibraryPrefix = "mcpctl://prompts/"

// promptMIME is the MIME type of a prompt's text.
const promptMIME = "text/markdown"

// Library holds the prompts of projects. A session with controllers, or of a project
// with prompts, lists them all as resources after those of the servers, in the order of
// List, because the instructions have no room for all of them.
//
// Package host/prompt implements it. Implementations are safe for concurrent use.
type Library interface {
	// List returns one object of resources/list for each prompt that is visible in the
	// scope's project, except system prompts:
	// {"uri":"mcpctl://prompts/NAME","name":"NAME","description":SUMMARY,"mimeType":"text/markdown"}.
	// It does not block.
	List(scope flow.Scope) []json.RawMessage

	// Read returns the name and the text of the prompt with this URI. Links are resolved.
	// The session runs the project's filters and stages over it as over a prompt of that
	// name.
	//
	// Errors: abi.ErrNotFound; abi.ErrUnavailable with a text that is fit for a client.
	Read(ctx context.Context, scope flow.Scope, uri string) (name string, text []byte, err error)

	// Rules returns the names of the prompts that every session of the scope's project
	// must have and that no gate sends, so that they belong in the instructions. It does
	// not block.
	Rules(scope flow.Scope) []string
}

// isLibraryURI reports whether a URI is reserved for prompts of projects. Schemes are
// case-insensitive.
func isLibraryURI(uri string) bool {
	return len(uri) >= len(LibraryPrefix) && strings.EqualFold(uri[:len(LibraryPrefix)], LibraryPrefix)
}
