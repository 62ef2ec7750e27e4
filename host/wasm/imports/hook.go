package imports

import (
	"bytes"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
)

// hook is one call of a controller: its input, and the changes so far, none of which
// is in effect.
type hook struct {
	*abi.HookCall
	state   stateChanges
	tools   toolEdits
	blocks  blocks
	flags   int32 // of out_kind
	rewrite *abi.CallRewrite
	notes   []abi.Note
}

// context returns the content of buffer 3. limits and role are those of the call.
func (h *hook) context(call abi.Context) abi.HookContext {
	x := h.Context
	x.ABI, x.Role, x.RoleIndex, x.Kind, x.Limits = call.ABI, call.Role, call.RoleIndex, call.Kind, call.Limits
	if x.Result != nil && x.Result.Contents == nil {
		result := *x.Result
		result.Contents = []abi.HookContent{} // a list for guests, never null
		x.Result = &result
	}
	return x
}

// blocks are the texts before and after a result.
type blocks struct {
	all   []block
	open  bool // output is written to the last block
	bytes int
	err   error // a limit was exceeded, so the hook fails
}

type block struct {
	after bool
	text  []byte
}

// add begins a block.
func (b *blocks) add(after bool) error {
	if len(b.all) >= abi.LimitBlocks {
		b.err = fault.New(abi.ErrLimit, "%d blocks, limit %d", len(b.all)+1, abi.LimitBlocks)
		return b.err
	}
	b.open = true
	b.all = append(b.all, block{after: after})
	return nil
}

// write appends to the last block.
func (b *blocks) write(text []byte) error {
	if b.bytes+len(text) > abi.LimitBlockBytes {
		b.err = fault.New(abi.ErrLimit, "blocks over %s bytes", fault.Group(abi.LimitBlockBytes))
		return b.err
	}
	b.bytes += len(text)
	last := &b.all[len(b.all)-1]
	last.text = append(last.text, text...)
	return nil
}

// finish returns the blocks that are not empty.
func (b *blocks) finish() (before, after [][]byte, err error) {
	if b.err != nil {
		return nil, nil, b.err
	}
	for i, block := range b.all {
		switch at := invalidUTF8(block.text); {
		case at >= 0:
			return nil, nil, fault.New(abi.ErrGuest, "block %d is not UTF-8 at byte %d", i+1, at)
		case len(block.text) == 0:
		case block.after:
			after = append(after, block.text)
		default:
			before = append(before, block.text)
		}
	}
	return before, after, nil
}

// outcome returns the result of a hook that returned DONE or PASS.
func (h *hook) outcome(out *output, done bool) (abi.HookOutput, error) {
	var result abi.HookOutput
	if err := h.takeAnswer(out, done, &result); err != nil {
		return abi.HookOutput{}, err
	}
	var err error
	if result.Before, result.After, err = h.blocks.finish(); err != nil {
		return abi.HookOutput{}, err
	}
	result.State = h.state.written
	result.Hidden, result.Patches, result.Tools = h.tools.hidden, h.tools.patches, h.tools.added
	result.Notes = h.notes
	if !result.Done {
		result.Rewrite = h.rewrite
	}
	return result, nil
}

// takeAnswer uses the output of a hook for which DONE has a meaning. In other hooks
// DONE is like PASS.
func (h *hook) takeAnswer(out *output, done bool, result *abi.HookOutput) error {
	name := h.Context.Hook
	if !done || name != abi.OnInitialize && !isCallHook(name) {
		return nil
	}
	out.written = out.written || name == abi.OnInitialize // which may add nothing
	text, err := out.finish()
	if err != nil {
		return err
	}
	result.Done, result.Answer = true, text
	result.Whole, result.Error, result.Stages = h.flags&abi.OutResult != 0, h.flags&abi.OutIsError != 0, h.flags&abi.OutStages != 0
	if !result.Whole {
		return nil
	}
	if why := checkToolResult(text); why != "" {
		return fault.New(abi.ErrGuest, "answer is not a tool result: %s", why)
	}
	result.Answer = joinLines(bytes.TrimSpace(text))
	return nil
}

// isCallHook reports whether a hook belongs to a tools/call.
func isCallHook(h abi.Hook) bool { return h == abi.OnToolCall || h == abi.OnToolResult }
