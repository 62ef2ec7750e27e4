package abi

import (
	"hash/maphash"
	"math/bits"
	"strconv"
)

// siblings finds Sections by owner and id: a hash table of their positions. A map
// would keep the ids once more.
type siblings struct {
	t      *Tree
	owners []int
	seed   maphash.Seed
	slots  []sibling   // a power of two of them, at most half of them in use
	tried  map[int]int // by Section: the highest number behind its id that was tried
}

// sibling is a Section of which owner and id have this hash.
type sibling struct {
	hash    uint32
	section int32 // + 1; 0: the slot is free
}

func newSiblings(t *Tree, owners []int) *siblings {
	return &siblings{t: t, owners: owners, seed: maphash.MakeSeed(), slots: make([]sibling, 1<<bits.Len(uint(2*len(t.Sections))))}
}

// name gives Section i the id that it wants, or the first of id-2, id-3, ...
// that no sibling has.
func (s *siblings) name(i int, want string) string {
	first, ok := s.add(i, want)
	if ok {
		return want
	}
	for n := max(s.tried[first], 1) + 1; ; n++ {
		id := want + "-" + strconv.Itoa(n)
		s.t.Sections[i].ID = id
		if _, ok := s.add(i, id); ok {
			if s.tried == nil {
				s.tried = make(map[int]int)
			}
			s.tried[first] = n
			return id
		}
	}
}

// add notes that Section i has this id. Not ok: the Section "first" of the same
// owner has it.
func (s *siblings) add(i int, id string) (first int, ok bool) {
	mask := uint32(len(s.slots) - 1)
	hash := uint32(maphash.String(s.seed, id)) ^ uint32(s.owners[i])*0x9e3779b1
	slot := hash & mask
	for ; s.slots[slot].section != 0; slot = (slot + 1) & mask {
		if s.slots[slot].hash != hash {
			continue
		}
		at := int(s.slots[slot].section) - 1
		if s.owners[at] == s.owners[i] && s.t.Sections[at].ID == id {
			return at, false
		}
	}
	s.slots[slot] = sibling{hash, int32(i) + 1}
	return i, true
}
