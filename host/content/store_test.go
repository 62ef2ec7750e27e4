package content

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

var (
	testKey = []byte("0123456789abcdef0123456789abcdef")
	alice   = flow.Scope{Project: "home", Subject: "alice", Session: "one"}
	info    = Info{Type: abi.ToolResult, Source: "files/read", MIME: "text/plain", Hint: "a.txt", Part: abi.Part{Kind: abi.PartText, Count: 1}}
)

// clock is a fake clock.
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

func put(t testing.TB, s *Store, scope flow.Scope, text string) string {
	t.Helper()
	ref, err := s.Put(scope, []byte(text), info)
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

func wantBytes(t testing.TB, s *Store, scope flow.Scope, ref, want string) {
	t.Helper()
	got, gotInfo, err := s.Get(scope, ref)
	if err != nil {
		t.Fatalf("Get(%s): %v", ref, err)
	}
	if string(got) != want || gotInfo != info {
		t.Errorf("Get(%s) = %.60q, %+v, want %.60q", ref, got, gotInfo, want)
	}
}

func wantNotFound(t testing.TB, s *Store, scope flow.Scope, ref string) {
	t.Helper()
	if b, _, err := s.Get(scope, ref); !errors.Is(err, abi.ErrNotFound) {
		t.Errorf("Get(%.40q) = %.40q, %v, want not found", ref, b, err)
	}
}

// someView returns a view with every kind of section.
func someView() View {
	return View{
		Tree: abi.Tree{Type: "json-array", Syntax: "[]", Sections: []abi.Section{
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

func TestPutGet(t *testing.T) {
	s := openStore(t, t.TempDir(), Options{})
	ref := put(t, s, alice, "the original")
	if !isRef(ref) {
		t.Errorf("%q is not a ref", ref)
	}
	wantBytes(t, s, alice, ref, "the original")
	if again := put(t, s, alice, "the original"); again != ref {
		t.Errorf("equal bytes have refs %s and %s", ref, again)
	}
	empty := put(t, s, alice, "")
	wantBytes(t, s, alice, empty, "")
}

func TestRecentRefs(t *testing.T) {
	s := openStore(t, t.TempDir(), Options{})
	one, two := put(t, s, alice, "one"), put(t, s, alice, "two")
	put(t, s, flow.Scope{Project: "work", Subject: "alice"}, "two")
	three := put(t, s, alice, "three")
	wantBytes(t, s, alice, one, "one") // is now the last one that was used
	for n, want := range map[int][]string{0: nil, 2: {one, three}, 9: {one, three, two}} {
		if got := s.Recent("home", n); !slices.Equal(got, want) {
			t.Errorf("the last %d: %q, want %q", n, got, want)
		}
	}
	if got := s.Recent("nosuch", 9); got != nil {
		t.Errorf("of another project: %q", got)
	}
}

func TestRefsBelongToProjectAndSubject(t *testing.T) {
	s := openStore(t, t.TempDir(), Options{})
	ref := put(t, s, alice, "secret")
	bob := flow.Scope{Project: "home", Subject: "bob"}
	work := flow.Scope{Project: "work", Subject: "alice"}
	wantNotFound(t, s, bob, ref)
	wantNotFound(t, s, work, ref)
	other := alice
	other.Session = "two"
	wantBytes(t, s, other, ref, "secret")
	if _, _, err := s.View(bob, ref); !errors.Is(err, abi.ErrNotFound) {
		t.Errorf("view of another's ref: %v", err)
	}
	if err := s.SetView(bob, ref, View{}); !errors.Is(err, abi.ErrNotFound) {
		t.Errorf("set view of another's ref: %v", err)
	}
	// Each subject has its own ref of the same bytes.
	bobs := put(t, s, bob, "secret")
	if bobs == ref {
		t.Error("two subjects share a ref")
	}
	wantNotFound(t, s, bob, ref)
	wantNotFound(t, s, alice, bobs)
	// Field boundaries matter: ("a", "bc") is not ("ab", "c").
	if makeRef(testKey, hash{}, flow.Scope{Project: "a", Subject: "bc"}) == makeRef(testKey, hash{}, flow.Scope{Project: "ab", Subject: "c"}) {
		t.Error("two scopes have the same ref")
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

func TestStoreSurvivesRestart(t *testing.T) {
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
	if got, _, err := s.View(alice, ref); err != nil || !reflect.DeepEqual(got, someView()) {
		t.Errorf("view after a restart: %v\n got %+v\nwant %+v", err, got, someView())
	}
	other, err := Open(filepath.Join(dir), []byte("another key of 32 bytes ........"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	wantNotFound(t, other, alice, ref)
}

// SetView returns after all files are written, so a killed process leaves valid files.
func TestSetViewSurvivesKill(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir, Options{})
	text := strings.Repeat("an original of some size ", 50_000)
	ref := put(t, s, alice, text)
	if err := s.SetView(alice, ref, someView()); err != nil {
		t.Fatal(err)
	}
	second := openStore(t, dir, Options{}) // s was not closed
	wantBytes(t, second, alice, ref, text)
	if v, _, err := second.View(alice, ref); err != nil || len(v.Tree.Sections) != 5 {
		t.Errorf("view: %v, %+v", err, v)
	}
}

func TestFilesArePrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "originals")
	s := openStore(t, dir, Options{})
	ref := put(t, s, alice, "private")
	if err := s.SetView(alice, ref, View{}); err != nil {
		t.Fatal(err)
	}
	s.Close()
	if st, _ := os.Stat(dir); st.Mode().Perm() != 0o700 {
		t.Errorf("directory is %v", st.Mode())
	}
	entries, _ := os.ReadDir(dir)
	if len(entries) != 3 {
		t.Errorf("%d files, want the original, its ref and the clock", len(entries))
	}
	for _, e := range entries {
		if st, _ := e.Info(); st.Mode() != 0o600 {
			t.Errorf("%s is %v", e.Name(), st.Mode())
		}
	}
}

func TestPartialFilesAndLinksAreRemovedAtStart(t *testing.T) {
	dir := t.TempDir()
	secret := filepath.Join(t.TempDir(), "secret")
	link := filepath.Join(dir, strings.Repeat("a", 64))
	for path, text := range map[string]string{secret: "secret", filepath.Join(dir, "tmp-XYZ"): "half", filepath.Join(dir, "README"): "another file"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(secret, link); err != nil {
		t.Fatal(err)
	}
	openStore(t, dir, Options{}).Close()
	entries, _ := os.ReadDir(dir)
	if len(entries) != 2 || entries[0].Name() != "README" || entries[1].Name() != clockFile {
		t.Errorf("entries: %v, want README and the clock only", entries)
	}
	if _, err := os.Stat(secret); err != nil {
		t.Errorf("the target of the link was removed: %v", err)
	}
}

func TestEqualBytesAreWrittenOnce(t *testing.T) {
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
	if err := s.SetView(alice, kept, View{}); err != nil { // waits for the writes
		t.Fatal(err)
	}
	c.add(40 * time.Minute)
	wantBytes(t, s, alice, kept, "kept")
	c.add(40 * time.Minute)
	wantBytes(t, s, alice, kept, "kept")
	wantNotFound(t, s, alice, old)
	s.Close()
	s = openStore(t, dir, opt) // reads the last use from disk
	wantBytes(t, s, alice, kept, "kept")
	c.add(40 * time.Minute)
	s.Close()
	c.add(40 * time.Minute)
	s = openStore(t, dir, opt)
	c.add(21 * time.Minute) // 20 were left when it was closed
	wantNotFound(t, s, alice, kept)
	s.mu.Lock()
	s.makeRoom()
	s.mu.Unlock()
	s.Close()
	if entries, _ := os.ReadDir(dir); len(entries) != 1 || entries[0].Name() != clockFile {
		t.Errorf("files %v, want no expired ones", entries)
	}
	s = openStore(t, dir, opt)
	again := put(t, s, alice, "kept")
	wantBytes(t, s, alice, again, "kept")
}

// A peek returns what Get returns, but is no use.
func TestPeekIsNoUse(t *testing.T) {
	c := newClock()
	s := openStore(t, t.TempDir(), Options{TTL: time.Hour, Now: c.now, Memory: 1})
	ref := put(t, s, alice, "peeked")
	check := func(scope flow.Scope, ref string, limit int64, want string, wantErr error) {
		t.Helper()
		if b, err := s.Peek(scope, ref, limit); string(b) != want || !errors.Is(err, wantErr) {
			t.Errorf("got %q, %v, want %q, %v", b, err, want, wantErr)
		}
	}
	check(alice, ref, 6, "peeked", nil) // may not be written yet
	if err := s.SetView(alice, ref, View{}); err != nil {
		t.Fatal(err)
	}
	check(alice, ref, 6, "peeked", nil) // from disk
	check(alice, ref, 5, "", abi.ErrLimit)
	check(flow.Scope{Project: "work"}, ref, 6, "", abi.ErrNotFound)
	check(alice, "../../etc/passwd", 6, "", abi.ErrNotFound)
	check(alice, "", 6, "", abi.ErrNotFound)
	c.add(40 * time.Minute)
	check(alice, ref, 6, "peeked", nil)
	c.add(40 * time.Minute)
	check(alice, ref, 6, "", abi.ErrNotFound)
	wantNotFound(t, s, alice, ref)
}

// Many small originals are limited by MaxFiles.
func TestQuotaOfFiles(t *testing.T) {
	c := newClock()
	s := openStore(t, t.TempDir(), Options{MaxFiles: 10, Now: c.now})
	var refs []string
	for i := range 20 {
		c.add(time.Second)
		ref := put(t, s, alice, fmt.Sprint(i))
		if err := s.SetView(alice, ref, View{}); err != nil {
			t.Fatal(err)
		}
		refs = append(refs, ref)
	}
	if st := s.Stats(); st.Originals+st.Refs > 10 {
		t.Errorf("%d originals, %d refs; limit 10 files", st.Originals, st.Refs)
	}
	wantNotFound(t, s, alice, refs[0])
	wantBytes(t, s, alice, refs[19], "19")
}

func TestQuotaEvictsLeastRecentlyUsed(t *testing.T) {
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
		t.Errorf("%d bytes after a start with a smaller quota", st.Bytes)
	}
}

func TestConcurrentUse(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir, Options{MaxBytes: 300_000, Memory: 50_000})
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(g), 1))
			scope := flow.Scope{Project: "p", Subject: fmt.Sprint(g % 2)}
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
				if _, _, err := s.View(scope, ref); err != nil && !errors.Is(err, abi.ErrNotFound) {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if st := s.Stats(); st.Damaged > 0 || st.Failed > 0 {
		t.Errorf("%+v", st)
	}
	s.Close()
	wantFilesOfIndex(t, s, dir)
}

// wantFilesOfIndex checks that the disk has the files of the index, and no others.
func wantFilesOfIndex(t *testing.T, s *Store, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if s.files[e.Name()] == nil && e.Name() != clockFile {
			t.Errorf("%s is on disk, but not in the index", e.Name())
		}
	}
	if len(entries)-1 < len(s.files) {
		t.Errorf("%d files on disk, %d in the index", len(entries)-1, len(s.files))
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

func TestOpenRejectsKeyAndPath(t *testing.T) {
	if _, err := Open(t.TempDir(), []byte("short"), Options{}); !errors.Is(err, abi.ErrConfig) {
		t.Errorf("a short key: %v", err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(file, testKey, Options{}); !errors.Is(err, syscall.ENOTDIR) || errors.Is(err, abi.ErrUnavailable) {
		t.Errorf("a file in place of the directory: %v", err)
	}
}

// SetView and another Put of the same bytes do not change Since.
func TestSince(t *testing.T) {
	c, dir := newClock(), t.TempDir()
	s := openStore(t, dir, Options{Now: c.now})
	ref, begin := put(t, s, alice, "text"), c.now()
	c.add(time.Minute)
	if err := s.SetView(alice, ref, View{}); err != nil {
		t.Fatal(err)
	}
	put(t, s, alice, "text")
	if at, err := s.Since(alice, ref); err != nil || !at.Equal(begin) {
		t.Errorf("since %v, %v; want %v", at, err, begin)
	}
	if _, err := s.Since(flow.Scope{Project: "other"}, ref); !errors.Is(err, abi.ErrNotFound) {
		t.Errorf("of another project: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if at, err := openStore(t, dir, Options{Now: c.now}).Since(alice, ref); err != nil || at.IsZero() {
		t.Errorf("in another process: %v, %v", at, err)
	}
}

// Of two concurrent views, Touch reports the one that View returns, and a later SetView
// is not skipped wrongly.
func TestConcurrentSetView(t *testing.T) {
	s, err := OpenVolatile(testKey, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	ref := put(t, s, alice, "some text")
	set := func(title string) {
		v := someView()
		v.Tree.Type, v.Key = title, sha256.Sum256([]byte(title))
		if err := s.SetView(alice, ref, v); err != nil {
			t.Error(err)
		}
	}
	for i := range 2000 {
		var writers sync.WaitGroup
		for _, title := range []string{"a", "b"} {
			writers.Go(func() { set(title) })
		}
		writers.Wait()
		reported, _ := s.Touch(alice, ref)
		if v, read, err := s.View(alice, ref); err != nil || read != reported {
			t.Fatalf("round %d: version %x is reported, %x (%s) read: %v", i, reported, read, v.Tree.Type, err)
		}
		set("a")
		if v, _, _ := s.View(alice, ref); v.Tree.Type != "a" {
			t.Fatalf("round %d: %q is read, a was set", i, v.Tree.Type)
		}
	}
}
