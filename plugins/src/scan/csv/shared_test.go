package csv

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part/parttest"
)

// Tables that stage compress has written can be split as others are.
func TestTablesOfCompress(t *testing.T) {
	records := func(format string) string {
		return parttest.Lines(40, func(i int) string { return fmt.Sprintf(format, i, i%2) })
	}
	for _, c := range []struct {
		rule, text, fields, head string
		want                     bool
	}{
		{"a line above the header", "in every record: host=web\nid,kind\n" + records("%d,t%d"), "fields: id int 0..39 | kind text t0/t1", "L1 | header: in every record: host=web id,kind", true},
		{"a line above records", "in every record: host=web\n" + records("%d;t%d"), "fields between ;: c1 int 0..39 | c2 text t0/t1", "L1 | header: in every record: host=web", true},
		{"TOON", "[40]{id,kind}:\n" + records("  %d,t%d"), "fields: id int 0..39 | kind text t0/t1", "L1 | header: [40]{id,kind}:", true},
		{"TOON with a line above", "in every record: {\"a\":1}\n[40]{id,\"k, l\"}:\n" + records("  %d,t%d"), "fields: id int 0..39 | k, l text t0/t1", "L1 | header: in every record: {\"a\":1} [40]{id,\"k, l\"}:", true},
		{"TOON of one column", "[40]{id}:\n" + records("  %d%d"), "", "", false},
		{"no records of TOON", "[40]{id,kind}:\nx y z\n", "", "", false},
		{"a header without its end", "[40]{id,kind}\n" + strings.Repeat("  a b\n", 9), "", "", false},
	} {
		d, ok := Scan([]byte(c.text), part.Clues{})
		if ok != c.want {
			t.Errorf("%s: %t", c.rule, ok)
		}
		if !ok {
			continue
		}
		if head := parttest.List(d)[0]; d.Lines[0] != c.fields || head != c.head {
			t.Errorf("%s:\n got %s\n     %s\nwant %s\n     %s", c.rule, d.Lines[0], head, c.fields, c.head)
		}
		parttest.Check(t, []byte(c.text), d, nil)
	}
}
