package section

import (
	"github.com/mcpctl/mcpctl/abi"
)

// Outline is a section with its place in the original.
type Outline struct {
	ID         string // path for read_section
	Title      string
	Start, End int // bytes of the original
	Children   []Outline
}

// Outline returns the sections that are bytes of the original, without groups and
// without the ones in decoded strings. If there are more than limit, the deepest levels
// are missing.
func (d *Doc) Outline(limit int) []Outline {
	type level struct {
		section int32
		into    *[]Outline
	}
	var top []Outline
	for next := []level{{-1, &top}}; len(next) > 0; {
		var below []level
		for _, l := range next {
			d.tree.EachChild(l.section, func(i int32) bool {
				if d.tree.HasPlace(i) && d.tree.Home(i) == l.section {
					limit--
					*l.into = append(*l.into, d.outlineOf(i))
				}
				return limit > 0
			})
			if limit <= 0 {
				return top
			}
			at := 0
			d.tree.EachChild(l.section, func(i int32) bool {
				if d.tree.HasPlace(i) && d.tree.Home(i) == l.section {
					if d.tree.Sections[i].Kind == abi.SectionExact {
						below = append(below, level{i, &(*l.into)[at].Children})
					}
					at++
				}
				return true
			})
		}
		next = below
	}
	return top
}

func (d *Doc) outlineOf(section int32) Outline {
	p := d.tree.Part(section)
	start, end := d.tree.Place(section)
	return Outline{ID: d.name(&p), Title: d.tree.Sections[section].Title, Start: start, End: end}
}
