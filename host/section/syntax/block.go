package syntax

import (
	"bytes"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
)

// yamlBlocks returns the blocks of a key: from the start of its line to the next
// line that is not indented deeper. The items of a list may be in the column of
// the key itself.
func yamlBlocks(text []byte, start, end int, name string) (found [][2]int) {
	if !bytes.Contains(text[start:end], []byte(name)) {
		return nil
	}
	open, scalar := -1, -1 // columns of the key whose block, and of the key whose block scalar, is open
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
		if len(key) > 0 && endsWithScalarMark(line) {
			scalar = column
		}
		at = next
	}
	return found
}

// lineStart returns the start of the line that contains at, because a leaf may
// begin within its line. It looks back a bounded distance: otherwise each leaf of
// a text on one line would scan all leaves before it.
func lineStart(text []byte, at int) int {
	const maxBack = 80
	from := max(0, at-maxBack)
	if i := bytes.LastIndexByte(text[from:at], '\n'); i >= 0 || from == 0 {
		return from + i + 1
	}
	return at
}

// yamlKey returns the key in a line, after any dashes, and its column.
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

// endsWithScalarMark reports whether a line ends with | or >, which begin a block
// scalar, and their indicators.
func endsWithScalarMark(line []byte) bool {
	i := bytes.LastIndexByte(line, ' ')
	return i >= 0 && i+1 < len(line) && (line[i+1] == '|' || line[i+1] == '>') && len(line)-i <= len(" |2-")
}

// htmlBlocks returns the headings with this title, each with the text below it.
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
		h.add(level, at, string(replaceTags(text[at:at+min(closing, maxHeading)], "")))
		at += closing
	}
	return h.closeAt(end)
}

// maxHeading bounds the bytes of an HTML heading that are examined, attributes
// included: finding the end of a tag may scan the rest of the text, and a text
// may have as many tags as bytes.
const maxHeading = 1000

// withoutTags replaces each tag by a blank, and drops a tag that is cut off at the
// end.
func withoutTags(html []byte) []byte {
	if i := bytes.LastIndexByte(html, '<'); i > 0 && tagEnd(html[i:]) < 0 {
		html = html[:i]
	}
	return replaceTags(html, " ")
}

func replaceTags(html []byte, by string) []byte {
	out := make([]byte, 0, len(html))
	for len(html) > 0 {
		if n := tagEnd(html); html[0] == '<' && n > 0 {
			out, html = append(out, by...), html[n:]
			continue
		}
		out, html = append(out, html[0]), html[1:]
	}
	return out
}

// markdownBlocks returns the headings with this title, lines of # signs outside
// of code fences, each with the text below it.
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
	return h.closeAt(end)
}

// headings collects the headings with one title. Each extends to the next heading
// of the same or a higher level.
type headings struct {
	slug  string
	found [][2]int
	open  int // level of the last one while it extends, else 0
}

func (h *headings) add(level, at int, title string) {
	if h.open > 0 && level <= h.open {
		h.found[len(h.found)-1][1], h.open = at, 0
	}
	if h.open == 0 && abi.Slug(title) == h.slug {
		h.found, h.open = append(h.found, [2]int{at, at}), level
	}
}

func (h *headings) closeAt(end int) [][2]int {
	if h.open > 0 {
		h.found[len(h.found)-1][1] = end
	}
	return h.found
}
