package table

import (
	"fmt"
	"strings"
	"testing"
)

func TestFieldsAreTheSameIfTheirBytesAre(t *testing.T) {
	names := []string{"", "a", "b", "ab", "ba", "eight888", "eight889", "nine99999", "nine99998", "a long name of a field", "a long name of a fiend", "é"}
	for round := range 3 { // the second and third forward and backward
		var f fields
		text := strings.Join(names, "|") + "|"
		var at []cell
		for p, name := range names {
			start := int32(len(strings.Join(names[:p], "|")))
			if p > 0 {
				start++
			}
			at = append(at, cell{start, start + int32(len(name))})
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
		if len(f.list) != len(names) {
			t.Fatalf("%d fields of %d names", len(f.list), len(names))
		}
		for i := range f.list {
			if f.list[i].count != 2 {
				t.Errorf("%q was found %d times, want 2", names[i], f.list[i].count)
			}
		}
	}
}

func TestNoMoreFieldsAreRememberedThanThereIsRoomFor(t *testing.T) {
	var f fields
	text := []byte(nil)
	find := func(i int) *field {
		start := int32(len(text))
		text = fmt.Appendf(text, "name%d", i)
		at := cell{start, int32(len(text))}
		text = append(text, '"')
		return f.find(text, at)
	}
	for i := range 2 * maxFields {
		if got := find(i); (got == nil) != (i >= maxFields) {
			t.Fatalf("name %d: %v", i, got)
		}
	}
	for i := range maxFields {
		if find(i) == nil {
			t.Fatalf("name %d is forgotten", i)
		}
	}
	if f.reset(); len(f.list) != 0 || find(maxFields) == nil {
		t.Error("what was forgotten takes room")
	}
}
