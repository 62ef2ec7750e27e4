package section_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/hosttest"
	"github.com/mcpctl/mcpctl/host/section"
	"github.com/mcpctl/mcpctl/host/section/crawl"
)

// allSettings are settings under which the law must hold, the defaults first.
var allSettings = []section.Settings{
	{},
	{LeafSize: 600, MaxLines: 6, MaxIndexTokens: 300},
	{LeafSize: 15000, MaxLines: 48, MaxIndexBytes: 8000, MaxIndexTokens: 2000},
}

func crawled(d *section.Doc, text []byte) crawl.Report {
	return crawl.Run(func(id string) flow.Answer { return d.Read("k7m2q9x4t6b8w3n5", id) }, text, hosttest.IsStructure)
}

func checkBudget(t *testing.T, name string, r crawl.Report, set section.Settings) {
	t.Helper()
	lines, size, tokens := 24, 4096, 1000
	if set.MaxLines > 0 {
		lines = set.MaxLines
	}
	if set.MaxIndexBytes > 0 {
		size = set.MaxIndexBytes
	}
	if set.MaxIndexTokens > 0 {
		tokens = set.MaxIndexTokens
	}
	if r.MaxLines > lines || r.MaxBytes > size || r.MaxTokens > tokens {
		t.Errorf("%s: an index of %d lines, %d bytes, %d tokens; limits %d, %d, %d", name, r.MaxLines, r.MaxBytes, r.MaxTokens, lines, size, tokens)
	}
}

func TestLawOnTestdata(t *testing.T) {
	for _, c := range testdata(t) {
		for i, set := range allSettings {
			if testing.Short() && (i > 0 || len(c.text) > 100_000) {
				continue
			}
			name := fmt.Sprintf("%s, settings %d", c.name, i)
			r := crawled(open(t, c, set), c.text)
			if err := r.Err(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			checkBudget(t, name, r, set)
			if i == 0 {
				t.Logf("%-26s %6d leaves, %6d calls, depth %d, gap %4.1f %%, index at most %4d bytes, %4d tokens", c.name, r.Leaves, r.Calls, r.MaxDepth, float64(r.Gap)*100/float64(len(c.text)), r.MaxBytes, r.MaxTokens)
			}
		}
	}
}

func TestLawOnRandomTrees(t *testing.T) {
	n := uint64(300)
	if testing.Short() {
		n = 40
	}
	for seed := range n {
		c := randomContent(seed)
		for i, set := range allSettings {
			r := crawled(open(t, c, set), c.text)
			name := fmt.Sprintf("seed %d, settings %d", seed, i)
			if err := r.Err(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			checkBudget(t, name, r, set)
		}
	}
}

func TestLawWithoutSections(t *testing.T) {
	for name, text := range map[string][]byte{
		"empty":            nil,
		"one byte":         []byte("x"),
		"short":            bytes.Repeat([]byte("short line\n"), 400),
		"lines":            bytes.Repeat([]byte("a line of text of some length, as a log has it\n"), 40_000),
		"one line":         bytes.Repeat([]byte("word "), 400_000),
		"no blanks":        bytes.Repeat([]byte("0123456789"), 200_000),
		"wide characters":  bytes.Repeat([]byte("日本語"), 100_000),
		"four-byte runes":  bytes.Repeat([]byte("🙂"), 100_000),
		"escapes":          []byte(`"` + string(bytes.Repeat([]byte(`\u00e9\n\\\"`), 50_000)) + `"`),
		"backslashes":      bytes.Repeat([]byte(`\`), 300_001),
		"long and short":   bytes.Repeat(append(bytes.Repeat([]byte("y"), 9000), "\nshort\n\n"...), 100),
		"blank lines only": bytes.Repeat([]byte("\n"), 100_000),
	} {
		c := content{name: name, text: text}
		r := crawled(open(t, c, section.Settings{}), text)
		if err := r.Err(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if r.Gap > 0 {
			t.Errorf("%s: windows omit %d bytes", name, r.Gap)
		}
		checkBudget(t, name, r, section.Settings{})
	}
}

func TestDeterministic(t *testing.T) {
	for seed := range uint64(40) {
		c := randomContent(seed)
		a, b := open(t, c, section.Settings{}), open(t, c, section.Settings{})
		for _, id := range append(a.Read("r", "").Meta.Offers, "", "?alpha", "!", "setup", "nothing") {
			if x, y := a.Read("r", id), b.Read("r", id); !bytes.Equal(x.Text, y.Text) {
				t.Errorf("seed %d: two answers to %q differ:\n%s\n%s", seed, id, x.Text, y.Text)
			}
		}
	}
}

// TestIDsWithOtherSettings checks that an id that was offered under one setting names the
// same bytes under any other.
func TestIDsWithOtherSettings(t *testing.T) {
	all := append(testdata(t)[:6], randomContent(1), randomContent(2), randomContent(7))
	all = append(all, content{name: "windows", text: bytes.Repeat([]byte("some words in a line\n"), 30_000)})
	for _, c := range all {
		small := open(t, c, allSettings[1])
		for i, set := range allSettings {
			d := open(t, c, set)
			var ids []string
			for id := ""; ; {
				a := d.Read("r", id)
				ids = append(ids, a.Meta.Offers...)
				if len(a.Meta.Offers) == 0 || len(ids) > 200 {
					break
				}
				id = a.Meta.Offers[len(a.Meta.Offers)/2]
			}
			for _, id := range ids {
				x, y := d.Read("r", id), small.Read("r", id)
				if y.IsError {
					t.Errorf("%s: id %q of settings %d is unknown", c.name, id, i)
				} else if x.Meta.Bytes != nil && y.Meta.Bytes != nil && *x.Meta.Bytes != *y.Meta.Bytes {
					t.Errorf("%s: id %q is the bytes %v, then %v", c.name, id, *x.Meta.Bytes, *y.Meta.Bytes)
				}
			}
		}
	}
}
