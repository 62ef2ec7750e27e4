package cache

import (
	"container/list"

	"github.com/mcpctl/mcpctl/host/flow"
)

// entryOverhead is what an entry is charged beyond its bytes: key, note and page
// headers in the file, 400 bytes in the index. It bounds the number of entries: a
// guest that keeps single bytes must not fill the memory.
const entryOverhead = 1024

// entry is one value that can be served: from mem, or from the file.
//
// One of mem and stored is always set. An entry with neither dirty nor stored
// lives in memory only and goes when memory is needed.
type entry struct {
	id    id
	by    flow.Producer
	size  int
	mem   []byte
	used  int64 // Unix milliseconds of the last use
	saved int64 // used as the file has it
	seq   uint64

	dirty   bool // waits for the writer; mem is kept until then
	stored  bool // the file has these bytes
	shadows bool // the file may have older bytes under the id

	lru *list.Element // in index.lru
	hot *list.Element // in index.hot; nil while dirty or without mem
}

func (e *entry) charge() int64 { return int64(e.size) + entryOverhead }

// index knows every entry, which was used last, and which bytes are in memory.
// Callers hold the cache's lock.
type index struct {
	maxBytes, maxHot int64

	entries map[id]*entry
	lru     [kinds]*list.List // of *entry, front used last
	bytes   [kinds]int64
	guests  map[string]int64 // bytes of guest values by module hash
	hot     *list.List       // of *entry with mem, front used last
	hotSize int64
	drops   map[id]struct{}     // the file may have them, nobody wants them
	touched map[*entry]struct{} // used was moved far enough to be saved
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

// mayBeStored reports whether the file may have something under an id.
func (x *index) mayBeStored(i id) bool {
	if _, drop := x.drops[i]; drop {
		return true
	}
	e := x.entries[i]
	return e != nil && (e.stored || e.dirty || e.shadows) // dirty: a batch under way may be storing it
}

// stillStored notes that the file may have kept what was to be dropped.
func (x *index) stillStored(i id) {
	e := x.entries[i]
	if e != nil {
		e.shadows = true
	}
	if e == nil || !e.dirty {
		x.drops[i] = struct{}{}
	}
}

// forgo gives up writing e: it lives in memory only.
func (x *index) forgo(e *entry) {
	e.dirty = false
	if e.shadows {
		x.drops[e.id] = struct{}{} // what the file has is old now
	}
	x.heat(e)
}

// add enters e as the one used last, in place of one with its id. The caller
// evicts afterwards.
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

// remove forgets e and lets the writer delete what the file has of it.
func (x *index) remove(e *entry) {
	x.unlink(e)
	if e.stored || e.dirty { // dirty: a batch under way may be storing it
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
	x.cool(e)
}

// touch marks e as used now.
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

// heat puts e, which has mem and is not dirty, among the hot ones, and drops
// the mem of those used longest ago. What is nowhere else goes altogether.
func (x *index) heat(e *entry) {
	if e.hot == nil {
		e.hot = x.hot.PushFront(e)
		x.hotSize += e.charge()
	}
	for x.hotSize > x.maxHot && x.hot.Len() > 0 {
		last := x.hot.Back().Value.(*entry)
		if last.stored {
			x.cool(last)
			last.mem = nil
		} else {
			x.remove(last)
		}
	}
}

// cool takes e from the hot list; its mem is the caller's concern.
func (x *index) cool(e *entry) {
	if e.hot == nil {
		return
	}
	x.hot.Remove(e.hot)
	x.hotSize -= e.charge()
	e.hot = nil
}

// evict removes what was used longest ago until the sum is within maxBytes.
// Guests' values go first while they hold more than half, so that a module
// which fills its quota cannot push out everybody's results.
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
