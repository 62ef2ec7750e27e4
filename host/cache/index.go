package cache

import (
	"container/list"

	"github.com/mcpctl/mcpctl/host/flow"
)

// entryOverhead is added to the size of an entry: for key, note and page headers in
// the file and 400 bytes in the index. It bounds the number of entries, so that a
// guest cannot fill the memory with one-byte values.
const entryOverhead = 1024

// entry is one value, in memory, in the file, or both.
//
// At least one of mem and stored is set. An entry that is neither dirty nor stored is
// in memory only and is removed when memory is needed.
type entry struct {
	id    id
	by    flow.Producer
	size  int
	mem   []byte
	used  int64 // Unix milliseconds of the last use
	saved int64 // value of used in the file
	seq   uint64

	dirty   bool // queued for the writer; mem is kept until it is written
	stored  bool // the file contains these bytes
	shadows bool // the file may contain older bytes for the id

	lru *list.Element // in index.lru
	hot *list.Element // in index.hot; nil while dirty or without mem
}

func (e *entry) charge() int64 { return int64(e.size) + entryOverhead }

// index contains all entries, in order of last use, and the values in memory.
// Callers hold Cache.mu.
type index struct {
	maxBytes, maxHot int64

	entries map[id]*entry
	lru     [kinds]*list.List // of *entry, most recently used first
	bytes   [kinds]int64
	guests  map[string]int64 // bytes of guest values by module hash
	hot     *list.List       // of *entry with mem, most recently used first
	hotSize int64
	drops   map[id]struct{}     // to delete from the file, if present
	touched map[*entry]struct{} // entries whose last use must be saved
}

func newIndex(maxBytes, maxHot int64) *index {
	x := &index{
		maxBytes: maxBytes, maxHot: maxHot,
		entries: make(map[id]*entry),
		guests:  make(map[string]int64),
		hot:     list.New(),
		drops:   make(map[id]struct{}),
		touched: make(map[*entry]struct{}),
	}
	for k := range x.lru {
		x.lru[k] = list.New()
	}
	return x
}

// canBeStored reports whether the file may contain a value for an id.
func (x *index) canBeStored(i id) bool {
	if _, drop := x.drops[i]; drop {
		return true
	}
	e := x.entries[i]
	return e != nil && (e.stored || e.dirty || e.shadows) // dirty: the current batch may be writing it
}

// restoreDrop records that the deletion of an id may have failed.
func (x *index) restoreDrop(i id) {
	e := x.entries[i]
	if e != nil {
		e.shadows = true
	}
	if e == nil || !e.dirty {
		x.drops[i] = struct{}{}
	}
}

// cancelWrite cancels the writing of e; e stays in memory only.
func (x *index) cancelWrite(e *entry) {
	e.dirty = false
	if e.shadows {
		x.drops[e.id] = struct{}{} // the file's value is outdated
	}
	x.addHot(e)
}

// add adds e as the most recently used entry, replacing one with the same id. The
// caller evicts afterwards.
func (x *index) add(e *entry) {
	if old := x.entries[e.id]; old != nil {
		x.unlink(old)
	}
	x.entries[e.id] = e
	e.lru = x.lru[e.id.kind].PushFront(e)
	x.bytes[e.id.kind] += e.charge()
	if e.id.kind == kindGuest {
		x.guests[e.by.ModuleHash] += int64(e.size)
	}
	delete(x.drops, e.id)
}

// remove removes e from the index and schedules its deletion from the file.
func (x *index) remove(e *entry) {
	x.unlink(e)
	if e.stored || e.dirty { // dirty: the current batch may be writing it
		x.drops[e.id] = struct{}{}
	}
}

func (x *index) unlink(e *entry) {
	delete(x.entries, e.id)
	delete(x.touched, e)
	x.lru[e.id.kind].Remove(e.lru)
	x.bytes[e.id.kind] -= e.charge()
	if e.id.kind == kindGuest {
		if x.guests[e.by.ModuleHash] -= int64(e.size); x.guests[e.by.ModuleHash] <= 0 {
			delete(x.guests, e.by.ModuleHash)
		}
	}
	x.removeHot(e)
}

// touch records a use of e.
func (x *index) touch(e *entry, now int64) {
	e.used = now
	x.lru[e.id.kind].MoveToFront(e.lru)
	if e.hot != nil {
		x.hot.MoveToFront(e.hot)
	}
	if e.stored && now-e.saved > touchAfter.Milliseconds() {
		x.touched[e] = struct{}{}
	}
}

// addHot adds e, which has mem and is not dirty, to the hot list. While the list is too
// large, heat releases the memory of the least recently used entries and removes
// entries that are not in the file.
func (x *index) addHot(e *entry) {
	if e.hot == nil {
		e.hot = x.hot.PushFront(e)
		x.hotSize += e.charge()
	}
	for x.hotSize > x.maxHot && x.hot.Len() > 0 {
		last := x.hot.Back().Value.(*entry)
		if last.stored {
			x.removeHot(last)
			last.mem = nil
		} else {
			x.remove(last)
		}
	}
}

// removeHot removes e from the hot list. It does not change mem.
func (x *index) removeHot(e *entry) {
	if e.hot == nil {
		return
	}
	x.hot.Remove(e.hot)
	x.hotSize -= e.charge()
	e.hot = nil
}

// evict removes the least recently used entries until the total is within maxBytes,
// and returns their number. While guest values use more than half, they are removed
// first, so that a module that fills its quota cannot evict the results of others.
func (x *index) evict() (n int) {
	for x.total() > x.maxBytes {
		k := kindValue
		if x.bytes[kindGuest] > x.maxBytes/2 || x.lru[kindValue].Len() == 0 {
			k = kindGuest
		}
		last := x.lru[k].Back()
		if last == nil {
			return n
		}
		x.remove(last.Value.(*entry))
		n++
	}
	return n
}

func (x *index) total() int64 { return x.bytes[kindValue] + x.bytes[kindGuest] }
