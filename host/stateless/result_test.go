package stateless

import (
	"testing"

	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/jsonspan"
)

func quote(text string) []byte { return jsonspan.AppendQuote(nil, []byte(text)) }

func TestCompleteResult(t *testing.T) {
	const self = `"io.modelcontextprotocol/serverInfo":{"name":"p"}`
	for _, tc := range []struct{ rule, method, result, want string }{
		{"empty", "tools/call", `{}`, `{"resultType":"complete","_meta":{` + self + `}}`},
		{"the rest is unchanged", "tools/call", `{ "content":[ 1e2 ] }`, `{"resultType":"complete","_meta":{` + self + `}, "content":[ 1e2 ] }`},
		{"meta of the server", "tools/call", `{"_meta":{"k":1}}`, `{"resultType":"complete","_meta":{"k":1,` + self + `}}`},
		{"description of the server", "tools/call", `{"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s"},"k":1}}`, `{"resultType":"complete","_meta":{"k":1,` + self + `}}`},
		{"a type that asks for something", "tools/call", `{"resultType":"input_required","inputRequests":{}}`, `{"_meta":{` + self + `},"resultType":"complete","inputRequests":{}}`},
		{"a list", "tools/list", `{"tools":[]}`, `{"resultType":"complete","ttlMs":5000,"cacheScope":"private","_meta":{` + self + `},"tools":[]}`},
		{"hints of the server", "resources/read", `{"contents":[],"ttlMs":7,"cacheScope":"public"}`, `{"resultType":"complete","_meta":{` + self + `},"contents":[],"ttlMs":7,"cacheScope":"private"}`},
		{"invalid hints", "resources/read", `{"ttlMs":-1,"cacheScope":3}`, `{"resultType":"complete","_meta":{` + self + `},"ttlMs":0,"cacheScope":"private"}`},
		{"no object", "tools/call", `[]`, `[]`},
	} {
		if got := string(CompleteResult(tc.method, []byte(tc.result), []byte(`{"name":"p"}`))); got != tc.want {
			t.Errorf("%s\n got %s\nwant %s", tc.rule, got, tc.want)
		}
	}
}

func TestModernError(t *testing.T) {
	for in, want := range map[string]string{
		`{"code":-32002,"message":"m","data":{"uri":"x"}}`: `{"code":-32602,"message":"m","data":{"uri":"x"}}`,
		`{"code":-32000,"message":"m"}`:                    `{"code":-32000,"message":"m"}`,
	} {
		if got := string(ModernError([]byte(in))); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestTag(t *testing.T) {
	const tag = `"io.modelcontextprotocol/subscriptionId":"s"`
	for in, want := range map[string]string{
		``:                    `{"_meta":{` + tag + `}}`,
		`{}`:                  `{"_meta":{` + tag + `}}`,
		`{"_meta":{"k":1}}`:   `{"_meta":{"k":1,` + tag + `}}`,
		`{"_meta":1,"uri":2}`: `{"uri":2,"_meta":{` + tag + `}}`,
	} {
		got := Tag([]byte(in), jsonrpc.StringID("s"))
		if string(got) != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
	if got := string(Untag([]byte(`{"_meta":{"k":1,` + tag + `}}`))); got != `{"_meta":{"k":1}}` {
		t.Errorf("untagged %s", got)
	}
}

func TestDescribe(t *testing.T) {
	c := Client{Info: []byte(`{"name":"c"}`), Capabilities: []byte(`{}`), LogLevel: "info"}
	r, bad := ReadRequest(c.Describe([]byte(`{"a":1,"_meta":{"k":1,"io.modelcontextprotocol/protocolVersion":"forged"}}`)))
	if bad != nil || string(r.Params) != `{"a":1,"_meta":{"k":1}}` || r.Version != Version || string(r.Client) != `{"name":"c"}` || r.LogLevel != "info" {
		t.Errorf("%+v, %v", r, bad)
	}
}

func TestReadInput(t *testing.T) {
	in, ok := ReadInput([]byte(`{"resultType":"input_required","inputRequests":{"a":{"method":"roots/list"},"b":{"method":"m","params":{"x":1}}},"requestState":"s"}`))
	if !ok || len(in.Requests) != 2 || in.Requests[1].Key != "b" || string(in.Requests[1].Params) != `{"x":1}` || string(in.State) != `"s"` {
		t.Errorf("%+v, %v", in, ok)
	}
	if _, ok := ReadInput([]byte(`{"resultType":"complete"}`)); ok {
		t.Error("a complete result asks for nothing")
	}
}

func TestListen(t *testing.T) {
	for caps, want := range map[string]string{
		`{"tools":{"listChanged":true},"prompts":{}}`: `{"notifications":{"toolsListChanged":true,"resourceSubscriptions":["x:1"]}}`,
		`{}`: `{"notifications":{"resourceSubscriptions":["x:1"]}}`,
	} {
		if got := string(Listen([]byte(caps), []string{"x:1"})); got != want {
			t.Errorf("%s: %s", caps, got)
		}
	}
	if got := Listen([]byte(`{"tools":{}}`), nil); got != nil {
		t.Errorf("got %s for nothing", got)
	}
}
