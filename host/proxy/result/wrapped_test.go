package result

import (
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/host/jsonspan"
)

func TestFindWrapped(t *testing.T) {
	long := strings.Repeat("text\\n", minWrapped)
	for rule, c := range map[string]struct{ structured, key string }{
		"one string":            {`{ "content" : "` + long + `" }`, "content"},
		"underscore":            {`{"file_text":"` + long + `"}`, "file_text"},
		"short string":          {`{"content":"text"}`, ""},
		"a second member":       {`{"content":"` + long + `","size":7}`, ""},
		"duplicate key":         {`{"content":"` + long + `","content":"` + long + `"}`, ""},
		"number":                {`{"content":` + strings.Repeat("1", minWrapped) + `}`, ""},
		"array":                 {`["` + long + `"]`, ""},
		"string":                {`"` + long + `"`, ""},
		"half a surrogate pair": {`{"content":"\ud800` + long + `"}`, ""},
		"key that is no name":   {`{"token 123":"` + long + `"}`, ""},
		"key with an escape":    {`{"\u0063ontent":"` + long + `"}`, ""},
		"long key":              {`{"` + strings.Repeat("k", maxWrapperKey) + `":"` + long + `"}`, ""},
		"empty key":             {`{"":"` + long + `"}`, ""},
	} {
		raw := `{"structuredContent":` + c.structured + `}`
		at := jsonspan.Member{Start: len(`{"structuredContent":`), End: len(raw) - 1}
		wrapped, key := findWrapped([]byte(raw), at)
		if key != c.key || (wrapped.End > 0) != (c.key != "") || c.key != "" && raw[wrapped.Start:wrapped.End] != `"`+long+`"` {
			t.Errorf("%s: key %q, bytes %d to %d", rule, key, wrapped.Start, wrapped.End)
		}
	}
}
