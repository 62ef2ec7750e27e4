package section

import (
	"bytes"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
)

// blockScan finds in a text from start to end what is called name, those inside of
// others of them left out, as spans.
type blockScan func(text []byte, start, end int, name string) [][2]int

// blockScan is how leaves of this type are searched for what they call by a name, and
// for what is no Section because it is small; nil if that has no names.
func (d *Doc) blockScan() blockScan {
	switch d.typeName {
	case "yaml":
		return yamlBlocks
	case "html":
		return htmlBlocks
	case "markdown", "prose", "mixed":
		return markdownBlocks
	}
	return nil
}

// blocksBelow are the blocks of that name in the leaf that p is.
func (d *Doc) blocksBelow(p *part, name string, scan blockScan) (found []part) {
	if p.kind != partSection || p.sec < 0 || p.space != d.original || len(d.kids.of(p.sec)) > 0 {
		return nil
	}
	in := leaf{&origin{base: p}}
	for _, at := range scan(p.space.text, p.start, p.end, name) {
		found = append(found, in.element(at[0], at[1]))
	}
	return found
}

// isTitled reports whether p is a Section of this name, a number behind it apart.
func (d *Doc) isTitled(p *part, name string) bool {
	if p.kind != partSection || p.sec < 0 || d.isKind(p, abi.SectionGroup) {
		return false
	}
	s := &d.sections[p.sec]
	slug := abi.Slug(name)
	return called(s.ID, abi.Segment(name)) || slug != "" && called(s.ID, slug) || titled(s, name, slug)
}

// headed finds what is called by a path of one name in leaves, wherever they are.
func (d *Doc) headed(path string) []part {
	if name := strings.Trim(path, "/"); d.blockScan() != nil && !strings.Contains(name, "/") {
		return d.anyBelow([]part{d.top()}, name)
	}
	return nil
}

// yamlBlocks finds the blocks of a key: from the start of its line to the next one that
// is not indented deeper; items of a list may stand below the key itself.
func yamlBlocks(text []byte, start, end int, name string) (found [][2]int) {
	if !bytes.Contains(text[start:end], []byte(name)) {
		return nil
	}
	open, scalar := -1, -1 // column of the key whose block, of one whose long text runs
	for at := start; at < end; {
		next := end
		if i := bytes.IndexByte(text[at:end], '\n'); i >= 0 {
			next = at + i + 1
		}
		begin := lineStart(text, at)
		line := bytes.TrimRight(text[begin:next], blanks)
		column := len(line) - len(bytes.TrimLeft(line, " "))
		item := column < len(line) && line[column] == '-'
		if len(line) == column || scalar >= 0 && column > scalar {
			at = next
			continue
		}
		scalar = -1
		if n := len(found) - 1; open >= 0 && (column < open || column == open && !item) {
			found[n][1], open = at, -1
		}
		key, column := yamlKey(line)
		if open < 0 && string(key) == name {
			found, open = append(found, [2]int{at, end}), column
		}
		if len(key) > 0 && isScalarMark(line) {
			scalar = column
		}
		at = next
	}
	return found
}

// lineStart is where the line begins that holds at, since a leaf may begin within its
// line. Not at once if that is far: leaves of a text on one line would each go back over
// all before them.
func lineStart(text []byte, at int) int {
	from := max(0, at-titleBytes)
	if i := bytes.LastIndexByte(text[from:at], '\n'); i >= 0 || from == 0 {
		return from + i + 1
	}
	return at
}

// yamlKey is the key in a line, dashes before it passed over, and where it stands.
func yamlKey(line []byte) (key []byte, column int) {
	for column < len(line) && (line[column] == ' ' || line[column] == '-' && column+1 < len(line) && line[column+1] == ' ') {
		column++
	}
	key, value, ok := bytes.Cut(line[column:], []byte(":"))
	if !ok || len(value) > 0 && value[0] != ' ' {
		return nil, column
	}
	return bytes.Trim(key, `"'`), column
}

// isScalarMark reports whether a line ends with the sign that text follows: | or >,
// with what may stand behind these.
func isScalarMark(line []byte) bool {
	i := bytes.LastIndexByte(line, ' ')
	return i >= 0 && i+1 < len(line) && (line[i+1] == '|' || line[i+1] == '>') && len(line)-i <= len(" |2-")
}

// htmlBlocks finds the headings of that title, each with what stands below it.
func htmlBlocks(text []byte, start, end int, name string) [][2]int {
	h := headings{slug: abi.Slug(name)}
	if h.slug == "" {
		return nil
	}
	for at := start; at < end; {
		i := bytes.Index(text[at:end], []byte("<h"))
		if i < 0 {
			break
		}
		at += i
		level := 0
		if at+4 < end && text[at+2]-'1' < 6 && strings.IndexByte(" >\t\r\n", text[at+3]) >= 0 {
			level = int(text[at+2] - '0')
		}
		if level == 0 {
			at += len("<h")
			continue
		}
		closing := bytes.Index(text[at:end], []byte{'<', '/', 'h', text[at+2]})
		if closing < 0 {
			break
		}
		h.add(level, at, untagged(text[at:at+min(closing, mostHeading)], ""))
		at += closing
	}
	return h.until(end)
}

// mostHeading is how much of a heading of HTML is looked at, its attributes included: to
// find where a tag ends may take a look at all of it, and there may be as many as bytes.
const mostHeading = 1000

// untagged is what a reader sees of some HTML, with something in place of each tag.
func untagged(html []byte, tag string) string {
	out := make([]byte, 0, len(html))
	for len(html) > 0 {
		if n := tagEnd(html); html[0] == '<' && n > 0 {
			out, html = append(out, tag...), html[n:]
			continue
		}
		out, html = append(out, html[0]), html[1:]
	}
	return string(out)
}

// markdownBlocks does the same for lines of # signs outside of fences.
func markdownBlocks(text []byte, start, end int, name string) [][2]int {
	h := headings{slug: abi.Slug(name)}
	if h.slug == "" {
		return nil
	}
	fence := ""
	at := start
	for line := range bytes.Lines(text[start:end]) {
		body := strings.TrimSpace(string(line[:min(len(line), 512)]))
		title := strings.TrimLeft(body, "#")
		switch level := len(body) - len(title); {
		case fence != "":
			if strings.HasPrefix(body, fence) {
				fence = ""
			}
		case strings.HasPrefix(body, "```"), strings.HasPrefix(body, "~~~"):
			fence = body[:3]
		case 0 < level && level <= 6 && strings.HasPrefix(title, " "):
			h.add(level, at, title)
		}
		at += len(line)
	}
	return h.until(end)
}

// headings collects those of one title, with what stands below each up to the next of
// the same or a higher level.
type headings struct {
	slug  string
	found [][2]int
	open  int // level of the last one, as long as it goes on
}

func (h *headings) add(level, at int, title string) {
	if h.open > 0 && level <= h.open {
		h.found[len(h.found)-1][1], h.open = at, 0
	}
	if h.open == 0 && abi.Slug(title) == h.slug {
		h.found, h.open = append(h.found, [2]int{at, at}), level
	}
}

func (h *headings) until(end int) [][2]int {
	if h.open > 0 {
		h.found[len(h.found)-1][1] = end
	}
	return h.found
}

// repeats reports whether a Section is one of several with the same heading.
func (d *Doc) repeats(i int32) bool {
	if d.typeName == "yaml" || d.blockScan() == nil {
		return false
	}
	id := d.sections[i].ID
	if at := strings.LastIndexByte(id, '-'); at > 0 && numbered(id, id[:at]) {
		_, ok := d.child(d.owner[i], id[:at])
		return ok
	}
	_, ok := d.child(d.owner[i], id+"-2")
	return ok
}

// begins is how the text below the heading of a Section begins, which tells it from
// others with the same heading.
func (d *Doc) begins(p *part) string {
	text := p.bytes()
	text = text[:min(len(text), mostHeading)]
	if d.typeName == "html" {
		if i := bytes.LastIndexByte(text, '<'); i > 0 && tagEnd(text[i:]) < 0 {
			text = text[:i]
		}
		text = []byte(untagged(text, " "))
	}
	seen := strings.TrimLeft(clean(text, mostHeading), "# ")
	rest, ok := strings.CutPrefix(seen, d.sections[p.sec].Title)
	if !ok {
		return ""
	}
	return strings.TrimLeft(rest, " #=-*:")
}
