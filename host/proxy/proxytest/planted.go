package proxytest

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/stateless"
)

// planted are answers with values that SDKs are known to drop or to damage.
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
	"tools/call structured":    `{"structuredContent":{"z":9007199254740993,"a":1e2,"a":1E+2,"n":-0.0,"deep":[[[[]]]]},"content":[{"type":"text","text":"another text"}]}`,
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

// A Question is one request of a client.
type Question struct{ Method, Params string }

// Questions are the requests of a client to a Project with bare names.
var Questions = []Question{
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

// PlantedAnswer returns the server's answer to a request of any version. It checks the
// planted values in the params too.
func PlantedAnswer(m jsonrpc.Message) jsonrpc.Message {
	if stateless.VersionIn(m.Params) != "" {
		if req, bad := stateless.ReadRequest(m.Params); bad == nil {
			m.Params = req.Params
		}
	}
	key := m.Method
	switch m.Method {
	case "initialize":
		return jsonrpc.Message{ID: m.ID, Result: []byte(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"prompts":{},"resources":{},"completions":{}},"serverInfo":{"name":"s","version":"1"}}`)}
	case "server/discover":
		return jsonrpc.Message{ID: m.ID, Result: []byte(`{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"prompts":{},"resources":{},"completions":{}}}`)}
	case "ping":
		return jsonrpc.Message{ID: m.ID, Result: []byte(`{}`)}
	case "tools/call":
		key += " " + kindOf(m.Params)
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

// kindOf returns the kind of answer that a call requests.
func kindOf(params []byte) string {
	m, _ := jsonspan.Lookup(params, "/arguments/kind")
	return strings.Trim(string(params[m.Start:m.End]), `"`)
}

// PlantedEnv is an environment variable. If it is set, a test binary whose TestMain calls
// PlantedMain is the stdio server of planted answers.
const PlantedEnv = "MCPCTL_TEST_PLANTED_SERVER"

// PlantedMain serves planted answers over stdin and stdout until stdin ends, if PlantedEnv
// is set. It reports whether it has served.
func PlantedMain() bool {
	if os.Getenv(PlantedEnv) == "" {
		return false
	}
	servePlanted(os.Stdin, os.Stdout)
	return true
}

func servePlanted(r io.Reader, w io.Writer) {
	frames, out := jsonrpc.NewFrameReader(r, 0), jsonrpc.NewFrameWriter(w)
	for {
		frame, err := frames.Next()
		if err != nil {
			return
		}
		if m, err := jsonrpc.DecodeUpstream(frame, jsonrpc.Limits{}); err == nil && m.IsRequest() {
			_ = out.Write(PlantedAnswer(m)) // the next read ends it
		}
	}
}

// PlantedHandler serves planted answers to one client at a time: as JSON, and for every
// second request as a stream.
func PlantedHandler() http.Handler {
	n := 0
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		m, err := jsonrpc.DecodeUpstream(body, jsonrpc.Limits{})
		if r.Method != http.MethodPost || err != nil {
			http.Error(w, "", http.StatusMethodNotAllowed)
			return
		}
		if !m.IsRequest() {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		answer := PlantedAnswer(m)
		if n++; n%2 == 0 {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, "data: %s\n\n", jsonrpc.OneLine(answer.Append(nil)))
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(answer.Append(nil)) // the client may be gone
	})
}
