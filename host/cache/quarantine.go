package cache

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// keepCorrupt is the number of newest quarantined files that are kept.
const keepCorrupt = 3

const corruptMark = ".corrupt-"

// renameCorrupt renames the file at path to path.corrupt-<time> and returns the new name.
// It removes older such files beyond keepCorrupt.
func renameCorrupt(path string, now time.Time) (string, error) {
	base := path + corruptMark + now.UTC().Format("20060102T150405.000Z")
	to := base
	for n := 2; ; n++ {
		if _, err := os.Lstat(to); os.IsNotExist(err) {
			break
		}
		to = fmt.Sprintf("%s-%d", base, n)
	}
	if err := os.Rename(path, to); err != nil {
		return "", err
	}
	removeOldCorrupt(path)
	return to, nil
}

// removeOldCorrupt removes all but the newest keepCorrupt quarantined files. Names sort by
// time. A directory that is not empty is not removed.
func removeOldCorrupt(path string) {
	entries, err := os.ReadDir(filepath.Dir(path)) // sorted by name
	if err != nil {
		return
	}
	var old []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), filepath.Base(path)+corruptMark) {
			old = append(old, filepath.Join(filepath.Dir(path), e.Name()))
		}
	}
	for len(old) > keepCorrupt {
		_ = os.Remove(old[0])
		old = old[1:]
	}
}
