package proxy

import (
	"context"
	"fmt"
	"slices"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/proxy/names"
	"github.com/mcpctl/mcpctl/host/proxy/result"
	"github.com/mcpctl/mcpctl/host/proxy/view"
)

// sectionArg is the argument of any tool that requests a section of its result. It
// is in no schema, and servers never get it.
const sectionArg = "_section"

// Reader serves stored Originals.
//
// Implementations are safe for concurrent use.
type Reader interface {
	// Read answers read_section. An unknown ref or section is an Answer with IsError.
	Read(ctx context.Context, scope flow.Scope, ref, section string) flow.Answer
	// Touch keeps an Original from expiring and reports whether it is stored.
	Touch(scope flow.Scope, ref string) bool
	// Store stores a Content over which no pipeline runs, so that Read can serve a part of
	// it.
	view.Store
}

// sections serves sections of stored results to one session.
type sections struct {
	reader Reader
	scope  flow.Scope
	stored storedCalls
}

// sectionText returns a section given as an argument. A number is a position.
func sectionText(args jsonrpc.Object, name string) (string, error) {
	raw, ok := args.Get(name)
	if !ok {
		return "", nil
	}
	switch kind := jsonspan.KindAt(raw, 0); kind {
	case jsonspan.Null:
		return "", nil
	case jsonspan.Number:
		return string(raw), nil
	case jsonspan.String:
		text, _ := args.Text(name)
		return text, nil
	default:
		return "", fmt.Errorf("%q is of kind %s, want text", name, kind)
	}
}

// read answers a call of read_section. Neither hooks nor stages see it.
func (s *sections) read(ctx context.Context, args jsonrpc.Object) flow.Reply {
	ref, ok := args.Text("ref")
	if !ok || ref == "" {
		return result.Text("read_section needs a ref, the 16 characters that an index named", true)
	}
	section, err := sectionText(args, "section")
	if err != nil {
		return result.Text("read_section: "+err.Error(), true)
	}
	return result.Answer(s.reader.Read(ctx, s.scope, ref, section))
}

// has reports whether the call requests a section, and the Original of an earlier
// call with the same arguments is still stored.
func (s *sections) has(to names.Target, c call) bool {
	return c.asked && slices.ContainsFunc(s.stored.get(to, c.args).refs, func(ref string) bool {
		return s.reader.Touch(s.scope, ref)
	})
}

// record records the Originals of the newest result of a call.
func (s *sections) record(to names.Target, c call, refs []string) { s.stored.put(to, c.args, refs) }

// find returns the section that the call requests, from its newest Originals. If
// the call requests none, or no Original is stored, it returns whole, the complete
// result.
func (s *sections) find(ctx context.Context, to names.Target, c call, whole flow.Reply) (reply flow.Reply, isSection bool) {
	if !c.asked {
		return whole, false
	}
	stored := s.stored.get(to, c.args)
	for _, ref := range stored.refs {
		if a := s.reader.Read(ctx, s.scope, ref, c.section); !a.IsError {
			return result.Answer(a), true
		}
	}
	var expired flow.Answer
	for _, ref := range stored.refs {
		index := s.reader.Read(ctx, s.scope, ref, "")
		if index.IsError {
			expired = index
			continue
		}
		unknown := s.reader.Read(ctx, s.scope, ref, c.section)
		return result.Answer(noSection(c.section, unknown, index, stored.changed)), true
	}
	if whole.Result == nil && whole.Error == nil { // the Originals were removed after has
		return result.Answer(expired), true
	}
	return whole, false
}

// noSection returns the answer for a section that none of the Originals has: the same as
// read_section, or the index if the section may belong to an earlier result of the call.
// An Original without an index is never shown with a note in it.
func noSection(section string, unknown, index flow.Answer, changed bool) flow.Answer {
	if !changed {
		return unknown
	}
	note := fmt.Appendf(nil, "content changed: no section %q here now\n", section)
	if index.Meta.Kind != flow.AnswerIndex {
		index = unknown
	}
	index.Text = append(note, index.Text...)
	return index
}
