package controllertest

import (
	"strconv"

	"github.com/mcpctl/mcpctl/sdk-go/controller"
	"github.com/mcpctl/mcpctl/sdk-go/internal/raw"
	"github.com/mcpctl/mcpctl/sdk-go/internal/testhost"
)

// output is the output of a hook: the answer, and blocks before and after the result.
type output struct {
	target     int32 // current target
	answer     []byte
	wrote      bool // to the answer
	full       bool // a write to it was refused
	kind       controller.Kind
	blocks     []block
	blockBytes int
	blockFault string // why the hook fails: too many or too long blocks
}

type block struct {
	target int32
	text   []byte
}

// blocksOf returns the blocks of a target that are not empty.
func (o *output) blocksOf(target int32) []string {
	var texts []string
	for _, b := range o.blocks {
		if b.target == target && len(b.text) > 0 {
			texts = append(texts, string(b.text))
		}
	}
	return texts
}

func (h *host) OutTo(target int32) int32 {
	switch {
	case target < raw.OutAnswer || target > raw.OutAfter:
		return h.Bad("target " + strconv.Itoa(int(target)) + " of output, want 0 to 2")
	case target == raw.OutAnswer:
	case !h.isCall():
		return h.Refuse(raw.CodeUnsupported, "blocks beside a result in "+h.name)
	case len(h.out.blocks) == raw.LimitBlocks:
		h.out.blockFault = "17 blocks, limit 16"
		return h.Refuse(raw.CodeLimit, h.out.blockFault)
	default:
		h.out.blocks = append(h.out.blocks, block{target: target})
	}
	h.out.target = target
	return 0
}

func (h *host) OutKind(flags int32) int32 {
	switch {
	case !h.isCall():
		return h.Refuse(raw.CodeUnsupported, "kind of an answer in "+h.name)
	case flags&^(raw.OutResult|raw.OutIsError|raw.OutStages) != 0:
		return h.Bad("flags " + strconv.Itoa(int(flags)) + " of an answer, want 0 to 7")
	}
	h.out.kind = controller.Kind(flags)
	return 0
}

func (h *host) OutWrite(data string) int32 {
	if h.out.target != raw.OutAnswer {
		return h.writeBlock(data)
	}
	h.out.wrote = true
	if len(h.out.answer)+len(data) > h.limits.OutputBytes {
		h.out.full = true
		return h.Refuse(raw.CodeLimit, "output over "+testhost.Commas(h.limits.OutputBytes)+" bytes")
	}
	h.out.answer = append(h.out.answer, data...)
	return 0
}

func (h *host) writeBlock(data string) int32 {
	if h.out.blockBytes+len(data) > raw.LimitBlockBytes {
		h.out.blockFault = "blocks over " + testhost.Commas(raw.LimitBlockBytes) + " bytes"
		return h.Refuse(raw.CodeLimit, h.out.blockFault)
	}
	h.out.blockBytes += len(data)
	last := &h.out.blocks[len(h.out.blocks)-1]
	last.text = append(last.text, data...)
	return 0
}

func (h *host) OutSpan(buf, off, n int32) int32 {
	p, _, code := h.Span(buf, off, n)
	if code < 0 {
		return code
	}
	return h.OutWrite(string(p))
}

// failure returns the reason of a failed hook, or "".
func (h *host) failure(code int32, done bool) string {
	if why := h.Failure(code); why != "" {
		return why
	}
	if why := h.checkAnswer(); done && why != "" {
		return why
	}
	if h.out.blockFault != "" {
		return h.out.blockFault
	}
	for i, b := range h.out.blocks {
		if why := testhost.CheckUTF8(b.text); why != "" {
			return "block " + strconv.Itoa(i+1) + why[len("output"):]
		}
	}
	return h.s.checkToolCount(h.edits.added)
}

// checkAnswer returns the reason why the output is not a valid answer, or "".
func (h *host) checkAnswer() string {
	switch {
	case h.out.full:
		return "output over " + testhost.Commas(h.limits.OutputBytes) + " bytes (set limits.output)"
	case !h.out.wrote && h.isCall():
		return "returned DONE without output"
	}
	if why := testhost.CheckUTF8(h.out.answer); why != "" {
		return why
	}
	if h.out.kind&controller.WholeResult == 0 {
		return ""
	}
	if why := checkResult(h.out.answer); why != "" {
		return "answer is not a tool result: " + why
	}
	return ""
}
