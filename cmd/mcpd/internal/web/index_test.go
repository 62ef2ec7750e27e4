package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/store"
	"github.com/mcpctl/mcpctl/host/object"
)

func promptRows(n int) []store.PromptRow {
	var rows []store.PromptRow
	for i := range n {
		rows = append(rows, store.PromptRow{Name: fmt.Sprintf("p%d", i), Version: int64(i + 1), Priority: int64(i), Summary: `a "summary" <b>`, Chapters: `["one","two"]`})
	}
	return rows
}

func TestPromptIndexHasWhatTheCallerMayView(t *testing.T) {
	x, err := newPromptIndex(1, promptRows(4), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ hidden, want string }{
		{"", "p0 p1 p2 p3"}, {"p0", "p1 p2 p3"}, {"p3", "p0 p1 p2"}, {"p1 p2", "p0 p3"}, {"p0 p1 p2 p3", ""},
	} {
		text := x.encode(func(name object.Name) bool { return !strings.Contains(c.hidden, string(name)) })
		list := []indexed{}
		if err := json.Unmarshal(text, &list); err != nil {
			t.Fatalf("hidden %q: %v: %s", c.hidden, err, text)
		}
		var names []string
		for _, p := range list {
			names = append(names, p.Name)
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("hidden %q: got %q, want %q", c.hidden, got, c.want)
		}
	}
}

func TestIndexCache(t *testing.T) {
	var c indexCache
	reads := 0
	get := func(project object.Name, version int64, n int) *promptIndex {
		t.Helper()
		x, err := c.get(project, version, func() ([]store.PromptRow, error) { reads++; return promptRows(n), nil })
		if err != nil || len(x.entries) != n {
			t.Fatalf("%s: %d prompts, %v, want %d", project, len(x.entries), err, n)
		}
		return x
	}
	get("a", 1, 2)
	get("a", 1, 2)
	get("b", 1, 3)
	get("a", 2, 4) // changed
	get("a", 2, 4)
	if reads != 3 {
		t.Errorf("%d reads, want 3", reads)
	}
	want := c.projects["a"].bytes + c.projects["b"].bytes
	if c.bytes != want {
		t.Errorf("%d bytes counted, want %d", c.bytes, want)
	}
	c.put("large", &promptIndex{bytes: maxIndexes + 1})
	c.put("full", &promptIndex{bytes: maxIndexes})
	if len(c.projects) != 1 || c.projects["full"] == nil || c.bytes != maxIndexes {
		t.Errorf("%d projects with %d bytes, want the last one alone", len(c.projects), c.bytes)
	}
	if _, err := c.get("c", 1, func() ([]store.PromptRow, error) { return nil, errors.New("down") }); err == nil {
		t.Error("the error of a read is lost")
	}
}

// An index made from an old one is that made from nothing.
func TestPromptIndexAfterChanges(t *testing.T) {
	rows := promptRows(5)
	old, err := newPromptIndex(1, rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	rows = promptRows(5)[1:]                    // p0 is deleted
	rows[0].Summary, rows[0].Version = "new", 9 // p1 is changed
	rows[1], rows[2] = rows[2], rows[1]
	rows = append(rows, store.PromptRow{Name: "p9", Version: 10, Chapters: "[]"})
	all := func(object.Name) bool { return true }
	again, err := newPromptIndex(10, rows, old)
	if err != nil {
		t.Fatal(err)
	}
	fresh, err := newPromptIndex(10, rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(again.encode(all)), string(fresh.encode(all)); got != want || again.bytes != fresh.bytes {
		t.Errorf("got %s, want %s", got, want)
	}
}
