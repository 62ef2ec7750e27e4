package log

import (
	"fmt"
	"strings"
	"testing"
)

func TestRecords(t *testing.T) {
	for rule, c := range map[string]struct{ in, want string }{
		"time and continuation":   {"# head\n2026-11-21T10:00:00.5Z a\n\tat b\n2026-11-21T10:00:01Z c\n", "10:00:00.5Z| a\n\tat b\n;10:00:01Z| c\n"},
		"after other words":       {"web app 2026-11-21 10:00:00 a\nweb app 2026-11-21 10:00:01 b", "10:00:00| a\n;10:00:01| b"},
		"no times":                {"INFO: a\n  b\nWARN: c\n", "|INFO: a\n  b\n;|WARN: c\n"},
		"colors are removed":      {"\x1b[32m10:00:00\x1b[0m a\n10:00:01 b\n", "10:00:00| a\n;10:00:01| b\n"},
		"a time ends the line":    {"10:00:00\r\n10:00:01\n", "10:00:00|\r\n;10:00:01|\n"},
		"text without any record": {"a\nb\n", ""},
	} {
		var got []string
		text, records, _ := Records([]byte(c.in))
		for _, r := range records {
			got = append(got, fmt.Sprintf("%s|%s", text[r.Clock:r.After], text[r.After:r.End]))
		}
		if s := strings.Join(got, ";"); s != c.want {
			t.Errorf("%s: %q, want %q", rule, s, c.want)
		}
	}
}

func FuzzRecords(f *testing.F) {
	f.Add("2026-11-21T10:00:00Z a\n\tat b\n2026-11-21T10:00:01Z c\n")
	f.Fuzz(func(t *testing.T, in string) {
		text, records, ok := Records([]byte(in))
		for i, r := range records {
			if r.Start > r.Clock || r.Clock > r.After || r.After > r.End || i > 0 && records[i-1].End != r.Start {
				t.Fatalf("%q: record %d is %+v", in, i, r)
			}
		}
		if ok && int(records[len(records)-1].End) != len(text) {
			t.Fatalf("%q: the last record ends at %d of %d", in, records[len(records)-1].End, len(text))
		}
	})
}
