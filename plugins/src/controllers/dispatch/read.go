package dispatch

import (
	"bytes"
	"cmp"
	"errors"
	"strconv"

	"github.com/mcpctl/mcpctl/plugins/src/internal/argument"
	"github.com/mcpctl/mcpctl/plugins/src/internal/jsontext"
	"github.com/mcpctl/mcpctl/plugins/src/internal/textlines"
	"github.com/mcpctl/mcpctl/sdk-go/controller"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// maxLines is the largest line number and number of lines that an op accepts.
const maxLines = 1_000_000

// reader reads one stored result.
type reader struct {
	c    *controller.Ctx
	args *argument.Reader
	ref  string
	b    stage.Buf
}

// readResult handles the action readresult. Its answer is never stored and replaced by a
// ref; content that does not fit is cut or refused.
func readResult(c *controller.Ctx, args *argument.Reader) error {
	op := args.Word("op", "stat", "stat", "head", "tail", "slice", "grep", "read")
	ref := cmp.Or(args.Text("resultFile", ""), args.Text("ref", ""))
	if ref == "" {
		args.Fail("resultFile is missing: want one of an earlier answer")
	}
	if args.Problem() != "" {
		return c.Refuse(args.Problem())
	}
	b, err := c.OpenContent(ref)
	if errors.Is(err, stage.NotFound) {
		return c.Refuse(describeUnknownRef("resultFile", ref))
	}
	if err != nil {
		return err
	}
	r := &reader{c, args, ref, b}
	do := map[string]func() error{"stat": r.stat, "head": r.head, "tail": r.tail, "slice": r.slice, "grep": r.grep, "read": r.writeAll}[op]
	return do()
}

// stat answers with the size of the content in bytes, lines and estimated tokens.
func (r *reader) stat() error {
	var o jsontext.Object
	o.Text("action", "readresult")
	o.Text("op", "stat")
	o.Text("resultFile", r.ref)
	o.Int("byteSize", r.b.Len())
	o.Int("lineCount", textlines.Count(r.b))
	o.Int("estimatedTokens", r.b.Tokens(0, -1))
	_, err := r.c.Answer.WriteString(o.String())
	return err
}

func (r *reader) head() error {
	n := r.args.Int("lines", 50, 1, maxLines)
	return r.writeLines(1, n)
}

// tail answers with the last lines. If they do not fit, it answers with their last
// maxAnswer bytes, so the first line may be incomplete.
func (r *reader) tail() error {
	n := r.args.Int("lines", 50, 1, maxLines)
	if r.args.Problem() != "" {
		return r.c.Refuse(r.args.Problem())
	}
	size := r.b.Len()
	from := r.charEnd(max(0, size-maxAnswer))
	text := make([]byte, size-from)
	_, _ = r.b.ReadAt(text, int64(from))
	start := len(text)
	for ; n > 0 && start > 0; n-- {
		start = 1 + bytes.LastIndexByte(text[:start-1], '\n')
	}
	return r.write(stage.Span{Start: from + start, End: size})
}

func (r *reader) slice() error {
	from := r.args.Int("fromLine", 0, 1, maxLines)
	if from == 0 {
		r.args.Fail("fromLine is missing, want a line from 1 on")
	}
	to := r.args.Int("toLine", from+49, 1, maxLines)
	if to < from {
		r.args.Fail("toLine " + strconv.Itoa(to) + " is before fromLine " + strconv.Itoa(from))
	}
	return r.writeLines(from, to)
}

// writeLines answers with the lines from to to, both included, cut to maxAnswer bytes.
// The first line is 1.
func (r *reader) writeLines(from, to int) error {
	if r.args.Problem() != "" {
		return r.c.Refuse(r.args.Problem())
	}
	start, ok := textlines.Start(r.b, from)
	if !ok {
		return r.c.Refuse("fromLine " + strconv.Itoa(from) + " is behind the end, there are " + strconv.Itoa(textlines.Count(r.b)) + " lines")
	}
	end, ok := textlines.Start(r.b, to+1)
	if !ok {
		end = r.b.Len()
	}
	if end-start > maxAnswer {
		end = r.charStart(start + maxAnswer)
	}
	return r.write(stage.Span{Start: start, End: end})
}

// writeAll answers with the first maxBytes bytes. Without maxBytes it answers with the
// whole content, and refuses if that does not fit.
func (r *reader) writeAll() error {
	most := r.args.Int("maxBytes", 0, 0, maxThreshold)
	if r.args.Problem() != "" {
		return r.c.Refuse(r.args.Problem())
	}
	size, limit := r.b.Len(), r.c.Limits().OutputBytes
	if most == 0 && size > limit {
		return r.c.Refuse(strconv.Itoa(size) + " bytes are more than an answer may have, " + strconv.Itoa(limit) + ": set maxBytes, or use op slice or grep")
	}
	if most == 0 || most > size {
		most = size
	}
	most = min(most, limit)
	return r.write(stage.Span{Start: 0, End: r.charStart(most)})
}

// write answers with the exact bytes of a span, and adds a note if the span is not the
// whole content.
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

// charStart moves an offset back to the start of its UTF-8 character.
func (r *reader) charStart(at int) int {
	for ; at > 0 && at < r.b.Len() && r.isInsideChar(at); at-- {
	}
	return at
}

// charEnd moves an offset forward to the start of the next UTF-8 character, unless it is
// at one.
func (r *reader) charEnd(at int) int {
	for ; at < r.b.Len() && r.isInsideChar(at); at++ {
	}
	return at
}

// isInsideChar reports whether the byte at an offset continues a UTF-8 character.
func (r *reader) isInsideChar(at int) bool {
	var c [1]byte
	_, _ = r.b.ReadAt(c[:], int64(at))
	return c[0]&0xC0 == 0x80
}
