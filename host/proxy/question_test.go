package proxy

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
)

// A stage that reads the arguments of a call gets those of the server and the question.
// The server never gets the question.
func TestQuestion(t *testing.T) {
	const result = `{"content":[{"type":"text","text":"hello"}]}`
	long := strings.Repeat("x", abi.LimitQuestionBytes)
	for _, tc := range []struct {
		rule     string
		reads    bool
		args     string
		want     string // the arguments that stages get
		upstream string // the arguments that the server gets, "" for an error
	}{
		{"question", true, `{"q":1,"_question":"what?"}`, `{"q":1,"_question":"what?"}`, `{"q":1}`},
		{"question alone", true, `{"_question":"what?"}`, `{"_question":"what?"}`, `{}`},
		{"no question", true, `{"q":[1, 2]}`, `{"q":[1, 2]}`, `{"q":[1, 2]}`},
		{"empty question", true, `{"q":1,"_question":""}`, `{"q":1}`, `{"q":1}`},
		{"null", true, `{"q":1,"_question":null}`, `{"q":1}`, `{"q":1}`},
		{"no arguments", true, `{}`, ``, `{}`},
		{"section and question", true, `{"q":1,"_section":"","_question":"what?"}`, `{"q":1,"_question":"what?"}`, `{"q":1}`},
		{"no stage reads them", false, `{"q":1,"_question":"what?"}`, ``, `{"q":1}`},
		{"longest question", true, `{"_question":"` + long + `"}`, `{"_question":"` + long + `"}`, `{}`},
		{"too long a question", true, `{"_question":"` + long + `x"}`, ``, ``},
		{"number", true, `{"_question":1}`, ``, ``},
		{"list", false, `{"_question":["what?"]}`, ``, ``},
		{"arguments too large for stages", true, `{"q":"` + strings.Repeat("x", abi.LimitArgumentsBytes) + `"}`, ``, `{"q":"` + strings.Repeat("x", abi.LimitArgumentsBytes) + `"}`},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			server := oneTool(func(context.Context, fakeCall) string { return result }, "t")
			p := Project{Servers: []Server{{Name: "s"}}, Models: testModels{"*": {Runs: true, Arguments: tc.reads}}}
			r := newRig(t, fakeUpstreams{"s": server}, p, Options{})
			answer := r.open(t, "").ask("tools/call", fmt.Sprintf(`{"name":"s__t","arguments":%s}`, tc.args))
			calls := server.got("tools/call")
			if tc.upstream == "" {
				if at(answer, "/error/code") != "-32602" || !strings.Contains(at(answer, "/error/message"), questionArg) || len(calls) > 0 {
					t.Fatalf("answer %s, %d calls", answer, len(calls))
				}
				return
			}
			if len(calls) != 1 || at(calls[0], "/arguments") != tc.upstream {
				t.Errorf("the server got %.200s, want %.200s", calls, tc.upstream)
			}
			if seen := r.pipeline.Seen(); len(seen) != 1 || string(seen[0].Arguments) != tc.want {
				t.Errorf("stages got %d contents with %.200s, want %.200s", len(seen), seen[0].Arguments, tc.want)
			}
		})
	}
}

// A prompt has its arguments, and a resource has none.
func TestArgumentsOfPromptsAndResources(t *testing.T) {
	for _, tc := range []struct{ method, params, list, answer, want string }{
		{"prompts/get", `{"name":"s__p","arguments":{"topic":"pumps"}}`, `{"prompts":[{"name":"p"}]}`, `{"messages":[{"role":"user","content":{"type":"text","text":"hello"}}]}`, `{"topic":"pumps"}`},
		{"prompts/get", `{"name":"s__p"}`, `{"prompts":[{"name":"p"}]}`, `{"messages":[{"role":"user","content":{"type":"text","text":"hello"}}]}`, ``},
		{"resources/read", `{"uri":"x:1"}`, `{"resources":[{"uri":"x:1"}]}`, `{"contents":[{"uri":"x:1","text":"hello"}]}`, ``},
	} {
		server := scriptedServer(map[string]string{"prompts/list": tc.list, "resources/list": tc.list, tc.method: tc.answer})
		r := newRig(t, fakeUpstreams{"s": server}, Project{Servers: []Server{{Name: "s"}}, Models: testModels{"*": {Runs: true, Arguments: true}}}, Options{})
		answer := r.open(t, "").ask(tc.method, tc.params)
		if seen := r.pipeline.Seen(); len(seen) != 1 || string(seen[0].Arguments) != tc.want {
			t.Errorf("%s %s: stages got %v, want %s; answer %s", tc.method, tc.params, seen, tc.want, answer)
		}
	}
}

// Controllers get the arguments without the question. After a rewrite the stages get those
// of the routed call, with its own question or else that of the client.
func TestQuestionOfRewrittenCall(t *testing.T) {
	for _, tc := range []struct{ rewritten, want, upstream string }{
		{`{"x":1}`, `{"x":1,"_question":"what?"}`, `{"x":1}`},
		{`{"x":1,"_question":"which?"}`, `{"x":1,"_question":"which?"}`, `{"x":1}`},
	} {
		server := oneTool(func(context.Context, fakeCall) string { return `{"content":[{"type":"text","text":"hello"}]}` }, "t")
		controllers := scriptedControllers("add {\"name\":\"dispatch\",\"inputSchema\":{\"type\":\"object\"}}\nrewrite dispatch s/t " + tc.rewritten + "\nwrap s/t note")
		p := Project{Servers: []Server{{Name: "s"}}, Models: testModels{"*": {Runs: true, Arguments: true}}}
		r := newSteeredRig(t, fakeUpstreams{"s": server}, p, Options{}, controllers, nil)
		c := r.open(t, "")
		c.ask("tools/list", `{}`)
		answer := c.ask("tools/call", `{"name":"dispatch","arguments":{"a":2,"_question":"what?"}}`)
		if calls := server.got("tools/call"); len(calls) != 1 || at(calls[0], "/arguments") != tc.upstream {
			t.Errorf("%s: the server got %s; answer %s", tc.rewritten, calls, answer)
		}
		found := false
		for _, seen := range r.pipeline.Seen() {
			found = found || string(seen.Arguments) == tc.want
		}
		if !found {
			t.Errorf("%s: no content has the arguments %s; answer %s", tc.rewritten, tc.want, answer)
		}
	}
}
