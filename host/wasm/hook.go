package wasm

import (
	"bytes"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/wasm/fault"
)

// hook is one run of a controller: what it was asked, and what it wants to change
// so far, none of which is in force.
type hook struct {
	abi.HookCall
	state   stateWrites
	tools   toolEdits
	blocks  blocks
	kind    int32 // flags of out_kind
	rewrite *abi.CallRewrite
	notes   []abi.Note
}

// blocks are the texts beside a result.
type blocks struct {
	all   []block
	open  bool // output goes to the last of them
	bytes int
	fault error // why the hook fails: one was to be longer, or there was to be one more
}

type block struct {
	after bool
	text  []byte
}

// inBlock reports whether output goes to a block; a stage has none.
func (h *hook) inBlock() bool { return h != nil && h.blocks.open }

// writeBlock appends to the block that is open.
func (r *run) writeBlock(text []byte) int32 {
	b := &r.hook.blocks
	if b.bytes+len(text) > abi.LimitBlockBytes {
		b.fault = fault.New(abi.ErrLimit, "blocks over %s bytes", fault.Group(abi.LimitBlockBytes))
		return r.refuse(abi.CodeLimit, "%v", b.fault)
	}
	b.bytes += len(text)
	last := &b.all[len(b.all)-1]
	last.text = append(last.text, text...)
	return 0
}

// side gives the blocks of one side that hold anything.
func (b *blocks) side(after bool) [][]byte {
	var texts [][]byte
	for _, block := range b.all {
		if block.after == after && len(block.text) > 0 {
			texts = append(texts, block.text)
		}
	}
	return texts
}

// outcome is what a hook leaves that said DONE or PASS.
func (h *hook) outcome(r *run, done bool) (abi.HookOutput, error) {
	out := abi.HookOutput{Meta: r.meta.values}
	if err := h.answer(r, done, &out); err != nil {
		return abi.HookOutput{}, err
	}
	if err := h.takeBlocks(&out); err != nil {
		return abi.HookOutput{}, err
	}
	out.State = h.state.written
	out.Hidden, out.Patches, out.Tools = h.tools.hidden, h.tools.patches, h.tools.added
	out.Notes = h.notes
	if !out.Done {
		out.Rewrite = h.rewrite
	}
	return out, nil
}

// answer takes the output of a hook in which DONE means something: elsewhere it is
// a PASS.
func (h *hook) answer(r *run, done bool, out *abi.HookOutput) (err error) {
	hook := h.Context.Hook
	if !done || hook != abi.OnInitialize && !isCall(hook) {
		return nil
	}
	r.out.wrote = r.out.wrote || hook == abi.OnInitialize // which may add nothing
	text, err := r.out.whole()
	if err != nil {
		return err
	}
	out.Done, out.Answer = true, text
	out.Whole, out.Error, out.Stages = h.kind&abi.OutResult != 0, h.kind&abi.OutIsError != 0, h.kind&abi.OutStages != 0
	if !out.Whole {
		return nil
	}
	if why := notAResult(text); why != "" {
		return fault.New(abi.ErrGuest, "answer is not a tool result: %s", why)
	}
	out.Answer = oneLine(bytes.TrimSpace(text))
	return nil
}

func (h *hook) takeBlocks(out *abi.HookOutput) error {
	if h.blocks.fault != nil {
		return h.blocks.fault
	}
	for i, b := range h.blocks.all {
		if at := notUTF8(b.text); at >= 0 {
			return fault.New(abi.ErrGuest, "block %d is not UTF-8 at byte %d", i+1, at)
		}
	}
	out.Before, out.After = h.blocks.side(false), h.blocks.side(true)
	return nil
}

// isCall tells the two hooks of a tools/call from the others.
func isCall(h abi.Hook) bool { return h == abi.OnToolCall || h == abi.OnToolResult }
