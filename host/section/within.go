package section

import (
	"strings"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

// idJoints stand in an id between what it is made of: Service:app, book=b5, S.Run,
// dir/file.go.
const idJoints = ":=./#"

// ends reports whether name is the end of the id of Section i, behind a joint. In
// JSON a name stands for a key and for nothing more.
func (d *Doc) ends(i int, name string) bool {
	s := &d.sections[i]
	return s.Kind != abi.SectionGroup && endsWith(s.ID, name) && d.syntaxAt(i) != syntaxJSON
}

func endsWith(id, name string) bool {
	head, ok := strings.CutSuffix(unescape(id), name)
	return ok && len(name) > 1 && head != "" && strings.IndexByte(idJoints, head[len(head)-1]) >= 0
}

// syntaxAt is the syntax in which Section i stands. Code may begin as YAML does, as
// with "class A:".
func (d *Doc) syntaxAt(i int) syntax {
	home := d.part(d.home[i])
	is := d.syntaxIn(home)
	if is == syntaxYAML && d.named && home.space.kind != flow.AnswerDecoded {
		return d.syntax
	}
	return is
}

// sameHash reports whether one of two hashes is the beginning of the other, as git
// shortens them.
func sameHash(id, name string) bool {
	const least, most = 7, 64 // of SHA-256
	if len(id) < least || len(name) < least || len(id) == len(name) || len(name) > most {
		return false
	}
	long, short := id, strings.ToLower(name)
	if len(long) < len(short) {
		long, short = short, long
	}
	return strings.HasPrefix(long, short) && strings.Trim(long, "0123456789abcdef") == "" && strings.ContainsAny(long, "abcdef")
}

// within finds the Sections that the last of several names calls, where the others
// are words of its path in this order: P/move is impl-P<T>/move, S/Run is S.Run. In
// data, which JSON, YAML and XML are, a path leaves out no level.
func (d *Doc) within(path string) (found []part) {
	names := strings.Split(unescape(strings.Trim(path, "/")), "/")
	last := names[len(names)-1]
	if _, ok := position(last); ok || len(names) < 2 || len(names) > maxSlashes || last == "" {
		return nil
	}
	id, slug := abi.Segment(last), slugOf(last)
	for i := range d.sections {
		s := &d.sections[i]
		ends := endsWith(s.ID, last)
		if !ends && !called(s.ID, id) && (slug == "" || !called(s.ID, slug)) || s.Kind == abi.SectionGroup || d.syntaxAt(i) != syntaxText {
			continue
		}
		above := d.sectionPath(d.owner[i])
		if ends {
			above = d.sectionPath(int32(i))
			above = strings.TrimSuffix(unescape(above), last)
		}
		if inOrder(unescape(above), names[:len(names)-1]) && len(found) < maxFits {
			found = append(found, d.part(int32(i)))
		}
	}
	return found
}

// inOrder reports whether the names are words of a text, one behind the other.
func inOrder(text string, names []string) bool {
	for _, name := range names {
		at := wordAt(text, name)
		if at < 0 {
			return false
		}
		text = text[at+len(name):]
	}
	return true
}

// wordAt returns where word stands in text with no letter, digit or _ round it, or -1.
func wordAt(text, word string) int {
	for from := 0; word != ""; {
		i := strings.Index(text[from:], word)
		if i < 0 {
			return -1
		}
		before, _ := utf8.DecodeLastRuneInString(text[:from+i])
		after, _ := utf8.DecodeRuneInString(text[from+i+len(word):])
		if standsAlone(before, after) {
			return from + i
		}
		from += i + 1
	}
	return -1
}

func standsAlone(before, after rune) bool {
	return before != '_' && after != '_' && !isWord(before) && !isWord(after)
}

// beneath is the leaf below which a path goes on, where its type has no inner
// paths and what the path names further is in the leaf: else an answer with the
// bytes of the leaf would say that they are what was asked for.
func (d *Doc) beneath(path string) []part {
	segments := strings.Split(strings.Trim(path, "/"), "/")
	reached, left := d.reach(segments)
	if len(left) == 0 || len(left) == len(segments) || len(reached) != 1 || !d.bottom(&reached[0]) {
		return nil
	}
	p := &reached[0]
	is := d.syntaxIn(*p)
	sure := is == syntaxXML || is == syntaxYAML // a position there may be one of its items
	for _, seg := range left {
		if _, ok := position(seg); ok || seg == "text()" {
			continue
		}
		if !speaksOf(p.bytes(), unescape(seg)) {
			return nil
		}
		sure = true
	}
	if !sure {
		return nil
	}
	return reached
}

// reach follows segments as far as they lead, from the root or else from any Section
// that the first of them names.
func (d *Doc) reach(segments []string) (reached []part, left []string) {
	reached, left = d.walk([]part{d.top()}, segments, false)
	if len(left) == len(segments) {
		if from := d.anywhere(segments[0]); len(from) > 0 {
			reached, left = d.walk(from, segments[1:], false)
		}
	}
	return sections(reached), left
}

// bottom reports whether p is a leaf of a type in which a path ends there.
func (d *Doc) bottom(p *part) bool {
	if p.kind != partSection || p.space == nil || len(d.kids.of(p.sec)) > 0 {
		return false
	}
	if d.named || p.space.kind == flow.AnswerDecoded {
		return d.syntaxIn(*p) != syntaxJSON
	}
	_, isJSON := d.jsonStart(p)
	return !isJSON
}

// speaksOf reports whether a name of a path is in the text of a leaf, as it is
// written, as a slug, as tag=value or with the number of an equal one.
func speaksOf(text []byte, name string) bool {
	name = strings.TrimPrefix(name, "@") // an attribute
	if key, value, ok := strings.Cut(name, "="); ok {
		return holdsWord(text, key) && holdsWord(text, value)
	}
	if i := strings.LastIndexByte(name, '-'); i > 0 && numbered(name, name[:i]) && holdsWord(text, name[:i]) {
		return true
	}
	return holdsWord(text, name) || holdsWord(text, strings.ReplaceAll(name, "-", " "))
}

// holdsWord reports whether text has a name as a word, whatever its case.
func holdsWord(text []byte, name string) bool {
	if name == "" {
		return false
	}
	n := makeNeedle(name)
	f := n.in(text)
	for from := 0; ; {
		at, end := f.next(from)
		if at < 0 {
			return false
		}
		before, _ := utf8.DecodeLastRune(text[:at])
		after, _ := utf8.DecodeRune(text[end:])
		if standsAlone(before, after) {
			return true
		}
		from = at + 1
	}
}
