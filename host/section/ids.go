package section

import "hash/maphash"

// idTable finds a Section by its owner and id. A map would cost a third of New.
type idTable struct {
	seed  maphash.Seed
	slots []int32 // Section + 1, 0: free
}

func makeIDTable(n int) idTable {
	size := 4
	for size < 2*n {
		size *= 2
	}
	return idTable{maphash.MakeSeed(), make([]int32, size)}
}

// slot returns the place of (owner, id): where it is, or the free one for it.
func (t *idTable) slot(d *Doc, owner int32, id string) *int32 {
	h := maphash.String(t.seed, id) + uint64(owner+1)*0x9e3779b97f4a7c15
	h ^= h >> 32
	for mask := uint64(len(t.slots) - 1); ; h++ {
		slot := &t.slots[h&mask]
		if *slot == 0 || d.owner[*slot-1] == owner && d.sections[*slot-1].ID == id {
			return slot
		}
	}
}

// add reports false if the owner has such an id already.
func (t *idTable) add(d *Doc, i int32) bool {
	slot := t.slot(d, d.owner[i], d.sections[i].ID)
	if *slot != 0 {
		return false
	}
	*slot = i + 1
	return true
}

func (d *Doc) child(owner int32, id string) (int32, bool) {
	if len(id) > maxID {
		return 0, false // as no id is; a path asked for may be 200 times as long
	}
	i := *d.ids.slot(d, owner, id)
	return i - 1, i != 0
}
