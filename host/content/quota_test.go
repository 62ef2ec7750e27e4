package content

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/host/flow"
)

var (
	quiet = flow.Scope{Project: "quiet"}
	busy  = flow.Scope{Project: "busy"}
)

// putMany puts n Originals of this size, one per second.
func putMany(t *testing.T, s *Store, c *clock, scope flow.Scope, n, size int) (refs, texts []string) {
	t.Helper()
	for i := range n {
		c.add(time.Second)
		text := fmt.Sprint(scope.Project, i, strings.Repeat("x", size))
		ref := put(t, s, scope, text)
		if err := s.SetView(scope, ref, View{}); err != nil {
			t.Fatal(err)
		}
		refs, texts = append(refs, ref), append(texts, text)
	}
	return refs, texts
}

func TestBusyProjectDoesNotEvictQuietOne(t *testing.T) {
	for _, tc := range []struct {
		name string
		opt  Options
	}{
		{"by bytes", Options{MaxBytes: 50_000}},
		{"by files", Options{MaxFiles: 12}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir, c := t.TempDir(), newClock()
			tc.opt.Memory, tc.opt.Now = 1, c.now
			s := openStore(t, dir, tc.opt)
			refs, texts := putMany(t, s, c, quiet, 2, 4000)
			wantAll := func() {
				t.Helper()
				for i, ref := range refs {
					s.mu.Lock()
					there := s.files[ref] != nil && s.files[s.files[ref].entry.hash().name()] != nil
					s.mu.Unlock()
					if !there {
						t.Errorf("original %d of the quiet project was evicted", i)
					}
				}
			}
			putMany(t, s, c, busy, 30, 4000)
			wantAll()
			s.Close()
			s = openStore(t, dir, tc.opt) // reads the owners from disk
			for i := range refs {
				s.load(refs[i])
			}
			putMany(t, s, c, flow.Scope{Project: "busy", Subject: "other"}, 30, 4100)
			wantAll()
			if st := s.Stats(); st.Evicted == 0 || tc.opt.MaxBytes > 0 && st.Bytes > tc.opt.MaxBytes {
				t.Errorf("%+v", st)
			}
			for i, ref := range refs {
				wantBytes(t, s, quiet, ref, texts[i])
			}
		})
	}
}

// A single project may use the whole quota. An original shared by two projects does not
// count for the busy one.
func TestQuotaOfOneProjectAndOfSharedOriginals(t *testing.T) {
	c := newClock()
	s := openStore(t, t.TempDir(), Options{MaxBytes: 50_000, Memory: 1, Now: c.now})
	both := strings.Repeat("both", 1000)
	ref := put(t, s, quiet, both)
	put(t, s, busy, both)
	putMany(t, s, c, busy, 30, 4000)
	wantBytes(t, s, quiet, ref, both)
	if st := s.Stats(); st.Bytes < 40_000 || st.Bytes > 50_000 {
		t.Errorf("%d bytes are used, want nearly 50,000", st.Bytes)
	}
}

// Records of earlier versions can be read. Those of version 1 have no project and are
// evicted first.
func TestRecordsOfEarlierVersions(t *testing.T) {
	for _, version := range []byte{1, 2} {
		dir, c := t.TempDir(), newClock()
		s := openStore(t, dir, Options{Memory: 1, Now: c.now})
		refs, texts := putMany(t, s, c, quiet, 2, 4000)
		if err := s.SetView(quiet, refs[0], someView()); err != nil {
			t.Fatal(err)
		}
		s.Close()
		for _, ref := range refs {
			changeFile(t, filepath.Join(dir, ref), func(b []byte) []byte { return asVersion(version, ref, b, quiet.Project) })
		}
		s = openStore(t, dir, Options{MaxBytes: 50_000, Memory: 1, Now: c.now})
		wantBytes(t, s, quiet, refs[0], texts[0]) // sets the owner
		if v, _, err := s.View(quiet, refs[0]); err != nil || len(v.Tree.Sections) != 5 {
			t.Errorf("version %d: view: %v, %d sections", version, err, len(v.Tree.Sections))
		}
		putMany(t, s, c, busy, 30, 4000)
		wantBytes(t, s, quiet, refs[0], texts[0])
		if version == 1 {
			wantNotFound(t, s, quiet, refs[1])
		} else {
			wantBytes(t, s, quiet, refs[1], texts[1])
		}
	}
}

func changeFile(t *testing.T, path string, change func([]byte) []byte) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, change(b), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// asVersion converts a record to an earlier version: the head of version 1 ends before
// the project, and the checksums do not include the Ref.
func asVersion(version byte, ref string, b []byte, project string) []byte {
	d := decoder{rest: string(b[1+sha256.Size:])}
	head := d.string()
	if version == 1 {
		head = head[:len(head)-1-len(project)]
	}
	sum := sumRecord(version, ref, []byte(head))
	old := append(encoder{version}, sum[:]...)
	old.string(head)
	if d.rest != "" {
		view := d.rest[sha256.Size:]
		sum = sumRecord(version, ref, []byte(view))
		old = append(append(old, sum[:]...), view...)
	}
	return old
}
