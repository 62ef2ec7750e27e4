package stateless

import (
	"net/http"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/host/jsonrpc"
)

// Headers that SetHeaders sets pass CheckHeaders, for any name.
func TestHeadersAgree(t *testing.T) {
	for _, name := range []string{"plain", "Grüße, 世界", " padded ", "two\nlines", "=?base64?literal?=", "", "a=b", "~tilde", "\x7f"} {
		h := http.Header{}
		params := jsonrpc.Object{}
		params.Set("name", quote(name))
		SetHeaders(h, Version, "tools/call", params.Raw())
		for _, r := range h.Get(nameHeader) {
			if r < ' ' || r > '~' {
				t.Errorf("%q: header %q", name, h.Get(nameHeader))
			}
		}
		if bad := CheckHeaders(h, Version, jsonrpc.Message{Method: "tools/call", Params: params.Raw()}); bad != nil {
			t.Errorf("%q: %v", name, bad)
		}
		if bad := CheckHeaders(h, Version, jsonrpc.Message{Method: "tools/call", Params: []byte(`{"name":"another"}`)}); bad == nil || bad.Code != CodeHeaderMismatch {
			t.Errorf("%q for another: %v", name, bad)
		}
	}
}

// The examples of the specification.
func TestEncodeValue(t *testing.T) {
	for text, want := range map[string]string{
		"us-west1": "us-west1", "Hello, 世界": "=?base64?SGVsbG8sIOS4lueVjA==?=", " padded ": "=?base64?IHBhZGRlZCA=?=",
		"line1\nline2": "=?base64?bGluZTEKbGluZTI=?=", "=?base64?literal?=": "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=",
	} {
		if got := encodeValue(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
		if back, err := decodeValue(want); err != nil || back != text {
			t.Errorf("%q: back %q, %v", want, back, err)
		}
	}
	for _, bad := range []string{"=?base64?SGVsbG8?=", "=?base64?SGVs!!!bG8=?=", "a\x01b", "é"} {
		if text, err := decodeValue(bad); err == nil {
			t.Errorf("%q: got %q", bad, text)
		}
	}
}

func TestParamHeaders(t *testing.T) {
	for _, tc := range []struct{ rule, schema, want string }{
		{"none", `{"type":"object","properties":{"a":{"type":"string"}}}`, ""},
		{"one", `{"properties":{"region":{"type":"string","x-mcp-header":"Region"},"b":{}}}`, "Region=region"},
		{"nested", `{"properties":{"a":{"type":"object","properties":{"b":{"type":"integer","x-mcp-header":"B"}}}}}`, "B=a.b"},
		{"not below items", `{"properties":{"a":{"type":"array","items":{"properties":{"b":{"type":"string","x-mcp-header":"B"}}}}}}`, ""},
		{"empty name", `{"properties":{"a":{"type":"string","x-mcp-header":""}}}`, "error"},
		{"name with a space", `{"properties":{"a":{"type":"string","x-mcp-header":"a b"}}}`, "error"},
		{"name with a line break", `{"properties":{"a":{"type":"string","x-mcp-header":"a\r\nX: y"}}}`, "error"},
		{"twice", `{"properties":{"a":{"type":"string","x-mcp-header":"R"},"b":{"type":"string","x-mcp-header":"r"}}}`, "error"},
		{"of a number", `{"properties":{"a":{"type":"number","x-mcp-header":"R"}}}`, "error"},
		{"no schema", ``, ""},
		{"schema that is no object", `"x-mcp-header"`, ""},
		{"deep", strings.Repeat(`{"properties":{"a":`, 100) + `{"type":"string","x-mcp-header":"A"}` + strings.Repeat(`}}`, 100), ""},
	} {
		params, err := ParamHeaders([]byte(tc.schema))
		var got []string
		for _, p := range params {
			got = append(got, p.Name+"="+p.String())
		}
		if err != nil {
			got = []string{"error"}
		}
		if strings.Join(got, " ") != tc.want {
			t.Errorf("%s: got %v, %v, want %q", tc.rule, got, err, tc.want)
		}
	}
}

func TestCheckParamHeaders(t *testing.T) {
	const schema = `{"properties":{"s":{"type":"string","x-mcp-header":"S"},"n":{"type":"integer","x-mcp-header":"N"},"b":{"type":"boolean","x-mcp-header":"B"}}}`
	for _, tc := range []struct {
		rule, arguments, headers string
		ok                       bool
	}{
		{"none", `{}`, "", true},
		{"null", `{"s":null}`, "", true},
		{"all", `{"s":"x","n":42,"b":true}`, "S=x N=42 B=true", true},
		{"the same number", `{"n":42}`, "N=42.0", true},
		{"another number", `{"n":42}`, "N=43", false},
		{"huge exponents are not computed", `{"n":1e999999999}`, "N=1e999999998", false},
		{"missing", `{"s":"x"}`, "", false},
		{"superfluous", `{}`, "S=x", false},
		{"no arguments", ``, "", true},
	} {
		h := http.Header{}
		for _, one := range strings.Fields(tc.headers) {
			name, value, _ := strings.Cut(one, "=")
			h.Set("Mcp-Param-"+name, value)
		}
		if bad := CheckParamHeaders(h, []byte(schema), []byte(tc.arguments)); (bad == nil) != tc.ok {
			t.Errorf("%s: %v", tc.rule, bad)
		}
	}
	params, _ := ParamHeaders([]byte(schema))
	h := http.Header{}
	SetParamHeaders(h, params, []byte(`{"s":" a","n":7,"b":false}`))
	if bad := CheckParamHeaders(h, []byte(schema), []byte(`{"s":" a","n":7,"b":false}`)); bad != nil || len(h) != 3 {
		t.Errorf("headers %v: %v", h, bad)
	}
}
