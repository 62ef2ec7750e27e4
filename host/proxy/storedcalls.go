package proxy

import (
	"crypto/sha256"
	"slices"
	"strings"
	"sync"

	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
	"github.com/mcpctl/mcpctl/host/proxy/names"
)

// Limits of a storedCalls.
const (
	maxStored     = 256 // calls
	maxStoredRefs = 64  // Originals of one call
)

// storedCalls remembers the Originals of the last results of calls. The zero value is
// empty. It is safe for concurrent use.
type storedCalls struct {
	mu    sync.Mutex
	calls map[[sha256.Size]byte]storedCall
	order [][sha256.Size]byte // oldest first
}

// storedCall holds the Originals of one call.
type storedCall struct {
	refs    []string
	changed bool // an earlier result of the call was different
}

func (s *storedCalls) get(to names.Target, args jsonrpc.Object) storedCall {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[callKey(to, args)]
}

// put records the newest result of a call. A result without an Original changes nothing.
func (s *storedCalls) put(to names.Target, args jsonrpc.Object, refs []string) {
	if len(refs) == 0 {
		return
	}
	key := callKey(to, args)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.calls == nil {
		s.calls = make(map[[sha256.Size]byte]storedCall)
	}
	before, known := s.calls[key]
	if !known {
		if len(s.order) == maxStored {
			delete(s.calls, s.order[0])
			s.order = s.order[1:]
		}
		s.order = append(s.order, key)
	}
	refs = slices.Clone(refs[:min(len(refs), maxStoredRefs)])
	s.calls[key] = storedCall{refs, before.changed || known && !slices.Equal(before.refs, refs)}
}

// callKey is equal for calls of one tool with the same arguments in any order.
func callKey(to names.Target, args jsonrpc.Object) [sha256.Size]byte {
	fields := slices.Clone(args.Fields())
	slices.SortFunc(fields, func(x, y jsonrpc.Field) int { return strings.Compare(x.Name, y.Name) })
	b := append(jsonedit.Quote(to.Server), jsonedit.Quote(to.Name)...)
	for _, f := range fields {
		b = append(append(append(b, jsonedit.Quote(f.Name)...), ':'), f.Value...)
	}
	return sha256.Sum256(b)
}
