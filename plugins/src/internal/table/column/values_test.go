package column

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	jsonscan "github.com/mcpctl/mcpctl/plugins/src/scan/json"
)

// read reads the rows of a JSON text.
func read(t *testing.T, text string, maxRows int) *Set {
	t.Helper()
	scan := jsonscan.New([]byte(text), jsonscan.Options{Leaf: 1 << 20, Record: 1 << 20, Nodes: 1 << 16, Depth: 64})
	if _, ok := scan.Scan(0); !ok {
		t.Fatalf("no JSON: %.80s", text)
	}
	n := scan.Node(0)
	s := &Set{}
	s.Reset(NewMemory(), scan, []byte(text), Options{Keyed: n.Kind == jsonscan.Object, MaxRows: maxRows})
	s.Read(1, scan.Next(0), int(n.Kids))
	return s
}

// cellsOfAllLengths returns texts of up to 70 bytes, each in versions that differ in one
// byte at the start, in the middle or at the end.
func cellsOfAllLengths() []string {
	var texts []string
	for n := range 70 {
		for _, at := range []int{0, n / 2, n - 1} {
			for _, c := range "aab" {
				body := []byte(strings.Repeat("x", n))
				if n > 0 {
					body[at] = byte(c)
				}
				texts = append(texts, `"`+string(body)+`"`)
			}
		}
	}
	texts = append(texts, "1", "12", "1", "true", "null", "[1]", `{"a":1}`, "[1]", "-2.5e9")
	rnd := rand.New(rand.NewPCG(1, 2))
	rnd.Shuffle(len(texts), func(i, j int) { texts[i], texts[j] = texts[j], texts[i] })
	return texts
}

func TestValuesOf(t *testing.T) {
	texts := cellsOfAllLengths()
	table := read(t, `[{"a":`+strings.Join(texts, `},{"a":`)+"}]", 1)
	for _, all := range []bool{true, false} {
		c := table.ByName("a")
		c.values = nil
		v := table.ValuesOf(c, all)
		number, count := map[string]int32{}, []int32(nil)
		for r, text := range texts {
			want := int32(-1)
			if text[0] != '[' && text[0] != '{' {
				n, known := number[text]
				if !known {
					n = int32(len(count))
					number[text], count = n, append(count, 0)
				}
				count[n]++
				want = n
			}
			if v.Of[r] != want {
				t.Fatalf("all %t: %s is value %d, want %d", all, text, v.Of[r], want)
			}
		}
		if !slices.Equal(v.Count, count) {
			t.Errorf("all %t: counts %v, want %v", all, v.Count, count)
		}
		for text, n := range number {
			if all && v.get([]byte(text)) != n {
				t.Errorf("get(%s) = %d, want %d", text, v.get([]byte(text)), n)
			}
		}
	}
}

func TestValuesOfGivesUpColumnsOfManyValues(t *testing.T) {
	for _, c := range []struct {
		rule       string
		rows, kind int
		many       bool
	}{
		{"few rows", 1000, 1000, false},
		{"maxValues distinct values", 1024, 1024, false},
		{"one more value", 1025, 1025, true},
		{"long table, most of the first cells differ", 3000, 900, true},
		{"long table of few values", 3000, 180, false},
	} {
		var b strings.Builder
		for i := range c.rows {
			fmt.Fprintf(&b, `,{"a":"v%d"}`, i%c.kind)
		}
		table := read(t, "["+b.String()[1:]+"]", 4)
		if v := table.ValuesOf(table.ByName("a"), false); v.Many != c.many || !v.Many && len(v.First) != c.kind {
			t.Errorf("%s: many %t of %d, want %t", c.rule, v.Many, len(v.First), c.many)
		}
		if v := table.ValuesOf(table.ByName("a"), true); v.Many || len(v.First) != c.kind {
			t.Errorf("%s: %d values, want %d", c.rule, len(v.First), c.kind)
		}
	}
}
