package compress

import "bytes"

// startInPre reads a start tag in a block of code, of which only the text is kept.
func (r *reader) startInPre() {
	switch r.Name {
	case "br":
		r.pre.text = append(r.pre.text, '\n')
	case "code":
		if r.pre.info == "" {
			r.pre.info = languageOf(r.Attribute("class"))
		}
	case "a":
		r.openLinkInPre()
	case "img":
		if alt := bytes.TrimSpace(r.Attribute("alt")); len(alt) > 0 {
			r.pre.text = append(decode(append(r.pre.text, "!["...), alt), ']')
		}
	}
}

func (r *reader) openLinkInPre() {
	r.closeLink()
	if href := bytes.TrimSpace(decode(nil, r.Attribute("href"))); len(href) > 0 {
		r.link = target{at: len(r.pre.text), href: href}
	}
}

// closeLinkInPre notes the target of a link, because code is verbatim.
func (r *reader) closeLinkInPre(l target) {
	text := bytes.TrimSpace(r.pre.text[min(l.at, len(r.pre.text)):])
	if len(text) > 0 && !isNamedBy(l.href, text) && l.href[0] != '#' {
		r.pre.links = append(append(append(append(append(r.pre.links, " ["...), text...), "]("...), l.href...), ')')
	}
}

// closePre writes the open block of code, and then the targets of its links.
func (r *reader) closePre() {
	if r.pre == nil {
		return
	}
	r.closeLink()
	p := r.pre
	r.pre = nil
	r.fence(p.info, p.text)
	if len(p.links) > 0 {
		r.write("links:")
		r.out = append(r.out, p.links...)
		r.separate(blankLine)
	}
}

// languageOf returns the language that a class such as language-go names.
func languageOf(class []byte) string {
	for word := range bytes.FieldsSeq(class) {
		for _, prefix := range []string{"language-", "lang-", "highlight-source-"} {
			if name, ok := bytes.CutPrefix(word, []byte(prefix)); ok {
				return string(name)
			}
		}
	}
	return ""
}
