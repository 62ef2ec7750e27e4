package export

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
)

// recorded is a source with fixed events and texts.
type recorded struct {
	studio
	events []string
	texts  map[uint64]string // of all kinds
	asked  api.EventQuery
}

// studio provides the methods of api.Studio that collect does not call.
type studio interface{ api.Studio }

func (r *recorded) Studio() api.Studio { return r }

func (r *recorded) Events(_ context.Context, q api.EventQuery) (list []api.Event, err error) {
	r.asked = q
	for _, text := range r.events {
		var e api.Event
		if err := json.Unmarshal([]byte(text), &e); err != nil {
			return nil, err
		}
		list = append(list, e)
	}
	return list, nil
}

func (r *recorded) Sessions(context.Context, string) ([]api.Session, error) {
	return []api.Session{{ID: "s1", Project: "home", Client: "cli password=abc"}, {ID: "other", Project: "home"}}, nil
}

func (r *recorded) Body(_ context.Context, id uint64, kind api.BodyKind) (api.Body, error) {
	text, ok := r.texts[id]
	if !ok {
		return api.Body{}, fmt.Errorf("%w: event %d", abi.ErrNotFound, id)
	}
	return api.Body{Event: id, Kind: kind, Parts: []api.BodyPart{{Ref: "r", Text: text}}}, nil
}

func (r *recorded) Coverage(_ context.Context, id uint64) (api.Coverage, error) {
	if _, ok := r.texts[id]; !ok {
		return api.Coverage{}, fmt.Errorf("%w: event %d", abi.ErrNotFound, id)
	}
	return api.Coverage{Event: id, Parts: []api.CoveragePart{{Ref: "r", Bytes: 9, Read: [][2]int{{0, 3}}, Sections: []api.CoverageSection{
		{ID: "a", Title: "a", End: 9, Children: []api.CoverageSection{{ID: "a/b", Title: "token=abc"}}}}}}}, nil
}

func newRecorded() *recorded {
	return &recorded{
		events: []string{
			`{"id":1,"type":"session_opened","time":"2026-11-28T10:00:00Z","project":"home","session":"s1"}`,
			`{"id":2,"type":"tool_call","time":"2026-11-28T10:00:01Z","request":4,"project":"home","session":"s1","method":"tools/call","server":"demo","source":"demo/read","outBytes":70,"micros":9500,"upstreamMicros":4000,"refs":["r"],"hold":{"id":1,"micros":5000,"outcome":"released"},"isError":true,"error":"GET https://u:hunter2@h/"}`,
			`{"id":3,"type":"content_original","time":"2026-11-28T10:00:01Z","request":4,"project":"home","session":"s1","method":"tools/call","refs":["r"]}`,
			`{"id":4,"type":"resource_read","time":"2026-11-28T10:00:02Z","request":5,"project":"home","session":"s2","method":"resources/read","source":"file:///a","outBytes":7,"micros":50,"refs":["r"]}`,
			`{"id":5,"type":"section_read","time":"2026-11-28T10:00:03Z","request":6,"project":"home","session":"s1","method":"tools/call","source":"read_section","section":"a/b","micros":60,"refs":["r"],"shown":["x"]}`,
			`{"id":6,"type":"request","time":"2026-11-28T10:00:04Z","request":7,"project":"home","session":"s1","method":"tools/list","micros":70}`,
		},
		texts: map[uint64]string{2: `{"password":"hunter2"}`, 5: `{"password":"hunter2"}`},
	}
}

func collected(t *testing.T, opts Options) *File {
	t.Helper()
	file, err := collect(t.Context(), newRecorded(), &opts, time.Date(2026, 11, 28, 11, 0, 0, 5, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func TestCollect(t *testing.T) {
	for _, c := range []struct {
		name     string
		opts     Options
		events   int
		contents []uint64
		omitted  []string
	}{
		{"everything", Options{Bodies: "all", Limit: 10}, 6, []uint64{2, 5}, []string{"the content of 1 event, which is no longer stored"}},
		{"newest", Options{Bodies: "all", Limit: 2}, 2, []uint64{5}, []string{"4 events, the oldest (--limit 2)"}},
		{"one session", Options{Bodies: "all", Limit: 10, Session: "s1"}, 5, []uint64{2, 5}, nil},
		{"no originals", Options{Bodies: "shown", Limit: 10, Session: "s1"}, 5, []uint64{2, 5}, []string{"originals and their sections (--bodies shown)"}},
		{"no content", Options{Bodies: "none", Limit: 10}, 6, nil, []string{"all content (--bodies none)"}},
	} {
		file := collected(t, c.opts)
		if len(file.Events) != c.events || !reflect.DeepEqual(file.Omitted, c.omitted) || len(file.Contents) != len(c.contents) {
			t.Errorf("%s: %d events, %d contents, omitted %q", c.name, len(file.Events), len(file.Contents), file.Omitted)
		}
		for _, id := range c.contents {
			content := file.Contents[id]
			if content == nil || content.Shown == nil || (content.Original != nil) != (c.opts.Bodies == "all") || (content.Sections != nil) != (c.opts.Bodies == "all") {
				t.Errorf("%s: event %d has content %+v", c.name, id, content)
			}
		}
		if len(file.Sessions) != 1 || file.Sessions[0].ID != "session-1" {
			t.Errorf("%s: sessions %+v", c.name, file.Sessions)
		}
		if len(c.contents) > 0 && (len(file.Texts) != 1 || file.Texts[0] != `{"password":"*******"}`) {
			t.Errorf("%s: texts %q, want one, masked", c.name, file.Texts)
		}
		all, err := json.Marshal(file)
		if text := string(all); err != nil || strings.Contains(text, "hunter2") || strings.Contains(text, "token=abc") || strings.Contains(text, "password=abc") || strings.Contains(text, `"s1"`) {
			t.Errorf("%s: a credential is in the file: %s, %v", c.name, text, err)
		}
	}
	if _, err := collect(t.Context(), newRecorded(), &Options{Bodies: "all", Limit: 10, Session: "nosuch"}, time.Time{}); problem.Exit(err) != problem.ExitNotFound {
		t.Errorf("unknown session: %v", err)
	}
}

func TestCollectIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("has no concurrent callers, and takes long with the race detector")
	}
	r := newRecorded()
	r.texts[5] = strings.Repeat("x", maxText)
	file, err := collect(t.Context(), r, &Options{Bodies: "all", Limit: 10, Project: "home", Query: "err"}, time.Time{})
	if want := []string{"the content of 2 events, the oldest (limit 16 MiB)"}; err != nil || len(file.Contents) != 1 || !reflect.DeepEqual(file.Omitted, want) {
		t.Errorf("%d contents, omitted %q, %v", len(file.Contents), file.Omitted, err)
	}
	if want := (api.EventQuery{Project: "home", Query: "err"}); r.asked != want {
		t.Errorf("the daemon was asked for %+v", r.asked)
	}
}

// The HAR has the fields that HAR 1.2 requires, and one entry for each request.
func TestHAR(t *testing.T) {
	text, err := encode(collected(t, Options{Bodies: "all", Limit: 10}), "har", "http://127.0.0.1:3200")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Log struct {
			Version string
			Creator map[string]string
			Entries []map[string]any
		}
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Log.Version != "1.2" || doc.Log.Creator["name"] != "mcpctl" || len(doc.Log.Entries) != 4 {
		t.Fatalf("version %s by %v, %d entries", doc.Log.Version, doc.Log.Creator, len(doc.Log.Entries))
	}
	for i, e := range doc.Log.Entries {
		for path, want := range map[string]string{
			"startedDateTime": "string", "time": "float64", "cache": "map", "request.method": "string", "request.url": "string", "request.httpVersion": "string",
			"request.cookies": "slice", "request.headers": "slice", "request.queryString": "slice", "request.headersSize": "float64", "request.bodySize": "float64",
			"request.postData.mimeType": "string", "request.postData.text": "string", "response.status": "float64", "response.statusText": "string",
			"response.httpVersion": "string", "response.cookies": "slice", "response.headers": "slice", "response.redirectURL": "string",
			"response.headersSize": "float64", "response.bodySize": "float64", "response.content.size": "float64", "response.content.mimeType": "string",
			"timings.send": "float64", "timings.wait": "float64", "timings.receive": "float64",
		} {
			if got := kindAt(e, path); got != want {
				t.Errorf("entry %d: %s is %s, want %s", i, path, got, want)
			}
		}
		timings, sum := e["timings"].(map[string]any), 0.0
		for _, v := range timings {
			sum += max(0, v.(float64))
		}
		if sum != e["time"] {
			t.Errorf("entry %d: the timings are %v ms together, and its time is %v", i, sum, e["time"])
		}
		if started, err := time.Parse(time.RFC3339Nano, e["startedDateTime"].(string)); err != nil || started.IsZero() {
			t.Errorf("entry %d: %v", i, err)
		}
	}
	content := doc.Log.Entries[0]["response"].(map[string]any)["content"].(map[string]any)
	if want := `{"id":4,"jsonrpc":"2.0","result":{"content":[{"text":"{\"password\":\"*******\"}","type":"text"}],"isError":true}}`; content["text"] != want || content["size"] != float64(len(want)) {
		t.Errorf("content %v", content)
	}
	if content := doc.Log.Entries[1]["response"].(map[string]any)["content"].(map[string]any); content["text"] != nil || content["size"] != 7.0 || content["comment"] == nil {
		t.Errorf("content that is not stored: %v", content)
	}
}

// kindAt returns the kind of the value at a path of names.
func kindAt(v any, path string) string {
	for name := range strings.SplitSeq(path, ".") {
		m, _ := v.(map[string]any)
		v = m[name]
	}
	if v == nil {
		return "missing"
	}
	return reflect.TypeOf(v).Kind().String()
}

func TestFormats(t *testing.T) {
	file := collected(t, Options{Bodies: "all", Limit: 10})
	text, err := encode(file, "json", "")
	var back File
	if err != nil || json.Unmarshal(text, &back) != nil || back.Format != formatName || len(back.Events) != 6 {
		t.Errorf("JSON: %+v, %v", back, err)
	}
	page, err := encode(file, "html", "")
	if err != nil || !strings.HasPrefix(string(page), "<!doctype html>") || !strings.Contains(string(page), `"format":"mcpctl-session/1"`) {
		t.Errorf("HTML: %.200s, %v", page, err)
	}
}

func TestFlags(t *testing.T) {
	for args, want := range map[string]string{
		"-o a.html":                         "html",
		"-o a.HAR":                          "har",
		"-o a.b.json -l err -p home":        "json",
		"-o - --format har":                 "har",
		"-o a.txt --format json":            "json",
		"":                                  "export needs -o FILE",
		"-o -":                              "-o - needs --format html, json, har",
		"-o a.txt":                          `unknown format "txt"`,
		"-o a":                              `unknown format ""`,
		"-o a.json --format yaml":           `unknown format "yaml"`,
		"-o a.json --bodies some":           `--bodies "some", want all, shown, none`,
		"-o a.json --limit 0":               "--limit 0, want at least 1",
		"-o a.json --limit 10 --session s1": "json",
	} {
		streams, _, _, _ := iostreams.Test()
		got := ""
		cmd := NewCmdExport(&factory.Factory{IO: streams, Env: func(string) string { return "" }}, func(_ context.Context, opts *Options) error {
			got = opts.Format
			return nil
		})
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		cmd.SetArgs(strings.Fields(args))
		if err := cmd.Execute(); err != nil {
			got = problem.From(err).Message
		}
		if got != want {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
	}
}

// The file is readable by its owner only, and the missing parts are printed apart from it.
func TestWrite(t *testing.T) {
	streams, _, out, errOut := iostreams.Test()
	f := &factory.Factory{IO: streams}
	file := &File{Omitted: []string{"a part"}, Events: []json.RawMessage{[]byte("{}")}}
	path := filepath.Join(t.TempDir(), "x.json")
	if err := (&Options{F: f, Output: path}).write(file, []byte("{}\n")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 || out.String() != path+": 1 event, 1 KB\n" || errOut.String() != "not included: a part\n" {
		t.Errorf("%v, %v, %q, %q", info, err, out, errOut)
	}
	out.Reset()
	if err := (&Options{F: f, Output: "-"}).write(file, []byte("{}\n")); err != nil || out.String() != "{}\n" {
		t.Errorf("%q, %v", out, err)
	}
}
