package dispatch

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/sdk-go/controller"
	"github.com/mcpctl/mcpctl/sdk-go/controllertest"
	"github.com/mcpctl/mcpctl/sdk-go/stagetest"
)

func session() *controllertest.Session {
	return &controllertest.Session{Role: "dispatch", Tools: []controllertest.Tool{
		{Name: "begin_session"},
		{Name: "files/read_file", Definition: `{"name":"files__read_file","description":"Reads a file.","inputSchema":{"type":"object","properties":{"path":{"type":"string"}}},"annotations":{"readOnlyHint":true}}`},
		{Name: "files/search", Definition: `{"name":"files__search","description":"Finds files by words.","inputSchema":{"type":"object"}}`},
		{Name: "red/get_flows", Definition: `{"name":"red__get_flows","description":"All flows, as JSON.","inputSchema":{"type":"object"},"annotations":{"title":"Flows"}}`},
		{Name: "red/search", Definition: `{"name":"red__search","inputSchema":{"type":"object"}}`},
	}}
}

// One tool replaces those of all servers. Tools of other controllers and of the host
// stay, because a call cannot be rewritten to them.
func TestOneToolReplacesThoseOfServers(t *testing.T) {
	s := session()
	var listed []string
	for _, tool := range s.ToolsList().Listed {
		listed = append(listed, tool.Name)
	}
	if got := strings.Join(listed, " "); got != "proxy-dispatch begin_session read_section" {
		t.Errorf("listed: %s", got)
	}
	if !json.Valid([]byte(definition)) {
		t.Error("the definition is no JSON")
	}
	var d struct {
		Description string
		InputSchema struct{ Properties map[string]any }
	}
	if err := json.Unmarshal([]byte(definition), &d); err != nil || len(d.Description) > 2048 || len(d.InputSchema.Properties) != len(names) {
		t.Errorf("%v, %d bytes, %d properties for %d arguments", err, len(d.Description), len(d.InputSchema.Properties), len(names))
	}
	for _, n := range names {
		if _, ok := d.InputSchema.Properties[n]; !ok {
			t.Errorf("argument %s is not in the schema", n)
		}
	}
}

func TestOtherCallsPass(t *testing.T) {
	s := session()
	s.ToolsList()
	if e := s.Call("files/read_file", `{"path":"a"}`); e.Outcome != stagetest.Pass || e.Rewrite != nil {
		t.Errorf("%+v", e)
	}
	if e := s.Result(`{"content":[{"type":"text","text":"x"}]}`); e.Outcome != stagetest.Pass {
		t.Errorf("%+v", e)
	}
}

// Invalid arguments are described in an error of the tool.
func TestInvalidArguments(t *testing.T) {
	for _, c := range []struct{ rule, arguments, want string }{
		{"no action", `{}`, "action is missing, want list, search, call, readresult"},
		{"an unknown action", `{"action":"lst"}`, `action "lst" unknown, want list, search, call, readresult`},
		{"an action that is no string", `{"action":["list"]}`, "action is an array, want a string"},
		{"a misspelt argument", `{"action":"call","toolz":"x"}`, `there is no argument "toolz", did you mean tool?`},
		{"an unknown connection", `{"action":"list","connection":"rd"}`, `connection "rd" unknown, there are files, red`},
		{"a limit of 0", `{"action":"search","query":"x","limit":0}`, "limit is 0, want a whole number from 1 to 100"},
		{"a limit that is a word", `{"action":"search","query":"x","limit":"five"}`, "limit is a string, want a number"},
		{"a huge limit", `{"action":"search","query":"x","limit":1e300}`, "limit is 1e300, want a whole number from 1 to 100"},
		{"no query", `{"action":"search"}`, "query is missing"},
		{"a huge query", `{"action":"search","query":"` + strings.Repeat("x", 5000) + `"}`, "query has 5000 bytes, at most 4096"},
		{"no tool", `{"action":"call"}`, "tool is missing"},
		{"an unknown tool", `{"action":"call","tool":"get_flow"}`, `tool "get_flow" unknown, did you mean red/get_flows?`},
		{"a tool that two have", `{"action":"call","tool":"search"}`, `"search" is a tool of several connections: files, red; name one`},
		{"a tool of a controller", `{"action":"call","tool":"begin_session"}`, "call it directly"},
		{"itself", `{"action":"call","tool":"proxy-dispatch"}`, "call it directly"},
		{"arguments that are text", `{"action":"call","tool":"get_flows","arguments":"all"}`, "arguments is a string, want an object"},
		{"arguments in a string, with a key twice", `{"action":"call","tool":"get_flows","arguments":"{\"a\":1,\"a\":2}"}`, "arguments of red/get_flows: "},
		{"an argument of the tool outside arguments", `{"action":"call","tool":"get_flows","path":"x"}`, `there is no argument "path": what the tool takes goes into arguments`},
		{"a tool of another connection", `{"action":"call","tool":"get_flows","connection":"files"}`, `tool "get_flows" unknown in connection files, there is red/get_flows`},
		{"arguments and a file", `{"action":"call","tool":"get_flows","arguments":{},"argumentsFile":"x"}`, "both there, want one"},
		{"an unknown file", `{"action":"call","tool":"get_flows","argumentsFile":"/etc/passwd"}`, `argumentsFile "/etc/passwd" unknown`},
		{"a threshold below 0", `{"action":"call","tool":"get_flows","resultSizeThreshold":-1}`, "resultSizeThreshold is -1, want"},
		{"no result", `{"action":"readresult"}`, "resultFile is missing"},
		{"an unknown result", `{"action":"readresult","resultFile":"aaaaaaaaaaaaaaaa"}`, `resultFile "aaaaaaaaaaaaaaaa" unknown`},
		{"an unknown op", `{"action":"readresult","resultFile":"x","op":"cat"}`, `op "cat" unknown, want one of stat, head, tail, slice, grep, read`},
	} {
		s := session()
		s.ToolsList()
		e := s.Call(toolName, c.arguments)
		if e.Outcome != stagetest.Done || e.Kind != controller.IsError || !strings.Contains(e.Answer, c.want) || len(e.Answer) > 400 {
			t.Errorf("%s: %s %v %q, want %q", c.rule, e.Outcome, e.Kind, e.Answer, c.want)
		}
	}
}

func TestCallIsRewritten(t *testing.T) {
	for _, c := range []struct{ rule, arguments, tool, passed string }{
		{"found by name", `{"action":"call","tool":"get_flows","arguments":{"a":[1, 2],"big":12345678901234567890}}`, "red/get_flows", `{"a":[1, 2],"big":12345678901234567890}`},
		{"with arguments in a string", `{"action":"call","tool":"get_flows","arguments":"{\"a\": [1]}"}`, "red/get_flows", `{"a": [1]}`},
		{"with no arguments in a string", `{"action":"call","tool":"get_flows","arguments":"","connection":""}`, "red/get_flows", `{}`},
		{"by label", `{"action":"call","tool":"red/search"}`, "red/search", `{}`},
		{"by wire name", `{"action":"call","tool":"files__search","arguments":null}`, "files/search", `{}`},
		{"by connection", `{"action":"call","tool":"search","connection":"files"}`, "files/search", `{}`},
	} {
		s := session()
		s.ToolsList()
		e := s.Call(toolName, c.arguments)
		if e.Outcome != stagetest.Pass || e.Rewrite == nil || e.Rewrite.Tool != c.tool || e.Rewrite.Arguments != c.passed {
			t.Errorf("%s: %+v, rewritten %+v", c.rule, e, e.Rewrite)
		}
	}
}

// answered returns the effects of a server's result for a dispatched call.
func answered(t *testing.T, s *controllertest.Session, arguments, result string) controllertest.Effects {
	t.Helper()
	if s.ToolsList(); s.Call(toolName, arguments).Rewrite == nil {
		t.Fatal("not rewritten")
	}
	return s.Result(result)
}

func text(s string) string {
	b, _ := json.Marshal(s)
	return `{"content":[{"type":"text","text":` + string(b) + `}]}`
}

func TestResultIsUsedAsArguments(t *testing.T) {
	s := session()
	const value = `{"path": "ä", "n": 1.0}`
	e := answered(t, s, `{"action":"call","tool":"get_flows","resultToFile":true}`, text(value))
	ref := controllertest.Ref(value)
	if !strings.Contains(e.Answer, ref) || strings.Contains(e.Answer, "autoSpilled") {
		t.Fatalf("%s", e.Answer)
	}
	e = s.Call(toolName, `{"action":"call","tool":"read_file","argumentsFile":"`+ref+`"}`)
	if e.Rewrite == nil || e.Rewrite.Arguments != value {
		t.Fatalf("%+v", e)
	}
	if e = s.Result(text("done")); !strings.Contains(e.Answer, `"arguments":{"_fromFile":"`+ref+`"}`) {
		t.Errorf("%s", e.Answer)
	}
}

// A result up to the threshold is shown with an estimate of its tokens. The threshold
// of a call overrides that of the configuration.
func TestThresholds(t *testing.T) {
	large := `{"items":[` + strings.Repeat(`{"id":1},`, 200) + `{}],"total":201}`
	for _, c := range []struct {
		rule, config, arguments string
		spilled                 bool
	}{
		{"no threshold by default", `{"resultSizeThreshold":0}`, ``, false},
		{"over that of the configuration", `{"resultSizeThreshold":500}`, ``, true},
		{"not over that of the configuration", `{"resultSizeThreshold":50000}`, ``, false},
		{"over that of the call", `{"resultSizeThreshold":0}`, `,"resultSizeThreshold":500`, true},
		{"disabled by the call", `{"resultSizeThreshold":500}`, `,"resultSizeThreshold":0`, false},
	} {
		s := session()
		s.Config = c.config
		e := answered(t, s, `{"action":"call","tool":"get_flows"`+c.arguments+`}`, `{"content":[{"type":"text","text":`+strconv.Quote(large)+`}],"x":1,"_meta":{"k":"v"}}`)
		var r struct {
			Content []struct{ Text string }
			X       int
			Meta    struct {
				K     string
				Facts struct {
					Tool, ResultFile          string
					AutoSpilled               bool
					ByteSize, EstimatedTokens int
				} `json:"proxy-dispatch"`
			} `json:"_meta"`
		}
		if err := json.Unmarshal([]byte(e.Answer), &r); err != nil {
			t.Fatalf("%s: %v in %s", c.rule, err, e.Answer)
		}
		f := r.Meta.Facts
		if f.AutoSpilled != c.spilled || f.EstimatedTokens == 0 || f.Tool != "red/get_flows" || r.Meta.K != "v" || r.X != 1 || len(r.Content) != 1 {
			t.Errorf("%s: %s", c.rule, e.Answer)
		}
		if c.spilled {
			for _, want := range []string{f.ResultFile, "Size: " + strconv.Itoa(len(large)) + " bytes", "Top-level keys: items, total", `Preview: {"items":[{"id":1}`} {
				if !strings.Contains(r.Content[0].Text, want) {
					t.Errorf("%s: %q is not in %s", c.rule, want, r.Content[0].Text)
				}
			}
			if f.ResultFile != controllertest.Ref(large) || len(e.Answer) > 2000 || e.Kind != controller.WholeResult {
				t.Errorf("%s: %d %s", c.rule, e.Kind, e.Answer)
			}
		} else if r.Content[0].Text != large || e.Kind != controller.WholeResult|controller.Stages {
			t.Errorf("%s: %d %s", c.rule, e.Kind, e.Answer)
		}
	}
}

func TestResultsThatPassUnchanged(t *testing.T) {
	for _, c := range []struct{ rule, result string }{
		{"a failed tool", `{"content":[{"type":"text","text":"` + strings.Repeat("no ", 500) + `"}],"isError":true}`},
		{"a JSON-RPC error", `{"error":{"code":-32602,"message":"` + strings.Repeat("no ", 500) + `"}}`},
		{"no stored part", `{"content":[{"type":"image","data":"` + strings.Repeat("AAAA", 500) + `","mimeType":"image/png"}]}`},
	} {
		if e := answered(t, session(), `{"action":"call","tool":"get_flows","resultSizeThreshold":100,"resultToFile":true}`, c.result); e.Outcome != stagetest.Pass {
			t.Errorf("%s: %+v", c.rule, e)
		}
	}
}

// Content without a ref stays in the answer.
func TestImagesStay(t *testing.T) {
	image := `{"type":"image","data":"QUFB","mimeType":"image/png"}`
	e := answered(t, session(), `{"action":"call","tool":"get_flows","resultToFile":true}`,
		`{"content":[{"type":"text","text":"one"},`+image+`,{"type":"text","text":"two"}]}`)
	if !strings.Contains(e.Answer, image) || !strings.Contains(e.Answer, "Part 2: resultFile "+controllertest.Ref("two")) {
		t.Errorf("%s", e.Answer)
	}
}

// The size of structuredContent counts, because clients read that.
func TestStructuredContent(t *testing.T) {
	e := answered(t, session(), `{"action":"call","tool":"get_flows","resultToFile":true}`,
		`{"content":[{"type":"text","text":"{\"a\":1}"}],"structuredContent":{"a":1}}`)
	if !strings.Contains(e.Answer, controllertest.Ref(`{"a":1}`)) || strings.Contains(e.Answer, "structuredContent") {
		t.Errorf("%s", e.Answer)
	}
}

// A table is shown in TOON only if enabled and if it takes fewer tokens. Its JSON stays
// stored, and the threshold applies to the table.
func TestTablesInTOON(t *testing.T) {
	rows := `[` + strings.Repeat(`{"id":1,"name":"hall","on":true},`, 30) + `{"id":2,"name":"x","on":null}]`
	for _, c := range []struct {
		rule, config, value string
		table, spilled      bool
	}{
		{"off by default", `{}`, rows, false, false},
		{"a table", `{"toon":true}`, rows, true, false},
		{"no table", `{"toon":true}`, `{"deep":` + rows + `,"x":{}}`, false, false},
		{"under the threshold as a table only", `{"toon":true,"resultSizeThreshold":600}`, rows, true, false},
		{"over it as JSON", `{"toon":false,"resultSizeThreshold":600}`, rows, false, true},
		{"over it in any case", `{"toon":true,"resultSizeThreshold":60}`, rows, false, true},
	} {
		s := session()
		s.Config = c.config
		e := answered(t, s, `{"action":"call","tool":"get_flows"}`, text(c.value))
		table, spilled := strings.Contains(e.Answer, `[31]{id,name,on}:`), strings.Contains(e.Answer, `"autoSpilled":true`)
		if table != c.table || spilled != c.spilled || e.Outcome != stagetest.Done {
			t.Errorf("%s: table %v, spilled %v: %.300s", c.rule, table, spilled, e.Answer)
		}
		if c.table && (len(e.After) != 1 || !strings.Contains(e.After[0], controllertest.Ref(c.value))) {
			t.Errorf("%s: no ref of its JSON: %q", c.rule, e.After)
		}
	}
}
