package explore

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
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

// asked asks a tool about a stored text. Arguments begin with a comma or are empty.
func asked(tool, text, arguments string) controllertest.Effects {
	return session(text).Call(tool, `{"cache_id":"`+controllertest.Ref(text)+`"`+arguments+`}`)
}

//
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

func TestWrongArguments(t *testing.T) {
	const text = `{"a":1}`
	ref := controllertest.Ref(text)
	for _, c := range []struct{ rule, tool, arguments, want string }{
		{"nothing to look into", "proxy_explore", `{}`, "cache_id and tool are both missing"},
		{"two things to look into", "proxy_explore", `{"cache_id":"` + ref + `","tool":"x"}`, "cache_id and tool are both there"},
		{"a ref of somebody else", "proxy_explore", `{"cache_id":"bbbbbbbbbbbbbbbb"}`, `cache_id "bbbbbbbbbbbbbbbb" unknown`},
		{"a ref that is none", "proxy_filter", `{"cache_id":"../../x","fields":["a"]}`, `cache_id "../../x" unknown`},
		{"a ref of another type", "proxy_explore", `{"cache_id":17}`, "cache_id is a number, want a string"},
		{"an unknown tool", "proxy_explore", `{"tool":"get_flow"}`, "did you mean red/get_flows?"},
		{"a tool that two have", "proxy_explore", `{"tool":"search"}`, "several connections: red, files; name one"},
		{"arguments that are a list", "proxy_explore", `{"tool":"get_flows","arguments":[]}`, "arguments is an array, want an object"},
		{"an unknown argument", "proxy_explore", `{"cache_id":"` + ref + `","depth":1}`, `there is no argument "depth", did you mean max_depth?`},
		{"too deep", "proxy_explore", `{"cache_id":"` + ref + `","max_depth":99}`, "max_depth is 99, want a whole number from 1 to 10"},
		{"no fields", "proxy_filter", `{"cache_id":"` + ref + `"}`, "fields and exclude are both missing"},
		{"fields and exclude", "proxy_filter", `{"cache_id":"` + ref + `","fields":["a"],"exclude":["b"]}`, "both there, want one"},
		{"a wrong path", "proxy_filter", `{"cache_id":"` + ref + `","fields":["a["]}`, `fields: "a[" has a [ without ]`},
		{"fields that are numbers", "proxy_filter", `{"cache_id":"` + ref + `","fields":[1]}`, "fields holds a number, want a list of strings"},
		{"a thousand fields", "proxy_filter", `{"cache_id":"` + ref + `","fields":[` + strings.Repeat(`"a",`, 999) + `"a"]}`, "fields has 1000 entries, at most 256"},
		{"no pattern", "proxy_search", `{"cache_id":"` + ref + `"}`, "pattern is missing"},
		{"a wrong pattern", "proxy_search", `{"cache_id":"` + ref + `","pattern":"("}`, "pattern: "},
		{"a huge pattern", "proxy_search", `{"cache_id":"` + ref + `","pattern":"` + strings.Repeat("a", 9999) + `"}`, "pattern has 9999 bytes, at most 4096"},
		{"a pattern that multiplies", "proxy_search", `{"cache_id":"` + ref + `","pattern":"((a{1000}){1000}){1000}"}`, "pattern: "},
		{"a long pattern for fuzzy", "proxy_search", `{"cache_id":"` + ref + `","mode":"fuzzy","pattern":"` + strings.Repeat("a", 65) + `"}`, "longer than fuzzy takes, 64 characters"},
		{"a mode that is none", "proxy_search", `{"cache_id":"` + ref + `","pattern":"a","mode":"grep"}`, `mode "grep" unknown, want one of regex, bm25, fuzzy, context`},
		{"a threshold of two", "proxy_search", `{"cache_id":"` + ref + `","pattern":"a","threshold":2}`, "threshold is 2, want a number from 0 to 1"},
	} {
		e := session(text).Call(c.tool, c.arguments)
		if e.Outcome != stagetest.Done || e.Kind != controller.IsError || !strings.Contains(e.Answer, c.want) || len(e.Answer) > 400 {
			t.Errorf("%s: %s %v %q %s, want %q", c.rule, e.Outcome, e.Kind, e.Answer, e.Reason, c.want)
		}
	}
}

//
func TestFilter(t *testing.T) {
	const text = `{"id" : 12345678901234567890, "users":[{"name":"A\u00e9","mail":1.0,"tags":[1, 2]},{"name":null},{"other":{}}],` +
		`"m":{"deep":{"x":[[{"y":1},{"y":2}]]}}, "dup":{"a":1}, "dup":{"a":2}, "a.b":3, "empty":{}}`
	for _, c := range []struct{ rule, arguments, want string }{
		{"a number as it was written", `,"fields":["id"]`, `{"id":12345678901234567890}`},
		{"fields of elements", `,"fields":["users[].name"]`, `{"users":[{"name":"A\u00e9"},{"name":null}]}`},
		{"without brackets", `,"fields":["users.name","users.mail"]`, `{"users":[{"name":"A\u00e9","mail":1.0},{"name":null}]}`},
		{"one element", `,"fields":["users[2]"]`, `{"users":[{"other":{}}]}`},
		{"a value with its white space", `,"fields":["users[0].tags"]`, `{"users":[{"tags":[1, 2]}]}`},
		{"arrays of arrays", `,"fields":["m.deep.x.y"]`, `{"m":{"deep":{"x":[[{"y":1},{"y":2}]]}}}`},
		{"members of one name, each with its own value", `,"fields":["dup.a"]`, `{"dup":{"a":1},"dup":{"a":2}}`},
		{"a key with a dot", `,"fields":["[\"a.b\"]"]`, `{"a.b":3}`},
		{"one path as a string", `,"fields":"id"`, `{"id":12345678901234567890}`},
		{"exclude", `,"exclude":["users","m","dup"]`, `{"id":12345678901234567890,"a.b":3,"empty":{}}`},
		{"exclude below", `,"exclude":["users[].tags","users[].name","m.deep","dup.a","id"]`, `{"users":[{"mail":1.0},{},{"other":{}}],"m":{},"dup":{},"dup":{},"a.b":3,"empty":{}}`},
		{"fields in mode exclude", `,"fields":["users","m","dup","id"],"mode":"exclude"`, `{"a.b":3,"empty":{}}`},
		{"the whole", `,"fields":["$"]`, text},
		{"nothing there", `,"fields":["nobody","id.x"]`, "nothing in the result is at these paths; proxy_explore tells which there are"},
	} {
		e := asked("proxy_filter", text, c.arguments)
		if e.Outcome != stagetest.Done || e.Answer != c.want {
			t.Errorf("%s: %s\n%s %s, want\n%s", c.rule, e.Outcome, e.Answer, e.Reason, c.want)
		}
	}
	if e := asked("proxy_filter", "no JSON at all", `,"fields":["a"]`); !strings.Contains(e.Answer, "is no JSON") {
		t.Errorf("%s", e.Answer)
	}
	if e := asked("proxy_filter", "{\"a\":1,\"b\":2}\n{\"b\":3}\nbroken\n{\"a\":4}", `,"fields":["a"]`); e.Answer != "{\"a\":1}\n{\"a\":4}\n" {
		t.Errorf("JSON by line: %q", e.Answer)
	}
}

// What a filter takes is what the paths say, whatever the value: compared with decoding
// it, and every value it shows is bytes of the original.
func TestFilterAgreesWithDecoding(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	keys := []string{"a", "b", "c"}
	for range 400 {
		b, _ := json.Marshal(random(rnd, 4))
		path := keys[rnd.IntN(3)]
		for rnd.IntN(3) > 0 {
			path += "." + keys[rnd.IntN(3)]
		}
		var v any
		_ = json.Unmarshal(b, &v)
		want, found := pick(v, strings.Split(path, "."))
		e := asked("proxy_filter", string(b), `,"fields":["`+path+`"]`)
		if e.Kind == controller.IsError {
			if found {
				t.Fatalf("%s of %s: %s", path, b, e.Answer)
			}
			continue
		}
		w, _ := json.Marshal(want)
		if e.Answer != string(w) {
			t.Fatalf("%s of %s\n%s, want\n%s", path, b, e.Answer, w)
		}
	}
}

func random(rnd *rand.Rand, depth int) any {
	switch n := rnd.IntN(4); {
	case depth == 0 || n == 0:
		return rnd.IntN(100)
	case n == 1:
		list := make([]any, rnd.IntN(4))
		for i := range list {
			list[i] = random(rnd, depth-1)
		}
		return list
	}
	m := map[string]any{}
	for _, k := range []string{"a", "b", "c"} {
		if rnd.IntN(2) == 0 {
			m[k] = random(rnd, depth-1)
		}
	}
	return m
}

// pick is a filter with one path of keys over a decoded value.
func pick(v any, path []string) (any, bool) {
	switch v := v.(type) {
	case []any:
		if len(path) == 0 {
			return v, true
		}
		list := []any{}
		for _, e := range v {
			if p, ok := pick(e, path); ok {
				list = append(list, p)
			}
		}
		return list, len(list) > 0
	case map[string]any:
		if len(path) == 0 {
			return v, true
		}
		member, ok := v[path[0]]
		if !ok {
			return nil, false
		}
		p, ok := pick(member, path[1:])
		return map[string]any{path[0]: p}, ok
	}
	return v, len(path) == 0
}

// Answers are bounded whatever is asked, stay JSON, and say what is missing.
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
		{"structure that is very deep", "proxy_explore", deep, `,"max_depth":10`, ""},
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

//
func TestSearch(t *testing.T) {
	const text = "# Lamps\nThe hall lamp. It is a Zigbee lamp! Kitchen next.\nmore\n\n# Chairs\nwooden\nred chair\n"
	for _, c := range []struct{ rule, arguments, want string }{
		{"regex by line", `,"pattern":"^w.*n$"`, "-- line 6, bytes 73-80\nwooden\n"},
		{"case counts", `,"pattern":"zigbee"`, "nothing found; case counts"},
		{"unless it does not", `,"pattern":"zigbee","case_insensitive":true`, "-- line 2, bytes 8-58\nThe hall"},
		{"context lines", `,"pattern":"wooden","context_lines":1`, "-- line 6, bytes 64-90\n# Chairs\nwooden\nred chair\n"},
		{"paragraph", `,"pattern":"more","mode":"context"`, "-- line 3, bytes 0-63\n# Lamps\n"},
		{"sentence", `,"pattern":"Zigbee","mode":"context","context_type":"sentence"`, "-- line 2, bytes 23-44\nIt is a Zigbee lamp! \n"},
		{"section", `,"pattern":"red","mode":"context","context_type":"section"`, "-- line 7, bytes 64-90\n# Chairs\nwooden\nred chair"},
		{"lines", `,"pattern":"red","mode":"context","context_type":"lines"`, "-- line 7, bytes 80-90\nred chair\n"},
		{"fuzzy", `,"pattern":"zigbe","mode":"fuzzy"`, "ratio 1.00\nThe hall"},
		{"fuzzy with a typo", `,"pattern":"chiar","mode":"fuzzy","threshold":0.6`, "ratio 0.60\nred chair"},
		{"bm25", `,"pattern":"red lamp","mode":"bm25"`, "score "},
		{"no words", `,"pattern":"?","mode":"bm25"`, "pattern has no words"},
	} {
		e := asked("proxy_search", text, c.arguments)
		if !strings.Contains(e.Answer, c.want) {
			t.Errorf("%s: %q %s, want %q", c.rule, e.Answer, e.Reason, c.want)
		}
	}
	e := asked("proxy_search", `{"rooms":[{"name":"hall"},{"name":"kitchen"}]}`, `,"pattern":"kitchen"`)
	if !strings.Contains(e.Answer, "rooms[1].name") {
		t.Errorf("a match in JSON has no path: %s", e.Answer)
	}
}

// All that a search shows are bytes of the original, at the offsets that it says.
func TestSearchShowsExactBytes(t *testing.T) {
	files, _ := filepath.Glob("../../../testdata/content/*")
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil || len(b) > 300_000 || !utf8.Valid(b) {
			continue
		}
		text := string(b)
		for _, arguments := range []string{`,"pattern":"e","max_results":5`, `,"pattern":"the name","mode":"bm25"`, `,"pattern":"numbr","mode":"fuzzy","max_results":5`, `,"pattern":"o.","mode":"context","max_results":5`} {
			for place := range strings.SplitSeq("\n"+asked("proxy_search", text, arguments).Answer, "\n-- line ") {
				var line, start, end int
				title, shown, _ := strings.Cut(place, "\n")
				if _, err := fmt.Sscanf(title, "%d, bytes %d-%d", &line, &start, &end); err != nil {
					continue
				}
				if !strings.HasPrefix(shown, strings.TrimSuffix(text[start:end], "\n")) || line != 1+strings.Count(text[:start], "\n") && !strings.Contains(text[start:end], "\n") {
					t.Errorf("%s %s: %s is not what is there", filepath.Base(file), arguments, title)
				}
			}
		}
	}
}

//
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

// A fresh call is routed to the tool; its result is asked what the call asked, and says
// under which cache_id more can be asked of it.
//
func TestFreshCall(t *testing.T) {
	const value = `{"flows":[{"id":1},{"id":2}],"rev":7}`
	s := session()
	e := s.Call("proxy_filter", `{"tool":"get_flows","arguments":{"deep":true},"fields":["flows[].id"]}`)
	if e.Outcome != stagetest.Pass || e.Rewrite == nil || e.Rewrite.Tool != "red/get_flows" || e.Rewrite.Arguments != `{"deep":true}` {
		t.Fatalf("%+v", e)
	}
	b, _ := json.Marshal(value)
	e = s.Result(`{"content":[{"type":"text","text":` + string(b) + `}]}`)
	if e.Answer != `{"flows":[{"id":1},{"id":2}]}` || !slices.ContainsFunc(e.After, func(n string) bool { return strings.Contains(n, "cache_id "+controllertest.Ref(value)) }) {
		t.Fatalf("%+v", e)
	}
	e = s.Call("proxy_explore", `{"cache_id":"`+controllertest.Ref(value)+`"}`)
	if !strings.Contains(e.Answer, "flows: array of 2") {
		t.Errorf("the result of a fresh call is not stored: %+v", e)
	}
	if e := s.Call("proxy_search", `{"tool":"red/search","pattern":"x"}`); e.Rewrite == nil || e.Rewrite.Arguments != "{}" {
		t.Errorf("without arguments: %+v", e)
	}
	if e = s.Result(`{"content":[{"type":"text","text":"boom"}],"isError":true}`); e.Outcome != stagetest.Pass {
		t.Errorf("a failed tool: %+v", e)
	}
	s.Call("proxy_search", `{"tool":"red/search","pattern":"o"}`)
	if e = s.Result(`{"content":[{"type":"text","text":"one"},{"type":"text","text":"two"}]}`); !strings.Contains(e.Answer, "== part 2, cache_id "+controllertest.Ref("two")) {
		t.Errorf("two parts: %+v", e)
	}
	s.Call("proxy_filter", `{"tool":"red/search","fields":["a"]}`)
	if e = s.Result(`{"content":[{"type":"text","text":"x"}],"structuredContent":{"a": 1,"b":2}}`); e.Answer != `{"a":1}` {
		t.Errorf("structured: %+v", e)
	}
}

//
func TestLargeResultsOfPlainCalls(t *testing.T) {
	long := strings.Repeat("größe and more\n", 600)
	for _, c := range []struct {
		rule, config, text string
		answered           bool
	}{
		{"over 8000 characters", "", long, true},
		{"8000 characters in more bytes", "", strings.Repeat("ä", 8000), false},
		{"8001 of them", "", strings.Repeat("ä", 8001), true},
		{"small", "", "small", false},
		{"switched off", `{"maxResponseSize":0,"headSize":2000}`, long, false},
		{"another size", `{"maxResponseSize":3,"headSize":2000}`, "four", true},
	} {
		s := session()
		if c.config != "" {
			s.Config = c.config
		}
		s.Call("red/get_flows", "{}")
		b, _ := json.Marshal(c.text)
		e := s.Result(`{"content":[{"type":"text","text":` + string(b) + `}]}`)
		if (e.Outcome == stagetest.Done) != c.answered {
			t.Errorf("%s: %+v", c.rule, e.Outcome)
			continue
		}
		if !c.answered {
			continue
		}
		var r struct{ Content []struct{ Text string } }
		if err := json.Unmarshal([]byte(e.Answer), &r); err != nil || len(r.Content) != 1 {
			t.Fatalf("%s: %v %s", c.rule, err, e.Answer)
		}
		shown, rest, _ := strings.Cut(r.Content[0].Text, "\n\n[")
		if !strings.HasPrefix(c.text, shown) || utf8.RuneCountInString(shown) > 2000 || len(shown) < min(len(c.text), 1000)/2 || !strings.Contains(rest, controllertest.Ref(c.text)) {
			t.Errorf("%s: %q", c.rule, r.Content[0].Text)
		}
	}
}

// through sends calls of a tool of its own on to a server's; their results come to the
// hook of explore.
func init() {
	controller.Register("through", controller.Hooks{
		ToolsList: func(c *controller.Ctx) error {
			return c.AddTool(`{"name":"through","inputSchema":{"type":"object"}}`)
		},
		ToolCall: func(c *controller.Ctx) error {
			if c.Tool() != "through" {
				return controller.Pass
			}
			if err := c.Rewrite("red/get_flows", c.Input, 0, -1); err != nil {
				return err
			}
			return controller.Pass
		},
		ToolResult: result,
	})
}

// What a call of another controller's tool brings is shown as that one wants it.
func TestResultsOfOtherControllersPass(t *testing.T) {
	large := `{"content":[{"type":"text","text":"` + strings.Repeat("x", 9000) + `"}]}`
	for tool, want := range map[string]stagetest.Outcome{"through": stagetest.Pass, "red/get_flows": stagetest.Done} {
		s := session()
		s.Role = "through"
		s.ToolsList()
		s.Call(tool, "{}")
		if e := s.Result(large); e.Outcome != want {
			t.Errorf("%s: %s %s, want %s", tool, e.Outcome, e.Reason, want)
		}
	}
}

// The best are shown first, wherever they are; of equal ones the first.
func TestFuzzyShowsTheBest(t *testing.T) {
	text := strings.Repeat("a lamb\n", 500) + "a lamp\n" + strings.Repeat("a lamb\n", 500) + "lamp\n"
	e := asked("proxy_search", text, `,"pattern":"lamp","mode":"fuzzy","max_results":3`)
	want := "-- line 501, bytes 3500-3507, ratio 1.00\na lamp\n-- line 1002, bytes 7007-7012, ratio 1.00\nlamp\n-- line 1, bytes 0-7, ratio 0.75\na lamb\n"
	if e.Answer != want || len(e.After) != 1 {
		t.Errorf("%s %q", e.Answer, e.After)
	}
}
