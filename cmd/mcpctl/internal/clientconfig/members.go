package clientconfig

import (
	"bytes"

	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// insert adds a member to an object after the member called after, or as the first one if there is
// no
// such member. Comments and commas of other members are unchanged.
func (d *document) insert(at place, entry, after string) []byte {
	members := d.children(at.start)
	newline := d.style.before(at.depth + 1)
	if len(members) == 0 {
		return d.fill(at, entry)
	}
	previous, ok := d.member(at.start, after)
	if !ok {
		return splice(d.text, members[0].KeyStart, members[0].KeyStart, entry+","+newline)
	}
	comma := d.next(previous.End)
	hasComma := d.commas[comma] == ','
	from := previous.End
	if hasComma {
		from = comma + 1
	}
	to := afterLineComments(d.text, from)
	if to > from && newline == "" {
		newline = d.style.newline // a line comment would swallow the entry
	}
	if hasComma {
		return splice(d.text, to, to, newline+entry+",")
	}
	return splice(splice(d.text, to, to, newline+entry), from, from, ",")
}

// fill adds the first member to an object, after any comments.
func (d *document) fill(at place, entry string) []byte {
	inner := bytes.TrimRight(d.text[at.start+1:at.end-1], " \t\r\n")
	newline := d.style.before(at.depth + 1)
	if len(inner) == 0 {
		return splice(d.text, at.start, at.end, "{"+newline+entry+d.style.before(at.depth)+"}")
	}
	if newline == "" {
		newline = d.style.newline
	}
	end := at.start + 1 + len(inner)
	return splice(d.text, end, end, newline+entry)
}

// remove removes a member from an object, with its comma and its line.
func (d *document) remove(at place, name string) []byte {
	members := d.children(at.start)
	for i, m := range members {
		if !jsonspan.KeyIs(d.view[m.KeyStart:m.KeyEnd], name) {
			continue
		}
		if len(members) == 1 && len(bytes.TrimSpace(d.text[at.start+1:m.KeyStart])) == 0 && d.isBlankTo(m.End, at.end-1) {
			return splice(d.text, at.start, at.end, "{}")
		}
		comma := d.next(m.End)
		if d.commas[comma] == ',' {
			return d.cut(m, comma)
		}
		if i == 0 {
			return d.cut(m, -1)
		}
		before := d.next(members[i-1].End)
		if len(bytes.TrimSpace(d.text[before+1:m.KeyStart])) == 0 {
			return splice(d.text, before, m.End, "")
		}
		return splice(d.cut(m, -1), before, before+1, "")
	}
	return d.text
}

// cut removes a member and the comma after it, if there is one. Lines that become empty are removed
// too.
func (d *document) cut(m jsonspan.Member, comma int) []byte {
	start, end := m.KeyStart, m.End
	text := d.text
	if comma >= 0 && d.isBlankTo(m.End, comma) {
		end = comma + 1
	} else if comma >= 0 { // a comment is in between
		text = splice(text, comma, comma+1, "")
	}
	rest := end
	for rest < len(text) && (text[rest] == ' ' || text[rest] == '\t') {
		rest++
	}
	switch {
	case rest == len(text) || text[rest] == '\r' || text[rest] == '\n':
		start = lineBreakBefore(text, start)
	case commentEnd(text, rest) == rest && text[rest] != '}':
		end = rest // the next member is in the same line
	}
	return splice(text, start, end, "")
}

// lineBreakBefore returns the offset of the line break before at if only indentation separates
// them,
// otherwise at.
func lineBreakBefore(text []byte, at int) int {
	i := at
	for i > 0 && (text[i-1] == ' ' || text[i-1] == '\t') {
		i--
	}
	if i == 0 || text[i-1] != '\n' {
		return at
	}
	i--
	if i > 0 && text[i-1] == '\r' {
		i--
	}
	return i
}

// next returns the offset of the first byte at or after at that is neither blank nor in a comment.
func (d *document) next(at int) int {
	for at < len(d.commas)-1 && isBlank(d.commas[at]) {
		at++
	}
	return at
}

func (d *document) isBlankTo(start, end int) bool {
	return len(bytes.Trim(d.text[start:end], " \t\r\n,")) == 0
}

// lastKey returns the name of an object's last member, or "" if the object is empty.
func (d *document) lastKey(at place) string {
	members := d.children(at.start)
	if len(members) == 0 {
		return ""
	}
	m := members[len(members)-1]
	name, err := jsonspan.Unquote(d.view[m.KeyStart:m.KeyEnd])
	if err != nil {
		return ""
	}
	return string(name)
}
