package benchcmd

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// What is asked for is what the table prints.
func TestSizes(t *testing.T) {
	got, err := parseSizes([]string{"1", "2k", "3K", "1M", "33M"})
	if want := []int{1, 2_000, 3_000, 1_000_000, 33_000_000}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	for _, bad := range []string{"", "K", "-1", "0", "1.5K", "34M", "99999999999M", "1G"} {
		if got, err := parseSizes([]string{bad}); err == nil {
			t.Errorf("%q is read as %v", bad, got)
		}
	}
}

// A content has its size, whole characters and nothing but its text.
func TestFill(t *testing.T) {
	for _, n := range []int{1, 7, 100, 4096} {
		got := fill([]byte("größe 日本\n"), n)
		if len(got) > n || len(got) < n-3 || !utf8.Valid(got) {
			t.Errorf("%d bytes for %d: %q", len(got), n, got)
		}
	}
	if got := string(fill([]byte("a"), 5)); got != "a\na\na" {
		t.Errorf("%q: a text is repeated line by line", got)
	}
}

// Without fixtures there is a text with what stages look for.
func TestSample(t *testing.T) {
	if got := string(subject{}.sample()); len(got) < 2000 || !strings.HasPrefix(got, "## ") || !strings.Contains(got, "MUST") {
		t.Errorf("%.100q of %d bytes", got, len(got))
	}
}
