// Package random is a stage that calls random imports and writes their results. The same
// code runs as a guest and natively over the same call, and both must write the same
// (abi/sdk_test.go).
package random

import (
	"errors"
	"strconv"

	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

func init() { stage.Register("random", run) }

// walk is the state of one run: the random numbers and the Bufs so far.
type walk struct {
	c     *stage.Ctx
	state uint64
	bufs  []stage.Buf
}

// fixed is the number of Bufs at the start.
const fixed = 5

var steps = []func(w *walk, b stage.Buf){
	(*walk).view, (*walk).get, (*walk).get, (*walk).literal, (*walk).children, (*walk).numbers,
	(*walk).add, (*walk).add, (*walk).add, (*walk).add, (*walk).add, (*walk).group, (*walk).derived, (*walk).batch, (*walk).batch,
	(*walk).name, (*walk).text, (*walk).grep, (*walk).lines, (*walk).figures,
	(*walk).write, (*walk).mark, (*walk).meta, (*walk).free, (*walk).put,
}

func run(c *stage.Ctx) error {
	w := &walk{c: c, state: uint64(c.Int("seed", 1))*2654435761 + 88172645463325252}
	w.bufs = []stage.Buf{c.Input, c.Original, c.Config, c.Context, {}}
	for range c.Int("steps", 60) {
		b := w.bufs[w.dice(len(w.bufs))]
		if w.dice(3) == 0 {
			b = w.bufs[w.dice(2)]
		}
		steps[w.dice(len(steps))](w, b)
	}
	for _, s := range c.Sections.List() {
		w.say("section", s.Parent, int(s.Kind), s.Start, s.End, s.Depth, s.Children, s.HasSummary)
	}
	return nil
}

// dice returns a random number below n (xorshift).
func (w *walk) dice(n int) int {
	w.state ^= w.state << 13
	w.state ^= w.state >> 7
	w.state ^= w.state << 17
	return int(w.state % uint64(n))
}

// offset returns an offset in a buffer of n bytes, or sometimes just outside.
func (w *walk) offset(n int) int {
	switch w.dice(12) {
	case 0:
		return -1
	case 1:
		return n + 1
	case 2:
		return n
	}
	return w.dice(n + 1)
}

func (w *walk) inside(n int) int { return min(max(w.offset(n), 0), n) }

func pick[T any](w *walk, list []T) T { return list[w.dice(len(list))] }

// section returns the position of a Section, or sometimes an invalid one.
func (w *walk) section() int { return w.dice(w.c.Sections.Len()+3) - 1 }

// say writes a line.
func (w *walk) say(values ...any) {
	line := ""
	for _, v := range values {
		switch v := v.(type) {
		case string:
			line += v
		case int:
			line += strconv.Itoa(v)
		case bool:
			line += strconv.FormatBool(v)
		case stage.Span:
			line += strconv.Itoa(v.Start) + "-" + strconv.Itoa(v.End)
		case nil:
			line += "ok"
		case error:
			var e *stage.Error
			if errors.As(v, &e) {
				line += strconv.Itoa(int(e.Code))
			}
		}
		line += " "
	}
	w.c.Out.WriteString(line + "\n")
}

// keep stores a Buf that an import returned.
func (w *walk) keep(what string, b stage.Buf, err error) {
	w.say(what, err, b.String())
	if err == nil {
		w.bufs = append(w.bufs, b)
	}
}

var (
	pointers = []string{"", "/a", "/b", "/s", "/a/0", "/a/1", "/o/x", "/o", "/none", "/a/01", "x", "/s/q", "/n", "/f", "/t", "/z", "/dup", "/~0", "/é", "/deep/0/0/0"}
	texts    = []string{"", "Setup", "setup", "***", "Füße & Ü", "a/b", "\xff", "x y z", "a\u202eb", "k//////////////////////////////"}
	patterns = []string{"a", "[0-9]+", "", "(", "^.", "é*", `\b`, "a{2,1000}", "\n", `"`}
)

func (w *walk) view(b stage.Buf) {
	v, err := b.View(w.offset(b.Len()), w.offset(b.Len()))
	w.keep("view", v, err)
}

func (w *walk) get(b stage.Buf) {
	v, err := b.JSON().Get(pick(w, pointers))
	w.keep("get", v, err)
}

func (w *walk) literal(b stage.Buf) {
	at, kind, err := b.JSON().Span(pick(w, pointers))
	w.say("span", at, int(kind), err)
	if err == nil {
		v, err := b.JSON().Text(at)
		w.keep("text", v, err)
	}
}

func (w *walk) children(b stage.Buf) {
	p := pick(w, pointers)
	n, err := b.JSON().Len(p)
	w.say("children", p, n, err)
	for i, child := range b.JSON().Each(p) {
		w.say(i, child.Key, child.Value)
	}
}

func (w *walk) numbers(b stage.Buf) {
	p := pick(w, pointers)
	i, errInt := b.JSON().Int(p)
	f, errFloat := b.JSON().Float(p)
	w.say("numbers", p, int(i), errInt, strconv.FormatFloat(f, 'g', -1, 64), errFloat)
}

func (w *walk) add(b stage.Buf) {
	start, end := w.offset(b.Len()), w.offset(b.Len())
	if start > end && w.dice(5) > 0 {
		start, end = end, start
	}
	i, err := w.c.Sections.Add(w.section(), b, start, end, pick(w, texts))
	w.say("add", start, end, i, err)
}

func (w *walk) group(stage.Buf) {
	i, err := w.c.Sections.Group(w.section(), pick(w, texts))
	w.say("group", i, err)
}

func (w *walk) derived(stage.Buf) {
	i, err := w.c.Sections.Derived(w.section(), pick(w, texts), pick(w, texts))
	w.say("derived", i, err)
}

func (w *walk) batch(b stage.Buf) {
	batch := w.c.Sections.Batch()
	for range w.dice(4) {
		if w.dice(3) == 0 {
			i, err := batch.Group(w.section(), pick(w, texts), pick(w, texts))
			w.say("gather", i, err)
			continue
		}
		start := w.offset(b.Len())
		i, err := batch.Add(w.section(), b, start, start+w.dice(9), pick(w, texts), pick(w, texts))
		w.say("gather", start, i, err)
	}
	w.say("batch", batch.Flush())
}

func (w *walk) name(b stage.Buf) {
	s := w.c.Sections
	w.say("name", s.SetID(w.section(), pick(w, texts)), s.SetTitle(w.section(), pick(w, texts)),
		s.SetSummary(w.section(), b, w.offset(b.Len()), w.offset(b.Len())))
}

func (w *walk) text(stage.Buf) {
	v, err := w.c.Sections.Text(w.section(), stage.SectionText(w.dice(5)))
	w.keep("text", v, err)
}

func (w *walk) grep(b stage.Buf) {
	spans, err := b.Grep(w.inside(b.Len()), pick(w, patterns), stage.GrepFlags(w.dice(17)))
	w.say("grep", len(spans), err)
	for _, s := range spans[:min(len(spans), 9)] {
		w.say(s)
	}
}

func (w *walk) lines(b stage.Buf) {
	for s := range b.Lines(w.inside(b.Len())) {
		w.say("line", s)
	}
}

func (w *walk) figures(b stage.Buf) {
	off := w.inside(b.Len())
	sum := b.Hash(off, -1)
	w.say("figures", b.Tokens(off, -1), int(sum[3]), b.FindFrom(off, "e"))
}

func (w *walk) write(b stage.Buf) {
	w.say("write", w.c.Out.Span(b, w.offset(b.Len()), w.offset(b.Len())))
}

func (w *walk) mark(stage.Buf) {
	w.say("mark", w.c.Out.Index(w.section(), w.dice(3), w.dice(3)))
}

func (w *walk) meta(stage.Buf) {
	w.say("meta", w.c.Meta(pick(w, texts), pick(w, texts)))
}

func (w *walk) free(stage.Buf) {
	if n := len(w.bufs); n > fixed {
		i := fixed + w.dice(n-fixed)
		w.bufs[i].Free()
		w.bufs = append(w.bufs[:i], w.bufs[i+1:]...)
	}
}

func (w *walk) put(stage.Buf) {
	v, err := w.c.Put(pick(w, texts))
	w.keep("put", v, err)
}
