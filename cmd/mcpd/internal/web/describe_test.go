package web

import (
	"errors"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/cmd/internal/problem"
)

func TestDescribeMessage(t *testing.T) {
	key := []byte("key")
	const call = `{"method":"tools/call","params":{"name":"search","arguments":{"q": "canary"}}}`
	for _, c := range []struct{ name, body, want string }{
		{"tool", call, "tools/call search hmac:"},
		{"resource", `{"method":"resources/read","params":{"uri":"wiki://a"}}`, "resources/read wiki://a"},
		{"no parameters", `{"method":"tools/list"}`, "tools/list"},
		{"response", `{"id":1,"result":{}}`, "response"},
		{"member of another capital", `{"method":"tools/call","Method":"ping","params":{"name":"x"},"Params":{}}`, "tools/call x"},
		{"method of another type", `{"method":1}`, "?"},
		{"parameters of another type", `{"method":"x","params":[1]}`, "x"},
		{"batch", "[" + call + `,{"method":"ping"}]`, "batch of 2; tools/call search hmac:"},
		{"another value", `"x"`, "not a JSON-RPC message"},
		{"long name", `{"method":"` + strings.Repeat("m", 200) + `"}`, strings.Repeat("m", 97) + "..."},
	} {
		got, err := describeMessage([]byte(c.body), key, false)
		if err != nil || !strings.HasPrefix(got, c.want) || strings.Contains(got, "canary") {
			t.Errorf("%s: %q, %v, want %q", c.name, got, err, c.want)
		}
	}
	for name, body := range map[string]string{
		"no JSON": "x", "member twice": `{"method":"ping","method":"tools/call"}`, "member of the parameters twice": `{"method":"x","params":{"name":"a","name":"b"}}`,
		"in a batch": `[{"method":"ping"},{"id":1,"id":2}]`, "UTF-16": "\xff\xfe{\x00}\x00", "not UTF-8": "{\"method\":\"\xff\"}",
	} {
		if got, err := describeMessage([]byte(body), key, false); !errors.Is(err, problem.ErrUsage) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	one, _ := describeMessage([]byte(call), key, false)
	if same, _ := describeMessage([]byte(strings.ReplaceAll(call, `: "`, `:"`)), key, false); same != one {
		t.Errorf("blanks change the hash: %s, %s", one, same)
	}
	if other, _ := describeMessage([]byte(call), []byte("other"), false); other == one {
		t.Error("the hash does not depend on the key")
	}
	if plain, _ := describeMessage([]byte(call), key, true); plain != `tools/call search {"q":"canary"}` {
		t.Errorf("plain: %s", plain)
	}
	if _, err := describeMessage([]byte("["+strings.Repeat(call+",", 20)+call+"]"), key, false); err == nil || !strings.Contains(err.Error(), "limit 20") {
		t.Errorf("a long batch: %v", err)
	}
}
