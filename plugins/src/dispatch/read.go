package dispatch

import (
	"errors"
	"strconv"

	"github.com/mcpctl/mcpctl/plugins/src/internal/argument"
	"github.com/mcpctl/mcpctl/plugins/src/internal/jsontext"
	"github.com/mcpctl/mcpctl/sdk-go/controller"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// maxLines is how many lines an op may ask for.
const maxLines = 1_000_000

// reader reads one stored result.
type reader struct {
	c    *controller.Ctx
	args *argument.Reader
	ref  string
	b    stage.Buf
}

// read answers the action readresult: always with what was asked for, never with a
// ref to it, whatever its size.
func read(c *controller.Ctx, args *argument.Reader) error {
	op := args.Word("op", "stat", "stat", "head", "tail", "slice", "grep", "read")
	ref := args.Text("resultFile", "")
	if ref == "" {
		args.Wrong("resultFile is missing: want one of an earlier answer")
	}
	if args.Problem() != "" {
		return c.Fail(args.Problem())
	}
	b, err := c.OpenContent(ref)
	if errors.Is(err, stage.NotFound) {
		return c.Fail(unknownRef("resultFile", ref))
	}
	if err != nil {
		return err
	}
	r := &reader{c, args, ref, b}
	do := map[string]func() error{"stat": r.stat, "head": r.head, "tail": r.tail, "slice": r.slice, "grep": r.grep, "read": r.whole}[op]
	return do()
}

// stat tells how large the content is.
func (r *reader) stat() error {
	var o jsontext.Object
	o.Text("action", "readresult")
	o.Text("op", "stat")
	o.Text("resultFile", r.ref)
	o.Int("byteSize", r.b.Len())
	o.Int("lineCount", r.countLines())
	o.Int("estimatedTokens", r.b.Tokens(0, -1))
	_, err := r.c.Answer.WriteString(o.String())
	return err
}

func (r *reader) countLines() (n int) {
	for range r.b.Lines(0) {
		n++
	}
	return n
}

func (r *reader) head() error {
	n := r.args.Int("lines", 50, 1, maxLines)
	return r.lines(1, n, false)
}

func (r *reader) tail() error {
	n := r.args.Int("lines", 50, 1, maxLines)
	all := r.countLines()
	return r.lines(max(1, all-n+1), all, true)
}

func (r *reader) slice() error {
	from := r.args.Int("fromLine", 0, 1, maxLines)
	if from == 0 {
		r.args.Wrong("fromLine is missing, want a line from 1 on")
	}
	to := r.args.Int("toLine", from+49, 1, maxLines)
	if to < from {
		r.args.Wrong("toLine " + strconv.Itoa(to) + " is before fromLine " + strconv.Itoa(from))
	}
	return r.lines(from, to, false)
}

// lines answers with lines, the first of which is 1. Of more than fit, the last are
// kept if they are the end of the text.
func (r *reader) lines(from, to int, end bool) error {
	if r.args.Problem() != "" {
		return r.c.Fail(r.args.Problem())
	}
	at, last := stage.Span{Start: r.b.Len(), End: r.b.Len()}, 0
	for line := range r.b.Lines(0) {
		if last++; last == from {
			at.Start = line.Start
		}
		if at.End = line.End; last == to {
			break
		}
	}
	if from > max(last, 1) {
		return r.c.Fail("fromLine " + strconv.Itoa(from) + " is behind the end, there are " + strconv.Itoa(last) + " lines")
	}
	return r.span(at, end)
}

// whole answers with all, or the first bytes.
func (r *reader) whole() error {
	most := r.args.Int("maxBytes", 0, 0, maxThreshold)
	if r.args.Problem() != "" {
		return r.c.Fail(r.args.Problem())
	}
	size, limit := r.b.Len(), r.c.Limits().OutputBytes
	if most == 0 && size > limit {
		return r.c.Fail(strconv.Itoa(size) + " bytes are more than an answer may have, " + strconv.Itoa(limit) + ": set maxBytes, or use op slice or grep")
	}
	if most == 0 || most > size {
		most = size
	}
	most = min(most, limit)
	return r.write(stage.Span{Start: 0, End: r.back(most)})
}

// span answers with as much of a span as fits, in lines if it can be.
func (r *reader) span(at stage.Span, end bool) error {
	switch {
	case at.Len() <= maxAnswer:
	case end:
		at.Start = r.ahead(at.End - maxAnswer)
	default:
		at.End = r.back(at.Start + maxAnswer)
	}
	return r.write(at)
}

// write answers with the exact bytes of a span and says behind them if that is not all.
func (r *reader) write(at stage.Span) error {
	if err := r.c.Answer.Span(r.b, at.Start, at.Len()); err != nil {
		return err
	}
	if at.Len() == r.b.Len() {
		return nil
	}
	note, err := r.c.After()
	if err != nil {
		return err
	}
	_, err = note.WriteString("bytes " + strconv.Itoa(at.Start) + " to " + strconv.Itoa(at.End) + " of " + strconv.Itoa(r.b.Len()))
	return err
}

// back is the offset, or the start of the character there.
func (r *reader) back(at int) int {
	for ; at > 0 && at < r.b.Len() && r.inside(at); at-- {
	}
	return at
}

// ahead is the offset, or the end of the character there.
func (r *reader) ahead(at int) int {
	for ; at < r.b.Len() && r.inside(at); at++ {
	}
	return at
}

// inside reports whether an offset is in the middle of a character.
func (r *reader) inside(at int) bool {
	var c [1]byte
	_, _ = r.b.ReadAt(c[:], int64(at))
	return c[0]&0xC0 == 0x80
}
