package section

import (
	"fmt"
	"slices"

	"github.com/mcpctl/mcpctl/abi"
)

// Bounds of a tree (ABI 1.0 section 11), and of an id with the number that
// tells it from equal ones.
const (
	maxSections = 65536
	maxDepth    = 64
	maxID       = 80
)

// lists holds many short lists in one slice: list i is at[i] to at[i+1].
type lists struct {
	at    []int32
	items []int32
}

// of returns the list of Section i, -1 for the top level.
func (l *lists) of(i int32) []int32 { return l.items[l.at[i+1]:l.at[i+2]] }

// makeLists puts each Section into the list that key names, in order; a key
// less than -1 leaves it out.
func makeLists(n int, key func(i int) int32) lists {
	l := lists{at: make([]int32, n+2), items: make([]int32, 0, n)}
	for i := range n {
		if k := key(i); k >= -1 {
			l.at[k+2]++
		}
	}
	for i := 1; i < len(l.at); i++ {
		l.at[i] += l.at[i-1]
	}
	l.items = l.items[:l.at[len(l.at)-1]]
	next := slices.Clone(l.at)
	for i := range n {
		if k := key(i); k >= -1 {
			l.items[next[k+1]] = int32(i)
			next[k+1]++
		}
	}
	return l
}

func bad(format string, args ...any) error {
	return fmt.Errorf("%w: section tree: "+format, append([]any{abi.ErrGuest}, args...)...)
}

// link fills in who belongs to whom.
func (d *Doc) link() error {
	n := len(d.sections)
	if n > maxSections {
		return bad("%d sections, limit %d", n, maxSections)
	}
	d.owner, d.home, d.rank = make([]int32, n), make([]int32, n), make([]int32, n)
	depth := make([]uint8, n)
	for i := range d.sections {
		s := &d.sections[i]
		if s.Parent < -1 || s.Parent >= i {
			return bad("section %d has parent %d", i, s.Parent)
		}
		d.owner[i], d.home[i] = int32(s.Parent), int32(s.Parent)
		if s.Parent < 0 {
			continue
		}
		if depth[i] = depth[s.Parent] + 1; depth[i] >= maxDepth {
			return bad("section %q is over %d deep", s.ID, maxDepth)
		}
		switch d.sections[s.Parent].Kind {
		case abi.SectionGroup:
			d.owner[i], d.home[i] = d.owner[s.Parent], d.home[s.Parent]
		case abi.SectionDerived:
			d.home[i] = d.home[s.Parent]
		}
	}
	d.linkKids()
	d.cover = makeLists(n, func(i int) int32 {
		if d.hasPlace(i) {
			return d.home[i]
		}
		return -2
	})
	return nil
}

// linkKids leaves out groups that hold nothing: they are no part of anything.
func (d *Doc) linkKids() {
	holds := make([]bool, len(d.sections))
	for i := len(d.sections) - 1; i >= 0; i-- {
		s := &d.sections[i]
		holds[i] = holds[i] || s.Kind != abi.SectionGroup
		if holds[i] && s.Parent >= 0 {
			holds[s.Parent] = true
		}
	}
	d.kids = makeLists(len(d.sections), func(i int) int32 {
		if holds[i] {
			return int32(d.sections[i].Parent)
		}
		return -2
	})
}

// hasPlace reports whether the Section is bytes of its home.
func (d *Doc) hasPlace(i int) bool {
	return d.sections[i].Kind == abi.SectionExact || d.sections[i].Kind == abi.SectionDecoded
}

// measure sums sizes upwards and notes what is more than ranges of one text.
func (d *Doc) measure() {
	d.size, d.mixed = make([]int, len(d.sections)), make([]bool, len(d.sections))
	for i := len(d.sections) - 1; i >= 0; i-- {
		s := &d.sections[i]
		switch s.Kind {
		case abi.SectionExact, abi.SectionDecoded:
			d.size[i] = s.End - s.Start
		case abi.SectionDerived:
			d.size[i], d.mixed[i] = len(s.Body), true
		}
		if h := d.home[i]; h >= 0 && s.Kind == abi.SectionDecoded && d.sections[h].Kind == abi.SectionExact {
			d.mixed[h] = true
		}
		if s.Parent < 0 {
			continue
		}
		if d.sections[s.Parent].Kind == abi.SectionGroup {
			d.size[s.Parent] += d.size[i]
		}
		d.mixed[s.Parent] = d.mixed[s.Parent] || d.mixed[i]
	}
}
