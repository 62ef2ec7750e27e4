// Package outline finds the headings of a prompt by the names that models use for them.
//
// A heading is named by its title, with or without markup and in any case; by a path of
// titles, as in Deploy/Rollback, which may skip levels; or by its id, the path of the slugs
// of its titles, which is unique. Headings in fenced code are text.
package outline

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/scan/markdown"
)

// maxTitle is the size in bytes of a title that is shown and compared.
const maxTitle = 120

// Heading is a heading with the text below it, up to the next heading of its level or a
// higher one.
type Heading struct {
	Start, End int
	Title      string // its visible text
	ID         string

	parent   int    // index of the heading above it, -1 at the top
	name     string // normalized title
	slug     string
	source   string // normalized title with its markup
	children int    // number of headings directly below it
}

// Outline contains the headings of a text in order.
type Outline struct {
	Headings []Heading
}

// Of returns the outline of a Markdown text.
func Of(text []byte) *Outline {
	doc := markdown.Scan(text)
	o := &Outline{Headings: make([]Heading, 0, len(doc.Headings))}
	var open []int // headings around the current one, by level
	levels := make([]int8, 0, len(doc.Headings))
	used := make(map[string]int)
	closeFrom := func(depth, end int) {
		for _, i := range open[depth:] {
			o.Headings[i].End = end
		}
		open = open[:depth]
	}
	for _, h := range doc.Headings {
		depth := len(open)
		for depth > 0 && levels[open[depth-1]] >= h.Level {
			depth--
		}
		closeFrom(depth, int(h.Start))
		source := text[h.Text.Start:h.Text.End]
		n := Heading{Start: int(h.Start), Title: caption.Of(markdown.AppendTitle(nil, source), maxTitle), parent: -1}
		n.name, n.source, n.slug = normalize(n.Title), normalize(caption.Of(source, maxTitle)), slugOf(n.Title)
		above := ""
		if depth > 0 {
			n.parent = open[depth-1]
			o.Headings[n.parent].children++
			above = o.Headings[n.parent].ID + "/"
		}
		n.ID = uniqueID(used, above, n.slug)
		open = append(open, len(o.Headings))
		o.Headings, levels = append(o.Headings, n), append(levels, h.Level)
	}
	closeFrom(0, len(text))
	return o
}

// maxID is the size of the path above a heading that its id contains.
const maxID = 400

// uniqueID returns the id of a heading. Equal ids get a number, as in the host.
func uniqueID(used map[string]int, above, slug string) string {
	if slug == "" {
		slug = "heading"
	}
	if len(above) > maxID {
		above = ""
	}
	id := above + slug
	for {
		used[id]++
		n := used[id]
		if n == 1 {
			return id
		}
		if numbered := id + "-" + strconv.Itoa(n); used[numbered] == 0 {
			used[numbered] = 1
			return numbered
		}
	}
}

// HasParts reports whether there are headings below heading i.
func (o *Outline) HasParts(i int) bool { return o.Headings[i].children > 0 }

// Below returns the headings directly below heading i.
func (o *Outline) Below(i int) (found []int) {
	for j := i + 1; j < len(o.Headings) && o.Headings[j].Start < o.Headings[i].End; j++ {
		if o.Headings[j].parent == i {
			found = append(found, j)
		}
	}
	return found
}

// Find returns the headings with this id, title or path. An id is unique; titles and
// paths may name several headings.
func (o *Outline) Find(name string) []int {
	q := newQuery(name)
	for i := range o.Headings {
		if o.Headings[i].ID == q.whole {
			return []int{i}
		}
	}
	return o.find(q, (*Heading).isNamed)
}

// Begins returns the headings whose titles begin with a name. In a path, the titles above
// may be shortened too.
func (o *Outline) Begins(name string) []int { return o.find(newQuery(name), (*Heading).beginsWith) }

// maxPath is the number of titles in a path.
const maxPath = 8

// query is a name of a heading: one title, or a path of titles.
type query struct {
	whole string
	paths [][]string
}

// newQuery returns the query for a name. Marks around a copied heading are removed.
func newQuery(name string) query {
	name = strings.TrimSpace(name)
	if inner, ok := strings.CutPrefix(name, "["); ok && strings.HasSuffix(inner, "]") {
		name = strings.TrimSuffix(inner, "]")
	}
	name = strings.TrimSpace(strings.TrimLeft(name, "#"))
	q := query{whole: strings.Trim(name, "/"), paths: [][]string{{normalize(name)}}}
	for _, separator := range [...]string{"/", ">", "::"} {
		var path []string
		for segment := range strings.SplitSeq(name, separator) {
			if segment = normalize(strings.TrimLeft(strings.TrimSpace(segment), "#")); segment != "" {
				path = append(path, segment)
			}
		}
		for i := len(path) - 1; i >= 0 && len(path) <= maxPath; i-- { // the last title may contain the separator
			title := strings.Join(path[i:], separator)
			q.paths = append(q.paths, append(slices.Clone(path[:i]), title))
		}
	}
	return q
}

// find returns the headings for the first path of a query that matches any.
func (o *Outline) find(q query, matches func(h *Heading, name string) bool) (found []int) {
	for _, path := range q.paths {
		last := len(path) - 1
		if path[last] == "" {
			continue
		}
		for i := range o.Headings {
			if matches(&o.Headings[i], path[last]) && o.isBelow(i, path[:last], matches) {
				found = append(found, i)
			}
		}
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

// isBelow reports whether the headings above heading i include those of a path, in order.
func (o *Outline) isBelow(i int, path []string, matches func(h *Heading, name string) bool) bool {
	for up := o.Headings[i].parent; up >= 0 && len(path) > 0; up = o.Headings[up].parent {
		if matches(&o.Headings[up], path[len(path)-1]) {
			path = path[:len(path)-1]
		}
	}
	return len(path) == 0
}

func (h *Heading) isNamed(name string) bool {
	return name == h.name || name == h.source || name == h.slug
}

func (h *Heading) beginsWith(name string) bool {
	return strings.HasPrefix(h.name, name) || strings.HasPrefix(h.source, name) || strings.HasPrefix(h.slug, name)
}

// IsNamed reports whether a title is meant by the last name of a path.
func IsNamed(title, name string) bool {
	h := Heading{name: normalize(title), source: normalize(title), slug: slugOf(title)}
	for _, path := range newQuery(name).paths {
		if last := path[len(path)-1]; last != "" && h.isNamed(last) {
			return true
		}
	}
	return false
}

// normalize returns a text in lower case with single blanks.
func normalize(text string) string {
	return strings.ToLower(strings.Join(strings.Fields(text), " "))
}

// slugOf returns a title with a hyphen between its words, in lower case.
func slugOf(title string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(title), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), "-")
}
