package tree

import (
	"fmt"
	"slices"

	"github.com/mcpctl/mcpctl/abi"
)

// lists holds many short lists in one slice: list i is items[at[i]:at[i+1]].
type lists struct {
	at    []int32
	items []int32
}

// of returns the list of a Section, or of the top level for -1.
func (l *lists) of(section int32) []int32 { return l.items[l.at[section+1]:l.at[section+2]] }

// makeLists puts each Section into the list of its key, in order. A key below -1
// omits it.
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

// errInvalid returns an error about the Sections that a stage returned.
func errInvalid(format string, args ...any) error {
	return fmt.Errorf("%w: section tree: "+format, append([]any{abi.ErrGuest}, args...)...)
}

// link computes the owner and home of each Section, and the lists of children.
func (t *Tree) link() error {
	n := len(t.Sections)
	if n > MaxSections {
		return errInvalid("%d sections, limit %d", n, MaxSections)
	}
	t.owner, t.home, t.rank = make([]int32, n), make([]int32, n), make([]int32, n)
	depth := make([]uint8, n)
	for i := range t.Sections {
		s := &t.Sections[i]
		if s.Parent < -1 || s.Parent >= i {
			return errInvalid("section %d has parent %d", i, s.Parent)
		}
		t.owner[i], t.home[i] = int32(s.Parent), int32(s.Parent)
		if s.Parent < 0 {
			continue
		}
		if depth[i] = depth[s.Parent] + 1; depth[i] >= MaxDepth {
			return errInvalid("section %q is over %d deep", s.ID, MaxDepth)
		}
		switch t.Sections[s.Parent].Kind {
		case abi.SectionGroup:
			t.owner[i], t.home[i] = t.owner[s.Parent], t.home[s.Parent]
		case abi.SectionDerived:
			t.home[i] = t.home[s.Parent]
		}
	}
	t.linkKids()
	t.cover = makeLists(n, func(i int) int32 {
		if t.HasPlace(int32(i)) {
			return t.home[i]
		}
		return -2
	})
	return nil
}

// linkKids computes the lists of children. Groups without members are omitted.
func (t *Tree) linkKids() {
	holds := make([]bool, len(t.Sections))
	for i := len(t.Sections) - 1; i >= 0; i-- {
		s := &t.Sections[i]
		holds[i] = holds[i] || s.Kind != abi.SectionGroup
		if holds[i] && s.Parent >= 0 {
			holds[s.Parent] = true
		}
	}
	t.kids = makeLists(len(t.Sections), func(i int) int32 {
		if holds[i] {
			return int32(t.Sections[i].Parent)
		}
		return -2
	})
}

// measure computes the sizes of all Sections, and which of them are mixed.
func (t *Tree) measure() {
	t.size, t.mixed = make([]int, len(t.Sections)), make([]bool, len(t.Sections))
	for i := len(t.Sections) - 1; i >= 0; i-- {
		s := &t.Sections[i]
		switch s.Kind {
		case abi.SectionExact, abi.SectionDecoded:
			t.size[i] = s.End - s.Start
		case abi.SectionDerived:
			t.size[i], t.mixed[i] = len(s.Body), true
		}
		if h := t.home[i]; h >= 0 && s.Kind == abi.SectionDecoded && t.Sections[h].Kind == abi.SectionExact {
			t.mixed[h] = true
		}
		if s.Parent < 0 {
			continue
		}
		if t.Sections[s.Parent].Kind == abi.SectionGroup {
			t.size[s.Parent] += t.size[i]
		}
		t.mixed[s.Parent] = t.mixed[s.Parent] || t.mixed[i]
	}
}
