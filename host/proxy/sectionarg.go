package proxy

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
	"github.com/mcpctl/mcpctl/host/proxy/names"
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
func (c *call) takeSection() error {
	if _, ok := c.args.Get(sectionArg); !ok {
		return nil
	}
	section, err := sectionText(c.args, sectionArg)
	if err != nil {
		return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "arguments: %v", err)
	}
	c.args.Delete(sectionArg)
	c.section, c.asked = section, true
	return nil
}

// readStored serves a section from the newest Originals of the same call, if
// one was asked for and they are still there.
func (s *Session) readStored(ctx context.Context, t names.Target, c call) (flow.Reply, bool) {
	if !c.asked {
		return flow.Reply{}, false
	}
	stored := s.stored.get(t, c.args)
	for _, ref := range stored.refs {
		if a := s.e.Reader.Read(ctx, s.scope, ref, c.section); !a.IsError {
			return answerResult(a), true
		}
	}
	for _, ref := range stored.refs {
		index := s.e.Reader.Read(ctx, s.scope, ref, "")
		if index.IsError {
			continue // it has expired
		}
		unknown := s.e.Reader.Read(ctx, s.scope, ref, c.section)
		return answerResult(noSection(c.section, unknown, index, stored.changed)), true
	}
	return flow.Reply{}, false
}

// noSection answers for a section that is in none of the Originals: as
// read_section does, or by the index if the section may have been one of an
// earlier result of the call. An Original that has no index is never shown with
// a word of ours in it.
func noSection(section string, unknown, index flow.Answer, changed bool) flow.Answer {
	if !changed {
		return unknown
	}
	said := fmt.Appendf(nil, "content changed: no section %q here now\n", section)
	if index.Meta.Kind != flow.AnswerIndex {
		index = unknown
	}
	index.Text = append(said, index.Text...)
	return index
}

// storedCalls remembers which Originals the last results of calls became. Safe
// for concurrent use; the zero value is empty.
type storedCalls struct {
	mu    sync.Mutex
	calls map[[sha256.Size]byte]storedCall
	order [][sha256.Size]byte // oldest first
}

// storedCall is what one call became.
type storedCall struct {
	refs    []string
	changed bool // an earlier result of the call was another
}

func (s *storedCalls) get(t names.Target, args jsonrpc.Object) storedCall {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[callKey(t, args)]
}

// put records the newest result of a call. One that left no Original changes
// nothing.
func (s *storedCalls) put(t names.Target, args jsonrpc.Object, refs []string) {
	if len(refs) == 0 {
		return
	}
	key := callKey(t, args)
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
func callKey(t names.Target, args jsonrpc.Object) [sha256.Size]byte {
	fields := slices.Clone(args.Fields())
	slices.SortFunc(fields, func(x, y jsonrpc.Field) int { return strings.Compare(x.Name, y.Name) })
	b := append(jsonedit.Quote(t.Server), jsonedit.Quote(t.Name)...)
	for _, f := range fields {
		b = append(append(append(b, jsonedit.Quote(f.Name)...), ':'), f.Value...)
	}
	return sha256.Sum256(b)
}
