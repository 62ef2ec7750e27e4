package controller

import (
	"context"
	"slices"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// ListTools runs on_tools_list in chain order and returns the edited list. Each
// controller sees the edits of the previous ones. Virtual tools come first, in the
// order in which they were added. Virtual tools of earlier listings follow, hidden:
// they can still be called.
//
// reason is "list" or "lookup".
func (s *Session) ListTools(ctx context.Context, reason string, tools []flow.ListedTool) ([]flow.ListedTool, flow.Effects) {
	var fx flow.Effects
	c, kept := s.chain(ctx), s.Virtual()
	if len(c.members) == 0 && len(kept) == 0 {
		return tools, fx
	}
	l := &listing{tools: slices.Concat(kept, tools)}
	input := reasonInput(reason)
	for i := range c.members {
		r, ran := s.runHook(ctx, c, i, hookInput{hook: abi.OnToolsList, input: input, original: input, tools: l.toolset()})
		if ran {
			addEffects(&fx, &r)
			l.edit(c.members[i].Role.Name, &r.out)
		}
	}
	return l.tools, fx
}

func reasonInput(reason string) []byte {
	return append(jsonspan.AppendQuote([]byte(`{"reason":`), []byte(reason)), '}')
}

// listing is a list of tools that controllers edit.
type listing struct {
	tools []flow.ListedTool
	added int // tools[:added] were added in this listing
}

func (l *listing) toolset() *toolset {
	return &toolset{all: l.tools, loaded: true}
}

// edit applies the edits of a hook: additions, then hidden tools, then patches.
func (l *listing) edit(role string, out *abi.HookOutput) {
	for _, v := range out.Tools {
		l.add(flow.ListedTool{Label: v.Name, Wire: v.Name, Kind: abi.ToolVirtual, Owner: role, Definition: v.Definition})
	}
	set := l.toolset()
	for _, name := range out.Hidden {
		if t := set.find(name); t != nil {
			t.Hidden = true
		}
	}
	for _, p := range out.Patches {
		if t := set.find(p.Tool); t != nil {
			t.Definition = patchTool(t.Definition, p.Patch)
		}
	}
}

// add inserts a virtual tool after the ones added before, or replaces a virtual tool
// of the same name.
func (l *listing) add(t flow.ListedTool) {
	at := slices.IndexFunc(l.tools, func(o flow.ListedTool) bool { return o.Kind == abi.ToolVirtual && o.Label == t.Label })
	if at >= 0 && at < l.added {
		l.tools[at] = t
		return
	}
	if at >= 0 {
		l.tools = slices.Delete(l.tools, at, at+1)
	}
	l.tools = slices.Insert(l.tools, l.added, t)
	l.added++
}

// maxPatchDepth is the maximum nesting of a merge patch; it bounds recursion.
const maxPatchDepth = 128

// checkEdits validates the patches and the rewrite of a hook, so that applying them
// cannot fail.
//
// Errors: abi.ErrConfig, abi.ErrNotFound.
func checkEdits(out *abi.HookOutput, q *hookInput) error {
	for _, p := range out.Patches {
		if _, err := jsonspan.Scan(p.Patch, 0, jsonspan.Rules{MaxDepth: maxPatchDepth}); err != nil {
			return faultf(abi.ErrConfig, "patches %.80q: %v", p.Tool, err)
		}
	}
	if out.Done || out.Rewrite == nil {
		return nil
	}
	switch t := q.tools.find(out.Rewrite.Tool); {
	case t == nil:
		return faultf(abi.ErrNotFound, "routes the call to %.80q: no such tool", out.Rewrite.Tool)
	case t.Kind != abi.ToolUpstream:
		return faultf(abi.ErrConfig, "routes the call to %.80q, which is no tool of a server", out.Rewrite.Tool)
	}
	return nil
}
