package controller

import (
	"unsafe"

	"github.com/mcpctl/mcpctl/sdk-go/internal/entry"
	"github.com/mcpctl/mcpctl/sdk-go/internal/raw"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// Out is where a hook writes: the answer, or a block beside the result. It is an
// io.Writer and an io.StringWriter.
//
// Errors: Limit beyond Limits.OutputBytes, of all blocks together 64 KiB; a hook
// that answers then fails, one that wrote blocks even if it passes. Unsupported for
// a block that is closed.
type Out struct {
	target int32
	block  int // number of the block
	at     *place
}

// place is where the host puts output now, and how many blocks there are.
type place struct {
	target int32
	block  int
	blocks int
}

// Before opens a new text block before the result. It is closed once another one is
// opened or Answer is written.
//
// Errors: Unsupported out of the call hooks, Limit beyond 16 blocks.
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

// here makes the host write to o.
func (o Out) here() error {
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
	if err := o.here(); err != nil {
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
	if err := o.here(); err != nil {
		return err
	}
	return entry.Check(raw.OutSpan(entry.ID(b), word(off), word(n)))
}

// Kind says what Answer is; kinds are joined by |.
type Kind int32

// The kinds.
const (
	WholeResult Kind = Kind(raw.OutResult)  // Answer is a whole result object in JSON, not text
	IsError     Kind = Kind(raw.OutIsError) // the answer is a failure of the tool
	Stages      Kind = Kind(raw.OutStages)  // the answer goes through the project's stages
)

// AnswerIs says what Answer is; without it, text that no stage sees.
//
// Errors: Unsupported out of the call hooks.
func (c *Ctx) AnswerIs(k Kind) error { return entry.Check(raw.OutKind(int32(k))) }

// Refuse makes the answer of a call an error of the tool, for the model to read.
//
//	return c.Refuse("tags is missing: name 5 keywords of your task")
func (c *Ctx) Refuse(text string) error {
	if err := c.AnswerIs(IsError); err != nil {
		return err
	}
	_, err := c.Answer.WriteString(text)
	return err
}

// word is v as the ABI takes it. What does not fit becomes a value that every
// import refuses.
func word(v int) int32 {
	if v != int(int32(v)) {
		return -1 << 31
	}
	return int32(v)
}
