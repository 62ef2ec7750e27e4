package controller

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/host/jsonspan"
)

func TestMergePatch(t *testing.T) {
	tests := []struct{ rule, target, patch, want string }{
		// RFC 7396 appendix A, in order.
		{"A1", `{"a":"b"}`, `{"a":"c"}`, `{"a":"c"}`},
		{"A2", `{"a":"b"}`, `{"b":"c"}`, `{"a":"b","b":"c"}`},
		{"A3", `{"a":"b"}`, `{"a":null}`, `{}`},
		{"A4", `{"a":"b","b":"c"}`, `{"a":null}`, `{"b":"c"}`},
		{"A5", `{"a":["b"]}`, `{"a":"c"}`, `{"a":"c"}`},
		{"A6", `{"a":"c"}`, `{"a":["b"]}`, `{"a":["b"]}`},
		{"A7", `{"a":{"b":"c"}}`, `{"a":{"b":"d","c":null}}`, `{"a":{"b":"d"}}`},
		{"A8", `{"a":[{"b":"c"}]}`, `{"a":[1]}`, `{"a":[1]}`},
		{"A9", `["a","b"]`, `["c","d"]`, `["c","d"]`},
		{"A10", `{"a":"b"}`, `["c"]`, `["c"]`},
		{"A11", `{"a":"foo"}`, `null`, `null`},
		{"A12", `{"a":"foo"}`, `"bar"`, `"bar"`},
		{"A13", `{"e":null}`, `{"a":1}`, `{"e":null,"a":1}`},
		{"A14", `[1,2]`, `{"a":"b","c":null}`, `{"a":"b"}`},
		{"A15", `{}`, `{"a":{"bb":{"ccc":null}}}`, `{"a":{"bb":{}}}`},

		{"blanks are preserved", "{ \"a\" : 1 ,\n  \"b\":2 }", `{"b":3}`, "{ \"a\" : 1 ,\n  \"b\":3 }"},
		{"removed in the middle", `{"a":1, "b":2, "c":3}`, `{"b":null}`, `{"a":1, "c":3}`},
		{"removed at the start", `{ "a":1, "b":2}`, `{"a":null}`, `{ "b":2}`},
		{"removed at the end", `{"a":1, "b":2 }`, `{"b":null}`, `{"a":1 }`},
		{"large numbers and escapes are preserved", `{"n":12345678901234567890.10,"s":"\u0041\/"}`, `{"x":1}`, `{"n":12345678901234567890.10,"s":"\u0041\/","x":1}`},
		{"escaped key equals unescaped key", `{"\u0061":1}`, `{"a":2}`, `{"\u0061":2}`},
		{"last of duplicate keys in the patch counts", `{"a":1}`, `{"a":null,"a":2}`, `{"a":2}`},
		{"unchanged duplicate keys are preserved", `{"a":1,"a":2,"b":3}`, `{"b":4}`, `{"a":1,"a":2,"b":4}`},
		{"changed duplicate keys become one", `{"a":1,"b":0,"a":2}`, `{"a":3}`, `{"b":0,"a":3}`},
		{"removal of all duplicates", `{"a":1,"b":0,"a":2}`, `{"a":null}`, `{"b":0}`},
		{"surrounding blanks", " {\"a\":1} ", "\n{\"a\":2}\n", `{"a":2}`},
	}
	for _, tt := range tests {
		t.Run(tt.rule, func(t *testing.T) {
			if got := string(mergePatch([]byte(tt.target), []byte(tt.patch))); got != tt.want {
				t.Errorf("%s patched with %s:\n got %s\nwant %s", tt.target, tt.patch, got, tt.want)
			}
		})
	}
}

func TestPatchToolIgnoresName(t *testing.T) {
	tests := []struct{ rule, patch, want string }{
		{"name changed", `{"name":"other","title":"T"}`, `{"name":"a__b","outputSchema":{"type":"object"},"title":"T"}`},
		{"name removed", `{"name":null,"outputSchema":null}`, `{"name":"a__b"}`},
		{"escaped name", `{"n\u0061me":"other"}`, `{"name":"a__b","outputSchema":{"type":"object"}}`},
		{"not an object", `[]`, `{"name":"a__b","outputSchema":{"type":"object"}}`},
	}
	for _, tt := range tests {
		t.Run(tt.rule, func(t *testing.T) {
			if got := string(patchTool([]byte(`{"name":"a__b","outputSchema":{"type":"object"}}`), []byte(tt.patch))); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// mergePatch equals a merge of decoded maps and preserves the text of all other
// members.
func TestMergePatchEqualsMergeOfMaps(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 396))
	for i := range 20_000 {
		target, patch := randomJSON(r, 4), randomJSON(r, 4)
		got := mergePatch([]byte(target), []byte(patch))
		if err := jsonspan.Valid(got); err != nil {
			t.Fatalf("case %d: %s patched with %s gives %s: %v", i, target, patch, got, err)
		}
		if want := mergeMaps(decode(t, target), decode(t, patch)); !reflect.DeepEqual(decode(t, string(got)), want) {
			t.Fatalf("case %d: %s patched with %s gives %s, want %v", i, target, patch, got, want)
		}
		if same := mergePatch([]byte(target), []byte(`{"unknown":null}`)); target[0] == '{' && string(same) != target {
			t.Fatalf("case %d: a patch without effect changed %s to %s", i, target, same)
		}
		untouched(t, target, patch, string(got))
	}
}

// untouched checks that got contains the members of the target that are not in the
// patch, with their text and order.
func untouched(t *testing.T, target, patch, got string) {
	t.Helper()
	if target[0] != '{' || patch[0] != '{' {
		return
	}
	named := make(map[string]bool)
	for _, m := range members([]byte(patch)) {
		named[m.name] = true
	}
	rest := got
	for _, m := range members([]byte(target)) {
		if named[m.name] {
			continue
		}
		text := target[m.start:m.end]
		i := strings.Index(rest, text)
		if i < 0 {
			t.Fatalf("%s patched with %s gives %s: lost or moved %s", target, patch, got, text)
		}
		rest = rest[i+len(text):]
	}
}

func mergeMaps(target, patch any) any {
	p, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	out := make(map[string]any)
	if old, ok := target.(map[string]any); ok {
		for k, v := range old {
			out[k] = v
		}
	}
	for k, v := range p {
		if v == nil {
			delete(out, k)
		} else {
			out[k] = mergeMaps(out[k], v)
		}
	}
	return out
}

func decode(t *testing.T, text string) (v any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// randomJSON returns a value with blanks everywhere. It uses few keys, so that target
// and patch have keys in common. Keys of an object are unique.
func randomJSON(r *rand.Rand, depth int) string {
	blank := func() string { return []string{"", "", " ", "\n  "}[r.IntN(4)] }
	switch n := r.IntN(8); {
	case depth > 0 && n < 5:
		var b bytes.Buffer
		b.WriteString("{" + blank())
		for i, k := range r.Perm(5)[:r.IntN(5)] {
			if i > 0 {
				b.WriteString("," + blank())
			}
			fmt.Fprintf(&b, "%s%s:%s%s%s", []string{`"a"`, `"b"`, `"\u0063"`, `"d\""`, `""`}[k], blank(), blank(), randomJSON(r, depth-1), blank())
		}
		return b.String() + "}"
	case n == 5:
		return "null"
	case n == 6:
		return "[1, {\"a\":null}]"
	}
	return []string{"1e3", "12345678901234567890", `"x\u0041"`, "true"}[r.IntN(4)]
}

func FuzzMergePatch(f *testing.F) {
	f.Add([]byte(`{"a":{"b":1},"c":[1]}`), []byte(`{"a":{"b":null,"d":{}},"c":2}`))
	f.Add([]byte(`{"a":1,"a":2}`), []byte(`{"\ud800":1}`))
	f.Fuzz(func(t *testing.T, target, patch []byte) {
		if jsonspan.Valid(target) != nil || jsonspan.Valid(patch) != nil {
			return
		}
		if _, err := jsonspan.Scan(patch, 0, jsonspan.Rules{MaxDepth: maxPatchDepth}); err != nil {
			return
		}
		got := mergePatch(target, patch)
		if err := jsonspan.Valid(got); err != nil {
			t.Fatalf("%s patched with %s gives %s: %v", target, patch, got, err)
		}
		if again := mergePatch(got, patch); !bytes.Equal(again, got) {
			t.Fatalf("patched twice: %s, then %s", got, again)
		}
	})
}
