package cache

import (
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"slices"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

// Counts are look-ups since the cache was created, including earlier processes.
type Counts struct {
	Hits   int64 `json:"hits"`
	Misses int64 `json:"misses"`
}

// Rate returns hits divided by look-ups, or 0 without look-ups.
func (c Counts) Rate() float64 {
	if c.Hits+c.Misses == 0 {
		return 0
	}
	return float64(c.Hits) / float64(c.Hits+c.Misses)
}

// Faults are counters since the cache was opened.
type Faults struct {
	Damaged  int64 `json:"damaged"`  // values with a wrong checksum; deleted
	Dropped  int64 `json:"dropped"`  // values that were not written to the file
	Evicted  int64 `json:"evicted"`  // least recently used values removed to make room
	SetAside int64 `json:"setAside"` // files renamed to cache.db.corrupt-<time>
}

// Stats is the state of a Cache. Bytes are those of values, without the overhead of
// the file.
type Stats struct {
	Entries  int   `json:"entries"`
	Bytes    int64 `json:"bytes"`
	MaxBytes int64 `json:"maxBytes"`
	Counts
	HitRate float64      `json:"hitRate"`
	Guest   Sum          `json:"guest"` // part of Entries and Bytes stored with cache_set
	Groups  []GroupStats `json:"groups"`
	Faults  Faults       `json:"faults"`
	Off     string       `json:"off,omitempty"` // why writing is off; empty if it is on
}

// Sum is a number of entries and their bytes.
type Sum struct {
	Entries int   `json:"entries"`
	Bytes   int64 `json:"bytes"`
}

// GroupStats are the figures of one role in one project. Sum includes the values of
// guests; Counts does not include their look-ups.
type GroupStats struct {
	Project string `json:"project"`
	Role    string `json:"role"`
	Sum
	Counts
	HitRate float64 `json:"hitRate"`
}

// Item is one row of "cache list".
type Item struct {
	Key string `json:"key"` // hexadecimal
	flow.Producer
	Guest bool      `json:"guest"` // stored with cache_set
	Bytes int       `json:"bytes"`
	Used  time.Time `json:"used"`
}

// group is the key of look-up counters.
type group struct{ project, role string }

// Stats returns the current figures. It iterates over the whole index.
func (c *Cache) Stats() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := Stats{MaxBytes: c.index.maxBytes, Faults: c.faults}
	if c.offErr != nil {
		s.Off = c.offErr.Error()
	}
	sums := make(map[group]Sum)
	for i, e := range c.index.entries {
		g := group{e.by.Project, e.by.Role}
		sums[g] = sums[g].add(e.size)
		if i.kind == kindGuest {
			s.Guest = s.Guest.add(e.size)
		}
		s.Entries++
		s.Bytes += int64(e.size)
	}
	for g, n := range c.counts {
		s.Hits += n.Hits
		s.Misses += n.Misses
		if _, ok := sums[g]; !ok {
			sums[g] = Sum{}
		}
	}
	s.HitRate = s.Counts.Rate()
	for g, sum := range sums {
		row := GroupStats{Project: g.project, Role: g.role, Sum: sum}
		if n := c.counts[g]; n != nil {
			row.Counts = *n
		}
		row.HitRate = row.Counts.Rate()
		s.Groups = append(s.Groups, row)
	}
	slices.SortFunc(s.Groups, func(a, b GroupStats) int {
		return cmp.Or(cmp.Compare(a.Project, b.Project), cmp.Compare(a.Role, b.Role))
	})
	return s
}

func (s Sum) add(size int) Sum { return Sum{s.Entries + 1, s.Bytes + int64(size)} }

// List returns the entries of a project, most recently used first. An empty project
// selects all entries.
func (c *Cache) List(project string) []Item {
	c.mu.Lock()
	defer c.mu.Unlock()
	var items []Item
	for i, e := range c.index.entries {
		if project == "" || e.by.Project == project {
			items = append(items, Item{
				Key: hex.EncodeToString(i.key[:]), Producer: e.by, Guest: i.kind == kindGuest,
				Bytes: e.size, Used: time.UnixMilli(e.used).UTC(),
			})
		}
	}
	slices.SortFunc(items, func(a, b Item) int {
		return cmp.Or(b.Used.Compare(a.Used), cmp.Compare(a.Key, b.Key))
	})
	return items
}

// Clear removes the entries of a project from memory and file and returns their
// number. An empty project selects all entries. Counters are unchanged.
//
// It returns abi.ErrUnavailable if the file is not open: its entries would appear
// again.
func (c *Cache) Clear(project string) (int, error) {
	c.mu.Lock()
	n := 0
	for _, e := range c.index.entries {
		if project == "" || e.by.Project == project {
			c.index.remove(e)
			n++
		}
	}
	lost, off := c.file == nil, c.offErr
	c.mu.Unlock()
	if lost {
		return n, fmt.Errorf("%w: cache file cannot be read (%v), only memory was cleared", abi.ErrUnavailable, off)
	}
	c.Flush()
	return n, nil
}

// count counts a look-up. Look-ups of guests are not counted, because the rate
// describes how many runs of stages were avoided.
func (c *Cache) count(i id, by flow.Producer, hit bool) {
	if i.kind != kindValue {
		return
	}
	g := group{by.Project, by.Role}
	n := c.counts[g]
	if n == nil {
		n = new(Counts)
		c.counts[g] = n
	}
	if hit {
		n.Hits++
	} else {
		n.Misses++
	}
	c.dirty[g] = struct{}{}
}

// takeChangedCounts returns the counts that have changed since the last call.
func (c *Cache) takeChangedCounts() map[group]Counts {
	changed := make(map[group]Counts, len(c.dirty))
	for g := range c.dirty {
		changed[g] = *c.counts[g]
	}
	clear(c.dirty)
	return changed
}

// addCounts adds the counts of earlier processes.
func (c *Cache) addCounts(saved map[group]Counts) {
	for g, n := range saved {
		now := c.counts[g]
		if now == nil {
			now = new(Counts)
			c.counts[g] = now
		}
		now.Hits += n.Hits
		now.Misses += n.Misses
	}
	c.counted = true
}

var probeKey = []byte{0} // differs from all groups: their first byte is recordVersion

func writeCounts(tx *bolt.Tx, counts map[group]Counts) error {
	for g, n := range counts {
		key := appendProducer([]byte{recordVersion}, flow.Producer{Project: g.project, Role: g.role})
		rec := binary.BigEndian.AppendUint64(nil, uint64(n.Hits))
		rec = binary.BigEndian.AppendUint64(rec, uint64(n.Misses))
		rec = binary.BigEndian.AppendUint32(rec, countsSum(key, rec))
		if err := tx.Bucket(bucketCounts).Put(key, rec); err != nil {
			return err
		}
	}
	return nil
}

// decodeCounts decodes a record of writeCounts.
func decodeCounts(key, rec []byte) (group, Counts, error) {
	if len(key) == 0 || key[0] != recordVersion || len(rec) != 20 {
		return group{}, Counts{}, errRecord
	}
	p, rest, err := cutProducer(key[1:])
	if err != nil || len(rest) != 0 || countsSum(key, rec[:16]) != binary.BigEndian.Uint32(rec[16:]) {
		return group{}, Counts{}, errRecord
	}
	return group{p.Project, p.Role}, Counts{
		Hits:   int64(binary.BigEndian.Uint64(rec)),
		Misses: int64(binary.BigEndian.Uint64(rec[8:])),
	}, nil
}

func countsSum(key, rec []byte) uint32 {
	return crc32.Update(crc32.Checksum(key, castagnoli), castagnoli, rec)
}
