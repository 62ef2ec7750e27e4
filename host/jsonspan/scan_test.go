package jsonspan

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"
)

func TestValid(t *testing.T) {
	tests := []struct {
		rule   string
		text   string
		offset int // of the fault, -1 if valid
	}{
		{"object with each kind", `{"a":null,"b":true,"c":false,"d":-1.5e+3,"e":"x","f":[],"g":{}}`, -1},
		{"white space everywhere", " \t\r\n{ \"a\" : [ 1 , 2 ] } \n", -1},
		{"duplicate keys are grammar", `{"a":1,"a":2}`, -1},
		{"any escape", `"\"\\\/\b\f\n\r\t\u00e9\uD83D\ude00"`, -1},
		{"a lone surrogate is grammar", `"\ud800"`, -1},
		{"number beyond any float", `1e999999`, -1},
		{"minus zero", `-0`, -1},
		{"U+2028 in a string", "\"\u2028\"", -1},
		{"DEL in a string", "\"\x7f\"", -1},
		{"nothing", ``, 0},
		{"white space only", "  ", 2},
		{"two values", `1 2`, 2},
		{"leading zero", `01`, 1},
		{"plus sign", `+1`, 0},
		{"minus alone", `-`, 1},
		{"point without digits", `1.`, 2},
		{"exponent without digits", `1e+`, 3},
		{"point first", `.5`, 0},
		{"trailing comma in array", `[1,]`, 3},
		{"trailing comma in object", `{"a":1,}`, 7},
		{"comma first", `[,1]`, 1},
		{"key without quotes", `{a:1}`, 1},
		{"missing colon", `{"a" 1}`, 5},
		{"missing value", `{"a":}`, 5},
		{"wrong bracket", `[1}`, 2},
		{"closed too often", `[]]`, 2},
		{"never closed", `[[1]`, 4},
		{"string never closed", `"abc`, 4},
		{"backslash at the end", `"abc\`, 5},
		{"unknown escape", `"\x41"`, 2},
		{"short \\u", `"\u12"`, 2},
		{"newline in a string", "\"a\nb\"", 2},
		{"control character in the ninth byte", "\"12345678\x01\"", 9},
		{"NUL outside a string", "\x00", 0},
		{"byte order mark", "\ufeff1", 0},
		{"invalid UTF-8 in a string", "\"ab\xffc\"", 3},
		{"overlong UTF-8", "\"\xc0\x80\"", 1},
		{"surrogate in UTF-8", "\"\xed\xa0\x80\"", 1},
		{"literal cut short", `[tru]`, 1},
		{"literal in capitals", `True`, 0},
		{"comment", `/**/1`, 0},
		{"single quotes", `'a'`, 0},
	}
	for _, tt := range tests {
		t.Run(tt.rule, func(t *testing.T) {
			err := Valid([]byte(tt.text))
			if tt.offset < 0 {
				if err != nil {
					t.Fatalf("Valid(%q) = %v, want nil", tt.text, err)
				}
				return
			}
			var syntax *SyntaxError
			if !errors.As(err, &syntax) {
				t.Fatalf("Valid(%q) = %v, want a SyntaxError", tt.text, err)
			}
			if syntax.Offset != tt.offset {
				t.Errorf("Valid(%q): fault at %d, want %d (%v)", tt.text, syntax.Offset, tt.offset, err)
			}
		})
	}
}

// Valid accepts two million levels, because a level costs one bit and no recursion.
func TestValidTakesAnyDepth(t *testing.T) {
	const depth = 2_000_000
	arrays := []byte(strings.Repeat("[", depth) + strings.Repeat("]", depth))
	if err := Valid(arrays); err != nil {
		t.Errorf("%d arrays: %v", depth, err)
	}
	mixed := []byte(strings.Repeat(`{"a":[`, depth) + strings.Repeat("]}", depth))
	if err := Valid(mixed); err != nil {
		t.Errorf("%d objects and arrays: %v", depth, err)
	}
	mixed[len(mixed)/2+130_001] ^= ']' ^ '}'
	if err := Valid(mixed); err == nil {
		t.Error("a wrong bracket deep inside passed")
	}
}

// Each bracket must match its own partner at every depth round the 64-bit words
// of the nesting stack.
func TestNestingCrossesWords(t *testing.T) {
	for depth := 60; depth < 200; depth++ {
		var open, shut strings.Builder
		for i := range depth {
			if i%3 == 0 {
				open.WriteString(`{"k":`)
			} else {
				open.WriteByte('[')
			}
		}
		for i := depth - 1; i >= 0; i-- {
			if i%3 == 0 {
				shut.WriteByte('}')
			} else {
				shut.WriteByte(']')
			}
		}
		text := open.String() + "[[]]" + shut.String()
		if err := Valid([]byte(text)); err != nil {
			t.Fatalf("depth %d: %v", depth, err)
		}
	}
}

func TestScanRules(t *testing.T) {
	strict := Rules{MaxDepth: 3, UniqueKeys: true}
	many := func(last string) string { // more keys than are compared one by one
		var b strings.Builder
		for i := range 40 {
			b.WriteString(`"k` + strconv.Itoa(i) + `":0,`)
		}
		return `{` + b.String() + last + `}`
	}
	tests := []struct {
		rule, text, reason string
	}{
		{"depth at the limit", `[{"a":[]}]`, ""},
		{"depth over the limit", `[{"a":[[]]}]`, "nested too deeply (limit 3)"},
		{"same key in siblings", `[{"a":1},{"a":1}]`, ""},
		{"same key in parent and child", `{"a":{"a":1}}`, ""},
		{"duplicate key", `{"a":1,"a":1}`, `duplicate key "a"`},
		{"duplicate after a nested object", `{"a":{"b":1},"b":1,"a":1}`, `duplicate key "a"`},
		{"duplicate in depth", `[{"x":{"a":1,"b":1,"a":1}}]`, `duplicate key "a"`},
		{"duplicate by escape", `{"a":1,"\u0061":1}`, `duplicate key "a"`},
		{"case differs", `{"a":1,"A":1}`, ""},
		{"duplicate among many", many(`"k7":1`), `duplicate key "k7"`},
		{"many without duplicate", many(`"k40":1`), ""},
		{"lone surrogate in a key", `{"\ud800":1}`, "key with a lone surrogate"},
		{"lone surrogate in a value", `{"a":"\ud800"}`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.rule, func(t *testing.T) {
			end, err := Scan([]byte(tt.text), 0, strict)
			if tt.reason == "" {
				if err != nil || end != len(tt.text) {
					t.Fatalf("Scan(%s) = %d, %v; want %d, nil", tt.text, end, err, len(tt.text))
				}
				return
			}
			var syntax *SyntaxError
			if !errors.As(err, &syntax) || syntax.Reason != tt.reason {
				t.Fatalf("Scan(%s) = %v, want reason %q", tt.text, err, tt.reason)
			}
		})
	}
}

func TestValueEndStopsAfterTheValue(t *testing.T) {
	b := []byte(`x {"a":[1,2]} , "b"`)
	end, err := ValueEnd(b, 1)
	if err != nil || string(b[1:end]) != ` {"a":[1,2]}` {
		t.Fatalf("ValueEnd = %d, %v (%q)", end, err, b[1:end])
	}
	if _, err := ValueEnd(b, len(b)+5); err == nil {
		t.Error("an offset after the text returned a value")
	}
}

// FuzzValid holds Valid against encoding/json. They differ in two things only:
// encoding/json stops at depth 10,000 and accepts invalid UTF-8 in strings.
func FuzzValid(f *testing.F) {
	for _, seed := range []string{
		`{"a":[1,-2.5e3,true,false,null,"x\n\u00e9"]}`, "\"\xff\"", `[[[[`, `{"a":1,"a":2}`, "  1  ", `"\ud83d\ude00"`,
		`{"k":"0123456789abcdef\\","l":[{},[]]}`, `-0.0E-0`, "\"12345678\x1f\"",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 10_000 {
			return
		}
		got, want := Valid(b), json.Valid(b)
		if want && ValidUTF8(b) != nil {
			want = false
		}
		if (got == nil) != want {
			t.Fatalf("Valid(%q) = %v, encoding/json says %v", b, got, want)
		}
		var syntax *SyntaxError
		if got != nil && (!errors.As(got, &syntax) || syntax.Offset < 0 || syntax.Offset > len(b)) {
			t.Fatalf("Valid(%q): bad error %#v", b, got)
		}
	})
}

// FuzzUniqueKeys holds the duplicate check against a decode with encoding/json
// that counts keys.
func FuzzUniqueKeys(f *testing.F) {
	f.Add([]byte(`{"a":{"b":1,"b":2}}`))
	f.Add([]byte(`{"a":1,"\u0061":2}`))
	f.Add([]byte(`[{"a":1},{"a":[{"c":1,"d":1,"c":1}]}]`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 4096 || Valid(b) != nil {
			return
		}
		_, err := Scan(b, 0, Rules{UniqueKeys: true})
		var syntax *SyntaxError
		if errors.As(err, &syntax) && strings.Contains(syntax.Reason, "lone surrogate") {
			return // encoding/json puts U+FFFD in
		}
		if got, want := err != nil, hasDuplicate(t, b); got != want {
			t.Fatalf("Scan(%q) = %v, duplicates: %v", b, err, want)
		}
	})
}

func hasDuplicate(t *testing.T, b []byte) bool {
	dec := json.NewDecoder(strings.NewReader(string(b)))
	dec.UseNumber()
	var walk func() bool
	walk = func() bool {
		tok, err := dec.Token()
		if err != nil {
			t.Fatalf("oracle: %v", err)
		}
		open, ok := tok.(json.Delim)
		if !ok {
			return false
		}
		found, seen := false, map[string]bool{}
		for dec.More() {
			if open == '{' {
				key, err := dec.Token()
				if err != nil {
					t.Fatalf("oracle: %v", err)
				}
				found = found || seen[key.(string)]
				seen[key.(string)] = true
			}
			found = walk() || found
		}
		if _, err := dec.Token(); err != nil {
			t.Fatalf("oracle: %v", err)
		}
		return found
	}
	return walk()
}
