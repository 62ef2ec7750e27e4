package backup

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/database/query"
	"github.com/mcpctl/mcpctl/host/object"
)

// measure reports figures of a backup of prompts of 2 KB, and of its restore.
func measure(t *testing.T, count int) {
	from := newSQLite(t)
	words := strings.Fields("the server of a team stores prompts that describe how an engineer reviews code tests releases and writes errors with causes and hints for users")
	random := rand.New(rand.NewPCG(1, 2))
	began := time.Now()
	from.apply(t, "kind: Prompt\nmetadata: {name: n-0, project: p-0}\nspec: {content: x}\n")
	for i := 0; i < count; {
		err := from.db.Write(t.Context(), func(tx *database.Tx) error {
			first, err := tx.GetObject(t.Context(), query.GetObjectParams{Kind: "Prompt", Project: "p-0", Name: "n-0"})
			for range 1000 {
				var text strings.Builder
				for range 30 {
					for range 11 {
						fmt.Fprintf(&text, "%s%d ", words[random.IntN(len(words))], random.IntN(10))
					}
					text.WriteByte('\n')
				}
				row := query.PutObjectParams(first)
				row.Name, row.Project, row.Uid = fmt.Sprintf("n-%d", i), fmt.Sprintf("p-%d", i/100), uuid.NewString()
				row.Manifest = strings.NewReplacer("n-0", row.Name, "p-0", row.Project).Replace(row.Manifest)
				hash := sha256.Sum256([]byte(text.String()))
				row.Body, row.BodyBytes = hash[:], int64(text.Len())
				err = errors.Join(err, tx.PutBlob(t.Context(), query.PutBlobParams{Hash: row.Body, Bytes: []byte(text.String())}), tx.PutObject(t.Context(), row))
				i++
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
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
	if _, err := to.store.Get(t.Context(), object.Key{Kind: object.KindPrompt, Project: "p-0", Name: "n-1"}); err != nil {
		t.Error(err)
	}
}
