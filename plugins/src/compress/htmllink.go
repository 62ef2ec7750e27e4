package compress

import (
	"bytes"
	"unicode"
)

// openLink begins a link. An anchor without a target is no link.
func (r *reader) openLink() {
	r.closeLink()
	href := bytes.TrimSpace(decode(nil, r.Attribute("href")))
	if len(href) == 0 || string(href) == "#" || len(href) > 11 && bytes.EqualFold(href[:11], []byte("javascript:")) {
		return
	}
	r.openCell()
	r.flush()
	r.link = target{at: len(r.out), href: href, name: r.Attribute("aria-label")}
	if r.link.name == nil {
		r.link.name = r.Attribute("title")
	}
}

// closeLink writes the target of the open link. The text of a link is within brackets, unless
// it has several lines.
func (r *reader) closeLink() {
	l := r.link
	if r.link.at = -1; l.at < 0 {
		return
	}
	if r.pre != nil {
		r.closeLinkInPre(l)
		return
	}
	at := min(l.at, len(r.out))
	text := r.out[at:]
	at += len(text) - len(bytes.TrimLeft(text, " "))
	switch text = r.out[at:]; {
	case isNamedBy(l.href, text):
	case bytes.IndexByte(text, '\n') >= 0:
		r.out = append(append(append(r.out, " ("...), l.href...), ')')
	default:
		if len(text) == 0 {
			r.out = decode(r.out, l.name)
		}
		r.insert(at, "[")
		if r.code >= at {
			r.code++
		}
		r.out = append(append(append(r.out, "]("...), l.href...), ')')
	}
}

// isNamedBy reports whether the text of a link states its target: it is the address itself,
// or its letters and digits are those at the end of a target within the page.
func isNamedBy(href, text []byte) bool {
	text = bytes.Trim(text, "` \n")
	if len(text) == 0 {
		return false
	}
	if href[0] != '#' {
		return bytes.Equal(href, text)
	}
	name, word := plainWord(href), plainWord(text)
	return len(word) > 0 && len(name) > 0 && (bytes.HasSuffix(name, word) || bytes.HasSuffix(word, name))
}

// plainWord returns the letters and digits of a text in lower case.
func plainWord(text []byte) []byte {
	return bytes.Map(func(c rune) rune {
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			return -1
		}
		return unicode.ToLower(c)
	}, text)
}

// readImage writes an image with its text and address. The content of an address that holds
// the image itself is removed.
func (r *reader) readImage() {
	src := bytes.TrimSpace(decode(nil, r.Attribute("src")))
	if bytes.HasPrefix(src, []byte("data:")) {
		src = append(src[:min(len(src), max(bytes.IndexByte(src, ',')+1, 5))], "..."...)
	}
	alt := r.Attribute("alt")
	if r.pre != nil || len(src) == 0 && len(alt) == 0 {
		return
	}
	r.openCell()
	r.write("![")
	r.words(bytes.TrimSpace(alt))
	r.out = append(append(append(r.out, "]("...), src...), ')')
}

// readSource writes the address of an embedded page or recording.
func (r *reader) readSource() {
	src := r.Attribute("src")
	if src == nil {
		src = r.Attribute("data")
	}
	if src = bytes.TrimSpace(decode(nil, src)); len(src) > 0 && !bytes.HasPrefix(src, []byte("data:")) {
		r.openCell()
		r.separate(lineEnd)
		r.write("[" + r.Name + "](" + string(src) + ")")
		r.separate(lineEnd)
	}
}
