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
