package explore

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/sdk-go/controller"
	"github.com/mcpctl/mcpctl/sdk-go/stagetest"
)

func TestFilter(t *testing.T) {
	const text = `{"id" : 12345678901234567890, "users":[{"name":"A\u00e9","mail":1.0,"tags":[1, 2]},{"name":null},{"other":{}}],` +
		`"m":{"deep":{"x":[[{"y":1},{"y":2}]]}}, "dup":{"a":1}, "dup":{"a":2}, "a.b":3, "empty":{}}`
	for _, c := range []struct{ rule, arguments, want string }{
		{"exact text of a number", `,"fields":["id"]`, `{"id":12345678901234567890}`},
		{"fields of elements", `,"fields":["users[].name"]`, `{"users":[{"name":"A\u00e9"},{"name":null}]}`},
		{"without brackets", `,"fields":["users.name","users.mail"]`, `{"users":[{"name":"A\u00e9","mail":1.0},{"name":null}]}`},
		{"one element", `,"fields":["users[2]"]`, `{"users":[{"other":{}}]}`},
		{"a value with its white space", `,"fields":["users[0].tags"]`, `{"users":[{"tags":[1, 2]}]}`},
		{"arrays of arrays", `,"fields":["m.deep.x.y"]`, `{"m":{"deep":{"x":[[{"y":1},{"y":2}]]}}}`},
		{"members of one name, each with its own value", `,"fields":["dup.a"]`, `{"dup":{"a":1},"dup":{"a":2}}`},
		{"a key with a dot", `,"fields":["[\"a.b\"]"]`, `{"a.b":3}`},
		{"one path as a string", `,"fields":"id"`, `{"id":12345678901234567890}`},
		{"exclude", `,"exclude":["users","m","dup"]`, `{"id":12345678901234567890,"a.b":3,"empty":{}}`},
		{"exclude below", `,"exclude":["users[].tags","users[].name","m.deep","dup.a","id"]`, `{"users":[{"mail":1.0},{},{"other":{}}],"m":{},"dup":{},"dup":{},"a.b":3,"empty":{}}`},
		{"fields in mode exclude", `,"fields":["users","m","dup","id"],"mode":"exclude"`, `{"a.b":3,"empty":{}}`},
		{"the whole", `,"fields":["$"]`, text},
		{"no match", `,"fields":["missing","id.x"]`, "nothing in the result is at these paths; proxy_explore tells which there are"},
	} {
		e := asked("proxy_filter", text, c.arguments)
		if e.Outcome != stagetest.Done || e.Answer != c.want {
			t.Errorf("%s: %s\n%s %s, want\n%s", c.rule, e.Outcome, e.Answer, e.Reason, c.want)
		}
	}
	if e := asked("proxy_filter", "no JSON at all", `,"fields":["a"]`); !strings.Contains(e.Answer, "is no JSON") {
		t.Errorf("%s", e.Answer)
	}
	if e := asked("proxy_filter", "{\"a\":1,\"b\":2}\n{\"b\":3}\nbroken\n{\"a\":4}", `,"fields":["a"]`); e.Answer != "{\"a\":1}\n{\"a\":4}\n" {
		t.Errorf("JSON by line: %q", e.Answer)
	}
}

// A filter selects the values that decoding selects, and each value it shows has the
// bytes of the original.
func TestFilterAgreesWithDecoding(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	keys := []string{"a", "b", "c"}
	for range 400 {
		b, _ := json.Marshal(random(rnd, 4))
		path := keys[rnd.IntN(3)]
		for rnd.IntN(3) > 0 {
			path += "." + keys[rnd.IntN(3)]
		}
		var v any
		_ = json.Unmarshal(b, &v)
		want, found := pick(v, strings.Split(path, "."))
		e := asked("proxy_filter", string(b), `,"fields":["`+path+`"]`)
		if e.Kind == controller.IsError {
			if found {
				t.Fatalf("%s of %s: %s", path, b, e.Answer)
			}
			continue
		}
		w, _ := json.Marshal(want)
		if e.Answer != string(w) {
			t.Fatalf("%s of %s\n%s, want\n%s", path, b, e.Answer, w)
		}
	}
}

func random(rnd *rand.Rand, depth int) any {
	switch n := rnd.IntN(4); {
	case depth == 0 || n == 0:
		return rnd.IntN(100)
	case n == 1:
		list := make([]any, rnd.IntN(4))
		for i := range list {
			list[i] = random(rnd, depth-1)
		}
		return list
	}
	m := map[string]any{}
	for _, k := range []string{"a", "b", "c"} {
		if rnd.IntN(2) == 0 {
			m[k] = random(rnd, depth-1)
		}
	}
	return m
}

// pick applies a path of keys to a decoded value.
func pick(v any, path []string) (any, bool) {
	switch v := v.(type) {
	case []any:
		if len(path) == 0 {
			return v, true
		}
		list := []any{}
		for _, e := range v {
			if p, ok := pick(e, path); ok {
				list = append(list, p)
			}
		}
		return list, len(list) > 0
	case map[string]any:
		if len(path) == 0 {
			return v, true
		}
		member, ok := v[path[0]]
		if !ok {
			return nil, false
		}
		p, ok := pick(member, path[1:])
		return map[string]any{path[0]: p}, ok
	}
	return v, len(path) == 0
}
