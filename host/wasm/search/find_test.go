package search

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// TestIndex compares Index with bytes.Index.
func TestIndex(t *testing.T) {
	lines := strings.Repeat("a line, and one more of them\n", 300)
	for name, data := range map[string]string{
		"nothing":                     "",
		"less than the needle":        "\n",
		"the rare byte alone":         "#",
		"at the start":                "\n# one",
		"at the end":                  lines + "\n#",
		"cut at the end":              lines + "#\n",
		"the rare byte before it":     "#" + lines + "\n# one",
		"the byte is not rare at all": strings.Repeat("#", 5000) + "\n#",
		"and the needle is not there": strings.Repeat("#", 5000),
	} {
		if got, want := Index([]byte(data), []byte("\n#")), strings.Index(data, "\n#"); got != want {
			t.Errorf("%s: at %d, want %d", name, got, want)
		}
	}
}

func FuzzIndex(f *testing.F) {
	f.Add([]byte("one\n# two"), []byte("\n#"))
	f.Add([]byte("####\n#"), []byte("\n#"))
	f.Add(bytes.Repeat([]byte("a/"), 500), []byte("aa/"))
	f.Fuzz(func(t *testing.T, data, needle []byte) {
		if got, want := Index(data, needle), bytes.Index(data, needle); len(needle) > 0 && got != want {
			t.Errorf("Index(%q, %q) = %d, want %d", data, needle, got, want)
		}
	})
}

func BenchmarkIndex(b *testing.B) {
	prose := bytes.Repeat([]byte("Pump 3 runs at 4 bar while valve 7 is open; that is checked twice a day.\n"), 128<<10/74)
	for _, data := range []struct {
		name string
		text []byte
	}{{"prose", prose}, {"rare-bytes-only", bytes.Repeat([]byte("#"), len(prose))}} {
		for _, by := range []struct {
			name  string
			index func(data, needle []byte) int
		}{{"bytes", bytes.Index}, {"rarest", Index}} {
			b.Run(fmt.Sprintf("%s/%s", data.name, by.name), func(b *testing.B) {
				b.SetBytes(int64(len(data.text)))
				for b.Loop() {
					by.index(data.text, []byte("\n#"))
				}
			})
		}
	}
}
