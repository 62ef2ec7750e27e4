package controller

import (
	"unsafe"

	"github.com/mcpctl/mcpctl/sdk-go/internal/entry"
	"github.com/mcpctl/mcpctl/sdk-go/internal/raw"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// Out is the output of a hook: the answer, or a text block before or after the
// result. It is an io.Writer and an io.StringWriter.
//
// Errors: Limit beyond Limits.OutputBytes, or 64 KiB for all blocks together. The hook
// then fails, unless it passes and only the answer was too long. Unsupported for a
// closed block.
type Out struct {
	target int32
	block  int // number of the block
	at     *place
}

// place is the current target of output and the number of blocks.
type place struct {
	target int32
	block  int
	blocks int
}

// Before opens a new text block before the result. Opening another block or writing
// the answer closes it.
//
// Errors: Unsupported outside the call hooks, Limit beyond 16 blocks.
func (c *Ctx) Before() (Out, error) { return c.open(raw.OutBefore) }

// After opens a new text block after the result; see Before.
func (c *Ctx) After() (Out, error) { return c.open(raw.OutAfter) }

func (c *Ctx) open(target int32) (Out, error) {
	at := c.Answer.at
	if err := entry.Check(raw.OutTo(target)); err != nil {
		return Out{}, err
	}
	at.blocks++
	at.target, at.block = target, at.blocks
	return Out{target, at.blocks, at}, nil
}

// makeTarget makes o the target of the host's output.
func (o Out) makeTarget() error {
	switch {
	case o.at == nil:
		return stage.Unsupported
	case o.block == o.at.block && o.target == o.at.target:
		return nil
	case o.target != raw.OutAnswer:
		return &stage.Error{Code: stage.Unsupported, Text: "block is closed: another one was opened, or the answer written"}
	}
	o.at.target, o.at.block = o.target, o.block
	return entry.Check(raw.OutTo(o.target))
}

// Write appends p.
func (o Out) Write(p []byte) (int, error) {
	return o.WriteString(unsafe.String(unsafe.SliceData(p), len(p)))
}

// WriteString appends s.
func (o Out) WriteString(s string) (int, error) {
	if err := o.makeTarget(); err != nil {
		return 0, err
	}
	if err := entry.Check(raw.OutWrite(s)); err != nil {
		return 0, err
	}
	return len(s), nil
}

// Span appends n bytes of b (-1: to the end) from off on, without copying them
// through the guest.
func (o Out) Span(b stage.Buf, off, n int) error {
	if err := o.makeTarget(); err != nil {
		return err
	}
	return entry.Check(raw.OutSpan(entry.ID(b), word(off), word(n)))
}

// Kind is the kind of an answer. Kinds can be joined with |.
type Kind int32

// The kinds.
const (
	WholeResult Kind = Kind(raw.OutResult)  // the answer is a whole result object in JSON, not text
	IsError     Kind = Kind(raw.OutIsError) // the answer is an error of the tool
	Stages      Kind = Kind(raw.OutStages)  // the answer is sent through the project's stages
)

// AnswerIs sets the kind of the answer. The default is text that is not sent through
// the stages.
//
// Errors: Unsupported outside the call hooks.
func (c *Ctx) AnswerIs(k Kind) error { return entry.Check(raw.OutKind(int32(k))) }

// Refuse answers the call with an error of the tool, which the model reads.
//
//	return c.Refuse("tags is missing: name 5 keywords of your task")
func (c *Ctx) Refuse(text string) error {
	if err := c.AnswerIs(IsError); err != nil {
		return err
	}
	_, err := c.Answer.WriteString(text)
	return err
}

// word returns v as a number of the ABI. A value that does not fit becomes one that
// every import refuses.
func word(v int) int32 {
	if v != int(int32(v)) {
		return -1 << 31
	}
	return int32(v)
}
