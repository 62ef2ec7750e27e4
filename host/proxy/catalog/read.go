package catalog

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
)

// Limits of one list.
const (
	MaxPages = 200
	maxItems = 20_000
)

// Upstream is a server whose lists are read.
type Upstream interface {
	// Capabilities returns the declared capabilities, nil before the first handshake.
	Capabilities() json.RawMessage
	// Instructions returns the declared instructions.
	Instructions() string
	// Ask sends a request that belongs to no client's request.
	Ask(ctx context.Context, method string, params json.RawMessage) (flow.Reply, error)
	// Clean removes the server's secrets from a text.
	Clean(text string) string
}

// ReplyError is a JSON-RPC error that a server answered a list request with.
type ReplyError struct {
	Raw []byte // as the server sent it

	server string
	up     Upstream
	text   string // without the server's secrets
}

func (e *ReplyError) Error() string { return fmt.Sprintf("server %q: %s", e.server, e.text) }

// Clean removes the server's secrets from a text.
func (e *ReplyError) Clean(text string) string { return e.up.Clean(text) }

// ReadList reads a whole list from a server, page by page. A server without the
// capability or the method has an empty list.
//
// Limits: 200 pages and 20,000 objects; the first note reports that the rest is missing.
// Errors: of Upstream.Ask; *ReplyError; abi.ErrLimit for a list of more than maxBytes.
func ReadList(ctx context.Context, server string, up Upstream, k Kind, maxBytes int) (*Listing, error) {
	l := newListing()
	if caps := up.Capabilities(); caps != nil && !jsonedit.Has(caps, k.Capability()) {
		return l, nil
	}
	var params json.RawMessage
	for range MaxPages {
		reply, err := up.Ask(ctx, k.Method(), params)
		if err != nil {
			return nil, err
		}
		if reply.Error != nil {
			remote := jsonrpc.ReadError(reply.Error)
			if len(l.Items) == 0 && remote.Code == jsonrpc.CodeMethodNotFound {
				return l, nil
			}
			return nil, &ReplyError{reply.Error, server, up, up.Clean(remote.Error())}
		}
		if l.Size+len(reply.Result) > maxBytes {
			return nil, fmt.Errorf("server %q: %w", server, &sizeError{k, maxBytes})
		}
		next, err := l.addPage(reply.Result, k)
		if err != nil {
			return nil, fmt.Errorf("%w: server %q: %s: %w", abi.ErrUnavailable, server, k.Method(), err)
		}
		if next == nil || bytes.Equal(next, params) {
			return l, nil
		}
		if len(l.Items) >= maxItems {
			break
		}
		params = next
	}
	l.notes = append([]string{truncationNote(k, len(l.Items))}, l.notes...)
	return l, nil
}

// truncationNote describes a list that was not read to its end.
func truncationNote(k Kind, listed int) string {
	limit := fmt.Sprintf("%d pages", MaxPages)
	if listed >= maxItems {
		limit = fmt.Sprintf("%d entries", maxItems)
	}
	return fmt.Sprintf("its list of %s is longer than the limit of %s: only the first %d are listed", k.Array(), limit, listed)
}
