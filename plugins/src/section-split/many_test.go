package sectionsplit

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/sdk-go/stagetest"
)

func TestPartsBeyondSectionLimitAreCounted(t *testing.T) {
	var object strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&object, `,"key %d":%d`, i, i)
	}
	for _, c := range []struct{ rule, input, want string }{
		{"elements", "[" + strings.Repeat("{},", 2999) + "{}]", "json-array, 3000 items, 9001 bytes, "},
		{"members", "{" + object.String()[1:] + "}", "json-object, 2000 keys, "},
		{"records", strings.Repeat("{\"a\":1}\n", 4000), "ndjson, 4000 lines, 32000 bytes, "},
	} {
		call := stagetest.Call{Input: c.input}
		call.Context.Limits.Sections = 1000
		r := stagetest.Run("section-split", call)
		if r.Outcome != stagetest.Done || len(r.Sections) != 0 || len(r.Marks) != 1 || !strings.HasPrefix(r.Output, c.want) ||
			!strings.HasSuffix(r.Output, "(limit 1000), shown in windows of lines and bytes\n") {
			t.Errorf("%s: %s %q, want %q", c.rule, r.Outcome, r.Output, c.want)
		}
	}
}
