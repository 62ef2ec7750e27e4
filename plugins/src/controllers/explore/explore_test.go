package explore

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/plugins/src/internal/hookexample"
	"github.com/mcpctl/mcpctl/sdk-go/controller"
	"github.com/mcpctl/mcpctl/sdk-go/controllertest"
	"github.com/mcpctl/mcpctl/sdk-go/stagetest"
)

func TestExamples(t *testing.T) { hookexample.Run(t, "explore") }

func session(stored ...string) *controllertest.Session {
	s := &controllertest.Session{Role: "explore", Config: `{"maxResponseSize":8000,"headSize":2000}`, Tools: []controllertest.Tool{
		{Name: "red/get_flows"}, {Name: "red/search"}, {Name: "files/search"},
	}}
	for _, text := range stored {
		s.Contents = append(s.Contents, controllertest.Content{Text: text})
	}
	s.ToolsList()
	return s
}

// asked returns the effects of a tool for a stored text. arguments begins with a comma or is empty.
func asked(tool, text, arguments string) controllertest.Effects {
	return session(text).Call(tool, `{"cache_id":"`+controllertest.Ref(text)+`"`+arguments+`}`)
}

func TestToolsHaveFlatArguments(t *testing.T) {
	var names []string
	for _, tool := range session().ToolsList().Listed {
		names = append(names, tool.Name)
		if !strings.HasPrefix(tool.Name, "proxy_") {
			continue
		}
		var d struct {
			Description string
			InputSchema struct {
				Properties map[string]struct{ Type string }
			}
		}
		if err := json.Unmarshal([]byte(tool.Definition), &d); err != nil || len(d.Description) > 2048 {
			t.Errorf("%s: %v", tool.Name, err)
		}
		for name, p := range d.InputSchema.Properties {
			if p.Type == "object" && name != "arguments" {
				t.Errorf("%s: %s is an object", tool.Name, name)
			}
		}
	}
	if got := strings.Join(names, " "); got != "proxy_filter proxy_search proxy_explore red/get_flows red/search files/search read_section" {
		t.Errorf("listed: %s", got)
	}
}

func TestInvalidArguments(t *testing.T) {
	const text = `{"a":1}`
	ref := controllertest.Ref(text)
	for _, c := range []struct{ rule, tool, arguments, want string }{
		{"no content", "proxy_explore", `{}`, "cache_id and tool are both missing"},
		{"two contents", "proxy_explore", `{"cache_id":"` + ref + `","tool":"x"}`, "cache_id and tool are both there"},
		{"a ref of another session", "proxy_explore", `{"cache_id":"bbbbbbbbbbbbbbbb"}`, `cache_id "bbbbbbbbbbbbbbbb" unknown`},
		{"an invalid ref", "proxy_filter", `{"cache_id":"../../x","fields":["a"]}`, `cache_id "../../x" unknown`},
		{"a ref of another type", "proxy_explore", `{"cache_id":17}`, "cache_id is a number, want a string"},
		{"an unknown tool", "proxy_explore", `{"tool":"get_flow"}`, "did you mean red/get_flows?"},
		{"a tool that two have", "proxy_explore", `{"tool":"search"}`, "several connections: red, files; name one"},
		{"arguments that are a list", "proxy_explore", `{"tool":"get_flows","arguments":[]}`, "arguments is an array, want an object"},
		{"an unknown argument", "proxy_explore", `{"cache_id":"` + ref + `","depth":1}`, `there is no argument "depth", did you mean max_depth?`},
		{"too deep", "proxy_explore", `{"cache_id":"` + ref + `","max_depth":99}`, "max_depth is 99, want a whole number from 1 to 10"},
		{"no fields", "proxy_filter", `{"cache_id":"` + ref + `"}`, "fields and exclude are both missing"},
		{"fields and exclude", "proxy_filter", `{"cache_id":"` + ref + `","fields":["a"],"exclude":["b"]}`, "both there, want one"},
		{"an invalid path", "proxy_filter", `{"cache_id":"` + ref + `","fields":["a["]}`, `fields: "a[" has a [ without ]`},
		{"fields that are numbers", "proxy_filter", `{"cache_id":"` + ref + `","fields":[1]}`, "fields holds a number, want a list of strings"},
		{"a thousand fields", "proxy_filter", `{"cache_id":"` + ref + `","fields":[` + strings.Repeat(`"a",`, 999) + `"a"]}`, "fields has 1000 entries, at most 256"},
		{"no pattern", "proxy_search", `{"cache_id":"` + ref + `"}`, "pattern is missing"},
		{"an invalid pattern", "proxy_search", `{"cache_id":"` + ref + `","pattern":"("}`, "pattern: "},
		{"a huge pattern", "proxy_search", `{"cache_id":"` + ref + `","pattern":"` + strings.Repeat("a", 9999) + `"}`, "pattern has 9999 bytes, at most 4096"},
		{"a pattern that multiplies", "proxy_search", `{"cache_id":"` + ref + `","pattern":"((a{1000}){1000}){1000}"}`, "pattern: "},
		{"a long pattern for fuzzy", "proxy_search", `{"cache_id":"` + ref + `","mode":"fuzzy","pattern":"` + strings.Repeat("a", 65) + `"}`, "longer than fuzzy takes, 64 characters"},
		{"an unknown mode", "proxy_search", `{"cache_id":"` + ref + `","pattern":"a","mode":"grep"}`, `mode "grep" unknown, want one of regex, bm25, fuzzy, context`},
		{"a threshold of two", "proxy_search", `{"cache_id":"` + ref + `","pattern":"a","threshold":2}`, "threshold is 2, want a number from 0 to 1"},
	} {
		e := session(text).Call(c.tool, c.arguments)
		if e.Outcome != stagetest.Done || e.Kind != controller.IsError || !strings.Contains(e.Answer, c.want) || len(e.Answer) > 400 {
			t.Errorf("%s: %s %v %q %s, want %q", c.rule, e.Outcome, e.Kind, e.Answer, e.Reason, c.want)
		}
	}
}

// Answers are bounded and stay JSON, and notes list the omissions.
func TestAnswersAreBounded(t *testing.T) {
	var rows strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&rows, `{"id":%d,"name":"row %d","text":"%s"},`, i, i, strings.Repeat("ä", 20))
	}
	many := `{"rows":[` + rows.String() + `{}],"last":1}`
	large := `{"small":1,"large":"` + strings.Repeat("x", 100_000) + `","after":2}`
	deep := strings.Repeat("[", 50_000) + strings.Repeat("]", 50_000)
	keys := `{"k":{` + strings.TrimSuffix(strings.Repeat(`"`+strings.Repeat("k", 3000)+`":1,`, 40), ",") + `}}`
	for _, c := range []struct{ rule, tool, text, arguments, note string }{
		{"rows", "proxy_filter", many, `,"fields":["rows[].id"]`, "of 20001 children"},
		{"all", "proxy_filter", many, `,"fields":["$"]`, "rows: the first"},
		{"a large value", "proxy_filter", large, `,"fields":["small","large","after"]`, "large: 100002 bytes, left out"},
		{"all but one", "proxy_filter", many, `,"exclude":["rows[].name"]`, "of 20001 children"},
		{"very deep", "proxy_filter", deep, `,"fields":["$"]`, "left out"},
		{"long keys", "proxy_filter", keys, `,"fields":["k"]`, ""},
		{"matches everywhere", "proxy_search", many, `,"pattern":"."`, ""},
		{"matches in lines", "proxy_search", strings.Repeat("a line\n", 10_000), `,"pattern":"a","max_results":1000,"context_lines":5`, "use a narrower pattern"},
		{"large units", "proxy_search", strings.Repeat("word ", 100_000), `,"pattern":"word","mode":"context","max_results":1000`, "use a narrower pattern"},
		{"passages", "proxy_search", many, `,"pattern":"row","mode":"bm25","top_k":100`, "use a narrower pattern"},
		{"nearly equal", "proxy_search", many, `,"pattern":"row","mode":"fuzzy","max_results":1000`, ""},
		{"structure", "proxy_explore", many, ``, ""},
		{"structure of very deep JSON", "proxy_explore", deep, `,"max_depth":10`, ""},
		{"structure of long keys", "proxy_explore", keys, ``, ""},
		{"structure of many keys", "proxy_explore", `{` + strings.ReplaceAll(strings.Trim(rows.String(), ","), `{"id"`, `"x`+"y"+`":{"id"`) + `}`, ``, ""},
		{"structure of one long line", "proxy_explore", strings.Repeat("x", 1<<20), ``, ""},
	} {
		e := asked(c.tool, c.text, c.arguments)
		notes := strings.Join(e.After, "\n")
		if e.Outcome != stagetest.Done || len(e.Answer) > maxAnswer || len(notes) > 4000 || !utf8.ValidString(e.Answer) || !strings.Contains(notes+e.Answer, c.note) {
			t.Errorf("%s: %s %s, %d bytes %.300s\nnotes %s", c.rule, e.Outcome, e.Reason, len(e.Answer), e.Answer, notes)
		}
		if c.tool == "proxy_filter" && e.Kind != controller.IsError && !json.Valid([]byte(e.Answer)) {
			t.Errorf("%s: %.300s ... is no JSON", c.rule, e.Answer)
		}
	}
}

func TestStructure(t *testing.T) {
	const text = `{"flows":[{"id":"a1","wires":[["x"],[]],"on":true},{"id":"b22","x":null}],"rev":7,"meta":{"a":{"b":{"c":1}}}}`
	e := asked("proxy_explore", text, "")
	want := `$: object of 3 keys, 109 bytes
  flows: array of 2, 64 bytes
    []: object of 4 keys, up to 40 bytes
      id: string, up to 5 bytes, e.g. "a1"
      wires: array of 2, 10 bytes, in 1 of 2
      on: bool, 4 bytes, in 1 of 2, e.g. true
      x: null, 4 bytes, in 1 of 2
  rev: number, 1 byte, e.g. 7
  meta: object of 1 key, 19 bytes
    a: object of 1 key, 13 bytes
      b: object of 1 key, 7 bytes
        c
`
	if e.Answer != want {
		t.Errorf("got\n%swant\n%s", e.Answer, want)
	}
	if e := asked("proxy_explore", text, `,"max_depth":1`); strings.Contains(e.Answer, "wires") || !strings.Contains(e.Answer, "  flows: array of 2") {
		t.Errorf("depth 1:\n%s", e.Answer)
	}
	if e := asked("proxy_explore", "{\"a\":1}\n{\"b\":2}\n", ``); !strings.Contains(e.Answer, "JSON in 2 lines") || !strings.Contains(e.Answer, "in 1 of 2") {
		t.Errorf("JSON by line:\n%s", e.Answer)
	}
	if e := asked("proxy_explore", "one\ntwo\n", ``); !strings.Contains(e.Answer, "text, 2 lines, 8 bytes") {
		t.Errorf("text:\n%s", e.Answer)
	}
}
