package section

import (
	"bytes"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/abi"
)

// style is how much a line says beside id and size.
type style struct {
	title   int // bytes
	summary int // bytes of a summary's first sentence
}

// styles, from what reads best to what takes least.
var styles = [...]style{{titleBytes, 120}, {titleBytes, 0}, {64, 0}, {48, 0}, {20, 0}, {0, 0}}

// shortest is the last of the styles whose titles tell enough to choose by; those
// behind it are for what would be no index at all.
const shortest = 3

// appendLine writes the line that offers p: [id] title (size).
func (d *Doc) appendLine(dst []byte, p *part, st style) []byte {
	return appendOffer(dst, d.name(p), d.title(p, st), d.partSize(p))
}

func appendOffer(dst []byte, id, title string, size int) []byte {
	dst = append(dst, '[')
	dst = append(dst, id...)
	dst = append(dst, ']', ' ')
	if title != "" {
		dst = append(dst, title...)
		dst = append(dst, ' ')
	}
	dst = append(dst, '(')
	dst = append(dst, sizeText(size)...)
	return append(dst, ')', '\n')
}

// title is the text of a line, safe to print whatever the stage gave.
func (d *Doc) title(p *part, st style) string {
	if p.kind == partFold {
		return d.foldTitle(p, st)
	}
	if p.kind == partRange {
		return clean(outermost(p.bytes()), st.title)
	}
	if p.kind != partSection || p.sec < 0 {
		return clean(p.bytes(), st.title)
	}
	s := &d.sections[p.sec]
	text := clean([]byte(unsaid(s.Title, s.ID)), st.title)
	if text == "" && d.repeats(p.sec) {
		text = clean([]byte(d.begins(p)), st.title)
	}
	if s.Title == "" {
		text = clean(p.bytes(), st.title*3/4)
	}
	if s.Kind == abi.SectionDerived {
		text = clean([]byte(s.Title), st.title)
		text = strings.TrimSpace("derived: " + text)
	}
	if sentence := firstSentence(s.Summary, st.summary); sentence != "" {
		text = strings.TrimPrefix(text+" - "+sentence, " ")
	}
	return text
}

// unsaid is what a title says beyond the id that stands before it: nothing, if it
// is what the id was made of, else it without the name that both begin with.
func unsaid(title, id string) string {
	name := strings.TrimPrefix(id, "@")
	if _, value, ok := strings.Cut(name, "="); ok {
		name = value
	}
	name = unescape(name)
	if rest, ok := strings.CutPrefix(title, name+": "); ok && name != "" {
		return rest
	}
	unnumbered := strings.TrimRight(strings.TrimRight(name, "0123456789"), "-")
	if strings.IndexFunc(title, isWord) >= 0 && (sameWords(title, name) || sameWords(title, unnumbered)) {
		return ""
	}
	return title
}

// sameWords reports whether two texts have the same letters and digits, whatever
// their case and what stands between.
func sameWords(a, b string) bool {
	for {
		i, j := strings.IndexFunc(a, isWord), strings.IndexFunc(b, isWord)
		if i < 0 || j < 0 {
			return i == j
		}
		r, n := utf8.DecodeRuneInString(a[i:])
		q, m := utf8.DecodeRuneInString(b[j:])
		if foldRune(r) != foldRune(q) {
			return false
		}
		a, b = a[i+n:], b[j+m:]
	}
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// outermost is a window from its first line on that is not indented and says
// something: what begins there says more of a window than where it happened to be
// cut. It is all of it, if there is none.
func outermost(window []byte) []byte {
	for at := 0; at < len(window); {
		line := window[at:]
		if i := bytes.IndexByte(line, '\n'); i >= 0 {
			line = line[:i+1]
		}
		if r, _ := utf8.DecodeRune(line); unicode.IsLetter(r) || unicode.IsDigit(r) {
			return window[at:]
		}
		at += len(line)
	}
	return window
}

func firstSentence(summary string, limit int) string {
	if limit == 0 || summary == "" {
		return ""
	}
	for i, r := range summary {
		if r == '\n' || (r == '.' || r == '!' || r == '?') && (i+1 == len(summary) || summary[i+1] == ' ' || summary[i+1] == '\n') {
			summary = summary[:i+1]
			break
		}
	}
	return clean([]byte(summary), limit)
}

// more ends a text that was cut.
const more = "..."

// clean makes one line of text: blanks and line breaks become one blank each,
// what controls a terminal (colours) or the direction of writing goes, at most
// limit bytes stay.
func clean(text []byte, limit int) string {
	if limit <= len(more) {
		return ""
	}
	out := make([]byte, 0, limit+utf8.UTFMax)
	blank := false
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		text = text[n:]
		switch {
		case unicode.IsSpace(r):
			blank = len(out) > 0
			continue
		case r == escape:
			text = text[escaped(text):]
			continue
		case r == utf8.RuneError || r < utf8.RuneSelf && unicode.IsControl(r) || r >= utf8.RuneSelf && unicode.In(r, unicode.Cc, unicode.Cf):
			continue
		case blank:
			out, blank = append(out, ' '), false
		}
		if out = utf8.AppendRune(out, r); len(out) > limit {
			return string(clipWord(out, limit-len(more))) + more
		}
	}
	return string(out)
}

const escape = '\x1b'

// escaped is the length of what belongs to the escape before text, as ECMA-48 has
// it: parameters and a final byte of a control sequence (a colour), a command up to
// its end (a title, a link), or one byte.
func escaped(text []byte) int {
	within := func(i int, low, high byte) bool { return i < len(text) && low <= text[i] && text[i] <= high }
	switch {
	case within(0, '[', '['):
		i := 1
		for within(i, ' ', '?') {
			i++
		}
		if within(i, '@', '~') {
			return i + 1
		}
	case within(0, ']', ']'):
		const longest = 2048 // more is no command but text
		if i := bytes.IndexAny(text[:min(len(text), longest)], "\a\x1b"); i >= 0 {
			return i // which goes too
		}
	case within(0, '@', '_'):
		return 1
	}
	return 0
}

// visible keeps the line breaks of a text, all of one kind, and drops what
// controls a terminal or the direction of writing.
func visible(text []byte) []byte {
	return bytes.Map(func(r rune) rune {
		switch {
		case r == '\u2028' || r == '\u2029':
			return '\n'
		case r != '\n' && r != '\t' && unicode.In(r, unicode.Cc, unicode.Cf):
			return -1
		}
		return r
	}, text)
}

// clip cuts to at most limit bytes at a border between characters.
func clip(b []byte, limit int) []byte {
	if len(b) <= limit {
		return b
	}
	for limit > 0 && !utf8.RuneStart(b[limit]) {
		limit--
	}
	return bytes.TrimRight(b[:limit], " ")
}

// clipWord cuts to at most limit bytes behind a word, if not much is lost by it:
// half a word takes tokens and tells little.
func clipWord(b []byte, limit int) []byte {
	b = clip(b, limit)
	if at := bytes.LastIndexByte(b, ' '); at > 0 && len(b) >= limit-1 && at >= limit*2/3 {
		return bytes.TrimRight(b[:at], " ")
	}
	return b
}

// sizeText writes a size in bytes: 532B, 1.5K, 20K, 1.2M.
func sizeText(n int) string {
	unit := byte('B')
	div := 1
	switch {
	case n >= 999_500:
		unit, div = 'M', 1_000_000
	case n >= 1000:
		unit, div = 'K', 1000
	}
	tenths := (n*10 + div/2) / div
	text := strconv.Itoa((n + div/2) / div)
	if div > 1 && tenths < 100 && tenths%10 != 0 {
		text = strconv.Itoa(tenths/10) + "." + strconv.Itoa(tenths%10)
	}
	return text + string(unit)
}

// count writes how many there are of something.
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// plain makes lines of a stage's text fit to stand in an index: none of them
// starts like an offered line.
func plain(dst, text []byte) []byte {
	for len(text) > 0 {
		line := text
		if i := bytes.IndexByte(text, '\n'); i >= 0 {
			line = text[:i+1]
		}
		if line[0] == '[' {
			dst = append(dst, ' ')
		}
		dst = append(dst, line...)
		text = text[len(line):]
	}
	return dst
}
