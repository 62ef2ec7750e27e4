package rows

import "github.com/mcpctl/mcpctl/plugins/src/internal/part"

// Group is a set of records with something in common.
type Group struct {
	ID, Title string
	From, To  int32   // the records [From, To), unless Rows lists them
	Rows      []int32 // records that are not in one run
	Inner     []Group // finer groups, which hold all of the records
}

// Records are the records of a text and their groups.
type Records struct {
	Start      []int32 // offset of each record, then the end of the last one
	HeadStart  int32   // the text before the first record that is a part of its own,
	HeadEnd    int32   // such as a header; empty if there is none
	Groups     []Group // nil if the records are not grouped
	NameHead   func(n *part.Name)
	NameRecord func(record int, n *part.Name)

	of     []int32 // by part: its record, ofHead, or a group: ofHead-1 and less
	groups []*Group
	single bool // each record is a part
}

// ofHead marks the part of the head. Group n is marked by ofHead-1-n.
const ofHead = -1

// AddTo adds the head, the groups and the records to a document. Of more than
// MaxNamed records it adds only the groups; these must be runs of records.
func (r *Records) AddTo(d *part.Doc) {
	n := len(r.Start) - 1
	if r.single = n <= MaxNamed; !r.single && r.Groups == nil {
		return
	}
	parts := 1 + countGroups(r.Groups)
	if r.single {
		parts += n
	}
	d.Parts, r.of = make([]part.Part, 0, parts), make([]int32, 0, parts)
	if r.HeadEnd > r.HeadStart {
		r.add(d, part.Part{Start: r.HeadStart, End: r.HeadEnd, Parent: -1}, ofHead)
	}
	if r.Groups == nil {
		r.addRecords(d, &Group{To: int32(n)}, -1)
	}
	r.addGroups(d, r.Groups, -1)
	d.Name = r.name
}

// countGroups returns the number of groups on all levels.
func countGroups(groups []Group) int {
	n := len(groups)
	for i := range groups {
		n += countGroups(groups[i].Inner)
	}
	return n
}

func (r *Records) add(d *part.Doc, p part.Part, of int32) {
	d.Parts = append(d.Parts, p)
	r.of = append(r.of, of)
}

func (r *Records) addGroups(d *part.Doc, groups []Group, parent int32) {
	for i := range groups {
		g := &groups[i]
		p := part.Part{Parent: parent, Kind: part.Group}
		if !r.single {
			p = part.Part{Start: r.Start[g.From], End: r.Start[g.To], Parent: parent}
		}
		at := int32(len(d.Parts))
		r.add(d, p, ofHead-1-int32(len(r.groups)))
		r.groups = append(r.groups, g)
		r.addGroups(d, g.Inner, at)
		if len(g.Inner) == 0 && r.single {
			r.addRecords(d, g, at)
		}
	}
}

func (r *Records) addRecords(d *part.Doc, g *Group, parent int32) {
	if g.Rows == nil {
		for row := g.From; row < g.To; row++ {
			r.addRecord(d, row, parent)
		}
		return
	}
	for _, row := range g.Rows {
		r.addRecord(d, row, parent)
	}
}

func (r *Records) addRecord(d *part.Doc, row, parent int32) {
	r.add(d, part.Part{Start: r.Start[row], End: r.Start[row+1], Parent: parent, Kind: part.Record}, row)
}

// name is the part.Doc.Name of the document.
func (r *Records) name(i int, n *part.Name) {
	switch of := r.of[i]; {
	case of == ofHead:
		r.NameHead(n)
	case of < ofHead:
		g := r.groups[ofHead-1-of]
		n.ID, n.Title = append(n.ID, g.ID...), append(n.Title, g.Title...)
	default:
		r.NameRecord(int(of), n)
	}
}
