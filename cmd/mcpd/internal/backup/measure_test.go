package backup

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/host/object"
)

// measure reports figures of a backup of prompts of 2 KB, and of its restore.
func measure(t *testing.T, count int) {
	from := newSQLite(t)
	words := strings.Fields("the server of a team stores prompts that describe how an engineer reviews code tests releases and writes errors with causes and hints for users")
	random := rand.New(rand.NewPCG(1, 2))
	began := time.Now()
	for i := 0; i < count; {
		var yaml strings.Builder
		for range 250 {
			fmt.Fprintf(&yaml, "kind: Prompt\nmetadata: {name: p%d, project: p%d}\nspec:\n  content: |\n", i, i/100)
			for line := 0; line < 30; line++ {
				fmt.Fprintf(&yaml, "    ")
				for range 11 {
					fmt.Fprintf(&yaml, "%s%d ", words[random.IntN(len(words))], random.IntN(10))
				}
				yaml.WriteByte('\n')
			}
			yaml.WriteString("---\n")
			i++
		}
		from.apply(t, strings.TrimSuffix(yaml.String(), "---\n"))
	}
	t.Logf("filled in %v", time.Since(began).Round(time.Millisecond))
	file, err := os.Create(filepath.Join(t.TempDir(), "backup"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	watch := func(name string, f func() error) {
		runtime.GC()
		done, peak := make(chan struct{}), make(chan uint64)
		go func() {
			var most uint64
			for {
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				most = max(most, m.HeapInuse)
				select {
				case <-done:
					peak <- most
					return
				case <-time.After(50 * time.Millisecond):
				}
			}
		}()
		began := time.Now()
		if err := f(); err != nil {
			t.Fatal(err)
		}
		took := time.Since(began)
		close(done)
		t.Logf("%s: %v, heap at most %d MiB", name, took.Round(time.Millisecond), <-peak>>20)
	}
	watch("backup", func() error {
		_, err := Write(t.Context(), from.db, from.store, file, Options{Program: "test"})
		return err
	})
	info, _ := file.Stat()
	t.Logf("%d MiB", info.Size()>>20)
	to := newSQLite(t)
	watch("restore", func() error {
		report, err := Restore(t.Context(), to.store, file, RestoreOptions{Actor: "test"})
		if err == nil && report.Created != int64(count) {
			t.Errorf("got %+v", report)
		}
		return err
	})
	if _, err := to.store.Get(t.Context(), object.Key{Kind: object.KindPrompt, Project: "p0", Name: "p1"}); err != nil {
		t.Error(err)
	}
}
