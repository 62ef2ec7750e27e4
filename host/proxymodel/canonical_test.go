package proxymodel

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/strictyaml"
)

// The samples are those of RFC 8785 appendix B.
func TestCanonicalNumbers(t *testing.T) {
	for bits, want := range map[uint64]string{
		0x0000000000000000: "0",
		0x8000000000000000: "0",
		0x0000000000000001: "5e-324",
		0x8000000000000001: "-5e-324",
		0x7fefffffffffffff: "1.7976931348623157e+308",
		0xffefffffffffffff: "-1.7976931348623157e+308",
		0x4340000000000000: "9007199254740992",
		0xc340000000000000: "-9007199254740992",
		0x4430000000000000: "295147905179352830000",
		0x44b52d02c7e14af5: "9.999999999999997e+22",
		0x44b52d02c7e14af6: "1e+23",
		0x44b52d02c7e14af7: "1.0000000000000001e+23",
		0x444b1ae4d6e2ef4e: "999999999999999700000",
		0x444b1ae4d6e2ef4f: "999999999999999900000",
		0x444b1ae4d6e2ef50: "1e+21",
		0x3eb0c6f7a0b5ed8c: "9.999999999999997e-7",
		0x3eb0c6f7a0b5ed8d: "0.000001",
		0x41b3de4355555553: "333333333.3333332",
		0x41b3de4355555554: "333333333.33333325",
		0x41b3de4355555555: "333333333.3333333",
		0x41b3de4355555556: "333333333.3333334",
		0x41b3de4355555557: "333333333.33333343",
		0xbecbf647612f3696: "-0.0000033333333333333333",
		0x43143ff3c1cb0959: "1424953923781206.2",
	} {
		if got := string(appendFloat(nil, math.Float64frombits(bits))); got != want {
			t.Errorf("%016x prints as %s, want %s", bits, got, want)
		}
	}
}

// Every float64 is parsed to the same value, and has the same text as in encoding/json.
func TestCanonicalNumbersRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200_000 {
		f := math.Float64frombits(rng.Uint64())
		if math.IsNaN(f) || math.IsInf(f, 0) {
			continue
		}
		got := appendFloat(nil, f)
		if back, err := strconv.ParseFloat(string(got), 64); err != nil || back != f {
			t.Fatalf("%x prints as %s, reads back as %v, %v", math.Float64bits(f), got, back, err)
		}
		if want, _ := json.Marshal(f); f != 0 && string(want) != string(got) {
			t.Fatalf("%x prints as %s, encoding/json as %s", math.Float64bits(f), got, want)
		}
	}
}

func TestCanonicalJSON(t *testing.T) {
	for _, c := range []struct{ rule, in, want string }{
		{"blanks are removed", " { \"a\" : [ 1 , 2 ] } ", `{"a":[1,2]}`},
		{"keys are sorted", `{"b":1,"a":{"d":1,"c":2},"":0}`, `{"":0,"a":{"c":2,"d":1},"b":1}`},
		{"keys are sorted by UTF-16, RFC 8785 3.2.3", `{"\u20ac":1,"\r":2,"\ufb33":3,"1":4,"\ud83d\ude00":5,"\u0080":6,"\u00f6":7}`,
			"{\"\\r\":2,\"1\":4,\"\u0080\":6,\"ö\":7,\"€\":1,\"😀\":5,\"\ufb33\":3}"},
		{"strings have one form", `"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/<>&\u2028\u007f"`, "\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/<>&\u2028\x7f\""},
		{"short escapes", `"\b\f\n\r\t\u0000\u001f"`, `"\b\f\n\r\t\u0000\u001f"`},
		{"numbers have one form", `[1.0,1e0,10e-1,-0,-0.0,1E30,4.50,2e-3,0.000000000000000000000000001,333333333.33333329]`,
			`[1,1,1,0,0,1e+30,4.5,0.002,1e-27,333333333.3333333]`},
		{"large integers are exact", `[9007199254740992,-9007199254740992,1000000000000000000000]`, `[9007199254740992,-9007199254740992,1e+21]`},
		{"literals and empty values", `[true,false,null,{},[]]`, `[true,false,null,{},[]]`},
	} {
		got, err := canonical([]byte(c.in))
		if err != nil || string(got) != c.want {
			t.Errorf("%s:\ngot  %s, %v\nwant %s", c.rule, got, err, c.want)
		}
	}
	for rule, in := range map[string]string{
		"an integer that would change": "9007199254740993", "a number out of range": "1e400", "a duplicate key": `{"a":1,"a":2}`,
		"two values": "1 2", "invalid JSON": "{", "too deep": strings.Repeat("[", 100) + strings.Repeat("]", 100),
	} {
		if got, err := canonical([]byte(in)); !errors.Is(err, abi.ErrConfig) {
			t.Errorf("%s: got %s, %v; want abi.ErrConfig", rule, got, err)
		}
	}
}

// canonical returns the canonical form of a JSON text.
func canonical(text []byte) ([]byte, error) {
	v, err := strictyaml.ParseJSON(text)
	if err != nil {
		return nil, err
	}
	return appendCanonical(nil, v)
}

// FuzzCanonical checks that printing twice gives the same text, and that the printed
// value equals the parsed one.
func FuzzCanonical(f *testing.F) {
	for _, seed := range []string{`{"b":[1,2.50,"x"],"a":null}`, `"\ud800"`, `1e-7`, `-0`, `[9007199254740993]`, `{"\u0000":1}`, "\"\xff\"", `1E400`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		once, err := canonical(in)
		if err != nil {
			return
		}
		twice, err := canonical(once)
		if err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("%q prints as %q, that as %q, %v", in, once, twice, err)
		}
		var a, b any
		if err := json.Unmarshal(in, &a); err != nil {
			t.Fatalf("%q: canonical %q, encoding/json: %v", in, once, err)
		}
		if err := json.Unmarshal(once, &b); err != nil {
			t.Fatalf("%q: canonical %q is not JSON: %v", in, once, err)
		}
		x, _ := json.Marshal(a)
		y, _ := json.Marshal(b)
		if string(bytes.ReplaceAll(x, []byte("-0"), []byte("0"))) != string(bytes.ReplaceAll(y, []byte("-0"), []byte("0"))) {
			t.Fatalf("%q means %s, canonical %q means %s", in, x, once, y)
		}
	})
}
