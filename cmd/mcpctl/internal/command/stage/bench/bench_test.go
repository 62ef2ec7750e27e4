package bench

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// The table prints the requested sizes.
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

// A stage that reads JSON must be given JSON: the same, with more elements.
func TestGrowKeepsJSON(t *testing.T) {
	const events = `{"kind":"EventList","tags":["a"],"items":[ {"n":1,"of":["x","y"]}, {"n":2,"of":[]} ]}`
	for _, n := range []int{1, 50, 200, 1000, 100_000} {
		got := grow([]byte(events), n)
		var list struct {
			Kind  string
			Tags  []string
			Items []struct{ N int }
		}
		if err := json.Unmarshal(got, &list); err != nil || list.Kind != "EventList" || len(list.Tags) != 1 || len(list.Items)%2 != 0 || len(list.Items) == 0 {
			t.Fatalf("%d bytes: %v: %.300s", n, err, got)
		}
		if len(got) > max(n, len(events)) || n > len(events) && len(got) < n-len(events) {
			t.Errorf("%d bytes for %d", len(got), n)
		}
	}
	for _, other := range []string{`{"a":{"b":1}}`, `[]`, `[1,2`, "text [1] of it\n"} {
		if got, want := string(grow([]byte(other), 100)), string(fill([]byte(other), 100)); got != want {
			t.Errorf("%s: %q, want %q", other, got, want)
		}
	}
	got, err := subject{}.contents(&Options{}, nil, []int{1000, 2000})
	if err != nil || len(got) != 2 || len(got[0]) != 1000 {
		t.Errorf("%d contents, %v", len(got), err)
	}
}

// Without fixtures the text contains the fields that stages look for.
func TestSample(t *testing.T) {
	if got := string(subject{}.sample()); len(got) < 2000 || !strings.HasPrefix(got, "## ") || !strings.Contains(got, "MUST") {
		t.Errorf("%.100q of %d bytes", got, len(got))
	}
}

// The hint of a failed measurement is not the command that is running.
func TestAdviceOfAFailedMeasurement(t *testing.T) {
	dir := t.TempDir()
	built := filepath.Join(dir, "lead.wasm")
	const tooLong = "guest trapped after 2.0s (limit 2s, set limits.time)"
	for _, tt := range []struct{ rule, stage, role, reason, cause, hint string }{
		{"a directory", dir, "", tooLong, "an infinite loop", "mcpctl stage run " + built + " -o json < FILE"},
		{"a role of a module", "some.wasm", "lead", tooLong, "an infinite loop", "mcpctl stage run some.wasm --role lead -o json < FILE"},
		{"a name", "lead", "", "no pump in it", "", "mcpctl stage run lead -o json < FILE"},
		{"advice with another command", "lead", "", "output over 1,048,600 bytes (limits.output)", "4 times its input", "mcpctl explain E_LIMIT"},
	} {
		opts := &Options{Stage: tt.stage, Role: tt.role}
		got := opts.advice(tt.reason, report{Module: built, Language: "c"})
		if !strings.Contains(got.Cause, tt.cause) || (tt.cause == "") != (got.Cause == "") || got.Hint != tt.hint {
			t.Errorf("%s: %q, %q; want %q, %q", tt.rule, got.Cause, got.Hint, tt.cause, tt.hint)
		}
	}
}
