package clientconfig

import (
	"os"
	"slices"
)

// maxCopies is the number of copies kept per file. It is bounded because a copy contains all
// content
// of the client's file, including credentials and history.
const maxCopies = 10

// removeOldCopies removes all but the newest copies of each file, and all but the newest
// overwritten
// files. Records are kept, because disconnect and undo need their entries. A copy that cannot be
// removed is tried again next time.
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
