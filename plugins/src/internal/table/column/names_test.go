package column

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/internal/cell"
)

func TestFindComparesAllBytes(t *testing.T) {
	texts := []string{"", "a", "b", "ab", "ba", "eight888", "eight889", "nine99999", "nine99998", "a long name of a field", "a long name of a fiend", "é"}
	for round := range 3 { // twice forward, once backward
		var f names
		text := strings.Join(texts, "|") + "|"
		var at []cell.Cell
		for p, name := range texts {
			start := int32(len(strings.Join(texts[:p], "|")))
			if p > 0 {
				start++
			}
			at = append(at, cell.Cell{Start: start, End: start + int32(len(name))})
		}
		for _, c := range at {
			f.find([]byte(text), c).count++
		}
		for i := range at {
			if round == 2 {
				i = len(at) - 1 - i
			}
			f.find([]byte(text), at[i]).count++
		}
		if len(f.list) != len(texts) {
			t.Fatalf("%d fields, want %d", len(f.list), len(texts))
		}
		for i := range f.list {
			if f.list[i].count != 2 {
				t.Errorf("%q was found %d times, want 2", texts[i], f.list[i].count)
			}
		}
	}
}

func TestFindBoundsTheNumberOfNames(t *testing.T) {
	var f names
	text := []byte(nil)
	find := func(i int) *field {
		start := int32(len(text))
		text = fmt.Appendf(text, "name%d", i)
		at := cell.Cell{Start: start, End: int32(len(text))}
		text = append(text, '"')
		return f.find(text, at)
	}
	for i := range 2 * maxNames {
		if got := find(i); (got == nil) != (i >= maxNames) {
			t.Fatalf("name %d: %v", i, got)
		}
	}
	for i := range maxNames {
		if find(i) == nil {
			t.Fatalf("name %d is lost", i)
		}
	}
	if f.reset(); len(f.list) != 0 || find(maxNames) == nil {
		t.Error("reset leaves names")
	}
}
