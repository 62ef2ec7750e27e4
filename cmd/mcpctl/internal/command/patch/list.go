package patch

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/host/strictyaml"
)

// editList adds and removes items of a list of strings with one item per line, in block style or
// between brackets. The lines of other items and comments are unchanged.
func (c change) editList(lines []string, at span) ([]string, bool) {
	l, ok := listAt(lines, at)
	want, isList := stringsOf(c.value)
	if !ok || !isList {
		return nil, false
	}
	var kept []string
	place, last := 0, -1 // insertion point; index of the last kept item
	for _, line := range lines[l.from:l.to] {
		item, ok := l.itemOn(line)
		if !ok {
			kept = append(kept, line)
			continue
		}
		l.indent, _ = indentOf(line)
		if i := slices.Index(want, item); i >= 0 {
			want = slices.Delete(want, i, i+1)
			kept, last = append(kept, line), len(kept)
		}
		place = len(kept)
	}
	if last >= 0 && len(want) > 0 && l.flow {
		kept[last] = withComma(kept[last])
	}
	var added []string
	for _, item := range want {
		added = append(added, l.line(item))
	}
	head := slices.Clone(lines[:l.from])
	if last < 0 && len(added) == 0 && !l.flow {
		key := head[at.from]
		head[at.from] = key[:keyEnd(key)] + " []" + key[keyEnd(key):]
	}
	return slices.Concat(head, kept[:place], added, kept[place:], lines[l.to:]), true
}

// list is the range of lines of a list below its key.
type list struct {
	span
	flow   bool
	indent string // indentation of the items
}

// listAt returns the lines of the list that is the value of a field.
func listAt(lines []string, at span) (list, bool) {
	key := lines[at.from]
	outer, _ := indentOf(key)
	value := strings.TrimSpace(strings.TrimSuffix(key[keyEnd(key):], commentOf(key[keyEnd(key):])))
	l := list{span: span{at.from + 1, at.below(lines).to}, indent: outer + "  "}
	if value == "" {
		return l, true
	}
	l.flow = true
	l.to = l.from
	for l.to < len(lines) && !strings.HasPrefix(strings.TrimSpace(lines[l.to]), "]") {
		l.to++
	}
	return l, value == "[" && l.to < len(lines)
}

// itemOn returns the item on a line; ok is false for a comment or a blank line.
func (l list) itemOn(line string) (item string, ok bool) {
	item = strings.TrimSpace(strings.TrimSuffix(line, commentOf(line)))
	if l.flow {
		item = strings.TrimSpace(strings.TrimSuffix(item, ","))
	} else {
		item = strings.TrimSpace(strings.TrimPrefix(item, "-"))
	}
	if strings.HasPrefix(item, `"`) {
		var text string
		if json.Unmarshal([]byte(item), &text) == nil {
			return text, true
		}
	}
	if n := len(item); n > 1 && item[0] == '\'' && item[n-1] == '\'' {
		return item[1 : n-1], true
	}
	return item, item != "" && item[0] != '#'
}

// line formats an item.
func (l list) line(item string) string {
	quoted, _ := json.Marshal(item) // encoding a string never fails
	text := plain(strictyaml.Value{Type: strictyaml.String, Text: item}, quoted)
	if l.flow {
		return l.indent + text + ","
	}
	return l.indent + "- " + text
}

// withComma adds a comma after the item on a line, before its comment.
func withComma(line string) string {
	comment := commentOf(line)
	return strings.TrimSuffix(strings.TrimRight(strings.TrimSuffix(line, comment), " "), ",") + "," + comment
}

func stringsOf(v strictyaml.Value) (texts []string, ok bool) {
	for _, item := range v.Items {
		if item.Type != strictyaml.String {
			return nil, false
		}
		texts = append(texts, item.Text)
	}
	return texts, v.Type == strictyaml.List
}
