package table

import (
	"strings"
	"testing"
)

// An index finds the first row of each text, and knows the rows whose text another one
// has too.
func TestIndexFindsTheFirstRow(t *testing.T) {
	texts := cellsOfAllLengths()
	first, count := map[string]int32{}, map[string]int{}
	for r, text := range texts {
		if text[0] == '[' || text[0] == '{' {
			continue
		}
		if count[text]++; count[text] == 1 {
			first[text] = int32(r)
		}
	}
	table := read(t, `[{"a":`+strings.Join(texts, `},{"a":`)+"}]", 1)
	x := table.indexOf(table.column("a"))
	if x.count != len(first) || x.said != len(first)-len([]string{`""`, "null"}) {
		t.Errorf("%d texts of which %d say something, want %d", x.count, x.said, len(first))
	}
	for r, text := range texts {
		want, known := first[text]
		if !known {
			want = -1
		}
		if got := x.row([]byte(text)); got != want {
			t.Errorf("%s is found in row %d, want %d", text, got, want)
		}
		if got := x.twice.has(int32(r)); got != (count[text] > 1) {
			t.Errorf("row %d, %s: in more than one row: %t, want %d", r, text, got, count[text])
		}
	}
	if got := x.row([]byte(`"of no row"`)); got != -1 {
		t.Errorf("what is in no row is found in row %d", got)
	}
	x.settle()
	if table.indexOf(table.column("a")).row([]byte(texts[0])) != first[texts[0]] {
		t.Error("an index that was settled is not made anew")
	}
}

func TestIndexOfKeys(t *testing.T) {
	table := read(t, `{"a":1,"b":2,"a":3,"a longer key than a word or two":4}`, 1)
	x := table.indexKeys()
	for text, want := range map[string]int32{`"a"`: 0, `"b"`: 1, `"a longer key than a word or two"`: 3, `"c"`: -1, "a": -1} {
		if got := x.row([]byte(text)); got != want {
			t.Errorf("%s is found in row %d, want %d", text, got, want)
		}
	}
}
