package csv

import (
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

// Records in which all fields have quotes are a table, however many fields each has.
func TestQuotedRecordsOfAnyLength(t *testing.T) {
	head := `"name","sum","examples"` + "\n"
	for rule, c := range map[string]struct {
		text string
		want string
	}{
		"more and fewer fields":     {head + `"a","1"` + "\n" + `"b","2","Guide: one, two","Guide: three","four",` + "\n" + `"c","3","x","y"` + "\n" + `"d","4","x"` + "\n", "4 records"},
		"with semicolons":           {strings.ReplaceAll(head+`"a","1"`+"\n"+`"b","2","x","y"`+"\n"+`"c","3"`+"\n"+`"d","4","x"`+"\n", `","`, `";"`), "4 records"},
		"few records":               {head + `"a","1"` + "\n" + `"b","2","x","y"` + "\n", ""},
		"a line without quotes":     {head + `"a","1"` + "\n" + `"b","2","x","y"` + "\n" + "and more text\n" + `"c","3"` + "\n" + `"d","4","x"` + "\n", ""},
		"speech":                    {strings.Repeat("\"No\", he said, \"never.\" They left.\n\"Yes,\" she said.\n", 5), ""},
		"strings of one per record": {strings.Repeat("\"a\",\n\"b\",\n", 5), ""},
	} {
		got := ""
		if d, ok := Scan([]byte(c.text), part.Clues{}); ok {
			got = d.Count
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", rule, got, c.want)
		}
	}
}
