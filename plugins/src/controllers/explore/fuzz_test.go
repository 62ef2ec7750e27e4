package explore

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/sdk-go/controller"
	"github.com/mcpctl/mcpctl/sdk-go/controllertest"
	"github.com/mcpctl/mcpctl/sdk-go/stagetest"
)

// For any question and content the hook does not fail, its answer is bounded, and a
// filter of one JSON value returns JSON.
func FuzzAsk(f *testing.F) {
	for _, tool := range []string{"proxy_filter", "proxy_search", "proxy_explore"} {
		for _, arguments := range []string{`"fields":["a[].b","*"]`, `"exclude":["a.b"]`, `"pattern":"a*","context_lines":2`, `"pattern":"abc","mode":"fuzzy"`,
			`"pattern":"a b","mode":"bm25"`, `"pattern":"a","mode":"context","context_type":"section"`, `"max_depth":2`, `"max_depth":{}`} {
			f.Add(tool, `{"a":[{"b":1},{"b":"ä"}],"c":null}`, arguments)
			f.Add(tool, "# a\nb c. d\n\n{\"a\":1}", arguments)
			f.Add(tool, "{\"a\":1}\n{\"a\":2}\nx", arguments)
		}
	}
	f.Fuzz(func(t *testing.T, tool, text, arguments string) {
		arguments = `{"cache_id":"` + controllertest.Ref(text) + `",` + arguments + `}`
		if !utf8.ValidString(text) || !json.Valid([]byte(arguments)) {
			return
		}
		e := session(text).Call(tool, arguments)
		switch {
		case e.Outcome == stagetest.Fail && e.Reason[:7] != "unknown":
			t.Errorf("%s %s of %q: %s", tool, arguments, text, e.Reason)
		case len(e.Answer) > maxAnswer+1000:
			t.Errorf("%s %s of %q: %d bytes", tool, arguments, text, len(e.Answer))
		case tool == "proxy_filter" && e.Outcome == stagetest.Done && e.Kind != controller.IsError && json.Valid([]byte(text)) && !json.Valid([]byte(e.Answer)):
			t.Errorf("%s of %q: %q is no JSON", arguments, text, e.Answer)
		}
	})
}
