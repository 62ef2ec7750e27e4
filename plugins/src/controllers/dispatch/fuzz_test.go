package dispatch

import (
	"encoding/json"
	"testing"

	"github.com/mcpctl/mcpctl/sdk-go/controllertest"
	"github.com/mcpctl/mcpctl/sdk-go/stagetest"
)

// The hook fails for no arguments: it answers or routes.
func FuzzArguments(f *testing.F) {
	ref := controllertest.Ref("one\ntwo")
	for _, s := range []string{
		`{"action":"list","connection":"files"}`, `{"action":"search","query":"x y","limit":3}`,
		`{"action":"call","tool":"get_flows","arguments":{"a":1},"resultToFile":true}`,
		`{"action":"call","tool":"get_flows","argumentsFile":"` + ref + `"}`,
		`{"action":"readresult","resultFile":"` + ref + `","op":"slice","fromLine":1,"toLine":9}`,
		`{"action":"readresult","resultFile":"` + ref + `","op":"grep","pattern":"^t(w|o)*","context":3}`,
		`{"action":"readresult","resultFile":"` + ref + `","op":"read","maxBytes":2}`, `{"action":null,"\ud800":[]}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, arguments string) {
		var object map[string]json.RawMessage
		if json.Unmarshal([]byte(arguments), &object) != nil || object == nil {
			return
		}
		s := session()
		s.Contents = append(s.Contents, controllertest.Content{Text: "one\ntwo"})
		s.ToolsList()
		if e := s.Call(toolName, arguments); e.Outcome == stagetest.Fail {
			t.Errorf("%s: %s", arguments, e.Reason)
		} else if e.Outcome == stagetest.Pass {
			if e := s.Result(text("some text")); e.Outcome == stagetest.Fail {
				t.Errorf("result of %s: %s", arguments, e.Reason)
			}
		}
	})
}
