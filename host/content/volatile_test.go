package content

import (
	"errors"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

// A volatile Store serves and evicts like one on disk and writes no files.
func TestVolatile(t *testing.T) {
	t.Setenv("TMPDIR", "/nonexistent")
	s, err := OpenVolatile(testKey, Options{MaxBytes: 1 << 20, Memory: 1})
	if err != nil {
		t.Fatal(err)
	}
	ref := put(t, s, alice, "some text")
	if err := s.SetView(alice, ref, someView()); err != nil {
		t.Fatal(err)
	}
	wantBytes(t, s, alice, ref, "some text")
	if v, _, err := s.View(alice, ref); err != nil || len(v.Tree.Sections) != len(someView().Tree.Sections) {
		t.Errorf("view: %+v, %v", v, err)
	}
	if _, _, err := s.Get(flow.Scope{Project: "home", Subject: "bob"}, ref); !errors.Is(err, abi.ErrNotFound) {
		t.Errorf("another subject reads it: %v", err)
	}
	for _, letter := range []string{"a", "b", "c"} {
		large := put(t, s, alice, strings.Repeat(letter, 700_000))
		if err := s.SetView(alice, large, someView()); err != nil {
			t.Fatal(err)
		}
	}
	if st := s.Stats(); st.Bytes > 1<<20 || st.Evicted == 0 {
		t.Errorf("%+v", st)
	}
	if err := errors.Join(s.Close(), s.Close()); err != nil {
		t.Error(err)
	}
	if _, err := s.Put(alice, []byte("x"), info); err == nil {
		t.Error("Put in a closed store: no error")
	}
	if _, err := OpenVolatile([]byte("short"), Options{}); !errors.Is(err, abi.ErrConfig) {
		t.Errorf("a short key: %v", err)
	}
}
