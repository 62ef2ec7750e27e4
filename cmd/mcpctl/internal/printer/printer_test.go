package printer

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
)

func TestHumanReadableNumbers(t *testing.T) {
	for _, tc := range []struct{ got, want string }{
		{Age(-time.Second), "0s"}, {Age(59 * time.Second), "59s"}, {Age(61 * time.Minute), "1h"}, {Age(49 * time.Hour), "2d"},
		{Size(999), "999B"}, {Size(1499), "1K"}, {Size(999_499), "999K"}, {Size(1_250_000), "1.2M"},
		{Plural(1, "role"), "1 role"}, {Plural(0, "role"), "0 roles"}, {Plural(2000, "role"), "2,000 roles"},
		{Plural(1, "entry"), "1 entry"}, {Plural(2, "entry"), "2 entries"}, {Plural(2, "key"), "2 keys"},
		{Count(0), "0"}, {Count(999), "999"}, {Count(-100), "-100"}, {Count(-1000), "-1,000"}, {Count(1000), "1,000"}, {Count(1234567), "1,234,567"},
	} {
		if tc.got != tc.want {
			t.Errorf("got %s, want %s", tc.got, tc.want)
		}
	}
}

func TestEveryFormat(t *testing.T) {
	l := Listing{
		Value: []json.RawMessage{json.RawMessage(`{"b":"<x>","a":1}`), json.RawMessage(`{"c":[]}`)},
		Names: []string{"kind/one", "kind/two"},
		Table: func(wide bool) *iostreams.Table {
			tb := iostreams.NewTable("NAME", "TEXT")
			tb.Row("one", strings.Repeat("x", 100))
			return tb
		},
	}
	for format, want := range map[string]string{
		"table": "NAME  TEXT\none   " + strings.Repeat("x", 73) + "…\n",
		"wide":  "NAME  TEXT\none   " + strings.Repeat("x", 74) + "\n      " + strings.Repeat("x", 26) + "\n",
		"name":  "kind/one\nkind/two\n",
		"yaml":  "b: \"<x>\"\na: 1\n---\nc: []\n",
		"json":  "[\n  {\n    \"b\": \"<x>\",\n    \"a\": 1\n  },\n  {\n    \"c\": []\n  }\n]\n",
	} {
		var b bytes.Buffer
		if err := Print(&iostreams.Streams{Out: &b, OutWidth: 80}, format, l); err != nil || b.String() != want {
			t.Errorf("-o %s: %v, got\n%s\nwant\n%s", format, err, b.String(), want)
		}
		if err := Check(format); err != nil {
			t.Errorf("-o %s: %v", format, err)
		}
	}
	var piped bytes.Buffer
	want := "NAME  TEXT\none   " + strings.Repeat("x", 100) + "\n"
	if err := Print(&iostreams.Streams{Out: &piped}, "table", l); err != nil || piped.String() != want {
		t.Errorf("a table without a width: %v, got\n%s\nwant\n%s", err, piped.String(), want)
	}
	if err := Print(&iostreams.Streams{Out: &bytes.Buffer{}}, "jsno", l); problem.Exit(err) != problem.ExitUsage || problem.From(err).Hint != "-o json" {
		t.Errorf("-o jsno: %+v", err)
	}
}

// Names come from servers: they must not control the terminal in any format.
func TestNamesAreEscapedInEveryFormat(t *testing.T) {
	const hostile, controls = "tool/a\x1b[2J\u009b\u202e\u061c\nb", "\x1b\u009b\u202e\u061c"
	l := Listing{Value: []string{hostile}, Names: []string{hostile}, Table: func(bool) *iostreams.Table {
		table := iostreams.NewTable("NAME")
		table.Row(hostile)
		return table
	}}
	for _, format := range Formats {
		io, _, out, _ := iostreams.Test()
		if format != "yaml" { // of objects only
			if err := Print(io, format, l); err != nil {
				t.Fatal(err)
			}
		}
		if err := NewWatch(io, format).Show(l); err != nil {
			t.Fatal(err)
		}
		if strings.ContainsAny(out.String(), controls) {
			t.Errorf("%s: %q", format, out.String())
		}
		if format == "name" && strings.Count(out.String(), "\n") != 2 {
			t.Errorf("name: a name takes several lines: %q", out.String())
		}
	}
}
