package jsonrpc

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode"
)

func TestObjectKeepsOtherMembers(t *testing.T) {
	const text = `{ "b":9007199254740993, "\u0061" : "x\u00e9", "z":{"k":1e2, "j":[ ]}, "n":null }`
	o, err := DecodeObject(raw(text))
	if err != nil {
		t.Fatal(err)
	}
	if s, ok := o.Text("a"); !ok || s != "xé" {
		t.Errorf("Text(a) = %q, %v", s, ok)
	}
	if _, ok := o.Text("b"); ok {
		t.Error("a number was decoded as text")
	}
	if _, ok := o.Get("nope"); ok {
		t.Error("an absent member was found")
	}
	o.Set("z", raw(`0`))
	o.Set("new\n", raw(`true`))
	o.Delete("n")
	o.Delete("n")
	want := `{"b":9007199254740993,"a":"x\u00e9","z":0,"new\n":true}`
	if got := string(o.Raw()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	var zero Object
	if got := string(zero.Raw()); got != "{}" || len(zero.Fields()) != 0 {
		t.Errorf("zero Object = %s", got)
	}
}

func TestDecodeObjectRefuses(t *testing.T) {
	for rule, text := range map[string]string{
		"duplicate":          `{"a":1,"a":2}`,
		"duplicate in depth": `{"a":[{"b":1,"b":2}]}`,
		"two spellings":      `{"a":1,"A":2}`,
		"two of many": `{` + func() (s string) {
			for i := range 30 {
				s += fmt.Sprintf(`"k%d":0,`, i)
			}
			return s
		}() + `"K3":1}`,
		"array":         `[]`,
		"string":        `"x"`,
		"nothing":       ``,
		"data after it": `{} {}`,
		"invalid UTF-8": "{\"a\":\"\xff\"}",
		"too deep":      strings.Repeat(`{"a":`, 200) + "1" + strings.Repeat(`}`, 200),
	} {
		var bad *Error
		if _, err := DecodeObject(raw(text)); !errors.As(err, &bad) || bad.Code != CodeInvalidParams {
			t.Errorf("%s: got %v, want an *Error with code %d", rule, err, CodeInvalidParams)
		}
	}
	if _, err := DecodeObject(raw(`{"a":{"b":1,"B":2}}`)); err != nil {
		t.Errorf("two spellings below the first level are data: %v", err)
	}
}

func TestDecodeParams(t *testing.T) {
	for _, none := range []string{"", "null"} {
		if o, err := DecodeParams(raw(none)); err != nil || len(o.Fields()) != 0 {
			t.Errorf("DecodeParams(%q) = %v, %v", none, o, err)
		}
	}
	if _, err := DecodeParams(raw(`{"Name":"x"}`)); err == nil {
		t.Error(`"Name" passed as params`)
	}
	if _, err := DecodeObject(raw(`{"Name":"x"}`)); err != nil {
		t.Errorf(`"Name" is a good argument: %v`, err)
	}
}

// Every rune that a change of case, or strings.EqualFold, takes for a letter of a
// known key folds to that letter.
func TestFoldCatchesEveryCaseVariant(t *testing.T) {
	for r := rune(1); r <= unicode.MaxRune; r++ {
		readings := []rune{unicode.ToLower(r), unicode.ToLower(unicode.ToUpper(r))}
		for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
			readings = append(readings, other) // what EqualFold goes through
		}
		for _, letter := range readings {
			if got := string(fold([]byte(string(r)))); 'a' <= letter && letter <= 'z' && got != string(letter) {
				t.Errorf("%U can be read as %c, but folds to %q", r, letter, got)
			}
		}
	}
}

// FuzzObject checks that decoding and encoding returns an equal value with its keys in
// order.
func FuzzObject(f *testing.F) {
	f.Add([]byte(`{"a":1,"b":{"c":[1,2,{"d":"\u00e9"}]},"\n":null}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		o, err := DecodeObject(text)
		if err != nil {
			return
		}
		again, err := DecodeObject(o.Raw())
		if err != nil || !reflect.DeepEqual(o, again) {
			t.Fatalf("%q: %+v, then %+v, %v", text, o, again, err)
		}
		var want, got any
		if json.Unmarshal(text, &want) == nil && (json.Unmarshal(o.Raw(), &got) != nil || !reflect.DeepEqual(got, want)) {
			t.Fatalf("%q became %s", text, o.Raw())
		}
	})
}
