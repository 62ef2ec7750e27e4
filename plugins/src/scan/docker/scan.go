// Package docker finds the stages and instructions of Dockerfiles as byte spans.
//
// A stage begins with FROM and is known by its name or number. An instruction includes
// the comments above it, the lines that continue it and its heredocs. The instructions of
// a file with one stage are at the top.
package docker

import (
	"bytes"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/items"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

// Hints are the extensions and media types of Dockerfiles, and Names their names before
// the first dot.
const (
	Names = "dockerfile containerfile"
	Hints = Names + " text/x-dockerfile"
)

// Keywords of instructions that the scanner handles in a special way.
const (
	from    = "FROM"
	arg     = "ARG"
	onbuild = "ONBUILD"
)

// keywords are all instructions, in the order in which a title counts them.
var keywords = []string{
	from, "RUN", "COPY", "ADD", "ENV", arg, "WORKDIR", "USER", "EXPOSE", "VOLUME", "ENTRYPOINT", "CMD",
	"HEALTHCHECK", "LABEL", "SHELL", "STOPSIGNAL", "MAINTAINER", onbuild,
}

// heredocWords are the instructions that may have heredocs.
var heredocWords = []string{"RUN", "COPY", "ADD", onbuild}

// cutKeyword returns the position in keywords of the instruction that a line begins with,
// or -1, and the text after it.
func cutKeyword(text []byte) (word int, rest []byte) {
	end := 0
	for end < len(text) && text[end]|0x20-'a' < 26 {
		end++
	}
	if end == 0 || end == len(text) || text[end] != ' ' && text[end] != '\t' {
		return -1, nil
	}
	word = slices.IndexFunc(keywords, func(k string) bool { return len(k) == end && strings.EqualFold(k, string(text[:end])) })
	return word, bytes.TrimLeft(text[end:], " \t")
}

// isWord reports whether a position in keywords is that of an instruction.
func isWord(word int, keyword string) bool { return word >= 0 && keywords[word] == keyword }

// Words of items that are no instruction.
const (
	aStage   = -1
	preamble = -2 // the ARG instructions before the first stage
)

// instruction is what is known about an item besides its span.
type instruction struct {
	word   int8  // position in keywords, or one of the above
	number int32 // of a stage, by which COPY --from refers to it
	text   items.Span
}

// scanner reads a text.
type scanner struct {
	*items.List
	lines    items.Lines
	escape   byte // ends a line that continues
	of       []instruction
	stages   int
	invalid  int
	searches int  // heredocs without an end
	started  bool // a line was read that is no directive
}

// Opens reports whether a text begins like a Dockerfile: after comments, with FROM or
// ARG. It is no proof.
func Opens(b []byte) bool {
	lines := items.LinesOf(b)
	for at := lines.Start(); at < len(b); {
		text, _, next := lines.Trim(at)
		if len(text) > 0 && text[0] != '#' {
			word, _ := cutKeyword(text)
			return isWord(word, from) || isWord(word, arg)
		}
		at = next
	}
	return false
}

// minInstructions is the least number of instructions of a text without a name.
const minInstructions = 3

// Scan is the part.Scan of Dockerfiles. It refuses a text with a line that is no
// instruction, and a text without FROM; a file with such a name may have one such line in
// 20.
func Scan(b []byte, c part.Clues) (*part.Doc, bool) {
	s := &scanner{List: items.New(b), lines: items.LinesOf(b), escape: '\\'}
	named := part.HasExtension(c.File, Names) || part.HasStem(c.File, Names)
	for at := s.lines.Start(); at < len(b); {
		at = s.readLine(at)
		if !c.Forced && (s.invalid > 0 && !named || s.stages == 0 && s.invalid > 8) {
			return nil, false
		}
	}
	s.Finish()
	n := 0
	for i := range s.of {
		if s.of[i].word >= 0 {
			n++
		}
	}
	switch {
	case c.Forced:
	case s.stages == 0, !named && n < minInstructions, s.invalid*20 > n:
		return nil, false
	}
	if n == 0 {
		return nil, false
	}
	s.unwrap(aStage)
	s.unwrap(preamble)
	d := s.Document(nil, s.name)
	d.Count = caption.Count(n, "instruction")
	if s.stages > 1 {
		d.Count = caption.Count(s.stages, "stage")
	}
	return d, true
}

// unwrap removes the stage if it is the only one, or the preamble if there is one
// instruction in it.
func (s *scanner) unwrap(word int8) {
	is := func(in instruction) bool { return in.word == word }
	i := slices.IndexFunc(s.of, is)
	if i < 0 || word == aStage && s.stages > 1 || word == preamble && s.Items[i].Next > int32(i)+2 {
		return
	}
	s.Unwrap(int32(i))
	s.of = slices.Delete(s.of, i, i+1)
}

// readLine reads the instruction, comment or blank line at an offset. It returns the
// offset after it.
func (s *scanner) readLine(at int) int {
	text, indent, next := s.lines.Trim(at)
	isDirective := !s.started && s.readDirective(text)
	s.started = !isDirective
	if len(text) == 0 || text[0] == '#' {
		return next
	}
	word, rest := cutKeyword(text)
	if word < 0 || keywords[word] == from && !isImage(rest) {
		s.invalid++
		return next
	}
	end := s.endOf(at, next)
	if slices.Contains(heredocWords, keywords[word]) {
		end = s.skipHeredocs(at, end)
	}
	start := at + indent + len(text) - len(rest)
	span := items.Span{Start: int32(start), End: int32(max(start, end))}
	switch {
	case keywords[word] == from:
		if s.Current() >= 0 {
			s.Close(s.Rest(), s.Rest())
		}
		s.Open(stageName(span, rest), s.Rest())
		s.of = append(items.Grow(s.List, s.of), instruction{aStage, int32(s.stages), span})
		s.stages++
	case s.stages == 0 && s.Current() < 0:
		s.OpenGroup()
		s.of = append(items.Grow(s.List, s.of), instruction{word: preamble})
	}
	s.Add(s.variable(word, span), end)
	s.of = append(items.Grow(s.List, s.of), instruction{int8(word), 0, span})
	return end
}

// readDirective reads a comment such as # escape=`, and reports whether a line is one. They
// are directives only above all other lines.
func (s *scanner) readDirective(text []byte) bool {
	if len(text) == 0 || text[0] != '#' {
		return false
	}
	key, value, ok := bytes.Cut(bytes.TrimSpace(text[1:]), []byte("="))
	if key = bytes.TrimSpace(key); !ok || bytes.IndexAny(key, " \t") >= 0 {
		return false
	}
	if strings.EqualFold(string(key), "escape") && string(bytes.TrimSpace(value)) == "`" {
		s.escape = '`'
	}
	return true
}

// endOf returns the end of the instruction at an offset, whose first line ends at next. It
// continues after a line that ends with the escape character; comments and blank lines
// between these lines are part of it.
func (s *scanner) endOf(at, next int) int {
	text, _, _ := s.lines.Trim(at)
	for text[len(text)-1] == s.escape {
		after := next
		for {
			if after == len(s.Text) {
				return after
			}
			if text, _, after = s.lines.Trim(after); len(text) > 0 && text[0] != '#' {
				break
			}
		}
		next = after
	}
	return next
}
