package dispatch

import (
	"strconv"

	"github.com/mcpctl/mcpctl/plugins/src/internal/grep"
	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
	"github.com/mcpctl/mcpctl/plugins/src/internal/passage"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

const (
	maxHits = 1000
	maxLine = 1000 // bytes of a line up to which it is shown whole
	around  = 200  // bytes before and after a match in a longer line
)

// grep answers with the lines that match a pattern, in the format of grep -n: a colon
// follows the number of a matching line, a dash that of a context line. For a long
// line it shows only the text around the match, with its offset after the number.
func (r *reader) grep() error {
	pattern := r.args.Text("pattern", "")
	context := r.args.Int("context", 0, 0, 100)
	if pattern == "" {
		r.args.Fail("pattern is missing")
	}
	if r.args.Problem() != "" {
		return r.c.Refuse(r.args.Problem())
	}
	f := &finder{text: r.b.Bytes()}
	if err := grep.Each(r.b, pattern, stage.IgnoreCase|stage.ByLine, f.visit); err != nil {
		return r.c.Refuse("pattern: " + err.Error())
	}
	if len(f.hits) == 0 {
		_, err := r.c.Answer.WriteString("no line matches")
		return err
	}
	p := &printer{reader: r, text: f.text, context: context, room: maxAnswer}
	shown := p.print(f.hits)
	if p.err == nil && (shown < len(f.hits) || len(f.hits) == maxHits) {
		p.writeNote("the first " + strconv.Itoa(shown) + " matches; there are more, use a narrower pattern")
	}
	return p.err
}

// hit is the text to show for a match: its line or a part of it.
type hit struct {
	stage.Span
	number int // of the line
	whole  bool
}

// finder collects matches in order.
type finder struct {
	text   []byte
	line   stage.Span // the line with the number
	number int
	hits   []hit
}

func (f *finder) visit(m stage.Span) (next int, more bool) {
	if f.number == 0 {
		f.number, f.line.End = 1, lines.End(f.text, 0)
	}
	for f.line.End <= m.Start && f.line.End < len(f.text) {
		f.line = stage.Span{Start: f.line.End, End: lines.End(f.text, f.line.End)}
		f.number++
	}
	h := hit{f.line, f.number, true}
	if h.Len() > maxLine {
		s := passage.Around(f.text, passage.Span{Start: m.Start, End: min(m.End, m.Start+maxLine, f.line.End)}, passage.Lines, around)
		h.Span, h.whole = stage.Span{Start: max(s.Start, f.line.Start), End: min(s.End, f.line.End)}, false
	}
	f.hits = append(f.hits, h)
	return h.End, len(f.hits) < maxHits
}

// printer writes hits and the lines around them.
type printer struct {
	*reader
	text    []byte
	context int
	room    int // bytes
	printed int // end offset of the text written so far
	err     error
}

// print writes hits until room is used up, and returns their number.
func (p *printer) print(hits []hit) int {
	for i, h := range hits {
		if !h.whole {
			p.printSpan(strconv.Itoa(h.number)+"@"+strconv.Itoa(h.Start)+":", h.Start, h.End)
		} else {
			limit := len(p.text)
			if i+1 < len(hits) {
				limit = hits[i+1].Start
			}
			p.printLines(h, limit)
		}
		if p.room < 0 || p.err != nil {
			return i
		}
	}
	return len(hits)
}

// printLines writes a matching line and its context, up to the offset limit of the next hit.
func (p *printer) printLines(h hit, limit int) {
	s := passage.LinesAround(p.text, passage.Span(h.Span), p.context, (p.context+1)*maxLine)
	from, to := max(s.Start, p.printed), max(min(s.End, limit), h.End)
	if p.context > 0 && p.printed > 0 && from > p.printed {
		p.printSpan("--", from, from)
	}
	number := h.number - lines.Count(p.text[min(from, h.Start):h.Start])
	for at := from; at < to; number++ {
		end, mark := min(lines.End(p.text, at), to), "-"
		if at == h.Start {
			mark = ":"
		}
		p.printSpan(strconv.Itoa(number)+mark, at, end)
		at = end
	}
}

// printSpan writes a prefix, a span, and a line end if the span has none.
func (p *printer) printSpan(mark string, start, end int) {
	if p.room -= len(mark) + end - start + 1; p.room < 0 || p.err != nil {
		return
	}
	if _, p.err = p.c.Answer.WriteString(mark); p.err != nil {
		return
	}
	if p.err = p.c.Answer.Span(p.b, start, end-start); p.err != nil {
		return
	}
	if start == end || p.text[end-1] != '\n' {
		_, p.err = p.c.Answer.WriteString("\n")
	}
	p.printed = end
}

func (p *printer) writeNote(text string) {
	note, err := p.c.After()
	if err == nil {
		_, err = note.WriteString(text)
	}
	p.err = err
}
