package table

import (
	"strings"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/table/column"
	"github.com/mcpctl/mcpctl/plugins/src/rows"
)

// HasSchema reports whether the rows are described by their fields: nine in ten are
// objects, and they have common fields.
func (t *Table) HasSchema() bool {
	return t.set.Described && t.set.IsUniform() && len(t.set.Common()) > 0
}

// Schema returns a line that describes the common fields: the type and values of each, and
// how often it is present. A field by which g groups references is described by the rows
// that it refers to. The line is empty unless HasSchema.
func (t *Table) Schema(g *Grouping) string {
	if !t.HasSchema() {
		return ""
	}
	s := &t.schema
	s.Reset("fields: ")
	var name [rows.MaxID + 8]byte
	for _, c := range t.set.Common() {
		if !s.Add(caption.Append(name[:0], t.set.Bytes(c.At), rows.MaxID), func(dst []byte) []byte { return t.describe(dst, c, g) }) {
			break
		}
	}
	return s.Finish(0)
}

// describe appends the description of one column.
func (t *Table) describe(dst []byte, c *column.Column, g *Grouping) []byte {
	kind, n, all := t.set.Type(c), t.set.CountInformative(c), t.set.Len()
	if noun, ok := g.ReferredNoun(c.Name); ok {
		dst = append(append(append(dst, "id of "...), withArticle(noun)...), ", "...)
		dst = append(caption.AppendNumber(dst, int32(n)), " of "...)
		return caption.AppendNumber(dst, int32(all))
	}
	dst = append(dst, kind...)
	switch kind {
	case "text", "bool", "int", "number":
		dst = t.appendValues(dst, c, kind)
	}
	return rows.AppendShare(dst, n, all)
}

// appendValues appends how the values of a column are distributed.
func (t *Table) appendValues(dst []byte, c *column.Column, kind string) []byte {
	if from, to, ok := t.set.TimeRange(c); ok {
		return append(append(append(append(dst, ' '), from...), ".."...), to...)
	}
	v := rows.Values{Type: kind, Rows: t.set.Len(), List: func() []string { return t.set.List(c) }}
	if v.Distinct, v.Many = t.set.CountDistinct(c); kind == "number" || v.Distinct == 0 || v.Distinct > rows.MaxListed {
		v.Range = func() string { return t.set.Range(c) }
	}
	return v.Append(dst)
}

func withArticle(noun string) string {
	if noun != "" && strings.IndexByte("aeiou", noun[0]) >= 0 {
		return "an " + noun
	}
	return "a " + noun
}
