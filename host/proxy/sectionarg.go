package proxy

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
)

// sectionArg is the argument of any tool that asks for a part of its result. It
// is in no schema and no server ever sees it.
const sectionArg = "_section"

// Bounds of what a session knows of the Originals of its calls.
const (
	maxStored     = 256 // calls
	maxStoredRefs = 64  // of one call
)

// takeSection takes the argument _section out of the call.
func (c *call) takeSection() (section string, asked bool, err error) {
	if _, asked = c.args.Get(sectionArg); !asked {
		return "", false, nil
	}
	if section, err = sectionText(c.args, sectionArg); err != nil {
		return "", false, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "arguments: %v", err)
	}
	c.args.Delete(sectionArg)
	return section, true, nil
}

// readStored serves a section from the newest Originals of the same call, if
// one was asked for and they are still there. A section that they do not have
// is answered by their index.
func (s *Session) readStored(ctx context.Context, t target, c call, section string, asked bool) (abi.Reply, bool) {
	if !asked {
		return abi.Reply{}, false
	}
	refs := s.stored.get(t, c.args)
	for _, ref := range refs {
		if a := s.e.Reader.Read(ctx, s.scope, ref, section); !a.IsError {
			return answerResult(a), true
		}
	}
	for _, ref := range refs {
		if a := s.e.Reader.Read(ctx, s.scope, ref, ""); !a.IsError {
			a.Text = append(fmt.Appendf(nil, "content changed: no section %q here now\n", section), a.Text...)
			return answerResult(a), true
		}
	}
	return abi.Reply{}, false
}

// storedCalls remembers which Originals the last results of calls became. Safe
// for concurrent use; the zero value is empty.
type storedCalls struct {
	mu    sync.Mutex
	refs  map[[sha256.Size]byte][]string
	order [][sha256.Size]byte // oldest first
}

func (s *storedCalls) get(t target, args jsonrpc.Object) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refs[callKey(t, args)]
}

// put records the newest result of a call. One that left no Original changes
// nothing.
func (s *storedCalls) put(t target, args jsonrpc.Object, refs []string) {
	if len(refs) == 0 {
		return
	}
	key := callKey(t, args)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refs == nil {
		s.refs = make(map[[sha256.Size]byte][]string)
	}
	if _, known := s.refs[key]; !known {
		if len(s.order) == maxStored {
			delete(s.refs, s.order[0])
			s.order = s.order[1:]
		}
		s.order = append(s.order, key)
	}
	s.refs[key] = slices.Clone(refs[:min(len(refs), maxStoredRefs)])
}

// callKey is equal for calls of one tool with the same arguments in any order.
func callKey(t target, args jsonrpc.Object) [sha256.Size]byte {
	fields := slices.Clone(args.Fields())
	slices.SortFunc(fields, func(x, y jsonrpc.Field) int { return strings.Compare(x.Name, y.Name) })
	b := append(quoted(t.server), quoted(t.name)...)
	for _, f := range fields {
		b = append(append(append(b, quoted(f.Name)...), ':'), f.Value...)
	}
	return sha256.Sum256(b)
}
