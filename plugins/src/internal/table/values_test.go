package table

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// cellsOfAllLengths are cells up to the words that are compared at once and beyond, each
// in versions that differ in one byte: at the front, in the middle, at the end.
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

func TestValuesAreTheSameIfTheirBytesAre(t *testing.T) {
	texts := cellsOfAllLengths()
	table := read(t, `[{"a":`+strings.Join(texts, `},{"a":`)+"}]", 1)
	for _, whole := range []bool{true, false} {
		c := table.column("a")
		c.vals = nil
		v := table.valuesOf(c, whole)
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
			if v.of[r] != want {
				t.Fatalf("whole %t: %s is value %d, want %d", whole, text, v.of[r], want)
			}
		}
		if !slices.Equal(v.count, count) {
			t.Errorf("whole %t: counts %v, want %v", whole, v.count, count)
		}
		for text, n := range number {
			if whole && v.get([]byte(text)) != n {
				t.Errorf("%s is found as value %d, want %d", text, v.get([]byte(text)), n)
			}
		}
	}
}

func TestColumnsOfWhichNearlyAllCellsDifferAreNoCategories(t *testing.T) {
	for _, c := range []struct {
		rule       string
		rows, kind int
		many       bool
	}{
		{"few rows", 1000, 1000, false},
		{"as many values as are counted", 1024, 1024, false},
		{"one more", 1025, 1025, true},
		{"many rows, most of the first cells differ", 3000, 900, true},
		{"many rows of few values", 3000, 180, false},
	} {
		var b strings.Builder
		for i := range c.rows {
			fmt.Fprintf(&b, `,{"a":"v%d"}`, i%c.kind)
		}
		table := read(t, "["+b.String()[1:]+"]", 4)
		if v := table.valuesOf(table.column("a"), false); v.many != c.many || !v.many && len(v.first) != c.kind {
			t.Errorf("%s: many %t of %d, want %t", c.rule, v.many, len(v.first), c.many)
		}
		if v := table.valuesOf(table.column("a"), true); v.many || len(v.first) != c.kind {
			t.Errorf("%s: %d values, want %d", c.rule, len(v.first), c.kind)
		}
	}
}

func TestDigitsAreANumber(t *testing.T) {
	for text, want := range map[string]uint64{"0": 0, "7": 7, "10": 10, "007": 7, "12345678": 12345678, "99999999": 99999999, "90": 90, "1000001": 1000001} {
		if got, ok := digits([]byte("["+text+",       "), cell{1, 1 + int32(len(text))}); !ok || got != want {
			t.Errorf("%s: %d %t", text, got, ok)
		}
	}
	for _, text := range []string{"", "-1", "1.5", "1e3", "123456789", "1:", "1/", "\xb01", "é1"} {
		if _, ok := digits([]byte("["+text+",       "), cell{1, 1 + int32(len(text))}); ok {
			t.Errorf("%q is taken for digits", text)
		}
	}
	if _, ok := digits([]byte("[12]"), cell{1, 3}); ok {
		t.Error("a word beyond the text was read")
	}
}
