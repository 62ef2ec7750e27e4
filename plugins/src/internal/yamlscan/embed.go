package yamlscan

import (
	"bytes"
	"slices"

	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

// leastDocument is the size in bytes from which on a value is looked at for a
// document of its own.
const leastDocument = 1000

// embed notes the document that the value of a part is, as a file in a ConfigMap
// is: a part for the text, and one for what stands before it. The value begins at
// p and ends at s.at.
func (s *scanner) embed(at int32, p int) {
	if s.at-p < leastDocument || len(s.open) >= s.levels || len(s.parts)+2 > s.room() {
		return
	}
	n := s.kept(at)
	text := p
	if n.kind == literal {
		text = lines.End(s.b, p)
	}
	if !s.isDocument(n, text) {
		return
	}
	s.parts = append(s.parts,
		part.Part{Start: s.parts[at].Start, End: int32(text), Parent: at, Form: uint8(opening)},
		part.Part{Start: int32(text), End: int32(s.at), Parent: at, Kind: part.Text, Form: uint8(content)})
	s.nodes = append(s.nodes, place{}, place{})
}

// isDocument reports whether the text of a value is worth a look: by the name of
// its key, or because it begins like JSON or XML.
func (s *scanner) isDocument(n node, text int) bool {
	first := bytes.TrimLeft(s.b[text:s.at], " \t\r\n")
	if len(first) == 0 {
		return false
	}
	if n.kind == literal {
		return n.is&isItem == 0 && hasExtension(s.b[n.start:n.end()]) || bytes.IndexByte([]byte("{[<"), first[0]) >= 0
	}
	first = bytes.TrimLeft(first, "[{ \t\r\n")
	return n.kind == flow && len(first) > 0 && first[0] == '"'
}

// extensions are those of types that are told from each other.
var extensions = []string{"json", "yaml", "yml", "xml", "md", "html", "csv"}

func hasExtension(key []byte) bool {
	i := bytes.LastIndexByte(key, '.')
	return i >= 0 && slices.Contains(extensions, string(bytes.TrimRight(key[i+1:], `"'`)))
}

// extend moves the end of a part, and that of the text in it.
func (s *scanner) extend(at int32, end int) {
	s.parts[at].End = int32(end)
	if last := int(at) + 2; last < len(s.parts) && s.parts[last].Kind == part.Text && s.parts[last].Parent == at {
		s.parts[last].End = int32(end)
	}
}
