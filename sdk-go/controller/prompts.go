package controller

import (
	"iter"
	"unsafe"

	"github.com/mcpctl/mcpctl/sdk-go/internal/raw"
)

// Prompt is a prompt of the project, without its text.
type Prompt struct {
	Name       string
	Project    string
	Priority   int // 1 to 10; 10 is always sent
	Summary    string
	Chapters   []string
	Bytes      int    // of the stored text
	Hash       string // of the stored text
	Link       string // project/server:uri, of a prompt that is a link
	LinkStatus string // alive, dead, unknown; empty without a link
	Ref        string // for OpenContent and Section; empty until the body was read once
}

// Prompts goes through the visible prompts, the most important first, those of one
// priority by name. System prompts are not among them. The texts of a Prompt are
// valid during the call only.
func (c *Ctx) Prompts() iter.Seq[Prompt] {
	return func(yield func(Prompt) bool) {
		b, err := c.handle(raw.Prompts())
		if err != nil {
			return
		}
		list := b.Bytes()
		b.Free()
		eachPrompt(unsafe.String(unsafe.SliceData(list), len(list)), yield)
	}
}

// eachPrompt reads the array that the host gives: of a project with thousands of
// prompts one import for each field would be most of the work. Where the text is
// not as it should be, it ends.
func eachPrompt(list string, yield func(Prompt) bool) {
	s := scanner{text: list}
	s.array(func() bool {
		var p Prompt
		return s.object(func(key string) bool { return p.read(&s, key) }) && yield(p)
	})
}

// read takes the value of a key.
func (p *Prompt) read(s *scanner, key string) bool {
	switch key {
	case "name":
		return s.string(&p.Name)
	case "project":
		return s.string(&p.Project)
	case "priority":
		return s.int(&p.Priority)
	case "summary":
		return s.string(&p.Summary)
	case "chapters":
		return s.strings(&p.Chapters)
	case "bytes":
		return s.int(&p.Bytes)
	case "hash":
		return s.string(&p.Hash)
	case "link":
		return s.string(&p.Link)
	case "linkStatus":
		return s.string(&p.LinkStatus)
	case "ref":
		return s.string(&p.Ref)
	}
	return s.skip()
}
