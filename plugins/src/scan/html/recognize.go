package html

import (
	"bytes"

	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
)

// hasHTMLStart reports whether the text begins with a tag of HTML, after comments. XML,
// SVG and similar types begin with other tags.
func (s *scanner) hasHTMLStart() bool {
	s.at = frontMatterEnd(s.b, s.at)
	at, xml, template := s.at, false, false
	for {
		for at < len(s.b) && isSpace(s.b[at]) {
			at++
		}
		if end := skipTemplate(s.b, at); end > at {
			at, s.at, template = end, end, true
			continue
		}
		if isStatement(s.b[at:]) {
			at = lines.End(s.b, at)
			s.at = at
			continue
		}
		rest := s.b[at:]
		if len(rest) < 2 || rest[0] != '<' {
			return false
		}
		switch {
		case bytes.HasPrefix(rest, []byte("<!--")), rest[1] == '?':
			if at = declarationEnd(s.b, at); at < 0 {
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
		if s.document || !xml && infoOf(k) != 0 && k != key([]byte("svg")) && k != key([]byte("math")) {
			return true
		}
		s.document = template && hasDoctype(rest)
		return s.document
	}
}

// hasDoctype reports whether a document type of HTML begins a line: a template may define pieces above its page.
func hasDoctype(b []byte) bool {
	for _, mark := range []string{"\n<!DOCTYPE", "\n<!doctype"} {
		if n := bytes.Index(b, []byte(mark)); n >= 0 && isDoctype(b[n+1:]) {
			return true
		}
	}
	return false
}

// maxFrontMatter is the maximal size of front matter in bytes.
const maxFrontMatter = 4096

// frontMatterEnd returns the end of the front matter of a template at b[at], or at.
func frontMatterEnd(b []byte, at int) int {
	start := b[at:min(len(b), at+maxFrontMatter)]
	if !bytes.HasPrefix(start, []byte("---\n")) {
		return at
	}
	if n := bytes.Index(start, []byte("\n---\n")); n >= 0 {
		return at + n + len("\n---\n")
	}
	return at
}

// maxTemplateTag is the maximal size of a tag of a template language in bytes.
const maxTemplateTag = 4096

// templateTagEnd returns the offset after the tag of a template language at b[at], such as {% if x %}, or at.
func templateTagEnd(b []byte, at int) int {
	if at+3 >= len(b) || b[at] != '{' {
		return at
	}
	shut := ""
	switch b[at+1] {
	case '{':
		shut = "}}"
	case '%':
		shut = "%}"
	case '#':
		shut = "#}"
	default:
		return at
	}
	if n := bytes.Index(b[at+2:min(len(b), at+maxTemplateTag)], []byte(shut)); n >= 0 {
		return at + 2 + n + len(shut)
	}
	return at
}

// skipTemplate returns the offset after the tag of a template language at b[at], and after the text up to another such
// tag on its line: {% block title %}Title{% endblock %}. If there is none, it returns at.
func skipTemplate(b []byte, at int) int {
	end := templateTagEnd(b, at)
	if end == at {
		return at
	}
	for i := end; i < len(b) && b[i] != '\n' && b[i] != '<'; i++ {
		if b[i] == '{' && templateTagEnd(b, i) > i {
			return i
		}
	}
	return end
}

// isStatement reports whether a text begins with a statement of Razor or Twirl, which ends with its line: @(name:
// String), @import a.b.
func isStatement(b []byte) bool {
	if len(b) == 0 || b[0] != '@' {
		return false
	}
	line := b[:lines.End(b, 0)]
	if bytes.IndexByte(line, '(') > 0 {
		return true
	}
	word, _, _ := bytes.Cut(line[1:], []byte(" "))
	return string(word) == "import" || string(word) == "using" || string(word) == "model"
}

// textSize returns the size of b[start:end] without white space and tags of template languages.
func textSize(b []byte, start, end int) (n int) {
	for at := start; at < end; at++ {
		if next := templateTagEnd(b[:end], at); next > at {
			at = next - 1
		} else if !isSpace(b[at]) {
			n++
		}
	}
	return n
}

// isDoctype reports whether b begins with the document type of a version of HTML.
func isDoctype(b []byte) bool {
	f := bytes.Fields(b[:min(len(b), 64)])
	return len(f) > 1 && bytes.EqualFold(f[0], []byte("<!doctype")) && len(f[1]) >= 4 && bytes.EqualFold(f[1][:4], []byte("html")) &&
		(len(f[1]) == 4 || f[1][4] == '>')
}

// isFragment reports whether the text is a part of a page: nearly all tags are known,
// some of them occur in no other format, and hardly any text is outside of elements.
func (s *scanner) isFragment() bool {
	return !s.markdown && s.unknown*20 <= s.tags && (s.sureFirst || s.sure*5 >= s.tags) && s.outside*50 <= s.inside+s.outside
}

// hasMarkdown reports whether a line begins like a heading or a fence of Markdown.
func hasMarkdown(text []byte) bool {
	return bytes.Contains(text, []byte("\n##")) || bytes.Contains(text, []byte("\n# ")) || bytes.Contains(text, []byte("\n```"))
}
