package column

import (
	"strings"
	"testing"
)

func TestIndexOf(t *testing.T) {
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
	x := table.IndexOf(table.ByName("a"))
	if x.Count != len(first) || x.Informative != len(first)-len([]string{`""`, "null"}) {
		t.Errorf("%d texts, %d informative, want %d", x.Count, x.Informative, len(first))
	}
	for r, text := range texts {
		want, known := first[text]
		if !known {
			want = -1
		}
		if got := x.Row([]byte(text)); got != want {
			t.Errorf("Row(%s) = %d, want %d", text, got, want)
		}
		if got := x.Repeated.Has(int32(r)); got != (count[text] > 1) {
			t.Errorf("row %d, %s: repeated %t, %d rows", r, text, got, count[text])
		}
	}
	if got := x.Row([]byte(`"of no row"`)); got != -1 {
		t.Errorf("Row of an unknown text is %d, want -1", got)
	}
	x.Release()
	if table.IndexOf(table.ByName("a")).Row([]byte(texts[0])) != first[texts[0]] {
		t.Error("IndexOf does not rebuild a released index")
	}
}

func TestIndexKeys(t *testing.T) {
	table := read(t, `{"a":1,"b":2,"a":3,"a longer key than a word or two":4}`, 1)
	x := table.IndexKeys()
	for text, want := range map[string]int32{`"a"`: 0, `"b"`: 1, `"a longer key than a word or two"`: 3, `"c"`: -1, "a": -1} {
		if got := x.Row([]byte(text)); got != want {
			t.Errorf("Row(%s) = %d, want %d", text, got, want)
		}
	}
}
