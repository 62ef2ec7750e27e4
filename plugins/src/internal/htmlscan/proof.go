package htmlscan

import "bytes"

// begins reports whether a text begins as HTML does: with a tag, comments apart.
// XML, SVG and the like begin with a tag of their own.
func (s *scanner) begins() bool {
	s.at = frontEnd(s.b, s.at)
	at, xml := s.at, false
	for {
		for at < len(s.b) && isSpace(s.b[at]) {
			at++
		}
		rest := s.b[at:]
		if len(rest) < 2 || rest[0] != '<' {
			return false
		}
		switch {
		case bytes.HasPrefix(rest, []byte("<!--")), rest[1] == '?':
			if at = s.markupEnd(at); at < 0 {
				return false
			}
			xml = xml || bytes.HasPrefix(rest, []byte("<?xml"))
			continue
		case rest[1] == '!':
			s.document = isDoctype(rest)
			return s.document
		}
		k := key(rest[1 : nameEnd(s.b, at+1)-at])
		s.document = infoOf(k)&root != 0
		return s.document || !xml && infoOf(k) != 0 && k != key([]byte("svg")) && k != key([]byte("math"))
	}
}

// maxFront is the size of front matter that is looked for.
const maxFront = 4096

// frontEnd is the offset behind the front matter of a template, or at.
func frontEnd(b []byte, at int) int {
	head := b[at:min(len(b), at+maxFront)]
	if !bytes.HasPrefix(head, []byte("---\n")) {
		return at
	}
	if n := bytes.Index(head, []byte("\n---\n")); n >= 0 {
		return at + n + len("\n---\n")
	}
	return at
}

// isDoctype reports the document type of HTML, of any version.
func isDoctype(b []byte) bool {
	f := bytes.Fields(b[:min(len(b), 64)])
	return len(f) > 1 && bytes.EqualFold(f[0], []byte("<!doctype")) && len(f[1]) >= 4 && bytes.EqualFold(f[1][:4], []byte("html")) &&
		(len(f[1]) == 4 || f[1][4] == '>')
}

// fragment reports whether there are known tags only, but for a few, not only
// those that other formats have too, and hardly any text outside of elements.
func (s *scanner) fragment() bool {
	return !s.markdown && s.unknown*20 <= s.tags && (s.first || s.sure*5 >= s.tags) && s.outside*50 <= s.inside+s.outside
}

// hasMarks reports a line that begins as a heading or a fence of Markdown does.
func hasMarks(text []byte) bool {
	return bytes.Contains(text, []byte("\n##")) || bytes.Contains(text, []byte("\n# ")) || bytes.Contains(text, []byte("\n```"))
}
