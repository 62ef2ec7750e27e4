package hcl

import (
	"bytes"
	"strconv"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/items"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/rows"
)

// name is the part.Doc.Name of a text. The title of a block of Terraform begins with the
// address by which expressions refer to it: var.region.
func (s *scanner) name(i int, n *part.Name) {
	in := s.infos[i]
	n.ID = s.appendID(n.ID, int32(i), maxLabels)
	start := 0
	switch in.form {
	case attribute:
		n.Title = caption.Append(n.Title, n.ID, rows.MaxTitle)
		n.Title = caption.Append(append(n.Title, ": "...), s.Slice(in.value), rows.MaxTitle)
		n.Title = caption.Cut(n.Title, 0, rows.MaxTitle)
		return
	case object:
		n.Title = caption.Append(n.Title, n.ID, rows.MaxTitle)
	default:
		n.Title = appendAddress(n.Title, n.ID, in.labels)
		n.Title = caption.Cut(n.Title, 0, rows.MaxTitle)
	}
	start = len(n.Title)
	n.Title = s.appendContent(append(n.Title, ": "...), int32(i))
	if len(n.Title) == start+len(": ") {
		n.Title = append(n.Title, "empty"...)
	}
	n.Title = caption.Cut(n.Title, 0, rows.MaxTitle)
}

// appendID appends the name of an item, with up to so many labels: resource.aws_instance.web.
func (s *scanner) appendID(dst []byte, i int32, labels int) []byte {
	text := s.Slice(s.Items[i].Name)
	if s.infos[i].form != block {
		return append(dst, text...)
	}
	t := tokens{b: text}
	dst = append(dst, t.word()...)
	for range labels {
		t.skipBlanks()
		from := t.at
		if t.at == len(text) || !t.skipLabel() {
			break
		}
		dst = append(append(dst, '.'), bytes.Trim(text[from:t.at], `"`)...)
	}
	return dst
}

// appendAddress appends the address of a block with an id and labels in Terraform.
func appendAddress(dst, id []byte, labels int8) []byte {
	if rest, ok := bytes.CutPrefix(id, []byte("resource.")); ok && labels == 2 {
		id = rest
	} else if rest, ok := bytes.CutPrefix(id, []byte("variable.")); ok && labels == 1 {
		dst, id = append(dst, "var."...), rest
	} else if string(id) == "locals" {
		id = id[:len("local")]
	}
	return caption.Append(dst, id, rows.MaxTitle)
}

// maxValue is the size in bytes of a value in the title of a block.
const maxValue = 28

// appendContent appends the blocks in an item, each name once with their number, then
// its attributes with their values.
func (s *scanner) appendContent(dst []byte, i int32) []byte {
	start := len(dst)
	separate := func() {
		if len(dst) > start {
			dst = append(dst, ", "...)
		}
	}
	for _, b := range s.countBlocks(i) {
		separate()
		if dst = caption.Append(dst, b.name, maxValue); b.n > 1 {
			dst = strconv.AppendInt(append(dst, ' '), int64(b.n), 10)
		}
	}
	for j := range s.Children(i) {
		if len(dst) > rows.MaxTitle {
			break
		}
		if s.infos[j].form == block {
			continue
		}
		separate()
		dst = caption.Append(dst, s.Slice(s.Items[j].Name), maxValue)
		if s.infos[j].form == attribute {
			dst = caption.Append(append(dst, '='), s.Slice(s.infos[j].value), maxValue)
		}
	}
	return dst
}

// count is the number of blocks with a name.
type count struct {
	name []byte
	n    int
}

// maxNames is the number of different blocks that a title lists.
const maxNames = 4

// countBlocks returns the first names of the blocks directly inside an item, with their
// numbers.
func (s *scanner) countBlocks(i int32) (found []count) {
	var room [32]byte
next:
	for j := range s.Children(i) {
		if s.infos[j].form != block {
			continue
		}
		name := s.appendID(room[:0], j, 1)
		for k := range found {
			if bytes.Equal(found[k].name, name) {
				found[k].n++
				continue next
			}
		}
		if len(found) < maxNames {
			found = append(found, count{bytes.Clone(name), 1})
		}
	}
	return found
}

// groups groups the blocks at the top, if there are many: by their type and first label,
// else by their type. Blocks that are alone are in no group.
func (s *scanner) groups() []items.Group {
	var all []int32
	for i := range s.Top {
		all = append(all, i)
	}
	if len(all) <= rows.MaxLines || len(all) > rows.MaxNamed {
		return nil
	}
	for labels := 1; labels >= 0; labels-- {
		d, ok := rows.Divide(len(all), func(k int) []byte { return s.label(all[k], labels) }, rows.Limit{Labels: rows.MaxLines, Rest: len(all) / 10, Size: rows.MaxTitle}, nil)
		if !ok || !d.IsUseful() {
			continue
		}
		var groups []items.Group
		for k, members := range d.Members(all) {
			if len(members) > 1 {
				title := caption.Count(len(members), "block")
				groups = append(groups, items.Group{ID: d.Labels[k], Title: rows.Title(title, s.joinNames(members)), Members: members})
			}
		}
		s.grouped = true
		return groups
	}
	return nil
}

// label returns the type of a block at the top and its first label, if it has another one.
func (s *scanner) label(i int32, labels int) []byte {
	in := s.infos[i]
	if in.form != block {
		return nil
	}
	return s.appendID(nil, i, min(labels, max(0, int(in.labels)-1)))
}

// joinNames returns the last labels of blocks, as many as a title may have. A block without
// labels is described by the first name in it.
func (s *scanner) joinNames(members []int32) string {
	var out, room []byte
	for _, i := range members {
		if len(out) > rows.MaxTitle {
			break
		}
		if s.infos[i].labels == 0 && s.Items[i].Next > i+1 {
			i++
		}
		if len(out) > 0 {
			out = append(out, ", "...)
		}
		room = s.appendID(room[:0], i, maxLabels)
		out = caption.Append(out, room[bytes.LastIndexByte(room, '.')+1:], rows.MaxID)
	}
	return string(out)
}
