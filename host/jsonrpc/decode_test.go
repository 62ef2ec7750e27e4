package jsonrpc

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/host/jsonspan"
)

func TestDecode(t *testing.T) {
	deep := func(n int) string { return strings.Repeat(`[`, n) + strings.Repeat(`]`, n) }
	tests := []struct {
		rule, frame string
		want        Message
	}{
		{
			"request", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`,
			Message{ID: NumberID(1), Method: "tools/call", Params: raw(`{"name":"x"}`)},
		},
		{
			"notification", `{"jsonrpc":"2.0","method":"notifications/initialized"}`,
			Message{Method: "notifications/initialized"},
		},
		{
			"result, any order, white space", "\r\n{ \"result\" : { } ,\"id\":\"a\", \"jsonrpc\":\"2.0\" }\n",
			Message{ID: StringID("a"), Result: raw(`{ }`)},
		},
		{
			"error", `{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"m","data":9007199254740993}}`,
			Message{ID: NumberID(1), Error: raw(`{"code":-1,"message":"m","data":9007199254740993}`)},
		},
		{
			"error for an unreadable message", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}`,
			Message{ID: NullID(), Error: raw(`{"code":-32700,"message":"m"}`)},
		},
		{
			"null params are none", `{"jsonrpc":"2.0","id":1,"method":"m","params":null}`,
			Message{ID: NumberID(1), Method: "m"},
		},
		{
			"unknown envelope keys are dropped", `{"jsonrpc":"2.0","id":1,"method":"m","x":{"method":"y"}}`,
			Message{ID: NumberID(1), Method: "m"},
		},
		{
			"escaped spelling of a key", `{"jsonrpc":"2.0","id":1,"\u006dethod":"m"}`,
			Message{ID: NumberID(1), Method: "m"},
		},
		{
			"depth at the limit", `{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":` + deep(127) + `}}`,
			Message{ID: NumberID(1), Method: "m", Params: raw(`{"a":` + deep(127) + `}`)},
		},
		{
			"case pairs below arguments are data",
			`{"jsonrpc":"2.0","id":1,"method":"m","params":{"arguments":{"env":{"Path":"a","PATH":"b"}}}}`,
			Message{ID: NumberID(1), Method: "m", Params: raw(`{"arguments":{"env":{"Path":"a","PATH":"b"}}}`)},
		},
		{
			"a client's result may hold duplicates", `{"jsonrpc":"2.0","id":1,"result":{"a":1,"a":2}}`,
			Message{ID: NumberID(1), Result: raw(`{"a":1,"a":2}`)},
		},
	}
	for _, tt := range tests {
		t.Run(tt.rule, func(t *testing.T) {
			got, err := Decode([]byte(tt.frame), Limits{})
			if err != nil || !reflect.DeepEqual(got, tt.want) {
				t.Fatalf("got %+v, %v\nwant %+v", got, err, tt.want)
			}
		})
	}
}

// Decode refuses messages that a lax reader could decode differently: the four messages
// that executed a hidden call in other proxies, and similar ones.
func TestDecodeRefusesSmuggling(t *testing.T) {
	call := func(params string) string {
		return `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":` + params + `}`
	}
	deep := strings.Repeat(`[`, 1_000_000) + strings.Repeat(`]`, 1_000_000)
	tests := []struct {
		rule, frame, want string
		code              int
	}{
		{"method in capitals", `{"jsonrpc":"2.0","id":7,"METHOD":"tools/call"}`, `"method" in this spelling`, CodeInvalidRequest},
		{"name beside Name", call(`{"name":"safe","Name":"danger"}`), `"name" in this spelling`, CodeInvalidParams},
		{"method twice", `{"jsonrpc":"2.0","id":7,"method":"ping","method":"tools/call"}`, `duplicate envelope key "method"`, CodeInvalidRequest},
		{"params with U+017F", `{"jsonrpc":"2.0","id":7,"method":"tools/call","param` + "\u017f" + `":{}}`, `"params" in this spelling`, CodeInvalidRequest},
		{"the same, escaped", `{"jsonrpc":"2.0","id":7,"method":"tools/call","param\u017f":{}}`, `"params" in this spelling`, CodeInvalidRequest},
		{"id with dotless i", `{"jsonrpc":"2.0","id":7,"` + "\u0131" + `d":8,"method":"m"}`, `"id" in this spelling`, CodeInvalidRequest},
		{"key twice by escape", `{"jsonrpc":"2.0","id":7,"method":"a","\u006dethod":"b"}`, "duplicate", CodeInvalidRequest},
		{"Params alone", `{"jsonrpc":"2.0","id":7,"method":"m","Params":{}}`, `"params" in this spelling`, CodeInvalidRequest},
		{"Arguments alone", call(`{"name":"safe","Arguments":{"p":1}}`), `"arguments" in this spelling`, CodeInvalidParams},
		{"duplicate name", call(`{"name":"safe","name":"danger"}`), `duplicate key "name"`, CodeInvalidParams},
		{"duplicate name by escape", call(`{"name":"safe","n\u0061me":"danger"}`), `duplicate key "name"`, CodeInvalidParams},
		{"duplicate argument", call(`{"name":"x","arguments":{"path":"a","path":"b"}}`), `duplicate key "path"`, CodeInvalidParams},
		{"duplicate deep in an argument", call(`{"name":"x","arguments":{"a":[{"b":1,"b":2}]}}`), `duplicate key "b"`, CodeInvalidParams},
		{"argument in two cases", call(`{"name":"x","arguments":{"path":"a","Path":"b"}}`), `two spellings`, CodeInvalidParams},
		{"argument with Kelvin sign", call(`{"name":"x","arguments":{"key":"a","` + "\u212a" + `ey":"b"}}`), `two spellings`, CodeInvalidParams},
		{"progressToken in another case", call(`{"name":"x","_meta":{"ProgressToken":1}}`), `"progressToken" in this spelling`, CodeInvalidParams},
		{"_META", call(`{"name":"x","_META":{}}`), `"_meta" in this spelling`, CodeInvalidParams},
		{"unknown param in two cases", call(`{"name":"x","extra":1,"EXTRA":2}`), `two spellings`, CodeInvalidParams},
		{"params as array", call(`["x"]`), `"params" is no object`, CodeInvalidParams},
		{"batch", `[{"jsonrpc":"2.0","id":7,"method":"m"}]`, "batches are not supported", CodeInvalidRequest},
		{"second message after the first", `{"jsonrpc":"2.0","id":7,"method":"m"}{"jsonrpc":"2.0"}`, "data after the message", CodeParse},
		{"method and result", `{"jsonrpc":"2.0","id":7,"method":"m","result":{}}`, "method and an answer", CodeInvalidRequest},
		{"result and error", `{"jsonrpc":"2.0","id":7,"result":{},"error":{}}`, "result and an error", CodeInvalidRequest},
		{"neither", `{"jsonrpc":"2.0","id":7}`, "no method, result or error", CodeInvalidRequest},
		{"request with null id", `{"jsonrpc":"2.0","id":null,"method":"m"}`, "null", CodeInvalidRequest},
		{"id is an object", `{"jsonrpc":"2.0","id":{},"method":"m"}`, "want number or string", CodeInvalidRequest},
		{"method is a number", `{"jsonrpc":"2.0","id":7,"method":7}`, "no text", CodeInvalidRequest},
		{"version missing", `{"id":7,"method":"m"}`, "missing", CodeInvalidRequest},
		{"version 1.0", `{"jsonrpc":"1.0","id":7,"method":"m"}`, `not "2.0"`, CodeInvalidRequest},
		{"version as number", `{"jsonrpc":2.0,"id":7,"method":"m"}`, `not "2.0"`, CodeInvalidRequest},
		{"depth over the limit", call(`{"a":` + strings.Repeat(`[`, 128) + strings.Repeat(`]`, 128) + `}`), "nested too deeply", CodeInvalidParams},
		{"a million levels in params", call(deep), "nested too deeply", CodeInvalidParams},
		{"a million levels beside", `{"jsonrpc":"2.0","id":7,"x":` + deep + `}`, "nested too deeply", CodeParse},
		{"invalid UTF-8", `{"jsonrpc":"2.0","id":7,"method":"m","params":{"a":"` + "\xff" + `"}}`, "invalid UTF-8", CodeParse},
		{"NUL", "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"m\"\x00}", "invalid JSON", CodeParse},
		{"byte order mark", "\ufeff" + `{"jsonrpc":"2.0","method":"m"}`, "no JSON object", CodeParse},
		{"long id", `{"jsonrpc":"2.0","id":"` + strings.Repeat("x", 2000) + `","method":"m"}`, "limit 1024", CodeInvalidRequest},
	}
	for _, tt := range tests {
		t.Run(tt.rule, func(t *testing.T) {
			_, err := Decode([]byte(tt.frame), Limits{})
			var bad *Error
			if !errors.As(err, &bad) {
				t.Fatalf("got %v, want an *Error", err)
			}
			if bad.Code != tt.code || !strings.Contains(bad.Message, tt.want) {
				t.Errorf("got %d %q, want %d with %q", bad.Code, bad.Message, tt.code, tt.want)
			}
		})
	}
}

func TestDecodeKeepsTheIDOfABadMessage(t *testing.T) {
	for _, frame := range []string{
		`{"jsonrpc":"2.0","id":"q-7","method":"m","params":{"name":1,"name":2}}`,
		`{"jsonrpc":"2.0","method":"m","params":{"name":1,"name":2},"id":"q-7"}`,
		`{"jsonrpc":"2.0","id":"q-7","method":"m","params":{"a":"` + "\xff" + `"}}`,
		`{"jsonrpc":"2.0","id":"q-7","method":"m","params":[`,
	} {
		m, err := Decode([]byte(frame), Limits{})
		if err == nil || m.ID != StringID("q-7") {
			t.Errorf("%q: id %s, error %v; want the id and an error", frame, m.ID, err)
		}
	}
	m, err := Decode([]byte(`{"jsonrpc":"2.0","id":3,"method":"m"}`), Limits{FrameBytes: 10})
	if err == nil || m.ID != NumberID(3) || !strings.Contains(err.Error(), "37 bytes, limit 10") {
		t.Errorf("over the limit: %+v, %v", m, err)
	}
}

// DecodeUpstream accepts any valid JSON as a value, and is as strict as Decode about the
// envelope.
func TestDecodeUpstream(t *testing.T) {
	deep := strings.Repeat(`[`, 1_000_000) + strings.Repeat(`]`, 1_000_000)
	for rule, result := range map[string]string{
		"duplicate keys":   `{"a":1,"a":2,"A":3}`,
		"a million levels": deep,
		"big numbers":      `[1e999999,9007199254740993,-0]`,
		"lone surrogate":   `"\ud800"`,
	} {
		m, err := DecodeUpstream([]byte(`{"jsonrpc":"2.0","id":1,"result":`+result+`}`), Limits{})
		if err != nil || string(m.Result) != result {
			t.Errorf("%s: got %.80q, %v", rule, m.Result, err)
		}
	}
	for rule, frame := range map[string]string{
		"half a result":     `{"jsonrpc":"2.0","id":1,"result":{"a":}}`,
		"invalid UTF-8":     `{"jsonrpc":"2.0","id":1,"result":"` + "\xc3" + `"}`,
		"two ids":           `{"jsonrpc":"2.0","id":1,"id":2,"result":{}}`,
		"Result":            `{"jsonrpc":"2.0","id":1,"Result":{}}`,
		"error is a text":   `{"jsonrpc":"2.0","id":1,"error":"no"}`,
		"answer without id": `{"jsonrpc":"2.0","result":{}}`,
	} {
		if m, err := DecodeUpstream([]byte(frame), Limits{}); err == nil {
			t.Errorf("%s: passed as %+v", rule, m)
		}
	}
}

func TestDecodeUpstreamCopiesNothing(t *testing.T) {
	frame := []byte(`{"jsonrpc":"2.0","id":1,"result":{"a":1}}`)
	m, err := DecodeUpstream(frame, Limits{})
	if err != nil || &m.Result[0] != &frame[33] {
		t.Fatalf("result %s at another place, %v", m.Result, err)
	}
	if cap(m.Result) != len(m.Result) {
		t.Error("appending to the result would write over the frame")
	}
}

func raw(s string) json.RawMessage { return json.RawMessage(s) }

// FuzzDecode checks that an accepted message is encoded to a message that decodes to the
// same, and that encoding/json, a very lax reader, decodes the same method, id and tool
// from it.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"a":[1,{"b":null}]}}}`,
		`{"jsonrpc":"2.0","id":"a\u0062","result":{"x":1,"x":2}}`,
		`{"jsonrpc":"2.0","id":1,"method":"m","param` + "\u017f" + `":{},"METHOD":"n"}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"m","params":{"name":"a","Name":"b"}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, frame []byte) {
		m, err := Decode(frame, Limits{})
		if _, upErr := DecodeUpstream(frame, Limits{}); err == nil && upErr != nil {
			t.Fatalf("accepted from a client, refused from a server: %v", upErr)
		}
		if err != nil {
			return
		}
		text := m.Append(nil)
		if len(text) > m.Size() {
			t.Fatalf("%d bytes, Size says %d", len(text), m.Size())
		}
		again, err := Decode(text, Limits{})
		if err != nil || !reflect.DeepEqual(m, again) {
			t.Fatalf("%s decodes to %+v, %v; want %+v", text, again, err, m)
		}
		if jsonspan.Valid(text) != nil {
			t.Fatalf("encoded to invalid JSON %q", text)
		}
		lax := struct {
			Method string
			Params struct{ Name json.RawMessage }
		}{}
		_ = json.Unmarshal(text, &lax) // an argument of another kind than Name is not its matter
		if m.IsResponse() {
			return
		}
		params, err := DecodeParams(m.Params)
		if err != nil {
			t.Fatalf("params of an accepted message: %v", err)
		}
		name, _ := params.Get("name")
		if lax.Method != m.Method || m.Params != nil && string(lax.Params.Name) != string(name) {
			t.Fatalf("a lax reader sees %q %s, we saw %q %s", lax.Method, lax.Params.Name, m.Method, name)
		}
	})
}
