package abi

import (
	"hash/maphash"
	"math/bits"
	"strconv"
)

// siblings is a hash table of Sections by owner and id. It stores only positions; a map
// would store the ids a second time.
type siblings struct {
	t      *Tree
	owners []int
	seed   maphash.Seed
	slots  []sibling   // length is a power of two, at most half are in use
	tried  map[int]int // by Section: the highest suffix of its id that was tried
}

// sibling is a slot: a Section and the hash of its owner and id.
type sibling struct {
	hash    uint32
	section int32 // index + 1; 0: the slot is free
}

func newSiblings(t *Tree, owners []int) *siblings {
	return &siblings{t: t, owners: owners, seed: maphash.MakeSeed(), slots: make([]sibling, 1<<bits.Len(uint(2*len(t.Sections))))}
}

// name returns the id want for Section i, or the first of want-2, want-3, ... that no
// sibling has.
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

// add records that Section i has this id. If the Section first of the same owner already
// has it, add returns first and false.
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
