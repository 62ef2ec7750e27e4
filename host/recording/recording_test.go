package recording

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
)

// fixed is a Source with one proxymodel and one tool. block delays Describe.
type fixed struct{ block chan struct{} }

func (f fixed) Describe(project string) Header {
	if f.block != nil {
		<-f.block
	}
	return Header{Version: "1", ProxyModel: "default", Spec: json.RawMessage(`{"servers":["s"]}`)}
}

func (f fixed) Tools(string) []Tool {
	return []Tool{{Server: "s", Definition: json.RawMessage(`{"name":"t"}`)}}
}

func newRecorder(t *testing.T, o Options) *Recorder {
	t.Helper()
	if o.Dir == "" {
		o.Dir = Dir(t.TempDir())
	}
	if o.Source == nil {
		o.Source = fixed{}
	}
	if o.Always == nil {
		o.Always = func(string) bool { return true }
	}
	r := New(o)
	t.Cleanup(func() { _ = r.Close() })
	return r
}

func exchange(session, args, result, answer string) Exchange {
	x := Exchange{Scope: flow.Scope{Project: "home", Session: session}, Method: "tools/call", Label: "s/t", Waited: time.Microsecond, Args: []byte(args), Reply: flow.Reply{Result: []byte(answer)}}
	if result != "" {
		x.Upstream.Result = []byte(result)
	}
	return x
}

// one returns the only recording of a directory.
func one(t *testing.T, dir Dir) (*Recording, File) {
	t.Helper()
	list, err := dir.List("home")
	if err != nil || len(list) != 1 {
		t.Fatalf("recordings: %v, %v", list, err)
	}
	text, err := os.ReadFile(list[0].Path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Parse(list[0].Name, text)
	if err != nil {
		t.Fatal(err)
	}
	return r, list[0]
}

func TestExchangesAreReadAsTheyWereWritten(t *testing.T) {
	r := newRecorder(t, Options{})
	dir := r.opts.Dir
	const spaced, lines = `{ "content": [ {"type":"text","text":"<a> & é"} ] }`, "{\n \"content\": []\r\n}"
	all := []Exchange{
		exchange("one", `{"id":9007199254740993}`, spaced, spaced),
		exchange("one", `{}`, lines, `{"content":[]}`),
		exchange("one", `{}`, spaced, lines),
		{Scope: flow.Scope{Project: "home", Session: "one"}, Method: "prompts/get", Label: "s/p", Upstream: flow.Reply{Error: []byte(`{"code": -1}`)}, Reply: flow.Reply{Error: []byte(`{"code": -1}`)}},
	}
	for _, x := range all {
		r.Add(x)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	got, file := one(t, dir)
	if got.Header.Project != "home" || got.Header.Session != "one" || got.Header.ProxyModel != "default" || len(got.Tools) != 1 || len(got.Exchanges) != len(all) {
		t.Fatalf("%+v", got)
	}
	for i, x := range all {
		l := got.Exchanges[i]
		if !reflect.DeepEqual(l.Upstream, x.Upstream) || !reflect.DeepEqual(l.Reply, x.Reply) || l.Method != x.Method || string(l.Arguments) != string(x.Args) {
			t.Errorf("exchange %d: %+v, want %+v", i, l, x)
		}
	}
	text, _ := os.ReadFile(file.Path)
	if n := strings.Count(string(text), "answerSha256"); n != 1 {
		t.Errorf("%d answers by their hash, want 1:\n%s", n, text)
	}
	for path, want := range map[string]os.FileMode{file.Path: 0o600, filepath.Dir(file.Path): os.ModeDir | 0o700} {
		if info, err := os.Stat(path); err != nil || info.Mode() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
}

func TestMaskedArguments(t *testing.T) {
	for _, c := range []struct{ name, args, want string }{
		{"by the name of a member", `{"a":1,"apiKey":"abc","b":[{"password":"x y"}]}`, `{"a":1,"apiKey":"***","b":[{"password":"***"}]}`},
		{"by their form", `{"text":"use ghp_abcdefghijklmnop1234 now"}`, `{"text":"use *** now"}`},
		{"in an address", `{"url":"https://me:hunter2@host/x?token=abc"}`, `{"url":"https://me:***@host/x?token=***"}`},
		{"below the name of a member", `{"password":["a",{"x":"b"}],"c":"d"}`, `{"password":["***",{"x":"***"}],"c":"d"}`},
		{"in JSON in a text", `{"json":"{\"password\":\"hunter2\"}"}`, `{"json":"{\"password\":\"***\"}"}`},
		{"in a command", `{"cmd":"curl -u ann:hunter2 https://h/"}`, `{"cmd":"curl -u ann:*** https://h/"}`},
		{"numbers", `{"password":1234}`, `{"password":***}`},
		{"none: the bytes stay", `{ "n": 1.0, "u": "\u00e9" }`, `{ "n": 1.0, "u": "\u00e9" }`},
		{"not JSON", `{`, `"***"`},
	} {
		got, _ := maskJSON([]byte(c.args))
		if want := strings.ReplaceAll(c.want, ":***}", `:"***"}`); string(got) != want {
			t.Errorf("%s: %s, want %s", c.name, got, want)
		}
	}
}

func TestSectionsAreNamed(t *testing.T) {
	const leaf = `{"_meta":{"mcpctl/kind":"leaf","mcpctl/ref":"0123456789abcdef","mcpctl/bytes":[3,9]},"content":[]}`
	read := exchange("one", `{"ref":"0123456789abcdef","section":2}`, "", leaf)
	read.Label = readSection
	inline := exchange("one", `{"_section":"a/b"}`, "", leaf)
	for _, c := range []struct {
		name string
		x    Exchange
		want *Section
	}{
		{"of read_section", read, &Section{Ref: "0123456789abcdef", Section: "2", Kind: flow.AnswerLeaf, Bytes: &[2]int{3, 9}}},
		{"as an argument of a tool", inline, &Section{Ref: "0123456789abcdef", Section: "a/b", Kind: flow.AnswerLeaf, Bytes: &[2]int{3, 9}}},
		{"of another call there is none", exchange("one", `{}`, leaf, leaf), nil},
	} {
		if got := newLine(&c.x).Section; !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestLimits(t *testing.T) {
	big := `{"content":"` + strings.Repeat("x", 2000) + `"}`
	t.Run("a file ends at its limit and says so", func(t *testing.T) {
		r := newRecorder(t, Options{FileBytes: 5000})
		for range 10 {
			r.Add(exchange("one", `{}`, "", big))
		}
		_ = r.Close()
		got, file := one(t, r.opts.Dir)
		if len(got.Exchanges) != 2 || got.End != endSize || file.Bytes > 5200 {
			t.Errorf("%d exchanges, %d bytes, end %q", len(got.Exchanges), file.Bytes, got.End)
		}
	})
	t.Run("the oldest recordings are deleted", func(t *testing.T) {
		now := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
		r := newRecorder(t, Options{MaxFiles: 3, Now: func() time.Time { now = now.Add(time.Second); return now }, Always: func(string) bool { return false }})
		for i := range 6 {
			r.Start("home", now.Add(time.Hour))
			r.Add(exchange(fmt.Sprint(i), `{}`, "", big))
			if err := r.Stop(context.Background(), "home"); err != nil {
				t.Fatal(err)
			}
		}
		list, err := r.opts.Dir.List("")
		if err != nil || len(list) != 3 {
			t.Errorf("%v, %v", list, err)
		}
	})
	t.Run("an open recording ends when there is nothing to delete", func(t *testing.T) {
		r := newRecorder(t, Options{MaxBytes: 8000})
		for range 10 {
			r.Add(exchange("one", `{}`, "", big))
		}
		_ = r.Close()
		if got, file := one(t, r.opts.Dir); got.End != endDisk || file.Bytes > 12000 {
			t.Errorf("%d bytes, end %q", file.Bytes, got.End)
		}
	})
	t.Run("exchanges that do not fit in the queue are counted", func(t *testing.T) {
		block := make(chan struct{})
		r := newRecorder(t, Options{Queue: 4, Source: fixed{block}})
		const sent = 20
		for range sent {
			r.Add(exchange("one", `{}`, "", `{}`))
		}
		close(block)
		_ = r.Close()
		if got, _ := one(t, r.opts.Dir); got.Dropped == 0 || len(got.Exchanges)+got.Dropped != sent {
			t.Errorf("%d exchanges and %d dropped, want %d", len(got.Exchanges), got.Dropped, sent)
		}
	})
}

func TestStartAndStop(t *testing.T) {
	now := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	r := newRecorder(t, Options{Now: func() time.Time { return now }, Always: func(p string) bool { return p == "always" }})
	if !r.Wants("always") || r.Wants("home") {
		t.Error("a project is recorded that should not be, or the other way round")
	}
	r.Start("home", now.Add(time.Minute))
	if !r.Wants("home") || r.Wants("other") {
		t.Error("Start has no effect, or on another project")
	}
	r.Add(exchange("one", `{}`, "", `{}`))
	if err := r.Stop(context.Background(), "home"); err != nil || r.Wants("home") {
		t.Errorf("after Stop: %v", err)
	}
	r.Add(exchange("one", `{}`, "", `{}`))
	if got, _ := one(t, r.opts.Dir); len(got.Exchanges) != 1 {
		t.Errorf("%d exchanges, want 1", len(got.Exchanges))
	}
	r.Start("home", now.Add(time.Minute))
	now = now.Add(time.Minute)
	if r.Wants("home") {
		t.Error("recorded after its time")
	}
	_ = r.Close()
	if err := r.Stop(context.Background(), "home"); err == nil {
		t.Error("a closed recorder stops")
	}
}

func TestDeletedRecordingIsNotContinued(t *testing.T) {
	r := newRecorder(t, Options{})
	for session := range maxOpen + 1 { // closes the file of session 0
		r.Add(exchange(fmt.Sprint(session), `{}`, "", `{}`))
	}
	sync := func() {
		if err := r.Stop(context.Background(), "none"); err != nil {
			t.Fatal(err)
		}
	}
	sync()
	list, _ := r.opts.Dir.List("")
	for _, f := range list {
		if err := r.opts.Dir.Remove(f.Name); err != nil {
			t.Fatal(err)
		}
	}
	r.Add(exchange("0", `{}`, "", `{}`))
	sync()
	if list, _ = r.opts.Dir.List(""); len(list) != 0 {
		t.Errorf("still there: %v", list)
	}
	if err := r.opts.Dir.Remove("nothing"); !errors.Is(err, abi.ErrNotFound) {
		t.Errorf("an unknown recording: %v", err)
	}
}

const header = `{"mcpctlRecording":1,"version":"1","project":"home","session":"s","started":"2026-11-28T12:00:00Z","proxyModel":"default","spec":{}}` + "\n"

func TestDamagedRecordings(t *testing.T) {
	const line = `{"time":"2026-11-28T12:00:00Z","method":"tools/call","answer":{}}` + "\n"
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "f.jsonl:1: is empty"},
		{"another file", "hello\n", "f.jsonl:1: is not the first line of a recording"},
		{"another JSON file", "{}\n", "f.jsonl:1: is not the first line of a recording"},
		{"a later format", strings.Replace(header, ":1,", ":2,", 1), "f.jsonl:1: has format 2, this version of mcpctl reads 1"},
		{"no project", strings.Replace(header, `"home"`, `""`, 1), "f.jsonl:1: names no project"},
		{"an unknown field", header + line + strings.Replace(line, `"method"`, `"methods"`, 1), `f.jsonl:3: json: unknown field "methods"`},
		{"a broken line", header + line[:20] + "\n" + line, "f.jsonl:2: unexpected EOF"},
		{"two values on a line", header + strings.TrimSpace(line) + line, "f.jsonl:2: contains more than one JSON value"},
		{"no method", header + strings.Replace(line, "tools/call", "", 1), "f.jsonl:2: method is missing"},
		{"a result that is also an error", header + strings.Replace(line, `"answer":{}`, `"result":{},"resultError":{}`, 1), "f.jsonl:2: result: is both"},
		{"a text that is not JSON", header + strings.Replace(line, `"answer":{}`, `"answerText":"{"`, 1), "f.jsonl:2: answer: is not valid JSON"},
		{"a changed result", header + strings.Replace(line, `"answer":{}`, `"result":{},"answerSha256":"00"`, 1), "f.jsonl:2: answerSha256 is not the hash"},
		{"a line after the end", header + `{"end":"x"}` + "\n" + line, "f.jsonl:3: there is a line after the end"},
	} {
		_, err := Parse("f.jsonl", []byte(c.text))
		if !errors.Is(err, abi.ErrConfig) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
	r, err := Parse("f.jsonl", []byte(header+line+line[:20]))
	if err != nil || !r.Truncated || len(r.Exchanges) != 1 {
		t.Errorf("an incomplete last line: %+v, %v", r, err)
	}
	r, err = Parse("f.jsonl", []byte(header+strings.TrimSpace(line)))
	if err != nil || r.Truncated || len(r.Exchanges) != 1 {
		t.Errorf("a last line without a line break: %+v, %v", r, err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(header + `{"time":"2026-11-28T12:00:00Z","method":"tools/call","result":{},"answerText":"{\n}"}` + "\n" + `{"dropped":2}` + "\n" + `{"tools":[{"server":"s","definition":{}}]}` + "\n" + `{"end":"x"}`)
	f.Fuzz(func(t *testing.T, text string) {
		r, err := Parse("f", []byte(text))
		if err != nil && !errors.Is(err, abi.ErrConfig) {
			t.Errorf("an error of no kind: %v", err)
		}
		if err == nil {
			for _, l := range r.Exchanges {
				if _, err := l.encode(); err != nil {
					t.Errorf("cannot be written again: %v", err)
				}
			}
		}
	})
}
