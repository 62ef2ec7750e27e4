package printer

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/section/display"
	"github.com/mcpctl/mcpctl/host/section/ids"
	"github.com/mcpctl/mcpctl/host/section/tree"
)

// style bounds the text of a line beside id and size.
type style struct {
	title   int // bytes
	fold    int // bytes of the title of a fold
	summary int // bytes of the first sentence of the summary
}

// styles are in order from the most readable to the shortest.
var styles = [...]style{
	{TitleBytes, 3 * TitleBytes / 2, 120}, {TitleBytes, 3 * TitleBytes / 2, 0}, {TitleBytes, TitleBytes, 0}, {64, 64, 0}, {48, 48, 0}, {20, 20, 0}, {0, 0, 0},
}

const (
	// fullStyle is the style without summaries, and with folds like other lines.
	fullStyle = 2
	// shortStyle is the last style whose titles are long enough to choose by. The
	// shorter ones are for an index that would not fit otherwise.
	shortStyle = 4
)

// Title returns the text of a line. It is safe to print for any output of a stage.
func (pr *Printer) Title(p *tree.Part) string { return pr.title(p, styles[fullStyle]) }

func (pr *Printer) title(p *tree.Part, st style) string {
	switch {
	case p.Kind == tree.KindFold:
		return pr.foldTitle(p, st)
	case p.Kind == tree.KindRange:
		return pr.windowTitle(p.Bytes(), st.title)
	case !p.IsSection():
		return display.Clean(p.Bytes(), st.title)
	}
	s := &pr.tree.Sections[p.Section]
	text := display.Clean([]byte(trimID(s.Title, s.ID)), st.title)
	if text == "" && pr.repeatsHeading(p.Section) {
		text = display.Clean([]byte(pr.textBelowHeading(p)), st.title)
	}
	if s.Title == "" {
		text = display.Clean(p.Bytes(), st.title*3/4)
	}
	if s.Kind == abi.SectionDerived {
		text = display.Clean([]byte(s.Title), st.title)
		text = strings.TrimSpace("derived: " + text)
	}
	if sentence := firstSentence(s.Summary, st.summary); sentence != "" {
		return strings.TrimPrefix(text+" - "+sentence, " ")
	}
	if text = pr.appendParts(text, p, st); text == "" && pr.language.HasHeadings() && isVersion(s.Title) {
		text = display.Clean([]byte(pr.textBelowHeading(p)), st.title)
	}
	return text
}

// isVersion reports whether a title consists mostly of digits, such as a version or a date. Such a title does
// not describe the text below it.
func isVersion(title string) bool {
	letters, digits := 0, 0
	for _, r := range title {
		switch {
		case unicode.IsDigit(r):
			digits++
		case unicode.IsLetter(r):
			letters++
		}
	}
	return digits > letters
}

// appendParts appends the labels of the largest parts of a Section to its title, where the
// line has room for at least two. A title of elements names their children already.
func (pr *Printer) appendParts(title string, p *tree.Part, st style) string {
	const maxParts = 1000
	room := min(st.fold-len(title)-len(": "), TitleBytes*3/4)
	if n := len(pr.tree.Kids(p.Section)); n < 2 || n > maxParts || !p.IsContent() || room < 2*minLabel || pr.language.HasElements() {
		return title
	}
	parts := pr.tree.PartsOf(*p)
	_, preferID := pr.sampleLabels(parts)
	names, _ := pr.nameMembers(parts, preferID, room)
	return strings.TrimPrefix(title+names, ": ")
}

// trimID returns the part of a title that the id before it does not contain:
// nothing if the id was made of the title, else the title without a common prefix.
func trimID(title, id string) string {
	name := strings.TrimPrefix(id, "@")
	if _, value, ok := strings.Cut(name, "="); ok {
		name = value
	}
	name = ids.Unescape(name)
	if rest, ok := strings.CutPrefix(title, name+": "); ok && name != "" {
		return rest
	}
	unnumbered := strings.TrimRight(strings.TrimRight(name, "0123456789"), "-")
	if strings.IndexFunc(title, isWord) >= 0 && (haveSameWords(title, name) || haveSameWords(title, unnumbered)) {
		return ""
	}
	return title
}

// haveSameWords reports whether two texts have the same letters and digits, case
// and other characters ignored.
func haveSameWords(a, b string) bool {
	for {
		i, j := strings.IndexFunc(a, isWord), strings.IndexFunc(b, isWord)
		if i < 0 || j < 0 {
			return i == j
		}
		_, n := utf8.DecodeRuneInString(a[i:])
		_, m := utf8.DecodeRuneInString(b[j:])
		if !strings.EqualFold(a[i:i+n], b[j:j+m]) {
			return false
		}
		a, b = a[i+n:], b[j+m:]
	}
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// trimToOutermost returns a window from its first line that is not indented and
// begins with a letter or digit, because that describes the window better than the
// line where it was cut. Without such a line it returns the whole window.
func trimToOutermost(window []byte) []byte {
	for at := 0; at < len(window); {
		line := window[at:]
		if i := bytes.IndexByte(line, '\n'); i >= 0 {
			line = line[:i+1]
		}
		if r, _ := utf8.DecodeRune(line); isWord(r) {
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
	return display.Clean([]byte(summary), limit)
}

// repeatsHeading reports whether a sibling of a Section has the same heading.
func (pr *Printer) repeatsHeading(section int32) bool {
	if !pr.language.HasHeadings() {
		return false
	}
	id, owner := pr.tree.Sections[section].ID, pr.tree.Owner(section)
	if at := strings.LastIndexByte(id, '-'); at > 0 && ids.IsNumbered(id, id[:at]) {
		_, ok := pr.tree.Child(owner, id[:at])
		return ok
	}
	_, ok := pr.tree.Child(owner, id+"-2")
	return ok
}

// textBelowHeading returns the beginning of the text below the heading of a
// Section, for a heading that does not tell it from others.
func (pr *Printer) textBelowHeading(p *tree.Part) string {
	const maxBytes = 1000
	text := p.Bytes()
	text = pr.language.PlainText(text[:min(len(text), maxBytes)])
	seen := strings.TrimLeft(display.Clean(text, maxBytes), "# ")
	rest, ok := strings.CutPrefix(seen, pr.tree.Sections[p.Section].Title)
	if !ok {
		heading, below, _ := bytes.Cut(text, []byte("\n"))
		if !bytes.HasPrefix(heading, []byte("#")) { // else the title is the heading without its links
			return ""
		}
		rest = display.Clean(skipLinks(below), maxBytes)
	}
	return strings.TrimLeft(strings.ReplaceAll(rest, "**", ""), " #=-*:")
}

// skipLinks returns a text without the lines at its start that are blank or consist of a link of Markdown.
func skipLinks(text []byte) []byte {
	for len(text) > 0 {
		line, rest, _ := bytes.Cut(text, []byte("\n"))
		if line = bytes.TrimSpace(line); len(line) > 0 && (line[0] != '[' || line[len(line)-1] != ')') {
			break
		}
		text = rest
	}
	return text
}
