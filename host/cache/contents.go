package cache

import (
	"cmp"
	"slices"

	bolt "go.etcd.io/bbolt"

	"github.com/mcpctl/mcpctl/host/flow"
)

// contents is the notes and counters of a file.
type contents struct {
	entries []*entry // least recently used first
	damaged []id     // entries with damaged notes
	counts  map[group]Counts

	known map[flow.Producer]flow.Producer // shares the strings of equal producers
}

// readContents reads the notes and counters of a file, not its values.
func readContents(f *file) (contents, error) {
	found := contents{counts: make(map[group]Counts), known: make(map[flow.Producer]flow.Producer)}
	err := f.read(func(tx *bolt.Tx) error {
		if err := tx.Bucket(bucketIndex).ForEach(found.addNote); err != nil {
			return err
		}
		return tx.Bucket(bucketCounts).ForEach(func(k, v []byte) error {
			if g, n, err := decodeCounts(k, v); err == nil {
				found.counts[g] = n
			}
			return nil
		})
	})
	slices.SortFunc(found.entries, func(a, b *entry) int { return cmp.Compare(a.used, b.used) })
	return found, err
}

func (c *contents) addNote(k, v []byte) error {
	i, ok := parseKey(k)
	if !ok {
		return nil
	}
	n, err := decodeNote(v, i)
	if err != nil {
		c.damaged = append(c.damaged, i)
		return nil
	}
	by, ok := c.known[n.by]
	if !ok {
		by = n.by
		c.known[by] = by
	}
	c.entries = append(c.entries, &entry{id: i, by: by, size: n.size, used: n.used, saved: n.used, stored: true})
	return nil
}
