package csv

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

func TestGroupByGivenColumn(t *testing.T) {
	table := func(n int, record func(i int) string) string {
		var b strings.Builder
		b.WriteString("n,type,host,note,at\n")
		for i := range n {
			b.WriteString(record(i))
		}
		return b.String()
	}
	text := table(60, func(i int) string {
		host := []string{"", "h1", "h2"}[i%3]
		return fmt.Sprintf("%d,t%d,%s,a text of many words that is no name of anything %d,2026-11-%02d\n", i, i/20, host, i%2, 1+i/10)
	})
	var hosts []string
	for i := range 300 {
		hosts = append(hosts, fmt.Sprintf("host=h%d", i))
	}
	for _, c := range []struct {
		rule, column, text string
		grouped            bool
		want               []string // groups at the top
	}{
		{"given column instead of the best one; empty cells are a group", "host", text, true, []string{"host=", "host=h1", "host=h2"}},
		{"column that is the best anyway", "type", text, true, []string{"type=t0", "type=t1", "type=t2"}},
		{"times", "at", text, true, []string{"at=2026-11-01", "at=2026-11-02", "at=2026-11-03", "at=2026-11-04", "at=2026-11-05", "at=2026-11-06"}},
		{"no given column", "", text, false, []string{"type=t0", "type=t1", "type=t2"}},
		{"column that does not exist", "zone", text, false, []string{"type=t0", "type=t1", "type=t2"}},
		{"long texts make no groups", "note", text, false, []string{"type=t0", "type=t1", "type=t2"}},
		{"single group is no grouping", "host", strings.ReplaceAll(strings.ReplaceAll(text, "h1", "h2"), ",,", ",h2,"), false, []string{"type=t0", "type=t1", "type=t2"}},
		{"few records", "host", table(24, func(i int) string { return fmt.Sprintf("%d,t,h%d,x,y\n", i, i%2) }), false, nil},
		{"many distinct values in the first cells", "host", table(6000, func(i int) string { return fmt.Sprintf("%d,t%d,h%d,x,y\n", i, i%2, i%300) }), true, hosts},
	} {
		d, ok := Scan([]byte(c.text), part.Clues{GroupBy: c.column})
		if !ok || d.Grouped != c.grouped {
			t.Errorf("%s: %t, grouped %t, want %t", c.rule, ok, d.Grouped, c.grouped)
			continue
		}
		var got []string
		for i, p := range d.Parts {
			if p.Kind == part.Group && p.Parent < 0 {
				var n part.Name
				d.Name(i, &n)
				got = append(got, string(n.ID))
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.rule, got, c.want)
		}
	}
}
