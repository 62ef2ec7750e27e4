package syntax

import (
	"bytes"
	"fmt"
)

// declarations describes how a text declares names with members, by lines and their
// indentation. The keys are documented in docs/authoring.md.
//
// Lines that are indented deeper than a declaration belong to it. This reads any language in
// one pass and without its grammar. Code with another indentation has fewer members than
// it declares, never those of another declaration.
type declarations struct {
	Forms  []formEntry `json:"forms"`
	Joins  string      `json:"joins"`
	Closes string      `json:"closes"`
	Skips  string      `json:"skips"`
	Leads  string      `json:"leads"`
	Opaque [][2]string `json:"opaque"`

	forms                       []form
	joins, closes, skips, leads *pattern
}

// formEntry describes one form of declarations.
type formEntry struct {
	Before string `json:"before"`
	After  string `json:"after"`
	Holds  bool   `json:"holds"`
	Direct bool   `json:"direct"`
}

// form is one form of declarations.
type form struct {
	before, after *pattern // of the text before the name in its line, and of the text after it
	holds         bool     // it has members
	direct        bool     // it is declared only directly below a declaration that has members
}

// compile compiles the patterns.
func (d *declarations) compile() error {
	const maxForms, maxOpaque = 8, 8
	if len(d.Forms) > maxForms || len(d.Opaque) > maxOpaque {
		return fmt.Errorf("declarations: %d forms and %d opaque, limit %d", len(d.Forms), len(d.Opaque), maxForms)
	}
	for i, e := range d.Forms {
		f := form{holds: e.Holds, direct: e.Direct}
		var err error
		if f.before, err = compileKey("before", e.Before); err != nil {
			return fmt.Errorf("declarations: form %d: %w", i, err)
		}
		if f.after, err = compileKey("after", e.After); err != nil {
			return fmt.Errorf("declarations: form %d: %w", i, err)
		}
		if f.after == nil || f.before == nil && !f.direct {
			return fmt.Errorf("declarations: form %d: before and after are required", i)
		}
		d.forms = append(d.forms, f)
	}
	for i, o := range d.Opaque {
		if o[0] == "" || o[1] == "" {
			return fmt.Errorf("declarations: opaque, entry %d: want a beginning and an end", i)
		}
	}
	for _, k := range []struct {
		to        **pattern
		key, expr string
	}{{&d.joins, "joins", d.Joins}, {&d.closes, "closes", d.Closes}, {&d.skips, "skips", d.Skips}, {&d.leads, "leads", d.Leads}} {
		p, err := compileKey(k.key, k.expr)
		if err != nil {
			return fmt.Errorf("declarations: %w", err)
		}
		*k.to = p
	}
	return nil
}

// HasDeclarations reports whether the syntax declares how texts declare names.
func (s *Syntax) HasDeclarations() bool { return s.declarations != nil }

// Declarations returns the spans of up to limit declarations of a name in a text, at any
// depth, with the comments and attributes directly above them.
func (s *Syntax) Declarations(text []byte, name string, limit int) [][2]int {
	return s.findDeclarations(text, name, limit, func(*declaration) bool { return true })
}

// Members returns the spans of up to limit declarations of a name directly below an
// outermost declaration of a text.
func (s *Syntax) Members(text []byte, name string, limit int) [][2]int {
	return s.findDeclarations(text, name, limit, func(d *declaration) bool { return d.level == 1 })
}

// DeclaresFirst reports whether the first declaration of a text has this name and has
// members.
func (s *Syntax) DeclaresFirst(text []byte, name string) bool {
	first := false
	s.findDeclarations(text, name, 1, func(d *declaration) bool {
		first = d.level == 0 && d.holds
		return true
	})
	return first
}

// declaration is a declaration that a scanner has found.
type declaration struct {
	level int  // the number of declarations around it
	holds bool // it has members
}

func (s *Syntax) findDeclarations(text []byte, name string, limit int, accept func(*declaration) bool) [][2]int {
	if s.declarations == nil || name == "" || len(name) > maxName || !bytes.Contains(text, []byte(name)) {
		return nil
	}
	sc := declScanner{declarations: s.declarations, text: text, name: []byte(name), limit: limit, accept: accept, lead: -1}
	sc.scan()
	return sc.found
}

// maxHead is the number of bytes of a line in which a declaration is recognised.
const maxHead = 256

// declScanner finds the declarations of one name.
type declScanner struct {
	*declarations
	text   []byte
	name   []byte
	limit  int
	accept func(*declaration) bool

	open    []openLine
	found   [][2]int
	lead    int    // start of the comments and attributes above the next line, -1 if there are none
	closing string // end of the opaque text that a line is in, or ""
	last    int    // end of the last line that belongs to the innermost open line

	isComment bool // the line before is a comment
	owner     int  // the open line that the comment belongs to, -1 for none
}

// openLine is a line that lines below it may belong to.
type openLine struct {
	start, code int // of the line, and of its text after the indentation
	lead        int // start of the comments and attributes above
	found       int // index of its span in found plus one, 0 if it is not accepted
	last        int // end of the last comment that belongs to it
	isLead      bool
	isBroken    bool // the indentation does not show what is in it
	form        int8 // its form plus one, 0: none, unread: unknown
}

const unread = -1

// scan reads the text line by line.
func (s *declScanner) scan() {
	for at := 0; at < len(s.text); {
		end := len(s.text)
		if i := bytes.IndexByte(s.text[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		s.addLine(at, end)
		at = end
	}
	s.closeFrom(0)
	kept := s.found[:0]
	for _, span := range s.found {
		if span[1] > 0 {
			kept = append(kept, span)
		}
	}
	s.found = kept
}

// addLine adds the line text[start:end].
func (s *declScanner) addLine(start, end int) {
	code := start
	for code < end && (s.text[code] == ' ' || s.text[code] == '\t') {
		code++
	}
	line := s.text[code:end]
	if s.closing != "" { // in a text of several lines
		s.extend(end)
		s.readOpaque(line)
		return
	}
	if len(bytes.TrimRight(line, "\r\n\f")) == 0 {
		s.lead = -1
		return
	}
	defer s.readOpaque(line)
	isLead := s.leads.begins(line)
	if isLead && s.lead < 0 {
		s.lead = start
	}
	if s.skips.begins(line) {
		if !isLead {
			s.lead = -1
		}
		s.owner = len(s.open) - 1
		for s.owner >= 0 && !s.isInside(&s.open[s.owner], start, code) {
			s.owner--
		}
		s.isComment = true
		s.extend(end)
		return
	}
	s.isComment = false
	if s.closeFor(start, code, line) {
		s.last, s.lead = end, -1
		return
	}
	l := openLine{start: start, code: code, lead: start, form: unread, isLead: isLead}
	if s.lead >= 0 && s.hasIndent(s.lead, s.text[start:code]) {
		l.lead = s.lead
	}
	if !isLead {
		s.lead = -1
		s.addCandidate(&l, line)
	}
	s.open = append(s.open, l)
	s.last = end
}

// extend extends the line that a comment belongs to, or else the last line, to an offset.
func (s *declScanner) extend(end int) {
	switch {
	case !s.isComment:
		s.last = end
	case s.owner >= 0:
		s.open[s.owner].last = end
	}
}

// hasIndent reports whether the line that begins at an offset has this indentation.
func (s *declScanner) hasIndent(at int, indent []byte) bool {
	rest, ok := bytes.CutPrefix(s.text[at:], indent)
	return ok && len(rest) > 0 && rest[0] != ' ' && rest[0] != '\t'
}

// isInside reports whether a line is indented deeper than an open line.
func (s *declScanner) isInside(l *openLine, start, code int) bool {
	indent := s.text[l.start:l.code]
	return code-start > len(indent) && bytes.HasPrefix(s.text[start:code], indent)
}

// closeFor closes the open lines that a line does not belong to. It reports whether the
// line continues one of them.
func (s *declScanner) closeFor(start, code int, line []byte) bool {
	joins := s.joins.begins(line)
	for i := len(s.open) - 1; i >= 0; i-- {
		l := &s.open[i]
		if s.isInside(l, start, code) {
			l.isBroken = l.isBroken || s.closes.begins(line) // what it closes does not begin in its column
			return false
		}
		if joins && bytes.Equal(s.text[start:code], s.text[l.start:l.code]) {
			l.isBroken = l.isBroken || s.closes.begins(line) // its body has ended
			return true
		}
		if l.isLead && s.lead < 0 && bytes.Equal(s.text[start:code], s.text[l.start:l.code]) && s.last == start {
			s.lead = l.lead // an attribute of several lines
		}
		s.closeFrom(i)
	}
	return false
}

// closeFrom closes the open lines from index i on.
func (s *declScanner) closeFrom(i int) {
	for j := len(s.open) - 1; j >= i; j-- {
		l := &s.open[j]
		l.last = max(l.last, s.last)
		if l.found > 0 {
			s.found[l.found-1][1] = l.last
		}
		if j > 0 {
			s.open[j-1].last = max(s.open[j-1].last, l.last)
		}
	}
	s.open = s.open[:i]
}

// addCandidate adds the declaration of the name that begins on line l, if there is one.
func (s *declScanner) addCandidate(l *openLine, line []byte) {
	if len(s.found) >= s.limit {
		return
	}
	line = line[:min(len(line), maxHead)]
	for at := 0; ; at++ {
		next := bytes.Index(line[at:], s.name)
		if next < 0 {
			return
		}
		at += next
		if at > 0 && isWordByte(line[at-1]) && isWordByte(s.name[0]) {
			continue
		}
		for i := range s.forms {
			f := &s.forms[i]
			if !f.matches(s.text, l.code, l.code+at, l.code+at+len(s.name)) {
				continue
			}
			d := declaration{holds: f.holds}
			if !s.place(&d, f) {
				continue
			}
			l.form = int8(i + 1)
			if s.accept(&d) {
				s.found = append(s.found, [2]int{l.lead, 0})
				l.found = len(s.found)
			}
			return
		}
	}
}

// matches reports whether the name text[at:end] in the line that begins at code has this form.
func (f *form) matches(text []byte, code, at, end int) bool {
	if end < len(text) && isWordByte(text[end]) {
		return false
	}
	if f.before == nil && at > code || f.before != nil && !f.before.matches(text[code:at]) {
		return false
	}
	return f.after.matchesStart(text[end:min(len(text), end+2*maxHead)])
}

// place computes the level of a declaration below the open lines. It reports false for a
// declaration that cannot be at this place.
func (s *declScanner) place(d *declaration, f *form) bool {
	isDirect := true
	for i := len(s.open) - 1; i >= 0; i-- {
		l := &s.open[i]
		if l.isBroken {
			return false
		}
		form := s.formOf(l)
		if form == nil {
			isDirect = isDirect && s.joins.begins(s.text[l.code:])
			continue
		}
		if d.level == 0 && f.direct && !(isDirect && form.holds) {
			return false
		}
		if !form.holds {
			d.level++ // local to a function
		}
		d.level++
	}
	return d.level > 0 || !f.direct
}

// formOf returns the form of the declaration that begins on an open line, or nil.
func (s *declScanner) formOf(l *openLine) *form {
	if l.form == unread {
		l.form = 0
		s.readForm(l)
	}
	if l.form == 0 {
		return nil
	}
	return &s.forms[l.form-1]
}

// readForm finds the form of the declaration of any name that begins on an open line.
func (s *declScanner) readForm(l *openLine) {
	end := l.code
	for end < len(s.text) && end-l.code < maxHead && s.text[end] != '\n' {
		end++
	}
	for at := l.code; at < end; {
		if !isWordByte(s.text[at]) {
			at++
			continue
		}
		word := at
		for at < end && isWordByte(s.text[at]) {
			at++
		}
		for i := range s.forms {
			if s.forms[i].matches(s.text, l.code, word, at) {
				l.form = int8(i + 1)
				return
			}
		}
	}
}

// readOpaque follows texts of several lines, such as comments and long strings, through a
// line. Quotes that end on the line hide the beginning of such a text.
func (s *declScanner) readOpaque(line []byte) {
	for i := 0; i < len(line); {
		if s.closing != "" {
			end := bytes.Index(line[i:], []byte(s.closing))
			if end < 0 {
				return
			}
			i += end + len(s.closing)
			s.closing = ""
			continue
		}
		if n := s.openingAt(line[i:]); n > 0 {
			i += n
			continue
		}
		c := line[i]
		i++
		if c != '"' && c != '\'' {
			continue
		}
		for j := i; j < min(len(line), i+maxHead); j++ {
			if line[j] == '\\' {
				j++
			} else if line[j] == c {
				i = j + 1
				break
			}
		}
	}
}

// openingAt returns the size of the beginning of an opaque text at the start of line, or 0.
func (s *declScanner) openingAt(line []byte) int {
	for _, o := range s.Opaque {
		if line[0] == o[0][0] && bytes.HasPrefix(line, []byte(o[0])) {
			s.closing = o[1]
			return len(o[0])
		}
	}
	return 0
}

// isWordByte reports whether c may be part of a name.
func isWordByte(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c-'0' <= 9 || c == '_' || c == '$' || c >= 0x80
}
