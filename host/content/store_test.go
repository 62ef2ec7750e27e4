package content

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

var (
	testKey = []byte("0123456789abcdef0123456789abcdef")
	alice   = abi.Scope{Project: "home", Subject: "alice", Session: "one"}
	info    = Info{Type: abi.ToolResult, Source: "files/read", MIME: "text/plain", Hint: "a.txt", Part: abi.Part{Kind: abi.PartText, Count: 1}}
)

// clock is a time that tests set.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

func newClock() *clock { return &clock{at: time.Now()} }

func openStore(t testing.TB, path string, opt Options) *Store {
	t.Helper()
	s, err := Open(path, testKey, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func put(t testing.TB, s *Store, scope abi.Scope, text string) string {
	t.Helper()
	ref, err := s.Put(scope, []byte(text), info)
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

func wantBytes(t testing.TB, s *Store, scope abi.Scope, ref, want string) {
	t.Helper()
	got, gotInfo, err := s.Get(scope, ref)
	if err != nil {
		t.Fatalf("Get(%s): %v", ref, err)
	}
	if string(got) != want || gotInfo != info {
		t.Errorf("Get(%s) = %.60q, %+v, want %.60q", ref, got, gotInfo, want)
	}
}

func wantNotFound(t testing.TB, s *Store, scope abi.Scope, ref string) {
	t.Helper()
	if b, _, err := s.Get(scope, ref); !errors.Is(err, abi.ErrNotFound) {
		t.Errorf("Get(%.40q) = %.40q, %v, want not found", ref, b, err)
	}
}

// someView is a tree of every kind of section.
func someView() View {
	return View{
		Tree: abi.Tree{Type: "json-array", Sections: []abi.Section{
			{Parent: -1, Kind: abi.SectionGroup, ID: "@z=1", Title: "a tab"},
			{Parent: 0, Start: 100, End: 2000, ID: "items", Title: "ïtems", Summary: "All of them."},
			{Parent: 1, Kind: abi.SectionDecoded, Start: 0, End: 9, Literal: [2]int{120, 400}, ID: "text"},
			{Parent: -1, Kind: abi.SectionDerived, End: 4, ID: "made", Body: []byte("made")},
			{Parent: -1, Start: 7, End: 8, ID: "first"},
		}},
		Text:  []byte("json-array, 2 objects\n"),
		Marks: []abi.Mark{{Offset: 22, Section: -1, Lines: 12}},
	}
}

// covers P-087
func TestPutGet(t *testing.T) {
	s := openStore(t, t.TempDir(), Options{})
	ref := put(t, s, alice, "the original")
	if !IsRef(ref) {
		t.Errorf("%q is no ref", ref)
	}
	wantBytes(t, s, alice, ref, "the original")
	if again := put(t, s, alice, "the original"); again != ref {
		t.Errorf("the same bytes are %s, then %s", ref, again)
	}
	empty := put(t, s, alice, "")
	wantBytes(t, s, alice, empty, "")
}

// covers P-086
func TestRefsBelongToProjectAndSubject(t *testing.T) {
	s := openStore(t, t.TempDir(), Options{})
	ref := put(t, s, alice, "secret")
	bob := abi.Scope{Project: "home", Subject: "bob"}
	work := abi.Scope{Project: "work", Subject: "alice"}
	wantNotFound(t, s, bob, ref)
	wantNotFound(t, s, work, ref)
	other := alice
	other.Session = "two"
	wantBytes(t, s, other, ref, "secret")
	if _, err := s.View(bob, ref); !errors.Is(err, abi.ErrNotFound) {
		t.Errorf("view of another's ref: %v", err)
	}
	if err := s.SetView(bob, ref, View{}); !errors.Is(err, abi.ErrNotFound) {
		t.Errorf("set view of another's ref: %v", err)
	}
	// Both hold the same bytes: each has its own ref, and only that.
	bobs := put(t, s, bob, "secret")
	if bobs == ref {
		t.Error("two subjects share a ref")
	}
	wantNotFound(t, s, bob, ref)
	wantNotFound(t, s, alice, bobs)
	// Fields are told apart: ("a", "bc") is not ("ab", "c").
	if makeRef(testKey, hash{}, abi.Scope{Project: "a", Subject: "bc"}) == makeRef(testKey, hash{}, abi.Scope{Project: "ab", Subject: "c"}) {
		t.Error("two scopes make one ref")
	}
}

func TestHostileRefsAreNotFound(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir, Options{})
	if err := os.WriteFile(filepath.Join(dir, "..", "secret"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, ref := range []string{
		"", "../secret", "/etc/passwd", "..", ".", "a/b", "\x00", "abcdefghjkmnpqr\n", "ABCDEFGHJKMNPQRS", strings.Repeat("a", 10_000),
		strings.Repeat("0", 64), "0000000000000000", "con", "tmp-0000", "0123456789abcde\u2024",
	} {
		wantNotFound(t, s, alice, ref)
	}
}

func TestStoreSurvivesARestart(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir, Options{})
	ref := put(t, s, alice, "kept")
	if err := s.SetView(alice, ref, someView()); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = openStore(t, dir, Options{})
	wantBytes(t, s, alice, ref, "kept")
	if got, err := s.View(alice, ref); err != nil || !reflect.DeepEqual(got, someView()) {
		t.Errorf("view after a restart: %v\n got %+v\nwant %+v", err, got, someView())
	}
	other, err := Open(filepath.Join(dir), []byte("another key of 32 bytes ........"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	wantNotFound(t, other, alice, ref)
}

// SetView returns when all is on disk: what a killed process leaves is whole.
// covers F22
func TestSetViewOutlivesAKill(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir, Options{})
	text := strings.Repeat("an original of some size ", 50_000)
	ref := put(t, s, alice, text)
	if err := s.SetView(alice, ref, someView()); err != nil {
		t.Fatal(err)
	}
	second := openStore(t, dir, Options{}) // s was not closed
	wantBytes(t, second, alice, ref, text)
	if v, err := second.View(alice, ref); err != nil || len(v.Tree.Sections) != 5 {
		t.Errorf("view: %v, %+v", err, v)
	}
}

func TestFilesAreTheOwnersOnly(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "originals")
	s := openStore(t, dir, Options{})
	ref := put(t, s, alice, "private")
	if err := s.SetView(alice, ref, View{}); err != nil {
		t.Fatal(err)
	}
	if st, _ := os.Stat(dir); st.Mode().Perm() != 0o700 {
		t.Errorf("folder is %v", st.Mode())
	}
	entries, _ := os.ReadDir(dir)
	if len(entries) != 2 {
		t.Errorf("%d files, want the original and its ref", len(entries))
	}
	for _, e := range entries {
		if st, _ := e.Info(); st.Mode() != 0o600 {
			t.Errorf("%s is %v", e.Name(), st.Mode())
		}
	}
}

func TestPartialFilesAndLinksAreSweptAtStart(t *testing.T) {
	dir := t.TempDir()
	secret := filepath.Join(t.TempDir(), "secret")
	link := filepath.Join(dir, strings.Repeat("a", 64))
	for path, text := range map[string]string{secret: "secret", filepath.Join(dir, "tmp-XYZ"): "half", filepath.Join(dir, "README"): "not ours"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(secret, link); err != nil {
		t.Fatal(err)
	}
	openStore(t, dir, Options{})
	entries, _ := os.ReadDir(dir)
	if len(entries) != 1 || entries[0].Name() != "README" {
		t.Errorf("left over: %v", entries)
	}
	if _, err := os.Stat(secret); err != nil {
		t.Errorf("what the link named is gone: %v", err)
	}
}

func TestDamagedFiles(t *testing.T) {
	name := func(ref string) string { return ref }
	original := func(string) string { return hash(sha([]byte("whole"))).name() }
	for rule, c := range map[string]struct {
		file   func(ref string) string
		damage func(b []byte) []byte
		found  bool // the original is
	}{
		"a changed original is not served":     {original, func(b []byte) []byte { b[0] ^= 1; return b }, false},
		"an empty original is not served":      {original, func([]byte) []byte { return nil }, false},
		"a longer original is not served":      {original, func(b []byte) []byte { return append(b, 'x') }, false},
		"a cut view is dropped":                {name, func(b []byte) []byte { return b[:len(b)-7] }, true},
		"a changed view is dropped":            {name, func(b []byte) []byte { b[len(b)-3] ^= 4; return b }, true},
		"a view of nothing is dropped":         {name, func(b []byte) []byte { return b[:120] }, true},
		"a changed head makes the ref unknown": {name, func(b []byte) []byte { b[50] ^= 1; return b }, false},
		"an empty record":                      {name, func([]byte) []byte { return nil }, false},
	} {
		t.Run(rule, func(t *testing.T) {
			dir := t.TempDir()
			s := openStore(t, dir, Options{})
			ref := put(t, s, alice, "whole")
			if err := s.SetView(alice, ref, someView()); err != nil {
				t.Fatal(err)
			}
			s.Close()
			path := filepath.Join(dir, c.file(ref))
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, c.damage(b), 0o600); err != nil {
				t.Fatal(err)
			}
			s = openStore(t, dir, Options{})
			if !c.found {
				wantNotFound(t, s, alice, ref)
			} else {
				wantBytes(t, s, alice, ref, "whole")
				if v, err := s.View(alice, ref); err != nil || len(v.Tree.Sections) != 0 {
					t.Errorf("damaged view: %v, %+v", err, v)
				}
			}
			// The same call again makes it whole.
			if again := put(t, s, alice, "whole"); again != ref {
				t.Errorf("ref %s, then %s", ref, again)
			}
			if err := s.SetView(alice, ref, someView()); err != nil {
				t.Fatal(err)
			}
			s.Close()
			s = openStore(t, dir, Options{})
			wantBytes(t, s, alice, ref, "whole")
			if v, err := s.View(alice, ref); err != nil || len(v.Tree.Sections) != 5 {
				t.Errorf("view: %v, %d sections", err, len(v.Tree.Sections))
			}
		})
	}
}

func TestTheSameBytesAreWrittenOnce(t *testing.T) {
	for _, restart := range []bool{false, true} {
		d := &countingDisk{}
		path := t.TempDir()
		s := openOn(t, d, path)
		ref := put(t, s, alice, "once")
		if err := s.SetView(alice, ref, someView()); err != nil {
			t.Fatal(err)
		}
		if restart {
			s.Close()
			s = openOn(t, d, path)
		}
		before := d.count()
		put(t, s, alice, "once")
		if err := s.SetView(alice, ref, someView()); err != nil {
			t.Fatal(err)
		}
		s.Close()
		if n := d.count() - before; n > 0 {
			t.Errorf("restart %v: %d files were written again", restart, n)
		}
	}
}

func TestUnusedContentExpires(t *testing.T) {
	dir, c := t.TempDir(), newClock()
	opt := Options{TTL: time.Hour, Now: c.now}
	s := openStore(t, dir, opt)
	old, kept := put(t, s, alice, "old"), put(t, s, alice, "kept")
	if err := s.SetView(alice, kept, View{}); err != nil { // all is written
		t.Fatal(err)
	}
	c.add(40 * time.Minute)
	wantBytes(t, s, alice, kept, "kept")
	c.add(40 * time.Minute)
	wantBytes(t, s, alice, kept, "kept")
	wantNotFound(t, s, alice, old)
	s.Close()
	s = openStore(t, dir, opt) // the time of the last use is on disk
	wantBytes(t, s, alice, kept, "kept")
	s.Close()
	c.add(2 * time.Hour)
	s = openStore(t, dir, opt)
	wantNotFound(t, s, alice, kept)
	if entries, _ := os.ReadDir(dir); len(entries) > 0 {
		t.Errorf("%d files are left after their time", len(entries))
	}
	again := put(t, s, alice, "kept")
	wantBytes(t, s, alice, again, "kept")
}

func TestQuotaEvictsTheLongestUnused(t *testing.T) {
	dir, c := t.TempDir(), newClock()
	s := openStore(t, dir, Options{MaxBytes: 50_000, Memory: 1, Now: c.now})
	text := func(i int) string { return fmt.Sprint(i, strings.Repeat("x", 9000)) }
	first := put(t, s, alice, text(0))
	var refs []string
	for i := 1; i <= 8; i++ {
		c.add(time.Second)
		ref := put(t, s, alice, text(i))
		if err := s.SetView(alice, ref, View{}); err != nil {
			t.Fatal(err)
		}
		refs = append(refs, ref)
		wantBytes(t, s, alice, first, text(0)) // in use
	}
	st := s.Stats()
	if st.Bytes > 50_000 || st.Evicted == 0 {
		t.Errorf("%+v", st)
	}
	wantNotFound(t, s, alice, refs[0])
	wantBytes(t, s, alice, refs[7], text(8))
	if _, err := s.Put(alice, make([]byte, 50_001), info); !errors.Is(err, abi.ErrLimit) {
		t.Errorf("content over the quota: %v", err)
	}
	s.Close()
	s = openStore(t, dir, Options{MaxBytes: 20_000, Memory: 1, Now: c.now})
	if st := s.Stats(); st.Bytes > 20_000 {
		t.Errorf("a smaller quota at start leaves %d bytes", st.Bytes)
	}
}

// covers F11
func TestWhatCannotBeStoredIsSaid(t *testing.T) {
	d := &countingDisk{}
	s := openOn(t, d, t.TempDir())
	kept := put(t, s, alice, "before")
	if err := s.SetView(alice, kept, View{}); err != nil {
		t.Fatal(err)
	}
	d.fail(syscall.ENOSPC)
	ref, err := s.Put(alice, []byte("lost"), info) // the disk is not known to be full yet
	if err == nil {
		err = s.SetView(alice, ref, someView())
	}
	if err == nil {
		t.Fatal("an answer that names the ref would have gone out")
	}
	for range 3 {
		if _, err := s.Put(alice, []byte("lost too"), info); !errors.Is(err, abi.ErrUnavailable) || !strings.Contains(err.Error(), "no space left") {
			t.Errorf("Put on a full disk: %v", err)
		}
	}
	if st := s.Stats(); st.Failed == 0 || st.Failure == "" {
		t.Errorf("%+v", st)
	}
	wantBytes(t, s, alice, kept, "before")
	d.fail(nil)
	ref = put(t, s, alice, "lost")
	if err := s.SetView(alice, ref, someView()); err != nil {
		t.Errorf("after the disk recovered: %v", err)
	}
	wantBytes(t, s, alice, ref, "lost")
}

func TestAWriteThatStallsStallsNobody(t *testing.T) {
	d := &countingDisk{gate: make(chan struct{})}
	s := openOn(t, d, t.TempDir())
	var refs []string
	for i := range 20 {
		refs = append(refs, put(t, s, alice, fmt.Sprint("content ", i)))
	}
	for i, ref := range refs {
		wantBytes(t, s, alice, ref, fmt.Sprint("content ", i))
	}
	if st := s.Stats(); st.PendingBytes == 0 {
		t.Error("nothing is pending: the disk did not stall")
	}
	ctx, done := context.WithCancel(context.Background())
	go func() {
		defer done()
		if err := s.SetView(alice, refs[19], someView()); err != nil {
			t.Error(err)
		}
	}()
	if ctx.Err() != nil {
		t.Error("SetView returned before its original was written")
	}
	close(d.gate)
	<-ctx.Done()
	if st := s.Stats(); st.PendingBytes != 0 && st.Refs != 20 {
		t.Errorf("%+v", st)
	}
}

func TestPutWaitsWhenTooMuchIsPending(t *testing.T) {
	d := &countingDisk{gate: make(chan struct{})}
	s := openOn(t, d, t.TempDir())
	s.opt.Pending = 1000
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		put(t, s, alice, strings.Repeat("x", 5000))
	}()
	d.gate <- struct{}{} // the original
	select {
	case <-finished:
		t.Error("Put returned with its ref still to be written")
	default:
	}
	close(d.gate)
	<-finished
}

func TestConcurrentUse(t *testing.T) {
	s := openStore(t, t.TempDir(), Options{MaxBytes: 300_000, Memory: 50_000})
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(g), 1))
			scope := abi.Scope{Project: "p", Subject: fmt.Sprint(g % 2)}
			for i := range 150 {
				text := strings.Repeat(fmt.Sprint(r.IntN(40)), 3000)
				ref, err := s.Put(scope, []byte(text), info)
				if err != nil {
					t.Error(err)
				}
				b, _, err := s.Get(scope, ref)
				if err == nil && string(b) != text {
					t.Error("wrong bytes")
				}
				if i%3 == 0 {
					_ = s.SetView(scope, ref, someView()) // the ref may be evicted by now
				}
				if _, err := s.View(scope, ref); err != nil && !errors.Is(err, abi.ErrNotFound) {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if st := s.Stats(); st.Damaged > 0 || st.Failed > 0 {
		t.Errorf("%+v", st)
	}
}

func TestCloseTwiceAndUseAfter(t *testing.T) {
	s := openStore(t, t.TempDir(), Options{})
	put(t, s, alice, "x")
	if err := errors.Join(s.Close(), s.Close()); err != nil {
		t.Error(err)
	}
	if _, err := s.Put(alice, []byte("y"), info); !errors.Is(err, abi.ErrUnavailable) {
		t.Errorf("Put after Close: %v", err)
	}
}

func TestOpenRefuses(t *testing.T) {
	if _, err := Open(t.TempDir(), []byte("short"), Options{}); !errors.Is(err, abi.ErrConfig) {
		t.Errorf("a short key: %v", err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(file, testKey, Options{}); !errors.Is(err, abi.ErrUnavailable) {
		t.Errorf("a file for a folder: %v", err)
	}
}

func FuzzDecodeRecord(f *testing.F) {
	v := someView()
	whole := (&record{hash: hash{1, 2, 3}, info: info, view: &v}).encode()
	f.Add(whole)
	f.Add((&record{info: info}).encode())
	f.Add(whole[:60])
	f.Fuzz(func(t *testing.T, b []byte) {
		// Behind the checksums too: a record is as hostile as its writer.
		d := decoder{rest: string(b)}
		view := d.view()
		if len(view.Tree.Sections) > maxSections {
			t.Fatalf("%d sections", len(view.Tree.Sections))
		}
		r, err := decodeRecord(b)
		if err != nil {
			return
		}
		again, err := decodeRecord(r.encode())
		if err != nil || !reflect.DeepEqual(again, r) {
			t.Fatalf("%v\n got %+v\nwant %+v", err, again, r)
		}
	})
}

func BenchmarkPut(b *testing.B) {
	for _, size := range []int{1 << 10, 128 << 10, 1 << 20} {
		data := bytes.Repeat([]byte("0123456789abcdef"), size/16)
		b.Run(fmt.Sprintf("new %d", size), func(b *testing.B) {
			s := openStore(b, b.TempDir(), Options{MaxBytes: 64 << 20})
			b.SetBytes(int64(size))
			for i := 0; b.Loop(); i++ {
				b.StopTimer()
				fresh := append([]byte(fmt.Sprintf("%016d", i)), data[16:]...)
				b.StartTimer()
				ref, err := s.Put(alice, fresh, info)
				b.StopTimer()
				if err = errors.Join(err, s.SetView(alice, ref, View{})); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
			}
		})
		b.Run(fmt.Sprintf("again %d", size), func(b *testing.B) {
			s := openStore(b, b.TempDir(), Options{})
			b.SetBytes(int64(size))
			for b.Loop() {
				if _, err := s.Put(alice, data, info); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkView(b *testing.B) {
	var v View
	for i := range 40_000 {
		v.Tree.Sections = append(v.Tree.Sections, abi.Section{Parent: -1, Start: i * 90, End: i*90 + 88, ID: fmt.Sprintf("%08x.%06x", i*7919, i), Title: fmt.Sprint("record ", i)})
	}
	s := openStore(b, b.TempDir(), Options{})
	ref := put(b, s, alice, "x")
	b.Run("set again", func(b *testing.B) {
		for b.Loop() {
			if err := s.SetView(alice, ref, v); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("read", func(b *testing.B) {
		for b.Loop() {
			if got, err := s.View(alice, ref); err != nil || len(got.Tree.Sections) != 40_000 {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkGet(b *testing.B) {
	for name, memory := range map[string]int64{"memory": 1 << 20, "disk": 1} {
		b.Run(name, func(b *testing.B) {
			s := openStore(b, b.TempDir(), Options{Memory: memory})
			ref := put(b, s, alice, strings.Repeat("0123456789abcdef", 8<<10))
			if err := s.SetView(alice, ref, View{}); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, _, err := s.Get(alice, ref); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
