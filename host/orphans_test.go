package host

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The process of every server carries a mark, and the next daemon of this home ends
// the processes with the old mark. Each daemon has a new mark; an offline Host has
// none.
func TestServersHaveMarkOfTheirDaemon(t *testing.T) {
	dir := newHome(t, files{"servers/s.yaml": "kind: Server\nmetadata: {name: s}\nspec: {command: [x]}\n"})
	kept := func() string {
		b, _ := os.ReadFile(filepath.Join(dir, "run", "servers"))
		mark, _, _ := strings.Cut(string(b), " ")
		return mark
	}
	seen := map[string]bool{"": true}
	for range 2 {
		r := openRig(t, dir)
		cfg, err := r.pool.Config("s", "", "")
		if err != nil {
			t.Fatal(err)
		}
		if cfg.Mark != kept() || seen[cfg.Mark] {
			t.Errorf("mark %q, stored %q, want a new one", cfg.Mark, kept())
		}
		seen[cfg.Mark] = true
		r.stop()
	}
	before := kept()
	openRig(t, dir, func(o *Options) { o.Offline = true })
	if kept() != before {
		t.Error("an offline host has changed the mark")
	}
}
