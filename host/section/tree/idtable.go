package tree

import "hash/maphash"

// idTable finds a Section by its owner and id. A map would take a third of the
// time of New.
type idTable struct {
	seed  maphash.Seed
	slots []int32 // Section + 1; 0 is free
}

func makeIDTable(n int) idTable {
	size := 4
	for size < 2*n {
		size *= 2
	}
	return idTable{maphash.MakeSeed(), make([]int32, size)}
}

// slot returns the slot that holds (owner, id), or the free one for it.
func (ids *idTable) slot(t *Tree, owner int32, id string) *int32 {
	h := maphash.String(ids.seed, id) + uint64(owner+1)*0x9e3779b97f4a7c15
	h ^= h >> 32
	for mask := uint64(len(ids.slots) - 1); ; h++ {
		slot := &ids.slots[h&mask]
		if *slot == 0 || t.owner[*slot-1] == owner && t.Sections[*slot-1].ID == id {
			return slot
		}
	}
}

// add reports whether the id of a Section is new below its owner.
func (ids *idTable) add(t *Tree, section int32) bool {
	slot := ids.slot(t, t.owner[section], t.Sections[section].ID)
	if *slot != 0 {
		return false
	}
	*slot = section + 1
	return true
}
