package tree

import (
	"fmt"
	"strings"
	"testing"
)

// TestTextMemory verifies that a small tree has one kilobyte for texts, that further
// blocks grow, and that kept texts do not change.
func TestTextMemory(t *testing.T) {
	var b Builder
	var kept []string
	title := func(i int) string { return fmt.Sprintf("title of section %d", i) }
	for i := range 5000 {
		kept = append(kept, b.Keep([]byte(title(i))))
		if i == 20 && cap(b.texts) > 1<<10 {
			t.Errorf("%d bytes for the titles of 20 sections", cap(b.texts))
		}
	}
	if cap(b.texts) != 32<<10 {
		t.Errorf("blocks of %d bytes for thousands, want 32 KiB", cap(b.texts))
	}
	for i, text := range kept {
		if text != title(i) {
			t.Fatalf("text %d is %q now", i, text)
		}
	}
}

// TestRewindReusesTextMemory verifies that texts of rejected sections take no memory.
// Otherwise a guest could make the host keep 32 KiB for each of 65,536 sections.
func TestRewindReusesTextMemory(t *testing.T) {
	var b Builder
	kept := b.Keep([]byte("kept"))
	before := b.Mark()
	for range 100 {
		b.Keep([]byte(strings.Repeat("x", 1000)))
	}
	b.Rewind(before)
	if b.Keep([]byte("next")); string(b.texts) != "keptnext" || kept != "kept" {
		t.Errorf("texts are %q, the first is %q", b.texts, kept)
	}
}
