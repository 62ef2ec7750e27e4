package daemon

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
)

// A followed log is printed completely and only once, even if it is rotated.
func TestFollowedLogIsRotated(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mcplocal.log")
	appendTo := func(text string) {
		f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
	}
	appendTo("one\ntwo\n")
	log, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	streams, _, out, _ := iostreams.Test()
	read := func() {
		t.Helper()
		if err := finishRotated(streams, log); err != nil {
			t.Fatal(err)
		}
		if err := printLog(streams, log); err != nil {
			t.Fatal(err)
		}
	}
	read()
	appendTo("three\n") // not read before the rotation
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file+".1", text, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(file, 0); err != nil {
		t.Fatal(err)
	}
	appendTo("four\n")
	read()
	read()
	appendTo("five\n")
	read()
	if want := "one\ntwo\nthree\nfour\nfive\n"; out.String() != want {
		t.Errorf("printed %q, want %q", out, want)
	}
}
