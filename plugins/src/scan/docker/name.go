package docker

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/items"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/rows"
)

// isImage reports whether text can be the operand of FROM: options, an image, and perhaps AS
// with a name. Python begins lines with from too.
func isImage(text []byte) bool {
	words := bytes.Fields(text[:min(len(text), maxRead)])
	for len(words) > 0 && bytes.HasPrefix(words[0], []byte("--")) {
		words = words[1:]
	}
	return len(words) == 1 || len(words) == 3 && strings.EqualFold(string(words[1]), "AS")
}

// stageName returns the span of the name in FROM image AS name, which is empty if there is
// none. text is the text of the first line after FROM.
func stageName(line items.Span, text []byte) items.Span {
	words := bytes.Fields(text)
	if n := len(words); n >= 3 && strings.EqualFold(string(words[n-2]), "AS") {
		end := line.Start + int32(len(bytes.TrimRight(text, " \t")))
		return items.Span{Start: end - int32(len(words[n-1])), End: end}
	}
	return items.Span{Start: line.Start, End: line.Start}
}

// variable returns the span of the first name that an instruction sets, which is empty if
// it sets none.
func (s *scanner) variable(word int, x items.Span) items.Span {
	if !slices.Contains([]string{arg, "ENV", "LABEL"}, keywords[word]) {
		return items.Span{Start: x.Start, End: x.Start}
	}
	text := s.Slice(x)
	text = text[:min(len(text), maxRead)]
	from := len(text) - len(bytes.TrimLeft(text, " \t\r\n"+string(s.escape)))
	end := bytes.IndexAny(text[from:], "= \t\r\n"+string(s.escape))
	if end < 0 {
		end = len(text) - from
	}
	return items.Span{Start: x.Start + int32(from), End: x.Start + int32(from+end)}
}

// name is the part.Doc.Name of a text.
func (s *scanner) name(i int, n *part.Name) {
	in := s.of[i]
	name := s.Slice(s.Items[i].Name)
	switch in.word {
	case aStage:
		s.nameStage(int32(i), name, n)
		return
	case preamble:
		s.namePreamble(int32(i), n)
		return
	}
	n.ID = append(n.ID, keywords[in.word]...)
	if len(name) > 0 {
		n.ID = append(append(n.ID, '='), bytes.Trim(name, `"'`)...)
	}
	n.Title = append(append(n.Title, keywords[in.word]...), ' ')
	n.Title = s.appendText(n.Title, s.Slice(in.text))
	n.Title = caption.Cut(n.Title, 0, rows.MaxTitle)
}

// nameStage names a stage. The title has the image and the numbers of the instructions.
func (s *scanner) nameStage(i int32, name []byte, n *part.Name) {
	if len(name) > 0 {
		n.ID = append(n.ID, name...)
		n.Title = caption.Append(append(n.Title, "stage "...), name, rows.MaxTitle/2)
	} else {
		number := s.of[i].number
		n.ID = strconv.AppendInt(append(n.ID, "stage-"...), int64(number), 10)
		n.Title = strconv.AppendInt(append(n.Title, "stage "...), int64(number), 10)
	}
	var counts [32]int
	for j := range s.Children(i) {
		counts[s.of[j].word]++
	}
	n.Title = append(n.Title, ": from "...)
	n.Title = caption.Append(n.Title, image(s.Slice(s.of[i].text)), rows.MaxTitle/2)
	for word, count := range counts {
		if count == 0 || isWord(word, from) {
			continue
		}
		n.Title = append(append(n.Title, ", "...), keywords[word]...)
		if count > 1 {
			n.Title = strconv.AppendInt(append(n.Title, ' '), int64(count), 10)
		}
	}
	n.Title = caption.Cut(n.Title, 0, rows.MaxTitle)
}

// namePreamble names the instructions before the first stage by the arguments that they set.
func (s *scanner) namePreamble(i int32, n *part.Name) {
	n.ID = append(n.ID, arg...)
	count := 0
	var names []byte
	for j := range s.Children(i) {
		count++
		if len(names) > rows.MaxTitle {
			continue
		}
		if len(names) > 0 {
			names = append(names, ", "...)
		}
		names = append(names, s.Slice(s.Items[j].Name)...)
	}
	n.Title = rows.AppendCount(n.Title, count, "argument")
	n.Title = caption.Append(append(n.Title, ": "...), names, rows.MaxTitle)
	n.Title = caption.Cut(n.Title, 0, rows.MaxTitle)
}

// image returns the image in the text after FROM, without options.
func image(text []byte) []byte {
	for word := range bytes.FieldsSeq(text) {
		if !bytes.HasPrefix(word, []byte("--")) {
			return word
		}
	}
	return nil
}

// maxRead is the size of the text that a title is made of.
const maxRead = 400

// appendText appends the text of an instruction on one line, without the marks that continue
// its lines and without comments.
func (s *scanner) appendText(dst, text []byte) []byte {
	text = text[:min(len(text), maxRead)]
	var joined []byte
	for len(text) > 0 && len(joined) <= rows.MaxTitle {
		line, rest := text, []byte(nil)
		if n := bytes.IndexAny(text, "\r\n"); n >= 0 {
			line, rest = text[:n], text[n+1:]
		}
		line, text = bytes.TrimSpace(line), rest
		if len(line) > 0 && line[0] != '#' {
			joined = append(append(joined, bytes.TrimRight(line, string(s.escape))...), ' ')
		}
	}
	return caption.Append(dst, joined, rows.MaxTitle)
}
