package controller

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// Known keys are read in any order; unknown keys and values of another kind are skipped.
func TestToolReadsKnownKeys(t *testing.T) {
	tests := []struct {
		name, text string
		want       Tool
		ok         bool
	}{
		{"as the host writes it", `{"name":"a/b","wire":"a__b","kind":"upstream","own":false,"hidden":true,"stale":false,"tool":{"name":"}\"]","x":[{}]}}`, Tool{Name: "a/b", Wire: "a__b", Kind: UpstreamTool, Hidden: true}, true},
		{"another order", `{"tool":{},"own":true,"kind":"virtual","name":"x","wire":"x"}`, Tool{Name: "x", Wire: "x", Kind: VirtualTool, Own: true}, true},
		{"blanks, escapes and a later key", ` { "later" : [ null , 1e5 ] , "name" : "\u0061\n" , "stale" : true } `, Tool{Name: "a\n", Stale: true}, true},
		{"null and numbers are nothing", `{"name":null,"own":1,"kind":7}`, Tool{}, true},
		{"nothing", `{}`, Tool{}, true},
		{"cut off", `{"name":"a","own":tr`, Tool{Name: "a"}, false},
		{"no object", `[]`, Tool{}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got Tool
			s := scanner{text: tt.text}
			ok := s.object(func(key string) bool { return got.read(&s, key) })
			if got != tt.want || ok != tt.ok {
				t.Errorf("%+v, %t, want %+v, %t", got, ok, tt.want, tt.ok)
			}
		})
	}
}

// No text makes the reader panic, and it agrees with encoding/json on valid JSON.
func FuzzTool(f *testing.F) {
	for _, text := range []string{
		`{"name":"a\u00e9\ud83d\ude00\"","wire":"w","own":true,"hidden":false}`, `{"later":[[{"a":"]}"}],-1.5e+3],"name":null}`,
		`{"name":"\ud83d`, `{"a":[[[`, `{"name":7,"own":"x"} `, `{"sum\u006dary":1,"n\u0061me":"x"}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var got Tool
		s := scanner{text: text}
		ok := s.object(func(key string) bool { return got.read(&s, key) })
		var fields map[string]json.RawMessage
		if json.Unmarshal([]byte(text), &fields) != nil || fields == nil || !utf8.ValidString(text) || strings.Contains(text, `\u`) {
			return // not an object, or possibly with duplicate keys
		}
		var name *string
		if json.Unmarshal(fields["name"], &name) != nil || name == nil || strings.Count(text, `"name"`) != 1 {
			return
		}
		if !ok || got.Name != *name {
			t.Errorf("%q: name %q, %t, want %q", text, got.Name, ok, *name)
		}
	})
}
