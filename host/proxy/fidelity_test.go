package proxy

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/upstream"
)

// planted are answers with all that SDKs are known to drop or to damage.
var planted = map[string]string{
	"tools/list": `{"tools":[
		{"zeta":1,"name":"first","title":"T","description":"<a href=\"x\">&\u2028</a>","icons":[{"src":"data:,","sizes":["any"],"x":null}],
		 "inputSchema":{"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"urn:x","type":"object","oneOf":[{"required":["b"]},{"required":["a"]}],
			"properties":{"b":{"type":"integer","maximum":9007199254740993,"default":1e2,"examples":[1.10,-0.0]},"a":{"$ref":"#/$defs/z"}},"$defs":{"z":{"const":null},"y":{}},"x-own":[[]]},
		 "outputSchema":{"type":"object","properties":{}},"annotations":{"readOnlyHint":true,"x-unknown":{"deep":[1]}},"execution":{"taskSupport":"optional"},"_meta":{"anthropic/searchHint":"h","n":12345678901234567890}},
		{"name":"second","inputSchema":{"type":"object"},"annotations":{}}
	 ],"_meta":{"page":1},"ttlMs":60000,"cacheScope":"session"}`,
	"tools/call text":          `{"content":[{"type":"text","text":"a\u0000\u001f<>&\"\\\/ \ud83d\ude00 é","annotations":{"audience":["user"],"priority":0.10},"_meta":{"b":9007199254740993}}],"isError":false,"later":{}}`,
	"tools/call half":          `{"content":[{"type":"text","text":"half of a pair: \ud800"}]}`,
	"tools/call structured":    `{"structuredContent":{"z":9007199254740993,"a":1e2,"a":1E+2,"n":-0.0,"deep":[[[[]]]]},"content":[{"type":"text","text":"says something else"}]}`,
	"tools/call unknown":       `{"content":[{"type":"hologram","depth":3,"frames":[{"x":1}]},{"type":"image","data":"AA==","mimeType":"image/png","extra":1},{"type":"audio","data":"AA==","mimeType":"audio/wav"},{"type":"resource_link","uri":"x:1","name":"n","size":9007199254740993,"icons":[]},{"type":"resource","resource":{"uri":"x:2","blob":"AA==","_meta":{"k":1}}}]}`,
	"tools/call failed":        `{"content":[{"type":"text","text":"no"}],"isError":true,"structuredContent":{"why":1}}`,
	"tools/call empty":         `{}`,
	"tools/call error":         `error:{"code":-31999,"message":"own code <&>","data":{"n":9007199254740993,"n":2,"list":[1e400]},"extra":true}`,
	"prompts/list":             `{"prompts":[{"z":1,"name":"p","title":"P","arguments":[{"name":"a","required":true,"x":1}],"icons":[]}]}`,
	"prompts/get":              `{"description":"d","messages":[{"role":"user","content":{"type":"text","text":"t","x":1},"y":2},{"role":"assistant","content":{"type":"hologram","n":1e2}}],"_meta":{"k":1}}`,
	"resources/list":           `{"resources":[{"uri":"x:1","name":"n","size":9007199254740993,"annotations":{"lastModified":"2026"},"_meta":{"k":[]}},{"uri":"x:1","name":"again"}]}`,
	"resources/templates/list": `{"resourceTemplates":[{"uriTemplate":"t://{a}{?b*}","name":"t","x":{"y":1.0}}]}`,
	"resources/read":           `{"contents":[{"uri":"x:1","mimeType":"text/x; a=b","text":"\u00e9\t<","_meta":{"k":1},"x":1},{"uri":"x:2","blob":"AA=="}],"ttlMs":1}`,
	"completion/complete":      `{"completion":{"values":["a"],"total":9007199254740993,"hasMore":false,"x":1}}`,
	"x/own":                    `{"anything":[{"a":1,"a":2}]}`,
}

// questions are what a client asks, with bare names.
var questions = []struct{ method, params string }{
	{"tools/list", `{}`},
	{"tools/call", `{"name":"first","arguments":{"kind":"text"}}`},
	{"tools/call", `{"name":"first","arguments":{"kind":"half"}}`},
	{"tools/call", `{"name":"first","arguments":{"kind":"structured"}}`},
	{"tools/call", `{"name":"first","arguments":{"kind":"unknown"}}`},
	{"tools/call", `{"name":"first","arguments":{"kind":"failed"}}`},
	{"tools/call", `{"name":"first","arguments":{"kind":"empty"}}`},
	{"tools/call", `{"name":"second","arguments":{"kind":"error","big":9007199254740993,"deep":{"b":1e2,"a":"\u003c"}},"_meta":{"claudecode/toolUseId":"t","n":12345678901234567890},"later":1}`},
	{"prompts/list", `{}`},
	{"prompts/get", `{"name":"p","arguments":{"a":"1"}}`},
	{"resources/list", `{}`},
	{"resources/templates/list", `{}`},
	{"resources/read", `{"uri":"x:1"}`},
	{"completion/complete", `{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":"v"}}`},
	{"x/own", `{"n":1e2}`},
}

// plantedAnswer is the server: also in params it finds every planted value.
func plantedAnswer(m jsonrpc.Message) jsonrpc.Message {
	key := m.Method
	switch m.Method {
	case "initialize":
		return jsonrpc.Message{ID: m.ID, Result: []byte(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"prompts":{},"resources":{},"completions":{}},"serverInfo":{"name":"s","version":"1"}}`)}
	case "ping":
		return jsonrpc.Message{ID: m.ID, Result: []byte(`{}`)}
	case "tools/call":
		key += " " + strings.Trim(at(string(m.Params), "/arguments/kind"), `"`)
	}
	answer, ok := planted[key]
	if failure, isError := strings.CutPrefix(answer, "error:"); isError {
		return jsonrpc.Message{ID: m.ID, Error: []byte(strings.Replace(failure, `"extra":true`, `"extra":`+string(m.Params), 1))}
	}
	if !ok {
		return jsonrpc.Message{ID: m.ID, Error: jsonrpc.Errorf(jsonrpc.CodeMethodNotFound, "no %s", key).Raw()}
	}
	return jsonrpc.Message{ID: m.ID, Result: []byte(answer)}
}

const plantedEnv = "MCPCTL_TEST_PLANTED_SERVER"

// TestMain lets the test binary be the stdio server too.
func TestMain(m *testing.M) {
	if os.Getenv(plantedEnv) != "" {
		servePlanted(os.Stdin, os.Stdout)
		return
	}
	os.Exit(m.Run())
}

func servePlanted(r io.Reader, w io.Writer) {
	frames, out := jsonrpc.NewFrameReader(r, 0), jsonrpc.NewFrameWriter(w)
	for {
		frame, err := frames.Next()
		if err != nil {
			return
		}
		if m, err := jsonrpc.DecodeUpstream(frame, jsonrpc.Limits{}); err == nil && m.IsRequest() {
			out.Write(plantedAnswer(m))
		}
	}
}

// plantedHTTP answers as JSON, and every second request as a stream.
func plantedHTTP(t *testing.T) string {
	n := 0
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		m, err := jsonrpc.DecodeUpstream(body, jsonrpc.Limits{})
		if r.Method != "POST" || err != nil {
			http.Error(w, "", http.StatusMethodNotAllowed)
			return
		}
		if !m.IsRequest() {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		answer := plantedAnswer(m)
		if n++; n%2 == 0 {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, "data: %s\n\n", jsonrpc.OneLine(answer.Append(nil)))
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Write(answer.Append(nil))
	}))
	t.Cleanup(web.Close)
	return web.URL
}

// covers CLIENTS acceptance 3, promise 2: nothing lost, nothing changed, nothing
// added, on any way through
func TestFidelity(t *testing.T) {
	fronts := map[string]func(*testing.T, *rig) func(string) string{"http": overHTTP, "stdio": overStdio}
	servers := map[string]func(*testing.T) upstream.Config{
		"http": func(t *testing.T) upstream.Config { return upstream.Config{URL: plantedHTTP(t)} },
		"stdio": func(t *testing.T) upstream.Config {
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			return upstream.Config{Command: []string{"/usr/bin/env", plantedEnv + "=1", self}}
		},
	}
	for frontName, front := range fronts {
		for serverName, server := range servers {
			for models, m := range map[string]Model{"no stage": {}, "stages that only look": {Runs: true}, "a filter that only looks": {Runs: true, Filters: true}} {
				t.Run(fmt.Sprintf("%s to %s, %s", frontName, serverName, models), func(t *testing.T) {
					p := Project{Servers: []Server{{Name: "s"}}, Bare: true, Models: testModels{"*": m}}
					r := newRig(t, realUpstreams{"s": server(t)}, p, Options{})
					say := front(t, r)
					for i, q := range questions {
						if m.Filters && strings.Contains(q.params, `"half"`) {
							continue // no text: a filter cannot read it, so it is withheld
						}
						frame := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, i, q.method, q.params)
						direct := plantedAnswer(jsonrpc.Message{ID: jsonrpc.NumberID(int64(i)), Method: q.method, Params: []byte(q.params)})
						compare(t, q.method+" "+q.params, string(direct.Append(nil)), say(frame))
					}
				})
			}
		}
	}
}

func compare(t *testing.T, question, direct, through string) {
	t.Helper()
	want, got := flatten(direct), flatten(through)
	for i := range max(len(want), len(got)) {
		switch {
		case i >= len(got):
			t.Errorf("%s: lost %s", question, want[i])
		case i >= len(want):
			t.Errorf("%s: added %s", question, got[i])
		case got[i] != want[i]:
			t.Errorf("%s\n got %s\nwant %s", question, got[i], want[i])
			return
		}
	}
}

// flatten lists every scalar and empty container of a JSON text with its path,
// in order, each exactly as it is spelled.
func flatten(text string) []string {
	var all []string
	b := []byte(text)
	var walk func(path string, m jsonspan.Member)
	walk = func(path string, m jsonspan.Member) {
		n := 0
		jsonspan.Children(b, m.Start, func(c jsonspan.Member) bool {
			step := fmt.Sprint(n)
			if c.KeyEnd > 0 {
				step = string(b[c.KeyStart:c.KeyEnd])
			}
			walk(path+"/"+step, c)
			n++
			return true
		})
		if n == 0 {
			all = append(all, path+" = "+string(b[m.Start:m.End]))
		}
	}
	walk("", jsonspan.Member{Start: 0, End: len(b)})
	return all
}

// The test would see a loss: it finds one planted in the comparison itself.
func TestFidelityBites(t *testing.T) {
	const direct = `{"a":[1e2,{"b":9007199254740993}],"c":{}}`
	for _, through := range []string{
		`{"a":[100,{"b":9007199254740993}],"c":{}}`, `{"a":[1e2,{"b":9007199254740992}],"c":{}}`,
		`{"a":[1e2,{"b":9007199254740993}]}`, `{"a":[1e2,{"b":9007199254740993}],"c":{},"d":1}`, `{"c":{},"a":[1e2,{"b":9007199254740993}]}`,
	} {
		if fmt.Sprint(flatten(direct)) == fmt.Sprint(flatten(through)) {
			t.Errorf("no difference seen to %s", through)
		}
	}
}
