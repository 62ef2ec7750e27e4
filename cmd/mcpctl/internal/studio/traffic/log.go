package traffic

import (
	"maps"
	"slices"
	"sort"
)

// Log is the entries of a screen, oldest first, with increasing ids. The zero value is empty.
type Log struct {
	Limit   int // number of entries; 0 for 20,000
	entries []*Entry
	held    map[uint64]*Entry // by id of the hold
}

// Add appends an entry. Entries of the same or an earlier id are ignored, and the oldest
// ones are removed beyond the limit. The end of a hold removes its entry.
func (l *Log) Add(e Entry) {
	if n := len(l.entries); n > 0 && l.entries[n-1].ID >= e.ID {
		return
	}
	if e.Hold != 0 && e.Outcome != "" {
		l.End(e.Hold)
	}
	if e.Held() {
		if l.held == nil {
			l.held = make(map[uint64]*Entry)
		}
		l.held[e.Hold] = &e
	}
	l.entries = append(l.entries, &e)
	l.trim()
}

// trim removes the oldest tenth when the limit is exceeded.
func (l *Log) trim() {
	limit := l.Limit
	if limit == 0 {
		limit = 20_000
	}
	if len(l.entries) <= limit {
		return
	}
	n := max(limit/10, 1)
	for _, e := range l.entries[:n] {
		if e.Type == Paused {
			delete(l.held, e.Hold)
		}
	}
	l.entries = append([]*Entry(nil), l.entries[n:]...)
}

// End removes the entry of a hold, because the call has an entry now, and reports whether
// there was one.
func (l *Log) End(hold uint64) bool {
	e, ok := l.held[hold]
	if !ok {
		return false
	}
	delete(l.held, hold)
	if i := l.Index(e.ID); i < len(l.entries) && l.entries[i] == e {
		l.entries = slices.Delete(l.entries, i, i+1)
	}
	return true
}

// Held returns the ids of the holds that have not ended, in no order.
func (l *Log) Held() []uint64 { return slices.Collect(maps.Keys(l.held)) }

// FirstHeld returns the oldest held entry.
func (l *Log) FirstHeld() (first *Entry, ok bool) {
	for _, e := range l.held {
		if first == nil || e.ID < first.ID {
			first = e
		}
	}
	return first, first != nil
}

// Len returns the number of entries.
func (l *Log) Len() int { return len(l.entries) }

// At returns entry i.
func (l *Log) At(i int) *Entry { return l.entries[i] }

// Index returns the index of the entry with an id, or of the next later one.
func (l *Log) Index(id uint64) int {
	return sort.Search(len(l.entries), func(i int) bool { return l.entries[i].ID >= id })
}

// Get returns the entry with an id.
func (l *Log) Get(id uint64) (*Entry, bool) {
	i := l.Index(id)
	if i == len(l.entries) || l.entries[i].ID != id {
		return nil, false
	}
	return l.entries[i], true
}

// Last returns the id of the newest entry, 0 without entries.
func (l *Log) Last() uint64 {
	if len(l.entries) == 0 {
		return 0
	}
	return l.entries[len(l.entries)-1].ID
}

// Clear removes all entries.
func (l *Log) Clear() { *l = Log{Limit: l.Limit} }
