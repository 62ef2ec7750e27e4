package table

import (
	"strconv"
	"strings"
	"testing"
)

// groupTitles returns the titles of all groups.
func groupTitles(g *Grouping) (out []string) {
	_ = g.Walk(func(p *Part, _ []int32, _ int) error {
		out = append(out, string(g.AppendTitle(nil, p)))
		return nil
	})
	return out
}

// The title of a group counts the values of the first mix field that is informative.
func TestGroupTitleCountsValues(t *testing.T) {
	for rule, c := range map[string]struct {
		object string // %i is replaced by the number of the row, %h by it modulo 2, %t by half of it modulo 3
		want   string
	}{
		"values that repeat":        {`{"room":"r%h","code":%h}`, "r0: 20 objects: 0 20"},
		"readings of a sensor":      {`{"room":"r%h","code":0.%i7}`, "r0: 20 objects"},
		"next field after readings": {`{"room":"r%h","status":0.%i7,"code":"c%h"}`, "r0: 20 objects: c0 20"},
		"many names":                {`{"room":"r%h","code":"c%i","name":"n%i"}`, "r0: 20 objects: n0; n2; n4; n6; n8; n10; n12; n14; n16; n18; n20; n22; n24; n26"},
		"field of the outer group":  {`{"state":"s%h","room":"r%t"}`, "s0: 20 objects|r0: 7 objects|r1: 7 objects|r2: 6 objects"},
	} {
		t.Run(rule, func(t *testing.T) {
			var out []string
			for i := range 40 {
				out = append(out, strings.NewReplacer("%i", strconv.Itoa(i), "%h", strconv.Itoa(i%2), "%t", strconv.Itoa(i/2%3)).Replace(c.object))
			}
			g := read(t, "["+strings.Join(out, ",")+"]", 6).Group(Auto, false)
			if g == nil {
				t.Fatal("no groups")
			}
			got := groupTitles(g)
			if s := strings.Join(got[:len(got)/2], "|"); s != c.want {
				t.Errorf("got  %s\nwant %s", s, c.want)
			}
		})
	}
}
