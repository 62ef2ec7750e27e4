package controller

import (
	"iter"
	"strings"
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
	if !s.eat('[') || s.eat(']') {
		return
	}
	for {
		p, end := s.usualPrompt()
		if end > 0 {
			s.at = end
		} else if p = (Prompt{}); !p.read(&s) {
			return
		}
		if !yield(p) || !s.eat(',') {
			return
		}
	}
}

// The fields of a prompt, in the order in which the host writes them.
const (
	promptName = iota
	promptProject
	promptPriority
	promptSummary
	promptChapters
	promptBytes
	promptHash
	promptLink
	promptLinkStatus
	promptRef
	promptOther
)

var promptKeys = [promptOther]string{`"name":`, `,"project":`, `,"priority":`, `,"summary":`, `,"chapters":`, `,"bytes":`, `,"hash":`, `,"link":`, `,"linkStatus":`, `,"ref":`}

// read takes one prompt, however it is written.
func (p *Prompt) read(s *scanner) bool {
	return s.object(func(key string) bool { return p.value(s, promptField(key)) })
}

// promptField is the field of a key.
func promptField(key string) int {
	for i, k := range promptKeys {
		if strings.Trim(k, `,":`) == key {
			return i
		}
	}
	return promptOther
}

// value takes the value of a field.
func (p *Prompt) value(s *scanner, field int) bool {
	switch field {
	case promptPriority:
		return s.int(&p.Priority)
	case promptBytes:
		return s.int(&p.Bytes)
	case promptChapters:
		return s.strings(&p.Chapters)
	case promptOther:
		return s.skip()
	}
	return s.string(p.text(field))
}

// text is the field that a string belongs to.
func (p *Prompt) text(field int) *string {
	return [...]*string{
		promptName: &p.Name, promptProject: &p.Project, promptSummary: &p.Summary, promptHash: &p.Hash,
		promptLink: &p.Link, promptLinkStatus: &p.LinkStatus, promptRef: &p.Ref,
	}[field]
}

// usualPrompt reads a prompt that is written as the host does it: all fields in
// order, no blanks. Of another one the end is 0.
//
// It does no more than object, but without a call for each token: in a guest a call
// costs as much as some ten bytes looked at, and a list of thousands half as much
// in this way.
func (s *scanner) usualPrompt() (p Prompt, end int) {
	text, at := s.text, s.at
	if at == len(text) || text[at] != '{' {
		return p, 0
	}
	at++
	for field, key := range promptKeys {
		if at+len(key) >= len(text) {
			return p, 0
		}
		for i := 0; i < len(key); i++ {
			if text[at+i] != key[i] {
				return p, 0
			}
		}
		at += len(key)
		switch field {
		case promptPriority, promptBytes:
			n, end := usualInt(text, at)
			if end == at {
				return p, 0
			}
			if at = end; field == promptPriority {
				p.Priority = n
			} else {
				p.Bytes = n
			}
		case promptChapters:
			if p.Chapters, at = s.usualStrings(at); at == 0 {
				return p, 0
			}
		default:
			if text[at] != '"' {
				return p, 0
			}
			from := at + 1
			if field == promptSummary || field == promptHash { // long enough for a search to be worth its call
				at = from + strings.IndexByte(text[from:], '"')
				if at < from {
					return p, 0
				}
				if i := strings.IndexByte(text[from:at], '\\'); i >= 0 {
					at = from + i
				}
			} else {
				at = from
				for at < len(text) && text[at] != '"' && text[at] != '\\' {
					at++
				}
				if at == len(text) {
					return p, 0
				}
			}
			v := text[from:at]
			if text[at] == '\\' {
				if v, at = s.decoded(from, at); at == 0 {
					return p, 0
				}
			}
			at++
			switch field {
			case promptName:
				p.Name = v
			case promptProject:
				p.Project = v
			case promptSummary:
				p.Summary = v
			case promptHash:
				p.Hash = v
			case promptLink:
				p.Link = v
			case promptLinkStatus:
				p.LinkStatus = v
			case promptRef:
				p.Ref = v
			}
		}
	}
	if at == len(text) || text[at] != '}' {
		return p, 0
	}
	return p, at + 1
}

// usualInt reads up to ten digits.
func usualInt(text string, at int) (n, end int) {
	for end = at; end < len(text) && text[end]-'0' < 10 && end-at < 10; end++ {
		n = n*10 + int(text[end]-'0')
	}
	return n, end
}

// usualStrings reads an array of strings in the same way. The strings of many
// arrays share memory.
func (s *scanner) usualStrings(at int) (list []string, end int) {
	text, all := s.text, s.lists
	if text[at] != '[' {
		return nil, 0
	}
	if cap(all)-len(all) < 16 {
		all = make([]string, 0, 512)
	}
	from := len(all)
	for at++; at < len(text) && text[at] == '"'; {
		start := at + 1
		at = start
		for at < len(text) && text[at] != '"' && text[at] != '\\' {
			at++
		}
		if at+1 >= len(text) || text[at] == '\\' {
			return nil, 0
		}
		all = append(all, text[start:at])
		if at++; text[at] == ']' {
			break
		}
		if text[at] != ',' {
			return nil, 0
		}
		at++
	}
	if at == len(text) || text[at] != ']' || text[at-1] == ',' {
		return nil, 0
	}
	s.lists = all
	return all[from:len(all):len(all)], at + 1
}

// decoded is a literal from a byte on whose first escape is at another; end is its
// quote, 0 if there is none.
func (s *scanner) decoded(from, at int) (text string, end int) {
	before := s.at
	s.at = at
	text, ok := s.escaped(from)
	end = s.at - 1
	if s.at = before; !ok {
		return "", 0
	}
	return text, end
}
