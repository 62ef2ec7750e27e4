package controller

import (
	"iter"
	"strings"
	"unsafe"

	"github.com/mcpctl/mcpctl/sdk-go/internal/raw"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// Prompt is a prompt of the project, without its text.
type Prompt struct {
	Name       string
	Project    string
	Priority   int // 1 to 10; prompts of priority 10 are always sent
	Summary    string
	Chapters   []string
	Bytes      int    // size of the stored text
	Hash       string // hash of the stored text; empty for a link that was not read
	Link       string // project/server:uri if the prompt is a link
	LinkStatus string // alive, dead or unknown; empty without a link
	Ref        string // for OpenContent and Section; empty until the body was first read
}

// Prompts iterates over the visible prompts by descending priority and then by name.
// System prompts are not included. To look at a few of many, use PromptList.
func (c *Ctx) Prompts() iter.Seq[Prompt] {
	return func(yield func(Prompt) bool) {
		l, err := c.PromptList()
		if err != nil {
			return
		}
		defer l.b.Free()
		for page := range l.Pages() {
			text, start := strings.Clone(page.Text), l.record(0).number(fieldName)
			for i := range page.Len() {
				if !yield(l.prompt(l.record(i), text, start)) {
					return
				}
			}
		}
	}
}

// PromptList is a snapshot of the visible prompts, in the order of Prompts. It stays in
// the host: a controller reads single prompts, or searches all of them page by page.
// With 10,000 prompts that takes a tenth of the time of Prompts.
type PromptList struct {
	b             stage.Buf
	n, size       int // of the records
	one           [raw.PromptRecordSize]byte
	page          PromptPage
	records, text []byte // of the page
	project       string // of the last prompt; usually all have the same
	projectAt     [2]int
}

// PromptList returns a snapshot of the visible prompts.
//
// Errors: Denied without the capability session, Limit.
func (c *Ctx) PromptList() (*PromptList, error) {
	b, err := c.handle(raw.PromptRecords())
	if err != nil {
		return nil, err
	}
	l := &PromptList{b: b}
	head := make(promptRecord, recordsAt)
	if _, err := b.ReadAt(head, 0); err != nil {
		return nil, err
	}
	l.n, l.size = head.number(0), head.number(1)
	return l, nil
}

// Len returns the number of prompts.
func (l *PromptList) Len() int { return l.n }

// At returns a prompt by position. Its texts are copies.
func (l *PromptList) At(i int) Prompt {
	r := promptRecord(l.one[:])
	if _, err := l.b.ReadAt(r, int64(recordsAt+i*l.size)); err != nil {
		return Prompt{}
	}
	start, end := r.number(fieldName), r.number(fieldChapters+1)
	return l.prompt(r, l.read(start, end), start)
}

// Name returns the name of a prompt by position.
func (l *PromptList) Name(i int) string {
	r := promptRecord(l.one[:8])
	if _, err := l.b.ReadAt(r, int64(recordsAt+i*l.size)); err != nil {
		return ""
	}
	return l.read(r.number(fieldName), r.number(fieldName+1))
}

// read returns a copy of a part of the list.
func (l *PromptList) read(start, end int) string {
	if end <= start {
		return ""
	}
	p := make([]byte, end-start)
	if _, err := l.b.ReadAt(p, int64(start)); err != nil {
		return ""
	}
	return unsafe.String(unsafe.SliceData(p), len(p))
}

// prompt returns the prompt of a record. Its lines are in a text that starts at an offset
// of the list.
func (l *PromptList) prompt(r promptRecord, text string, start int) Prompt {
	if at := [2]int{r.number(fieldProject), r.number(fieldProject + 1)}; at != l.projectAt {
		l.project, l.projectAt = l.read(at[0], at[1]), at
	}
	return Prompt{
		Name: r.cut(text, start, fieldName), Summary: r.cut(text, start, fieldSummary), Chapters: lines(r.cut(text, start, fieldChapters)),
		Project: l.project, Priority: r.number(fieldPriority), Bytes: r.number(fieldBytes), Hash: r.hash(),
		Link: l.read(r.number(fieldLink), r.number(fieldLink+1)), Ref: l.read(r.number(fieldRef), r.number(fieldRef+1)),
		LinkStatus: r.linkStatus(),
	}
}

// lines splits a text at its line feeds.
func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// PromptPage has consecutive prompts of a list. It is valid until the next page is
// read.
type PromptPage struct {
	First      int    // position of the first prompt
	Text       string // for each prompt a line with its name, one with its summary, and one for each chapter
	Starts     []int  // the offset in Text of each prompt's lines, and the end of Text
	Priorities []int
}

// Len returns the number of prompts on the page.
func (p *PromptPage) Len() int { return len(p.Priorities) }

// Name returns the name of the i-th prompt of the page, which is a part of Text.
func (p *PromptPage) Name(i int) string {
	name, _, _ := strings.Cut(p.Text[p.Starts[i]:p.Starts[i+1]], "\n")
	return name
}

// perPage is the number of prompts of a page: about 32 KB, in memory that the next page
// reuses.
const perPage = 128

// Pages iterates over all prompts in pages.
func (l *PromptList) Pages() iter.Seq[*PromptPage] {
	return func(yield func(*PromptPage) bool) {
		for first := 0; first < l.n; first += perPage {
			if !l.readPage(first) || !yield(&l.page) {
				return
			}
		}
	}
}

// readPage reads the page that starts with a prompt.
func (l *PromptList) readPage(first int) bool {
	n := min(perPage, l.n-first)
	l.records = resize(l.records, n*l.size)
	if _, err := l.b.ReadAt(l.records, int64(recordsAt+first*l.size)); err != nil {
		return false
	}
	start := l.record(0).number(fieldName)
	end := l.record(n-1).number(fieldChapters+1) + 1
	l.text = resize(l.text, max(0, end-start))
	if _, err := l.b.ReadAt(l.text, int64(start)); err != nil {
		return false
	}
	p := &l.page
	p.First, p.Text = first, unsafe.String(unsafe.SliceData(l.text), len(l.text))
	p.Starts, p.Priorities = p.Starts[:0], p.Priorities[:0]
	for i := range n {
		r := l.record(i)
		p.Starts, p.Priorities = append(p.Starts, r.number(fieldName)-start), append(p.Priorities, r.number(fieldPriority))
	}
	p.Starts = append(p.Starts, len(p.Text))
	return true
}

// record returns a record of the current page.
func (l *PromptList) record(i int) promptRecord {
	return l.records[i*l.size : i*l.size+raw.PromptRecordSize]
}

// resize returns n bytes, from p if its capacity is sufficient. A new slice is a little
// larger, so that a slightly longer page does not need another one.
func resize(p []byte, n int) []byte {
	if n <= cap(p) {
		return p[:n]
	}
	return make([]byte, n, n+n/4)
}
