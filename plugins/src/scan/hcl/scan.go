// Package hcl finds the blocks, attributes and objects of HCL, the language of Terraform,
// Packer and Nomad, as byte spans.
//
// A block is known by its type and labels, resource.aws_instance.web, and includes the
// comments above it. Attributes and the keys of objects are inside. Expressions are
// skipped, not read: strings with templates, heredocs, brackets and comments.
package hcl

import (
	"bytes"
	"slices"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/items"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

// Hints are the extensions and media types of HCL.
const Hints = "tf hcl tfvars tofu nomad terraform text/x-hcl application/hcl application/x-hcl application/x-terraform"

// form is the form of an item.
type form uint8

const (
	block     form = iota // type "label" { }
	attribute             // name = expression
	object                // name = { }
)

// scanner reads a text.
type scanner struct {
	*items.List
	tokens
	infos   []info // by item
	blocks  int    // that other languages do not have
	grouped bool   // the blocks are grouped by their type
	invalid int
	count   int // items and invalid lines
}

// info is what is known about an item besides its span.
type info struct {
	form   form
	labels int8       // of a block
	value  items.Span // of an attribute, up to the end of its line
}

// minItems is the least number of items of a text without a name.
const minItems = 3

// Opens reports whether a text begins like HCL: after comments, with a block. It is no
// proof.
func Opens(b []byte) bool {
	t := tokens{b: b}
	t.skipSpace()
	name := t.word()
	if len(name) == 0 {
		return false
	}
	for {
		t.skipBlanks()
		switch {
		case t.at == len(b):
			return false
		case b[t.at] == '{':
			return true
		case b[t.at] != '"' && !isWordStart(b[t.at]) || !t.skipLabel():
			return false
		}
	}
}

// Scan is the part.Scan of HCL. It refuses a text with a line that is neither an
// attribute nor a block, and a text without blocks; a file with an extension of the type
// may have one such line in 50, no blocks, and may be cut off.
func Scan(b []byte, c part.Clues) (*part.Doc, bool) {
	s := &scanner{List: items.New(b), tokens: tokens{b: b}}
	named := part.HasExtension(c.File, Hints)
	open := s.read(func() bool {
		return c.Forced || named && (s.invalid <= 8 || s.invalid*20 <= s.count) || s.invalid == 0
	})
	switch {
	case c.Forced:
	case !named && (s.invalid > 0 || open || s.blocks == 0 || len(s.Items) < minItems):
		return nil, false
	case s.invalid*50 > s.count:
		return nil, false
	}
	if len(s.Items) == 0 {
		return nil, false
	}
	d := s.Document(s.groups(), s.name)
	d.Count, d.By = s.describe()
	return d, true
}

// read reads the text until more returns false. It reports whether a block or an
// expression is open at the end.
func (s *scanner) read(more func() bool) (open bool) {
	for {
		s.skipSpace()
		if s.at >= len(s.b) || !more() {
			break
		}
		s.readItem()
	}
	open = s.Current() >= 0 || s.unclosed
	s.Finish()
	return open
}

// readItem reads the item, or the mark that closes one, at the offset.
func (s *scanner) readItem() {
	current := s.Current()
	inObject := current >= 0 && s.infos[current].form == object
	switch c := s.b[s.at]; {
	case c == '}' && current >= 0:
		s.closeItem(inObject)
		return
	case c == ',' && inObject:
		s.at++
		return
	}
	start := s.at
	name := s.readName(inObject)
	if name.Start == name.End {
		s.skipInvalid(start)
		return
	}
	s.skipBlanks()
	switch {
	case s.isAt('=') && !s.isAtNext('=') && !s.isAtNext('>'), s.isAt(':') && inObject:
		s.at++
		s.readValue(name)
	case !s.readBlock(name): // in HCL 1 an object may contain a block
		s.skipInvalid(start)
	}
}

// readName reads a name: a word, or a string or an expression in parentheses in an
// object.
func (s *scanner) readName(inObject bool) items.Span {
	from := s.at
	switch c := s.b[s.at]; {
	case c == '"' && s.skipLabel():
		return items.Span{Start: int32(from + 1), End: int32(max(from+1, s.at-1))}
	case c == '(' && inObject:
		s.at++
		s.skipTo(')')
	default:
		if inObject && c-'0' <= 9 {
			s.at++ // a key may be a number
		}
		s.word()
	}
	return items.Span{Start: int32(from), End: int32(s.at)}
}

// readBlock reads the labels of a block and opens it.
func (s *scanner) readBlock(name items.Span) bool {
	labels, quoted := 0, false
	for s.at < len(s.b) && s.b[s.at] != '{' {
		quoted = quoted || s.b[s.at] == '"'
		if !s.skipLabel() || labels == maxLabels {
			return false
		}
		labels++
		name.End = int32(s.at)
		s.skipBlanks()
	}
	if !s.isAt('{') || s.b[name.Start-min(name.Start, 1)] == '"' {
		return false
	}
	s.at++
	s.Open(name, s.at)
	s.infos = append(items.Grow(s.List, s.infos), info{form: block, labels: int8(labels)})
	s.count++
	if quoted || slices.Contains(plainBlocks, string(s.Slice(name))) {
		s.blocks++
	}
	return true
}

// plainBlocks are the blocks of Terraform without labels.
var plainBlocks = []string{"terraform", "locals", "moved", "import", "removed"}

// maxLabels is the number of labels that a block may have.
const maxLabels = 8

// readValue reads the value of the attribute or key with a name.
func (s *scanner) readValue(name items.Span) {
	s.skipBlanks()
	s.count++
	from := s.at
	if s.isAt('{') && !s.isFor() {
		s.at++
		s.Open(name, s.at)
		s.infos = append(items.Grow(s.List, s.infos), info{form: object})
		return
	}
	s.skipExpression()
	value := bytes.TrimRight(s.b[from:s.at], " \t\r\n")
	s.Add(name, s.endOfLine())
	s.infos = append(items.Grow(s.List, s.infos), info{form: attribute, value: items.Span{Start: int32(from), End: int32(from + len(value))}})
}

// closeItem closes the innermost item at its bracket. An operator may follow an object.
func (s *scanner) closeItem(inObject bool) {
	tail := s.at
	s.at++
	if inObject {
		s.skipExpression()
	}
	s.Close(tail, s.endOfLine())
}

// skipInvalid skips the rest of a line that is no item, from the offset read so far.
func (s *scanner) skipInvalid(start int) {
	s.invalid++
	s.count++
	s.at = max(s.at, start+1)
	for s.at < len(s.b) && s.b[s.at] != '\n' && s.b[s.at] != '\r' {
		s.at++
	}
}

// describe returns the number of blocks, or of attributes if there are none, and how the
// blocks are grouped.
func (s *scanner) describe() (count, by string) {
	blocks, all := 0, 0
	for i := range s.Top {
		if all++; s.infos[i].form == block {
			blocks++
		}
	}
	if s.grouped {
		by = "type"
	}
	if blocks > 0 {
		return caption.Count(blocks, "block"), by
	}
	return caption.Count(all, "attribute"), by
}
