package host

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/mcpctl/mcpctl/host/proxy/catalog"
	"github.com/mcpctl/mcpctl/internal/atomicfile"
)

// knownLists caches on disk the capabilities of each server and its lists of tools,
// resources and prompts, one file for each key. A missing file is a miss; the caller
// detects damaged content.
type knownLists struct {
	dir string
	log *slog.Logger
}

var _ catalog.Store = knownLists{}

// maxKnownLists bounds the number of files, because files of changed or deleted servers
// would accumulate. Those written longest ago are removed first.
const maxKnownLists = 256

// newKnownLists returns nil if o.Offline is set, because no server is started.
func newKnownLists(o Options) catalog.Store {
	if o.Offline {
		return nil
	}
	return knownLists{o.Home.Lists(), o.Log}
}

func (k knownLists) file(key string) string {
	sum := sha256.Sum256([]byte(key))
	return filepath.Join(k.dir, hex.EncodeToString(sum[:16])+".json")
}

// Get implements catalog.Store.
func (k knownLists) Get(key string) ([]byte, bool) {
	info, err := os.Lstat(k.file(key))
	if err != nil || !info.Mode().IsRegular() || info.Size() > catalog.MaxKept {
		return nil, false
	}
	b, err := os.ReadFile(k.file(key))
	return b, err == nil
}

// Set implements catalog.Store.
func (k knownLists) Set(key string, value []byte) {
	if err := atomicfile.Write(k.file(key), value, 0o600); err != nil {
		k.log.Warn("cannot store the lists of a server for the next start", "error", err)
	}
	k.prune()
}

func (k knownLists) prune() {
	files, err := os.ReadDir(k.dir)
	if err != nil || len(files) <= maxKnownLists {
		return
	}
	age := func(f fs.DirEntry) time.Time {
		info, err := f.Info()
		if err != nil {
			return time.Time{}
		}
		return info.ModTime()
	}
	slices.SortFunc(files, func(a, b fs.DirEntry) int { return age(a).Compare(age(b)) })
	for _, f := range files[:len(files)-maxKnownLists] {
		_ = os.Remove(filepath.Join(k.dir, f.Name()))
	}
}
