package clientconfig

import (
	"os"
	"slices"
)

// maxCopies is the number of copies that are kept of each file. They hold whatever the
// client's file held, credentials and history included.
const maxCopies = 10

// removeOldCopies removes all but the newest copies of each file, and all but the newest
// overwritten files. Records stay: they hold the entries that disconnect and undo need. A
// copy that cannot be removed is left for the next time.
func (b Backups) removeOldCopies() {
	records, _ := b.list(".json")
	kept := map[string]int{}
	for _, path := range slices.Backward(records) {
		r, err := readRecord(path)
		if err != nil {
			continue // Last reports it
		}
		for _, c := range r.Files {
			if kept[c.File]++; kept[c.File] > maxCopies {
				_ = os.Remove(r.copyOf(c))
			}
		}
	}
	overwritten, _ := b.list(".overwritten")
	for _, path := range overwritten[:max(0, len(overwritten)-maxCopies)] {
		_ = os.Remove(path)
	}
}
