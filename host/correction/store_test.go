package correction

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

func TestStore(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "corrections")
	s := NewStore(dir)
	if list, err := s.List("", ""); err != nil || len(list) != 0 {
		t.Fatalf("without a directory: %v, %v", list, err)
	}
	begin := time.Date(2026, 11, 28, 9, 0, 0, 0, time.UTC)
	for i, c := range []Correction{{Project: "a", Session: "1", Edited: "x"}, {Project: "a", Session: "2"}, {Project: "b", Session: "3"}} {
		c.Time = begin.Add(time.Duration(i) * time.Second)
		if err := s.Add(c); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		project, session string
		want             int
	}{{"", "", 3}, {"a", "", 2}, {"a", "2", 1}, {"b", "1", 0}} {
		if list, err := s.List(tc.project, tc.session); err != nil || len(list) != tc.want {
			t.Errorf("%q %q: %d, %v, want %d", tc.project, tc.session, len(list), err, tc.want)
		}
	}
	list, err := s.List("", "")
	if err != nil || list[0].Edited != "x" {
		t.Fatalf("%+v, %v", list, err)
	}
	if c, err := s.Get(list[0].ID[:19]); err != nil || c.ID != list[0].ID {
		t.Errorf("by a prefix: %+v, %v", c, err)
	}
	for _, id := range []string{"", "20261128", "../../etc/passwd", "x"} {
		if _, err := s.Get(id); !errors.Is(err, abi.ErrNotFound) {
			t.Errorf("%q: %v", id, err)
		}
	}
	info, err := os.Stat(s.path(list[0].ID))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if err := os.WriteFile(s.path(list[0].ID), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if list, err := s.List("", ""); err != nil || len(list) != 2 {
		t.Errorf("with a damaged file: %d, %v", len(list), err)
	}
}
