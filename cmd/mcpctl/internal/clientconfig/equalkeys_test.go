package clientconfig

import (
	"slices"
	"testing"
)

func namesAndTexts(list []Entry) []string {
	var out []string
	for _, e := range list {
		out = append(out, e.Name+"="+e.Text)
	}
	return out
}

func TestLastDuplicateKeyCounts(t *testing.T) {
	const text = `{"mcpServers": {"x": 1, "old": 2}, "n": 0, "mcpServers": {"a": 3, "b": 4, "a": 5, "a": 6}}`
	list, depth, err := JSON.Entries([]byte(text), []string{"mcpServers"})
	if got := namesAndTexts(list); err != nil || depth != 1 || !slices.Equal(got, []string{"b=4", "a=6"}) {
		t.Errorf("entries %q, depth %d, %v", got, depth, err)
	}
	shadowed, err := JSON.Shadowed([]byte(text), []string{"mcpServers"})
	if got := namesAndTexts(shadowed); err != nil || !slices.Equal(got, []string{"x=1", "old=2", "a=3", "a=5"}) {
		t.Errorf("shadowed %q, %v", got, err)
	}
	f := fileOf(text)
	if err := f.Set("a", []byte(`7`), "mcpServers"); err != nil {
		t.Fatal(err)
	}
	if want := `{"mcpServers": {"x": 1, "old": 2}, "n": 0, "mcpServers": {"a": 3, "b": 4, "a": 5, "a": 7}}`; string(f.After) != want {
		t.Errorf("after Set: %s", f.After)
	}
	if err := f.Remove("a", "mcpServers"); err != nil {
		t.Fatal(err)
	}
	list, _, err = JSON.Entries(f.After, []string{"mcpServers"})
	if got := namesAndTexts(list); err != nil || !slices.Equal(got, []string{"b=4"}) {
		t.Errorf("a shadowed entry came back: %q, %v in %s", got, err, f.After)
	}
	if _, err := f.revert(f.Changes); err != nil {
		t.Fatal(err)
	}
	list, _, err = JSON.Entries(f.After, []string{"mcpServers"})
	if got := namesAndTexts(list); err != nil || !slices.Contains(got, "a=6") || len(got) != 2 {
		t.Errorf("after undo: %q, %v in %s", got, err, f.After)
	}
}

func TestLocatorAcceptsDescendingOffsets(t *testing.T) {
	l := NewLocator([]byte("ab\ncé\n\nd"))
	for _, tc := range []struct {
		offset int
		want   string
	}{{3, "2:1"}, {6, "2:3"}, {6, "2:3"}, {8, "4:1"}, {9, "4:2"}, {1, "1:2"}, {7, "3:1"}} {
		if got := l.Position(tc.offset); got != tc.want {
			t.Errorf("byte %d is at %s, want %s", tc.offset, got, tc.want)
		}
	}
}

// Restore keeps the original order of the entries that connect removed.
func TestRestoredEntriesKeepTheirOrder(t *testing.T) {
	const text = `{"mcpServers": {"x": 0, "a": 1, "b": 2, "y": 3, "c": 4}}`
	for _, order := range [][]string{{"a", "b", "c"}, {"c", "b", "a"}, {"x", "a", "b", "y", "c"}, {"b", "a", "x", "c"}} {
		f := fileOf(text)
		f.Name = "/client.json"
		for _, name := range order {
			if err := f.Remove(name, "mcpServers"); err != nil {
				t.Fatal(err)
			}
		}
		var h History // the newest first
		for _, c := range slices.Backward(f.Changes) {
			h = append(h, pastChange{f.Name, c})
		}
		for _, c := range h.Removed(f, "mcpServers") {
			if _, err := f.Restore(c); err != nil {
				t.Fatal(err)
			}
		}
		list, _, err := JSON.Entries(f.After, []string{"mcpServers"})
		if got := namesAndTexts(list); err != nil || !slices.Equal(got, []string{"x=0", "a=1", "b=2", "y=3", "c=4"}) {
			t.Errorf("removed in the order %q: %q, %v", order, got, err)
		}
	}
}
