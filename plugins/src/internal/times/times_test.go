package times

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"2026-11-21":                 "2026-11-21",
		"2026-11-21T08:15:30.5Z":     "2026-11-21T08:15",
		"2026-11-21 08:15":           "2026-11-21T08:15",
		"21/Nov/2026:08:15:00 +0000": "2026-11-21T08:15",
		"2026-11-21T8":               "",
		"21/Foo/2026:08:15:00 +0000": "",
		"2026-11":                    "",
		"version 2026-11-21":         "",
		"21/Nov/2026":                "",
		"2026-11-21x08:15:30":        "",
		"2026-11-21T08-15:30":        "",
		"2026-11-2:T08:15:30":        "",
		"2026-11-21T08:1\xb5:30":     "",
		"2026.11-21T08:15:30":        "",
	} {
		s, ok := Parse([]byte(text))
		if ok != (want != "") || ok && s.String() != want {
			t.Errorf("%s: %q %t", text, s.String(), ok)
		}
	}
	for text, want := range map[string]string{
		"1763712930": "2025-11-21T08:15", "1763712930.123": "2025-11-21T08:15", "1763712930123": "2025-11-21T08:15",
		"1709208000": "2024-02-29T12:00", "1000000000": "2001-09-09T01:46", "12": "", "-1763712930": "", "1e9": "",
	} {
		s, ok := ParseEpoch([]byte(text))
		if ok != (want != "") || ok && s.String() != want {
			t.Errorf("%s: %q %t", text, s.String(), ok)
		}
	}
}
func stamps(t *testing.T, texts ...string) (out []Stamp) {
	t.Helper()
	for _, text := range texts {
		s, ok := Parse([]byte(text))
		if !ok {
			t.Fatalf("Parse(%s) fails", text)
		}
		out = append(out, s)
	}
	return out
}

// timesFrom8 returns n times from 08:00 on at the given interval in minutes.
func timesFrom8(n, minutes int) (out []string) {
	for i := range n {
		at := 8*60 + i*minutes
		out = append(out, fmt.Sprintf("2026-11-%02dT%02d:%02d", 21+at/1440, at/60%24, at%60))
	}
	return out
}

// names returns groups as "name:size", with finer groups in brackets.
func names(groups []Group) string {
	var out []string
	for _, g := range groups {
		s := fmt.Sprintf("%s:%d", g.Name, g.Size())
		if g.Groups != nil {
			s += "[" + names(g.Groups) + "]"
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}

func TestGroups(t *testing.T) {
	back := timesFrom8(6, 30)
	slices.Reverse(back)
	for _, c := range []struct {
		rule  string
		texts []string
		want  string
	}{
		{"coarsest level with two groups", []string{"2025-01-01", "2025-03-01", "2026-01-01", "2026-02-01"}, "2025:2 2026:2"},
		{"hours of a day", timesFrom8(6, 30), "2026-11-21T08:2 2026-11-21T09:2 2026-11-21T10:2"},
		{"descending times", back, "2026-11-21T10:2 2026-11-21T09:2 2026-11-21T08:2"},
		{"unordered times", append(timesFrom8(6, 30), "2026-11-21T08:10"), ""},
		{"one time", []string{"2026-11-21", "2026-11-21"}, ""},
		{"dominant group", append(slices.Repeat(timesFrom8(1, 1), 9), "2026-11-21T09:00"), ""},
		{"long groups contain finer ones", append(timesFrom8(12, 10), "2026-11-22T08:00", "2026-11-22T08:01", "2026-11-22T08:02"),
			"2026-11-21:12[2026-11-21T08:6 2026-11-21T09:6] 2026-11-22:3"},
	} {
		const most = 6
		all := stamps(t, c.texts...)
		groups := Groups(all, most)
		if got := names(groups); got != c.want {
			t.Errorf("%s: %s, want %s", c.rule, got, c.want)
		}
		at := 0
		for _, g := range groups {
			if g.From != at || g.To <= at {
				t.Errorf("%s: group %s is [%d,%d) after %d", c.rule, g.Name, g.From, g.To, at)
			}
			at = g.To
		}
		if groups != nil && at != len(all) {
			t.Errorf("%s: groups end at %d of %d", c.rule, at, len(all))
		}
	}
}

func TestOfRecordsWithoutTimes(t *testing.T) {
	known := stamps(t, timesFrom8(20, 1)...)
	at := func(without ...int) []Stamp {
		return Of(len(known), func(i int) (Stamp, bool) { return known[i], !slices.Contains(without, i) })
	}
	if got := at(0, 5); got == nil || got[0] != known[1] || got[5] != known[4] || got[19] != known[19] {
		t.Errorf("one in ten without: %v", got)
	}
	if got := at(0, 5, 6); got != nil {
		t.Errorf("more than one in ten without: %v", got)
	}
}
