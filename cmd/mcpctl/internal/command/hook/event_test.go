package hook

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/host/jsonspan"
)

func eventOf(tool, input, response string) string {
	return fmt.Sprintf(`{"session_id":"s","hook_event_name":"PostToolUse","tool_name":%q,"tool_input":%s,"tool_response":%s}`, tool, input, response)
}

func TestTextsOfResults(t *testing.T) {
	const bash = `{"stdout":"a","stderr":"b","interrupted":false,"isImage":false}`
	const read = `{"type":"text","file":{"filePath":"/a","content":"x","numLines":1,"startLine":1,"totalLines":1}}`
	for _, c := range []struct{ rule, tool, input, response, texts, hint string }{
		{"a command has two outputs", "Bash", `{"command":"cat a"}`, bash, "/stdout /stderr", "cat a"},
		{"an image", "Bash", `{"command":"x"}`, `{"stdout":"data:","stderr":"","isImage":true}`, "", "x"},
		{"an interrupted command", "Bash", `{"command":"x"}`, `{"stdout":"a","stderr":"","interrupted":true}`, "", "x"},
		{"a file", "Read", `{"file_path":"/a"}`, read, "/file/content", "/a"},
		{"lines that the model asked for", "Read", `{"file_path":"/a","offset":10}`, read, "", "/a"},
		{"a number of lines", "Read", `{"file_path":"/a","limit":10}`, read, "", "/a"},
		{"no limit", "Read", `{"file_path":"/a","limit":null}`, read, "/file/content", "/a"},
		{"a picture", "Read", `{"file_path":"/a.png"}`, `{"type":"image","file":{"base64":"x"}}`, "", "/a.png"},
		{"a search", "Grep", `{"pattern":"x","path":"/src"}`, `{"mode":"content","content":"a:1:x","numLines":1}`, "/content /filenames", "/src"},
		{"names of files", "Glob", `{"pattern":"**/*.go","path":"/src"}`, `{"filenames":["a.go","b.go"],"numFiles":2,"truncated":false}`, "/filenames", "/src"},
		{"a page", "WebFetch", `{"url":"https://example.com"}`, `{"result":"text","code":200}`, "/result", "https://example.com"},
		{"another server", "mcp__files__read", `{"path":"/a"}`, `[{"type":"text","text":"x"},{"type":"image","data":"x"},{"type":"text","text":"y"}]`, "/0/text /2/text", "/a"},
		{"its result as an object", "mcp__files__read", `{}`, `{"content":[{"type":"text","text":"x"}]}`, "/content/0/text", ""},
		{"a result that went through mcpctl", "mcp__home__files__read", `{}`, `[{"type":"text","text":"x"}]`, "", ""},
		{"a tool without text", "Edit", `{"file_path":"/a"}`, `{"filePath":"/a"}`, "", "/a"},
		{"a result that is a string", "Bash", `{}`, `"text"`, "", ""},
		{"a resource, and no block", "mcp__files__read", `{}`, `[null,{"type":"resource","resource":{"text":"x"}}]`, "/1/resource/text", ""},
		{"a server that calls its result an image", "mcp__files__read", `{}`, `{"isImage":true,"content":[{"type":"text","text":"x"}]}`, "/content/0/text", ""},
	} {
		e, err := readEvent([]byte(eventOf(c.tool, c.input, c.response)))
		if err != nil {
			t.Errorf("%s: %v", c.rule, err)
			continue
		}
		if texts := e.texts("home"); c.rule == "a result that is a string" && len(texts) != 1 {
			t.Errorf("%s: texts %q", c.rule, texts)
		} else if got := strings.Join(texts, " "); got != c.texts || e.hint != c.hint {
			t.Errorf("%s: texts %q, hint %q, want %q, %q", c.rule, got, e.hint, c.texts, c.hint)
		}
	}
}

func TestEventsThatAreNone(t *testing.T) {
	for _, c := range []struct{ input, want string }{
		{"", "not the JSON of a hook"},
		{"{", "not the JSON of a hook"},
		{`{"hook_event_name":"PostToolUse","hook_event_name":"PreToolUse","tool_name":"Bash","tool_response":{}}`, "duplicate keys"},
		{eventOf("Bash", `{}`, `{"stdout":"a","stderr":"","st\u0064out":"secret"}`), "an object of the event has duplicate keys"},
		{eventOf("Bash", `{"a":{"b":1,"b":2}}`, `{"stdout":"a"}`), "duplicate keys"},
		{`{"hook_event_name":"PreToolUse"}`, `the event is "PreToolUse", want PostToolUse`},
		{`{"hook_event_name":"PostToolUse","tool_name":"Bash"}`, "no tool_name and tool_response"},
		{`{"hook_event_name":"PostToolUse","tool_name":7,"tool_response":{}}`, "no tool_name and tool_response"},
	} {
		if _, err := readEvent([]byte(c.input)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: got %v, want %q", c.input, err, c.want)
		}
	}
}

// Only the texts change, and for Read the counts of lines.
func TestReplaceKeepsEverythingElse(t *testing.T) {
	const response = `{ "type":"text","file" : {"filePath":"/\u0061","content":"one\ntwo","numLines":2, "startLine":1,"totalLines":2},"later":[1.0,1e3,null]}`
	e := event{tool: "Read", response: []byte(response)}
	const want = `{ "type":"text","file" : {"filePath":"/\u0061","content":"[a] \"b\"\n\nend","numLines":3, "startLine":1,"totalLines":3},"later":[1.0,1e3,null]}`
	if got := e.replace(map[string]instead{"/file/content": {text: []byte("[a] \"b\"\n\nend")}}); string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	both := event{tool: "Bash", response: []byte(`{"stderr":"e","stdout":"o","code":1}`)}
	if got := both.replace(map[string]instead{"/stdout": {text: []byte("O")}, "/stderr": {text: []byte("E")}}); string(got) != `{"stderr":"E","stdout":"O","code":1}` {
		t.Errorf("got %s", got)
	}
}

// The names of files become one string in the list, so that the shape of the result stays.
func TestNamesOfFiles(t *testing.T) {
	e := event{tool: "Glob", response: []byte(`{"durationMs":3,"filenames":["a \u0062", "c"] ,"numFiles":2}`)}
	if names, err := e.read("/filenames"); err != nil || string(names) != "a b\nc" {
		t.Errorf("got %q, %v", names, err)
	}
	if got := e.replace(map[string]instead{"/filenames": {text: []byte("index\n[x]")}}); string(got) != `{"durationMs":3,"filenames":["index\n[x]"] ,"numFiles":2}` {
		t.Errorf("got %s", got)
	}
	for _, response := range []string{`{"filenames":[1]}`, `{"filenames":{}}`, `{}`} {
		e.response = []byte(response)
		if names, err := e.read("/filenames"); err == nil {
			t.Errorf("%s: got %q", response, names)
		}
	}
	e.response = []byte(`{"filenames":[]}`)
	if names, err := e.read("/filenames"); err != nil || len(names) != 0 {
		t.Errorf("no names: got %q, %v", names, err)
	}
}

// If a filter fails or the proxymodel is invalid, no text of the result is shown, in whatever
// order. Another failure leaves its text, and those after it, unchanged.
func TestFilterThatFailsWithholdsAllTexts(t *testing.T) {
	blocked := api.ShownText{Blocked: `filter "redact" failed, result withheld`}
	redacted := api.ShownText{Changed: true, Text: "***"}
	const withheld, invalid = `text withheld: filter \"redact\" failed, result withheld`, `text withheld: invalid configuration: no such stage`
	isInvalid := fmt.Errorf("%w: no such stage", abi.ErrConfig)
	isGone := errors.New("connection refused")
	type reply struct {
		shown api.ShownText
		err   error
	}
	for _, tc := range []struct {
		rule    string
		replies []reply // for stdout and stderr
		want    string  // "": unchanged
		fails   bool
	}{
		{"nothing changes", []reply{{}, {}}, "", false},
		{"both are redacted", []reply{{shown: redacted}, {shown: redacted}}, `{"stdout":"***","stderr":"***","code":0}`, false},
		{"the filter fails at the first", []reply{{shown: blocked}}, `{"stdout":"` + withheld + `","stderr":"` + withheld + `","code":0}`, false},
		{"the filter fails at the second", []reply{{shown: redacted}, {shown: blocked}}, `{"stdout":"` + withheld + `","stderr":"` + withheld + `","code":0}`, false},
		{"the filter fails after an unchanged text", []reply{{}, {shown: blocked}}, `{"stdout":"` + withheld + `","stderr":"` + withheld + `","code":0}`, false},
		{"the proxymodel becomes invalid", []reply{{}, {err: isInvalid}}, `{"stdout":"` + invalid + `","stderr":"` + invalid + `","code":0}`, false},
		{"the daemon ends before the first", []reply{{err: isGone}}, "", true},
		{"the daemon ends before the second", []reply{{}, {err: isGone}}, "", true},
		{"the daemon ends after a redacted text", []reply{{shown: redacted}, {err: isGone}}, `{"stdout":"***","stderr":"err","code":0}`, true},
	} {
		e := event{tool: "Bash", response: []byte(`{"stdout":"out","stderr":"err","code":0}`)}
		asked := 0
		replaced, err := e.show([]string{"/stdout", "/stderr"}, func(r api.ClientToolResult) (api.ShownText, error) {
			asked++
			return tc.replies[asked-1].shown, tc.replies[asked-1].err
		})
		want := tc.want
		if want == "" {
			want = string(e.response)
		}
		if got := string(e.replace(replaced)); got != want || (err != nil) != tc.fails || asked != len(tc.replies) {
			t.Errorf("%s: got %s, %v after %d requests, want %s", tc.rule, got, err, asked, want)
		}
	}
}

// The client keeps only the beginning of a long output, and of a file with more tokens than it
// shows. The whole text is read from the file that it names.
func TestShortenedTexts(t *testing.T) {
	name := filepath.Join(t.TempDir(), "out.txt")
	if err := os.WriteFile(name, []byte("begin and end"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ rule, pointer, response, whole, want string }{
		{"an output", "/stdout", `{"stdout":"begin","stderr":"","persistedOutputPath":"NAME","persistedOutputSize":13}`, "begin and end", `{"stdout":"index","stderr":""}`},
		{"its members first", "/stdout", `{ "persistedOutputPath":"NAME", "persistedOutputSize":13, "stdout":"begin"}`, "begin and end", `{   "stdout":"index"}`},
		{"a file", "/file/content", `{"type":"text","file":{"filePath":"NAME","content":"begin","numLines":1,"truncatedByTokenCap":true}}`, "begin and end",
			`{"type":"text","file":{"filePath":"NAME","content":"index","numLines":1}}`},
		{"a whole file", "/file/content", `{"type":"text","file":{"filePath":"NAME","content":"begin and end","numLines":1}}`, "", `{"type":"text","file":{"filePath":"NAME","content":"index","numLines":1}}`},
		{"the file has changed", "/stdout", `{"stdout":"other","persistedOutputPath":"NAME","persistedOutputSize":13}`, "", `{"stdout":"index","persistedOutputPath":"NAME","persistedOutputSize":13}`},
		{"not shortened after all", "/file/content", `{"type":"text","file":{"filePath":"NAME","content":"begin","numLines":1,"truncatedByTokenCap":false}}`, "",
			`{"type":"text","file":{"filePath":"NAME","content":"index","numLines":1,"truncatedByTokenCap":false}}`},
		{"the file cannot be read", "/file/content", `{"type":"text","file":{"filePath":"NAMEx","content":"begin","numLines":7,"truncatedByTokenCap":true}}`, "",
			`{"type":"text","file":{"filePath":"NAMEx","content":"index","numLines":7,"truncatedByTokenCap":true}}`},
		{"no such file", "/stdout", `{"stdout":"begin","persistedOutputPath":"NAMEx","persistedOutputSize":13}`, "", `{"stdout":"index","persistedOutputPath":"NAMEx","persistedOutputSize":13}`},
		{"a directory", "/stdout", `{"stdout":"begin","persistedOutputPath":"/","persistedOutputSize":13}`, "", `{"stdout":"index","persistedOutputPath":"/","persistedOutputSize":13}`},
	} {
		e := event{response: []byte(strings.ReplaceAll(c.response, "NAME", name))}
		begin, err := text(e.response, c.pointer)
		if err != nil {
			t.Fatal(err)
		}
		whole, ok := e.complete(c.pointer, begin)
		if !e.isBeginning(c.pointer) {
			whole, ok = nil, false
		}
		if ok != (c.whole != "") || ok && string(whole) != c.whole {
			t.Errorf("%s: the whole text is %q, %v", c.rule, whole, ok)
		}
		got := string(e.replace(map[string]instead{c.pointer: {[]byte("index"), ok}}))
		if got != strings.ReplaceAll(c.want, "NAME", name) || !json.Valid([]byte(got)) {
			t.Errorf("%s: got %s", c.rule, got)
		}
	}
}

// A lone surrogate, where the client has cut a text, does not keep the text from filters.
func TestTextWithLoneSurrogate(t *testing.T) {
	got, err := text([]byte(`{"stdout":"secret \ud83d"}`), "/stdout")
	if want := "secret \ufffd"; err != nil || string(got) != want {
		t.Errorf("got %q, %v", got, err)
	}
	if e := (event{tool: "mcp__my_home__x__y", response: []byte(`["x"]`)}); e.texts("my.home") != nil {
		t.Error("a result of the project my.home, whose tools Claude Code calls mcp__my_home__, is transformed again")
	}
}

// No input makes the command panic, and a replaced result is valid JSON.
func FuzzEvent(f *testing.F) {
	f.Add(eventOf("Bash", `{"command":"x"}`, `{"stdout":"a","stderr":"b"}`))
	f.Add(eventOf("mcp__a__b", `{}`, `[{"type":"text","text":"x"}]`))
	f.Add(eventOf("Glob", `{"path":"/"}`, `{"filenames":["a","b"]}`))
	f.Add(eventOf("Read", `{"file_path":"/a"}`, `{"type":"text","file":{"content":"x","numLines":1}}`))
	f.Fuzz(func(t *testing.T, input string) {
		e, err := readEvent([]byte(input))
		if err != nil {
			return
		}
		replaced := make(map[string]instead)
		for _, p := range e.texts("home") {
			if _, err := e.read(p); err == nil {
				replaced[p] = instead{[]byte("\"new\n"), true}
			}
		}
		if out := e.replace(replaced); e.response != nil && (jsonspan.Valid(out) != nil || !json.Valid(out)) {
			t.Errorf("got %q", out)
		}
	})
}
