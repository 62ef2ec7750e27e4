package explore

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestSearch(t *testing.T) {
	const text = "# Lamps\nThe hall lamp. It is a Zigbee lamp! Kitchen next.\nmore\n\n# Chairs\nwooden\nred chair\n"
	for _, c := range []struct{ rule, arguments, want string }{
		{"regex by line", `,"pattern":"^w.*n$"`, "-- line 6, bytes 73-80\nwooden\n"},
		{"case matters by default", `,"pattern":"zigbee"`, "nothing found; case counts"},
		{"case_insensitive", `,"pattern":"zigbee","case_insensitive":true`, "-- line 2, bytes 8-58\nThe hall"},
		{"context lines", `,"pattern":"wooden","context_lines":1`, "-- line 6, bytes 64-90\n# Chairs\nwooden\nred chair\n"},
		{"paragraph", `,"pattern":"more","mode":"context"`, "-- line 3, bytes 0-63\n# Lamps\n"},
		{"sentence", `,"pattern":"Zigbee","mode":"context","context_type":"sentence"`, "-- line 2, bytes 23-44\nIt is a Zigbee lamp! \n"},
		{"section", `,"pattern":"red","mode":"context","context_type":"section"`, "-- line 7, bytes 64-90\n# Chairs\nwooden\nred chair"},
		{"lines", `,"pattern":"red","mode":"context","context_type":"lines"`, "-- line 7, bytes 80-90\nred chair\n"},
		{"fuzzy", `,"pattern":"zigbe","mode":"fuzzy"`, "ratio 1.00\nThe hall"},
		{"fuzzy with a typo", `,"pattern":"chiar","mode":"fuzzy","threshold":0.6`, "ratio 0.60\nred chair"},
		{"bm25", `,"pattern":"red lamp","mode":"bm25"`, "score "},
		{"no words", `,"pattern":"?","mode":"bm25"`, "pattern has no words"},
	} {
		e := asked("proxy_search", text, c.arguments)
		if !strings.Contains(e.Answer, c.want) {
			t.Errorf("%s: %q %s, want %q", c.rule, e.Answer, e.Reason, c.want)
		}
	}
	e := asked("proxy_search", `{"rooms":[{"name":"hall"},{"name":"kitchen"}]}`, `,"pattern":"kitchen"`)
	if !strings.Contains(e.Answer, "rooms[1].name") {
		t.Errorf("a match in JSON has no path: %s", e.Answer)
	}
}

// A search shows bytes of the original at the offsets in its titles.
func TestSearchShowsExactBytes(t *testing.T) {
	files, _ := filepath.Glob("../../../testdata/content/*")
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil || len(b) > 300_000 || !utf8.Valid(b) {
			continue
		}
		text := string(b)
		for _, arguments := range []string{`,"pattern":"e","max_results":5`, `,"pattern":"the name","mode":"bm25"`, `,"pattern":"numbr","mode":"fuzzy","max_results":5`, `,"pattern":"o.","mode":"context","max_results":5`} {
			for place := range strings.SplitSeq("\n"+asked("proxy_search", text, arguments).Answer, "\n-- line ") {
				var line, start, end int
				title, shown, _ := strings.Cut(place, "\n")
				if _, err := fmt.Sscanf(title, "%d, bytes %d-%d", &line, &start, &end); err != nil {
					continue
				}
				if !strings.HasPrefix(shown, strings.TrimSuffix(text[start:end], "\n")) || line != 1+strings.Count(text[:start], "\n") && !strings.Contains(text[start:end], "\n") {
					t.Errorf("%s %s: %s differs from the original", filepath.Base(file), arguments, title)
				}
			}
		}
	}
}

// The best matches are shown, wherever they are, and the first of equal ones.
func TestFuzzyShowsTheBest(t *testing.T) {
	text := strings.Repeat("a lamb\n", 500) + "a lamp\n" + strings.Repeat("a lamb\n", 500) + "lamp\n"
	e := asked("proxy_search", text, `,"pattern":"lamp","mode":"fuzzy","max_results":3`)
	want := "-- line 501, bytes 3500-3507, ratio 1.00\na lamp\n-- line 1002, bytes 7007-7012, ratio 1.00\nlamp\n-- line 1, bytes 0-7, ratio 0.75\na lamb\n"
	if e.Answer != want || len(e.After) != 1 {
		t.Errorf("%s %q", e.Answer, e.After)
	}
}
