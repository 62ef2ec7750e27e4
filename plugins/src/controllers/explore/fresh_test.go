package explore

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/sdk-go/controller"
	"github.com/mcpctl/mcpctl/sdk-go/controllertest"
	"github.com/mcpctl/mcpctl/sdk-go/stagetest"
)

// A fresh call is routed to the tool. Its result answers the question and a note names
// its cache_id.
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

// The controller through rewrites calls of its own tool to a tool of a server, so that
// the hook of explore receives their results.
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
		ToolResult: handleResult,
	})
}

// The result of another controller's tool passes unchanged.
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

// Output schemas are removed, because a large result is answered with text only.
func TestOutputSchemasAreHiddenWhereResultsAreCut(t *testing.T) {
	for config, hidden := range map[string]bool{`{"maxResponseSize":8000}`: true, `{"maxResponseSize":0}`: false} {
		s := &controllertest.Session{Role: "explore", Config: config, Tools: []controllertest.Tool{
			{Name: "a/b", Definition: `{"name":"a__b","inputSchema":{"type":"object"},"outputSchema":{"type":"object"},"x":1}`},
		}}
		for _, tool := range s.ToolsList().Listed {
			if tool.Name == "a/b" && (strings.Contains(tool.Definition, "outputSchema") == hidden || !strings.Contains(tool.Definition, `"x":1`)) {
				t.Errorf("%s: %s", config, tool.Definition)
			}
		}
	}
}

// Arguments are accepted as models write them: objects and numbers in strings, and ref,
// the name in read_section, for cache_id.
func TestLenientArguments(t *testing.T) {
	const value = `{"flows":[{"id":1},{"id":2}],"rev":7}`
	s := session(value)
	e := s.Call("proxy_filter", `{"tool":"get_flows","arguments":"{\"deep\": true}","fields":"[\"rev\",\"flows[0]\"]"}`)
	if e.Rewrite == nil || e.Rewrite.Arguments != `{"deep": true}` {
		t.Fatalf("%+v", e)
	}
	b, _ := json.Marshal(value)
	if e = s.Result(`{"content":[{"type":"text","text":` + string(b) + `}]}`); e.Answer != `{"flows":[{"id":1}],"rev":7}` {
		t.Errorf("%+v", e)
	}
	if e = s.Call("proxy_explore", `{"ref":"`+controllertest.Ref(value)+`","cache_id":"","max_depth":"1"}`); !strings.Contains(e.Answer, "flows: array of 2") {
		t.Errorf("%+v", e)
	}
	if e = s.Call("proxy_search", `{"ref":"`+controllertest.Ref(value)+`","pattern":"REV","case_insensitive":"true","max_results":"1","threshold":"","mode":""}`); e.Kind == controller.IsError || !strings.Contains(e.Answer, `"rev"`) {
		t.Errorf("%+v", e)
	}
}
