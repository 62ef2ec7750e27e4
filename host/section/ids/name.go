// Package ids writes the id of a part, and finds the part that such an id names.
// Ids depend on the content and its Sections alone, never on settings, so an id
// that was offered once stays valid. The spellings that a model may use instead
// are package find's.
package ids

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/section/tree"
)

// MaxPath is the length of a path that is printed whole. The path is on every line
// of an index, and only its end distinguishes the lines. A longer path begins with
// the byte span of a Section that it leads through.
const MaxPath = 120

// Name returns the id of p: its path, or if that is too long its byte span.
func Name(t *tree.Tree, p *tree.Part) string { return closePath(ShortPath(t, p)) }

// closePath appends a slash to a path whose last segment is an empty key, because
// readers may end any path with a slash.
func closePath(path string) string {
	if strings.HasSuffix(path, "/") {
		path += "/"
	}
	return path
}

// ShortPath returns the path of p, shortened if it is over MaxPath.
func ShortPath(t *tree.Tree, p *tree.Part) string {
	if path := pathOf(t, p); len(path) <= MaxPath {
		return path
	}
	switch p.Kind {
	case tree.KindFold, tree.KindRange:
		return Join(ShortPath(t, p.Base), tailOf(t, p))
	case tree.KindSection:
		return anchoredPath(t, p, "")
	case tree.KindGap:
		return anchoredPath(t, p, "/"+gapID(p.Number))
	case tree.KindSet:
		return p.Tail
	}
	return spanID(p)
}

// anchoredPath returns a path to p that begins with the byte span of a Section
// above it; tail is the rest of the path after the Section. Whenever the path
// gets too long, it restarts with the span of the Section that it has reached.
func anchoredPath(t *tree.Tree, p *tree.Part, tail string) string {
	var chain []int32
	for i := p.Section; i >= 0; i = t.Owner(i) {
		chain = append(chain, i)
	}
	path, from := "", ""
	for n := len(chain) - 1; n >= 0; n-- {
		segment := "/" + t.Sections[chain[n]].ID
		if len(path)+len(segment)+len(tail) <= MaxPath || n+1 == len(chain) || !isAnchor(t, chain[n+1]) {
			path += segment
			continue
		}
		above := t.Part(chain[n+1])
		from, path = spanID(&above), segment
	}
	if path = Join(from, path+tail); len(path) > 2*MaxPath && p.IsContent() {
		return spanID(p)
	}
	return path
}

// isAnchor reports whether the byte span of a Section identifies it: the span is
// not empty, and its home has another one.
func isAnchor(t *tree.Tree, section int32) bool {
	s := &t.Sections[section]
	if !t.HasPlace(section) || s.Start >= s.End {
		return false
	}
	home := t.Home(section)
	return home < 0 || t.Sections[home].Kind != s.Kind || t.Sections[home].Start != s.Start || t.Sections[home].End != s.End
}

// spanID names a part by its bytes: ~B12-40, or ~D100:12-40 in the decoded string
// at byte 100.
func spanID(p *tree.Part) string {
	span := strconv.Itoa(p.Start) + "-" + strconv.Itoa(p.End)
	if p.Source.Kind == tree.Decoded {
		return "~D" + strconv.Itoa(p.Source.Literal[0]) + ":" + span
	}
	return "~B" + span
}

// pathOf returns the whole path from the root, which has an empty path itself.
func pathOf(t *tree.Tree, p *tree.Part) string {
	switch p.Kind {
	case tree.KindSection:
		return SectionPath(t, p.Section)
	case tree.KindGap:
		return Join(SectionPath(t, p.Section), "/"+gapID(p.Number))
	case tree.KindSet:
		return p.Tail
	}
	return Join(pathOf(t, p.Base), tailOf(t, p))
}

func tailOf(t *tree.Tree, p *tree.Part) string {
	if p.Kind == tree.KindFold {
		return "/" + foldID(t, p)
	}
	return p.Tail
}

// Join appends a tail, which begins with its separator, to a path.
func Join(path, tail string) string {
	switch {
	case path == "" && !strings.HasPrefix(tail, "//"): // in which the first key is empty
		return strings.TrimPrefix(tail, "/")
	case strings.HasPrefix(tail, "!"):
		return closePath(path) + tail
	}
	return path + tail
}

// SectionPath returns the whole path of a Section, or "" for -1.
func SectionPath(t *tree.Tree, section int32) string {
	if section < 0 {
		return ""
	}
	var ids [tree.MaxDepth]string
	n := len(ids)
	for ; section >= 0; section = t.Owner(section) {
		n--
		ids[n] = t.Sections[section].ID
	}
	return strings.Join(ids[n:], "/")
}

// Segment returns the last segment of the path of a Section or gap, else "".
func Segment(t *tree.Tree, p *tree.Part) string {
	switch {
	case p.IsSection():
		return t.Sections[p.Section].ID
	case p.Kind == tree.KindGap:
		return gapID(p.Number)
	}
	return ""
}

// LastSegment returns the last segment of the path of a JSON value.
func LastSegment(value *tree.Part) string {
	return value.Tail[strings.LastIndexByte(value.Tail, '/')+1:]
}

func gapID(number int32) string { return "~" + strconv.Itoa(int(number)+1) }

// ParseGap returns the gap of p that segment names.
func ParseGap(t *tree.Tree, p tree.Part, segment string) (tree.Part, bool) {
	n, rest, ok := CutNumber(segment, "~")
	if !ok || rest != "" || !t.HasParts(&p) || !p.IsContent() {
		return tree.Part{}, false
	}
	gaps := t.Gaps(p, false)
	if n < 1 || n > len(gaps) {
		return tree.Part{}, false
	}
	return gaps[n-1].Part, true
}

// ParseSpan returns the Section with the bytes that segment names by ~B or ~D, or if
// there is none the bytes themselves.
func ParseSpan(t *tree.Tree, segment string) (tree.Part, bool) {
	source, span, ok := parseSpanSource(t, segment)
	start, rest, ok1 := CutNumber(span, "")
	end, rest, ok2 := CutNumber(rest, "-")
	if !ok || !ok1 || !ok2 || rest != "" || start >= end || end > len(source.Text) {
		return tree.Part{}, false
	}
	if section, ok := t.SectionAt(source, start, end); ok {
		return section, true
	}
	if !tree.IsBorder(source.Text, start) || !tree.IsBorder(source.Text, end) {
		return tree.Part{}, false
	}
	top := t.Top()
	top.Source = source
	return tree.Derive(tree.KindValue, &top, start, end, "/"+segment), true
}

// parseSpanSource returns the text in which segment names a span, and the span.
func parseSpanSource(t *tree.Tree, segment string) (source *tree.Source, span string, ok bool) {
	if span, ok = strings.CutPrefix(segment, "~B"); ok {
		return t.Original, span, true
	}
	start, span, ok := CutNumber(segment, "~D")
	if !ok || !strings.HasPrefix(span, ":") {
		return nil, "", false
	}
	source = t.LiteralAt(start)
	return source, span[1:], source != nil
}

// CutNumber reads the number that follows prefix in s.
func CutNumber(s, prefix string) (n int, rest string, ok bool) {
	if len(s) <= len(prefix) || s[:len(prefix)] != prefix {
		return 0, s, false
	}
	i := len(prefix)
	for i < len(s) && i < len(prefix)+12 && isDigit(s[i]) {
		n = n*10 + int(s[i]-'0')
		i++
	}
	return n, s[i:], i > len(prefix)
}

// Position reads a position as a path spells it: without sign or leading zero.
func Position(s string) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil && n >= 0 && strconv.Itoa(n) == s
}

// Unescape decodes %XX. A segment with an invalid escape is returned unchanged.
func Unescape(segment string) string {
	if !strings.Contains(segment, "%") {
		return segment
	}
	if plain, err := url.PathUnescape(segment); err == nil {
		return plain
	}
	return segment
}

// TrimNumber returns an id without the part that distinguishes equal siblings: it
// returns the tag of tag=value, and name of name-2.
func TrimNumber(id string) string {
	if tag, _, ok := strings.Cut(id, "="); ok {
		return tag
	}
	if i := strings.LastIndexByte(id, '-'); i > 0 && IsNumbered(id, id[:i]) {
		return id[:i]
	}
	return id
}

// IsNumbered reports whether id is name with the number of an equal sibling.
func IsNumbered(id, name string) bool {
	number, ok := strings.CutPrefix(id, name)
	if !ok || number == "" || number[0] != '-' {
		return false
	}
	n, ok := Position(number[1:])
	return ok && n > 1
}

// HasName reports whether id is name, with or without the number of an equal
// sibling.
func HasName(id, name string) bool { return id == name || IsNumbered(id, name) }

// HasTitle reports whether name, whose slug is given, is the title of a Section.
func HasTitle(s *abi.Section, name, slug string) bool {
	return slug != "" && len(s.Title) <= 4*len(name) && len(name) <= 4*len(s.Title) && abi.Slug(s.Title) == slug
}
