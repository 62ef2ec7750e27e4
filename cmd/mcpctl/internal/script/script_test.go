package script

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/host/strictyaml"
)

func TestScriptForms(t *testing.T) {
	call := Call{Tool: "demo/get_flows", Sections: []string{"?mqtt", "a.b"}, Expect: "mqtt"}
	for name, text := range map[string]string{
		"a list in JSON":    `[{"tool": "demo/get_flows", "arguments": {"n": 1}, "sections": ["?mqtt", "a.b"], "expect": "mqtt"}]`,
		"a list in YAML":    "- tool: demo/get_flows\n  arguments: {n: 1}\n  sections: [\"?mqtt\", a.b]\n  expect: mqtt\n",
		"an object":         `{"calls": [{"tool": "demo/get_flows", "arguments": {"n": 1}, "sections": ["?mqtt", "a.b"], "expect": "mqtt"}]}`,
		"an object in YAML": "calls:\n- {tool: demo/get_flows, arguments: {n: 1}, sections: [\"?mqtt\", a.b], expect: mqtt}\n",
	} {
		s, err := Parse("s", []byte(text))
		if err != nil || len(s.Calls) != 1 {
			t.Errorf("%s: %v, %v", name, s.Calls, err)
			continue
		}
		got := s.Calls[0]
		if args := got.Arguments.String(); args != `{"n":1}` || got.At.Line == 0 {
			t.Errorf("%s: arguments %s, at %v", name, args, got.At)
		}
		got.Arguments, got.At = strictyaml.Value{}, strictyaml.Position{}
		if !reflect.DeepEqual(got, call) {
			t.Errorf("%s: %+v, want %+v", name, got, call)
		}
	}
	s, err := Parse("s", []byte("client: {name: cursor, version: '2'}\nllm: [{match: flows, answer: \"a summary\", times: 1}]\ncalls: [{tool: x}]\n"))
	if err != nil || s.Client != (Client{"cursor", "2"}) || s.Answers.String() != `[{"match":"flows","answer":"a summary","times":1}]` {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestArgumentsKeepTheirNumbers(t *testing.T) {
	s, err := Parse("s", []byte(`[{"tool": "x", "arguments": {"id": 9007199254740993}}, {"tool": "x"}]`))
	if err != nil {
		t.Fatal(err)
	}
	args, err := s.Calls[0].Args()
	if err != nil || args["id"] != json.Number("9007199254740993") {
		t.Errorf("got %v, %v", args, err)
	}
	if args, err := s.Calls[1].Args(); args != nil || err != nil {
		t.Errorf("none are %v, %v", args, err)
	}
}

func TestInvalidScript(t *testing.T) {
	for _, c := range []struct{ name, text, want, place string }{
		{"nothing", "", "has no calls, want a list", "s.yaml"},
		{"no call", "[]", "has no calls", "s.yaml:1:1"},
		{"no list of calls", "client: {name: a}\n", "calls is missing", "s.yaml:1:1"},
		{"no tool", "- tool: a/b\n- arguments: {}\n", "[1].tool is missing", "s.yaml:2:3"},
		{"an empty tool", "- tool: ''\n", "[0].tool is empty", "s.yaml:1:9"},
		{"a misspelt field", "- tool: a/b\n  section: [x]\n", `[0].section is not a field here, did you mean "sections"?`, "s.yaml:2:3"},
		{"arguments that are a list", "- {tool: a/b, arguments: [1]}\n", "[0].arguments is a list, want a mapping", "s.yaml:1:"},
		{"an empty section", "- {tool: a/b, sections: ['']}\n", "sections contains an empty item", "s.yaml:1:"},
		{"a misspelt answer", "llm: [{mach: x}]\ncalls: [{tool: a}]\n", `llm[0].mach is not a field here, did you mean "match"?`, "s.yaml:1:"},
		{"an unknown fault", "llm: [{fault: hung}]\ncalls: [{tool: a}]\n", `llm[0].fault is "hung"`, "s.yaml:1:"},
		{"a second document", "- tool: a\n---\n- tool: b\n", "has a second document", "s.yaml:3:1"},
		{"a word", "hello\n", "want a mapping", "s.yaml:1:1"},
	} {
		_, err := Parse("s.yaml", []byte(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.place) {
			t.Errorf("%s: %v\nwant %s (%s)", c.name, err, c.want, c.place)
		}
	}
}
