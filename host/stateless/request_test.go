package stateless

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/host/jsonrpc"
)

const meta = `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}`

func TestReadRequest(t *testing.T) {
	for _, tc := range []struct{ rule, params, want, err string }{
		{"all of it", `{"a":1,"_meta":{` + meta + `,"io.modelcontextprotocol/clientInfo":{"name":"c"},"io.modelcontextprotocol/logLevel":"info","k":9007199254740993},"requestState":"s","inputResponses":{"x":{}}}`, `{"a":1,"_meta":{"k":9007199254740993}}`, ""},
		{"only what is required", `{"_meta":{` + meta + `}}`, `{}`, ""},
		{"keys of later versions are removed too", `{"_meta":{` + meta + `,"io.modelcontextprotocol/later":1},"b":[1e2]}`, `{"b":[1e2]}`, ""},
		{"no params", ``, "", "params._meta is missing"},
		{"no meta", `{}`, "", "params._meta is missing"},
		{"meta that is no object", `{"_meta":1}`, "", "params._meta is of kind number, want object"},
		{"no version", `{"_meta":{"io.modelcontextprotocol/clientCapabilities":{}}}`, "", "protocolVersion is missing or no string"},
		{"version that is no text", `{"_meta":{"io.modelcontextprotocol/protocolVersion":1,"io.modelcontextprotocol/clientCapabilities":{}}}`, "", "protocolVersion is missing or no string"},
		{"no capabilities", `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`, "", "clientCapabilities is missing or no object"},
		{"client that is no object", `{"_meta":{` + meta + `,"io.modelcontextprotocol/clientInfo":"c"}}`, "", "clientInfo is no object"},
		{"level that nobody knows", `{"_meta":{` + meta + `,"io.modelcontextprotocol/logLevel":"loud"}}`, "", `logLevel is "loud", want one of debug, info`},
		{"long level", `{"_meta":{` + meta + `,"io.modelcontextprotocol/logLevel":"` + strings.Repeat("x", 100) + `"}}`, "", `x...", want`},
		{"empty state", `{"_meta":{` + meta + `},"requestState":""}`, "", "params.requestState is no text"},
		{"input that is no object", `{"_meta":{` + meta + `},"inputResponses":"x"}`, "", "params.inputResponses is of kind string, want object"},
		{"an escaped key of the protocol", `{"_meta":{` + meta + `,"io.modelcontextprotocol\u002flater":1,"k":1}}`, `{"_meta":{"k":1}}`, ""},
	} {
		r, bad := ReadRequest(json.RawMessage(tc.params))
		switch {
		case bad != nil && (tc.err == "" || !strings.Contains(bad.Message, tc.err) || bad.Code != jsonrpc.CodeInvalidParams):
			t.Errorf("%s: %v", tc.rule, bad)
		case bad == nil && (tc.err != "" || string(r.Params) != tc.want):
			t.Errorf("%s: params %s, want %s, error %q", tc.rule, r.Params, tc.want, tc.err)
		}
	}
}

func TestIsModern(t *testing.T) {
	for _, tc := range []struct {
		method, params, header string
		want                   bool
	}{
		{"tools/list", `{}`, "", false},
		{"tools/list", `{}`, "2025-11-25", false},
		{"tools/list", `{}`, "2026-07-28", true},
		{"tools/list", `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2030-01-01"}}`, "2030-01-01", true},
		{"tools/list", `{"_meta":{"progressToken":1}}`, "2025-11-25", false},
		{"server/discover", `{}`, "", true},
		{"subscriptions/listen", `{}`, "", true},
	} {
		if got := IsModern(jsonrpc.Message{Method: tc.method, Params: []byte(tc.params)}, tc.header); got != tc.want {
			t.Errorf("%+v: %v", tc, got)
		}
	}
}
